"""What a remote keeps, and what every kind of it promises: sealed bytes under names, nothing that it could read.

Of each space (a set of readers) it keeps, for each origin (a home), segments 1, 2, 3 … in order; for each session
packs of text and one wrapped key; and small cards that replace each other. `tests/sync/contract.py` runs the same suite
over every kind. A remote orders nothing across origins, and no promise rests on its clock or on the order of a listing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

__all__ = ["LONGEST_SEGMENT", "Pushed", "Remote"]

# The longest segment or pack that a remote takes or gives; anything longer was not written by us.
LONGEST_SEGMENT = 16 << 20


class Pushed(StrEnum):
    """What became of a segment that was offered."""

    OK = "ok"  # it is there now
    SAME = "same"  # these very bytes were there already: an answer was lost
    GAP = "gap"  # the one before it is not there
    FORK = "fork"  # another segment has its number: this home was copied, or restored from a backup


class Remote(Protocol):
    """One remote, opened. Names of spaces, origins and sessions are `[A-Za-z0-9_-]{1,200}`; whoever calls makes them
    so. Anything that cannot be reached, read or written raises `errors.RemoteFailed`, which says what to do."""

    url: str

    def probe(self) -> list[str]:
        """Try what the promises below rest on (create-if-absent, reading back, deleting), leave nothing behind, and
        say in words what does not hold here; empty when all of it holds."""

    def heads(self, space: str, known: Mapping[str, int]) -> dict[str, int]:
        """The number of the newest segment of each origin of this space. `known` are numbers that the caller has:
        a hint, from which a remote may go on."""

    def push(self, space: str, origin: str, n: int, previous: str, segment: bytes) -> Pushed:
        """Keep segment `n` of an origin if number n is free and n - 1 is there (`previous`: its hex SHA-256, empty for
        the first). Of several that race for a number exactly one is told `ok`."""

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        """The segments after a number, in order, without a gap, at most `most` of them; empty when there are none."""

    def put_packs(self, space: str, session: str, packs: Mapping[str, bytes]) -> None:
        """Keep texts of a session, by name. A name that is there already stays as it is."""

    def packs(self, space: str, session: str, names: Sequence[str]) -> dict[str, bytes]:
        """Those of these packs that are there."""

    def put_key(self, space: str, session: str, wrapped: bytes) -> None:
        """Keep the wrapped key of a session. One that is there already stays as it is."""

    def keys(self, space: str, sessions: Sequence[str]) -> dict[str, bytes]:
        """Those of these sessions' wrapped keys that are there."""

    def destroy(self, space: str, session: str) -> None:
        """Delete the key of a session, then its packs. Again, or for a session that is not there, is no error."""

    def put_card(self, space: str, kind: str, name: str, card: bytes) -> None:
        """Keep a small record (at most 64 KB), in place of the one of this kind and name: who is a member, whose
        machine an origin is, what it acknowledged."""

    def cards(self, space: str, kind: str) -> dict[str, bytes]:
        """Every card of a kind, by name."""

    def close(self) -> None:
        """Let go of connections."""
