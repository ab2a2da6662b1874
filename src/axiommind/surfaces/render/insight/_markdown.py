"""Blocks as Markdown. What was quoted can end no code, open no tag, start no list, and break no table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from axiommind.surfaces.render.insight._document import (
    Block,
    CodeBlock,
    HeadingBlock,
    ParagraphBlock,
    PictureBlock,
    PointsBlock,
    TableBlock,
)
from axiommind.surfaces.render.tables import printable

__all__ = ["write"]

_CODE = re.compile(r"`([^`]*)`")
_SPECIAL = re.compile(r"[\\*\[\]<|~]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_OPENING = re.compile(r"^(?:[#>+-]|\d{1,9}(?=[.)]\s))")  # at the start of a line these begin a block


def write(blocks: Sequence[Block]) -> str:
    parts = [text for block in blocks if (text := _block(block))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case HeadingBlock(level, text):
            return f"{'#' * level} {_inline(text)}"
        case ParagraphBlock(text):
            return _line(text)
        case PointsBlock(texts):
            return "\n".join(f"- {_line(text)}" for text in texts)
        case CodeBlock(language, text):
            return _fenced(language, text)
        case TableBlock():
            return _table(block)
        case PictureBlock():
            return ""


def _inline(text: str) -> str:
    """Ours between backticks as code; all the rest as it stands."""
    text = " ".join(printable(text).split())
    parts = _CODE.split(text)
    return "".join(f"`{part}`" if at % 2 else _SPECIAL.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


def _line(text: str) -> str:
    """The same, where a line begins."""
    return _OPENING.sub(lambda start: f"{start[0]}\\" if start[0].isdigit() else f"\\{start[0]}", _inline(text))


def _fenced(language: str, text: str) -> str:
    text = printable(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(table: TableBlock) -> str:
    rule = ["---:" if at in table.right else "---" for at in range(len(table.columns))]
    lines = [[_inline(name) for name in table.columns], rule, *([_cell(cell) for cell in row] for row in table.rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    # In a table a pipe ends a cell, even within code.
    return _CODE.sub(lambda code: code[0].replace("|", r"\|"), _inline(text))
