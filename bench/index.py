"""What indexing costs, on a folder of transcripts, as JSON.

    python bench/index.py FOLDER [--workers N] [--repeat 3]

FOLDER holds `<project>/*.jsonl` (or `projects/<project>/*.jsonl`, as Claude Code's own folder does). Everything runs in
new processes with a home and a configuration folder of their own: a first index, a second run with nothing new, a run
after one session grew, a question from the shell, and, for the ratio, a bare interpreter. Figures are the best of
`--repeat` runs; compare ratios, not seconds: machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=-1)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-bench-") as base:
        claude = Path(base) / "claude"
        source = lay_out(args.folder, claude / "projects")
        if not source:
            parser.error(f"{args.folder} holds no <project>/*.jsonl")
        environ = {
            **os.environ,
            "HOME": base,
            "CLAUDE_CONFIG_DIR": str(claude),
            "AXM_WORKERS": str(args.workers),
        }
        print(json.dumps(measure(Path(base), claude, source, environ, args.repeat), indent=1))
    return 0


def lay_out(folder: Path, projects: Path) -> int:
    """Copy the transcripts as Claude Code lays them out; returns their bytes."""
    base = folder / "projects" if (folder / "projects").is_dir() else folder
    size = 0
    for project in sorted(p for p in base.iterdir() if p.is_dir()):
        if any(is_claude(p) for p in project.glob("*.jsonl")):
            shutil.copytree(project, projects / project.name, copy_function=shutil.copyfile)
            size += sum(p.stat().st_size for p in (projects / project.name).rglob("*.jsonl"))
    return size


def is_claude(path: Path) -> bool:
    with path.open("rb") as file:
        lines = [file.readline() for _ in range(50)]
    return any(b'"sessionId"' in line and b'"uuid"' in line for line in lines)


def measure(base: Path, claude: Path, source: int, environ: dict[str, str], repeat: int) -> dict[str, Any]:
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    grown: list[dict[str, Any]] = []
    home = base / "home"
    for _ in range(repeat):
        shutil.rmtree(home, ignore_errors=True)
        environ |= {"AXM_HOME": str(home), "AXM_LEARN": "off"}
        first.append(timed(environ, "index", "--json"))
        second.append(timed(environ, "index", "--json"))
        grow(claude)
        grown.append(timed(environ, "index", "--json"))
    disk = {name: (home / name).stat().st_size for name in ("log.db", "index.db")}
    ask = [timed(environ, "query", "--perspective", "tool-frequency") for _ in range(7)]
    bare = [timed(environ) for _ in range(7)]
    best = min(first, key=lambda run: run["wall_s"])
    seconds = min(run["wall_s"] for run in bare)
    return {
        "schema": "axm.bench.index.v1",
        "source_mb": round(source / 1e6, 1),
        "first": {
            **best,
            "mb_per_s": round(source / 1e6 / best["wall_s"], 1),
            "mb_per_cpu_s": round(source / 1e6 / best["cpu_s"], 1),
        },
        "second": min(second, key=lambda run: run["wall_s"]),
        "one_grown": min(grown, key=lambda run: run["wall_s"]),
        "disk": {
            **disk,
            "log_share": round(disk["log.db"] / source, 3),
            "index_share": round(disk["index.db"] / source, 3),
            "share": round(sum(disk.values()) / source, 3),
        },
        "query": {
            "wall_ms": round(min(run["wall_s"] for run in ask) * 1000, 1),
            "bare_python_ms": round(seconds * 1000, 1),
            "times_bare": round(min(run["wall_s"] for run in ask) / seconds, 2),
        },
    }


def grow(claude: Path) -> None:
    """One session gains the last ten lines of itself, under new identities."""
    path = max(claude.glob("projects/*/*.jsonl"), key=lambda p: p.stat().st_size)
    lines = path.read_bytes().splitlines(keepends=True)[-10:]
    stamp = str(time.time_ns()).encode()
    with path.open("ab") as file:
        file.writelines(line.replace(b'"uuid":"', b'"uuid":"' + stamp) for line in lines)


def timed(environ: dict[str, str], *args: str) -> dict[str, Any]:
    """Run the program (or a bare interpreter) once: seconds, CPU of it and its workers, the largest memory."""
    command = [sys.executable, "-m", "axiommind", *args] if args else [sys.executable, "-c", "pass"]
    # A process of its own in between, so that the figures are of this run's children only.
    probe = [sys.executable, "-c", _PROBE, *command]
    done = subprocess.run(probe, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if args[:1] == ("index",):
        report = json.loads(done.stdout.splitlines()[0])
        figures |= {k: report[k] for k in ("files_opened", "bytes_read", "events", "rows")}
    return figures


_PROBE = """
import json, os, resource, subprocess, sys, threading, time
peak = 0
def tree(pid):
    try:
        children = open(f"/proc/{pid}/task/{pid}/children").read().split()
        own = int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
    return own + sum(tree(int(c)) for c in children)
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:])
def look():
    global peak
    while process.poll() is None:
        peak = max(peak, tree(process.pid))
        time.sleep(0.02)
if "index" in sys.argv:
    threading.Thread(target=look, daemon=True).start()
code = process.wait()
wall = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall_s": round(wall, 4), "cpu_s": round(used.ru_utime + used.ru_stime, 4),
                  "peak_mb": round(max(peak, used.ru_maxrss * 1024) / 1e6, 1)}))
sys.exit(code)
"""


if __name__ == "__main__":
    _ = resource  # the probe needs it: fail early where it is missing
    sys.exit(main())
