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
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "plugin" / "hooks").mkdir(parents=True)
    monkeypatch.setattr(module, "HERE", docs)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 1
    assert list(docs.glob("*.md")) == []
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert module.main() == 0
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 0
