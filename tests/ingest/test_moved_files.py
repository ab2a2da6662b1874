"""Files that moved, were copied, or are reached by two ways: one session, cited where it is now."""

from __future__ import annotations

from pathlib import Path

from axiommind.memory import Scope
from tests.transcripts import Lines, World, session


def test_a_prompt_cites_the_file_it_is_in(world: World) -> None:
    first, second = Lines("s"), Lines("s")
    first.prompt("in the first")
    second.prompt("pushed down", uuid="x1")
    second.prompt("in the second", uuid="x2")
    one, two = world.write(first, folder="-a"), world.write(second, folder="-b")
    world.memory().index()
    from axiommind.reports.perspectives import COMMON, load

    prompts = load("prompts")
    params = {p.name: p.default for p in (*COMMON, *prompts.params)}
    rows = world.memory().query(prompts, params, Scope(None))
    cited = {r["text"]: (r["file_path"], r["line"]) for r in rows}
    assert cited == {"in the first": (str(one), 1), "pushed down": (str(two), 1), "in the second": (str(two), 2)}


def test_a_moved_session_is_one_session_where_it_is_now(world: World) -> None:
    lines = Lines("s")
    lines.prompt("hello")
    lines.answer("part one", message_id="m1", request_id="r", usage={"output_tokens": 2})
    lines.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    old = world.write(lines, folder="-old")
    world.memory().index()
    lines.answer("part two", message_id="m1", request_id="r", usage={"output_tokens": 500})
    old.unlink()
    new = world.write(lines, folder="-new")
    report = world.memory().index()
    assert report.missing == 0
    assert world.rows("select file_path, file_size, prompt_count, missing_since from sessions") == [
        (str(new), new.stat().st_size, 1, None)
    ]
    assert world.rows("select text, output_tokens, line_end from responses") == [("part one\n\npart two", 500, 4)]
    assert world.one("select count(*) from compactions") == 1
    assert world.memory().verify() == []


def test_projects_that_are_the_same_folder_are_read_once(world: World, tmp_path: Path) -> None:
    world.write(session("a"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "projects").symlink_to(world.projects)
    environ = world.environ | {"CLAUDE_CONFIG_DIR": f"{world.claude},{other}"}
    from axiommind.config import Config
    from axiommind.memory import Memory

    report = Memory(Config.load(environ), environ=environ, user=tmp_path).index()
    assert (report.new, report.files_opened) == (1, 1)


def test_old_subagents_beside_their_parent(world: World) -> None:
    world.write(session("par"))
    child = Lines("par", sidechain=True)
    child.tool("Grep", "g", pattern="x")
    path = world.write(child.data().replace(b'"par-', b'"kid-'), "agent-kid")
    world.memory().index()
    data = path.read_bytes()
    path.unlink()
    world.memory().index(prune=True)
    path.write_bytes(data)
    world.memory().index()
    assert world.one("select parent_session from sessions where id = 'agent-kid'") == "par"
    assert world.memory().forget(session="par").sessions == ("agent-kid", "par")
    world.write(child.data().replace(b'"par-', b'"new-'), "agent-new")
    world.memory().index()
    assert world.rows("select id from sessions") == []
    assert world.memory().verify() == []
