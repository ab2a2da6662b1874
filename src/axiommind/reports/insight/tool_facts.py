"""What tools did: uses, tokens, failures, loops, files edited often or together, and trends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from axiommind.reports.analysers.complaints import complaint, is_own, is_refused
from axiommind.reports.analysers.evidence import Witness, groups
from axiommind.reports.analysers.trends import FIRST_MONDAY_MS, WEEK_MS, fit, week_of
from axiommind.reports.insight.reader import MOST_SHOWN, FactReader
from axiommind.reports.insight.rows import day_of
from axiommind.reports.insight.values import (
    EditedOften,
    FailedOften,
    LoopShown,
    ModelTokens,
    Together,
    ToolUsage,
    Trending,
)
from axiommind.sources import tool_names
from axiommind.tools.kinds import PROPOSE_PLAN

__all__ = ["edited", "failed", "loops", "refused", "together", "tokens", "tools", "trends"]

LEAST_WEEKS = 4  # a line through fewer points says nothing
LEAST_R_SQUARED = 0.5
LEAST_OF_WEEK = 20  # uses of tools
SHARE_OF_WEEK = 0.05  # of the uses of a usual one
LEAST_CHANGE = 2.0  # percentage points from the first week to the last
LEAST_FAILURES = 3
LEAST_SHARE = 0.3  # of the sessions that changed either of two files
LEAST_LOOPS = 3  # times in a row


def refused(facts: FactReader) -> int:
    """Calls that a person said no to. A plan that is refused is most often taken up in another session."""
    plans = tool_names(PROPOSE_PLAN)
    return sum(call.failed and call.tool not in plans and is_refused(call.error) for call in facts.counted)


def tokens(facts: FactReader) -> list[ModelTokens]:
    rows = facts.perspective("usage", by="model", top=-1)
    columns = ("messages", "output_tokens", "total_tokens", "dollars")
    found = [ModelTokens(r["model"] or "unknown", *(r[name] for name in columns)) for r in rows]
    return [one for one in found if one.total]


def tools(facts: FactReader) -> list[ToolUsage]:
    found: dict[str, list[Any]] = {}
    for call in facts.counted:
        one = found.setdefault(call.tool, [0, set(), 0])
        one[0] += 1
        one[1].add(call.session)
        one[2] += call.failed and is_own(call.error)
    uses = [ToolUsage(tool, count, len(sessions), failed) for tool, (count, sessions, failed) in found.items()]
    return sorted(uses, key=lambda use: (-use.uses, use.tool))[: 2 * MOST_SHOWN]


def edited(facts: FactReader) -> list[EditedOften]:
    rows = [r for r in facts.perspective("repetition", top=50) if r["kind"] == "edits"]
    found = []
    for row in rows[:MOST_SHOWN]:
        ref = facts.db.execute(
            "select min(tool_use_id) from file_edits where session_id = ? and file_path = ?",
            (row["session_id"], row["subject"]),
        ).fetchone()[0]
        found.append(
            EditedOften(
                facts.inside(row["subject"]),
                row["session_id"],
                facts.title(row["session_id"]),
                row["count"],
                row["mean"],
                None if ref is None else facts.cite("tool", ref),
            )
        )
    return found


def failed(facts: FactReader) -> list[FailedOften]:
    found = []
    for one in facts.failures:
        if one.times < LEAST_FAILURES:
            continue
        then, passed = one.then, one.passed
        if one.varied is not None:
            how = "" if one.varied.is_added else "without "
            then, passed = f"{one.what} {how}{one.varied.option}", one.varied.passed
        witnesses = [Witness("tool", c.ref, c.session, c.at, complaint(c.error)) for c in one.calls]
        found.append(
            FailedOften(
                one.what,
                one.complaint,
                one.times,
                one.sessions,
                one.most,
                one.is_command and one.never_worked,
                then,
                passed,
                one.remedy,
                facts.last(witnesses),
            )
        )
    return found[: MOST_SHOWN + 1]


def loops(facts: FactReader) -> list[LoopShown]:
    found: dict[str, tuple[int, int]] = {}
    for row in facts.perspective("repetition", top=500):
        if row["kind"] == "loop" and row["count"] >= LEAST_LOOPS:
            sessions, longest = found.get(row["subject"], (0, 0))
            found[row["subject"]] = (sessions + 1, max(longest, row["count"]))
    loops = [LoopShown(tools, *both) for tools, both in found.items() if both[0] > 1 or both[1] > LEAST_LOOPS]
    return sorted(loops, key=lambda loop: (-loop.sessions, -loop.longest, loop.tools))[:MOST_SHOWN]


def together(facts: FactReader) -> list[Together]:
    return [
        Together(tuple(map(facts.inside, g.files)), g.together, g.either, facts.last(g.witnesses))
        for g in groups(facts.pairs)[:MOST_SHOWN]
        if g.together >= LEAST_SHARE * g.either
    ]


def trends(facts: FactReader) -> tuple[list[Trending], list[str]]:
    """Tools whose share of a week's uses rises or falls in a line: by counts alone a quiet week lets all of them
    fade. Weeks in which little was done say nothing about shares."""
    weekly: dict[int, Counter[str]] = {}
    for call in facts.counted:
        if call.at:
            weekly.setdefault(week_of(call.at), Counter())[call.tool] += 1
    least = max(LEAST_OF_WEEK, SHARE_OF_WEEK * len(facts.counted) / max(1, len(weekly)))
    busy = [week for week in sorted(weekly) if weekly[week].total() >= least]
    weeks = [weekly[week] for week in busy]
    if len(weeks) < LEAST_WEEKS:
        return [], []
    found = []
    for tool in sorted({tool for week in weeks for tool in week}):
        counts = tuple(week[tool] for week in weeks)
        shares = {n: round(10_000 * week[tool] / week.total()) for n, week in enumerate(weeks) if week[tool]}
        line = fit(shares, len(weeks))
        change = line.slope / 100 * (len(weeks) - 1)
        if sum(counts) >= LEAST_OF_WEEK and line.r_squared >= LEAST_R_SQUARED and abs(change) >= LEAST_CHANGE:
            found.append(Trending(tool, round(line.slope / 100, 2), round(line.r_squared, 2), counts))
    found.sort(key=lambda t: (-abs(t.slope), t.tool))
    return found[: 2 * MOST_SHOWN], [day_of(week * WEEK_MS + FIRST_MONDAY_MS) for week in busy]
