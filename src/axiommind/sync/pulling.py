"""Pulling: the segments of other homes, checked, and appended with their texts, each in one transaction with the row of
the chain that says so.

A segment that is not what it has to be stops its own chain and no other, is noted, and is asked for again next time. A
text that is not there yet stops its chain too: programs that copy folders bring files in any order. One that is not
there because it was forgotten is none, which is known by the event that forgot it. That may come later in the same
chain, which is looked through for it, or be in another one: chains that stopped are tried again until no other one goes
on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from axiommind.home import now
from axiommind.log.foreign import ChainLink, append_foreign
from axiommind.log.lines import ForeignRefused, Outgoing
from axiommind.log.origins import TRAVELS, VOCABULARY
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import RefusedItem, SyncTables
from axiommind.model import OriginHome
from axiommind.sync.crypto import NotSealed
from axiommind.sync.packs import PackGroup, Stored, group_of
from axiommind.sync.remote import Remote
from axiommind.sync.segments import Header, SegmentPlace, hash_of, open_segment
from axiommind.sync.spaces import SharedSpace

__all__ = ["Pulled", "Puller", "Stopped"]

_AT_ONCE = 64


class Stopped(NamedTuple):
    """A chain that does not go on: whose, at which segment, and why. `is_waiting`: what is missing may still come."""

    origin: str
    name: str
    n: int
    why: str
    is_waiting: bool


class Pulled(NamedTuple):
    """What was pulled."""

    segments: int = 0
    events: int = 0
    texts: int = 0
    forgotten: int = 0
    quarantined: int = 0
    unread: int = 0  # of a newer version: kept, and not shown
    bytes: int = 0
    stopped: tuple[Stopped, ...] = ()

    def and_then(self, more: Pulled) -> Pulled:
        """This and what came after it, which says what is stopped now."""
        before, after = self._asdict(), more._asdict()
        counts = {name: before[name] + after[name] for name in before if name != "stopped"}
        return Pulled(**counts, stopped=more.stopped)


class _Waiting(Exception):
    """A text or a key is not there yet."""


class Puller:
    """Pulls one space from its remote."""

    def __init__(self, log: SqliteLog, space: SharedSpace, remote: Remote) -> None:
        self._log, self._space, self._remote = log, space, remote
        self._tables = SyncTables(log)
        self._keys: dict[str, bytes] = {}  # of groups that were met
        self._foretold: dict[str, set[tuple[str, str | None]]] = {}  # what each origin forgets later in its chain
        self._count: Counter[str] = Counter()

    def run(self, heads: Mapping[str, int], homes: Iterable[OriginHome], tell: Callable[[int], None]) -> Pulled:
        """Apply what is new of these homes. `heads` are their newest segments."""
        left = {home.origin: home for home in homes}
        stopped: dict[str, Stopped] = {}
        has_moved = True
        while has_moved and left:
            has_moved = False
            for origin, home in list(left.items()):
                before = self._count["segments"]
                why = self._follow(home, heads.get(origin, 0), tell)
                has_moved |= self._count["segments"] > before
                stopped.pop(origin, None)
                if why is None or not why.is_waiting:
                    del left[origin]
                if why is not None:
                    stopped[origin] = why
        return Pulled(**self._count, stopped=tuple(stopped.values()))

    def _follow(self, home: OriginHome, head: int, tell: Callable[[int], None]) -> Stopped | None:
        """One chain, as far as it goes; why it does not go on, where it does not."""
        is_refused = any(one.origin == home.origin and one.space == self._space.id for one in self._tables.refused())
        tip = self._tables.tip(self._space.id, home.id)
        while tip.n < head:
            most = 1 if is_refused else _AT_ONCE
            segments = self._remote.pull(self._space.id, home.origin, tip.n, most)
            if not segments:
                return Stopped(home.origin, home.label, tip.n + 1, "it is not there yet", True)
            for segment in segments:
                place = SegmentPlace(self._space.id, home.origin, tip.n + 1, tip.hash.hex())
                try:
                    self._take(home, place, segment)
                except _Waiting as error:
                    if self._foretell(home, place, head):
                        break  # from here again, knowing more
                    return Stopped(home.origin, home.label, place.n, str(error), True)
                except (ForeignRefused, NotSealed) as error:
                    why = error.message if isinstance(error, ForeignRefused) else str(error)
                    with self._log.atomic():
                        refusal = RefusedItem(self._space.id, home.origin, place.n, None, None, why, now())
                        self._tables.refuse(refusal)
                    return Stopped(home.origin, home.label, place.n, why, False)
                if is_refused:
                    with self._log.atomic():
                        self._tables.accept(self._space.id, home.origin, place.n)
                    is_refused = False
                tip = self._tables.tip(self._space.id, home.id)
                self._count["segments"] += 1
                self._count["bytes"] += len(segment)
                tell(1)
        return None

    def _take(self, home: OriginHome, place: SegmentPlace, segment: bytes) -> None:
        if home.verify_key is None:
            raise ForeignRefused("nobody knows the key of its machine")
        header, events = open_segment(segment, place, home.verify_key, self._space.keys)
        texts = self._texts(home, events)
        link = ChainLink(self._space.id, header.n, bytes.fromhex(hash_of(segment)), self._last(header, home))
        received = append_foreign(self._log, home.origin, events, texts, link)
        self._count["events"] += received.appended
        self._count["forgotten"] += received.forgotten
        self._count["quarantined"] += received.quarantined + received.texts_quarantined
        self._count["texts"] += sum(1 for one in texts.values() if one is not None)
        self._count["unread"] += sum(
            1 for one in events if (one.event.schema or 0) > VOCABULARY or one.event.event_type not in TRAVELS
        )

    def _foretell(self, home: OriginHome, place: SegmentPlace, head: int) -> bool:
        """Look, once, at what an origin forgets after this place in its chain; whether that is anything."""
        if home.origin in self._foretold:
            return False
        found = self._foretold[home.origin] = set()
        for _, events in self._verified(home, place, head):
            for one in events:
                if one.event.event_type == "forgotten":
                    payload = self._log.origins.said(home, one.event.payload, "forgotten")
                    found |= {("session", name) for name in payload["sessions"]}
                    found.add(("project", payload["project"]))
        return bool(found)

    def _verified(self, home: OriginHome, place: SegmentPlace, head: int) -> Iterator[tuple[Header, list[Outgoing]]]:
        """The segments of a chain from a place on, as far as they are good; nothing is taken."""
        while place.n <= head and home.verify_key is not None:
            segments = self._remote.pull(self._space.id, home.origin, place.n - 1, _AT_ONCE)
            if not segments:
                return
            for segment in segments:
                try:
                    yield open_segment(segment, place, home.verify_key, self._space.keys)
                except ForeignRefused:
                    return
                place = place._replace(n=place.n + 1, prev=hash_of(segment))

    def _last(self, header: Header, home: OriginHome) -> int:
        return max(header.last, self._tables.tip(self._space.id, home.id).last_seq)

    # --- texts ------------------------------------------------------------------------------------------------

    def _texts(self, home: OriginHome, events: Iterable[Outgoing]) -> dict[str, Stored]:
        """What the events of a segment say, by name."""
        wanted: dict[str, list[Outgoing]] = {}
        for one in events:
            if one.texts:
                wanted.setdefault(group_of(one.event), []).append(one)
        names = {self._space.groups.name(home.origin, group): group for group in wanted}
        unknown = [name for name in names if name not in self._keys]
        found = self._remote.keys(self._space.id, unknown) if unknown else {}
        self._keys |= {name: self._space.groups.unwrap(name, key) for name, key in found.items()}
        texts: dict[str, Stored] = {}
        for name, session in names.items():
            need = list(dict.fromkeys(text for one in wanted[session] for text in one.texts))
            need = [text for text in need if texts.get(text) is None]
            texts |= self._texts_of(home, name, wanted[session][0], need)
        return texts

    def _texts_of(self, home: OriginHome, name: str, one: Outgoing, need: list[str]) -> dict[str, Stored]:
        """The texts of one group."""
        key = self._keys.get(name)
        if key is None:
            return self._gone(home, one, need)
        group = PackGroup(self._space.id, name, key)
        packs = self._remote.packs(self._space.id, name, [group.pack_name(text) for text in need])
        found: dict[str, Stored] = {}
        for text in need:
            pack = packs.get(group.pack_name(text))
            if pack is None:
                found |= self._gone(home, one, [text])
                continue
            codec, parts, data = group.open(text, 0, pack)
            for part in range(1, parts):
                more = self._remote.packs(self._space.id, name, [group.pack_name(text, part)])
                if not more:
                    raise _Waiting("a part of a text is not there yet")
                data += group.open(text, part, next(iter(more.values())))[2]
            found[text] = None if codec is None else (codec, data)
        return found

    def _gone(self, home: OriginHome, one: Outgoing, need: list[str]) -> dict[str, Stored]:
        """Texts that are not there: none, where somebody forgot what they belong to; else they are still to come."""
        session = self._log.origins.local_id(home, one.event.session_id)
        project = self._log.origins.local_path(home, one.event.project)
        about = {("session", session), *([("project", project)] if project else [])}
        if about & self._foretold.get(home.origin, set()) or self._tables.was_forgotten(session, project):
            return dict.fromkeys(need)
        raise _Waiting("the texts of a session are not there yet")
