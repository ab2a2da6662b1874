"""What a model must answer, and the only way from there to drafts.

The schema is sent along where a server takes one; nobody is believed to have kept to it. `read` takes any text and
gives drafts within bounds, or `BadAnswer` with what was wrong, in words that help the model to put it right.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from axiommind.extraction.drafts import Draft, DraftBlocker, DraftStep, Quote
from axiommind.llm.asking import BadAnswer
from axiommind.llm.json_answers import only_object
from axiommind.projections.task_fold import PRIORITIES
from axiommind.text.summary import on_one_line, preview

__all__ = [
    "ASKED_KINDS",
    "MOST_ANCHORS",
    "MOST_CONFIDENCE",
    "MOST_ENTRIES",
    "MOST_ITEMS",
    "MOST_OPEN",
    "QUOTE_CHARS",
    "SCHEMA",
    "TEXT_CHARS",
    "TITLE_CHARS",
    "AnsweredDrafts",
    "ShownMaterial",
    "most_useful",
    "read",
]

TITLE_CHARS = 200
TEXT_CHARS = 4_000
QUOTE_CHARS = 2_000
MOST_ITEMS = 7  # kept of one session
MOST_OPEN = 3  # and of what it left open
MOST_ENTRIES = 200  # an answer with more is not read at all
MOST_ANCHORS = 10
_ANCHOR_CHARS = 300
MOST_QUOTES = 20  # of one entry; also what it waits for
# What a model says of its own certainty is not a precision that anybody measured, so it counts for less than a rule's.
MOST_CONFIDENCE = 0.8

# What is asked for, and the type of entry that it becomes: the type says how a claim is checked.
ASKED_KINDS = {
    "preference": "fact",
    "decision": "decision",
    "convention": "fact",
    "gotcha": "insight",
    "howto": "fact",
    "domain": "fact",
    "open": "task",
}
_STATUSES = {
    "pending": "pending",
    "todo": "pending",
    "open": "pending",
    "in_progress": "in_progress",
    "started": "in_progress",
    "blocked": "blocked",
    "waiting": "blocked",
    "done": "done",
    "completed": "done",
    "complete": "done",
    "finished": "done",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "deleted": "cancelled",
    "dropped": "cancelled",
}
_PRIORITIES = {**dict(zip(PRIORITIES, PRIORITIES, strict=True)), "urgent": "critical", "normal": "medium"}
_HALF_PAIRS = re.compile("[\ud800-\udfff]")


def _object(**properties: Any) -> dict[str, Any]:
    """Strict modes want every property required, and no others; what may be missing may be null instead."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
# No lengths or ranges: some servers refuse a schema that has them.
SCHEMA: dict[str, Any] = _object(
    entries={
        "type": "array",
        "items": _object(
            kind={"type": "string", "enum": list(ASKED_KINDS)},
            title=_TEXT,
            text=_TEXT,
            rationale=_MAYBE,
            evidence={"type": "array", "items": _object(messageIndex={"type": "integer"}, quote=_TEXT)},
            anchors=_TEXTS,
            supersedes=_TEXTS,
            refutedBy={"type": ["integer", "null"]},
            worth={"type": "integer"},
            confidence={"type": "number"},
        ),
    }
)


_Number = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)]


class _EvidenceField(msgspec.Struct, rename="camel"):
    message_index: _Number
    quote: str


class _EntryField(msgspec.Struct, rename="camel"):
    """`kind` is asked for; `type`, `target`, `status`, `priority` and `blockedBy` were before, and are still read."""

    title: str
    text: str
    evidence: list[_EvidenceField]
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = MOST_CONFIDENCE
    kind: Literal["preference", "decision", "convention", "gotcha", "howto", "domain", "open"] | None = None
    type: Literal["fact", "decision", "insight", "task", "reference"] | None = None
    rationale: str | None = None
    anchors: list[str] | None = None
    supersedes: list[str] | None = None
    refuted_by: _Number | None = None
    worth: _Number | None = None
    target: str | None = None
    status: str | None = None
    priority: str | None = None
    blocked_by: list[str] | None = None


