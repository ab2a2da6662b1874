"""The shape of real sessions, as numbers only: what bench/generated.py makes sessions of.

    python bench/shapes.py TRANSCRIPTS > bench/shapes.json

How many words prompts, answers and results have, how many calls follow a prompt, which tools are called, and how often
the nth most frequent word comes. No word and no name of a transcript is kept.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

_QUANTILES = 20
_TOOLS = 12
_COMMON_RANKS = (10, 10_000)  # between which the frequency of words is fitted


def main() -> int:
    lengths: dict[str, list[int]] = {"prompt": [], "answer": [], "result": [], "command": []}
    tools: Counter[str] = Counter()
    words: Counter[str] = Counter()
    calls, since = [], 0
    sessions = sorted(Path(sys.argv[1]).rglob("*.jsonl"))
    for path in sessions:
        for kind, text in parts(path):
            if kind == "tool":
                tools[text] += 1
                since += 1
                continue
            found = re.findall(r"\w+", text.lower())
            lengths[kind].append(len(found))
            words.update(found)
            if kind == "prompt":
                calls.append(since)
                since = 0
    shown = {
        "sessions": len(sessions),
        "words": {kind: quantiles(found) for kind, found in lengths.items()},
        "calls_after_a_prompt": quantiles(calls),
        "tools": {name: round(n / tools.total(), 4) for name, n in tools.most_common(_TOOLS) if "__" not in name},
        "vocabulary": len(words),
        "zipf": zipf(words),
    }
    print(json.dumps(shown, indent=1))
    return 0


def parts(path: Path) -> list[tuple[str, str]]:
    """What was said and done, in order: prompts, answers, results, commands, and the names of tools."""
    found: list[tuple[str, str]] = []
    for line in path.open(encoding="utf-8", errors="replace"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        is_person = isinstance(record, dict) and record.get("type") == "user"
        if isinstance(content, str):
            found.append(("prompt" if is_person else "answer", content))
        for block in content if isinstance(content, list) else ():
            found += of_block(block, is_person)
    return found


def of_block(block: Any, is_person: bool) -> list[tuple[str, str]]:
    if not isinstance(block, dict):
        return []
    if block.get("type") == "text":
        return [("prompt" if is_person else "answer", str(block.get("text")))]
    if block.get("type") == "tool_use":
        command = (block.get("input") or {}).get("command")
        return [("tool", str(block.get("name"))), *([("command", command)] if isinstance(command, str) else [])]
    if block.get("type") == "tool_result":
        content = block.get("content")
        texts = (
            [content] if isinstance(content, str) else [b.get("text", "") for b in content or () if isinstance(b, dict)]
        )
        return [("result", text) for text in texts]
    return []


def quantiles(values: list[int]) -> list[int]:
    values = sorted(values) or [0]
    return [values[min(len(values) - 1, len(values) * n // _QUANTILES)] for n in range(_QUANTILES + 1)]


def zipf(words: Counter[str]) -> float:
    """The exponent with which frequency falls with rank, by least squares on logarithms."""
    counts = sorted(words.values(), reverse=True)[_COMMON_RANKS[0] : _COMMON_RANKS[1]]
    points = [(math.log(rank + _COMMON_RANKS[0]), math.log(count)) for rank, count in enumerate(counts, 1)]
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return round(-sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points), 3)


if __name__ == "__main__":
    sys.exit(main())
