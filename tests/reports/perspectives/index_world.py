"""Small worlds for the perspectives: sessions written by hand, stored as the session projection stores them.

`store` fills the raw tables; `derive` fills the derived ones the slow and obvious way, in plain Python, so
that the perspectives are compared with something that shares no line with them.
"""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from axiommind.reports.perspectives import COMMON, load
from axiommind.text.keywords import keywords
from axiommind.text.tokens import FTS_TOKENIZE, fts_text

DDL = (
    """
create table sessions (
  id text primary key, project text not null, file_path text not null, file_size integer not null,
  file_mtime integer not null, first_ts integer, last_ts integer,
  prompt_count integer not null default 0, tool_use_count integer not null default 0,
  indexed_at text not null,
  agent text not null default 'claude-code', parent_session text, parent_tool_use_id text, agent_type text,
  title text, model text, git_branch text, cwd text, version text,
  response_count integer not null default 0, edit_count integer not null default 0,
  error_count integer not null default 0,
  input_tokens integer not null default 0, output_tokens integer not null default 0,
  cache_creation_tokens integer not null default 0, cache_read_tokens integer not null default 0,
  started_at integer, ended_at integer, missing_since text);
create table prompts (
  id integer primary key, session_id text not null references sessions(id) on delete cascade,
  text text not null, timestamp integer not null, char_count integer not null,
  uuid text, line integer not null, origin text, canonical integer not null default 1);
create table responses (
  id integer primary key, session_id text not null references sessions(id) on delete cascade,
  message_id text not null, request_id text not null, uuid text, model text, timestamp integer,
  text text not null, char_count integer not null, stop_reason text,
  input_tokens integer not null, output_tokens integer not null, cache_creation_tokens integer not null,
  cache_read_tokens integer not null, cache_1h_tokens integer not null default 0, service_tier text,
  is_sidechain integer not null, is_error integer not null,
  line_start integer not null, line_end integer not null, canonical integer not null default 1,
  unique (message_id, request_id, session_id));
create table tool_uses (
  id integer primary key, session_id text not null references sessions(id) on delete cascade,
  seq_order integer not null, tool_name text not null, classified_name text not null, timestamp integer,
  input_json text, tool_use_id text, message_id text, uuid text, subagent text, line integer not null,
  is_error integer, error text, result_chars integer, result_line integer,
  canonical integer not null default 1);
create table file_edits (
  id integer primary key, session_id text not null references sessions(id) on delete cascade,
  tool_use_id integer not null references tool_uses(id) on delete cascade, file_path text not null,
  timestamp integer, canonical integer not null default 1);
create table prompt_keywords (id integer primary key,
  prompt_id integer not null references prompts(id) on delete cascade, keyword text not null);
create table tool_transitions (project text not null, from_tool text not null, to_tool text not null,
  count integer not null, probability real not null, primary key (project, from_tool, to_tool));
create table weekly_buckets (project text not null, week_start text not null, tool_name text not null,
  count integer not null, session_count integer not null, primary key (project, week_start, tool_name));
create table file_hotspots (project text not null, file_path text not null, edit_count integer not null,
  session_count integer not null, primary key (project, file_path));
create table session_links (project text not null, session_a text not null, session_b text not null,
  shared_files integer not null, overlap_ratio real not null, time_gap_minutes integer,
  primary key (project, session_a, session_b));
create index idx_prompts_session on prompts(session_id);
create index idx_tool_uses_session on tool_uses(session_id, seq_order);
create index idx_tool_uses_tool on tool_uses(classified_name);
create table segments (position integer primary key, path text not null);
create table passages (id integer primary key, kind text not null, ref integer not null, session_id text,
  unique (kind, ref));
"""
    + f'create virtual table passages_fts using fts5(tokens, content="", tokenize="{FTS_TOKENIZE}");'
)

MINUTE = 60_000
DAY = 86_400_000
WEEK = 7 * DAY
MONDAY = 1_767_571_200_000  # 2026-01-05
PROJECT = "-home-u-shop"
EDITING = ("Edit", "Write")

Row = dict[str, Any]


@dataclass(frozen=True)
class World:
    sessions: list[Row] = field(default_factory=list)
    prompts: list[Row] = field(default_factory=list)
    responses: list[Row] = field(default_factory=list)
    tool_uses: list[Row] = field(default_factory=list)
    file_edits: list[Row] = field(default_factory=list)

    def only(self, session: str) -> World:
        """A world that holds this session alone, where every occurrence is therefore the canonical one."""

        def own(rows: list[Row]) -> list[Row]:
            return [{**row, "canonical": 1} for row in rows if row["session_id"] == session]

        return World(
            [row for row in self.sessions if row["id"] == session],
            own(self.prompts),
            own(self.responses),
            own(self.tool_uses),
            own(self.file_edits),
        )


