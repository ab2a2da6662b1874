"""Only what an agent could not have known from the session itself counts as use of a memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.grounding.judge import (
    ItemUse,
    LaterText,
    SuppliedAnswer,
    SuppliedItem,
    judge,
)
from axiommind.grounding.marks import identifiers, phrases
from axiommind.grounding.tallies import tally

AT = 1_000
ANSWER = SuppliedAnswer(1, "s", "UserPromptSubmit", AT, 90)
MEMORY = "We set retry_budget to 45 s in src/forecast/refresh.py."


def user(at: int, text: str) -> LaterText:
    return LaterText(at, text, by_agent=False)


def agent(at: int, text: str, *files: str) -> LaterText:
    return LaterText(at, text, by_agent=True, files=files)


def used(
    text: str | None, *said: LaterText, files: tuple[str, ...] = (), answer: SuppliedAnswer = ANSWER
) -> ItemUse | None:
    (one,) = judge([(answer, [SuppliedItem("1k9x4c", "response", 0.9, text, files)])], said)
    return one.use


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("retry_budget or RetryBudget, see hooks.tokens", {"retry_budget", "RetryBudget", "hooks.tokens"}),
        ("open src/a/b.py:12 and ./x/y.ts, /etc/hosts.", {"src/a/b.py", "x/y.ts", "/etc/hosts"}),
        ("pass --max-tokens=5 and not -k", {"--max-tokens"}),
        ("E501, ENOENT, AXM-12 at a1b2c3d in 2.1.325", {"E501", "ENOENT", "AXM-12", "a1b2c3d", "2.1.325"}),
        ("45 s, 400ms, 12 seconds, 10 MB; 5 s and 100 % say nothing", {"45s", "400ms", "12s", "10MB"}),
        ("session의 retry_budget를 src/날씨/refresh.py에서", {"retry_budget", "refresh.py"}),
        ("and/or, e.g. this, I/O, well-known README.md on GitHub", set()),
    ],
)
def test_what_names_something_exactly(text: str, found: set[str]) -> None:
    assert set(identifiers(text)) == found


def test_a_name_of_the_memory_that_only_the_memory_had() -> None:
    said = used(MEMORY, user(900, "why is it stale?"), agent(1_100, "retry_budget is too small"))
    assert said is not None and (said.reason, said.what) == ("identifier", "retry_budget")


@pytest.mark.parametrize(
    "before",
    [
        user(900, "is retry_budget too small?"),  # asked with that word
        user(1_050, "I mean retry_budget"),  # written a moment after the hook was asked, or said by the user since
        agent(500, "retry_budget is 30"),  # known in the session already
    ],
)
def test_what_was_said_before_proves_nothing(before: LaterText) -> None:
    assert used(MEMORY, before, agent(1_100, "retry_budget is too small")) is None


def test_what_everybody_says_proves_nothing() -> None:
    items = [SuppliedItem("1k9x4c", "response", 0.9, MEMORY)]
    said = [agent(1_100, "retry_budget of 45 s")]
    (one,) = judge([(ANSWER, items)], said, lambda name: name == "retry_budget")
    assert one.use is not None and one.use.what == "45s"
    assert judge([(ANSWER, items)], said, lambda _: True)[0].use is None


def test_a_file_that_it_is_about() -> None:
    touch = agent(1_200, "/home/dev/src/forecast/refresh.py", "/home/dev/src/forecast/refresh.py")
    said = used(MEMORY, touch)
    assert said == ItemUse("file", "src/forecast/refresh.py", touch)
    assert used("no names here", touch, files=("/home/dev/src/forecast/refresh.py",)) is not None
    assert used(MEMORY, touch._replace(at=900), touch) is None, "it was at that file before"
    other = "/home/dev/src/other/refresh.py"
    assert used(MEMORY, agent(1_200, other, other)) is None


def test_the_call_that_a_hook_stands_before_is_no_use_of_what_it_says() -> None:
    edit = agent(AT + 3, "src/forecast/refresh.py", "src/forecast/refresh.py")
    assert used(MEMORY, edit, answer=ANSWER._replace(hook="PreToolUse")) is None
    assert used(MEMORY, edit) is not None


def test_its_id_is_the_strongest_sign() -> None:
    said = used(MEMORY, agent(1_100, "retry_budget"), agent(1_200, "axm show 1k9x4c"))
    assert said is not None and said.reason == "id"


def test_a_text_without_names_by_a_phrase() -> None:
    text = "Never answer people before their forecast arrived completely."
    said = used(text, agent(1_100, "I wait: people before their forecast arrived would see old data"))
    assert said is not None and said.reason == "phrase"
    assert used(text, agent(1_100, "I wait until it is there before I answer people")) is None
    assert set(phrases("予報が届くまで待つこと")) & set(phrases("では予報が届くまで待ちます"))


def test_what_is_gone_is_not_judged() -> None:
    (one,) = judge([(ANSWER, [SuppliedItem("1k9x4c", "tool", None, None)])], [agent(1_100, "1k9x4c")])
    assert (one.is_judged, one.use) == (False, None)
    (unknown,) = judge([(ANSWER, [SuppliedItem("1k9x4c", "tool", None, "text")])], [])
    assert not unknown.is_judged


def test_figures_by_hook_and_kind() -> None:
    start = SuppliedAnswer(2, "s", "SessionStart", AT, 30)
    items = [
        SuppliedItem("aaaa1", "prompt", 0.9, MEMORY),
        SuppliedItem("aaaa2", "tool", 0.8, "other_name"),
        SuppliedItem("aaaa3", "tool", 0.8, None),
    ]
    judged = judge([(ANSWER, items), (start, items[:1])], [agent(1_100, "retry_budget")])
    total, prompt, tools, prompts, begun, _ = tally(judged)
    assert (total.hook, total.answers, total.items, total.judged, total.used, total.tokens) == (None, 2, 4, 3, 2, 120)
    assert (prompt.hook, prompt.kind, prompt.share, prompt.tokens_per_used) == ("UserPromptSubmit", None, 0.5, 90)
    assert (tools.kind, tools.items, tools.judged, tools.share, tools.tokens_per_used) == ("tool", 2, 1, 0.0, None)
    assert (prompts.kind, prompts.tokens) == ("prompt", 30)
    assert (begun.hook, begun.tokens) == ("SessionStart", 30)
    assert tally([])[0].share is None


sayings = st.lists(
    st.builds(
        LaterText,
        st.integers(0, 2_000),
        st.sampled_from(["retry_budget", "src/forecast/refresh.py", "nothing", "1k9x4c"]),
        st.booleans(),
        st.sampled_from([(), ("/p/src/forecast/refresh.py",)]),
    ),
    max_size=8,
)


@given(sayings)
def test_use_is_always_the_agents_own_and_later(said: list[LaterText]) -> None:
    use = used(MEMORY, *said)
    if use is not None:
        assert use.said.by_agent and use.said.at > AT
        first = min((s.at for s in said if use.what in s.text or (use.reason == "file" and s.files)), default=0)
        assert first > AT
