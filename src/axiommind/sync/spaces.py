"""Spaces: sets of readers, each with keys of its own, and the cards that its homes leave for each other.

    member/ORIGIN     who an origin is: its machine, its person, its public key. Sealed under the space's key
    keys/ORIGIN       the keys of the space for one home, in a box that it alone opens, signed by who gave them
    state/ORIGIN      how far a home has read the others, and when. Sealed under the space's key

A space has a key for each epoch. Removing a member begins an epoch: what is published from then on is under a key that
only those have who stay. The names of groups are made with the first key, which everybody has.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from axiommind.ids import canonical_json
from axiommind.log.syncing import SpaceRow
from axiommind.sync.admission import Admission, Founder, MemberCard, believed
from axiommind.sync.crypto import KEY_BYTES, NotSealed, box_for, is_signed, new_key, open_box, opened, sealed, signature
from axiommind.sync.machine import OwnMachine
from axiommind.sync.packs import GroupKeys
from axiommind.sync.remote import Remote

__all__ = ["SharedSpace", "StateCard", "members_of", "new_space", "states_of"]

_EPOCH_BYTES = 4
_LONGEST = 200


class StateCard(NamedTuple):
    """How far a home has read: the number of the newest segment of each origin that it applied, and when it said so.
    `has_left`: it syncs no more, and keeps what it has."""

    at: int
    applied: dict[str, int]
    has_left: bool = False


class SharedSpace(NamedTuple):
    """A space that this home can read."""

    row: SpaceRow

    @property
    def id(self) -> str:
        return self.row.space

    @property
    def keys(self) -> dict[int, bytes]:
        """The keys by epoch, from 1."""
        return {at + 1: self.row.key[at * KEY_BYTES :][:KEY_BYTES] for at in range(self.row.epoch)}

    @property
    def key(self) -> bytes:
        return self.keys[self.row.epoch]

    @property
    def groups(self) -> GroupKeys:
        return GroupKeys(self.id, self.keys)

    def next_epoch(self) -> SharedSpace:
        """With another key for what is published from now on: give it to those who stay (`give_keys`)."""
        return SharedSpace(self.row._replace(epoch=self.row.epoch + 1, key=self.row.key + new_key()))

    # --- cards ------------------------------------------------------------------------------------------------

    def seal_card(self, kind: str, name: str, said: dict[str, Any]) -> bytes:
        """A card that only members read."""
        body = sealed(self.key, canonical_json(said).encode(), f"card/{self.id}/{kind}/{name}")
        return self.row.epoch.to_bytes(_EPOCH_BYTES, "big") + body

    def open_card(self, kind: str, name: str, card: bytes) -> Any:
        """What a member's card says; `NotSealed` where no member wrote it for this place."""
        key = self.keys.get(int.from_bytes(card[:_EPOCH_BYTES], "big"))
        if key is None:
            raise NotSealed("it is sealed under a key that this machine was not given")
        return json.loads(opened(key, card[_EPOCH_BYTES:], f"card/{self.id}/{kind}/{name}"))

    def put_member(self, remote: Remote, machine: OwnMachine, admission: Admission | None = None) -> None:
        """Say who this machine is, and in a team who let it in."""
        who = machine.who if admission is None else admission.who
        said: dict[str, Any] = {"origin": machine.origin, "who": who, "name": machine.name, "key": machine.public.hex()}
        if admission is not None:
            said["admission"] = admission.as_json()
        made = signature(machine.seed, _member_text(self.id, said))
        card = self.seal_card("member", machine.origin, {**said, "signature": made.hex()})
        remote.put_card(self.id, "member", machine.origin, card)

    def put_state(self, remote: Remote, origin: str, state: StateCard) -> None:
        remote.put_card(self.id, "state", origin, self.seal_card("state", origin, state._asdict()))

    # --- keys -------------------------------------------------------------------------------------------------

    def give_keys(self, remote: Remote, giver: OwnMachine, to: MemberCard) -> None:
        """Leave the keys of the space for another home."""
        box = box_for(to.public, self.row.key)
        said = {"epoch": self.row.epoch, "by": giver.origin, "box": box.hex()}
        made = signature(giver.seed, _keys_text(self.id, to.origin, said))
        card = canonical_json({**said, "signature": made.hex()}).encode()
        remote.put_card(self.id, "keys", to.origin, card)

    def take_keys(self, remote: Remote, me: OwnMachine, givers: Sequence[MemberCard]) -> SharedSpace:
        """The space with the keys that somebody who may give them left for this home; as it is, where there are no
        newer ones. The keys that are known stay as they are."""
        card = remote.cards(self.id, "keys").get(me.origin)
        try:
            said = json.loads(card or b"null")
            if said is None or int(said["epoch"]) <= self.row.epoch:
                return self
            giver = next((one for one in givers if one.origin == said["by"]), None)
            made = bytes.fromhex(said.pop("signature"))
            if giver is None or not is_signed(giver.public, _keys_text(self.id, me.origin, said), made):
                return self
            keys = open_box(me.seed, bytes.fromhex(said["box"]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return self
        if len(keys) != said["epoch"] * KEY_BYTES or not keys.startswith(self.row.key):
            return self
        return SharedSpace(self.row._replace(epoch=said["epoch"], key=keys))


def new_space(name: str, kind: str, owner: str, remote: str) -> SharedSpace:
    return SharedSpace(SpaceRow(secrets.token_hex(16), name, kind, owner, remote, 1, new_key()))


def members_of(remote: Remote, space: SharedSpace) -> tuple[list[MemberCard], list[str]]:
    """Who is in a space, and what is wrong with cards that say nothing believable. A card counts only where it signs
    itself with the key that it names: nobody can say of another's key that it is theirs."""
    found, wrong = [], []
    for name, card in sorted(remote.cards(space.id, "member").items()):
        try:
            said = space.open_card("member", name, card)
            made = bytes.fromhex(said.pop("signature"))
            given = said.get("admission")
            admission = None if given is None else Admission.of(given)
            member = MemberCard(said["origin"], said["who"], said["name"], bytes.fromhex(said["key"]), admission)
            is_true = is_signed(member.public, _member_text(space.id, said), made) and member.origin == name
            is_short = all(isinstance(one, str) and 0 < len(one) <= _LONGEST for one in member[:3])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            is_true = is_short = False
        if is_true and is_short:
            found.append(member)
        else:
            wrong.append(f"the card of the machine {name} is not its own, or damaged")
    if space.row.kind == "team":
        counts = believed(space.id, Founder.of(space.row.owner), found)
        wrong += [
            f"nobody let in the machine {m.name} as {m.who}: nothing of it is taken"
            for m in found
            if m.origin not in counts
        ]
        found = [one for one in found if one.origin in counts]
    return found, wrong


def states_of(remote: Remote, space: SharedSpace) -> dict[str, StateCard]:
    """How far each home has read, as it said last."""
    found = {}
    for name, card in remote.cards(space.id, "state").items():
        try:
            said = space.open_card("state", name, card)
            applied = {str(origin): int(n) for origin, n in said["applied"].items()}
            found[name] = StateCard(int(said["at"]), applied, said["has_left"] is True)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return found


def _member_text(space: str, said: dict[str, Any]) -> bytes:
    return f"axiommind member {space} {canonical_json(said)}".encode()


def _keys_text(space: str, to: str, said: dict[str, Any]) -> bytes:
    return f"axiommind keys {space} {to} {canonical_json(said)}".encode()
