"""The pages that people read, and the scripts in docs/ that make and check them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import axiommind
from axiommind.config import Config
from axiommind.memory import Memory

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = Path(axiommind.__file__).parent
SAMPLE = PACKAGE / "sample"
GENERATED = (
    "commands.md",
    "mcp-tools.md",
    "perspectives.md",
    "library.md",
    "reliability.md",
    "requirements.md",
    "schema.md",
    "configuration.md",
    "../plugin/hooks/hooks.json",
)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def handwritten() -> list[Path]:
    """README.md and the pages of docs/ that people wrote."""
    return [ROOT / "README.md", *(p for p in sorted(DOCS.glob("*.md")) if p.name not in GENERATED)]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def script(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    full = f"axm_docs_{name}"
    spec = importlib.util.spec_from_file_location(full, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    sys.modules[full] = module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(DOCS), *sys.path]):  # they import each other by name
        spec.loader.exec_module(module)
    return module


def sample_memory(home: Path) -> Memory:
    environ = {"AXM_HOME": str(home), "CLAUDE_CONFIG_DIR": str(SAMPLE), "AXM_WORKERS": "0"}
    return Memory(Config.load(environ), environ=environ, user=home)
