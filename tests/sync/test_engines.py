"""The whole way through real servers: two machines, a third one later, a copy, and forgetting."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from axiommind.sync.remotes import open_remote
from tests.sync.homes import add, machine, paired, said, session, sync, tables
from tests.sync.servers import PostgresServer, moto
from tests.sync.ssh_server import sshd
from tests.transcripts import PERSON, World


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("obstore", reason="obstore is not installed: pip install -e '.[s3]'")
    with moto(tmp_path_factory.mktemp("moto")) as found:
        yield found


def two_machines_and_more(base: Path, url: str) -> None:
    desk, laptop = paired(base, url, "desk", "laptop")
    session(desk, "s1", "make the radar show rain")
    session(laptop, "s2", "teach the barometer to fall")
    sync(desk, laptop, desk)
    assert said(desk) == said(laptop) == {"make the radar show rain", "teach the barometer to fall"}
    assert not any(report.moved for report in sync(desk, laptop))

    copy = machine(base, "copy")
    shutil.copytree(desk.home, copy.home)
    session(copy, "s3", "said on the copy")
    session(desk, "s4", "said on the desk")
    (_, report) = sync(desk, copy)
    assert report.machine == "desk-2"

    laptop.memory().forget(session="s1", caller=PERSON)
    sync(laptop, desk, copy, laptop)
    states = laptop.memory().sync.status().forgettings
    assert [name for name, _ in states[0].not_yet] == []

    tower = machine(base, "tower")
    add(tower, url, desk.memory().sync.phrase(caller=PERSON).phrase)
    sync(tower)
    everything = {"teach the barometer to fall", "said on the copy", "said on the desk"}
    for world in (desk, laptop, copy, tower):
        assert said(world) == everything
        assert tables(world) == tables(tower)
        assert world.memory().verify() == []


def test_a_folder(tmp_path: Path) -> None:
    two_machines_and_more(tmp_path, str(tmp_path / "remote"))


def test_a_bucket(tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
    of_user = World.environ
    monkeypatch.setattr(World, "environ", property(lambda world: {**of_user.fget(world), **keys}))  # type: ignore[misc]
    urlopen(Request(f"{endpoint}/memory", method="PUT")).close()
    two_machines_and_more(tmp_path, f"s3://memory/of/mine?endpoint={endpoint}")


def test_a_database(tmp_path: Path, server: PostgresServer) -> None:
    two_machines_and_more(tmp_path, server.url("alice"))


def test_a_server_that_was_killed_in_between(tmp_path: Path, server: PostgresServer) -> None:
    url = server.url("bob")
    desk, laptop = paired(tmp_path, url, "desk", "laptop")
    for n in range(4):
        session(desk, f"s{n}", f"remark {n}")
        if n % 2:
            server.kill()
            server.start()
        sync(desk, laptop)
    assert said(laptop) == {f"remark {n}" for n in range(4)}


def test_who_watches_hears_of_it(tmp_path: Path, server: PostgresServer) -> None:
    """Through a database at once, because it tells."""
    desk, laptop = paired(tmp_path, server.url("alice"), "desk", "laptop")
    reports = laptop.memory().sync.watch(seconds=600, caller=PERSON)
    next(reports)
    session(desk, "s1", "make the radar show rain")
    import threading

    threading.Timer(1.0, lambda: sync(desk)).start()
    next(reports)
    reports.close()
    assert said(laptop) == {"make the radar show rain"}


def test_without_the_phrase_a_space_of_somebody_else_is_not_there(tmp_path: Path, server: PostgresServer) -> None:
    (desk,) = paired(tmp_path, server.url("alice"), "desk")
    session(desk, "s1", "make the radar show rain")
    sync(desk)
    space = desk.memory().sync.status().spaces[0].space
    stranger = open_remote(server.url("bob"))
    assert stranger.heads(space, {}) == {}
    stranger.close()


def test_a_host_with_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ssh").mkdir()
    with sshd(tmp_path / "ssh") as found:
        found.configure()
        found.know((found.folder / "host.pub").read_text())
        monkeypatch.setenv("PATH", f"{found.folder}/bin{os.pathsep}{os.environ['PATH']}")
        two_machines_and_more(tmp_path, found.url(f"{tmp_path}/memory"))
