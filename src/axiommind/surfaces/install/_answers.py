"""How the hooks of an agent answered last, from the log that they leave in our home."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install._files import Json
from axiommind.surfaces.render.tables import counted, printable

__all__ = ["answer_text", "last_answers"]


def last_answers(home: Path, agent: str = "") -> tuple[dict[str, Json], list[str]]:
    """The last call of each hook, from the end of the log, and what went wrong with it; without an agent, Claude
    Code's."""
    try:
        with (home / "hooks" / "hooks.log").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 65_536))
            lines = file.read().splitlines()
    except OSError:
        return {}, []
    last: dict[str, Json] = {}
    for line in lines:
        try:
            call = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the first line may be cut, and one may be half written
        if isinstance(call, dict) and isinstance(call.get("hook"), str) and call.get("agent", "") == agent:
            last[call["hook"]] = {k: call.get(k) for k in ("at", "ms", "outcome", "why")}
    ordered = {e.name: last[e.name] for e in all_events() if e.name in last}
    troubles = [
        f"{event} {'was late' if call['outcome'] == 'late' else 'failed'} last time"
        + (f": {printable(str(call['why']))[:200]}" if call["why"] else "")
        for event, call in ordered.items()
        if call["outcome"] in ("late", "error")
    ]
    return ordered, troubles


def answer_text(event: str, call: Json) -> str:
    at, ms = call["at"], call["ms"]
    when = _ago(at) if isinstance(at, int | float) else "at some time"
    took = f" in {ms:.0f} ms" if isinstance(ms, int | float) else ""
    return f"{event}: {printable(str(call['outcome']))}{took}, {when}"


def _ago(at: float) -> str:
    seconds = max(0, time.time() - at / 1000)
    for size, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), noun)} ago"
    return "just now"
