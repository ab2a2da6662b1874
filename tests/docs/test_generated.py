"""Reference pages are made from the code, and are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, GENERATED, read, script


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str) -> None:
    pages = script("generate").pages()
    assert set(pages) == set(GENERATED)
    assert read(DOCS / name) == pages[name], "run: make docs"


def test_check_writes_nothing_and_fails_on_a_stale_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("generate")
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 1
    assert list(tmp_path.glob("*.md")) == []
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert module.main() == 0
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 0
