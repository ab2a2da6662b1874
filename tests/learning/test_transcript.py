"""A session as it was recorded: every text stands where it says, is read once, and is of whom it says.

Lines are any mixture of what clients write: prompts as text or blocks, answers, calls, results as text or list,
queued prompts, old `tool_use` lines, sidechains, reminders, half surrogates, broken JSON, records written twice, forks,
moved files; and the file is read in any pieces.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.memory import Scope
from axiommind.projections import transcript as recorded
from axiommind.projections.transcript import Message, Transcript
from axiommind.text import jsonlines
from axiommind.text.pasted import pasted_spans
from axiommind.text.pointers import text_at
from tests.examples import examples
from tests.learning.sessions import Session
from tests.transcripts import Lines, World, encode

SESSIONS = ("alpha", "beta")
OURS, THEIRS = "said", "INJECTED"  # a person's own words carry the one, what a client put in the other
KEPT = {
    "person": (
        "prompt",
        "blocks",
        "reminded",
        "unclosed",
        "editor",
        "queued",
        "surrogate",
        "bare",
        "enqueued",
        "refused",
    ),
    "assistant": ("answer", "parts", "plain", "call", "deep"),
    "call": ("old", "call", "deep"),
    "result": ("result", "results", "lost", "refused"),
    "summary": ("summary",),
}
NOBODYS = ("meta", "output", "hook", "origin", "notice", "sidechain", "garbage", "untyped", "bulk")
KINDS = tuple(dict.fromkeys((*(kind for kinds in KEPT.values() for kind in kinds), *NOBODYS)))
operation = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.lists(st.sampled_from(KINDS), min_size=1, max_size=6)),
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.lists(st.sampled_from(KINDS), min_size=1, max_size=6)),
    st.tuples(st.just("again"), st.sampled_from(SESSIONS), st.integers(0, 20)),
    st.tuples(st.just("fork"), st.sampled_from(SESSIONS), st.none()),
    st.tuples(st.just("move"), st.sampled_from(SESSIONS), st.booleans()),
    st.tuples(st.just("index"), st.none(), st.none()),
)


class Writer:
    """A client that writes lines of every kind, each with a number of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.build = {name: Lines(name) for name in SESSIONS}
        self.folder = dict.fromkeys(SESSIONS, "-p-one")
        self.count = 0
        self.written: dict[str, list[bytes]] = {name: [] for name in SESSIONS}
        self.said: set[str] = set()

    def play(self, op: str, session: Any, detail: Any) -> None:
        getattr(self, f"_{op}")(session, detail)

    def _put(self, session: str, data: bytes) -> None:
        self.written[session].append(data)
        self.world.append(data, session, self.folder[session])

    def _grow(self, session: str, kinds: list[str]) -> None:
        for kind in kinds:
            self._put(session, self.line(self.build[session], kind))

    def _again(self, session: str, n: int) -> None:
        """A record is written a second time."""
        if self.written[session]:
            self._put(session, self.written[session][n % len(self.written[session])])

    def _fork(self, session: str, _: None) -> None:
        source = SESSIONS[1 - SESSIONS.index(session)]
        for data in list(self.written[source]):
            if b'"queue-operation"' in data:  # a fork copies messages only
                continue
            self._put(session, data.replace(f'"sessionId": "{source}"'.encode(), f'"sessionId": "{session}"'.encode()))

    def _move(self, session: str, leave: bool) -> None:
        """As `/cd` does; the old file may stay."""
        path = self.world.path(session, self.folder[session])
        if path.exists():
            self.folder[session] = "-p-two" if self.folder[session] == "-p-one" else "-p-one"
            self.world.path(session, self.folder[session]).write_bytes(path.read_bytes())
            if not leave:
                path.unlink()

    def _index(self, *_: None) -> None:
        self.world.memory().index()

    def words(self) -> str:
        text = f"{OURS}-{self.count} 빠른 🦊"
        self.said.add(f"{OURS}-{self.count}")
        return text

    def line(self, build: Lines, kind: str) -> bytes:
        self.count += 1
        n, theirs = self.count, f"{THEIRS} {self.count}"
        reminder = f"<system-reminder>\n{theirs} é\n</system-reminder>"
        use = f"toolu-{build.session}-{n - n % 4}"
        if kind == "garbage":
            return b'{"type": "user", "message": broken\n'
        if kind == "untyped":
            return encode({"message": {"role": "user", "content": theirs}})
        if kind == "bulk":
            return encode(build.add("progress", message={"role": "user", "content": theirs}))
        if kind == "surrogate":
            whole = encode(build.prompt(f"{self.words()} HALF"))
            return whole.replace(b"HALF", rb"\ud83d and \udc00 \u0000")
        if kind == "queued":
            prompt: Any = [{"type": "text", "text": self.words()}, {"type": "text", "text": reminder}]
            inner = {"type": "queued_command", "prompt": prompt if n % 2 else self.words(), "humanTurn": True}
            return encode(build.add("attachment", attachment=inner))
        if kind == "enqueued":
            line = build.add("queue-operation", operation="enqueue", content=f"{reminder} {self.words()}")
            return encode({name: value for name, value in line.items() if name != "uuid"})
        if kind == "refused":
            return encode(build.result(use, refusal(self.words(), theirs), error=True))
        if kind == "old":
            return encode(build.add("tool_use", name="Bash", input={"command": f"old {n}"}, id=use))
        if kind in ("call", "deep"):
            given = {"a/b~c": [f"deep {n}", {"": [["x"], f"y {n}"]}], "7": "s"} if kind == "deep" else {"command": "ls"}
            return encode(
                build.answer("then", {"type": "tool_use", "id": use, "name": "Tool", "input": given}, "after")
            )
        if kind == "plain":
            return encode(build.add("assistant", message={"role": "assistant", "id": f"m{n}", "content": f"plain {n}"}))
        if kind in ("result", "lost"):
            return encode(build.result("toolu-nobody" if kind == "lost" else use, f"came back {n}", error=n % 2 == 0))
        if kind == "results":
            texts = [{"type": "text", "text": f"one {n}"}, {"type": "image"}, {"type": "text", "text": theirs}]
            block = {"type": "tool_result", "tool_use_id": use, "content": texts}
            return encode(
                build.add("user", message={"role": "user", "content": [block, {"type": "text", "text": theirs}]})
            )
        content: Any = {
            "prompt": lambda: self.words(),
            "bare": lambda: self.words(),
            "blocks": lambda: [
                {"type": "image"},
                {"type": "text", "text": self.words()},
                {"type": "text", "text": reminder},
            ],
            "reminded": lambda: f"{reminder}\n{reminder} {self.words()} {reminder} and more {reminder}",
            "unclosed": lambda: f"{self.words()} <system-reminder>{theirs}",
            "editor": lambda: (
                f"<ide_opened_file>{theirs}</ide_opened_file>\n<ide_selection>{theirs}</ide_selection>{self.words()}"
            ),
            "output": lambda: f"<local-command-stdout>{theirs}</local-command-stdout>",
            "hook": lambda: f"Stop hook feedback: {theirs}",
            "notice": lambda: reminder,
        }.get(kind, lambda: theirs)()
        if kind in ("answer", "parts"):
            return encode(build.answer(f"answer {n}", f"part {n}" if kind == "parts" else " "))
        fields: dict[str, Any] = {
            "meta": {"isMeta": True},
            "summary": {"isCompactSummary": True},
            "origin": {"origin": {"kind": "task-notification"}},
            "sidechain": {"isSidechain": True},
        }.get(kind, {})
        message: Any = content if kind == "bare" else {"role": "user", "content": content}
        return encode(build.add("user", message=message, **fields))


