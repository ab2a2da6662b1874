"""Publishing: this home's events of one space as segments, in order, and their texts before them.

A segment is stored before it is first offered, because another one of the same events would have other bytes and look
like a fork. Texts and keys go first, then the segment, then the row that says so: whatever stops in between is done
again, and what is there already is no error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from axiommind.errors import RemoteFailed
from axiommind.home import now
from axiommind.log.lines import LONGEST_LINE, Outgoing, line_of, outgoing
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import Link, RefusedItem, SyncTables, Waiting
from axiommind.sync.crypto import NotSealed, new_key
from axiommind.sync.machine import OwnMachine
from axiommind.sync.packs import PackGroup, group_of
from axiommind.sync.remote import Pushed, Remote
from axiommind.sync.segments import MOST_BYTES, MOST_EVENTS, SegmentPlace, hash_of, make, open_segment, read_header
from axiommind.sync.spaces import SharedSpace

__all__ = ["Forked", "Published", "Publisher"]

_TEXT_BYTES = 32 << 20  # of texts that one segment names: whoever takes it has them in memory
_PACKS_BYTES = 8 << 20  # about so many bytes of packs are handed over at once

# The events of a space after a position: how many are wanted at most. Private spaces have all of them.
Chosen = Callable[[SqliteLog, int, int], list[Outgoing]]


class Forked(Exception):
    """Somebody else publishes under this home's name: it was copied, or restored from a backup. What it published up to
    this number is its own."""

    def __init__(self, upto: int) -> None:
        super().__init__(f"forked after segment {upto}")
        self.upto = upto


class Published(NamedTuple):
    """What was published."""

    segments: int = 0
    events: int = 0
    texts: int = 0
    bytes: int = 0


class Publisher:
    """Publishes into one space through its remote."""

    def __init__(
        self, log: SqliteLog, machine: OwnMachine, space: SharedSpace, remote: Remote, chosen: Chosen = outgoing
    ) -> None:
        self._log, self._machine, self._space, self._remote = log, machine, space, remote
        self._tables = SyncTables(log)
        self._chosen = chosen
        self._built: dict[int, list[Outgoing]] = {}  # of segments that were built just now
        self.done = Published()

    def run(self, head: int, scanned: int, tell: Callable[[int], None]) -> int:
        """Publish what there is. `head` is this home's newest segment on the remote, `scanned` a position up to which
        everything was looked at before. Returns that position as it is now."""
        self._require_whole(head)
        for waiting in self._tables.waiting(self._space.id):
            self._publish(waiting, tell)
        last = self._log.last_position()
        after = max(self._tables.tip(self._space.id, 0).last_seq, scanned)
        while (built := self._build(after, self._chosen)) is not None:
            after = self._publish(built, tell)
            last = self._log.last_position()
        return last

    def run_earlier(self, chosen: Chosen, tell: Callable[[int], None]) -> None:
        """Publish events from before what was published last. Again is no error: a home takes each of them once."""
        after = 0
        while (built := self._build(after, chosen)) is not None:
            after = self._publish(built, tell)

    def _require_whole(self, head: int) -> None:
        """Whether the remote has what this home published, and nothing else under its name."""
        tip = self._tables.tip(self._space.id, 0)
        if head < tip.n:
            raise RemoteFailed(
                f"{self._remote.url} has {head} segments of this machine, and had {tip.n}: it was emptied, or restored",
                hint=f"if that is so for good: axm sync add {self._remote.url} publishes what is missing again",
            )
        if head > tip.n and head > tip.n + len(self._tables.waiting(self._space.id)):
            raise Forked(tip.n)

    # --- building ---------------------------------------------------------------------------------------------

    def _build(self, after: int, choose: Chosen) -> Waiting | None:
        """The next segment, of what comes after a position, stored; None where nothing does."""
        tip = self._tables.tip(self._space.id, 0)
        while chosen := choose(self._log, after, MOST_EVENTS):
            lines = dict(self._lines(chosen))
            if lines:
                return self._stored(tip, lines)
            after = chosen[-1].event.position
        return None

    def _lines(self, chosen: Iterable[Outgoing]) -> Iterator[tuple[int, tuple[Outgoing, bytes]]]:
        size = texts = 0
        for one in chosen:
            line = line_of(one)
            seq = one.event.position
            if len(line) > LONGEST_LINE:
                why = f"it is longer than {LONGEST_LINE} bytes, and stays at home"
                with self._log.atomic():
                    self._tables.refuse(RefusedItem(self._space.id, self._machine.origin, 0, seq, None, why, now()))
                continue
            yield seq, (one, line)
            size += len(line)
            texts += self._tables.stored_bytes(one.texts)
            if size >= MOST_BYTES or texts >= _TEXT_BYTES:
                return

    def _stored(self, tip: Link, chosen: dict[int, tuple[Outgoing, bytes]]) -> Waiting:
        place = SegmentPlace(self._space.id, self._machine.origin, tip.n + 1, tip.hash.hex())
        lines = [line for _, line in chosen.values()]
        span = min(chosen), max(chosen)
        events = [one for one, _ in chosen.values()]
        segment = make(place, lines, span, self._space.row.epoch, self._space.key, self._machine.seed)
        with self._log.atomic():
            self._tables.put_waiting(self._space.id, Waiting(place.n, segment))
            for group in {group_of(one.event) for one in events if one.texts}:
                if self._tables.session_key(self._space.id, group) is None:
                    self._tables.put_session_key(self._space.id, group, new_key())
        self._built = {place.n: events}
        return Waiting(place.n, segment)

    # --- handing over -----------------------------------------------------------------------------------------

    def _publish(self, segment: Waiting, tell: Callable[[int], None]) -> int:
        """Hand a segment over; the position of its last event."""
        tip = self._tables.tip(self._space.id, 0)
        header = read_header(segment.bytes)
        events = self._built.get(segment.n)
        if events is None:
            place = SegmentPlace(self._space.id, self._machine.origin, segment.n, header.prev)
            _, events = open_segment(segment.bytes, place, self._machine.public, self._space.keys)
        if header.origin != self._machine.origin or header.prev != tip.hash.hex():
            raise Forked(tip.n)  # built under another name
        self._put_texts(events)
        pushed = self._remote.push(self._space.id, self._machine.origin, segment.n, header.prev, segment.bytes)
        if pushed is Pushed.FORK:
            raise Forked(segment.n - 1)
        if pushed is Pushed.GAP:
            raise RemoteFailed(
                f"{self._remote.url} lacks segment {segment.n - 1} of this machine", hint="axm sync again"
            )
        with self._log.atomic():
            self._tables.published(self._space.id, Link(segment.n, bytes.fromhex(hash_of(segment.bytes)), header.last))
        done = self.done
        self.done = done._replace(
            segments=done.segments + 1, events=done.events + header.count, bytes=done.bytes + len(segment.bytes)
        )
        tell(1)
        return header.last

    def _put_texts(self, events: list[Outgoing]) -> None:
        wanted: dict[str, dict[str, None]] = {}
        for one in events:
            for text in one.texts:
                wanted.setdefault(group_of(one.event), {})[text] = None
        names = {session: self._space.groups.name(self._machine.origin, session) for session in wanted}
        there = self._remote.keys(self._space.id, list(names.values())) if names else {}
        for session, texts in wanted.items():
            key = self._tables.session_key(self._space.id, session)
            if key is None:
                continue  # forgotten since this was built: nobody gets it
            group = PackGroup(self._space.id, names[session], key)
            self._put_key(group.name, key, there.get(group.name))
            for packs in self._portions(group, texts):
                self._remote.put_packs(self._space.id, group.name, packs)
            self.done = self.done._replace(texts=self.done.texts + len(texts))

    def _put_key(self, name: str, key: bytes, there: bytes | None) -> None:
        """The key of a group. Where another one is there, what it was for was forgotten and taken back since: what lies
        under it goes."""
        if there is not None:
            with contextlib.suppress(NotSealed):
                if self._space.groups.unwrap(name, there) == key:
                    return
            self._remote.destroy(self._space.id, name)
        self._remote.put_key(self._space.id, name, self._space.groups.wrap(name, key))

    def _portions(self, group: PackGroup, texts: Mapping[str, None]) -> Iterator[dict[str, bytes]]:
        packs: dict[str, bytes] = {}
        size = 0
        for text in texts:
            for name, pack in group.seal(text, self._log.raw_blob(text)):
                packs[name] = pack
                size += len(pack)
                self.done = self.done._replace(bytes=self.done.bytes + len(pack))
                if size >= _PACKS_BYTES:
                    yield packs
                    packs, size = {}, 0
        if packs:
            yield packs
