"""The second question about a session: do the quoted words bear each claim out, and does a later message undo it?

One call for all claims of a session, and cheap: the claims, their quotes and the few later messages that speak of the
same things. The model gives verdicts; code judges them. What a later message undoes is dropped, and so is what its
words do not bear out, unless they are the person's own: that stays, and is marked. No answer: nothing changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from axiommind.errors import AxmError
from axiommind.extraction.conversation import frame, label, plain
from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.instructions import CHECK_INSTRUCTION
from axiommind.ids import dedupe_key
from axiommind.llm.asking import BadAnswer, NoAnswer, ask_until_read
from axiommind.llm.contract import Answered, Question, Unreachable
from axiommind.llm.json_answers import only_object
from axiommind.text.keywords import keywords

if TYPE_CHECKING:
    from axiommind.llm.budget import Spending
    from axiommind.llm.contract import Provider
    from axiommind.projections.transcript import Transcript

__all__ = ["CHECK_SCHEMA", "CheckedClaim", "CheckedDrafts", "SupportVerdict", "ask_support", "check_drafts"]

UNSUPPORTED_CONFIDENCE = 0.3  # of what its words do not bear out: far below what is ever verified
_LATER = 5  # later messages that are shown for a claim
_REPLIES = 2  # of them, what the person said next
_LINE_CHARS = 300
_QUOTE_CHARS = 400
_CLAIM_CHARS = 800
_SHORT_CHARS = 80  # a shorter quote of a person is shown with what it answers
_READ_CHARS = 3_000  # of a message, when it is looked through for the names of a claim
_COMMON = 0.2  # a word of more than this share of the messages tells nothing
_LEAST_SHARED = 2
_VERDICT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "support": {"type": "string", "enum": ["supported", "unsupported"]},
        "undoneBy": {"type": ["integer", "null"]},
    },
    "required": ["id", "support", "undoneBy"],
    "additionalProperties": False,
}
CHECK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": _VERDICT}},
    "required": ["verdicts"],
    "additionalProperties": False,
}


class CheckedClaim(NamedTuple):
    """What is asked about: a claim and the words that are quoted for it. The id is the caller's."""

    id: str
    title: str
    text: str
    quotes: tuple[Quote, ...]


class SupportVerdict(NamedTuple):
    """`undone_by` is the number of the later message that takes the claim back; it was shown to whoever says so."""

    support: str  # of SUPPORTS
    undone_by: int | None = None


class CheckedDrafts(NamedTuple):
    drafts: tuple[Draft, ...]
    notes: tuple[str, ...] = ()


class _VerdictField(msgspec.Struct, rename="camel"):
    id: str
    support: Literal["supported", "unsupported"]
    undone_by: Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)] | None = None


class _VerdictList(msgspec.Struct):
    verdicts: Annotated[list[_VerdictField], msgspec.Meta(max_length=1_000)]


def check_drafts(
    provider: Provider, spending: Spending, transcript: Transcript, drafts: Sequence[Draft], *, about: str
) -> CheckedDrafts:
    """The drafts that hold, each with the verdict in it. A question that nobody answers leaves them as they are."""
    claims = [CheckedClaim(_id_of(draft), draft.title, draft.text, draft.quotes) for draft in drafts]
    try:
        verdicts = ask_support(provider, spending, transcript, claims, about=about)
    except (NoAnswer, Unreachable) as error:
        return CheckedDrafts(tuple(drafts), (f"whether these claims are supported could not be asked: {error}",))
    except AxmError as error:  # the budget ends here: what was already paid for is kept
        if not getattr(error, "stops_quietly", False):
            raise
        return CheckedDrafts(tuple(drafts), (f"whether these claims are supported was not asked: {error.message}",))
    kept: list[Draft] = []
    notes: list[str] = []
    for draft, claim in zip(drafts, claims, strict=True):
        verdict = verdicts.get(claim.id)
        if verdict is None:
            kept.append(draft)
        elif verdict.undone_by is not None:
            notes.append(f"{draft.rule}: left out, message {verdict.undone_by} undoes it: {draft.title}")
        elif verdict.support == "supported":
            kept.append(draft._replace(support="supported"))
        elif _is_persons(transcript, draft):
            kept.append(draft._replace(support="unsupported", confidence=min(draft.confidence, UNSUPPORTED_CONFIDENCE)))
        else:
            notes.append(f"{draft.rule}: left out, its quotes do not support it: {draft.title}")
    return CheckedDrafts(tuple(kept), tuple(notes))


