"""The API: what comes back is what its description says, for every operation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from axiommind.home import Scope
from axiommind.surfaces.web.api.description import BASE, described
from axiommind.surfaces.web.api.operations import OPERATIONS
from tests.transcripts import World
from tests.web.conftest import Browser

jsonschema = pytest.importorskip("jsonschema")
HOURLY = "db5b5fab-8f4d-4e27-9da1-494c73cf256d"


@pytest.fixture
def asked(sample: World) -> dict[str, str]:
    """An address for every operation."""
    memory = sample.memory()
    workflow = memory.workflows.create("w")
    pad = memory.scratchpads.create(workflow.id, "t", "x").row.id
    entry = memory.entries.list(Scope(None))[0].entry.entry_id
    call = memory.own_sql("select id from tool_uses limit 1", Scope(None))[0][0]
    names = {"session": HOURLY, "session_lines": HOURLY, "entry": entry, "scratchpad": pad, "call": call}
    names |= {"task": memory.tasks.list(Scope(None))[0].task_id, "perspective": "usage"}
    needed = {"search": "?q=test", "recall": "?prompt=why+round+the+cart+total", "places": "?q=cart"}
    found = {}
    for one in OPERATIONS:
        name = one.answer.__name__
        path = one.path
        for field in ("{id}", "{number}", "{name}"):
            path = path.replace(field, str(names.get(name, "")))
        found[name] = f"{BASE}{path}{needed.get(name, '')}"
    return found


def test_every_answer_is_as_described(browser: Browser, asked: dict[str, str]) -> None:
    told = json.loads(browser.get(f"{BASE}/openapi.json"))
    assert told["openapi"].startswith("3.1") and len(told["paths"]) == len(OPERATIONS)
    for path, one in told["paths"].items():
        answer = browser.client.get(asked[one["get"]["operationId"]])
        assert answer.status_code == 200, (path, answer.text)
        schema = one["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        validator = jsonschema.Draft202012Validator(schema | {"components": told["components"]})
        wrong = [
            f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(answer.json())
        ]
        assert wrong == [], path


def test_every_reference_is_there() -> None:
    names = described()["components"]["schemas"]

    def references(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"]} if "$ref" in value else set()
            return own.union(*map(references, value.values()))
        return set().union(*map(references, value)) if isinstance(value, list) else set()

    assert references(described()) <= {f"#/components/schemas/{name}" for name in names}
    assert {"EntryShown", "Outline", "Page", "TaskDetail"} <= set(names)


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/search", 400, "'q' is missing"),
        ("/search?q=x&limit=ten", 400, "limit is no number"),
        ("/search?q=x&group=perhaps", 400, "neither true nor false"),
        ("/sessions?nonsense=1", 400, "no parameter 'nonsense'"),
        ("/sessions/zzz", 404, "zzz"),
        ("/entries/ent_zzz", 404, "ent_zzz"),
        ("/calls/1", 404, "no tool use"),
        ("/perspectives/nonsense", 404, "no perspective"),
        ("/perspectives/usage?by=moon", 400, "by"),
        ("/sessions?project=/nowhere", 404, "not in the index"),
        ("/nothing", 404, "no such page"),
        ("/search?q=x&mode=nonsense", 400, "no mode"),
    ],
)
def test_what_is_wrong_is_said_in_json(browser: Browser, path: str, status: int, says: str) -> None:
    answer = browser.client.get(f"{BASE}{path}")
    assert answer.status_code == status
    assert says.lower() in json.dumps(answer.json()["error"]).lower()


def test_a_perspective_tells_what_it_asked(browser: Browser) -> None:
    told = browser.client.get(f"{BASE}/perspectives/hotfiles", params={"top": "3"}).json()
    assert len(told["rows"]) == 3 and "select" in told["statements"][0].lower()
    assert set(told["rows"][0]) == set(told["columns"])


def test_the_api_changes_nothing(browser: Browser) -> None:
    for one in OPERATIONS:
        answer = browser.client.post(f"{BASE}{one.path}")
        assert answer.status_code == 405 and "GET" in answer.headers["allow"]


def test_nothing_at_all_is_an_answer_too(browser: Browser) -> None:
    for path in ("/sessions?limit=0", "/recent?limit=0", "/search?q=&limit=0&mode=", "/entries?limit=0"):
        assert browser.client.get(f"{BASE}{path}").status_code in (200, 400), path


def test_places_to_go(browser: Browser) -> None:
    told = browser.client.get(f"{BASE}/places", params={"q": "cart"}).json()["places"]
    assert {"session"} <= {one["kind"] for one in told}
    for one in told:
        browser.get(one["url"])
