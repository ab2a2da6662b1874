"""Invitations into a team, as they lie at its remote: sealed under twelve words, for one machine and a week.

Unlike the invitation of one's own machine (`sync/pairing.py`) it gives the keys of the team's space and nothing else.
"""

from __future__ import annotations

import json
from typing import Any

from axiommind.errors import UsageError
from axiommind.home import now
from axiommind.ids import canonical_json
from axiommind.log.syncing import SpaceRow
from axiommind.sync.admission import Founder, Letter
from axiommind.sync.crypto import KEY_BYTES, NotSealed, opened, sealed
from axiommind.sync.machine import OwnMachine
from axiommind.sync.phrases import PairingPhrase, new_phrase
from axiommind.sync.remote import Remote
from axiommind.sync.spaces import SharedSpace

__all__ = ["read_letter", "send_letter", "used_letter"]

_KIND, _NAME = "pairing", "letter"
_PLACE = "pairing/letter"
_VALID_MS = 7 * 24 * 3600_000
_AGAIN = "whoever invited you makes another one: axm team add TEAM YOU"


def send_letter(remote: Remote, space: SharedSpace, letter: Letter) -> PairingPhrase:
    """Leave an invitation at the remote, and return its phrase."""
    phrase = new_phrase()
    said = {
        "space": space.row._asdict() | {"key": space.row.key.hex()},
        "letter": {
            **letter._asdict(),
            **{name: getattr(letter, name).hex() for name in ("public", "signature", "seed")},
        },
        "until": now() + _VALID_MS,
    }
    _put(remote, phrase, said)
    return phrase


def read_letter(remote: Remote, phrase: PairingPhrase) -> tuple[SpaceRow, Letter]:
    """The space and the letter that a phrase opens. It stays until it is used."""
    card = remote.cards(phrase.place, _KIND).get(_NAME)
    if card is None:
        raise UsageError(f"nobody invites with this phrase at {remote.url}", hint=_AGAIN)
    try:
        said = json.loads(opened(phrase.key, card, _PLACE))
        if "taken" in said:
            raise UsageError(f"this phrase let {said['taken']} in already, and lets in one machine", hint=_AGAIN)
        if said["until"] < now():
            raise UsageError("this phrase is older than a week, and was good for one", hint=_AGAIN)
        given = said["space"] | {"key": bytes.fromhex(said["space"]["key"]), "remote": remote.url}
        row = SpaceRow(**given)
        letter = Letter(
            said["letter"]["who"],
            said["letter"]["by"],
            *(bytes.fromhex(said["letter"][name]) for name in ("public", "signature", "seed")),
        )
        is_whole = len(row.key) == row.epoch * KEY_BYTES and row.kind == "team" and bool(Founder.of(row.owner).public)
    except (NotSealed, ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise UsageError("the invitation at this remote is damaged, or of a newer version", hint=_AGAIN)
    return row, letter


def used_letter(remote: Remote, phrase: PairingPhrase, machine: OwnMachine) -> None:
    """Nobody else gets in with this phrase."""
    _put(remote, phrase, {"taken": machine.name, "at": now()})


def _put(remote: Remote, phrase: PairingPhrase, said: dict[str, Any]) -> None:
    remote.put_card(phrase.place, _KIND, _NAME, sealed(phrase.key, canonical_json(said).encode(), _PLACE))
