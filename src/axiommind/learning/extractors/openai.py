"""Extraction by any OpenAI-compatible server: OpenAI, vLLM, LM Studio, llama.cpp, Ollama.

What such servers make of `response_format` differs, so it is given up step by step when one complains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.learning.extractors import Spend
from axiommind.learning.extractors._asking import Answered, Question, Unanswered, Usage, count, money
from axiommind.learning.extractors._served import Served, served_at

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["OpenAI", "make"]

_URL = "https://api.openai.com/v1"


def make(config: Config, spend: Spend) -> OpenAI:
    if not config.extract_model:
        raise UsageError(
            "the extractor openai has to be told which model to ask",
            hint="set extract.model, such as gpt-5-mini, or for Ollama one of those that `ollama list` shows",
        )
    at = served_at(config, url=_URL, path="/chat/completions", variable="OPENAI_API_KEY")
    return OpenAI(at, config.extract_model, config.extract_chars, spend)


class OpenAI(Served):
    name = "openai"

    def _formats(self, schema: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        strict = {"type": "json_schema", "json_schema": {"name": "entries", "strict": True, "schema": schema}}
        return ({"response_format": strict}, {"response_format": {"type": "json_object"}}, {})

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._at.key}"} if self._at.key else {}

    def _body(self, question: Question) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": question.instruction},
                {"role": "user", "content": question.material},
            ],
            "stream": False,
        }

    def _read(self, body: dict[str, Any]) -> Answered | Unanswered:
        used = body.get("usage")
        model = body.get("model")
        usage = Usage(
            model if isinstance(model, str) and model else self._model,
            count(used, "prompt_tokens"),
            count(used, "completion_tokens"),
            money(used.get("cost")) if isinstance(used, dict) else None,  # OpenRouter says it
        )
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return Unanswered(f"{self._at.host} answered without a message", usage)
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            return Unanswered(f"{usage.model} refused to read this session", usage)
        content = message.get("content")
        flaw = (
            "it was cut off at the model's limit; give fewer entries" if choice.get("finish_reason") == "length" else ""
        )
        return Answered(content if isinstance(content, str) else "", usage, flaw)
