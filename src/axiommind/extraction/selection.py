"""Selection: of everything that the rules found in a session, the few that a person would write down.

Claims that say the same are one. What is left is ranked by whose words it rests on and what it is good for, and about
seven are kept, a few more of a long session. Tasks are not counted: a list is as long as it is. The same session gives
the same choice, whoever asks and however often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.quoting import MOST_QUOTES, only
from axiommind.extraction.rules import FIX, OWN_WORDS, PLAN, QUESTION, RECORD, form_of
from axiommind.model import PROVENANCES
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = ["SelectedDrafts", "room_for", "select"]

_FEWEST, _MOST = 4, 9
_PROMPTS_A_PLACE = 3  # so many prompts of the person make room for one more
_SAME_WORDS = 0.8
_SAME_LINES = 0.6
_LONG_QUOTE = 20
_WORD = lazy(r"[a-z0-9_]{2,}|[\u3040-\u30ff\u3400-\u9fff]{1,2}|[\uac00-\ud7a3]{2}", re.IGNORECASE)
_NUMBER = lazy(r"\d+")
_TRUST = {name: place for place, name in enumerate(PROVENANCES)}
# What is asked for first, by the form of its rule; what has none of these goes by its kind.
_BY_FORM = {OWN_WORDS: 0, QUESTION: 0, PLAN: 2, FIX: 2, RECORD: 4}
_BY_KIND = {"preference": 0, "convention": 1, "decision": 2, "gotcha": 2, "howto": 3, "domain": 3, "record": 4}


class SelectedDrafts(NamedTuple):
    kept: tuple[Draft, ...]  # in the order they were given
    merged: int  # said by one that is kept
    left_out: int  # worth less than those kept

    @property
    def notes(self) -> tuple[str, ...]:
        said = {"said twice and merged": self.merged, "left out, less worth keeping": self.left_out}
        return tuple(f"{count} {what}" for what, count in said.items() if count)


def room_for(transcript: Transcript) -> int:
    """How many entries a session may give: more where a person said more."""
    prompts = sum(message.role == "person" and message.provenance == "person" for message in transcript.messages)
    return min(_MOST, _FEWEST + prompts // _PROMPTS_A_PLACE)


def select(transcript: Transcript, drafts: Sequence[Draft]) -> SelectedDrafts:
    tasks = {n for n, draft in enumerate(drafts) if draft.type == "task_note"}
    claims = sorted((n for n in range(len(drafts)) if n not in tasks), key=lambda n: (*_rank(transcript, drafts[n]), n))
    kept: dict[int, Draft] = {}
    merged = 0
    for n in claims:
        twin = next((place for place, one in kept.items() if _say_the_same(one, drafts[n])), None)
        if twin is None:
            kept[n] = drafts[n]
        else:
            merged += 1
            kept[twin] = kept[twin]._replace(quotes=only(kept[twin].quotes, drafts[n].quotes)[:MOST_QUOTES])
    chosen = dict(list(kept.items())[: room_for(transcript)])
    all_kept = chosen | {n: drafts[n] for n in tasks}
    return SelectedDrafts(tuple(all_kept[n] for n in sorted(all_kept)), merged, len(kept) - len(chosen))


def _rank(transcript: Transcript, draft: Draft) -> tuple[float, ...]:
    """Smaller is better: what it is, whose words it rests on, whether it says why, how often its rule is right."""
    first = _BY_FORM.get(form_of(draft.rule), _BY_KIND.get(draft.kind, 3))
    trust = min((_TRUST[transcript.messages[quote.message].provenance] for quote in draft.quotes), default=99)
    return first, trust, not draft.rationale, -draft.confidence


def _say_the_same(one: Draft, other: Draft) -> bool:
    """Whether two claims are one: the same words, or words of the same place. Numbers tell claims apart."""
    if one.type != other.type and "decision" in (one.type, other.type) and one.kind != other.kind:
        return False
    mine, theirs = _words(one), _words(other)
    if not mine or not theirs or set(_NUMBER.findall(one.title)) != set(_NUMBER.findall(other.title)):
        return False
    both = len(mine & theirs)
    if both >= _SAME_WORDS * len(mine | theirs):
        return True
    return both >= _SAME_LINES * min(len(mine), len(theirs)) and _quote_the_same(one, other)


def _words(draft: Draft) -> frozenset[str]:
    return frozenset(_pieces(f"{draft.title} {draft.text}"[:2_000].casefold()))


def _pieces(text: str) -> Iterable[str]:
    return (match[0] for match in _WORD.finditer(text))


def _quote_the_same(one: Draft, other: Draft) -> bool:
    return any(
        mine.message == theirs.message
        and min(len(mine.text), len(theirs.text)) >= _LONG_QUOTE
        and (mine.text in theirs.text or theirs.text in mine.text)
        for mine in one.quotes
        for theirs in other.quotes
    )
