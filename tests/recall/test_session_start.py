"""A start: how the last session ended, what a person wants every time, and which tasks are really open."""

from __future__ import annotations

import itertools

import pytest

from axiommind.memory import Scope
from tests.learning.sessions import Session
from tests.recall.packets import NOW, learned, start, told
from tests.transcripts import PROJECT, World

HOUR = 60  # minutes


class Later(Session):
    """A session that begins so many minutes after the first one."""

    def __init__(self, session: str, minutes: int) -> None:
        super().__init__(session)
        self._clock = itertools.count(minutes)


def ending(world: World, session: Session) -> list[str]:
    return told(start(learned(world, session)))["Last session"][1:]


def test_an_answer_is_told_by_its_beginning_and_its_last_paragraph(world: World) -> None:
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer(
        "## Done\n\nRates are **rounded** half up.\n\n| file | lines |\n|---|---|\n| rates.py | 12 |\n\n"
        + "- one of the details\n" * 20
        + "\nShall I push it as well?"
    )
    (told_of,) = ending(world, session)
    assert told_of.startswith("ended: Done Rates are rounded half up. - one of the details")
    assert told_of.endswith("… Shall I push it as well?") and "|" not in told_of


def test_a_prompt_that_got_no_answer_is_said_to_be_open(world: World) -> None:
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer("They are rounded.")
    session.prompt("now the rounding of the totals is wrong")
    assert ending(world, session) == [
        "ended: They are rounded.",
        "asked last, and not answered: now the rounding of the totals is wrong",
    ]


def test_a_session_may_end_with_a_plan_or_with_a_commit(world: World) -> None:
    planned, committed = Session("s1"), Later("s2", HOUR)
    planned.prompt("How would you round the rates?")
    planned.answer("I know enough. Let me write the plan.")
    planned.use("ExitPlanMode", plan="# Plan: Round the rates half up\n\nThe rates are cut off today.")
    assert ending(world, planned) == ["ended with a plan: Round the rates half up"]
    committed.prompt("Round the rates half up, please")
    committed.answer("They are rounded.")
    committed.prompt("commit")
    committed.commit("fix: round the rates half up")
    assert ending(world, committed) == ["last said: They are rounded. Then it was committed."]


PUT_AWAY = {
    "en": ("commit this", "Committed as `156c7fc` on `feat/rates`. Ready for the next task whenever you are."),
    "en-pr": ("push it up and open a pr", "PR created: https://github.com/dev/rates/pull/7"),
    "en-checks": ("commit", "Commit `fe67dd4` created successfully. All pre-commit hooks passed (tests, lint)."),
    "ko": ("커밋해줘", "커밋 완료했습니다. 더 확인해드릴까요?"),
    "ja": ("コミットして", "コミットしました。`5b56300`"),
    "zh": ("提交", "已提交 `5b56300`。"),
}


@pytest.mark.parametrize("language", PUT_AWAY)
def test_a_session_that_was_put_away_is_told_by_what_came_of_it(world: World, language: str) -> None:
    order, answer = PUT_AWAY[language]
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer("The rates are rounded half up now, since the bank rejects half cents.")
    session.prompt(order)
    session.answer(answer)
    (told_of,) = ending(world, session)
    assert told_of.startswith("ended: The rates are rounded half up now, since the bank rejects half cents. Then: ")
    assert told_of.endswith(answer[-10:])


def test_what_a_person_objected_to_is_not_how_a_session_ended(world: World) -> None:
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer("The rates are rounded half down now, as the bank wants it.")
    session.prompt("no, that is wrong")
    session.answer("Committed as `156c7fc`.")
    assert ending(world, session) == ["asked last: no, that is wrong", "ended: Committed as `156c7fc`."]


def test_an_order_that_got_no_answer_is_told(world: World) -> None:
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer("The rates are rounded half up now, since the bank rejects half cents.")
    session.prompt("commit this")
    session.answer("Committed as `156c7fc`.")
    session.prompt("push it up and merge it")
    assert ending(world, session)[-1] == "asked last, and not answered: push it up and merge it"


