"""`axm://entry/{id}`: an entry with its evidence and its history."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from axiommind.errors import AxmError
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import resource
from axiommind.surfaces.mcp.resources._markdown import MARKDOWN, clipped, completed_by

if TYPE_CHECKING:
    from axiommind.learning.entry_view import EntryShown

ORDER = 20


@resource(
    "axm://entry/{id}",
    "entry",
    "An entry",
    "What was learned, how far it is believed, and the words that it rests on.",
    mime=MARKDOWN,
    complete={"id": completed_by("select entry_id from entries order by created_ts desc limit 5000")},
)
def entry(ctx: Context, id: str) -> str:  # noqa: A002 - the template's word
    shown = ctx.memory.entries.show(id)
    text = ctx.fence(_markdown(shown))
    with contextlib.suppress(AxmError, OSError, sqlite3.Error):  # an entry is shown even if its use cannot be noted
        ctx.memory.entries.note_use([shown.entry.entry_id], "shown")
    return text


def _markdown(shown: EntryShown) -> str:
    from axiommind.surfaces.render.entries import iso, one_line, words_of
    from axiommind.surfaces.render.provenance import SAID_BY
    from axiommind.surfaces.render.tables import counted

    entry = shown.entry
    facts = [
        f"{entry.entry_id} · {words_of(entry.entry_type)} · {entry.stage} · {entry.status}",
        f"confidence {entry.confidence:.2f} by {entry.rule} · {iso(entry.happened_at or entry.created_ts)[:10]}",
        f"session {entry.session_id} · {entry.project} · "
        f"said in {counted(shown.sessions, 'session')}, used {counted(shown.uses, 'time')}",
    ]
    facts.append(SAID_BY.get(entry.provenance, entry.provenance))
    if entry.superseded_by:
        facts.append(f"superseded by {entry.superseded_by}")
    parts = [f"# {one_line(entry.title)}", "\n".join(facts)]
    if " ".join(entry.text.split()) != entry.title:
        parts.append(entry.text)
    parts += [f"**{name}**: {value}" for name in ("rationale", "target") if (value := entry.content.get(name))]
    quotes = []
    for quote in shown.quotes:
        where = f" — {quote.citation.text}" if quote.citation is not None else ""
        quotes.append(f"> {one_line(quote.quote)}{where}" if quote.quote else f"> ({one_line(quote.reason or 'gone')})")
    parts.append("\n\n".join(["## Evidence", *(quotes or ["none"])]))
    history = [f"- {step.at[:10]} {step.what}: {one_line(step.reason)} ({step.who})" for step in shown.history]
    parts.append("\n".join(["## Standing", *history]))
    if shown.conflicts:
        parts.append(
            "\n".join(["## Conflicts", *(f"- {c} with {other}: {how or 'open'}" for c, other, how in shown.conflicts)])
        )
    return clipped("\n\n".join(parts), f"axm entry show {entry.entry_id} shows all of it")
