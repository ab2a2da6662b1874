"""Blocks as one HTML page that needs nothing else: its style and its charts are in it, and no script.

Everything that is not a tag of ours is escaped. The policy in the head forbids the page to load or run anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

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
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--soft); border-left: 3px solid var(--accent); padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; width: 100%; }
th { text-align: left; color: var(--faint); font-weight: 500; }
th, td { padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 1.2rem 0; overflow-x: auto; background: #fff; border-radius: 6px; }
figure svg { max-width: 100%; height: auto; }
.note { color: var(--faint); }
"""


def write(blocks: Sequence[Block], pictures: Mapping[str, str], note: str = "") -> str:
    """The page; `pictures` are SVG by name, `note` says why there are none."""
    title = next((block.text for block in blocks if isinstance(block, HeadingBlock)), "Insight")
    body = [text for block in blocks if (text := _block(block, pictures))]
    if note:
        body.append(f'<p class="note">{_inline(note)}</p>')
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


def _block(block: Block, pictures: Mapping[str, str]) -> str:
    match block:
        case HeadingBlock(level, text):
            return f"<h{level}>{_inline(text)}</h{level}>"
        case ParagraphBlock(text):
            return f"<p>{_inline(text)}</p>"
        case PointsBlock(texts):
            return "<ul>" + "".join(f"<li>{_inline(text)}</li>" for text in texts) + "</ul>"
        case CodeBlock(_, text):
            return f"<pre><code>{_text(text)}</code></pre>"
        case TableBlock():
            return _table(block)
        case PictureBlock(name):
            return f"<figure>{pictures[name]}</figure>" if name in pictures else ""


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _inline(text: str) -> str:
    parts = _CODE.split(" ".join(text.split()))
    return "".join(f"<code>{_text(part)}</code>" if at % 2 else _text(part) for at, part in enumerate(parts))


def _table(table: TableBlock) -> str:
    def cells(tag: str, texts: Sequence[str]) -> str:
        sides = [' class="right"' if at in table.right else "" for at in range(len(texts))]
        return "".join(f"<{tag}{side}>{_inline(text)}</{tag}>" for side, text in zip(sides, texts, strict=True))

    rows = "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    head = f"<thead><tr>{cells('th', table.columns)}</tr></thead>"
    return f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'
