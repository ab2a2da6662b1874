"""A digest as text, as Markdown for a stand-up, and as JSON.

Agents may run the command, so what is quoted is cleaned as everywhere. Times of day are those of this machine's clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from axiommind.reports.digest.days import local
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.fence import clean
from axiommind.surfaces.render.table_layout import cut_end, cut_middle, width
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.reports.digest.values import (
        Digest,
        DigestCommit,
        DigestSession,
        DigestTask,
        Effort,
        MadeDecision,
        ProjectDigest,
    )

__all__ = ["as_markdown", "as_text", "digest_json", "duration", "short_name"]

_DAY_MS = 86_400_000
_ID = 8
_WHOSE = {"person": "", "picked": "", "agent": "the agent's", "pasted": "from a paste"}
_TAG = lazy(r"<(?=[A-Za-z/!?])")
_IMAGE = lazy(r"!(?=\[)")


def duration(milliseconds: int) -> str:
    """`5 min`, `2 h 40 min`."""
    minutes = round(milliseconds / 60_000)
    if minutes < 60:
        return f"{minutes} min" if minutes or not milliseconds else "< 1 min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def short_name(project: str) -> str:
    """The last folder of a project's path."""
    path = PureWindowsPath(project) if "\\" in project and "/" not in project else PurePath(project)
    return path.name or project


# --- text ------------------------------------------------------------------------------------------------


def as_text(digest: Digest, most: int, home: Path | None = None) -> str:
    """For a terminal; at most so many of each thing."""
    room = render.terminal_width()
    parts = [f"{render.bold(_span(digest))}\n{render.dim(_effort(digest.effort, len(digest.projects)))}"]
    parts += [_project(one, digest, most, room, home) for one in digest.projects]
    parts += ["\n".join(_waiting(digest))]
    return "\n\n".join(part for part in parts if part)


def _span(digest: Digest) -> str:
    first, last = local(digest.since), local(digest.until - 1)
    if first.date() == last.date():
        return f"{first:%A}, {first.day} {first:%B %Y}"
    began = f"{first:%B %Y}" if first.year != last.year else f"{first:%B}" if first.month != last.month else ""
    return f"{f'{first.day} {began}'.strip()} to {last.day} {last:%B %Y}"


def _effort(effort: Effort, projects: int = 0) -> str:
    where = f" in {render.counted(projects, 'project')}" if projects > 1 else ""
    parts = [f"{render.counted(effort.sessions, 'session')}{where}"]
    if effort.subagents:
        parts.append(render.counted(effort.subagents, "subagent"))
    parts += [
        f"{duration(effort.active_ms)} active",
        render.counted(effort.prompts, "request"),
        f"{_short(effort.output_tokens)} tokens written",
    ]
    if effort.dollars is not None:
        parts.append(f"${effort.dollars:,.2f} at list prices")
    return " · ".join(parts)


def _short(count: int) -> str:
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 100 * size else f"{count / size:.0f}{unit}"
    return str(count)


def _project(one: ProjectDigest, digest: Digest, most: int, room: int, home: Path | None) -> str:
    name = _line(short_name(one.project), home)
    path = cut_middle(_line(one.project, home), max(room - width(name) - 2, 20), 0.3)
    lines = [f"{render.bold(name)}  {render.dim(path)}"]
    lines += [f"  {render.dim(_effort(one.effort))}"] if len(digest.projects) > 1 else []
    for title, rows in (
        ("Worked on", _session_lines(one.sessions, digest, most, room, home)),
        ("Committed", _commit_lines(one, most, room, home)),
        ("Decided", _decision_lines(one.decided, most, room, home)),
        ("Left open", _open_lines(one, most, room, home)),
    ):
        found = list(rows)
        lines += ["", f"  {render.coloured('cyan', title)}", *found] if found else []
    return "\n".join(lines)


def _session_lines(
    sessions: Sequence[DigestSession], digest: Digest, most: int, room: int, home: Path | None
) -> Iterator[str]:
    """The longest, in order of time: when, how long, the id, what was asked; below it how it ended."""
    longest = sorted(sessions, key=lambda one: (-one.active_ms, one.began))[: _shown(sessions, most)]
    has_days = digest.until - digest.since > _DAY_MS + 3_600_000
    for one in sorted(longest, key=lambda one: (one.began, one.id)):
        at = local(one.began)
        when = f"{at:%a} {at.day:>2} {at:%H:%M}" if has_days else f"{at:%H:%M}"
        head = f"    {when}  {duration(one.active_ms):>10}  "
        lead = len(head)
        title = cut_end(_line(one.title, home) or "(no title)", room - lead)
        yield f"{head}{title}"
        ended = _line(one.outcome, home)
        about = f"{one.id[:_ID]}  "
        yield render.dim(f"{' ' * (lead - len(about))}{about}{cut_end(ended, room - lead)}".rstrip())
    yield from _more(len(sessions), most, "session")


def _commit_lines(one: ProjectDigest, most: int, room: int, home: Path | None) -> Iterator[str]:
    for commit in one.commits[-_shown(one.commits, most) :]:
        yield f"    {commit.hash or '–':<8}  {cut_end(_line(commit.subject, home), room - 14)}"
    yield from _more(len(one.commits), most, "commit")
    for url in one.pull_requests:
        yield f"    {cut_end(_line(url, home), room - 4)}"
    if one.finished:
        yield f"    {render.counted(len(one.finished), 'task')} of the agents' lists done"


def _decision_lines(decided: Sequence[MadeDecision], most: int, room: int, home: Path | None) -> Iterator[str]:
    for one in decided[: _shown(decided, most)]:
        whose = _WHOSE.get(one.provenance, one.provenance)
        about = f"  {one.id}{f', {whose}' if whose else ''}"
        yield f"    {cut_end(_line(one.text, home), room - 4 - len(about))}{render.dim(about)}"
    yield from _more(len(decided), most, "decision")


