"""Sessions made up by the statistics of real ones (bench/shapes.json): any number of them, the same every time.

    python bench/generated.py FOLDER SESSIONS

Session N is the same whatever the number of sessions, so a corpus can grow. Words are made of syllables and come as
often as words do; each session names things that no other one names. About 20 KB a session.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

SHAPES = json.loads(Path(__file__).with_name("shapes.json").read_text("utf-8"))
SEED = 20260105
BYTES = 20_000
_SENTENCES = 20_000
_MOST_WORDS = 500  # of one text: the longest results of real sessions would be a session of ours
_SYLLABLES = [a + b + c for a in "bdfgklmnprstvz" for b in "aeiou" for c in ("", "n", "r", "s")]
_START = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def vocabulary() -> list[str]:
    """As many words as real sessions have, the most frequent first; short words are frequent."""
    found: list[str] = []
    for size in (1, 2, 3):
        for parts in itertools.product(_SYLLABLES, repeat=size):
            found.append("".join(parts))
            if len(found) >= SHAPES["vocabulary"]:
                return found
            if size == 3 and len(found) % 7 == 0:  # not all words of three syllables begin alike
                found[-1] = found[-1][::-1]
    return found


@cache
def sentences() -> list[str]:
    """A pool of sentences whose words come as often as words do in real sessions."""
    dice, words = random.Random(SEED), vocabulary()
    weights = list(itertools.accumulate((rank + 10) ** -SHAPES["zipf"] for rank in range(len(words))))
    drawn = iter(dice.choices(words, cum_weights=weights, k=_SENTENCES * 16))
    return [" ".join(itertools.islice(drawn, dice.randint(4, 16))) + "." for _ in range(_SENTENCES)]


def project_of(number: int) -> int:
    """Projects become more as sessions do, but fewer than those; some are worked on much more than others."""
    return int(random.Random(SEED + number).random() ** 2 * (number + 100) ** 0.5)


def name_of(number: int) -> str:
    return f"session-{number:06}"


def rare_word(number: int) -> str:
    """A word that only this session says."""
    return f"{vocabulary()[number % 5_000]}{number}x"


def lines(number: int, size: int = BYTES, since: int = 0) -> bytes:
    """The lines of a session, or of what it goes on with from turn `since`."""
    dice = random.Random(f"{SEED}-{number}-{since}")
    target = dice.lognormvariate(0, 0.5) * size / 1.45 if not since else size
    out: list[bytes] = []
    written, turn = 0, since
    while written < target:
        for record in _turn(number, turn, dice):
            out.append(json.dumps(record).encode() + b"\n")
            written += len(out[-1])
        turn += 1
    return b"".join(out)


def _turn(number: int, turn: int, dice: random.Random) -> list[dict[str, Any]]:
    """A prompt, the calls that follow it, and an answer."""
    project = f"/generated/project-{project_of(number)}"
    at = _START + timedelta(minutes=number * 7 + turn)
    steps = itertools.count()

    def record(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        step = next(steps)
        return {
            "type": kind,
            "uuid": f"{number}-{turn}-{step}",
            "sessionId": name_of(number),
            "cwd": project,
            "timestamp": (at + timedelta(seconds=step)).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "message": {"role": kind, "content": content, "id": f"m-{number}-{turn}-{step}", **more},
        }

    found = [record("user", f"{text('prompt', dice)} {rare_word(number)}")]
    for call in range(min(drawn(SHAPES["calls_after_a_prompt"], dice), 8)):
        tool = dice.choices(list(SHAPES["tools"]), SHAPES["tools"].values())[0]
        file = f"{project}/{vocabulary()[dice.randrange(300)]}.py"
        given: dict[str, Any] = {"file_path": file}
        if tool == "Bash":
            given = {"command": f"pytest {file} -k {text('command', dice)[:120]}"}
        elif tool == "Edit":
            given |= {"old_string": text("command", dice), "new_string": text("command", dice)}
        use = f"t-{number}-{turn}-{call}"
        found.append(record("assistant", [{"type": "tool_use", "id": use, "name": tool, "input": given}]))
        result = {
            "type": "tool_result",
            "tool_use_id": use,
            "content": text("result", dice),
            "is_error": dice.random() < 0.06,
        }
        found.append(record("user", [result]))
    usage = {"input_tokens": 100, "output_tokens": 50}
    found.append(record("assistant", [{"type": "text", "text": text("answer", dice)}], usage=usage))
    return found


def text(kind: str, dice: random.Random) -> str:
    wanted = min(max(drawn(SHAPES["words"][kind], dice), 3), _MOST_WORDS)
    found: list[str] = []
    while wanted > 0:
        one = dice.choice(sentences())
        found.append(one)
        wanted -= one.count(" ") + 1
    return " ".join(found)


def drawn(quantiles: list[int], dice: random.Random) -> int:
    """A number with these quantiles."""
    place = dice.random() * (len(quantiles) - 1)
    low = int(place)
    return round(quantiles[low] + (quantiles[low + 1] - quantiles[low]) * (place - low))


def write(folder: Path, start: int, end: int) -> int:
    """Write sessions start to end as Claude Code does; returns their bytes."""
    total = 0
    for number in range(start, end):
        place = folder / "projects" / f"-generated-project-{project_of(number)}"
        place.mkdir(parents=True, exist_ok=True)
        data = lines(number)
        (place / f"{name_of(number)}.jsonl").write_bytes(data)
        total += len(data)
    return total


if __name__ == "__main__":
    print(f"{write(Path(sys.argv[1]), 0, int(sys.argv[2])):,} bytes")
