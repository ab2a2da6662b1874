"""The web app in a real browser: what a person does there, with eyes, hands and keys."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from axiommind.callers import AGENT
from axiommind.errors import NeedsPerson
from axiommind.home import Scope
from tests.transcripts import Lines, World
from tests.web.chromium import (
    ARGUMENTS,
    ASKED,
    DISCOUNT,
    HOURLY,
    PAGES,
    Window,
    browser_or_skip,
    resident_bytes,
    served,
)

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::ResourceWarning")]

LIT = "(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString())"
Open = Callable[..., Window]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    api, path = browser_or_skip()
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium: Any, sample: World) -> Iterator[Open]:
    """Opens windows over the sample; none may have met an error, or asked anything of another machine."""
    opened: list[Window] = []
    with served(sample) as (base, code, _pid):

        def made(**how: Any) -> Window:
            opened.append(Window(chromium, base, code, **how))
            return opened[-1]

        yield made
        wrong = [line for one in opened for line in one.wrong]
        for one in opened:
            one.close()
    assert wrong == []


def test_from_a_search_to_the_words(window: Open) -> None:
    """Typed, found, opened at its line; and the claim beside it lights exactly what it rests on."""
    one = window()
    page = one.go("/search")
    page.locator("#q").press_sequentially("too many decimals")
    page.wait_for_selector(".hit mark")
    page.locator(".hit-main", has_text="decimals").first.click()
    page.wait_for_url("**/session/**")
    page.wait_for_selector(".turn.is-at")
    assert "too many decimals" in page.locator(".turn.is-at").inner_text()
    page.locator(".turn.is-at .note-card").first.hover()
    assert page.evaluate(LIT, "quote-now") == [
        "The temperatures have too many decimals",
        "Round them to one digit in both outputs",
    ]
    page.locator(".turn.is-at .note-card").first.click()
    page.wait_for_url("**/memory/ent_*")
    assert page.locator(".evidence mark").first.inner_text() == "The temperatures have too many decimals"
    page.get_by_text("In its session").first.click()
    page.wait_for_selector(".turn.is-at")
    assert page.evaluate(LIT, "quote-now") == [
        "The temperatures have too many decimals",
        "Round them to one digit in both outputs",
    ]


def test_a_claim_that_rests_on_what_a_tool_returned(window: Open, sample: World) -> None:
    entry = sample.memory().entries.list(Scope(None), session=DISCOUNT, kinds=("gotcha",))
    fixed = next(one.entry for one in entry if one.entry.title.startswith("Fixed"))
    page = window().go(f"/session/{DISCOUNT}?entry={fixed.entry_id}")
    page.wait_for_selector(".turn.tool.is-at details[open]")
    page.wait_for_function("() => CSS.highlights.get('quote-now')?.size > 0")
    assert any("TS2322" in words for words in page.evaluate(LIT, "quote-now"))


def test_a_proposal_is_confirmed(window: Open, sample: World) -> None:
    memory = sample.memory()
    entry = memory.entries.list(Scope(None), kinds=("gotcha",))[0].entry.entry_id
    with pytest.raises(NeedsPerson):
        memory.entries.promote(entry, "it held for a month", caller=AGENT)
    page = window().go("/")
    page.get_by_text("waiting for you").click()
    assert "it held for a month" in page.locator(".proposal").inner_text()
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Nothing waits for you").wait_for()
    assert memory.entries.show(entry).entry.stage == "verified"


def test_a_scratchpad_is_edited_against_another(window: Open, sample: World) -> None:
    memory = sample.memory()
    pad = memory.scratchpads.create(memory.workflows.create("w").id, "Plan", "# Plan\n\none\n").row.id
    page = window().go(f"/scratchpads/{pad}")
    page.keyboard.press("e")
    page.wait_for_selector("#pad-text")
    page.locator("#pad-text").fill("# Plan\n\nmine\n")
    memory.scratchpads.append(pad, "theirs")
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Somebody wrote it meanwhile").wait_for()
    assert page.locator("#pad-text").input_value() == "# Plan\n\nmine\n"
    assert "theirs" in page.locator(".diff").first.inner_text()
    page.locator("#pad-text").fill("# Plan\n\nmine\n\ntheirs\n")
    page.get_by_role("button", name="Save on top of").click()
    page.get_by_text("version 3").first.wait_for()
    assert memory.scratchpads.show(pad).text == "# Plan\n\nmine\n\ntheirs\n"


def test_by_keys_alone(window: Open) -> None:
    one = window()
    page = one.go("/")
    keys = page.keyboard

    def press(*names: str) -> None:
        for name in names:
            keys.press(name)

    press("g", "s")
    page.wait_for_url("**/sessions")
    press("j", "j", "k", "Enter")
    page.wait_for_url("**/session/**")
    press("n")
    page.wait_for_selector(".turn.person.is-at")
    page.goto(f"{one.base}/session/{HOURLY}")
    press("e")
    page.wait_for_selector(".turn.is-at")
    page.wait_for_function("() => CSS.highlights.get('quote-now')?.size > 0")
    press("/")
    keys.type("decimals")
    press("Enter")
    page.wait_for_url("**/search?q=decimals**")
    press("Escape", "j", "x")
    page.wait_for_selector(".hit details[open]")
    press("Control+k")
    keys.type("rounding")
    page.wait_for_selector("#palette-list li:has-text('session')")
    press("ArrowDown", "ArrowUp", "Enter")
    page.wait_for_url("**/session/**")
    press("?")
    page.wait_for_selector("#keys[open]")
    press("Escape", "g", "m")
    page.wait_for_url("**/memory")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    press(".")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    press("Tab", "Tab")
    assert page.evaluate("document.activeElement.matches('a, button, input, select')")


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_every_page_is_accessible(window: Open, sample: World, look: str) -> None:
    """axe finds nothing to complain about, nothing is wider than the screen, no error and no request elsewhere."""
    if not Path(ASKED["AXE"]).is_file():
        pytest.skip("axe-core is not there: make test-web fetches it")
    axe = Path(ASKED["AXE"]).read_text(encoding="utf-8")
    memory = sample.memory()
    entry = memory.entries.list(Scope(None))[0].entry.entry_id
    with pytest.raises(NeedsPerson):
        memory.entries.promote(entry, "it held", to="certified", caller=AGENT)
    pad = memory.scratchpads.create(memory.workflows.create("w").id, "Plan", "# Plan\n\n- one\n").row.id
    task = memory.tasks.list(Scope(None))[0].task_id
    more = (f"/memory/{entry}", f"/tasks/{task}", f"/scratchpads/{pad}", f"/scratchpads/{pad}?edit")
    how: dict[str, Any] = {"color_scheme": "dark" if look == "dark" else "light"}
    if look == "phone":
        how |= {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    one = window(**how)
    found = []
    for path in (*PAGES, *more):
        page = one.go(path)
        page.evaluate(axe)
        told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for wrong in told["violations"]:
            found.append(f"{path}: {wrong['id']}: {[node['target'] for node in wrong['nodes']][:3]}")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
            found.append(f"{path}: wider than the screen")
    assert not found, "\n".join(found)


def test_a_transcript_does_nothing(chromium: Any, world: World) -> None:
    """Scripts, handlers and addresses in a transcript are letters on a page."""
    bad = (
        '<script>alert("x")</script><img src="http://evil.example/x.png" onerror="alert(1)">'
        "[go](javascript:alert(2)) ![i](http://evil.example/i.png) <svg onload=alert(3)>"
    )
    lines = Lines("s1")
    lines.prompt(bad)
    lines.answer({"type": "text", "text": f"{bad}\n\n```html\n{bad}\n```"})
    lines.tool("Bash", "t1", command=bad, description=bad)
    lines.result("t1", bad, error=True)
    lines.add("summary", summary=bad)
    world.write(lines)
    world.memory().index()
    world.memory().scratchpads.create(world.memory().workflows.create(bad[:100]).id, bad[:90], bad)
    pad = world.memory().scratchpads.list()[0].id
    with served(world) as (base, code, _pid):
        one = Window(chromium, base, code)
        for path in ("/", "/sessions", "/session/s1", "/search?q=alert", "/scratchpads", f"/scratchpads/{pad}"):
            page = one.go(path)
            page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
            page.wait_for_timeout(200)
            assert (
                page.evaluate("document.querySelectorAll('main script, main img[onerror], main [onload]').length") == 0
            )
        assert "<script>alert" in one.go("/session/s1").locator(".turn.person").inner_text()
        assert one.wrong == []
        one.close()


def test_twenty_thousand_messages(chromium: Any, world: World) -> None:
    """The page holds what is near, not the session; any place of it is a jump away."""
    lines = Lines("long")
    for n in range(5_000):
        lines.prompt(f"prompt number {n}", at=n)
        lines.tool("Bash", f"t{n}", at=n, command=f"echo {n}")
        lines.result(f"t{n}", f"said {n}", at=n)
        lines.answer({"type": "text", "text": f"answer number {n}"}, at=n)
    world.write(lines)
    world.memory().index()
    with served(world) as (base, code, _pid):
        one = Window(chromium, base, code)
        page = one.go("/session/long")
        assert len(page.evaluate("document.getElementById('minimap').dataset.outline")) == 15_000
        assert page.locator(".turn").count() <= 400
        size = page.evaluate("document.documentElement.scrollHeight")
        for share in (0.1, 0.35, 0.6, 0.85, 1):
            page.evaluate("(share) => scrollTo(0, document.documentElement.scrollHeight * share)", share)
            page.wait_for_function(
                "() => [...document.querySelectorAll('.turn')].some((one) => {"
                " const box = one.getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0; })"
            )
        assert page.locator(".turn").count() <= 2_500
        assert 0.3 < page.evaluate("document.documentElement.scrollHeight") / size < 3
        page.goto(f"{base}/session/long?at=14990")
        page.wait_for_selector("#n14990.is-at, #n14990")
        page.keyboard.press("n")
        page.wait_for_function("() => document.querySelector('.turn.is-at')")
        assert one.wrong == []
        one.close()


def test_work_is_told_as_it_happens(window: Open, sample: World) -> None:
    one = window()
    page = one.go("/health")
    page.get_by_role("button", name="Read what is new").click()
    page.get_by_text("unchanged").wait_for()
    home = one.go("/")
    lines = Lines("fresh", cwd="/home/dev/teashop")
    lines.prompt("What is new?")
    sample.write(lines, folder="-home-dev-teashop")
    sample.memory().index()
    home.get_by_text("There is something newer").click()
    home.get_by_text("What is new?").first.wait_for()


def test_memory_stays_flat(sample: World) -> None:
    """A thousand pages later the server holds no more than after the first few hundred."""
    browser_or_skip()
    with served(sample, MALLOC_ARENA_MAX="2") as (base, code, pid):
        port = urlsplit(base).port
        paths = [path for path in PAGES if path not in ("/health", "/nothing-here")]

        def look(count: int) -> None:
            with closing(http.client.HTTPConnection("127.0.0.1", port or 80, timeout=60)) as line:
                for n in range(count):
                    line.request("GET", paths[n % len(paths)], headers={"Authorization": f"Bearer {code}"})
                    answer = line.getresponse()
                    assert answer.status == 200, paths[n % len(paths)]
                    answer.read()

        look(300)
        before = resident_bytes(pid)
        look(1_000)
        after = resident_bytes(pid)
    print(json.dumps({"warm_mb": round(before / 1e6, 1), "after_1000_mb": round(after / 1e6, 1)}))
    assert after < before * 1.1 and after < 150_000_000
