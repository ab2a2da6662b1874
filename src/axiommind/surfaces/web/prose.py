"""Texts of sessions as HTML in which nothing acts: Markdown, coloured code, and changes of files.

A transcript is hostile input. Markdown is rendered without HTML of its own, and what comes of it passes an allowlist
once more (nh3); code is escaped by its highlighter; everything else is escaped by the templates.
"""

from __future__ import annotations

import difflib
import functools
import html
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from axiommind.surfaces.render.markup import markdown_parser, visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["changes_of", "code", "diff", "document", "markdown"]

_LONGEST = 60_000  # characters that are rendered; the rest is told as left out
_MOST_COLOURED = 20_000
_MOST_LINES = 400  # of a change
_CONTEXT = 3
_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "span": {"class"}, "code": {"class"}, "ol": {"start"}}


def markdown(text: str) -> Markup:
    text = visible(text)
    shown = text[:_LONGEST]
    left = f'<p class="left-out">… {len(text) - _LONGEST:,} more characters</p>' if len(text) > _LONGEST else ""
    return Markup(_clean(_parser().render(shown)) + left)


def document(text: str, first: int = 0, last: int = 0) -> Markup:
    """Markdown block by block, each with the lines that it is made of; those with the lines `first` to `last` are
    marked."""
    lines = visible(text).split("\n")
    front = _front_matter(lines)
    made = [_block(html.escape("\n".join(lines[:front])), 1, front, first, last, tag="pre")] if front else []
    parser = _parser()
    env: dict[str, Any] = {}
    tokens = parser.parse("\n".join([""] * front + lines[front:]), env)
    begin = 0
    for number, token in enumerate(tokens):
        if token.level or token.nesting > 0:
            continue
        block = tokens[begin : number + 1]
        begin = number + 1
        start, end = block[0].map or (0, 0)
        if len(block) == 3 and block[1].content.startswith("<!--") and block[1].content.endswith("-->"):
            continue  # a comment, which a reader is not meant to see
        shown = _clean(parser.renderer.render(block, parser.options, env))
        made.append(_block(shown, start + 1, end, first, last))
    return Markup("\n").join(made)


def _block(shown: str, start: int, end: int, first: int, last: int, tag: str = "div") -> Markup:
    is_cited = 0 < first <= end and start <= last
    return Markup('<{} data-lines="{}-{}" class="{}">{}</{}>').format(
        tag, start, end, "is-cited" if is_cited else "", Markup(shown), tag
    )


def _front_matter(lines: list[str]) -> int:
    """How many lines of metadata stand before a document."""
    if lines[0].strip() != "---":
        return 0
    end = next((number for number, line in enumerate(lines[1:200], 1) if line.strip() in ("---", "...")), 0)
    return end + 1 if end else 0


def code(text: str, language: str = "") -> Markup:
    """Code, coloured where the language is known; `language` may be the name of a file."""
    return Markup(_coloured(visible(text), language))


def diff(old: str, new: str) -> Markup:
    """A change of a text, line by line."""
    before, after = visible(old).split("\n"), visible(new).split("\n")
    rows = list(_changed(before, after)) if old else [("add", line) for line in after]
    return _rows(rows)


def changes_of(given: Mapping[str, Any]) -> Markup | None:
    """What an edit changes, from what its tool was given; None where it does not say so in words that we know."""
    if isinstance(edits := given.get("edits"), list):
        parts = [changes_of(one) for one in edits if isinstance(one, dict)]
        return Markup("").join(one for one in parts if one is not None) or None
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(new, str):
        return diff(old if isinstance(old, str) else "", new)
    for name in ("patch", "input", "diff"):
        if isinstance(patch := given.get(name), str) and ("\n+" in patch or "\n-" in patch):
            return _rows([(_sign(line), line[1:] if _sign(line) else line) for line in visible(patch).split("\n")])
    written = given.get("content", given.get("file_text"))
    return diff("", written) if isinstance(written, str) else None


def _sign(line: str) -> str:
    if line.startswith(("+++", "---", "***", "@@")):
        return "at"
    return {"+": "add", "-": "cut"}.get(line[:1], "")


def _changed(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    for number, group in enumerate(
        difflib.SequenceMatcher(None, before, after, autojunk=True).get_grouped_opcodes(_CONTEXT)
    ):
        if number:
            yield "at", "…"
        for what, i, j, k, n in group:
            if what == "equal":
                yield from (("", line) for line in before[i:j])
            else:
                yield from (("cut", line) for line in before[i:j])
                yield from (("add", line) for line in after[k:n])


def _rows(rows: list[tuple[str, str]]) -> Markup:
    shown = Markup("\n").join(
        Markup('<span class="row {}">{}</span>').format(kind, line or " ") for kind, line in rows[:_MOST_LINES]
    )
    if len(rows) > _MOST_LINES:
        shown += Markup('\n<span class="row at">… {} more lines</span>').format(f"{len(rows) - _MOST_LINES:,}")
    return Markup('<pre class="diff" tabindex="0">{}</pre>').format(shown)


def _clean(made: str) -> str:
    import nh3

    return nh3.clean(
        made,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


@functools.cache
def _parser() -> MarkdownIt:
    return markdown_parser(lambda text, language, _rest: _coloured(text, language) if language else "")


@functools.lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return get_lexer_for_filename(language) if "." in language else get_lexer_by_name(language)
    except ClassNotFound:
        return None


def _coloured(text: str, language: str) -> str:
    """Escaped, with a class for each kind of word."""
    name = language.strip().replace("\\", "/").rsplit("/", 1)[-1][:60].lower()
    lexer = _lexer(name) if name and len(text) <= _MOST_COLOURED else None
    if lexer is None:
        return html.escape(text)
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    return str(highlight(text, lexer, HtmlFormatter(nowrap=True, classprefix="k-")))
