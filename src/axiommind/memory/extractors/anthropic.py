"""Extraction by Anthropic's API, with a key of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.memory.extractors import Extraction, Spend
from axiommind.memory.extractors._answers import SCHEMA
from axiommind.memory.extractors._asking import Answered, Question, Unanswered, Usage, count, extract, seconds_of
from axiommind.memory.extractors._http import Endpoint, NoReply, endpoint

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.projections.recorded import Transcript

__all__ = ["Anthropic", "make"]

_URL = "https://api.anthropic.com"
_MODEL = "claude-haiku-5-5"
_VERSION = "2023-06-01"
_MOST_TOKENS = 16_000  # of an answer; far more than the entries of one part need
_FORMATS: tuple[dict[str, Any], ...] = (
    {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}},
    {},  # older models
)


def make(config: Config, spend: Spend) -> Anthropic:
    at = endpoint(config, url=_URL, path="/v1/messages", variable="ANTHROPIC_API_KEY", seconds=seconds_of(config))
    return Anthropic(at, config.extract_model or _MODEL, config.extract_chars, spend)


class Anthropic:
    name = "anthropic"
    is_measured = False

    def __init__(self, at: Endpoint, model: str, chars: int, spend: Spend) -> None:
        self._at = at
        self._model = model
        self._chars = chars
        self._spend = spend
        self._format = 0  # how many of the formats the model has refused

    def extract(self, transcript: Transcript) -> Extraction:
        return extract(transcript, self.ask, self._model, self._chars, self._spend)

    def ask(self, question: Question) -> Answered | Unanswered:
        body = {
            "model": self._model,
            "max_tokens": _MOST_TOKENS,
            "system": question.instruction,
            "messages": [{"role": "user", "content": question.material}],
            **_FORMATS[self._format],
        }
        headers = {"anthropic-version": _VERSION} | ({"x-api-key": self._at.key} if self._at.key else {})
        try:
            reply = self._at.post(headers, body)
        except NoReply as error:
            return Unanswered(str(error), Usage(self._model))
        if reply.refuses_format:
            again = self._format + 1 < len(_FORMATS)
            self._format += again
            return Unanswered(reply.why, Usage(self._model), again)
        return self._read(reply.body)

    def _read(self, body: dict[str, Any]) -> Answered | Unanswered:
        used = body.get("usage")
        model = body.get("model")
        usage = Usage(
            model if isinstance(model, str) and model else self._model,
            count(used, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            count(used, "output_tokens"),
        )
        if body.get("stop_reason") == "refusal":
            return Unanswered(f"{usage.model} refused to read this session", usage)
        content = body.get("content")
        if not isinstance(content, list):
            return Unanswered(f"{self._at.host} answered without a message", usage)
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        flaw = ""
        if body.get("stop_reason") in ("max_tokens", "model_context_window_exceeded"):
            flaw = f"it was cut off at {usage.output_tokens or _MOST_TOKENS:,} tokens; give fewer entries"
        return Answered("".join(text for text in texts if isinstance(text, str)), usage, flaw)
