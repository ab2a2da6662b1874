"""Who is whom in a team: a name counts where somebody stands behind it who may.

The machine that made a team is its founder, and every member knows its key from the invitation. The founder's person
lets people in, under a name; everybody lets in further machines of their own. An invitation holds a key that was made
for it, and that key vouches for the machine that comes with it: so nobody can take another's name by writing a card.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from axiommind.ids import canonical_json
from axiommind.model import OriginHome
from axiommind.sync.crypto import KEY_BYTES, is_signed, new_key, signature, verify_key
from axiommind.sync.machine import OwnMachine

__all__ = ["Admission", "Founder", "Letter", "MemberCard", "admitted", "admitted_by", "believed"]


class Founder(NamedTuple):
    """The machine that made a team, as every member keeps it with the space."""

    origin: str
    public: bytes

    @property
    def text(self) -> str:
        return f"{self.origin} {self.public.hex()}"

    @classmethod
    def of(cls, text: str) -> Founder:
        origin, _, public = text.partition(" ")
        return cls(origin, bytes.fromhex(public))


class Letter(NamedTuple):
    """What an invitation says: under which name somebody comes, who lets them in, and the key that vouches for their
    machine (its seed, which only the invitation holds)."""

    who: str
    by: str
    public: bytes
    signature: bytes
    seed: bytes


class Admission(NamedTuple):
    """What stands in a machine's card, for everybody to check."""

    who: str
    by: str
    public: bytes
    signature: bytes
    oath: bytes

    def as_json(self) -> dict[str, str]:
        return {
            "who": self.who,
            "by": self.by,
            "public": self.public.hex(),
            "signature": self.signature.hex(),
            "oath": self.oath.hex(),
        }

    @classmethod
    def of(cls, said: dict[str, str]) -> Admission:
        return cls(said["who"], said["by"], *(bytes.fromhex(said[name]) for name in ("public", "signature", "oath")))


class MemberCard(NamedTuple):
    """Who an origin is, as it says itself, signed with its key."""

    origin: str
    who: str
    name: str
    public: bytes
    admission: Admission | None = None  # who let it into a team

    def as_home(self, relation: str, state: str = "active") -> OriginHome:
        return OriginHome(0, self.origin, self.who, self.name, relation, state, self.public)


def admitted_by(space: str, machine: OwnMachine, who: str) -> Letter:
    """Let somebody in under a name."""
    seed = new_key()
    public = verify_key(seed)
    return Letter(who, machine.origin, public, signature(machine.seed, _letter_text(space, who, public)), seed)


def admitted(space: str, letter: Letter, machine: OwnMachine) -> Admission:
    """Come in with a letter."""
    oath = signature(letter.seed, _oath_text(space, machine.origin, machine.public))
    return Admission(letter.who, letter.by, letter.public, letter.signature, oath)


def believed(space: str, founder: Founder, cards: Iterable[MemberCard]) -> set[str]:
    """The origins whose names count."""
    known: dict[str, MemberCard] = {}
    left = {one.origin: one for one in cards}
    first = left.pop(founder.origin, None)
    if first is None or first.public != founder.public:
        return set()
    known[first.origin] = first
    has_moved = True
    while has_moved:
        fresh = [one for one in left.values() if _is_let_in(space, one, known, first.who)]
        has_moved = bool(fresh)
        for one in fresh:
            known[one.origin] = left.pop(one.origin)
    return set(known)


def _is_let_in(space: str, card: MemberCard, known: dict[str, MemberCard], founder: str) -> bool:
    given = card.admission
    by = None if given is None else known.get(given.by)
    if given is None or by is None or given.who != card.who or len(given.public) != KEY_BYTES:
        return False
    if by.who not in (founder, card.who):
        return False
    return is_signed(by.public, _letter_text(space, given.who, given.public), given.signature) and is_signed(
        given.public, _oath_text(space, card.origin, card.public), given.oath
    )


def _letter_text(space: str, who: str, public: bytes) -> bytes:
    return f"axiommind letter {canonical_json([space, who, public.hex()])}".encode()


def _oath_text(space: str, origin: str, public: bytes) -> bytes:
    return f"axiommind oath {canonical_json([space, origin, public.hex()])}".encode()
