"""Law 5: what was forgotten does not come back in a copy of its transcript, and nothing else is kept out with it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.traces import traces
from tests.notes import Notes
from tests.transcripts import Lines, World, encode, session

SECRET = "zanzibarquux"


def told(name: str, word: str, count: int = 6) -> Lines:
    lines = Lines(name)
    lines.lines.append({"type": "summary", "summary": f"{word} in short", "leafUuid": f"{name}-0"})
    for n in range(count):
        lines.prompt(f"{word} number {n}")
        lines.answer(f"{word} answered {n}")
        lines.lines.append({"type": "custom-title", "customTitle": f"{word} title {n}", "sessionId": name})
    return lines


def as_fork(lines: Lines, name: str) -> bytes:
    return b"".join(encode({**line, "sessionId": name}) for line in lines.lines)


@pytest.mark.law
@given(data=st.data())
def test_no_copy_brings_it_back(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World(tmp_path_factory.mktemp("copies"))
    gone, kept = told("gone", SECRET), told("kept", "harmless")
    world.write(gone)
    world.write(kept)
    world.memory().index()
    before = world.rows("select text from prompts order by 1")
    world.memory().forget(session="gone")
    forms = data.draw(
        st.lists(st.sampled_from(["whole", "fork", "cut", "tail", "mixed", "twice"]), min_size=1, max_size=4)
    )
    live = []
    for n, form in enumerate(forms):
        name, folder = f"copy-{n}", data.draw(st.sampled_from(["-home-dev-weather", "-elsewhere"]))
        whole = as_fork(gone, name) if form == "fork" else gone.data()
        if form == "cut":
            whole = whole[: data.draw(st.integers(1, len(whole)))]
        elif form == "tail":
            # Half a line alone says nothing about whose it is: at least one whole record is left.
            whole = whole[data.draw(st.integers(0, whole.rindex(b'{"type": "assistant"'))) :]
        elif form in ("mixed", "twice"):
            new = told(name, "harmless new")
            live += [line["message"]["content"] for line in new.lines if line["type"] == "user"]
            lines = [encode(line) for line in new.lines[1:]]
            at = data.draw(st.integers(0, len(lines)))
            whole = b"".join([*lines[:at], whole, *lines[at:], *([whole] if form == "twice" else [])])
        world.write(whole, name, folder)
        if data.draw(st.booleans()):
            world.memory().index()
    world.memory().index()
    if data.draw(st.booleans()):
        world.memory().index(full=True)
    assert traces(world.home, SECRET.encode()) == []
    texts = [row[0] for row in world.rows("select text from prompts order by 1")]
    assert texts == sorted([*(row[0] for row in before if SECRET not in row[0]), *live])
    assert world.memory().verify() == []


def test_a_copy_that_goes_on_is_read_from_where_it_goes_on(world: World) -> None:
    gone = told("gone", SECRET)
    world.write(gone)
    world.memory().index()
    world.memory().forget(session="gone")
    world.write(gone.data(), "copy")
    report = world.memory().index()
    assert report.new == 0 and world.rows("select id from sessions") == []
    assert world.memory().index().files_opened == 0, "and it is not opened again"
    more = Lines("copy")
    world.append(encode(more.prompt("something new")), "copy")
    world.memory().index()
    world.append(encode(more.prompt("and more")), "copy")
    world.memory().index()
    assert world.rows("select text from prompts") == [("something new",), ("and more",)]
    ((path, line),) = world.rows("select s.id, p.line from prompts p join sessions s on s.id = p.session_id limit 1")
    assert (path, line) == ("copy", len(gone.lines) + 1), "line N of what is stored is line N of the file"
    assert traces(world.home, SECRET.encode()) == []
    world.memory().undo_forget(session="gone")
    assert world.one("select count(*) from prompts where session_id = 'copy'") == 8, "lifted, the copy is whole again"
    assert world.memory().verify(deep=True) == []


def test_a_fork_that_was_there_before_stays(world: World) -> None:
    base = told("base", "shared")
    world.write(base)
    world.write(as_fork(base, "fork"), "fork")
    world.memory().index()
    assert world.memory().forget(session="base").copies == ("fork",)
    world.memory().index(full=True)
    world.path("fork").write_bytes(as_fork(base, "fork") + encode(Lines("fork").prompt("more")))
    world.memory().index()
    assert world.one("select count(*) from prompts where session_id = 'fork'") == 7


def test_forgotten_while_a_copy_is_being_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.ingest import TranscriptIngest

    gone = told("gone", SECRET)
    world.write(gone)
    world.memory().index()
    world.write(gone.data(), "copy")
    append = TranscriptIngest._append

    def forget_first(self: TranscriptIngest, batch: Any) -> None:
        monkeypatch.setattr(TranscriptIngest, "_append", append)
        world.memory().forget(session="gone")
        append(self, batch)

    monkeypatch.setattr(TranscriptIngest, "_append", forget_first)
    world.memory().index()
    assert traces(world.home, SECRET.encode()) == [] and world.rows("select id from sessions") == []


def test_a_whole_project_copied_to_another_root_stays_forgotten(world: World, tmp_path: Path) -> None:
    world.write(told("gone", SECRET))
    world.write(session("other"))
    world.memory().index()
    world.memory().forget(project="/home/dev/weather")
    for n, path in enumerate(sorted(world.projects.rglob("*.jsonl"))):
        target = world.projects / "-moved" / f"renamed-{n}.jsonl"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
        target.write_bytes(target.read_bytes().replace(b"/home/dev/weather", b"/home/dev/elsewhere"))
    world.memory().index()
    assert world.rows("select id from sessions") == [] and traces(world.home, SECRET.encode()) == []


def test_a_document_under_another_name_stays_forgotten(world: World) -> None:
    notes = Notes(world)
    text = f"# Stones\n\n{SECRET} " + "lies below the third stone. " * 10
    path = notes.write("a.md", text)
    notes.write("kept.md", "# Kept\n\nnothing to see\n")
    notes.add()
    world.memory().index()
    world.memory().forget(document=str(path))
    notes.write("b.md", text)
    world.memory().index()
    assert traces(world.home, SECRET.encode()) == []
    assert world.one("select count(*) from documents") == 1
    world.memory().undo_forget(document=str(path))
    assert world.one("select count(*) from documents") == 3
