"""What a reviewer with fresh eyes broke once, so that it stays mended."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind.errors import QueryLimit
from axiommind.memory import Scope
from tests.counting import statements, steps
from tests.shell import axm
from tests.test_index import session, traces
from tests.transcripts import PROJECT, Lines, World, encode

# --- one odd line must not stop the others -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "assistant", "message": {"id": "m", "content": [], "usage": {"output_tokens": 10**20}}},
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 10**30}},
        {"type": "pr-link", "prUrl": "https://x/1", "prNumber": 10**25},
        {"type": "user", "message": {"content": "x"}, "promptSource": []},
        {"type": "user", "message": {"content": "x"}, "promptSource": {}, "origin": {"kind": []}},
        {"type": "user", "message": {"content": "x"}, "uuid": {}, "timestamp": {}, "cwd": [], "gitBranch": 5},
        {"type": "assistant", "message": {"id": [], "model": {}, "content": [5, None, {"type": []}]}},
    ],
)
def test_an_odd_line_stops_nothing(world: World, odd: dict[str, Any]) -> None:
    world.write(session("healthy"))
    world.write(encode(odd) + encode(Lines("odd").prompt("after it", uuid="u9")), "odd")
    world.memory().index()
    world.memory().rebuild()
    assert world.one("select count(*) from prompts where text = 'after it'") == 1
    assert world.one("select count(*) from sessions") == 2
    assert world.memory().verify() == []


def test_an_image_in_a_line_that_is_not_utf8(world: World) -> None:
    world.write(session("healthy"))
    picture = b'{"type":"user","message":{"content":[{"type":"image","source":{"type":"base64","data":"'
    world.write(picture + b"A" * 600 + b'"}},{"type":"text","text":"\xff\xfe"}]}}\n', "odd")
    report = world.memory().index()
    assert report.new == 2 and [p.why for p in report.problems] == ["not UTF-8"]


def test_a_name_that_is_not_utf8(world: World) -> None:
    world.write(session("healthy"))
    Path(os.fsdecode(os.fsencode(world.path("x").parent) + b"/\xff\xfe.jsonl")).write_bytes(b"{}\n")
    report = world.memory().index()
    assert report.new == 1 and ["UTF-8" in p.why for p in report.problems] == [True]


def test_a_million_bad_lines_do_not_fill_the_index(world: World) -> None:
    world.write(b"x\n" * 100_000, "garbage")
    report = world.memory().index()
    assert len(report.problems) <= 110
    assert "more lines" in report.problems[-1].why
    assert (world.home / "index.db").stat().st_size < 1 << 20


# --- citations and moved files -----------------------------------------------------------------------------------


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


# --- forgetting --------------------------------------------------------------------------------------------------


def test_forgotten_while_an_index_is_under_way(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.ingest import Ingest

    lines = session("sec")
    world.write(lines)
    world.memory().index()
    world.append(encode(lines.prompt("zanzibarquux")), "sec")
    work = Ingest._work

    def forget_first(self: Ingest, jobs: Any) -> None:
        monkeypatch.setattr(Ingest, "_work", work)
        world.memory().forget(session="sec")
        work(self, jobs)

    monkeypatch.setattr(Ingest, "_work", forget_first)
    world.memory().index()
    assert world.rows("select id from sessions") == []
    assert traces(world.home, b"zanzibarquux") == []
    assert world.memory().verify(deep=True) == []


def test_a_title_from_another_file_goes_with_that_file(world: World) -> None:
    x = Lines("x")
    x.answer("no prompt")
    world.write(x)
    world.write(encode({"type": "summary", "summary": "zanzibarquux", "leafUuid": "x-0"}), "y")
    world.memory().index()
    assert world.one("select title from sessions where id = 'x'") == "zanzibarquux"
    world.memory().forget(session="y")
    assert world.one("select title from sessions where id = 'x'") is None
    assert traces(world.home, b"zanzibarquux") == []
    assert world.memory().verify() == []


def test_a_killed_rebuild_leaves_nothing_to_a_forget(world: World) -> None:
    lines = session("sec")
    lines.prompt("zanzibarquux")
    world.write(lines)
    world.memory().index()
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    leftover = world.home / f"index.db.building-{dead.pid}"
    leftover.write_bytes((world.home / "index.db").read_bytes())
    world.memory().forget(session="sec")
    assert not leftover.exists() and traces(world.home, b"zanzibarquux") == []


def test_whoever_folds_a_tombstone_scrubs(world: World) -> None:
    """Killed between the tombstone and the fold: the next run leaves no terms behind either."""
    lines = session("sec")
    lines.prompt("zanzibarquux")
    world.write(lines)
    world.memory().index()
    with world.memory().home.open_log() as (log, _key):
        log.forget(["sec"], None, actor="user", reason="")
        log.settle()
    world.memory().index()
    assert traces(world.home, b"zanzibarquux") == []


def test_a_reader_delays_the_last_traces_and_it_is_said(world: World) -> None:
    world.write(session("sec"))
    world.memory().index()
    with closing(sqlite3.connect(world.home / "index.db", isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from prompts").fetchone()
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(world.memory().forget(session="sec")))
        thread.start()
        thread.join(30)
        assert found and found[0].complete is False
        reader.execute("rollback")
    world.memory().index()
    assert world.rows("select id from sessions") == []


def test_forks_that_keep_copies_are_named(world: World) -> None:
    base = session("a")
    world.write(base)
    copy = Lines("b")
    copy.lines = [{**line, "sessionId": "b"} for line in base.lines]
    world.write(copy)
    world.memory().index()
    assert world.memory().forget(session="a", dry_run=True).copies == ("b",)
    done = axm(world, "forget", "--session", "a")
    assert "forks hold copies" in done.stderr and world.rows("select id from sessions") == [("b",)]


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


# --- projects ----------------------------------------------------------------------------------------------------


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


def test_index_of_a_project_finds_its_worktrees_elsewhere(world: World, tmp_path: Path) -> None:
    from axiommind.projects import slug

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


# --- counts and sums ---------------------------------------------------------------------------------------------


def test_old_tool_use_lines_of_a_fork_count_once(world: World) -> None:
    for name in ("a", "b"):
        lines = Lines(name)
        lines.add("tool_use", name="Read", input={"file_path": "/x"}, id="t", uuid="same")
        world.write(lines)
    world.memory().index()
    assert world.one("select count(*) from tool_uses where canonical") == 1
    assert world.rows("select count from weekly_buckets") == [(1,)]


def test_missing_counts_sessions(world: World) -> None:
    path = world.write(session("a"))
    world.memory().index()
    path.unlink()
    assert world.memory().index(prune=True).pruned == 1
    assert world.memory().index().missing == 0
    other = world.write(session("b"))
    world.memory().index()
    other.write_bytes(b"")
    world.memory().index()
    other.unlink()
    assert world.memory().index().missing == 1, "emptied, then deleted"


def test_a_file_that_everyone_edits_links_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.projections import derived

    limit = derived.LINKING_SESSIONS
    for n in range(limit + 6):
        lines = Lines(f"s{n:03}")
        lines.tool("Edit", f"c{n}", file_path="/p/CHANGELOG.md")
        lines.tool("Edit", f"o{n}", file_path=f"/p/{n // 2}.py")
        world.write(lines)
        if n in (3, limit - 1, limit, limit + 5):
            world.memory().index()
            links = world.one("select count(*) from session_links")
            pairs = (n + 1) * n // 2 if n < limit else (n + 1) // 2
            assert links == pairs, n
            assert world.memory().verify() == []
    assert world.rows("select distinct shared_files, overlap_ratio from session_links") == [(2, 1.0)]
    world.memory().forget(session="s000")
    for n in range(1, 8):
        world.memory().forget(session=f"s{n:03}")
    assert world.one("select count(*) from session_links") == (limit - 2) * (limit - 3) // 2
    assert world.memory().verify() == []


def test_many_sessions_without_a_folder_stay_cheap(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch looks at each touched folder once, however many sessions in it name none."""

    def cost(number: int) -> tuple[int, int]:
        for n in range(number):
            world.write(encode({"type": "custom-title", "customTitle": f"t{n}"}), f"lost{number}-{n}")
            world.write(session(f"here{number}-{n}"))
        with statements(monkeypatch) as asked:
            worked = steps(lambda: world.memory().index())
        return worked, len(asked)

    small, large = cost(20), cost(80)
    assert all(more <= 4 * few for few, more in zip(small, large, strict=True)), (small, large)
    assert world.one("select count(distinct project) from sessions") == 1


