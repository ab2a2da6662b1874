"""Phrases: words that let another machine in. Twelve words of a list of 2,048 (that of BIP 39, MIT licence) hold 128
random bits and four bits that notice a wrong word. Both the place of the invitation and its key are made of them."""

from __future__ import annotations

import secrets
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from axiommind.errors import UsageError
from axiommind.sync.crypto import derived

__all__ = ["PairingPhrase", "new_phrase", "parse_phrase"]

_BITS = 128
_WORDS = 12
_CHECK = 4
_HINT = "twelve words, as axm sync phrase prints them on the other machine"


class PairingPhrase(NamedTuple):
    """A pairing phrase, and what is made of it."""

    secret: bytes

    @property
    def words(self) -> str:
        number = int.from_bytes(self.secret, "big") << _CHECK | _check(self.secret)
        known = _list()
        return " ".join(known[number >> 11 * at & 2047] for at in reversed(range(_WORDS)))

    @property
    def place(self) -> str:
        """The name under which the invitation lies."""
        return f"pair-{derived(self.secret, 'axiommind pairing place', size=16).hex()}"

    @property
    def key(self) -> bytes:
        return derived(self.secret, "axiommind pairing key")


def new_phrase() -> PairingPhrase:
    return PairingPhrase(secrets.token_bytes(_BITS // 8))


def parse_phrase(text: str) -> PairingPhrase:
    """A phrase as people type it; a wrong word is named."""
    known = {word: number for number, word in enumerate(_list())}
    words = text.replace(",", " ").replace("-", " ").lower().split()
    if len(words) != _WORDS:
        raise UsageError(f"a pairing phrase has {_WORDS} words, and this has {len(words)}", hint=_HINT)
    number = 0
    for at, word in enumerate(words, 1):
        if word not in known:
            near = sorted(one for one in known if one[:4] == word[:4])
            hint = f"did you mean {near[0]!r}?" if near else _HINT
            raise UsageError(f"word {at} of the phrase is none of the list", hint=hint)
        number = number << 11 | known[word]
    secret = (number >> _CHECK).to_bytes(_BITS // 8, "big")
    if number & ((1 << _CHECK) - 1) != _check(secret):
        raise UsageError("this phrase does not add up: a word is wrong, or two changed places", hint=_HINT)
    return PairingPhrase(secret)


def _check(secret: bytes) -> int:
    return sha256(secret).digest()[0] >> 8 - _CHECK


def _list() -> list[str]:
    return (files(__package__) / "words.txt").read_text("ascii").split()
