"""The command line as a person or an agent meets it: a new process, an own home, stdout apart from stderr."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import queue
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from axiommind.reports.perspectives import names
from axiommind.surfaces.cli import commands
from tests.counting import PATIENCE_S
from tests.rows import rows
from tests.shell import axm
from tests.transcripts import PROJECT, Lines, World, encode


def session(name: str = "s1", cwd: str = PROJECT) -> Lines:
    lines = Lines(name, cwd)
    for i in range(4):
        lines.prompt(f"테스트를 추가해줘 please, number {i}")
        lines.tool("Edit", f"{name}e{i}", file_path=f"{cwd}/a.py")
        lines.tool("Bash", f"{name}g{i}", command="cd x && git add -A")
        lines.tool("Bash", f"{name}t{i}", command="pytest -q")
    return lines


@pytest.fixture
def filled(world: World) -> World:
    world.write(session("s1"))
    world.write(session("s2", cwd="/other"), folder="-other")
    world.memory().index()
    return world


def printed(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda file: file.write_text("a note"), "is not a SQLite database"),
        (lambda file: file.write_bytes(b""), "is empty"),
        (lambda file: file.mkdir(), "is a folder"),
        (lambda file: _database(file, "events"), "is a log"),
        (lambda file: _database(file, "bookmarks"), "of something else"),
    ],
)
def test_a_file_that_is_no_index_is_said_to_be_what_it_is(
    world: World, tmp_path: Path, made: Callable[[Path], object], says: str
) -> None:
    file = tmp_path / "other"
    made(file)
    done = axm(world, "query", "--sql", "select 1", "--db", str(file))
    assert done.returncode == 3 and says in done.stderr and str(file) in done.stderr


def _database(file: Path, table: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute(f"create table {table}(a)")


@rows("R0.1", "R0.3")
def test_index_says_what_it_did(world: World) -> None:
    world.write(session())
    done = axm(world, "index")
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr == "Indexed: 1 new, 0 updated, 0 unchanged, 0 missing\n", "silent but for the summary when piped"
    again = axm(world, "index", "--json")
    report = json.loads(again.stdout)
    assert report["schema"] == "axm.index.v1"
    wanted = [
        "new",
        "updated",
        "unchanged",
        "missing",
        "problems",
        "files_opened",
        "bytes_read",
        "events",
        "rows",
        "seconds",
    ]
    assert all(isinstance(report[name], (int, float)) for name in wanted)
    assert (report["unchanged"], report["files_opened"], report["bytes_read"], report["rows"]) == (1, 0, 0, 0)


@rows("R0.3")
def test_index_of_one_project(world: World, tmp_path: Path) -> None:
    from axiommind.projects import slug

    project = tmp_path / "proj"
    project.mkdir()
    world.write(session("in", cwd=str(project)), folder=slug(str(project)))
    world.write(session("out", cwd="/other"), folder="-other")
    done = axm(world, "index", "--project", str(project))
    assert "Indexed: 1 new" in done.stderr
    assert [r["id"] for r in printed(axm(world, "query", "--sql", "select id from sessions"))] == ["in"]
    assert "Indexed: 1 new, 0 updated, 1 unchanged" in axm(world, "index").stderr


def test_a_project_is_found_from_inside(world: World, tmp_path: Path) -> None:
    from axiommind.projects import slug

    project = tmp_path / "proj"
    inside = project / "src" / "deep"
    inside.mkdir(parents=True)
    world.write(session("in", cwd=str(project)), folder=slug(str(project)))
    done = axm(world, "index", "--project", ".", cwd=inside)
    assert done.returncode == 0 and "Indexed: 1 new" in done.stderr
    again = axm(world, "index", "--project", str(inside))
    assert again.returncode == 0 and "1 unchanged" in again.stderr
    world.write(session("own", cwd=str(inside)), folder=slug(str(inside)))
    assert "Indexed: 1 new" in axm(world, "index", "--project", ".", cwd=inside).stderr, "its own sessions first"
    elsewhere = axm(world, "index", "--project", ".", cwd=tmp_path)
    assert elsewhere.returncode == 1 and "no sessions of" in elsewhere.stderr


def test_times_in_the_words_of_people(filled: World) -> None:
    for command in (
        ("query", "--all-projects", "--perspective", "tool-frequency"),
        ("search", "--all-projects", "테스트", "--json"),
        ("insight", "--all-projects", "--json"),
        ("analyze", "--scope", "global", "--json", "--no-index"),
    ):
        everything, since = axm(filled, *command), axm(filled, *command, "--since", "2026-01-01")
        assert everything.returncode == since.returncode == 0, since.stderr
        yesterday = axm(filled, *command, "--since", "yesterday")
        assert yesterday.returncode in (0, 1) and "not a time" not in yesterday.stderr
        assert yesterday.stdout != everything.stdout


@rows("R0.66")
@pytest.mark.parametrize("name", names())
def test_top_is_a_number_of_rows(filled: World, name: str) -> None:
    ask = ("query", "--all-projects", "--perspective", name, "--min-count", "0")
    everything = printed(axm(filled, *ask, "--top", "all"))
    assert len(printed(axm(filled, *ask, "--top", "2"))) == min(2, len(everything))


@rows("R0.5")
def test_a_perspective_is_named_with_and_without_its_flag(filled: World) -> None:
    flagged = axm(filled, "query", "--all-projects", "--perspective", "sessions", "--top", "1")
    assert flagged.returncode == 0 and json.loads(flagged.stdout)
    assert axm(filled, "query", "sessions", "--top", "1", "--all-projects").stdout == flagged.stdout
    assert axm(filled, "query", "--all-projects", "--top", "1", "sessions").stdout == flagged.stdout
    assert axm(filled, "query", "--all-projects", "repetition", "--z-threshold", "3").returncode == 0
    wrong = axm(filled, "query", "--all-projects", "sesions")
    assert wrong.returncode == 1 and "did you mean sessions?" in wrong.stderr
    assert axm(filled, "query", "--all-projects", "sessions", "--sql", "select 1").returncode == 2


@rows("R0.6", "R0.67")
def test_query_formats(filled: World) -> None:
    ask = ("query", "--all-projects", "--perspective", "tool-frequency")
    found = printed(axm(filled, *ask))
    assert [(r["tool"], r["frequency"], r["sessions"]) for r in found] == [
        ("Bash:git", 8, 2),
        ("Bash:test", 8, 2),
        ("Edit", 8, 2),
    ]
    as_csv = list(csv.reader(io.StringIO(axm(filled, *ask, "--format", "csv").stdout)))
    assert as_csv[0][:3] == ["tool", "frequency", "sessions"] and len(as_csv) == 4
    table = axm(filled, *ask, "--format", "table").stdout
    assert "Bash:git" in table and "\x1b" not in table
    nothing = axm(filled, *ask, "--since", "2099-01-01")
    assert nothing.returncode == 0 and nothing.stdout == "[]\n"
    assert axm(filled, *ask, "--since", "2099-01-01", "--format", "csv").stdout.startswith("tool,frequency,sessions")


@rows("R0.5", "R0.70")
def test_query_sql_in_every_way(filled: World, tmp_path: Path) -> None:
    sql = "select count(*) as n from prompts"
    file = tmp_path / "q.sql"
    file.write_text(sql)
    assert printed(axm(filled, "query", "--sql", sql)) == [{"n": 8}]
    assert printed(axm(filled, "query", "--sql", "-", stdin=sql)) == [{"n": 8}]
    assert printed(axm(filled, "query", "--sql-file", str(file))) == [{"n": 8}]
    assert printed(axm(filled, "query", "--sql-file", "-", stdin=sql)) == [{"n": 8}]
    assert printed(axm(filled, "query", "--sql", sql, "--project", PROJECT)) == [{"n": 4}]
    assert printed(axm(filled, "query", "--sql", sql, "--db", str(filled.home / "index.db"), AXM_HOME="/nowhere")) == [
        {"n": 8}
    ]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["query"], 2, "--perspective"),
        (["query", "--perspective", "nope"], 1, "unknown perspective"),
        (["query", "--sql", "drop table sessions"], 1, "only select"),
        (["query", "--sql", "select 1", "--perspective", "usage"], 2, "one of"),
        (["query", "--perspective", "usage", "--since", "some day"], 2, "is not a time; such as 2026-01-31"),
        (["query", "--perspective", "usage", "--since", "yesterday", "--until", "2026-01-01"], 2, "after --until"),
        (["query", "--perspective", "usage", "--top", "-1"], 2, "argument --top: -1 is not 1 or more"),
        (["query", "--perspective", "usage", "--top", "0"], 2, "1 or more"),
        (["query", "--perspective", "usage", "--min-count", "-1"], 2, "0 or more"),
        (["query", "--perspective", "usage", "--param", "top=-1"], 1, "--param top: -1 is not 1 or more"),
        (["query", "--perspective", "repetition", "--z-threshold", "-1"], 2, "0 or more"),
        (["query", "--perspective", "repetition", "--z-threshold", "nan"], 2, "0 or more"),
        (["query", "--perspective", "session-links", "--min-overlap", "2"], 2, "from 0 to 1"),
        (["search", "x", "--since", "some day"], 2, "is not a time"),
        (["search", "x", "--since", "2026-02-02", "--until", "2026-02-01"], 2, "after --until"),
        (["insight", "--since", "some day"], 2, "is not a time"),
        (["insight", "--since", "2026-02-02", "--until", "2026-02-01"], 2, "after --until"),
        (["grounding", "--since", "some day"], 2, "is not a time"),
        (["learn", "--since", "some day"], 2, "is not a time"),
        (["learn", "--limit", "0"], 2, "from 1 to 100000"),
        (["entry", "list", "--limit", "0"], 2, "from 1 to 100000"),
        (["show", "x", "--context", "-1"], 2, "from 0"),
        (["analyze", "--z-threshold", "-1"], 2, "--z-threshold"),
        (["mcp", "--http", "--port", "70000"], 2, "from 0 to 65535"),
        (["query", "--perspective", "usage", "--top", "many"], 2, "whole number"),
        (["query", "--perspective", "usage", "--param", "x"], 1, "name=value"),
        (["query", "--perspective", "usage", "--param", "x=1"], 1, "no parameter"),
        (["query", "--perspective", "usage", "--project", "/nope"], 1, "not in the index"),
        (["query", "--sql-file", "/nope.sql"], 1, "cannot be read"),
        (["query", "--sql", "select 1", "--db", "/nope.db"], 1, "no index"),
        (["frobnicate"], 2, "there is no command 'frobnicate'"),
        (["serach"], 2, "did you mean: axm search"),
        (["promot"], 2, "did you mean: axm entry promote"),
        (["entry", "lst"], 2, "did you mean list?"),
        (["search", "--al-projects", "x"], 2, "did you mean --all-projects?"),
        ([], 2, "COMMAND"),
        (["query", "--perspective", "tool-frequency", "--search", "x"], 2, "--search belongs to prompts"),
        (["query", "--perspective", "tool-freq"], 1, "tool-frequency"),
        (["query", "--sql", "select 1", "--top", "3"], 2, "perspectives"),
        (["query", "--perspective", "usage", "--project", "x", "--all-projects"], 2, "exclude"),
        (["query", "--perspective", "usage", "--plot", "/nope/x.svg"], 1, "/nope/x.svg"),
        (["forget"], 2, "required"),
        (["forget", "--session", "nobody"], 1, "there is no session"),
        (["index", "--nope"], 2, "unrecognized"),
    ],
)
def test_mistakes_have_words_and_codes(filled: World, args: list[str], code: int, said: str) -> None:
    done = axm(filled, *args)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert (done.stdout == "" or "--plot" in args) and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["query --perspective usage", "verify", "rebuild"])
def test_before_the_first_index(world: World, command: str) -> None:
    done = axm(world, *command.split())
    assert done.returncode == 1 and "axm index" in done.stderr
    assert not world.home.exists(), "asking makes nothing"


@rows("R0.52", "R0.5")
def test_every_perspective_runs_by_name_and_is_listed(filled: World) -> None:
    listed = {str(r["name"]) for r in printed(axm(filled, "query", "--list-perspectives"))}
    assert listed == set(names())
    assert set(names()) >= {
        "tool-frequency",
        "transitions",
        "trends",
        "repetition",
        "prompts",
        "hotfiles",
        "session-links",
        "dependency-graph",
        "sequences",
        "clusters",
        "sessions",
        "usage",
    }
    for name in names():
        printed(axm(filled, "query", "--perspective", name))
    assert "perspective" in axm(filled, "query", "--list-perspectives", "--format", "table").stdout


@rows("R0.56", "R0.61", "R0.62", "R0.63")
def test_parameters_as_flags_and_as_pairs(filled: World) -> None:
    flag = axm(filled, "query", "--perspective", "transitions", "--tool", "Edit")
    pair = axm(filled, "query", "--perspective", "transitions", "--param", "tool=Edit")
    assert printed(flag) == printed(pair) != []
    assert all(r["from_tool"] == "Edit" for r in printed(flag))


@rows("R0.57")
def test_korean_prompts_are_found(filled: World) -> None:
    for text in ("테스트", "추가", "number 3", "테스트를 추가해줘"):
        found = printed(axm(filled, "query", "--perspective", "prompts", "--search", text, "--all-projects"))
        assert found, text
    assert printed(axm(filled, "query", "--perspective", "prompts", "--search", "없는말")) == []
    assert printed(axm(filled, "query", "--perspective", "prompts", "--search", 'a" OR (b* NEAR')) == []


@rows("R0.69")
@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_the_pipe_of_the_design_document(filled: World, tmp_path: Path) -> None:
    """R0.69 exactly as written, with `suggest-workflow` on the PATH."""
    program = tmp_path / "bin" / "suggest-workflow"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m axiommind "$@"\n')
    program.chmod(0o755)
    pipe = r"""
