"""Counts and links of sessions: each thing once, and the work bounded."""

from __future__ import annotations

import pytest

from tests.counting import statements, steps
from tests.transcripts import Lines, World, encode, session


def test_old_tool_use_lines_of_a_fork_count_once(world: World) -> None:
    for name in ("a", "b"):
        lines = Lines(name)
        lines.add("tool_use", name="Read", input={"file_path": "/x"}, id="t", uuid="same")
        world.write(lines)
    world.memory().index()
    assert world.one("select count(*) from tool_uses where canonical") == 1
    assert world.rows("select count from weekly_buckets") == [(1,)]


def test_missing_counts_sessions(world: World) -> None:
    path = world.write(session("a"))
    world.memory().index()
    path.unlink()
    assert world.memory().index(prune=True).pruned == 1
    assert world.memory().index().missing == 0
    other = world.write(session("b"))
    world.memory().index()
    other.write_bytes(b"")
    world.memory().index()
    other.unlink()
    assert world.memory().index().missing == 1, "emptied, then deleted"


def test_a_file_that_everyone_edits_links_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.projections import derived

    limit = derived.LINKING_SESSIONS
    for n in range(limit + 6):
        lines = Lines(f"s{n:03}")
        lines.tool("Edit", f"c{n}", file_path="/p/CHANGELOG.md")
        lines.tool("Edit", f"o{n}", file_path=f"/p/{n // 2}.py")
        world.write(lines)
        if n in (3, limit - 1, limit, limit + 5):
            world.memory().index()
            links = world.one("select count(*) from session_links")
            pairs = (n + 1) * n // 2 if n < limit else (n + 1) // 2
            assert links == pairs, n
            assert world.memory().verify() == []
    assert world.rows("select distinct shared_files, overlap_ratio from session_links") == [(2, 1.0)]
    world.memory().forget(session="s000")
    for n in range(1, 8):
        world.memory().forget(session=f"s{n:03}")
    assert world.one("select count(*) from session_links") == (limit - 2) * (limit - 3) // 2
    assert world.memory().verify() == []


def test_many_sessions_without_a_folder_stay_cheap(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch looks at each touched folder once, however many sessions in it name none."""

    def cost(number: int) -> tuple[int, int]:
        for n in range(number):
            world.write(encode({"type": "custom-title", "customTitle": f"t{n}"}), f"lost{number}-{n}")
            world.write(session(f"here{number}-{n}"))
        with statements(monkeypatch) as asked:
            worked = steps(lambda: world.memory().index())
        return worked, len(asked)

    small, large = cost(20), cost(80)
    assert all(more <= 4 * few for few, more in zip(small, large, strict=True)), (small, large)
    assert world.one("select count(distinct project) from sessions") == 1
