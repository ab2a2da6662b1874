"""Findings: what the agent found out. Sentences of its answers that state a cause, a constraint or how things work.

Each sentence is weighed (`_salience`), the best are taken with the neighbours they need to be understood, and what is
said several times is one finding with several quotes. An agent's word is no proof: these stay candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.likeness import overlap
from axiommind.extraction.quoting import MOST_QUOTES, clip, covered, only
from axiommind.extraction.rules import Rule
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.extraction.rules._salience import SaidSentence
    from axiommind.projections.transcript import Transcript

RULES = (
    Rule(
        "findings",
        types=("insight",),
        labelled="findings",
        right=46,
        total=84,
        note="158 real sessions; wrong: details of a change at hand, states of the moment, what was never in doubt. A "
        "stranger found 3 of 20 worth having in a month, before those that name nothing were left out",
        most=3,
    ),
)
ORDER = 19

_MOST = 10  # that are given; the selection keeps fewer
_FIRST, _EASIER = 2, 0.6  # the first two of a session may weigh so much less than the others
_AGAIN = 1.0  # what a second finding of the same message has to be better by
_ENTRY = 360  # characters
_SAME = 0.5  # of the words
_QUOTES = 2  # of one sentence
_REPEATS = 3  # that are quoted too
_HEADING = 80
_ANCHORS = 8
_MARKS = lazy(r"\*\*|__|^[\s>*-]+")


def find(transcript: Transcript) -> list[Draft]:
    from axiommind.extraction.rules import _salience as salience  # large tables of patterns

    if transcript.subagent:  # what it found is in its report, and its caller's to judge
        return []
    said = salience.said_in(transcript)
    # What names no file, symbol or command can hardly be found again, or believed.
    stated = [n for n, one in enumerate(said) if one.names and salience.is_statement(one)]
    worth = {n: weight for n in stated if (weight := salience.weigh(said[n]))}
    words = {n: salience.words_of(said[n]) for n in worth}
    taken: list[list[int]] = []  # each finding: its best sentence, and others that say the same
    while worth and len(taken) < _MOST:
        best = max(worth, key=lambda n: (worth[n], n))
        if worth[best] < (salience.THRESHOLD if len(taken) >= _FIRST else salience.THRESHOLD - _EASIER):
            break
        along = set(_neighbours(said, best))
        twins = [n for n in worth if n not in along and overlap(words[best], words[n]) >= _SAME]
        twins.sort(key=lambda n: (-overlap(words[best], words[n]), n))
        taken.append([best, *twins[:_REPEATS]])
        for n in along.union(twins):
            worth.pop(n, None)
        for n in worth:  # an answer that says much is no reason to forget the others
            worth[n] -= _AGAIN if said[n].message == said[best].message else 0
    return [_draft(transcript, said, one) for one in taken]


def _neighbours(said: list[SaidSentence], n: int) -> list[int]:
    """The sentence with those of its paragraph that it needs, or that say more of it, in order."""
    from axiommind.extraction.rules._salience import is_statement

    one = said[n]
    chosen = [n]
    length = len(one.sentence.text)
    for step in (-1, 1):
        at = n + step
        while 0 <= at < len(said) and said[at].message == one.message:
            other = said[at]
            if other.sentence.paragraph != one.sentence.paragraph or not is_statement(other):
                break
            length += len(other.sentence.text)
            if length > _ENTRY:
                break
            chosen.append(at)
            at += step
    return sorted(chosen)


def _draft(transcript: Transcript, said: list[SaidSentence], places: list[int]) -> Draft:
    best = said[places[0]]
    around = _neighbours(said, places[0])
    parts = [said[n] for n in around]
    first, texts = _quoted(transcript, best)
    whole = {places[0]: texts}
    quotes = first
    for n in [*(n for n in around if n != places[0]), *places[1:]]:
        here, whole[n] = _quoted(transcript, said[n])
        quotes = only(quotes, here)
    text = " ".join(whole[n] for n in around)
    before = around[around.index(places[0]) - 1] if around[0] != places[0] else None
    leans = before is not None and "points_back" in best.features
    heading = _plain(best.sentence.heading).rstrip(" :：.。")
    return Draft(
        type="insight",
        title=clip(f"{whole[before]} {whole[places[0]]}" if leans and before is not None else whole[places[0]]),
        text=f"{heading}: {text}" if 0 < len(heading) <= _HEADING else text,
        quotes=quotes[:MOST_QUOTES],
        rule="findings",
        timestamp=transcript.messages[best.message].timestamp,
        kind=_kind(best),
        anchors=tuple(sorted({name for part in parts for name in part.names}))[:_ANCHORS],
    )


def _quoted(transcript: Transcript, one: SaidSentence) -> tuple[tuple[Quote, ...], str]:
    """The quotes of a sentence, and as much of it as they hold."""
    quotes, text = covered(transcript, one.message, one.sentence.text, _QUOTES)
    return quotes, _plain(text)


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def _kind(one: SaidSentence) -> str:
    if one.features & {"fails", "root", "after_failure"}:
        return "gotcha"
    return "convention" if "constraint" in one.features and not one.names else "domain"