def test_prompts_that_say_nothing_by_themselves_are_not_told(world: World) -> None:
    session = Session("s1")
    session.prompt("8")
    session.answer("Phase 8 is planned.")
    session.add("custom-title", customTitle="8")
    assert told(start(learned(world, session))) == {"Last session": ["ended: Phase 8 is planned."]}


def test_a_check_that_failed_to_the_end_is_told_and_a_look_is_not(world: World) -> None:
    session = Session("s1")
    session.prompt("Make the tests pass again, please")
    session.use("Bash", "Exit code 1\nModuleNotFoundError: No module named 'yaml'", error=True, command="pytest -q")
    session.use("Bash", "Exit code 1\nls: cannot access 'src/rates': No such file", error=True, command="ls src/rates")
    session.answer("I have to stop here.")
    assert ending(world, session)[1:] == ["still failed: `pytest -q`: ModuleNotFoundError: No module named 'yaml'"]


def failed_check(command: str = "ruff check src") -> Session:
    session = Session("s1")
    session.prompt("Make the checks pass again, please")
    session.use("Bash", "Exit code 1\nsrc/rates.py:3:1: F401 'os' imported but unused", error=True, command=command)
    return session


@pytest.mark.parametrize("line", ["ruff check src && pytest -q", "cd src && ruff check . && pytest"])
def test_a_check_that_went_well_within_a_longer_line_failed_no_more(world: World, line: str) -> None:
    session = failed_check()
    session.use("Bash", "All checks passed!\n12 passed", command=line)
    session.answer("I have to stop here.")
    assert ending(world, session) == ["ended: I have to stop here."]


def test_a_line_that_says_that_it_failed_made_nothing_good(world: World) -> None:
    session = failed_check()
    session.use("Bash", "Found 2 errors.", command="ruff check src | tail -1")
    session.answer("I have to stop here.")
    assert len(ending(world, session)) == 2


@pytest.mark.parametrize(("option", "failed"), [("", 0), ("--no-verify ", 1)])
def test_a_commit_whose_hook_ran_a_check_made_it_good(world: World, option: str, failed: int) -> None:
    session = failed_check()
    session.use("Bash", "Exit code 1\nruff check....Failed\nF401 os", error=True, command="git commit -m 'Round rates'")
    session.use("Edit", file_path=f"{PROJECT}/src/rates.py", old_string="import os\n", new_string="")
    session.use("Bash", "[main 1234567] Round rates", command=f"git commit {option}-m 'Round rates'")
    session.answer("It is in.")
    assert len(ending(world, session)[1:]) == failed


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("Done. All 1,274 tests pass, lint is clean.", 0),
        ("Pre-commit hooks passed (tests, lint).", 0),
        ("수정했습니다. 테스트와 린트 전부 통과했습니다.", 0),
        ("修正しました。全テスト通過、リントも問題ありません。", 0),
        ("改好了。测试和检查全部通过。", 0),
        ("Not all tests pass yet, and lint fails.", 1),
        ("All tests should pass once lint is clean.", 1),
        ("I rounded the rates.", 1),
    ],
)
def test_the_last_word_on_a_check_is_the_agents(world: World, said: str, failed: int) -> None:
    session = failed_check()
    session.answer(said)
    assert len(ending(world, session)[1:]) == failed


@pytest.mark.parametrize(
    ("answer", "told_of"),
    [
        (
            "모두 적용됐습니다.\n\n**변경 요약:**\n\n| 요소 | 뒤 |\n|-|-|\n| 입력 | 여러 줄 |\n| 너비 | 꽉 채움 |",
            "ended: 모두 적용됐습니다. 변경 요약: 입력 · 여러 줄; 너비 · 꽉 채움",
        ),
        (
            "It is committed:\n\n```\n[main 12ab34c] Round the rates\n 1 file changed\n```",
            "`[main 12ab34c] Round the rates` …",
        ),
        ("次に進めるなら:\n\n```bash\nmake release\n```", "ended: 次に進めるなら: `make release`"),
        ("The build works. Let me now measure the timing:", "ended: The build works."),
    ],
)
def test_an_ending_does_not_break_off_where_something_follows(world: World, answer: str, told_of: str) -> None:
    session = Session("s1")
    session.prompt("Round the rates half up, please")
    session.answer(answer)
    (note,) = ending(world, session)
    assert note.endswith(told_of)


