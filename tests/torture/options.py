"""How much torture: AXM_TORTURE_KILLS and its kin, set by `make torture`; else as much as `make test` can bear."""

from __future__ import annotations

import os

__all__ = ["option"]

# conftest.py takes AXM_… out of the environment of each test: what was set is read when a module is loaded.


def option(name: str, usual: int) -> int:
    return int(os.environ.get(f"AXM_TORTURE_{name}") or usual)
