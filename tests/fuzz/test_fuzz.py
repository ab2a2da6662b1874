"""A little fuzzing of every parser with each `make test`, and every input that ever broke one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import ending
from tests.examples import examples
from tests.fuzz.mutation import near
from tests.fuzz.targets import CRASHES, SEEDS, TARGETS, try_one

KEPT = sorted(CRASHES.glob("*/*"))


@pytest.mark.parametrize("name", TARGETS)
@given(st.data())
@settings(max_examples=examples(150))
def test_nothing_breaks_a_parser(name: str, data: Any) -> None:
    with ending():
        try_one(name, data.draw(near(SEEDS[name])))


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str) -> None:
    assert len(SEEDS[name]) >= 2
    for seed in SEEDS[name]:
        try_one(name, seed)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_broke_one_once_is_read(path: Any) -> None:
    with ending():
        try_one(path.parent.name, path.read_bytes())


def test_every_kept_input_belongs_to_a_parser() -> None:
    assert {path.parent.name for path in KEPT} <= TARGETS.keys()
