"""Pairing: a phrase of twelve words lets another machine of the same person into a private space.

It is used up by the first machine that takes it, and ends after a day, unless it was made to be kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from axiommind.sync.invitations import KindOfInvitation, leave_invitation, read_invitation, space_in, use_up
from axiommind.sync.machine import OwnMachine
from axiommind.sync.phrases import PairingPhrase
from axiommind.sync.remote import Remote
from axiommind.sync.spaces import SharedSpace

__all__ = ["Invitation", "accept", "invite", "used"]

_AGAIN = "axm sync phrase, on a machine that syncs already, makes another one"
_PAIRING = KindOfInvitation(
    "invitation", 24 * 3600_000, "a day", True, _AGAIN, f"is it the same remote? If it is: {_AGAIN}"
)


class Invitation(NamedTuple):
    """What a machine that joins is given: the space with its keys, whose it is, and the key of redaction marks."""

    space: SharedSpace
    who: str
    by: str  # the machine that invites
    marks: bytes
    until: int  # 0: until it is taken back


def invite(
    remote: Remote, space: SharedSpace, machine: OwnMachine, marks: bytes, *, keep: bool = False
) -> PairingPhrase:
    """Leave an invitation at the remote, and return its phrase."""
    said = {"who": machine.who, "by": machine.name, "marks": marks.hex()}
    return leave_invitation(remote, _PAIRING, space, said, keep=keep)


def accept(remote: Remote, phrase: PairingPhrase) -> Invitation:
    """The invitation that a phrase opens. It stays until it is `used`."""

    def read(said: dict[str, Any]) -> Invitation:
        space = SharedSpace(space_in(said, remote, "private"))
        return Invitation(space, said["who"], said["by"], bytes.fromhex(said["marks"]), said["until"])

    return read_invitation(remote, _PAIRING, phrase, read)


def used(remote: Remote, phrase: PairingPhrase, machine: OwnMachine) -> None:
    """Nobody else gets in with this phrase."""
    use_up(remote, _PAIRING, phrase, machine)