class _EntryList(msgspec.Struct):
    entries: Annotated[list[_EntryField], msgspec.Meta(max_length=MOST_ENTRIES)]


class AnsweredDrafts(NamedTuple):
    drafts: tuple[Draft, ...]
    notes: tuple[str, ...]  # what was left out of the answer, and why
    worths: tuple[int, ...] = ()  # of each draft: how useful the model thinks it is, 1 to 3


class ShownMaterial(NamedTuple):
    """What a model was shown, against which its answer is judged: the messages and, by their short ids, the entries."""

    messages: Container[int]
    ids: Mapping[str, str] = {}


def read(text: str, rule: str, times: Sequence[int | None] = (), shown: ShownMaterial | None = None) -> AnsweredDrafts:
    """The drafts in a model's answer. `rule` names what made them; `times` are those of the messages. What was
    `shown` decides which of the numbers and ids in the answer mean anything."""
    try:
        answered = msgspec.convert(only_object(text), _EntryList)
    except msgspec.ValidationError as error:
        raise BadAnswer(str(error)) from None
    except RecursionError:
        raise BadAnswer("the JSON is nested too deeply") from None
    seen = shown or ShownMaterial(range(len(times)))
    drafts: list[Draft] = []
    notes: list[str] = []
    worths: list[int] = []
    for n, entry in enumerate(answered.entries):
        left_out: list[str] = []
        draft = None if _is_refuted(entry, seen, left_out) else _draft(entry, rule, times, seen, left_out)
        notes += [f"{rule}: entry {n}: {why}" for why in left_out]
        if draft is not None:
            drafts.append(draft)
            worths.append(min(max(2 if entry.worth is None else entry.worth, 1), 3))
    return AnsweredDrafts(tuple(drafts), tuple(notes), tuple(worths))


def most_useful(drafts: Sequence[tuple[Draft, int]]) -> list[Draft]:
    """So many as one session may give, by their worth and then as they came: `MOST_ITEMS`, and `MOST_OPEN` that are
    left to do."""
    ranked = sorted(range(len(drafts)), key=lambda n: -drafts[n][1])
    open_ = [n for n in ranked if drafts[n][0].type == "task_note"][:MOST_OPEN]
    items = [n for n in ranked if drafts[n][0].type != "task_note"][:MOST_ITEMS]
    return [drafts[n][0] for n in sorted((*items, *open_))]


def _is_refuted(entry: _EntryField, shown: ShownMaterial, left_out: list[str]) -> bool:
    """Whether a later message undoes it, as the model itself says. One that was not shown, or that comes before what
    is quoted, undoes nothing."""
    by = entry.refuted_by
    if by is None:
        return False
    if by in shown.messages and all(by > one.message_index for one in entry.evidence):
        left_out.append(f"left out, message {by} undoes it")
        return True
    left_out.append(f"message {by} cannot undo it")
    return False


def _draft(
    entry: _EntryField, rule: str, times: Sequence[int | None], shown: ShownMaterial, left_out: list[str]
) -> Draft | None:
    if entry.kind is None and entry.type is None:
        raise BadAnswer("an entry has no `kind`")
    kind = ASKED_KINDS[entry.kind] if entry.kind is not None else str(entry.type)
    title = preview(_clean(entry.title), TITLE_CHARS)
    quotes = _quotes(entry.evidence, left_out)
    if not title or not quotes:
        left_out.append("left out, it has no title" if not title else "left out, nothing is quoted for it")
        return None
    when = next((times[q.message] for q in quotes if 0 <= q.message < len(times)), None)
    draft = Draft(
        type="task_note" if kind == "task" else kind,
        title=title,
        text=_bounded(entry.text, TEXT_CHARS) or title,
        quotes=quotes,
        rule=rule,
        confidence=min(entry.confidence, MOST_CONFIDENCE),
        rationale=_bounded(entry.rationale or "", TEXT_CHARS),
        target=_target(entry.target or "", left_out),
        timestamp=when,
        value=_value(entry, kind, title),
        kind=entry.kind or "",
        supersedes=_superseded(entry.supersedes or [], shown, left_out),
        anchors=_anchors(entry.anchors or [], left_out),
    )
    if kind != "task":
        return draft
    return draft._replace(
        steps=(DraftStep(_status(entry.status, left_out), quotes, when),),
        priority=_priority(entry.priority, left_out),
        blocked_by=_blockers(entry.blocked_by or [], left_out),
    )


