"""The last figure of a long proof, for docs/reliability.md: kept where AXM_TORTURE_WRITE is set (`make torture`)."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

__all__ = ["note"]

_FIGURES = Path(__file__).parents[2] / "docs" / "figures.json"
_IS_WANTED = bool(os.environ.get("AXM_TORTURE_WRITE"))  # conftest.py takes it out of the environment of each test


def note(name: str, says: str) -> None:
    """Print a figure, and keep it where that is wanted."""
    print(f"\n{name}: {says}")
    if _IS_WANTED:
        known = json.loads(_FIGURES.read_text("utf-8")) if _FIGURES.exists() else {}
        known[name] = {"says": says, "on": time.strftime("%Y-%m-%d", time.gmtime())}
        _FIGURES.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
