"""Markdown of transcripts as HTML, in which nothing acts: no HTML of theirs, no images, links that tell nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["markdown_parser", "visible"]

_UNSEEN = lazy(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def markdown_parser(highlight: Callable[[str, str, str], str] | None = None) -> MarkdownIt:
    """A parser of Markdown that makes no HTML of its HTML, no images, and links that say nothing about where they were
    clicked. `highlight` colours code: (code, language, rest of the line) to HTML."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "highlight": highlight}).enable("table").disable("image")

    def link_open(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> Any:
        tokens[index].attrSet("rel", "noopener noreferrer nofollow")
        return renderer.renderToken(tokens, index, options, env)

    made.add_render_rule("link_open", link_open)
    return made


def visible(text: str) -> str:
    """Without what steers a terminal, a browser or the direction of letters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    return _UNSEEN.sub("", text)
