"""A prompt's question: the part of a prompt that is worth searching for, if any.

It is asked in the person's own words (`own_words`). Acknowledgements ("yes", "계속", "好的"), commands, texts that a
program made, and orders that every project hears ("run the tests") ask for nothing. Pure; linear in the length of the
prompt, of which the middle is not read when it is very long.
"""

from __future__ import annotations

import re

from axiommind.recall import _prompt_words as words
from axiommind.recall.own_words import own_words
from axiommind.text.patterns import lazy
from axiommind.text.stop_words import STOP_WORDS

__all__ = ["asks", "question_of"]

_READ_HEAD, _READ_TAIL = 32_000, 8_000  # characters of a prompt that are read
_KEPT_HEAD, _KEPT_TAIL = 1_300, 700  # and of the person's own words, that are asked
_ENOUGH = 1.5  # what the words of a prompt must be worth together
_ENOUGH_TO_ASK = 1.0  # and of one that asks how, why or what
_GENERIC_WORTH = 0.4
_TELLING = 1.0  # a word from this worth on is not everybody's

# Texts that begin like this were written by a program, not by the person.
_MADE = (
    "<task-notification",
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-prompt-submit-hook>",
    "<teammate-message",
    "<ide_",
    "[Request interrupted",
    "Caveat: The messages below",
    "This session is being continued",
)

_ASKS = lazy(
    r"\b(?:how|why|what|which|where|when|who)\b[^?]{0,200}\?|^(?:how|why|what|which|where|when|who)(?:'s)? "
    r"|(?:왜|어떻게|무엇|뭐|어디|언제|어느|무슨)[^?？]{0,80}[?？]|(?:なぜ|どう|何|どこ|いつ|どれ|どの|誰)[^?？]{0,80}(?:[?？]|か。?$)"
    r"|(?:为什么|怎么|什么|哪|何时|谁|如何)[^?？]{0,80}[?？]",
    re.IGNORECASE,
)


def question_of(prompt: str) -> str | None:
    """The part of a prompt that is worth searching for; None where there is nothing to ask."""
    text = prompt.strip()
    if not text or _is_order(text):
        return None
    parts = [text]
    if len(text) > _READ_HEAD + _READ_TAIL:
        parts = [text[:_READ_HEAD], text[-_READ_TAIL:]]
    own: list[str] = []
    error = ""
    for at, part in enumerate(parts):
        lines, said = own_words(part, is_tail=at > 0)
        own += lines
        error = said or error
    kept = _ends("\n".join(own))
    if error and error not in kept:
        kept = f"{kept}\n{error}".strip()
    return kept if kept and _tells(kept, is_order=not asks(kept)) else None


def _is_order(text: str) -> bool:
    """A command to the client, or a text that a program made."""
    if text.startswith(_MADE):
        return True
    first = text[0]
    if first == "/":  # /compact, and not /home/dev/app.py
        name = text[1:100].split(None, 1)[0] if text[1:2].isalpha() else "/"
        return "/" not in name and "." not in name
    if first == "!":
        return text[1:2] not in ("", "!", "[", "?")
    return first == "#" and "\n" not in text and not text[1:2].isdecimal()


def _ends(text: str) -> str:
    """The beginning and the end of a question that is too long, cut between words."""
    if len(text) <= _KEPT_HEAD + _KEPT_TAIL:
        return text
    head, tail = text[:_KEPT_HEAD], text[-_KEPT_TAIL:]
    return f"{head[: _last_blank(head)]}\n{tail[_first_blank(tail) :]}"


def _last_blank(text: str) -> int:
    at = max(text.rfind(" "), text.rfind("\n"))
    return at if at > len(text) // 2 else len(text)


def _first_blank(text: str) -> int:
    at = text.find(" ")
    return at + 1 if 0 <= at < len(text) // 2 else 0


# --- how much the words tell ------------------------------------------------------------------------------

_WORD = lazy(r"\w+(?:[.'’/-]\w+)*")
_PLAIN = lazy(r"[0-9A-Za-z_]+|[^\W0-9A-Za-z_]+")


def asks(question: str) -> bool:
    """Whether it asks how, why or what, and not for something to be done."""
    return _ASKS.search(question) is not None


def _tells(text: str, *, is_order: bool) -> bool:
    """Whether the words of a text are worth asking: one name, or two words that are not everybody's. An order of which
    every word is everybody's ("get back to main, pull, then create a branch and a pr") is not, however long."""
    enough = _ENOUGH if is_order else _ENOUGH_TO_ASK
    total = 0.0
    is_told = not is_order
    seen: set[str] = set()
    for found in _WORD.finditer(text):
        word = found[0]
        if word in seen:
            continue
        seen.add(word)
        worth = [_worth(word)] if word.isascii() else [_worth(part) for part in _PLAIN.findall(word)]
        total += sum(worth)
        is_told = is_told or max(worth, default=0.0) >= _TELLING
        if is_told and total >= enough:
            return True
    return False


def _worth(word: str) -> float:
    if not word.isascii():
        return _worth_unspaced(word)
    plain = word.lower()
    if plain in words.ASIDE or plain in STOP_WORDS:
        return 0.0
    if plain in words.GENERIC:
        return _GENERIC_WORTH
    if word.isalpha():
        if len(word) < 2:
            return 0.0
        # NameLikeThis belongs to this project or to none
        return 2.0 if not (word.islower() or word.istitle() or word.isupper()) else 1.0
    if "'" in plain:
        return _worth(plain.partition("'")[0])
    if word.replace(".", "").replace("/", "").replace("-", "").isdecimal():
        return 0.0
    pieces = [piece for piece in re.split(r"[._/-]+", word) if piece]
    if len(pieces) < 2:  # sha256, oauth2
        return 1.0
    joined = sum(_worth(piece) for piece in pieces)
    return max(joined, 2.0) if "_" in word.strip("_") or "/" in word or "." in word else joined


def _worth_unspaced(word: str) -> float:
    first = word[0]
    if "\u3130" <= first <= "\u318f" or "\uac00" <= first <= "\ud7a3":
        return _worth_korean(word)
    if not any("\u3041" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" for char in word):
        return 1.0 if len(word) > 2 else 0.0  # another script: Greek, Cyrillic, Thai …
    kana = any("\u3041" <= char <= "\u309f" for char in word)
    aside, generic = words.japanese() if kana else words.chinese()
    rest, n = generic.subn(" ", aside.sub(" ", word))
    worth = n * _GENERIC_WORTH
    for piece in rest.split():
        telling = sum(not "\u3041" <= char <= "\u309f" for char in piece)  # hiragana is mostly grammar
        worth += telling / 2 if telling > 1 else 0
    return worth


def _worth_korean(word: str) -> float:
    aside, generic = words.korean()
    if word in aside or word in STOP_WORDS or not word.strip("ㅋㅎㅠㅜㅇㄱㄴㅅㄷ"):
        return 0.0
    if word in generic:
        return _GENERIC_WORTH
    for ending in words.korean_orders():
        if word.endswith(ending) and len(word) > len(ending):
            stem = word[: -len(ending)]
            if stem in aside:
                return 0.0
            if stem in generic:
                return _GENERIC_WORTH
    return 1.0 if len(word) > 1 else 0.0
