"""Plots of bench/growth.py as SVG, drawn by hand: one for each figure, over sessions, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

WIDE, HIGH, GAP, LEFT, TOP = 250, 150, 70, 60, 40
INK, FAINT, LINE, LOG = "#24292f", "#8b949e", "#0969da", "#bf8700"
Point = dict[str, Any]

PANELS: list[tuple[str, Callable[[Point], float], Callable[[float], str]]] = [
    ("first index, a session", lambda p: p["index_seconds"] / p["new"], lambda v: f"{v * 1000:.2g} ms"),
    ("one session grew", lambda p: p["increment"]["seconds"], lambda v: f"{v * 1000:,.0f} ms"),
    ("search, p95", lambda p: p["search"]["p95_seconds"], lambda v: f"{v * 1000:,.0f} ms"),
    ("hook, p95, whole process", lambda p: p["hook"]["p95_seconds"], lambda v: f"{v * 1000:,.0f} ms"),
    ("memory of the index run", lambda p: p["index_peak_bytes"], lambda v: f"{v / 1e6:,.0f} MB"),
    ("home on disk", lambda p: p["home_bytes"], lambda v: f"{v / 1e6:,.0f} MB"),
    ("bytes read by a search", lambda p: p["search"]["read"], lambda v: f"{v / 1e3:,.0f} kB"),
    ("bytes read by a hook", lambda p: p["hook"]["read"], lambda v: f"{v / 1e3:,.0f} kB"),
    ("bytes written when one grew", lambda p: p["increment"]["written"], lambda v: f"{v / 1e3:,.0f} kB"),
]


def draw(points: list[Point]) -> str:
    """All panels; the dashed line is what grows as the logarithm of the corpus."""
    columns = 3
    rows = math.ceil(len(PANELS) / columns)
    width, height = LEFT + columns * (WIDE + GAP), TOP + rows * (HIGH + GAP)
    body = [_panel(points, n % columns, n // columns, *panel) for n, panel in enumerate(PANELS)]
    style = f"font-family='sans-serif' font-size='11' fill='{INK}'"
    note = (
        f"<text x='{LEFT}' y='16'>Generated sessions of 20 KB. Dashed: growth by the logarithm of their number.</text>"
    )
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' {style}>"
    back = f"<rect width='{width}' height='{height}' fill='#ffffff'/>"
    return "\n".join([head, back, note, *body, "</svg>", ""])


def _panel(
    points: list[Point],
    column: int,
    row: int,
    title: str,
    value: Callable[[Point], float],
    label: Callable[[float], str],
) -> str:
    x0, y0 = LEFT + column * (WIDE + GAP), TOP + row * (HIGH + GAP)
    sizes, values = [p["sessions"] for p in points], [max(value(p), 1e-9) for p in points]
    by_log = [values[0] * math.log(size) / math.log(sizes[0]) for size in sizes]
    low, high = min(values + by_log), max(values + by_log)
    low, high = low / 1.3, max(high * 1.3, low * 4)

    def place(size: float, amount: float) -> tuple[float, float]:
        across = math.log(size / sizes[0]) / max(math.log(sizes[-1] / sizes[0]), 1e-9)
        return x0 + across * WIDE, y0 + HIGH - math.log(amount / low) / math.log(high / low) * HIGH

    def path(amounts: list[float]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, sizes, amounts))

    out = [
        f"<text x='{x0}' y='{y0 - 8}' font-weight='bold'>{title}</text>",
        f"<path d='M{x0},{y0} V{y0 + HIGH} H{x0 + WIDE}' fill='none' stroke='{FAINT}'/>",
        f"<polyline points='{path(by_log)}' fill='none' stroke='{LOG}' stroke-dasharray='4 3'/>",
        f"<polyline points='{path(values)}' fill='none' stroke='{LINE}' stroke-width='2'/>",
    ]
    for size, amount in zip(sizes, values, strict=True):
        x, y = place(size, amount)
        out.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{LINE}'/>")
        out.append(f"<text x='{x:.1f}' y='{y - 7:.1f}' text-anchor='middle'>{label(amount)}</text>")
        out.append(f"<text x='{x:.1f}' y='{y0 + HIGH + 14}' text-anchor='middle' fill='{FAINT}'>{size:,}</text>")
    return "\n".join(out)
