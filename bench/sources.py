"""What indexing costs, agent by agent, on the sessions in a user's folder, as JSON.

    python bench/sources.py HOME [--agent codex] [--copies 8] [--repeat 3]

HOME is a folder with `.codex`, `.copilot`, `.claude` … as their clients leave them. Each file is copied as often as is
asked for, with ids of its own, so that starting up does not decide; databases are copied once. Then every agent is
indexed in a home of its own, and at last all of them together with nothing new. Figures are the best of `--repeat`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.index import timed

_ENDINGS = (".jsonl", ".json", ".yaml", ".md", ".txt")
_ID = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:call|toolu|msg|req)_[0-9A-Za-z]{8,})"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="HOME")
    parser.add_argument("--agent", action="append", default=[], help="only this agent (repeatable)")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-bench-") as base:
        user = Path(base) / "user"
        for number in range(args.copies):
            lay_out(args.folder, user, number)
        environ = {**os.environ, "HOME": str(user), "AXM_LEARN": "off", "AXM_HOME": f"{base}/home"}
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME"):
            environ.pop(name, None)
        print(json.dumps(measure(Path(base) / "home", environ, args.agent, args.repeat), indent=1))
    return 0


def lay_out(folder: Path, user: Path, number: int) -> None:
    """A copy of all sessions, each id another one of the same form, the same one wherever it stands."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or (number and path.suffix not in _ENDINGS):
            continue
        target = user / _with_other_ids(str(path.relative_to(folder)), number)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in _ENDINGS:
            target.write_text(
                _with_other_ids(path.read_text("utf-8", "surrogateescape"), number), "utf-8", "surrogateescape"
            )
        else:
            shutil.copyfile(path, target)


def _with_other_ids(text: str, number: int) -> str:
    return text if number == 0 else _ID.sub(lambda found: _unlike(found[0], number), text)


def _unlike(name: str, number: int) -> str:
    kind, _, rest = name.rpartition("_")
    digits = iter(hashlib.sha256(f"{name} {number}".encode()).hexdigest() * 4)
    return (f"{kind}_" if kind else "") + "".join(next(digits) if char in "0123456789abcdef" else char for char in rest)


def measure(home: Path, environ: dict[str, str], agents: list[str], repeat: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for agent in agents or here(environ):
        runs = []
        for _ in range(repeat):
            shutil.rmtree(home, ignore_errors=True)
            runs.append(timed(environ, "index", "--json", "--source", agent))
        best = min(runs, key=lambda run: run["wall_s"])
        cpu = min(run["cpu_s"] for run in runs)
        mb = best["bytes_read"] / 1e6
        found[agent] = {
            "mb": round(mb, 1),
            **{name: best[name] for name in ("files_opened", "wall_s", "peak_mb")},
            "cpu_s": cpu,
            "mb_per_s": round(mb / best["wall_s"], 1),
            "mb_per_cpu_s": round(mb / cpu, 1),
        }
    shutil.rmtree(home, ignore_errors=True)
    timed(environ, "index", "--json")
    again = min((timed(environ, "index", "--json") for _ in range(repeat)), key=lambda run: run["wall_s"])
    return {"schema": "axm.bench.sources.v1", "agents": found, "nothing_new": again}


def here(environ: dict[str, str]) -> list[str]:
    """The agents that have sessions in this folder."""
    import subprocess

    command = [sys.executable, "-m", "axiommind", "sources", "--json"]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [one["name"] for one in json.loads(done.stdout)["sources"] if one["files"]]


if __name__ == "__main__":
    sys.exit(main())
