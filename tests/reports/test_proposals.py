"""Proposals: what is said of a failure, of orders that come again, and of what people say; and what is kept silent."""

from __future__ import annotations

import pytest

from axiommind.reports.analysers.actions import does, named, plain
from axiommind.reports.analysers.complaints import complaint, remedy
from axiommind.reports.analysers.evidence import (
    CheckCommand,
    Habit,
    HabitStep,
    ProposalMaterial,
    RepeatedClaim,
    Sentence,
    Witness,
)
from axiommind.reports.analysers.rework import CountedCall, failures
from axiommind.reports.analysers.templates import template
from axiommind.reports.insight.habits import habits_of
from axiommind.reports.insight.rows import CallRow, PersonPrompt
from axiommind.reports.proposals.propose import propose
from axiommind.text.requests.lasting import reads_as_rule

DAY = 86_400_000
HOOK = """Exit code 1
secrets..................................................................Passed
bug: the hook is of an older version
run `hooks install --hook-type commit-msg` to fix this
message style............................................................Passed"""


def call(session: int, place: int, command: str, error: str = "", *, file: str = "") -> CountedCall:
    tool = "Edit" if file else "Bash:git" if command.startswith("git") else "Bash:other"
    at = session * DAY + place * 20_000 + 1
    return CountedCall(100 * session + place, f"s{session}", tool, command, bool(error), error, at, is_edit=bool(file))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (HOOK, "bug: the hook is of an older version"),
        ("spelling....Passed\nstyle....Failed\n- hook id: style", "style....Failed"),
        ("12 pass\n1 fail\nRan 13 tests across 4 files. [80.00ms]", "1 fail"),
        ("All 12 tests passed\n0 errors", ""),
        ("[ERROR] Refusing to install: a path is set\nhint: …", "[ERROR] Refusing to install: a path is set"),
    ],
)
def test_a_line_of_success_is_no_complaint(error: str, expected: str) -> None:
    assert complaint(error) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (HOOK, "hooks install --hook-type commit-msg"),
        ("error: lock file is old. Run `poetry lock` to fix it.", "poetry lock"),
        ("Browsers are missing. Please run: npx playwright install", "npx playwright install"),
        ("hint: 'git config --unset-all core.editor'", "git config --unset-all core.editor"),
        ("│ Please run the following command: │\n│     npx playwright install     │", "npx playwright install"),
        (
            "fatal: no upstream\nTo set it, use\n\n    git push --set-upstream origin rain",
            "git push --set-upstream origin rain",
        ),
        ("To get started, please run:  gh auth login", "gh auth login"),
        ("npm error missing script\nnpm notice To update run: npm install -g npm@11", ""),
        ("3 problems\nrun `npm fund` for details", ""),
        ('nothing to commit\n(use "git push" to publish your local commits)', ""),
        ("[notice] To update, run: pip install --upgrade pip", ""),
        ("error: bad option. For more information try '--help'", ""),
        ("note: run with `RUST_BACKTRACE=1` to see more", ""),
        ('use "git restore <file>..." to discard changes', ""),
        ("please run the tests again", ""),
        ("run `git reset --hard` to fix this", ""),
        ("use 'single quotes' instead", ""),
    ],
)
def test_what_an_error_says_to_run(error: str, expected: str) -> None:
    assert remedy(error) == expected


def test_an_option_that_made_it_pass_and_what_the_errors_say() -> None:
    """The remedy failed as well, and its error names the step before it."""
    calls = []
    for n in range(1, 4):
        calls += [
            call(n, 1, "git add -A && git commit -m 'Rain'", HOOK),
            call(n, 2, "git commit -m 'Rain'", HOOK),
            call(n, 3, "hooks install --hook-type commit-msg", "error: a path is set\nhint: `git config --unset a.b`"),
            call(n, 4, "git log --oneline"),
            call(n, 5, "git commit --no-verify -m 'Rain'"),
        ]
    (first, *others) = failures(calls)
    assert (first.what, first.times, first.sessions, first.then) == ("git commit", 6, 3, "")
    assert first.varied is not None and first.varied[:2] == ("--no-verify", True)
    asked = habit("no verify", "correction", options=(("git commit", "--no-verify"),))
    made = propose(ProposalMaterial(failures=[first, *others], habits=[asked]))
    assert len(made) == 1  # the remedy's own failure is told with it
    assert made[0].text == (
        "- `git commit` fails with “bug: the hook is of an older version”. To mend it, run `git config --unset a.b`, "
        "then `hooks install --hook-type commit-msg`, as the errors say; until then run it with `--no-verify`."
    )
    # Not those of the first session, which nobody could have spared: 4 calls, 20 seconds to the next one each.
    assert made[0].saves[:3] == (4, 0, 80_000)
    assert made[0].saves.text == "It would have saved 4 failed calls and about 1 minute."
    # What goes around a check is proposed only where a person asked for it.
    (alone,) = propose(ProposalMaterial(failures=[first, *others]))
    assert "no-verify" not in alone.text and "hooks install" in alone.text


