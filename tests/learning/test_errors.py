"""Errors of tools: the line that tells, the agent's diagnosis next to it, and what worked in the end."""

from __future__ import annotations

import pytest

from axiommind.extraction.drafts import Draft
from axiommind.extraction.rules import errors
from tests.learning.quoted_drafts import check_quotes, transcript_of
from tests.learning.sessions import Session
from tests.transcripts import World

NO_SUCH = "Exit code 2\nerror: unrecognized subcommand 'poetry'\n\nUsage: wrap [OPTIONS] <COMMAND>"
REFUSED = (
    "Exit code 1\nlint........Passed\nbug: the hook runner is installed in upgrade mode\nrun `hooks upgrade` to fix"
)


def found(world: World, session: Session) -> list[Draft]:
    transcript = transcript_of(world, session)
    drafts = errors.find(transcript)
    check_quotes(transcript, drafts)
    return drafts


def test_another_command_worked(world: World) -> None:
    session = Session()
    session.use("Bash", NO_SUCH, error=True, command="wrap poetry run pytest 2>&1 | tail -3")
    session.use("Bash", "12 passed", command="poetry run pytest")
    (draft,) = found(world, session)
    assert (draft.type, draft.kind) == ("insight", "gotcha")
    assert draft.title == "`wrap poetry` fails: error: unrecognized subcommand 'poetry'"
    assert draft.text == (
        "`wrap poetry run pytest` failed with: error: unrecognized subcommand 'poetry'. "
        "It worked as `poetry run pytest`."
    )


@pytest.mark.parametrize(
    ("first", "said", "then", "worked"),
    [
        ("pytest -q", "ModuleNotFoundError: No module named 'sky'", "PYTHONPATH=lib pytest -q", "as `PYTHONPATH=lib"),
        ("npm install", "npm error notsup Unsupported platform: wanted win32", "npm install --force", "--force`"),
        ("go run ./cmd/sky rain --json", 'invalid place "--json": no region', "go run ./cmd/sky --json rain", "--json"),
        ("gh pr create --label docs", "could not add label: 'docs' not found", "gh pr create", "as `gh pr create`"),
        ("cargo test", "error: could not find `Cargo.toml` in any parent", "cd core && cargo test", "cd core"),
    ],
)  # fmt: skip
def test_what_solved_it(world: World, first: str, said: str, then: str, worked: str) -> None:
    session = Session()
    session.use("Bash", f"Exit code 1\n{said}", error=True, command=first)
    session.use("Bash", "ok", command=then)
    (draft,) = found(world, session)
    assert said in draft.text and worked in draft.text


@pytest.mark.parametrize("tool", ["docker compose up -d db", "pnpm api:generate", "rm -rf build/cache"])
def test_what_was_run_first_solved_it(world: World, tool: str) -> None:
    session = Session()
    session.use("Bash", "Exit code 1\nerror: generated files are not staged", error=True, command="git commit -m x")
    session.use("Bash", "done", command=tool)
    session.use("Bash", "[main abc1234] x", command="git commit -m x")
    (draft,) = found(world, session)
    assert draft.text.endswith(f"It worked after `{tool}`.")


def test_the_agents_diagnosis_is_the_cause(world: World) -> None:
    session = Session()
    session.use("Bash", REFUSED, error=True, command="git commit -m 'Add maps'")
    session.answer("The hook runner was upgraded and its scripts were not. Let me commit without it.")
    session.use("Bash", "[main abc1234] Add maps", command="git commit --no-verify -m 'Add maps'")
    (draft,) = found(world, session)
    assert draft.text.endswith(
        "It worked as `git commit --no-verify`. Diagnosis: The hook runner was upgraded and its scripts were not."
    )
    assert draft.quotes[0].text == "bug: the hook runner is installed in upgrade mode"


@pytest.mark.parametrize(
    ("language", "answer", "is_one"),
    [
        ("en", "The hook runner is set to a folder that is not there.", True),
        ("en", "Maybe the hook runner is broken.", False),
        ("en", "Let me look at the hook runner.", False),
        ("en", "All tests pass with the hook runner now.", False),
        ("ko", "hook 스크립트가 업그레이드되지 않은 것이 원인입니다.", True),
        ("ko", "hook 설정을 확인하겠습니다.", False),
        ("ja", "hook の設定が古いため、コミットできません。", True),
        ("ja", "hook が古いのかもしれません。", False),
        ("ja", "もう一度コミットします。", False),
        ("zh", "由于 hook 的配置没有更新，提交被拒绝。", True),
        ("zh", "可能是 hook 的配置没有更新。", False),
        ("zh", "让我检查一下 hook 的配置。", False),
    ],
)
def test_what_is_a_diagnosis(world: World, language: str, answer: str, is_one: bool) -> None:
    session = Session()
    session.use("Bash", REFUSED, error=True, command="git commit -m x")
    session.answer(answer)
    (draft,) = found(world, session)
    assert ("Diagnosis: " in draft.text) is is_one, language


