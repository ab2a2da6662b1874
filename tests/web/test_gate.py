"""Who comes in: with the code that was printed, from this origin, and by no other name of this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from axiommind.errors import UsageError
from axiommind.surfaces.serving.access import Address
from axiommind.surfaces.web.gate import POLICY
from tests.transcripts import World, session
from tests.web.conftest import BASE, PORT, Browser, Outside


@pytest.fixture
def outside(world: World) -> Outside:
    world.write(session("s1"))
    world.memory().index()
    return Outside(world.memory())


def test_without_the_code_nothing_is_told(outside: Outside) -> None:
    for path in ("/", "/sessions", "/session/s1", "/api/v1/places", "/nothing"):
        answer = outside.client.get(path)
        assert answer.status_code == 401, path
        assert "weather" not in answer.text and "axm serve" in answer.text
    assert "axm serve" in outside.client.get("/api/v1/places").json()["error"]["hint"]
    assert outside.client.get("/", params={"code": "wrong"}).status_code == 401
    assert outside.client.get("/", headers={"authorization": "Bearer wrong"}).status_code == 401
    outside.client.cookies.set(f"axm-{PORT}", "wrong")
    assert outside.client.get("/").status_code == 401


def test_the_code_opens_the_page_and_leaves_the_address(outside: Outside) -> None:
    answer = outside.client.get("/sessions", params={"code": outside.entrance.code, "words": "parser"})
    assert answer.status_code == 200 and "url=/sessions?words=parser" in answer.text
    assert outside.entrance.code not in answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and outside.entrance.code not in cookie
    assert outside.client.get("/sessions").status_code == 200


def test_a_program_brings_the_code_as_a_header(outside: Outside) -> None:
    given = {"authorization": f"Bearer {outside.entrance.code}"}
    assert outside.client.get("/", headers=given).status_code == 200


def test_the_code_for_a_browser_opens_one(outside: Outside) -> None:
    code = outside.entrance.code_for_once()
    assert outside.client.get("/", params={"code": code}).status_code == 200
    outside.client.cookies.clear()
    assert outside.client.get("/", params={"code": code}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:80"}, 421),
        ({"origin": BASE}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:3000"}, 403),
    ],
    ids=str,
)
def test_other_hosts_and_origins_are_refused(outside: Outside, headers: dict[str, str], status: int) -> None:
    outside.come_in()
    assert outside.client.get("/", headers=headers).status_code == status


def test_behind_a_forwarded_port(world: World) -> None:
    outside = Outside(world.memory(), public_url="http://localhost:9000")
    given = {"authorization": f"Bearer {outside.entrance.code}"}
    forwarded = {**given, "host": "localhost:9000"}
    assert outside.client.get("/", headers=forwarded).status_code == 200
    assert outside.client.get("/", headers={**forwarded, "origin": "http://localhost:9000"}).status_code == 200
    assert outside.client.get("/", headers={**forwarded, "origin": "https://localhost:9000"}).status_code == 403
    assert outside.client.get("/", headers={**given, "host": "localhost:9001"}).status_code == 421


@pytest.mark.parametrize("url", ["localhost:9000", "ftp://x", "http://", "http://x/path", "http://x:0", "http://x:y"])
def test_an_address_that_is_none_is_said(url: str) -> None:
    with pytest.raises(UsageError, match="no address of a server"):
        Address.checked("127.0.0.1", 0, "", public_url=url)


def test_what_a_page_may_do(outside: Outside) -> None:
    """No script and no style stands in a page, and the policy says so; nothing of it is kept or framed."""
    outside.come_in()
    for path in ("/", "/sessions", "/search?q=parser", "/session/s1", "/nothing"):
        answer = outside.client.get(path)
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert "'unsafe" not in POLICY and "http" not in POLICY
        page = answer.text
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", page), path
        assert not re.search(r"\sstyle=|\son\w+=\"|javascript:", page), path


def test_no_file_of_ours_asks_for_another_machine() -> None:
    import axiommind.surfaces.web as web

    folder = Path(web.__file__).parent
    for file in [*folder.glob("static/*.*"), *folder.glob("templates/*.html")]:
        found = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", file.read_text(encoding="utf-8"))
        assert [one for one in found if "www.w3.org" not in one] == [], file


def test_every_write_needs_a_form_of_ours_and_a_person(browser: Browser, browse: object, sample: World) -> None:
    """A server that no person started changes nothing, and a form from elsewhere does neither."""
    writes = [route.path for route in browser.client.app.routes if "POST" in (getattr(route, "methods", None) or ())]
    reading = Browser(sample.memory(), is_person=False)
    before = sample.memory().own_sql(
        "select position from projection_offsets", sample.memory().scope(all_projects=True)
    )
    for path in writes:
        path = re.sub(r"\{\w+(?::\w+)?\}", "1", path)
        assert browser.client.post(path, data={}).status_code == 400, path
        assert browser.client.post(path, data={"form_token": "wrong"}).status_code == 400, path
        answer = reading.post(path)
        assert answer.status_code == 403 and "taken for an agent" in answer.text, path
    after = sample.memory().own_sql("select position from projection_offsets", sample.memory().scope(all_projects=True))
    assert list(before) == list(after)
    assert "Read-only" in reading.get("/")
