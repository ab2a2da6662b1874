"""The offline rules: a small session for each, what they must not take, and their precision on the labelled sample."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bench import precision
from hypothesis import given as hypothesis_given
from hypothesis import settings
from hypothesis import strategies as st

from axiommind.extraction import load
from axiommind.extraction.contract import ExtractionFailed
from axiommind.extraction.drafts import Draft, DraftBlocker
from axiommind.extraction.extractors.rules import RulesExtractor
from axiommind.extraction.quoting import LONGEST, MOST_QUOTES, cut, tail
from axiommind.extraction.rules import MOST_DRAFTS, declared
from axiommind.extraction.rules._chores import is_chore
from axiommind.extraction.rules._shell_words import runs
from axiommind.llm.budget import Spending
from axiommind.projections.transcript import Message, ToolCall, Transcript
from axiommind.text.statements import stated
from tests.counting import ending, grows_linearly
from tests.counting import steps as counted
from tests.examples import examples
from tests.learning.quoted_drafts import WIDE, check_quotes, transcript_of
from tests.learning.sessions import Session, tool_call
from tests.transcripts import Lines, World, encode

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def learned(world: World, lines: Lines) -> list[Draft]:
    transcript = transcript_of(world, lines)
    drafts, _ = RulesExtractor().find(transcript)
    drafts = [draft for draft in drafts if draft.rule != "findings"]  # they have their own tests
    check_quotes(transcript, drafts)
    return drafts


def use(lines: Lines, name: str, result: str | None = "ok", error: bool = False, **given: Any) -> None:
    use_id = f"u{len(lines.lines)}"
    lines.tool(name, use_id, **given)
    if result is not None:
        lines.result(use_id, result, error)


def steps(draft: Draft) -> list[str]:
    return [step.status for step in draft.steps]


# --- tasks -------------------------------------------------------------------------------------------------------


def todo(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": content}


def test_a_todo_list_is_followed_by_title(world: World) -> None:
    lines = Lines()
    use(lines, "TodoWrite", todos=[todo("Add the parser", "in_progress"), todo("Write the docs", "pending")])
    use(lines, "TodoWrite", todos=[todo("Add the parser", "completed"), todo("Write the docs", "in_progress")])
    parser, docs = learned(world, lines)
    assert (parser.type, parser.title, steps(parser)) == ("task_note", "Add the parser", ["in_progress", "done"])
    assert steps(docs) == ["pending", "in_progress"]
    assert [quote.text for quote in parser.steps[1].quotes] == ["completed"]
    assert [quote.text for quote in docs.steps[0].quotes] == ["Write the docs"]


def test_a_title_that_returns_after_done_is_another_task(world: World) -> None:
    lines = Lines()
    for status in ("pending", "completed", "pending"):
        use(lines, "TodoWrite", todos=[todo("Rotate the keys", status)])
    first, second = learned(world, lines)
    assert first.title == second.title == "Rotate the keys"
    assert (steps(first), steps(second)) == (["pending", "done"], ["pending"])


def test_a_list_replaces_the_list_before_it(world: World) -> None:
    lines = Lines()
    use(lines, "TodoWrite", todos=[todo("Add the parser", "completed"), todo("Write the docs", "pending")])
    use(lines, "TodoWrite", todos=[todo("Fix the login", "pending"), todo("Add the parser", "completed")])
    use(lines, "TodoWrite", "The list is empty now.", todos=[])
    use(lines, "TodoWrite", todos=[todo("Fix the login", "pending")])
    parser, docs, login, again = learned(world, lines)
    assert steps(parser) == ["done"]
    assert (steps(docs), docs.steps[1].reason) == (["pending", "cancelled"], "no longer on the list")
    assert [quote.text for quote in docs.steps[1].quotes] == ["Fix the login"]  # the list that has it no more
    assert [quote.text for quote in login.steps[1].quotes] == ["The list is empty now."]
    assert (again.title, steps(again)) == ("Fix the login", ["pending"])


def test_tasks_by_number(world: World) -> None:
    lines = Lines()
    use(lines, "TaskCreate", "Task #1 created successfully: Add limits", subject="Add limits", description="In api.py")
    use(lines, "TaskCreate", "Task #2 created successfully: Test limits", subject="Test limits", description="")
    use(lines, "TaskUpdate", "Updated task #2 blockedBy", taskId="2", addBlockedBy=["1", "2", "9"])
    use(lines, "TaskUpdate", "Updated task #1 status", taskId="1", status="in_progress", subject="Add rate limits")
    use(lines, "TaskUpdate", "Updated task #1 status", taskId="1", status="completed")
    use(lines, "TaskUpdate", "Updated task #2 status", taskId="2", status="deleted")
    limits, test = learned(world, lines)
    assert (limits.title, limits.renamed_from, limits.text) == ("Add rate limits", "Add limits", "In api.py")
    assert steps(limits) == ["pending", "in_progress", "done"]
    assert (test.text, steps(test)) == ("Test limits", ["pending", "blocked", "cancelled"])
    assert test.blocked_by == (DraftBlocker("Add rate limits", is_title=True),)  # as it is called in the end
    assert "Updated task #2 blockedBy" in [quote.text for quote in test.steps[1].quotes]


def test_a_call_that_failed_or_was_not_answered_changes_nothing(world: World) -> None:
    lines = Lines()
    use(lines, "TaskCreate", "Task #1 created successfully: Keep", subject="Keep this one", description="")
    use(lines, "TaskUpdate", "no such task", True, taskId="1", status="completed")
    use(lines, "TaskUpdate", None, taskId="1", status="deleted")
    use(lines, "TodoWrite", REJECTED, True, todos=[todo("Never written down", "pending")])
    (draft,) = learned(world, lines)
    assert steps(draft) == ["pending"]


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("Run tests and lint", True),
        ("Commit and push", True),
        ("Verify the build", True),
        ("Run the full test suite", True),
        ("테스트 실행", True),
        ("커밋 및 푸시", True),
        ("运行测试", True),
        ("提交并推送", True),
        ("テストを実行する", True),
        ("Write tests", False),
        ("Run the migration", False),
        ("Fix the build", False),
        ("Test the login flow", False),
        ("Regenerate API client and verify build", False),
        ("테스트 작성", False),
        ("修复测试", False),
        ("テストを書く", False),
        ("🚀", False),
    ],
)
def test_chores_are_no_memories(title: str, is_one: bool) -> None:
    assert is_chore(title) is is_one


def test_a_chore_that_something_waits_for_stays(world: World) -> None:
    session = Session()
    session.task("Run tests and lint")
    assert learned(world, session) == []
    release = session.task("Release version 2")
    session.update(release, addBlockedBy=["1"])
    assert [draft.title for draft in learned(world, session)] == ["Run tests and lint", "Release version 2"]


# --- forks -------------------------------------------------------------------------------------------------------


def forked(world: World, parent: Session, fork: Session, shared: int) -> list[Draft]:
    """What is learned from a fork: a file that begins with lines of its parent, under the same uuids."""
    world.write(parent)
    copied = [line | {"sessionId": fork.session} for line in parent.lines[:shared]]
    world.write(b"".join(map(encode, copied)) + fork.data(), fork.session)
    memory = world.memory()
    memory.index()
    (transcript,) = (one for one in precision.transcripts(memory) if one.session_id == fork.session)
    drafts, _ = RulesExtractor().find(transcript)
    drafts = [draft for draft in drafts if draft.rule != "findings"]  # they have their own tests
    check_quotes(transcript, drafts)
    for draft in drafts:
        for step in draft.steps:
            assert not any(transcript.messages[quote.message].copied for quote in step.quotes)
    return drafts


def later(name: str) -> Session:
    fork = Session(name)
    for _ in range(1_000):
        next(fork._clock)
    return fork


def test_a_fork_finishes_a_task_of_its_parent(world: World) -> None:
    parent, fork = Session("first"), later("second")
    for title in ("Add the parser", "Write the docs", "Drop the old API"):
        parent.task(title)
    parent.update("1", status="in_progress")
    shared = len(parent.lines)
    fork.update("1", status="completed")
    fork.update("3", subject="Drop the first API")
    parser, old = forked(world, parent, fork, shared)
    assert (parser.title, steps(parser)) == ("Add the parser", ["done"])
    assert [quote.text for quote in parser.quotes[:2]] == ["Add the parser", "completed"]
    assert parser.timestamp == parser.steps[0].timestamp
    assert (old.title, old.renamed_from, steps(old)) == ("Drop the first API", "Drop the old API", [])


def test_a_fork_numbers_its_tasks_after_its_parents(world: World) -> None:
    parent, fork = Session("first"), later("second")
    parent.task("Add the parser")
    parent.use("TodoWrite", todos=[todo("Rotate the keys", "pending"), todo("Sign the builds", "pending")])
    shared = len(parent.lines)
    fork.tasks = 1
    fork.task("Document the parser")
    fork.update("2", addBlockedBy=["1"])
    fork.use("TodoWrite", todos=[todo("Rotate the keys", "completed"), todo("Sign the builds", "pending")])
    keys, docs = sorted(forked(world, parent, fork, shared), key=lambda draft: draft.title, reverse=True)
    assert (docs.title, steps(docs)) == ("Document the parser", ["pending", "blocked"])
    assert docs.blocked_by == (DraftBlocker("Add the parser", is_title=True),)
    assert (keys.title, steps(keys)) == ("Rotate the keys", ["done"])


def test_what_only_the_parent_said_is_learned_there(world: World) -> None:
    parent, fork = Session("first"), later("second")
    parent.prompt("Always use pnpm. We decided to use Postgres because we need row level security.")
    parent.prompt(f"Implement the following plan:\n\n{PLAN}")
    parent.task("Add the parser")
    parent.ask("Which store should sessions use?", "SQLite")
    parent.commit("Add the retry policy")
    parent.use(
        "Bash",
        "https://github.com/acme/weather/pull/12",
        command='gh pr create --title "Add radar maps" --body "It is needed because it rains."',
    )
    parent.use("Bash", BROKEN, True, command="npx tsc")
    parent.answer("The column is a number because the last release changed it.")
    shared = len(parent.lines)
    assert forked(world, parent, fork, shared) == []
    fork.prompt("Never push to main.")
    fork.use("Edit", "done", file_path="/x/src/app.ts", old_string="1", new_string="2")
    fork.use("Bash", "$ tsc", command="npx tsc")
    fork.use(
        "Bash", "[main abc9999] Add the retry and its policy", command=AMEND.format("Add the retry and its policy")
    )
    assert [(draft.rule, draft.title[:30]) for draft in forked(world, parent, fork, shared)] == [
        ("commits", "Add the retry and its policy"),
        ("fixes", "Fixed: tsc: src/app.ts(3,1): e"),
        ("stated-en", "Never push to main"),
    ]


# --- decisions ---------------------------------------------------------------------------------------------------


def question(text: str, *options: tuple[str, str], several: bool = False) -> dict[str, Any]:
    listed = [{"label": label, "description": why} for label, why in options]
    return {"question": text, "header": "H", "options": listed, "multiSelect": several}


def answered(*pairs: tuple[str, str]) -> str:
    said = ", ".join(f'"{asked}"="{answer}"' for asked, answer in pairs)
    return f"User has answered your questions: {said}. You can now continue with the user's answers in mind."


STORE = question("Which store should sessions use?", ("SQLite (Recommended)", "One file."), ("Redis", "A server."))


def test_answers_are_decisions(world: World) -> None:
    lines = Lines()
    quoted = question('What does "done" mean, and for whom?', ('A "green" run', "CI passed."), ("Merged", "On main."))
    agents = question("Which agents are supported?", ("Claude", "First."), ("Codex, CLI", "Then."), several=True)
    said = answered(
        (STORE["question"], "SQLite (Recommended)"),
        (quoted["question"], 'A "green" run'),
        (agents["question"], "Claude, Codex, CLI"),
    )
    use(lines, "AskUserQuestion", said, questions=[STORE, quoted, agents])
    store, done, both = learned(world, lines)
    assert (store.type, store.title) == ("decision", STORE["question"])
    assert (store.text, store.value, store.rationale) == ("SQLite", "SQLite", "One file.")
    assert (done.text, both.text) == ('A "green" run', "Claude, Codex, CLI")
    assert store.quotes[1].text.endswith('"="SQLite (Recommended)"')


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (question("More questions about sharing, or move to next area?", ("Next area", "Go on.")), "Next area"),
        (question("What would you like to do with this todo?", ("Work on it now", "Start.")), "Work on it now"),
        (question("Should I open Docker Desktop?", ("Yes", "I will open it.")), "Yes"),
        (question("Where should the button live?", ("You decide", "Claude picks.")), "You decide"),
        (STORE, "what are the disadvantages of SQLite?"),
        (STORE, "hmm, depends on the load"),
    ],
)
def test_what_decides_nothing_about_the_project(world: World, asked: dict[str, Any], answer: str) -> None:
    lines = Lines()
    use(lines, "AskUserQuestion", answered((asked["question"], answer)), questions=[asked])
    assert learned(world, lines) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (question("スペックの内容で問題ないですか？", ("このまま進める", "PR を作成")), "このまま進める"),
        (question("이대로 진행할까요?", ("네", "진행합니다")), "네"),
        (question("是否继续？", ("继续", "下一步")), "继续"),
        (question("キャッシュはどこに置きますか？", ("ファイル", "一つ")), "ベストプラクティス"),
        (question("저장소는 무엇을 쓸까요?", ("SQLite", "파일")), "알아서 해줘"),
    ],
)
def test_what_decides_nothing_in_other_languages(world: World, asked: dict[str, Any], answer: str) -> None:
    lines = Lines()
    use(lines, "AskUserQuestion", answered((asked["question"], answer)), questions=[asked])
    assert learned(world, lines) == []


def test_an_answer_in_own_words_and_notes_beside_a_choice(world: World) -> None:
    lines = Lines()
    port = question("Which port should the server listen on?", ("8080", "Common."), ("9000", "Free."))
    said = (
        f'User has answered your questions: "{STORE["question"]}"="files in the home folder, one per session", '
        f'"{port["question"]}"="9000" user notes: the proxy owns 8080. '
        "You can now continue with the user's answers in mind."
    )
    use(lines, "AskUserQuestion", said, questions=[STORE, port])
    own, noted = learned(world, lines)
    assert (own.rule, own.text) == ("answers-own", "files in the home folder, one per session")
    assert noted.rule == "answers" and noted.text.startswith("9000: the proxy owns 8080")
    assert all(quote.text in said or quote.text.startswith("Which") or quote.text == "Free." for quote in noted.quotes)


def test_a_rejected_question_decides_nothing(world: World) -> None:
    lines = Lines()
    use(lines, "AskUserQuestion", REJECTED, True, questions=[STORE])
    use(lines, "ExitPlanMode", REJECTED, True, plan="# Plan: Move everything to the cloud\n\n## Context\n\nWhy not.")
    assert learned(world, lines) == []


PLAN = (
    "# Plan: Cache the tokens\r\n\r\n## Context\r\n\r\nEvery request asks for a new token.\r\n\r\n## 1. Add a cache\r\n"
)


def test_approved_plans(world: World) -> None:
    lines = Lines()
    lines.prompt(f"Implement the following plan:\n\n{PLAN}")
    # Steps without a reason or a choice are in the code by now.
    use(
        lines, "ExitPlanMode", "User has approved your plan.", plan="# Drop the old API\n\n## Remove the routes\n\nAll."
    )
    (cache,) = learned(world, lines)
    assert (cache.type, cache.title) == ("decision", "Cache the tokens")
    assert cache.rationale == "Every request asks for a new token."
    assert cache.text == "Cache the tokens: Every request asks for a new token."
    assert [quote.text for quote in cache.quotes] == [
        "# Plan: Cache the tokens",
        "Every request asks for a new token.",
    ]


DECIDED = """# Plan: Group the report by owner

