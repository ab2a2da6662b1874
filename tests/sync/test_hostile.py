"""What a machine does with segments that nobody honest wrote. Each is put where the next one of the desk's belongs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from axiommind.ids import canonical_json, checksum
from axiommind.log.foreign import ForeignRefused
from axiommind.log.origins import TRAVELS
from axiommind.log.syncing import SyncTables
from axiommind.sync.crypto import new_key, sealed, signature, verify_key
from axiommind.sync.machine import OwnMachine, read_machine
from axiommind.sync.remotes import open_remote
from axiommind.sync.segments import SegmentPlace, SegmentRefused, hash_of, make, open_segment, read_header
from axiommind.sync.spaces import SharedSpace
from tests.sync.homes import paired, said, session, sync
from tests.transcripts import PERSON, World

SEED, KEY = b"s" * 32, b"k" * 32
PLACE = SegmentPlace("space", "origin", 1, "")


def line(seq: int = 1, **changed: object) -> bytes:
    payload = {"entries": [], "how": "x"}
    fields = {
        "seq": seq,
        "id": f"event-{seq}",
        "ts": 1000,
        "type": "entry_used",
        "actor": "person",
        "session": None,
        "project": None,
        "payload": payload,
        "checksum": checksum(payload),
        "happened_at": None,
        "build": None,
        "sensitivity": "normal",
        "schema": 1,
        "blobs": [],
    }
    return canonical_json(fields | changed).encode()


def opened(segment: bytes, place: SegmentPlace = PLACE, **keys: bytes) -> int:
    _, events = open_segment(segment, place, keys.get("public", verify_key(SEED)), {1: keys.get("key", KEY)})
    return len(events)


def good(*lines: bytes) -> bytes:
    given = lines or (line(1), line(2))
    return make(PLACE, given, (1, len(given)), 1, KEY, SEED)


def with_body(packed: bytes, count: int = 1, **header: object) -> bytes:
    """A segment whose body was made by hand and is signed as it should be."""
    body = sealed(KEY, packed, "segment/space/origin/1")
    said = {
        "v": 1,
        **PLACE._asdict(),
        "epoch": 1,
        "first": 1,
        "last": count,
        "count": count,
        "size": len(body),
        "sha256": hash_of(body),
    }
    written = canonical_json(said | header).encode()
    signed = b"AXMSEG1\n" + len(written).to_bytes(2, "little") + written
    return signed + signature(SEED, signed) + body


def packed(lines: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(lines)


def test_a_good_one_opens() -> None:
    assert opened(good()) == 2
    assert opened(with_body(packed(line() + b"\n"))) == 1


@given(st.integers(0, 10_000_000), st.integers(1, 255))
def test_any_flipped_bit_is_noticed(at: int, flip: int) -> None:
    segment = bytearray(good())
    segment[at % len(segment)] ^= flip
    with pytest.raises(ForeignRefused):
        opened(bytes(segment))


@given(st.floats(0, 1, exclude_max=True), st.binary(max_size=5))
def test_what_is_cut_or_longer_is_refused(share: float, more: bytes) -> None:
    segment = good()
    with pytest.raises(ForeignRefused):
        opened(segment[: int(len(segment) * share)] + more)
    if more:
        with pytest.raises(ForeignRefused):
            opened(segment + more)


@given(st.binary(max_size=500))
def test_any_bytes_are_refused_and_raise_nothing_else(content: bytes) -> None:
    for segment in (content, b"AXMSEG1\n" + content, with_body(content), with_body(packed(content))):
        with pytest.raises(ForeignRefused):
            opened(segment)


def test_a_bomb_is_not_unpacked() -> None:
    small = packed(b"\0" * (64 << 20))
    assert len(small) < 64 << 10
    with pytest.raises(SegmentRefused, match="declares 67108864 bytes"):
        opened(with_body(small))
    stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    endless = stream.compress(b"\0" * (64 << 20)) + stream.flush()
    with pytest.raises(SegmentRefused, match="does not say how long"):
        opened(with_body(endless))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply|not what it has to be|missing"),
        (line(payload=json.loads('{"a":' * 80 + "1" + "}" * 80), checksum="x"), "nested too deeply"),
        (line().replace(b'"ts":1000', b'"ts":NaN'), "NaN is no number"),
        (line().replace(b'"ts":1000', b'"ts":1000,"ts":1000'), "a key is there twice"),
        (line(checksum="0" * 64), "does not match its checksum"),
        (line(extra=1), "a field that nobody knows"),
        (line(seq=1 << 60), "out of range"),
        (line(ts=True), "ts is not what it has to be"),
        (line(blobs=[1]), "a text has no name"),
        (line(2) + b"\n" + line(1), "its number does not follow"),
        (b"\xff\xfe", "line 1 is refused"),
    ],
)
def test_lines_that_are_none(body: bytes, why: str) -> None:
    with pytest.raises(ForeignRefused, match=why):
        opened(with_body(packed(body + b"\n")))


@pytest.mark.parametrize(
    ("segment", "why"),
    [
        (lambda: good()[:8] + b"\xff\xff" + good()[10:], "header is too long, or cut"),
        (lambda: with_body(packed(line()), v=2), "a newer version"),
        (lambda: with_body(packed(line()), v=True), "other fields"),
        (lambda: with_body(packed(line()), n=2), "belongs somewhere else"),
        (lambda: with_body(packed(line()), space="other"), "belongs somewhere else"),
        (lambda: with_body(packed(line()), prev="ab" * 32), "does not follow"),
        (lambda: with_body(packed(line()), epoch=2), "was not given"),
        (lambda: with_body(packed(line()), count=2), "other events than its header says"),
        (lambda: with_body(packed(line()), last=9), "other events than its header says"),
        (lambda: with_body(packed(line()), size=3), "cut, or changed"),
        (lambda: with_body(packed(line()), more=1), "other fields"),
        (lambda: b"AXMSEG1\n" + bytes(16 << 20), "no segment"),
    ],
)
def test_headers_that_lie(segment: Callable[[], bytes], why: str) -> None:
    with pytest.raises(ForeignRefused, match=why):
        opened(segment())


def test_a_header_is_canonical_json() -> None:
    segment = good()
    at = segment.index(b'"v":1')
    for instead in (b'"v": 1', b'"v":1,"v":1', b'"v":NaN', b'"v":1' + b" " * 9):
        length = int.from_bytes(segment[8:10], "little") + len(instead) - len(b'"v":1')
        with pytest.raises(SegmentRefused, match="no canonical JSON"):
            read_header(b"AXMSEG1\n" + length.to_bytes(2, "little") + segment[10:at] + instead + segment[at + 5 :])


def test_another_machines_signature_and_another_spaces_key() -> None:
    with pytest.raises(SegmentRefused, match="signature"):
        opened(good(), public=verify_key(b"x" * 32))
    with pytest.raises(SegmentRefused, match="does not open"):
        opened(good(), key=b"x" * 32)


# --- in a home ------------------------------------------------------------------------------------------------


@dataclass
class Attack:
    """Somebody who has the remote, and what they need to know of the desk's chain."""

    world: World
    url: str

    def put(self, segment: bytes) -> None:
        """Put bytes where the desk's next segment belongs."""
        machine, space, n, prev = self.chain()
        remote = open_remote(self.url)
        remote.push(space.id, machine.origin, n, prev, segment)

    def chain(self) -> tuple[OwnMachine, SharedSpace, int, str]:
        with self.world.memory().home.read_log() as (log, _key):
            machine = read_machine(self.world.home, log)
            (row,) = SyncTables(log).spaces()
            tip = SyncTables(log).tip(row.space, 0)
        assert machine is not None
        return machine, SharedSpace(row), tip.n + 1, tip.hash.hex()

    def forged(self, *lines: bytes, seed: bytes | None = None, key: bytes | None = None) -> bytes:
        machine, space, n, prev = self.chain()
        place = SegmentPlace(space.id, machine.origin, n, prev)
        numbers = [json.loads(one)["seq"] for one in lines]
        return make(place, lines, (min(numbers), max(numbers)), 1, key or space.key, seed or machine.seed)


