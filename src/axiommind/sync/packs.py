"""Packs: texts that segments name, each sealed under the key of its session, outside the chain. So text can be deleted
without breaking a chain, and destroying one key makes all copies of it unreadable.

Each origin has its own key for each session that it sends text of, and puts its packs in a *group* of their own:
nobody needs anybody else's key to write, and nobody can take another's place. What has no session belongs to its
project. Names of groups and packs are keyed hashes: a remote cannot guess what was said or which file was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axiommind.model import Event
from axiommind.sync.crypto import NotSealed, derived, opened, sealed

__all__ = ["GroupKeys", "PackGroup", "group_of"]

_PART = 15 << 20  # of the stored bytes of one text
_CODECS = {"raw": b"r", "zstd": b"z", None: b"-"}
_CODEC_OF = {letter: codec for codec, letter in _CODECS.items()}
_NAME_BYTES = 16
_EPOCH_BYTES = 4

Stored = tuple[str, bytes] | None  # codec and bytes of a text; None: it is gone for ever


def group_of(event: Event) -> str:
    """Whose key the texts of an event are under: what would be forgotten together."""
    return event.session_id or f"project {event.project or ''}"


class GroupKeys:
    """How groups are named in a space, and their keys wrapped. `keys` are the space's, by epoch."""

    def __init__(self, space: str, keys: Mapping[int, bytes]) -> None:
        self._space = space
        self._keys = keys

    def name(self, origin: str, group: str) -> str:
        return derived(self._keys[1], "group", origin, group, size=_NAME_BYTES).hex()

    def wrap(self, name: str, key: bytes) -> bytes:
        epoch = max(self._keys)
        return epoch.to_bytes(_EPOCH_BYTES, "big") + sealed(self._keys[epoch], key, f"key/{self._space}/{name}")

    def unwrap(self, name: str, wrapped: bytes) -> bytes:
        key = self._keys.get(int.from_bytes(wrapped[:_EPOCH_BYTES], "big"))
        if key is None:
            raise NotSealed("the key of a session is sealed under one that this machine was not given")
        return opened(key, wrapped[_EPOCH_BYTES:], f"key/{self._space}/{name}")


class PackGroup:
    """The packs of one group, under its key."""

    def __init__(self, space: str, name: str, key: bytes) -> None:
        self.name = name
        self._key = key
        self._place = f"pack/{space}/{name}"

    def pack_name(self, text: str, part: int = 0) -> str:
        return derived(self._key, "pack", text, str(part), size=_NAME_BYTES).hex()

    def seal(self, text: str, stored: Stored) -> Iterator[tuple[str, bytes]]:
        """The packs of a text, by name: one, unless it is very long."""
        codec, data = stored or (None, b"")
        parts = max(1, -(-len(data) // _PART))
        for part in range(parts):
            content = _CODECS[codec] + parts.to_bytes(2, "big") + data[part * _PART :][:_PART]
            yield self.pack_name(text, part), sealed(self._key, content, f"{self._place}/{text}/{part}")

    def open(self, text: str, part: int, pack: bytes) -> tuple[str | None, int, bytes]:
        """Codec, number of parts, and the stored bytes of one part."""
        content = opened(self._key, pack, f"{self._place}/{text}/{part}")
        if content[:1] not in _CODEC_OF or len(content) < 3:
            raise NotSealed("a text is not packed as texts are")
        return _CODEC_OF[content[:1]], int.from_bytes(content[1:3], "big"), content[3:]