## Context

The report is one long list.

The user wants:
- Groups sorted by name

## Approach

Rows without an owner go to a group of their own instead of being hidden.

## Files to modify

- `report.py` instead of `rows.py`

## Verification

1. Only the new groups are shown
"""


def test_what_a_plan_decided(world: World) -> None:
    lines = Lines()
    lines.prompt(f"Implement the following plan:\n\n{DECIDED}")
    (draft,) = learned(world, lines)
    assert draft.text.splitlines()[1:] == [
        "- Groups sorted by name",
        "- Rows without an owner go to a group of their own instead of being hidden.",
    ]


def test_a_plan_that_the_person_came_back_on(world: World) -> None:
    lines = Lines()
    lines.prompt(f"Implement the following plan:\n\n{DECIDED}")
    lines.prompt("the report should be grouped by date instead of by owner")
    assert [draft.rule for draft in learned(world, lines)] == ["said-choice"]


def test_a_plan_says_no_more_than_it_quotes(world: World) -> None:
    lines = Lines()
    sections = "## Approach\n\n" + "".join(f"- Part {n} moves alone instead of with part {n + 1}\n" for n in range(20))
    why = "The old one is too slow for what we do with it every day. " * 20
    use(lines, "ExitPlanMode", "approved", plan=f"# Move it all to the new engine\n\n## Context\n\n{why}\n\n{sections}")
    (draft,) = learned(world, lines)
    quoted = " ".join(quote.text for quote in draft.quotes)
    assert len(draft.quotes) <= MOST_QUOTES and draft.rationale in quoted
    first, *rows = draft.text.splitlines()
    assert rows and all(row.removeprefix("- ") in quoted for row in rows)
    assert first.partition(": ")[2].rstrip("…") in quoted


# --- the repository ----------------------------------------------------------------------------------------------

HEREDOC = """cd /x && git add -A && git commit -m "$(cat <<'EOF'
fix(api): say "no" to empty tokens

