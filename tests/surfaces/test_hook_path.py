"""The way of a hook call, each step once; and an event that is added by one file."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from axiommind import registry
from axiommind.config import Config
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks import events
from axiommind.surfaces.install import Machine, Wishes, claude_code
from axiommind.surfaces.install.claude_code.plugin import hooks_json
from tests.transcripts import PROJECT, Lines, World

PROMPT = "how does the zephyr anemometer calibrate its hygroscope?"
# Of one prompt that the project's own memory answers.
ONCE = {
    "recall.question.question_of",
    "recall.own_words.own_words",
    "recall.recall.Recall.answer_question",
    "home.Home.reading",
    "projections.scope.open_scoped",
    "projections.scope.project_in",
    "db.open_read",
    "recall.selection.select",
    "recall.answers.answers",
    "search.evidence.evidence",
    "search.find.look_up",
    "search.relevance.judge",
    "recall.outcomes.outcomes",
    "recall.judgement.likelihood",
    "recall.withdrawn.without_withdrawn",
    "recall.quotations.fitting",
    "surfaces.hooks.record.served_before",
    "surfaces.render.recall.as_text",
    "surfaces.render.fence.fenced",
    "surfaces.hooks.output",
}


@pytest.fixture
def told(world: World) -> World:
    lines = Lines("old")
    lines.prompt("the zephyr anemometer calibrates its hygroscope against the quartz reference")
    lines.answer("Done: the zephyr anemometer calibrates its hygroscope against the quartz reference at noon.")
    for n in range(30):
        lines.prompt(f"add a chart of rainfall for station {n}")
    world.write(lines)
    world.memory().index()
    return world


def raw(event: str, **fields: object) -> bytes:
    return json.dumps({"hook_event_name": event, "session_id": "new", "cwd": PROJECT, **fields}).encode()


def calls_of(work: Callable[[], object]) -> Counter[str]:
    """How often each function of ours was called."""
    counts: Counter[str] = Counter()
    begun: list[FrameType] = []  # kept, so that no other frame gets its id

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("axiommind.") and not any(frame is one for one in begun):
            begun.append(frame)  # a generator that goes on is called again
            counts[f"{module.removeprefix('axiommind.')}.{frame.f_code.co_qualname}"] += 1

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


def test_a_prompt_takes_each_step_once(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    connect = sqlite3.connect

    def counted(database: str, *args: object, **named: object) -> sqlite3.Connection:
        opened.append(database)
        return connect(database, *args, **named)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", counted)
    said: list[bytes] = []

    def served() -> None:
        answer = hooks.answer("UserPromptSubmit", raw("UserPromptSubmit", prompt=PROMPT), told.environ)
        said.append(hooks.output("UserPromptSubmit", answer))

    counts = calls_of(served)
    assert b"quartz reference" in said[0]
    assert {step: counts[step] for step in ONCE} == dict.fromkeys(ONCE, 1)
    assert len(opened) == 1 and "index.db" in opened[0]


def test_a_prompt_that_asks_for_nothing_opens_nothing(told: World) -> None:
    counts = calls_of(lambda: hooks.answer("UserPromptSubmit", raw("UserPromptSubmit", prompt="yes"), told.environ))
    assert (
        counts["recall.question.question_of"] == 1 and counts["db.open_read"] == counts["memory.Memory.__init__"] == 0
    )


def test_a_packet_is_read_and_rendered_once(told: World) -> None:
    given = raw("SessionStart", source="compact", session_id="old")
    counts = calls_of(lambda: hooks.answer("SessionStart", given, told.environ))
    for step in ("db.open_read", "surfaces.render.recall.packet_within", "surfaces.render.recall.packet_text"):
        assert counts[step] == 1, step


# --- one file ----------------------------------------------------------------------------------------------

TEA_TIME = '''
"""TeaTime: an event of the tests."""
from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
EVENT = HookEvent("TeaTime", order=25, matcher="green|black", seconds=7, gives_context={context}, starts_index={index})
def answer(call):
    return HookAnswer("served", text=f"put the kettle on, {{call.text('who')}}", indexing=True)
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Adds an event by a file in a folder of its own."""

    def add(*, context: bool = True, index: bool = True) -> None:
        folder = tmp_path / "events"
        folder.mkdir()
        (folder / "tea_time.py").write_text(TEA_TIME.format(context=context, index=index))
        monkeypatch.setattr(events, "__path__", [*events.__path__, str(folder)])

    yield add
    sys.modules.pop(f"{events.__name__}.tea_time", None)
    vars(events).pop("tea_time", None)
    registry._stems_in.cache_clear()


def test_an_event_is_added_by_one_file(added: Callable[..., None], world: World, tmp_path: Path) -> None:
    given = raw("TeaTime", who="Ada")
    assert hooks.answer("TeaTime", given, world.environ).why == "there is no such event"
    added()
    answer = hooks.answer("TeaTime", given, world.environ)
    assert (answer.outcome, answer.text, answer.indexing) == ("served", "put the kettle on, Ada", True)
    said = json.loads(hooks.output("TeaTime", answer))["hookSpecificOutput"]
    assert said == {"hookEventName": "TeaTime", "additionalContext": "put the kettle on, Ada"}
    names = [event.name for event in events.all_events()]
    assert names[:3] == ["UserPromptSubmit", "SessionStart", "TeaTime"]
    machine = Machine(Config.load(world.environ), world.environ, tmp_path / "user", tmp_path)
    assert claude_code.install(machine, Wishes(mcp=False)) == 0
    (group,) = json.loads((world.claude / "settings.json").read_text())["hooks"]["TeaTime"]
    assert group["matcher"] == "green|black" and group["hooks"][0]["args"][-1] == "TeaTime"
    assert group["hooks"][0]["timeout"] == 7
    plugin = json.loads(hooks_json())["hooks"]
    assert list(plugin) == names and plugin["TeaTime"][0]["matcher"] == "green|black"


def test_an_event_does_no_more_than_it_declares(added: Callable[..., None], world: World) -> None:
    added(context=False, index=False)
    answer = hooks.answer("TeaTime", raw("TeaTime"), world.environ)
    assert (answer.outcome, answer.text, answer.indexing) == ("silent", "", False)
    assert hooks.output("TeaTime", answer) == b""