def test_an_answer_that_only_leads_on_is_told_by_what_came_before_or_by_the_commit(world: World) -> None:
    before, alone = Session("s1"), Later("s2", HOUR)
    before.prompt("Round the rates half up, please")
    before.answer("The rates are rounded half up.")
    before.answer("Let me now run the tests:")
    assert ending(world, before) == ["ended: The rates are rounded half up."]
    alone.prompt("Round the totals half up, please")
    alone.answer("Let me commit it:")
    alone.commit("fix: round the totals half up")
    assert ending(world, alone) == ["ended with a commit: fix: round the totals half up"]


def wish(world: World, name: str, text: str, at: int) -> None:
    session = Later(name, at)
    session.prompt(f"Look at table {name} of the rates, please")
    session.answer("I looked at it.")
    session.prompt(text)
    learned(world, session)


def test_what_is_wanted_every_time_is_told_once_and_first(world: World) -> None:
    wish(world, "s1", "Always run make check before you commit.", 0)
    wish(world, "s2", "Never push to the main branch without asking me.", HOUR * 2)
    wish(world, "s3", "Always run make check before you commit!", HOUR * 4)
    session = Later("s4", HOUR * 6)
    session.prompt("Please add tax rates to the invoices")
    session.ask("Which store should invoices use?", "SQLite")
    session.answer("It is set up.")
    assert told(start(learned(world, session)))["Decided and wanted"] == [
        "Always run make check before you commit (said 2 times)",
        "Never push to the main branch without asking me",
        "Which store should invoices use? → SQLite",
    ]


@pytest.mark.parametrize(
    "order",
    [
        "Don't forget to branch off main and not the current branch.",
        "Can you commit the changes to each section atomically?",
        "Once done, update the changelog with what was postponed.",
        "Always read these docs before any change of the rates.",
        "一旦mainに戻って、コミット規約を守るようにしてほしい",
    ],
)
def test_what_was_asked_for_the_work_of_a_day_is_not_wanted_every_time(world: World, order: str) -> None:
    wish(world, "s1", order, 0)
    wish(world, "s9", "thanks", HOUR * 2)
    assert "Decided and wanted" not in told(start(world))


def test_what_is_asked_again_on_another_day_is_wanted_every_time(world: World) -> None:
    for n in range(2):
        wish(world, f"s{n}", "Can you commit the changes to each section atomically?", n * 24 * HOUR)
    wish(world, "s9", "thanks", 26 * HOUR)
    (note,) = told(start(world, now=NOW + 86_400_000))["Decided and wanted"]
    assert note.endswith("(said 2 times)")


OF_THAT_DAY = "ok I think you need to get back to main, pull in latest and then create a docs branch and pr for this"
ALONE = "I would prefer to get back to main, pull in latest and create a docs branch for the pr"


def asked_for(world: World, day: int, said: str) -> None:
    session = Later(f"s{day}", day * 24 * HOUR)
    session.prompt(f"Look at table {day} of the rates, please")
    session.answer("I looked at it.")
    session.prompt(said)
    session.answer("It is done.")
    learned(world, session)


@pytest.mark.parametrize("words", [(OF_THAT_DAY, ALONE), (ALONE, OF_THAT_DAY)])
def test_a_wish_is_told_in_words_that_can_be_read_alone(world: World, words: tuple[str, str]) -> None:
    for n, said in enumerate(words):
        asked_for(world, n, said)
    wish(world, "s9", "thanks", 26 * HOUR)
    held = told(start(world, now=NOW + 86_400_000))["Decided and wanted"]
    assert held == [f"{ALONE} (said 2 times)"]


def test_a_wish_that_nobody_put_so_is_not_told(world: World) -> None:
    others = (OF_THAT_DAY, OF_THAT_DAY.replace("I think you", "now we"))
    for n, said in enumerate(others):
        asked_for(world, n, said)
    wish(world, "s9", "thanks", 26 * HOUR)
    assert "Decided and wanted" not in told(start(world, now=NOW + 86_400_000))