They were let in because `""` is a token too.

Co-Authored-By: Claude <noreply@anthropic.com>
EOF
)" && git push"""


def commit(subject: str) -> str:
    return f"git commit -m '{subject}' -m '{subject}, because two writers met.'"


def test_commit_messages(world: World) -> None:
    lines = Lines()
    printed = 'lint ok\n[main abc1234] fix(api): say "no" to empty tokens\n 1 file changed'
    use(lines, "Bash", printed, command=HEREDOC)
    (fix,) = learned(world, lines)
    assert (fix.type, fix.title, fix.target) == ("fact", 'fix(api): say "no" to empty tokens', "abc1234")
    assert fix.text == 'fix(api): say "no" to empty tokens\n\nThey were let in because `""` is a token too.'
    assert (fix.kind, fix.anchors) == ("gotcha", ("abc1234",))
    assert fix.quotes[1].text == '[main abc1234] fix(api): say "no" to empty tokens'


def test_commits_in_other_shapes(world: World) -> None:
    lines = Lines()
    use(
        lines,
        "Bash",
        "ok",
        command='git -C ../lib commit -am \'Add retries\' -m "It waits \\"more\\" to avoid storms."',
    )
    use(
        lines,
        "Bash",
        "",
        command="git commit -F - <<'EOF'\nDrop 3.9\n\nUse slots instead of dicts.\n- one\n- two\nEOF\n",
    )
    retry, drop = learned(world, lines)
    assert (retry.title, retry.text) == ("Add retries", 'Add retries\n\nIt waits "more" to avoid storms.')
    assert (drop.kind, drop.text) == ("decision", "Drop 3.9\n\nUse slots instead of dicts.")


