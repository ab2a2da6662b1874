"""Entries and decisions as JSON and as text for people: the same for every surface.

Text from transcripts is printed through `render.printable`, titles on one line.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from axiommind.freshness.state import DRIFTED, FRESH, GONE
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.provenance import SAID_BY, SAID_BY_SHORT

if TYPE_CHECKING:
    from axiommind.learning.decisions import DecisionShown
    from axiommind.learning.entry_view import EntryShown, QuoteShown
    from axiommind.projections.entry_rows import EntryRow, ListedEntry
    from axiommind.projections.task_rows import TaskRow

__all__ = [
    "claim",
    "decided_json",
    "decision_as_text",
    "decision_json",
    "entries_table",
    "entry_json",
    "entry_shown_as_text",
    "entry_shown_json",
    "iso",
    "labelled",
    "one_line",
    "project_name",
    "several_projects",
    "short_ids",
    "words_of",
]

_SHORT = 8  # characters of an id after its prefix
_QUOTE_CHARS = 400
_AROUND_CHARS = 120
_TASKS_SHOWN = 10


def one_line(text: str) -> str:
    """On one line. Line ends of every kind are blanks before what cannot be printed gets a mark."""
    return " ".join(render.printable(" ".join(text.split())).split())


def iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def words_of(name: str) -> str:
    """`task_note` as people read it."""
    return name.replace("_", " ")


def project_name(project: str | None) -> str:
    return one_line(PurePath(project).name or project) if project else ""


def several_projects(projects: Iterable[str | None]) -> bool:
    return len(set(projects)) > 1


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Short forms of ids, long enough to tell these apart; every command accepts them."""
    full = set(ids)
    found: dict[str, str] = {}
    size = _SHORT
    while left := full - found.keys():
        starts = Counter(_start(name, size) for name in full)
        found |= {name: start for name in left if starts[start := _start(name, size)] == 1 or start == name}
        size += 1
    return found


def _start(name: str, size: int) -> str:
    prefix, mark, rest = name.partition("_")
    return prefix + mark + rest[:size] if mark else name[:size]


def labelled(rows: Iterable[tuple[str, str]]) -> str:
    """Lines of names and values; empty values are left out."""
    kept = [(name, value) for name, value in rows if value]
    room = max((len(name) for name, _ in kept), default=0)
    return "\n".join(f"  {render.dim(f'{name:<{room}}')}  {value}" for name, value in kept)


# --- lists -------------------------------------------------------------------------------------------------


def entry_json(entry: EntryRow, sessions: int | None = None) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": entry.entry_id,
        "type": entry.entry_type,
        "stage": entry.stage,
        "status": entry.status,
        "title": entry.title,
        "text": entry.text,
        "content": entry.content,
        "project": entry.project,
        "session_id": entry.session_id,
        "timestamp": entry.happened_at,
        "created_at": iso(entry.created_ts),
        "kind": entry.kind,
        "provenance": entry.provenance,
        "anchors": list(entry.anchors),
        "rule": entry.rule,
        "confidence": entry.confidence,
        "aligned": entry.aligned,
        "verified_by": entry.verified_by,
        "superseded_by": entry.superseded_by,
        "canonical_key": entry.canonical_key,
    }
    if sessions is not None:
        shown["sessions"] = sessions
    return shown


