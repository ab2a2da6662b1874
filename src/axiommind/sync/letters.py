"""Invitations into a team: for one machine and a week.

Unlike the invitation of one's own machine (`sync/pairing.py`) it gives the keys of the team's space and nothing else.
"""

from __future__ import annotations

from typing import Any

from axiommind.log.syncing import SpaceRow
from axiommind.sync.admission import Founder, Letter
from axiommind.sync.invitations import KindOfInvitation, leave_invitation, read_invitation, space_in, use_up
from axiommind.sync.machine import OwnMachine
from axiommind.sync.phrases import PairingPhrase
from axiommind.sync.remote import Remote
from axiommind.sync.spaces import SharedSpace

__all__ = ["read_letter", "send_letter", "used_letter"]

_AGAIN = "whoever invited you makes another one: axm team add TEAM YOU"
_LETTER = KindOfInvitation("letter", 7 * 24 * 3600_000, "a week", False, _AGAIN, _AGAIN)
_IN_HEX = ("public", "signature", "seed")


def send_letter(remote: Remote, space: SharedSpace, letter: Letter) -> PairingPhrase:
    """Leave an invitation at the remote, and return its phrase."""
    said = {**letter._asdict(), **{name: getattr(letter, name).hex() for name in _IN_HEX}}
    return leave_invitation(remote, _LETTER, space, {"letter": said})


def read_letter(remote: Remote, phrase: PairingPhrase) -> tuple[SpaceRow, Letter]:
    """The space and the letter that a phrase opens. It stays until it is used."""

    def read(said: dict[str, Any]) -> tuple[SpaceRow, Letter]:
        row, given = space_in(said, remote, "team"), said["letter"]
        if not Founder.of(row.owner).public:
            raise ValueError("it names no founder")
        return row, Letter(given["who"], given["by"], *(bytes.fromhex(given[name]) for name in _IN_HEX))

    return read_invitation(remote, _LETTER, phrase, read)


def used_letter(remote: Remote, phrase: PairingPhrase, machine: OwnMachine) -> None:
    """Nobody else gets in with this phrase."""
    use_up(remote, _LETTER, phrase, machine)
