"""Words that say nothing about what is asked: the eighteen of v2, and those that a user adds.

The tokeniser drops the built-in ones (and many function words) by itself; what a user adds is dropped here. Words are
compared without case.
"""

from __future__ import annotations

from collections.abc import Iterable

from axiommind.text.keywords import keywords
from axiommind.text.stop_words import NOISE

BUILT_IN = frozenset(NOISE.split())


class StopWords:
    """The built-in words and some more."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._more = frozenset(word.strip().casefold() for word in more) - {""}

    def __contains__(self, word: str) -> bool:
        word = word.strip().casefold()
        return word in BUILT_IN or word in self._more

    def words(self, text: str) -> list[str]:
        """The content words of a text that are no stop words, each once, in their order."""
        found = keywords(text)
        return [word for word in found if word not in self._more] if self._more else found


NO_MORE = StopWords()
