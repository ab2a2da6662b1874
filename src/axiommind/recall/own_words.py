"""A person's own words in a prompt: what was not pasted, and not put in by a program.

Code, logs, diffs and tables are left out, but for the last message of an error; so are tags, addresses, hashes and
keys. Pure, and linear in the length of the text.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["own_words"]

_ERROR_CHARS = 300
_LINE_CHARS = 1_000  # a longer line without blanks is data

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
    "at ": lazy(r"at \S+[(:<]|at \S+ \("),
    "index ": lazy(r"index [0-9a-f]{7,}\.\."),
    "goroutine ": lazy(r"goroutine \d"),
    "INFO": lazy(r"INFO[\]: \t]"),
    "DEBUG": lazy(r"DEBUG[\]: \t]"),
    "TRACE": lazy(r"TRACE[\]: \t]"),
    "WARN": lazy(r"WARN(?:ING)?[\]: \t]"),
    '"': lazy(r'"[^"]{0,100}" ?:'),
    "... ": lazy(r"\.\.\. \d"),
    "--- ": lazy(r"--- (?:a/|/|\S+\.\w)"),
}
_STAMPED = lazy(r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T \]]|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d)")
_ERROR = lazy(
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

_TAG = lazy(r"\[\[[^\[\]\n]{1,100}\]\]")
_URL = lazy(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+")
_LONG = lazy(r"[0-9A-Za-z+/=_-]{7,}")
_HEX = frozenset("0123456789abcdefABCDEF-")
_LOWER_RUN = lazy(r"[a-z]{6}")


def own_words(text: str, *, is_tail: bool = False) -> tuple[list[str], str]:
    """The lines that are the person's own, cleaned, and the last message of an error among the others. Of a tail, the
    beginning was cut off."""
    return _own(_without_blocks(text), is_tail=is_tail)


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


def _own(text: str, *, is_tail: bool) -> tuple[list[str], str]:
    """The lines that are the person's own, and the last message of an error among the others."""
    lines = text.splitlines()
    fences = [at for at, line in enumerate(lines) if line.lstrip()[:3] in ("```", "~~~")]
    fenced = is_tail and len(fences) % 2 == 1  # what was cut off opened it
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
