"""What is peculiar to Aider: one history for all runs in a repository, and no list of the repositories."""

from __future__ import annotations

from pathlib import Path

from axiommind import sources
from tests.sources.agents import AgentHome

AIDER = sources.load("aider")
HISTORY = ".aider.chat.history.md"
RUN = "# aider chat started at 2026-11-16 05:00:02\n\n#### {}  \n\nDone.\n"


def history(folder: Path, asked: str = "Fix the build") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / HISTORY
    path.write_text(RUN.format(asked), encoding="utf-8")
    return path


def test_repositories_are_named_by_the_settings_one_by_one_or_by_their_folder(tmp_path: Path) -> None:
    one, two, three = (history(tmp_path / name) for name in ("src/one", "src/two", "three"))
    history(tmp_path / "src" / "one" / "deeper" / "down")
    found = AIDER.discover({}, tmp_path / "home", (str(tmp_path / "src"), str(tmp_path / "three")), None)
    assert [file.path for file in found.files] == [str(path) for path in (one, two, three)]


def test_a_history_that_aider_keeps_elsewhere_is_found(tmp_path: Path) -> None:
    path = history(tmp_path).rename(tmp_path / "chats.md")
    found = AIDER.discover({"AIDER_CHAT_HISTORY_FILE": str(path)}, tmp_path / "home", (), None)
    assert [file.path for file in found.files] == [str(path)]


def test_only_the_run_that_grew_is_read_again(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "aider")
    home.memory().index()
    with (home.user / HISTORY).open("a", encoding="utf-8") as file:
        file.write("\n#### And now?  \n\nNow all pass.\n")
    report = home.memory().index()
    assert (report.updated, report.new) == (1, 0)
    assert home.sessions()["user-20261117093000"]["prompts"] == ["Which tests fail?", "And now?"]
    assert home.memory().verify(deep=True) == []


def test_two_runs_that_began_in_one_second_are_two_sessions(tmp_path: Path) -> None:
    home = AgentHome(tmp_path)
    (home.user / HISTORY).write_text(RUN.format("this") + RUN.format("that"), encoding="utf-8")
    home.memory().index()
    assert [one["prompts"] for one in home.sessions().values()] == [["this"], ["that"]]


def test_what_is_run_is_a_command_and_a_call(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "aider")
    home.memory().index()
    found = home.rows("select kind, name, args from commands order by line")
    assert found == [("slash", "/add", "calc.py"), ("bash", "!", 'python3 -c "import nosuchmodule"')]
    assert home.rows("select error like '%nosuchmodule%' from tool_uses where is_error") == [(1,)]
