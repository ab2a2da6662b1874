"""The laws of several machines: whatever is written, synced and killed where, all of them end with the same tables, and
nothing is lost; and any order in which chains arrive gives the same tables."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import AxmError
from axiommind.log.syncing import SyncTables
from axiommind.sync import run as sync_run
from axiommind.sync.remotes import open_remote
from axiommind.sync.spaces import SharedSpace
from tests.examples import examples
from tests.sync.homes import paired, said, sync, tables
from tests.transcripts import PERSON, Lines, World

HOMES = ("desk", "laptop", "tower", "attic")
homes = st.sampled_from(HOMES)
written = (
    st.tuples(st.just("say"), homes, st.sampled_from(("a", "b"))),
    st.tuples(st.just("say"), homes, st.sampled_from(("a", "b"))),
    st.tuples(st.just("remember"), homes, st.integers(0, 9)),
    st.tuples(st.just("judge"), homes, st.integers(0, 9)),
    st.tuples(st.just("workflow"), homes, st.none()),
    st.tuples(st.just("forget"), homes, st.integers(0, 9)),
    st.tuples(st.just("undo"), homes, st.integers(0, 9)),
)
synced = (
    st.tuples(st.just("sync"), homes, st.none()),
    st.tuples(st.just("sync"), homes, st.none()),
    st.tuples(st.just("die"), homes, st.integers(1, 12)),
)


class Died(BaseException):
    """As a kill does it: nothing is cleaned up that the process had to do itself."""


class Dying:
    """A remote at whose nth call the process is gone: before it, or after it was done and nobody heard."""

    def __init__(self, remote: Any, calls: int) -> None:
        self._remote, self._left = remote, calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._remote, name)
        if not callable(found) or name == "close":
            return found

        def call(*args: Any, **more: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                raise Died
            answer = found(*args, **more)
            if self._left == 1:
                raise Died
            return answer

        return call


class Machines:
    """Some machines of one person, and what was said on them."""

    def __init__(self, base: Path, count: int) -> None:
        self.worlds = {one.base.name: one for one in paired(base, str(base / "remote"), *HOMES[:count])}
        self.lines: dict[str, Lines] = {}
        self.said: set[str] = set()
        self.forgotten: set[str] = set()  # sessions, by anybody, at any time
        self._number = itertools.count()

    def play(self, what: str, home: str, detail: Any) -> None:
        world = self.worlds.get(home)
        if world is not None:
            with contextlib.suppress(AxmError):  # what is asked of what is not there
                getattr(self, what)(world, detail)

    def say(self, world: World, which: str) -> None:
        name = f"{world.base.name}-{which}"
        lines = self.lines.setdefault(name, Lines(name))
        words = f"remark {next(self._number)} of {name}"
        lines.prompt(words)
        lines.answer(f"noted {words}")
        world.write(lines)
        world.memory().index()
        if name not in self.forgotten:
            self.said.add(words)

    def remember(self, world: World, n: int) -> None:
        words = sorted(said(world))
        if words:
            quoted = words[n % len(words)]
            (session,) = {row[0] for row in world.rows(f"select session_id from prompts where text = '{quoted}'")}
            world.memory().entries.remember(f"It says {quoted}", quotes=[quoted], session=session, caller=PERSON)

    def judge(self, world: World, n: int) -> None:
        entries = sorted(row[0] for row in world.rows("select entry_id from entries"))
        if entries:
            name = entries[n % len(entries)]
            if n % 2:
                world.memory().entries.promote(name, "tried it", caller=PERSON)
            else:
                world.memory().entries.rule("deprecate", name, "no more", caller=PERSON)

    def workflow(self, world: World, _detail: None) -> None:
        made = world.memory().workflows.create(f"work {next(self._number)} on {world.base.name}")
        pad = world.memory().scratchpads.create(made.id, "notes", "first line")
        world.memory().scratchpads.append(pad.row.id, "second line")

    def _sessions(self, world: World) -> list[str]:
        return sorted(row[0] for row in world.rows("select id from sessions"))

    def forget(self, world: World, n: int) -> None:
        found = self._sessions(world)
        if found:
            name = found[n % len(found)]
            world.memory().forget(session=name, caller=PERSON)
            self.forgotten.add(name)  # and what is said in it before that is heard of
            self.said = {one for one in self.said if not one.endswith(f"of {name}")}

    def undo(self, world: World, n: int) -> None:
        with world.memory().home.read_log() as (log, _key):
            found = sorted(key for kind, key in log.tombstones() if kind == "session")
        if found:
            world.memory().undo_forget(session=found[n % len(found)], caller=PERSON)

    def sync(self, world: World, _detail: None) -> None:
        sync(world)

    def die(self, world: World, calls: int) -> None:
        """A sync that is killed at a call of the remote, and what the next one finds."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sync_run, "open_remote", lambda *given: Dying(open_remote(*given), calls))
            with contextlib.suppress(Died):
                world.memory().sync.run(caller=PERSON)

    def settle(self) -> None:
        """Everybody reads what is on their disk, and syncs until nothing moves."""
        for world in self.worlds.values():
            world.memory().index()
        for _ in range(6):
            if not any(report.moved for report in sync(*self.worlds.values())):
                return
        raise AssertionError("they never come to rest")


