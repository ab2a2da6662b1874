"""Anthropic's API, with a key of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.llm.providers._figures import count
from axiommind.llm.providers._http import HttpProvider, endpoint_of

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["AnthropicProvider", "connect"]

_URL = "https://api.anthropic.com"
_MODEL = "claude-haiku-5-5"
_VERSION = "2023-06-01"
_MOST_TOKENS = 16_000  # of an answer; far more than one answer needs


def connect(config: Config) -> AnthropicProvider:
    at = endpoint_of(config, url=_URL, path="/v1/messages", variable="ANTHROPIC_API_KEY")
    return AnthropicProvider(at, config.extract_model or _MODEL)


class AnthropicProvider(HttpProvider):
    name = "anthropic"

    def _formats(self, question: Question) -> tuple[dict[str, Any], ...]:
        strict = {"output_config": {"format": {"type": "json_schema", "schema": question.schema}, "effort": "low"}}
        return (strict, {})  # older models know no such thing

    def _headers(self) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({"x-api-key": self._at.key} if self._at.key else {})

    def _body(self, question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
            "max_tokens": _MOST_TOKENS,
            "system": question.instruction,
            "messages": [{"role": "user", "content": question.material}],
        }

    def _read(self, body: dict[str, Any]) -> Answered | Unanswered:
        used = body.get("usage")
        model = body.get("model")
        usage = Usage(
            model if isinstance(model, str) and model else self.model,
            count(used, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            count(used, "output_tokens"),
        )
        if body.get("stop_reason") == "refusal":
            return Unanswered(f"{usage.model} refused to answer", usage)
        content = body.get("content")
        if not isinstance(content, list):
            return Unanswered(f"{self._at.host} answered without a message", usage)
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        flaw = ""
        if body.get("stop_reason") in ("max_tokens", "model_context_window_exceeded"):
            flaw = f"it was cut off at {usage.output_tokens or _MOST_TOKENS:,} tokens"
        return Answered("".join(text for text in texts if isinstance(text, str)), usage, flaw)
