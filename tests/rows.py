"""Which rows of the designs a test proves: `@rows("R0.56", "R0.66")`. docs/requirements.md is made from it."""

from __future__ import annotations

import pytest

__all__ = ["rows"]


def rows(*ids: str) -> pytest.MarkDecorator:
    return pytest.mark.rows(*ids)