@pytest.fixture
def attack(tmp_path: Path) -> Attack:
    desk, _laptop, tower = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop", "tower")
    session(desk, "s1", "said before")
    sync(desk)
    session(tower, "s2", "said on the tower")
    return Attack(desk, str(tmp_path / "remote"))


def laptop_of(attack: Attack) -> World:
    return World(attack.world.base.parent / "laptop")


def test_a_bad_segment_stops_its_own_chain_and_no_other(attack: Attack) -> None:
    laptop = laptop_of(attack)
    attack.put(attack.forged(line(), seed=new_key()))
    sync(World(attack.world.base.parent / "tower"))
    (report,) = sync(laptop)
    (stopped,) = report.spaces[0].pulled.stopped
    assert (stopped.name, stopped.is_waiting) == ("desk", False) and "signature" in stopped.why
    assert said(laptop) == {"said before", "said on the tower"}
    status = laptop.memory().sync.status()
    assert [one.why for one in status.refused] == [stopped.why]
    sync(laptop)
    assert len(laptop.memory().sync.status().refused) == 1, "said once, however often it is met"


def test_a_chain_goes_on_once_the_segment_is_good(attack: Attack, tmp_path: Path) -> None:
    desk, laptop = attack.world, laptop_of(attack)
    session(desk, "s3", "said after")
    sync(desk)
    machine, space, n, _ = attack.chain()
    path = tmp_path / "remote" / "seg" / space.id / machine.origin / f"{n - 1:012d}"
    kept = path.read_bytes()
    path.write_bytes(kept[:-1])
    (report,) = sync(laptop)
    assert "said after" not in said(laptop) and report.spaces[0].pulled.stopped[0].is_waiting
    path.write_bytes(kept)
    sync(laptop)
    assert "said after" in said(laptop)
    assert laptop.memory().sync.status().refused == ()


