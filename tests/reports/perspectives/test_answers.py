"""Each perspective on a world small enough to check by eye."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from typing import Any

import pytest

from axiommind.errors import BadQuery
from axiommind.reports.perspectives.prompts import snippet
from tests.reports.perspectives.index_world import DAY, MINUTE, MONDAY, World, Writer, ask, store
from tests.rows import rows


def at(minutes: float, day: int = 0) -> int:
    return MONDAY + day * DAY + int(minutes * MINUTE)


def made(*sessions: tuple[str, list[tuple[Any, ...]]], **more: Any) -> sqlite3.Connection:
    writer = Writer()
    for session, events in sessions:
        writer.session(session, events, **more)
    return store(writer.world)


def uses(letters: str, start: float = 0, step: float = 1) -> list[tuple[Any, ...]]:
    tools = {"R": "Read", "E": "Edit", "G": "Bash:git", "T": "Bash:test"}
    return [("use", tools[c], at(start + i * step)) for i, c in enumerate(letters)]


@rows("R0.53")
def test_tool_frequency() -> None:
    db = made(("a", uses("RRE")), ("b", [*uses("R"), ("use", "Bash:git", at(9), "!")]))
    assert ask(db, "tool-frequency") == [
        {"tool": "Read", "frequency": 3, "sessions": 2, "errors": 0},
        {"tool": "Bash:git", "frequency": 1, "sessions": 1, "errors": 1},
        {"tool": "Edit", "frequency": 1, "sessions": 1, "errors": 0},
    ]


def test_a_fork_counts_once_in_totals_and_fully_in_itself() -> None:
    events = [*uses("RE"), ("answer", "opus", at(5), 10), ("prompt", "fix the bug", at(6))]
    writer = Writer().session("origin", events)
    writer.session("fork", [*events, *uses("G", start=20)], canonical_from=len(events))
    db = store(writer.world)
    assert {r["tool"]: r["frequency"] for r in ask(db, "tool-frequency")} == {
        "Read": 1,
        "Edit": 1,
        "Bash:git": 1,
    }
    assert sum(r["frequency"] for r in ask(db, "tool-frequency", session="fork")) == 3
    pairs = {(r["from_tool"], r["to_tool"]): r["count"] for r in ask(db, "transitions")}
    assert pairs == {("Read", "Edit"): 1, ("Edit", "Bash:git"): 1}
    assert [r["messages"] for r in ask(db, "usage")] == [1]
    assert [r["messages"] for r in ask(db, "usage", session="fork")] == [1]
    assert len(ask(db, "prompts")) == 1


@rows("R0.54")
def test_transitions_after_one_tool() -> None:
    db = made(("a", uses("GRGRGE")))
    rows = ask(db, "transitions", tool="Bash:git")
    assert [(r["to_tool"], r["count"]) for r in rows] == [("Read", 2), ("Edit", 1)]
    assert [r["probability"] for r in rows] == pytest.approx([2 / 3, 1 / 3])
    hidden = ask(db, "transitions", tool="Bash:git", min_count=2)
    assert [r["probability"] for r in hidden] == pytest.approx([2 / 3]), "min_count hides, it does not reweigh"


def test_a_pair_that_straddles_since_or_until_is_in_neither() -> None:
    db = made(("a", uses("RE")))
    assert [r["to_tool"] for r in ask(db, "transitions", since=at(0))] == ["Edit"]
    assert ask(db, "transitions", since=at(0.5)) == ask(db, "transitions", until=at(0.5)) == []


def test_what_no_model_said_is_no_usage() -> None:
    db = made(("a", [("answer", "opus", at(0), 5), ("answer", "<synthetic>", at(1), 7), ("answer", "haiku", at(2), 0)]))
    assert [row["model"] for row in ask(db, "usage", by="model")] == ["opus"]


def test_the_gap_between_sessions_is_between_what_was_done() -> None:
    """A client that writes a title into a session's file days later does not end it later."""
    said = [("prompt", "fix it", at(0)), ("use", "Edit", at(1), "/a")]
    later = [("prompt", "again", at(61)), ("use", "Edit", at(62), "/a")]
    db = made(("a", said), ("b", later), ended_at=at(9_000))
    for given in ({}, {"tool": "Edit"}):
        [row] = ask(db, "session-links", **given)
        assert row["time_gap_minutes"] == 60


@rows("R0.61")
def test_sequences_split_at_pauses() -> None:
    events = uses("RE") + uses("RE", start=60) + uses("RE", start=120)
    rows = ask(made(("a", events)), "sequences")
    assert rows == [{"sequence": "Read → Edit", "count": 3, "sessions": 1, "length": 2}]
    assert ask(made(("a", events[:4])), "sequences") == [], "three is the default"


