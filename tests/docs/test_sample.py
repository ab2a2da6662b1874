"""The sample that comes with the program: small, clean, with something in it for every question, and safe to use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from axiommind.memory import SAMPLE_MARK, Memory, Scope
from axiommind.reports import perspectives
from axiommind.reports.perspectives import COMMON
from tests.docs.pages import SAMPLE, sample_memory
from tests.transcripts import Lines, World


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = sample_memory(tmp_path_factory.mktemp("sample"))
    memory.index()
    memory.learning.run()
    return memory


def test_the_sample_is_small() -> None:
    files = [p for p in SAMPLE.rglob("*") if p.is_file()]
    assert files
    assert sum(p.stat().st_size for p in files) < 170_000


def test_the_sample_indexes_without_problems(tmp_path: Path) -> None:
    memory = sample_memory(tmp_path)
    report = memory.index()
    assert (report.new, report.problems, report.notes) == (7, [], [])
    assert memory.sql("select type from record_counts where not known", Scope(None)) == []
    assert memory.verify(deep=True) == []


@pytest.mark.parametrize("project", [None, "/home/dev/skycast", "/home/dev/teashop"])
@pytest.mark.parametrize("name", perspectives.names())
def test_every_perspective_has_rows_on_the_sample(name: str, project: str | None, sample: Memory) -> None:
    perspective = perspectives.load(name)
    params = {p.name: p.default for p in (*COMMON, *perspective.params)}
    rows = sample.query(perspective, params, Scope(project))
    assert rows
    assert set(rows[0]) == set(perspective.columns)


def test_the_sample_shows_what_it_is_for(sample: Memory) -> None:
    def one(sql: str) -> object:
        return sample.sql(sql, Scope(None))[0][0]

    assert one("select count(distinct project) from sessions") == 2
    assert one("select agent_type from sessions where parent_session is not null") == "Explore"
    assert one("select count(*) from compactions") == 1
    assert one("select count(*) from tool_uses where is_error") > 0
    assert one("select count(distinct week_start) from weekly_buckets") == 5
    assert one("select title from sessions where id like '3e1c26d3%'") == "cart rounding bug"


# --- trying it out ---------------------------------------------------------------------------------------------


def axm(*argv: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(home), "PYTHONUTF8": "1", **more}
    return subprocess.run(
        [sys.executable, "-m", "axiommind", *argv], env=env, capture_output=True, text=True, encoding="utf-8"
    )


def test_start_sets_up_the_sample_where_there_is_nothing(tmp_path: Path) -> None:
    done = axm("start", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "No sessions of any agent were found" in done.stderr
    assert "in 2 projects" in done.stdout
    home = str(tmp_path / ".axiommind" / "sample")
    learned = axm("entry", "list", home=tmp_path, AXM_HOME=home, COLUMNS="200")
    assert "Cache API answers for ten minutes" in learned.stdout
    assert axm("workflow", "create", "Mine", home=tmp_path, AXM_HOME=home).returncode == 0
    assert axm("start", home=tmp_path).returncode == 0  # as often as one likes
    assert axm("verify", "--deep", home=tmp_path, AXM_HOME=home).returncode == 0


def test_real_sessions_never_get_into_the_home_of_the_sample(world: World) -> None:
    lines = Lines()
    lines.prompt("a prompt of mine")
    world.write(lines)
    claude = {"CLAUDE_CONFIG_DIR": str(world.claude), "AXM_CLAUDE_ROOTS": str(world.claude)}
    assert axm("start", "--sample", home=world.base, **claude).returncode == 0
    home = str(world.base / ".axiommind" / "sample")
    assert axm("index", home=world.base, AXM_HOME=home, **claude).returncode == 0
    done = axm("query", "--sql", "select distinct project from sessions", home=world.base, AXM_HOME=home, **claude)
    assert "/home/dev/teashop" in done.stdout and "/home/dev/weather" not in done.stdout


def test_a_home_of_the_sample_from_before_it_was_copied_stays_as_it_is(world: World) -> None:
    world.home.mkdir()
    (world.home / SAMPLE_MARK).touch()
    assert world.memory().index().new == 7
    assert axm("start", home=world.base, AXM_HOME=str(world.home)).returncode == 0
    assert world.memory().index().unchanged == 7
