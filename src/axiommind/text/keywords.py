"""The keywords of a prompt: its content words as a person would list them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from axiommind.text.patterns import lazy
from axiommind.text.stop_words import STOP_WORDS, is_stop, without_particle
from axiommind.text.tokens import ENDINGS, MARKS, UNSPACED, WORD_CHARS, clean, is_run

__all__ = ["keywords"]

_FENCED = lazy(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_URL = lazy(r"\b[a-z][a-z0-9+.-]{1,15}://([^\s/?#<>\"'`)\]]*)[^\s<>\"'`)\]]*", re.IGNORECASE)
_KEYWORD = lazy(f"[{UNSPACED}]+|[^\\W{UNSPACED}]+(?:['{MARKS}]+[^\\W{UNSPACED}]*|[./\\\\-]+[^\\W{UNSPACED}]+)*")
_HEX = lazy(r"(?=.*[0-9])[0-9a-f-]{7,}")
_NUMBER = lazy(r"[\d_.,/\\-]+(?:st|nd|rd|th|px|ms|kb|mb|gb|[a-z])?")
_PIECE = lazy("[\u3041-\u309f]+|[\u30a1-\u30ff]+|[\uac00-\ud7a3]+|[^\u3041-\u30ff\uac00-\ud7a3]+")
_HAN_BREAK = lazy("[的了是在和与與或也都就我你您他她它这這那哪吗嗎呢吧啊把被从從对對为為以及等之而但很更最请請]+")
_RUN_KEPT = 8


def keywords(text: str, limit: int = 64) -> list[str]:
    """The distinct content words of a prompt as a person would list them, in order of first appearance."""
    text = _URL.sub(_host, _FENCED.sub(" ", text) if "```" in text or "~~~" in text else text)
    found: dict[str, None] = {}
    for match in _KEYWORD.finditer(clean(text)):  # one by one: a long prompt is full long before its end
        token = match.group()
        for word in _cut(token) if is_run(token) else (_last_name(token),):
            word = word.casefold()
            if word and word not in found and not _dull(word):
                found[word] = None
                if len(found) >= limit:
                    return list(found)
    return list(found)


def _host(url: re.Match[str]) -> str:
    """Of a URL only the host is worth a keyword."""
    return f" {url[1].rpartition('@')[2].partition(':')[0].removeprefix('www.')} "


def _last_name(token: str) -> str:
    """Of a path the file, of a dotted or dashed word all of it."""
    token = token.replace("\\", "/").rpartition("/")[2] if "/" in token or "\\" in token else token
    token = token.strip("_'./-")
    stem_, _, ending = token.rpartition("'")
    return stem_ if stem_ and ending.lower() in ENDINGS else token


def _cut(run: str) -> Iterable[str]:
    """A run as words: whole when short; Japanese at the edges of its scripts, Chinese at function words."""
    if "\uac00" <= run[-1] <= "\ud7a3" or "\uac00" <= run[0] <= "\ud7a3":
        return (without_particle(run)[:32],)
    if len(run) <= _RUN_KEPT and not ("\u3041" <= run[-1] <= "\u309f"):
        return (run,)
    pieces = [piece for piece in _PIECE.findall(run) if not ("\u3041" <= piece[0] <= "\u309f")] or [run]
    words = [word for piece in pieces for word in (_HAN_BREAK.split(piece) if len(piece) > _RUN_KEPT else [piece])]
    return [word[at : at + _RUN_KEPT] for word in words for at in range(0, len(word), _RUN_KEPT)]


def _dull(word: str) -> bool:
    """No keyword: a stop word, a number, a lone Latin letter, a hash, something nobody would type."""
    if word in STOP_WORDS or (word.isascii() and len(word) < 2) or len(word) > WORD_CHARS:
        return True
    return bool(_NUMBER.fullmatch(word) or _HEX.fullmatch(word)) or is_stop(word)
