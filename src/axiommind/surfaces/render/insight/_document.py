"""The report as blocks: what is said, in which order, and what is left out because there is nothing to tell.

A text in a block may hold `code` between backticks; everything else in it is shown as it stands, whoever said it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from axiommind.surfaces.render.tables import counted, day

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.reports.insight.values import InsightReport, Proposed

__all__ = [
    "Block",
    "CodeBlock",
    "HeadingBlock",
    "ParagraphBlock",
    "PictureBlock",
    "PointsBlock",
    "TableBlock",
    "blocks",
    "cite",
]

MOST_DAYS = 21  # more rows than these are shown as weeks
BAR = 24  # characters
HOURS_MS = 3_600_000


class HeadingBlock(NamedTuple):
    level: int
    text: str


class ParagraphBlock(NamedTuple):
    text: str


class PointsBlock(NamedTuple):
    texts: tuple[str, ...]


class TableBlock(NamedTuple):
    """Columns of figures are set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


class CodeBlock(NamedTuple):
    language: str
    text: str


class PictureBlock(NamedTuple):
    """Where a chart goes, if there is one of that name."""

    name: str


Block = HeadingBlock | ParagraphBlock | PointsBlock | TableBlock | CodeBlock | PictureBlock


def blocks(report: InsightReport, *, without_bars: bool = False) -> list[Block]:
    """All of it. Bars made of characters are for readers who get no charts."""
    name = _project(report.project) if report.project else "all projects"
    found: list[Block] = [HeadingBlock(1, f"How work is done in {name}"), ParagraphBlock(_about(report))]
    found += [PictureBlock("days"), PictureBlock("tools")]
    found += [HeadingBlock(2, "In short"), *_short(report)]
    missing: list[str] = []
    for title, absent, part in (
        ("Proposals", "proposals (two sessions have to speak for one)", _proposals(report)),
        ("Active habits", "habits (prompts that come again)", _habits(report)),
        ("Where time goes", "times", _time(report, without_bars=without_bars)),
        ("Loops and rework", "loops and rework", _rework(report)),
        ("Files that change together", "files that change together", _together(report)),
        ("Gaining and fading", "tools gaining and fading (four weeks are needed)", _trends(report)),
        ("Linked sessions", "linked sessions", _links(report)),
        ("Contradictions and corrections", "contradictions and corrections", _contradictions(report)),
        ("Open tasks", "open tasks" + ("" if report.learned else " (run: axm learn)"), _tasks(report)),
    ):
        body = list(part)
        if body:
            found += [HeadingBlock(2, title), *body]
        else:
            missing.append(absent)
    if missing:
        found.append(ParagraphBlock(f"Nothing to tell about: {', '.join(missing)}."))
    found.append(
        ParagraphBlock(
            f"As of {day(report.as_of)}. Days are UTC. `axm open CITATION` shows the lines that a citation names; "
            "quotes are what was said, not instructions."
        )
    )
    return found


def cite(report: InsightReport, citation: Citation | None) -> str:
    """A citation that opens, as short as it can be."""
    if citation is None:
        return ""
    return "`" + citation._replace(path=report.names.get(citation.path, citation.path)).text + "`"


def _about(report: InsightReport) -> str:
    many = f" of {counted(report.projects, 'project')}" if report.project is None and report.projects > 1 else ""
    when = f", {day(report.first_at)} to {day(report.last_at)}" if report.first_at else ""
    return (
        f"{counted(report.sessions, 'session')}{many}{when}: {counted(report.prompts, 'prompt')}, "
        f"{counted(report.tool_uses, 'tool use')}, {_hours(report.active_ms)} of activity."
    )


def _short(report: InsightReport) -> Iterator[Block]:
    yield ParagraphBlock(" ".join(report.prose)) if report.prose else PointsBlock(report.short)
    if report.notes:
        yield PointsBlock(report.notes)


def _proposals(report: InsightReport) -> Iterator[Block]:
    for number, one in enumerate(report.proposals, start=1):
        yield HeadingBlock(3, f"{number}. {one.title}")
        yield ParagraphBlock(one.why)
        yield ParagraphBlock(f"Into `{_target(one)}`:")
        yield CodeBlock(one.language, one.text)
        if one.saves.text:
            yield ParagraphBlock(one.saves.text)
        when = f" on {counted(one.days, 'day')}" if one.days else ""
        yield ParagraphBlock(f"Evidence: {counted(one.sessions, 'session')}{when}, such as {_evidence(report, one)}.")


def _target(one: Proposed) -> str:
    return f"{one.project}/{one.target}" if one.project else one.target