class Writer:
    """Writes a world session by session, one line after the other."""

    def __init__(self) -> None:
        self.world = World()

    def session(self, session: str, events: list[tuple[Any, ...]], canonical_from: int = 0, **more: Any) -> Writer:
        """Events: ("prompt", text, at), ("use", tool, at[, file]), ("answer", model, at, tokens).

        The first `canonical_from` events are copies: this session is a fork.
        """
        w = self.world
        seq = 0
        last_message = None
        for line, (kind, what, at, *rest) in enumerate(events, start=1):
            base = {"session_id": session, "timestamp": at, "canonical": int(line > canonical_from)}
            if kind == "prompt":
                w.prompts.append(base | {"id": len(w.prompts) + 1, "text": what, "char_count": len(what), "line": line})
            elif kind == "answer":
                last_message = f"m{len(w.responses)}"
                n = rest[0] if rest else 1
                w.responses.append(
                    base
                    | {
                        "id": len(w.responses) + 1,
                        "message_id": last_message,
                        "request_id": "r",
                        "model": what,
                    }
                    | {"text": "", "char_count": 0, "is_sidechain": 0, "is_error": 0}
                    | {"line_start": line, "line_end": line}
                    | {"input_tokens": n, "output_tokens": 2 * n}
                    | {"cache_creation_tokens": 3 * n, "cache_read_tokens": 4 * n}
                )
            else:
                use = base | {"id": len(w.tool_uses) + 1, "seq_order": seq, "line": line}
                use |= {"tool_name": what.split(":")[0], "classified_name": what, "message_id": last_message}
                w.tool_uses.append(use | {"is_error": 1 if "!" in rest else 0})
                seq += 1
                if rest and rest[0] != "!":
                    edit = base | {
                        "id": len(w.file_edits) + 1,
                        "tool_use_id": use["id"],
                        "file_path": rest[0],
                    }
                    w.file_edits.append(edit)
        times = [e[2] for e in events if e[2]]
        mine = [use for use in w.tool_uses if use["session_id"] == session]
        w.sessions.append(
            {
                "id": session,
                "project": PROJECT,
                "file_path": f"/t/{session}.jsonl",
                "file_size": 1,
                "file_mtime": 1,
            }
            | {"indexed_at": "2026-01-01T00:00:00Z", "title": f"about {session}", "model": "opus"}
            | {"started_at": min(times, default=None), "ended_at": max(times, default=None)}
            | {"tool_use_count": len(mine), "prompt_count": sum(e[0] == "prompt" for e in events)}
            | {"edit_count": sum(e["session_id"] == session for e in w.file_edits)}
            | more
        )
        return self


def store(world: World) -> sqlite3.Connection:
    """A read-only database that holds the world, derived tables and full-text index included."""
    db = sqlite3.connect(":memory:")
    db.executescript(DDL)
    for table in ("sessions", "prompts", "responses", "tool_uses", "file_edits"):
        for row in getattr(world, table):
            names = ", ".join(row)
            db.execute(f"insert into {table} ({names}) values ({', '.join(':' + n for n in row)})", row)
    for p in world.prompts:
        db.execute("insert into passages values (?, 'prompt', ?, ?)", (p["id"], p["id"], p["session_id"]))
        db.execute("insert into passages_fts (rowid, tokens) values (?, ?)", (p["id"], fts_text(p["text"])))
        for word in keywords(p["text"]):
            db.execute("insert into prompt_keywords (prompt_id, keyword) values (?, ?)", (p["id"], word))
    derive(db, world)
    db.commit()
    db.execute("pragma query_only=on")
    return db