PIECES = [
    ("Read", True),
    ("  Read ", True),
    ("to_tool: Read,", True),
    ("to_tool: Read", True),
    ("tool: Read,", True),
    ('  "to_tool": "Read",', True),
    ("{to_tool:Read,count:3,probability:0.4}", True),
    ("{to_tool:Read,count:3,probability:0.4,from_tool:Bash:git}", True),
    ("{tool:Read,frequency:3}", True),
    ("to_tool: Bash:git,", False),
    ("{", False),
    ("}", False),
    ("count: 12,", False),
    ("probability: 0.4,", False),
    ("from_tool: Read", False),
    ("{from_tool:Read}", False),
    ("", False),
    ("to_tool:", False),
]


@rows("R0.62")
@pytest.mark.parametrize(("piece", "finds"), PIECES)
def test_include_tool_takes_a_name_or_a_piece_of_a_row(piece: str, finds: bool) -> None:
    db = made(("a", uses("RE") + uses("RE", start=60) + uses("RE", start=120)))
    assert bool(ask(db, "sequences", include_tool=piece)) is finds


@rows("R0.69")
@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("xargs")), reason="needs jq and xargs")
def test_the_pipe_of_the_seed_feeds_sequences() -> None:
    db = made(("a", (uses("GR") + uses("GR", start=60) + uses("GR", start=120))))
    rows = json.dumps(ask(db, "transitions", tool="Bash:git"))
    pipe = "jq '.[] | select(.probability > 0.3)' | xargs -I {} printf '%s\\n' {}"
    pieces = subprocess.run(["sh", "-c", pipe], input=rows, capture_output=True, text=True, check=True).stdout
    found = [row for piece in pieces.splitlines() for row in ask(db, "sequences", include_tool=piece)]
    assert [row["sequence"] for row in found] == ["Bash:git → Read"]


def test_include_tool_and_tool_must_both_occur() -> None:
    db = made(("a", uses("RE") + uses("RE", start=60) + uses("RE", start=120)))
    assert ask(db, "sequences", include_tool="Read", tool="Edit")
    assert ask(db, "sequences", include_tool="Read", tool="Bash:git") == []


@rows("R0.58")
def test_hotfiles_by_tool() -> None:
    events = [("use", "Edit", at(0), "/a"), ("use", "Write", at(1), "/a"), ("use", "Write", at(2), "/b")]
    db = made(("a", events), ("b", events[:1]))
    assert ask(db, "hotfiles")[0] == {"file_path": "/a", "edit_count": 3, "session_count": 2}
    assert [r["file_path"] for r in ask(db, "hotfiles", tool="Write")] == ["/a", "/b"]


@rows("R0.59", "R0.41")
def test_session_links() -> None:
    def editing(files: str, start: float) -> list[tuple[Any, ...]]:
        return [("use", "Edit", at(start + i), f"/{f}") for i, f in enumerate(files)]

    db = made(("a", editing("xyz", 0)), ("b", editing("xy", 100)), ("c", editing("z", 1)))
    rows = ask(db, "session-links")
    assert [tuple(r.values()) for r in rows] == [("a", "b", 2, 0.67, 98), ("a", "c", 1, 0.33, None)]
    assert [r["session_b"] for r in ask(db, "session-links", min_overlap=0.5)] == ["b"]
    assert [r["session_b"] for r in ask(db, "session-links", min_count=2)] == ["b"]
    assert [r["session_b"] for r in ask(db, "session-links", since=at(1), until=at(1000))] == ["c", "b"]


@rows("R0.56")
def test_repetition_has_three_kinds() -> None:
    hot = [("use", "Edit", at(i), "/hot") for i in range(12)]
    cold = [("use", "Edit", at(20 + i), f"/cold{i}") for i in range(9)]
    rows = ask(made(("a", [*hot, *cold, *uses("TRTRTR", start=60)])), "repetition")
    edits, loop, run = rows
    assert (edits["kind"], edits["subject"], edits["count"]) == ("edits", "/hot", 12)
    assert edits["z_score"] == 3.0
    assert edits["p_value"] == pytest.approx(0.00135, abs=1e-5)
    assert (loop["kind"], loop["subject"], loop["count"]) == ("loop", "Bash:test → Read", 3)
    assert (run["kind"], run["subject"], run["count"]) == ("run", "Edit", 21)


