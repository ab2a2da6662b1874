"""The providers: each file says how one kind of model is reached. The folder is the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.llm.contract import Provider

__all__ = ["REGISTRY", "ProviderModule"]


class ProviderModule(Protocol):
    """What a module in this folder offers."""

    def connect(self, config: Config) -> Provider:
        """The provider, or an error that says which setting is missing."""


REGISTRY: Registry[ProviderModule] = Registry(__name__, requires=("connect",))