def entries_table(found: Sequence[ListedEntry]) -> str:
    """id, type, stage, title and date; status, project and sessions only where they tell entries apart."""
    names = short_ids(one.entry.entry_id for one in found)
    rows = [
        {
            "id": names[one.entry.entry_id],
            "type": words_of(one.entry.entry_type),
            "kind": one.entry.kind,
            "from": SAID_BY_SHORT.get(one.entry.provenance, ""),
            "stage": one.entry.stage,
            "status": one.entry.status,
            "title": one_line(claim(one.entry)),
            "project": project_name(one.entry.project),
            "sessions": one.sessions,
            "code": one.freshness if one.freshness in (DRIFTED, GONE) else "",
            "date": render.day(one.entry.happened_at or one.entry.created_ts),
        }
        for one in found
    ]
    columns = ["id", "kind" if all(one.entry.kind for one in found) else "type", "from", "stage", "title", "date"]
    if any(one.sessions > 1 for one in found):
        columns.insert(-1, "sessions")
    if any(one.freshness in (DRIFTED, GONE) for one in found):
        columns.insert(-1, "code")
    if any(one.entry.status != "active" for one in found):
        columns.insert(columns.index("title"), "status")
    if several_projects(one.entry.project for one in found):
        columns.insert(columns.index("title") + 1, "project")
    return render.as_table(columns, rows, whole=True)


def claim(entry: EntryRow) -> str:
    """What an entry says, in a line: of an answered question also the answer."""
    if entry.entry_type != "decision" or entry.title.casefold() in entry.text.casefold():
        return entry.title
    return f"{entry.title} → {entry.text}"


# --- one entry ---------------------------------------------------------------------------------------------


def entry_shown_json(shown: EntryShown) -> dict[str, Any]:
    return {
        **entry_json(shown.entry, shown.sessions),
        "uses": shown.uses,
        "freshness": shown.freshness.state,
        "changed": shown.freshness.why,
        "history": [step._asdict() for step in shown.history],
        "evidence": [_quote_json(quote) for quote in shown.quotes],
        "conflicts": [{"id": c, "other_id": other, "resolution": how} for c, other, how in shown.conflicts],
        "tasks": list(shown.tasks),
    }


def _quote_json(quote: QuoteShown) -> dict[str, Any]:
    return {**quote._asdict(), "span": quote.span and list(quote.span), "citation": hits.cited(quote.citation)}


def entry_shown_as_text(shown: EntryShown, tasks: Mapping[str, TaskRow]) -> str:
    """An entry in full; `tasks` are those of its tasks whose titles are known."""
    entry = shown.entry
    parts = [render.bold(one_line(entry.title)), labelled(_facts(shown)), *_content(entry)]
    parts.append(_section("Stages", [_step(*step) for step in shown.history]))
    parts.append(_section("Evidence", [_quoted(n, quote) for n, quote in enumerate(shown.quotes, 1)] or ["none"]))
    parts.append(
        _section("Conflicts", [f"{c} with {other}: {one_line(how or 'open')}" for c, other, how in shown.conflicts])
    )
    parts.append(_section("Tasks", [_task(name, tasks.get(name)) for name in shown.tasks[:_TASKS_SHOWN]]))
    return "\n\n".join(part for part in parts if part)


def _facts(shown: EntryShown) -> list[tuple[str, str]]:
    entry = shown.entry
    by = f", superseded by {entry.superseded_by}" if entry.superseded_by else ""
    return [
        ("id", entry.entry_id),
        ("type", words_of(entry.entry_type)),
        ("kind", entry.kind),
        ("from", SAID_BY.get(entry.provenance, entry.provenance)),
        ("stage", entry.stage),
        ("status", (entry.status if not by else "") + by.removeprefix(", ")),
        ("confidence", f"{entry.confidence:.2f}"),
        ("rule", one_line(entry.rule)),
        ("verified by", one_line(entry.verified_by or "nobody")),
        ("project", one_line(entry.project)),
        ("session", one_line(entry.session_id)),
        ("date", render.day(entry.happened_at or entry.created_ts)),
        ("said in", render.counted(shown.sessions, "session")),
        ("used", render.counted(shown.uses, "time") if shown.uses else "never"),
        ("code", one_line(shown.freshness.label or (FRESH if shown.freshness.state == FRESH else ""))),
    ]


