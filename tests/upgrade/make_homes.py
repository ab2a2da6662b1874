"""Homes as older versions of the program wrote them, kept in tests/fixtures/homes: `make homes`.

    python -m tests.upgrade.make_homes

Every commit after which the log's migrations or the versions of the projections are others is a shape. For each shape
without a home one is written by the code of that commit, taken out of git: the same few sessions are indexed and
learned from, and a scratchpad is written where that version has them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from tests.learning.sessions import Session
from tests.transcripts import World

ROOT = Path(__file__).parents[2]
HOMES = ROOT / "tests" / "fixtures" / "homes"
WORDS = "the zephyr anemometer calibrates its hygroscope at noon"
PAD = "calibration log"
MARK = "noted while the hygroscope was away"


class Shape(NamedTuple):
    """The first commit with these versions, and the versions."""

    commit: str
    versions: tuple[tuple[str, str], ...]


def shapes() -> Iterator[Shape]:
    """Every shape of the history of the current branch, oldest first, each once."""
    known = set()
    for commit in _git("log", "--first-parent", "--reverse", "--format=%h", "--abbrev=7").split():
        places = ("src/axiommind/projections", "src/axiommind/log/migrations.py")
        said = _git("grep", "-E", r"^(SCHEMA_VERSION|VERSION) *=|^def m[0-9]+_", commit, "--", *places)
        versions = tuple(sorted(set(re.findall(r"/(\w+)\.py:(?:\w*VERSION *= *|def )(\w+)", said))))
        versions = tuple((("scratchpads" if name == "pads" else name), value) for name, value in versions)
        if versions and versions not in known:
            known.add(versions)
            yield Shape(commit, versions)


def corpus(world: World) -> None:
    """Two sessions with what every version indexes, and most learn from."""
    for n in range(2):
        session = Session(f"session-{n}", cwd="/p/weather")
        session.prompt(f"Always run the tests with pytest before a commit. Part {n}: {WORDS}.")
        session.tool("Edit", f"t-{n}", file_path="/p/weather/gauge.py", old_string="a", new_string="b")
        session.result(f"t-{n}", "ok")
        session.ask("Where should the readings live?", ("SQLite", "PostgreSQL")[n])
        task = session.task("Build the table of readings")
        if n:
            session.update(task, status="completed")
        session.commit(f"feat: readings of part {n}")
        session.answer(f"Done: {WORDS}, part {n}.")
        world.write(session, folder="-p-weather")


def make(shape: Shape, target: Path) -> list[str]:
    """Write the home of a shape; returns the commands that its version knew."""
    with tempfile.TemporaryDirectory(prefix="axm-homes-") as base:
        code = Path(base) / "code"
        archive = subprocess.run(["git", "archive", shape.commit, "src"], cwd=ROOT, capture_output=True, check=True)
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as tar:
            tar.extractall(code, filter="data")
        world = World(Path(base) / "world")
        corpus(world)
        environ = world.environ | {"PYTHONPATH": str(code / "src"), "HOME": str(world.base)}

        def axm(*args: str) -> str | None:
            command = [sys.executable, "-m", "axiommind", *args]
            done = subprocess.run(command, env=environ, capture_output=True, text=True, cwd=base, check=False)
            return None if done.returncode else done.stdout.strip()

        if axm("index") is None:
            raise SystemExit(f"{shape.commit}: axm index failed")
        known = ["index"]
        if axm("learn") is not None:
            known.append("learn")
        if flow := axm("workflow", "create", "calibration"):
            pad = axm("pad", "create", flow.split()[0], PAD)
            if pad and axm("pad", "append", pad.split()[0], MARK) is not None:
                known.append("pad")
        axm("search", WORDS)  # whoever reads empties the write-ahead log
        with tarfile.open(target, "w:xz", preset=9) as tar:
            for path in sorted(world.home.rglob("*")):
                if path.is_file() and not path.name.endswith("-shm"):
                    tar.add(path, path.relative_to(world.home).as_posix(), filter=_anonymous)
    return known


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def _git(*args: str) -> str:
    environ = os.environ | {"GIT_PAGER": "cat"}
    return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, env=environ, check=False).stdout


def home_of(shape: Shape) -> Path | None:
    """The file with the home of a shape; a rebase changes the name of a commit, never its versions."""
    return next(HOMES.glob(f"*-{name_of(shape)}.tar.xz"), None)


def name_of(shape: Shape) -> str:
    import hashlib

    return hashlib.sha256(repr(shape.versions).encode()).hexdigest()[:8]


def main() -> None:
    HOMES.mkdir(parents=True, exist_ok=True)
    for shape in shapes():
        if home_of(shape) is None:
            number = 1 + max((int(path.name[:3]) for path in HOMES.glob("*.tar.xz")), default=0)
            target = HOMES / f"{number:03}-{name_of(shape)}.tar.xz"
            print(shape.commit, *make(shape, target), f"{target.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    main()
