"""What every kind of remote promises: one suite, which each kind's own test file runs over real servers.

A kind says where: the fixture `place` is a function that gives the URL of a place nobody has used. The suite makes it
ready, and opens it as often as it likes: each opening is another machine.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import pairwise

import pytest

from axiommind.errors import AxmError
from axiommind.sync.remote import LONGEST_CARD, LONGEST_SEGMENT, Pushed, Remote
from axiommind.sync.remotes import open_remote

__all__ = ["RemoteContract", "chain", "hash_of", "name"]

Opening = Callable[[], Remote]


def name() -> str:
    """A name that nobody has used: of a space, an origin, a session."""
    return secrets.token_hex(16)


def hash_of(segment: bytes) -> str:
    return sha256(segment).hexdigest()


def chain(remote: Remote, space: str, origin: str, segments: list[bytes]) -> list[Pushed]:
    """Push segments 1, 2, 3 …"""
    before = [b"", *segments]
    return [
        remote.push(space, origin, n, hash_of(last) if last else "", one)
        for n, (last, one) in enumerate(pairwise(before), 1)
    ]


class RemoteContract:
    """Inherit it in a class whose name begins with Test, with a fixture `place`."""

    @pytest.fixture
    def opening(self, place: str) -> Iterator[Opening]:
        opened: list[Remote] = []

        def another() -> Remote:
            opened.append(open_remote(place))
            return opened[-1]

        yield another
        for one in opened:
            one.close()

    @pytest.fixture
    def remote(self, opening: Opening) -> Remote:
        found = opening()
        assert found.probe() == []
        return found

    @pytest.fixture
    def other(self, remote: Remote, opening: Opening) -> Remote:
        """The same remote, from another machine."""
        return opening()

    # --- the place ------------------------------------------------------------------------------------------

    @pytest.fixture
    def unready(self, place: str) -> str:
        """A place that nobody has made ready."""
        return place

    def test_a_place_that_nobody_made_ready_is_no_empty_remote(self, unready: str) -> None:
        remote = open_remote(unready)
        with pytest.raises(AxmError) as failed:
            remote.heads(name(), {})
        assert failed.value.hint
        remote.close()

    def test_a_probe_leaves_nothing_and_may_be_repeated(self, remote: Remote, other: Remote) -> None:
        space, origin = name(), name()
        chain(remote, space, origin, [b"one"])
        assert other.probe() == []
        assert other.pull(space, origin, 0) == [b"one"]
        assert other.problems() == []

    def test_its_url_opens_it_again(self, remote: Remote) -> None:
        space, origin = name(), name()
        chain(remote, space, origin, [b"one"])
        again = open_remote(remote.url)
        assert again.pull(space, origin, 0) == [b"one"]
        assert again.url == remote.url
        again.close()

    # --- segments -------------------------------------------------------------------------------------------

    def test_segments_come_back_in_order_at_another_machine(self, remote: Remote, other: Remote) -> None:
        space, origin = name(), name()
        segments = [f"segment {n}".encode() * 100 for n in range(1, 13)]
        assert chain(remote, space, origin, segments) == [Pushed.OK] * 12
        assert other.heads(space, {}) == {origin: 12}
        assert other.pull(space, origin, 0) == segments
        assert other.pull(space, origin, 9) == segments[9:]
        assert other.pull(space, origin, 3, most=2) == segments[3:5]
        assert other.pull(space, origin, 12) == []

    def test_heads_are_right_whatever_the_caller_knows(self, remote: Remote, other: Remote) -> None:
        space, one, two = name(), name(), name()
        chain(remote, space, one, [b"a", b"b", b"c"])
        chain(remote, space, two, [b"x"])
        for known in ({}, {one: 1}, {one: 3, two: 1}, {one: 2, name(): 7}, {one: 5}):
            assert other.heads(space, known) == {one: 3, two: 1}

    def test_spaces_and_origins_do_not_mix(self, remote: Remote) -> None:
        space, other_space, origin = name(), name(), name()
        chain(remote, space, origin, [b"here"])
        chain(remote, other_space, origin, [b"there", b"there too"])
        assert remote.heads(space, {}) == {origin: 1}
        assert remote.pull(other_space, origin, 0) == [b"there", b"there too"]
        assert remote.heads(name(), {}) == {}
        assert remote.pull(name(), name(), 0) == []

    def test_an_answer_that_was_lost_is_asked_for_again(self, remote: Remote, other: Remote) -> None:
        space, origin = name(), name()
        chain(remote, space, origin, [b"a", b"b"])
        assert chain(remote, space, origin, [b"a", b"b"]) == [Pushed.SAME] * 2
        assert chain(other, space, origin, [b"a", b"b"]) == [Pushed.SAME] * 2
        assert other.heads(space, {}) == {origin: 2}

    def test_a_segment_without_the_one_before_is_a_gap(self, remote: Remote) -> None:
        space, origin = name(), name()
        assert remote.push(space, origin, 2, hash_of(b"a"), b"b") is Pushed.GAP
        chain(remote, space, origin, [b"a"])
        assert remote.push(space, origin, 3, hash_of(b"b"), b"c") is Pushed.GAP
        assert remote.heads(space, {}) == {origin: 1}

    def test_a_copied_home_is_a_fork(self, remote: Remote, other: Remote) -> None:
        space, origin = name(), name()
        chain(remote, space, origin, [b"a", b"mine"])
        assert other.push(space, origin, 2, hash_of(b"a"), b"the copy's") is Pushed.FORK
        assert other.push(space, origin, 3, hash_of(b"the copy's"), b"next") is Pushed.FORK
        assert remote.pull(space, origin, 0) == [b"a", b"mine"]

    def test_of_several_that_race_for_a_number_one_wins(self, remote: Remote, opening: Opening) -> None:
        space, origin = name(), name()
        racers = [opening() for _ in range(8)]
        before = b""
        for n in range(1, 6):
            won = _race(racers, space, origin, n, hash_of(before) if before else "")
            assert sorted(pushed for pushed, _ in won) == ["fork"] * 7 + ["ok"]
            (before,) = (segment for pushed, segment in won if pushed is Pushed.OK)
            assert remote.pull(space, origin, n - 1) == [before]

    def test_any_bytes_up_to_the_longest_segment(self, remote: Remote, other: Remote) -> None:
        space, origin = name(), name()
        segments = [b"\0", bytes(range(256)) * 16, secrets.token_bytes(1 << 20), bytes(LONGEST_SEGMENT)]
        assert chain(remote, space, origin, segments) == [Pushed.OK] * 4
        assert [hash_of(one) for one in other.pull(space, origin, 0)] == [hash_of(one) for one in segments]
        with pytest.raises(ValueError, match="too long"):
            remote.push(space, origin, 5, hash_of(segments[-1]), bytes(LONGEST_SEGMENT + 1))

    # --- texts and keys -------------------------------------------------------------------------------------

    def test_packs_and_keys_stay_as_they_were_first_put(self, remote: Remote, other: Remote) -> None:
        space, session = name(), name()
        remote.put_packs(space, session, {"aa": b"text", "bb": b"more"})
        other.put_packs(space, session, {"aa": b"another", "cc": b"third"})
        remote.put_key(space, session, b"wrapped")
        other.put_key(space, session, b"other")
        assert other.packs(space, session, ["aa", "bb", "cc", "dd"]) == {"aa": b"text", "bb": b"more", "cc": b"third"}
        assert remote.keys(space, [session, name()]) == {session: b"wrapped"}
        assert remote.packs(space, session, []) == {}

    def test_many_packs_at_once(self, remote: Remote, other: Remote) -> None:
        space, session = name(), name()
        packs = {f"{n:064x}": secrets.token_bytes(2_000 + n) for n in range(150)}
        remote.put_packs(space, session, packs)
        assert other.packs(space, session, list(packs)) == packs

    def test_what_is_destroyed_is_gone_and_the_rest_stays(self, remote: Remote, other: Remote) -> None:
        space, session, kept = name(), name(), name()
        for one in (session, kept):
            remote.put_key(space, one, b"wrapped")
            remote.put_packs(space, one, {"aa": b"text", "bb": b"more"})
        for _ in range(2):
            other.destroy(space, session)
            assert remote.keys(space, [session, kept]) == {kept: b"wrapped"}
            assert remote.packs(space, session, ["aa", "bb"]) == {}
        assert remote.packs(space, kept, ["aa", "bb"]) == {"aa": b"text", "bb": b"more"}
        other.destroy(space, name())

    # --- cards ----------------------------------------------------------------------------------------------

    def test_a_card_replaces_the_one_before(self, remote: Remote, other: Remote) -> None:
        space = name()
        remote.put_card(space, "members", "alice", b"first")
        remote.put_card(space, "members", "bob", b"his")
        remote.put_card(space, "machines", "alice", b"a laptop")
        remote.put_card(space, "members", "alice", b"second" * 1_000)
        assert other.cards(space, "members") == {"alice": b"second" * 1_000, "bob": b"his"}
        assert other.cards(space, "machines") == {"alice": b"a laptop"}
        assert other.cards(name(), "members") == {}
        with pytest.raises(ValueError, match="too long"):
            remote.put_card(space, "members", "alice", bytes(LONGEST_CARD + 1))

    # --- names ----------------------------------------------------------------------------------------------

    def test_names_differ_by_case_and_may_be_those_of_devices(self, remote: Remote, other: Remote) -> None:
        names = ["abc", "ABC", "aBc", "CON", "con", "nul", "Com1", "-x", "_", "x" * 100, "X" * 100]
        space = name()
        for n, one in enumerate(names):
            remote.put_key(space, one, str(n).encode())
            remote.put_card(space, "case", one, str(n).encode())
            chain(remote, space, one, [str(n).encode()])
        expected = {one: str(n).encode() for n, one in enumerate(names)}
        assert other.keys(space, names) == expected
        assert other.cards(space, "case") == expected
        assert other.heads(space, {}) == dict.fromkeys(names, 1)

    @pytest.mark.parametrize("wrong", ["", "..", "a/b", "a\\b", "x" * 101, "a.b", "é", "a\n", "a b", "%2e"])
    def test_a_name_that_is_none_goes_no_further(self, remote: Remote, wrong: str) -> None:
        for call in (
            lambda: remote.push(wrong, name(), 1, "", b"a"),
            lambda: remote.pull(name(), wrong, 0),
            lambda: remote.put_key(name(), wrong, b"k"),
            lambda: remote.put_packs(name(), name(), {wrong: b"p"}),
            lambda: remote.destroy(name(), wrong),
            lambda: remote.put_card(name(), wrong, name(), b"c"),
        ):
            with pytest.raises(ValueError, match="no name"):
                call()

    # --- waiting --------------------------------------------------------------------------------------------

    def test_waiting_ends(self, remote: Remote) -> None:
        remote.wait([name()], 0.01)


def _race(racers: list[Remote], space: str, origin: str, n: int, previous: str) -> list[tuple[Pushed, bytes]]:
    """Everybody pushes another segment of one number at the same moment."""
    found: list[tuple[Pushed, bytes]] = []
    start = threading.Barrier(len(racers))

    def run(remote: Remote) -> None:
        segment = secrets.token_bytes(1_000)
        start.wait()
        found.append((remote.push(space, origin, n, previous, segment), segment))

    threads = [threading.Thread(target=run, args=(one,)) for one in racers]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return found
