"""The graph of tools: what leads to what inside work units, what goes in circles, what a unit starts with.

Only units of two uses or more take part. A use that is only context gives its neighbours a place but is not
counted itself: a node counts its uses, an edge its second use, a cycle the end of each round, a path its
start.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from axiommind.reports.analysers.units import ToolStep, Unit

COMMIT_TOOL = "Bash:git"
LONGEST_PATH = 8
LEAST_PATHS = 2


class Node(NamedTuple):
    """Rates are shares of the units that hold the tool; a position is 0 at a unit's start, 1 at its end."""

    tool: str
    uses: int
    fan_out: int
    fan_in: int
    position: float
    entry_rate: float
    terminal_rate: float


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    count: int
    probability: float  # P(target | source)
    reverse: float  # P(source | target)
    commit_rate: float
    steps_to_end: float


class Cycle(NamedTuple):
    """Tools that reach each other and were seen side by side, in any order, in `units` units."""

    tools: tuple[str, ...]
    units: int
    repetitions: float


class Path(NamedTuple):
    tools: tuple[str, ...]
    units: int
    commit_rate: float


class ToolGraph(NamedTuple):
    nodes: list[Node]
    edges: list[Edge]
    cycles: list[Cycle]
    paths: list[Path]

    @property
    def transitions(self) -> int:
        return sum(edge.count for edge in self.edges)


@dataclass(slots=True)
class _Tool:
    uses: int = 0
    units: int = 0
    entries: int = 0
    terminals: int = 0
    positions: float = 0.0


@dataclass(slots=True)
class _Pair:
    count: int = 0
    units: int = 0
    commits: int = 0
    steps: int = 0


@dataclass(slots=True)
class _GraphTally:
    tools: defaultdict[str, _Tool] = field(default_factory=lambda: defaultdict(_Tool))
    pairs: defaultdict[tuple[str, str], _Pair] = field(default_factory=lambda: defaultdict(_Pair))

    def add(self, uses: Sequence[ToolStep]) -> None:
        commits = any(use.tool == COMMIT_TOOL for use in uses)
        last = len(uses) - 1
        for i, use in enumerate(uses):
            if not use.counts:
                continue
            tool = self.tools[use.tool]
            tool.uses += 1
            tool.positions += i / last
            tool.entries += i == 0
            tool.terminals += i == last
            if i:
                pair = self.pairs[uses[i - 1].tool, use.tool]
                pair.count += 1
                pair.steps += last - i
        for name in {use.tool for use in uses if use.counts}:
            self.tools[name].units += 1
        for ends in {(uses[i - 1].tool, uses[i].tool) for i in range(1, len(uses)) if uses[i].counts}:
            self.pairs[ends].units += 1
            self.pairs[ends].commits += commits


def build(units: Iterable[Unit], least_probability: float = 0.0) -> ToolGraph:
    """The graph of these units. Edges less probable than asked are left out, also for the cycles."""
    runs = [unit.uses for unit in units if len(unit.uses) > 1]
    tally = _GraphTally()
    for uses in runs:
        tally.add(uses)
    edges = [edge for edge in _edges(tally) if edge.probability >= least_probability]
    return ToolGraph(_nodes(tally, edges), edges, _cycles(runs, edges), _paths(runs))


def _edges(tally: _GraphTally) -> list[Edge]:
    leaving: Counter[str] = Counter()
    arriving: Counter[str] = Counter()
    for (source, target), pair in tally.pairs.items():
        leaving[source] += pair.count
        arriving[target] += pair.count
    edges = [
        Edge(
            source,
            target,
            pair.count,
            pair.count / leaving[source],
            pair.count / arriving[target],
            pair.commits / pair.units,
            pair.steps / pair.count,
        )
        for (source, target), pair in tally.pairs.items()
    ]
    return sorted(edges, key=lambda e: (-e.count, e.source, e.target))


