"""What a model must answer, and the only way from there to drafts.

The schema is sent along where a server takes one; nobody is believed to have kept to it. `read` takes any text and
gives drafts within bounds, or `BadAnswer` with what was wrong, in words that help the model to put it right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from axiommind.extraction.drafts import Draft, DraftBlocker, DraftStep, Quote
from axiommind.llm.asking import BadAnswer
from axiommind.projections.task_fold import PRIORITIES
from axiommind.text.summary import on_one_line, preview

__all__ = [
    "MOST_CONFIDENCE",
    "MOST_ENTRIES",
    "QUOTE_CHARS",
    "SCHEMA",
    "TEXT_CHARS",
    "TITLE_CHARS",
    "AnsweredDrafts",
    "read",
]

TITLE_CHARS = 200
TEXT_CHARS = 4_000
QUOTE_CHARS = 2_000
MOST_ENTRIES = 200
MOST_QUOTES = 20  # of one entry; also what it waits for
# What a model says of its own certainty is not a precision that anybody measured, so it counts for less than a rule's.
MOST_CONFIDENCE = 0.8
# More than the longest answer that can be valid, and little enough to read.
_ANSWER_CHARS = 8_000_000

_TYPES = ("fact", "decision", "insight", "task", "reference")
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
_OBJECT = re.compile(r'\{\s*["}]')  # a brace in prose opens no object
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
# No lengths or ranges: some servers refuse a schema that has them.
SCHEMA: dict[str, Any] = _object(
    entries={
        "type": "array",
        "items": _object(
            type={"type": "string", "enum": list(_TYPES)},
            title=_TEXT,
            text=_TEXT,
            rationale=_MAYBE,
            target=_MAYBE,
            confidence={"type": "number"},
            evidence={"type": "array", "items": _object(messageIndex={"type": "integer"}, quote=_TEXT)},
            status=_MAYBE,
            priority=_MAYBE,
            blockedBy={"type": ["array", "null"], "items": _TEXT},
        ),
    }
)


class _EvidenceField(msgspec.Struct, rename="camel"):
    message_index: Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)]
    quote: str


class _EntryField(msgspec.Struct, rename="camel"):
    type: Literal["fact", "decision", "insight", "task", "reference"]
    title: str
    text: str
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]
    evidence: list[_EvidenceField]
    rationale: str | None = None
    target: str | None = None
    status: str | None = None
    priority: str | None = None
    blocked_by: list[str] | None = None


class _EntryList(msgspec.Struct):
    entries: Annotated[list[_EntryField], msgspec.Meta(max_length=MOST_ENTRIES)]


class AnsweredDrafts(NamedTuple):
    drafts: tuple[Draft, ...]
    notes: tuple[str, ...]  # what was left out of the answer, and why


def read(text: str, rule: str, times: Sequence[int | None] = ()) -> AnsweredDrafts:
    """The drafts in a model's answer. `rule` names what made them; `times` are those of the messages."""
    try:
        answered = msgspec.convert(_only_object(text), _EntryList)
    except msgspec.ValidationError as error:
        raise BadAnswer(str(error)) from None
    except RecursionError:
        raise BadAnswer("the JSON is nested too deeply") from None
    drafts: list[Draft] = []
    notes: list[str] = []
    for n, entry in enumerate(answered.entries):
        left_out: list[str] = []
        draft = _draft(entry, rule, times, left_out)
        notes += [f"{rule}: entry {n}: {why}" for why in left_out]
        if draft is not None:
            drafts.append(draft)
    return AnsweredDrafts(tuple(drafts), tuple(notes))


def _only_object(text: str) -> Any:
    """The one JSON object in a text, whatever stands around it."""
    if len(text) > _ANSWER_CHARS:
        raise BadAnswer(f"the answer has {len(text):,} characters; give fewer entries")
    if not text.strip():
        raise BadAnswer("the answer is empty")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if not isinstance(whole, dict):
            raise BadAnswer("the answer is JSON, but not an object with `entries`")
        return whole
    objects = list(_objects(text))
    if not objects:
        raise BadAnswer("there is no JSON object in the answer")
    if len(objects) > 1:
        raise BadAnswer("there are several JSON objects in the answer; give one")
    return objects[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    end = 0
    while start := _OBJECT.search(text, end):
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            # What stands inside half an object is no answer either.
            raise BadAnswer(f"the JSON in the answer is broken or was cut off: {error}") from None
        yield value


def _draft(entry: _EntryField, rule: str, times: Sequence[int | None], left_out: list[str]) -> Draft | None:
    title = preview(_clean(entry.title), TITLE_CHARS)
    quotes = _quotes(entry.evidence, left_out)
    if not title or not quotes:
        left_out.append("left out, it has no title" if not title else "left out, nothing is quoted for it")
        return None
    when = next((times[q.message] for q in quotes if 0 <= q.message < len(times)), None)
    draft = Draft(
        type="task_note" if entry.type == "task" else entry.type,
        title=title,
        text=_bounded(entry.text, TEXT_CHARS) or title,
        quotes=quotes,
        rule=rule,
        confidence=min(entry.confidence, MOST_CONFIDENCE),
        rationale=_bounded(entry.rationale or "", TEXT_CHARS),
        target=_target(entry.target or "", left_out),
        timestamp=when,
        # Of the same title, another text is another claim; a task is followed by its status instead.
        value=_bounded(entry.text, TEXT_CHARS) if entry.type in ("fact", "decision") else "",
    )
    if entry.type != "task":
        return draft
    return draft._replace(
        steps=(DraftStep(_status(entry.status, left_out), quotes, when),),
        priority=_priority(entry.priority, left_out),
        blocked_by=_blockers(entry.blocked_by or [], left_out),
    )


def _quotes(evidence: list[_EvidenceField], left_out: list[str]) -> tuple[Quote, ...]:
    # A quote that is too long loses its end, and no ellipsis comes there: what is left was still said.
    given = [Quote(e.message_index, _clean(e.quote).strip()[:QUOTE_CHARS].rstrip()) for e in evidence]
    quotes = list(dict.fromkeys(quote for quote in given if quote.text))
    if not all(quote.text for quote in given):
        left_out.append("an empty quote was left out")
    if len(quotes) > MOST_QUOTES:
        left_out.append(f"{len(quotes) - MOST_QUOTES} of its quotes were left out")
    return tuple(quotes[:MOST_QUOTES])


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
