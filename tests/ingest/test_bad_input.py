"""Bad input is data: each case gives a defined result, a problem or a clear error, and nothing is lost."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from axiommind.errors import DiskFull, IndexCorrupt, LogCorrupt, NotWritable
from tests.counting import PATIENCE_S
from tests.shell import as_nobody, axm
from tests.transcripts import Lines, World, encode, session


def small(session: str = "s1") -> Lines:
    lines = Lines(session)
    lines.prompt("hello there")
    lines.tool("Read", f"{session}-r", file_path="/a.py")
    return lines


def test_no_folder_at_all(world: World) -> None:
    shutil.rmtree(world.claude)
    report = world.memory().index()
    assert (report.new, report.problems) == (0, [])
    assert world.rows("select count(*) from sessions") == [(0,)]


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root reads everything")
def test_an_unreadable_folder_and_file(world: World, tmp_path: Path) -> None:
    world.write(small("fine"))
    world.write(small("hidden"))
    world.write(small("inside"), folder="-closed")
    world.memory().index()
    world.append(encode(small("hidden").prompt("more")), "hidden")
    os.chmod(world.path("hidden"), 0)
    os.chmod(world.projects / "-closed", 0)
    try:
        done = as_nobody(world, "index", "--json")
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("cannot be read") == 2
        assert '"missing": 0' in done.stdout, "what cannot be seen is not gone"
    finally:
        os.chmod(world.projects / "-closed", 0o755)
        os.chmod(world.path("hidden"), 0o644)
    assert world.memory().index().problems == []


def test_a_read_only_home_can_be_read_and_not_written(world: World) -> None:
    world.write(small())
    world.memory().index()
    for path in world.home.iterdir():
        path.chmod(0o444)
    world.home.chmod(0o555)
    try:
        asked = as_nobody(world, "query", "--sql", "select count(*) as n from prompts")
        assert asked.returncode == 0, asked.stderr
        assert '"n": 1' in asked.stdout
        assert as_nobody(world, "doctor").returncode == 0
        assert as_nobody(world, "verify").returncode == 0
        refused = as_nobody(world, "index")
        assert refused.returncode == 3 and "AXM_HOME" in refused.stderr, refused.stderr
        assert "internal" not in refused.stderr
    finally:
        world.home.chmod(0o755)


def test_a_home_that_cannot_be_made(world: World) -> None:
    world.write(small())
    world.home.write_text("a file is in the way")
    with pytest.raises(NotWritable):
        world.memory().index()


def test_not_utf8_nul_bytes_and_broken_json(world: World) -> None:
    lines = small()
    world.write(lines)
    world.append(b'{"type":"user","message":{"content":"\xff\xfe broken"}}\n')
    world.append(b"\x00" * 5000 + b"\n")
    world.append(b'{"type":"user","message":\n')
    world.append(b"\n\n")
    world.append(encode(lines.prompt("the last one")))
    report = world.memory().index()
    assert [p.line for p in report.problems] == [3, 4, 5]
    assert world.rows("select text, line from prompts order by line") == [("hello there", 1), ("the last one", 8)]
    assert world.rows("select line from problems order by line") == [(3,), (4,), (5,)]
    assert world.memory().verify(deep=True) == []


def test_a_torn_last_line_is_read_when_it_ends(world: World) -> None:
    lines = small()
    world.write(lines)
    data = encode(lines.prompt("written slowly 느리게"))
    for i in range(0, len(data), 17):
        world.append(data[i : i + 17])
        world.memory().index()
    assert world.rows("select text from prompts order by line") == [("hello there",), ("written slowly 느리게",)]
    assert world.one("select count(*) from problems") == 0
    assert world.memory().verify(deep=True) == []


@pytest.mark.slow
def test_a_200_mb_line(world: World) -> None:
    path = world.write(small())
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"')
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b'"}}\n')
        file.write(encode(small().prompt("after it", uuid="u9")))
    done = axm(world, "index", "--json")
    assert done.returncode == 0 and "too long" in done.stderr
    assert world.rows("select text, line from prompts order by line") == [("hello there", 1), ("after it", 4)]
    assert (world.home / "log.db").stat().st_size < 1 << 20
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of any child: {peak:.0f} MB")
    assert world.memory().verify(deep=True) == []


def test_a_line_longer_than_the_bound(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.sources import jsonl

    monkeypatch.setattr(jsonl, "LINE_MAX", 2000)
    monkeypatch.setattr(jsonl, "_BLOCK", 512)
    world.write(small())
    world.append(b'{"type":"user","message":{"content":"' + b"x" * 9000 + b'"}}\n')
    world.append(encode(small().prompt("after it", uuid="u9")))
    report = world.memory().index()
    assert [(p.line, "too long" in p.why) for p in report.problems] == [(3, True)]
    assert world.rows("select text, line from prompts order by line") == [("hello there", 1), ("after it", 4)]
    assert world.memory().verify(deep=True) == []


def test_clock_going_back_and_no_timestamps(world: World) -> None:
    lines = Lines()
    lines.prompt("late", at=100)
    lines.prompt("early", at=5)
    lines.prompt("never", timestamp=None)
    lines.tool("Read", "r", at=50, file_path="/a")
    world.write(lines)
    world.memory().index()
    first, last, start, end = world.rows("select first_ts, last_ts, started_at, ended_at from sessions")[0]
    assert first < last and (start, end) == (first, last)
    assert world.rows("select text, timestamp = 0 from prompts order by line") == [
        ("late", 0),
        ("early", 0),
        ("never", 1),
    ]


def test_a_file_replaced_between_looking_and_reading(world: World) -> None:
    """The reader has the old size; the file is another by then."""
    from axiommind.ingest import TranscriptIngest
    from axiommind.log import home_key
    from axiommind.log.sqlite import SqliteLog
    from axiommind.sources import discover_all

    world.write(small())
    found = discover_all(world.environ, world.base, {})
    other = Lines()
    other.prompt("another file now")
    world.path().unlink()
    world.write(other)
    key = home_key(world.home)
    log = SqliteLog(world.home / "log.db", key)
    TranscriptIngest(log, key).run(found)
    log.close()
    world.memory().index()
    assert world.rows("select text from prompts") == [("another file now",)]
    assert world.memory().verify(deep=True) == []


def test_a_file_that_vanishes_between_looking_and_reading(world: World) -> None:
    from axiommind.ingest import TranscriptIngest
    from axiommind.log import home_key
    from axiommind.log.sqlite import SqliteLog
    from axiommind.sources import discover_all

    world.write(small())
    found = discover_all(world.environ, world.base, {})
    world.path().unlink()
    key = home_key(world.home)
    log = SqliteLog(world.home / "log.db", key)
    report = TranscriptIngest(log, key).run(found)
    log.close()
    assert [p.why for p in report.problems] == ["cannot be read: No such file or directory"]


def test_a_corrupt_index_is_rebuilt_and_it_is_said(world: World) -> None:
    world.write(small())
    world.memory().index()
    path = world.home / "index.db"
    path.write_bytes(b"garbage" * 3000)
    with pytest.raises(IndexCorrupt):
        world.rows("select 1 from sessions")
    refused = axm(world, "query", "--perspective", "sessions")
    assert refused.returncode == 3 and "axm rebuild" in refused.stderr
    report = world.memory().index()
    assert any("damaged" in n and "rebuilt" in n for n in report.notes)
    assert world.one("select count(*) from prompts") == 1
    assert world.memory().verify() == []


@pytest.mark.parametrize("where", [0.0, 0.1, 0.3, 0.5, 0.8])
def test_an_index_damaged_in_the_middle(world: World, where: float) -> None:
    lines = Lines()
    for i in range(300):
        lines.prompt(f"prompt {i} " + "words and more words " * 20)
    world.write(lines)
    world.memory().index()
    path = world.home / "index.db"
    data = bytearray(path.read_bytes())
    at = int(len(data) * where)
    data[at : at + 8192] = os.urandom(8192)
    path.write_bytes(bytes(data))
    done = axm(world, "rebuild")
    assert done.returncode == 0, done.stderr
    assert world.one("select count(*) from prompts") == 300
    assert world.memory().verify() == []


def test_a_corrupt_log_is_refused_and_untouched(world: World) -> None:
    world.write(small())
    world.memory().index()
    path = world.home / "log.db"
    path.write_bytes(b"garbage" * 3000)
    before = path.read_bytes()
    for call in (world.memory().index, world.memory().rebuild, lambda: world.memory().forget(session="s1")):
        with pytest.raises(LogCorrupt):
            call()
    for command in ("index", "rebuild", "verify"):
        done = axm(world, command)
        assert done.returncode == 3 and "left exactly as it is" in done.stderr, (command, done.stderr)
        assert "rm " not in done.stderr
    assert axm(world, "doctor").returncode == 3
    assert path.read_bytes() == before
    assert world.one("select count(*) from prompts") == 1, "the index still answers"


def test_a_full_disk(world: World) -> None:
    """A limit on the file size is as good as a full disk: nothing half-written, and it goes on afterwards."""
    lines = Lines()
    for i in range(400):
        lines.prompt(f"{i} " + os.urandom(600).hex())
    world.write(lines)

    def limited() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    done = subprocess.run(
        [sys.executable, "-m", "axiommind", "index"],
        env=world.environ,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "internal" not in done.stderr and "hint" in done.stderr
    world.memory().index()
    assert world.one("select count(*) from prompts") == 400
    assert world.memory().verify(deep=True) == []


def test_disk_full_has_its_own_words() -> None:
    from axiommind.db import store_error

    error = sqlite3.OperationalError("database or disk is full")
    assert isinstance(store_error(error, Path("/x/log.db")), DiskFull)


def test_a_broken_config_is_a_usage_error(world: World) -> None:
    world.home.mkdir()
    (world.home / "config.toml").write_text("[index]\nworkerz = 3\n")
    done = axm(world, "start")
    assert done.returncode == 2 and "workerz" in done.stderr and "index.workers" in done.stderr
    told = axm(world, "doctor")
    assert told.returncode == 3 and "workerz" in told.stdout and "index.workers" in told.stdout
    (world.home / "config.toml").write_text("[index\n")
    assert (axm(world, "start").returncode, axm(world, "doctor").returncode) == (2, 3)
    (world.home / "config.toml").write_text("[query]\nrows = 'many'\n")
    assert (axm(world, "start").returncode, axm(world, "doctor").returncode) == (2, 3)


def test_hostile_names(world: World) -> None:
    """Quotes, percent signs and emoji in folders, sessions and projects do not confuse anything."""
    name = 'it\'s "100%" 😀; drop table sessions--'
    lines = Lines("a'b", cwd=f"/p/{name}")
    lines.prompt("hello")
    world.write(lines, folder=f"-p-{name}".replace("/", "-"))
    world.memory().index()
    assert world.rows("select id, project from sessions", f"/p/{name}") == [("a'b", f"/p/{name}")]
    assert world.rows("select count(*) from prompts", "/p/other' or 1=1 --") == [(0,)]
    assert world.memory().verify() == []


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
