"""The laws of the design, under histories that nobody would write by hand.

A history is any mixture of: a session growing by whole or torn lines, a fork copying another's lines, a file rewritten,
deleted and restored, prune, forget, and `index` at any moment.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.laws.histories import SESSIONS, History, growing, operation
from tests.transcripts import Lines, World, stamp


def dump(world: World, sql: str) -> list[tuple[Any, ...]]:
    return sorted(world.rows(sql), key=repr)


CONTENT = (
    """select id, project, file_path, prompt_count, tool_use_count, response_count, edit_count, error_count, title,
              first_ts, last_ts, output_tokens, model, cwd from sessions""",
    "select session_id, text, timestamp, line, uuid, canonical from prompts",
    "select p.session_id, p.line, k.keyword from prompt_keywords k join prompts p on p.id = k.prompt_id",
    """select session_id, seq_order, classified_name, input_json, line, is_error, result_chars, canonical
       from tool_uses""",
    "select session_id, message_id, text, output_tokens, line_start, line_end, canonical from responses",
    "select session_id, file_path, canonical from file_edits",
    "select path, line, why from problems",
    "select * from tool_transitions",
    "select * from weekly_buckets",
    "select * from file_hotspots",
    "select * from session_links",
)


@given(st.lists(operation, min_size=1, max_size=14))
@settings(max_examples=examples(60))
def test_whatever_happens_the_index_is_the_replay_of_the_log(history: list[tuple[str, Any, Any]]) -> None:
    """Laws 2, 3 and 5: `verify` compares every table with a fresh replay, row for row, and finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        player = History(world)
        for step in history:
            player.play(*step)
        player.index()
        assert world.memory().verify(deep=True) == []
        assert derived_from_rows(world) == derived_in_tables(world)


@given(st.lists(growing, min_size=1, max_size=14))
@settings(max_examples=examples(40))
def test_in_any_pieces_it_reads_the_same(history: list[tuple[str, Any, Any]]) -> None:
    """Law 1: what was read piece by piece, with torn lines in between, equals what is read at once; twice is once."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "w")
        player = History(world)
        for step in history:
            player.play(*step)
        for session in SESSIONS:
            player._finish_torn(session)
        player.index()
        pieces = [dump(world, sql) for sql in CONTENT]
        second = world.memory().index()
        assert (second.events, second.rows, second.files_opened, second.bytes_read) == (0, 0, 0, 0)
        shutil.rmtree(world.home)
        player.index()
        for sql, in_pieces, at_once in zip(CONTENT, pieces, [dump(world, s) for s in CONTENT], strict=True):
            assert in_pieces == at_once, sql


@given(st.permutations(SESSIONS), st.integers(0, 3))
@settings(max_examples=examples(20))
def test_the_order_of_arrival_does_not_choose_the_original(order: list[str], own: int) -> None:
    """Rule 6: three sessions share records; whichever is read first, the same copies are canonical."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        base = Lines("alpha", cwd="/p")
        base.prompt("first")
        base.tool("Edit", "t1", file_path="/p/x.py")
        base.result("t1")
        for session in order:
            copy = Lines(session, cwd="/p")
            copy.lines = [{**line, "sessionId": session} for line in base.lines]
            for i in range(own):
                copy.lines.append(
                    {**copy.lines[0], "uuid": f"own-{session}-{i}", "timestamp": stamp(100 + i)}  # its own prompt
                )
            world.write(copy, session, "-p")
            world.memory().index()
        assert world.one("select count(*) from prompts") == 3 * (1 + own)
        assert world.one("select count(*) from prompts where canonical") == 1 + 3 * own
        assert world.rows("select session_id from tool_uses where canonical") == [("alpha",)]
        assert world.rows("select file_path, edit_count, session_count from file_hotspots") == [("/p/x.py", 1, 1)]
        assert world.one("select count(*) from responses where canonical") == 1
        assert world.memory().verify() == []


# --- an independent recomputation of the derived tables ----------------------------------------------------------


def derived_in_tables(world: World) -> dict[str, list[tuple[Any, ...]]]:
    db = sqlite3.connect(world.home / "index.db")
    names = ("tool_transitions", "weekly_buckets", "file_hotspots", "session_links")
    found = {name: sorted(db.execute(f"select * from {name}").fetchall(), key=repr) for name in names}
    db.close()
    return {
        name: [tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in rows]
        for name, rows in found.items()
    }


def derived_from_rows(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """The four derived tables, computed in plain Python from the raw ones."""
    db = sqlite3.connect(world.home / "index.db")
    sessions = {r[0]: r[1:] for r in db.execute("select id, project, started_at, ended_at from sessions")}
    uses = db.execute(
        "select session_id, classified_name, timestamp, canonical from tool_uses order by session_id, seq_order"
    ).fetchall()
    prompts = db.execute("select session_id, timestamp, canonical from prompts").fetchall()
    edits = db.execute("select session_id, file_path, canonical from file_edits").fetchall()
    db.close()
    pairs: Counter[tuple[str, str, str]] = Counter()
    for before, after in itertools.pairwise(uses):
        if before[0] == after[0] and after[3]:
            pairs[sessions[after[0]][0], before[1], after[1]] += 1
    totals: Counter[tuple[str, str]] = Counter()
    for (project, first, _), n in pairs.items():
        totals[project, first] += n
    weeks: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    happened = [(s, n, t) for s, n, t, c in uses if c] + [(s, "(prompts)", t) for s, t, c in prompts if c]
    for session, name, ts in happened:
        if ts:
            moment = datetime.fromtimestamp(ts / 1000, UTC)
            monday = (moment - timedelta(days=moment.weekday())).strftime("%Y-%m-%d")
            weeks[sessions[session][0], monday, name].append(session)
    files: dict[tuple[str, str], list[str]] = defaultdict(list)
    touched: dict[str, set[str]] = defaultdict(set)
    for session, path, canonical in edits:
        touched[session].add(path)
        if canonical:
            files[sessions[session][0], path].append(session)
    links = []
    for a in sorted(touched):
        for b in sorted(touched):
            common = touched[a] & touched[b]
            if a < b and common and sessions[a][0] == sessions[b][0]:
                gap = None
                (_, a0, a1), (_, b0, b1) = sessions[a], sessions[b]
                if a1 < b0:
                    gap = (b0 - a1) // 60000
                elif b1 < a0:
                    gap = (a0 - b1) // 60000
                ratio = round(len(common) / len(touched[a] | touched[b]), 9)
                links.append((sessions[a][0], a, b, len(common), ratio, gap))
    return {
        "tool_transitions": sorted(
            [(p, a, b, n, round(n / totals[p, a], 9)) for (p, a, b), n in pairs.items()], key=repr
        ),
        "weekly_buckets": sorted([(*k, len(v), len(set(v))) for k, v in weeks.items()], key=repr),
        "file_hotspots": sorted([(*k, len(v), len(set(v))) for k, v in files.items()], key=repr),
        "session_links": sorted(links, key=repr),
    }
