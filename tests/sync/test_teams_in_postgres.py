"""A team in PostgreSQL: set up, let in, shared, taken back and removed, each person as a role of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axiommind.errors import NotFound
from tests.shell import axm
from tests.sync.homes import machine, said, session, sync
from tests.sync.servers import PostgresServer
from tests.transcripts import PERSON, World


@pytest.fixture
def two(server: PostgresServer, tmp_path: Path) -> tuple[World, World]:
    alice, bob = machine(tmp_path, "alice"), machine(tmp_path, "bob")
    alice.memory().teams.create("radar", server.url("alice"), who="alice", machine="desk", caller=PERSON)
    invited = alice.memory().teams.invite("radar", "bob", caller=PERSON)
    bob.memory().teams.join(server.url("bob"), invited.phrase, machine="mac", caller=PERSON)
    return alice, bob


def test_what_one_shares_the_other_reads_until_it_is_taken_back(two: tuple[World, World]) -> None:
    alice, bob = two
    session(alice, "s1", "make the radar show rain")
    session(alice, "s2", "private")
    alice.memory().teams.share(session="s1", caller=PERSON)
    sync(alice, bob)
    assert said(bob) == {"make the radar show rain"}
    alice.memory().teams.unshare(session="s1", caller=PERSON)
    sync(alice, bob, alice)
    assert said(bob) == set() and bob.memory().verify() == []
    (state,) = alice.memory().sync.certificate()["forgettings"]
    assert not state["not_yet"] and [name for name, _ in state["done"]] == ["bob@mac"]


def test_who_is_removed_is_refused_by_the_database(two: tuple[World, World]) -> None:
    alice, bob = two
    session(alice, "s1", "one")
    alice.memory().teams.share(project="/home/dev/weather", caller=PERSON)
    sync(alice, bob)
    alice.memory().teams.remove("radar", "bob", caller=PERSON)
    session(alice, "s2", "two")
    sync(alice)
    (report,) = bob.memory().sync.run(caller=PERSON).spaces
    assert report.error == "you are in radar no longer" and said(bob) == {"one"}


def test_nobody_is_invited_whom_the_database_does_not_know(two: tuple[World, World]) -> None:
    alice, _bob = two
    with pytest.raises(NotFound, match="nobody of that name"):
        alice.memory().teams.invite("radar", "carol", caller=PERSON)


def test_setting_up_by_the_command_line(server: PostgresServer, tmp_path: Path) -> None:
    boss = machine(tmp_path, "boss")
    session(boss, "s1", "anything")
    assert "create function axm.push" in axm(boss, "team", "setup", server.url("admin"), "--print").stdout
    assert json.loads(axm(boss, "team", "setup", server.url("admin", "empty"), "--json").stdout)["added"] == [1]
    assert "set up already" in axm(boss, "team", "setup", server.url("admin", "empty")).stderr
    assert "has no password yet" in axm(boss, "team", "admit", server.url("admin"), "dora").stderr
    assert "no longer" in axm(boss, "team", "dismiss", server.url("admin"), "dora", "--erase").stderr
    assert axm(boss, "team", "setup", str(tmp_path)).returncode == 2