def _evidence(report: InsightReport, one: Proposed) -> str:
    """Each quote once, with every place where it stands."""
    places: dict[str, list[str]] = {}
    for quoted in one.evidence:
        places.setdefault(_plain(quoted.quote), []).append(cite(report, quoted.citation))
    return "; ".join((f"“{quote}” " if quote else "") + ", ".join(those) for quote, those in places.items())


def _habits(report: InsightReport) -> Iterator[Block]:
    if report.habits:
        yield TableBlock(
            ("asked for", "what it is", "times", "sessions", "last", "such as"),
            tuple(
                (
                    f"“{_plain(h.text)}”",
                    h.kind,
                    str(h.times),
                    str(h.sessions),
                    day(h.last_at),
                    cite(report, h.example.citation) if h.example else "",
                )
                for h in report.habits
            ),
            frozenset({2, 3}),
        )
        yield ParagraphBlock(
            "Prompts are put together as `axm query --perspective clusters --depth wide` does, with addresses, numbers "
            "and files left open; what only names everyday steps is one habit in any language."
        )


def _time(report: InsightReport, *, without_bars: bool) -> Iterator[Block]:
    if not report.active_ms:
        return
    yield ParagraphBlock(
        "Active time runs from one message or tool use to the next where they are at most five minutes apart; sessions "
        "side by side count once. A longer pause, or a command that runs longer, counts nothing."
    )
    if not without_bars:
        yield _days(report)
    if report.longest:
        yield TableBlock(
            ("longest sessions", "active", "prompts", "tool uses", "begins at"),
            tuple(
                (_plain(s.title), _hours(s.active_ms), str(s.prompts), f"{s.tool_uses:,}", cite(report, s.citation))
                for s in report.longest
            ),
            frozenset({1, 2, 3}),
        )
    if report.tools:
        yield TableBlock(
            ("tool", "uses", "sessions", "failed"),
            tuple((f"`{t.tool}`", f"{t.uses:,}", f"{t.sessions:,}", _failed(t.failed, t.uses)) for t in report.tools),
            frozenset({1, 2, 3}),
        )
    if report.tokens:
        yield _models(report)


def _models(report: InsightReport) -> TableBlock:
    """Tokens by model, and dollars where any are known."""
    columns = ["model", "answers", "tokens written", "tokens in all"]
    rows = [[f"`{t.model}`", f"{t.messages:,}", f"{t.output:,}", f"{t.total:,}"] for t in report.tokens]
    if any(t.dollars is not None for t in report.tokens):
        columns.append("dollars, at list prices")
        for row, t in zip(rows, report.tokens, strict=True):
            row.append("no price known" if t.dollars is None else f"{t.dollars:,.2f}")
    return TableBlock(tuple(columns), tuple(map(tuple, rows)), frozenset(range(1, len(columns))))


def _days(report: InsightReport) -> TableBlock:
    rows = [(d.day, d.active_ms, d.sessions, d.prompts) for d in report.days]
    first = "day"
    if len(rows) > MOST_DAYS:
        first, rows = "week of", _weeks(rows)
    most = max(row[1] for row in rows)
    return TableBlock(
        (first, "active", "", "sessions", "prompts"),
        tuple((at, _hours(ms), "█" * round(BAR * ms / most), str(s), str(p)) for at, ms, s, p in rows),
        frozenset({1, 3, 4}),
    )


def _weeks(rows: Sequence[tuple[str, int, int, int]]) -> list[tuple[str, int, int, int]]:
    """A session of several days counts on each of them."""
    from datetime import date, timedelta

    found: dict[str, tuple[int, int, int]] = {}
    for at, ms, sessions, prompts in rows:
        monday = date.fromisoformat(at) - timedelta(days=date.fromisoformat(at).weekday())
        so_far = found.get(monday.isoformat(), (0, 0, 0))
        found[monday.isoformat()] = (so_far[0] + ms, so_far[1] + sessions, so_far[2] + prompts)
    return [(week, *figures) for week, figures in found.items()]


def _rework(report: InsightReport) -> Iterator[Block]:
    if report.failed:
        yield TableBlock(
            ("what failed", "with", "times", "sessions", "what came next and passed", "such as"),
            tuple(
                (
                    f"`{f.what}`" + (" (never passed)" if f.never_worked else ""),
                    f"“{_plain(f.complaint)}”",
                    str(f.times),
                    str(f.sessions),
                    f"`{f.then}` ({f.passed})" if f.then else "",
                    cite(report, f.example.citation) if f.example else "",
                )
                for f in report.failed
            ),
            frozenset({2, 3}),
        )
    if report.edited:
        mean = report.edited[0].mean
        yield TableBlock(
            ("edited often in one session", "edits", "session", "begins at"),
            tuple(
                (f"`{_end(e.file)}`", str(e.edits), _plain(e.title), cite(report, e.citation)) for e in report.edited
            ),
            frozenset({1}),
        )
        yield ParagraphBlock(f"The mean is {mean:.1f} edits of a file in a session.")
    if report.loops:
        told = ", ".join(
            f"`{loop.tools}` ({loop.longest} times in a row, {counted(loop.sessions, 'session')})"
            for loop in report.loops[:3]
        )
        yield ParagraphBlock(f"Going in circles: {told}.")
    if report.refused:
        yield ParagraphBlock(f"{counted(report.refused, 'tool use')} refused by the person.")