def refusal(words: str, theirs: str) -> str:
    said = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
    return f"{said}{words}\n\nNote: The user's next message may contain {theirs}"


# --- the law -----------------------------------------------------------------------------------------------------


def transcripts(world: World) -> Iterator[Transcript]:
    """Every session as memory reads it, each text compared with the line it stands in."""
    memory = world.memory()
    with contextlib.ExitStack() as stack:
        db = stack.enter_context(memory.home.reading(Scope(None), None))
        log, _key = stack.enter_context(memory.home.read_log())
        for (session,) in db.execute("select id from sessions order by id").fetchall():
            read = recorded.read(db, log.blob, session)
            assert read is not None
            lines: dict[tuple[int, int], bytes] = {}
            for message in read.messages:
                at = message.position, message.line
                if at not in lines:
                    line = recorded.line_of(db, log.blob, *at)
                    assert line is not None
                    lines[at] = line
                stands(message, text_at(lines[at], message.block))
            in_order(read)
            uses(read, {at: jsonlines.parse(line) for at, line in lines.items()})
            yield read


def stands(message: Message, text: str | None) -> None:
    assert text is not None and len(text) == len(message.text), message
    if message.text != text:
        assert message.role == "person", message
        assert all(a in (" ", b) for a, b in zip(message.text, text, strict=True)), message
        put_in = "<system-reminder>" in text or re.match(r"\s*<ide_\w+>|The user doesn't want", text)
        assert put_in or pasted_spans(text), message


def in_order(read: Transcript) -> None:
    places = [(message.position, message.line) for message in read.messages]
    assert places == sorted(places)
    # What was said when refusing a call stands in its result, and what was pasted in what was typed.
    whose = {(m.position, m.line, m.block, m.role, m.provenance) for m in read.messages}
    assert len(whose) == len(read.messages)


