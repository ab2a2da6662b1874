"""Prompts: what of a prompt is worth searching for, if anything.

A prompt is asked about in the person's own words. Acknowledgements ("yes", "계속", "好的"), commands, texts that a
program made, and orders that every project hears ("run the tests") ask for nothing. Pasted code, logs, diffs and
tables are left out, but for the last message of an error. Pure; linear in the length of the prompt, of which the
middle is not read when it is very long.
"""

from __future__ import annotations

import re

from axiommind.recall import _prompt_words as words
from axiommind.text.tokens import STOP_WORDS

__all__ = ["to_ask"]

_READ_HEAD, _READ_TAIL = 32_000, 8_000  # characters of a prompt that are looked at
_KEPT_HEAD, _KEPT_TAIL = 1_300, 700  # and of the person's own words, that are asked
_ERROR_CHARS = 300
_LINE_CHARS = 1_000  # a longer line without blanks is data
_ENOUGH = 1.5  # what the words of a prompt have to tell together
_GENERIC_WORTH = 0.4

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
# Blocks that a program puts into what a person wrote.
_BLOCKS = ("system-reminder", "task-notification", "ide_opened_file", "ide_selection", "local-command-caveat")

# --- lines that were pasted --------------------------------------------------------------------------------

_PASTED = (
    "Traceback (most recent call last)",
    'File "',
    "at ",
    "During handling of the above",
    "The above exception was",
    "goroutine ",
    "stack backtrace:",
    "note: run with `RUST_BACKTRACE",
    "... ",
    "$ ",
    "% ",
    "❯ ",
    "➜ ",
    ">>> ",
    "C:\\>",
    "PS C:",
    "diff --git ",
    "@@ ",
    "+++ ",
    "--- ",
    "index ",
    "<<<<<<< ",
    ">>>>>>> ",
    "=====",
    "-----",
    "_____",
    "~~~~",
    "^",
    "|",
    "+--",
    "┌",
    "├",
    "│",
    "└",
    "INFO",
    "DEBUG",
    "TRACE",
    "WARN",
    "[INFO",
    "[DEBUG",
    "[TRACE",
    "[WARN",
    "PASSED ",
    "FAILED ",
    "PASS ",
    "FAIL ",
    "ok  \t",
    "npm WARN",
    "npm notice",
    "E   ",
    "{",
    "}",
    '"',
    "[{",
)
# Of those, the ones that a sentence may begin with too; then they count only in the shape that follows.
_MAYBE = {
    "at ": re.compile(r"at \S+[(:<]|at \S+ \("),
    "index ": re.compile(r"index [0-9a-f]{7,}\.\."),
    "goroutine ": re.compile(r"goroutine \d"),
    "INFO": re.compile(r"INFO[\]: \t]"),
    "DEBUG": re.compile(r"DEBUG[\]: \t]"),
    "TRACE": re.compile(r"TRACE[\]: \t]"),
    "WARN": re.compile(r"WARN(?:ING)?[\]: \t]"),
    '"': re.compile(r'"[^"]{0,100}" ?:'),
    "... ": re.compile(r"\.\.\. \d"),
    "--- ": re.compile(r"--- (?:a/|/|\S+\.\w)"),
}
_STAMPED = re.compile(r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T \]]|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d)")
_ERROR = re.compile(
    r"(?:[\w.$]{0,80}(?:Error|Exception|Fault|Panic|Interrupt|Iteration)(?: ?:|$)"
    r"|(?:error|fatal|panic)(?:\[\w+\])?:|(?:ERROR|FATAL|CRITICAL|npm ERR!|thread '\w+' panicked)[:\] ]|Caused by:)"
)
_CODE_ENDS = ("{", "}", ";", "};", "})", ");", "(", "[", "],", "),", "=>", "->", "\\", "*/")
_CODE_STARTS = (
    "import ",
    "from ",
    "def ",
    "class ",
    "function ",
    "const ",
    "let ",
    "var ",
    "return ",
    "async ",
    "await ",
    "public ",
    "private ",
    "static ",
    "func ",
    "fn ",
    "pub ",
    "use ",
    "#include",
    "#define",
    "package ",
    "export ",
    "if (",
    "for (",
    "while (",
    "else",
    "elif ",
    "try:",
    "except",
    "//",
    "/*",
    "@",
    "</",
    "<",
)
_SYNTAX = frozenset("(){}=;<>")
_PUNCTUATION = frozenset("{}()[]<>=;:+*/\\|&%$#@!~^\"'`_,.-")

# --- things in a line that are no words --------------------------------------------------------------------

_TAG = re.compile(r"\[\[[^\[\]\n]{1,100}\]\]")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+")
_LONG = re.compile(r"[0-9A-Za-z+/=_-]{7,}")
_HEX = frozenset("0123456789abcdefABCDEF-")
_LOWER_RUN = re.compile(r"[a-z]{6}")


def to_ask(prompt: str) -> str | None:
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
        lines, said = _own(_without_blocks(part), tail=at > 0)
        own += lines
        error = said or error
    kept = _ends("\n".join(own))
    if error and error not in kept:
        kept = f"{kept}\n{error}".strip()
    return kept if kept and _tells(kept) else None


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


