"""One tokeniser for the index and for queries: English, Korean, Chinese, Japanese, other scripts, code.

FTS5 cannot be given a tokeniser from Python's sqlite3, so text becomes a string of terms separated by blanks
(`fts_text`), and `FTS_TOKENIZE` makes FTS5 cut at those blanks and change nothing. Words come first and in
order, so phrases work; the parts of identifiers (`getUserById` → get user by id) follow after the last word.
Runs without spaces (Han, kana, Hangul, Thai …) become overlapping bigrams and the run's last character.
It refuses nothing: any `str` is valid text and a valid query, and no character of it reaches FTS5 syntax.
Why it is so, and what it costs: docs/adr/0005-tokens.md.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from functools import cache
from operator import add
from unicodedata import is_normalized, normalize

from axiommind.text.english_stems import stem
from axiommind.text.patterns import lazy

__all__ = [
    "ENDINGS",
    "FTS_TOKENIZE",
    "MARKS",
    "UNSPACED",
    "WORD_CHARS",
    "bigrams",
    "clean",
    "fts_text",
    "holds_unspaced",
    "is_run",
    "parts_of",
    "pieces_of",
    "terms",
    "terms_of",
    "word_pattern",
    "word_terms",
    "words_of",
]

# The `ascii` tokenizer keeps every character above 127 in a token, whatever Unicode version SQLite knows;
# `unicode61` would fold and split by its own old tables.
FTS_TOKENIZE = "ascii tokenchars '_'"

WORD_CHARS = 64  # characters of a word that are indexed; longer ones are base64, hashes, minified code
_CACHE_SIZE = 1 << 16
_BATCH = 1 << 16

# Written without spaces between words: Han, kana, bopomofo, Hangul; Thai, Lao, Myanmar, Khmer.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u3099\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
UNSPACED = _CJK + (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17dc"
    "\u17dd\u17e0-\u17e9\ua9e0-\ua9fe\uaa60-\uaa7f"
)
# Marks that belong inside a word although `\w` leaves them out: accents, points, Indic vowel signs.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u07eb-\u07f3\u08d3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983"
    "\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03"
    "\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0df3\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f8d-\u0fbc\u135d-\u135f"
    "\u1dc0-\u1dff\ufe20-\ufe2f"
)
_HIDDEN = "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_LATIN = "0-9A-Za-z_\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u036f\u1e00-\u1eff"


_ASCII_WORD = re.compile(r"[0-9A-Za-z_]+(?:'+[0-9A-Za-z_]*)*")
_WORD = lazy(f"[{UNSPACED}]+|(?:[^\\W{UNSPACED}]++['{MARKS}]*+)++")
_FOREIGN = lazy(f"[^\\W\\x00-\\x7f]|[{MARKS}{_HIDDEN}]")
_NOT_ASCII = lazy("[^\x00-\x7f]+")
_ASCII_BLANKS = bytes(c if c < 128 and (chr(c).isalnum() or chr(c) in "_'") else 32 for c in range(256))
_SCRIPTS = lazy(f"[{_LATIN}]+|[^{_LATIN}]+")
_INVISIBLE = lazy(f"[{_HIDDEN}]+")
# Normalising sorts a run of marks by insertion, in quadratic time: no run may be long (UAX #15, stream-safe).
_MARK_RUN = lazy(r"([^\w\x00-\x7f]{32})[^\w\x00-\x7f]+")
_STRAY_VOICING = lazy("(?<![\uff66-\uff9d])[\uff9e\uff9f]+")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+")
# Base64 and ids look like this, and their pieces are shorter than those of names.
_RANDOM = re.compile(r"[0-9][A-Za-z]+[0-9]|[0-9][a-z]")
_NUMBERED = re.compile(r"([a-z]{3,})[0-9]{1,4}")
_FOLDED_MARKS = lazy("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ё": "е"})
ENDINGS = frozenset(("s", "ll", "re", "ve", "d", "m"))

# NFKC turns lone jamo (ㅋ) into conjoining ones (U+110F); those it did not compose go back: people read them.
_JAMO = str.maketrans(
    {0x1100 + i: c for i, c in enumerate("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")}
    | {0x1161 + i: chr(0x314F + i) for i in range(21)}
    | {0x11A8 + i: c for i, c in enumerate("ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")}
)
_CONJOINING = lazy("[\u1100-\u11ff]")


def terms(text: str) -> list[str]:
    """The index terms of a text, in order: its words, then the parts of its identifiers."""
    return fts_text(text).split()


def terms_of(word: str) -> str:
    """The terms of one word as it is written, separated by blanks, without the parts of an identifier."""
    return _cache[word]


def word_terms(word: str) -> list[str]:
    """The same for one ASCII word as it is written."""
    return f"{_cache[word]} {_cache.parts.get(word, '')}".split()


def fts_text(text: str, *, each: bool = False) -> str:
    """What is inserted into FTS5 for this text, and handed to its 'delete' command again. With `each`, the parts of an
    identifier as often as it occurs (where occurrences are counted), and not once."""
    global _cache
    words = words_of(text)
    out: list[str] = []
    parts: dict[str, str] = {}
    for start in range(0, len(words), _BATCH):
        batch = words[start : start + _BATCH] if len(words) > _BATCH else words
        cache = _cache
        if len(cache) > _CACHE_SIZE:
            # Replaced, not cleared: another thread may be in the middle of its batch.
            cache = _cache = _Words(cache)
        out.extend(filter(None, map(cache.__getitem__, batch)))
        for word in cache.parts.keys() & set(batch):
            parts[word] = cache.parts[word]
    if each:
        out.extend(parts[word] for word in words if word in parts)
    else:  # sorted, so that the string depends on nothing but the text
        out.extend(dict.fromkeys(parts[word] for word in sorted(parts)))
    return " ".join(out)


# --- words to terms ---------------------------------------------------------------------------------------


class _Words(dict[str, str]):
    """word as written → its terms, joined by blanks; `parts` holds what identifiers add.

    A full cache becomes the `old` of a new one, which takes over from it what is still in use.
    """

    def __init__(self, old: _Words | None = None) -> None:
        super().__init__()
        self.parts: dict[str, str] = {}
        self.old: tuple[dict[str, str], dict[str, str]] = ({}, {})
        if old is not None:
            self.old = (old, old.parts)
            old.old = ({}, {})

    def __missing__(self, word: str) -> str:
        old, old_parts = self.old  # both at once: a thread may replace them
        found = old.get(word)
        if found is not None:
            if parts := old_parts.get(word):
                self.parts[word] = parts
        elif is_run(word):
            found = bigrams(word)
            if len(word) > 4:
                return found
        elif len(word) > WORD_CHARS:
            return _word_terms(word)
        else:
            found = _word_terms(word)
            if not (word.islower() and word.isalpha()) and (parts := parts_of(word)):
                self.parts[word] = parts
            if found == word:
                found = word
        self[word] = found
        return found


def is_run(word: str) -> bool:
    """Whether a word is a run of a script that is written without spaces."""
    return word[0] > "\u0e00" and _is_unspaced(word[0])


@cache
def _unspaced_ends() -> tuple[str, ...]:
    """Where the ranges of unspaced scripts begin and, each after its beginning, where they are over. As a pattern they
    would take a hook milliseconds to compile."""
    ends: list[tuple[str, str]] = []
    for first, dash, last in re.findall(r"(.)(?:(-)(.))?", UNSPACED):
        ends.append((first, chr(ord(last if dash else first) + 1)))
    return tuple(end for pair in sorted(ends) for end in pair)


def _is_unspaced(char: str) -> bool:
    return bisect(_unspaced_ends(), char) % 2 == 1


def bigrams(run: str) -> str:
    """`開發者` → 開發 發者 者. The last character alone makes one-character queries prefix queries."""
    return " ".join(map(add, run, run[1:])) + " " + run[-1] if len(run) > 1 else run


def _word_terms(word: str) -> str:
    """The terms of a word of a script with spaces. Usually one; `l'homme` and `Reactкомпонент` give two."""
    if word.isascii():
        if word.isalpha():
            return stem(word[:WORD_CHARS].lower())
        if "'" not in word:
            return stem(word.strip("_")[:WORD_CHARS].lower())
    return " ".join(filter(None, (_term(piece) for piece in _pieces(word))))


def _pieces(word: str) -> Iterator[str]:
    """Cut a word at apostrophes and script boundaries: user's → user, don't → dont, l'homme → l homme."""
    chain = [piece for piece in word.split("'") if piece]
    while len(chain) > 1:
        ending = chain[-1].lower()
        if ending in ENDINGS:
            chain.pop()
        elif ending == "t" and chain[-2][-1] in "nN":
            chain[-2:] = [chain[-2] + chain[-1]]
        else:
            break
    for piece in chain:
        if piece.isascii():
            yield piece
        else:
            yield from _SCRIPTS.findall(piece)


