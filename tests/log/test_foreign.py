"""The door for events of other homes: what gets in, as what, and what does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from axiommind.errors import BadQuery
from axiommind.ids import canonical_json, checksum, content_hash, dedupe_key
from axiommind.log import Sealed, seal_lines, seal_text
from axiommind.log.foreign import (
    ChainLink,
    ForeignRefused,
    Outgoing,
    Received,
    append_foreign,
    join,
    line_of,
    outgoing,
    read_lines,
)
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Event, OriginHome
from axiommind.text.redaction import Redactor

OURS, THEIRS = b"k" * 32, b"t" * 32
SECRET = "gh" + "p_" + "A1b2C3d4" * 4 + "E5f6"
YEAR_287000 = 9_000_000_000_000_000
LAPTOP = OriginHome(0, "laptop-id", "me", "laptop", "own")
ANA = OriginHome(0, "ana-id", "ana", "box", "teammate")


@pytest.fixture
def clock() -> dict[str, int]:
    return {"now": 1000}


@pytest.fixture
def log(tmp_path: Path, clock: dict[str, int]) -> SqliteLog:
    return SqliteLog(tmp_path / "ours.db", OURS, now=lambda: clock["now"])


@pytest.fixture
def other(tmp_path: Path, clock: dict[str, int]) -> SqliteLog:
    return SqliteLog(tmp_path / "theirs.db", THEIRS, now=lambda: clock["now"])


def put(log: SqliteLog, key: str, event_type: str = "entry_used", **more: Any) -> Event:
    payload = more.pop("payload", {"entries": [], "how": key})
    event = log.append_dedup(event_type, actor="person", payload=payload, dedupe_key=key, **more)
    assert event is not None
    return event


def text(content: str) -> Sealed:
    return seal_text(Redactor(THEIRS), THEIRS, content)


def texts_of(log: SqliteLog, events: list[Outgoing]) -> dict[str, tuple[str, bytes] | None]:
    return {name: log.raw_blob(name) for one in events for name in one.texts}


def sent(other: SqliteLog, after: int = 0) -> tuple[list[Outgoing], dict[str, tuple[str, bytes] | None]]:
    """What another home sends, through lines and back."""
    events = outgoing(other, after)
    return read_lines(b"".join(line_of(one) + b"\n" for one in events)), texts_of(other, events)


def arrive(log: SqliteLog, other: SqliteLog, home: OriginHome = LAPTOP, after: int = 0) -> Received:
    join(log, home)
    return append_foreign(log, home.origin, *sent(other, after))


def foreign(log: SqliteLog) -> list[Event]:
    return [event for event in log.replay() if event.origin]


def test_an_event_travels_and_is_what_it_was(log: SqliteLog, other: SqliteLog) -> None:
    theirs = put(other, "a", session_id="s", happened_at=7, build_id="b", blobs=[text("their words " * 50)])
    assert arrive(log, other) == Received(appended=1)
    (got,) = foreign(log)
    assert (got.payload, got.checksum, got.event_id) == (theirs.payload, theirs.checksum, theirs.event_id)
    assert (got.seq, got.origin_ts, got.ts) == (theirs.position, theirs.ts, theirs.ts)
    assert (got.session_id, got.happened_at, got.build_id, got.actor) == ("s", 7, "b", "person")
    assert log.blob(text("their words " * 50).hash) == b"their words " * 50
    assert log.verify() == []


def test_the_same_events_again_change_nothing(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a"), put(other, "b")
    assert arrive(log, other) == Received(appended=2)
    before = log.fetch_since()
    assert arrive(log, other) == Received(known=2)
    assert log.fetch_since() == before


def test_a_far_future_event_does_not_lift_later_own_ones(
    log: SqliteLog, other: SqliteLog, clock: dict[str, int]
) -> None:
    clock["now"] = YEAR_287000
    put(other, "a")
    clock["now"] = 1000
    arrive(log, other)
    clock["now"] = 2000
    assert put(log, "own").ts == 2000
    assert foreign(log)[0].ts < 1 << 48, "a time that can be written"
    assert log.verify() == []


def test_what_is_done_after_seeing_another_machines_event_is_later_than_it(
    log: SqliteLog, other: SqliteLog, clock: dict[str, int]
) -> None:
    clock["now"] = 61_000
    put(other, "a")
    clock["now"] = 1000  # our clock is a minute behind
    arrive(log, other)
    assert put(log, "own").order > foreign(log)[0].order


def test_a_foreign_event_takes_no_key_of_ours(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "guessed")
    arrive(log, other)
    put(log, "guessed")
    for parts in (("foreign",), ("foreign", "laptop-id"), ("laptop-id", 1)):
        put(log, dedupe_key(*parts))


def test_an_id_of_ours_cannot_be_taken(log: SqliteLog, other: SqliteLog) -> None:
    own = put(log, "own")
    put(other, "a")
    events, texts = sent(other)
    stolen = [one._replace(event=one.event._replace(event_id=own.event_id)) for one in events]
    join(log, LAPTOP)
    assert append_foreign(log, LAPTOP.origin, stolen, texts) == Received(quarantined=1)
    assert foreign(log) == []


def test_the_chain_row_is_written_with_the_events_or_not_at_all(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a")
    events, texts = sent(other)
    join(log, LAPTOP)
    link = ChainLink("space", 1, b"hash", 1)
    append_foreign(log, LAPTOP.origin, events, texts, link)
    with pytest.raises(Exception, match="UNIQUE"):
        append_foreign(log, LAPTOP.origin, [one._replace(event=one.event._replace(seq=9)) for one in events], {}, link)
    assert len(foreign(log)) == 1


def test_an_unknown_home_and_a_missing_text_are_refused(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a", blobs=[text("words")])
    events, texts = sent(other)
    with pytest.raises(ForeignRefused, match="nobody knows"):
        append_foreign(log, LAPTOP.origin, events, texts)
    join(log, LAPTOP)
    with pytest.raises(ForeignRefused, match="not there yet"):
        append_foreign(log, LAPTOP.origin, events, {})
    assert append_foreign(log, LAPTOP.origin, events, {text("words").hash: None}) == Received(appended=1)
    assert log.verify() == []


def altered(change: Callable[[dict[str, Any]], object]) -> bytes:
    event = Event(3, "01ID", 5, "entry_used", "person", "s", None, {"n": 7}, checksum({"n": 7}))
    line = json.loads(line_of(Outgoing(event)))
    change(line)
    return canonical_json(line).encode()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (altered(lambda line: line.update(payload={"n": 8})), "checksum"),
        (altered(lambda line: line.update(seq=0)), "follow"),
        (altered(lambda line: line.update(seq=True)), "seq"),
        (altered(lambda line: line.update(seq=1 << 60)), "range"),
        (altered(lambda line: line.update(ts="now")), "ts"),
        (altered(lambda line: line.update(id="")), "empty"),
        (altered(lambda line: line.update(session="s" * 1000)), "too long"),
        (altered(lambda line: line.pop("actor")), "missing"),
        (altered(lambda line: line.update(more=1)), "nobody knows"),
        (altered(lambda line: line.update(blobs=[7])), "no name"),
        (altered(lambda _line: None).replace(b'{"n":7}', b'{"n":NaN}'), "no number"),
        (altered(lambda _line: None).replace(b'{"n":7}', b'{"n":1e999}'), "range"),
        (altered(lambda _line: None).replace(b'{"n":7}', b'{"n":7,"n":7}'), "twice"),
        (altered(lambda _line: None).replace(b'{"n":7}', b'{"n":' + b"[" * 100 + b"]" * 100 + b"}"), "deep"),
        (altered(lambda _line: None).replace(b'{"n":7}', b'{"n":' + b"[" * 90_000 + b"]" * 90_000 + b"}"), "deep"),
        (b"[]", "missing"),
        (b"\xff", "codec"),
        (b" " * (5 << 20), "longer"),
    ],
)
def test_lines_that_are_none_are_refused(line: bytes, why: str) -> None:
    with pytest.raises(ForeignRefused, match=why):
        read_lines(line + b"\n")
    assert read_lines(altered(lambda _line: None)), "and one that is, is not"


def test_numbers_have_to_rise() -> None:
    line = altered(lambda _line: None)
    with pytest.raises(ForeignRefused, match="line 2"):
        read_lines(line + b"\n" + line)


def test_a_secret_keeps_an_event_or_a_text_out_and_nothing_is_rewritten(log: SqliteLog, other: SqliteLog) -> None:
    raw = f"token {SECRET} ".encode()
    leaky = (content_hash(raw), ("raw", raw))
    put(other, "a")
    put(other, "b")
    events, _ = sent(other)
    said = {"said": SECRET}
    events[0] = events[0]._replace(event=events[0].event._replace(payload=said, checksum=checksum(said)))
    events[1] = events[1]._replace(texts=(leaky[0],))
    join(log, LAPTOP)
    done = append_foreign(log, LAPTOP.origin, events, dict([leaky]))
    assert done == Received(appended=1, quarantined=1, texts_quarantined=1)
    assert log.blob(leaky[0]) is None
    assert log.verify() == []
    log.close()
    assert SECRET.encode() not in log.path.read_bytes()


def test_texts_that_another_home_redacted_are_taken(log: SqliteLog, other: SqliteLog) -> None:
    sealed, content = seal_lines(Redactor(THEIRS), THEIRS, [b'{"token":"' + SECRET.encode() + b'"}'])
    put(other, "a", blobs=[sealed])
    assert arrive(log, other) == Received(appended=1)
    assert log.blob(sealed.hash) == content and SECRET.encode() not in content


def bomb() -> bytes:
    packer = zstandard.ZstdCompressor(level=19)
    return packer.compress(b"\0" * (60 << 20))


@pytest.mark.parametrize(
    ("codec", "data", "name"),
    [
        ("zstd", bomb(), content_hash(b"\0" * (60 << 20))),
        ("raw", b"words", content_hash(b"other words")),
        ("zstd", b"no frame", content_hash(b"")),
        ("lzma", b"words", content_hash(b"words")),
    ],
)
def test_a_text_that_is_not_what_it_says_is_left_out(
    log: SqliteLog, other: SqliteLog, codec: str, data: bytes, name: str
) -> None:
    put(other, "a")
    events, _ = sent(other)
    join(log, LAPTOP)
    done = append_foreign(log, LAPTOP.origin, [events[0]._replace(texts=(name,))], {name: (codec, data)})
    assert done == Received(appended=1, texts_quarantined=1)
    assert log.blob(name) is None and log.verify() == []


def test_what_nobody_knows_is_kept_and_not_read(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a"), put(other, "b"), put(other, "c")
    events, texts = sent(other)
    kinds = ("dreamt", "redacted_again", "entry_used")
    newer = [
        one._replace(event=one.event._replace(event_type=kind, schema=9 if kind == "entry_used" else 1))
        for one, kind in zip(events, kinds, strict=True)
    ]
    join(log, LAPTOP)
    assert append_foreign(log, LAPTOP.origin, newer, texts) == Received(appended=3)
    assert [event.event_type for event in foreign(log)] == [f"unread:{kind}" for kind in kinds]
    assert log.fetch_since(event_types=kinds) == []
    assert log.verify() == []


def test_operational_events_stay_at_home_and_what_was_forgotten_too(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a", "build_started")
    put(other, "b", session_id="secret")
    put(other, "c", session_id="open")
    other.forget(["secret"], None, actor="person", reason="")
    assert [one.event.event_type for one in outgoing(other)] == ["entry_used", "forgotten"]
    assert [one.event.event_type for one in outgoing(other, most=1)] == ["entry_used"]
    arrive(log, other)
    assert outgoing(log) == [], "what came from elsewhere is sent on by nobody but its home"


def test_another_machine_forgets_here_too_in_whatever_order(log: SqliteLog, other: SqliteLog) -> None:
    put(other, "a", session_id="s", payload={"blob": text("words " * 99).hash}, blobs=[text("words " * 99)])
    arrive(log, other)
    assert log.blob(text("words " * 99).hash) is not None
    other.forget(["s"], None, actor="person", reason="")
    first = sent(other)
    assert append_foreign(log, LAPTOP.origin, *first) == Received(appended=1)
    assert log.is_forgotten("s", None) and log.blob(text("words " * 99).hash) is None
    assert [one.position for one in log.purges.pending()] == [log.last_position()]
    other.lift("s", None, actor="person")
    assert arrive(log, other).appended == 1
    assert not log.is_forgotten("s", None)
    assert log.verify() == []


def test_a_forgetting_that_arrives_after_it_was_taken_back_forgets_nothing(log: SqliteLog, other: SqliteLog) -> None:
    other.forget(["s"], None, actor="person", reason="")
    other.lift("s", None, actor="person")
    (forgotten, lifted), _ = sent(other)
    join(log, LAPTOP)
    desk = join(log, OriginHome(0, "desk-id", "me", "desk", "own"))
    append_foreign(log, desk.origin, [lifted], {})
    append_foreign(log, LAPTOP.origin, [forgotten], {})
    assert not log.is_forgotten("s", None)


def test_a_team_mate_names_nothing_of_ours(log: SqliteLog, other: SqliteLog) -> None:
    put(log, "own", session_id="s", blobs=[])
    put(other, "a", "promoted", session_id="s", payload={"changes": [{"entry_id": "ent_0123456789abcdef"}]})
    put(other, "b", session_id="t", project="/home/ana/work")
    other.forget(["s"], "/home/me/work", actor="person", reason="")
    other.forget(["t"], None, actor="person", reason="")
    events = read_lines(b"\n".join(line_of(Outgoing(event)) for event in other.fetch_since()))
    join(log, ANA)
    append_foreign(log, ANA.origin, events, {})
    promoted, used, *forgotten = foreign(log)
    assert promoted.session_id == "s@ana" and promoted.is_teammates
    assert promoted.payload == {"changes": [{"entry_id": "ent_0123456789abcdef@ana"}]}
    assert (used.session_id, used.project) == ("t@ana", "ana@box:/home/ana/work")
    assert [event.payload["sessions"] for event in forgotten] == [["s@ana"], ["t@ana"]]
    assert not log.is_forgotten("s", "/home/me/work") and log.is_forgotten("t@ana", None)
    assert log.verify() == []


def test_positions_paths_and_documents_are_in_words_of_this_home(log: SqliteLog, other: SqliteLog) -> None:
    put(log, "own 1"), put(log, "own 2")
    segment = put(
        other,
        "a",
        "transcript_segment",
        session_id="s",
        project="/p",
        payload={"stream": "/f.jsonl", "folder": "-p", "moves": {"/x": "/y"}, "parent_session": None},
    )
    span = {"position": segment.position, "line": 3, "block": "/a", "event_id": segment.event_id}
    put(other, "b", "evidence_aligned", session_id="s", payload={"entries": [{"evidence": [span]}]})
    put(other, "c", "session_ingested", session_id="s", payload={"segments": [segment.position], "head": "1"})
    put(other, "d", "document_saved", session_id="doc-1", payload={"stream": "doc-1", "path": "/n.md", "root": "/"})
    arrive(log, other)
    came, aligned, ingested, saved = foreign(log)
    assert came.project == "laptop:/p" and came.payload["stream"] == "laptop:/f.jsonl"
    assert came.payload["moves"] == {"/x": "laptop:/y"} and came.payload["folder"] == "laptop--p"
    assert aligned.payload["entries"][0]["evidence"] == [{**span, "position": came.position}]
    assert ingested.payload["segments"] == [came.position]
    assert saved.session_id == saved.payload["stream"] != "doc-1"
    assert saved.payload["path"] == "laptop:/n.md"


def test_two_machines_of_one_name_are_told_apart(log: SqliteLog) -> None:
    first = join(log, LAPTOP)
    second = join(log, LAPTOP._replace(origin="another"))
    assert (first.name, second.name) == ("laptop", "laptop-2")
    assert join(log, LAPTOP._replace(state="gone", name="renamed")) == first._replace(state="gone")
    assert [event.payload["state"] for event in log.replay(["origin_joined"])] == ["active", "active", "gone"]
    with pytest.raises(BadQuery):
        append_foreign(log, "nobody", [], {})


def test_what_is_said_of_projects_is_said_of_the_same_projects_here(log: SqliteLog, other: SqliteLog) -> None:
    """Keys are everybody's, paths are a machine's; a path of a third machine, or of this one, is that path."""
    keys = ["git:github.com/team/weather", "path:/srv/notes", "path:desk:/home/me/notes", "path:phone:/notes"]
    put(other, "a", "project_merged", payload={"id": "prl_1", "keys": keys}, project="desk:/home/me/notes")
    put(other, "b", "project_split", payload={"id": "prl_2", "paths": ["/srv/notes", "phone:/notes"]})
    put(other, "c", "project_aliased", payload={"id": "prl_3", "key": keys[0], "path": "/srv/x"})
    put(
        other, "d", "project_identified", payload={"kind": "path", "identity": "/srv/x", "folder": ""}, project="/srv/x"
    )
    put(other, "e", "forgotten", payload={"sessions": [], "project": keys[0], "reason": ""}, project=keys[0])
    join(log, OriginHome(0, "own-id", "me", "desk", "self"))
    join(log, OriginHome(0, "phone-id", "me", "phone", "own"))
    arrive(log, other)
    arrive(log, other, ANA)
    said, theirs = foreign(log)[:5], foreign(log)[5:]
    assert said[0].payload["keys"] == [keys[0], "path:laptop:/srv/notes", "path:/home/me/notes", "path:phone:/notes"]
    assert said[0].project == "/home/me/notes"
    assert said[1].payload["paths"] == ["laptop:/srv/notes", "phone:/notes"]
    assert (said[2].payload["key"], said[2].payload["path"]) == (keys[0], "laptop:/srv/x")
    assert (said[3].project, said[3].payload["identity"]) == ("laptop:/srv/x", "laptop:/srv/x")
    assert ("project", keys[0]) in log.tombstones(), "a new clone of it is not read here either"
    merged = theirs[0]
    assert merged.payload["keys"][1:3] == ["path:ana@box:/srv/notes", "path:ana@box:desk:/home/me/notes"]
    assert {mark for mark in log.tombstones() if mark[0] == "project"} == {
        ("project", keys[0]),
        ("project", f"ana@box:{keys[0]}"),
    }, "what a team mate forgets is theirs"
