"""One repository is one project, wherever it lies; what a person says of it counts, and can be taken back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from axiommind.errors import BadQuery, NeedsPerson, NotFound
from axiommind.memory import Memory
from axiommind.recall.packets.file_identity import identify
from tests.repositories import git, repository
from tests.transcripts import Lines, World, encode

ORIGIN = "git@github.com:team/weather.git"


def work(world: World, name: str, folder: Path, file: str = "parser.py") -> Lines:
    lines = Lines(name, cwd=str(folder))
    lines.prompt(f"please mend the {file} of {name}")
    lines.tool("Edit", f"{name}-t1", file_path=f"{folder}/{file}", old_string="a", new_string="b")
    lines.result(f"{name}-t1", "ok")
    lines.answer("Done.")
    world.write(lines)
    return lines


def clones(world: World, base: Path, *names: str) -> list[Path]:
    """A session in each of some clones of one repository."""
    made = [repository(base / name, ORIGIN) for name in names]
    for folder in made:
        work(world, f"in-{folder.name}", folder)
    world.memory().index()
    return made


def projects(world: World) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for project, session in world.rows("select project, id from sessions order by 1, 2"):
        found.setdefault(Path(project).name, []).append(session)
    return found


def test_two_clones_are_one_project_for_every_question(world: World, tmp_path: Path) -> None:
    one, two = clones(world, tmp_path, "one", "two")
    memory = world.memory()
    assert projects(world) == {"one": ["in-one", "in-two"]}
    for wanted in (str(one), str(two), f"{two}/src", "weather", "team/weather", "github.com/team/weather", ORIGIN):
        assert memory.scope(project=wanted).project == str(one), wanted
    scope = memory.scope(cwd=str(two))
    assert scope.project == str(one)
    assert {hit.session_id for hit in memory.search("mend parser", scope).hits} == {"in-one", "in-two"}
    assert world.rows("select count(*) from sessions", str(one)) == [(2,)]
    assert world.rows("select count(*) from tool_uses", str(one)) == [(2,)]
    buckets = "select sum(session_count) from weekly_buckets where tool_name = '(prompts)'"
    assert world.rows(buckets, str(one)) == [(2,)]
    assert memory.verify() == []


def test_a_file_is_one_file_in_every_clone(world: World, tmp_path: Path) -> None:
    one, two = clones(world, tmp_path, "one", "two")
    inner = two / "src"
    inner.mkdir()
    work(world, "inside", inner, "main.py")
    work(world, "outside", one, "../../elsewhere/notes.md")
    world.memory().index()
    spots = dict(world.rows("select file_path, session_count from file_hotspots"))
    assert spots[f"{one}/parser.py"] == 2 and spots[f"{one}/src/main.py"] == 1
    assert world.rows("select session_a, session_b from session_links") == [("in-one", "in-two")]
    written = "select written_path from file_edits where session_id = 'in-two'"
    assert world.one(written) == f"{two}/parser.py"
    with world.memory().home.reading(world.memory().scope(all_projects=True), None) as db:
        meant = identify(db, str(two / "parser.py"), str(one))
        assert (meant.path, meant.own, meant.is_new) == (f"{one}/parser.py", "parser.py", False)
    world.memory().projects.split([str(two)])
    spots = dict(world.rows("select file_path, session_count from file_hotspots"))
    assert spots[f"{one}/parser.py"] == 1 and spots[f"{two}/parser.py"] == 1
    assert world.memory().verify() == []


def test_a_folder_in_a_repository_is_a_place_of_it(world: World, tmp_path: Path) -> None:
    root = repository(tmp_path / "root", ORIGIN)
    (root / "packages" / "inner").mkdir(parents=True)
    work(world, "inside", root / "packages" / "inner")
    world.memory().index()
    assert projects(world) == {"root": ["inside"]}, "by the folder of the repository, though no session was in it"
    assert world.rows("select path, kind from project_paths order by 1") == [
        (str(root), "inside"),
        (str(root / "packages" / "inner"), "remote"),
    ]
    assert world.memory().scope(cwd=str(root)).project == str(root)


def test_a_clone_that_was_never_worked_in_is_known_by_its_remote(world: World, tmp_path: Path) -> None:
    (one,) = clones(world, tmp_path, "one")
    new = repository(tmp_path / "new", "https://github.com/Team/Weather")
    assert world.memory().scope(cwd=str(new)).project == str(one)
    other = repository(tmp_path / "other", "https://github.com/team/other")
    assert world.memory().scope(cwd=str(other)).project is None


def test_a_fork_is_another_project_and_a_copy_without_a_remote_is_not(world: World, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "-q")
    git(first, "commit", "-q", "--allow-empty", "-m", "one")
    for name in ("copy", "fork"):
        shutil.copytree(first, tmp_path / name)
    git(first, "remote", "add", "origin", ORIGIN)
    work(world, "a", first)
    world.memory().index()
    work(world, "b", tmp_path / "copy")
    world.memory().index()
    assert projects(world) == {"first": ["a", "b"]}, "it has the first commit of one remote"
    git(tmp_path / "fork", "remote", "add", "origin", "git@github.com:somebody/weather.git")
    work(world, "c", tmp_path / "fork")
    world.memory().index()
    assert projects(world) == {"first": ["a"], "copy": ["b"], "fork": ["c"]}, "nobody knows of which it is a copy"
    assert world.memory().verify() == []
    world.memory().projects.merge(str(first), [str(tmp_path / "copy")])
    assert projects(world) == {"first": ["a", "b"], "fork": ["c"]}


def test_a_remote_that_comes_later_makes_them_one(world: World, tmp_path: Path) -> None:
    (_one,) = clones(world, tmp_path, "one")
    two = repository(tmp_path / "two", None)
    lines = work(world, "in-two", two)
    world.memory().index()
    assert projects(world) == {"one": ["in-one"], "two": ["in-two"]}
    (two / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {ORIGIN}\n')
    world.append(encode(lines.prompt("go on")), "in-two")
    world.memory().index()
    assert projects(world) == {"one": ["in-one", "in-two"]}
    assert world.memory().verify() == []


def test_a_person_merges_splits_and_takes_back(world: World, tmp_path: Path) -> None:
    _one, two = clones(world, tmp_path, "one", "two")
    other = repository(tmp_path / "other", "git@github.com:team/moved.git")
    work(world, "in-other", other)
    world.memory().index()
    rulings = world.memory().projects
    merged = rulings.merge("team/weather", ["team/moved"])
    assert {Path(place.path).name for place in merged.places} == {"one", "two", "other"}
    assert projects(world) == {"one": ["in-one", "in-other", "in-two"]}
    split = rulings.split([str(two)])
    assert split.project.project == str(two) and [one.act for one in split.rulings] == ["split"]
    assert projects(world) == {"one": ["in-one", "in-other"], "two": ["in-two"]}
    assert world.memory().verify() == []
    assert rulings.undo().act == "split"
    assert projects(world) == {"one": ["in-one", "in-other", "in-two"]}
    assert rulings.undo(merged.rulings[0].id).undone
    assert projects(world) == {"one": ["in-one", "in-two"], "other": ["in-other"]}
    with pytest.raises(NotFound, match="could be undone"):
        rulings.undo()
    assert world.memory().verify() == []


def test_folders_that_are_gone_can_be_made_one_too(world: World, tmp_path: Path) -> None:
    gone = [tmp_path / "gone", tmp_path / "lost", tmp_path / "third"]
    for folder in gone:
        work(world, f"in-{folder.name}", folder)
    world.memory().index()
    rulings = world.memory().projects
    rulings.merge(str(gone[1]), [str(gone[2])])
    rulings.alias(str(gone[0]), "old")
    assert projects(world) == {"gone": ["in-gone"], "lost": ["in-lost", "in-third"]}
    rulings.alias("old", str(gone[1]))
    assert projects(world) == {"lost": ["in-gone", "in-lost", "in-third"]}
    assert world.memory().verify() == []
    rulings.undo()
    assert projects(world) == {"gone": ["in-gone"], "lost": ["in-lost", "in-third"]}
    assert world.memory().verify() == []


def test_names_and_folders_that_mean_a_project(world: World, tmp_path: Path) -> None:
    one, two = clones(world, tmp_path, "one", "two")
    notes = tmp_path / "notes"
    notes.mkdir()
    work(world, "in-notes", notes)
    world.memory().index()
    rulings = world.memory().projects
    assert rulings.alias("team/weather", "forecast").project.called == "forecast"
    assert world.memory().scope(project="forecast").project == str(one)
    rulings.alias("forecast", str(notes))
    assert projects(world) == {"one": ["in-notes", "in-one", "in-two"]}
    assert world.memory().verify() == []
    for project, alias, why in (
        ("forecast", str(two), "is a folder of"),
        ("forecast", "two words", "cannot be the name"),
        ("nowhere", "x", "no project is called"),
    ):
        with pytest.raises((BadQuery, NotFound), match=why):
            rulings.alias(project, alias)
    rulings.undo()
    assert projects(world)["notes"] == ["in-notes"]
    with pytest.raises(BadQuery, match="forecast means"):
        rulings.alias(str(notes), "forecast")


def test_an_agent_only_proposes(world: World, tmp_path: Path) -> None:
    one, two = clones(world, tmp_path, "one", "two")
    memory = Memory(world.memory().config, environ=world.environ, user=world.base)
    before = projects(world)
    for ask in (
        lambda: memory.projects.split([str(two)]),
        lambda: memory.projects.alias(str(one), "forecast"),
    ):
        with pytest.raises(NeedsPerson):
            ask()
    assert projects(world) == before
    person = world.memory()
    for proposal in person.proposals.list(person.scope(all_projects=True)):
        person.proposals.confirm(proposal.id)
    assert projects(world) == {"one": ["in-one"], "two": ["in-two"]}
    assert memory.scope(project="forecast").project == str(one)


def test_forgetting_a_project_forgets_every_folder_of_it(world: World, tmp_path: Path) -> None:
    one, two = clones(world, tmp_path, "one", "two")
    work(world, "other", tmp_path / "elsewhere")
    memory = world.memory()
    memory.index()
    asked = memory.forget(project=str(two), dry_run=True)
    assert asked.sessions == ("in-one", "in-two") and asked.places == (str(one), str(two))
    memory.forget(project="team/weather")
    assert projects(world) == {"elsewhere": ["other"]}
    work(world, "in-three", repository(tmp_path / "three", ORIGIN))
    work(world, "in-one-again", one)
    memory.index()
    assert projects(world) == {"elsewhere": ["other"]}, "nor is it read from a new clone"
    assert memory.verify() == []
    memory.undo_forget(project=str(two))
    assert projects(world) == {"elsewhere": ["other"], "one": ["in-one", "in-one-again", "in-three", "in-two"]}
    assert memory.verify() == []


def test_what_belongs_to_a_project_moves_with_its_folder(world: World, tmp_path: Path) -> None:
    """Tasks, entries, working memory and documents are in the same scope as the sessions."""
    (one,) = clones(world, tmp_path, "one")
    two = repository(tmp_path / "two", None)
    lines = Lines("in-two", cwd=str(two))
    lines.prompt("Remember: always run the linter with --strict before a commit. TODO: write the release notes")
    lines.answer("I will.")
    world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    memory.workflows.create("release", project_scope=str(two))
    counted = {table: counts(world, table, two) for table in ("entries", "entities", "workflows", "learned")}
    assert counted["workflows"] and counted["entries"] and counted["learned"]
    memory.projects.merge(str(one), [str(two)])
    assert all(counts(world, table, one) >= count for table, count in counted.items())
    assert not any(counts(world, table, two) for table in counted)
    assert memory.verify() == []
    memory.projects.undo()
    assert {table: counts(world, table, two) for table in counted} == counted
    assert memory.verify() == []


def counts(world: World, table: str, project: Path) -> Any:
    return world.one(f"select count(*) from {table} where project = '{project}'")
