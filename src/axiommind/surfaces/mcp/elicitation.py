"""Elicitation: the person is asked through the client whether an agent's proposal shall be done.

In the handshake era the server sends `elicitation/create` while the call waits. In that of 2026-07-28 the call is
answered with what is asked for, and the client calls again with the person's answer: the same request is the same
proposal, so nothing has to be kept in between. A client without elicitation leaves the proposal to `axm review`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Ask", "InputNeeded", "answer_of", "ask_by_retry", "question_of", "supports_elicitation"]

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_KEY = "confirm"

# The person's answer to a question about a proposal: yes, no, or None where they gave none.
Ask = Callable[[str, str], bool | None]


class InputNeeded(Exception):
    """The call is answered with a question to the person."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__("the person is asked")
        self.result = result


def supports_elicitation(capabilities: Any) -> bool:
    """Whether a client with these capabilities can show a form to the person."""
    offered = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
    return isinstance(offered, Mapping) and ("form" in offered or "url" not in offered)


def question_of(message: str) -> dict[str, Any]:
    """The parameters of `elicitation/create`."""
    field = {"type": "boolean", "title": "Do it", "description": "Yes: it is done in your name. No: it is declined."}
    return {
        "mode": "form",
        "message": message,
        "requestedSchema": {"type": "object", "properties": {_KEY: field}, "required": [_KEY]},
    }


def answer_of(result: Any) -> bool | None:
    """What the person said: a form that was sent with a yes is a yes, one that was put away says nothing."""
    if not isinstance(result, Mapping):
        return None
    if result.get("action") == "accept":
        content = result.get("content")
        return isinstance(content, Mapping) and content.get(_KEY) is True
    return False if result.get("action") == "decline" else None


def ask_by_retry(params: Mapping[str, Any]) -> Ask | None:
    """How the person is asked in the era of 2026-07-28, by the parameters of the call; None where they cannot be."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or not supports_elicitation(meta.get(CAPABILITIES)):
        return None
    given = params.get("inputResponses")

    def ask(proposal: str, message: str) -> bool | None:
        if params.get("requestState") == proposal and isinstance(given, Mapping) and _KEY in given:
            return answer_of(given[_KEY])
        asked = {_KEY: {"method": "elicitation/create", "params": question_of(message)}}
        raise InputNeeded({"resultType": "input_required", "inputRequests": asked, "requestState": proposal})

    return ask
