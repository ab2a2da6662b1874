"""Digests: what was done in some days, decided, spent and left open."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.memory import Scope
from axiommind.reports.digest.days import local, local_moment, midnight
from axiommind.reports.digest.values import Digest, ProjectDigest
from axiommind.surfaces.render.digest import as_markdown, as_text, digest_json, duration, short_name
from axiommind.surfaces.render.table_layout import width
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import PROJECT, START, Lines, World

DAY = 86_400_000
MONDAY = START - 8 * 3_600_000
ZONES = [ZoneInfo(name) for name in ("UTC", "Asia/Seoul", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")]


def worked(session: str = "s1", cwd: str = PROJECT) -> Session:
    """A session that decides, commits, and leaves something open."""
    lines = Session(session, cwd=cwd)
    lines.prompt("Write the parser for the weather reports and commit it")
    lines.ask("Which database does the service use?", "SQLite")
    first = lines.task("Write the parser")
    lines.task("Ship the release")
    lines.update(first, status="completed")
    lines.commit("Parse weather reports by hand")
    lines.answer("The parser is written and all twelve tests pass. Next comes the release.")
    return lines


def digest(world: World, since: int = MONDAY, until: int = MONDAY + DAY, project: str | None = None) -> Digest:
    memory = world.memory()
    memory.index()
    memory.learning.run(extractor="rules")
    return memory.reports.digests.make(Scope(project), since, until)


def only(found: Digest) -> ProjectDigest:
    (project,) = found.projects
    return project


def test_what_was_done_is_told_with_its_commits_and_what_it_came_to(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked())
    told = only(digest(world))
    assert [one.title for one in told.sessions] == ["Write the parser for the weather reports and commit it"]
    assert "all twelve tests pass" in told.sessions[0].outcome and told.sessions[0].is_answered
    assert [(one.hash, one.subject) for one in told.commits] == [("abc1234", "Parse weather reports by hand")]
    assert [one.title for one in told.finished] == ["Write the parser"]
    assert [(one.title, one.status) for one in told.open] == [("Ship the release", "pending")]
    assert [one.text for one in told.decided] == ["Which database does the service use? → SQLite"]
    assert told.decided[0].provenance == "picked"
    assert told.effort.prompts == 1 and told.effort.sessions == 1 and told.effort.active_ms > 0


def test_every_id_opens(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked())
    told = only(digest(world))
    for one in (*told.commits, *told.decided, *told.open, *told.finished):
        assert axm(world, "show", one.id).returncode == 0, one
    assert axm(world, "show", told.sessions[0].outcome_id).returncode == 0


def test_only_what_happened_in_the_time_is_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Lines("s1")
    lines.prompt("Look at the rain gauges in the north", at=0)
    lines.answer("They are all dry.", at=1)
    lines.prompt("Look at the rain gauges in the south", at=24 * 60)
    lines.answer("They are wet.", at=24 * 60 + 1)
    world.write(lines)
    first, second = digest(world), digest(world, MONDAY + DAY, MONDAY + 2 * DAY)
    assert first.effort.prompts == second.effort.prompts == 1
    assert only(first).sessions[0].outcome == "", "it went on, so nothing is said of its end"
    assert "wet" in only(second).sessions[0].outcome
    assert digest(world, MONDAY + 3 * DAY, MONDAY + 4 * DAY).projects == ()


def test_days_add_up(tmp_path: Path) -> None:
    """What was spent in each of some days is what was spent in all of them."""
    world = World(tmp_path)
    for n in range(4):
        lines = Lines(f"s{n}", cwd=f"/p/{n % 2}")
        for step in range(6):
            lines.prompt(f"Do part {step} of the work {n}", at=n * 700 + step * 300)
            lines.answer("It is done.", at=n * 700 + step * 300 + 2)
        world.write(lines, folder=f"-p-{n % 2}")
    whole = digest(world, MONDAY, MONDAY + 4 * DAY).effort
    days = [digest(world, MONDAY + n * DAY, MONDAY + (n + 1) * DAY).effort for n in range(4)]
    for name in ("prompts", "tool_uses", "output_tokens", "total_tokens", "active_ms"):
        assert sum(getattr(day, name) for day in days) == getattr(whole, name), name


def test_a_subagents_work_is_that_of_its_session(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Session("s1")
    lines.prompt("Have the parser looked at by somebody else")
    lines.answer("I will have it looked at.")
    world.write(lines)
    helper = Lines("helper", sidechain=True)
    helper.prompt("Look at the parser and say what is wrong")
    helper.tool("Read", "r1", file_path=f"{PROJECT}/parser.py")
    helper.result("r1", "def parse(): ...")
    helper.answer("It is fine.")
    for line in helper.lines:
        line["sessionId"] = "s1"
    world.write(helper, "agent-a1", "-home-dev-weather/s1/subagents")
    told = only(digest(world))
    assert len(told.sessions) == 1 and told.effort.subagents == 1
    assert told.effort.prompts == 1, "a person did not ask a subagent"
    assert told.effort.tool_uses == 1


def test_a_request_without_an_answer_is_left_open_and_told_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Lines("s1")
    lines.prompt("Look at the rain gauges in the north, please")
    lines.answer("They are all dry.")
    lines.prompt("Please measure the wind over the harbour as well")
    world.write(lines)
    told = only(digest(world))
    assert [one.is_answered for one in told.sessions] == [False]


def test_projects_are_told_apart_and_one_can_be_asked_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked("s1"))
    world.write(worked("s2", "/home/dev/harbour"), folder="-home-dev-harbour")
    assert {one.project for one in digest(world).projects} == {PROJECT, "/home/dev/harbour"}
    assert [one.project for one in digest(world, project=PROJECT).projects] == [PROJECT]


WORDS = {
    "en": ("Measure the wind over the harbour and write it down", "The wind is measured and written down."),
    "ko": ("항구의 바람을 측정해서 파일에 기록해 주세요", "바람을 측정해서 파일에 기록했습니다."),
    "zh": ("请测量港口的风速并把结果写入文件", "风速已经测量完毕，结果写入了文件。"),
    "ja": ("港の風速を測定してファイルに記録してください", "風速を測定してファイルに記録しました。"),
}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(
    tmp_path: Path, language: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, said = WORDS[language]
    world = World(tmp_path)
    lines = Session("s1")
    lines.prompt(asked * 4)
    lines.task(asked * 3)
    lines.commit(asked)
    lines.answer(said * 6)
    world.write(lines)
    monkeypatch.setenv("COLUMNS", str(columns))
    found = digest(world)
    text = as_text(found, 6)
    assert asked[:6] in text and said[:6] in text
    heads = ("1 session", "  1 session")  # figures, which a terminal wraps
    assert [line for line in text.splitlines() if width(line) > columns and not line.startswith(heads)] == []


def test_markdown_is_inert(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Session("s1")
    lines.prompt("Add <script>alert(1)</script> and ![x](http://evil.example/x.png) to the page, please")
    lines.answer("Added <img src=http://evil.example/y> to the page, and all of its tests pass.")
    world.write(lines)
    text = as_markdown(digest(world))
    assert "<script" not in text and "![" not in text and "<img" not in text
    assert text.startswith("# Monday, 5 January 2026") and "**Done**" in text


def test_json_has_everything(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked())
    told = json.loads(json.dumps(digest_json(digest(world), world.home)))
    (project,) = told["projects"]
    assert told["days"] == ["2026-01-05", "2026-01-05"]
    assert {"sessions", "commits", "finished", "decided", "open", "effort"} <= set(project)


def test_the_command_reads_what_is_new_before_it_tells(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked())
    when = ("--since", "2026-01-05", "--until", "2026-01-05")
    done = axm(world, "today", *when, AXM_LEARN="on")
    assert done.returncode == 0, done.stderr
    assert "Parse weather reports by hand" in done.stdout and "Which database" in done.stdout
    assert json.loads(axm(world, "week", *when, "--json").stdout)["schema"] == "axm.digest.v1"
    assert axm(world, "today", *when, "--markdown").stdout.startswith("# Monday")


def test_a_day_without_work_is_said(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write(worked())
    done = axm(world, "today")
    assert done.returncode == 1 and not done.stdout and "Nothing was done" in done.stderr
    assert axm(world, "today", "--since", "the day before never").returncode == 2
    assert axm(world, "today", "--since", "2026-01-07", "--until", "2026-01-05").returncode == 2


# --- days ------------------------------------------------------------------------------------------------


@given(
    st.datetimes(datetime(2020, 1, 2), datetime(2035, 12, 30), timezones=st.just(UTC)),
    st.sampled_from(ZONES),
    st.integers(-40, 40),
)
def test_a_day_begins_at_midnight_of_its_zone(at: datetime, zone: ZoneInfo, days: int) -> None:
    moment = int(at.timestamp() * 1000)
    began = local(midnight(moment, zone, days=days), zone)
    assert began.date() == local(moment, zone).date() + timedelta(days=days)
    assert (began.hour, began.minute) == (0, 0) or began.hour == 1, "no clock of these skips more than an hour"


def test_times_are_read_on_the_clock_of_the_zone() -> None:
    seoul = ZoneInfo("Asia/Seoul")
    now = int(datetime(2026, 2, 20, 16, 30, tzinfo=UTC).timestamp() * 1000)  # the 21st, 01:30, in Seoul
    found = local_moment("yesterday", now, is_end=False, zone=seoul)
    assert found is not None and local(found, seoul).isoformat() == "2026-02-20T00:00:00+09:00"
    named = local_moment("2026-02-20", now, is_end=True, zone=seoul)
    assert named is not None and local(named, seoul).isoformat() == "2026-02-21T00:00:00+09:00"
    assert local_moment("nonsense", now, is_end=False) is None


def test_durations_and_names_are_short() -> None:
    assert [duration(ms) for ms in (0, 20_000, 300_000, 9_600_000, 7_200_000)] == [
        "0 min",
        "< 1 min",
        "5 min",
        "2 h 40 min",
        "2 h",
    ]
    assert short_name("/home/dev/weather") == "weather"
    assert short_name("C:\\Users\\dev\\weather") == "weather"
    assert short_name("/") == "/"
