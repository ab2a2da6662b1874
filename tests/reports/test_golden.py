"""Golden queries: the file people write, what counts as found, the numbers, and what got worse."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.errors import BadQuery, NotFound
from axiommind.reports.golden import SCHEMA, Golden, Outcome, Target, compare, from_json, load, run, to_json

ANY = ("id", "doc_id", "session_id", "citation")


def hit(name: str = "p1", path: str = "/home/me/notes/rust.md", lines: tuple[int, int] = (10, 20), **more: Any) -> Any:
    citation = {"path": path, "line_start": lines[0], "line_end": lines[1], "text": "", "uri": ""}
    return {"id": name, "doc_id": None, "session_id": None, "snippet": "", "summary": "", "citation": citation, **more}


def ask(name: str, *expected: str, **more: Any) -> Golden:
    return Golden(name, f"question {name}", tuple(Target(text, ANY) for text in expected), **more)


def answered(golden: Sequence[Golden], answers: Mapping[str, Sequence[Any]]) -> Outcome:
    return run(golden, lambda one: answers.get(one.id, ()))


def written(folder: Path, text: str) -> Path:
    path = folder / "golden.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# --- the file ---------------------------------------------------------------------------------------------


def test_a_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        queries:
          - id: login
            query: 로그인 버그를 어떻게 고쳤지
            lang: ko
            kind: prompt
            k: 5
            expected: [notes/auth.md:L12-L34, 5e6f0c1a]
            expected_doc_ids: d7
            must_contain: refresh token
            forbidden: [drafts/old.md]
            group: auth
            difficulty: 2
          - query: what is the answer
            expected: []
        """,
    )
    login, empty = load(path)
    assert login == Golden(
        id="login",
        query="로그인 버그를 어떻게 고쳤지",
        expected=(Target("notes/auth.md:L12-L34", ANY), Target("5e6f0c1a", ANY), Target("d7", ("doc_id",))),
        must_contain=("refresh token",),
        forbidden=(Target("drafts/old.md", ANY),),
        lang="ko",
        kind="prompt",
        k=5,
        group="auth",
        difficulty="2",
    )
    assert empty == Golden("q2", "what is the answer")


def test_a_list_will_do(tmp_path: Path) -> None:
    (one,) = load(written(tmp_path, "- {query: rust, expected_ids: [12, p3]}"))
    assert one.expected == (Target("12", ("id",)), Target("p3", ("id",)))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "holds no queries", "write a list"),
        ("queries: 3", "holds no queries", "write a list"),
        ("- query: a: b", "line 1: this is not YAML", "quote"),
        ("- {query: a, expected: [2023-13-45]}", "this is not YAML", "quote"),
        ("- just text", "entry 1: this is no mapping", "under one dash"),
        ("- {query: a, expected: []}\n- {expected: [x]}", "entry 2: it has no query", "write query:"),
        ("- {query: a}", "entry 1: nothing is expected", "an empty one"),
        ("- {id: q7, query: a, expectd: [x]}", "entry 1 (q7): 'expectd' is no key", "did you mean expected?"),
        ("- {query: a, zzz: 1}", "'zzz' is no key", "the keys are id, query"),
        ("- {query: 12, expected: []}", "query must be text, not 12", "quote it"),
        ("- {query: a, lang: no, expected: []}", "lang must be text, not False", "quote it"),
        ("- {query: a, expected: [2023-05-08]}", "expected must be a list of texts", "quote it"),
        ("- {query: a, expected: {b: c}}", "expected must be a list of texts", "quote it"),
        ("- {query: a, expected: [x], k: 0}", "k must be a number from 1 to 1000", "leave it out"),
        ("- {id: a, query: a, expected: []}\n- {id: a, query: b, expected: []}", "entry 2: the id 'a'", "another id"),
        ("[" * 10_000, "this is not YAML", "quote"),
    ],
)
def test_mistakes_are_said_with_their_place(tmp_path: Path, text: str, message: str, hint: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadQuery) as refused:
        load(path)
    assert str(path) in refused.value.message
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_no_file_a_folder_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no file .*nothing\.yaml"):
        load(tmp_path / "nothing.yaml")
    with pytest.raises(BadQuery, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00\x01\x80")
    with pytest.raises(BadQuery, match="this is not YAML"):
        load(tmp_path / "bytes.yaml")


# --- what counts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expected",
    [
        "p1",
        "d9",
        "5e6f0c1a-22",
        "5e6f0c1a",
        "rust.md",
        "notes/rust.md",
        "./notes/rust.md",
        "~/notes/rust.md",
        "notes\\rust.md",
        "/home/me/notes/rust.md",
        "notes/rust.md:L12-L34",
        "notes/rust.md:L1-L10",
        "notes/rust.md:L20",
        "notes/rust.md#L12",
        "rust.md:15",
    ],
)
def test_found(expected: str) -> None:
    one = hit(doc_id="d9", session_id="5e6f0c1a-22")
    assert answered([ask("q", expected)], {"q": [one]}).queries[0].rank == 1


