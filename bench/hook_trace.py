"""The way of one hook call through our modules, from a real run: what ARCHITECTURE.md draws.

    python bench/hook_trace.py [EVENT] [--home HOME] [--cwd FOLDER] [--prompt TEXT] [--counts]

Calls the event in this process, with a profiler that notes each call from one of our modules into another one, and
prints them as a tree, in the order of their first call, with their number. --counts prints how often each function was
called, so that two runs can be compared. Without --home it indexes the sample that comes with the program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from inspect import CO_GENERATOR, CO_OPTIMIZED
from pathlib import Path
from types import FrameType

from axiommind.config import Config
from axiommind.home import SAMPLE
from axiommind.memory import Memory
from axiommind.surfaces import hooks

PROMPT = "a customer reports a cart total of 19.990000000000002 again: where did that come from?"
# Not steps of the way: small things that everybody calls.
QUIET = (
    "axiommind.text.",
    "axiommind.ids",
    "axiommind.errors",
    "axiommind.config",
    "axiommind.settings",
    "axiommind.model",
    "axiommind.db",
)


class Step:
    """A function of ours that was called from another module, how often, and what it called in others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.times = 0
        self.inside: dict[str, Step] = {}

    def into(self, name: str) -> Step:
        step = self.inside.setdefault(name, Step(name))
        step.times += 1
        return step

    def lines(self, depth: int = 0) -> Iterator[str]:
        for one in self.inside.values():
            yield f"{'  ' * depth}{one.name}{f'  ×{one.times}' if one.times > 1 else ''}"
            yield from one.lines(depth + 1)


class Trace:
    """Watches calls with `sys.setprofile`."""

    def __init__(self) -> None:
        self.root = Step("")
        self.counts: Counter[str] = Counter()
        self._open: list[tuple[Step, str]] = [(self.root, "")]
        self._generators: list[FrameType] = []  # that began; they are entered again each time they go on

    def watch(self, frame: FrameType, event: str, _argument: object) -> None:
        if event not in ("call", "return"):
            return
        module = frame.f_globals.get("__name__", "")
        code = frame.f_code
        if not module.startswith("axiommind.") or code.co_name.startswith("<") or not code.co_flags & CO_OPTIMIZED:
            return
        if event == "return":
            if len(self._open) > 1:
                self._open.pop()
            return
        step, caller = self._open[-1]
        is_resumed = bool(code.co_flags & CO_GENERATOR) and frame in self._generators
        if code.co_flags & CO_GENERATOR:
            self._generators.append(frame)
        if not is_resumed:
            self.counts[f"{module.removeprefix('axiommind.')}.{code.co_qualname}"] += 1
        if module != caller and not module.startswith(QUIET) and not is_resumed:
            step = step.into(f"{module.removeprefix('axiommind.')}.{code.co_qualname}")
        self._open.append((step, module if not module.startswith(QUIET) else caller))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("event", nargs="?", default="UserPromptSubmit")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--cwd", default="/home/dev/teashop")
    parser.add_argument("--prompt", default=PROMPT)
    parser.add_argument("--counts", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-trace-") as base:
        home = args.home or Path(base) / "axm"
        environ = {**os.environ, "AXM_HOME": str(home), "HOME": str(base)}
        if args.home is None:
            environ["CLAUDE_CONFIG_DIR"] = str(SAMPLE)
            Memory(Config.load(environ), environ=environ, user=Path(base)).index()
        given = {"hook_event_name": args.event, "session_id": "trace", "cwd": args.cwd, "prompt": args.prompt}
        raw = json.dumps(given).encode()
        hooks.answer(args.event, raw, environ)  # imports what it needs
        trace = Trace()
        sys.setprofile(trace.watch)
        try:
            answer = hooks.answer(args.event, raw, environ)
            hooks.output(args.event, answer)
        finally:
            sys.setprofile(None)
    if args.counts:
        print("\n".join(f"{times:6} {name}" for name, times in trace.counts.most_common()))
    else:
        print("\n".join(trace.root.lines()))
    print(f"{answer.outcome}: {answer.why}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
