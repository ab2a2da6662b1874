"""Refutation: what a session itself takes back is not learned from it."""

from __future__ import annotations

import pytest

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.refutation import refuted
from axiommind.extraction.selection import select
from axiommind.projections.transcript import Transcript
from tests.learning.spoken import draft, session

CLAIM = "The `session_key` is stored because it cannot be derived."


def stands(transcript: Transcript, one: Draft) -> bool:
    return not refuted(transcript, [one])


@pytest.mark.parametrize(
    ("objection", "reply"),
    [
        ("but we derive it from the password, don't we?", "You're right, the `session_key` is derived."),
        ("no, that is wrong: session_key comes from the password", "Reading the code again."),
        ("아니, session_key는 비밀번호에서 나와", "확인하겠습니다."),
        ("이건 비밀번호에서 나오는 값이야", "맞습니다, `session_key`는 계산됩니다."),
        ("いや、session_keyはパスワードから作られる", "確認します。"),
        ("パスワードから作られるはず", "すみません、`session_key` は保存不要でした。"),
        ("不对，session_key 是从密码来的", "我再看看。"),
        ("它是从密码来的", "你说得对，`session_key` 不需要保存。"),
    ],
)
def test_what_is_objected_to_or_admitted_is_out(objection: str, reply: str) -> None:
    said = session(("person", "Why is it stored?"), ("assistant", CLAIM), ("person", objection), ("assistant", reply))
    assert not stands(said, draft(said, 1))


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("ok, go on", "Done."),
        ("no, the other page: the button is too large", "You're right, the button is smaller now."),
        ("좋아 계속해줘", "완료했습니다."),
        ("続けて", "了解しました。"),
        ("好的，继续", "完成了。"),
    ],
)
def test_what_is_about_something_else_leaves_it(prompt: str, reply: str) -> None:
    said = session(("person", "Why is it stored?"), ("assistant", CLAIM), ("person", prompt), ("assistant", reply))
    assert stands(said, draft(said, 1))


def test_the_agent_takes_its_own_words_back() -> None:
    said = session(
        ("person", "Why does the login fail?"),
        ("assistant", "The `token_cache` is the cause because it is never cleared."),
        ("assistant", "Wait, the `token_cache` is fine."),
    )
    assert not stands(said, draft(said, 1))


def test_what_a_person_said_is_not_the_agents_to_take_back() -> None:
    said = session(
        ("person", "Always keep the `session_key` in the vault."),
        ("assistant", "Done."),
        ("person", "no, not like this: the session_key file is empty"),
        ("assistant", "You're right, the `session_key` was empty."),
    )
    assert stands(said, draft(said, 0))


def test_a_later_claim_retires_what_it_replaces() -> None:
    said = session(
        ("assistant", "The queue runs on Redis in production."), ("person", "Use Postgres instead of Redis.")
    )
    old = draft(said, 0)
    new = Draft("decision", "Use Postgres", "Use Postgres", (Quote(1, "Use Postgres"),), "x", retires=("Redis",))
    assert refuted(said, [old, new]) == {0}
    chosen = select(said, [old, new])
    assert chosen.kept == (new,) and (chosen.refuted, chosen.merged, chosen.left_out) == (1, 0, 0)


def test_a_plan_that_the_person_came_back_on_much_later() -> None:
    said = session(
        ("assistant", "# Tree view for the files tab"),
        ("person", "ok"),
        ("assistant", "Done."),
        ("person", "The tree view is broken, all files are gone"),
        ("assistant", "I will look."),
    )
    plan = draft(said, 0, rule="plans", type="decision", kind="decision", title="Tree view for the files tab")
    other = plan._replace(title="Export as CSV", text="Export as CSV")
    assert not stands(said, plan) and stands(said, other)


def test_tasks_are_not_refuted() -> None:
    said = session(("assistant", CLAIM), ("person", "no"), ("assistant", "You're right about `session_key`."))
    assert stands(said, draft(said, 0, type="task_note"))