def _nodes(tally: _GraphTally, edges: Sequence[Edge]) -> list[Node]:
    fan_out = Counter(edge.source for edge in edges)
    fan_in = Counter(edge.target for edge in edges)
    nodes = [
        Node(
            name,
            tool.uses,
            fan_out[name],
            fan_in[name],
            tool.positions / tool.uses,
            tool.entries / tool.units,
            tool.terminals / tool.units,
        )
        for name, tool in tally.tools.items()
    ]
    return sorted(nodes, key=lambda n: (-n.uses, n.tool))


def _cycles(runs: Sequence[Sequence[ToolStep]], edges: Sequence[Edge]) -> list[Cycle]:
    """Components whose tools stand side by side in a unit of at least twice as many uses.

    In a long history nearly every tool reaches every other. A component that no unit went round twice therefore loses
    its rarest edges until a part of it was, or nothing is left that leads back.
    """
    widest_first = sorted(runs, key=_widest, reverse=True)
    widths = [-_widest(uses) for uses in widest_first]
    found = []
    parts = [list(edges)]
    while parts:
        within = parts.pop()
        neighbours: dict[str, list[str]] = {}
        for edge in within:
            neighbours.setdefault(edge.source, []).append(edge.target)
            neighbours.setdefault(edge.target, [])
        for component in map(frozenset, components(neighbours)):
            size = len(component)
            if size < 2:
                continue
            wide_enough = widest_first[: bisect_right(widths, -size)]
            rounds = [n for uses in wide_enough if (n := _rounds(uses, component))]
            if max(rounds, default=0) > 1:
                found.append(Cycle(tuple(sorted(component)), len(rounds), sum(rounds) / len(rounds)))
            else:
                held = [e for e in within if e.source in component and e.target in component]
                rarest = min(e.count for e in held)
                parts.append([e for e in held if e.count > rarest])
    return sorted(found, key=lambda c: (-c.units, -c.repetitions, c.tools))


def _widest(uses: Sequence[ToolStep]) -> int:
    """The most neighbours that are all different."""
    widest = start = 0
    place: dict[str, int] = {}
    for i, use in enumerate(uses):
        start = max(start, place.get(use.tool, -1) + 1)
        place[use.tool] = i
        widest = max(widest, i - start + 1)
    return widest


def _rounds(uses: Sequence[ToolStep], tools: frozenset[str]) -> int:
    """How often all the tools, each once, stand side by side, in places that do not overlap."""
    size = len(tools)
    if len(uses) < 2 * size:
        return 0
    rounds = free = start = 0
    place: dict[str, int] = {}  # the last place of each tool; `start` begins the longest end without a repeat
    for i, use in enumerate(uses):
        if use.tool not in tools:
            start = i + 1
            continue
        start = max(start, place.get(use.tool, -1) + 1)
        place[use.tool] = i
        if i - max(start, free) + 1 >= size:
            free = i + 1
            rounds += use.counts
    return rounds


def _paths(runs: Sequence[Sequence[ToolStep]]) -> list[Path]:
    seen: Counter[tuple[str, ...]] = Counter()
    commits: Counter[tuple[str, ...]] = Counter()
    for uses in runs:
        if uses[0].counts:
            start = tuple(use.tool for use in uses[:LONGEST_PATH])
            seen[start] += 1
            commits[start] += any(use.tool == COMMIT_TOOL for use in uses)
    found = [Path(tools, n, commits[tools] / n) for tools, n in seen.items() if n >= LEAST_PATHS]
    return sorted(found, key=lambda p: (-p.units, -len(p.tools), p.tools))


def components(neighbours: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Strongly connected components by Tarjan's algorithm, with a stack of its own: a graph may be deep."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: dict[str, None] = {}
    found: list[list[str]] = []
    for root in neighbours:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        waiting[root] = None
        path = [(root, iter(neighbours[root]))]
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    waiting[other] = None
                    path.append((other, iter(neighbours[other])))
                    break
                if other in waiting:
                    low[node] = min(low[node], order[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    component: list[str] = []
                    while node not in component[-1:]:
                        component.append(waiting.popitem()[0])
                    found.append(component)
    return found