def at(value: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def uses(read: Transcript, records: dict[tuple[int, int], Any]) -> None:
    called: dict[int, str] = {}
    for n, use in enumerate(read.uses):
        for pointer, place in use.leaves.items():
            message = read.messages[place]
            assert (message.role, message.use, message.line) == ("call", n, use.line)
            assert at(use.given, pointer) == message.text and message.block.endswith(f"/input{pointer}")
            block = at(records[message.position, message.line], message.block[: -len(f"/input{pointer}")])
            assert block["name"] == use.name
            called[n] = block["id"]
        for place in use.results:
            message = read.messages[place]
            assert (message.role, message.use) == ("result", n)
        assert (use.failed is None) == (not use.results)
    for place, message in enumerate(read.messages):
        if message.role == "result":
            record = records[message.position, message.line]
            block = at(record, "/".join(message.block.split("/")[:4]))
            assert message.failed == (block.get("is_error") is True)
            if message.use is None:
                before = {n for n, use in enumerate(read.uses) for m in use.leaves.values() if m < place}
                assert block["tool_use_id"] not in {called[n] for n in before}
            elif message.use in called:
                assert block["tool_use_id"] == called[message.use]


@settings(max_examples=examples(100))
@given(st.lists(operation, min_size=1, max_size=10))
def test_whatever_was_written_every_text_stands_where_it_says(history: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        writer = Writer(world)
        for step in history:
            writer.play(*step)
        world.memory().index()
        own: Counter[str] = Counter()
        copies: set[str] = set()
        canonical = set(world.rows("select session_id, line from prompts where canonical"))
        for read in transcripts(world):
            for message in read.messages:
                if message.role == "person":
                    assert THEIRS not in message.text, message
                    words = re.findall(rf"{OURS}-\d+", message.text)
                    copies.update(words) if message.copied else own.update(words)
                    assert message.copied or (read.session_id, message.line) in canonical
        assert own == Counter(dict.fromkeys(writer.said, 1)), "each is somebody's own, and once, whoever has copies"
        assert copies <= writer.said


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_line(world: World, kind: str) -> None:
    """Each alone, so that a kind that nobody reads is seen."""
    writer = Writer(world)
    writer.play("grow", "alpha", [kind] * 3)
    world.memory().index()
    roles = Counter(message.role for read in transcripts(world) for message in read.messages)
    assert set(roles) == {role for role, kinds in KEPT.items() if kind in kinds}


def test_a_result_that_was_written_before_its_call_in_pieces_as_at_once(world: World) -> None:
    found = []
    for session, pieces in (("alpha", True), ("beta", False)):
        lines = Lines(session)
        lines.result("toolu-x", "came back")
        world.append(lines.data(), session)
        if pieces:
            world.memory().index()
        lines.tool("Bash", "toolu-x", command="ls")
        world.append(encode(lines.lines[-1]), session)
        world.memory().index()
    for read in transcripts(world):
        found.append([use.results for use in read.uses])
    assert found[0] == found[1]


def test_what_a_fork_copied_is_learned_once(world: World) -> None:
    """Else a claim that was made once is one of several sessions, and is certified by being copied."""
    whole = Session("alpha")
    whole.ask("Where should the log live?", "SQLite")
    whole.commit("feat: cache answers")
    world.write(whole)
    fork = Session("beta")
    fork.lines = [{**line, "sessionId": "beta"} for line in whole.lines]
    fork._clock = iter(range(100, 200))  # type: ignore[assignment]
    fork.ask("Which test runner do we use?", "pytest")
    world.write(fork)
    world.memory().index()
    world.memory().learning.run()
    assert world.rows("select session_id, title from entries order by 1, 2") == [
        ("alpha", "Where should the log live?"),
        ("alpha", "feat: cache answers"),
        ("beta", "Which test runner do we use?"),
    ]


def test_real_sessions(shared: Path, tmp_path: Path) -> None:
    world = World(tmp_path / "real")
    found = sorted((shared / "bench" / "transcripts").rglob("*.jsonl"))[::10]
    for path in found:
        folder = world.projects / path.parent.name
        folder.mkdir(exist_ok=True)
        (folder / path.name).symlink_to(path)
    world.memory().index()
    roles: Counter[str] = Counter()
    begins = re.compile(
        r"<(local-command|task-notification|session-start-hook|command-|bash-std|tick)|Caveat:|Stop hook"
    )
    for read in transcripts(world):
        roles.update(message.role for message in read.messages)
        for message in read.messages:
            if message.role == "person":
                assert not begins.match(message.text.strip()), message
                assert "<system-reminder>" not in message.text
    assert roles["person"] and roles["assistant"] and roles["call"] and roles["result"], (len(found), roles)
