"""The blocks of a Markdown page: headings, code, tables and running text, each with its lines.

Together they hold every line that is not blank, whatever the parser makes of it. A page that would take the parser too
long is read line by line: headings and fenced code are found, all else is what stands between blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.sources.markdown.lines import one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

__all__ = ["PageBlock", "covering", "paragraphs", "parse_blocks", "prose_of"]

_PARSED_CHARS = 8_000_000  # larger files are read line by line, without the parser
_PARSED_LINES = 100_000
_PROBES = 500_000  # steps of the parser, see `_meter`
_NESTING = 100
_SAMPLE = 4000  # characters of prose that tell the language
_HEADING_CHARS = 200
_HEADING_MARKS = 60
_MARKUP = re.compile(r"[\\`*_\[\]<&!]")
_ANCHOR = re.compile(r"\{#[^{}]*\}\s*$")
_LEAVES = {"fence": "code", "code_block": "code", "html_block": "text", "hr": "rule", "table": "table"}
_CONTAINERS = {"bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open"}


class PageBlock(NamedTuple):
    """Lines `start` up to `end` (0-based, exclusive). Kinds: heading, code, table, rule, text."""

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""
    inner: tuple[PageBlock, ...] = ()


class _TooCostly(Exception):
    pass


def parse_blocks(lines: Sequence[str], first: int, problems: list[tuple[int, str]]) -> list[PageBlock]:
    """The blocks of the page from line `first` on; together they hold every line that is not blank."""
    body = lines[first:]
    source = "\n".join(body)
    if len(source) > _PARSED_CHARS or len(body) > _PARSED_LINES:
        return _by_line(lines, first)
    try:
        found = _parsed(source, len(body), first)
    except (_TooCostly, RecursionError):
        problems.append((0, "nested too deep: cut at headings and blank lines only"))
        return _by_line(lines, first)
    return covering(lines, found, first, len(lines))


def paragraphs(lines: Sequence[str], first: int) -> list[PageBlock]:
    """The blocks of a page that is not Markdown: what stands between blank lines."""
    return list(_runs(lines, first, len(lines)))


_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


def _by_line(lines: Sequence[str], first: int) -> list[PageBlock]:
    """Headings and fenced code as they stand at the beginning of lines, and what is between them and blank lines."""
    found: list[PageBlock] = []
    env: dict[str, Any] = {}
    i = first
    while i < len(lines):
        line = lines[i]
        if fence := _FENCE.match(line):
            end = _fence_end(lines, i + 1, fence[1])
            found.append(PageBlock("code", i, end))
            i = end
            continue
        if heading := _ATX.match(line):
            found.append(PageBlock("heading", i, i + 1, len(heading[1]), _heading_text(heading[2] or "", env)))
        elif line.strip() and i + 1 < len(lines) and (under := _SETEXT.match(lines[i + 1])) and _stands_alone(lines, i):
            level = 1 if under[1][0] == "=" else 2
            found.append(PageBlock("heading", i, i + 2, level, _heading_text(line, env)))
            i += 1
        i += 1
    return covering(lines, found, first, len(lines))


def _stands_alone(lines: Sequence[str], i: int) -> bool:
    """Whether no paragraph goes on in this line, and it is neither indented code nor an item, a quote or a table."""
    return not (i and lines[i - 1].strip()) and not lines[i].startswith(("    ", "\t", "- ", "* ", "> ", "|"))


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((i + 1 for i in range(start, len(lines)) if closing.match(lines[i])), len(lines))


def _runs(lines: Sequence[str], start: int, end: int) -> Iterator[PageBlock]:
    """Lines that are not blank, as far as they are together."""
    begin = start
    for i in range(start, end + 1):
        if i == end or not lines[i].strip():
            if i > begin:
                yield PageBlock("text", begin, i)
            begin = i + 1


def covering(lines: Sequence[str], blocks: Sequence[PageBlock], start: int, end: int) -> list[PageBlock]:
    """The blocks without blank lines at their ends, and between them what the parser took without a word, such as
    definitions of links."""
    found: list[PageBlock] = []
    at = start
    for block in blocks:
        low, high = max(block.start, at), min(block.end, end)
        while high > low and not lines[high - 1].strip():
            high -= 1
        if low < high:
            found += _runs(lines, at, low)
            found.append(block._replace(start=low, end=high))
            at = high
    found += _runs(lines, at, end)
    return found


def _parsed(source: str, count: int, first: int) -> list[PageBlock]:
    env: dict[str, Any] = {"probes": min(8 * count + 10_000, _PROBES)}
    tokens = _parser().parse(source, env)
    stack: list[tuple[Token | None, list[PageBlock]]] = [(None, [])]
    for i, token in enumerate(tokens):
        if token.level >= _NESTING - 1:
            raise _TooCostly  # there the parser skips to the end of the file
        if token.type in _CONTAINERS:
            stack.append((token, []))
        elif token.nesting < 0 and token.type.replace("_close", "_open") in _CONTAINERS:
            opening, inner = stack.pop()
            assert opening is not None
            stack[-1][1].append(_block("text", opening, first)._replace(inner=tuple(inner)))
        elif token.type == "heading_open":
            # Inside a list or a quote a heading is text: it opens no part of the document.
            top = len(stack) == 1
            block = _block("heading" if top else "text", token, first)
            title = _heading_text(tokens[i + 1].content, env) if top else ""
            stack[-1][1].append(block._replace(level=int(token.tag[1:]), title=title))
        elif token.type == "paragraph_open":
            stack[-1][1].append(_block("text", token, first))
        elif token.type in _LEAVES:
            stack[-1][1].append(_block(_LEAVES[token.type], token, first))
    return stack[0][1]


def _block(kind: str, token: Token, first: int) -> PageBlock:
    start, end = token.map or (0, 0)
    return PageBlock(kind, start + first, end + first)


@cache
def _parser() -> MarkdownIt:
    """CommonMark and tables; blocks only, since most of the time would go into the insides of paragraphs."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.before("table", "meter", _meter, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _meter(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001 - the shape of a rule
    """Counts the parser's steps. A real page takes one or two a line; lines inside dozens of quotes take dozens."""
    state.env["probes"] -= 1
    if state.env["probes"] < 0:
        raise _TooCostly
    return False


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's own rule finds the head; the rows need no tokens, of which a large table has millions."""
    from markdown_it.rules_block import table

    if not table(state, start, end, True):
        return False
    if silent:
        return True
    others = state.md.block.ruler.getRules("blockquote")
    parent, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.isEmpty(line):
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in others):
            break
        line += 1
    state.parentType = parent
    state.line = line
    state.push("table", "table", 0).map = [start, line]
    return True


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _heading_text(source: str, env: dict[str, Any]) -> str:
    """What a reader sees of a heading: no emphasis, no link targets, no anchor."""
    source = _ANCHOR.sub("", source[: 2 * _HEADING_CHARS])
    marks = len(_MARKUP.findall(source))
    if 0 < marks < _HEADING_MARKS:  # the parser is slow on hundreds of brackets, and no reader wants them
        pending = _inline_parser().parseInline(source, env)
        source = ""
        while pending:
            token = pending.pop(0)
            if token.children:
                pending[:0] = token.children
            elif token.type in ("text", "code_inline", "text_special"):
                source += token.content
            elif token.type in ("softbreak", "hardbreak"):
                source += " "
    return one_line(source)


def prose_of(lines: Sequence[str], blocks: Iterable[PageBlock]) -> str:
    """The beginning of what is written for people: code says nothing about the language of a document."""
    found: list[str] = []
    size = 0
    for block in blocks:
        for i in range(block.start, block.end if block.kind in ("heading", "text") else block.start):
            found.append(lines[i][:_SAMPLE])
            size += len(lines[i])
            if size > _SAMPLE:
                return "\n".join(found)
    return "\n".join(found)
