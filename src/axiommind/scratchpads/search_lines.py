"""Searching one scratchpad: the lines that hold a text or match a pattern, with the lines around them.

Each line is searched by itself, so a pattern sees one line, and `^` and `$` are its ends. A pattern with groups or
repeats may take for ever (`(a+)+$`), and Python cannot interrupt one: such a pattern runs in a process of its own,
which is killed when its time is up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from axiommind.errors import BadQuery, QueryLimit
from axiommind.projections.scratchpad_rows import ScratchpadText
from axiommind.scratchpads.values import LineMatch, LineRange, ScratchpadMatches
from axiommind.text.edits import lines_of

__all__ = ["search_lines"]

MOST_CONTEXT = 50
MOST_MATCHES = 50
MOST_PATTERN = 500
MOST_QUERY = 2_000
SECONDS = 1.0
_SNIPPET_CHARS = 150
# A line may be as long as a scratchpad, but only so much of it is shown.
_LINE_CHARS = 400
_NAMED_CHARS = 80
_PROCESS_BYTES = 1 << 29
# A few characters and classes without groups, repeats or alternatives take no time, whatever the text.
_PLAIN_CHARS = 60
_PLAIN = re.compile(
    r"""(?:[^\\\[\](){}*+?|]|\\(?:[dDwWsSbB]|[^\w\s])|\[\^?(?:[^\W_]-[^\W_]|[\w .,:;/@#!%=<>"'])+\])*""", re.ASCII
)


class _MatchingLine(NamedTuple):
    """A line by its number from 0, the ends of its first match, and how many matches it has."""

    line: int
    start: int
    end: int
    times: int


def search_lines(
    text: ScratchpadText, *, query: str | None = None, regex: str | None = None, context: int = 2, limit: int = 20
) -> ScratchpadMatches:
    """The lines of a scratchpad that hold the query, ignoring case, or that match a Python regular expression, case
    included (`(?i)` ignores it). An empty match (`x*` where there is no x) does not count."""
    if not 0 <= context <= MOST_CONTEXT:
        raise BadQuery(f"there cannot be {context} lines of context", hint=f"give 0 to {MOST_CONTEXT}")
    if not 1 <= limit <= MOST_MATCHES:
        raise BadQuery(f"{limit} matches cannot be shown", hint=f"give a limit of 1 to {MOST_MATCHES}")
    if bool(query) == bool(regex):
        raise BadQuery("it takes either a query or a regex", hint="give one of them, and not an empty one")
    lines = lines_of(text.text)
    wanted = limit + context  # a further match may be among the lines shown beside the last one
    if query:
        _check_line(query, MOST_QUERY, "query")
        found, total = _holding(_folded(query), lines, wanted)
    else:
        pattern = regex or ""
        _check_line(pattern, MOST_PATTERN, "regex")
        found, total = _fitting(pattern, lines, wanted)
    shown = found[:limit]
    matches = tuple(_match(one, lines[one.line]) for one in shown)
    ranges = _ranges(shown, {one.line: one for one in found}, lines, context)
    return ScratchpadMatches(text.row, query or None, regex or None, matches, ranges, total, total > len(shown))


def _check_line(text: str, most: int, what: str) -> None:
    if len(text) > most:
        raise BadQuery(f"the {what} has {len(text):,} characters", hint=f"{most:,} are the most")
    if "\n" in text or "\r" in text:
        raise BadQuery(f"the {what} has a line break, and lines are searched one by one", hint="look for one line")


# --- matching --------------------------------------------------------------------------------------------


def _holding(wanted_text: str, lines: Sequence[str], wanted: int) -> tuple[list[_MatchingLine], int]:
    found: list[_MatchingLine] = []
    total = 0
    for number, line in enumerate(lines):
        folded = _folded(line)
        start = folded.find(wanted_text)
        if start >= 0:
            total += 1
            if total <= wanted:
                found.append(_MatchingLine(number, start, start + len(wanted_text), folded.count(wanted_text)))
    return found, total


def _folded(text: str) -> str:
    """Casefolded, every character in its place: ß, which would become two, stays. A pattern that ignores case could do
    this too, but takes as long as the query and the text multiplied."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(one if len(one) == 1 else char for char in text for one in [char.casefold()])


def _fitting(pattern: str, lines: Sequence[str], wanted: int) -> tuple[list[_MatchingLine], int]:
    if len(pattern) > _PLAIN_CHARS or not _PLAIN.fullmatch(pattern):
        return _apart(pattern, lines, wanted)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise _invalid(pattern, error.msg, error.pos) from error
    return _scan(compiled, lines, wanted)


def _scan(pattern: re.Pattern[str], lines: Sequence[str], wanted: int) -> tuple[list[_MatchingLine], int]:
    """The first matching lines, and how many lines match."""
    found: list[_MatchingLine] = []
    total = 0
    for number, line in enumerate(lines):
        spans = [match.span() for match in pattern.finditer(line) if match.end() > match.start()]
        if spans:
            total += 1
            if total <= wanted:
                found.append(_MatchingLine(number, *spans[0], len(spans)))
    return found, total


def _invalid(pattern: str, message: str, at: int | None) -> BadQuery:
    place = "" if at is None else f" at character {at + 1}"
    return BadQuery(
        f"the regex {_named(pattern)} is not valid: {message}{place}",
        hint="to look for it as it is written, give it as query",
    )


def _named(pattern: str) -> str:
    return repr(pattern if len(pattern) <= _NAMED_CHARS else pattern[: _NAMED_CHARS - 1] + "…")


# The same as `_scan`, in a process that can be killed.
_CHILD = """
import re
found, total = [], 0
try:
    pattern = re.compile(given["pattern"])
    for number, line in enumerate(given["lines"]):
        first, count = None, 0
        for match in pattern.finditer(line):
            if match.end() > match.start():
                first, count = first or match.span(), count + 1
        if count:
            total += 1
            if total <= given["wanted"]:
                found.append([number, *first, count])
    answer = {"found": found, "total": total}
except re.error as error:
    answer = {"error": error.msg, "at": error.pos}
except OverflowError as error:
    answer = {"error": str(error), "at": None}
except (MemoryError, RecursionError):
    answer = {"limit": True}
print(json.dumps(answer))
"""


def _apart(pattern: str, lines: Sequence[str], wanted: int) -> tuple[list[_MatchingLine], int]:
    from axiommind.killable import StoppedProcess, answers_of

    given = {"pattern": pattern, "lines": lines, "wanted": wanted}
    answer: dict[str, Any]
    try:
        (answer,) = answers_of(_CHILD, given, seconds=SECONDS, memory=_PROCESS_BYTES)
    except StoppedProcess:
        answer = {"limit": True}
    if "limit" in answer:
        raise QueryLimit(
            f"the regex {_named(pattern)} took longer than {SECONDS:g} s, or more memory than it may",
            hint="a repeat within a repeat, such as (a+)+, takes for ever: say it with one, or give a query",
        )
    if "error" in answer:
        raise _invalid(pattern, answer["error"], answer["at"])
    return [_MatchingLine(*one) for one in answer["found"]], answer["total"]


# --- showing ---------------------------------------------------------------------------------------------


def _match(one: _MatchingLine, line: str) -> LineMatch:
    text = line[one.start : one.end]
    text = text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…"
    return LineMatch(one.line + 1, one.start + 1, text, _window(line, one.start, _SNIPPET_CHARS), one.times)


def _window(line: str, start: int, limit: int) -> str:
    """So many characters of a line, with the position in the first third of them."""
    if len(line) <= limit:
        return line
    first = min(max(start - limit // 3, 0), len(line) - limit)
    piece = line[first : first + limit]
    if first:
        piece = "…" + piece[1:]
    return piece if first + limit >= len(line) else piece[:-1] + "…"


def _ranges(
    shown: Sequence[_MatchingLine], matching: dict[int, _MatchingLine], lines: Sequence[str], context: int
) -> tuple[LineRange, ...]:
    """The lines around the matches; ranges that overlap or touch are one."""
    spans: list[tuple[int, int]] = []
    for one in shown:
        first, last = max(one.line - context, 0), min(one.line + context, len(lines) - 1)
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return tuple(
        LineRange(
            first + 1, last + 1, "\n".join(_formatted(n, lines[n], matching.get(n)) for n in range(first, last + 1))
        )
        for first, last in spans
    )


def _formatted(number: int, line: str, match: _MatchingLine | None) -> str:
    shown = _window(line, 0 if match is None else match.start, _LINE_CHARS)
    return f"{'...' if match is None else '>'} {number + 1}: {shown}"