@pytest.mark.parametrize(
    ("subject", "body", "why"),
    [
        ("Keep rows", "They got lost.\nThis caused wrong sums.\nTested.", "They got lost. This caused wrong sums."),
        ("行を残す", "衝突したため、行が失われていた。テスト追加。", "衝突したため、行が失われていた。"),
        ("행 유지", "충돌했기 때문에 행이 사라졌다. 테스트 추가.", "충돌했기 때문에 행이 사라졌다."),
        ("保留每一行", "由于两个写入者冲突，行会丢失。添加测试。", "由于两个写入者冲突，行会丢失。"),
        ("Keep rows", "- Add a lock\n- Add a test\n- Rename the table", ""),
        ("Keep rows", "", ""),
        ("Keep rows", "- a to avoid x\n- b\n- c so that d\n- e\n- g\n  to prevent f", ""),
        ("Keep rows", "## Test plan\nRun it twice because once is not enough.", ""),
        ("docs: add todo for the lock", "Rows are lost because two writers meet.", ""),
        ("Add a button", "It opens the list at once instead of going back.", ""),
        ("Use a lock", "It waits for the writer instead of failing.", "It waits for the writer instead of failing."),
    ],
)  # fmt: skip
def test_only_what_says_why_is_kept(world: World, subject: str, body: str, why: str) -> None:
    lines = Lines()
    use(lines, "Bash", "ok", command=f"git commit -m \"$(cat <<'EOF'\n{subject}\n\n{body}\nEOF\n)\"")
    assert [draft.text for draft in learned(world, lines)] == ([f"{subject}\n\n{why}"] if why else [])


