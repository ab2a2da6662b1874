"""Pairing: a phrase of twelve words lets another machine of the same person into a private space.

The invitation lies on the remote, under a name and a key that are made of the phrase: whoever has only the remote sees
that there is one, and nothing else. It is used up by the first machine that takes it, and ends after a day, unless it
was made to be kept.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from axiommind.errors import UsageError
from axiommind.home import now
from axiommind.ids import canonical_json
from axiommind.log.syncing import SpaceRow
from axiommind.sync.crypto import KEY_BYTES, NotSealed, opened, sealed
from axiommind.sync.machine import OwnMachine
from axiommind.sync.phrases import PairingPhrase, new_phrase
from axiommind.sync.remote import Remote
from axiommind.sync.spaces import SharedSpace

__all__ = ["Invitation", "accept", "invite", "used"]

_KIND, _NAME = "pairing", "invitation"
_PLACE = "pairing/invitation"
_VALID_MS = 24 * 3600_000
_AGAIN = "axm sync phrase, on a machine that syncs already, makes another one"


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
    phrase = new_phrase()
    row = space.row._asdict() | {"key": space.row.key.hex()}
    said = {
        "space": row,
        "who": machine.who,
        "by": machine.name,
        "marks": marks.hex(),
        "until": 0 if keep else now() + _VALID_MS,
    }
    _put(remote, phrase, said)
    return phrase


def accept(remote: Remote, phrase: PairingPhrase) -> Invitation:
    """The invitation that a phrase opens. It stays until it is `used`."""
    card = remote.cards(phrase.place, _KIND).get(_NAME)
    if card is None:
        raise UsageError(
            f"nobody invites with this phrase at {remote.url}", hint=f"is it the same remote? If it is: {_AGAIN}"
        )
    try:
        said = json.loads(opened(phrase.key, card, _PLACE))
        if "taken" in said:
            raise UsageError(f"this phrase let {said['taken']} in already, and lets in one machine", hint=_AGAIN)
        if said["until"] and said["until"] < now():
            raise UsageError("this phrase is older than a day, and was good for one", hint=_AGAIN)
        row = SpaceRow(**said["space"] | {"key": bytes.fromhex(said["space"]["key"]), "remote": remote.url})
        found = Invitation(SharedSpace(row), said["who"], said["by"], bytes.fromhex(said["marks"]), said["until"])
        is_whole = len(row.key) == row.epoch * KEY_BYTES and row.kind == "private"
    except (NotSealed, ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise UsageError("the invitation at this remote is damaged, or of a newer version", hint=_AGAIN)
    return found


def used(remote: Remote, phrase: PairingPhrase, machine: OwnMachine) -> None:
    """Nobody else gets in with this phrase."""
    _put(remote, phrase, {"taken": machine.name, "at": now()})


def _put(remote: Remote, phrase: PairingPhrase, said: dict[str, Any]) -> None:
    remote.put_card(phrase.place, _KIND, _NAME, sealed(phrase.key, canonical_json(said).encode(), _PLACE))