def _open_lines(one: ProjectDigest, most: int, room: int, home: Path | None) -> Iterator[str]:
    unanswered = [session for session in one.sessions if not session.is_answered]
    for session in unanswered[: _shown(unanswered, most)]:
        about = f"  {session.id[:_ID]}, not answered"
        yield f"    {cut_end(_line(session.title, home), room - 4 - len(about))}{render.dim(about)}"
    yield from _more(len(unanswered), most, "request")
    for task in one.open[: _shown(one.open, most)]:
        about = f"  {task.id}, {_state(task, home)}"
        title = cut_end(_line(task.title, home), max(room - 4 - width(about), 20))
        yield f"    {title}{render.dim(cut_end(about, max(room - 4 - width(title), 20)))}"
    yield from _more(len(one.open), most, "task")


def _state(task: DigestTask, home: Path | None) -> str:
    if task.waits_for:
        return f"waits for {_line(task.waits_for, home)}"
    return task.status.replace("_", " ")


def _shown(rows: Sequence[object], most: int) -> int:
    """How many are shown: one more, rather than a line that says so."""
    return most + 1 if len(rows) == most + 1 else most


def _more(count: int, most: int, noun: str) -> Iterator[str]:
    if count > most + 1:
        yield render.dim(f"    and {render.counted(count - most, f'more {noun}')}: -k {count}")


def _waiting(digest: Digest) -> Iterator[str]:
    """What waits for a person."""
    parts = [
        render.counted(count, noun)
        for count, noun in ((digest.proposals, "proposal of an agent"), (digest.conflicts, "conflict"))
        if count
    ]
    if parts:
        waits = "waits" if digest.proposals + digest.conflicts == 1 else "wait"
        said = " and ".join(parts).replace("proposal of an agents", "proposals of agents")
        yield f"{said} {waits} for you: axm review"


def _line(text: str, home: Path | None) -> str:
    """On one line, as it may be shown."""
    return " ".join(render.printable(" ".join(clean(text, home).split())).split())


# --- Markdown --------------------------------------------------------------------------------------------


def as_markdown(digest: Digest, home: Path | None = None) -> str:
    """To be pasted into a stand-up: everything, without ids."""
    lines = [f"# {_span(digest)}", "", _effort(digest.effort, len(digest.projects))]
    for one in digest.projects:
        lines += ["", f"## {_inert(short_name(one.project), home)}"]
        for title, rows in (
            ("Done", _done_in_markdown(one, home)),
            ("Decided", (_inert(decision.text, home) for decision in one.decided)),
            ("Left open", _open_in_markdown(one, home)),
        ):
            found = [f"- {row}" for row in rows if row]
            lines += ["", f"**{title}**", "", *found] if found else []
        lines += ["", f"_{_effort(one.effort)}_"]
    return "\n".join(lines)


def _done_in_markdown(one: ProjectDigest, home: Path | None) -> Iterator[str]:
    """Each session with its commits below it."""
    by_session: dict[str, list[DigestCommit]] = {}
    for commit in one.commits:
        by_session.setdefault(commit.session_id, []).append(commit)
    for session in one.sessions:
        title, outcome = _inert(session.title, home) or "(no title)", _inert(session.outcome, home)
        yield "\n".join(
            [
                f"{title} ({duration(session.active_ms)})",
                *([f"  {outcome}"] if outcome else []),
                *(f"  - {_commit(commit, home)}" for commit in by_session.pop(session.id, ())),
            ]
        )
    for commits in by_session.values():  # of subagents
        yield from (_commit(commit, home) for commit in commits)
    yield from (_inert(url, home) for url in one.pull_requests)


def _commit(commit: DigestCommit, home: Path | None) -> str:
    return f"`{commit.hash}` {_inert(commit.subject, home)}" if commit.hash else _inert(commit.subject, home)


def _open_in_markdown(one: ProjectDigest, home: Path | None) -> Iterator[str]:
    for session in one.sessions:
        if not session.is_answered:
            yield f"{_inert(session.title, home)} (asked last, not answered)"
    for task in one.open:
        yield f"{_inert(task.title, home)} ({_state(task, home)})"


def _inert(text: str, home: Path | None) -> str:
    """Nothing of it becomes HTML or asks for an image."""
    return _IMAGE.sub("!\\\\", _TAG.sub("‹", _line(text, home)))


# --- JSON ------------------------------------------------------------------------------------------------


def digest_json(digest: Digest, home: Path | None = None) -> dict[str, Any]:
    return {
        "since": digest.since,
        "until": digest.until,
        "days": [f"{local(digest.since):%Y-%m-%d}", f"{local(digest.until - 1):%Y-%m-%d}"],
        "effort": digest.effort._asdict(),
        "proposals": digest.proposals,
        "conflicts": digest.conflicts,
        "projects": [
            {
                "project": one.project,
                "effort": one.effort._asdict(),
                "sessions": _rows(one.sessions, home),
                "commits": _rows(one.commits, home),
                "pull_requests": [clean(url, home) for url in one.pull_requests],
                "finished": _rows(one.finished, home),
                "decided": _rows(one.decided, home),
                "open": _rows(one.open, home),
                "learned": one.learned,
            }
            for one in digest.projects
        ],
    }


def _rows(rows: Iterable[Any], home: Path | None) -> list[dict[str, Any]]:
    return [
        {name: clean(value, home) if isinstance(value, str) else value for name, value in row._asdict().items()}
        for row in rows
    ]
