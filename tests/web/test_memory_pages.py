"""Memory as pages: claims with their evidence, and a person's word on them, all through the library."""

from __future__ import annotations

import re

import pytest

from axiommind.callers import AGENT
from axiommind.errors import NeedsPerson
from axiommind.home import Scope
from tests.learning.sessions import Session
from tests.transcripts import World
from tests.web.conftest import Browser, words_of


@pytest.fixture
def entry(sample: World) -> str:
    return sample.memory().entries.list(Scope(None), kinds=("gotcha",))[0].entry.entry_id


def test_memory_lists_by_stage_and_filters(browser: Browser) -> None:
    words = words_of(browser.get("/memory"))
    assert "always write the test before the fix" in words and "verified" in words
    assert "always write the test" not in words_of(browser.get("/memory", stage="candidate"))
    assert "Nothing like that was learned" in words_of(browser.get("/memory", status="deprecated"))
    assert browser.get("/memory", limit="1").count('class="item"') == 1


def test_an_entry_shows_its_words_where_they_were_said(browser: Browser, entry: str, sample: World) -> None:
    page = browser.get(f"/memory/{entry}")
    shown = sample.memory().entries.show(entry)
    assert all(f"<mark>{one.quote[:20]}" in page.replace("&#39;", "'") for one in shown.quotes)
    where = re.search(rf'href="(/session/[^"]+entry={entry})"', page)
    assert where is not None and "data-target" in browser.get(where[1])
    assert "memory extracted" in browser.part(f"/memory/{entry}/events")
    assert browser.client.get(f"/memory/{entry[4:10]}", follow_redirects=False).headers["location"].endswith(entry)
    assert browser.refused("/memory/ent_nothing")[0] == 404


def test_a_person_vouches_contests_rejects_and_restores(browser: Browser, entry: str, sample: World) -> None:
    for act, stage, status in (
        ("promote", "verified", "active"),
        ("undo-promotion", "candidate", "active"),
        ("contested", "candidate", "contested"),
        ("restored", "candidate", "active"),
        ("deprecated", "candidate", "deprecated"),
        ("restored", "candidate", "active"),
    ):
        assert browser.post(f"/memory/{entry}", act=act, reason=f"because {act}").status_code == 303, act
        now = sample.memory().entries.show(entry).entry
        assert (now.stage, now.status) == (stage, status), act
    words = words_of(browser.get(f"/memory/{entry}"))
    assert "because contested" in words and "because restored" in words


def test_a_word_without_a_reason_or_out_of_place_changes_nothing(browser: Browser, entry: str) -> None:
    assert browser.post(f"/memory/{entry}", act="promote", reason=" ").status_code == 400
    assert browser.post(f"/memory/{entry}", act="explode", reason="x").status_code == 400
    answer = browser.post(f"/memory/{entry}", act="restored", reason="x")
    assert answer.status_code == 400 and "nothing to undo" in words_of(answer.text)


def test_one_claim_supersedes_another(browser: Browser, entry: str, sample: World) -> None:
    other = sample.memory().entries.list(Scope(None), kinds=("convention",))[0].entry
    assert browser.post(f"/memory/{entry}", act="superseded", other=other.entry_id, reason="newer").status_code == 303
    assert f"Superseded by {other.title}" in words_of(browser.get(f"/memory/{entry}"))


def test_a_proposal_is_confirmed_or_declined(browser: Browser, entry: str, sample: World) -> None:
    memory = sample.memory()
    with pytest.raises(NeedsPerson):
        memory.entries.promote(entry, "it held", caller=AGENT)
    with pytest.raises(NeedsPerson):
        memory.entries.rule(entry, "contested", "it did not", caller=AGENT)
    page = browser.get("/memory/proposals")
    assert words_of(page).count("Confirm") == 2 and "waiting for you" in words_of(browser.get("/"))
    first, second = [one.id for one in memory.proposals.list(Scope(None))]
    assert browser.post(f"/memory/proposals/{first}", act="confirm").status_code == 303
    assert browser.post(f"/memory/proposals/{second}", act="decline", reason="no").status_code == 303
    assert memory.entries.show(entry).entry.stage == "verified"
    assert [one.status for one in memory.proposals.list(Scope(None), every=True)] == ["confirmed", "declined"]
    assert "Nothing waits for you" in words_of(browser.get("/memory/proposals"))
    assert browser.post(f"/memory/proposals/{first}", act="confirm").status_code == 400


def test_a_conflict_is_settled_side_by_side(world: World) -> None:
    """What a person vouched for, and what was said against it later."""
    first, second = Session("first"), Session("second")
    first.ask("Where should the log live?", "SQLite")
    world.write(first)
    memory = world.memory()
    memory.index()
    memory.learning.run(extractor="rules")
    (kept,) = memory.entries.list(Scope(None))
    memory.entries.promote(kept.entry.entry_id, "we run it", to="certified")
    second.answer("later")
    second.ask("Where should the log live?", "PostgreSQL")
    world.write(second)
    memory.index()
    memory.learning.run(extractor="rules")
    browser = Browser(world.memory())
    (conflict,) = memory.conflicts.list(Scope(None))
    words = words_of(browser.get("/memory/conflicts"))
    assert words.count("Keep this") == 2 and "SQLite" in words and "PostgreSQL" in words
    where = f"/memory/conflicts/{conflict['conflict_id']}"
    assert browser.post(where, keep=conflict["newer_id"], reason="we moved").status_code == 303
    assert memory.entries.show(conflict["older_id"]).entry.status == "superseded"
    assert "No claims are in conflict" in browser.get("/memory/conflicts")
    assert "superseded" in words_of(browser.get("/memory/conflicts", all="1"))


def test_tasks_as_a_board_and_one_by_one(browser: Browser, sample: World) -> None:
    task = sample.memory().tasks.list(Scope(None), statuses=("pending",))[0]
    assert task.title in words_of(browser.get("/tasks"))
    assert task.title in words_of(browser.get(f"/tasks/{task.task_id}"))
    assert browser.post(f"/tasks/{task.task_id}", act="set", status="in_progress", priority="high").status_code == 303
    now = sample.memory().tasks.show(task.task_id).task
    assert (now.status, now.priority) == ("in_progress", "high")
    assert browser.post(f"/tasks/{task.task_id}", act="set", status="done").status_code == 303
    assert browser.post(f"/tasks/{task.task_id}", act="reopen").status_code == 303
    assert browser.post(f"/tasks/{task.task_id}", act="explode").status_code == 400
    assert browser.get("/tasks", status="dormant") and browser.refused("/tasks/none")[0] == 404
