"""131 real sessions of many client versions: our tables against an independent count from the raw lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from axiommind.memory import Scope
from axiommind.reports.perspectives import names
from axiommind.surfaces.cli import main
from axiommind.surfaces.render.table_layout import width
from tests.transcripts import World

EDITS = {"Edit", "Write", "NotebookEdit", "MultiEdit"}


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("real"))
    for name in ("cipher-box", "context-evaluator"):
        (world.projects / name).symlink_to(shared / "bench" / "transcripts" / name)
    report = world.memory().index()
    assert report.new == 131 and report.problems == []
    return world


@pytest.fixture(scope="module")
def raw(real: World) -> list[tuple[str, dict[str, Any]]]:
    return list(lines_of(real.projects))


def lines_of(projects: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(projects.glob("*/*.jsonl")):
        with path.open(encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                yield (
                    path.stem,
                    {k: v for k, v in record.items() if k != "toolUseResult"}
                    | {"hasResult": "toolUseResult" in record},
                )


def blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = record["content"] if record["type"] == "queue-operation" else record["message"]["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


NOT_PROMPTS = re.compile(
    r"<(command-name|command-message|local-command-\w+|bash-\w+|task-notification|session-start-hook|tick|goal)>"
    r"|Caveat:|\[Request interrupted by user|Stop hook feedback:|This session is being continued|\[Image: source:"
)


def prompt_of(record: dict[str, Any]) -> str | None:
    """FACTS 1.6, written a second time and differently."""
    flags = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "hasResult")
    if record["type"] != "user" or any(record.get(flag) for flag in flags):
        return None
    parts = blocks(record)
    if any(b["type"] == "tool_result" for b in parts):
        return None
    text = "\n".join(b["text"] for b in parts if b["type"] == "text")
    text = re.sub(r"<(system-reminder|ide_opened_file|ide_selection)>[\s\S]*?</\1>", "", text).strip()
    return None if not text or NOT_PROMPTS.match(text) else text


def queued_of(raw: list[tuple[str, dict[str, Any]]], said: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """What was typed while the agent worked, and stands nowhere else."""
    found: Counter[tuple[str, str]] = Counter()
    for session, record in raw:
        text = record.get("content") if record["type"] == "queue-operation" else None
        if not isinstance(text, str) or re.match(r"[</]|\{\"task_id", text):
            continue
        text = text.strip()
        if record["operation"] == "popAll":
            found.pop((session, text), None)
        elif not any(text in (said_text, *said_text.split("\n")) for one, said_text in said if one == session):
            found[session, text] += 1
    return found


def test_prompts(real: World, raw: list[tuple[str, dict[str, Any]]]) -> None:
    expected = Counter((s, p) for s, r in raw if (p := prompt_of(r)) is not None)
    queued = queued_of(raw, expected)
    assert Counter(real.rows("select session_id, text from prompts where origin = 'queued'")) == queued
    expected += queued
    found = Counter(real.rows("select session_id, text from prompts"))
    clean = {k: n for k, n in found.items() if "[redacted:" not in k[1]}
    assert sum(found.values()) == sum(expected.values()) > 300
    assert not Counter(clean) - expected


def test_tool_uses_and_edits_in_order(real: World, raw: list[tuple[str, dict[str, Any]]]) -> None:
    uses: dict[str, list[str]] = {}
    edits: Counter[tuple[str, str]] = Counter()
    for session, record in raw:
        if record["type"] != "assistant":
            continue
        for block in blocks(record):
            if block["type"] == "tool_use":
                uses.setdefault(session, []).append(block["name"])
                if block["name"] in EDITS:
                    path = block["input"].get("file_path") or block["input"].get("notebook_path")
                    edits[session, path] += 1
    found: dict[str, list[str]] = {}
    for session, name in real.rows("select session_id, tool_name from tool_uses order by session_id, seq_order"):
        found.setdefault(session, []).append(name)
    assert found == uses and sum(map(len, uses.values())) > 5000
    assert Counter(real.rows("select session_id, file_path from file_edits")) == edits
    counts = dict(real.rows("select id, tool_use_count from sessions where tool_use_count > 0"))
    assert counts == {s: len(names) for s, names in uses.items()}


def test_results(real: World, raw: list[tuple[str, dict[str, Any]]]) -> None:
    failed = {
        (s, b["tool_use_id"])
        for s, r in raw
        if r["type"] == "user"
        for b in blocks(r)
        if b["type"] == "tool_result" and b.get("is_error")
    }
    assert set(real.rows("select session_id, tool_use_id from tool_uses where is_error")) == failed
    assert real.one("select count(*) from tool_uses where is_error is not null") > 5000


def test_tokens(real: World, raw: list[tuple[str, dict[str, Any]]]) -> None:
    """FACTS 1.9: by (message.id, requestId), the maximum of the output tokens."""
    best: dict[tuple[str, str | None], dict[str, Any]] = {}
    for _, record in raw:
        if record["type"] == "assistant":
            key = record["message"]["id"], record.get("requestId")
            usage = record["message"]["usage"]
            if key not in best or usage["output_tokens"] > best[key]["output_tokens"]:
                best[key] = usage
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    expected = tuple(sum(u.get(n) or 0 for u in best.values()) for n in names)
    from axiommind.reports.perspectives import COMMON, load

    usage = load("usage")
    params = {p.name: p.default for p in (*COMMON, *usage.params)} | {"top": -1}
    rows = real.memory().query(usage, params, Scope(None))
    columns = ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")
    assert tuple(sum(r[c] for r in rows) for c in columns) == expected
    assert sum(r["messages"] for r in rows) == len(best)


def test_every_line_opens_where_it_was(real: World) -> None:
    """Law 4: the line that a row cites, opened from the log, holds the row's text."""
    memory = real.memory()
    with memory.home.open_log() as (log, _key):
        lines: dict[str, list[bytes]] = {}
        for path, blob in real.rows("select path, blob from segments where live order by path, first_line"):
            content = log.blob(blob)
            assert content is not None
            lines.setdefault(path, []).extend(content.split(b"\n")[:-1])
    for path, texts in lines.items():
        assert len(texts) == Path(path).read_bytes().count(b"\n"), path
    for path, line, text in real.rows(
        "select s.file_path, p.line, p.text from prompts p join sessions s on s.id = p.session_id"
    ):
        record = json.loads(lines[path][line - 1])
        assert text[:200] in "\n".join(b.get("text", "") for b in blocks(record))
    for path, line, name, use in real.rows(
        "select s.file_path, t.line, t.tool_name, t.tool_use_id from tool_uses t join sessions s on s.id = t.session_id"
    ):
        record = json.loads(lines[path][line - 1])
        assert any(b.get("id") == use and b.get("name") == name for b in blocks(record))


def test_twice_is_once_and_the_disk_stays_small(real: World) -> None:
    again = real.memory().index()
    assert (again.files_opened, again.bytes_read, again.events, again.rows) == (0, 0, 0, 0)
    source = sum(p.stat().st_size for p in real.projects.glob("*/*.jsonl"))
    log, index = ((real.home / name).stat().st_size for name in ("log.db", "index.db"))
    assert index < 0.28 * source
    assert log + index < 0.45 * source


@pytest.mark.parametrize("name", names())
def test_tables_fit_80_columns(
    real: World, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("AXM_HOME", str(real.home))
    assert main(["query", "--all-projects", "--perspective", name, "--top", "all", "--format", "table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines and [line for line in lines if width(line) > 80] == []


def test_verify_finds_nothing(real: World) -> None:
    assert real.memory().verify(deep=True) == []


def test_a_rebuild_with_workers_gives_the_same(real: World) -> None:
    before = real.rows("select * from tool_uses order by id limit 3000")
    memory = real.memory()
    memory.home.config = memory.config._replace(index_workers=2)
    memory.rebuild()
    assert real.rows("select * from tool_uses order by id limit 3000") == before
    assert real.memory().verify() == []