# --- questions ---------------------------------------------------------------------------------------------------


def test_columns_of_one_name_are_all_shown(world: World) -> None:
    world.write(session())
    world.memory().index()
    assert world.memory().sql("select 1 as a, 2 as a, 3 as b", Scope(None)).dicts() == [{"a": 1, "a_2": 2, "b": 3}]
    assert '"a_2": 2' in axm(world, "query", "--sql", "select 1 as a, 2 as a").stdout


def test_bytes_are_limited_too(world: World) -> None:
    world.write(session())
    world.memory().index()
    with pytest.raises(QueryLimit, match="MB"):
        world.memory().sql("select printf('%.8000000c', 'x') from tool_uses, tool_uses b, tool_uses c", Scope(None))


@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_doctor_and_verify_say_what_is_damaged(world: World, command: str) -> None:
    world.write(session())
    world.memory().index()
    (world.home / "index.db").write_bytes(b"garbage" * 1000)
    done = axm(world, command)
    assert done.returncode == 3 and "axm rebuild" in done.stdout + done.stderr
    assert "internal" not in done.stderr
    (world.home / "log.db").write_bytes(b"")
    done = axm(world, command)
    assert done.returncode == 3 and "internal" not in done.stderr, done.stderr
    assert "axm index" in done.stdout + done.stderr


