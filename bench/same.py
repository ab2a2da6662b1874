"""Whether two versions of the program answer alike: the same commands on both, and what differs.

    python bench/same.py BEFORE AFTER [--keep DIR] [--only PATTERN]
    python bench/same.py --list

BEFORE and AFTER are checkouts, revisions of this repository, or folders that --keep left (its `before` or `after`),
which are then not run again: a kept BEFORE halves the time. Each runs the commands of same_cli.py and same_agents.py
with this interpreter, in the same folder of the system's temporary one, filled anew by same_world.py: an empty home,
copies of the transcripts of ../shared/bench, notes, a clock, and nothing of the caller's environment. So paths and
times, and ids and scores made from them, are equal. About two minutes a side; one run at a time.

Compared are the exit code and what was printed: stdout as JSON where it is that, else as text; and stderr where stdout
is empty or the exit code is not 0. What truly differs from run to run is evened out by same_even.py, and nothing else.
A command that was changed on purpose is named in EXPECTED, with the reason.

It prints a diff for each command that differs, and a summary; words go to stderr. Exit code 0: none is different; 1:
some are; 2: BEFORE itself fails, or says nothing, where it should not: then too little was compared.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import difflib
import fcntl
import fnmatch
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import same_agents
import same_cli
import same_world
from same_cli import Command
from same_even import Evened

# A command (or a pattern of names) that answers otherwise than before because somebody wanted that → why.
EXPECTED: dict[str, str] = {
    # The rebuild (issue 15), against 13e521a.
    "query-dependency-graph*": "--top N is N rows, not N of each kind",
    "query-repetition*": "--top N is N rows, not N of each kind",
    "query-graph-tool": "tables fit the terminal, and --top N is N rows",
    "insight-json": "the filter on REDACTED belonged to a data set",
    "insight-html": "the filter on REDACTED belonged to a data set",
    "start": "paths are cut to the terminal's width; it ends with what to do next",
    "entries-text": "tables fit the terminal",
    "grounding-items": "tables fit the terminal",
    "analyze": "numbers in tables are right-aligned",
    "pad-history-text": "numbers in tables are right-aligned",
    "workflow-show": "numbers in tables are right-aligned",
    "completion-*": "commands by nouns, and plainer help",
    "help*": "help by what one wants, in plainer English",
    "wrong-*": "usage and errors name commands by their nouns, and suggest one",
    "task-set-wrong": "the order of options in a usage line",
    "query-wrong-param": "plainer English",
    "empty-entries": "plainer English",
    "supersede-why": "plainer English",
    "blocked": "plainer English",
    "recall-none": "plainer English",
    "mcp-remember": "commands by nouns",
    "mcp-review": "commands by nouns",
}

REPOSITORY = Path(__file__).parents[1]
ROOT = Path(tempfile.gettempdir()) / "axm-same"
RESULTS = "results.json"
BE_SUBREAPER = 36
SECONDS = 300  # of one command
DIFF_LINES = 12  # of one command; --keep has all
MOST_WRONG = 0.02  # of the commands, that may fail or say nothing on BEFORE
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "same", "version": "1"}}


def commands() -> list[Command]:
    """In the order in which they run: each finds what those before it left."""
    told = (same_cli.nothing, same_cli.indexed, same_cli.asked, same_cli.sql, same_cli.searched, same_cli.embedded)
    kept = (same_cli.learned, same_cli.judged, same_cli.tasks, same_cli.analysed)
    agents = (same_agents.pads, same_agents.hooked, same_agents.hook_set, same_agents.served, same_agents.served_pads)
    last = (same_cli.kept_well, same_cli.mistaken, same_cli.forgotten)
    found = [one for part in (*told, *kept, *agents, *last) for one in part()]
    assert len({one.name for one in found}) == len(found), "two commands have one name"
    return found


class Result(NamedTuple):
    name: str
    code: int
    text: str  # normalised
    size: int  # of what was printed
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", metavar="BEFORE")
    parser.add_argument("after", nargs="?", metavar="AFTER")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave every output in DIR/before and DIR/after")
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="report only commands of such names; all are run"
    )
    parser.add_argument("--list", action="store_true", help="print the commands, and run none")
    args = parser.parse_args()
    if args.list:
        for one in commands():
            print(f"{one.name:24} {one.kind:4} {' '.join(one.args)}")
        return 0
    if not args.after:
        parser.error("BEFORE and AFTER are needed")
    ctypes.CDLL(None).prctl(BE_SUBREAPER, 1, 0, 0, 0)  # what outlives a command becomes a child of this process
    with alone(), tempfile.TemporaryDirectory(prefix="axm-same-code-") as folder:
        before = side("before", args.before, Path(folder), args.keep)
        after = side("after", args.after, Path(folder), args.keep)
    return report(before, after, args.only)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """One run at a time: all of them use one folder."""
    with ROOT.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def side(name: str, which: str, folder: Path, keep: Path | None) -> dict[str, Result]:
    """What one version answers."""
    if (Path(which) / RESULTS).is_file():
        return {row[0]: Result(*row) for row in json.loads((Path(which) / RESULTS).read_text())}
    code = checkout(which, folder / name)
    shutil.rmtree(ROOT, ignore_errors=True)
    same_world.build(ROOT)
    (ROOT / "code").symlink_to(code)
    started = time.perf_counter()
    ran = Side(ROOT)
    try:
        results = {one.name: ran.run(number, one) for number, one in enumerate(commands())}
    finally:
        ran.end()
    say(f"{name}: {len(results)} commands in {time.perf_counter() - started:.0f} s")
    if keep is not None:
        shutil.rmtree(keep / name, ignore_errors=True)
        (keep / name).mkdir(parents=True)
        (keep / name / RESULTS).write_text(json.dumps(list(results.values())))
        for result in results.values():
            (keep / name / f"{result.name}.txt").write_text(result.text)
    shutil.rmtree(ROOT)
    return results


def checkout(which: str, folder: Path) -> Path:
    """A checkout as it is, or a revision in a folder of its own."""
    if (Path(which) / "src" / "axiommind").is_dir():
        return Path(which).absolute()
    done = subprocess.run(["git", "-C", REPOSITORY, "archive", which], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{which} is no checkout, no kept folder and no revision: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- running -----------------------------------------------------------------------------------------------


class Side:
    """One version at work: what its commands were given by those before, and its MCP server while that is needed."""

    def __init__(self, root: Path) -> None:
        self.root, self.known = root, {"root": str(root)}
        project = tomllib.loads((root / "code" / "pyproject.toml").read_text())["project"]
        module, _, function = project["scripts"]["axm-hook"].partition(":")
        self.hook = ("-c", f"from {module} import {function}; {function}()")
        self.even = Evened(project["version"])
        self.server: Server | None = None
        found = self.python(self.environ(0, {}), "-c", "import axiommind; print(axiommind.__file__)").stdout.decode()
        assert found.startswith(f"{root}/code/"), f"another program is in the way: {found}"

    def run(self, number: int, command: Command) -> Result:
        started = time.perf_counter()
        environ = self.environ(number, command.env)
        self.move(command)
        if command.served and self.server is None:
            self.server = Server(environ, self.root / "work")
        elif not command.served:
            self.end()
        given = self.fill(command.given)
        if command.kind == "file":
            paths = sorted(path for path in self.root.glob(command.args[0]) if path.is_file())
            code, out, err = 0, "".join(f"{p.relative_to(self.root)}\n{p.read_text()}\n" for p in paths), ""
        elif command.kind == "mcp":
            assert self.server is not None
            code, out, err = 0, self.server.ask(command.args[0], given), ""
        else:
            start = (*self.hook, *command.args) if command.kind == "hook" else ("-m", "axiommind", *command.args)
            logged = self.logged()
            done = self.python(environ, *map(self.fill, start), given=given)
            code, out, err = done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
            self.wait(logged if command.kind == "hook" and command.served else None)
        self.keep(command, out)
        text = f"exit {code}\n{self.even.text(out)}"
        if code or not out.strip():
            text += f"\nstderr:\n{self.even.text(err)}"
        return Result(command.name, code, text, len((out or err).strip()), time.perf_counter() - started)

    def python(self, environ: dict[str, str], *args: str, given: str = "") -> subprocess.CompletedProcess[bytes]:
        command, folder = [sys.executable, *args], self.root / "work"
        return subprocess.run(
            command, input=given.encode(), env=environ, cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )

    def environ(self, number: int, more: Mapping[str, str]) -> dict[str, str]:
        root = self.root
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": f"{root}/user",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "120",
            "AXM_HOME": f"{root}/axm",
            "AXM_LEARN": "off",
            "CLAUDE_CONFIG_DIR": f"{root}/claude",
            "AXM_WORKERS": "0",  # no race
            "AXM_HOOK_SECONDS": "20",  # nothing is too late
            "PYTHONPATH": f"{root}/clock:{root}/code/src",
            "PYTHONPYCACHEPREFIX": f"{root}/pycache",  # the checkout stays as it is
            "PYTHONHASHSEED": "0",
            "SAME_CLOCK": str(same_world.START.timestamp() + number * same_world.STEP_S),
            **{name: self.fill(value) for name, value in more.items()},
        }

    def fill(self, value: Any) -> Any:
        """With what earlier commands kept; what is missing stays as it is, and the command fails by itself."""
        if isinstance(value, dict):
            return {name: self.fill(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        if not isinstance(value, str):
            return value
        return re.sub(r"@\{(\w+)\}", lambda found: self.known.get(found[1], found[0]), value)

    def keep(self, command: Command, out: str) -> None:
        for name, place in command.keep.items():
            with contextlib.suppress(ValueError, LookupError, TypeError):
                found = json.loads(out)
                for part in place.split("."):
                    found = found[int(part) if part.isdecimal() else part]
                self.known[name] = str(found)

    def move(self, command: Command) -> None:
        """What the agent does to its files meanwhile."""
        projects = self.root / "claude" / "projects"
        if command.grows:
            path = next(
                projects.rglob(f"{command.grows}.jsonl"), projects / "-home-dev-ledger" / f"{command.grows}.jsonl"
            )
            with path.open("ab") as file:
                file.write((self.root / "later" / path.name).read_bytes())
            same_world.stamp(path, 0)
        if command.ends:
            for path in projects.rglob(f"{command.ends}.jsonl"):
                path.unlink()

    def logged(self) -> int:
        """How long the log of hooks is: a server that answers for one writes there after the client has its answer."""
        path = self.root / "axm" / "hooks" / "hooks.log"
        return path.stat().st_size if path.exists() else 0

    def wait(self, logged: int | None = None) -> None:
        """Until whatever a hook left to be done has ended."""
        until = time.monotonic() + 5
        while self.logged() == logged and time.monotonic() < until:
            time.sleep(0.01)
        until = time.monotonic() + SECONDS
        while list(self.busy()):
            if time.monotonic() > until:
                raise SystemExit("a process in the background does not end")
            time.sleep(0.02)

    def busy(self) -> Iterator[int]:
        """Processes that a command left behind: they are children of this one, or of the server that started them."""
        parents = {os.getpid(), *([self.server.pid] if self.server else ())}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
                number = int(path.parent.name)
                if int(parent) not in parents or number in parents:
                    continue
                if state != b"Z":
                    yield number
                elif int(parent) == os.getpid():
                    os.waitpid(number, os.WNOHANG)

    def end(self) -> None:
        if self.server is not None:
            self.server.end()
            self.server = None


class Server:
    """`axm mcp`, and a client that asks one thing at a time."""

    def __init__(self, environ: dict[str, str], folder: Path) -> None:
        command = [sys.executable, "-m", "axiommind", "mcp"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, env=environ, cwd=folder, **pipes)
        self.pid = self._process.pid
        self._asked = 0
        self.ask("initialize", HELLO)
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> str:
        """The result, or the error, as JSON."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline() or '{"error": "no answer"}')
        return json.dumps(answer.get("result", {"error": answer.get("error")}), ensure_ascii=False)

    def end(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


# --- reporting ---------------------------------------------------------------------------------------------


def report(before: dict[str, Result], after: dict[str, Result], only: str) -> int:
    equal = wanted = different = 0
    known = {one.name: one for one in commands()}
    wrong = [r for r in before.values() if r.name in known and not is_meant(known[r.name], r)]
    names = [name for name in {**before, **after} if fnmatch.fnmatch(name, only)]
    for name in names:
        one, other = (results[name].text if name in results else "not run" for results in (before, after))
        reason = next((why for pattern, why in EXPECTED.items() if fnmatch.fnmatch(name, pattern)), None)
        if one == other:
            equal += 1
        elif reason is not None:
            wanted += 1
            print(f"changed on purpose: {name}: {reason}")
        else:
            different += 1
            print(f"different: {name}")
            print("\n".join(f"  {line}" for line in short_diff(one, other)))
    for result in wrong:
        say(f"before itself: {result.name}: exit {result.code}, {result.size} characters")
    silent = sum(not r.size for r in before.values())
    failed = sum(r.code != 0 for r in before.values())
    say(f"of {len(before)} commands on BEFORE, {silent} print nothing and {failed} exit with an error")
    print(f"{len(names)} commands, {equal} equal, {wanted} changed on purpose, {different} different")
    return 1 if different else 2 if len(wrong) > MOST_WRONG * len(before) else 0


def is_meant(command: Command, result: Result) -> bool:
    """Whether it did what it is there to show."""
    return result.code == command.code and (result.size > len("[]") or command.silent or command.code != 0)


def short_diff(one: str, other: str) -> list[str]:
    lines = list(difflib.unified_diff(one.splitlines(), other.splitlines(), "before", "after", n=1, lineterm=""))
    more = [f"… {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []
    return [line[:240] for line in lines[:DIFF_LINES]] + more


if __name__ == "__main__":
    raise SystemExit(main())
