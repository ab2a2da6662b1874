"""Answers without what differs from run to run of one and the same program: for bench/same.py.

Five things are evened out, and nothing else. JSON is compared as such: its keys are sorted.
"""

from __future__ import annotations

import contextlib
import json
import re
from datetime import UTC, datetime
from typing import Any

import same_world

# 1. When something was done: which command did it, instead of the millisecond. Only times of the clock that same_world
#    sets are: those of transcripts, and of files, stay.
NOW = (same_world.START.timestamp(), same_world.START.timestamp() + 3 * 86_400)
STAMPS = re.compile(r"2026-03-0[678][T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?|(?<![\w.])177[23]\d{6}(?:\d{3})?(?![\w.])")
CURSORS = re.compile(r"(?<=\d-)m[0-9a-z]{7}-[0-9a-f]{12}\b")  # of a next_cursor: when it was asked, and a hash of how
# 2. How long something took, and the order of steps by that.
DURATIONS = {"seconds", "took_ms", "ms", "texts_per_s", "p50_ms", "p95_ms", "total_s"}
STEPS = "steps"  # numbers below it are durations; a list of them is sorted by name
# 3. Ids made of the time and of chance (events, workflows, scratchpads, decisions): numbered as they come.
ULIDS = re.compile(r"\b(?:(wf|pad|dec)_)?(01k[0-9a-hjkmnp-tv-z]{9,23}|01K[0-9A-HJKMNP-TV-Z]{23})\b")
# 4. Versions, of the program and of its index, and the sizes of its databases (random ids are in what they compress).
VERSIONS = {"index_version", "versions"}
SIZES = re.compile(r"\w+\.db(-\w+)?|blob_bytes_stored")
DATABASES = re.compile(r"(\b\w+\.db(?:-\w+)?) [\d.]+ [KMG]?B\b")
# 5. Numbers have nine digits: the milliseconds of the clock are in scores.
DIGITS = 9


class Evened:
    """Evens out one text after the other."""

    def __init__(self, version: str) -> None:
        self._version = re.compile(rf"(?<=\b(?:axm|ind) ){re.escape(version)}\b")
        self._seen: dict[str, str] = {}

    def text(self, text: str) -> str:
        self._seen = {}
        with contextlib.suppress(ValueError):
            return json.dumps(self._value(json.loads(text)), indent=1, ensure_ascii=False)
        return "\n".join(map(self._line, text.splitlines()))

    def _line(self, line: str) -> str:
        if line.startswith("{"):
            with contextlib.suppress(ValueError):
                return json.dumps(self._value(json.loads(line)), ensure_ascii=False)
        line = ULIDS.sub(self._numbered, line)
        line = CURSORS.sub("<state>", line)
        line = STAMPS.sub(lambda found: command_at(seconds_of(found[0]), found[0]), line)
        return self._version.sub("<version>", DATABASES.sub(r"\1 <size>", line))

    def _numbered(self, found: re.Match[str]) -> str:
        return self._seen.setdefault(found[0][:16], f"<{found[1] or 'event'} {len(self._seen)}>")

    def _value(self, value: Any, name: str = "") -> Any:
        if name in VERSIONS or (name == "axiommind" and isinstance(value, str)):
            return "<version>"
        if isinstance(value, dict):
            below = sorted(value.items())
            return {self._line(key): self._value(one, name if name == STEPS else key) for key, one in below}
        if isinstance(value, list):
            found = [self._value(one) for one in value]
            return sorted(found, key=json.dumps) if name == STEPS else found
        if isinstance(value, str):
            return "\n".join(map(self._line, value.split("\n")))
        if isinstance(value, bool) or value is None:
            return value
        if name in DURATIONS or name == STEPS:
            return "<duration>"
        if SIZES.fullmatch(name):
            return "<size>"
        if isinstance(value, float):
            return float(f"{value:.{DIGITS}g}")
        evened = self._line(str(value))
        return value if evened == str(value) else evened


def seconds_of(stamp: str) -> float:
    if stamp.isdecimal():
        return int(stamp) / (1000 if len(stamp) > 10 else 1)
    return datetime.fromisoformat(stamp.rstrip("Z")).replace(tzinfo=UTC).timestamp()


def command_at(at: float, stamp: str) -> str:
    return f"<at command {(at - NOW[0]) // same_world.STEP_S:.0f}>" if NOW[0] <= at < NOW[1] else stamp
