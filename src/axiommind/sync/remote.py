"""What a remote keeps, and what every kind of it promises: sealed bytes under names, nothing that it could read.

Of each space (a set of readers) it keeps, for each origin (a home), segments 1, 2, 3 … in order; for each session
packs of text and one wrapped key; and small cards that replace each other. `tests/sync/contract.py` runs the same suite
over every kind. A remote orders nothing across origins, and no promise rests on its clock or on the order of a listing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable

__all__ = ["LONGEST_CARD", "LONGEST_PULL", "LONGEST_SEGMENT", "KnowsPeople", "Pushed", "Remote", "named"]

# The longest segment or pack that a remote takes or gives; anything longer was not written by us.
LONGEST_SEGMENT = 16 << 20
LONGEST_CARD = 64 << 10
# No answer to one `pull` is longer than this and one segment more.
LONGEST_PULL = 64 << 20

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


def named(name: str) -> str:
    """A name of a space, an origin, a session, a pack or a card, which is part of a path or a key: anything else than
    what the contract allows is a mistake of ours, or somebody else's attempt, and goes no further."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"this is no name of a space, an origin or a session: {name[:120]!r}")
    return name


class Pushed(StrEnum):
    """What became of a segment that was offered."""

    OK = "ok"  # it is there now
    SAME = "same"  # these very bytes were there already: an answer was lost
    GAP = "gap"  # the one before it is not there
    FORK = "fork"  # another segment has its number: this home was copied, or restored from a backup


class Remote(Protocol):
    """One remote, opened. Names of spaces, origins and sessions are `[A-Za-z0-9_-]{1,100}`; whoever calls makes them
    so. Anything that cannot be reached, read or written raises `errors.RemoteFailed`, which says what to do.

    A place is made ready by `probe`, once, by whoever adds it; any other call on a place that was not is an error, so
    that a disk which is not mounted is never taken for an empty remote. Every call may be repeated: what is there
    already stays, and is no error."""

    url: str  # as it is to be kept: absolute, and without a secret

    def probe(self) -> list[str]:
        """Make the place ready where it is new. Try what the promises below rest on (create-if-absent, reading back,
        deleting), leave nothing of that behind, and say in words what does not hold here; empty when all of it does."""

    def problems(self) -> list[str]:
        """What was met since it was opened that a person should look at: files that are cut, conflict copies."""

    def heads(self, space: str, known: Mapping[str, int]) -> dict[str, int]:
        """The number of the newest segment of each origin of this space. `known` are numbers that the caller has:
        a hint, from which a remote may go on."""

    def push(self, space: str, origin: str, n: int, previous: str, segment: bytes) -> Pushed:
        """Keep segment `n` of an origin if number n is free and n - 1 is there (`previous`: its hex SHA-256, empty for
        the first). Of several that race for a number exactly one is told `ok`."""

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        """The segments after a number, in order, without a gap, at most `most` of them and about 64 MB: there may be
        more until it is empty."""

    def put_packs(self, space: str, session: str, packs: Mapping[str, bytes]) -> None:
        """Keep texts of a session, by name. A name that is there already stays as it is."""

    def packs(self, space: str, session: str, names: Sequence[str]) -> dict[str, bytes]:
        """Those of these packs that are there."""

    def put_key(self, space: str, session: str, wrapped: bytes) -> None:
        """Keep the wrapped key of a session. One that is there already stays as it is."""

    def keys(self, space: str, sessions: Sequence[str]) -> dict[str, bytes]:
        """Those of these sessions' wrapped keys that are there."""

    def destroy(self, space: str, session: str) -> None:
        """Delete the key of a session, then its packs. Again, or for a session that is not there, is no error. Another
        machine may put them back that has not heard of it: whoever applies a tombstone calls this again. A remote
        that knows people leaves it to whoever put them and to the owner of the space; from others it does nothing."""

    def put_card(self, space: str, kind: str, name: str, card: bytes) -> None:
        """Keep a small record (at most 64 KB), in place of the one of this kind and name: who is a member, whose
        machine an origin is, what it acknowledged."""

    def cards(self, space: str, kind: str) -> dict[str, bytes]:
        """Every card of a kind, by name."""

    def wait(self, spaces: Collection[str], seconds: float) -> None:
        """Return as soon as something new may be in one of these spaces, and after this many seconds at the latest. A
        remote that can tell nobody just waits: ask `heads` afterwards."""

    def close(self) -> None:
        """Let go of connections."""


@runtime_checkable
class KnowsPeople(Protocol):
    """A remote that has its own list of who may read a space, as a database has."""

    def people(self, space: str) -> dict[str, str]:
        """Who may, and as what; nobody where it is not one's own."""

    def add_person(self, space: str, who: str, role: str) -> None:
        """Let somebody in whom the remote knows, or change what they may do."""

    def remove_person(self, space: str, who: str) -> None:
        """Let somebody in no longer."""
