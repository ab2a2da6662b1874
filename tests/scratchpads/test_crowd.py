"""A crowd at the writer: one server for each agent's window, and somebody at the shell, all writing at once. What was
acknowledged is in the history, once and in order; nobody is locked out, and nothing else goes wrong."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from tests.counting import PATIENCE_S
from tests.transcripts import World

Json = dict[str, Any]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}
MOST_MADE = 40  # pads of one window: a workflow holds 50


class Done(NamedTuple):
    """A write that was acknowledged: by whom, which version of which pad it became, and what it said."""

    who: str
    scratchpad: str
    version: int
    mark: str


class Refused(Exception):
    """A tool's own error."""


class Window:
    """An agent's window: one `axm mcp`, asked one thing at a time."""

    def __init__(self, world: World) -> None:
        self._asked = 0
        self._server = subprocess.Popen(
            [sys.executable, "-m", "axiommind", "mcp"],
            env=world.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ask("initialize", HELLO)

    def _ask(self, method: str, params: Json) -> Json:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        assert answer["id"] == self._asked and "result" in answer, answer
        result: Json = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> Json:
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise Refused(result["content"][0]["text"])
        found: Json = result["structuredContent"]
        return found

    def close(self) -> None:
        _, errors = self._server.communicate(timeout=PATIENCE_S)
        assert self._server.returncode == 0, errors
        assert b"Traceback" not in errors, errors.decode(errors="replace")


class Crowd:
    """Windows on one store, and what they have been told was written."""

    def __init__(self, world: World, windows: int) -> None:
        memory = world.memory()
        self.flow = memory.workflows.create("crowd", "everybody writes here").id
        self.log = memory.scratchpads.create(self.flow, "log").row.id
        self.state = memory.scratchpads.create(self.flow, "state", "nobody").row.id
        self.world, self.done = world, [Done("main", scratchpad, 1, "") for scratchpad in (self.log, self.state)]
        self.failed: list[str] = []
        self.counts: Counter[str] = Counter()
        self.took: dict[str, list[float]] = {"agent": [], "shell": []}  # seconds of each call
        self._lock = threading.Lock()
        self._windows = [Window(world) for _ in range(windows)]

    def write(self, is_over: Callable[[], bool]) -> None:
        threads = [threading.Thread(target=self._work, args=(who, is_over)) for who in range(len(self._windows))]
        threads.append(threading.Thread(target=self._type, args=(is_over,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for window in self._windows:
            window.close()

    # --- an agent ----------------------------------------------------------------------------------------

    def _work(self, who: int, is_over: Callable[[], bool]) -> None:
        agent = Agent(self, f"agent-{who}", self._windows[who])
        try:
            while not (is_over() or self.failed):
                agent.act()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails by it
            self.failed.append(f"{agent.name}: {type(error).__name__}: {error}")

    # --- somebody at the shell ---------------------------------------------------------------------------

    def _type(self, is_over: Callable[[], bool]) -> None:
        n = 0
        while not (is_over() or self.failed):
            mark, n = f"<shell:{n}>", n + 1
            command = [sys.executable, "-m", "axiommind", "pad", "append", "--json", self.log, mark]
            started = time.monotonic()
            done = subprocess.run(command, env=self.world.environ, capture_output=True, check=False)
            self.took["shell"].append(time.monotonic() - started)
            if done.returncode:
                self.failed.append(f"shell: exit code {done.returncode}: {done.stderr.decode()}")
                return
            self.acknowledge("shell", json.loads(done.stdout), mark)

    # --- what was told -----------------------------------------------------------------------------------

    def timed(self, call: Callable[[], Json]) -> Json:
        started = time.monotonic()
        try:
            return call()
        finally:
            self.took["agent"].append(time.monotonic() - started)

    def acknowledge(self, who: str, written: Json, mark: str) -> None:
        scratchpad = written["scratchpad"]
        with self._lock:
            self.done.append(Done(who, scratchpad["id"], scratchpad["version"], mark))
            self.counts[f"{who.split('-')[0]} wrote"] += 1

    def count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1


class Agent:
    """Does what agents do, in an order of its own."""

    def __init__(self, crowd: Crowd, name: str, window: Window) -> None:
        self.crowd, self.name, self._window = crowd, name, window
        self._dice = random.Random(name)
        self._said = 0
        self._flow = self._call("create-workflow", name=f"{name} alone")["id"]
        self._own: list[str] = []

    def act(self) -> None:
        acts = {self._log: 5, self._take_state: 3, self._make: 1, self._note: 3, self._search: 2, self._read: 1}
        (chosen,) = self._dice.choices(list(acts), list(acts.values()))
        chosen()

    def _call(self, tool: str, **arguments: Any) -> Json:
        return self.crowd.timed(lambda: self._window.call(tool, **arguments))

    def _mark(self) -> str:
        self._said += 1
        return f"<{self.name}:{self._said}>"

    def _log(self) -> None:
        """All append to one pad."""
        mark = self._mark()
        written = self._call("append-scratchpad", id=self.crowd.log, content=f"{mark} 완료 組件")
        self.crowd.acknowledge(self.name, written, mark)

    def _take_state(self) -> None:
        """All write over one pad, on top of what they have read: who was not quick enough is told, and goes on."""
        mark = self._mark()
        read = self._call("get-scratchpad", id=self.crowd.state, include_content=True)["scratchpad"]
        try:
            written = self._call(
                "update-scratchpad",
                id=self.crowd.state,
                mode="replace",
                content=f"# State\n{mark} after {read['content'].splitlines()[-1]}",
                version=read["version"],
            )
        except Refused as refused:
            if f"was changed since version {read['version']}; nothing was written" not in str(refused):
                raise
            self.crowd.count("told to read again")
        else:
            assert written["scratchpad"]["version"] == read["version"] + 1
            self.crowd.acknowledge(self.name, written, mark)

    def _make(self) -> None:
        if len(self._own) < MOST_MADE:
            mark = self._mark()
            written = self._call("create-scratchpad", workflow_id=self._flow, title=f"page {mark}", content=mark)
            self._own.append(written["id"])
            self.crowd.acknowledge(self.name, written, mark)

    def _note(self) -> None:
        if self._own:
            mark = self._mark()
            scratchpad = self._dice.choice(self._own)
            written = self._call(
                "update-scratchpad", id=scratchpad, mode="append_section", section_marker="Notes", content=mark
            )
            self.crowd.acknowledge(self.name, written, mark)

    def _search(self) -> None:
        found = self._call("search-workflows", query="crowd alone 組件")
        assert found["results"], found
        self.crowd.count("searched")

    def _read(self) -> None:
        assert self._call("tail-scratchpad", id=self.crowd.log)["id"] == self.crowd.log
        assert self._call("list-workflows", limit=3)["workflows"]
        self.crowd.count("read")


# --- what has to be so afterwards --------------------------------------------------------------------------


def check(crowd: Crowd) -> None:
    assert crowd.failed == []
    memory = crowd.world.memory()
    of: dict[str, list[Done]] = {}
    for done in crowd.done:
        of.setdefault(done.scratchpad, []).append(done)
    assert {scratchpad.id for scratchpad in memory.scratchpads.list(limit=10_000)} == set(of)
    for scratchpad, told in of.items():
        # Every version is somebody's, and nobody was told of a version that is not there.
        history = [version.version for version in memory.scratchpads.history(scratchpad)]
        assert history == list(range(len(told), 0, -1))
        assert sorted(done.version for done in told) == history[::-1]
        # Whoever wrote twice, wrote the later one later.
        for who in {done.who for done in told}:
            versions = [done.version for done in told if done.who == who]
            assert versions == sorted(versions)
        now = memory.scratchpads.show(scratchpad)
        assert now.row.version == len(told)
        if scratchpad != crowd.state:  # nothing was taken away: it all stands there, once
            marks = [done.mark for done in sorted(told, key=lambda done: done.version) if done.mark]
            assert all(now.text.count(mark) == 1 for mark in marks)
            assert sorted(marks, key=now.text.index) == marks
    check_replaced(crowd, of[crowd.state])
    command = [sys.executable, "-m", "axiommind", "verify", "--deep"]
    done = subprocess.run(command, env=crowd.world.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def check_replaced(crowd: Crowd, told: list[Done]) -> None:
    """Each wrote on top of what it had read, and of each version there is the text."""
    memory = crowd.world.memory()
    told = sorted(told, key=lambda done: done.version)
    for before, after in list(pairwise(told))[-50:]:
        text = memory.scratchpads.at(crowd.state, str(after.version)).text
        assert text.startswith(f"# State\n{after.mark} after {before.mark or 'nobody'}"), text


def test_a_few_write_at_once(world: World) -> None:
    crowd = Crowd(world, 3)
    crowd.write(lambda: crowd.counts["agent wrote"] >= 30 and crowd.counts["shell wrote"] >= 2)
    check(crowd)


@pytest.mark.slow
def test_eight_windows_and_a_shell_write_for_a_minute(world: World) -> None:
    crowd = Crowd(world, 8)
    until = time.monotonic() + 60
    crowd.write(lambda: time.monotonic() > until)
    print(f"\n{dict(crowd.counts)}")
    for who, took in crowd.took.items():
        took.sort()
        middle, high = took[len(took) // 2], took[-1 - len(took) // 20]
        print(f"calls of the {who}: {len(took)}, p50 {middle:.2f} s, p95 {high:.2f} s, max {took[-1]:.2f} s")
    check(crowd)
    wrote = Counter(done.who for done in crowd.done)
    assert min(wrote[who] for who in (*(f"agent-{n}" for n in range(8)), "shell")) > 20, wrote
    assert crowd.counts["told to read again"] > 0  # else nobody was at it at once
