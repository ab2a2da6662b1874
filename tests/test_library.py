"""The public library: what `axiommind` names exists, is documented, and is all that `Memory` gives back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import axiommind
from axiommind.memory import SAMPLE
from tests.docs.pages import DOCS, script

NAMES = set(axiommind.__all__) - {"__version__"}
# What annotations mention that is Python's, and the modules of an embedder's store and of free iteration.
OTHERS = {"Any", "Callable", "Iterable", "Iterator", "Mapping", "None", "Path", "Self", "StopWords"}


def test_every_name_is_there() -> None:
    assert all(getattr(axiommind, name).__name__ == name for name in NAMES)
    assert set(dir(axiommind)) >= NAMES
    with pytest.raises(AttributeError, match="nonsense"):
        axiommind.nonsense  # noqa: B018


def test_a_type_checker_sees_the_same_names() -> None:
    source = ast.parse(Path(axiommind.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    found = {(node.module, alias.name) for node in imports for alias in node.names}
    assert {(f"axiommind.{axiommind._MODULES[name]}", name) for name in NAMES} <= found


def test_what_a_memory_gives_back_is_public() -> None:
    library = script("library")
    owners = [axiommind.Memory, *library.parts().values()]
    returned = {
        name
        for owner in owners
        for method in library.methods(owner).values()
        for name in re.findall(r"\b[A-Z]\w+", str(method.__annotations__["return"]))
    }
    assert returned - OTHERS <= NAMES


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("AXM_HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(SAMPLE))
    (code,) = re.findall(r"```python\n(from axiommind.*?)```", (DOCS / "library.md").read_text(encoding="utf-8"), re.S)
    exec(code.replace("flaky test", "old total after discount"), {})
    assert ".jsonl:L" in capsys.readouterr().out
