"""Overview, recall lab and health: charts with data and SQL, what an agent would be given, and work that goes on."""

from __future__ import annotations

import json
import re
import time

import pytest

from axiommind.surfaces.web.drawing import Area, DrawnEdge, DrawnNode, calendar, flow, graph, treemap
from axiommind.surfaces.web.jobs import Jobs
from axiommind.surfaces.web.pages.overview import CHARTS
from tests.transcripts import World
from tests.web.conftest import Browser, words_of

TEASHOP = "/home/dev/teashop"


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_tells_its_data_and_its_sql(browser: Browser, name: str) -> None:
    assert f"/overview/{name}" in browser.get("/overview")
    page = browser.part(f"/overview/{name}", since="")
    assert "<summary>Data</summary>" in page and "<summary>SQL</summary>" in page
    assert "select" in words_of(page).lower()
    if "data-series" in page:
        given = re.search(r'data-series="([^"]*)"', page)
        assert given is not None
        told = json.loads(given[1].replace("&#34;", '"').replace("&#39;", "'"))
        assert told["days"] and all(len(one["values"]) == len(told["days"]) for one in told["series"])
    elif name != "outcomes":
        assert "<svg" in page
    assert "Nothing in this time" in browser.part(f"/overview/{name}", since="1d") or name in (
        "outcomes",
        "together",
        "flow",
    )


def test_charts_keep_to_a_project_and_a_tool(browser: Browser) -> None:
    assert "cache.py" not in browser.part("/overview/files", project=TEASHOP, since="")
    assert "cart.ts" in browser.part("/overview/files", project=TEASHOP, since="")
    assert browser.get("/overview", tool="Edit") and browser.refused("/overview/nonsense")[0] == 404


def test_drawings_hold_what_they_are_given() -> None:
    sizes = {"one": 50.0, "two": 30.0, "three": 15.0, "<b>": 5.0}
    drawn = treemap([Area(name, name, size) for name, size in sizes.items()], "t")
    areas = [float(w) * float(h) for w, h in re.findall(r'width="([\d.]+)" height="([\d.]+)" rx="4"', drawn)]
    assert len(areas) == 4 and areas == sorted(areas, reverse=True) and "<b>" not in drawn
    nodes = {name: DrawnNode(name, "blocked") for name in "abc"}
    circle = graph(nodes, [DrawnEdge("a", "b"), DrawnEdge("b", "a"), DrawnEdge("b", "c", True)], "t")
    assert circle.count('class="arrow') == 3
    days = {"2026-02-27": 3.0, "2026-03-02": 9.0}
    assert calendar(days, "t", unit="answers").count("day-0") == 53 * 7 - 6 - 2
    assert flow([("a", "b", 3.0), ("b", "b", 1.0)], "t").count('class="band') == 2
    assert not treemap([], "t") and not flow([], "t") and not calendar({}, "t", unit="x")


def test_what_an_agent_would_be_given_and_what_not(browser: Browser, sample: World) -> None:
    page = browser.get("/recall", prompt="why does the cart show a stale total after a discount?", project=TEASHOP)
    words = words_of(page)
    assert "Given" in words and "% likely" in words and "Left out" in words
    assert "## Related Memories" in page
    quiet = words_of(browser.get("/recall", prompt="thanks", project=TEASHOP))
    assert "Nothing" in quiet and "asks for nothing" in quiet
    name = re.search(r'name="id" value="(\w+)"', page)
    assert name is not None
    assert browser.post("/recall", id=name[1], verdict="no", prompt="why is the total stale?").status_code == 303
    assert browser.post("/recall", id=name[1], verdict="perhaps").status_code == 400
    assert sample.memory().own_sql("select count(*) from feedback", sample.memory().scope(all_projects=True))[0][0] == 1


def test_past_sessions_are_replayed(browser: Browser) -> None:
    assert browser.post("/recall/replay").status_code == 303
    wait_for(browser.site.jobs)
    words = words_of(browser.get("/recall"))
    assert "sessions" in words and "Answered" in words and "a prompt" in words


def test_health_shows_checks_figures_and_work(browser: Browser) -> None:
    assert "index.db" in browser.part("/health/checks")
    figures = words_of(browser.part("/health/figures"))
    assert "sessions to learn" in figures and "Claude Code" in figures
    for name in ("index", "learn", "verify"):
        assert browser.post("/health", work=name).status_code == 303
        wait_for(browser.site.jobs)
    assert "every checksum and every row is right" in words_of(browser.get("/health"))
    assert browser.post("/health", work="nonsense").status_code == 400


def test_one_piece_of_work_at_a_time(browser: Browser) -> None:
    import threading

    go_on = threading.Event()
    browser.site.jobs.start("slow", lambda progress: (progress(1, 2), go_on.wait(20), ("well", None))[-1])
    assert browser.post("/health", work="index").status_code == 400
    go_on.set()
    wait_for(browser.site.jobs)
    last = browser.site.jobs.last
    assert last is not None and (last.state, last.told, last.done) == ("done", "well", 1)


def test_work_that_fails_says_so(browser: Browser) -> None:
    def broken(_progress: object) -> tuple[str, None]:
        raise ValueError("no")

    browser.site.jobs.start("broken", broken)
    wait_for(browser.site.jobs)
    last = browser.site.jobs.last
    assert last is not None and last.state == "failed" and "ValueError" in last.told


def wait_for(jobs: Jobs) -> None:
    while jobs.last is not None and jobs.last.state == "running":
        time.sleep(0.01)
