"""Search as a page: hits lead to their place, unfold into what an agent would read, and say why."""

from __future__ import annotations

import re

from tests.transcripts import World
from tests.web.conftest import Browser, words_of


def test_a_hit_leads_to_its_line(browser: Browser) -> None:
    page = browser.get("/search", q="too many decimals", kind="prompt")
    assert "<mark>" in page
    where = re.search(r'class="hit-main" href="([^"]+)"', page)
    assert where is not None
    there = browser.get(where[1].replace("&amp;", "&"))
    target = re.search(r'data-target="(\d+)"', there)
    assert target is not None
    item = there.partition(f'id="n{target[1]}"')[2].partition("</article>")[0]
    assert "too many decimals" in item


def test_every_kind_of_hit_leads_somewhere(browser: Browser) -> None:
    for kind in ("prompt", "response", "tool", "insight", "summary"):
        page = browser.get("/search", q="test cart discount hourly", kind=kind)
        for where in re.findall(r'class="hit-main" href="([^"]+)"', page):
            if not where.startswith("/memory/"):
                browser.get(where.replace("&amp;", "&"))


def test_a_hit_unfolds_into_layers(browser: Browser) -> None:
    page = browser.get("/search", q="decimals")
    for layer in ("around", "full"):
        load = re.search(rf'data-load="(/search/{layer}/[^"]+)"', page)
        assert load is not None
        assert "decimals" in browser.part(load[1]) and "tokens" in browser.part(load[1])
    assert "Why" in page and "passages)" in page
    assert "Copy citation" in page and "claude --resume" in page


def test_filters_and_what_is_half_typed(browser: Browser) -> None:
    assert "Nothing like that" in words_of(browser.get("/search", q="zzzqqq"))
    assert "decimals" in words_of(browser.part("/search", q="decimals", provenance="person"))
    assert "there is no kind" in browser.part("/search", q="kind:nonsense x").lower()
    assert browser.part("/search", q='"').startswith("\n") or browser.part("/search", q='"')
    assert "<html" not in browser.part("/search", q="decimals")
    assert words_of(browser.get("/search", q="cart", group="session"))


def test_sessions_page_by_page(browser: Browser) -> None:
    page = browser.get("/sessions")
    assert page.count('class="item"') == 6
    assert words_of(browser.get("/sessions", words="CART")).count("cart") >= 2
    assert "No such session" in browser.get("/sessions", words="zzz")
    assert browser.get("/sessions", after="junk.junk")


def test_home_tells_what_happened_lately(browser: Browser) -> None:
    words = words_of(browser.get("/"))
    assert "6 sessions" in words and "Stale total on the cart page" in words and "always write the test" in words
    assert "dev/teashop" in words
    words = words_of(browser.get("/", project="/home/dev/skycast"))
    assert "Stale total" not in words and "skycast" in words
    assert browser.refused("/", project="/nowhere")[0] == 404


def test_a_home_without_anything_says_what_to_do(world: World) -> None:
    browser = Browser(world.memory())
    assert "Nothing here yet" in words_of(browser.get("/"))
    for path in ("/search?q=x", "/scratchpads", "/knowledge", "/overview", "/recall", "/health", "/health/checks"):
        assert browser.client.get(path).status_code == 200, path
    for path in ("/sessions", "/memory", "/tasks", "/overview/files", "/health/figures"):
        status, words = browser.refused(path)
        assert status == 404 and "axm index" in words, path