def test_a_path_that_looks_like_a_secret_still_verifies(world: World) -> None:
    name = "AK" + "IA" + "Q3EGZ7XK2LPWN5TD"
    world.write(session("a", cwd=f"/p/{name}"), folder=f"-p-{name}")
    world.memory().index()
    assert world.memory().verify() == []


# --- what a new user stumbled on ---------------------------------------------------------------------------------


def test_one_session_does_not_bring_its_project_back(world: World) -> None:
    world.write(session("a"))
    world.write(session("b"))
    world.memory().index()
    world.memory().forget(project=PROJECT)
    refused = axm(world, "forget", "--session", "a", "--undo")
    assert refused.returncode == 1 and f"axm forget --project {PROJECT} --undo" in refused.stderr
    assert world.rows("select id from sessions") == []
    assert axm(world, "forget", "--project", PROJECT, "--undo").returncode == 0
    again = axm(world, "forget", "--project", PROJECT, "--undo")
    assert again.returncode == 1 and "not forgotten" in again.stderr


def test_the_sample_never_mixes_with_real_sessions(world: World) -> None:
    assert axm(world, "start").returncode == 0  # nothing there: shows the sample
    world.write(session("mine"))
    inside = world.environ | {"AXM_HOME": str(world.home / "sample")}
    for command in (["index"], ["start"], ["start", "--sample"]):
        done = subprocess.run(
            [sys.executable, "-m", "axiommind", *command], env=inside, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(world.home / "sample" / "index.db")) as db:
        assert db.execute("select count(*) from sessions where id = 'mine'").fetchone() == (0,)
        assert db.execute("select count(*) > 0 from sessions").fetchone() == (1,)
    assert not (world.home / "sample" / "sample").exists()


def test_forgetting_what_is_gone_from_disk_says_so(world: World) -> None:
    path = world.write(session("a"))
    world.memory().index()
    path.unlink()
    world.memory().index()
    assert "cannot be undone" in axm(world, "forget", "--session", "a", "--dry-run").stderr
    assert "cannot be undone" in axm(world, "forget", "--session", "a").stderr
    undone = axm(world, "forget", "--session", "a", "--undo")
    assert "on disk any more" in undone.stderr


def test_no_rows_are_explained_where_it_helps(world: World) -> None:
    world.write(session())
    world.memory().index()
    said = axm(world, "query", "--perspective", "tool-frequency", "--tool", "Bash").stderr
    assert "Bash:test" in said
    assert "No session" in axm(world, "query", "--perspective", "usage", "--session", "zzz").stderr
    assert axm(world, "query", "--perspective", "usage", "--since", "2099-01-01").stderr == ""


def test_an_index_of_nothing_says_where_to_look(world: World) -> None:
    assert "axm doctor" in axm(world, "index").stderr
    assert "axm index" in axm(world, "query", "--perspective", "usage").stderr


def test_a_project_by_its_name(world: World) -> None:
    world.write(session())
    world.memory().index()
    assert world.memory().scope(project="weather") == Scope(PROJECT)


def test_tables_fit_the_terminal_and_are_whole_when_piped(world: World) -> None:
    lines = Lines("s", cwd="/p/" + "deep/" * 30)
    lines.tool("Edit", "e", file_path="/p/" + "deep/" * 30 + "file.py")
    world.write(lines)
    world.memory().index()
    piped = axm(world, "query", "--perspective", "hotfiles", "--format", "table").stdout
    assert "deep/" * 30 + "file.py" in piped
    ask = f"{sys.executable} -m axiommind query --perspective hotfiles --format table"
    environ = world.environ | {"COLUMNS": "80", "TERM": "xterm", "NO_COLOR": "1"}
    shown = subprocess.run(
        ["script", "-qec", ask, "/dev/null"], env=environ, capture_output=True, text=True, check=False
    )
    assert all(len(line.rstrip()) <= 80 for line in shown.stdout.splitlines()) and "file.py" in shown.stdout


def test_verify_without_an_index(world: World) -> None:
    world.write(session())
    world.memory().index()
    (world.home / "index.db").unlink()
    done = axm(world, "verify")
    assert done.returncode == 3 and "not there" in done.stdout