def _term(piece: str) -> str:
    piece = piece[:WORD_CHARS].casefold()
    if not piece.isascii():
        first = ord(piece[0])
        if first < 0x0400 or 0x1E00 <= first < 0x2000:
            piece = normalize("NFKD", piece)
        piece = _FOLDED_MARKS.sub("", piece).translate(_LETTERS)
        if not piece.isascii():
            return normalize("NFKC", piece).replace("_", "")
    return stem(piece.strip("_"))


def pieces_of(word: str) -> list[str]:
    """The pieces of an identifier, lower case; none when it is a plain word. One letter alone is no piece."""
    word = word.strip("'_")
    if word.isalpha() and (word.istitle() or word.isupper() or word.islower()):
        return []
    if not word.isascii() or "'" in word:
        return []
    if "_" not in word and word.islower():
        return [word]  # letters and digits: sha256, 1e86cebd
    pieces = [piece for part in word.split("_") for piece in _CAMEL.findall(part)]
    share = len(word) / (len(pieces) or 1)
    if len(pieces) > 2 and (share < 2.5 or (share < 3.5 and _RANDOM.search(word))):
        return []
    return [piece.lower() for piece in pieces if len(piece) > 1]


def parts_of(word: str) -> str:
    """The terms that an identifier adds: its pieces in a row, then those that lose a number (oauth2)."""
    pieces = pieces_of(word)
    whole = word.strip("'_").lower()
    found = [stem(piece) for piece in pieces] if pieces != [whole] else []
    for piece in dict.fromkeys((*pieces, whole)) if pieces else ():
        if numbered := _NUMBERED.fullmatch(piece):
            found.append(stem(numbered[1]))
    return " ".join(found)