def test_what_a_commit_says_is_quoted(world: World) -> None:
    lines = Lines()
    body = "".join(
        f"Way {n} lost rows under four writers because nobody locked the table for weeks.\n" for n in range(30)
    )
    use(lines, "Bash", "ok", command=f"git commit -m \"$(cat <<'EOF'\nKeep every row\n\n{body}EOF\n)\"")
    use(lines, "Bash", "ok", command="git commit -m 'Retry' -m 'It waits to avoid storms.' -m 'Signed-off-by: me'")
    rows, retry = learned(world, lines)
    quoted = " ".join(" ".join(quote.text for quote in rows.quotes).split())
    assert " ".join(rows.text.split()) in quoted and len(rows.quotes) <= MOST_QUOTES
    assert [quote.text for quote in retry.quotes] == ["Retry", "It waits to avoid storms."]
    assert retry.text == "Retry\n\nIt waits to avoid storms."


AMEND = "git commit --amend -m '{0}' -m '{0}, because two writers met.'"


def test_an_amended_commit_replaces_the_one_before(world: World) -> None:
    lines = Lines()
    for subject, printed in (("Add the parser", "aaa1111"), ("Add the retry policy", "bbb2222")):
        use(lines, "Bash", f"[main {printed}] {subject}", command=commit(subject))
    use(lines, "Bash", "[main ccc3333] Add a retry policy", command=AMEND.format("Add a retry policy"))
    use(lines, "Bash", "[main ddd4444] Add a retry policy", command="git add . && git commit --amend --no-edit")
    use(lines, "Bash", "hook failed", True, command=AMEND.format("Add no policy at all"))
    parser, retry = learned(world, lines)
    assert (parser.title, parser.target) == ("Add the parser", "aaa1111")
    assert (retry.title, retry.target) == ("Add a retry policy", "ddd4444")


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git revert --no-edit aaa1111", '[main ccc3333] Revert "Add the retry policy"'),
        ("git revert --no-edit aaa1111b2c3d4e5f", ""),
        ("git revert --no-edit HEAD~1", ""),
        ("git revert --no-edit $(git log -2 --format=%h | tail -1)", '[main ccc3333] Revert "Add the retry policy"'),
        ("git commit -m 'Revert \"Add the retry policy\"'", '[main ccc3333] Revert "Add the retry policy"'),
    ],
)
def test_a_commit_that_is_reverted_is_forgotten(world: World, command: str, printed: str) -> None:
    lines = Lines()
    use(lines, "Bash", "[main aaa1111] Add the retry policy", command=commit("Add the retry policy"))
    use(lines, "Bash", "[main bbb2222] Document the API", command=commit("Document the API"))
    use(lines, "Bash", "error: could not revert", True, command=command)
    assert [draft.title for draft in learned(world, lines)] == ["Add the retry policy", "Document the API"]
    use(lines, "Bash", printed, command=command)
    titles = [draft.title for draft in learned(world, lines)]
    assert "Add the retry policy" not in titles and "Document the API" in titles
    if printed and "revert" in command:
        again = '[main ddd4444] Reapply "Add the retry policy"'
        use(lines, "Bash", again, command="git revert --no-edit ccc3333")
        assert [draft.title for draft in learned(world, lines)] == ["Add the retry policy", "Document the API"]


@settings(max_examples=examples(500))
@hypothesis_given(st.text(alphabet=st.sampled_from("ab é,.한글漢字カ-_🦊\n"), max_size=2 * LONGEST + 50))
def test_law_no_quote_ends_inside_a_word(text: str) -> None:
    for piece, said in ((cut(text), text), (tail(text)[::-1], text[::-1])):
        assert len(piece) <= LONGEST and said.startswith(piece)
        rest = said[len(piece) : len(piece) + 1]
        inside = piece[-1:].isalnum() and rest.isalnum() and not WIDE.search(piece[-1:] + rest)
        assert not inside or re.fullmatch(r"[^\W_]+", piece)


@pytest.mark.parametrize(
    ("command", "result", "error"),
    [
        (commit("Add the retry policy"), "hook failed", True),
        (f"{commit('Add the retry policy')} || true", "nothing to commit, working tree clean", False),
        (f'echo "{commit("Add the retry policy")}"', "ok", False),
        (f"cat > notes.md <<'EOF'\n{commit('Add the retry policy')}\nEOF", "", False),
        ("git commit -m wip", "[main abc1234] wip", False),
        ("git commit -m \"$(cat <<'EOF'\nA here-document without its end", "ok", False),
        ('git commit -m "Bump to $(cat VERSION)"', "ok", False),
        ("git commit --amend --no-edit", "[main abc1234] Add the retry policy", False),
    ],
)
def test_what_is_no_commit_message(world: World, command: str, result: str, error: bool) -> None:
    lines = Lines()
    use(lines, "Bash", result, error, command=command)
    assert learned(world, lines) == []


