"""The proposals of a home: listing them, and a person's yes or no. A yes does what was asked, as the person's."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.callers import Caller
from axiommind.errors import BadQuery, NotFound, PersonOnly
from axiommind.home import Home, Scope
from axiommind.ids import canonical_json, dedupe_key, one_of
from axiommind.projections.proposal_rows import AgentProposal, count_open_proposals, get_proposal, list_proposals

if TYPE_CHECKING:
    import sqlite3

__all__ = ["ConfirmedProposal", "Proposals"]

_IDS = "select proposal_id from proposals"


class ConfirmedProposal(NamedTuple):
    """A proposal that a person confirmed, and what the library's method returned."""

    proposal: AgentProposal
    result: Any


class Proposals:
    """Lists proposals, and confirms or declines them on a person's word."""

    def __init__(self, home: Home, acts: Mapping[str, Callable[..., Any]]) -> None:
        self.home = home
        self._acts = acts

    def list(self, scope: Scope, *, every: bool = False, limit: int = -1) -> builtins.list[AgentProposal]:
        """Open proposals, the oldest first; with `every` those that were decided too."""
        if not self.home.config.index_path.exists():
            return []
        with self.home.reading(Scope(None), None) as db:
            return list_proposals(db, scope.project, every=every, limit=limit)

    def count(self, scope: Scope) -> int:
        """How many wait for a person."""
        if not self.home.config.index_path.exists():
            return 0
        with self.home.reading(Scope(None), None) as db:
            return count_open_proposals(db, scope.project)

    def show(self, name: str) -> AgentProposal:
        with self.home.reading(Scope(None), None) as db:
            return _named(db, name)

    def confirm(self, name: str, *, caller: Caller | None = None) -> ConfirmedProposal:
        """Do what was asked for. One that was declined can still be confirmed; one that was confirmed is done."""
        who = _person(caller or self.home.caller, "confirm")
        proposal = self.show(name)
        if proposal.status == "confirmed":
            raise BadQuery(f"{proposal.id} was confirmed already", hint=f"axm proposal show {proposal.id}")
        # First the act: cut off in between, it is done and still asked about, which a person can see and decline.
        result = self._acts[proposal.act](**proposal.args, caller=who)
        self._decide(proposal, "confirmed", "", who)
        return ConfirmedProposal(self._after(proposal), result)

    def decline(self, name: str, reason: str = "", *, caller: Caller | None = None) -> AgentProposal:
        """Say no. The same request makes no proposal again."""
        who = _person(caller or self.home.caller, "decline")
        proposal = self.show(name)
        if proposal.status != "open":
            raise BadQuery(f"{proposal.id} was {proposal.status} already", hint=f"axm proposal show {proposal.id}")
        self._decide(proposal, "declined", reason, who)
        return self._after(proposal)

    def _decide(self, proposal: AgentProposal, how: str, reason: str, caller: Caller) -> None:
        from axiommind.log import seal_lines
        from axiommind.projections.runner import Segments
        from axiommind.text.redaction import Redactor

        payload: dict[str, Any] = {"proposal_id": proposal.id}
        with self.home.writing([]) as (log, key, index):
            blobs = []
            if reason.strip():
                text = canonical_json({"reason": reason.strip()}).encode("utf-8", "replace")
                sealed, _ = seal_lines(Redactor(key), key, [text])
                payload, blobs = {**payload, "blob": sealed.hash}, [sealed]
            log.append_dedup(
                f"proposal_{how}",
                actor=caller.actor,
                payload=payload,
                dedupe_key=dedupe_key("proposal", how, proposal.id),
                session_id=proposal.session_id,
                project=proposal.project,
                blobs=blobs,
            )
            index.catch_up(log, Segments(log))

    def _after(self, proposal: AgentProposal) -> AgentProposal:
        """As it is now; where it went with what was forgotten, as it was."""
        with self.home.reading(Scope(None), None) as db:
            return get_proposal(db, proposal.id) or proposal._replace(status="confirmed")


def _person(caller: Caller, verb: str) -> Caller:
    if not caller.is_person:
        raise PersonOnly(f"only a person can {verb} a proposal", caller.why)
    return caller


def _named(db: sqlite3.Connection, name: str) -> AgentProposal:
    known = {row[0] for row in db.execute(_IDS)}
    found = get_proposal(db, one_of(name.strip(), known, "proposal", "axm proposal list shows them"))
    if found is None:
        raise NotFound(f"there is no proposal {name!r}", hint="axm proposal list shows them")
    return found
