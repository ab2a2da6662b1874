"""The laws of the design, under histories that nobody would write by hand.

A history is any mixture of: a session growing by whole or torn lines, a fork copying another's lines, a file rewritten,
deleted and restored, prune, forget, and `index` at any moment.
"""

from __future__ import annotations

import contextlib
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
from tests.transcripts import Lines, World, encode, stamp

SESSIONS = ("alpha", "beta", "gamma")
FOLDERS = {"alpha": "-p-one", "beta": "-p-one", "gamma": "-p-two"}
CWD = {"alpha": "/p/one", "beta": "/p/one", "gamma": "/p/two"}

record = st.sampled_from(
    [
        "prompt",
        "read",
        "edit",
        "bash",
        "text",
        "result",
        "title",
        "garbage",
        "stream",
        "summary",
        "relocate",
        "homeless",
    ]
)
operation = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.lists(record, min_size=1, max_size=5)),
    st.tuples(st.just("torn"), st.sampled_from(SESSIONS), st.integers(1, 60)),
    st.tuples(st.just("fork"), st.sampled_from(SESSIONS), st.sampled_from(SESSIONS)),
    st.tuples(st.just("rewrite"), st.sampled_from(SESSIONS), st.integers(0, 3)),
    st.tuples(st.just("delete"), st.sampled_from(SESSIONS), st.none()),
    st.tuples(st.just("move"), st.sampled_from(SESSIONS), st.sampled_from(["-p-one", "-p-two", "-p-three"])),
    st.tuples(st.just("child"), st.sampled_from(SESSIONS), st.lists(record, min_size=1, max_size=3)),
    st.tuples(st.just("restore"), st.sampled_from(SESSIONS), st.none()),
    st.tuples(st.just("index"), st.none(), st.none()),
    st.tuples(st.just("prune"), st.none(), st.none()),
    st.tuples(st.just("forget"), st.sampled_from(SESSIONS), st.none()),
    st.tuples(st.just("undo"), st.sampled_from(SESSIONS), st.none()),
)
growing = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.lists(record, min_size=1, max_size=5)),
    st.tuples(st.just("torn"), st.sampled_from(SESSIONS), st.integers(1, 60)),
    st.tuples(st.just("fork"), st.sampled_from(SESSIONS), st.sampled_from(SESSIONS)),
    st.tuples(st.just("index"), st.none(), st.none()),
)


class History:
    """Plays operations on a machine, and remembers what each file should hold."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lines: dict[str, list[bytes]] = defaultdict(list)
        self.pending: dict[str, bytes] = {}
        self.away: dict[str, bytes] = {}
        self.builders = {s: Lines(s, cwd=CWD[s]) for s in SESSIONS}
        self.open_tools: dict[str, str] = {}
        self.count = 0

    def play(self, op: str, session: str | None, detail: Any) -> None:
        getattr(self, op)(session, detail)

    def _write(self, session: str, data: bytes) -> None:
        if session in self.away:
            self.away[session] += data
        else:
            self.world.append(data, session, FOLDERS[session])

    def _finish_torn(self, session: str) -> None:
        rest = self.pending.pop(session, b"")
        if rest:
            self._write(session, rest)

    def _record(self, session: str, kind: str) -> bytes:
        build = self.builders[session]
        self.count += 1
        n = self.count
        if kind == "garbage":
            return b'{"type": broken' + str(n).encode() + b"\n"
        if kind == "title":
            return encode({"type": "custom-title", "customTitle": f"title {n}", "sessionId": session})
        if kind == "summary":  # of whichever session has this message
            leaf = f"{SESSIONS[n % 3]}-{n % 4}"
            return encode({"type": "summary", "summary": f"summary {n}", "leafUuid": leaf})
        if kind == "relocate":
            line = build.prompt(f"moved {n}", relocatedCwd=f"/p/moved{n % 2}")
        elif kind == "homeless":
            line = build.prompt(f"no folder {n}")
            line.pop("cwd", None)
        elif kind == "prompt":
            line = build.prompt(f"please fix 테스트 number {n} in React組件")
        elif kind == "text":
            line = build.answer(f"answer {n}")
        elif kind == "stream":  # one answer over several lines, tokens growing
            line = build.answer(
                f"part {n}", message_id=f"m-{session}", request_id="r", usage={"input_tokens": 3, "output_tokens": n}
            )
        elif kind == "result":
            line = build.result(self.open_tools.get(session, "toolu-none"), f"done {n}", error=n % 3 == 0)
        else:
            use = f"toolu-{session}-{n}"
            self.open_tools[session] = use
            tool = {
                "read": ("Read", {"file_path": "/p/a.py"}),
                "edit": ("Edit", {"file_path": f"/p/{n % 3}.py"}),
                "bash": ("Bash", {"command": "cd x && git status"}),
            }[kind]
            line = build.tool(tool[0], use, **tool[1])
        return encode(line)

    def grow(self, session: str, kinds: list[str]) -> None:
        self._finish_torn(session)
        for kind in kinds:
            data = self._record(session, kind)
            self.lines[session].append(data)
            self._write(session, data)

    def torn(self, session: str, cut: int) -> None:
        """Half a line now; the rest comes with whatever is next."""
        self._finish_torn(session)
        data = self._record(session, "prompt")
        cut = min(cut, len(data) - 2)
        self.lines[session].append(data)
        self._write(session, data[:cut])
        self.pending[session] = data[cut:]

    def fork(self, session: str, source: str) -> None:
        if session == source:
            return
        self._finish_torn(session)
        for data in list(self.lines[source]):
            copied = data.replace(f'"sessionId": "{source}"'.encode(), f'"sessionId": "{session}"'.encode())
            self.lines[session].append(copied)
            self._write(session, copied)

    def rewrite(self, session: str, keep: int) -> None:
        if session in self.away:
            return
        self.pending.pop(session, None)
        self.lines[session] = self.lines[session][:keep]
        self.world.write(b"".join(self.lines[session]), session, FOLDERS[session])

    def delete(self, session: str, _: None) -> None:
        path = self.world.path(session, FOLDERS[session])
        if path.exists() and session not in self.away:
            self.away[session] = path.read_bytes()
            path.unlink()

    def move(self, session: str, folder: str) -> None:
        """As `/cd` does: the same file in another folder."""
        path = self.world.path(session, FOLDERS[session])
        if path.exists() and session not in self.away and folder != FOLDERS[session]:
            target = self.world.path(session, folder)
            target.write_bytes(path.read_bytes())
            if self.count % 2:
                path.unlink()

    def child(self, session: str, kinds: list[str]) -> None:
        """A subagent of the session writes some lines into a file of its own."""
        folder = self.world.path(session, FOLDERS[session]).with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"agent-{session}.jsonl").open("ab") as file:
            for kind in kinds:
                line = self._record(session, kind)
                file.write(
                    line.replace(b'"isSidechain": false', b'"isSidechain": true').replace(b'"uuid": "', b'"uuid": "c')
                )

    def restore(self, session: str, _: None) -> None:
        if session in self.away:
            self.world.write(self.away.pop(session), session, FOLDERS[session])

    def index(self, *_: None) -> None:
        self.world.memory().index()

    def prune(self, *_: None) -> None:
        self.world.memory().index(prune=True)

    def forget(self, session: str, _: None) -> None:
        from axiommind.errors import NotFound

        with contextlib.suppress(NotFound):
            self.world.memory().forget(session=session)

    def undo(self, session: str, _: None) -> None:
        from axiommind.errors import NotFound

        with contextlib.suppress(NotFound):
            self.world.memory().undo_forget(session=session)


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
