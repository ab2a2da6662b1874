"""What a model answers, and the session it was asked about."""

from __future__ import annotations

import json
from typing import Any

from axiommind.projections.transcript import Message, ToolCall, Transcript


def entry(**fields: Any) -> dict[str, Any]:
    return {
        "type": "fact",
        "title": "The port",
        "text": "The service listens on port 8123.",
        "confidence": 0.6,
        "evidence": [{"messageIndex": 0, "quote": "it listens on port 8123"}],
    } | fields


def answer(*entries: Any, **more: Any) -> str:
    """An answer to either question: whoever reads entries takes no notice of the verdicts."""
    return json.dumps({"entries": list(entries), "verdicts": [], **more})


GOOD = answer(entry())


def transcript(*said: tuple[str, str], uses: tuple[ToolCall, ...] = ()) -> Transcript:
    messages = [
        Message(1, n + 1, "/message/content", role, text, 1_000 + n, None, False) for n, (role, text) in enumerate(said)
    ]
    return Transcript("s1", "/p", "claude-code", 1_000, 2_000, False, "1.1", tuple(messages), uses)


SESSION = transcript(("person", "Remember: it listens on port 8123, always."), ("assistant", "Noted."))