_cache = _Words()


def words_of(text: str) -> list[str]:
    """The words of a text as they are written, runs of unspaced scripts among them."""
    if not text.isascii():
        text = text.replace("\ufe0f", "").replace("\u2026", " ").replace("\u00a0", " ").replace("\u2019", "'")
        others = "".join(_NOT_ASCII.findall(text))
        if _FOREIGN.search(others) or not is_normalized("NFKC", "".join(sorted(set(others)))):
            return _WORD.findall(clean(text))
    # Dashes, quotes, boxes and emoji make no words: but for those the text is ASCII.
    return text.encode("ascii", "replace").translate(_ASCII_BLANKS).decode("ascii").split()


def clean(text: str) -> str:
    """NFKC without invisible characters; linear whatever the text."""
    if text.isascii():
        return text
    if "\uff9e" in text or "\uff9f" in text:
        text = _STRAY_VOICING.sub("", text)
    text = normalize("NFKC", _MARK_RUN.sub(r"\1", _INVISIBLE.sub("", text)))
    if _CONJOINING.search(text):
        text = text.translate(_JAMO)
    return text.replace("\u2019", "'")


def word_pattern(text: str) -> re.Pattern[str]:
    """What finds the words of a text that is clean."""
    return _ASCII_WORD if text.isascii() else _WORD


def holds_unspaced(text: str) -> bool:
    """Whether a text has anything in a script that is indexed by bigrams."""
    return any(map(_is_unspaced, set(text)))