def test_an_error_that_comes_back_is_one_error_in_every_session(world: World) -> None:
    session = Session()
    for _ in range(3):
        session.use("Bash", REFUSED, error=True, command="git commit -m x")
    (draft,) = found(world, session)
    assert "met 3 times in this session, and not solved" in draft.text
    again = Session("s2", cwd="/home/dev/weather")
    again.use("Bash", REFUSED.replace("Passed", "Failed"), error=True, command="git add -A && git commit -m 'Other'")
    other = errors.find(transcript_of(World(world.base / "other"), again))[0]
    assert (draft.title, draft.key, draft.value) == (other.title, other.key, other.value)


def test_what_a_passing_check_prints_is_no_failure(world: World) -> None:
    session = Session()
    session.use("Bash", NO_SUCH, error=True, command="wrap poetry run pytest")
    session.use("Bash", "error: could not read the map\nskipped 2 errors\n12 passed", command="poetry run pytest")
    (draft,) = found(world, session)
    assert draft.text.endswith("It worked as `poetry run pytest`.")


def test_what_a_pipe_hides_has_not_worked(world: World) -> None:
    said = "npm error notsup Unsupported platform for maps-win@2.0.1"
    session = Session()
    session.use("Bash", said, command="npm install 2>&1 | tail -5")
    session.use("Bash", said, command="npm install --ignore-scripts 2>&1 | tail -5")
    session.use("Bash", "added 3 packages", command="npm install --force 2>&1 | tail -5")
    (draft,) = found(world, session)
    assert draft.text.endswith("It worked as `npm install --force`.")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ls docs/*.md", "ls: docs/*.md: No such file or directory"),
        ("grep -rn needle src", ""),
        ("git push", "! [rejected] main -> main (fetch first)\nerror: failed to push some refs to 'origin'"),
        ("git pull --rebase", "error: cannot pull with rebase: You have unstaged changes.\nerror: Please stash them."),
        ("python3 -c 'import json'", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1"),
        ("npm test", "FAIL src/app.test.ts\nerror: expect(received).toBe(expected)"),
        ("npm test", "error: the queue is full\n12 pass\n1 fail"),
        ("npx tsc", "src/app.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'."),
        ("sleep 900", "Command timed out after 10m"),
        ("make deploy", "The user doesn't want to proceed with this tool use. The tool use was rejected."),
        ("rm build", "rm: build: is a directory"),
    ],
)  # fmt: skip
def test_what_is_no_error_worth_telling(world: World, command: str, said: str) -> None:
    session = Session()
    session.use("Bash", f"Exit code 1\n{said}", error=True, command=command)
    session.use("Bash", "ok", command=command)
    assert found(world, session) == []


def test_a_check_that_passed_without_an_edit(world: World) -> None:
    said = "src/app.ts(3,1): error TS2305: Module '@x/core' has no exported member 'rain'."
    session = Session()
    session.use("Bash", said, error=True, command="pnpm --filter web build")
    session.answer("The core package must be built first because it is a workspace dependency.")
    session.use("Bash", "done", command="pnpm --filter core build:dist")
    session.use("Bash", "done", command="pnpm --filter web build")
    (draft,) = found(world, session)
    assert "It worked after `pnpm --filter core build:dist`. Diagnosis: The core package" in draft.text
    session = Session()
    session.use("Bash", said, error=True, command="pnpm --filter web build")
    session.use("Edit", file_path="/x/src/app.ts", old_string="1", new_string="2")
    session.use("Bash", "done", command="pnpm --filter core build:dist")
    session.use("Bash", "done", command="pnpm --filter web build")
    assert found(world, session) == []


def test_the_edit_and_the_clients_tools_are_not_errors(world: World) -> None:
    session = Session()
    session.use(
        "Edit", "<tool_use_error>String to replace not found in file.</tool_use_error>", error=True, file_path="/x"
    )
    session.use("Read", "File does not exist.", error=True, file_path="/y")
    assert found(world, session) == []


def test_at_most_three_a_session(world: World) -> None:
    session = Session()
    for name in ("alpha", "beta", "gamma", "delta", "epsilon"):
        session.use("Bash", f"Exit code 127\nsh: line 1: {name}: command not found", error=True, command=f"{name} --go")
    assert len(found(world, session)) == 3
