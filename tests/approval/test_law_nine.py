"""Law 9: a request to raise, lower, decide or delete counts only from a person; an unknown caller is an agent.

For any sequence of requests by agents, over the command line, MCP and the library, nothing that is known changes: no
entry's stage, status, confidence or existence, no decision, no task, no session, no document. What the person confirms
then is what the person would have got by asking.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.callers import AGENT
from axiommind.errors import AxmError
from axiommind.home import Scope
from axiommind.memory import Memory
from axiommind.surfaces.mcp import answers
from tests.examples import examples
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import AS_AGENT, PERSON, PROJECT, World

STAGES = ("working", "candidate", "verified", "certified")
QUOTE = "use pnpm instead of npm in this project"
UNKNOWN = {"AXM_PERSON_TOKEN": "", "TERM": "dumb"}  # says nothing of itself, and has no terminal
ENVIRONMENTS = st.sampled_from(
    [
        AS_AGENT,
        UNKNOWN,
        {"AXM_PERSON_TOKEN": "axmp_guessed", "GEMINI_CLI": "1"},
        {**UNKNOWN, "CODEX_SANDBOX": "seatbelt"},
    ]
)
# What agents may not touch, as it is.
PROTECTED = (
    "select entry_id, stage, status, confidence, superseded_by from entries where rule <> 'agent' order by 1",
    "select entry_id, to_stage, actor from promotions where actor = 'user' order by 1, 2",
    "select entry_id, act from rulings where actor = 'user' order by 1, 2",
    "select decision_id, action from decisions order by 1",
    "select entity_id, current_json from entities where entity_type = 'task' order by 1",
    "select id from sessions order by 1",
    "select id from documents order by 1",
    "select id, name from workflows order by 1",
    "select id from pads order by 1",
)


class Ids(NamedTuple):
    entries: tuple[str, ...]
    verified: str
    task: str
    workflow: str
    scratchpad: str


def make(base: Path) -> tuple[World, Ids]:
    world = World(base)
    one = Session("s1")
    one.prompt(f"From now on, {QUOTE}.")
    one.answer("Understood.")
    one.ask("Where should the cache live?", "SQLite")
    one.task("Build the cache table")
    world.write(one)
    two = Session("s2")
    two.prompt("We decided to keep the log in SQLite because DuckDB lost rows.")
    two.answer("Noted.")
    world.write(two)
    notes = base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Tea\n\nGreen tea at noon.\n", encoding="utf-8")
    memory = world.memory()
    memory.index()
    memory.learning.run(extractor="rules")
    memory.documents.add([notes])
    flow = memory.workflows.create("Cache", "move it", PROJECT, actor="user").id
    pad = memory.scratchpads.create(flow, "Notes", "text", actor="user").row.id
    entries = tuple(row[0] for row in world.rows("select entry_id from entries order by 1"))
    verified = world.one("select min(entry_id) from entries where stage = 'verified'")
    task = world.one("select min(entity_id) from entities where entity_type = 'task'")
    return world, Ids(entries, verified, task, flow, pad)


def protected(world: World) -> list[list[tuple[Any, ...]]]:
    return [world.rows(sql) for sql in PROTECTED]


# --- requests, each as a function of a world --------------------------------------------------------------------

Request = Callable[[World, Ids], None]


def words(environ: dict[str, str], *args: str) -> Request:
    def ask(world: World, ids: Ids) -> None:
        said = [arg.format(**named(ids)) for arg in args]
        code = axm(world, *said, **environ).returncode
        assert code in (0, 1, 2, 3), said

    return ask


def named(ids: Ids) -> dict[str, str]:
    entries = {f"e{n}": name for n, name in enumerate(ids.entries)}
    return {**entries, "v": ids.verified, "task": ids.task, "flow": ids.workflow, "pad": ids.scratchpad}


def entry_name() -> st.SearchStrategy[str]:
    return st.sampled_from(["{e0}", "{e1}", "{v}"])


@st.composite
def commands(draw: st.DrawFn) -> Request:
    environ, one, other = draw(ENVIRONMENTS), draw(entry_name()), draw(entry_name())
    yes = draw(st.sampled_from([(), ("--yes",)]))
    because = ("--reason", draw(st.sampled_from(["it is so", "trust me"])))
    choice = draw(
        st.sampled_from(
            [
                ("promote", one, *because, "--to", draw(st.sampled_from(STAGES))),
                ("promote", one, "--undo"),
                ("deprecate", one, *because),
                ("deprecate", one, "--undo"),
                ("contest", one, *because),
                ("supersede", one, "--by", other, *because),
                ("decide", "All caches live in SQLite", "--evidence", "{v}"),
                ("task", "set", "{task}", "--status", draw(st.sampled_from(["done", "cancelled", "in_progress"]))),
                ("task", "set", "{task}", "--priority", "high"),
                ("task", "reopen", "{task}"),
                ("forget", "--session", "s1", *yes),
                ("forget", "--project", PROJECT, *yes),
                ("forget", "--workflow", "{flow}", *yes),
                ("forget", "--pad", "{pad}", *yes),
                ("forget", "--session", "s1", "--undo"),
                ("remember", "Use pnpm, never npm", "--quote", QUOTE, "--session", "s1"),
                ("remember", "Use npm", "--title", "Package manager", "--quote", QUOTE, "--session", "s1"),
                ("remember", "Use yarn", "--title", "Package manager", "--quote", QUOTE, "--session", "s1"),
                ("proposal", "confirm", "prp", *yes),
                ("proposal", "decline", "prp"),
                ("person", "token"),
                ("person", "revoke", "--all"),
                ("review",),
            ]
        )
    )
    return words(environ, *choice)


def tool_call(name: str, **given: Any) -> Request:
    def ask(world: World, ids: Ids) -> None:
        memory = Memory(world.memory().config, environ=world.environ, user=world.base, caller=PERSON)  # the worst case
        filled = {
            key: [v.format(**named(ids)) for v in value] if isinstance(value, list) else value
            for key, value in given.items()
        }
        answers(memory).features.call(name, filled)

    return ask


def library_call(call: Callable[[Memory, Ids], Any]) -> Request:
    def ask(world: World, ids: Ids) -> None:
        memory = Memory(world.memory().config, environ=world.environ, user=world.base)
        with contextlib.suppress(AxmError):
            call(memory, ids)

    return ask


LIBRARY = [
    lambda memory, ids: memory.entries.promote(ids.entries[0], "x", "certified"),
    lambda memory, ids: memory.entries.undo_promotion(ids.entries[0], "x", caller=AGENT),
    lambda memory, ids: memory.entries.rule(ids.entries[0], "deprecated", "x"),
    lambda memory, ids: memory.entries.rule(ids.entries[0], "superseded", "x", ids.entries[1]),
    lambda memory, ids: memory.entries.run_policy(at=4_000_000_000_000),
    lambda memory, ids: memory.decisions.decide("x", [ids.verified], Scope(PROJECT)),
    lambda memory, ids: memory.tasks.set(ids.task, status="cancelled"),
    lambda memory, ids: memory.tasks.reopen(ids.task),
    lambda memory, ids: memory.forget(session="s2"),
    lambda memory, ids: memory.forget(scratchpad=ids.scratchpad),
    lambda memory, ids: memory.undo_forget(session="s1"),
    lambda memory, ids: memory.documents.remove(memory.documents.list().folders[0].root),
    lambda memory, ids: memory.entries.remember("Use yarn", title="Package manager", quotes=[QUOTE], session="s1"),
    lambda memory, ids: [memory.proposals.confirm(one.id) for one in memory.proposals.list(Scope(None))],
    lambda memory, ids: [memory.proposals.decline(one.id) for one in memory.proposals.list(Scope(None))],
]
REQUESTS = st.one_of(
    commands(),
    st.sampled_from(
        [
            tool_call("decide", decision="Caches live in SQLite", evidence=["{v}"], project="all"),
            tool_call("remember", text="Use yarn", title="Package manager", quotes=[QUOTE], session="s1"),
            tool_call("remember", text="Always use pnpm, not npm, in this project", quotes=[QUOTE], session="s1"),
        ]
    ),
    st.sampled_from([library_call(call) for call in LIBRARY]),
)


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[World, Ids]]:
    """One home for all sequences: nothing in it may change, so none sees another's."""
    with tempfile.TemporaryDirectory(prefix="axm-law-") as folder:
        yield make(Path(folder))


