"""Whole sentences: a text as lines that can be read in a terminal or by an agent, in pieces that no sentence is cut by.

Of Markdown the words stay and what only lays them out goes: rules, the marks of headings and of bold words, the frames
of tables. A block of code is told by its first line. Only a sentence that is longer than any piece may be is cut, at a
blank, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.summary import sentences, without_colours

__all__ = ["LEFT_OUT", "WholePiece", "pieces", "plain_lines", "whole"]

LEFT_OUT = "[…]"
_LONGEST = 900  # characters of a sentence; what is longer is no sentence of a person
_LOOKED_AT = 40_000
_FENCED = lazy(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_RULE = lazy(r"[\s|:=*_─━-]*")
_HEADING = lazy(r"[ \t]*#{1,6}\s+(.+?)\s*#*\s*")
_BOLD = lazy(r"(?<![/*])\*\*(?=[^\s/*])([^*\n]{1,300}?)(?<=[^\s/*])\*\*(?![/*])")  # `src/**/*.md` is none
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE_LINE = 100  # characters of a line that stands for a block
_BLANKS = lazy(r"[ \t\u00a0\u3000]+")


class WholePiece(NamedTuple):
    """Some whole sentences in a row, and what stands before them: a line feed where they begin a line, a blank, or
    nothing in scripts that need none."""

    text: str
    glue: str


def plain_lines(text: str) -> list[str]:
    """The lines of a text that say something, without the marks that only lay them out."""
    lines = []
    text = _COMMENT.sub("", _FENCED.sub(_code, without_colours(text[:_LOOKED_AT])))
    for raw in text.splitlines():
        if _RULE.fullmatch(raw):
            continue
        line = _BOLD.sub(r"\1", raw).rstrip()
        if heading := _HEADING.fullmatch(line):
            line = heading[1] if heading[1].endswith((":", "：", "?", "？")) else f"{heading[1]}:"
        elif line.lstrip().startswith("|"):
            line = " · ".join(cell for part in line.strip(" \t|").split("|") if (cell := part.strip()))
        indent = "  " if line.startswith(("  ", "\t")) and line.lstrip()[:1] in "-*+•" else ""
        line = indent + _BLANKS.sub(" ", line).strip()
        if line.strip():
            lines.append(line)
    return lines


def _code(block: re.Match[str]) -> str:
    """A block of code by its first line that says something."""
    said = [line.strip() for line in block[2].split("\n") if re.search(r"\w{2,}", line)]
    if not said:
        return ""
    line = said[0].replace("`", "'")
    more = len(said) > 1 or len(line) > _CODE_LINE
    return f"`{line[:_CODE_LINE]}`{f' {LEFT_OUT}' if more else ''}\n"


def _units(lines: list[str]) -> Iterator[WholePiece]:
    for line in lines:
        glue = "\n"
        for start, end in sentences(line):
            for part in _within_reason(line[start:end]):
                blank = " " if part[:1].isspace() else ""
                yield WholePiece(part.rstrip() if glue else part.strip(), glue or blank)
                glue = ""


def _within_reason(sentence: str) -> Iterator[str]:
    """The sentence; in several parts where it is too long to be one."""
    rest = sentence.rstrip()
    while len(rest) > _LONGEST:
        blank = rest.rfind(" ", _LONGEST // 2, _LONGEST)
        at = blank if blank > 0 else _LONGEST
        yield rest[:at]
        rest = rest[at:]
    if rest.strip():
        yield rest


def pieces(text: str, size: int) -> list[WholePiece]:
    """The text as pieces of about so many characters at most, each of whole sentences, whole lines where they fit."""
    found: list[WholePiece] = []
    for line in _by_line(list(_units(plain_lines(text)))):
        length = sum(len(unit.text) for unit in line)
        if found and len(found[-1].text) + length <= size:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{_joined(line)}")
        elif length <= size:
            found.append(WholePiece(_joined(line), "\n"))
        else:
            found += _split(line, size)
    return _with_their_headings(found)


def _with_their_headings(found: list[WholePiece]) -> list[WholePiece]:
    """A line that leads to what follows goes with it."""
    for n, (one, two) in enumerate(pairwise(found)):
        head, _, last = found[n].text.rpartition("\n")
        if head and two.glue == "\n" and last.endswith((":", "：")):
            found[n] = one._replace(text=head)
            found[n + 1] = two._replace(text=f"{last}\n{two.text}")
    return found


def _by_line(units: list[WholePiece]) -> Iterator[list[WholePiece]]:
    line: list[WholePiece] = []
    for unit in units:
        if unit.glue == "\n" and line:
            yield line
            line = []
        line.append(unit)
    if line:
        yield line


def _split(line: list[WholePiece], size: int) -> list[WholePiece]:
    found: list[WholePiece] = []
    for unit in line:
        if found and len(found[-1].text) + len(unit.text) < size:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}{unit.glue}{unit.text}")
        else:
            found.append(unit)
    return found


def _joined(line: list[WholePiece]) -> str:
    return line[0].text + "".join(f"{unit.glue}{unit.text}" for unit in line[1:])


def whole(text: str, size: int) -> str:
    """As many whole sentences from the beginning as fit, on one line; at least one. Says when there are more."""
    found = pieces(text, size)
    if not found:
        return ""
    said = " ".join(found[0].text.split())
    return f"{said} {LEFT_OUT}" if len(found) > 1 else said
