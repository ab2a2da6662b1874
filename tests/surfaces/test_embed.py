"""`axm embed`: what it prints, its exit codes, and what doctor says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind.distribution import extra_command
from axiommind.errors import EmbedderError, MissingExtra
from axiommind.surfaces import cli
from axiommind.vectors.lock import Lock
from tests.transcripts import Lines, World
from tests.vectors.fakes import Hashed, embeds_with


@pytest.fixture
def indexed(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("os.nice", lambda _by: 0)
    lines = Lines()
    lines.prompt("where does the cache live")
    lines.answer("in SQLite")
    world.write(lines)
    world.memory().index()
    embeds_with(monkeypatch, Hashed())
    return world


def doctor(world: World) -> dict[str, tuple[str, str]]:
    return {check.name: (check.status, check.text) for check in world.memory().doctor()}


def test_it_embeds_and_says_so(indexed: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(indexed)["embedder"] == ("ok", "none: search is lexical; texts that wait for one: 3 (axm embed)")
    assert cli.main(["embed", "--limit", "1"]) == 0
    said = capsys.readouterr()
    assert "Embedded: 1 new, 2 left" in said.err and "does not use these vectors yet" in said.err
    status, text = doctor(indexed)["embedder"]
    assert status == "note" and "sessions 100 %, prompts 0 %, answers 0 %; run: axm embed" in text
    assert cli.main(["embed", "--json"]) == 0
    said = capsys.readouterr()
    shown = json.loads(said.out)
    assert shown["schema"] == "axm.embed.v1"
    assert (shown["done"], shown["failed"], shown["active"], shown["version"]) == (2, 0, True, "hashed-1")
    assert doctor(indexed)["embedder"] == ("ok", "hashed-1 in local; sessions 100 %, prompts 100 %, answers 100 %")
    assert cli.main(["embed"]) == 0
    assert "Embedded: 0 new" in capsys.readouterr().err


def test_status(indexed: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["embed", "--status"]) == 0
    assert "Nothing has been embedded yet" in capsys.readouterr().err
    cli.main(["embed"])
    capsys.readouterr()
    assert cli.main(["embed", "--status"]) == 0
    out = capsys.readouterr().out
    assert "hashed-1" in out and "active" in out and "answers" in out and "100%" in out
    assert cli.main(["embed", "--status", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema"] == "axm.embed-status.v1"
    assert shown["coverage"]["prompt"] == {"done": 1, "pending": 0, "failed": 0, "total": 1}
    assert shown["versions"][0]["state"] == "active" and shown["versions"][0]["vectors"] == 3
    assert shown["bytes"] > 0 and shown["writer"] is None


def test_what_failed_needs_attention(
    indexed: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("axiommind.vectors.outbox._TRIED", "0")  # at once
    embeds_with(monkeypatch, Hashed(refuse="SQLite"))
    assert cli.main(["embed"]) == 3
    said = capsys.readouterr().err
    assert "Embedded: 2 new" in said and "Failed: 1 text" in said
    assert doctor(indexed)["vectors"] == ("warn", "1 texts could not be embedded; axm embed --status says why")
    assert cli.main(["embed", "--status"]) == 3
    said = capsys.readouterr().err
    assert "ValueError" in said and "SQLite" not in said
    embeds_with(monkeypatch, Hashed())
    assert cli.main(["embed"]) == 0
    assert "Embedded: 0 new" in capsys.readouterr().err
    assert cli.main(["embed", "--retry"]) == 0
    assert "Embedded: 1 new" in capsys.readouterr().err


def test_an_embedder_that_does_not_answer(
    indexed: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    embeds_with(monkeypatch, Hashed(refuse="", error=EmbedderError("nobody answers", hint="start it")))
    assert cli.main(["embed"]) == 3
    said = capsys.readouterr().err
    assert "Stopped: nobody answers\n  hint: start it" in said and "3 left" in said
    assert "vectors" not in doctor(indexed)


def test_a_second_one_says_who_works(indexed: World, capsys: pytest.CaptureFixture[str]) -> None:
    with Lock(indexed.home):
        assert cli.main(["embed"]) == 3
    said = capsys.readouterr().err
    assert "is embedding already" in said and "axm embed --wait" in said


def test_what_is_missing_is_named(
    indexed: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    for name, value in indexed.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as missing:
        indexed.memory().embeddings.make()
    assert missing.value.hint == f"run: {extra_command('embed')}"


def test_nothing_indexed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AXM_HOME", str(tmp_path / "none"))
    for more in ([], ["--status"]):
        assert cli.main(["embed", *more]) == 1
        assert "Nothing has been indexed yet: axm index" in capsys.readouterr().err


def test_it_watches(indexed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axiommind.vectors.embedding._LOOK_AGAIN_S", 0.01)
    runs = indexed.memory().embeddings.watch()
    assert next(runs).done == 3
    lines = Lines("s2")
    lines.prompt("another one")
    indexed.write(lines)
    indexed.memory().index()
    assert next(runs).done == 2
    runs.close()
