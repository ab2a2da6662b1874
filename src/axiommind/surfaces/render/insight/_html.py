"""Blocks as one HTML page that needs nothing else: its style and its charts are in it, and no script.

Everything that is not a tag of ours is escaped. The policy in the head forbids the page to load or run anything.
A citation is a link to its place among the sources at the end, which names the file and shows the words. Names of
commands and files break at a slash or a blank, never within a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from axiommind.surfaces.render.insight._document import (
    Block,
    CodeBlock,
    HeadingBlock,
    ParagraphBlock,
    PictureBlock,
    PointsBlock,
    TableBlock,
)
from axiommind.surfaces.render.insight._sources import CitedSource
from axiommind.surfaces.render.tables import printable

__all__ = ["write"]

_LONG_CODE = 34  # characters that stay on one line
_CODE = re.compile(r"`([^`]*)`")
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --faint: #6b7785; --line: #e3e8ec; --back: #fff; --soft: #f5f7f9;
  --accent: #2f6f9f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --faint: #9aa5b1; --line: #323b45; --back: #171c22;
  --soft: #20272f; --accent: #7db4dc; } }
body { font: 16px/1.55 Inter, "Helvetica Neue", Arial, "Noto Sans", "Noto Sans CJK KR", "Noto Sans CJK SC", sans-serif;
  color: var(--ink); background: var(--back); max-width: 62rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .3rem; }
h1 + p { color: var(--faint); margin-top: 0; }
h2 { font-size: 1.3rem; margin-top: 2.6rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin-top: 1.9rem; }
code, pre { font: .88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
td code, a.cite { white-space: nowrap; }
td code.long { white-space: normal; overflow-wrap: break-word; }
a.cite { font: .82em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
li:target { background: var(--soft); }
.sources code { overflow-wrap: break-word; }
.sources { font-size: .85rem; color: var(--faint); }
pre { background: var(--soft); border-left: 3px solid var(--accent); padding: .8rem 1rem; overflow-x: auto;
  white-space: pre-wrap; }
pre code { background: none; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; width: 100%; }
th { text-align: left; color: var(--faint); font-weight: 500; }
th, td { padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { min-width: 4.5rem; }
td.right { min-width: 0; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 1.2rem 0; overflow-x: auto; background: #fff; border-radius: 6px; }
figure svg { max-width: 100%; height: auto; max-height: 19rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; align-items: start; }
.charts figure { margin: .6rem 0; }
.note { color: var(--faint); }
"""


def write(
    blocks: Sequence[Block], pictures: Mapping[str, str], sources: Mapping[str, CitedSource], note: str = ""
) -> str:
    """The page; `pictures` are SVG by name, `sources` what citations name, `note` says why there are no pictures."""
    title = next((block.text for block in blocks if isinstance(block, HeadingBlock)), "Insight")
    page = _Page(sources)
    body = page.body(blocks, pictures)
    if note:
        body.append(f'<p class="note">{page.inline(note)}</p>')
    body += page.cited()
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(title)}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


class _Page:
    """Writes blocks, and knows which sources they named, in the order in which they did."""

    def __init__(self, sources: Mapping[str, CitedSource]) -> None:
        self._sources = sources
        self._numbers: dict[str, int] = {}

    def body(self, blocks: Sequence[Block], pictures: Mapping[str, str]) -> list[str]:
        found: list[str] = []
        for is_picture, some in groupby(blocks, key=lambda block: isinstance(block, PictureBlock)):
            parts = [text for block in some if (text := self._block(block, pictures))]
            found += [f'<div class="charts">{"".join(parts)}</div>'] if is_picture and len(parts) > 1 else parts
        return found

    def _block(self, block: Block, pictures: Mapping[str, str]) -> str:
        match block:
            case HeadingBlock(level, text):
                return f"<h{level}>{self.inline(text)}</h{level}>"
            case ParagraphBlock(text):
                return f"<p>{self.inline(text)}</p>"
            case PointsBlock(texts):
                return "<ul>" + "".join(f"<li>{self.inline(text)}</li>" for text in texts) + "</ul>"
            case CodeBlock(_, text):
                return f"<pre><code>{_text(text)}</code></pre>"
            case TableBlock():
                return self._table(block)
            case PictureBlock(name):
                return f"<figure>{pictures[name]}</figure>" if name in pictures else ""

    def inline(self, text: str) -> str:
        parts = _CODE.split(" ".join(text.split()))
        return "".join(self._code(part) if at % 2 else _text(part) for at, part in enumerate(parts))

    def _code(self, text: str) -> str:
        source = self._sources.get(text)
        if source is not None:
            number = self._numbers.setdefault(text, len(self._numbers) + 1)
            return f'<a class="cite" href="#source-{number}" title="{_text(text)}">{_text(source.label)}</a>'
        if len(text) <= _LONG_CODE:
            return f"<code>{_text(text)}</code>"
        return f'<code class="long">{_text(text).replace("/", "/<wbr>")}</code>'

    def _table(self, table: TableBlock) -> str:
        def cells(tag: str, texts: Sequence[str]) -> str:
            sides = [' class="right"' if at in table.right else "" for at in range(len(texts))]
            return "".join(f"<{tag}{side}>{self.inline(text)}</{tag}>" for side, text in zip(sides, texts, strict=True))

        rows = "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
        head = f"<thead><tr>{cells('th', table.columns)}</tr></thead>"
        return f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'

    def cited(self) -> list[str]:
        """The sources that were named: what stands there, when, and how to open it."""
        if not self._numbers:
            return []
        items = []
        for text, number in self._numbers.items():
            source = self._sources[text]
            label = _text(source.label)
            place = f'<a href="{_text(source.href)}">{label}</a>' if source.href else label
            said = f" “{_text(source.quote)}”" if source.quote else ""
            when = f" {source.day}" if source.day else ""
            items.append(f'<li id="source-{number}">{place}{when}{said} <code>axm open {_text(text)}</code></li>')
        return ["<h2>Sources</h2>", '<ol class="sources">', *items, "</ol>"]


def _text(text: str) -> str:
    return escape(printable(text), quote=True)