def test_what_a_newer_version_wrote_is_kept_and_not_shown(attack: Attack) -> None:
    laptop = laptop_of(attack)
    attack.put(attack.forged(line(1001, schema=99, surprise=[1]), line(1002, type="from_the_future")))
    (report,) = sync(laptop)
    assert report.spaces[0].pulled.unread == 2
    assert laptop.memory().verify() == []


def test_text_that_was_changed_is_not_taken(attack: Attack, tmp_path: Path) -> None:
    desk, laptop = attack.world, laptop_of(attack)
    session(desk, "s3", "said after")
    sync(desk)
    for pack in (tmp_path / "remote" / "packs").rglob("*"):
        if pack.is_file():
            remote = open_remote(attack.url)
            content = bytearray(pack.read_bytes())
            content[-1] ^= 1
            body = bytes(content[40:])
            import hashlib

            pack.write_bytes(b"AXMOBJ1\n" + hashlib.sha256(body).digest() + body)
            remote.close()
    (report,) = sync(laptop)
    assert report.spaces[0].pulled.stopped and said(laptop) == set()


def test_nobody_gets_in_with_a_card_that_they_wrote_themselves(attack: Attack) -> None:
    laptop = laptop_of(attack)
    machine, space, _, _ = attack.chain()
    remote = open_remote(attack.url)
    mallory = OwnMachine("ab" * 16, "root", "mallory", new_key())
    remote.push(
        space.id,
        mallory.origin,
        1,
        "",
        make(SegmentPlace(space.id, mallory.origin, 1, ""), [line()], (1, 1), 1, KEY, mallory.seed),
    )
    (report,) = sync(laptop)
    assert any("its card is not there" in one for one in report.spaces[0].problems)
    # The key of the space is what mallory does not have.
    outside = SharedSpace(space.row._replace(key=KEY))
    outside.put_member(remote, mallory)
    outside.put_member(remote, machine._replace(seed=mallory.seed))
    (report,) = sync(laptop)
    with laptop.memory().home.read_log() as (log, _key):
        assert "mallory" not in {one.name for one in log.origins.all()}
    assert laptop.memory().sync.run(caller=PERSON).spaces[0].error == ""


@pytest.mark.parametrize("event_type", sorted(TRAVELS))
def test_an_event_that_is_not_what_its_type_has_to_be_stops_nothing_else(attack: Attack, event_type: str) -> None:
    """Signed by a machine that is trusted: a bug of a version that is to come is as bad as an enemy."""
    desk, laptop = attack.world, laptop_of(attack)
    odd: list[dict[str, object]] = [{}, {"session": [], "sessions": 7, "project": {}, "entry": None, "entry_id": [1]}]
    made = [
        line(2000 + n, type=event_type, payload=payload, checksum=checksum(payload), session="s9", project="/p")
        for n, payload in enumerate(odd)
    ]
    attack.put(attack.forged(*made))
    session(World(desk.base.parent / "tower"), "s3", "said after that")
    sync(World(desk.base.parent / "tower"), laptop)
    assert "said after that" in said(laptop)
    assert laptop.memory().verify() == []
    laptop.memory().rebuild()
    assert "said after that" in said(laptop)
