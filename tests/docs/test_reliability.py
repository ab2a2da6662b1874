"""Every promise names what proves it, and that exists: whoever renames a test sees which promise rests on it."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.docs.pages import DOCS, ROOT, script

PROMISES = script("reliability").promises()


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_what_proves_a_promise_exists(promise) -> None:  # type: ignore[no-untyped-def]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert any("::" in proof for proof in promise.proof), "a test at least"
    for proof in promise.proof:
        file, _, name = proof.partition("::")
        if name:
            assert (ROOT / file).is_file() and name in functions_of(file), proof
        else:
            target = proof.removeprefix("make ")
            assert re.search(rf"(?m)^[\w ]*\b{target}\b[\w ]*:", makefile), proof


def test_every_law_is_a_promise() -> None:
    names = [promise.name for promise in PROMISES]
    assert [f"Law {n}" for n in range(1, 13)] == [name for name in names if name.startswith("Law ")]


def test_every_figure_belongs_to_a_promise() -> None:
    known = script("reliability").figures()
    assert known.keys() <= {promise.figure for promise in PROMISES}
    assert (DOCS / "promises.toml").exists()
