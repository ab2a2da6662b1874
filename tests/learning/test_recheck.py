"""`axm recheck`: a checker that could not answer is asked again, and entries rise by what it says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from axiommind.learning import pipeline
from axiommind.learning.checks import SILENT, Checked, CheckerReport, Verdict
from axiommind.memory import Scope
from tests.http_server import Server, sends
from tests.learning.saying import SAID, Saying, claim, run
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import World

ALL = Scope(None)
base = World.environ.fget  # type: ignore[attr-defined]


@pytest.fixture
def spoken(world: World) -> World:
    session = Session("s")
    session.prompt(SAID)
    session.answer("Noted: the log is in SQLite.")
    world.write(session)
    world.memory().index()
    return world


def test_a_checker_that_failed_is_asked_again(spoken: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: Any, **__: Any) -> Checked:
        return Checked((), {}, False, "builtin", "idris2 gave no verdict")

    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "check", silent)
        run(spoken, Saying(claim()))
    assert spoken.rows("select stage, verified_by from entries") == [("candidate", None)]
    planned = spoken.memory().entries.recheck(ALL, dry_run=True)
    assert (planned.unchecked, planned.passed, planned.changed) == (1, 0, 0)
    assert spoken.one("select stage from entries") == "candidate"
    report = spoken.memory().entries.recheck(ALL)
    assert (report.unchecked, report.passed, report.changed, report.notes) == (1, 1, 1, ())
    assert spoken.rows("select stage, verified_by from entries") == [("verified", "builtin")]
    assert spoken.memory().entries.recheck(ALL).unchecked == 0
    assert spoken.memory().verify() == []


def test_a_checker_that_says_nothing_is_one_line_in_doctor(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("s1", "s2", "s3"):
        session = Session(name)
        session.prompt(SAID)
        session.answer("Noted: the log is in SQLite.")
        world.write(session)
    world.memory().index()

    def silent(candidates: Any, **__: Any) -> Checked:
        verdicts = {one.entry_id: Verdict(False, ("checkers_agree",)) for one in candidates}
        report = CheckerReport("idris2", "0.8.0", False, 0.0, "it hung")
        return Checked((report,), verdicts, False, "builtin", f"{SILENT}it hung")

    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "check", silent)
        report = run(world, Saying(claim()))
    assert [note for note in report.notes if "verdict" in note] == [
        "Idris 2 gave no verdict, so what was checked stays a candidate: axm doctor shows more"
    ]

    def told() -> list[str]:
        return [line for line in axm(world, "doctor").stdout.splitlines() if "verdict" in line or "agree" in line]

    assert told() == ["! checker: Idris 2 gave no verdict on 3 sessions: it hung"]
    assert world.memory().entries.recheck(ALL).passed
    assert told() == []


def test_what_was_refused_for_what_it_says_is_not_asked_about_again(spoken: World) -> None:
    run(spoken, Saying(claim(rationale="")))
    assert spoken.rows("select stage, verified_by from entries") == [("candidate", None)]
    entry = spoken.one("select entry_id from entries")

    def written() -> int:
        with spoken.memory().home.writing([]) as (log, _, _):
            return log.last_position()

    before = written()
    for _ in range(2):
        report = spoken.memory().entries.recheck(ALL)
        assert (report.unchecked, report.passed, report.changed) == (0, 0, 0)
        assert report.refused == ((entry, "The log", ("decision_has_rationale",)),)
    assert written() == before
    shown = json.loads(axm(spoken, "recheck", "--json", "--all-projects").stdout)
    assert shown["refused"] == [{"entry_id": entry, "title": "The log", "reasons": ["decision_has_rationale"]}]
    said = axm(spoken, "recheck", "--all-projects").stderr
    assert f"Refused: {entry} fails “decision has rationale”: The log\n" in said


def test_without_a_model_nobody_is_asked(spoken: World) -> None:
    model = Saying(claim())
    model.name, model.is_measured = "openai", False
    run(spoken, model)
    done = axm(spoken, "recheck", "--json", "--all-projects")
    shown = json.loads(done.stdout)
    assert (shown["schema"], shown["unasked"], shown["supported"]) == ("axm.recheck.v1", 1, 0)
    assert "no model is chosen" in shown["notes"][0]
    assert "1 entry of a model" in axm(spoken, "recheck", "--all-projects").stderr
    assert "Would check" in axm(spoken, "recheck", "--dry-run", "--all-projects").stderr


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.mark.parametrize(
    ("support", "undone_by", "expected"),
    [
        ("supported", None, ("verified", "active", "supported")),
        ("unsupported", None, ("candidate", "active", "unsupported")),  # a person's words stay, and are marked
        ("supported", 1, ("raw", "withdrawn", "supported")),
    ],
)
def test_a_model_is_asked_whether_the_words_bear_it_out(
    spoken: World, server: Server, monkeypatch: pytest.MonkeyPatch, support: str, undone_by: int | None, expected: Any
) -> None:
    model = Saying(claim())
    model.name, model.is_measured = "openai", False
    run(spoken, model)
    entry = spoken.one("select entry_id from entries")
    verdict = {"id": entry, "support": support, "undoneBy": undone_by}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    message = {"role": "assistant", "content": json.dumps({"verdicts": [verdict]})}
    server.replies = [
        sends(200, {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})
    ]
    names = {"EXTRACTOR": "openai", "EXTRACT_URL": server.url, "EXTRACT_MODEL": "m"}
    for name, value in names.items():
        monkeypatch.setenv(f"AXM_{name}", value)
    monkeypatch.setattr(
        World, "environ", property(lambda w: base(w) | {k: v for k, v in os.environ.items() if k.startswith("AXM_EX")})
    )
    report = spoken.memory().entries.recheck(ALL)
    assert report.unasked == 1 and report.notes == ()
    stage, status, said = spoken.rows("select stage, status, support from entries")[0]
    assert (status, said) == expected[1:] and (status == "withdrawn" or stage == expected[0])
    assert spoken.memory().entries.recheck(ALL).unasked == 0
    assert spoken.memory().verify() == []
    assert any("bear it out" in line for line in axm(spoken, "entry", "why", entry).stdout.splitlines())