@rows("R0.60")
def test_dependency_graph_has_four_kinds() -> None:
    db = made(("a", uses("TRTRG") + uses("TRTRG", start=60)))
    rows = ask(db, "dependency-graph")
    assert list(dict.fromkeys(r["kind"] for r in rows)) == ["node", "edge", "cycle", "path"]
    [cycle] = [r for r in rows if r["kind"] == "cycle"]
    assert (cycle["tools"], cycle["count"], cycle["repetitions"]) == ("Bash:test ↔ Read", 2, 2.0)
    [path] = [r for r in rows if r["kind"] == "path"]
    assert (path["tools"].count("→"), path["count"], path["commit_rate"]) == (4, 2, 1.0)
    edge = next(r for r in rows if r["kind"] == "edge")
    assert (edge["from_tool"], edge["to_tool"], edge["count"], edge["probability"]) == (
        "Bash:test",
        "Read",
        4,
        1.0,
    )
    only = ask(db, "dependency-graph", tool="Bash:git")
    assert all("Bash:git" in r["tools"] for r in only)


CONVERSATION = [
    ("prompt", "테스트를 실행해줘", at(0)),
    ("use", "Bash:test", at(1)),
    ("prompt", "please fix the login page", at(2)),
    ("use", "Edit", at(3), "/a"),
    ("use", "Read", at(4)),
    ("prompt", "Please  fix the LOGIN page", at(5)),
    ("prompt", "修复登录页面", at(6)),
]


@rows("R0.57", "R0.33")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("테스트", 1),
        ("실행", 1),
        ("login", 2),
        ("登录", 1),
        ("nothing here", 0),
        ("", 0),
        ('"', 0),
        ("fix OR", 2),
    ],
)
def test_prompts_are_found_in_every_script(words: str, found: int) -> None:
    assert len(ask(made(("a", CONVERSATION)), "prompts", search=words)) == found


def test_prompts_newest_first_with_their_place() -> None:
    rows = ask(made(("a", CONVERSATION)), "prompts")
    assert [r["line"] for r in rows] == [7, 6, 3, 1]
    assert rows[-1] | {"id": 0, "session_id": "a"} == {
        "id": 0,
        "session_id": "a",
        "timestamp": MONDAY,
        "date": "2026-01-05T00:00:00Z",
        "text": "테스트를 실행해줘",
        "char_count": 9,
        "title": "about a",
        "file_path": "/t/a.jsonl",
        "line": 1,
    }


def test_prompts_by_the_tool_their_turn_used() -> None:
    db = made(("a", CONVERSATION))
    assert [r["line"] for r in ask(db, "prompts", tool="Edit")] == [3]
    assert [r["line"] for r in ask(db, "prompts", tool="Bash:test")] == [1]
    assert [r["line"] for r in ask(db, "prompts", tool="%")] == [3, 1]
    assert [r["line"] for r in ask(db, "prompts", tool="Read", search="login")] == [3]


def test_prompts_said_more_than_once() -> None:
    assert [r["line"] for r in ask(made(("a", CONVERSATION)), "prompts", min_count=2)] == [6, 3]


def test_a_prompt_without_a_time_is_in_no_window() -> None:
    db = made(("a", [("prompt", "timeless words", 0)]))
    assert [r["date"] for r in ask(db, "prompts")] == [None]
    assert ask(db, "prompts", until=at(0)) == []
    assert ask(db, "trends") == []


def test_snippets() -> None:
    assert snippet("a  b\n c", ()) == "a b c"
    long = "x" * 150 + " " + "word " * 40 + "needle " + "y" * 300
    for words in ((), ("needle",), ("absent",)):
        piece = snippet(long, words)
        assert len(piece) <= 200
        assert "…" in piece
    assert "needle" in snippet(long, ["needle"])
    assert snippet("z" * 400 + " needle", ["needle"]).endswith("needle")
    assert len(snippet("字" * 500, ["字"])) == 200


@rows("R0.63")
def test_clusters() -> None:
    events = [("prompt", text, at(0, day=i)) for i, text in enumerate(["fix the login page"] * 3 + ["deploy now"])]
    [row] = ask(made(("a", events)), "clusters")
    assert (row["pattern"], row["count"], row["sessions"]) == ("fix the login page", 3, 1)
    assert row["last_used"] == "2026-01-07T00:00:00Z"
    assert row["examples"] == ["fix the login page"]
    with pytest.raises(BadQuery, match="depth"):
        ask(made(("a", events)), "clusters", depth="deep")


@rows("R0.63")
def test_clusters_reach_further_when_asked_to() -> None:
    texts = ["fix the login page", "fix the logon page", "fix the sign-in page"]
    db = made(("a", [("prompt", text, at(i)) for i, text in enumerate(texts * 3)]))
    sizes = {depth: len(ask(db, "clusters", depth=depth)) for depth in ("narrow", "normal", "wide")}
    assert sizes["narrow"] == 3
    assert sizes["wide"] < sizes["narrow"]


