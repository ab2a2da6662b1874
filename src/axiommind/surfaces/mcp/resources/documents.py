"""`axm://doc/{path}`: a document of the knowledge base."""

from __future__ import annotations

import contextlib

from axiommind.errors import NotFound
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import resource
from axiommind.surfaces.mcp.resources._markdown import MARKDOWN, clipped, completed_by

ORDER = 30


@resource(
    "axm://doc/{path}",
    "doc",
    "A document",
    "The text of a document that was added to the knowledge base, by its path.",
    mime=MARKDOWN,
    complete={"path": completed_by("select path from documents order by mtime desc limit 5000")},
)
def doc(ctx: Context, path: str) -> str:
    return ctx.fence(_text(ctx, path))


def _text(ctx: Context, path: str) -> str:
    """A document's text. A URI may have lost the slash that its path begins with."""
    from axiommind.model import Citation

    for name in dict.fromkeys((path, f"/{path.lstrip('/')}")):
        with contextlib.suppress(NotFound):
            found = ctx.memory.passages.open(Citation(name, 1, 1_000_000))
            if found.kind == "document":
                return clipped("\n".join(found.lines), f"axm open {found.citation.path}:L1 opens any lines of it")
    raise NotFound(f"there is no document {path!r}", hint="axm kb list --documents lists them")
