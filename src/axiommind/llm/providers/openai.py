"""Any OpenAI-compatible server: OpenAI, vLLM, LM Studio, llama.cpp, Ollama.

What such servers make of `response_format` differs, so it is given up step by step when one complains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.llm.providers._figures import count, money
from axiommind.llm.providers._http import HttpProvider, endpoint_of

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["OpenAIProvider", "connect"]

_URL = "https://api.openai.com/v1"


def connect(config: Config) -> OpenAIProvider:
    if not config.extract_model:
        raise UsageError(
            "openai does not know which model to ask",
            hint="set extract.model, such as gpt-5-mini, or for Ollama one of those that `ollama list` shows",
        )
    at = endpoint_of(config, url=_URL, path="/chat/completions", variable="OPENAI_API_KEY")
    return OpenAIProvider(at, config.extract_model)


class OpenAIProvider(HttpProvider):
    name = "openai"

    def _formats(self, question: Question) -> tuple[dict[str, Any], ...]:
        named = {"name": question.name, "strict": True, "schema": question.schema}
        strict = {"type": "json_schema", "json_schema": named}
        return ({"response_format": strict}, {"response_format": {"type": "json_object"}}, {})

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._at.key}"} if self._at.key else {}

    def _body(self, question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
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
            model if isinstance(model, str) and model else self.model,
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
            return Unanswered(f"{usage.model} refused to answer", usage)
        content = message.get("content")
        flaw = "it was cut off at the model's limit" if choice.get("finish_reason") == "length" else ""
        return Answered(content if isinstance(content, str) else "", usage, flaw)
