"""Scratchpads that several machines write: what is appended merges, what contradicts is kept until it is settled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.scratchpads.scratchpads import Scratchpads
from axiommind.text.edits import Edit, blocks
from axiommind.text.merged_edits import MergedText, WrittenEdit, merged
from tests.examples import examples
from tests.shell import axm
from tests.sync.homes import paired, sync
from tests.transcripts import World


@pytest.fixture
def machines(tmp_path: Path) -> list[World]:
    return paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")


@pytest.fixture
def pad(machines: list[World]) -> str:
    """A scratchpad that both have."""
    desk, laptop = machines
    flow = desk.memory().workflows.create("Move the ledger", "what is left", None).id
    made = desk.memory().scratchpads.create(flow, "Findings", "one\ntwo\nthree\n").row.id
    sync(desk, laptop)
    return made


def pads(world: World) -> Scratchpads:
    return world.memory().scratchpads


def both(machines: list[World]) -> None:
    sync(*machines, *machines)


def shown(world: World, pad: str) -> tuple[str, str, int, list[str]]:
    """Its title, text, version, and the texts beside it; the same from the index, the log and the history."""
    found = pads(world).show(pad)
    beside = [one.text for one in pads(world).conflicts(pad)]
    assert found.row.conflicts == len(beside)
    last = pads(world).history(pad)[0]
    assert (last.version, last.lines, last.conflicts) == (found.row.version, found.row.lines, len(beside))
    assert pads(world).at(pad, str(last.version)).text == found.text
    rows = world.rows(f"select content from scratchpads where id = '{pad}'")
    assert rows == [(found.text,)]
    return found.row.title, found.text, found.row.version, beside


def agreed(machines: list[World], pad: str) -> tuple[str, str, int, list[str]]:
    found = [shown(world, pad) for world in machines]
    assert found[0] == found[1]
    for world in machines:
        assert world.memory().verify() == []
    return found[0]


def test_what_both_append_is_there(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    pads(desk).append(pad, "from the desk")
    pads(laptop).append(pad, "from the laptop")
    pads(laptop).append(pad, "and more")
    both(machines)
    _, text, version, beside = agreed(machines, pad)
    assert blocks(text) == ["one\ntwo\nthree", "from the desk", "from the laptop", "and more"]
    assert (version, beside) == (4, [])
    assert [one.machine for one in pads(desk).history(pad)] == ["laptop", "laptop", "", ""]
    pads(desk).append(pad, "later")
    both(machines)
    assert agreed(machines, pad)[2] == 5


def test_an_edit_and_what_the_other_appends_meanwhile(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    pads(laptop).append(pad, "appended")
    pads(desk).replace_lines(pad, 2, 2, "TWO")
    pads(laptop).append(pad, "again")
    pads(desk).chop(pad, 1)
    both(machines)
    _, text, _, beside = agreed(machines, pad)
    assert beside == []
    assert blocks(text) == ["one\nTWO", "appended", "again"]


def test_two_edits_of_one_version_are_both_kept_until_one_is_chosen(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    pads(desk).replace(pad, "the desk's\n")
    pads(laptop).replace_lines(pad, 1, 1, "the laptop's")
    pads(laptop).append(pad, "more of the laptop")
    both(machines)
    _, text, _, beside = agreed(machines, pad)
    assert text.startswith("the desk's\n") and beside[0].startswith("the laptop's\ntwo\nthree\n")
    assert "more of the laptop" in text and "more of the laptop" in beside[0]
    (conflict,) = pads(desk).conflicts(pad)
    assert (conflict.machine, conflict.actor) == ("laptop", "user")
    pads(laptop).append(pad, "while it is open")
    both(machines)
    _, text, _, (other,) = agreed(machines, pad)
    assert text.endswith("while it is open") and other.endswith("while it is open")
    pads(laptop).resolve(pad, other)
    both(machines)
    assert agreed(machines, pad)[1::2] == (other, [])
    history = [pads(desk).at(pad, n).text for n in ("2", "3")]
    assert history == ["the desk's\n", "the laptop's\ntwo\nthree\n"], "and both are in the history"


def test_each_goes_on_with_its_own_text(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    for world, name in ((desk, "desk"), (laptop, "laptop")):
        pads(world).replace(pad, f"{name} 1\n")
        pads(world).insert(pad, 2, f"{name} 2\n")
    both(machines)
    assert agreed(machines, pad)[1::2] == ("desk 1\ndesk 2\n", ["laptop 1\nlaptop 2\n"])


def test_a_change_of_a_text_that_was_settled_meanwhile_is_seen(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    pads(desk).replace(pad, "desk\n")
    pads(laptop).replace(pad, "laptop\n")
    both(machines)
    pads(desk).resolve(pad, "settled\n")
    pads(laptop).replace_lines(pad, 1, 1, "changed")
    both(machines)
    assert agreed(machines, pad)[1::2] == ("settled\n", ["changed\n"])


def test_titles_and_workflows(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    flow = pads(desk).show(pad).row.workflow_id
    pads(desk).rename(pad, "Desk")
    pads(laptop).rename(pad, "Laptop")
    desk.memory().workflows.update(flow, description="by the desk", active=False)
    laptop.memory().workflows.update(flow, title="Renamed", description="by the laptop")
    both(machines)
    assert agreed(machines, pad)[0] == "Laptop"
    for world in machines:
        row = world.memory().workflows.show(flow)
        assert (row.name, row.description, row.is_active, row.conflicts) == ("Renamed", "by the desk", False, 1)
        (other,) = world.memory().workflows.conflicts(flow)
        assert other.text == "by the laptop"
    desk.memory().workflows.update(flow, description="both", active=True)
    both(machines)
    assert [world.memory().workflows.show(flow).conflicts for world in machines] == [0, 0]


def test_a_forgotten_scratchpad_leaves_no_other_text(machines: list[World], pad: str) -> None:
    desk, laptop = machines
    pads(desk).replace(pad, "the desk's\n")
    pads(laptop).replace(pad, "the laptop's\n")
    both(machines)
    desk.memory().forget(scratchpad=pad)
    both(machines)
    for world in machines:
        assert world.rows("select * from pad_edits where mode <> 'created' and owner_id like 'pad%'") == []
        assert world.rows("select * from pad_conflicts") == []
        assert world.memory().verify() == []


# --- at the command line ----------------------------------------------------------------------------------------


@pytest.fixture
def conflict(machines: list[World], pad: str) -> str:
    desk, laptop = machines
    pads(desk).replace_lines(pad, 2, 2, "the desk's")
    pads(laptop).replace_lines(pad, 2, 2, "the laptop's")
    both(machines)
    return pad


def test_what_is_to_be_settled_is_shown_everywhere(machines: list[World], conflict: str) -> None:
    desk = machines[0]
    assert "1 other text beside this one" in axm(desk, "pad", "show", conflict).stderr
    assert "other texts" in axm(desk, "pad", "list", "--all-projects").stdout
    assert "laptop" in axm(desk, "pad", "history", conflict).stdout
    shown = axm(desk, "pad", "resolve", conflict)
    assert shown.returncode == 3 and "+the laptop's\n" in shown.stdout and "written on laptop" in shown.stderr
    told = json.loads(axm(desk, "pad", "resolve", conflict, "--json").stdout)
    assert [one["text"] for one in told["conflicts"]] == ["one\nthe laptop's\nthree\n"]


def test_it_is_settled_by_number_by_file_or_in_an_editor(machines: list[World], conflict: str, tmp_path: Path) -> None:
    desk, laptop = machines
    assert axm(desk, "pad", "resolve", conflict, "--keep", "2").returncode == 2
    keeps_marks = axm(desk, "pad", "resolve", conflict, "--edit", VISUAL="true")
    assert keeps_marks.returncode == 2 and "marks" in keeps_marks.stderr
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i '/^<<<<<<<\\|^=======\\|^>>>>>>>/d' \"$1\"\n")
    editor.chmod(0o755)
    done = axm(desk, "pad", "resolve", conflict, "--edit", VISUAL=str(editor))
    assert done.returncode == 0, done.stderr
    both(machines)
    assert agreed(machines, conflict)[1::2] == ("one\nthe desk's\nthe laptop's\nthree\n", [])
    assert axm(laptop, "pad", "resolve", conflict).returncode == 0
    assert axm(laptop, "pad", "resolve", conflict, "--keep", "0").returncode == 1


# --- the merge itself -------------------------------------------------------------------------------------------


def history(steps: list[tuple[int, str, int]]) -> list[WrittenEdit]:
    """What machines write that each see only some of what the others wrote: (who, what, of whom it hears before)."""
    made: list[WrittenEdit] = [WrittenEdit("e0", "0000", 0, 1, Edit("created", "a\nb\nc\n"), "title")]
    known: dict[int, set[str]] = {0: {"e0"}, 1: {"e0"}, 2: {"e0"}}
    for n, (who, what, heard) in enumerate(steps, 1):
        known[who] |= known[heard]
        tips: dict[int, WrittenEdit] = {}
        for one in made:
            if one.name in known[who]:
                tips[one.machine] = one
        edit = {
            "append": Edit("appended", f"+{n}\n"),
            "replace": Edit("replaced", f"={n}\n"),
            "lines": Edit("lines", f"~{n}\n", 1, 1),
            "chop": Edit("chopped", "", 0, 1),
            "rename": Edit("renamed"),
        }[what]
        title = f"title {n}" if what == "rename" else ""
        written = WrittenEdit(
            f"e{n}", f"{n // 2:04d}", who, n + 1, edit, title, tuple(one.name for one in tips.values())
        )
        made.append(written)
        known[who].add(written.name)
    return made


STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["append", "replace", "lines", "chop", "rename"]), st.integers(0, 2)),
    max_size=9,
)


@given(STEPS, st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_any_order_gives_the_same_texts(steps: list[tuple[int, str, int]], random: Any) -> None:
    edits = history(steps)
    expected = merged(edits)
    assert expected is not None
    for _ in range(3):
        random.shuffle(edits)
        assert merged(edits) == expected
    for step, one in zip(steps, history(steps)[1:], strict=True):
        if step[1] == "append":
            texts = [expected.text, *(aside.text for aside in expected.asides)]
            later = any(other.edit.mode not in ("appended", "renamed") for other in history(steps)[1:])
            assert later or all(one.edit.piece in text for text in texts)


@given(STEPS)
@settings(max_examples=examples(60))
def test_no_text_that_nobody_saw_is_lost(steps: list[tuple[int, str, int]]) -> None:
    """What one machine made of it last is there, unless somebody who had seen it wrote over it."""
    edits = history(steps)
    found = merged(edits)
    assert isinstance(found, MergedText)
    texts = "\n".join([found.text, *(aside.text for aside in found.asides)])
    changes = [one for one in edits if one.edit.mode in ("replaced", "appended")]
    for one in changes:
        over = [other for other in edits if other is not one and other.edit.mode in ("replaced", "lines", "chopped")]
        if not any(_knows(edits, other, one.name) for other in over):
            assert one.edit.piece in texts


def _knows(edits: list[WrittenEdit], one: WrittenEdit, name: str) -> bool:
    by_name = {other.name: other for other in edits}
    seen, todo = set(), list(one.seen)
    while todo:
        if (other := todo.pop()) not in seen:
            seen.add(other)
            todo += by_name[other].seen
    return name in seen
