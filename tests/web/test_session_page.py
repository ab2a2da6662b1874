"""A session as it is read: in order, whole in outline, in stretches as one scrolls, and nothing in it acts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from axiommind.home import Scope
from axiommind.surfaces.web.pages.session import STRETCH
from tests import served
from tests.transcripts import Lines, World
from tests.web.conftest import Browser, elements_of, words_of

HOURLY = "db5b5fab-8f4d-4e27-9da1-494c73cf256d"
DISCOUNT = "b39cfd4b-8abe-4d78-8520-10116895cea8"
HOSTILE = """<script>alert(1)</script> <img src=x onerror=alert(1)> [go](javascript:alert(1)) ![i](http://evil.example/x)
<a href="javascript:alert(2)" style="position:fixed">x</a>

```html
<script>alert(3)</script>
```"""


def test_a_session_reads_in_order(browser: Browser) -> None:
    page = browser.get(f"/session/{HOURLY}")
    words = words_of(page)
    told = ["Add an --hourly flag", "I'll look at how the daily forecast is built first", "run the tests and commit"]
    assert [words.index(one) for one in told] == sorted(words.index(one) for one in told)
    assert "Copy resume command" in page and "claude --resume" in page
    assert words.count("prompts") and "at list prices" in words


def test_the_beginning_of_an_id_will_do(browser: Browser) -> None:
    answer = browser.client.get("/session/db5b5fab", follow_redirects=False)
    assert answer.headers["location"] == f"/session/{HOURLY}"
    status, words = browser.refused("/session/zzz")
    assert status == 404 and "zzz" in words


def test_each_claim_carries_its_exact_words(browser: Browser, sample: World) -> None:
    """What lights up is what the claim rests on: the span of its evidence, read from the log."""
    page = browser.get(f"/session/{HOURLY}")
    lit = dict.fromkeys(
        (entry, quote)
        for found in re.findall(r'data-quotes="([^"]*)"', page)
        for entry, quote in json.loads(found.replace("&#34;", '"').replace("&#39;", "'"))
    )
    memory = sample.memory()
    entries = memory.entries.list(Scope(None), session=HOURLY, every=True)
    shown = {one.entry.entry_id: memory.entries.show(one.entry.entry_id) for one in entries}
    assert lit and {entry for entry, _ in lit} == set(shown)
    for entry, quote in lit:
        assert quote in [one.quote for one in shown[entry].quotes]


def test_an_edit_is_a_diff_and_a_subagent_is_nested(browser: Browser) -> None:
    page = browser.get(f"/session/{DISCOUNT}")
    assert 'class="row add"' in page and 'class="row cut"' in page
    child = re.search(r'data-load="(/session/agent-[^"]+)"', page)
    assert child is not None
    nested = words_of(browser.part(child[1].replace("&amp;", "&")))
    assert "Nothing in the shop returns null" in nested and "Survey" in page
    assert "Compacted (manual): 48210 → 6120 tokens" in words_of(page)


def test_all_of_a_tool_use_is_fetched_when_it_is_asked_for(browser: Browser) -> None:
    page = browser.get(f"/session/{HOURLY}")
    call = re.search(r'data-load="(/call/\d+)"', page)
    assert call is not None
    assert "Given" in browser.part(call[1])
    assert browser.refused("/call/1")[0] == 404


@pytest.fixture
def hostile(world: World) -> Browser:
    lines = Lines("s1")
    lines.prompt(HOSTILE, timestamp="2026-01-01T10:00:00Z")
    lines.answer({"type": "text", "text": HOSTILE})
    lines.tool("Bash", "t1", command=HOSTILE, description=HOSTILE)
    lines.result("t1", HOSTILE, error=True)
    lines.tool("Edit", "t2", file_path=f"/x/{HOSTILE}.py", old_string=HOSTILE, new_string=HOSTILE + "!")
    lines.result("t2", HOSTILE)
    world.write(lines)
    world.memory().index()
    return Browser(world.memory())


def test_a_transcript_is_text_and_nothing_else(hostile: Browser) -> None:
    """Whatever it holds, no element and no address of it gets into a page."""
    call = re.search(r'data-load="(/call/\d+)"', hostile.get("/session/s1"))
    assert call is not None
    pages = ["/session/s1", "/session/s1/from/0", call[1], "/search?q=alert", "/sessions", "/"]
    for path in pages:
        for tag, attributes in elements_of(hostile.get(path)):
            names = {name: value or "" for name, value in attributes}
            assert not [name for name in names if name.startswith("on") or name == "style"], (path, tag, names)
            assert names.get("src", "/static/").startswith("/static/"), (path, tag, names)
            assert tag != "script" or "src" in names, path
            assert re.match(r"(https?:/)?/|#|mailto:|\?|$", names.get("href", "")), (path, tag, names)
    assert "alert(1)" in words_of(hostile.get("/session/s1"))


def test_a_long_session_is_an_outline_and_stretches(world: World) -> None:
    lines = Lines("s1")
    for n in range(4 * STRETCH):
        lines.prompt(f"prompt number {n}")
    world.write(lines)
    world.memory().index()
    browser = Browser(world.memory())
    page = browser.get("/session/s1")
    assert "prompt number 3" in page and f"prompt number {STRETCH + 1}<" not in page
    assert page.count('class="stretch"') == 4
    outline = re.search(r'data-outline="(\w+)"', page)
    assert outline is not None and outline[1] == "p" * 4 * STRETCH
    assert f"prompt number {2 * STRETCH}" in browser.part(f"/session/s1/from/{2 * STRETCH}")
    there = browser.get("/session/s1", at=3 * STRETCH + 2)
    assert f"prompt number {3 * STRETCH + 2}" in there and f'data-target="{3 * STRETCH + 2}"' in there
    cited = browser.get("/session/s1", line=2 * STRETCH)
    assert f"prompt number {2 * STRETCH - 1}" in cited


def test_a_session_as_a_file(browser: Browser) -> None:
    answer = browser.client.get(f"/session/{HOURLY}/export.md")
    assert answer.headers["content-disposition"] == 'attachment; filename="session-db5b5fab.md"'
    assert "Add an --hourly flag" in answer.text
    assert browser.client.get(f"/session/{HOURLY}/export.exe").status_code == 404


def test_a_session_is_forgotten(browser: Browser, sample: World) -> None:
    """Asked first, done on a tick, and then it is nowhere."""
    assert "Purge it, everywhere" in browser.get(f"/session/{HOURLY}/forget")
    assert browser.post(f"/session/{HOURLY}/forget").status_code == 400
    assert browser.get(f"/session/{HOURLY}")
    done = browser.post(f"/session/{HOURLY}/forget", sure="yes", reason="not mine")
    assert done.status_code == 200 and "nothing was found" in words_of(done.text)
    assert browser.refused(f"/session/{HOURLY}")[0] == 404
    assert "decimals" not in browser.part("/search", q="decimals").partition("<ul")[2]
    assert sample.memory().verify() == []
    reading = Browser(sample.memory(), is_person=False)
    assert reading.refused(f"/session/{DISCOUNT}/forget")[0] == 403


def test_what_the_agent_was_given_and_what_it_used(tmp_path: Path) -> None:
    world = served.made(tmp_path)
    served.spool(world, served.line(items=[served.item(world)]))
    world.memory().index()
    browser = Browser(world.memory())
    words = words_of(browser.get("/session/now"))
    assert "Given to the agent at a prompt: 1 thing" in words
    given = words_of(browser.part("/session/now/given"))
    assert "came up" in given and "at a prompt" in given
    at = re.search(r'href="/session/now\?given=(\d+)"', browser.part("/session/now/given"))
    assert at is not None and 'data-target="0"' in browser.get("/session/now", given=at[1])
    item = re.search(r'href="(/given/\w+)"', browser.part("/session/now/given"))
    assert item is not None
    there = browser.client.get(item[1], follow_redirects=False).headers["location"]
    assert there.startswith("/session/old?") and "retry_budget" in browser.get(there)
    assert "Given to agents" in browser.get("/")


def test_what_a_person_was_asked_reads_as_questions(world: World) -> None:
    lines = Lines("s1")
    options = [{"label": "SQLite", "description": "one file"}, {"label": "PostgreSQL"}]
    lines.tool("AskUserQuestion", "t1", questions=[{"question": "Where should the log live?", "options": options}])
    lines.result("t1", "SQLite")
    lines.tool("AskUserQuestion", "t2", questions="of another form")
    lines.tool("AskUserQuestion", "t3", questions=[{"question": "And?", "options": 3}, 4, {"question": None}])
    lines.tool("Task", "t4", prompt=["no", "text"], description={"a": 1})
    lines.tool("Task", "t5", model=1)
    lines.tool("TodoWrite", "t6", todos={"content": "x"})
    lines.tool("TodoWrite", "t7", todos=[1, {"content": ["y"]}])
    lines.tool("Edit", "t8", file_path=3, old_string=4, new_string=None)
    lines.tool("Bash", "t9", command=["ls"])
    world.write(lines)
    world.memory().index()
    words = words_of(Browser(world.memory()).get("/session/s1"))
    assert "AskUserQuestion Where should the log live?" in words and "SQLite PostgreSQL" in words
    assert "of another form" in words
