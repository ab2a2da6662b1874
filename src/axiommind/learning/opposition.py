"""Which two claims of a project cannot both hold, and why. Pure, and rather silent than wrong.

Claims are told apart by what they are about, not by their titles: the same question answered otherwise, a thing that
was replaced by name, the opposite of a title, or the same subject with another number or another of the things that
exclude each other. A question that only looks the same, and prose in other words, is no opposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from axiommind.learning.claim_words import FRAME, gist_of, members_of, subject, without_prefix
from axiommind.text.normal_form import fold, normalise
from axiommind.text.patterns import lazy

__all__ = ["EXPLICIT", "OpposableClaim", "Opposition", "incompatible", "oppositions", "order_of"]

# Long values are prose, and the same thing can be said in other words: at this similarity, of 100, it is the same.
_PROSE_CHARS = 40
_ALIKE = 80
_STATED = ("preference", "convention", "decision")  # kinds of claims about how things are to be
_SAME_SUBJECT = 0.6  # of the words of two claims, that are in both
_SAME_TITLE = 0.8
# Why two claims oppose each other; those that somebody said are explicit, the others are read from their words.
ANSWER, REPLACED, REVERT = "another answer to the same question", "replaced by name", "reverted"
INVERSE, VALUE, CHOICE = "the opposite", "another value for the same thing", "another choice for the same thing"
EXPLICIT = frozenset({ANSWER, REPLACED, REVERT})

_REVERT = lazy(
    r"^(?:\w+(?:\([^)]*\))?!?:\s*)?(?:revert(?:s|ed)?|roll(?:s|ed)? back)\b[:\s]*[\"'“「]?(.+?)[\"'”」]?\s*$",
    re.IGNORECASE,
)
_ONE_WISH = 90  # characters of a title that says one thing
_WORD = lazy(r"\w+")
# What is taken back by coming to it again: "go back to Redis".
_BACK = lazy(
    r"\b(?:back to|again|after all)\b|다시|돌아가|되돌|戻|やっぱり|やはり|用回|改回|换回|換回|还是|還是", re.IGNORECASE
)
_CROWD = 400  # claims that share a word: one that so many have tells nothing apart


class OpposableClaim(NamedTuple):
    """A claim as others are held against it."""

    entry_id: str
    key: str
    value_key: str
    value: str
    title: str
    text: str
    kind: str
    happened_at: int
    line: int
    retires: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()  # what was offered and not taken


class Opposition(NamedTuple):
    older: str
    newer: str
    reason: str


def order_of(claim: OpposableClaim) -> tuple[int, int, str]:
    """Claims in the order in which they were said, whatever the order in which they were learned."""
    return claim.happened_at, claim.line, claim.value_key


def oppositions(claims: Sequence[OpposableClaim]) -> Iterator[Opposition]:
    """Every pair of claims of one project that cannot both hold."""
    said = sorted(claims, key=order_of)
    seen: set[tuple[str, str]] = set()
    for older, newer in _worth_comparing(said):
        pair = (older.entry_id, newer.entry_id)
        if pair in seen or older.value_key == newer.value_key:
            continue
        seen.add(pair)
        reason = _opposed(older, newer)
        if reason:
            yield Opposition(*pair, reason)


def _worth_comparing(said: Sequence[OpposableClaim]) -> Iterator[tuple[OpposableClaim, OpposableClaim]]:
    """Pairs, the older first, that share at least a word, a key or a name."""
    places = {claim.entry_id: n for n, claim in enumerate(said)}
    buckets: dict[str, list[int]] = {}
    for n, claim in enumerate(said):
        names = {f"key {claim.key}"} if claim.value else set()
        names |= {f"word {word}" for word in _marks(claim)}
        for name in names:
            buckets.setdefault(name, []).append(n)
    for members in buckets.values():
        if len(members) <= _CROWD:
            for one, two in combinations(members, 2):
                yield said[one], said[two]
    for n, claim in enumerate(said):
        for other in claim.supersedes:
            if places.get(other, n) < n:
                yield said[places[other]], claim


def _marks(claim: OpposableClaim) -> set[str]:
    gist = gist_of(claim.title)
    marks = set(gist.words)
    for words in claim.retires:
        marks |= gist_of(words).words
    for label in (claim.value, *claim.alternatives):
        if label and len(label) < _PROSE_CHARS and claim.alternatives:
            marks.add(f"={fold(label)}")
    marks |= {f"choice {group}" for group, _ in gist.choices}
    marks |= subject(gist.words) if gist.numbers else set()
    return marks


def _opposed(older: OpposableClaim, newer: OpposableClaim) -> str:
    if older.entry_id in newer.supersedes or any(_retires(words, older, newer) for words in newer.retires):
        return REPLACED
    if _takes_back(older, newer):
        return REPLACED
    reverted = _REVERT.match(newer.title)
    if reverted and normalise(without_prefix(reverted[1])) == normalise(without_prefix(older.title)):
        return REVERT
    if older.value and newer.value and (older.key == newer.key or _same_options(older, newer)):
        return ANSWER if _answers_otherwise(older, newer) else ""
    if older.alternatives or newer.alternatives:  # a question and a statement
        return ""
    return _by_words(older, newer)


def _answers_otherwise(older: OpposableClaim, newer: OpposableClaim) -> bool:
    """Whether the second answer takes the first one back. Where it is known what was offered, the first answer must
    still have been on offer: where it is asked which of a list comes next, it is not."""
    if not incompatible(older.value, newer.value):
        return False
    return not newer.alternatives or _is_among(older.value, newer.alternatives)


def _is_among(value: str, labels: Sequence[str]) -> bool:
    """Whether an answer is one of the labels; what somebody added to one comes after a colon."""
    said = fold(value)
    return any(said == label or said.startswith(f"{label}:") for label in map(fold, labels))


def _same_options(older: OpposableClaim, newer: OpposableClaim) -> bool:
    """The same question in other words: each could have been answered as the other was, and they share a subject."""
    return (
        _is_among(older.value, newer.alternatives)
        and _is_among(newer.value, older.alternatives)
        and min(len(older.value), len(newer.value)) > 3
        and len(gist_of(older.title).words & gist_of(newer.title).words) >= 1
    )


def _retires(words: str, older: OpposableClaim, newer: OpposableClaim) -> bool:
    """Whether `words`, which the newer claim replaces, are what the older one says."""
    gone = gist_of(words)
    wanted = (gone.words | gone.numbers) - FRAME
    said = gist_of(older.title)
    had = (said.words | said.numbers) - FRAME
    if not wanted or not had or older.kind not in (*_STATED, "howto") or said.denies:
        return False
    if len(words) >= _PROSE_CHARS:  # a whole line that was replaced
        from rapidfuzz import fuzz

        return max(fuzz.token_sort_ratio(fold(words), fold(text)) for text in (older.title, older.text)) >= _ALIKE
    if not wanted <= had:
        return False
    in_title = _WORD.findall(newer.title.casefold())
    if any(in_title.count(word) > 1 for word in _WORD.findall(words.casefold())):
        return False  # a part of what takes its place: "Claude Rule", not just "Rule"
    shared = (had - wanted) & gist_of(newer.title).words
    return said.first in wanted or len(wanted) * (3 if shared else 2) >= len(had)


def _takes_back(older: OpposableClaim, newer: OpposableClaim) -> bool:
    """Whether the newer claim goes back to what the older one replaced."""
    said = gist_of(newer.title)
    if said.denies or newer.kind not in _STATED or newer.retires or not _BACK.search(newer.title):
        return False
    gone = (gist_of(words).words - FRAME for words in older.retires)
    return any(words and words <= said.words for words in gone)


def _is_denied(older: OpposableClaim, newer: OpposableClaim) -> bool:
    """Whether one of two wishes about the same thing wants what the other forbids: "never floats", "use floats"."""
    if older.kind not in _STATED or newer.kind not in _STATED:
        return False
    if max(len(older.title), len(newer.title)) > _ONE_WISH:  # a long prompt says no to something or other
        return False
    one, two = gist_of(older.title), gist_of(newer.title)
    for forbids, wants in ((one, two), (two, one)):
        denied = forbids.denied - FRAME
        about = (forbids.words - denied) & (wants.words - denied) - FRAME
        if (
            denied
            and denied <= wants.words - wants.denied
            and (about or denied in (forbids.words - FRAME, wants.words - FRAME))
        ):
            return True
    return False


def _by_words(older: OpposableClaim, newer: OpposableClaim) -> str:
    one, two = gist_of(older.title), gist_of(newer.title)
    if _is_denied(older, newer) and one.numbers == two.numbers:
        return INVERSE
    alike = _overlap(one.words, two.words)
    if (
        one.denies != two.denies
        and alike >= _SAME_TITLE
        and len(one.words & two.words) >= 2
        and one.numbers == two.numbers
    ):
        return INVERSE
    if older.kind not in _STATED or newer.kind not in _STATED or one.denies or two.denies:
        return ""
    if len(one.numbers) == len(two.numbers) == 1 and one.numbers != two.numbers:
        about = subject(one.words), subject(two.words)
        if about[0] & about[1] and _overlap(*about) >= _SAME_SUBJECT:
            return VALUE
    for group in {group for group, _ in one.choices} & {group for group, _ in two.choices}:
        chosen = _chosen(older, group), _chosen(newer, group)
        if len(chosen[0]) == len(chosen[1]) == 1 and chosen[0] != chosen[1]:
            members = members_of(group)
            rest = subject(one.words) - members, subject(two.words) - members
            if rest[0] == rest[1] or _overlap(*rest) >= _SAME_SUBJECT:
                return CHOICE
    return ""


def _chosen(claim: OpposableClaim, group: int) -> set[str]:
    """Which of a group a claim chooses: not what it says it replaces."""
    gone = {member for words in claim.retires for _, member in gist_of(words).choices}
    return {member for of, member in gist_of(claim.title).choices if of == group} - gone


def _overlap(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one | two else 0.0


def incompatible(one: str, two: str) -> bool:
    """Whether two values of one key say different things. `always: …` and `never: …` do, whatever the rest."""
    a, b = fold(one), fold(two)
    if a == b:
        return False
    if min(len(a), len(b)) < _PROSE_CHARS or (a.partition(":")[0] != b.partition(":")[0] and ":" in a and ":" in b):
        return True
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(a, b) < _ALIKE