@settings(max_examples=examples(12))
@given(asked=st.lists(REQUESTS, min_size=1, max_size=6))
def test_requests_of_agents_change_nothing_that_is_known(made: tuple[World, Ids], asked: list[Request]) -> None:
    world, ids = made
    before = protected(world)
    for request in asked:
        request(world, ids)
        assert protected(world) == before
    world.memory().entries.run_policy()
    world.memory().learning.run(extractor="rules")
    assert [row[1:] for row in protected(world)[0]] == [row[1:] for row in before[0]], "repetition certifies nothing"
    stages = {row[0] for row in world.rows("select stage from entries where rule = 'agent'")}
    assert stages <= {"working", "candidate"}, "an agent's claim is never verified"
    assert protected(world)[1:] == before[1:]


PAIRS = [
    ("promote", "{e0}", "--reason", "we do", "--to", "certified"),
    ("deprecate", "{e0}", "--reason", "over"),
    ("contest", "{e0}", "--reason", "is it?"),
    ("supersede", "{e0}", "--by", "{e1}", "--reason", "newer"),
    ("decide", "Caches live in SQLite", "--evidence", "{v}", "--reason", "one file"),
    ("task", "set", "{task}", "--status", "done"),
    ("forget", "--session", "s1", "--reason", "private", "--yes"),
    ("forget", "--workflow", "{flow}", "--yes"),
    ("forget", "--pad", "{pad}", "--yes"),
]


@pytest.mark.parametrize("args", PAIRS, ids=lambda args: " ".join(args[:2]))
def test_confirming_gives_what_the_person_would_have_done(tmp_path: Path, args: tuple[str, ...]) -> None:
    ended = []
    for name, environ in (("person", {}), ("agent", AS_AGENT)):
        base = tmp_path / name
        base.mkdir()
        world, ids = make(base)
        said = [arg.format(**named(ids)) for arg in args]
        done = axm(world, *said, **environ)
        assert done.returncode == (3 if environ else 0), done.stderr
        if environ:
            (waiting,) = world.memory().proposals.list(Scope(None))
            world.memory().proposals.confirm(waiting.id)
        assert not world.memory().verify()
        ended.append(_comparable(world, ids))
    assert ended[0] == ended[1]


def _comparable(world: World, ids: Ids) -> list[Any]:
    """What is known, without what differs by the moment or by chance."""
    drop = {ids.workflow: "WF", ids.scratchpad: "PAD"}
    entries, promoted, ruled, decided, tasks, *rest = protected(world)
    now = (
        world.rows("select entity_id, json_extract(current_json, '$.status') from entities order by 1") if tasks else []
    )
    return [
        entries,
        promoted,
        ruled,
        [row[1:] for row in decided],
        now,
        world.rows("select actor, action from decisions"),
        [[drop.get(cell, cell) for row in rows for cell in row if "doc-" not in str(cell)] for rows in rest],
    ]