def test_a_remedy_that_varies_in_its_last_word() -> None:
    calls = [
        call(n, 1, "git push", f"fatal: no upstream\nTo set it, use\n\n    git push --set-upstream origin branch-{n}")
        for n in range(1, 5)
    ]
    (made,) = propose(ProposalMaterial(failures=failures(calls)))
    assert "run `git push --set-upstream origin …`" in made.text


def test_an_option_that_was_left_out() -> None:
    calls = []
    for n in range(1, 4):
        calls += [
            call(n, 1, f"gh pr create --title 'Rain {n}' --label docs", "could not add label: 'docs' not found"),
            call(n, 2, f"gh pr create --title 'Rain {n}'"),
        ]
    (made,) = propose(ProposalMaterial(failures=failures(calls)))
    assert made.text.endswith("run it without `--label`.")


def test_another_wish_is_no_way_to_make_it_pass() -> None:
    calls = []
    for n in range(1, 4):
        calls += [
            call(n, 1, "git push origin main", "error: the tip is behind"),
            call(n, 2, "git push --force origin main"),
        ]
    assert propose(ProposalMaterial(failures=failures(calls))) == []


def test_looking_around_answers_nothing() -> None:
    calls = [c for n in range(1, 5) for c in (call(n, 1, "git push", "error: hung up"), call(n, 2, "git log -3"))]
    assert propose(ProposalMaterial(failures=failures(calls))) == []


@pytest.mark.parametrize(
    ("text", "actions", "is_plain"),
    [
        ("commit and push", ("commit", "push"), True),
        ("커밋하고 푸시해줘", ("commit", "push"), True),
        ("コミットしてプッシュして", ("commit", "push"), True),
        ("提交并推送", ("commit", "push"), True),
        ("commit the parser fix", ("commit",), False),
        ("ok, back to main", ("main",), True),
        ("プルリク作って", ("pull request",), True),
        ("다시 빌드해줘", ("build",), True),
        ("创建一个拉取请求", ("pull request",), True),
        ("모두 수정해줘", (), False),
        ("fix all of it", (), False),
    ],
)
def test_which_steps_an_order_names(text: str, actions: tuple[str, ...], is_plain: bool) -> None:
    assert (named(text), plain(text)) == (actions, is_plain)
    assert does("git push") == {"push"} and does("CHANGELOG.md") == {"changelog"} and "tests" in does("npm test")


def prompts(*said: str) -> list[PersonPrompt]:
    return [PersonPrompt(n, f"s{n}", 1, n * DAY + 1, text) for n, text in enumerate(said, 1)]


def test_one_habit_in_two_languages_is_one() -> None:
    (habit,) = habits_of(
        prompts("commit and push", "커밋하고 푸시해줘", "please commit and push", "commit and push"), []
    )
    assert (habit.text, habit.count, habit.sessions) == ("commit and push", 4, 4)
    assert habit.others == ("커밋하고 푸시해줘",)


def test_what_varies_becomes_an_argument() -> None:
    said = [f"check https://example.org/pull/{n} and answer the comments" for n in (4, 81, 130)]
    (habit,) = habits_of(prompts(*said), [])
    assert (habit.template, habit.slots) == ("check $ARGUMENTS and answer the comments", ("url",))
    assert template(["fix 1 of 20", "fix 2 of 20", "fix 3 of 20"]).text == "fix $ARGUMENTS of 20"
    assert template(["move 12 to a/b.py", "move 9 to a/c.py"]) == ("move $1 to $2", ("number", "file"))


def test_a_step_that_was_named_is_never_cut() -> None:
    """Six steps in every session, and the push that was asked for in two of four."""
    done = ["git status", "git diff", "git log", "npm test", "git add", "git commit", "git push"]
    used = []
    for n in range(1, 5):
        for place, command in enumerate(done[: 7 if n > 2 else 6], 1):
            used.append(CallRow(call(n, place, command), 1 + place, ""))
    (habit,) = habits_of(prompts(*["commit and push"] * 4), used)
    (made,) = propose(ProposalMaterial(habits=[habit]))
    assert made.target == ".claude/commands/commit-push.md"
    assert "`git commit`, then `git push`." in made.text
    assert made.saves.replaced == 4


def test_a_command_has_one_name_in_any_language() -> None:
    steps = (HabitStep("git add", 4), HabitStep("git commit", 4))
    for text in ("commit", "커밋해줘", "コミットして", "提交"):
        (made,) = propose(ProposalMaterial(habits=[habit(text, steps=steps)]))
        assert made.target == ".claude/commands/commit.md"


