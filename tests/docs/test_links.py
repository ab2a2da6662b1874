"""Every link between pages leads somewhere, and every decision is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PACKAGE, ROOT, named, read

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "plugin").rglob("*.md")])


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_relative_link_resolves(page: Path) -> None:
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_index_of_decisions_is_complete() -> None:
    folder = DOCS / "adr"
    listed = set(LINK.findall(read(folder / "README.md")))
    assert listed == {p.name for p in folder.glob("0*.md")}


def test_every_page_can_be_reached_from_the_readme() -> None:
    linked = {(ROOT / target).name for target in LINK.findall(read(ROOT / "README.md"))}
    assert [page.name for page in DOCS.glob("*.md") if page.name not in linked] == []


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_module_that_is_named_exists(page: Path) -> None:
    """`folder/module.py` in a text: below the package, or below the repository."""
    known = {p.name for base in (ROOT, PACKAGE) for p in base.iterdir() if p.is_dir()} - {"src"}
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    for path in re.findall(r"`((?:\w+/)+\w+\.(?:py|idr))\b", text):
        if path.split("/")[0] in known:
            assert (ROOT / path).exists() or (PACKAGE / path).exists(), f"{named(page)}: {path}"
