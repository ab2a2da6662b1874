"""A home that any older version wrote is opened by this one: indexed, searched, verified, learned from and rebuilt.

The transcripts that it was made of are gone, as they are after a year: what it holds is all there is."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.shell import axm
from tests.torture.figures import note
from tests.transcripts import World, session
from tests.upgrade.make_homes import HOMES, MARK, PAD, ROOT, WORDS, home_of, shapes

KEPT = sorted(HOMES.glob("*.tar.xz"))


def opened(archive: Path, world: World) -> set[str]:
    """Unpack a home; returns the types of the events in it."""
    with tarfile.open(archive) as tar:
        tar.extractall(world.home, filter="data")
    with world.memory().home.read_log() as (log, _key):
        return {event.event_type for event in log.replay()}


@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.name.split(".")[0])
def test_an_old_home_is_opened(archive: Path, world: World) -> None:
    held = opened(archive, world)
    for command in (("search", WORDS, "--all-projects"), ("query", "--perspective", "sessions"), ("doctor",)):
        early = axm(world, *command)  # before anybody has brought it up to date: an answer, or what to do
        assert early.returncode in (0, 1, 3) and "Traceback" not in early.stderr, early
        assert early.stdout or "axm index" in early.stderr, early
    indexed = axm(world, "index")
    assert indexed.returncode == 0, indexed
    assert world.memory().verify(deep=True) == []
    found = axm(world, "search", WORDS, "--all-projects")
    assert found.returncode == 0 and "zephyr" in found.stdout, found
    assert world.one("select count(*) from prompts where text like '%zephyr%'") == 2
    if "memory_extracted" in held:
        entries = [row[0] for row in world.rows("select entry_id from entries")]
        assert entries
        for entry in entries:
            shown = axm(world, "entry", "why", entry)
            assert shown.returncode == 0 and "checked by builtin" in shown.stdout, shown
    if "scratchpad_written" in held:
        (pad,) = (row[0] for row in world.rows(f"select id from pads where title = '{PAD}'"))
        assert MARK in world.memory().scratchpads.show(pad).text

    world.write(session("new"))
    for command in (("index",), ("learn",), ("rebuild",)):
        done = axm(world, *command)
        assert done.returncode == 0, done
        assert world.memory().verify(deep=True) == []
    assert world.one("select count(*) from sessions") == 3
    assert world.one("select count(*) from learned where status = 'success'") >= 2


def test_homes_are_kept_small() -> None:
    size = sum(path.stat().st_size for path in KEPT)
    assert KEPT and size < 2 << 20
    note("homes", f"{len(KEPT)} homes, {size // 1000} kB")


@pytest.mark.slow
def test_every_shape_of_the_history_is_kept() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs the git history")
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True)
    if shallow.stdout.strip() != "false":
        pytest.skip("needs the whole git history")
    missing = [shape.commit for shape in shapes() if home_of(shape) is None]
    assert not missing, f"no home was kept of {missing}; make homes writes them"