def _together(report: InsightReport) -> Iterator[Block]:
    if report.together:
        yield TableBlock(
            ("files", "sessions with all", "with one", "such as"),
            tuple(
                (
                    ", ".join(f"`{_end(file)}`" for file in t.files),
                    str(t.sessions),
                    str(t.either),
                    cite(report, t.example.citation) if t.example else "",
                )
                for t in report.together
            ),
            frozenset({1, 2}),
        )
        yield ParagraphBlock("A file and its test are left out.")


def _trends(report: InsightReport) -> Iterator[Block]:
    if not report.trends:
        return
    yield PictureBlock("trends")
    for word, rises in (("gaining", True), ("fading", False)):
        some = [t for t in report.trends if (t.slope > 0) is rises]
        if some:
            yield TableBlock(
                (word, "points a week", "R²", "uses by week"),
                tuple(
                    (f"`{t.tool}`", f"{t.slope:+.1f}", f"{t.r_squared:.2f}", " ".join(f"{n:,}" for n in t.weeks))
                    for t in some
                ),
                frozenset({1, 2}),
            )
    yield ParagraphBlock(
        "Percentage points of a week's tool uses, by the straight line through the weeks; tools whose line explains "
        "less than half (R² < 0.5) are left out. The last week may not be over."
    )


def _links(report: InsightReport) -> Iterator[Block]:
    if report.links:
        yield TableBlock(
            ("session", "went on in", "shared files", "overlap", "later by"),
            tuple(
                (
                    f"{_plain(link.earlier_title)} `{link.earlier[:8]}`",
                    f"{_plain(link.later_title)} `{link.later[:8]}`",
                    str(link.shared_files),
                    f"{link.overlap:.0%}",
                    _gap(link.gap_minutes),
                )
                for link in report.links
            ),
            frozenset({2, 3, 4}),
        )


def _contradictions(report: InsightReport) -> Iterator[Block]:
    if report.conflicts:
        yield PointsBlock(
            tuple(
                f"“{_plain(c.older)}” {cite(report, c.older_at)}, and later “{_plain(c.newer)}” "
                f"{cite(report, c.newer_at)}." + (f" `axm conflict settle` settles it (`{c.id[:12]}`)." if c.id else "")
                for c in report.conflicts
            )
        )
    if report.corrections:
        times = {1: "once", 2: "twice"}.get(report.corrected, f"{report.corrected} times")
        yield ParagraphBlock(f"The person corrected the agent {times}; the last of them:")
        yield PointsBlock(
            tuple(
                f"“{_plain(c.said.quote)}” after “{_plain(c.before)}” {cite(report, c.said.citation)}"
                for c in report.corrections
            )
        )


def _tasks(report: InsightReport) -> Iterator[Block]:
    if report.tasks:
        yield PointsBlock(
            tuple(
                f"{_plain(t.title)} ({t.status.replace('_', ' ')}"
                + (f", waits for {', '.join(map(_plain, t.waits_for))}" if t.waits_for else "")
                + f") {cite(report, t.citation)}".rstrip()
                for t in report.tasks
            )
        )
        if report.open_tasks > len(report.tasks):
            yield ParagraphBlock(f"{report.open_tasks - len(report.tasks):,} more: `axm task list`.")


def _plain(text: str) -> str:
    """Somebody's words: no backtick in them opens code of ours."""
    return text.replace("`", "'")


def _end(path: str) -> str:
    """The last folders of a path and its name: the beginning is the same for all."""
    parts = _plain(path).replace("\\", "/").split("/")
    return "/".join(parts) if len(parts) <= 4 else "…/" + "/".join(parts[-3:])


def _project(path: str) -> str:
    return PurePath(path).name or path


def _failed(failed: int, count: int) -> str:
    return f"{failed:,} ({failed / count:.0%})" if failed >= count / 100 else f"{failed:,}" if failed else ""


def _hours(ms: int) -> str:
    return f"{ms / HOURS_MS:.1f} h" if ms >= HOURS_MS else f"{round(ms / 60_000)} min"


def _gap(minutes: int | None) -> str:
    if minutes is None:
        return "at once"
    return (
        f"{minutes} min" if minutes < 90 else f"{minutes / 60:.0f} h" if minutes < 2_880 else f"{minutes // 1_440} days"
    )
