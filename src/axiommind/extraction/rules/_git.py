"""What the rules of commits and pull requests share: shell lines that ran, and message bodies as they can be quoted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Quote
from axiommind.extraction.quoting import covered, cut, given
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import RUN

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = ["RESULT_CHARS", "body_of", "command_of"]

RESULT_CHARS = 100_000  # characters of what came back; hooks print much before git says its line
_TRAILER = lazy(
    r"[ \t]*(?:(?:co-authored-by|signed-off-by|reviewed-by|acked-by|change-id|claude-session|entire-[\w-]{1,30})[ \t]*:"
    r"|(?:🤖[ \t]*)?generated with\b|(?:🤖[ \t]*)?\[?generated (?:with|by)\b|https://claude\.(?:ai|com)/)",
    re.IGNORECASE,
)


def command_of(use: ToolCall) -> tuple[str, int | None]:
    """A shell line that ran to its end without failing, and the message that holds it."""
    if use.tool.kind != RUN or use.failed is not False or use.given.get("run_in_background"):
        return "", None
    return given(use, "command"), use.leaves.get("/command")


def body_of(transcript: Transcript, message: int, text: str, raw: str, most: int) -> tuple[tuple[Quote, ...], str]:
    """A message body as the shell gave it to the program, as far as it can be quoted as it stands in the line."""
    text, raw = _own(text).replace("\r", "").strip(), _own(raw).strip()
    quotes, held = covered(transcript, message, raw, most)
    return quotes, text if held == raw else cut(text, max(0, len(held) - held.count("\\") - held.count("\r")))


def _own(body: str) -> str:
    """A message without what tools put at its end."""
    rows = body.split("\n")
    return "\n".join(rows[: next((n for n, row in enumerate(rows) if _TRAILER.match(row)), len(rows))])