def test_pull_requests(world: World) -> None:
    lines = Lines()
    url = "https://github.com/acme/weather/pull/12"
    hint = "remote: Create one at https://github.com/acme/weather/pull/new/topic\n"
    use(
        lines,
        "Bash",
        hint + url,
        command='git push && gh pr create --title "Add radar maps" --body "It is needed because it rains."',
    )
    use(lines, "Bash", "see https://github.com/acme/weather/pull/99", command="gh pr view 99")
    (draft,) = learned(world, lines)
    assert (draft.type, draft.title, draft.target) == ("reference", "Add radar maps", url)
    assert draft.text == "Add radar maps\n\nIt is needed because it rains."
    use(lines, "Bash", "[main aaa1111] Add radar maps", command=commit("Add radar maps"))
    assert [draft.rule for draft in learned(world, lines)] == ["commits"]  # one thing, told once


def test_a_pull_request_without_a_reason_is_no_memory(world: World) -> None:
    lines = Lines()
    url = "https://github.com/acme/weather/pull/12"
    use(lines, "Bash", url, command='gh pr create --title "Add radar maps" --body "Adds maps."')
    use(lines, "Bash", url, command='gh pr create --title "Add radar maps"')
    assert learned(world, lines) == []


# --- error, edit, success ----------------------------------------------------------------------------------------

BROKEN = "$ tsc\nsrc/app.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.\n"


def edit(lines: Lines, path: str = "/x/src/app.ts", new: str = "2") -> None:
    use(lines, "Edit", "done", file_path=path, old_string="1", new_string=new)


def test_a_check_that_failed_and_was_mended(world: World) -> None:
    lines = Lines()
    use(lines, "Bash", BROKEN, True, command="npx tsc 2>&1")
    lines.answer("The type of the column is a number since the last release. Let me fix it.")
    edit(lines)
    use(lines, "Bash", "$ tsc\n", command="cd /x && npx tsc")
    (draft,) = learned(world, lines)
    assert draft.type == "insight"
    assert draft.title == (
        "Fixed: tsc: src/app.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'."
    )
    assert "passed after edits to app.ts. Diagnosis: The type of the column is a number since" in draft.text
    assert draft.kind == "gotcha" and draft.anchors == ("app.ts",)


@pytest.mark.parametrize("how", ["no edit", "another file", "silenced", "piped", "expected", "far", "unsaid"])
def test_what_was_not_mended_by_the_edit(world: World, how: str) -> None:
    lines = Lines()
    use(lines, "Bash", BROKEN, True, command="npx tsc")
    lines.answer("Let me fix it." if how == "unsaid" else "It must be a number since the last release.")
    if how != "no edit":
        path = "/x/README.md" if how == "another file" else "/x/src/app.ts"
        edit(lines, path, "// @ts-ignore" if how == "silenced" else "2")
    for _ in range(41 if how == "far" else 0):
        use(lines, "Bash", "", command="ls")
    use(
        lines,
        "Bash",
        BROKEN if how == "expected" else "$ tsc",
        command="npx tsc | tail" if how == "piped" else "npx tsc",
    )
    assert learned(world, lines) == []


# --- what people say ---------------------------------------------------------------------------------------------


def test_a_standing_rule_and_its_opposite_have_one_key(world: World) -> None:
    lines = Lines()
    lines.prompt("Thanks! Always use pnpm. And why is it slow?")
    always = learned(world, lines)[0]
    never = stated("never use pnpm")
    assert never is not None and always.key == never.title == "use pnpm" and always.title == "Always use pnpm"
    assert (always.type, always.text, always.value) == ("fact", "Always use pnpm", "always: use pnpm")


def test_a_decision_with_its_reason(world: World) -> None:
    lines = Lines()
    lines.prompt("We decided to use Postgres because we need row level security.")
    (draft,) = learned(world, lines)
    assert (draft.type, draft.title, draft.rationale) == ("decision", "use Postgres", "we need row level security")


@pytest.mark.parametrize(
    ("prompt", "title", "why"),
    [
        (
            "We decided to use SQLite for the index because it needs no server.",
            "use SQLite for the index",
            "it needs no server",
        ),
        ("let's go with SQLite because it needs no server", "SQLite", "it needs no server"),
        ("decided: JWT with refresh tokens", "JWT with refresh tokens", ""),
        ("We decided to use Postgres. Because it has row level security.", "use Postgres", "it has row level security"),
        ("We decided to use Postgres. Because. Now fix the login.", "use Postgres", ""),
        ("We decided to use Postgres. Why? Because it is there.", "use Postgres", ""),
        (
            "캐시는 SQLite에 저장하기로 결정했어. 운영이 단순하기 때문이야.",
            "캐시는 SQLite에 저장하기",
            "운영이 단순하기",
        ),
        ("我们决定采用 JWT。因为它不需要会话存储。", "采用 JWT", "它不需要会话存储"),
        ("検索には SQLite を使うことに決めました。一つで済むからです。", "検索には SQLite を使う", "一つで済む"),
    ],
)
def test_decisions_and_where_their_reason_stands(world: World, prompt: str, title: str, why: str) -> None:
    lines = Lines()
    lines.prompt(prompt)
    (draft,) = learned(world, lines)
    assert (draft.type, draft.title, draft.rationale) == ("decision", title, why)
    assert why in " ".join(quote.text for quote in draft.quotes)