def ask_support(
    provider: Provider, spending: Spending, transcript: Transcript, claims: Sequence[CheckedClaim], *, about: str = ""
) -> dict[str, SupportVerdict]:
    """A verdict for each claim that got one, by its id. Raises `NoAnswer` or `Unreachable` where none can be had, and
    what `spending.allow` raises; no claims, no call."""
    if not claims:
        return {}
    provider.check()
    later = _later_messages(transcript, claims)
    body = "\n\n".join(_shown(transcript, claim, later[claim.id]) for claim in claims)
    known = {claim.id for claim in claims}

    def verdicts_in(answer: Answered) -> dict[str, SupportVerdict]:
        if answer.flaw:
            raise BadAnswer(answer.flaw)
        try:
            read = msgspec.convert(only_object(answer.text), _VerdictList)
        except msgspec.ValidationError as error:
            raise BadAnswer(str(error)) from None
        except RecursionError:
            raise BadAnswer("the JSON is nested too deeply") from None
        return {
            one.id: SupportVerdict(one.support, one.undone_by if one.undone_by in later[one.id] else None)
            for one in read.verdicts
            if one.id in known
        }

    question = Question(
        CHECK_INSTRUCTION, frame(transcript.session_id, body, "list of claims"), CHECK_SCHEMA, "verdicts", about
    )
    verdicts, _ = ask_until_read(
        provider.ask, question, verdicts_in, model=provider.model, spending=spending, repairs=False
    )
    return verdicts


def _id_of(draft: Draft) -> str:
    """The same claim has the same id, whatever stands beside it."""
    return dedupe_key("claim", draft.type, draft.title, draft.text)[:6]


def _is_persons(transcript: Transcript, draft: Draft) -> bool:
    said = [transcript.messages[q.message] for q in draft.quotes if 0 <= q.message < len(transcript.messages)]
    return any(message.role == "person" and message.provenance in ("person", "elsewhere") for message in said)


def _shown(transcript: Transcript, claim: CheckedClaim, later: Sequence[int]) -> str:
    words = _names(claim)
    lines = [f"Claim {claim.id}: {_one_line(claim.title, _CLAIM_CHARS)}"]
    if claim.text != claim.title:
        lines.append(f"  In full: {_one_line(claim.text, _CLAIM_CHARS)}")
    for quote in claim.quotes:
        before = _before(transcript, quote)
        if before is not None:
            text = transcript.messages[before].text[-_LINE_CHARS:]
            lines.append(f"  Before: {label(transcript, before)} … {_one_line(text, _LINE_CHARS)}")
        lines.append(f"  Quoted: {_speaker(transcript, quote.message)} {_one_line(quote.text, _QUOTE_CHARS)}")
    lines += [
        f"  Later: {label(transcript, place)} {_passage(transcript.messages[place].text, words)}" for place in later
    ]
    return "\n".join(lines)


def _before(transcript: Transcript, quote: Quote) -> int | None:
    """What a few words of a person answer: the message before them, if it says anything."""
    if not 0 < quote.message < len(transcript.messages) or len(quote.text) >= _SHORT_CHARS:
        return None
    if transcript.messages[quote.message].role != "person":
        return None
    return next((n for n in range(quote.message - 1, -1, -1) if transcript.messages[n].text.strip()), None)


def _names(claim: CheckedClaim) -> list[str]:
    return keywords(" ".join([claim.title, claim.text, *(quote.text[:_QUOTE_CHARS] for quote in claim.quotes)]))


def _speaker(transcript: Transcript, place: int) -> str:
    return label(transcript, place) if 0 <= place < len(transcript.messages) else "[?]"


def _one_line(text: str, most: int) -> str:
    return " ".join(plain(text, most).split())


def _passage(text: str, words: Iterable[str]) -> str:
    """The stretch of a message that has the most of these words."""
    flat = " ".join(text[:_READ_CHARS].split())
    if len(flat) <= _LINE_CHARS:
        return _one_line(flat, _LINE_CHARS)
    lower = flat.casefold()
    starts = range(0, len(flat), _LINE_CHARS // 2)
    best = max(starts, key=lambda at: (sum(word in lower[at : at + _LINE_CHARS] for word in words), -at))
    before, after = "… " if best else "", " …" if best + _LINE_CHARS < len(flat) else ""
    return f"{before}{_one_line(flat[best : best + _LINE_CHARS], _LINE_CHARS)}{after}"


def _later_messages(transcript: Transcript, claims: Sequence[CheckedClaim]) -> dict[str, list[int]]:
    """For each claim the messages after its last quote that may undo it: what the person said next, and what shares
    most of its rarer words, the later first among equals."""
    said = {
        place: frozenset(keywords(message.text[:_READ_CHARS], limit=400))
        for place, message in enumerate(transcript.messages)
        if message.role in ("person", "assistant") or message.failed
    }
    count = Counter(word for words in said.values() for word in words)
    common = max(_COMMON * len(said), 3)
    found: dict[str, list[int]] = {}
    for claim in claims:
        last = max((quote.message for quote in claim.quotes), default=0)
        names = {word for word in _names(claim) if 0 < count[word] <= common}
        after = [place for place in said if place > last]
        replies = [place for place in after if transcript.messages[place].role == "person"][:_REPLIES]
        ranked = sorted(
            (place for place in after if len(names & said[place]) >= _LEAST_SHARED and place not in replies),
            key=lambda place: (-sum(1 / count[word] for word in names & said[place]), -place),
        )
        found[claim.id] = sorted([*replies, *ranked[: _LATER - len(replies)]])
    return found
