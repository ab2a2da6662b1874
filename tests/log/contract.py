"""The contract of every log engine. An engine's test module subclasses `LogContract` and says how to open one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.errors import Internal
from axiommind.ids import canonical_json, checksum
from axiommind.log import EventLog, Head, Sealed, seal_lines, seal_text
from axiommind.text.redaction import MARK, Redactor
from tests.rows import rows

KEY = b"k" * 32
OTHER = b"o" * 32
REDACTOR = Redactor(KEY)
SECRET = "gh" + "p_" + "A1b2C3d4" * 4 + "E5f6"


def text(content: str) -> Sealed:
    return seal_text(REDACTOR, KEY, content)


def head(end: int, generation: int = 0, stream: str = "/f", **state: Any) -> Head:
    return Head(stream, generation, end, end, 1, 1, {"session_id": "s", "parent_session": None, "project": "p"} | state)


class LogContract:
    """Subclasses give `open()`: a new, empty log; `tick` is its clock in milliseconds."""

    def open(self) -> tuple[EventLog, Callable[[int], None]]:
        raise NotImplementedError

    def reopen(self, log: EventLog) -> EventLog:
        raise NotImplementedError

    @staticmethod
    def put(log: EventLog, key: str, **more: Any) -> Any:
        return log.append_dedup("noted", actor="test", payload=more.pop("payload", {"n": 1}), dedupe_key=key, **more)

    @rows("R2.13", "R2.33", "R2.34", "R2.97")
    def test_append_returns_what_was_written(self) -> None:
        log, _ = self.open()
        event = self.put(log, "a", session_id="s", project="p", happened_at=7, build_id="b")
        assert log.fetch_since() == [event]
        assert (event.event_type, event.actor, event.session_id, event.project) == ("noted", "test", "s", "p")
        assert event.checksum == checksum({"n": 1})

    @rows("R2.14", "R2.33")
    def test_same_key_writes_nothing(self) -> None:
        log, _ = self.open()
        assert self.put(log, "a") is not None
        assert self.put(log, "a", payload={"n": 2}, blobs=[text("other")]) is None
        assert [e.payload for e in log.fetch_since()] == [{"n": 1}]
        assert log.blob(text("other").hash) is None

    def test_positions_rise_and_ts_never_goes_back(self) -> None:
        log, tick = self.open()
        for i, now in enumerate([1000, 3000, 2000, 500, 4000]):
            tick(now)
            self.put(log, str(i))
        events = log.fetch_since()
        assert [e.position for e in events] == sorted({e.position for e in events})
        assert [e.ts for e in events] == [1000, 3000, 3000, 3000, 4000]

    @rows("R2.35")
    def test_fetch_since_position_and_pair_mean_the_same(self) -> None:
        log, tick = self.open()
        tick(1000)
        for i in range(5):
            self.put(log, str(i))
        all_of_them = log.fetch_since()
        for i, event in enumerate(all_of_them):
            assert log.fetch_since(event.position) == all_of_them[i + 1 :]
            assert log.fetch_since((event.ts, event.event_id)) == all_of_them[i + 1 :]
        assert log.fetch_since(limit=2) == all_of_them[:2]
        assert log.last_position() == all_of_them[-1].position

    @rows("R2.36")
    def test_types_filter_and_replay(self) -> None:
        log, _ = self.open()
        for i in range(1200):
            log.append_dedup("even" if i % 2 == 0 else "odd", actor="t", payload={"i": i}, dedupe_key=str(i))
        assert [e.payload["i"] for e in log.replay()] == list(range(1200))
        assert [e.payload["i"] for e in log.replay(["odd"])] == list(range(1, 1200, 2))
        assert log.fetch_since(event_types=[]) == []

    def test_all_or_nothing(self) -> None:
        log, _ = self.open()
        with pytest.raises(RuntimeError), log.atomic():
            self.put(log, "a", blobs=[text("x" * 500)])
            raise RuntimeError
        assert log.fetch_since() == []
        assert log.blob(text("x" * 500).hash) is None
        assert self.put(log, "a") is not None

    def test_blobs_are_content_addressed(self) -> None:
        log, _ = self.open()
        big, small = text("line\n" * 10_000), text("tiny")
        self.put(log, "a", blobs=[big, small])
        self.put(log, "b", blobs=[big])
        assert log.blob(big.hash) == b"line\n" * 10_000
        assert log.blob(small.hash) == b"tiny"
        assert small.codec == "raw" and big.codec == "zstd" and len(big.data) < 1000
        assert log.verify() == []

    def test_redaction_cannot_be_avoided(self) -> None:
        log, _ = self.open()
        event = self.put(log, "a", payload={"said": f"use {SECRET} please"}, blobs=[text(f"token {SECRET}")])
        assert SECRET not in canonical_json(event.payload)
        assert MARK.search(event.payload["said"])
        stored = log.blob(text(f"token {SECRET}").hash)
        assert stored is not None and SECRET.encode() not in stored
        raw = f"token {SECRET}".encode()
        forged = Sealed("sha256:" + "0" * 64, "raw", len(raw), raw, b"\0" * 32)
        with pytest.raises(Internal):
            self.put(log, "b", blobs=[forged])
        with pytest.raises(Internal):
            self.put(log, "c", blobs=[seal_text(Redactor(OTHER), OTHER, "from another home")])
        assert len(log.fetch_since()) == 1

    @rows("R2.105")
    def test_sensitivity_is_kept_and_says_what_was_redacted(self) -> None:
        log, _ = self.open()
        self.put(log, "a")
        self.put(log, "b", sensitivity="private")
        self.put(log, "c", payload={"note": f"the key is {SECRET}"})
        assert [e.sensitivity for e in log.fetch_since()] == ["normal", "private", "redacted"]

    def test_redaction_works_on_decoded_strings(self) -> None:
        escaped = "".join(f"\\u{ord(c):04x}" for c in SECRET)
        lines = [b'{"a":"' + escaped.encode() + b'"}', b"not json " + SECRET.encode(), b'{"ok":1}']
        sealed, content = seal_lines(REDACTOR, KEY, lines)
        assert SECRET.encode() not in content and escaped.encode() not in content
        assert content.count(b"\n") == 3 and content.endswith(b'{"ok":1}\n')
        assert sealed.size == len(content)

    def test_a_segment_must_start_where_the_last_one_ended(self) -> None:
        log, _ = self.open()

        def segment(key: str, start: int, end: int, generation: int = 0) -> bool:
            payload = {"stream": "/f", "generation": generation, "start": start, "end": end}
            event = self.put(log, key, payload=payload, head=head(end, generation), expect_end=start)
            return event is not None

        assert segment("a", 0, 100)
        assert not segment("b", 0, 50), "overlaps"
        assert not segment("c", 200, 300), "leaves a gap"
        assert segment("d", 100, 200)
        assert not segment("e", 0, 10, generation=2), "skips a generation"
        assert segment("f", 0, 10, generation=1)
        assert not segment("g", 200, 300), "an old generation"
        assert log.heads()["/f"].end == 10
        assert log.verify() == []

    def test_notes_change_the_file_state_only(self) -> None:
        log, _ = self.open()
        payload = {"stream": "/f", "generation": 0, "start": 0, "end": 100}
        self.put(log, "a", payload=payload, head=head(100))
        log.note([Head("/f", 0, 100, 120, 9, 9, {})])
        found = log.heads()["/f"]
        assert (found.end, found.size, found.mtime_ns, found.inode) == (100, 120, 9, 9)
        log.note([Head("/f", 0, 90, 500, 1, 1, {})])  # from before another process read on
        assert log.heads()["/f"].size == 120
        log.note([Head("/empty", 0, 0, 0, 1, 1, {})])
        assert log.heads()["/empty"].end == 0
        assert log.verify() == []

    def test_forgetting_purges_text_and_keeps_events(self) -> None:
        log, _ = self.open()
        mine, both, other = text("mine " * 99), text("both " * 99), text("other " * 99)
        self.put(log, "a", session_id="s", project="p", payload={"blob": mine.hash}, blobs=[mine])
        self.put(log, "b", session_id="s", project="p", payload={"blob": both.hash}, blobs=[both])
        self.put(log, "c", session_id="t", project="p", payload={"blob": both.hash}, blobs=[both])
        self.put(log, "d", session_id="u", project="q", payload={"blob": other.hash}, blobs=[other])
        before = log.fetch_since()
        event = log.forget(["s"], None, actor="user", reason="mine")
        assert log.blob(mine.hash) is None
        assert log.blob(both.hash) is not None, "another session still refers to it"
        assert log.fetch_since() == [*before, event]
        assert log.is_forgotten("s", None) and not log.is_forgotten("t", "p")
        assert log.verify() == []
        log.forget([], "p", actor="user", reason="all of it")
        assert log.blob(both.hash) is None and log.blob(other.hash) is not None
        assert log.is_forgotten("t", "p")
        assert log.verify() == []
        log.lift(None, "p", actor="user")
        assert not log.is_forgotten("t", "p") and log.is_forgotten("s", None)
        assert log.verify() == []

    def test_it_is_there_after_reopening(self) -> None:
        log, _ = self.open()
        event = self.put(log, "a", blobs=[text("x" * 300)])
        again = self.reopen(log)
        assert again.fetch_since() == [event]
        assert self.put(again, "a") is None

    @rows("R2.4")
    def test_there_is_no_way_to_change_an_event(self) -> None:
        log, _ = self.open()
        offered = {name for name in dir(log) if not name.startswith("_")}
        assert not {n for n in offered if any(w in n for w in ("update", "delete", "remove", "edit", "set_"))}

    @rows("R2.5", "R2.14")
    @given(
        st.lists(
            st.tuples(st.integers(0, 8), st.dictionaries(st.text(max_size=5), st.integers() | st.text(), max_size=3)),
            max_size=30,
        )
    )
    def test_any_appends_fold_to_the_first_of_each_key(self, appends: list[tuple[int, dict[str, Any]]]) -> None:
        log, _ = self.open()
        for key, payload in appends:
            self.put(log, str(key), payload=payload)
        first: dict[int, dict[str, Any]] = {}
        for key, payload in appends:
            first.setdefault(key, payload)
        assert len(log.fetch_since()) == len(first)
        assert log.verify() == []
