"""What hooks gave agents becomes events once, rows that forgetting takes out, and figures that name their evidence."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import AxmError
from axiommind.memory import Scope
from axiommind.surfaces import cli
from tests.examples import examples
from tests.served import MINUTE, item, line, made, spool
from tests.transcripts import PROJECT, START, World

HOSTILE = (
    b"",
    b"not json",
    b"[]",
    b'{"v":2}',
    b"\xff\xfe{}",
    b'{"v":1,"at":true,"hook":"Stop","session":"s","items":[]}',
    b'{"v":true,"at":5,"hook":"Stop","session":"s","items":[{"id":"abc","kind":"tool"}]}',
    b'{"v":1,"at":1' + b"0" * 400 + b',"hook":"Stop","session":"s","items":[{"id":"abc","kind":"tool"}]}',
    b'{"v":1,"at":1e300,"hook":"Stop","session":"s","items":[{"id":"abc","kind":"tool"}]}',
    b'{"v":1,"at":1e999,"hook":"Stop","session":"s","items":[{"id":"abc","kind":"tool"}]}',
    b'{"v":1,"at":5,"hook":"Stop","session":"../../etc","items":[{"id":"abc","kind":"tool"}]}',
    b'{"v":1,"at":5,"hook":"Stop","session":"s","items":[{"id":"two words","kind":"tool"},7,null]}',
    b'{"v":1,"at":5,"hook":"\\ud800","session":"s","items":[{"id":"abc","kind":"tool"}]}',
    b"[" * 100_000,
)


def served(world: World) -> list[tuple[Any, ...]]:
    return world.rows("select session_id, project, hook, at, tokens, took_ms from served order by id")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return made(tmp_path)


def test_an_answer_is_one_event_however_often_it_is_read(world: World) -> None:
    spool(world, line() + b"\n".join(HOSTILE) + b'\n{"v":1,"at":17', "now")
    expected = [("now", PROJECT, "UserPromptSubmit", START + 10 * MINUTE, 120, 45)]
    for again in range(4):
        if again == 2:
            (world.home / "hooks" / "ingested").unlink()
        world.memory().index(full=again == 3, project=PROJECT if again == 1 else None)
        assert served(world) == expected
    assert world.rows("select item_id, kind, score, owner from served_items") == [("abc123", "prompt", 0.93, None)]
    assert world.memory().verify() == []


@pytest.mark.parametrize(
    ("number", "count"), [(10**400, 10**9), (-(10**400), 0), (1e300, 10**9), (True, 0), (1e999, 0)]
)
def test_a_number_of_any_size_is_borne(world: World, number: float, count: int) -> None:
    spool(world, line(tokens=number, ms=number, items=[{"id": "abc", "kind": "tool", "score": number}]))
    world.memory().index()
    assert world.rows("select tokens, took_ms from served") == [(count, count)]
    assert world.rows("select score from served_items") == [(None,)]


def test_two_processes_at_once_equal_one(world: World) -> None:
    spool(world, b"".join(line(at=n) for n in range(10, 40)))
    runs = [threading.Thread(target=lambda: world.memory().index()) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(served(world)) == 30


def test_only_what_was_written_since_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.ingest import served as reading

    old = spool(world, line())
    os.utime(old, ns=(time.time_ns() - 10**10,) * 2)
    world.memory().index()
    opened: list[str] = []
    answers = reading._answers
    monkeypatch.setattr(reading, "_answers", lambda path: [opened.append(path.stem), *answers(path)][1:])
    spool(world, line("next"), "next")
    world.memory().index()
    assert opened == ["next"]
    assert len(served(world)) == 2


def test_an_old_file_goes_once_it_was_read(world: World) -> None:
    path = spool(world, line())
    os.utime(path, ns=(time.time_ns() - 61 * 86_400 * 10**9,) * 2)
    world.memory().index()
    assert not path.exists()
    assert len(served(world)) == 1


def test_forgetting_takes_answers_and_items_along(world: World) -> None:
    kept, gone = item(world, "now", "prompt"), item(world)
    spool(world, line(items=[kept, gone]))
    spool(world, line("late", items=[gone]), "late")
    world.memory().index()
    assert world.rows("select count(*) from served_items") == [(3,)]
    world.memory().forget(session="old")
    assert world.rows("select item_id from served_items") == [(kept["id"],)]
    spool(world, line("late", at=99, items=[gone]), "late")
    world.memory().index()
    assert len(served(world)) == 2, "what is forgotten is not served any more, whoever says so"
    (world.home / "hooks" / "patterns.old").write_bytes(b"words")
    world.memory().forget(session="now")
    assert not (world.home / "hooks" / "patterns.old").exists()
    assert not (world.home / "hooks" / "served" / "now.jsonl").exists()
    spool(world, line(at=50))
    world.memory().index()
    assert {row[0] for row in served(world)} == {"late"}
    assert world.memory().verify() == []
    world.memory().forget(project=PROJECT)
    assert served(world) == [] and not list((world.home / "hooks" / "served").iterdir())
    world.memory().rebuild()
    assert served(world) == [] and world.memory().verify() == []


@given(st.lists(st.sampled_from(["serve", "serve late", "index", "forget old", "undo old", "forget now"]), max_size=8))
@settings(max_examples=examples(12))
def test_whatever_happens_the_rows_are_the_replay_of_the_log(acts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = made(Path(folder))
        given_item = item(world)
        for n, act in enumerate([*acts, "index"]):
            memory = world.memory()
            with contextlib.suppress(AxmError):  # what is not there cannot be forgotten, and not be lifted
                if act.startswith("serve"):
                    session = act.partition(" ")[2] or "now"
                    spool(world, line(session, at=n, items=[given_item]), session)
                elif act.startswith("forget"):
                    memory.forget(session=act.split()[1])
                elif act.startswith("undo"):
                    memory.undo_forget(session=act.split()[1])
                else:
                    memory.index()
        assert world.memory().verify() == []
        if acts and acts[-1] == "forget old":
            assert world.rows("select * from served_items where owner = 'old'") == []
        if acts and acts[-1] == "forget now":
            assert world.rows("select * from served where session_id = 'now'") == []


def test_a_project_sees_what_it_was_given(world: World) -> None:
    spool(world, line() + line("far", at=11, project="/home/dev/other"))
    world.memory().index()
    assert len(world.rows("select * from served_items", PROJECT)) == 1
    assert world.rows("select session_id from served", PROJECT) == [("now",)]


def test_grounding_names_what_was_used_and_where(world: World) -> None:
    used, own = item(world), item(world, "old", "prompt")
    spool(world, line(items=[used, own, {"id": "zzzzzzzz", "kind": "tool", "score": None}]))
    world.memory().index()
    found = world.memory().reports.grounding(Scope(PROJECT))
    assert (found.total.items, found.total.judged, found.total.used, found.total.share) == (3, 2, 1, 0.5)
    assert (found.prompts, found.answered, found.silent) == (2, 1, 1)
    by_id = {one.id: one for one in found.given}
    one = by_id[used["id"]]
    assert (one.reason, one.what) == ("file", "src/forecast/refresh.py")
    assert one.citation is not None and one.citation.text.endswith("now.jsonl:L3")
    assert by_id[own["id"]].reason is None
    assert not by_id["zzzzzzzz"].is_judged
    assert world.memory().reports.grounding(Scope(None), since=START + 11 * MINUTE).given == ()
    assert world.memory().reports.grounding(Scope("/elsewhere")).given == ()


def test_the_command(world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    assert cli.main(["grounding"]) == 1
    assert "axm install --all" in capsys.readouterr().err
    spool(world, line(items=[item(world)]))
    world.memory().index()
    assert cli.main(["grounding"]) == 0
    out, err = capsys.readouterr()
    assert "UserPromptSubmit" in out and "100%" in out
    assert "too few" in out, "one item says nothing"
    assert "Too few to say: 1 of 1 item (100%, between 27% and 100%)." in err
    assert "Given: 120 tokens." in err
    assert "Prompts: 1 answered, 1 left alone." in err
    assert cli.main(["grounding", "--session", "no", "--items"]) == 0
    assert "refresh.py" in capsys.readouterr().out
    assert cli.main(["grounding", "--json", "--items", "--all-projects"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["schema"] == "axm.grounding.v1"
    kind = record["hooks"][0]["kinds"][0]
    assert (kind["used"], kind["verdict"], kind["chance"], kind["weight"]) == (1, "too_few", 0.05, 1.0)
    assert record["items"][0]["reason"] == "file"
    assert cli.main(["grounding", "--session", "nobody"]) == 1
