"""Histories that nobody would write by hand, and somebody who plays them on a machine.

A history is any mixture of: a session growing by whole or torn lines, a fork copying another's lines, a file rewritten,
deleted and restored, prune, forget, and `index` at any moment.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import Any

from hypothesis import strategies as st

from tests.transcripts import Lines, World, encode

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
        "enqueue",
        "popAll",
        "repeated",
        "refused",
        "compacted",
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
        elif kind in ("enqueue", "popAll"):  # typed while the agent was at work, or taken back
            line = build.add("queue-operation", operation=kind, content=f"queued {n % 3}")
            del line["uuid"]
        elif kind == "repeated":
            line = build.prompt(f"queued {n % 3}")
        elif kind == "refused":
            said = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
            line = build.result(self.open_tools.get(session, "toolu-none"), f"{said}not {n}", error=True)
        elif kind == "compacted":
            line = build.prompt(f"This session is being continued, {n}", isCompactSummary=True)
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
