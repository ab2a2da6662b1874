"""Candidates as the text of an Idris 2 module: the fixed schema, the entries, and a proof for each.

What people said goes only into string literals. A literal holds printable characters as UTF-8; the quote, the
backslash and everything that is not printable is written `\\x…\\&`: the `\\&` is an empty escape, so that no digit or
letter after it can be read into the number, and neither `\\{` (interpolation) nor a line end can come about."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from axiommind.learning.checks.builtin import is_id
from axiommind.learning.checks.candidate import Candidate
from axiommind.model import Span

__all__ = ["MODULE", "IdrisModule", "batches", "literal", "module"]

MODULE = "Batch"

# No obligation asks more of a text than that it is not empty, and the type checker slows down on long literals.
_TEXT_CHARS = 400
_MODULE_ENTRIES = 200
_MODULE_ITEMS = 2000  # entries, spans and blockers together


class IdrisModule(NamedTuple):
    """The text, and of which entry (counted from 1 in this module) each line of it speaks."""

    text: str
    lines: dict[int, int]


@cache
def _schema() -> str:
    return Path(__file__).with_name("_schema.idr").read_text(encoding="utf-8")


def _inert(char: str) -> str:
    category = unicodedata.category(char)
    if char == " " or (category[0] in "LMNPS" and char not in '"\\'):
        return char
    if category == "Cs":  # half a pair is no character: UTF-8 cannot carry it, nor can Idris
        return "\N{REPLACEMENT CHARACTER}"
    return f"\\x{ord(char):x}\\&"


def literal(text: str) -> str:
    """A string literal that reads back as the text."""
    return '"' + "".join(map(_inert, text)) + '"'


def _text(text: str) -> str:
    return literal(text.strip()[:_TEXT_CHARS])


def _id(text: str) -> str:
    """What is not an id does not become one: the empty string fails there as it fails here."""
    return literal(text if is_id(text) else "")


def _integer(number: int) -> str:
    return str(number) if number >= 0 else f"({number})"


def _span(span: Span) -> str:
    numbers = [_integer(n) for n in (span.line, span.start, span.end)]
    event = literal(str(span.position))
    return f"MkSpan (MkEventId {event}) {numbers[0]} {_text(span.block)} {numbers[1]} {numbers[2]}"


def _entry(entry: Candidate) -> str:
    start = f"(MkEntryId {_id(entry.entry_id)}) {_text(entry.title)}"
    spans = "[" + ", ".join(map(_span, entry.spans)) + "]"
    text = _text(entry.text)
    match entry.type:
        case "fact":
            return f"FactEntry (MkFact {start} {text} {spans})"
        case "decision":
            return f"DecisionEntry (MkDecision {start} {text} {_text(entry.rationale)} {spans})"
        case "insight":
            return f"InsightEntry (MkInsight {start} {text} {spans})"
        case "task_note":
            status = f"(readStatus {literal(entry.status[:_TEXT_CHARS])})"
            blockers = "[" + ", ".join(f"MkTaskId {_id(blocker)}" for blocker in entry.blockers) + "]"
            return f"TaskEntry (MkTask {start} {text} {status} {_text(entry.priority)} {blockers} {spans})"
        case "reference":
            return f"ReferenceEntry (MkReference {start} {text} {_text(entry.target)} {spans})"
    return f"UnknownEntry {start} {_text(entry.type)} {spans}"


def module(entries: Sequence[Candidate]) -> IdrisModule:
    """Proofs come after all entries: an error message shows the lines before the place it speaks of, and those of a
    proof then hold no words of anybody's."""
    written = _schema().splitlines()
    lines: dict[int, int] = {}

    def write(number: int, *text: str) -> None:
        written.append("")
        for line in text:
            written.append(line)
            lines[len(written)] = number

    for number, entry in enumerate(entries, 1):
        write(number, f"entry{number} : Entry", f"entry{number} = {_entry(entry)}")
    for number in range(1, len(entries) + 1):
        # Qualified: a bare lower-case name would be bound as a variable wherever it stood in a type.
        write(number, f"verified{number} : Verified", f"verified{number} = MkVerified {MODULE}.entry{number} Oh")
    return IdrisModule("\n".join(written) + "\n", lines)


def batches(entries: Sequence[Candidate]) -> Iterator[range]:
    """What goes into one module each: start-up is paid once for it, and its size stays bounded."""
    start = items = 0
    for index, entry in enumerate(entries):
        weight = 1 + len(entry.spans) + len(entry.blockers)
        if index > start and (index - start == _MODULE_ENTRIES or items + weight > _MODULE_ITEMS):
            yield range(start, index)
            start, items = index, 0
        items += weight
    if start < len(entries):
        yield range(start, len(entries))