@contextlib.contextmanager
def machines(count: int) -> Iterator[Machines]:
    with tempfile.TemporaryDirectory() as folder:
        yield Machines(Path(folder), count)


@settings(max_examples=examples(40))
@given(st.integers(2, 4), st.lists(st.one_of(*written, *synced), min_size=4, max_size=16))
def test_all_machines_end_with_the_same_and_nothing_is_lost(count: int, history: list[tuple[str, str, Any]]) -> None:
    with machines(count) as here:
        for what, home, detail in history:
            here.play(what, home, detail)
        here.settle()
        first, *others = here.worlds.values()
        for other in others:
            assert tables(other) == tables(first)
        for world in here.worlds.values():
            assert here.said <= said(world), "nothing that nobody forgot is lost"
            assert world.memory().verify() == []
            assert world.memory().sync.status().refused == ()


@settings(max_examples=examples(20))
@given(st.lists(st.one_of(*written), min_size=3, max_size=12), st.integers(0, 999))
def test_any_order_of_arrival_gives_the_same_tables(history: list[tuple[str, str, Any]], seed: int) -> None:
    """Two machines that only listen read the same chains, one segment at a time, in orders of their own."""
    with machines(4) as here:
        writers, listeners = list(here.worlds)[:2], [here.worlds[name] for name in HOMES[2:]]
        for n, (what, home, detail) in enumerate(history):
            name = writers[HOMES.index(home) % 2]
            here.play(what, name, detail)
            if n % 2:
                sync(here.worlds[name])  # a segment of its own
        sync(*(here.worlds[name] for name in writers))
        chance = Random(seed)
        for listener in listeners:
            _listen(listener, chance)
            listener.memory().index()  # where nothing came there is no index yet
        assert tables(listeners[0]) == tables(listeners[1])
        for listener in listeners:
            assert listener.memory().verify() == []


def _listen(world: World, chance: Random) -> None:
    """Segments arrive one at a time, of whichever machine."""
    arrived: dict[str, int] = {}
    while True:
        with world.memory().home.read_log() as (log, _key):
            (row,) = SyncTables(log).spaces()
            me = next(one.origin for one in log.origins.all() if one.id == 0)
        heads = open_remote(row.remote).heads(SharedSpace(row).id, {})
        left = [origin for origin in sorted(heads) if origin != me and heads[origin] > arrived.get(origin, 0)]
        if not left:
            return
        chosen = chance.choice(left)
        arrived[chosen] = arrived.get(chosen, 0) + 1
        shown = arrived | {origin: n for origin, n in heads.items() if origin == me}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sync_run, "open_remote", partial(_slow, shown))
            sync(world)


def _slow(heads: dict[str, int], *given: Any) -> Any:
    return _Slow(open_remote(*given), heads)


class _Slow:
    """A remote of which so much has arrived."""

    def __init__(self, remote: Any, heads: dict[str, int]) -> None:
        self._remote, self._heads = remote, heads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._remote, name)

    def heads(self, _space: str, _known: Any) -> dict[str, int]:
        return dict(self._heads)

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        there = self._heads.get(origin, 0) - after
        return list(self._remote.pull(space, origin, after, min(most, there))) if there > 0 else []