def _without_blocks(text: str) -> str:
    """Without what a program put in between; an unclosed block goes on to the end."""
    for name in _BLOCKS:
        opening, closing = f"<{name}", f"</{name}>"
        if opening not in text:
            continue
        out, at = [], 0
        while (start := text.find(opening, at)) >= 0:
            out.append(text[at:start])
            end = text.find(closing, start)
            if end < 0:
                at = len(text)
                break
            at = end + len(closing)
        out.append(text[at:])
        text = "\n".join(out)
    return text


def _own(text: str, *, tail: bool) -> tuple[list[str], str]:
    """The lines that are the person's own, and the last message of an error among the others."""
    lines = text.splitlines()
    fences = [at for at, line in enumerate(lines) if line.lstrip()[:3] in ("```", "~~~")]
    fenced = tail and len(fences) % 2 == 1  # what was cut off opened it
    own: list[str] = []
    run: list[str] = []  # lines that look like code: three in a row are
    error = ""
    in_diff = in_trace = pasted = False

    def end_run() -> None:
        if len(run) < 3 and not pasted:
            own.extend(run)
        run.clear()

    for line in lines:
        bare = line.strip()
        if bare[:3] in ("```", "~~~") and not (bare.count("```") > 1 and bare.endswith("```")):
            fenced = not fenced
            continue
        if not bare:
            in_diff = False
            continue
        if fenced:
            error = _message(bare) or error
            continue
        if in_diff and line[0] in "+- \\":
            continue
        if said := _message(bare):
            end_run()
            error, pasted, in_trace, in_diff = said, True, False, False
            continue
        if in_trace and line[0] in " \t":
            continue
        in_trace = in_diff = False
        if _is_pasted(bare):
            end_run()
            pasted = True
            in_diff = bare.startswith(("@@ ", "diff --git"))
            in_trace = bare.startswith(("Traceback", 'File "'))
            continue
        if _is_code(line, bare):
            run.append(bare)
            continue
        end_run()
        pasted = False
        own.append(bare)
    end_run()
    cleaned = (_cleaned(line) for line in own)
    return [line for line in cleaned if line], _cleaned(error)[:_ERROR_CHARS]


def _message(bare: str) -> str:
    """A line that says what went wrong, as programs write it; else nothing."""
    return bare[:_ERROR_CHARS] if _ERROR.match(bare) else ""


def _is_pasted(bare: str) -> bool:
    if bare.startswith(_PASTED):
        for start, shape in _MAYBE.items():
            if bare.startswith(start):
                return shape.match(bare) is not None
        return True
    if _STAMPED.match(bare):
        return True
    if len(bare) > _LINE_CHARS // 5 and bare.isascii():  # data: hardly a blank in it
        return bare.count(" ") * 25 < len(bare)
    return len(bare) > 3 and bare.count("|") > 2


def _is_code(line: str, bare: str) -> bool:
    if bare.endswith(_CODE_ENDS):
        return True
    if bare.startswith(_CODE_STARTS) and (len(bare.split(None, 4)) < 5 or not _SYNTAX.isdisjoint(bare)):
        return True
    if line[0] not in " \t" or bare[0] in "-*•0123456789":
        return False
    marks = sum(map(_PUNCTUATION.__contains__, bare[:200]))
    return marks * 6 > min(len(bare), 200)


def _cleaned(line: str) -> str:
    """Without tags, addresses, hashes and keys: they are no words."""
    if "[[" in line:
        line = _TAG.sub(" ", line)
    if "://" in line:
        line = _URL.sub(" ", line)
    return " ".join(_LONG.sub(_word, line).split())


def _word(found: re.Match[str]) -> str:
    """The word itself, or a blank for a hash, an id or base64."""
    word = found[0]
    digits = sum(map(str.isdigit, word))
    if not digits:
        return word
    if _HEX.issuperset(word) and digits < len(word) - word.count("-"):
        return " " if word.count("-") in (0, 4) else word  # a hash or a UUID; a date has two dashes
    if len(word) < 20 or digits < max(3, len(word) // 12) or _LOWER_RUN.search(word):
        return word
    return " "


def _ends(text: str) -> str:
    """The beginning and the end of what is too long to be asked, cut between words."""
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

_WORD = re.compile(r"\w+(?:[.'’/-]\w+)*")
_PLAIN = re.compile(r"[0-9A-Za-z_]+|[^\W0-9A-Za-z_]+")


def _tells(text: str) -> bool:
    """Whether the words of a text tell enough to be asked: one name, or two words that not everybody says."""
    total = 0.0
    seen: set[str] = set()
    for found in _WORD.finditer(text):
        word = found[0]
        if word in seen:
            continue
        seen.add(word)
        total += _worth(word) if word.isascii() else sum(map(_worth, _PLAIN.findall(word)))
        if total >= _ENOUGH:
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
        # NameLikeThis, or a name in capitals, is of this project or of none
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
