"""The one JSON object in what a model wrote, whatever stands around it; or `BadAnswer` with what was wrong.

Prose before and after it, a fence around it and a reasoning block are common and harmless. Two objects, half an
object or none cannot be used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from axiommind.llm.asking import BadAnswer

__all__ = ["only_object"]

# More than the longest answer that can be valid, and little enough to read.
_ANSWER_CHARS = 8_000_000
_OBJECT = re.compile(r'\{\s*["}]')  # a brace in prose opens no object


def only_object(text: str) -> dict[str, Any]:
    """The one JSON object in a text."""
    if len(text) > _ANSWER_CHARS:
        raise BadAnswer(f"the answer has {len(text):,} characters; give fewer entries")
    if not text.strip():
        raise BadAnswer("the answer is empty")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if not isinstance(whole, dict):
            raise BadAnswer("the answer is JSON, but not an object with `entries`")
        return whole
    objects = list(_objects(text))
    if not objects:
        raise BadAnswer("there is no JSON object in the answer")
    if len(objects) > 1:
        raise BadAnswer("there are several JSON objects in the answer; give one")
    return objects[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    end = 0
    while start := _OBJECT.search(text, end):
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            # What stands inside half an object is no answer either.
            raise BadAnswer(f"the JSON in the answer is broken or was cut off: {error}") from None
        yield value
