"""`axm budget`: what model calls cost, and what is left of today's caps."""

from __future__ import annotations

import argparse
import time
from typing import Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.distilling import state_json, state_lines

HELP = "Show what model calls cost, and today's caps"
CALLER = "reads"
GROUP = "ask"
_EPILOG = """examples:
  axm budget
  axm budget --json

The daily caps (UTC) are budget.calls, budget.tokens and budget.usd in config.toml; -1 means no cap, 0 allows nothing.
When a cap is reached, axm learn stops and keeps what was learned so far. The rules cost nothing. It also shows
whether a model distils finished sessions in the background, which one, and how many wait (axm learn --model on|off).
"""
_DAYS = ("day", "extractor", "model", "calls", "failed", "input_tokens", "output_tokens", "usd", "seconds")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    spent = memory.learning.budget()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    mine = [day for day in spent.days if day.day == today]
    used: dict[str, float] = {
        "calls": sum(day.calls for day in mine),
        "tokens": sum(day.input_tokens + day.output_tokens for day in mine),
        "usd": round(sum(day.usd or 0.0 for day in mine), 6),
    }
    caps = {name: None if cap < 0 else cap for name, cap in spent.caps.items()}
    if args.json:
        record = {
            "days": [day._asdict() for day in spent.days],
            "today": {"day": today, "used": used, "caps": caps},
            "distilling": state_json(memory.learning.distilling()),
        }
        options.print_json("budget", record)
        return 0
    if spent.days:
        rows = [{**day._asdict(), "usd": "unknown" if day.usd is None else f"{day.usd:.4f}"} for day in spent.days]
        print(f"{render.as_table(_DAYS, rows)}\n")
    else:
        options.say("No model has been called yet.")
    print(render.as_table((f"today, {today}", "used", "cap", "left"), [_row(today, n, used[n], caps[n]) for n in used]))
    print("\n" + "\n".join(state_lines(memory.learning.distilling())))
    return 0


def _row(today: str, name: str, used: float, cap: float | None) -> dict[str, Any]:
    if cap == 0:
        left = "none: the cap is 0"
    else:
        left = "" if cap is None else _figure(cap - used) if cap > used else "none: no further calls today"
    shown = "no cap" if cap is None else _figure(cap)
    return {f"today, {today}": name, "used": _figure(used), "cap": shown, "left": left}


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4f}"