@pytest.mark.parametrize(
    ("sentence", "kind", "title"),
    [
        ("Don't use console.log in production code", "never", "use console.log in production code"),
        ("don't use any in typescript", "never", "use any in typescript"),
        ("테스트 없이 커밋하지 마세요", "never", "테스트 없이 커밋"),
        ("不要在代码里写死密码", "never", "在代码里写死密码"),
        ("テストなしでコミットしないでください", "never", "テストなしでコミット"),
        ("Never store tokens in localStorage because it is readable", "never", "store tokens in localStorage"),
        ("必ずテストを実行してからコミットしてください", "always", "テストを実行してからコミット"),
        ("앞으로는 npm 대신 pnpm을 사용해", "always", "npm 대신 pnpm을 사용"),
        ("Remember, we deploy from the release branch only", "known", "we deploy from the release branch only"),
    ],
)
def test_what_stands(sentence: str, kind: str, title: str) -> None:
    said = stated(sentence)
    assert said is not None and (said.kind, said.title) == (kind, title)


@pytest.mark.parametrize(
    "sentence",
    [
        *("Don't commit yet", "don't push", "don't touch the parser until I am back", "don't use that library"),
        *(
            "先不要提交",
            "现在不要合并代码",
            "不要删除那个分支",
            "아직 커밋하지 마",
            "이 파일은 수정하지 마",
            "일단 푸시하지 마",
        ),
        *("まだマージしないで", "ここにログを追加しないで", "とりあえずプッシュしないで"),
        *("Remember that the build is broken", "Remember that the server is down until noon"),
        *("빌드가 깨졌다는 점을 기억해줘", "记住，构建现在是坏的", "ビルドが壊れていることを覚えておいて"),
        *("From now on use verbose logs until I find the bug", "We agreed on pizza and the API party"),
        *("let's go with option B because it is simple", "let's go with the second approach because it is simple"),
    ],
)
def test_what_is_for_the_moment_or_at_hand(sentence: str) -> None:
    assert stated(sentence) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "```\nAlways use pnpm.\n```",
        "> Always use pnpm.",
        'The README says "Always use pnpm."',
        "Always use pnpm?",
        "log of the run\n" + "[12:00] Always use pnpm.\n",
        "Always use pnpm.\n" * 30,
        "x" * 2_000 + ". Always use pnpm.",
    ],
)
def test_what_is_not_a_persons_own_short_sentence(world: World, prompt: str) -> None:
    lines = Lines()
    lines.prompt(prompt)
    assert learned(world, lines) == []


def test_agents_and_tools_state_nothing(world: World) -> None:
    lines = Lines()
    lines.prompt("go on")
    lines.answer("Always use pnpm. We decided to use Postgres.")
    use(lines, "Bash", "Always use pnpm. Remember that the database is gone.", command="cat README.md")
    assert learned(world, lines) == []
    said = Message(1, 1, "/message/content", "person", "Always use pnpm.", None, None, False)
    of_an_agent = Transcript("s", "p", "a", None, None, True, "1", (said,), ())
    assert RulesExtractor().extract(of_an_agent).drafts == ()


# --- bad input ---------------------------------------------------------------------------------------------------


def test_the_registry_loads_it(world: World) -> None:
    spend = Spending(lambda: None, lambda _: None)
    extractor = load("rules", world.memory().config, spend)
    empty = Transcript("s", "p", "a", None, None, False, "0.0", (), ())
    assert extractor.extract(empty).drafts == ()
    assert issubclass(ExtractionFailed, Exception)


def test_malformed_inputs_are_left_alone(world: World) -> None:
    lines = Lines()
    use(lines, "TodoWrite", todos="not a list")
    use(lines, "TodoWrite", todos=[None, 3, {"content": 4, "status": "pending"}, {"content": "No status"}])
    use(lines, "TodoWrite", todos=[todo("Odd", "someday")])
    use(lines, "TaskCreate", "Task #7 created successfully: 🚀", subject="🚀", description=None)
    use(lines, "TaskUpdate", taskId=7, status="completed")
    use(lines, "TaskUpdate", taskId=["7"], status=3, addBlockedBy="7", addBlocks=[None, {}])
    use(lines, "AskUserQuestion", answered(("a", "b")), questions=[None, {"question": "a", "options": {"label": "b"}}])
    use(lines, "ExitPlanMode", plan=["# no"])
    use(lines, "Bash", command=["git", "commit"])
    (rocket,) = learned(world, lines)
    assert (rocket.title, steps(rocket)) == ("🚀", ["pending", "done"])


def test_ten_thousand_todos(world: World) -> None:
    lines = Lines()
    use(lines, "TodoWrite", todos=[todo(f"Task {n}", "pending") for n in range(10_000)])
    transcript = transcript_of(world, lines)
    given = RulesExtractor().extract(transcript)
    assert len(given.drafts) == MOST_DRAFTS and given.notes


WORDS = st.sampled_from(
    [
        *"\"'`$()<>|&;\n\r\t \\#-=🚀한",
        "git commit -m ",
        "$(cat <<'EOF'\n",
        "\nEOF\n",
        "gh pr create --title ",
        "always ",
        "never ",
        "항상 ",
        "절대 ",
        "总是",
        "绝不",
        "必ず",
        "ください",
        "use pnpm",
        "error TS1: x",
        "/pull/3",
        "https://a.b/c/d",
        "decided to ",
        "don't use ",
        " in tests",
        " without ",
        "because it ",
        "하지 마",
        "테스트 없이 ",
        "不要在代码里",
        "なしで",
        "コミットしないで",
        "git commit --amend -m ",
        "git revert HEAD",
    ]
)
TEXT = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map("".join))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["content", "status", "question"]), inner)
    ),
    max_leaves=5,
)
NAMES = ["TodoWrite", "TaskCreate", "TaskUpdate", "AskUserQuestion", "ExitPlanMode", "Bash", "Edit"]
FIELDS = [
    "todos",
    "subject",
    "description",
    "taskId",
    "status",
    "questions",
    "plan",
    "command",
    "file_path",
    "addBlockedBy",
]


