"""The history of an entry: every event about it as a sentence."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.surfaces.render.entries import iso, words_of
from axiommind.surfaces.render.provenance import SAID_BY

if TYPE_CHECKING:
    from axiommind.learning.decisions import DecisionShown
    from axiommind.learning.entry_view import EntryShown
    from axiommind.model import Event

__all__ = ["Told", "decision_story", "story"]


class Told(NamedTuple):
    at: str  # when it was written down
    what: str
    who: str
    event_id: str | None
    event_type: str
    timestamp: int | None  # when it happened


def story(shown: EntryShown, events: Sequence[Event]) -> list[Told]:
    """The events in order, each as one or more sentences."""
    teller = _Teller(shown)
    return [
        Told(iso(event.ts), what, event.actor, event.event_id, event.event_type, event.happened_at)
        for event in events
        for what in teller.told(event)
    ]


def decision_story(shown: DecisionShown) -> list[Told]:
    """The history of a decision made by hand: that it was made, and on what evidence."""
    reason = f": {shown.reason}" if shown.reason else ""
    said = [f"decided{reason}"]
    for name, title, stage, role in shown.evidence:
        how = "rests on" if role == "supports" else f"{words_of(role)}:"
        said.append(f"{how} {name}, {stage} then: {title}")
    return [Told(iso(shown.at), what, shown.actor, None, "decision_made", shown.at) for what in said]


class _Teller:
    def __init__(self, shown: EntryShown) -> None:
        self._entry = shown.entry
        self._quotes = shown.quotes
        # The reason of a ruling is in a blob; the entry's own history has read it, in the same order.
        self._rulings = deque(step for step in shown.history if "→" not in step.what)

    def told(self, event: Event) -> Iterator[str]:
        tell = getattr(self, f"_{event.event_type}", None)
        if tell is None:
            yield words_of(event.event_type)
            return
        yield from tell(event.payload)

    def _mine(self, listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        return [one for one in listed if one["entry_id"] == self._entry.entry_id]

    def _session_ingested(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"read {given['messages']:,} messages of session {self._entry.session_id}"

    def _memory_extracted(self, given: dict[str, Any]) -> Iterator[str]:
        rule = self._entry.rule
        if given["extractor"] in ("agent", "person"):
            whom = "an agent" if rule == "agent" else "a person"
            yield f"remembered for {whom}, confidence {self._entry.confidence:.2f}"
            return
        how = f" (rule {rule})" if rule != given["extractor"] else ""
        model = f" with {given['model']}" if given["model"] not in ("", given["extractor"]) else ""
        whose = SAID_BY.get(self._entry.provenance, "")
        yield f"extracted by {given['extractor']}{model}{how}, {whose}, confidence {self._entry.confidence:.2f}"

    def _evidence_aligned(self, given: dict[str, Any]) -> Iterator[str]:
        for one in self._mine(given["entries"]):
            if not one["evidence"]:
                yield "no evidence was given"
            for n, place in enumerate(one["evidence"]):
                if "reason" in place:
                    yield f"evidence not found: {place['reason']}"
                    continue
                cited = self._quotes[n].citation if n < len(self._quotes) else None
                sure = "" if place["confidence"] == 1 else f" {place['confidence']:.2f}"
                yield f"evidence found: {place['method']}{sure}, {cited.text if cited else 'its file is gone'}"

    def _idris_checked(self, given: dict[str, Any]) -> Iterator[str]:
        # The first events of this type had objects where later ones have lists.
        checkers = [(one["name"], one["version"]) if isinstance(one, dict) else one[:2] for one in given["checkers"]]
        names = " and ".join(name if name == "builtin" else f"{name} {version}" for name, version in checkers)
        for one in self._mine(given["results"]):
            failed = f" ({', '.join(one['failed'])})" if one["failed"] else ""
            yield f"checked by {names}: {'passed' if one['passed'] else 'failed'}{failed}"
        if not given["agree"]:
            yield "the checkers disagree: see axm doctor"

    def _support_checked(self, given: dict[str, Any]) -> Iterator[str]:
        for one in self._mine(given["entries"]):
            yield f"asked again whether its words bear it out: {one['support']}"

    def _promoted(self, given: dict[str, Any]) -> Iterator[str]:
        from axiommind.projections.entry_rows import STAGES

        for one in self._mine(given["changes"]):
            verb = "raised" if STAGES.index(one["to"]) > STAGES.index(one["from"]) else "lowered"
            yield f"{verb} {one['from']} → {one['to']}: {one['reason']} ({given['policy']}-{given['version']})"

    def _conflict_detected(self, given: dict[str, Any]) -> Iterator[str]:
        other = given["newer_id"] if given["older_id"] == self._entry.entry_id else given["older_id"]
        yield f"conflict {given['conflict_id']} with {other}: {given['reason']}"

    def _conflict_resolved(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"conflict {given['conflict_id']} settled: {given['resolution']}"

    def _ruled(self, given: dict[str, Any], done: str) -> Iterator[str]:
        if given["entry_id"] != self._entry.entry_id:  # only named: it supersedes another one
            yield f"supersedes {given['entry_id']}"
            return
        reason = self._rulings.popleft().reason if self._rulings else given.get("reason", "")
        by = f" by {given['other_id']}" if given.get("other_id") else ""
        yield f"{done}{by}" + (f": {reason}" if reason else "")

    def _entry_contested(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "contested")

    def _entry_superseded(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "superseded")

    def _entry_deprecated(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "deprecated")

    def _entry_restored(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "restored")

    def _entry_withdrawn(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "withdrawn")

    def _entry_returned(self, given: dict[str, Any]) -> Iterator[str]:
        return self._ruled(given, "returned")

    def _entry_used(self, given: dict[str, Any]) -> Iterator[str]:
        yield {"shown": "shown", "decision": "cited by a decision"}.get(given["how"], f"used: {given['how']}")

    def _decision_made(self, _given: dict[str, Any]) -> Iterator[str]:
        yield "cited by a decision"

    def _task_created(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"opened task {given['task_id']} as {words_of(given['status'])}"

    def _task_status_changed(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"moved task {given['task_id']}: {words_of(given['from'])} → {words_of(given['to'])}"

    def _task_priority_changed(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"priority of task {given['task_id']}: {given['from'] or 'none'} → {given['to'] or 'none'}"

    def _task_title_changed(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"renamed task {given['task_id']}"

    def _task_blockers_set(self, given: dict[str, Any]) -> Iterator[str]:
        names = ", ".join(one["entity_id"] for one in given["blockers"]) or "nothing"
        yield f"task {given['task_id']} {'may wait' if given['mode'] == 'suggest' else 'waits'} for {names}"

    def _conflict_reopened(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"conflict {given['conflict_id']} reopened"

    def _task_mentioned(self, given: dict[str, Any]) -> Iterator[str]:
        yield f"mentioned task {given['task_id']} without changing it"

    def _task_transition_rejected(self, given: dict[str, Any]) -> Iterator[str]:
        change = f"{words_of(given['from'])} → {words_of(given['to'])}"
        yield f"task {given['task_id']}: {change} was refused ({given['reason']})"