@pytest.mark.parametrize(
    "expected",
    [
        "p",
        "p12",
        "5e6f",
        "ust.md",
        "notes",
        "/notes/rust.md",
        "other/rust.md",
        "rust.md:L1-L9",
        "rust.md#L21",
        "x:L12",
        "/",
    ],
)
def test_not_found(expected: str) -> None:
    one = hit(doc_id="d9", session_id="5e6f0c1a-22")
    assert answered([ask("q", expected)], {"q": [one, {"id": "bare"}]}).queries[0].rank is None


def test_a_key_that_names_a_field_means_only_that_field() -> None:
    golden = Golden("q", "?", (Target("x1", ("doc_id",)),))
    assert answered([golden], {"q": [hit("x1")]}).queries[0].rank is None
    assert answered([golden], {"q": [hit("x2"), hit("x3", doc_id="x1")]}).queries[0].rank == 2


def test_text_that_a_hit_must_show() -> None:
    hits = [hit("a", snippet="Refresh\n Token expired"), hit("b", summary="so we Retry")]
    (both,) = answered([ask("q", "b", must_contain=("refresh token", "RETRY", "nowhere"))], {"q": hits}).queries
    assert both.rank == 2  # the hit that is expected, not the one that holds the text
    assert both.found == ("refresh token", "RETRY", "b")
    assert both.missing == ("nowhere",)
    (alone,) = answered([ask("q", must_contain=("retry",))], {"q": hits}).queries
    assert (alone.rank, alone.answerable) == (2, True)


# --- numbers ----------------------------------------------------------------------------------------------


def test_metrics() -> None:
    golden = [
        ask("first", "p1", group="a"),
        ask("fourth", "p4", "p9", "p77", group="a"),
        ask("eleventh", "p11", group="b"),
        ask("nothing", "p1", group="b"),
        ask("unanswerable", forbidden=(Target("p2", ANY), Target("p99", ANY))),
    ]
    hits = [hit(f"p{n}") for n in range(1, 13)]
    outcome = answered(golden, {"first": hits, "fourth": hits, "eleventh": hits, "unanswerable": hits})
    assert outcome.metrics == {
        "queries": 5,
        "answerable": 4,
        "hit@1": 0.25,
        "hit@3": 0.25,
        "hit@5": 0.5,
        "hit@10": 0.5,
        "mrr": 0.3125,
        "recall@10": 0.4167,
        "empty_result_rate": 0.25,
        "forbidden_violations": 1,
    }
    assert [one.rank for one in outcome.queries] == [1, 4, None, None, None]
    assert outcome.queries[1].found == ("p4", "p9")
    assert outcome.queries[1].missing == ("p77",)
    assert outcome.queries[4].forbidden == ("p2",)
    assert list(outcome.groups) == ["a", "b"]
    assert outcome.groups["a"]["hit@5"] == 1.0
    assert outcome.groups["b"]["mrr"] == 0.0


