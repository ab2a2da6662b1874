"""Excerpts by session: each session is named once, and more budget never gives less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from axiommind.model import Citation
from axiommind.recall.disclosure import Disclosed, IndexItem, Meta, client_chars
from axiommind.recall.quotations import by_session, fitting, quotation
from axiommind.search.hits import Learned
from axiommind.surfaces.render.fence import fenced
from axiommind.surfaces.render.recall import as_text
from axiommind.text.estimate import estimate_tokens

DAY = 86_400_000
SESSIONS = [f"{letter * 8}-0000-4000-8000-{letter * 12}" for letter in "abcdef"]


def item(name: str, excerpt: str, session: str | None = SESSIONS[0], **fields: Any) -> IndexItem:
    given: dict[str, Any] = {"type": "response", "timestamp": 20_000 * DAY, "citation": None, "project": "/p"}
    return IndexItem(name, excerpt[:100], 0.9, session_id=session, excerpt=excerpt, **{**given, **fields})


excerpts = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=80),
    st.sampled_from(
        [
            "The key is the id of the city now, because names repeat. " * 4,
            "캐시의 키는 이제 도시의 아이디입니다. " * 12,
            "キャッシュのキーは都市のIDです。" * 20,
            "缓存的键是城市的编号。" * 20,
            "🦘" * 300,
            "x" * 5_000,
            "word " * 2_000,
        ]
    ),
)
learned = st.none() | st.builds(
    Learned, st.just("ent_1"), st.sampled_from(["decision", "task_note"]), st.sampled_from(["candidate", "verified"]),
    st.just("active"),
)  # fmt: skip
numbered = st.lists(
    st.tuples(excerpts, st.sampled_from([*SESSIONS, None]), learned, st.sampled_from(["", "app.py changed since"])),
    max_size=10,
).map(
    lambda rows: [
        item(f"1k9x{n}", text, session, entry=entry, changed=changed, citation=Citation("/home/dev/notes.md", 3, 9))
        for n, (text, session, entry, changed) in enumerate(rows)
    ]
)


def text_of(items: list[IndexItem], total: int, budget: int) -> str:
    return as_text(Disclosed(tuple(items), (), (), Meta(total, 0, 0, "excerpts")), budget)


@given(numbered, st.integers(-5, 4_000), st.integers(0, 4_000))
@example([item("a", "x" * 900), item("b", "short", SESSIONS[1])], 200, 300)
@example([item("a", "word " * 200), item("b", "short")], 350, 1)
def test_more_budget_never_gives_less(items: list[IndexItem], budget: int, more: int) -> None:
    few, many = fitting(items, budget), fitting(items, budget + more)
    assert [one.id for one in many[: len(few)]] == [one.id for one in few] == [one.id for one in items[: len(few)]]
    for less, enough in zip(few, many, strict=False):
        assert less == enough or enough.said.startswith(less.said.removesuffix("…").rstrip())
        assert len(enough.said) >= len(less.said) or enough.said + "…" == less.said
    assert many[: max(len(many) - 1, 0)] == items[: max(len(many) - 1, 0)]  # only the last one is ever cut


@given(numbered, st.integers(-5, 4_000))
def test_a_text_keeps_to_its_budget_and_names_every_session_and_id(items: list[IndexItem], budget: int) -> None:
    kept = fitting(items, budget)
    text = text_of(kept, len(items), budget)
    answer = fenced(text, Path("/nowhere"))
    for one in (text, answer):
        assert estimate_tokens(one) <= max(budget, 0) and client_chars(one) <= 10_000
    assert bool(text) == bool(kept)
    for one in kept:
        assert f"- [{one.id}] " in text
        assert one.session_id is None or f"2024-10-04 session {one.session_id[:8]}\n" in text
    for session in SESSIONS:
        assert text.count(f"session {session[:8]}") <= 1
    assert fitting(kept, budget) == kept  # once fitted is fitted


def test_a_long_one_does_not_make_room_for_a_shorter_one() -> None:
    items = [item("first", "a " * 40), item("second", "b " * 2_000), item("third", "c")]
    some = fitting(items, 300)
    assert [one.id for one in some] == ["first", "second"] and some[1].said.endswith("b…")
    assert [one.id for one in fitting(items, 5_000)] == ["first", "second", "third"]


def test_what_is_less_than_sure_is_said() -> None:
    sure, unsure = (Learned("ent_1", "task_note", stage, "active") for stage in ("verified", "candidate"))
    assert quotation(item("x", "Use tabs", entry=sure)) == "- [x] Use tabs"
    assert quotation(item("x", "Use tabs", entry=unsure)) == "- [x] Use tabs (task note, candidate)"
    said = quotation(item("x", "Use tabs", entry=unsure, changed="a.py changed since"))
    assert said == "- [x] Use tabs (task note, candidate; a.py changed since)"


def test_sessions_stand_in_the_order_of_their_best() -> None:
    a, b = SESSIONS[:2]
    items = [item("1", "one", b), item("2", "two", a), item("3", "three", b), item("4", "four", None)]
    shown = {place: [one.id for one in those] for place, those in by_session(items).items()}
    assert list(shown.items()) == [
        ("2024-10-04 session bbbbbbbb", ["1", "3"]),
        ("2024-10-04 session aaaaaaaa", ["2"]),
        ("a document", ["4"]),
    ]


@pytest.mark.parametrize("moment", [None, 0, 1 << 70])
def test_a_session_without_a_day_is_named_too(moment: int | None) -> None:
    (place,) = by_session([item("1", "one", timestamp=moment)])
    assert place == "session aaaaaaaa"
