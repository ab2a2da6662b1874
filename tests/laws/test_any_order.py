"""Law 11: in whatever order the segments of several machines arrive, the tables are the same, and a rebuild equals.

One history of three machines, two of a person's and one of a team mate's, in which two machines go on with one session,
rule on one claim, move one task, write one scratchpad, forget and take back. Then homes to which its pieces come in any
order.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import axiommind
from tests.examples import examples
from tests.laws.machines import Machine, Pieces, arrive, tables
from tests.shell import axm
from tests.transcripts import Lines

SAMPLE = Path(axiommind.__file__).parent / "sample" / "projects"
SKYCAST = "-home-dev-skycast"


def said(machine: Machine, *words: str) -> str:
    done = axm(machine.world, *words)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.strip()


def go_on(machine: Machine, source: Path, words: str, mark: str) -> None:
    """Another machine goes on with a session: the same file, and more."""
    lines = Lines(source.stem, "/home/dev/skycast")
    lines.prompt(words)
    lines.answer(f"Done, {mark}.")
    more = lines.data().replace(b'"uuid": "', f'"uuid": "{mark}'.encode())
    path = machine.world.path(source.stem, SKYCAST)
    path.write_bytes(source.read_bytes() + more)


def own(machine: Machine, column: str, table: str) -> list[str]:
    """Ids that are no team mate's."""
    return [row[0] for row in machine.world.rows(f"select {column} from {table} order by 1") if "@" not in row[0]]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    base = tmp_path_factory.mktemp("machines")
    desk, laptop, anas = Machine(base, "desk"), Machine(base, "laptop"), Machine(base, "anas", "ana")
    shutil.copytree(SAMPLE / SKYCAST, desk.world.projects / SKYCAST)
    shutil.copytree(SAMPLE / "-home-dev-teashop", anas.world.projects / "-home-dev-teashop")
    notes = base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\none\n")
    for machine in (desk, anas):
        said(machine, "index"), said(machine, "learn")
    said(desk, "kb", "add", str(notes))
    laptop.hear(desk), laptop.hear(anas), desk.hear(anas)
    _both_go_on(desk, laptop, notes)
    _both_rule(desk, laptop)
    _both_write(desk, laptop)
    said(anas, "workflow", "create", "her flow")
    _forget(desk, laptop, anas)
    desk.hear(laptop)
    for task in own(desk, "entity_id", "entities")[:1]:
        said(desk, "task", "set", task, "--priority", "low")
    return Pieces.of(desk, laptop, anas)


def _both_go_on(desk: Machine, laptop: Machine, notes: Path) -> None:
    first, second, *_ = sorted((desk.world.projects / SKYCAST).glob("*.jsonl"))
    go_on(laptop, first, "from now on always use uv for installing packages", "x")
    go_on(laptop, second, "never commit without running the linter", "x")
    said(laptop, "index"), said(laptop, "learn")
    go_on(desk, first, "meanwhile at the desk: we decided to keep celsius as the default", "y")
    (notes / "a.md").write_text("# A\ntwo\n")
    said(desk, "index"), said(desk, "learn")


def _both_rule(desk: Machine, laptop: Machine) -> None:
    entries = own(laptop, "entry_id", "entries")
    for machine, entry in ((laptop, entries[0]), (desk, entries[0]), (laptop, entries[1])):
        said(machine, "entry", "deprecate", entry, "--reason", "no longer so")
    said(desk, "entry", "contest", entries[2], "--reason", "is that so?")
    said(laptop, "entry", "deprecate", entries[2], "--reason", "it is not")
    for machine in (desk, laptop):
        said(machine, "entry", "promote", entries[3], "--reason", "seen it")
    said(laptop, "entry", "supersede", entries[4], "--by", entries[5], "--reason", "newer")
    sure = desk.world.rows("select entry_id from entries where stage in ('verified', 'certified') order by 1")
    for (entry,) in sure:
        said(desk, "decision", "make", f"go by {entry}", "--evidence", entry)
    for n, task in enumerate(own(laptop, "entity_id", "entities")):
        said(desk, "task", "set", task, "--status", ("in_progress", "cancelled")[n % 2])
        said(laptop, "task", "set", task, "--status", ("cancelled", "in_progress")[n % 2])
        said(laptop, "task", "set", task, "--priority", "high")


def _both_write(desk: Machine, laptop: Machine) -> None:
    here, there = desk.world.memory(), laptop.world.memory()
    flow = here.workflows.create("flow", "what is left", None).id
    pad = here.scratchpads.create(flow, "pad", "one\ntwo\n").row.id
    laptop.hear(desk)
    here.scratchpads.replace(pad, "the desk's\n")
    there.scratchpads.replace_lines(pad, 1, 1, "the laptop's")
    there.scratchpads.append(pad, "more")
    there.workflows.update(flow, description="by the laptop")
    here.workflows.update(flow, title="by the desk", description="and there")


def _forget(desk: Machine, laptop: Machine, anas: Machine) -> None:
    _, second, third = own(desk, "id", "sessions")
    said(laptop, "forget", "--session", third, "--yes")
    said(laptop, "forget", "--session", third, "--undo", "--yes")
    said(desk, "forget", "--session", second, "--yes")
    said(anas, "forget", "--session", own(anas, "id", "sessions")[0], "--yes")


def test_there_is_something_to_arrange(pieces: Pieces) -> None:
    kinds = {one.event.event_type for chain in pieces.chains.values() for one in chain}
    expected = {"transcript_segment", "memory_extracted", "promoted", "entry_deprecated"}
    expected |= {"entry_superseded", "entry_withdrawn", "forgotten", "forget_lifted", "scratchpad_written"}
    expected |= {"workflow_updated", "document_saved", "task_created", "task_status_changed", "task_priority_changed"}
    assert expected <= kinds, sorted(expected - kinds)


@pytest.fixture(scope="module")
def expected(pieces: Pieces, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    return tables(arrive(tmp_path_factory.mktemp("first"), pieces, 0))


@given(seed=st.integers(1, 1_000_000))
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_arrival_gives_the_same_tables(
    pieces: Pieces,
    expected: dict[str, list[tuple[object, ...]]],
    seed: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    world = arrive(tmp_path_factory.mktemp("home"), pieces, seed)
    found = tables(world)
    for name, rows in expected.items():
        assert found[name] == rows, name
    assert world.memory().verify() == []
    world.memory().rebuild()
    again = tables(world)
    for name, rows in expected.items():
        assert again[name] == rows, f"{name}, rebuilt"
