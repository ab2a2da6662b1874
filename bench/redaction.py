"""How fast redaction is on real transcripts: `python bench/redaction.py FOLDER [--json]`.

Reads every *.jsonl below FOLDER. Times the prefilter over all raw lines, then decoding and redacting the lines that
it suspects, and for comparison every pattern over every line of a sample. Prints the findings per kind as counts,
never the secrets.
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from axiommind.text import secret_shapes as _secrets
from axiommind.text.redaction import MARK, Redactor

ROUNDS = 5


def best(work: Callable[[], Any]) -> float:
    """The least of a few runs, in seconds: the machine may be shared."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def rate(lines: list[bytes], seconds: float) -> float:
    return round(sum(map(len, lines)) / 1e6 / seconds, 1)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def alternatives(sample: list[bytes]) -> dict[str, float]:
    """Other ways to prefilter the same sample, in MB/s."""
    words = [literal.encode().lower() for shape in _secrets.SHAPES for literal in shape.literals if len(literal) > 1]
    words += [name.encode() for name in (*_secrets.WEAK_NAMES, *_secrets.STRONG_NAMES)] + [b"://", b"key"]
    alternation = re.compile(b"|".join(map(re.escape, words)))

    def each_literal() -> None:
        for line in sample:
            lowered = line.lower()
            [word for word in words if word in lowered]

    def one_alternation() -> None:
        for line in sample:
            for _ in alternation.finditer(line.lower()):
                pass

    return {
        "lower, then `in` for each literal": rate(sample, best(each_literal)),
        "one alternation of all literals": rate(sample, best(one_alternation)),
    }


def measure(folder: Path) -> dict[str, Any]:
    lines = [line for path in sorted(folder.rglob("*.jsonl")) for line in path.read_bytes().split(b"\n") if line]
    redactor = Redactor(b"bench")
    suspected = [line for line in lines if redactor.suspects(line)]
    prefilter = best(lambda: [redactor.suspects(line) for line in lines])
    decode = best(lambda: [json.loads(line) for line in suspected])
    decoded = [json.loads(line) for line in suspected]
    redact = best(lambda: [redactor.value(value) for value in decoded])

    sample = lines[:: max(1, len(lines) // 300)]
    patterns = [re.compile(shape.pattern, re.ASCII) for shape in _secrets.SHAPES]
    patterns += [re.compile(_secrets.URL_PASSWORD), re.compile(_secrets.ASSIGNED, re.ASCII | re.IGNORECASE)]

    def naive() -> None:
        for line in sample:
            for text in strings(json.loads(line)):
                for pattern in patterns:
                    for _ in pattern.finditer(text):
                        pass

    found: Counter[str] = Counter()
    for value in decoded:
        before, after = json.dumps(value), json.dumps(redactor.value(value))
        found.update(mark.split(":")[1] for mark in MARK.findall(after))
        found.subtract(mark.split(":")[1] for mark in MARK.findall(before))
    return {
        "lines": len(lines),
        "mb": round(sum(map(len, lines)) / 1e6, 1),
        "suspected_lines": len(suspected),
        "suspected_mb": round(sum(map(len, suspected)) / 1e6, 1),
        "prefilter_mb_s": rate(lines, prefilter),
        "decode_suspects_s": round(decode, 3),
        "redact_suspects_s": round(redact, 3),
        "all_mb_s": rate(lines, prefilter + decode + redact),
        "found": dict(sorted((+found).items())),
        "sample_mb": round(sum(map(len, sample)) / 1e6, 2),
        "naive_mb_s": rate(sample, best(naive)),
        "prefilter_alternatives_mb_s": alternatives(sample),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="one line, for machines")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.folder), indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
