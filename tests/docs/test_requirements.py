"""Every row of the five designs names its proof, and every proof a row that there is."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, script

LAST = (91, 40, 110, 48, 30)  # rows of each design
NEVER = {"R0.82", "R0.83", "R0.84", "R0.86"}  # numbers that were given to no row


@pytest.fixture(scope="module")
def page() -> ModuleType:
    return script("requirements")


def test_no_row_is_left_out(page: ModuleType) -> None:
    for part, last in enumerate(LAST):
        expected = [name for n in range(1, last + 1) if (name := f"R{part}.{n}") not in NEVER]
        assert [row.id for row in page.rows_of(part)[1]] == expected


def test_every_row_is_met_and_shown(page: ModuleType) -> None:
    proven = page.by_row()
    empty = [row.id for row in page.all_rows().values() if not row.met and not row.replaced and not row.open]
    unproven = [
        row.id for row in page.all_rows().values() if not (proven.get(row.id) or row.target or row.replaced or row.open)
    ]
    assert (empty, unproven) == ([], []), "say how a row is met, and name it in the test that proves it (@rows)"


def test_what_is_open_has_no_proof(page: ModuleType) -> None:
    proven = page.by_row()
    assert [row.id for row in page.all_rows().values() if row.open and proven.get(row.id)] == []


def test_tests_name_rows_that_there_are(page: ModuleType) -> None:
    known = page.all_rows()
    wrong = [(proof.file, proof.name, row) for proof in page.proofs() for row in proof.row_ids if row not in known]
    assert wrong == []


def test_resolutions_and_targets_are_there(page: ModuleType) -> None:
    topics = page.resolutions()
    targets = set(re.findall(r"^([a-z-]+):", (DOCS.parent / "Makefile").read_text("utf-8"), re.MULTILINE))
    for row in page.all_rows().values():
        assert set(row.resolutions) <= topics.keys(), row.id
        if row.target:
            assert row.target.removeprefix("make ").split()[0] in targets, row.id
        if row.replaced:
            assert row.replaced in topics, row.id
