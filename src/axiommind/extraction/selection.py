"""Selection: of everything that the rules found in a session, the few that a person would write down.

What the session itself takes back is out, and claims that say the same are one. What is left is ranked by whose words
it rests on and what it is good for, and about seven are kept, a few more of a long session. Tasks are not counted: a
list is as long as it is. The same session gives the same choice, whoever asks and however often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.likeness import words_in
from axiommind.extraction.quoting import MOST_QUOTES, only
from axiommind.extraction.refutation import refuted
from axiommind.extraction.rules import FIX, MOST_DRAFTS, OWN_WORDS, PLAN, QUESTION, RECORD, declared, form_of
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
_NUMBER = lazy(r"\d+")
_TRUST = {name: place for place, name in enumerate(PROVENANCES)}
# What is asked for first, by the form of its rule; what has none of these goes by its kind.
_BY_FORM = {OWN_WORDS: 0, QUESTION: 0, PLAN: 2, FIX: 2, RECORD: 4}
_BY_KIND = {"preference": 0, "convention": 1, "decision": 2, "gotcha": 2, "howto": 3, "domain": 3, "record": 4}


class SelectedDrafts(NamedTuple):
    kept: tuple[Draft, ...]  # in the order they were given
    refuted: int  # taken back later in the session
    merged: int  # said by one that is kept
    left_out: int  # worth less than those kept


def room_for(transcript: Transcript) -> int:
    """How many entries a session may give: more where a person said more."""
    prompts = sum(message.role == "person" and message.provenance == "person" for message in transcript.messages)
    return min(_MOST, _FEWEST + prompts // _PROMPTS_A_PLACE)


def select(transcript: Transcript, drafts: Sequence[Draft]) -> SelectedDrafts:
    tasks = {n: draft for n, draft in enumerate(drafts) if draft.type == "task_note"}
    out = refuted(transcript, drafts)
    claims = {n: draft for n, draft in enumerate(drafts) if n not in tasks and n not in out}
    distinct = _merged({n: claims[n] for n in sorted(claims, key=lambda n: (*_rank(transcript, claims[n]), n))})
    chosen = _capped(distinct, room_for(transcript))
    kept = chosen | tasks
    in_order = tuple(kept[n] for n in sorted(kept))
    return SelectedDrafts(in_order, len(out), len(claims) - len(distinct), len(distinct) - len(chosen))


def _merged(ranked: dict[int, Draft]) -> dict[int, Draft]:
    """Each claim once: the better one, with the quotes of both."""
    kept: dict[int, Draft] = {}
    for n, draft in ranked.items():
        twin = next((place for place, one in kept.items() if _say_the_same(one, draft)), None)
        if twin is None:
            kept[n] = draft
        else:
            kept[twin] = kept[twin]._replace(quotes=only(kept[twin].quotes, draft.quotes)[:MOST_QUOTES])
    return kept


def _capped(ranked: dict[int, Draft], room: int) -> dict[int, Draft]:
    """The best, and of no rule more than it may give."""
    rules = declared()
    given: Counter[str] = Counter()
    kept: dict[int, Draft] = {}
    for n, draft in ranked.items():
        given[draft.rule] += 1
        if len(kept) < room and given[draft.rule] <= (rules[draft.rule].most if draft.rule in rules else MOST_DRAFTS):
            kept[n] = draft
    return kept


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
    return words_in(f"{draft.title} {draft.text}"[:2_000])


def _quote_the_same(one: Draft, other: Draft) -> bool:
    return any(
        mine.message == theirs.message
        and min(len(mine.text), len(theirs.text)) >= _LONG_QUOTE
        and (mine.text in theirs.text or theirs.text in mine.text)
        for mine in one.quotes
        for theirs in other.quotes
    )
