"""Replays the past of a folder of transcripts: what hooks would have given at each prompt, first edit and error of the
later half of the sessions, with only what was known then, and how much of it came up afterwards.

    python bench/replay.py ../shared/bench/transcripts [--examples N] [--save FILE]

Every folder of *.jsonl is one project. A table a project, and one of all; the same as `axm eval replay` prints over a
real home. The figures are in docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CWD = re.compile(r'"cwd":\s*"(?:[^"\\]|\\.)*"')
FIGURES = ("asked", "answered", "items", "used", "tokens")
EVENTS = ("prompts", "first_edits", "errors")


def axm(environ: dict[str, str], *given: str) -> str:
    command = [sys.executable, "-m", "axiommind", *given]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"axm {' '.join(given)}: {done.stderr[-500:]}")
    return done.stdout


def replayed(folder: Path, examples: int) -> tuple[dict[str, dict[str, int]], str, list[dict[str, object]]]:
    """The figures of one project, some answers to read, and all of them."""
    name = folder.name
    with tempfile.TemporaryDirectory(prefix="axm-bench-") as base:
        kept = Path(base, "claude", "projects", f"-home-dev-{name}")
        kept.mkdir(parents=True)
        for path in sorted(folder.glob("*.jsonl")):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            moved = CWD.sub(f'"cwd":"/home/dev/{name}"', text)
            Path(kept, path.name).write_text(moved, encoding="utf-8", errors="surrogateescape")
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "AXM"))},
            "HOME": base,
            "CLAUDE_CONFIG_DIR": str(Path(base, "claude")),
            "AXM_HOME": str(Path(base, "axm")),
            "NO_COLOR": "1",
        }
        axm(environ, "index", "--no-learn")
        record = json.loads(axm(environ, "eval", "replay", "--all-projects", "--json") or "{}")
        shown = axm(environ, "eval", "replay", "--all-projects", "--examples", str(examples)) if examples else ""
    figures = {event: {figure: record.get(event, {}).get(figure, 0) for figure in FIGURES} for event in EVENTS}
    return figures, shown, record.get("answers", [])


def row(name: str, event: str, found: dict[str, int]) -> str:
    answered = found["answered"] / found["asked"] if found["asked"] else 0
    used = found["used"] / found["items"] if found["items"] else 0
    return (
        f"{name:20} {event:12} {found['asked']:6} {found['answered']:6} {answered:6.0%} "
        f"{found['items']:6} {found['used']:6} {used:6.0%} {found['tokens']:8}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--examples", type=int, default=0, help="answers of each project to print in full")
    parser.add_argument("--save", type=Path, help="write every answer to this file, for reading")
    args = parser.parse_args()
    head = ("project", "moments", "asked", "given", "share", "items", "came up", "share", "tokens")
    print(f"{head[0]:20} {head[1]:12} " + " ".join(f"{word:>6}" for word in head[2:8]) + f" {head[8]:>8}")
    total = {event: dict.fromkeys(FIGURES, 0) for event in EVENTS}
    answers: list[dict[str, object]] = []
    texts: list[str] = []
    for folder in sorted(path for path in args.transcripts.iterdir() if any(path.glob("*.jsonl"))):
        figures, shown, found = replayed(folder, args.examples)
        answers += found
        texts.append(shown)
        for event in EVENTS:
            print(row(folder.name, event, figures[event]))
            total[event] = {figure: total[event][figure] + figures[event][figure] for figure in FIGURES}
    for event in EVENTS:
        print(row("all", event, total[event]))
    print("\n".join(texts))
    if args.save:
        args.save.write_text(json.dumps(answers, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
