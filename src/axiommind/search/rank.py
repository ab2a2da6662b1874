"""Ranking: how well a passage answers a query, and how well its session does over all its passages.

A passage: BM25 over its text and title, more when words of the query stand close together, less for the kinds that say
much about everything, a little more when it is recent or from the time that the query names. A session (or a document):
its best passages, each further one counting less, and how much of the query it covers as a whole.
Every constant has the measurement that set it; docs/benchmarks.md has the sets and the commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from axiommind.search.lexical import Statistics, Weighed
from axiommind.text.query_terms import Clause
from axiommind.text.tokens import fts_text, terms_of, words_of

__all__ = [
    "Alike",
    "Asked",
    "Group",
    "Passage",
    "Scored",
    "by_meaning",
    "coverage",
    "fold",
    "places_in",
    "pool",
    "score",
    "steps_of",
    "with_meaning",
]

# Figures below are hit@1 of LoCoMo · context-evaluator · cipher-box · lme-pooled, or nDCG@10 of welfare-ko · cmrc-zh ·
# jaquad-ja, on the development halves, the other constants near what they are here. One question of context-evaluator
# is 1.7 points, one subject that cipher-box asks fourteen times is 24: only what several sets agree on was taken.
#
# BM25's saturation (k1) and length normalisation (b), by kind. Flat for what is said: 77.2 · 86.4 · 74.1 · 60.0 at
# (0.9, 0.5), 77.8 · 83.0 · 74.1 · 60.4 at (0.6, 0.4), 76.9 · 88.1 · 65.5 · 60.0 at (1.2, 0.6). Documents:
# 0.835 · 0.989 · 0.924 at (1.2, 0.6), 0.829 · 0.989 · 0.925 at (1.0, 0.6): Korean wants more of both, Japanese less.
SATURATION = {
    "prompt": (0.9, 0.5),
    "response": (0.9, 0.5),
    "tool": (0.9, 0.5),
    "insight": (0.9, 0.5),
    "doc": (1.2, 0.6),
    "pad": (0.9, 0.5),
    "summary": (0.9, 0.5),
}
# A tool call or an answer shorter than the average is taken to be average: a pattern looked for, a path read or a "let
# me check" would otherwise beat what says something. 86.4 · 72.4 with, 88.1 · 72.4 without; hit@5 of cipher-box 98.3
# and 82.8.
NEVER_SHORT = ("tool", "response", "insight")
# Words of the title and the headings count so many times: jaquad-ja 0.910 without titles, 0.915 at 1, 0.917 at 2.
TITLE_WEIGHT = 2.0
# Neighbours in the query that are neighbours in the passage: the worth of the lesser one, divided by their distance.
# 77.1 · 84.8 · 56.9 · 60.0 at 0.6, 77.4 · 84.8 · 74.1 · 60.9 at 1.5; alone, it finds 55 % of lme-pooled.
NEAR_WEIGHT = 1.0
NEAR_DISTANCE = 8  # the same at 4
# Bigrams of one run overlap, so their being neighbours says less: cmrc-zh 0.990 at 0, 0.988 at 0.5; jaquad-ja +0.002.
NEAR_WEIGHT_BIGRAMS = 0.2
_PLACES = 20  # occurrences of a word that are checked for it
# In documents, all that is asked in a row counts so many times what neighbours count, whichever stop words are between:
# a text that says it comes before a heading that has the words. Questions are hardly ever said in a row, so no set
# measures it.
PHRASE_WEIGHT = 3.0
# An answer is longer and more general than the question. lme-pooled hit@1, hit@5: 60.0, 82.5 with answers at 0.7, and
# 60.9, 84.7 at 0.6 (with halved frame words), 57.0, 82.5 at 1. Tool calls: 84.8 · 65.5 at 1, 86.4 · 74.1 at 0.85.
KIND_WEIGHT = {"prompt": 1.0, "response": 0.6, "tool": 0.85, "insight": 1.0, "doc": 1.0, "pad": 1.0, "summary": 0.4}
# Those are for the evidence of a session, where a file that was edited says much. Whoever asks for passages wants to
# read: what was said comes before what was typed into a tool. Set by reading answers; no set measures it. A summary
# repeats what its session says, and calls pending what was finished later: it comes last.
PASSAGE_WEIGHT = {"prompt": 1.0, "response": 0.9, "tool": 0.55, "insight": 1.0, "doc": 1.0, "pad": 1.0, "summary": 0.4}
# What an entry is worth as an answer, by its stage and its status (DETAILS 2.4). Contested ones are found after those
# that are not; one that was superseded, deprecated or withdrawn only when nothing else has the words.
STAGE_WEIGHT = {"certified": 1.0, "verified": 0.9, "candidate": 0.75, "working": 0.65, "raw": 0.65}
STATUS_WEIGHT = {"active": 1.0, "contested": 0.2, "deprecated": 0.05, "superseded": 0.05, "withdrawn": 0.05}
# Evidence pooled over a session: its n-th best passage counts DECAY to the power n. 77.4 · 86.4 · 74.1 · 60.9 at 0.25,
# 77.5 · 86.4 · 65.5 · 58.7 at 0.5. What the session covers as a whole: 77.5 · 86.4 · 74.1 · 59.6 at 0.8.
DECAY = 0.3
POOLED = 8
COVERAGE_WEIGHT = 0.4
# Chunks of a document overlap, and are about one thing anyway: 0.820 · 0.988 · 0.909 pooled like sessions.
DOC_DECAY = 0.05
DOC_COVERAGE = 0.7
# Times that the query names, as shares of its worth: LoCoMo 74.8 without, 77.1 at 0.6 of these, 77.6 at 1.5 times;
# lme-pooled 60.4, 59.2 and 60.0.
DATE_WEIGHT = {"day": 0.8, "week": 0.5, "month": 0.5, "season": 0.3, "year": 0.15}
# What is recent is worth a little more, enough to order equals: lme-pooled, asked soon after its sessions, 63.4
# without, 62.1 at 0.005, 61.3 at 0.02, 60.9 at 0.1; LoCoMo 77.4, 77.2, 77.6, 77.3.
RECENCY_WEIGHT = 0.005
RECENCY_HALF_LIFE_DAYS = 30.0
_DAY_MS = 86_400_000
# Two passages that share this much of their terms say the same.
SAME_SHARE = 0.9
FOLDED_FROM = 4  # times as many passages as are wanted are compared


class Passage(NamedTuple):
    id: int
    kind: str
    ref: int
    session_id: str | None
    doc_id: str | None
    timestamp: int | None
    group: str  # the session that a person would open (a subagent's is its parent's), or the document
    provenance: str = "elsewhere"  # of PROVENANCES


class Scored(NamedTuple):
    """A passage with its worth, and how it came about."""

    passage: Passage
    score: float
    words: tuple[float, ...]  # by clause, before the weights below
    near: float
    kind: float
    date: float
    recency: float
    meaning: float = 0.0  # what its nearness to the question gave, as part of the score
    similarity: float | None = None  # cosine; None where it was not asked for, or there is no vector

    @property
    def by_words(self) -> float:
        """What it is worth as evidence, without what counts once for a session: its date and its meaning."""
        return self.score - self.meaning - self.date * (1 + self.recency)


class Group(NamedTuple):
    """A session or a document with its worth, best passage first."""

    key: str
    score: float
    best: tuple[Scored, ...]
    covered: float
    date: float
    meaning: float = 0.0


class Asked(NamedTuple):
    """What passages are scored against. `dates` says how well a moment fits the times that the query names."""

    weighed: Sequence[Weighed]
    stats: Statistics
    total: float
    dates: Callable[[int], float] | None = None
    now: int | None = None  # None: recency does not count
    unknown: tuple[Clause, ...] = ()  # what no passage holds
    kinds: Mapping[str, float] = KIND_WEIGHT
    steps: tuple[int | None, ...] = ()  # where each clause begins in the question, in terms; None where it is no part
    found: float | None = None  # of all that is asked, the share that one passage holds; None where nothing was counted

    @property
    def whole(self) -> float:
        """The worth of all of the question; a clause that no passage holds is worth as much as the rarest known."""
        return self.total + len(self.unknown) * max((w.worth for w in self.weighed), default=1.0)


def score(
    asked: Asked, passage: Passage, places: Sequence[list[int]], length: int, titled: int = 0, entry_weight: float = 1.0
) -> Scored:
    """What a passage is worth, given where each clause is in it. Its first `titled` terms are its title's;
    `entry_weight` is how much an entry counts."""
    k1, b = SATURATION[passage.kind]
    if passage.kind in NEVER_SHORT:
        length = max(length, round(asked.stats.average))
    norm = k1 * (1 - b + b * length / asked.stats.average)
    words = []
    for found, (_clause, _count, _places, worth) in zip(places, asked.weighed, strict=True):
        times: float = len(found)
        if titled and times:
            times += (TITLE_WEIGHT - 1) * sum(0 <= place < titled for place in found)
        words.append(worth * times * (k1 + 1) / (times + norm) if times else 0.0)
    near = _nearness(asked, places, titled)
    kind = asked.kinds[passage.kind] * entry_weight
    date = asked.dates(passage.timestamp) * asked.total if asked.dates and passage.timestamp else 0.0
    recency = _recency(passage.timestamp, asked.now)
    worth = ((sum(words) + near) * kind + date) * (1 + recency)
    return Scored(passage, worth, tuple(words), near, kind, date, recency)


def coverage(asked: Asked, scored: Sequence[Scored]) -> float:
    """The share of a question, by worth, that the passage holds which holds most of it."""
    whole = asked.whole
    if not whole or not scored:
        return 0.0
    worths = [w.worth for w in asked.weighed]
    return max(sum(worth for worth, gave in zip(worths, one.words, strict=True) if gave) for one in scored) / whole


def with_meaning(asked: Asked, one: Scored, similarity: float | None, worth: float, more: float = 0.0) -> Scored:
    """A passage with what its nearness to the question adds: a similarity of 1 is worth `worth`, and being near at all
    `more`."""
    gave = (max(similarity or 0.0, 0.0) * worth + more) * _entry_weight(asked, one)
    return one._replace(score=one.score + gave, meaning=gave, similarity=similarity)


def by_meaning(asked: Asked, one: Scored, similarity: float) -> Scored:
    """A passage that is worth nothing but its nearness."""
    gave = similarity * _entry_weight(asked, one)
    nothing = (0.0,) * len(one.words)
    return one._replace(score=gave, meaning=gave, similarity=similarity, words=nothing, near=0.0, date=0.0)


def _entry_weight(asked: Asked, one: Scored) -> float:
    """How much an entry counts, by its stage and status; anything else counts fully."""
    return one.kind / asked.kinds[one.passage.kind]


def places_in(weighed: Sequence[Weighed], text: str, title: str, *, each: bool = False) -> list[list[int]]:
    """Where each clause begins in a text with a title, as the index has them."""
    tokens = fts_text(title, each=each).split() + fts_text(text, each=each).split()
    wanted = {term for w in weighed for term in w.clause.terms}
    at: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if token in wanted:
            at.setdefault(token, []).append(place)
    found = []
    for clause, *_ in weighed:
        if clause.prefix:
            *before, last = clause.terms
            ends = [place for place, token in enumerate(tokens) if token.startswith(last)]
            found.append([p - len(before) for p in ends if tokens[max(p - len(before), 0) : p] == before])
        elif len(clause.terms) == 1:
            found.append(at.get(clause.terms[0], []))
        else:
            size = len(clause.terms)
            found.append([p for p in at.get(clause.terms[0], []) if tuple(tokens[p : p + size]) == clause.terms])
    return found


def _nearness(asked: Asked, places: Sequence[list[int]], titled: int) -> float:
    weighed = asked.weighed
    if titled:  # the end of a title and the beginning of the text are no neighbours
        places = [[place if place < titled else place + NEAR_DISTANCE for place in found] for found in places]
    is_said = bool(titled) and not asked.unknown and _in_a_row(asked.steps, places)
    total = 0.0
    for i in range(len(weighed) - 1):
        here, there = places[i], places[i + 1]
        if not here or not there or here[0] < 0 or there[0] < 0:
            continue
        distance = 1 if is_said else _distance(here[:_PLACES], there[:_PLACES])
        lesser = min(weighed[i].worth, weighed[i + 1].worth)
        if weighed[i].clause.terms[0].isascii():
            if distance <= NEAR_DISTANCE:
                total += NEAR_WEIGHT * lesser / distance
        elif distance == 1:
            total += NEAR_WEIGHT_BIGRAMS * lesser
    return total * PHRASE_WEIGHT if is_said else total


def _in_a_row(steps: Sequence[int | None], places: Sequence[list[int]]) -> bool:
    """Whether all words stand somewhere as they do in the question, whichever stop words are between them."""
    said = [(step, found) for step, found in zip(steps, places, strict=False) if step is not None]
    if len(said) < 2:
        return False
    (begin, first), *rest = said
    others = [(step - begin, set(found)) for step, found in rest]
    return any(place >= 0 and all(place + step in found for step, found in others) for place in first[:_PLACES])


def steps_of(words: str, weighed: Sequence[Weighed]) -> tuple[int | None, ...]:
    """Where each clause begins in the words of a question, counted in terms."""
    said = [term for word in words_of(words) for term in terms_of(word).split()]
    first = {term: at for at, term in reversed(list(enumerate(said)))}
    wanted = [w.clause.terms for w in weighed]
    steps = [first.get(terms[0]) for terms in wanted]
    return tuple(
        at if at is not None and tuple(said[at : at + len(terms)]) == terms else None
        for at, terms in zip(steps, wanted, strict=True)
    )


def _distance(here: list[int], there: list[int]) -> int:
    """The least distance between two ascending lists of places; a phrase and its first word share one."""
    i = j = 0
    best = 1 << 30
    while i < len(here) and j < len(there):
        gap = here[i] - there[j]
        best = min(best, abs(gap))
        if gap < 0:
            i += 1
        else:
            j += 1
    return max(best, 1)


def _recency(timestamp: int | None, now: int | None) -> float:
    if timestamp is None or now is None:
        return 0.0
    days = max(now - timestamp, 0) / _DAY_MS
    return float(RECENCY_WEIGHT * 0.5 ** (days / RECENCY_HALF_LIFE_DAYS))


def pool(asked: Asked, scored: Iterable[Scored]) -> list[Group]:
    """Sessions and documents, best first, by the evidence of all their passages, which come best first themselves:
    where nothing is worth more than the other, that order stays."""
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(one.passage.group, []).append(one)
    found = []
    for key, members in groups.items():
        # The date counts once a session, not once a passage.
        date = max(s.date for s in members)
        meaning = max(s.meaning for s in members)
        if meaning:
            members.sort(key=lambda s: -s.by_words)
        decay, weight = (DOC_DECAY, DOC_COVERAGE) if members[0].passage.kind == "doc" else (DECAY, COVERAGE_WEIGHT)
        worth = sum(s.by_words * decay**n for n, s in enumerate(members[:POOLED]))
        covered = sum(max(s.words[i] * s.kind for s in members) for i in range(len(asked.weighed)))
        found.append(Group(key, worth + weight * covered + date + meaning, tuple(members), covered, date, meaning))
    found.sort(key=lambda g: -g.score)
    return found


# Whether two passages mean the same, given the terms that only one of them has.
Alike = Callable[[Scored, Scored, frozenset[str]], bool]


def fold(
    scored: Sequence[Scored],
    wanted: int,
    text: Callable[[Passage], str],
    alike: Alike | None = None,
) -> list[tuple[Scored, int]]:
    """The best passages, each with how many others say the same, in the same words or, if `alike` is asked, in others;
    looks no further than it must."""
    kept: list[tuple[Scored, frozenset[str], int]] = []
    for one in scored[: FOLDED_FROM * wanted]:
        said = text(one.passage)
        terms = frozenset(fts_text(said).split()) or frozenset((said,))  # without words only itself is the same
        for i, (other, known, times) in enumerate(kept):
            if _is_same(terms, known) or (alike is not None and alike(one, other, terms ^ known)):
                kept[i] = (other, known, times + 1)
                break
        else:
            if len(kept) >= wanted:
                break
            kept.append((one, terms, 0))
    return [(one, times) for one, _, times in kept]


def _is_same(left: frozenset[str], right: frozenset[str]) -> bool:
    small, large = sorted((len(left), len(right)))
    if small < SAME_SHARE * large:
        return False
    shared = len(left & right)
    return shared >= SAME_SHARE * (small + large - shared)