def test_a_long_question_keeps_what_it_asks_for(world: World) -> None:
    session = Session("s1")
    session.prompt("Please add tax rates to the invoices")
    session.ask(
        "Where shall the rates of a whole year be kept (the office sends them in one file with all of its countries), "
        "in a file beside the code (which everybody can read and compare), or in a database of their own?",
        "SQLite",
    )
    session.answer("It is set up.")
    (note,) = told(start(learned(world, session)))["Decided and wanted"]
    assert note == (
        "Where shall the rates of a whole year be kept, in a file beside the code, or in a database of… → "
        "SQLite (not: PostgreSQL, DuckDB, 8080, 9000)"
    )


def test_a_question_that_asks_for_one_of_two_keeps_both(world: World) -> None:
    session = Session("s1")
    session.prompt("Please add tax rates to the invoices")
    session.ask(
        "When new rates come in, shall somebody look at them first (in a list), or do they hold at once?", "8080"
    )
    session.answer("It is set up.")
    (note,) = told(start(learned(world, session)))["Decided and wanted"]
    assert note.endswith("or do they hold at once? → 8080")


@pytest.mark.parametrize("is_known", [True, False])
def test_a_way_past_a_check_is_told_with_its_reason_or_not_at_all(world: World, is_known: bool) -> None:
    bug = "Exit code 1\nbug: the hook script is installed in migration mode"
    for n in range(3):
        session = Later(f"s{n}", n * 24 * HOUR)
        session.prompt("Round the rates half up, please")
        if is_known:
            session.use("Bash", bug, error=True, command="git commit -m 'Round the rates'")
        session.prompt("no verify")
        session.use("Bash", "[main 1234567] Round the rates", command="git commit --no-verify -m 'Round the rates'")
        session.answer("It is committed.")
        learned(world, session)
    held = told(start(world, now=NOW + 2 * 86_400_000)).get("Decided and wanted", [])
    assert [note for note in held if "--no-verify" in note] == [
        "git commit --no-verify (said 3 times; because: bug: the hook script is installed in migration mode)"
    ] * is_known


def test_what_is_sent_again_in_a_new_session_was_said_once(world: World) -> None:
    for n, at in enumerate((0, 60)):
        wish(world, f"s{n}", "Always run make check before you commit.", at)
    wish(world, "s9", "thanks", HOUR * 2)
    assert told(start(world))["Decided and wanted"] == ["Always run make check before you commit"]


def test_plans_and_commits_are_no_decisions_that_hold(world: World) -> None:
    session, after = Session("s1"), Later("s2", HOUR)
    session.prompt(
        "Implement the following plan:\n\n# Round the rates half up\n\n## Context\n\nThe rates are cut off today, "
        "which loses cents because every line is cut.\n\n## Steps\n\n1. Change rates.py"
    )
    session.commit("fix: round the rates half up")
    session.answer("Done.")
    after.prompt("Look at the invoices, please")
    after.answer("I looked at them.")
    assert list(told(start(learned(world, session, after)))) == ["Last session"]


def test_a_task_that_the_last_session_did_not_speak_of_is_not_told(world: World) -> None:
    first, second = Session("s1"), Later("s2", HOUR)
    first.prompt("Please add tax rates to the invoices")
    first.task("Add the rates")
    kept = first.task("Write the docs")
    first.update(kept, status="in_progress")
    assert told(start(learned(world, first)))["Open tasks"] == [
        "Write the docs (in progress)",
        "Add the rates (pending)",
    ]
    second.prompt("Look at the login page, please")
    second.answer("I looked at it.")
    assert "Open tasks" not in told(start(learned(world, second)))
    tasks = world.memory().tasks
    (docs,) = (task for task in tasks.list(Scope(PROJECT)) if task.title == "Write the docs")
    tasks.set(docs.task_id, status="blocked")
    assert [text.partition(":")[0] for text in told(start(world))["Open tasks"]] == ["Write the docs"]


@pytest.mark.parametrize("source", ["resume", "clear"])
def test_at_most_three_tasks_and_no_offer_among_them(world: World, source: str) -> None:
    session = Session("s1")
    session.prompt("Please add tax rates to the invoices")
    for name in ("one", "two", "three", "four"):
        session.task(f"Write part {name}")
    session.task("Shall I push it as well?")
    packet = start(learned(world, session), source=source, now=NOW)
    assert len(told(packet)["Open tasks"]) == 3 and "Shall" not in str(packet)
