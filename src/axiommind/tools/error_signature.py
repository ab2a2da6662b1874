"""Error signatures: the telling lines of an error without paths and numbers, to recognise it when it comes back.

The names in quotes count: a missing `yaml` is not a missing `numpy`. What the client says about the use of its own
tools, what a person refused, and what timed out is no error worth remembering, and has no signature.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.summary import preview, without_colours
from axiommind.tools.call_text import ERROR_CHARS, excerpt

__all__ = ["Signature", "formatting", "is_same", "misses_module", "missing_program", "signatures", "told_by"]

_SAME = 0.85  # of the words of two lines
_LINES = 6
# That something could not be run is said first or last; errors in the middle of the output are printed by tests.
_ENDS = 4
_TOLD_CHARS = 110


class Signature(NamedTuple):
    """A telling line, and what of it is the same the next time: its words, and the names in quotes."""

    line: str
    words: frozenset[str]
    names: frozenset[str]
    is_about_code: bool  # a check ran and complained; else something could not be run at all
    has_code: bool  # TS2345, E0308, lint/style/useConst

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str]]:
        return self.words, self.names


_CODE = lazy(r"\b[A-Z]{1,8}-?\d{3,5}\b|\b(?:lint|clippy|eslint)(?:/|::)[\w/-]+")
# The most telling first: each says what is wrong, and not only that something is.
_ABOUT_CODE = (
    lazy(r"\berror:? ?\[?[A-Z]{1,5}\d{3,5}\b|\blint/\w+/\w+|: ?(?:error|warning):? .*\[[\w-]+\]$"),
    lazy(r"^(?:.{0,120}:\d+:? )?[A-Z]{1,4}\d{3,4}\b[ /]\S"),
    lazy(r"^(?:E +)?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning)\b: \S"),
    lazy(r"^(?:\(fail\)|FAIL(?:ED)?:?|--- FAIL:|not ok \d+|[✗✘✖] ) ?\S.{4,}"),
)
_NOT_RUN = lazy(r"^\[?(?:\w[\w .-]{0,30}: )?(?:(?:npm )?error|fatal|panic|bug|aborted|npm err!|e:)[:\]! ] ?\S.{8,}")
# Looked up as they are, in lower case: as one pattern they would take longer to compile than to be searched for.
_COULD_NOT = (
    "command not found", "permission denied", "access denied", "not found", "could not ", "cannot ", "can't ",
    "unable to ", "unrecognized", "unknown option", "unknown command", "unknown flag", "is not a ", "is not in ",
    "is not recognized", "refused", "denied", "already exists", "already in use", "missing ", "invalid ", "required",
    "unsupported", "outside allowed", "did not match", "refusing to", "are not staged", "illegal option",
    "unexpected argument", "doesn't exist", "does not exist", "timed out",
)  # fmt: skip
_SAYS_NOTHING = (
    "exit code", "exited with code", "were emitted", "was emitted", "formatter would", "script failed", "elifecycle",
    "npm error code", "npm err! code", "a complete log", "warning",
    'use "git ', "no such file or directory", "enoent", "cannot find path", ".lock",
)  # fmt: skip
_SAYS_LITTLE = lazy(
    r"^found \d|^\d+ (?:fail|error)|\b\d+ (?:\w+ )?errors?$|^at (?:async )?\S+ \("
    r"|^(?:e +)?assertionerror|^error: expect\(|^\[(?!error\])\w+\] |:$"
)
# Words that say that something failed, and not what.
_GENERIC_LIST = """
a aborted aborting above an and check checks code command completed could details due error errors exception execute
execution exit exited fail failed failing failure fatal for from has have in is job more non not of on one or out
previous process returned run running script see some status step task test tests the there this to was were with zero
build compile
"""
_GENERIC = frozenset(_GENERIC_LIST.split())
_FEW = 4  # lines of an output that is nothing but the complaint of a program
_COMPLAINT = lazy(r"^[\w./-]{2,40}: (?!line \d+$)\S.{9,}")
_LIBRARY = lazy(r"shared object|bad interpreter|library not loaded", re.IGNORECASE)
# What the client says about the use of its tools, and what people answer to a call.
_TRIVIAL = (
    "<tool_use_error>", "has not been read yet", "string to replace not found", "old_string", "modified since read",
    "unexpectedly modified", "sibling tool call", "doesn't want to proceed", "doesn't want to take",
    "tool use was rejected", "request interrupted", "interrupted by", "permission to use", "haven't granted",
    "command timed out", "timed out after", "timeouterror", "timeout of ", "timeout exceeded", "ms exceeded",
    "operation was aborted", "exceeds maximum allowed", "file does not exist", "no files found",
    "inputvalidationerror", "is a directory", "eisdir", "user rejected", "cancelled",
)  # fmt: skip
_TRIVIAL_WITHIN = 400  # characters from the start
_QUOTED = lazy(r"(?<!\w)'([^'\n]{1,80})'(?!\w)|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|‘([^’\n]{1,80})’")
_PATH_NAME = lazy(r"(?!@)[\w.-]+/[\w./-]*")  # a folder, a branch, a repository: another one the next time
# What services answer with, in JSON; what else stands in such a line is where and when.
_BODY = lazy(r'"(?:message|error|detail|error_description|reason|msg)": ?"((?:[^"\\]|\\.){8,300})"')
_BODY_WITHIN = 20_000
# Each shell says it in its own way, and where the line came from.
_NO_COMMAND = lazy(
    r"\bcommand not found: ([\w.+-]{1,60})$|(?:^|[\s/:])([\w.+-]{1,60}): (?:command )?not found$"
    r"|'([\w.+-]{1,60})' is not recognized as|^unknown command: ([\w.+-]{1,60})$",
    re.IGNORECASE,
)
_PLACES = lazy(
    r"\w+://\S+|(?:[a-z]:\\|~/|\.{0,2}/)[^\s'\"(),;]+|[\w@.-]+(?:[/\\][\w@.-]+)+\.\w{1,5}\b"
    r"|\b[\w-]+(?:\.[\w-]+){0,2}\.(?:pyi?|[cm]?[jt]sx?|rs|go|java|kt|rb|php|cs?|cc|cpp|h|hpp|md|json|ya?ml|toml|sh|sql"
    r"|vue|svelte|css|html|lock|txt)\b"
)
# Numbers, hashes, and ids of requests.
_NUMBERS = lazy(
    r"\b(?:0x[0-9a-f]+|(?=(?:\w*\d){2})\w{10,}|(?=[a-f]*\d)[0-9a-f]{7,64}|\d[\d.,:_-]*(?:ms|s|m|h|kb|mb|gb|b|px|x)?)\b"
)
_WORDS = lazy(r"[^\W\d_](?:[\w:/-]|'(?=[a-z]))*|_\w+")
_NAME = lazy(r"(?:--?(?=\w))?[\w@$][\w@$./:<>\[\], -]{0,59}")  # options are names
_NO_MODULE = lazy(
    r"no module named|cannot find (?:module|package)|modulenotfounderror|cannot load such file", re.IGNORECASE
)
# That files are only not formatted: every formatter mends that by itself.
_NOT_FORMATTED = lazy(
    r"formatter would|would reformat|would be reformatted|code style issues|(?:not|be|isn't) (?:properly )?formatted\b"
    r"|needs? formatting|formatting (?:issues|differs)|^diff in /",
    re.IGNORECASE,
)
_RULES = lazy(r"[━─═*=_-]{3,}")


def signatures(error: str, limit: int = ERROR_CHARS) -> list[Signature]:
    """The telling lines of an error, the most telling first; none when it is trivial or says nothing."""
    # Cut as the index cuts what it keeps, so that an error in full and one in the index have the same lines.
    text = without_colours(excerpt(error, limit))
    start = text[:_TRIVIAL_WITHIN].lower()
    if any(words in start for words in _TRIVIAL):
        return []
    found: dict[object, tuple[int, Signature]] = {}
    lines = _lines(text)
    for at, (line, is_body) in enumerate(lines):
        rank = _rank(line, is_end=at < _ENDS or at >= len(lines) - _ENDS)
        if rank is None and is_body:
            rank = len(_ABOUT_CODE)
        if rank is None:
            continue
        one = _signature(line.removesuffix("FIXABLE").rstrip(), rank < len(_ABOUT_CODE))
        if _says_what(one):
            found.setdefault(one.key, (rank, one))
    if not found and len({line for line, _ in lines}) <= _FEW:
        complaints = (_signature(line, False) for line, _ in lines if _COMPLAINT.search(line) and not _is_idle(line))
        found = {one.key: (0, one) for one in complaints if _says_what(one)}
    ranked = sorted(found.values(), key=lambda pair: pair[0])
    return [one for _, one in ranked[:_LINES]]


def formatting(error: str) -> Signature | None:
    """The line that says that files are not formatted, where nothing else is wrong with them."""
    text = without_colours(excerpt(error, ERROR_CHARS))
    said = next((line for line, _ in _lines(text) if _NOT_FORMATTED.search(line)), None)
    if said is None or any(one.is_about_code for one in signatures(error)):
        return None
    return _signature(said, is_about_code=True)


def misses_module(error: str) -> bool:
    """Whether a program did not find a library that it needs."""
    return _NO_MODULE.search(error) is not None


def missing_program(error: str) -> str:
    """The program that a shell did not find; empty when it found what it was told to run."""
    for line in error[:2_000].splitlines():
        found = _NO_COMMAND.search(line.strip())
        if found:
            return str(next(filter(None, found.groups()))).lower()
    return ""


def _lines(text: str) -> list[tuple[str, bool]]:
    """The lines of an error, and whether each is the message of a body in JSON."""
    found: list[tuple[str, bool]] = []
    for raw in text.splitlines():
        said = _BODY.findall(raw[:_BODY_WITHIN]) if '": ' in raw or '":"' in raw else []
        if said:
            found += [(one.replace('\\"', '"').replace("\\n", " "), True) for one in dict.fromkeys(said)]
            raw = raw.rpartition("}")[2]
        line = _RULES.sub(" ", raw).strip()
        if len(line) > 7 and not line.startswith("hint: "):  # advice stands between an error and the end
            found.append((line, False))
    return found


def _rank(line: str, *, is_end: bool) -> int | None:
    """How telling a line is, 0 the most; None when it is not."""
    rank = next((n for n, pattern in enumerate(_ABOUT_CODE) if pattern.search(line)), None)
    low = line.lower()
    if rank is None and is_end:
        if _NOT_RUN.search(low):
            rank = len(_ABOUT_CODE)
        elif any(words in low for words in _COULD_NOT):
            rank = len(_ABOUT_CODE) + 1
    return None if rank is None or _is_idle(line) else rank


def _is_idle(line: str) -> bool:
    """Whether a line says that something is wrong, and not what."""
    low = line.lower()
    if _SAYS_LITTLE.search(low):
        return True
    return any(words in low for words in _SAYS_NOTHING) and not _LIBRARY.search(low)


def _says_what(one: Signature) -> bool:
    weight = sum(1 + word.count("-") for word in one.words) + 2 * len(one.names)
    return one.has_code or (weight >= 3 and not (one.words <= _GENERIC and not one.names))


def _signature(line: str, is_about_code: bool) -> Signature:
    line = line[:400]
    low = line.lower()
    missing = _NO_COMMAND.search(line)
    if missing:
        names = {next(filter(None, missing.groups())).lower()}
        return Signature(line, frozenset(("command", "not", "found")), frozenset(names), False, False)
    names = set()
    for match in _QUOTED.finditer(low):
        name = next(filter(None, match.groups()), "")
        if _NAME.fullmatch(name) and not any(p.fullmatch(name) for p in (_PLACES, _PATH_NAME, _NUMBERS)):
            names.add(name)
    rest = _NUMBERS.sub(" ", _PLACES.sub(" ", _QUOTED.sub(" ", low)))
    words = {word.strip(":/-") for word in _WORDS.findall(rest)}
    code = _CODE.search(line)
    if code is not None:
        words.add(code[0].lower())  # the name of a rule has slashes, and is no place
    return Signature(line, frozenset(words - {""}), frozenset(names), is_about_code, code is not None)


def is_same(one: Signature, other: Signature) -> bool:
    """Whether two lines are one error: the same names, and nearly the same words."""
    if one.names != other.names:
        return False
    either = one.words | other.words
    return not either or len(one.words & other.words) >= _SAME * len(either)


def told_by(error: str) -> str:
    """The line of an error that says most; empty when it says nothing."""
    told = signatures(error)
    if told:
        return preview(told[0].line, _TOLD_CHARS)
    lines = [line.strip() for line in without_colours(error[-2_000:]).splitlines()]
    return next(
        (preview(line, _TOLD_CHARS) for line in reversed(lines) if len(line) > 8 and "xit code" not in line), ""
    )
