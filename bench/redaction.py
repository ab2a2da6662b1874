"""How fast redaction is on real transcripts: `python bench/redaction.py FOLDER [--json]`.

Reads every *.jsonl below FOLDER. Times the prefilter over all raw lines, then decoding and redacting the lines that
it suspects, and the prefilter by RE2 and by `re` on a sample. Prints the findings per kind as counts, never the
secrets.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from axiommind.text import jsonlines
from axiommind.text.redaction import MARK, Redactor
from axiommind.text.secret_prefilter import is_hot

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


def prefilters(sample: list[bytes]) -> dict[str, float]:
    """The same prefilter by RE2 and by Python's `re`, in MB/s; where RE2 is missing both are the same."""
    return {
        "re2": rate(sample, best(lambda: [is_hot(line) for line in sample])),
        "re": rate(sample, best(lambda: [is_hot(line, native=False) for line in sample])),
    }


def measure(folder: Path) -> dict[str, Any]:
    lines = [line for path in sorted(folder.rglob("*.jsonl")) for line in path.read_bytes().split(b"\n") if line]
    redactor = Redactor(b"bench")
    suspected = [line for line in lines if redactor.suspects(line)]
    prefilter = best(lambda: [redactor.suspects(line) for line in lines])
    decode = best(lambda: [jsonlines.parse(line) for line in suspected])
    decoded = [jsonlines.parse(line) for line in suspected]

    def redact_all() -> None:
        anew = Redactor(b"bench")  # it remembers what it has read
        for value in decoded:
            anew.value(value)

    redact = best(redact_all)

    sample = lines[:: max(1, len(lines) // 300)]
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
        "prefilters_mb_s": prefilters(sample),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="one line, for machines")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.folder), indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
