"""The prefilter: whether bytes, JSON or plain, may hold a secret at all. Clean lines cost almost nothing.

One pattern of everything that announces a secret (`hot_pattern`), read in one pass. It errs towards yes: `value`
changes nothing in a line that is not hot. Codes of terminals and invisible characters are taken out before a line is
judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from axiommind.text import secret_names as names
from axiommind.text.scanner import Scanner, scanner
from axiommind.text.secret_shapes import SHAPES, Shape

__all__ = [
    "has_hidden",
    "head_scanner",
    "hot_pattern",
    "hot_windows",
    "is_harmless",
    "is_hot",
    "name_scanner",
    "pattern_scanner",
    "set_scanner",
    "shape_scanner",
]

# What no reader sees: codes of terminals (also as JSON writes them), and characters without width.
_ANSI = rb"(?:\x1b|\xc2\x9b|\\+u00(?:1b|9b)|\\+x1b|\\+033|\\+e)(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\\]{0,200}(?:\x07|\\+u0007))?"  # noqa: E501
_INVISIBLE = (
    rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xc2\xad|\xcd\x8f|\xe1\xa0\x8e|\xef\xb8[\x80-\x8f]"
    rb"|\\+u(?:200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|feff|FEFF|00ad|00AD|034f|034F|180e|180E|fe0[0-9a-fA-F])"
)


def _announced(shape: Shape) -> str:
    """The literals of a shape and a few characters: an automaton has a state for each that it counts."""
    if not shape.literals:
        return shape.announced
    words = "|".join(re.escape(word).replace("/", r"\\*/") for word in shape.literals)  # JSON may escape a slash
    word = rf"(?:{words}){shape.announced}" if shape.announced else rf"(?:{words})"
    return rf"(?:^|[^A-Za-z0-9]|\\[nrt]){word}" if shape.edge and not shape.back else word


def _cjk() -> str:
    words = []
    for word in names.CJK_WORDS:
        words.append(f"(?i:{re.escape(word.encode().decode('latin-1'))})")
        escaped = "".join(c if c.isascii() else rf"\\+u{ord(c):04x}" for c in word)
        words.append(f"(?i:{escaped})")
    return "|".join(words)


@cache
def hot_pattern() -> str:
    """Everything that announces a secret, in the bytes of JSON or of plain text."""
    name, separator = f"(?:{names.SCANNED}|{names.SCANNED_PERHAPS})", names.SCANNED_SEPARATOR
    parts = [
        rf"{name}(?:[ \t\"'`\\\]*)]|\\[nrt])*(?:{separator}|{names.SCANNED_PARTICLE})",
        rf"{name}\\*(?:[\"'][ ]*[}}]|[\"']?[ ]*(?:\\[rn]|[\r\n])[rn\\ ]*[vV]alue)",
        rf"--[a-z0-9-]*{name}[ ]",
        r"(?i:authorization)[\"'`\\ \t\]]*[:=,]",
        r"(?i:cookie)[\"'`\\ \t\]]*[:=]",
        r"(?:Bearer|Basic|bearer|basic) [A-Za-z0-9._~+/-]{4}",
        r"PRIVATE KEY|PuTTY-User-Key-File|kty\\*\"|[kK]ind\\*\"?:[ ]*\\*[\"']?Secret",
        r"login(?:[ \t\r\n]|\\[nrt])+[!-~]+(?:[ \t\r\n]|\\[nrt])+password",
        r":\\*/\\*/[^\s\"'<>@/]*:[^\s\"'<>@]*@|:\\*/\\*/[A-Za-z0-9_-]{16}[A-Za-z0-9_-]*@",
        names.SCANNED_HEAD,
        _set_pattern(),
        rf"(?:{'|'.join(names.LOGINS)})[ ]",
        r"\\u00[2-7]|\x00",
        _cjk(),
        r"form-data; name=",
        *map(_announced, SHAPES),
    ]
    return "|".join(f"(?:{part})" for part in parts)


@cache
def _hot(native: bool) -> Scanner:
    return scanner(hot_pattern(), native=native)


@cache
def _hidden(native: bool) -> Scanner:
    # A letter after an escaped character is the beginning of a word, though the scanner sees it within one.
    escaped = rb"|\\+u[0-9a-fA-F]{4}[A-Za-z0-9]"
    return scanner((_ANSI + b"|" + _INVISIBLE + escaped).decode("latin-1"), native=native)


@cache
def _unhidden() -> re.Pattern[bytes]:
    return re.compile(_ANSI + b"|" + _INVISIBLE)


@cache
def _escaped() -> re.Pattern[bytes]:
    """A character beyond ASCII as JSON may write it: no part of a word, though its digits look like one."""
    return re.compile(rb"\\+u(?!00[2-7])[0-9a-fA-F]{4}")


@cache
def shape_scanner() -> Scanner:
    """Where in a text the literals of shapes are, with the few characters that announce a token."""
    words = {re.escape(word) + shape.announced for shape in SHAPES for word in shape.literals}
    return scanner("|".join(sorted(words, key=len, reverse=True)))


@cache
def pattern_scanner(shape: Shape) -> Scanner:
    """For a shape without a literal."""
    return scanner(shape.announced)


@cache
def name_scanner() -> Scanner:
    """Where in a text telling names are, with what separates them from their values."""
    return scanner(names.SCAN)


def _set_pattern() -> str:
    name = f"(?:{names.SCANNED}|{names.SCANNED_PERHAPS})"
    stored = rf"{names.STORED}[ ]|(?:{names.NAMED_VALUE})[ ]|{names.PAIRED}"
    said = f"{names.AS_SECRET}|{names.SAID_BEFORE}|htpasswd |SecureString[ (]|Secret(?:Str|String|Bytes)\\("
    return rf"(?:{names.SET_BY})[ ]+[^\s=]*{name}[ ]|(?:{names.PASSED})[ ]|{names.STDIN}|{names.PGPASS}|{stored}|{said}"


@cache
def set_scanner() -> Scanner:
    """Where in a text a value follows its name after a blank, or is read from standard input."""
    return scanner(_set_pattern())


@cache
def head_scanner() -> Scanner:
    """Where in a text a telling name is a cell of a table."""
    return scanner(names.SCANNED_HEAD)


@cache
def _harmless() -> re.Pattern[bytes]:
    """A telling name in small letters before a plain word that is shorter than what counts as generated, as code is
    full of; or a command that is given no flag for a password."""
    name = f"(?:{names.SCANNED}|{names.SCANNED_PERHAPS})"
    code = (
        rf"(?=[^\"'`:=,>|]{{0,40}}?[a-z])(?:{name})(?:[ \t\"'`\\\]*)]|\\[nrt])*+(?:{names.SCANNED_SEPARATOR})"
        r"(?:[ \t*|>+&!-]|\\[nrt])*+"
        r"(?:\\*+[\"'`][A-Za-z_$.]{0,11}\\*+[\"'`](?!\s*[:=])|[A-Za-z_$.]{1,11}[;,)\]}]*(?:\s(?!\s*[=|])|\\[nrt\"'`]|[\"'`]|$)|[;,}])"
    )
    perhaps = (
        rf"(?:{names.SCANNED_PERHAPS})(?:[ \t\"'`\\\]*)]|\\[nrt])*+(?:{names.SCANNED_SEPARATOR})(?:[ \t*|>+-]|\\[nrt])*+"  # noqa: E501
        r"\\*+[\"'`]?+[^\s\"'`\\(]{1,11}(?:[\s\"'`]|\\[nrt\"'`]|$)"
    )
    command = rf"(?:{'|'.join(names.LOGINS)})(?![^\n]{{0,300}}? -{{1,2}}(?:[puaPwN]|user|pass|storepass|keypass))"
    return re.compile(f"{code}|{perhaps}|{command}".encode("latin-1"))


def _confirmed(hot: Scanner, raw: bytes) -> Iterator[int]:
    at = -1
    while (found := hot.search(raw, at + 1)) is not None:
        at = found.start()
        if _harmless().match(raw, at) is None:
            yield at


def is_hot(raw: bytes, *, native: bool = True) -> bool:
    """Whether these bytes, JSON or plain, may hold anything that a rule would find. Errs towards yes."""
    hot = _hot(native)
    if next(_confirmed(hot, raw), None) is not None:
        return True
    # Escape sequences are backslashes or bytes beyond ASCII: most lines are asked no more than that.
    if raw.isascii() and not any(sign in raw for sign in _SIGNS):
        return False
    if not _hidden(native).search(raw):
        return False
    return next(_confirmed(hot, _escaped().sub(b"\xe9", _unhidden().sub(b"", raw))), None) is not None


_SIGNS = (b"\\u", b"\x1b", b"\\x1b", b"\\033", b"\\e[")
# Before what announces a secret stands at most a command line, behind it a value; these go over many lines.
_BEFORE, _BEHIND = 600, 1500
_TABLE, _TABLE_MARKS = 20_000, b"|,\t\r\n\\"  # the rows below the head of a column
_LONG = (
    b"PRIVATE KEY",
    b"LS0tLS1CRUdJTi",
    b"PuTTY-User-Key-File",
    b"ind: Secret",
    b'ind": "Secret',
    b'ind":"Secret',
    b'"kty',
)


def hot_windows(text: str) -> list[tuple[int, int]]:
    """The parts of a text in which rules may find something: most of a long text is far from any."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) < 4 * (_BEFORE + _BEHIND) or _hidden(True).search(raw) or any(sign in raw for sign in _LONG):
        return [(0, len(text))]
    windows: list[tuple[int, int]] = []
    for at in _confirmed(_hot(True), raw):
        if windows and at < windows[-1][1] - _BEHIND // 2:
            continue
        start = max(0, at - _BEFORE)
        behind = _TABLE if raw[at] in _TABLE_MARKS else _BEHIND
        if windows and start <= windows[-1][1]:
            start = windows.pop()[0]
        # To the next blank or quote: half of a token would be left behind.
        end = _gap().search(raw, min(len(raw), at + behind))
        windows.append((start, end.start() if end else len(raw)))
    if raw.isascii():
        return windows
    return [
        (len(raw[:start].decode("utf-8", "ignore")), len(raw[:end].decode("utf-8", "ignore"))) for start, end in windows
    ]


@cache
def _gap() -> re.Pattern[bytes]:
    return re.compile(rb"[\s\"'`]")


def has_hidden(raw: bytes) -> bool:
    """Whether there are codes of terminals, characters without width, or escapes of JSON."""
    return b"\\u" in raw or _hidden(True).search(raw) is not None


def is_harmless(raw: bytes, at: int) -> bool:
    """Whether the name at this place is followed by a plain word that is no secret, as most in code are."""
    return _harmless().match(raw, at) is not None
