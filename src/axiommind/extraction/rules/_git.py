"""What the rules of commits and pull requests share: shell lines that ran, and message bodies as they can be quoted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Quote
from axiommind.extraction.quoting import covered, given, only
from axiommind.extraction.rules._reasons import is_choice, reasons, says_why
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import RUN

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = ["RESULT_CHARS", "command_of", "is_memorable", "kind_of", "told_why"]

RESULT_CHARS = 100_000  # characters of what came back; hooks print much before git says its line
_ESCAPED = lazy(r'\\(["`$\\])')  # as the shell gives it to the program
_FIX = lazy(r"(?:bug ?)?fix(?:e[sd])?\b|hotfix|修正|修复|修復|버그|수정", re.IGNORECASE)
_BOOKKEEPING = lazy(r"\b(?:todos?|changelog|roadmap|bump|release v?\d)\b|할 ?일|待办|やること", re.IGNORECASE)
_ADDING = lazy(
    r"(?:feat[^:]{0,40}: *)?(?:add|adds|update|improve|show|surface|propagate|redesign|introduce|implement|support)\b"
    r"|.{0,40}(?:追加|추가|新增|添加)",
    re.IGNORECASE,
)
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


def told_why(transcript: Transcript, message: int, raw: str, most: int) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    """The sentences of a message's body that say why, as quotes and as they read; `raw` is the body as it stands in
    the shell line."""
    quotes: tuple[Quote, ...] = ()
    told: list[str] = []
    raw = _own(raw)
    for reason in reasons(raw):
        more, held = covered(transcript, message, raw[reason.start : reason.end], most - len(quotes))
        if more:
            quotes = only(quotes, more)
            words = _ESCAPED.sub(r"\1", " ".join(held.split()))
            told.append(words if words[-1] in ".!?。！？…" else f"{words}.")
    return quotes, tuple(told)


def kind_of(subject: str, told: tuple[str, ...]) -> str:
    """What a reasoned change is: a trap that was mended, else a choice."""
    return "gotcha" if _FIX.match(subject) and not any(is_choice(one) for one in told) else "decision"


def is_memorable(subject: str, told: tuple[str, ...]) -> bool:
    """Whether a change with these reasons is more than bookkeeping, or something new that does this instead of that."""
    if not told or _BOOKKEEPING.search(subject):
        return False
    return any(says_why(one) for one in told) or not _ADDING.match(subject)


def _own(body: str) -> str:
    """A message without what tools put at its end."""
    rows = body.split("\n")
    return "\n".join(rows[: next((n for n, row in enumerate(rows) if _TRAILER.match(row)), len(rows))])
