"""Prompts of one kind: two prompts that ask about the same thing, by the words that tell what they are about.

Left out are words that every project uses, orders and acknowledgements, in four languages: that two people say "please
fix" makes no kind. Pure, and linear in the length of a prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from axiommind.recall import _prompt_words as words
from axiommind.text.english_stems import stem
from axiommind.text.patterns import lazy
from axiommind.text.stop_words import STOP_WORDS, without_particle

__all__ = ["MOST_WORDS", "is_same_kind", "telling_words"]

MOST_WORDS = 80  # of a prompt: the rest of a long one is detail
# Two prompts are of one kind if so much of the shorter one's words is in the other; of long ones, so many are enough.
_SHARE = 0.5
_ENOUGH = 8
_LEAST = 2  # one word in common is chance, unless it is all that one of them says

_WORD = lazy(r"[0-9A-Za-z_]+|[\uac00-\ud7a3]+|[\u3041-\u30ff\u3400-\u9fff]+|[^\W\x00-\x7f]+")


def telling_words(prompt: str) -> frozenset[str]:
    """The words that tell what a prompt is about; pairs of characters where a script has no blanks."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(prompt):
        for word in _told(match[0]):
            found[word] = None
        if len(found) >= MOST_WORDS:
            break
    return frozenset(list(found)[:MOST_WORDS])


def is_same_kind(one: Set[str], other: Set[str]) -> bool:
    """Whether two prompts, as their telling words, ask about the same thing; those that tell nothing do."""
    smaller = min(len(one), len(other))
    if not smaller:
        return not one and not other
    shared = len(one & other)
    return shared >= min(_LEAST, smaller) and shared >= min(_ENOUGH, _SHARE * smaller)


def _told(word: str) -> Iterator[str]:
    first = word[0]
    if word.isascii():
        plain = word.lower()
        is_telling = len(plain) > 2 and not plain.isdecimal() and plain not in STOP_WORDS
        if is_telling and plain not in words.ASIDE and plain not in words.GENERIC:
            yield stem(plain)
    elif "\uac00" <= first <= "\ud7a3":
        yield from _korean(word)
    elif "\u3041" <= first <= "\u30ff" or "\u3400" <= first <= "\u9fff":
        has_kana = any("\u3041" <= char <= "\u30ff" for char in word)
        aside, generic = words.japanese() if has_kana else words.chinese()
        for run in generic.sub(" ", aside.sub(" ", word)).split():
            pairs = (run[at : at + 2] for at in range(len(run) - 1))
            # Hiragana is mostly grammar.
            yield from (pair for pair in pairs if not any("\u3041" <= char <= "\u309f" for char in pair))
    elif len(word) > 2:  # another script: Greek, Cyrillic, Thai …
        yield word.casefold()


def _korean(word: str) -> Iterator[str]:
    aside, generic = words.korean()
    bare = without_particle(word)
    forms = [word, bare]
    forms += [form[: -len(end)] for form in forms[:2] for end in words.korean_orders() if form.endswith(end)]
    if any(form in aside or form in generic or form in STOP_WORDS for form in forms):
        return
    if len(bare) > 1:
        yield bare
