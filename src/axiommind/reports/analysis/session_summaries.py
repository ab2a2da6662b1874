"""Session summaries: one session as v2's cache has it. Within one session every row counts, copied or not."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from axiommind.reports.analysers.files import most_first
from axiommind.reports.analysers.repetition import longest_run
from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import ToolStep, split
from axiommind.reports.analysis.sections import AnalysisRows, Section, moment

__all__ = ["summaries"]

MOST_SEQUENCES = 30
DOMINANT_TOOLS = 5
ARROW = " → "

SESSIONS = """
    select id, file_path, file_size, first_ts, last_ts
    from sessions
    order by id
"""

SESSION_PROMPTS = """
    select session_id, text, timestamp
    from prompts
    order by session_id, timestamp, id
"""

SESSION_EDITS = """
    select session_id, file_path, count(*)
    from file_edits
    group by session_id, file_path
"""


def summaries(db: sqlite3.Connection, material: AnalysisRows) -> Iterator[tuple[Section, Section]]:
    """Each session by its id: its entry in `index.json`, and its summary. Within one session every row counts."""
    said: dict[str, list[Section]] = {}
    for session, text, at in db.execute(SESSION_PROMPTS):
        said.setdefault(session, []).append({"text": text, "timestamp": at})
    edited: dict[str, Counter[str]] = {}
    for session, file, n in db.execute(SESSION_EDITS):
        edited.setdefault(session, Counter())[file] = n
    for session, path, size, first, last in db.execute(SESSIONS).fetchall():
        uses = [use._replace(counts=True) for use in material.uses_of(session)]
        summary = _summary(session, said.get(session, []), uses, edited.get(session, Counter()), material.tuning)
        tools = Counter(use.tool for use in uses)
        entry = {
            "id": session,
            "file": path.replace("\\", "/").rpartition("/")[2],
            "fileSize": size,
            "promptCount": len(summary["prompts"]),
            "toolUseCount": len(uses),
            "firstTimestamp": moment(first),
            "lastTimestamp": moment(last),
            "durationMinutes": (last - first) // 60_000 if first and last and last > first else None,
            "dominantTools": [tool for tool, _ in most_first(tools)[:DOMINANT_TOOLS]],
            "tags": _tags(summary["stats"]),
        }
        yield entry, summary


def _summary(
    session: str, prompts: list[Section], uses: list[ToolStep], edits: Counter[str], tuning: Tuning
) -> Section:
    tools = [use.tool for use in uses]
    units = {ARROW.join(use.tool for use in unit) for unit in split(uses, tuning) if len(unit) > 1}
    steps = Counter(pairwise(tools))
    letters = sum(len(p["text"]) for p in prompts)
    return {
        "id": session,
        "prompts": prompts,
        "toolUseCount": len(uses),
        "toolSequences": sorted(units)[:MOST_SEQUENCES],
        "filesMutated": sorted(edits),
        "stats": {
            "promptCount": len(prompts),
            "uniqueToolCount": len(set(tools)),
            "totalToolUses": len(uses),
            "filesEditedCount": len(edits),
            "avgPromptLength": round(letters / len(prompts), 1) if prompts else 0.0,
            "maxConsecutiveSameTool": longest_run(uses).length,
            "toolTransitions": [[*step, n] for step, n in sorted(steps.items(), key=lambda s: (-s[1], s[0]))],
            "fileEditCounts": [list(item) for item in most_first(edits)],
        },
    }


def _tags(stats: Section) -> list[str]:
    tags = {
        "high-activity": stats["promptCount"] > 20,
        "many-file-changes": stats["filesEditedCount"] > 10,
        "complex-workflow": stats["uniqueToolCount"] > 8,
        "high-repetition": stats["maxConsecutiveSameTool"] >= 5,
    }
    return [tag for tag, holds in tags.items() if holds]
