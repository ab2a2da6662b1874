"""What a room of this folder need not say itself: the defaults of a source, and how its parts are loaded when they are
first asked for, because a hook asks only for the names of tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from types import ModuleType

    from axiommind.sources.contract import Discovery, SourceFile

__all__ = ["Defaults", "Room", "parts"]


def parts(room: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a room: which of its modules holds which name."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{room}.{modules[name]}"), name)
        setattr(sys.modules[room], name, value)
        return value

    return find


class Defaults:
    """What a source does that has nothing of its own to do there."""

    WATCHED: tuple[str, ...] = (".jsonl",)
    FINDS_PROJECTS = False

    def watched(self, root: Path) -> Path:
        return root

    def deletes_after(self, root: Path) -> int | None:  # noqa: ARG002
        return None

    def resume(self, session_id: str) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def resumes(self, stream: str) -> bool:  # noqa: ARG002
        return True

    def start(self, prompt: str) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def expand(self, container: SourceFile) -> Discovery:
        from axiommind.sources.contract import Discovery

        return Discovery((container.root,), (), ())

    def session_of(self, file: SourceFile) -> str:
        return Path(file.path).stem

    def folders_of(self, files: Sequence[SourceFile]) -> Mapping[str, str]:  # noqa: ARG002
        return {}

    def open_stream(self, path: str) -> BinaryIO:
        return Path(path).open("rb")

    def prune(self, line: bytes) -> bytes:
        return line

    def record_id(self, line: bytes) -> str | None:  # noqa: ARG002
        return None

    def belongs_to(self, line: bytes) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:  # noqa: ARG002
        return {}


class Room(Defaults):
    """A module of this folder as a whole source: what it does not offer has a default."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        try:
            return getattr(self._module, name)
        except AttributeError:
            return object.__getattribute__(self, name)

    def record_id(self, line: bytes) -> str | None:
        return next((record.uuid for record in self._module.decode(line + b"\n", 1).records), None)
