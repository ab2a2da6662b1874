"""Selection: about seven claims a session, the person's own first, nothing twice, and always the same choice."""

from __future__ import annotations

from axiommind.extraction.selection import room_for, select
from tests.learning.spoken import draft, session


def test_a_short_session_gives_few_and_a_long_one_more() -> None:
    quick = session(("person", "Why is it slow?"))
    long = session(*[("person", f"Prompt {n}") for n in range(40)])
    assert room_for(quick) == 4 and room_for(long) == 9


def test_the_persons_words_come_before_what_the_agent_found() -> None:
    names = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"]
    said = session(
        *[("assistant", f"{name} is read only at start") for name in names], ("person", "Never push to main")
    )
    drafts = [draft(said, n, rule="errors", kind="gotcha") for n in range(9)]
    drafts[8] = drafts[8]._replace(kind="preference", rule="said-standing")
    chosen = select(said, drafts)
    assert len(chosen.kept) == room_for(said) and drafts[8] in chosen.kept
    assert chosen.left_out == 5


def test_what_is_said_twice_is_one_with_both_quotes() -> None:
    said = session(
        ("assistant", "The cache is keyed by the absolute path of the file"),
        ("assistant", "the cache is keyed by the absolute path of the file."),
        ("assistant", "The cache is keyed by port 80"),
        ("assistant", "The cache is keyed by port 81"),
    )
    chosen = select(said, [draft(said, n) for n in range(4)])
    assert [one.quotes[0].message for one in chosen.kept] == [0, 2, 3] and chosen.merged == 1
    assert [quote.message for quote in chosen.kept[0].quotes] == [0, 1]


def test_tasks_are_not_counted() -> None:
    said = session(*[("assistant", f"Task {n}") for n in range(30)])
    drafts = [draft(said, n, rule="tasks", type="task_note") for n in range(30)]
    assert select(said, drafts).kept == tuple(drafts)
