"""Invitations as they lie at a remote: sealed under a phrase, for one machine, until they are used or old.

Place and key are made of the phrase: whoever has only the remote sees that there is an invitation, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from axiommind.errors import UsageError
from axiommind.home import now
from axiommind.ids import canonical_json
from axiommind.log.syncing import SpaceRow
from axiommind.sync.crypto import KEY_BYTES, NotSealed, opened, sealed
from axiommind.sync.machine import OwnMachine
from axiommind.sync.phrases import PairingPhrase, new_phrase
from axiommind.sync.remote import Remote
from axiommind.sync.spaces import SharedSpace

__all__ = ["KindOfInvitation", "leave_invitation", "read_invitation", "space_in", "use_up"]

_KIND = "pairing"
T = TypeVar("T")


class KindOfInvitation(NamedTuple):
    """What is invited to: the name of the card, how long it is good for and in words, whether one may be kept for
    good, and what to do for another one."""

    name: str
    valid_ms: int
    valid: str
    may_be_kept: bool
    again: str
    lost: str  # where there is none

    @property
    def place(self) -> str:
        return f"{_KIND}/{self.name}"


def leave_invitation(
    remote: Remote, kind: KindOfInvitation, space: SharedSpace, said: Mapping[str, Any], *, keep: bool = False
) -> PairingPhrase:
    """Leave an invitation into a space at the remote, and return its phrase."""
    phrase = new_phrase()
    row = space.row._asdict() | {"key": space.row.key.hex()}
    _put(remote, kind, phrase, {**said, "space": row, "until": 0 if keep else now() + kind.valid_ms})
    return phrase


def read_invitation(
    remote: Remote, kind: KindOfInvitation, phrase: PairingPhrase, read: Callable[[dict[str, Any]], T]
) -> T:
    """What the invitation that a phrase opens gives; `read` makes it of what is said, and raises `ValueError`,
    `KeyError` or `TypeError` where that is damaged. It stays until it is used up."""
    card = remote.cards(phrase.place, _KIND).get(kind.name)
    if card is None:
        raise UsageError(f"nobody invites with this phrase at {remote.url}", hint=kind.lost)
    try:
        said = json.loads(opened(phrase.key, card, kind.place))
        if "taken" in said:
            raise UsageError(f"this phrase let {said['taken']} in already, and lets in one machine", hint=kind.again)
        if (said["until"] or not kind.may_be_kept) and said["until"] < now():
            raise UsageError(f"this phrase is older than {kind.valid}, and was good for one", hint=kind.again)
        return read(said)
    except (NotSealed, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError("the invitation at this remote is damaged, or of a newer version", hint=kind.again) from error


def space_in(said: Mapping[str, Any], remote: Remote, kind: str) -> SpaceRow:
    """The space that an invitation is into, with its keys."""
    row = SpaceRow(**said["space"] | {"key": bytes.fromhex(said["space"]["key"]), "remote": remote.url})
    if len(row.key) != row.epoch * KEY_BYTES or row.kind != kind:
        raise ValueError("it is into no such space")
    return row


def use_up(remote: Remote, kind: KindOfInvitation, phrase: PairingPhrase, machine: OwnMachine) -> None:
    """Nobody else gets in with this phrase."""
    _put(remote, kind, phrase, {"taken": machine.name, "at": now()})


def _put(remote: Remote, kind: KindOfInvitation, phrase: PairingPhrase, said: dict[str, Any]) -> None:
    remote.put_card(phrase.place, _KIND, kind.name, sealed(phrase.key, canonical_json(said).encode(), kind.place))
