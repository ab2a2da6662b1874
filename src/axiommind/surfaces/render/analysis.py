"""An analysis as text, in the layout of suggest-workflow 2.

Takes the same object that is printed as JSON; a section that was not asked for is not in it. Text from transcripts is
printed on one line and without control characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from axiommind.reports.analysers.depth import DEPTHS
from axiommind.surfaces.render.tables import as_table, bold, printable

__all__ = ["as_text"]

_PROMPT = 60
_EXAMPLE = 70
_PATTERN = 30
_TOOLS = 10
_CYCLES = _PATHS = 5
_EXPLAINED = 3
_PROJECTS = 20

Found = Mapping[str, Any]


def as_text(found: Found, threshold: int, top: int) -> str:
    """`threshold` is what was asked for; `top` is how many nodes and edges are shown of the graph, which has all."""
    depth = found["depth"]
    parts = [f"{_head(found)}\nDepth: {depth} | Multi-query: {DEPTHS[depth].combine.value}"]
    if "workflowAnalysis" in found:
        parts += _workflow(found["promptAnalysis"], found["workflowAnalysis"])
    if "dependencyGraph" in found:
        parts += _graph(found["dependencyGraph"], top)
    if "tacitKnowledge" in found:
        parts += _tacit(found["tacitKnowledge"], threshold)
    if "globalSummary" in found:
        parts += _projects(found["globalSummary"])
    return "\n\n".join(parts)


def _head(found: Found) -> str:
    if "globalSummary" not in found:
        return bold("=== Project Analysis ===")
    summary = found["globalSummary"]
    return bold(f"=== Global Analysis ({summary['projectCount']} projects, {summary['totalPrompts']} prompts) ===")


def _workflow(prompts: Found, workflow: Found) -> list[str]:
    counts = f"Total prompts: {prompts['total']} | Unique: {prompts['unique']}"
    if prompts["start_date"]:
        counts += f"\nPeriod: {prompts['start_date']} ~ {prompts['end_date']}"
    tools = workflow["tool_usage_stats"][:_TOOLS]
    return [
        bold("--- Workflow Analysis ---"),
        counts,
        *_list("Top Prompts:", [f"[{p['count']}x] {_line(p['prompt'], _PROMPT)}" for p in prompts["top_prompts"]]),
        f"Total sequences: {workflow['total_sequences']} | Unique: {workflow['unique_sequences']}",
        *_list(
            "Top Tool Sequences:", [f"[{s['count']}x] {_joined(s['tools'], ' → ')}" for s in workflow["top_sequences"]]
        ),
        *_list("Tool Usage:", [f"{_line(name)}: {count}x" for name, count in tools]),
    ]


def _graph(graph: Found, top: int) -> list[str]:
    nodes, edges, cycles = graph["nodes"], graph["edges"], graph["cycles"]
    rounds = [
        f"[{c['occurrenceCount']}x, avg {c['avgIterations']:.1f} iter] {_joined(c['tools'], ' ↔ ')}"
        for c in cycles[:_CYCLES]
    ]
    paths = [
        f"[{p['frequency']}x, {p['commitRate']:.0%} commit] {_joined(p['path'], ' → ')}"
        for p in graph["criticalPaths"][:_PATHS]
    ]
    return [
        bold("--- Tool Dependency Graph ---"),
        f"Nodes: {len(nodes)} | Edges: {len(edges)} | Cycles: {len(cycles)}",
        *_table(
            "Top Nodes (by usage):",
            [
                {
                    "Tool": _line(n["tool"]),
                    "Uses": n["totalUses"],
                    "Fanout": n["fanout"],
                    "Fanin": n["fanin"],
                    "AvgPos": f"{n['avgPosition']:.2f}",
                    "Entry%": round(n["entryRate"] * 100),
                    "Terminal%": round(n["terminalRate"] * 100),
                }
                for n in nodes[:top]
            ],
        ),
        *_table(
            "Top Edges (by frequency):",
            [
                {
                    "From": _line(e["from"]),
                    "To": _line(e["to"]),
                    "Count": e["count"],
                    "P(→)": f"{e['probability']:.2f}",
                    "P(←)": f"{e['reverseProbability']:.2f}",
                    "Commit%": round(e["commitReachableRate"] * 100),
                }
                for e in edges[:top]
            ],
        ),
        *_list("Detected Cycles:", rounds),
        *_list("Critical Paths:", paths),
    ]


def _tacit(tacit: Found, threshold: int) -> list[str]:
    patterns = tacit["patterns"]
    head = [bold("--- Tacit Knowledge Analysis ---"), f"Detected patterns: {len(patterns)}"]
    if not patterns:
        return [*head, f"No patterns found with threshold >= {threshold}"]
    rows = [
        {
            "#": i,
            "Pattern": _cut(p["pattern"], _PATTERN),
            "Type": p["type"],
            "Count": p["count"],
            "Confidence": f"{p['confidence']:.0%}",
        }
        for i, p in enumerate(patterns, 1)
    ]
    explained = []
    for i, p in enumerate(patterns[:_EXPLAINED], 1):
        lines = [
            f"{i}. {_line(p['pattern'])} ({p['count']}x, {p['confidence']:.0%} confidence)",
            f"   Type: {p['type']}",
            f"   BM25: {p['bm25_score']:.2f}",
            *(f"     {j}. {_line(text, _EXAMPLE)}" for j, text in enumerate(p["examples"][:_EXPLAINED], 1)),
        ]
        explained.append("\n".join(lines))
    return [*head, as_table(tuple(rows[0]), rows), "Example Prompts:", *explained]


def _projects(summary: Found) -> list[str]:
    most = sorted(summary["projects"], key=lambda p: (-p["promptCount"], p["name"]))[:_PROJECTS]
    lines = [f"  {_line(p['name'])}: {p['promptCount']} prompts, {p['sessionCount']} sessions" for p in most]
    return [bold("--- Project Breakdown ---"), *(["\n".join(lines)] if lines else [])]


def _list(title: str, items: Sequence[str]) -> list[str]:
    return ["\n".join([title, *(f"  {i}. {item}" for i, item in enumerate(items, 1))])] if items else []


def _table(title: str, rows: Sequence[Found]) -> list[str]:
    return [f"{title}\n{as_table(tuple(rows[0]), rows)}"] if rows else []


def _joined(tools: Sequence[str], by: str) -> str:
    return by.join(map(_line, tools))


def _line(text: str, most: int | None = None) -> str:
    """On one line, without control characters, cut as suggest-workflow 2 did."""
    return " ".join(printable(text).split())[:most]


def _cut(text: str, most: int) -> str:
    line = _line(text)
    return line if len(line) <= most else f"{line[: most - 3]}..."