suggest-workflow query --perspective transitions --tool "Bash:git" \
| # 2단계: 결과를 jq로 가공
  jq '.[] | select(.probability > 0.3)' \
| # 3단계: 다른 관점으로 추가 분석
  xargs -I {} suggest-workflow query --perspective sequences --include-tool {}
"""
    environ = filled.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipe],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Bash:test" in done.stdout and done.stderr == ""


def test_schema_lists_tables(filled: World) -> None:
    found = {str(r["table"]): str(r["columns"]) for r in printed(axm(filled, "query", "--schema"))}
    assert "session_id" in found["prompts"] and "probability" in found["tool_transitions"]


def test_doctor_and_verify(filled: World) -> None:
    done = axm(filled, "doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["schema"] == "axm.doctor.v1" and report["status"] in ("ok", "note")
    assert any(c["name"] == "up to date" for c in report["checks"])
    filled.append(encode(session().prompt("more")) + b"{broken\n")
    behind = json.loads(axm(filled, "doctor", "--json").stdout)
    (check,) = [c for c in behind["checks"] if c["name"] == "behind"]
    assert check["data"]["files"] == 1 and check["data"]["bytes"] > 0
    axm(filled, "index")
    text = axm(filled, "doctor").stdout
    assert ":L18  not JSON" in text and PROJECT in text
    good = axm(filled, "verify", "--json")
    assert (good.returncode, json.loads(good.stdout)) == (0, {"schema": "axm.verify.v1", "ok": True, "findings": []})
    import sqlite3

    db = sqlite3.connect(filled.home / "index.db")
    db.execute("update tool_uses set tool_name = 'Changed' where seq_order = 0")
    db.commit()
    db.close()
    bad = axm(filled, "verify", "--json")
    assert bad.returncode == 3 and json.loads(bad.stdout)["ok"] is False
    assert axm(filled, "rebuild", "--json").returncode == 0
    assert axm(filled, "verify").returncode == 0


def test_doctor_warns_of_what_the_client_will_delete(world: World) -> None:
    path = world.write(session("old"))
    month_ago = time.time() - 28 * 86_400
    os.utime(path, (month_ago, month_ago))
    (world.claude / "settings.json").write_text("{}")
    axm(world, "index")
    text = axm(world, "doctor").stdout
    assert "30 days" in text and "safe in the log" in text and str(path) in text
    (world.claude / "settings.json").write_text('{"cleanupPeriodDays": 365}')
    assert "safe in the log" not in axm(world, "doctor").stdout
    world.append(b'{"type":"mode"}\n', "old")
    os.utime(path, (month_ago, month_ago))
    (world.claude / "settings.json").write_text("{}")
    assert "not yet in the log" in axm(world, "doctor").stdout


def test_doctor_on_an_empty_machine(world: World) -> None:
    shutil.rmtree(world.claude)
    done = axm(world, "doctor")
    assert done.returncode == 0 and "not there" in done.stdout
    assert not world.home.exists()


def test_forget(filled: World) -> None:
    dry = axm(filled, "forget", "--session", "s1", "--dry-run")
    assert dry.stdout == "s1\n" and "Would forget" in dry.stderr
    assert axm(filled, "forget", "--session", "s1", "--yes", "--json").returncode == 0
    assert printed(axm(filled, "query", "--sql", "select id from sessions")) == [{"id": "s2"}]
    undone = axm(filled, "forget", "--session", "s1", "--undo")
    assert undone.returncode == 0, undone.stderr
    assert len(printed(axm(filled, "query", "--all-projects", "--sql", "select id from sessions"))) == 2


def test_start_without_any_sessions_shows_the_sample(world: World) -> None:
    done = axm(world, "start")
    assert done.returncode == 0, done.stderr
    assert "sample" in done.stderr
    for word in (
        "Sessions",
        "Top tools",
        "Busiest files",
        "What to do next",
        "axm install --all",
        "axm insight",
        'axm search "',
    ):
        assert word in done.stdout
    assert printed(axm(world, "query", "--sql", "select count(*) as n from sessions")) == [{"n": 0}], "kept apart"
    report = json.loads(axm(world, "start", "--json").stdout)
    assert report["sample"] is True and report["sessions"] > 0


def test_start_with_sessions(filled: World) -> None:
    done = axm(filled, "start")
    assert "sample" not in done.stderr and "2 in 2 projects" in done.stdout


def test_watch_follows_growth(world: World) -> None:
    world.write(session("s1"))
    process = subprocess.Popen(
        [sys.executable, "-m", "axiommind", "index", "--watch", "--json"],
        env=world.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    said: queue.Queue[dict[str, Any]] = queue.Queue()
    reader = threading.Thread(target=lambda: [said.put(json.loads(line)) for line in process.stdout or ()], daemon=True)
    reader.start()
    try:
        assert said.get(timeout=PATIENCE_S)["new"] == 1
        for n in range(PATIENCE_S):  # until the folder is watched, nobody sees what happens in it
            world.append(encode(session("s1").prompt("later", uuid=f"w{n}")), "s1")
            with contextlib.suppress(queue.Empty):
                assert said.get(timeout=2)["updated"] == 1
                break
        world.write(session("s9"))
        while not said.get(timeout=PATIENCE_S)["new"]:
            pass  # of the lines that came late
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) in (0, 130)
        reader.join(PATIENCE_S)
        process.stdout.close()


def test_watch_works_only_when_something_changed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def watch(*folders: Path, **options: Any) -> Iterator[set[object]]:
        asked.update(options, folders=folders)
        yield from ({"one change"}, {"another"})

    monkeypatch.setattr("watchfiles.watch", watch)
    world.write(session("s1"))
    assert [report.new for report in world.memory().watch()] == [1, 0, 0]
    assert world.projects in asked["folders"] and asked["debounce"] >= 1_000 and asked["step"] >= 200


def test_a_closed_pipe_is_quiet(filled: World) -> None:
    command = f"{sys.executable} -m axiommind query --sql 'select * from tool_uses' | head -1"
    done = subprocess.run(["bash", "-c", command], env=filled.environ, capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.stdout == "[\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command(world: World, shell: str) -> None:
    done = axm(world, "completion", shell)
    assert done.returncode == 0
    for command in commands():
        assert command in done.stdout
    assert "tool-frequency" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


def test_bash_completion_completes(world: World) -> None:
    script = axm(world, "completion", "bash").stdout
    probe = script + '\nCOMP_WORDS=(axm query --perspective tool); COMP_CWORD=3; _axm; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tool-frequency"]


def test_help_of_everything(world: World) -> None:
    top = axm(world, "--help")
    for command in commands():
        assert command in top.stdout
        one = axm(world, command, "--help")
        assert one.returncode == 0 and "--home" in one.stdout
    assert "0.1.0" in axm(world, "--version").stdout


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_plot(filled: World, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("altair")
    target = tmp_path / f"chart.{ending}"
    done = axm(filled, "query", "--perspective", "tool-frequency", "--plot", str(target))
    assert done.returncode == 0, done.stderr
    head = target.read_bytes()[:8]
    assert head.startswith(b"<svg" if ending == "svg" else b"\x89PNG")
    assert axm(filled, "query", "--perspective", "tool-frequency", "--plot", "x.bmp").returncode == 1


def test_control_characters_do_not_reach_the_terminal(world: World) -> None:
    lines = Lines()
    lines.prompt("evil \x1b[31mred\x1b[0m \x07 text")
    world.write(lines)
    world.memory().index()
    done = axm(world, "query", "--perspective", "prompts", "--format", "table")
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout and "evil" in done.stdout
    assert "\x1b" not in axm(world, "start").stdout


def test_a_table_without_rows_says_so(filled: World) -> None:
    done = axm(filled, "query", "--sql", "select 1 as one where 0", "--format", "table")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "No rows.\n")
