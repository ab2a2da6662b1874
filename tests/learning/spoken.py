"""Sessions of texts alone, and drafts that quote a whole text of them."""

from __future__ import annotations

from axiommind.extraction.drafts import Draft, Quote
from axiommind.projections.transcript import Message, Transcript

ORIGIN = {"person": "person", "assistant": "agent", "result": "tool"}


def session(*said: tuple[str, str]) -> Transcript:
    """A session of texts by role; who wrote a text follows from the role."""
    messages = tuple(
        Message(1, n + 1, "", role, text, n, None, False, False, ORIGIN[role]) for n, (role, text) in enumerate(said)
    )
    return Transcript("s", "p", "claude_code", None, None, False, "1.1", messages, ())


def draft(transcript: Transcript, message: int, rule: str = "findings", **more: object) -> Draft:
    text = transcript.messages[message].text
    given = {"type": "insight", "kind": "domain", "title": text, "text": text, **more}
    return Draft(quotes=(Quote(message, text),), rule=rule, **given)  # type: ignore[arg-type]
