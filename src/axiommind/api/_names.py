"""Names as people type them: the beginning of an id is enough."""

from __future__ import annotations

from axiommind.errors import BadQuery, NotFound

__all__ = ["one_of"]


def one_of(
    start: str, known: set[str], what: str, hint: str = "axm query --perspective sessions lists the sessions"
) -> str:
    """The id that was meant: itself, or the only one that begins so."""
    matches = [start] if start in known else sorted(s for s in known if start and s.startswith(start))
    if not matches:
        raise NotFound(f"there is no {what} {start!r}", hint=hint)
    if len(matches) > 1:
        raise BadQuery(f"{start!r} fits {len(matches)} of them", hint="give more characters of the id")
    return matches[0]
