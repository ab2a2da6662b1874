"""Who may import whom: a row may import the rows below it; names on one row may not import each other."""

from __future__ import annotations

import ast
from pathlib import Path

import axiommind

ROOT = Path(axiommind.__file__).parent
ROWS = [
    {"surfaces", "testing"},
    {"memory"},
    {"health"},
    {"recall", "learning", "scratchpads", "reports", "ingest"},
    {"search", "extraction"},
    {"vectors", "llm"},
    {"home"},
    {"projections"},
    {"log", "sources", "http"},
    {"tools"},
    {"text", "db", "projects"},
    {"config"},
    {"settings"},
    {"ids"},
    {"registry"},
    {"model"},
    {"errors", "distribution"},
]
LEVEL = {name: i for i, row in enumerate(ROWS) for name in row}
OUTSIDE = {"__init__", "__main__", "sample"}


def imports(path: Path) -> set[str]:
    """The top-level parts of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "axiommind" and len(parts) > 1 and parts[1] in LEVEL:
                found.add(parts[1])
    return found


def owner(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_module_has_a_row() -> None:
    known = LEVEL.keys() | OUTSIDE
    assert {owner(p) for p in ROOT.rglob("*.py")} <= known


def test_imports_only_go_down() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        mine = owner(path)
        if mine in OUTSIDE:
            continue
        wrong += [
            f"{path.relative_to(ROOT)} imports {other}"
            for other in sorted(imports(path))
            if other != mine and LEVEL[other] <= LEVEL[mine]
        ]
    assert wrong == []


def test_only_ingest_knows_sources_and_log() -> None:
    """Reading is on one side, storing on the other. (Projections fold what both made, so they see both.)"""
    below = {"log", "sources"}
    both = {owner(p) for p in ROOT.rglob("*.py") if below <= imports(p)}
    assert both <= {"ingest", "projections", "health", "home", "memory"}


def test_the_test_itself_sees_imports() -> None:
    assert "sources" in imports(ROOT / "ingest" / "transcripts.py")
    assert LEVEL["surfaces"] < LEVEL["errors"]
