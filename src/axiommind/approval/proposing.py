"""Asking: a person's request goes ahead, an agent's becomes a proposal. Nothing else is written for an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.approval.requests import PersonRequest
    from axiommind.callers import Caller
    from axiommind.log import EventLog
    from axiommind.projections.runner import Index

__all__ = ["require_person"]

# Why it is asked for does not make it another request: an agent that finds new words has not found a new thing.
_WORDS = ("reason",)


def require_person(log: EventLog, key: bytes, index: Index, caller: Caller, request: PersonRequest) -> None:
    """Return for a person. For an agent, write the proposal and raise `NeedsPerson`; the same request is one proposal
    while it is open, and what a person declined stays declined. Not to be called inside a transaction of the log."""
    if caller.is_person:
        return
    from axiommind.approval.requests import in_words
    from axiommind.errors import BadQuery, NeedsPerson
    from axiommind.ids import canonical_json, dedupe_key
    from axiommind.log import seal_lines
    from axiommind.projections.proposal_rows import last_of_request
    from axiommind.projections.runner import Segments
    from axiommind.text.redaction import Redactor

    redactor = Redactor(key)
    args = {name: redactor.value(value) for name, value in request.args.items()}
    asked = {name: value for name, value in args.items() if name not in _WORDS}
    request_key = dedupe_key("request", request.act, canonical_json(asked))
    what = in_words(request.act, args)
    last, confirmed = last_of_request(index.db, request_key)
    if last is not None and last.status == "declined":
        raise BadQuery(
            f"a person declined this before ({last.id}): {what}",
            hint="only a person can do it now, in a terminal of their own",
        )
    name = f"prp_{dedupe_key('proposal', request_key, confirmed)[:16]}"
    text = canonical_json({"args": args, "asked_by": redactor.text(caller.name)}).encode("utf-8", "replace")
    sealed, _ = seal_lines(redactor, key, [text])
    log.append_dedup(
        "proposal_made",
        actor=caller.actor,
        payload={
            "proposal_id": name,
            "request_key": request_key,
            "act": request.act,
            "about": request.about,
            "blob": sealed.hash,
        },
        dedupe_key=dedupe_key("proposal_made", name),
        session_id=request.session or name,
        project=request.project,
        blobs=[sealed],
    )
    index.catch_up(log, Segments(log))
    raise NeedsPerson(name, what, caller.why)