def _content(entry: EntryRow) -> list[str]:
    """The claim in full with its reason and target; text that only repeats the title is left out."""
    parts = [] if " ".join(entry.text.split()) == entry.title else [_indented(entry.text)]
    more = [(name, entry.content.get(name)) for name in ("rationale", "target", "status", "priority", "blockedBy")]
    rows = []
    for name, value in more:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
        rows.append((_CONTENT.get(name, name), one_line(text)))
    return [*parts, labelled(rows)]


_CONTENT = {"status": "task status", "blockedBy": "waits for"}


def _indented(text: str) -> str:
    return textwrap.indent(render.printable("\n".join(text.splitlines())).strip(), "  ")


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([render.bold(title), *(f"  {line}" for line in lines)]) if lines else ""


def _step(at: str, what: str, who: str, reason: str) -> str:
    why = f": {one_line(reason)}" if reason else ""
    return f"{at[:10]}  {one_line(what)}{why} {render.dim(f'· {one_line(who)}')}"


def _quoted(number: int, quote: QuoteShown) -> str:
    """A quote in its context, and the command that opens its lines."""
    lines = []
    if quote.quote:
        before = _beside(quote.before[-_AROUND_CHARS:]).lstrip()
        after = _beside(quote.after[:_AROUND_CHARS]).rstrip()
        if quote.span is not None and quote.span[0] > _AROUND_CHARS:
            before = f"…{before}"
        if len(quote.after) > _AROUND_CHARS:
            after += "…"
        said = one_line(quote.quote)
        said = said if len(said) <= _QUOTE_CHARS else said[:_QUOTE_CHARS] + "…"
        lines.append(f"{render.dim(before) if before else ''}«{said}»{render.dim(after) if after else ''}")
    if quote.reason:
        lines.append(one_line(quote.reason))
    if quote.citation is not None:
        found = f" · {quote.method}" + ("" if quote.confidence in (None, 1.0) else f" {quote.confidence:.2f}")
        lines.append(f"axm open {shlex.quote(one_line(quote.citation.text))}{render.dim(found)}")
    return f"{number}. " + "\n     ".join(lines)


def _beside(text: str) -> str:
    """On one line, with the blank between it and the quote, if there was one."""
    return render.printable(re.sub(r"\s+", " ", text))


def _task(name: str, task: TaskRow | None) -> str:
    return name if task is None else f"{name}  {words_of(task.status)}  {one_line(task.title)}"


# --- decisions ---------------------------------------------------------------------------------------------


def decided_json(row: Mapping[str, Any], evidence_ids: Sequence[str]) -> dict[str, Any]:
    """A row of the list of decisions; `evidence_ids` are the entries that one made by hand rests on."""
    shown = {"timestamp" if name == "at" else name: value for name, value in row.items()}
    return {**shown, "evidence_ids": list(evidence_ids)}


def decision_json(shown: DecisionShown) -> dict[str, Any]:
    return {
        "id": shown.decision_id,
        "timestamp": shown.at,
        "made_by": shown.actor,
        "decision": shown.action,
        "rationale": shown.reason or None,
        "project": shown.project,
        "evidence": [
            {"id": name, "title": title, "stage_then": stage, "role": role}
            for name, title, stage, role in shown.evidence
        ],
    }


def decision_as_text(shown: DecisionShown) -> str:
    """A decision made by hand, and the entries it rests on."""
    facts = [
        ("id", shown.decision_id),
        ("type", "decision, made with axm decision make"),
        ("made by", one_line(shown.actor)),
        ("reason", one_line(shown.reason)),
        ("project", one_line(shown.project or "")),
        ("date", render.day(shown.at)),
    ]
    rests = [
        f"{number}. {one_line(title)} {render.dim(f'· {stage} at the time, {words_of(role)} it')}\n"
        f"     axm entry show {name}"
        for number, (name, title, stage, role) in enumerate(shown.evidence, 1)
    ]
    return "\n\n".join(
        part for part in (render.bold(one_line(shown.action)), labelled(facts), _section("Rests on", rests)) if part
    )
