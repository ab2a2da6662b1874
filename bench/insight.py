"""What the agent `workflow-insight` reads, in tokens: the snapshot of v2, and the queries that it makes instead.

    python bench/insight.py [FOLDER]

FOLDER holds transcripts as `bench/index.py` takes them; without it, those of `../shared/bench/transcripts`. The
commands are read from plugin/agents/workflow-insight.md, so the figures are about what the agent really runs. Prints
JSON, one project a row; tokens are estimated as everywhere here (four characters each). Without transcripts it says so
and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from axiommind.text.estimate import estimate_tokens  # noqa: E402
from index import lay_out  # noqa: E402

AGENT = HERE.parent / "plugin" / "agents" / "workflow-insight.md"
USUAL = HERE.parent.parent / "shared" / "bench" / "transcripts"
MEASURE = """
import json, sys
from axiommind.memory import Memory
from axiommind.reports.analysis.analyst import AnalyzeOptions
print(json.dumps(Memory().reports.analyst.snapshot(AnalyzeOptions(project=sys.argv[1])), ensure_ascii=False))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=USUAL)
    args = parser.parse_args()
    if not args.folder.is_dir():
        print(f"skipped: there are no transcripts at {args.folder}")
        return 0
    with tempfile.TemporaryDirectory(prefix="axm-bench-") as base:
        environ = {**os.environ, "HOME": base, "AXM_HOME": f"{base}/axm", "CLAUDE_CONFIG_DIR": f"{base}/claude"}
        lay_out(args.folder, Path(base) / "claude" / "projects")
        ran(environ, "-m", "axiommind", "index")
        found = ran(environ, "-m", "axiommind", "query", "--all-projects", "--sql", PROJECTS)
        rows = [measured(environ, row["project"], row["sessions"], row["since"]) for row in json.loads(found)]
    print(json.dumps(rows, indent=1))
    return 0


PROJECTS = """
    select project, count(*) as sessions, date(max(last_ts) / 1000, 'unixepoch', '-56 days') as since
    from sessions where last_ts > 0 group by project order by 2 desc, 1
"""


def measured(environ: dict[str, str], project: str, sessions: int, since: str) -> dict[str, Any]:
    queries, report, seconds = 0, 0, 0.0
    for line in commands():
        words = [word.replace("$(pwd)", project).replace("SINCE", since) for word in shlex.split(line)]
        if words[1] == "index":
            continue
        started = time.monotonic()
        tokens = estimate_tokens(ran(environ, "-m", "axiommind", *words[1:]))
        seconds = max(seconds, time.monotonic() - started)
        if words[1] == "insight":
            report += tokens
        else:
            queries += tokens
    snapshot = estimate_tokens(ran(environ, "-c", MEASURE, project))
    return {
        "project": Path(project).name,
        "sessions": sessions,
        "snapshot_tokens": snapshot,
        "query_tokens": queries,
        "insight_tokens": report,
        "queries_to_snapshot": round(queries / snapshot, 3),
        "all_to_snapshot": round((queries + report) / snapshot, 3),
        "slowest_s": round(seconds, 2),
    }


def commands() -> list[str]:
    """The commands of the agent's first block."""
    block = re.search(r"```sh\n(.*?)```", AGENT.read_text(encoding="utf-8"), re.DOTALL)
    if block is None:
        raise SystemExit(f"{AGENT} has no block of commands")
    return [line for line in block[1].splitlines() if line.startswith("axm ")]


def ran(environ: dict[str, str], *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
