"""Scratchpads and documents as pages: versions, an edit against another, and the lines that are cited."""

from __future__ import annotations

from pathlib import Path

import pytest

from axiommind.surfaces.web.prose import document
from tests.transcripts import World
from tests.web.conftest import Browser, words_of


@pytest.fixture
def pad(sample: World) -> str:
    memory = sample.memory()
    workflow = memory.workflows.create("Checkout rewrite")
    return memory.scratchpads.create(workflow.id, "Plan", "# Plan\n\none\ntwo\n").row.id


def test_a_scratchpad_is_edited_and_every_version_is_there(browser: Browser, pad: str) -> None:
    assert "Checkout rewrite" in browser.get("/scratchpads") and "Plan" in browser.get("/scratchpads", q="two")
    assert 'name="expect" value="1"' in browser.get(f"/scratchpads/{pad}", edit="")
    assert browser.post(f"/scratchpads/{pad}", act="save", expect="1", text="# Plan\n\none\nthree\n").status_code == 303
    page = browser.get(f"/scratchpads/{pad}", at="2")
    assert '<span class="row cut">two</span>' in page and '<span class="row add">three</span>' in page
    old = browser.get(f"/scratchpads/{pad}", at="1")
    assert "Make this the newest" in old
    assert browser.post(f"/scratchpads/{pad}", act="restore", at="1", expect="2").status_code == 303
    assert "two" in words_of(browser.get(f"/scratchpads/{pad}")) and 'id="L3"' in browser.get(
        f"/scratchpads/{pad}", raw=""
    )


def test_nobody_is_overwritten(browser: Browser, pad: str, sample: World) -> None:
    """Another wrote meanwhile: nothing is saved, both changes are shown, and what was typed is still there."""
    sample.memory().scratchpads.append(pad, "theirs")
    answer = browser.post(f"/scratchpads/{pad}", act="save", expect="1", text="# Plan\n\nmine\n")
    words = words_of(answer.text)
    assert answer.status_code == 409 and "Somebody wrote it meanwhile" in words
    assert "theirs" in words and ">mine\n</textarea>" in answer.text.replace("# Plan\n\n", ">")
    assert 'name="expect" value="2"' in answer.text
    assert "mine" not in sample.memory().scratchpads.show(pad).text
    assert browser.post(f"/scratchpads/{pad}", act="save", expect="2", text="both").status_code == 303
    assert browser.post(f"/scratchpads/{pad}", act="rename", expect="1", title="x").status_code == 409
    assert browser.post(f"/scratchpads/{pad}", act="save", expect="", text="x").status_code == 400


def test_workflows_and_scratchpads_are_created(browser: Browser, sample: World) -> None:
    made = browser.post("/scratchpads", act="workflow", name="Search in Korean")
    assert made.status_code == 303
    workflow = sample.memory().workflows.list()[0]
    assert workflow.name == "Search in Korean"
    assert browser.post("/scratchpads", act="pad", workflow=workflow.id, title="Notes").status_code == 303
    assert "Notes" in browser.get(made.headers["location"])


def test_a_document_opens_at_the_lines_that_are_cited(sample: World, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    text = "---\ntitle: Rates\n---\n# Rates\n\nOne.\n\n- a\n- b\n\nThe zephyr limit is sixty.\n"
    (folder / "rates.md").write_text(text, encoding="utf-8")
    sample.memory().documents.add([folder])
    browser = Browser(sample.memory())
    assert "Rates" in words_of(browser.get("/knowledge"))
    page = browser.get("/search", q="zephyr", kind="doc")
    where = page.partition('class="hit-main" href="')[2].partition('"')[0].replace("&amp;", "&")
    there = browser.get(where)
    cited = there.partition('class="is-cited"')[2]
    assert "zephyr limit" in cited and where.startswith("/knowledge/doc-")
    assert browser.get(f"{where}&raw").count('class="is-cited"') >= 1
    assert browser.refused("/knowledge/doc-none")[0] == 404


def test_blocks_of_a_document_know_their_lines() -> None:
    shown = document("---\na: 1\n---\n# T\n\np\n\n- x\n- y\n\n<script>alert(1)</script>\n", 8, 8)
    assert 'data-lines="1-3"' in shown and 'data-lines="4-4"' in shown
    assert '<div data-lines="8-10" class="is-cited">' in shown
    assert "<script>" not in shown