def _value(entry: _EntryField, kind: str, title: str) -> str:
    """What two claims of the same title have to agree in. A title that is asked for as a claim says it all: the same
    one in another session is the same claim in other words. It used to be a name, of which another text was another
    claim. A task is followed by its status instead."""
    if entry.kind is not None:
        return title if kind != "task" else ""
    return _bounded(entry.text, TEXT_CHARS) if kind in ("fact", "decision") else ""


def _quotes(evidence: list[_EvidenceField], left_out: list[str]) -> tuple[Quote, ...]:
    # A quote that is too long loses its end, and no ellipsis comes there: what is left was still said.
    given = [Quote(e.message_index, _clean(e.quote).strip()[:QUOTE_CHARS].rstrip()) for e in evidence]
    quotes = list(dict.fromkeys(quote for quote in given if quote.text))
    if not all(quote.text for quote in given):
        left_out.append("an empty quote was left out")
    if len(quotes) > MOST_QUOTES:
        left_out.append(f"{len(quotes) - MOST_QUOTES} of its quotes were left out")
    return tuple(quotes[:MOST_QUOTES])


def _superseded(said: list[str], shown: ShownMaterial, left_out: list[str]) -> tuple[str, ...]:
    """The entries that these short ids name. Nothing that was not shown can be replaced."""
    found = [shown.ids.get(one.strip(" ()[]").casefold()) for one in said]
    if None in found:
        left_out.append(f"{found.count(None)} of the ids that it supersedes were not shown")
    return tuple(dict.fromkeys(one for one in found if one is not None))[:MOST_QUOTES]


def _anchors(said: list[str], left_out: list[str]) -> tuple[str, ...]:
    texts = list(dict.fromkeys(on_one_line(_clean(text)).strip() for text in said))
    anchors = [text for text in texts if 0 < len(text) <= _ANCHOR_CHARS]
    if len(anchors) > MOST_ANCHORS:
        left_out.append(f"{len(anchors) - MOST_ANCHORS} of its anchors were left out")
    return tuple(anchors[:MOST_ANCHORS])


def _status(said: str | None, left_out: list[str]) -> str:
    status = _STATUSES.get(_word(said), "") if said else "pending"
    if not status:
        left_out.append(f"no task has the status {_shown(said)}; pending was put")
    return status or "pending"


def _priority(said: str | None, left_out: list[str]) -> str | None:
    priority = _PRIORITIES.get(_word(said)) if said else None
    if said and priority is None:
        left_out.append(f"no task has the priority {_shown(said)}; it was left out")
    return priority


def _blockers(said: list[str], left_out: list[str]) -> tuple[DraftBlocker, ...]:
    texts = list(dict.fromkeys(preview(_clean(text), TITLE_CHARS) for text in said))
    blockers = [DraftBlocker(text) for text in texts if text]
    if len(blockers) > MOST_QUOTES:
        left_out.append(f"{len(blockers) - MOST_QUOTES} of what it waits for were left out")
    return tuple(blockers[:MOST_QUOTES])


def _target(said: str, left_out: list[str]) -> str:
    target = on_one_line(_clean(said))
    if len(target) <= QUOTE_CHARS:
        return target
    left_out.append("its target is too long and was left out")  # half a URL leads somewhere else
    return ""


def _word(said: str | None) -> str:
    return re.sub(r"[\s-]+", "_", (said or "").strip().casefold())


def _shown(said: str | None) -> str:
    return repr(preview(_clean(said or ""), 40))


def _clean(text: str) -> str:
    """Without what cannot be written down: halves of surrogate pairs and NUL."""
    return _HALF_PAIRS.sub("\ufffd", text).replace("\x00", "")


def _bounded(text: str, limit: int) -> str:
    text = _clean(text).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
