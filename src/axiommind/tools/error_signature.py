"""Error signatures: the telling lines of an error without paths and numbers, to recognise it when it comes back.

The names in quotes count: a missing `yaml` is not a missing `numpy`. What the client says about the use of its own
tools, what a person refused, and what timed out is no error worth remembering, and has no signature.
"""

from __future__ import annotations

from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.summary import preview, without_colours
from axiommind.tools.call_text import ERROR_CHARS, excerpt

__all__ = ["Signature", "is_same", "signatures", "told_by"]

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
    "unsupported", "outside allowed", "did not match", "refusing to", "are not staged",
)  # fmt: skip
_SAYS_NOTHING = (
    "exit code", "exited with code", "were emitted", "was emitted", "formatter would", "script failed", "elifecycle",
    "npm error code", "npm err! code", "a complete log", "warning",
    'use "git ', "pathspec", "no such file or directory", "enoent", "cannot find path", ".lock",
)  # fmt: skip
_SAYS_LITTLE = lazy(
    r"^found \d|^\d+ (?:fail|error)|\bat (?:async )?\S+ \(|^(?:e +)?assertionerror|^error: expect\("
    r"|^\[(?!error\])\w+\] |:$"
)
# What the client says about the use of its tools, and what people answer to a call.
_TRIVIAL = (
    "<tool_use_error>", "has not been read yet", "string to replace not found", "old_string", "modified since read",
    "unexpectedly modified", "sibling tool call", "doesn't want to proceed", "doesn't want to take",
    "tool use was rejected", "request interrupted", "interrupted by", "permission to use", "haven't granted",
    "timed out", "timeout", "operation was aborted", "exceeds maximum allowed", "file does not exist", "no files found",
    "inputvalidationerror", "is a directory", "eisdir", "user rejected", "cancelled",
)  # fmt: skip
_TRIVIAL_WITHIN = 400  # characters from the start
_QUOTED = lazy(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|‘([^’\n]{1,80})’")
_PLACES = lazy(
    r"\w+://\S+|(?:[a-z]:\\|~/|\.{0,2}/)[^\s'\"(),;]+|[\w@.-]+(?:[/\\][\w@.-]+)+\.\w{1,5}\b"
    r"|\b[\w-]+(?:\.[\w-]+){0,2}\.(?:pyi?|[cm]?[jt]sx?|rs|go|java|kt|rb|php|cs?|cc|cpp|h|hpp|md|json|ya?ml|toml|sh|sql"
    r"|vue|svelte|css|html|lock|txt)\b"
)
_NUMBERS = lazy(r"\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,64}|\d[\d.,:_-]*(?:ms|s|m|h|kb|mb|gb|b|px|x)?)\b")
_WORDS = lazy(r"[^\W\d_][\w:/-]*|_\w+")
_NAME = lazy(r"[\w@$][\w@$./:<>\[\], -]{0,59}")
_RULES = lazy(r"[━─═*=_-]{3,}")


def signatures(error: str, limit: int = ERROR_CHARS) -> list[Signature]:
    """The telling lines of an error, the most telling first; none when it is trivial or says nothing."""
    # Cut as the index cuts what it keeps, so that an error in full and one in the index have the same lines.
    text = without_colours(excerpt(error, limit))
    start = text[:_TRIVIAL_WITHIN].lower()
    if any(words in start for words in _TRIVIAL):
        return []
    found: dict[object, tuple[int, Signature]] = {}
    lines = [line for raw in text.splitlines() if len(line := _RULES.sub(" ", raw).strip()) > 7]
    for at, line in enumerate(lines):
        rank = _rank(line, is_end=at < _ENDS or at >= len(lines) - _ENDS)
        if rank is None:
            continue
        one = _signature(line.removesuffix("FIXABLE").rstrip(), rank < len(_ABOUT_CODE))
        if len(one.words) + 2 * len(one.names) >= 3 or one.has_code:
            found.setdefault(one.key, (rank, one))
    ranked = sorted(found.values(), key=lambda pair: pair[0])
    return [one for _, one in ranked[:_LINES]]


def _rank(line: str, *, is_end: bool) -> int | None:
    """How telling a line is, 0 the most; None when it is not."""
    rank = next((n for n, pattern in enumerate(_ABOUT_CODE) if pattern.search(line)), None)
    low = line.lower()
    if rank is None and is_end:
        if _NOT_RUN.search(low):
            rank = len(_ABOUT_CODE)
        elif any(words in low for words in _COULD_NOT):
            rank = len(_ABOUT_CODE) + 1
    if rank is None or any(words in low for words in _SAYS_NOTHING) or _SAYS_LITTLE.search(low):
        return None
    return rank


def _signature(line: str, is_about_code: bool) -> Signature:
    line = line[:400]
    low = line.lower()
    names = set()
    for match in _QUOTED.finditer(low):
        name = next(filter(None, match.groups()), "")
        if _NAME.fullmatch(name) and not _PLACES.fullmatch(name) and not _NUMBERS.fullmatch(name):
            names.add(name)
    rest = _NUMBERS.sub(" ", _PLACES.sub(" ", _QUOTED.sub(" ", low)))
    words = frozenset(word.strip(":/-") for word in _WORDS.findall(rest))
    return Signature(line, words - {""}, frozenset(names), is_about_code, _CODE.search(line) is not None)


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
