"""How things are: every machine, how far it is and how far this one is with it, and who has forgotten what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from axiommind.errors import RemoteFailed
from axiommind.home import now
from axiommind.ids import canonical_json
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import RefusedItem, SyncTables
from axiommind.model import Event
from axiommind.sync.crypto import NotSealed, signature
from axiommind.sync.machine import OwnMachine
from axiommind.sync.remote import Remote
from axiommind.sync.sharing import UNSHARED, SharedEvents
from axiommind.sync.spaces import SharedSpace, StateCard, members_of, states_of
from axiommind.sync.state import RunState

__all__ = [
    "ForgetState",
    "MachineState",
    "SpaceState",
    "SyncStatus",
    "forget_states",
    "signed_certificate",
    "space_state",
]


class MachineState(NamedTuple):
    """Another machine in a space. `behind` is how many of its segments are not here yet, `lacks` how many of this
    machine's it has not read, as it said at `seen`; None where that is not known."""

    origin: str
    name: str
    who: str
    relation: str
    behind: int | None
    lacks: int | None
    seen: int | None
    has_left: bool = False


class SpaceState(NamedTuple):
    """A space: its remote, when it was synced last, what waits here to be published, and its machines."""

    space: str
    name: str
    kind: str
    remote: str
    synced: int  # 0: never
    waiting: int  # events
    machines: tuple[MachineState, ...]
    error: str = ""


class ForgetState(NamedTuple):
    """One forgetting: which sessions or project, when, which machines have done it and when, which have not and when
    they were seen last, and which have left without."""

    forgotten: str
    at: int
    sessions: tuple[str, ...]
    project: str | None
    reason: str
    done: tuple[tuple[str, int], ...]
    not_yet: tuple[tuple[str, int | None], ...]
    left: tuple[str, ...] = ()


class SyncStatus(NamedTuple):
    """Everything that `axm sync status` shows."""

    machine: str
    spaces: tuple[SpaceState, ...]
    forgettings: tuple[ForgetState, ...]
    refused: tuple[RefusedItem, ...]


def space_state(log: SqliteLog, space: SharedSpace, remote: Remote, me: OwnMachine, state: RunState) -> SpaceState:
    """How things are in a space; what only the remote knows is None where that cannot be reached."""
    tables = SyncTables(log)
    tip = tables.tip(space.id, 0)
    homes = [(log.origins.numbered(number), n) for number, n in tables.tips(space.id).items()]
    heads: Mapping[str, int] | None = None
    cards: dict[str, StateCard] = {}
    error = ""
    try:
        heads = remote.heads(space.id, {home.origin: n for home, n in homes})
        cards = states_of(remote, space)
        known = {me.origin, *(home.origin for home, _ in homes)}
        relation = "own" if space.row.kind == "private" else "teammate"
        homes += [(one.as_home(relation), 0) for one in members_of(remote, space)[0] if one.origin not in known]
    except (RemoteFailed, NotSealed) as failed:
        error = getattr(failed, "message", str(failed))
    machines = []
    for home, n in homes:
        card = cards.get(home.origin)
        behind = None if heads is None else max(0, heads.get(home.origin, 0) - n)
        lacks = None if card is None else max(0, tip.n - card.applied.get(me.origin, 0))
        seen = None if card is None else card.at
        has_left = card is not None and card.has_left
        machines.append(MachineState(home.origin, home.name, home.who, home.relation, behind, lacks, seen, has_left))
    waiting = tables.own_after(max(tip.last_seq, state.number(space.id, "scanned")))
    row = space.row
    synced = state.number(space.id, "at")
    return SpaceState(row.space, row.name, row.kind, row.remote, synced, waiting, tuple(machines), error)


def forget_states(log: SqliteLog, me: OwnMachine, spaces: tuple[SpaceState, ...]) -> list[ForgetState]:
    """Every forgetting in force, and which machines of the spaces have done it. A machine that a space has is one that
    may have had the text, whether or not it ever read it."""
    acks = SyncTables(log).acknowledgements()
    marks = log.tombstones()
    told = {one.space: SharedEvents(log, one.space, ()) for one in spaces if one.kind == "team"}
    found = []
    for event in log.replay(["forgotten", UNSHARED]):
        said = event.payload
        if event.event_type == UNSHARED:
            reached = [
                one._replace(machines=tuple(m for m in one.machines if m.relation == "teammate"))
                for one in spaces
                if one.space == said["space"]
            ]
        elif {*(("session", one) for one in said["sessions"]), ("project", said["project"])} & marks:
            reached = [one for one in spaces if one.kind == "private" or told[one.space].takes_forgotten(event)]
        else:
            continue  # taken back
        machines = {one.origin: one for space in reached for one in space.machines}
        found.append(_forget_state(log, me, event, machines, acks))
    return found


def _forget_state(
    log: SqliteLog,
    me: OwnMachine,
    event: Event,
    machines: Mapping[str, MachineState],
    acks: Mapping[str, Mapping[int, int]],
) -> ForgetState:
    said = event.payload
    given = {**acks.get(event.event_id.partition("@")[0], {}), **acks.get(event.event_id, {})}
    done = {log.origins.numbered(number).origin: at for number, at in given.items()}
    if event.origin:
        done.setdefault(log.origins.numbered(event.origin).origin, event.ts)
    if event.event_type == UNSHARED:  # it stays here
        done.pop(me.origin, None)
    names = {**{one.origin: _label(one) for one in machines.values()}, me.origin: me.name}
    open_now = [one for one in machines.values() if one.origin not in done]
    is_open_here = me.origin not in done and event.event_type != UNSHARED
    return ForgetState(
        event.event_id,
        event.ts,
        tuple(said["sessions"]),
        said["project"],
        said["reason"],
        tuple((names.get(origin, origin), at) for origin, at in sorted(done.items(), key=lambda one: one[1])),
        (
            *(((me.name, now()),) if is_open_here else ()),
            *((_label(one), one.seen) for one in open_now if not one.has_left),
        ),
        tuple(_label(one) for one in open_now if one.has_left),
    )


def signed_certificate(me: OwnMachine, states: list[ForgetState]) -> dict[str, Any]:
    """What this machine knows of forgettings, signed with its key: whoever has its public key can check it."""
    said = {
        "by": me.name,
        "origin": me.origin,
        "at": now(),
        "forgettings": [json.loads(json.dumps(one._asdict())) for one in states],
        "public_key": me.public.hex(),
    }
    made = signature(me.seed, b"axiommind certificate " + canonical_json(said).encode())
    return {**said, "signature": made.hex()}


def _label(one: MachineState) -> str:
    return f"{one.who}@{one.name}" if one.relation == "teammate" else one.name
