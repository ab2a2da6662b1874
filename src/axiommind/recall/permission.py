"""What an agent may be given of what was found: nothing that was withdrawn, that it was told before, that its own
session said, whose files are gone, or that was called not useful for such a prompt.

A claim that was superseded gives way to the one that took its place. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.recall.disclosure import IndexItem
    from axiommind.recall.request import IndexRequest

__all__ = ["TRUST", "allowed", "weighed"]

# What words are worth for a prompt, by where they come from: what anybody may have written comes after what the person
# and the agent said.
TRUST = {"tool": 0.9, "pasted": 0.8, "network": 0.8}


def allowed(db: sqlite3.Connection, request: IndexRequest, items: Sequence[IndexItem]) -> list[IndexItem]:
    """What may be given of items, or instead of them."""
    from axiommind.recall.withdrawn import already_told, without_withdrawn

    unwanted = _sessions(db, request.not_session)
    known = already_told(db, request.skip, items) if request.skip else frozenset()
    if request.not_session is not None:
        known |= _own(db, items, request.not_session)
    if request.of_one:  # a prompt of an agent's
        known |= _refused(db, request, items)

    def is_wanted(item: IndexItem) -> bool:
        entry = item.entry.entry_id if item.entry is not None else None
        return item.session_id not in unwanted and item.id not in known and entry not in known

    # Asked again, because others may have taken the place of what was withdrawn.
    found = [item for item in without_withdrawn(db, [one for one in items if is_wanted(one)]) if is_wanted(item)]
    found = _still_there(db, found)
    return _spread(db, found, request) if request.of_one and found else found


def _still_there(db: sqlite3.Connection, items: list[IndexItem]) -> list[IndexItem]:
    """Without the entries whose files are gone; those whose files changed say so."""
    entries = {item.entry.entry_id for item in items if item.entry is not None}
    if not entries:  # most prompts meet none
        return items
    from axiommind.freshness.state import GONE, Freshness, freshness_of

    states = freshness_of(db, entries)
    told = [(item, states.get(item.entry.entry_id, Freshness()) if item.entry else Freshness()) for item in items]
    return [item._replace(changed=state.label) for item, state in told if state.state != GONE]


def _refused(db: sqlite3.Connection, request: IndexRequest, items: Sequence[IndexItem]) -> frozenset[str]:
    """What was called not useful for such a prompt, and what says the same."""
    from axiommind.recall.feedback import PROMPT_HOOK, refused

    names = [name for item in items for name in (item.id, item.entry.entry_id if item.entry else item.id)]
    found = refused(db, PROMPT_HOOK, request.query.text, names, session=request.not_session)
    if not found:
        return frozenset()
    from axiommind.recall.withdrawn import already_told

    return already_told(db, found, items)


def _own(db: sqlite3.Connection, items: Sequence[IndexItem], session: str) -> frozenset[str]:
    """The items whose words a session holds itself, as a fork does."""
    if db.execute("select 1 from sessions where id = ?", (session,)).fetchone() is None:
        return frozenset()  # it has just begun, and nothing of it is indexed
    from axiommind.recall.withdrawn import copied
    from axiommind.search.reading.passage_ids import words_of

    words = {item.id: words_of(db, item.id) for item in items}
    own = copied(db, {passage for passages in words.values() for passage in passages}, session)
    return frozenset(name for name, passages in words.items() if not own.isdisjoint(passages))


def _spread(db: sqlite3.Connection, items: Sequence[IndexItem], request: IndexRequest) -> list[IndexItem]:
    """The first items, no more than so many of one session, counting those that were given before."""
    of_session: dict[str, int] = {}
    if request.skip:
        from axiommind.search.reading.passage_ids import sessions_of

        of_session = sessions_of(db, request.skip)
    kept = []
    for item in items:
        if item.session_id is not None:
            of_session[item.session_id] = of_session.get(item.session_id, 0) + 1
        if item.session_id is None or of_session[item.session_id] <= request.of_one:
            kept.append(item)
    return kept


def _sessions(db: sqlite3.Connection, session: str | None) -> set[str]:
    """A session and its subagents."""
    if session is None:
        return set()
    return {session, *(row[0] for row in db.execute("select id from sessions where parent_session = ?", (session,)))}


def weighed(db: sqlite3.Connection, request: IndexRequest, items: Sequence[IndexItem]) -> list[IndexItem]:
    """Items for an agent's prompt, less likely where their words are less trusted or things of their kind are seldom
    used; best first."""
    if not request.of_one or not items:
        return list(items)
    from axiommind.grounding.usefulness import weights
    from axiommind.recall.feedback import PROMPT_HOOK

    found = [item._replace(score=item.score * TRUST.get(item.provenance, 1.0)) for item in items]
    by_kind = weights(db, PROMPT_HOOK, request.query.filters.project)
    if by_kind:
        from axiommind.projections.item_kinds import item_kinds

        kinds = item_kinds(db, {item.id: item.type for item in items})
        found = [item._replace(score=min(item.score * by_kind.get(kinds[item.id], 1.0), 1.0)) for item in found]
    return sorted(found, key=lambda item: -item.score)
