"""Purging while others work: a session that ends prepares the next start at the moment in which somebody forgets."""

from __future__ import annotations

import threading

from axiommind.ingest.purging import drop_prepared
from tests.transcripts import World


def test_what_is_prepared_meanwhile_is_in_nobodys_way(world: World) -> None:
    home = world.memory().home
    folder = home.config.starts_path
    folder.mkdir(parents=True)
    is_over = threading.Event()

    def prepare() -> None:
        while not is_over.is_set():
            for n in range(50):
                (folder / f"{n}.json").write_bytes(b"{}")

    writer = threading.Thread(target=prepare)
    writer.start()
    try:
        for _ in range(300):
            drop_prepared(home)
    finally:
        is_over.set()
        writer.join()
    drop_prepared(home)
    assert list(folder.iterdir()) == []
