"""What is done every day does not grow with the corpus: the same work is counted over few and over many sessions.

`make growth` does the same up to 100,000 sessions (bench/growth.py)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    import growth

    monkeypatch.setattr(growth, "QUERIES", 12)
    monkeypatch.setattr(growth, "HOOKS", 12)
    return growth


def test_daily_work_grows_no_faster_than_the_logarithm(growth: Any, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("bytes are counted by /proc")
    points = list(growth.grow(tmp_path, [100, 500]))
    assert [point["sessions"] for point in points] == [100, 500]
    assert list(growth.faster_than_log(points)) == []
    assert points[1]["search"]["steps"] > 0 and points[1]["hook"]["read"] > 0, "something was counted"
    worse = {**points[1], "search": {**points[1]["search"], "steps": points[0]["search"]["steps"] * 10}}
    assert len(list(growth.faster_than_log([points[0], worse]))) == 1


def test_generated_sessions_are_the_same_every_time(growth: Any) -> None:
    import generated

    one = generated.lines(7)
    assert one == generated.lines(7) != generated.lines(8)
    sizes = [len(generated.lines(number)) for number in range(60)]
    assert 10_000 < sum(sizes) / len(sizes) < 30_000


def test_plots_are_drawn(growth: Any, tmp_path: Path) -> None:
    from growth_plot import draw

    work = {"seconds": 0.1, "p95_seconds": 0.1, "read": 5, "written": 5}
    point = {"new": 10, "index_seconds": 1.0, "index_peak_bytes": 10, "home_bytes": 10}
    points = [{**point, "sessions": n, "increment": work, "search": work, "hook": work} for n in (10, 100)]
    assert len(ElementTree.fromstring(draw(points)).findall("{http://www.w3.org/2000/svg}polyline")) == 18


def test_a_first_index_costs_what_its_sessions_cost(growth: Any, tmp_path: Path) -> None:
    """A session that is indexed beside many others costs hardly more than one beside few."""
    import generated
    from axiommind.config import Config
    from axiommind.memory import Memory

    each = []
    for count in (60, 360):
        environ = {"AXM_HOME": str(tmp_path / f"axm-{count}"), "CLAUDE_CONFIG_DIR": str(tmp_path / f"claude-{count}")}
        generated.write(tmp_path / f"claude-{count}", 0, count)
        memory = Memory(Config.load(environ | {"AXM_WORKERS": "0"}), environ=environ, user=tmp_path)
        with growth.counted() as work:
            memory.index()
        each.append(work.steps / count)
    assert each[1] < 2 * each[0], each