def test_without_an_answerable_question_there_is_nothing_to_measure() -> None:
    metrics = answered([ask("q")], {"q": [hit()]}).metrics
    assert metrics["hit@1"] is metrics["mrr"] is metrics["recall@10"] is metrics["empty_result_rate"] is None
    assert metrics["forbidden_violations"] == 0
    assert answered([], {}).groups == {}


# --- a baseline -------------------------------------------------------------------------------------------


def test_what_got_worse() -> None:
    hits = [hit(f"p{n}") for n in range(1, 6)]
    golden = [ask("q7", "p1"), ask("q8", "p2"), ask("q9", "p3", "p5"), ask("q1", forbidden=(Target("p9", ANY),))]
    before = answered(golden, {one.id: hits for one in golden})
    after = answered(
        golden,
        {
            "q7": [*hits[1:4], hits[0]],
            "q8": hits[2:],
            "q9": hits[:4],
            "q1": [hit("p9")],
        },
    )
    assert compare(before, before) == []
    assert compare(after, before) == [
        "hit@1: was 0.3333, now 0.0",
        "hit@3: was 1.0, now 0.3333",
        "hit@5: was 1.0, now 0.6667",
        "hit@10: was 1.0, now 0.6667",
        "mrr: was 0.6111, now 0.1944",
        "recall@10: was 1.0, now 0.5",
        "forbidden_violations: was 0, now 1",
        "q7: was at 1, now at 4",
        "q8: was at 2, now not in the top 10",
        "q9: no longer finds p5",
        "q1: now finds p9, which is forbidden",
    ]
    assert compare(before, after) == []


def test_new_and_changed_questions_are_no_loss() -> None:
    before = answered([ask("a", "p1"), ask("b", "p1")], {"a": [hit()], "b": [hit()]})
    after = answered([ask("a", "p1"), ask("b", "other"), ask("c", "p1")], {"a": [hit()]})
    assert compare(after, before) == []


def test_a_baseline_survives_json() -> None:
    outcome = answered([ask("a", "p1", "p2", group="g"), ask("b")], {"a": [hit("p2")]})
    data = json.loads(json.dumps(to_json(outcome)))
    assert data["schema"] == SCHEMA == "axm.golden.v1"
    assert data["queries"][0]["rank"] == 1
    assert from_json(data) == outcome


@pytest.mark.parametrize(
    "data", [None, [], {}, {"schema": "axm.golden.v0"}, {"schema": SCHEMA}, {"schema": SCHEMA, "queries": [1]}]
)
def test_what_is_no_baseline(data: Any) -> None:
    with pytest.raises(BadQuery) as refused:
        from_json(data)
    assert "save" in refused.value.hint


NAMES = st.sampled_from(["p1", "p2", "p3", "p4", "notes/rust.md", "rust.md:L12", "x"])


@given(st.lists(st.tuples(st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=14)), max_size=6))
def test_metrics_keep_their_order(cases: list[tuple[list[str], list[str]]]) -> None:
    golden = [ask(f"q{n}", *expected) for n, (expected, _) in enumerate(cases)]
    answers = {f"q{n}": [hit(name) for name in names] for n, (_, names) in enumerate(cases)}
    outcome = answered(golden, answers)
    if outcome.metrics["answerable"]:
        ordered = [outcome.metrics[name] or 0 for name in ("hit@1", "mrr", "hit@10")]
        assert ordered == sorted(ordered)
        assert 0 <= (outcome.metrics["recall@10"] or 0) <= (outcome.metrics["hit@10"] or 0)
    assert from_json(json.loads(json.dumps(to_json(outcome)))) == outcome
    assert compare(outcome, outcome) == []


@given(
    st.dictionaries(st.text(), st.none() | st.text() | st.integers() | st.dictionaries(st.text(), st.integers())),
    st.text(),
)
def test_any_hit_can_be_judged(found: dict[str, Any], expected: str) -> None:
    answered([ask("q", expected, must_contain=(expected,))], {"q": [found, hit(expected)]})
