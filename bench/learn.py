"""What learning costs, on a folder of transcripts, as JSON.

    python bench/learn.py FOLDER [--repeat 3]

Indexes the transcripts into a home of its own, learns them with the rules in a new process, learns again with nothing
new, and then opens every quote of every verified entry: at its span in the recorded block, and in the lines of its
transcript as `axm open` does. Figures are the best of `--repeat` runs; the ratio to indexing is what can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from axiommind.config import Config
from axiommind.memory import Memory, Scope
from index import lay_out  # beside this file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-bench-") as base:
        source = lay_out(args.folder, Path(base) / "claude" / "projects")
        if not source:
            parser.error(f"{args.folder} holds no <project>/*.jsonl")
        environ = {
            **os.environ,
            "HOME": base,
            "AXM_HOME": str(Path(base) / "axm"),
            "AXM_LEARN": "off",
            "CLAUDE_CONFIG_DIR": str(Path(base) / "claude"),
        }
        print(json.dumps(measure(source, environ, args.repeat), indent=1))
    return 0


def measure(source: int, environ: dict[str, str], repeat: int) -> dict[str, Any]:
    runs = []
    for _ in range(repeat):
        shutil.rmtree(environ["AXM_HOME"], ignore_errors=True)
        indexed, _ = run(environ, "index")
        learned, report = run(environ, "learn", "--no-index")
        nothing, _ = run(environ, "learn", "--no-index")
        runs.append((learned, indexed, nothing, report))
    learned, indexed, nothing, report = min(runs, key=lambda one: one[0])
    return {
        "source_mb": round(source / 1e6, 1),
        "learn_s": round(learned, 2),
        "mb_per_s": round(source / 1e6 / learned, 1),
        "share_of_indexing": round(learned / indexed, 2),
        "nothing_new_s": round(nothing, 2),
        "report": report,
        "quotes": quotes(environ),
    }


def run(environ: dict[str, str], *command: str) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "axiommind", *command, "--json"], env=environ, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - started, json.loads(done.stdout)


def quotes(environ: dict[str, str]) -> dict[str, int]:
    """Every quote of every verified entry, opened at its span and in the lines of its file."""
    memory = Memory(Config.load(environ), environ=environ)
    wrong = memory.verify()
    at_line = missing = 0
    for listed in memory.entries.list(Scope(None), stages=("verified", "certified"), every=True, limit=1_000_000):
        for quote in memory.entries.show(listed.entry.entry_id).quotes:
            if quote.citation is None or quote.reason is not None:
                missing += 1
                continue
            (line,) = memory.passages.open(quote.citation).lines
            written = json.dumps(quote.quote, ensure_ascii=False)[1:-1]
            at_line += written in line or json.dumps(quote.quote)[1:-1] in line
    return {"not_at_their_span": len(wrong) + missing, "in_their_lines": at_line}


if __name__ == "__main__":
    raise SystemExit(main())