@st.composite
def sessions(draw: st.DrawFn) -> Transcript:
    messages: list[Message] = []
    uses: list[ToolCall] = []
    for name in draw(st.lists(st.sampled_from(["person", *NAMES]), max_size=6)):
        if name == "person":
            messages.append(Message(1, 1, "/m", "person", draw(TEXT), None, None, False))
            continue
        first = len(messages)
        given = draw(st.dictionaries(st.sampled_from(FIELDS), TEXT | JSON, max_size=4))
        leaves = {}
        for field, value in given.items():
            if isinstance(value, str):
                leaves[f"/{field}"] = len(messages)
                messages.append(Message(1, 1, f"/{field}", "call", value, None, len(uses), False))
        messages.append(Message(1, 1, "/r", "result", draw(TEXT), None, len(uses), False))
        kind = draw(st.sampled_from(["Bash:test", "Bash:other"])) if name == "Bash" else name
        failed = draw(st.sampled_from([True, False, None]))
        copied = draw(st.booleans())
        messages[first:] = [message._replace(copied=copied) for message in messages[first:]]
        uses.append(tool_call(name, kind, given, None, 1, leaves, (len(messages) - 1,), failed, copied))
    return Transcript("s", "p", "a", None, None, False, "1.1", tuple(messages), tuple(uses))


@settings(max_examples=examples(500))
@hypothesis_given(sessions())
def test_law_it_never_raises_and_quotes_only_what_was_said(transcript: Transcript) -> None:
    check_quotes(transcript, list(RulesExtractor().extract(transcript).drafts))


@pytest.mark.parametrize(
    "piece",
    [
        "always use ",
        "git commit -m \"$(cat <<'EOF'\n",
        "항상 사용",
        "必ず使",
        "绝不要",
        "don't use a in ",
        "코드에 커밋",
        "不要在代码里",
        "コードに使わ",
        "git revert HEAD ",
        "let's go with a ",
        "error: x at ",
        '"a"="b", ',
    ],
)
def test_the_work_grows_with_hostile_text(piece: str) -> None:
    if "<<" not in piece:
        grows_linearly(lambda size: RulesExtractor().extract(hostile(piece, size)))
    else:  # each document is looked for in what follows: it is the length of a command that bounds the work
        longest = counted(lambda: runs(piece * (19_000 // len(piece)), "git", "commit"))
        assert longest < 100 * 19_000 and counted(lambda: runs(piece * 10_000, "git", "commit")) < 100
    with ending():
        RulesExtractor().extract(hostile(piece, 200_000))


def hostile(piece: str, size: int) -> Transcript:
    text = piece * (size // len(piece))
    short = text[:1_100]
    messages = tuple(
        Message(1, 1, "/m", role, said, None, 0 if role != "person" else None, False)
        for role, said in (
            ("person", text),
            ("person", short),
            ("person", short[:230]),
            ("call", text),
            ("result", text),
        )
    )
    given = {"command": text, "questions": [{"question": "a", "options": []}], "plan": text, "todos": text}
    uses = tuple(
        tool_call(name, kind, given, None, 1, {"/command": 3, "/plan": 3}, (4,), failed)
        for name, kind, failed in (
            ("Bash", "Bash:test", True),
            ("Bash", "Bash:test", False),
            ("AskUserQuestion", "", False),
        )
    )
    return Transcript("s", "p", "a", None, None, False, "1.1", messages, uses)


# --- precision ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["todos", "stated-en", "stated-ko", "stated-zh", "stated-ja"])
def test_precision_on_what_was_made_by_hand(name: str) -> None:
    score = (precision.todos() | precision.sentences())[name]
    assert score.labelled >= 15 and score.precision >= 0.85
    assert round(score.smoothed, 2) == declared()[name].precision


def test_the_titles_of_the_sentences_made_by_hand() -> None:
    wrong = []
    for row in precision.rows("statements"):
        said = stated(row["text"].rstrip("。.!"))
        if said is not None and "title" in row and said.title != row["title"]:
            wrong.append((row["title"], said.title))
    assert wrong == []


def test_precision_on_real_sessions(shared: Path, tmp_path: Path) -> None:
    sessions = precision.transcripts(precision.indexed(shared, tmp_path))
    given = [(one, RulesExtractor().find(one)[0]) for one in sessions]
    for transcript, drafts in given:
        check_quotes(transcript, drafts)
    scores = precision.real((one.session_id, draft) for one, drafts in given for draft in drafts)
    for rule, score in scores.items():
        # (the labels of findings are also what their weights are fitted to, and these choose others each time)
        assert score.gone == 0 or rule == "findings", f"{rule}: labelled drafts are no longer given; label again"
        assert score.precision >= 0.85 or declared()[rule].precision < 0.85, rule
        assert round(score.smoothed, 2) == declared()[rule].measured, rule
    by_hand = (precision.todos(), precision.sentences(), precision.dialogues(), precision.todo_files())
    assert declared().keys() == scores.keys() | {name for scored in by_hand for name in scored}
