"""What better rules find in an old log is purged and marked in place: no trace is left, line N stays line N, quotes
stand where entries say, a kill is finished by the next run, and doing it twice changes nothing."""

from __future__ import annotations

import importlib
import json
import random
import signal
from pathlib import Path

import pytest

from axiommind.health.redacting import moved_span
from axiommind.text.redaction import MARK, Redactor
from tests.examples import examples
from tests.ingest.traces import traces
from tests.shell import axm
from tests.transcripts import World, session

killed_at = importlib.import_module("tests.laws.test_forgetting").killed_at
TOKEN = "gl" + "ft-" + "aZ3kQ9vX2mN7pR5tY8wB"
PASSWORD = "k3j(2!x$9v&^q7z"
SECRETS = (TOKEN, PASSWORD)


def told(world: World) -> None:
    lines = session("s1")
    for n in range(6):
        lines.prompt(f"We decided to use token {TOKEN} for the feed reader number {n}, because the old one expired.")
        lines.tool("Bash", f"u{n}", command=f"DB_PASSWORD={PASSWORD} make deploy-{n}")
        lines.result(f"u{n}", f"connected with DB_PASSWORD={PASSWORD}\nand {n} rows")
        lines.answer(f"I used {TOKEN} and it works now; always keep the feed token out of the logs, step {n}.")
    world.write(lines)
    world.write(session("other"))


@pytest.fixture
def old(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home whose texts were stored by rules that knew none of this."""
    told(world)
    with monkeypatch.context() as older:
        older.setattr("axiommind.text.redaction.is_hot", lambda raw: False)
        world.memory().index()
        assert axm(world, "learn").returncode == 0
    assert all(traces(world.home, secret.encode()) for secret in SECRETS)
    return world


def is_gone(world: World) -> None:
    for secret in SECRETS:
        assert traces(world.home, secret.encode()) == []
        assert traces(world.home, json.dumps(secret)[1:-1].encode()) == []


def events(world: World) -> list[str]:
    with world.memory().home.read_log() as (log, _key):
        return [event.checksum for event in log.replay()]


def test_a_dry_run_counts_and_shows_no_secret(old: World) -> None:
    before = events(old)
    done = axm(old, "redact", "--again")
    assert done.returncode == 0
    assert "gitlab" in done.stdout and "password" in done.stdout and "Nothing was changed" in done.stderr
    assert not any(secret in done.stdout + done.stderr for secret in SECRETS)
    assert events(old) == before
    assert any(check.name == "redaction" and check.status == "warn" for check in old.memory().doctor())


@pytest.mark.law
def test_what_is_found_is_purged_and_everything_else_stays(old: World) -> None:
    before = events(old)
    rows = old.one("select count(*) from passages")
    done = axm(old, "redact", "--again", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["proven"] and said["marks"]["gitlab"] >= 12 and said["marks"]["password"] >= 12
    is_gone(old)
    assert events(old)[: len(before)] == before, "events are never changed"
    assert old.memory().verify() == []
    assert old.one("select count(*) from passages") == rows
    page = old.memory().search("feed reader number", old.memory().scope(all_projects=True))
    assert page.hits and not any(TOKEN in str(hit) for hit in page.hits)
    assert old.one("select count(*) from prompts where text like '%[redacted:gitlab:%'") == 6
    quoting = old.one("select count(*) from entries where aligned")
    assert quoting and said["entries_moved"], "an entry quotes words beside a secret"
    assert not any(check.name == "redaction" for check in old.memory().doctor())
    again = axm(old, "redact", "--again", "--yes")
    assert again.returncode == 0 and "Nothing to redact" in again.stderr
    assert old.memory().verify() == []


@pytest.mark.law
def test_killed_anywhere_it_is_finished_by_running_it_again(old: World, tmp_path: Path) -> None:
    import shutil

    dice = random.Random(7)
    kept = tmp_path / "kept"
    shutil.copytree(old.home, kept)
    calls = int(killed_at(old, 0, "redact", "--again", "--yes").stderr.rpartition("calls ")[2])
    is_gone(old)
    tries = examples(6)
    for n in range(tries):
        shutil.rmtree(old.home)
        shutil.copytree(kept, old.home)
        at = 1 + int((n + dice.random()) * (calls - 1) / tries)
        ended = killed_at(old, at, "redact", "--again", "--yes")
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert axm(old, "redact", "--again", "--yes").returncode == 0
        old.memory().index()
        assert old.memory().verify() == []
        is_gone(old)


def test_a_span_moves_with_its_words() -> None:
    redactor = Redactor(b"k")
    before = f"first {TOKEN} then DB_PASSWORD={PASSWORD} and last words"
    after = redactor.text(before)
    for words in ("first", "then", "and last", "words"):
        start = before.index(words)
        new = moved_span(before, after, start, start + len(words))
        assert after[slice(*new)] == words
    start = before.index(TOKEN)
    assert MARK.fullmatch(after[slice(*moved_span(before, after, start, start + len(TOKEN)))])
    assert after[slice(*moved_span(before, after, 0, len(before)))] == after
    assert MARK.search(after[slice(*moved_span(before, after, start + 3, start + 9))])


def test_a_text_from_standard_input(world: World) -> None:
    done = axm(world, "redact", stdin=f"a\nDB_PASSWORD={PASSWORD}\nz\n")
    assert done.returncode == 0 and PASSWORD not in done.stdout and len(done.stdout.splitlines()) == 3
    checked = axm(world, "redact", "--check", stdin=f"x {TOKEN}")
    assert checked.returncode == 3 and checked.stdout == "gitlab 1\n"
    assert axm(world, "redact", "--check", stdin="nothing here").returncode == 0
    assert axm(world, "redact", "--yes", stdin="").returncode == 2
