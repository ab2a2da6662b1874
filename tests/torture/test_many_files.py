"""Very many files: 50,000 with `make torture`. All are indexed; then nothing new opens none, and one that grew one."""

from __future__ import annotations

from tests.opening import opened
from tests.torture.figures import note
from tests.torture.options import option
from tests.transcripts import Lines, World

FILES = option("FILES", 300)


def test_many_files(world: World) -> None:
    for n in range(FILES):
        lines = Lines(f"session-{n:05}", cwd=f"/p/{n % 500}")
        lines.prompt(f"please look at station {n}")
        lines.answer("Done.")
        world.write(lines, folder=f"-p-{n % 500}")
    world.memory().index()
    assert world.one("select count(*) from sessions") == FILES
    transcripts = world.path("session-00007", "-p-7").parents[1]
    with opened(transcripts) as files:
        report = world.memory().index()
    assert (files, report.new, report.updated) == ([], 0, 0)
    more = Lines("session-00007", cwd="/p/7")
    more.prompt("and at station seven", uuid="more")
    grown = world.path("session-00007", "-p-7")
    world.append(more.data(), "session-00007", "-p-7")
    with opened(transcripts) as files:
        report = world.memory().index()
    assert set(files) == {str(grown)} and report.updated == 1
    assert world.memory().verify() == []
    note("files", f"{FILES:,} files; nothing new: 0 opened, one grew: 1 opened")
