"""The facts of a report about work, gathered from one scope of the index, each with the rows that show it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from axiommind.model import Citation
from axiommind.projections.task_rows import get_task_detail, list_tasks
from axiommind.reports.analysers import activity
from axiommind.reports.analysers.evidence import Habit, Material, Pair, Said, Witness, groups
from axiommind.reports.analysers.proposals import Proposal, propose
from axiommind.reports.analysers.rework import Failure, complaint, failures, is_own, is_refused
from axiommind.reports.analysers.sayings import contradictions, kind_of
from axiommind.reports.analysers.trends import FIRST_MONDAY_MS, WEEK_MS, fit, week_of
from axiommind.reports.insight import rows as material
from axiommind.reports.insight.report import (
    Conflict,
    Correction,
    Day,
    EditedOften,
    FailedOften,
    HabitShown,
    Link,
    Loop,
    Proposed,
    Quoted,
    Report,
    SessionTime,
    TaskShown,
    Together,
    Tokens,
    ToolUse,
    Trending,
)
from axiommind.reports.insight.rows import Asked, Used, Window, one_line
from axiommind.search.citations import locate
from axiommind.sources import tool_names
from axiommind.tools.kinds import PROPOSE_PLAN

__all__ = ["Gathered"]

MOST_EVIDENCE = 3
MOST_SHOWN = 5
LEAST_WEEKS = 4  # a line through fewer points says nothing
LEAST_R_SQUARED = 0.5
LEAST_OF_WEEK = 20  # uses of tools
SHARE_OF_WEEK = 0.05  # of the uses of a usual one
LEAST_CHANGE = 2.0  # percentage points from the first week to the last
LEAST_FAILURES = 3
LEAST_SHARE = 0.3  # of the sessions that changed either of two files
LEAST_LOOPS = 3  # times in a row
_TITLE_CHARS = 80
_LEAST_TITLE = 5
_CORRECTION_CHARS = 240
_INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
_FILE_BYTES = 1_000_000


class Gathered:
    """One scope of the index, read once."""

    def __init__(self, db: sqlite3.Connection, project: str | None, window: Window) -> None:
        self.db = db
        self.project = project
        self.window = window
        self.prompts: list[Asked] = material.prompts_of(db, window)
        self.used: list[Used] = material.calls_of(db, window)
        self.counted = [one.call for one in self.used if one.call.counts]
        self.failures: list[Failure] = failures(one.call for one in self.used)
        self.habits: list[Habit] = material.habits_of(self.prompts, self.used)
        self.statements = material.statements_of(self.prompts)
        self.pairs: list[Pair] = [p for p in material.pairs_of(db, window) if "REDACTED" not in p.a + p.b]

    # --- evidence --------------------------------------------------------------------------------------

    def cite(self, kind: str, ref: int) -> Citation | None:
        return locate(self.db, [(ref, kind, ref)]).get(ref)

    def quoted(self, witness: Witness) -> Quoted | None:
        citation = self.cite(witness.kind, witness.ref)
        return None if citation is None else Quoted(witness.quote, citation, witness.session, witness.at)

    def evidence(self, witnesses: Sequence[Witness]) -> tuple[Quoted, ...]:
        """A few witnesses of different sessions, the newest first."""
        newest: dict[str, Witness] = {}
        for one in sorted(witnesses, key=lambda w: (-(w.at or 0), w.session, w.ref)):
            newest.setdefault(one.session, one)
        found: list[Quoted] = []
        for one in newest.values():
            if len(found) < MOST_EVIDENCE and (quoted := self.quoted(one)) is not None:
                found.append(quoted)
        return tuple(found)

    def last(self, witnesses: Sequence[Witness]) -> Quoted | None:
        found = self.evidence(witnesses)
        return found[0] if found else None

    def inside(self, path: str) -> str:
        """A path as seen from its project."""
        root = f"{self.project}/" if self.project else ""
        return path.removeprefix(root) if root else path

    # --- proposals -------------------------------------------------------------------------------------

    def proposals(self) -> list[Proposed]:
        known, commands = _on_disk(self.project)
        checks, edited = material.checks_of(self.used)
        pairs = [p._replace(a=self.inside(p.a), b=self.inside(p.b)) for p in self.pairs]
        made = propose(
            Material(
                failures=self.failures,
                habits=self.habits,
                statements=self.statements,
                prompts=[Said(asked.text, asked.witness()) for asked in self.prompts if not asked.is_handed_on],
                checks=checks,
                edited_sessions=edited,
                pairs=pairs,
                claims=material.claims_of(self.db),
                known=known,
                commands=commands,
            )
        )
        return [self._proposed(one) for one in made]

    def _proposed(self, one: Proposal) -> Proposed:
        return Proposed(
            kind=one.kind,
            project=None,
            target=one.target,
            title=one.title,
            why=one.why,
            text=one.text,
            language=one.language,
            sessions=one.sessions,
            days=one.days,
            weight=one.weight * one.sessions,
            evidence=self.evidence(one.witnesses),
        )

    # --- the report ------------------------------------------------------------------------------------

    def report(self) -> Report:
        (as_of,) = self.db.execute("select max(last_ts) from projection_offsets").fetchone()
        times = self._times()
        active = activity.together(activity.stretches(some) for some in times.values())
        moments = [at for some in times.values() for at in some]
        corrections, corrected = self._corrections()
        trends, weeks = self._trends()
        tasks, open_tasks = self._tasks()
        conflicts = self._conflicts()
        (projects,) = self.db.execute("select count(distinct project) from sessions").fetchone()
        return Report(
            project=self.project,
            as_of=as_of or None,
            since=self.window.since,
            until=self.window.until,
            first_at=min(moments, default=None),
            last_at=max(moments, default=None),
            sessions=len(times),
            projects=projects,
            prompts=len(self.prompts),
            tool_uses=len(self.counted),
            active_ms=activity.total(active),
            proposals=tuple(self.proposals()) if self.project is not None or projects < 2 else (),
            habits=tuple(self._habit(habit) for habit in self.habits),
            days=tuple(self._days(times, active)),
            longest=tuple(self._longest(times)),
            tokens=tuple(self._tokens()),
            tools=tuple(self._tools()),
            edited=tuple(self._edited()),
            failed=tuple(self._failed()),
            loops=tuple(self._loops()),
            refused=self._refused(),
            together=tuple(self._together()),
            trends=tuple(trends),
            weeks=tuple(weeks),
            links=tuple(self._links()),
            conflicts=conflicts,
            corrections=corrections,
            corrected=corrected,
            open_tasks=open_tasks,
            tasks=tasks,
            learned=self.db.execute("select 1 from learned limit 1").fetchone() is not None,
            names=self._names(),
            notes=tuple(self._notes(len(times))),
        )

    def _notes(self, sessions: int) -> Iterable[str]:
        if sessions == 1:
            yield "One session shows no habits: proposals need at least two."
        if sessions and not self.prompts:
            yield "Nobody's prompts are in these sessions, so nothing is said about habits."

    def _refused(self) -> int:
        """Calls that a person said no to. A plan that is refused is most often taken up in another session."""
        plans = tool_names(PROPOSE_PLAN)
        return sum(call.failed and call.tool not in plans and is_refused(call.error) for call in self.counted)

    def _names(self) -> dict[str, str]:
        """Each transcript by its file's name, where no other file of the index ends so."""
        paths = [row[0] for row in self.db.execute("select path from main.files union select path from main.documents")]
        ends = Counter(_name(path) for path in paths)
        return {path: _name(path) for path in paths if ends[_name(path)] == 1}

    def _times(self) -> dict[str, list[int]]:
        """When something happened, by session; what a subagent did belongs to the session that called it."""
        found: dict[str, list[int]] = {}
        rows = self.db.execute(
            """
            select coalesce(s.parent_session, s.id), m.timestamp
            from (
              select session_id, timestamp from prompts where canonical = 1
              union all
              select session_id, timestamp from responses where canonical = 1
              union all
              select session_id, timestamp from tool_uses where canonical = 1
            ) m
            join sessions s on s.id = m.session_id
            where m.timestamp > 0
              and (:since is null or m.timestamp >= :since)
              and (:until is null or m.timestamp < :until)
            """,
            self.window._asdict(),
        )
        for session, at in rows:
            found.setdefault(session, []).append(at)
        if self.window == (None, None):  # a session without times is one all the same
            for (session,) in self.db.execute("select id from sessions where parent_session is null"):
                found.setdefault(session, [])
        return found

    def _days(self, times: dict[str, list[int]], active: list[tuple[int, int]]) -> list[Day]:
        busy = activity.by_day(active)
        sessions: dict[int, set[str]] = {}
        for session, some in times.items():
            for at in some:
                sessions.setdefault(at // activity.DAY_MS, set()).add(session)
        prompts: dict[int, int] = {}
        for asked in self.prompts:
            prompts[asked.at // activity.DAY_MS] = prompts.get(asked.at // activity.DAY_MS, 0) + 1
        return [
            Day(_day(day * activity.DAY_MS), busy.get(day, 0), len(sessions[day]), prompts.get(day, 0))
            for day in sorted(sessions)
        ]

    def _longest(self, times: dict[str, list[int]]) -> list[SessionTime]:
        spent = {session: activity.total(activity.stretches(some)) for session, some in times.items()}
        found = []
        for session in sorted(spent, key=lambda one: (-spent[one], one))[:MOST_SHOWN]:
            if spent[session]:
                mine = [asked for asked in self.prompts if asked.session == session]
                uses = sum(call.session == session for call in self.counted)
                first = self.cite("prompt", mine[0].ref) if mine else None
                found.append(SessionTime(session, self.title(session), spent[session], len(mine), uses, first))
        return found

    def title(self, session: str) -> str:
        """What a session is called, or what was asked in it first; of a plan its heading."""
        row = self.db.execute(
            """
            select case when length(trim(coalesce(s.title, ''))) >= :least then s.title
                else (select text from prompts p where p.session_id = s.id and p.char_count >= :least
                      order by p.line limit 1) end
            from sessions s where s.id = :session
            """,
            {"session": session, "least": _LEAST_TITLE},
        ).fetchone()
        return one_line(_heading(row[0]), _TITLE_CHARS) if row and row[0] else session[:8]

    def _habit(self, habit: Habit) -> HabitShown:
        return HabitShown(
            one_line(habit.text),
            habit.kind,
            habit.count,
            habit.sessions,
            habit.last_at,
            self.last(habit.witnesses),
        )

    def _rows(self, perspective: str, **params: Any) -> list[dict[str, Any]]:
        from axiommind.reports.perspectives import load

        one = load(perspective)
        values = {p.name: p.default for p in (*one.filters, *one.params)}
        return one.run(self.db, {**values, **self.window._asdict(), **params})

    def _tokens(self) -> list[Tokens]:
        rows = self._rows("usage", by="model", top=-1)
        found = [Tokens(r["model"] or "unknown", r["messages"], r["output_tokens"], r["total_tokens"]) for r in rows]
        return [one for one in found if one.total]

    def _tools(self) -> list[ToolUse]:
        found: dict[str, list[Any]] = {}
        for call in self.counted:
            one = found.setdefault(call.tool, [0, set(), 0])
            one[0] += 1
            one[1].add(call.session)
            one[2] += call.failed and is_own(call.error)
        uses = [ToolUse(tool, count, len(sessions), failed) for tool, (count, sessions, failed) in found.items()]
        return sorted(uses, key=lambda use: (-use.uses, use.tool))[: 2 * MOST_SHOWN]

    def _edited(self) -> list[EditedOften]:
        rows = [r for r in self._rows("repetition", top=50) if r["kind"] == "edits" and "REDACTED" not in r["subject"]]
        found = []
        for row in rows[:MOST_SHOWN]:
            ref = self.db.execute(
                "select min(tool_use_id) from file_edits where session_id = ? and file_path = ?",
                (row["session_id"], row["subject"]),
            ).fetchone()[0]
            found.append(
                EditedOften(
                    self.inside(row["subject"]),
                    row["session_id"],
                    self.title(row["session_id"]),
                    row["count"],
                    row["mean"],
                    None if ref is None else self.cite("tool", ref),
                )
            )
        return found

    def _failed(self) -> list[FailedOften]:
        found = []
        for one in self.failures:
            if one.times < LEAST_FAILURES:
                continue
            witnesses = [Witness("tool", c.ref, c.session, c.at, complaint(c.error)) for c in one.calls]
            found.append(
                FailedOften(
                    one.what,
                    one.complaint,
                    one.times,
                    one.sessions,
                    one.most,
                    one.is_command and one.never_worked,
                    one.then,
                    one.passed,
                    self.last(witnesses),
                )
            )
        return found[: MOST_SHOWN + 1]

    def _loops(self) -> list[Loop]:
        found: dict[str, tuple[int, int]] = {}
        for row in self._rows("repetition", top=500):
            if row["kind"] == "loop" and row["count"] >= LEAST_LOOPS:
                sessions, longest = found.get(row["subject"], (0, 0))
                found[row["subject"]] = (sessions + 1, max(longest, row["count"]))
        loops = [Loop(tools, *both) for tools, both in found.items() if both[0] > 1 or both[1] > LEAST_LOOPS]
        return sorted(loops, key=lambda loop: (-loop.sessions, -loop.longest, loop.tools))[:MOST_SHOWN]

    def _together(self) -> list[Together]:
        return [
            Together(tuple(map(self.inside, g.files)), g.together, g.either, self.last(g.witnesses))
            for g in groups(self.pairs)[:MOST_SHOWN]
            if g.together >= LEAST_SHARE * g.either
        ]

    def _trends(self) -> tuple[list[Trending], list[str]]:
        """Tools whose share of a week's uses rises or falls in a line: by counts alone a quiet week lets all of them
        fade. Weeks in which little was done say nothing about shares."""
        weekly: dict[int, Counter[str]] = {}
        for call in self.counted:
            if call.at:
                weekly.setdefault(week_of(call.at), Counter())[call.tool] += 1
        least = max(LEAST_OF_WEEK, SHARE_OF_WEEK * len(self.counted) / max(1, len(weekly)))
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
        return found[: 2 * MOST_SHOWN], [_day(week * WEEK_MS + FIRST_MONDAY_MS) for week in busy]

    def _links(self) -> list[Link]:
        rows = self._rows("session-links", top=200, min_count=2)
        begins = dict(
            self.db.execute(
                "select id, coalesce(started_at, first_ts, 0) from sessions where parent_session is null"
            ).fetchall()
        )
        found = []
        for row in rows:
            ends = (row["session_a"], row["session_b"])
            if all(end in begins for end in ends):
                earlier, later = sorted(ends, key=lambda end: (begins[end], end))
                found.append((row, earlier, later))
        found.sort(key=lambda one: (-one[0]["shared_files"] * one[0]["overlap_ratio"], one[1], one[2]))
        return [
            Link(
                earlier,
                self.title(earlier),
                later,
                self.title(later),
                row["shared_files"],
                row["overlap_ratio"],
                row["time_gap_minutes"],
            )
            for row, earlier, later in found[:MOST_SHOWN]
        ]

    def _conflicts(self) -> tuple[Conflict, ...]:
        rows = self.db.execute(
            """
            select c.conflict_id, o.id, o.text, n.id, n.text
            from conflicts c join entries o on o.entry_id = c.older_id join entries n on n.entry_id = c.newer_id
            where c.resolved_at is null
            order by c.detected_at desc, c.conflict_id limit ?
            """,
            (MOST_SHOWN,),
        ).fetchall()
        found = [
            Conflict(name, one_line(old_text), one_line(new_text), self.cite("insight", old), self.cite("insight", new))
            for name, old, old_text, new, new_text in rows
        ]
        told = {(c.older, c.newer) for c in found}
        for older, newer in contradictions(self.statements)[: MOST_SHOWN - len(found)]:
            ends = (older.witness, newer.witness)
            if (ends[0].quote, ends[1].quote) not in told:
                citations = [self.cite(end.kind, end.ref) for end in ends]
                found.append(Conflict(None, ends[0].quote, ends[1].quote, *citations))
        return tuple(found)

    def _corrections(self) -> tuple[tuple[Correction, ...], int]:
        """The latest of them, and how many there are."""
        found: list[tuple[Asked, str]] = []
        before: dict[str, str] = {}
        for asked in self.prompts:
            earlier = before.get(asked.session)
            before[asked.session] = asked.text
            if earlier is not None and len(asked.text) <= _CORRECTION_CHARS and kind_of(asked.text) == "correction":
                found.append((asked, earlier))
        shown = []
        for asked, earlier in reversed(found[-MOST_SHOWN:]):
            if (said := self.quoted(asked.witness())) is not None:
                shown.append(Correction(said, one_line(_heading(earlier), _TITLE_CHARS)))
        return tuple(shown), len(found)

    def _tasks(self) -> tuple[tuple[TaskShown, ...], int]:
        rows = list_tasks(self.db, ("blocked", "in_progress", "pending"), limit=10_000)
        rows.sort(key=lambda row: row.status != "blocked")
        found = []
        for row in rows[:MOST_SHOWN]:
            detail = get_task_detail(self.db, row.task_id)
            history = detail.history if detail is not None else ()
            waits = tuple(one.title for one in detail.blocked_by) if detail is not None else ()
            cited = next((one.citation for one in reversed(history) if one.citation is not None), None)
            found.append(TaskShown(row.task_id, one_line(row.title), row.status, waits, cited))
        return tuple(found), len(rows)


def _heading(text: str) -> str:
    """Of a plan that the client handed on, its heading; any other text as it is."""
    if not text.lower().startswith("implement the following plan"):
        return text
    plan = text.partition(":")[2].strip().lstrip("# ").removeprefix("Plan:").strip()
    return plan.splitlines()[0] if plan else "a plan"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def _on_disk(project: str | None) -> tuple[str, frozenset[str]]:
    """What the project's instructions say, and which commands and skills it has; nothing where its folder is gone."""
    if project is None:
        return "", frozenset()
    root = Path(project)
    texts = []
    for name in _INSTRUCTIONS:
        try:
            if (root / name).stat().st_size <= _FILE_BYTES:
                texts.append((root / name).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):
            continue
    try:
        commands = {path.stem for path in (root / ".claude" / "commands").glob("**/*.md")}
        commands |= {path.parent.name for path in (root / ".claude" / "skills").glob("*/SKILL.md")}
    except (OSError, ValueError):
        commands = set()
    return "\n".join(texts), frozenset(commands)


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2] or path
