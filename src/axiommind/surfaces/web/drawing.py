"""Pictures that the server draws: a graph in layers, a treemap, a calendar, a flow.

They are SVG with classes and without styles, so that the page's policy allows them and their colours follow the theme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from markupsafe import Markup

from axiommind.surfaces.render.markup import visible

__all__ = ["Area", "DrawnEdge", "DrawnNode", "calendar", "flow", "graph", "treemap"]

_WIDE = 1080
_LETTER = 6.6  # pixels of a letter, about


class DrawnNode(NamedTuple):
    label: str
    kind: str
    where: str = ""


class DrawnEdge(NamedTuple):
    source: str
    target: str
    is_weak: bool = False


class Area(NamedTuple):
    label: str
    title: str
    size: float
    where: str = ""


# --- a graph in layers -------------------------------------------------------------------------------------------

_BOX, _HIGH, _GAP = 250, 44, 14


def graph(nodes: Mapping[str, DrawnNode], edges: Sequence[DrawnEdge], title: str) -> Markup:
    """What leads to what, from left to right."""
    layer = dict.fromkeys(nodes, 0)
    for _ in nodes:  # at most as many rounds as there are nodes, so a circle ends too
        moved = False
        for edge in edges:
            if layer[edge.target] <= layer[edge.source] < len(nodes) - 1:
                layer[edge.target] = layer[edge.source] + 1
                moved = True
        if not moved:
            break
    layers: dict[int, list[str]] = {}
    for name in nodes:
        layers.setdefault(min(layer[name], 3), []).append(name)
    place = {}
    step = (_WIDE - _BOX) / max(len(layers) - 1, 1) if len(layers) > 1 else 0
    for column, depth in enumerate(sorted(layers)):
        for row, name in enumerate(layers[depth]):
            place[name] = (column * step, row * (_HIGH + _GAP))
    tall = max(len(names) for names in layers.values()) * (_HIGH + _GAP)
    drawn = [_arrow(place[edge.source], place[edge.target], edge.is_weak) for edge in edges]
    drawn += [_box(nodes[name], *place[name]) for name in nodes]
    return _svg("graph", _WIDE, tall, title, drawn)


def _arrow(start: tuple[float, float], end: tuple[float, float], is_weak: bool) -> Markup:
    x, y, to_x, to_y = start[0] + _BOX, start[1] + _HIGH / 2, end[0], end[1] + _HIGH / 2
    middle = (x + to_x) / 2
    path = f"M{x:.0f} {y:.0f}C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"
    return Markup('<path class="arrow{}" d="{}"/>').format(" is-weak" if is_weak else "", path)


def _box(node: DrawnNode, x: float, y: float) -> Markup:
    inside = Markup(
        '<rect class="box kind-{}" x="{:.0f}" y="{:.0f}" width="{}" height="{}" rx="8"/>'
        '<text x="{:.0f}" y="{:.0f}">{}</text><text class="soft" x="{:.0f}" y="{:.0f}">{}</text><title>{}</title>'
    ).format(
        node.kind,
        x,
        y,
        _BOX,
        _HIGH,
        x + 12,
        y + 19,
        _cut(node.label, _BOX - 24),
        x + 12,
        y + 35,
        node.kind.replace("_", " "),
        visible(node.label),
    )
    return _linked(inside, node.where)


# --- a treemap --------------------------------------------------------------------------------------------------


def treemap(areas: Sequence[Area], title: str, *, tall: int = 380) -> Markup:
    """Areas as large as their sizes, the largest first (squarified)."""
    wanted = sorted((one for one in areas if one.size > 0), key=lambda one: -one.size)
    total = sum(one.size for one in wanted)
    if not total:
        return Markup("")
    scale = _WIDE * tall / total
    drawn = []
    x, y, wide, high = 0.0, 0.0, float(_WIDE), float(tall)
    left = [(one, one.size * scale) for one in wanted]
    rank = 0
    while left:
        short = min(wide, high)
        row = [left[0]]
        while len(row) < len(left) and _worst([*row, left[len(row)]], short) <= _worst(row, short):
            row.append(left[len(row)])
        left = left[len(row) :]
        thick = sum(size for _, size in row) / short
        along = 0.0
        for one, size in row:
            length = size / thick
            box = (x, y + along, thick, length) if wide >= high else (x + along, y, length, thick)
            drawn.append(_tile(one, box, rank))
            along += length
            rank += 1
        if wide >= high:
            x, wide = x + thick, wide - thick
        else:
            y, high = y + thick, high - thick
        if wide < 1 or high < 1:
            break
    return _svg("treemap", _WIDE, tall, title, drawn)


def _worst(row: Sequence[tuple[Area, float]], short: float) -> float:
    """How far the worst tile of a row is from a square."""
    sizes = [size for _, size in row]
    whole = sum(sizes) ** 2
    return max(short**2 * max(sizes) / whole, whole / (short**2 * min(sizes)))


def _tile(one: Area, box: tuple[float, float, float, float], rank: int) -> Markup:
    x, y, wide, high = box
    shape = Markup('<rect class="tile tone-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="4"/>').format(
        min(rank // 4, 5), x + 1, y + 1, max(wide - 2, 0), max(high - 2, 0)
    )
    if wide > 60 and high > 24:
        label = Markup('<text x="{:.0f}" y="{:.0f}">{}</text>')
        shape += label.format(x + 9, y + 20, _cut(one.label, wide - 16))
        if high > 44:
            label = Markup('<text class="soft" x="{:.0f}" y="{:.0f}">{:,.0f}</text>')
            shape += label.format(x + 9, y + 37, one.size)
    return _linked(shape + Markup("<title>{}</title>").format(visible(one.title)), one.where)


# --- a calendar -------------------------------------------------------------------------------------------------

_DAY = 13
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def calendar(days: Mapping[str, float], title: str, *, unit: str, where: str = "", weeks: int = 53) -> Markup:
    """A square for each day of the weeks up to the last one, as dark as there was much."""
    if not days:
        return Markup("")
    last = date.fromisoformat(max(days))
    monday = last - timedelta(days=last.weekday())
    start = monday - timedelta(weeks=weeks - 1)
    most = sorted(days.values())[int(len(days) * 0.9)] or 1
    drawn = []
    month = 0
    for number in range((last - start).days + 1):
        day = start + timedelta(days=number)
        x, y = 28 + number // 7 * _DAY, 18 + number % 7 * _DAY
        if day.month != month and number % 7 == 0:
            month = day.month
            drawn.append(Markup('<text class="soft" x="{}" y="11">{}</text>').format(x, _MONTHS[month - 1]))
        value = days.get(day.isoformat(), 0)
        tone = 0 if not value else min(1 + int(3.999 * min(value / most, 1)), 4)
        square = Markup(
            '<rect class="day day-{}" x="{}" y="{}" width="11" height="11" rx="2.5"/><title>{}: {:,.0f} {}</title>'
        ).format(tone, x, y, day.isoformat(), value, unit)
        drawn.append(_linked(square, where.replace("DAY", day.isoformat()) if where and value else ""))
    for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri")):
        drawn.append(Markup('<text class="soft" x="0" y="{}">{}</text>').format(28 + row * _DAY, name))
    return _svg("calendar", 32 + weeks * _DAY, 18 + 7 * _DAY, title, drawn)


# --- a flow ------------------------------------------------------------------------------------------------------

_BAR, _SPACE, _TALL = 12, 9, 420


def flow(edges: Sequence[tuple[str, str, float]], title: str) -> Markup:
    """From what to what, each band as thick as it is often."""
    sources: dict[str, float] = {}
    targets: dict[str, float] = {}
    for source, target, count in edges:
        sources[source] = sources.get(source, 0) + count
        targets[target] = targets.get(target, 0) + count
    if not edges:
        return Markup("")
    total = max(sum(sources.values()), 1)
    room = _TALL - _SPACE * (max(len(sources), len(targets)) - 1)
    scale = max(room, 60) / total
    left, right = _stack(sources, scale), _stack(targets, scale)
    drawn = []
    at_left, at_right = dict(left), dict(right)
    x, to_x = 170.0, _WIDE - 170.0
    tones = {name: number % 6 for number, name in enumerate(sources)}
    for source, target, count in sorted(edges, key=lambda one: -one[2]):
        thick = count * scale
        y, to_y = at_left[source] + thick / 2, at_right[target] + thick / 2
        at_left[source] += thick
        at_right[target] += thick
        middle = (x + to_x) / 2
        path = f"M{x + _BAR:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
        drawn.append(
            Markup(
                '<path class="band tone-{}" d="{}" stroke-width="{:.1f}"><title>{} → {}: {:,.0f}</title></path>'
            ).format(tones[source], path, max(thick, 1), source, target, count)
        )
    for names, tops, at, anchor, shift in ((sources, left, x, "end", -8), (targets, right, to_x, "start", _BAR + 8)):
        for name, count in names.items():
            drawn.append(
                Markup(
                    '<rect class="bar" x="{:.0f}" y="{:.1f}" width="{}" height="{:.1f}" rx="2"/>'
                    '<text x="{:.0f}" y="{:.1f}" text-anchor="{}">{}</text>'
                ).format(
                    at,
                    tops[name],
                    _BAR,
                    max(count * scale, 1.5),
                    at + shift,
                    tops[name] + count * scale / 2 + 4,
                    anchor,
                    name,
                )
            )
    tall = max(
        max(tops[name] + names[name] * scale for name in names) for names, tops in ((sources, left), (targets, right))
    )
    return _svg("flow", _WIDE, int(tall) + 6, title, drawn)


def _stack(sizes: Mapping[str, float], scale: float) -> dict[str, float]:
    """Where each begins, one below the other, the largest first."""
    found, y = {}, 2.0
    for name in sorted(sizes, key=lambda one: -sizes[one]):
        found[name] = y
        y += sizes[name] * scale + _SPACE
    return found


# --- all of them --------------------------------------------------------------------------------------------------


def _svg(kind: str, wide: float, tall: float, title: str, drawn: Sequence[Markup]) -> Markup:
    return Markup('<svg class="drawing {}" viewBox="0 0 {:.0f} {:.0f}" role="{}" aria-label="{}">{}</svg>').format(
        kind, wide, tall, "group" if any("<a " in one for one in drawn) else "img", title, Markup("").join(drawn)
    )


def _linked(inside: Markup, where: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(where, inside) if where else Markup("<g>{}</g>").format(inside)


def _cut(text: str, room: float) -> str:
    """As much of a label as has room."""
    text = " ".join(visible(text).split())
    wide = [2 if ord(letter) > 0x2E80 else 1 for letter in text]
    most, used = room / _LETTER, 0
    for number, letter in enumerate(wide):
        used += letter
        if used > most:
            return f"{text[: max(number - 1, 0)]}…"
    return text
