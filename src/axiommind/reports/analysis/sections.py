"""What the index holds for the analysts, and the sections of v2's output that are made of it.

`AnalysisRows` is read in one go. A row that is not canonical (what a fork copied) stays between its neighbours, so that
nobody sees neighbours that never were, but is not counted. Names, casing and nesting of the sections are v2's.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from axiommind.reports.analysers.clusters import PATTERN_CHARS, clusters
from axiommind.reports.analysers.dependency_graph import build
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.files import Touch, changed_together, hot_files, most_first
from axiommind.reports.analysers.prompt_frequency import PromptText, frequencies
from axiommind.reports.analysers.repetition import longest_run, loops, outliers, spread
from axiommind.reports.analysers.sequences import count
from axiommind.reports.analysers.stopwords import StopWords
from axiommind.reports.analysers.trends import ToolEvent, weekly
from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import ToolStep, Unit, split
from axiommind.sources import tool_names
from axiommind.tools.kinds import READ

__all__ = ["AnalysisRows", "moment", "read"]

MOST_LINKS = 20

Section = dict[str, Any]

PROMPTS = """
    select text, timestamp, session_id
    from prompts
    where canonical = 1
      and (:since is null or timestamp >= :since)
      and (:until is null or timestamp < :until)
      and (timestamp > 0 or (:since is null and :until is null))
    order by timestamp, id
"""

USES = """
    select session_id, coalesce(subagent, ''), classified_name, timestamp, canonical
    from tool_uses
    order by session_id, subagent, seq_order
"""

EDITS = """
    select e.session_id, e.file_path, t.classified_name, 1, e.timestamp
    from file_edits e
    join tool_uses t on t.id = e.tool_use_id
    where e.canonical = 1
    order by e.session_id, e.id
"""

READS = """
    select session_id, json_extract(input_json, '$.file_path'), classified_name, 0, timestamp
    from tool_uses
    where tool_name in (select value from json_each(?))
      and canonical = 1
      and json_valid(input_json)
    order by session_id, seq_order
"""

TRANSITIONS = """
    select from_tool, to_tool, count, probability
    from tool_transitions
    order by count desc, from_tool, to_tool
"""

LINKS = """
    select session_a, session_b, overlap_ratio, time_gap_minutes
    from session_links
    order by overlap_ratio desc, shared_files desc, session_a, session_b
    limit :most
