"""The web app over a home of one's own: with the gate in front, as a browser meets it, and without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from axiommind.callers import AGENT, Caller
from axiommind.memory import Memory
from tests.transcripts import World

pytest.importorskip("jinja2", reason="the extra web is not installed")
pytest.importorskip("nh3", reason="the extra web is not installed")

from starlette.testclient import TestClient

from axiommind.surfaces.serving.access import Address
from axiommind.surfaces.web.app import app_of, gated
from axiommind.surfaces.web.entrance import Entrance
from axiommind.surfaces.web.site import Site

PORT = 8788
BASE = f"http://127.0.0.1:{PORT}"


class Browser:
    """A page at a time, by somebody who has come in."""

    def __init__(self, memory: Memory, *, is_person: bool = True) -> None:
        caller = Caller.person("a test") if is_person else AGENT
        self.site = Site(memory, caller)
        self.client = TestClient(app_of(self.site))

    def get(self, path: str, **params: Any) -> str:
        answer = self.client.get(path, params=params or None)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:2000]}"
        return str(answer.text)

    def part(self, path: str, **params: Any) -> str:
        return str(self.client.get(path, params=params or None, headers={"x-part": "1"}).text)

    def refused(self, path: str, **params: Any) -> tuple[int, str]:
        answer = self.client.get(path, params=params or None)
        return answer.status_code, words_of(answer.text)

    def post(self, path: str, **form: str) -> Any:
        given = {"form_token": self.site.entrance.form_token, **form}
        return self.client.post(path, data=given, follow_redirects=False)


class Outside:
    """Whoever comes to the gate, with whatever headers."""

    def __init__(self, memory: Memory, *, public_url: str = "") -> None:
        self.entrance = Entrance()
        site = Site(memory, Caller.person("a test"), entrance=self.entrance)
        self.gate = gated(site, Address("127.0.0.1", PORT, "", public_url))
        self.client = TestClient(self.gate, base_url=BASE, follow_redirects=False)

    def come_in(self) -> None:
        assert self.client.get("/", params={"code": self.entrance.code}).status_code == 200


@pytest.fixture
def sample(tmp_path: Path) -> World:
    """The home of the sample."""
    import shutil

    from axiommind.home import SAMPLE

    world = World(tmp_path)
    shutil.copytree(SAMPLE / "projects", world.projects, dirs_exist_ok=True)
    memory = world.memory()
    memory.index()
    memory.learning.run(extractor="rules")
    return world


@pytest.fixture
def browser(sample: World) -> Browser:
    return Browser(sample.memory())


@pytest.fixture
def browse() -> Iterator[Callable[..., Browser]]:
    return lambda world, **how: Browser(world.memory(), **how)


def elements_of(page: str) -> list[tuple[str, list[tuple[str, str | None]]]]:
    """Every element that a browser would make of a page, with its attributes."""
    found: list[tuple[str, list[tuple[str, str | None]]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, attrs))

    Reader().feed(page)
    return found


def words_of(page: str) -> str:
    """A page without its tags, as it is read."""
    import html

    body = page.partition("<main")[2].partition("</main>")[0] or page
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
