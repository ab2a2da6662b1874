"""What syncing costs: many homes through one PostgreSQL, a first pull, and a run with nothing new.

    python bench/sync.py fan [HOMES] [EVENTS_A_SECOND] [SECONDS] [--url postgres://…]
    python bench/sync.py first [EVENTS] [--url …]
    python bench/sync.py idle [RUNS] [--url …]

`fan`: so many homes (8) append so many events a second each (50) for so long (60), each in a process of its own that
watches. It says whether every event is at every home, and how long that took from the moment it was appended. The
server is one of its own (tests/sync/servers.py) unless a URL is given; its disk is not waited for (fsync=off).

`first`: a home with so many events (100,000) is sent, and pulled by a new one: events a second of each part.

`idle`: `axm sync` in a process of its own with nothing new, in turns with `python -c pass`.

`first` and `idle` use a folder unless a URL is given.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from axiommind.callers import Caller
from axiommind.config import Config
from axiommind.log.foreign import outgoing
from axiommind.memory import Memory

PERSON = Caller.person("a bench")
BATCH = 1000


def memory_at(folder: Path) -> Memory:
    return Memory(Config.load({"AXM_HOME": str(folder)}), user=folder, caller=PERSON)


def joined(base: Path, url: str, count: int) -> list[Path]:
    """Homes of one person that share a remote."""
    folders = [base / f"home{n}" for n in range(count)]
    first = memory_at(folders[0])
    phrase = first.sync.add(url, name="home0").phrase
    for n, folder in enumerate(folders[1:], 1):
        memory_at(folder).sync.add(url, join=phrase, name=f"home{n}")
        phrase = first.sync.phrase(url).phrase
    return folders


def append(log: Any, number: int, home: str) -> None:
    at = time.time_ns() // 1_000_000
    payload = {"entries": [f"ent_{number:016x}"], "how": f"bench event {number} of {home}"}
    log.append_dedup("entry_used", actor="bench", payload=payload, dedupe_key=f"{home} {number}", happened_at=at)


# --- many homes -----------------------------------------------------------------------------------------------


def live(folder: Path, rate: int, seconds: float, total: int, begin: Any, out: Any) -> None:
    """One home: it appends, watches, and notes how old each event of another was when it was here and projected."""
    memory = memory_at(folder)
    lags: list[float] = []
    stop = threading.Event()

    def write() -> None:
        with memory.home.open_log() as (log, _key):
            started = time.monotonic()
            for n in range(int(rate * seconds)):
                time.sleep(max(0.0, started + n / rate - time.monotonic()))
                append(log, n, folder.name)

    begin.wait()
    writer = threading.Thread(target=write)
    writer.start()
    runs, seen = 0, 0
    until = time.monotonic() + seconds * 4 + 60
    for _ in memory.sync.watch(seconds=1.0, stop=lambda: stop.is_set() or time.monotonic() > until):
        runs += 1
        with memory.home.read_log() as (log, _key):
            for event in log.fetch_since(seen):
                seen = event.position
                if event.origin and event.event_type == "entry_used" and event.happened_at is not None:
                    lags.append(time.time() * 1000 - event.happened_at)
            mine = not writer.is_alive() and not outgoing(log, _published(log), 1)
        if len(lags) >= total and mine:
            stop.set()
    out.put((folder.name, runs, lags))


def _published(log: Any) -> int:
    from axiommind.log.syncing import SyncTables

    tables = SyncTables(log)
    return max((tables.tip(one.space, 0).last_seq for one in tables.spaces()), default=0)


def fan(url: str, base: Path, count: int, rate: int, seconds: float) -> None:
    folders = joined(base, url, count)
    context = multiprocessing.get_context("spawn")
    begin, out = context.Event(), context.Queue()
    total = int(rate * seconds) * (count - 1)
    processes = [context.Process(target=live, args=(one, rate, seconds, total, begin, out)) for one in folders]
    for one in processes:
        one.start()
    begin.set()
    found = [out.get() for _ in processes]
    for one in processes:
        one.join()
    lags = sorted(lag for _, _, some in found for lag in some)
    arrived = [len(some) for _, _, some in sorted(found)]
    print(f"{count} homes, {rate} events/s each for {seconds:.0f} s")
    print(f"arrived: {sum(arrived):,} of {total * count:,} ({'all' if min(arrived) == total else arrived})")
    print(f"runs: {sum(runs for _, runs, _ in found):,}")
    cuts = statistics.quantiles(lags, n=100)
    print(f"lag: p50 {cuts[49]:,.0f} ms, p95 {cuts[94]:,.0f} ms, p99 {cuts[98]:,.0f} ms, most {lags[-1]:,.0f} ms")


# --- the first pull, and nothing new --------------------------------------------------------------------------


def first(url: str, base: Path, events: int) -> None:
    desk, laptop = joined(base, url, 2)
    started = time.perf_counter()
    with memory_at(desk).home.open_log() as (log, _key):
        for begin in range(0, events, BATCH):
            with log.atomic():
                for n in range(begin, min(events, begin + BATCH)):
                    append(log, n, "desk")
    _said("appended", events, started)
    started = time.perf_counter()
    memory_at(desk).sync.run()
    _said("projected and published", events, started)
    memory = memory_at(laptop)
    parts: dict[str, float] = {}
    project = memory.sync._project

    def timed(*given: Any) -> list[str]:
        begun = time.perf_counter()
        try:
            return project(*given)
        finally:
            parts["projection"] = time.perf_counter() - begun

    memory.sync._project = timed  # type: ignore[method-assign]
    started = time.perf_counter()
    memory.sync.run()
    whole = time.perf_counter() - started
    with memory.home.read_log() as (log, _key):
        here = sum(1 for event in log.replay(["entry_used"]) if event.origin)
    print(f"pulled: {here:,} of {events:,} events in {whole:.1f} s: {here / whole:,.0f} events/s")
    print(f"  fetch, check and append {here / (whole - parts['projection']):,.0f} events/s")
    print(f"  projection {here / parts['projection']:,.0f} events/s")


def _said(what: str, events: int, started: float) -> None:
    taken = time.perf_counter() - started
    print(f"{what}: {events / taken:,.0f} events/s")


def idle(url: str, base: Path, runs: int) -> None:
    desk, laptop = joined(base, url, 2)
    for folder in (desk, laptop):
        with memory_at(folder).home.open_log() as (log, _key):
            for n in range(1000):
                append(log, n, folder.name)
    for folder in (desk, laptop, desk, laptop):
        memory_at(folder).sync.run()
    environ = {**os.environ, "AXM_HOME": str(desk), "AXM_SYNC_MINUTES": "1"}
    cases = {"python -c pass": ["-c", "pass"], "axm sync": ["-m", "axiommind", "sync", "--json"]}
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, argv in cases.items():
            started = time.perf_counter()
            done = subprocess.run([sys.executable, *argv], env=environ, capture_output=True, text=True, check=True)
            taken[name].append(time.perf_counter() - started)
    moved = json.loads(done.stdout)["spaces"][0]
    assert not moved["pulled"]["segments"] and not moved["published"]["segments"]
    for name, times in taken.items():
        print(f"{name:<16} {statistics.median(times) * 1000:7.0f} ms")


@contextmanager
def remote(url: str | None, base: Path, kind: str) -> Iterator[str]:
    if url is not None or kind != "fan":
        yield url or str(base / "remote")
        return
    import psycopg
    from tests.sync.servers import PostgresServer, postgres_versions

    from axiommind.sync.postgres.setup import admit, setup

    server = PostgresServer(max(postgres_versions().items())[1])
    try:
        with psycopg.connect(server.url(database="postgres"), autocommit=True) as boss:
            boss.execute("create role admin login createrole")
            boss.execute("create database memory owner admin")
        with psycopg.connect(server.url("admin"), autocommit=True) as admin:
            setup(admin)
            admit(admin, "alice")
        yield server.url("alice")
    finally:
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("fan", "first", "idle"))
    parser.add_argument("numbers", nargs="*", type=int)
    parser.add_argument("--url")
    args = parser.parse_args()
    defaults = {"fan": [8, 50, 60], "first": [100_000], "idle": [20]}[args.kind]
    numbers = [*args.numbers, *defaults[len(args.numbers) :]]
    with tempfile.TemporaryDirectory() as folder, remote(args.url, Path(folder), args.kind) as url:
        {"fan": fan, "first": first, "idle": idle}[args.kind](url, Path(folder), *numbers)


if __name__ == "__main__":
    main()
