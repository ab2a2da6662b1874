"""The page of promises: each with what proves it and the last figure.

Promises are in `promises.toml`. Figures are in `figures.json`; long proofs write theirs when they are asked to
(tests/torture/figures.py): `make torture`, `make growth`.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent

INTRODUCTION = """
# Reliability

What the program promises, the command that proves each promise, and the last figure. A test is run by `make test`, or
by `make proof` where it is slow; `.venv/bin/pytest FILE -k NAME` runs one. `make torture` takes about an hour:
`make torture KILLS=300 MINUTES=3 FUZZ=2` is a short one, `FUZZ=60` looks for an hour for inputs that break a parser.
How faults are made: [ADR 45](adr/0045-faults-at-system-calls.md).

| Promise | Proof | Last figure |
|---|---|---|
"""

GROWTH = """
## Growth

![Costs over the number of sessions](growth.svg)

`make growth SIZES="100 1000 10000 100000"` draws it anew, from sessions made up by the statistics of real ones.
Counts are the same on any machine; times are those of this one ({machine}).

{rows}
"""


class Promise(NamedTuple):
    name: str
    says: str
    proof: list[str]
    figure: str = ""
    note: str = ""


def promises() -> list[Promise]:
    stored = tomllib.loads((HERE / "promises.toml").read_text("utf-8"))
    return [Promise(name, **one) for name, one in stored.items()]


def figures() -> dict[str, dict[str, str]]:
    path = HERE / "figures.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def grown() -> str:
    """What growth.json says of the smallest and the largest corpus."""
    path = HERE / "growth.json"
    if not path.exists():
        return "–"
    points = json.loads(path.read_text("utf-8"))["points"]
    few, many = points[0], points[-1]
    counts = (
        ("search", "steps"),
        ("hook", "steps"),
        ("increment", "statements"),
        ("increment", "steps"),
        ("search", "read"),
    )
    said = [f"{what} {count} {few[what][count]:,.0f} → {many[what][count]:,.0f}" for what, count in counts]
    return f"{few['sessions']:,} → {many['sessions']:,} sessions: {', '.join(said)}"


def page() -> str:
    known = figures()
    lines = []
    for promise in promises():
        says = f"**{promise.name}.** {promise.says}" + (f" {promise.note}" if promise.note else "")
        figure = known.get(promise.figure)
        shown = f"{figure['says']} ({figure['on']})" if figure else "–"
        if promise.figure == "growth":
            shown = grown()
        lines.append(f"| {says} | {'<br>'.join(map(_linked, promise.proof))} | {shown} |")
    return INTRODUCTION.lstrip() + "\n".join(lines) + "\n" + _growth()


def _linked(proof: str) -> str:
    file, _, name = proof.partition("::")
    return f"[{name}](../{file})" if name else f"`{proof}`"


def _growth() -> str:
    path = HERE / "growth.json"
    if not path.exists():
        return ""
    heads = ("Sessions", "Index", "Peak memory", "Home", "One grew", "Search p95", "Hook p95", "Search reads", "Steps")
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    stored = json.loads(path.read_text("utf-8"))
    for one in stored["points"]:
        cells = (
            f"{one['sessions']:,}",
            f"{one['index_seconds']:g} s for {one['new']:,}",
            f"{one['index_peak_bytes'] / 1e6:.0f} MB",
            f"{one['home_bytes'] / 1e6:,.0f} MB of {one['source_bytes'] / 1e6:,.0f}",
            f"{one['increment']['seconds'] * 1000:.0f} ms",
            f"{one['search']['p95_seconds'] * 1000:.0f} ms",
            f"{one['hook']['p95_seconds'] * 1000:.0f} ms",
            f"{one['search']['read'] / 1000:,.0f} kB",
            f"{one['search']['steps']:,}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return GROWTH.format(rows="\n".join(rows), machine=stored["machine"])
