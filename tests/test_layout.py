"""How the tests are laid out: what several need is a module of its own, so that any test can be moved or left out."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent


def test_no_test_module_is_imported_by_another() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if any(part.startswith("test_") for name in names if name.startswith("tests") for part in name.split(".")):
                found.append(f"{path.relative_to(TESTS)}:{node.lineno}")
    assert found == []