def habit(text: str, kind: str = "directive", **more: object) -> Habit:
    witnesses = tuple(Witness("prompt", n, f"s{n}", n * DAY, text) for n in range(1, 5))
    return Habit(text, kind, 4, 4, 4 * DAY, witnesses, **more)  # type: ignore[arg-type]


def test_an_order_that_names_nothing_is_no_command() -> None:
    steps = (HabitStep("grep", 4), HabitStep("main.rs", 3, True), HabitStep("cargo check", 3))
    for text in ("모두 수정해줘", "fix them all", "全部直して", "都改一下"):
        assert propose(ProposalMaterial(habits=[habit(text, steps=steps)])) == []


def test_a_few_words_are_no_rule_without_what_they_meant() -> None:
    assert propose(ProposalMaterial(habits=[habit("no verify", "correction")])) == []
    (made,) = propose(
        ProposalMaterial(habits=[habit("no verfy", "correction", options=(("git commit", "--no-verify"),))])
    )
    assert made.text == "- Run `git commit --no-verify`."
    assert made.saves.prompts == 3


@pytest.mark.parametrize(
    ("text", "is_rule"),
    [
        ("Always run the linter before every commit", True),
        ("the build is still failing, always check it locally before you push", False),
        ("no verify", False),
        ("commit and update the changelog", False),
        ("커밋하기 전에 항상 테스트를 실행해 주세요", True),
        ("아직도 느려. 빨라질 때까지 반복해", False),
    ],
)
def test_what_can_stand_in_a_rules_file(text: str, is_rule: bool) -> None:
    assert reads_as_rule(text) is is_rule


def claim(text: str, kind: str, *days: int) -> RepeatedClaim:
    witnesses = tuple(Witness("insight", n, f"s{n}", day * DAY + n, "") for n, day in enumerate(days))
    return RepeatedClaim(text, kind, "verified", witnesses)


def test_words_that_were_sent_twice_are_one_attempt() -> None:
    rule = "Always write the tests before the code"
    assert propose(ProposalMaterial(claims=[claim(rule, "preference", 1, 1)])) == []
    (made,) = propose(
        ProposalMaterial(claims=[claim(rule, "preference", 1, 2), claim("then commit", "preference", 1, 2)])
    )
    assert made.text == f"## Known facts\n\n- {rule}"
    assert made.saves.text == "It was found out again in 1 session."


def test_pasted_output_and_headings_make_no_command() -> None:
    log = "\n".join(f"[watcher] 12:00:0{n} scanned the folder of fields and {n} files in it" for n in range(9))
    plan = "## Phase 1: read the stations and their readings\n### Step 2: write the forecasts of all of them"
    said = [
        Sentence(f"why is it slow\n{log}\n{plan}\n{plan} again", Witness("prompt", n, f"s{n}", n * DAY, ""))
        for n in range(1, 4)
    ]
    assert propose(ProposalMaterial(prompts=said)) == []
    text = (
        "Look at the forecast page as a first-time visitor would, and list what is unclear.\n"
        "Sort the list by how much each of them hurts a person in a hurry."
    )
    given = "\n".join(
        [text, "Then write each of them down as a ticket with a title, the steps, and what was expected."]
    )
    said = [Sentence(given, Witness("prompt", n, f"s{n}", n * DAY, "")) for n in range(1, 4)]
    (made,) = propose(ProposalMaterial(prompts=said))
    assert made.text.endswith("$ARGUMENTS")


def test_checks_remind_the_sessions_that_went_without_them() -> None:
    checks = [
        CheckCommand(name, tool, place, tuple(Witness("tool", n, f"s{n}", n * DAY, name) for n in range(sessions)))
        for name, tool, place, sessions in (("npm test", "Bash:test", 0.5, 8), ("npm run lint", "Bash:lint", 0.7, 6))
    ]
    (made,) = propose(ProposalMaterial(checks=checks, edited_sessions=10))
    assert made.saves.text == "It would have reminded 4 sessions that ended without it."


def test_files_that_are_hard_to_read_or_edit() -> None:
    large = "File content (61231 tokens) exceeds maximum allowed tokens (25000)"
    calls = []
    for n in range(1, 5):
        calls += [
            CountedCall(n * 10, f"s{n}", "Read", "", True, f"{large}.", n * DAY, file="src/sky.py"),
            CountedCall(
                n * 10 + 1, f"s{n}", "Edit", "", True, "String to replace not found in file.", n * DAY + 9_000
            )._replace(file="src/rain.py" if n < 3 else "src/wind.py"),
        ]
    (made,) = propose(ProposalMaterial(failures=failures(calls)))  # of each file, the edits missed in two sessions only
    assert made.text == "- `src/sky.py` is too large to be read at once: search in it, or read it in parts."
    assert made.saves.calls == 3
