"""A conversation as one file to be shared: Markdown or HTML.

A transcript is hostile input: a web page that an agent read is in it. In HTML every text is escaped, Markdown in it is
rendered without HTML and without images, and the page forbids scripts and requests by its own policy. In Markdown texts
are quoted, what could begin HTML or an image is made readable, and code stays code.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator
from datetime import UTC, datetime

from axiommind.exports.conversation import PageText, PageToolUse, SessionPage
from axiommind.surfaces.render.markup import markdown_parser, visible
from axiommind.surfaces.render.tables import counted, day
from axiommind.text.patterns import lazy

__all__ = ["as_html", "as_markdown"]

_LONGEST_RESULT = 10_000
_LONGEST_MARKDOWN = 200_000  # longer texts are shown as they are
_TAG = lazy(r"<(?=[A-Za-z/!?])")
_IMAGE = lazy(r"!(?=\[)")
_TICKS = lazy(r"`+")
_WHO = {"person": "Person", "assistant": "Agent"}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882 }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; line-height: 1.3 }
h2 { font-size: .85rem; margin: 0 0 .3rem; opacity: .75 }
section { border-left: 3px solid var(--line); padding: .2rem 0 .2rem 1rem; margin: 1.4rem 0 }
section.person { border-color: #2a7ae2; background: var(--soft) }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .7rem }
summary { cursor: pointer; font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere }
details.failed summary::after { content: " failed"; color: #c33 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; background: var(--soft); padding: .6rem }
table { border-collapse: collapse } td, th { border: 1px solid var(--line); padding: .2rem .5rem }
.where { font-size: .75rem; opacity: .6; overflow-wrap: anywhere }
@media print { details { break-inside: avoid } }
"""


def as_markdown(told: SessionPage) -> str:
    """One file of Markdown."""
    parts = [f"# {_inert(_on_one_line(told.title or told.session_id))}", _inert(_about(told))]
    for item in told.items:
        parts.append(_said_in_markdown(item) if isinstance(item, PageText) else _tool_in_markdown(item))
    return "\n\n".join(parts) + "\n"


def _said_in_markdown(item: PageText) -> str:
    head = f"**{_who(item)}**{_at(item.timestamp)}"
    quoted = "\n".join(f"> {line}".rstrip() for line in _quotable(visible(item.text)).split("\n"))
    return f"{head}\n\n{quoted}{_cited(item.citation)}"


def _tool_in_markdown(item: PageToolUse) -> str:
    """Folded where Markdown may hold HTML, which is ours here; as a block of code elsewhere, and never live."""
    failed = ", failed" if item.failed else ""
    name = html.escape(visible(_on_one_line(f"{item.name} {item.subject}")))
    body = _fenced(item.given, "json") + ("\n\n" + _fenced(_cut(item.result)) if item.result else "")
    return f"<details><summary>{name}{failed}</summary>\n\n{body}{_cited(item.citation)}\n\n</details>"


def _quotable(text: str) -> str:
    """Markdown in which nothing is live but what it says itself. Blocks of code are left as they are."""
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    code: set[int] = set()
    if len(text) <= _LONGEST_MARKDOWN:
        for token in MarkdownIt("commonmark").parse(text):
            if token.type == "fence" and token.level == 0 and token.map is not None:
                code.update(range(token.map[0], token.map[1]))
    return "\n".join(line if number in code else _inert(line) for number, line in enumerate(lines))


def _inert(text: str) -> str:
    return _IMAGE.sub("!\\\\", _TAG.sub("‹", text))


def _fenced(text: str, kind: str = "") -> str:
    """A block of code that nothing in it can end."""
    text = visible(text)
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"


def _cited(citation: str) -> str:
    return f"\n\n{_code(citation)}" if citation else ""


def _code(text: str) -> str:
    """A piece of code within a line; a name of a file may hold anything."""
    text = _on_one_line(visible(text))
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {text} {ticks}" if longest else f"`{text}`"


# --- HTML ------------------------------------------------------------------------------------------------


def as_html(told: SessionPage) -> str:
    """One page that needs nothing else, and asks for nothing."""
    title = html.escape(visible(_on_one_line(told.title or told.session_id)))
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f'<h1 dir="auto">{title}</h1>\n<p class="where">{html.escape(_about(told))}</p>',
            *_items_in_html(told),
            "</body>\n</html>\n",
        ]
    )


def _items_in_html(told: SessionPage) -> Iterator[str]:
    show = markdown_parser().render
    for item in told.items:
        where = f'<p class="where">{html.escape(visible(item.citation))}</p>' if item.citation else ""
        if isinstance(item, PageText):
            text = visible(item.text)
            body = f"<pre>{html.escape(text)}</pre>" if len(text) > _LONGEST_MARKDOWN else show(text)
            head = html.escape(f"{_who(item)}{_at(item.timestamp)}")
            yield f'<section class="{item.role}"><h2>{head}</h2><div dir="auto">{body}</div>{where}</section>'
            continue
        name = html.escape(visible(_on_one_line(f"{item.name} {item.subject}")))
        result = f'<pre dir="auto">{html.escape(visible(_cut(item.result)))}</pre>' if item.result else ""
        kind = ' class="failed"' if item.failed else ""
        given = f'<pre dir="auto">{html.escape(visible(item.given))}</pre>'
        yield f'<details{kind}><summary dir="auto">{name}</summary>{given}{result}{where}</details>'


# --- both ------------------------------------------------------------------------------------------------


def _about(told: SessionPage) -> str:
    tools = sum(isinstance(item, PageToolUse) for item in told.items)
    parts = [
        told.project,
        told.agent,
        told.model,
        day(told.started_at) if told.started_at else "",
        counted(tools, "tool use"),
    ]
    if told.subagents:
        parts.append(counted(len(told.subagents), "subagent"))
    return visible(" · ".join(_on_one_line(part) for part in (*parts, told.session_id) if part))


def _who(item: PageText) -> str:
    if item.role == "person" and item.provenance != "person":
        return "In the prompt, written by a program"
    return _WHO[item.role]


def _at(timestamp: int | None) -> str:
    return f", {datetime.fromtimestamp(timestamp / 1000, UTC):%Y-%m-%d %H:%M} UTC" if timestamp else ""


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_RESULT:
        return text
    return f"{text[:_LONGEST_RESULT]}\n… {len(text) - _LONGEST_RESULT:,} more characters"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
