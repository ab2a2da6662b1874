"""Which project a session belongs to, and which sessions a project has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from axiommind.memory import Scope
from axiommind.projects import slug
from tests.shell import axm
from tests.transcripts import PROJECT, Lines, World, encode, session


def test_where_a_session_was_moved_to_is_its_project(world: World) -> None:
    lines = Lines("s")
    lines.prompt("x")
    world.write(lines)
    world.memory().index()
    world.append(encode(lines.prompt("y", relocatedCwd="/home/dev/other")), "s")
    world.memory().index()
    assert world.rows("select project, cwd from sessions") == [("/home/dev/other", "/home/dev/other")]
    assert world.memory().verify() == []


def test_a_subagent_before_its_parent(world: World) -> None:
    parent = world.path("par")
    child = Lines("par", cwd="/elsewhere", sidechain=True)
    child.prompt("task")
    folder = parent.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a.jsonl").write_bytes(child.data())
    world.memory().index()
    assert world.rows("select project from sessions") == [("/elsewhere",)]
    world.write(session("par"))
    world.memory().index()
    assert world.rows("select distinct project from sessions") == [(PROJECT,)]
    assert world.memory().verify() == []


def test_files_of_worktrees_are_those_of_their_repository(world: World) -> None:
    """Hot files and links are not split over the copies of one file."""
    for name, folder in (("a", PROJECT), ("b", f"{PROJECT}/.worktrees/7"), ("c", f"{PROJECT}/.git/wt/side")):
        lines = Lines(name, cwd=folder)
        lines.prompt("change the parser")
        lines.tool("Edit", f"{name}-t", file_path=f"{folder}/src/parser.py", old_string="a", new_string="b")
        lines.result(f"{name}-t", "ok")
        world.write(lines, folder=slug(folder))
    world.memory().index()
    assert world.rows("select distinct project from sessions") == [(PROJECT,)]
    hot = world.rows("select file_path, edit_count, session_count from file_hotspots")
    assert hot == [(f"{PROJECT}/src/parser.py", 3, 3)]
    assert world.one("select count(*) from session_links") == 3
    assert world.memory().verify() == []
    again = World(world.base / "again")
    again.claude = world.claude
    assert again.memory().index(project=PROJECT).new == 3


def test_index_of_a_project_finds_its_worktrees_elsewhere(world: World, tmp_path: Path) -> None:
    repo, side = tmp_path / "repo", tmp_path / "side"
    (repo / ".git" / "worktrees" / "side").mkdir(parents=True)
    (repo / ".git" / "worktrees" / "side" / "gitdir").write_text(f"{side}/.git\n")
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {repo}/.git/worktrees/side\n")
    world.write(session("w", cwd=str(side)), folder=slug(str(side)))
    world.memory().index(project=str(repo))
    assert world.rows("select id, project from sessions") == [("w", str(repo))]
    nothing = axm(world, "index", "--project", "/nope")
    assert nothing.returncode == 1 and "no sessions of /nope" in nothing.stderr


def test_a_home_that_is_a_project_is_not_everything(world: World, tmp_path: Path) -> None:
    world.write(session("h", cwd=str(tmp_path)), folder="-h")
    world.memory().index()
    inside = tmp_path / "unrelated"
    inside.mkdir()
    assert world.memory().scope(cwd=str(inside)) == Scope(None)
    assert world.memory().scope(cwd=str(tmp_path)) == Scope(str(tmp_path))


def test_a_deleted_current_folder(world: World, tmp_path: Path) -> None:
    world.write(session())
    world.memory().index()
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && {sys.executable} -m axiommind query --sql 'select count(*) n from sessions'"
    environ = world.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and '"n": 1' in done.stdout, done.stderr


def test_a_project_by_its_name(world: World) -> None:
    world.write(session())
    world.memory().index()
    assert world.memory().scope(project="weather") == Scope(PROJECT)
