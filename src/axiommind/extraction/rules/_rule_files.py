"""Files in which a project writes down its rules and lessons, and the lines of an edit by the section they stand in.

A rules file is read by agents (CLAUDE.md, AGENTS.md …), a memory or a lessons file was written to be read again. Other
pages count only for lines that command. What is written for other readers (README, change logs, prompts, skills, plans)
is none of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.quoting import given
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from axiommind.projections.transcript import ToolCall

__all__ = ["LESSONS", "PAGE", "RULES_FILE", "RulesSection", "Written", "file_class", "sections", "written"]

RULES_FILE, LESSONS, PAGE = "rules", "lessons", "page"
_LONGEST = 60_000  # characters of a text
_RULES_NAME = lazy(
    r"(?:^|/)(?:CLAUDE|AGENTS?|GEMINI|MEMORY|CONVENTIONS?|CONTRIBUTING|copilot-instructions|STYLE(?:GUIDE)?|RULES)"
    r"(?:\.local)?\.mdc?$|(?:^|/)\.(?:cursor|windsurf|cline)rules$"
    r"|/(?:\.claude|claude|\.cursor|\.clinerules|\.github)/(?:[\w.-]+/)?(?:rules|instructions)/[^/]+\.mdc?$"
    r"|/\.claude/projects/[^/]+/memory/[^/]+\.md$|/memory/MEMORY\.md$",
    re.IGNORECASE,
)
_LESSONS_NAME = lazy(
    r"(?:^|/)\.?(?:lessons?|learnings?|gotchas?|pitfalls?|postmortems?|retros?|troubleshooting|handoffs?|handovers?"
    r"|known[-_]issues?|decisions?|adrs?)(?:[-_.][\w.-]*)?(?:\.md$|/[^/]+\.md$)",
    re.IGNORECASE,
)
_ELSEWHERE = lazy(
    r"(?:^|/)(?:README|CHANGELOG|CHANGES|HISTORY|ROADMAP|TODO|LICENSE|SKILL|STATE)[^/]*$"
    r"|/(?:prompts?|skills?|templates?|agents|commands|plans|todos?|fixtures?|node_modules|examples?)/",
    re.IGNORECASE,
)
_PAGE_NAME = lazy(r"\.mdx?$", re.IGNORECASE)
_HEADING = lazy(
    r"\s*(?:#{1,6}\s+(.{2,120}?)\s*#*|\*\*([^*]{2,80}?)[:：]?\*\*[:：]?|([^\s|>`-][^|`.。]{1,40})[:：])\s*$"
)
_POINT = lazy(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+(?!\[[ xX]\])")
_FENCE = lazy(r"\s*(?:```|~~~)")
_PROSE_FENCE = lazy(r"\s*(?:```|~~~)\s*(?:md|markdown|text)?\s*$")
_NOT_PROSE = lazy(r"\s*(?:\||>|---|===|<!--|!\[|\[[ xX]\]|[-*]\s+\[[ xX]\])")


class Written(NamedTuple):
    """A text that a call put into a file, and the one it put it in the place of."""

    path: str
    pointer: str  # to the text in the call's input
    new: str
    old: str
    is_whole: bool  # the file is this text now


class RulesSection(NamedTuple):
    """The lines under one heading, as they stand in the text."""

    heading: str
    lines: tuple[str, ...]


def file_class(path: str) -> str:
    """What a file is written for; empty when it does not hold rules."""
    path = path.replace("\\", "/")
    if _RULES_NAME.search(path):
        return RULES_FILE
    if _LESSONS_NAME.search(path):
        return LESSONS
    return PAGE if _PAGE_NAME.search(path) and not _ELSEWHERE.search(path) else ""


def written(use: ToolCall) -> Iterator[Written]:
    """The texts that a call wrote."""
    path = given(use, use.tool.file_field)
    if given(use, "content"):
        yield Written(path, "/content", given(use, "content")[:_LONGEST], "", is_whole=True)
    if given(use, "new_string") or given(use, "old_string"):
        new, old = given(use, "new_string")[:_LONGEST], given(use, "old_string")[:_LONGEST]
        yield Written(path, "/new_string", new, old, is_whole=False)
    edits = use.given.get("edits")
    for n, edit in enumerate(edits if isinstance(edits, list) else ()):
        if isinstance(edit, dict) and isinstance(edit.get("new_string"), str):
            before = edit.get("old_string")
            old = before[:_LONGEST] if isinstance(before, str) else ""
            own = edit.get("file_path")  # of a patch, which changes several
            where = own if isinstance(own, str) else path
            yield Written(where, f"/edits/{n}/new_string", edit["new_string"][:_LONGEST], old, is_whole=False)


def sections(text: str) -> list[RulesSection]:
    """The prose of a Markdown text by its headings: points of lists and lines, without code and tables. A sentence that
    goes on in the next line is one, with the break in it."""
    found: list[tuple[str, list[str]]] = [("", [])]
    is_code = is_front = False
    last = -1  # line of prose
    for n, line in enumerate(text.split("\n")):
        if n == 0 and line.strip() == "---":
            is_front = True
            continue
        if is_front:
            is_front = line.strip() != "---"
            continue
        if _FENCE.match(line):  # what is fenced without a language is text as often as not
            is_code = not is_code and not _PROSE_FENCE.match(line)
        elif is_code or not line.strip() or _NOT_PROSE.match(line):
            continue
        elif (heading := _HEADING.match(line)) and not _POINT.match(line):
            found.append((next(filter(None, heading.groups())), []))
        elif last == n - 1 and found[-1][1] and not _POINT.match(line) and line.lstrip()[:1].islower():
            found[-1][1][-1] += f"\n{line.rstrip()}"
            last = n
        else:
            found[-1][1].append(line[point.end() if (point := _POINT.match(line)) else 0 :].strip())
            last = n
    return [RulesSection(heading, tuple(lines)) for heading, lines in found if lines]
