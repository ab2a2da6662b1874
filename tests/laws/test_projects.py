"""Law 2 and law 11 of projects: whatever is said of folders, in whatever order it arrives, the index is the replay of
the log, and the same things said are the same projects."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import AxmError
from axiommind.log import home_key
from axiommind.log.foreign import append_foreign, join, line_of, outgoing, read_lines
from axiommind.log.sqlite import SqliteLog
from axiommind.model import OriginHome
from axiommind.projections.project_groups import ProjectStatement, group
from tests.examples import examples
from tests.repositories import repository
from tests.transcripts import Lines, World, encode

FOLDERS = ("one", "two", "three", "one/inner")
URLS = (None, "git@github.com:team/weather.git", "https://github.com/team/other")
PATHS = ("/one", "/two", "/one/inner", "laptop:/x", "ana@box:/x")
KEYS = ("git:h/a", "git:h/b", "root:1", "path:/one", "path:/two", "name:notes")

folders = st.sampled_from(FOLDERS)
step = st.one_of(
    st.tuples(st.just("work"), folders, folders),
    st.tuples(st.just("remote"), folders, st.sampled_from(URLS)),
    st.tuples(st.just("index"), st.none(), st.none()),
    st.tuples(st.just("merge"), folders, folders),
    st.tuples(st.just("alias"), folders, folders),
    st.tuples(st.just("name"), folders, st.sampled_from(("forecast", "notes"))),
    st.tuples(st.just("split"), folders, st.none()),
    st.tuples(st.just("undo"), st.none(), st.none()),
    st.tuples(st.just("forget"), folders, st.none()),
)


class Player:
    def __init__(self, world: World) -> None:
        self.world = world
        self.lines: dict[str, Lines] = {}
        for name in FOLDERS:
            (world.base / name).mkdir(parents=True, exist_ok=True)

    def play(self, act: str, one: Any, two: Any) -> None:
        world, projects = self.world, self.world.memory().projects
        folder = str(world.base / one) if one else ""
        try:
            if act == "work":
                self.work(one)
            elif act == "remote":
                self.remote(Path(folder), two)
            elif act == "index":
                world.memory().index()
            elif act == "merge":
                projects.merge(folder, [str(world.base / two)])
            elif act == "alias":
                projects.alias(folder, str(world.base / two))
            elif act == "name":
                projects.alias(folder, two)
            elif act == "split":
                projects.split([folder])
            elif act == "undo":
                projects.undo()
            else:
                world.memory().forget(project=folder)
        except AxmError:
            pass  # it was nothing that could be done

    def work(self, name: str) -> None:
        session = f"in-{name.replace('/', '-')}"
        if session in self.lines:
            self.world.append(encode(self.lines[session].prompt("go on")), session)
            return
        lines = self.lines[session] = Lines(session, cwd=str(self.world.base / name))
        lines.prompt(f"mend the parser in {name}")
        lines.tool("Edit", f"{session}-t", file_path="/srv/shared.py", old_string="a", new_string="b")
        lines.result(f"{session}-t", "ok")
        self.world.write(lines)

    def remote(self, folder: Path, url: str | None) -> None:
        if not (folder / ".git").exists():
            repository(folder, url)
        elif url is not None:
            (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')


@given(st.lists(step, min_size=3, max_size=14))
@settings(max_examples=examples(60))
def test_whatever_is_said_of_folders_the_index_is_the_replay_of_the_log(history: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as base:
        player = Player(World(Path(base)))
        for one in FOLDERS:
            player.work(one)
        player.world.memory().index()
        for act in history:
            player.play(*act)
        player.world.memory().index()
        assert player.world.memory().verify() == []


def statement(draw: Any, n: int) -> ProjectStatement:
    said = draw(st.sampled_from(("identified", "aliased", "named", "merged", "split", "undone")))
    path, key = draw(st.sampled_from(PATHS)), draw(st.sampled_from(KEYS))
    made: dict[str, dict[str, Any]] = {
        "identified": {
            "kind": draw(st.sampled_from(("remote", "root", "path"))),
            "identity": draw(st.sampled_from(("h/a", "h/b", "1"))),
            "folder": "inner" if path.endswith("inner") else "",
            "root": draw(st.sampled_from(("", "1"))),
        },
        "aliased": {"id": f"r{n}", "key": key, "path": path},
        "named": {"id": f"r{n}", "key": key, "name": draw(st.sampled_from(("notes", "x")))},
        "merged": {"id": f"r{n}", "keys": [key, draw(st.sampled_from(KEYS))]},
        "split": {"id": f"r{n}", "paths": [path]},
        "undone": {"ruling": f"r{draw(st.integers(0, n))}"},
    }
    types = {"named": "project_aliased", "undone": "project_ruling_undone"}
    is_theirs = draw(st.booleans())
    return ProjectStatement(f"e{n}", n // 2, types.get(said, f"project_{said}"), path, made[said], is_theirs)


@st.composite
def said(draw: Any) -> list[ProjectStatement]:
    return [statement(draw, n) for n in range(draw(st.integers(0, 9)))]


@given(said(), st.randoms(use_true_random=False))
@settings(max_examples=examples(500))
def test_the_order_of_arrival_makes_no_difference(statements: list[ProjectStatement], chance: random.Random) -> None:
    found = group(statements)
    shuffled = statements[:]
    chance.shuffle(shuffled)
    assert group(shuffled) == found
    places = [one.path for one in found.paths]
    assert len(places) == len(set(places)), "a folder is a place of one project"
    projects = [one.project for one in found.projects]
    assert len(projects) == len(set(projects)), "two projects do not go by one path"
    assert {one.project for one in found.paths} == set(projects)
    assert all(one.project in places for one in found.projects), "a project goes by one of its own places"
    assert {one.path: one.project for one in found.paths if one.path in projects} == {p: p for p in projects}


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(15))
def test_machines_that_arrive_in_any_order_are_the_same_projects(chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as base:
        sent = [machine_events(Path(base), name) for name in ("laptop", "desk")]
        tables = []
        for n in range(2):
            home = World(Path(base) / f"home-{n}")
            parts = [(name, part) for name, events in sent for part in cut(events, chance)]
            parts.sort(key=lambda _part: chance.random())
            chains: dict[str, list[Any]] = {name: [part for who, part in parts if who == name] for name, _ in sent}
            for name in ("laptop", "desk"):  # a chain arrives in its order; which one goes on is chance
                chains[name].sort(key=lambda part: part[0].event.seq or 0)
            home.memory().index()
            receive(home, chains, [name for name, _ in parts], Path(base))
            assert home.memory().verify() == []
            tables.append({table: home.rows(sql) for table, sql in TABLES.items()})
        assert tables[0] == tables[1]
        assert len({project for (project, _) in tables[0]["sessions"]}) < len(tables[0]["sessions"])


TABLES = {
    "sessions": "select project, id from sessions order by 1, 2",
    "project_paths": "select * from project_paths order by 1",
    "projects": "select * from projects order by 1",
    "project_aliases": "select * from project_aliases order by 1, 2",
    "project_statements": "select said, at, path, said_json from project_statements order by 1, 2, 3, 4",
    "weekly_buckets": "select * from weekly_buckets order by 1, 2",
    "session_links": "select session_a, session_b from session_links order by 1, 2",
}


def machine_events(base: Path, name: str) -> tuple[str, list[Any]]:
    """What a machine sends that has two clones of a repository and a folder of notes, of which its person spoke."""
    world = World(base / name)
    for folder, url in (("a", URLS[1]), ("b", URLS[1]), ("notes", None)):
        place = repository(world.base / folder, url)
        lines = Lines(f"{name}-{folder}", cwd=str(place))
        lines.prompt(f"mend the parser of {folder}")
        lines.tool("Edit", f"{name}-{folder}-t", file_path="/srv/shared.py", old_string="a", new_string="b")
        world.write(lines)
    projects = world.memory()
    projects.index()
    projects.projects.alias(str(world.base / "notes"), "notes")
    if name == "desk":
        projects.projects.split([str(world.base / "b")])
    with world.memory().home.read_log() as (log, _):
        return name, read_lines(b"".join(line_of(one) + b"\n" for one in outgoing(log)))


def cut(events: list[Any], chance: random.Random) -> list[list[Any]]:
    parts: list[list[Any]] = []
    left = events[:]
    while left:
        size = chance.randint(1, 4)
        parts.append(left[:size])
        left = left[size:]
    return parts


def receive(home: World, chains: dict[str, list[Any]], order: list[str], base: Path) -> None:
    for name in order:
        part = chains[name].pop(0)
        theirs = base / name / "axm"
        texts_log = SqliteLog(theirs / "log.db", home_key(theirs), read_only=True)
        with home.memory().home.writing([]) as (log, _, index):
            join(log, OriginHome(0, f"{name}-id", "me", name, "own"))
            texts = {text: texts_log.raw_blob(text) for one in part for text in one.texts}
            append_foreign(log, f"{name}-id", part, texts)
            del index
        texts_log.close()
        home.memory().index()