"""

SESSION_FILES = "select distinct file_path from file_edits where session_id = ?"


@dataclass(frozen=True, slots=True)
class AnalysisRows:
    """What is analysed: the prompts of the asked days, and all uses of tools by session and subagent."""

    prompts: list[PromptText]
    uses: dict[tuple[str, str], list[ToolStep]]
    tuning: Tuning

    def uses_of(self, session: str) -> list[ToolStep]:
        """Those of a session: its own, then those of the subagents that it tells of."""
        return [use for (one, _), uses in self.uses.items() if one == session for use in uses]

    def counted(self) -> Iterator[tuple[str, list[ToolStep]]]:
        """The sessions in which something counts."""
        return ((session, uses) for (session, _), uses in self.uses.items() if any(use.counts for use in uses))

    def units(self) -> Iterator[Unit]:
        for session, uses in self.counted():
            for unit in split(uses, self.tuning):
                yield Unit(session, unit)

    # --- what `analyze` shows --------------------------------------------------------------------------

    def prompt_analysis(self, top: int, *, decay: bool) -> Section:
        found = frequencies(self.prompts, decay, self.tuning)
        return {
            "total": found.total,
            "unique": len(found.said),
            "start_date": _day(found.first_at),
            "end_date": _day(found.last_at),
            "top_prompts": [
                {
                    "prompt": said.prompt,
                    "count": said.count,
                    "weighted_count": round(said.weighted_count, 2),
                    "last_used": _day(said.last_at),
                }
                for said in _cut(found.said, top)
            ],
        }

    def workflow_analysis(self, threshold: int, top: int) -> Section:
        found = count(self.units(), threshold, self.tuning)
        used = Counter(use.tool for _, uses in self.counted() for use in uses if use.counts)
        return {
            "total_sequences": found.total,
            "unique_sequences": found.unique,
            "top_sequences": [
                {"tools": list(f.tools), "count": f.count, "sessions": list(f.session_ids)}
                for f in _cut(found.frequent, top)
            ],
            "tool_usage_stats": [list(item) for item in most_first(used)],
        }

    def dependency_graph(self, top: int) -> Section:
        graph = build(self.units())
        return {
            "nodes": [
                {
                    "tool": n.tool,
                    "totalUses": n.uses,
                    "fanout": n.fan_out,
                    "fanin": n.fan_in,
                    "avgPosition": round(n.position, 2),
                    "entryRate": round(n.entry_rate, 2),
                    "terminalRate": round(n.terminal_rate, 2),
                }
                for n in graph.nodes
            ],
            "edges": [
                {
                    "from": e.source,
                    "to": e.target,
                    "count": e.count,
                    "probability": round(e.probability, 2),
                    "reverseProbability": round(e.reverse, 2),
                    "commitReachableRate": round(e.commit_rate, 2),
                    "avgStepsToEnd": round(e.steps_to_end, 2),
                }
                for e in graph.edges
            ],
            "cycles": [
                {"tools": list(c.tools), "occurrenceCount": c.units, "avgIterations": round(c.repetitions, 2)}
                for c in graph.cycles
            ],
            "criticalPaths": [
                {"path": list(p.tools), "frequency": p.units, "commitRate": round(p.commit_rate, 2)}
                for p in _cut(graph.paths, top)
            ],
            "totalTransitions": graph.transitions,
            "uniqueTools": len(graph.nodes),
        }

    def tacit_knowledge(self, depth: str, threshold: int, top: int, stop: StopWords, *, decay: bool) -> Section:
        found = clusters(self.prompts, DEPTHS[depth], threshold, decay, self.tuning, stop)
        found.sort(key=lambda c: (-round(c.confidence, 2), -c.count, c.normalized))
        return {
            "total": len(self.prompts),
            "patterns": [
                {
                    "type": "cluster",
                    "pattern": c.pattern[:PATTERN_CHARS],
                    "normalized": c.normalized,
                    "examples": c.examples,
                    "count": c.count,
                    "bm25_score": round(c.bm25_score, 2),
                    "confidence": round(c.confidence, 2),
                }
                for c in _cut(found, top)
            ],
        }

    # --- what only the snapshot shows ------------------------------------------------------------------

    def repetition_stats(self, touches: Sequence[Touch]) -> Section:
        edits = Counter((t.session, t.file) for t in touches if t.edits)
        mean, deviation = spread(edits.values())
        circles = [
            (session, loop) for session, uses in self.counted() for loop in loops(uses, self.tuning, any_row=True)
        ]
        circles.sort(key=lambda c: (-c[1].repeats, -c[1].times, c[0], c[1].tools))
        return {
            "fileEditOutliers": [
                {"file": o.file, "editCount": o.edits, "sessionId": o.session, "zScore": round(o.z, 2)}
                for o in outliers(edits, self.tuning.z_score_threshold)
            ],
            "toolLoops": [
                {"sequence": list(loop.tools), "repeatCount": loop.repeats, "sessionId": session}
                for session, loop in circles
            ],
            "sessionStats": [_session_stats(session, uses) for session, uses in self.counted()],
            "globalMeanEditsPerFile": round(mean, 2),
            "globalStdDev": round(deviation, 2),
        }

    def weekly_trends(self, edits: Sequence[tuple[int | None, str, str]]) -> Section:
        found = weekly(
            chain(
                (ToolEvent(p.at, p.session) for p in self.prompts),
                (
                    ToolEvent(use.at, session, use.tool)
                    for session, uses in self.counted()
                    for use in uses
                    if use.counts
                ),
                (ToolEvent(at, session, None, file) for at, session, file in edits),
            ),
            self.tuning,
        )
        return {
            "weeks": [
                {
                    "week": week.name,
                    "promptCount": week.prompts,
                    "sessionCount": len(week.sessions),
                    "toolCounts": [list(item) for item in most_first(week.tools)],
                    "uniqueFilesEdited": len(week.files),
                }
                for week in found.weeks.values()
            ],
            "toolTrends": [
                {
                    "tool": tool,
                    "weeklyCounts": [week.tools[tool] for week in found.weeks.values()],
                    "trendSlope": round(trend.slope, 2),
                    "rSquared": round(trend.r_squared, 2),
                }
                for tool, trend in found.trends.items()
            ],
        }


def read(db: sqlite3.Connection, since: int | None, until: int | None, tuning: Tuning) -> AnalysisRows:
    prompts = [PromptText(*row) for row in db.execute(PROMPTS, {"since": since, "until": until})]
    uses = {
        who: [ToolStep(tool, at, bool(canonical)) for _, _, tool, at, canonical in rows]
        for who, rows in groupby(db.execute(USES), key=itemgetter(0, 1))
    }
    return AnalysisRows(prompts, uses, tuning)


def statistics(db: sqlite3.Connection, material: AnalysisRows, top: int) -> Section:
    """The five sections that only the snapshot has."""
    edits = db.execute(EDITS).fetchall()
    reads = [row for row in db.execute(READS, (json.dumps(sorted(tool_names(READ))),)) if isinstance(row[1], str)]
    touches = [Touch(session, file, tool, bool(edited)) for session, file, tool, edited, _ in (*edits, *reads)]
    return {
        "toolTransitions": _transitions(db),
        "repetitionStats": material.repetition_stats(touches),
        "weeklyTrends": material.weekly_trends([(at, session, file) for session, file, _, _, at in edits]),
        "fileAnalysis": {
            "hotFiles": [
                {
                    "path": f.file,
                    "editCount": f.edits,
                    "sessionCount": f.sessions,
                    "toolsUsed": [list(item) for item in f.tools],
                }
                for f in _cut(hot_files(touches), top)
            ],
            "coChangeGroups": [
                {"files": list(p.files), "coOccurrenceCount": p.sessions} for p in changed_together(touches)
            ],
        },
        "sessionLinks": {"links": list(_links(db))},
    }


def _transitions(db: sqlite3.Connection) -> Section:
    rows = db.execute(TRANSITIONS).fetchall()
    return {
        "transitions": [{"from": a, "to": b, "count": n, "probability": round(p, 4)} for a, b, n, p in rows],
        "totalTransitions": sum(row[2] for row in rows),
        "uniqueTools": len({tool for row in rows for tool in row[:2]}),
    }


def _links(db: sqlite3.Connection) -> Iterator[Section]:
    for a, b, overlap, gap in db.execute(LINKS, {"most": MOST_LINKS}).fetchall():
        one, other = ({row[0] for row in db.execute(SESSION_FILES, (session,))} for session in (a, b))
        yield {
            "sessionA": a,
            "sessionB": b,
            "sharedFiles": sorted(one & other),
            "fileOverlapRatio": round(overlap, 2),
            "timeGapMinutes": gap,
        }


def _session_stats(session: str, uses: Sequence[ToolStep]) -> Section:
    counted = [use.tool for use in uses if use.counts]
    longest = longest_run(uses)
    return {
        "sessionId": session,
        "totalToolUses": len(counted),
        "uniqueToolUses": len(set(counted)),
        "maxConsecutiveSameTool": longest.length,
        "mostRepeatedTool": longest.tool or None,
    }


# --- forms ----------------------------------------------------------------------------------------------------


def moment(at: int | None) -> str | None:
    """Epoch milliseconds as RFC 3339 in UTC; None for no time, or one that no calendar names."""
    if not at or at < 0:
        return None
    try:
        return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return None


def _day(at: int) -> str | None:
    named = moment(at)
    return None if named is None else named[:10]


def _cut(rows: list[Any], top: int) -> list[Any]:
    return rows if top < 0 else rows[:top]
