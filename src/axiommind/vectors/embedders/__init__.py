"""Embedders turn texts into vectors. One file each with `load(settings)`, and the folder is the registry;
third parties add theirs by entry points (docs/plugins.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from axiommind.errors import EmbedderError, MissingExtra, UsageError
from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.vectors.contract import Embedder

__all__ = ["REGISTRY", "Settings", "check", "load", "names", "settings_of", "spec"]

# What is part of an extra, and of which.
_EXTRAS = {"numpy": "embed", "onnxruntime": "minilm", "tokenizers": "minilm"}
_IDENTITY = ("name", "model", "url", "key_env", "path")


class Settings(NamedTuple):
    """What the group `embed` of the configuration says, and where installed models are."""

    name: str
    model: str  # openai: which one to ask
    url: str  # openai: where
    key_env: str  # openai: the name of the variable that holds the key, never the key
    seconds: float  # openai: time limit of one request
    path: str  # folder: where it is
    home: Path
    threads: int = 1  # minilm, folder: texts at once; 0 = as many as there are cores


class EmbedderModule(Protocol):
    def load(self, settings: Settings) -> Embedder: ...


REGISTRY: Registry[EmbedderModule] = Registry(__name__, requires=("load",), group="axiommind.embedders")


def names() -> list[str]:
    return REGISTRY.names()


def load(settings: Settings) -> Embedder:
    """The embedder that the settings name, ready to be used."""
    module = REGISTRY.find(settings.name)
    if module is None:
        raise UsageError(f"there is no embedder {settings.name!r}", hint=f"one of: {', '.join(names())}")
    try:
        embedder = module.load(settings)
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        from axiommind.distribution import extra_command

        raise MissingExtra(
            f"the embedder {settings.name} needs {package}, which cannot be loaded",
            hint=extra_command(_EXTRAS[package]),
        ) from error
    return embedder


def spec(settings: Settings) -> str:
    """Which embedder this is, as text to be kept beside its vectors. It names a key's variable and holds no key."""
    given = settings._asdict()
    return json.dumps({field: given[field] for field in _IDENTITY if given[field]}, ensure_ascii=False)


def settings_of(text: str, now: Settings) -> Settings:
    """The settings that a kept text stands for; what is no part of that (time limit, home) is as it is now.

    The variable of the key is part of it: another server must not be sent the key of the one that is set now.
    """
    try:
        said = json.loads(text)
        kept: dict[str, Any] = {field: str(said.get(field, "")) for field in _IDENTITY}
        return now._replace(**kept)
    except (ValueError, AttributeError) as error:
        raise EmbedderError(f"the vectors do not say what they were made with ({error})") from None


def check(embedder: Embedder, version: str) -> None:
    """Refuse an embedder whose vectors cannot be compared with those that are kept."""
    if embedder.version != version:
        raise EmbedderError(
            f"the vectors were made with {version}, and there is {embedder.version} now", hint="run: axm embed"
        )
