"""What a query asks for: clauses of terms, and FTS5 expressions in which no character of the user's is syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from operator import add
from typing import NamedTuple

from axiommind.text.english_stems import stem
from axiommind.text.patterns import lazy
from axiommind.text.stop_words import STOP_WORDS, is_stop, without_particle
from axiommind.text.tokens import bigrams, clean, holds_unspaced, is_run, parts_of, pieces_of, terms_of, word_pattern

__all__ = [
    "MOST_QUERY_CLAUSES",
    "Clause",
    "clauses",
    "clauses_left_out",
    "fts_query",
    "keyword_clauses",
    "phrase",
    "search_method",
]

_QUERY_CHARS = 20_000
MOST_QUERY_CLAUSES = 96
_HIRAGANA = lazy("[\u3041-\u309f]+")
# A pair of kanji or katakana and hiragana is the edge of a word and its particle or ending. 0.45 of a pair's worth:
# jaquad-ja nDCG@10 0.9170 at 1, 0.9222 at 0.6, 0.9217 at 0.45, 0.9203 at 0.3; the other sets have none.
_MIXED = lazy("[\u3041-\u309f][^\u3041-\u309f]|[^\u3041-\u309f][\u3041-\u309f]")
_MIXED_PAIR = 0.45
# Words that say how something is asked, not what: half their worth. hit@5 of lme-pooled 82.5 → 85.5 and of LoCoMo
# 94.0 → 94.4 at 0.5 (84.7 and 94.2 at 0.7, 85.1 and 94.0 at 0.3); hit@1 and the commits stay as they are.
_FRAMING = """
many much long often type kind sort name mention say tell talk discuss ask remind remember previous previously
conversation chat earlier ago last recently recent currently total number amount time day week month year think feel
thing way help make use want need know look find come take give start try people person someone something new good great
first
"""
_FRAME_WEIGHT = 0.5
_QUOTES = re.compile('["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d]')
_JOINT = re.compile(r"[./\\:@#+~=\-]{1,3}|(?<=\d),(?=\d)")


class Clause(NamedTuple):
    """Something to look for: terms next to each other; with `prefix` the last one may go on. A clause of less weight
    tells less than the words around it."""

    terms: tuple[str, ...]
    prefix: bool = False
    weight: float = 1.0

    @property
    def match(self) -> str:
        """As FTS5 wants it: quoted, so that nothing in it is syntax. Terms hold no quotes."""
        return f'"{" ".join(self.terms)}"{"*" if self.prefix else ""}'


def fts_query(text: str, *, match: str = "all") -> str | None:
    """A MATCH expression for what a user typed; None when nothing searchable remains.

    "all": every word must occur; stop words are dropped unless there is nothing else. "any": one word is
    enough, stop words are dropped, and runs of Han, kana and Hangul match by their bigrams.
    Text in double quotes is a phrase, stop words and all.
    """
    if match not in ("all", "any"):
        raise ValueError(f"match must be 'all' or 'any', not {match!r}")
    wanted: list[str] = []
    stopped: list[str] = []
    strict = match == "all"
    for at, piece in enumerate(_QUOTES.split(clean(text[:_QUERY_CHARS]))):
        if at % 2:
            wanted += [c.match for c in _phrase(word_pattern(piece).findall(piece))]
            continue
        for words in _compounds(piece):
            found = [_strict(words)] if strict else [c.match for c in _loose(words)]
            (stopped if all(map(is_stop, words)) else wanted).extend(found)
    if strict and not any(wanted):
        wanted = stopped
    distinct = [clause for clause in dict.fromkeys(wanted) if clause][:MOST_QUERY_CLAUSES]
    return (" AND " if strict else " OR ").join(distinct) or None


def clauses(text: str) -> list[Clause]:
    """What a text asks for, in its order, each thing once: stop words only when there is nothing else, and words that
    only frame a question with less weight. No more than MOST_QUERY_CLAUSES."""
    return _all_clauses(text[:_QUERY_CHARS])[:MOST_QUERY_CLAUSES]


def clauses_left_out(text: str) -> int:
    """How many clauses of a long text `clauses` leaves out."""
    return max(len(_all_clauses(text)) - MOST_QUERY_CLAUSES, 0)


def _all_clauses(text: str) -> list[Clause]:
    wanted: list[Clause] = []
    stopped: list[Clause] = []
    for words in _compounds(clean(text)):
        (stopped if all(map(is_stop, words)) else wanted).extend(_loose(words))
    if not wanted:
        wanted = stopped
    frame = _frame()
    wanted = [c._replace(weight=_FRAME_WEIGHT) if len(c.terms) == 1 and c.terms[0] in frame else c for c in wanted]
    once = {clause[:2]: clause for clause in reversed(wanted)}
    return list(once.values())[::-1]


def keyword_clauses(text: str) -> list[Clause]:
    """The keywords of a query, each once and in its order, to count how often they occur. `React組件開發 OAuth2` has
    three: react, 組件開發 as a whole, and oauth2 without its parts. Stop words only when there is nothing else."""
    wanted: dict[Clause, None] = {}
    stopped: dict[Clause, None] = {}
    text = clean(text[:_QUERY_CHARS])
    for word in word_pattern(text).findall(text):
        bare = without_particle(word)
        (stopped if is_stop(word) or is_stop(bare) else wanted).update(dict.fromkeys(_phrase([bare])))
    return list(wanted or stopped)[:MOST_QUERY_CLAUSES]


def phrase(text: str) -> Clause | None:
    """The words of a text next to each other, stop words and all; None when it has no words."""
    text = clean(text[:_QUERY_CHARS])
    return next(iter(_phrase(word_pattern(text).findall(text))), None)


def search_method(text: str) -> str:
    """Which path answers this query: "fts5-bigram" when it holds a script that is indexed by bigrams."""
    if text.isascii():
        return "fts5"
    return "fts5-bigram" if holds_unspaced(clean(text)) else "fts5"


@cache
def _frame() -> frozenset[str]:
    return frozenset(map(stem, _FRAMING.split()))


def _compounds(text: str) -> Iterator[list[str]]:
    """Words in groups: `src/app/auth.py` is one group of four, a plain word or a run a group of one."""
    group: list[str] = []
    end = 0
    for found in word_pattern(text).finditer(text):
        run = is_run(found[0])
        if group and (run or not _JOINT.fullmatch(text, end, found.start())):
            yield group
            group = []
        if run:
            yield [found[0]]
        else:
            group.append(found[0])
            end = found.end()
    if group:
        yield group


def _phrase(words: list[str]) -> list[Clause]:
    """The words next to each other: one clause, or none. A run at the end may go on in the text, so its end is left
    open."""
    if not words:
        return []
    last = words[-1]
    found = [term for word in words[:-1] for term in terms_of(word).split()]
    alone = is_run(last) and len(last) == 1
    if alone:
        found.append(last)
    else:
        found += (bigrams(last)[:-2] if is_run(last) else terms_of(last)).split()
    return [Clause(tuple(found), alone)] if found else []


def _strict(words: list[str]) -> str:
    """One clause that says: these words, in one of the forms in which they may have been written."""
    forms = _phrase(words)
    if len(words) == 1:
        word = words[0]
        stripped = without_particle(word)
        if stripped != word:
            forms += _phrase([stripped])
        elif len(pieces := pieces_of(word)) > 1:
            forms.append(Clause(tuple(map(stem, pieces))))
    texts = dict.fromkeys(form.match for form in forms)
    return f"({' OR '.join(texts)})" if len(texts) > 1 else "".join(texts)


def _loose(words: list[str]) -> Iterable[Clause]:
    """Clauses of which each one alone is worth a match."""
    if len(words) > 1 or len(words[0]) < 3 or not is_run(words[0]):
        yield from _phrase(words)
    for word in words:
        if is_run(word):
            for pair in _telling_pairs(without_particle(word)):
                yield Clause((pair,), weight=_MIXED_PAIR if _MIXED.fullmatch(pair) else 1.0)
        elif not is_stop(word):
            yield from _phrase([word])
            for part in parts_of(word).split():
                if len(part) > 2 and part not in STOP_WORDS:
                    yield Clause((part,))


def _telling_pairs(run: str) -> list[str]:
    """The bigrams of a run without those of its grammar; all of them when it is nothing else."""
    pairs = list(map(add, run, run[1:]))
    return [pair for pair in pairs if pair not in STOP_WORDS and not _HIRAGANA.fullmatch(pair)] or pairs