def derive(db: sqlite3.Connection, world: World) -> None:
    project = {s["id"]: s["project"] for s in world.sessions}
    pairs: Counter[tuple[str, str, str]] = Counter()
    for use in world.tool_uses:
        for before in world.tool_uses:
            same = before["session_id"] == use["session_id"]
            if same and before["seq_order"] == use["seq_order"] - 1 and use["canonical"]:
                pairs[project[use["session_id"]], before["classified_name"], use["classified_name"]] += 1
    for (p, a, b), n in pairs.items():
        total = sum(m for (q, c, _), m in pairs.items() if (q, c) == (p, a))
        db.execute("insert into tool_transitions values (?, ?, ?, ?, ?)", (p, a, b, n, n / total))

    weeks: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for use in world.tool_uses:
        if use["canonical"] and use["timestamp"] is not None:
            weeks[project[use["session_id"]], week(use["timestamp"]), use["classified_name"]].append(use["session_id"])
    for prompt in world.prompts:
        if prompt["canonical"] and prompt["timestamp"] > 0:
            weeks[project[prompt["session_id"]], week(prompt["timestamp"]), "(prompts)"].append(prompt["session_id"])
    for key, sessions in weeks.items():
        db.execute("insert into weekly_buckets values (?, ?, ?, ?, ?)", (*key, len(sessions), len(set(sessions))))

    files: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    edited: defaultdict[str, set[str]] = defaultdict(set)
    for edit in world.file_edits:
        edited[edit["session_id"]].add(edit["file_path"])
        if edit["canonical"]:
            files[project[edit["session_id"]], edit["file_path"]].append(edit["session_id"])
    for key, sessions in files.items():
        db.execute("insert into file_hotspots values (?, ?, ?, ?)", (*key, len(sessions), len(set(sessions))))

    span = {s["id"]: _span(world, s) for s in world.sessions}
    for a in sorted(edited):
        for b in sorted(edited):
            shared = edited[a] & edited[b]
            if a < b and shared and project[a] == project[b]:
                (start_a, end_a), (start_b, end_b) = span[a], span[b]
                gap = None
                if None not in (*span[a], *span[b]):
                    if end_a < start_b:
                        gap = (start_b - end_a) // MINUTE
                    elif end_b < start_a:
                        gap = (start_a - end_b) // MINUTE
                ratio = len(shared) / len(edited[a] | edited[b])
                db.execute(
                    "insert into session_links values (?, ?, ?, ?, ?, ?)",
                    (project[a], a, b, len(shared), ratio, gap),
                )


def _span(world: World, session: Row) -> tuple[int | None, int | None]:
    """From when to when people and agents did something in a session."""
    done = [*world.prompts, *world.tool_uses, *world.responses]
    times = [row["timestamp"] for row in done if row["session_id"] == session["id"] and row["timestamp"]]
    return (min(times), max(times)) if times else (session["started_at"], session["ended_at"])


def week(at: int) -> str:
    day = datetime.fromtimestamp(at / 1000, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def ask(db: sqlite3.Connection, name: str, **given: Any) -> list[Row]:
    perspective = load(name)
    params = {p.name: None for p in COMMON} | {p.name: p.default for p in perspective.params}
    assert set(given) <= set(params)
    return perspective.run(db, params | given)


def busy_world(seed: int = 7) -> World:
    """Six sessions over ten weeks with every oddity at once: a fork, missing times, pauses, three scripts."""
    rng = random.Random(seed)
    writer = Writer()
    tools = ["Read", "Read", "Edit", "Edit", "Write", "Bash:git", "Bash:test", "mcp__a__b", "Bash_git"]
    said = ["run the tests please", "Run the  tests please", "fix the login bug", "테스트 실행해줘",
            "테스트 고쳐줘", "修复登录错误", "fix the logout bug", "ok",
            "commit and push everything to main"]  # fmt: skip
    first: list[tuple[Any, ...]] = []
    for number in range(6):
        events: list[tuple[Any, ...]] = []
        canonical_from = 0
        at = MONDAY + number * 10 * DAY + 3 * 3_600_000
        if number == 4:  # a fork of the first session
            canonical_from = len(first) // 2
            events, at = list(first[:canonical_from]), first[canonical_from - 1][2] or at
        for _ in range(45):
            at += rng.choice([1_000, 20_000, 20_000, 6 * MINUTE, 40 * MINUTE, 9 * 3_600_000])
            kind = rng.random()
            if kind < 0.15:
                events.append(("prompt", rng.choice(said), at))
            elif kind < 0.35:
                events.append(("answer", rng.choice(["opus", "haiku"]), at, rng.randrange(1, 50)))
            else:
                tool = rng.choice(tools)
                when = None if rng.random() < 0.05 else at
                file = [f"/shop/{rng.choice('aaaaabcdefgh')}.py"] if tool in EDITING else []
                events.append(("use", tool, when, *(file or (["!"] if rng.random() < 0.1 else []))))
        if number == 0:
            first = events
            events = events + [("use", "Edit", at + i * 1000, "/shop/hot.py") for i in range(1, 13)]
        writer.session(f"{'abcdef'[number]}-0000-{number}", events, canonical_from)
    return writer.world


def without_gaps(world: World) -> World:
    """The same world where every use says when it happened."""

    def timed(rows: list[Row]) -> list[Row]:
        return [{**row, "timestamp": row["timestamp"] or MONDAY} for row in rows]

    return replace(world, tool_uses=timed(world.tool_uses), file_edits=timed(world.file_edits))