def test_sessions() -> None:
    writer = Writer().session("a", uses("RRE"), cwd="/w")
    writer.session("b", uses("G", start=100), parent_session="a")
    writer.session("c", uses("G", start=200), missing_since="2026-02-01")
    db = store(writer.world)
    rows = ask(db, "sessions")
    assert [r["id"] for r in rows] == ["c", "b", "a"]
    assert [r["resume"] for r in rows] == [None, None, "claude --resume a"]
    assert (rows[2]["started"], rows[2]["minutes"], rows[2]["tool_uses"]) == ("2026-01-05T00:00:00Z", 2, 3)
    assert [r["id"] for r in ask(db, "sessions", tool="Read", min_count=2)] == ["a"]
    assert ask(db, "sessions", tool="Read", min_count=3) == []
    assert [r["id"] for r in ask(db, "sessions", since=at(1), until=at(100))] == ["a"]
    assert [r["id"] for r in ask(db, "sessions", since=at(1), until=at(101))] == ["b", "a"]


def test_usage() -> None:
    events = [
        ("answer", "opus", at(0), 10),
        ("use", "Read", at(0)),
        ("answer", "haiku", at(1), 1),
        ("answer", "opus", at(0, day=1), 5),
        ("answer", "opus", None, 1),
    ]
    db = made(("a", events))
    rows = ask(db, "usage")
    assert [(r["date"], r["model"], r["messages"], r["total_tokens"]) for r in rows] == [
        ("2026-01-06", "opus", 1, 50),
        ("2026-01-05", "opus", 1, 100),
        ("2026-01-05", "haiku", 1, 10),
        (None, "opus", 1, 10),
    ]
    assert [r["total_tokens"] for r in ask(db, "usage", tool="Read")] == [100]
    assert [(r["model"], r["messages"]) for r in ask(db, "usage", by="model")] == [("opus", 3), ("haiku", 1)]
    assert next(r["date"] for r in ask(db, "usage", by="month")) == "2026-01"
    assert next(r["date"] for r in ask(db, "usage", by="week")) == "2026-01-05"
    assert {r["session_id"] for r in ask(db, "usage", by="session")} == {"a"}
    assert {r["project"] for r in ask(db, "usage", by="project")} == {"-home-u-shop"}
    with pytest.raises(BadQuery, match="group by"):
        ask(db, "usage", by="moon")


@rows("R0.55")
def test_trends_tell_their_slope() -> None:
    growing = [("use", "Read", at(i, day=7 * week)) for week in range(4) for i in range(2 * week + 1)]
    rows = ask(made(("a", growing)), "trends")
    assert [(r["count"], r["slope"], r["r_squared"]) for r in rows] == [(n, 2.0, 1.0) for n in (1, 3, 5, 7)]


def test_nothing_is_known_of_an_empty_session() -> None:
    db = store(Writer().session("a", []).world)
    assert [r["minutes"] for r in ask(db, "sessions")] == [None]
    assert ask(store(World()), "sessions") == []


@rows("R0.54")
def test_transitions_are_ordered_by_probability_before_count() -> None:
    rows = ask(made(("a", uses("RRRERRET"))), "transitions")
    assert [(r["from_tool"], r["to_tool"], r["count"]) for r in rows] == [
        ("Read", "Read", 3),
        ("Edit", "Bash:test", 1),
        ("Edit", "Read", 1),
        ("Read", "Edit", 2),
    ]
    certain = ask(made(("a", uses("RRRERRETG"))), "transitions")[0]
    assert (certain["from_tool"], certain["count"], certain["probability"]) == ("Bash:test", 1, 1.0)


def test_the_best_match_comes_first() -> None:
    texts = ["tell me about the login and many other things that this long prompt holds", "login", "no match"]
    rows = ask(made(("a", [("prompt", text, at(i)) for i, text in enumerate(texts)])), "prompts", search="login")
    assert [r["line"] for r in rows] == [2, 1]


def test_usage_counts_sessions_once() -> None:
    answers = [("answer", "opus", at(0), 1), ("answer", "opus", at(1), 1)]
    assert [r["sessions"] for r in ask(made(("a", answers), ("b", answers[:1])), "usage")] == [2]


def test_sessions_of_two_projects_are_not_linked() -> None:
    edit = [("use", "Edit", at(0), "/etc/hosts")]
    writer = Writer().session("a", edit).session("b", edit).session("c", edit, project="-elsewhere")
    db = store(writer.world)
    for given in ({}, {"since": 1}):
        assert [(r["session_a"], r["session_b"]) for r in ask(db, "session-links", **given)] == [("a", "b")]
