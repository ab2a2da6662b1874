"""Which words of a prompt nobody typed: a plan that a model wrote, and runs of lines that only programs write.

Only what can be told plainly: logs, stack traces, the output of compilers and tests, source code between fences. Prose
that a model wrote and a person pasted looks like prose, and stays the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from axiommind.text.patterns import lazy

__all__ = ["is_pasted", "pasted_spans", "without"]

# What a client sends when a plan is approved and begun anew: the plan is the agent's.
_PLAN = lazy(r"\s*Implement the following plan:\s*\S")
_LEAST_CHARS = 300  # of a prompt; a shorter one is the person's, whatever is in it
_LEAST_LINES = 6  # of a run
_SHARE = 0.75  # of its lines are a program's
_READ = 200  # characters of a line
_FENCE = lazy(r"\s*(?:```|~~~)")
# How lines of programs look.
_PROGRAMS = lazy(
    r"""
    \s*\[[^\]\n]{1,60}\]\s*\S                                  # [watcher] …, [12:00:01] …, [12ms] …
    | .{0,30}\b\d{1,2}:\d{2}:\d{2}\b                           # a time of day
    | \s*\d{4}-\d{2}-\d{2}[T\s]
    | .{0,40}\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b
    | \s*(?:at\s+\S.*[:(\[]|File\s".*",\sline\s\d|Traceback\b|Caused\sby:|\.{3}\s\d+\smore)
    | \s*(?:error|warning|note|help|info|fatal)(?:\[\w+\])?:\s
    | \s*(?:-->|\d+\s*\||\||=\s(?:note|help):|\^+|~+)
    | \s*[{}\[\]<"'(].*[{}\[\]>,"';)]?\s*$                     # JSON, markup, brackets
    | .*[{};]\s*$                                              # code
    | .*\b\w+=\S+.*\b\w+=\S+                                   # a=1 b=2
    | \s*(?:[$%\#❯➜>✓✗✘✖✔×•●⎿]\s|[─━═▐▛█▘▝╭╰│┌└├┃]|[-=*_]{5,}\s*$)
    | \s*(?:https?://\S+|(?:/|\./|[A-Z]:\\)\S+)\s*$            # an address or a path alone
    | \s*\S+:\d+(?::\d+)?\b                                    # file.ts:12:3
    | \s*(?:PASS|FAIL|ok|Compiling|Finished|Running|Downloaded|npm\sERR!)\b
    | (?:\ {4}|\t)\s*\S                                        # goes on with the line before
    """,
    re.VERBOSE,
)


def is_pasted(text: str) -> bool:
    """Whether nothing of a prompt was typed."""
    if _PLAN.match(text) is not None:
        return True
    spans = pasted_spans(text)
    return bool(spans) and not without(text, spans).strip()


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks, as many, in these places: all others stay what they are."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def pasted_spans(text: str) -> list[tuple[int, int]]:
    """The runs of lines in a prompt that a program wrote, as places in it; none in a short prompt."""
    if len(text) < _LEAST_CHARS:
        return []
    found: list[tuple[int, int]] = []
    run: list[tuple[int, int, bool]] = []
    for start, end, is_programs in _lines(text):
        run.append((start, end, is_programs))
        if not is_programs and not _goes_on(run):
            found += _span(run)
            run = []
    return found + _span(run)


def _lines(text: str) -> list[tuple[int, int, bool]]:
    """The lines that are not blank: where each stands, and whether a program wrote it."""
    found = []
    at, fenced = 0, False
    for line in text.splitlines(keepends=True):
        is_fence = _FENCE.match(line) is not None
        if line.strip():
            found.append((at, at + len(line), fenced or is_fence or _PROGRAMS.match(line[:_READ].rstrip()) is not None))
        fenced ^= is_fence
        at += len(line)
    return found


def _goes_on(run: list[tuple[int, int, bool]]) -> bool:
    """Whether enough of the last lines are a program's for one that is not to be among them."""
    recent = run[-8:]
    return len(recent) > 3 and sum(one[2] for one in recent) >= _SHARE * len(recent)


def _span(run: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """The run from its first line of a program to its last, if it is long enough."""
    places = [n for n, one in enumerate(run) if one[2]]
    if not places:
        return []
    kept = run[places[0] : places[-1] + 1]
    if len(kept) < _LEAST_LINES or sum(one[2] for one in kept) < _SHARE * len(kept):
        return []
    return [(kept[0][0], kept[-1][1])]
