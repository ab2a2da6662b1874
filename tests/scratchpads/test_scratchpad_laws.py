"""The laws of working memory, under edits that nobody would write by hand: no version is ever lost, the index is the
replay of the log, and of two who write at once one is told."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery, Changed, DiskFull, IndexCorrupt, NotFound
from axiommind.home import Scope
from axiommind.memory import Memory
from axiommind.search.citations import SCRATCHPAD
from axiommind.text.edits import cut, outline
from tests.examples import examples
from tests.transcripts import World

WORDS = [
    "React",
    "組件開發",
    "# Plan",
    "## 다음 단계",
    "---",
    "",
    "  ",
    "getUserById",
    "a\x00b",
    "\r\n",
    "x" * 900,
]
text = st.lists(st.sampled_from(WORDS), max_size=8).map("\n".join) | st.text(max_size=60)
line = st.integers(1, 12)
edit = st.one_of(
    st.tuples(st.just("append"), text),
    st.tuples(st.just("replace"), text),
    st.tuples(st.just("insert"), line, text),
    st.tuples(st.just("lines"), line, st.integers(0, 6), text),
    st.tuples(st.just("section"), st.sampled_from(["Plan", "다음 단계", "Nowhere"]), text),
    st.tuples(st.just("chop"), line),
    st.tuples(st.just("rename"), st.sampled_from(["React 組件", "plan B"])),
    st.tuples(st.just("restore"), st.integers(1, 9)),
)
step = st.tuples(st.integers(0, 2), edit) | st.tuples(st.sampled_from(["close", "open", "forget", "rename"]), st.none())


def play(memory: Memory, scratchpad: str, given: tuple[Any, ...]) -> None:
    act: dict[str, Callable[..., Any]] = {
        "append": memory.scratchpads.append,
        "replace": memory.scratchpads.replace,
        "insert": memory.scratchpads.insert,
        "lines": lambda p, start, more, piece: memory.scratchpads.replace_lines(p, start, start + more, piece),
        "section": memory.scratchpads.append_section,
        "chop": memory.scratchpads.chop,
        "rename": memory.scratchpads.rename,
        "restore": lambda p, version: memory.scratchpads.restore(p, str(version)),
    }
    act[given[0]](scratchpad, *given[1:])


@given(st.lists(step, min_size=1, max_size=12))
@settings(max_examples=examples(25))
def test_whatever_is_written_no_version_is_lost(history: list[tuple[Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = World(Path(folder)).memory()
        flow = memory.workflows.create("React專案", "前端開發", "/p/one").id
        scratchpads = [memory.scratchpads.create(flow, f"pad {n}", "# Plan\nfirst\n").row.id for n in range(3)]
        seen: dict[str, list[str]] = {
            scratchpad: [memory.scratchpads.show(scratchpad).text] for scratchpad in scratchpads
        }
        for who, what in history:
            if who == "forget":
                if seen.pop(scratchpads[0], None) is not None:
                    memory.forget(scratchpad=scratchpads[0])
            elif isinstance(who, str):
                title = "another name" if who == "rename" else None
                memory.workflows.update(flow, active={"close": False, "open": True}.get(who), title=title)
            else:
                try:
                    play(memory, scratchpads[who], what)
                except (BadQuery, NotFound):  # closed, forgotten, nothing to append, no such line or version
                    continue
                seen[scratchpads[who]].append(memory.scratchpads.show(scratchpads[who]).text)
        for scratchpad, texts in seen.items():
            assert [memory.scratchpads.at(scratchpad, str(n + 1)).text for n in range(len(texts))] == texts
            assert [version.version for version in memory.scratchpads.history(scratchpad)] == list(
                range(len(texts), 0, -1)
            )
            now = memory.scratchpads.show(scratchpad)
            assert (now.text, now.row.version) == (texts[-1], len(texts))
            counted = now.text.count("\n") + (now.text != "" and not now.text.endswith("\n"))
            assert (now.row.size_bytes, now.row.lines) == (len(now.text.encode()), counted)
        assert memory.verify() == []
        check_chunks(memory, seen)


def check_chunks(memory: Memory, seen: dict[str, list[str]]) -> None:
    """The rows of a pad are its text, cut as if it had been written at once; and every one opens at its lines."""
    from axiommind.model import Citation

    sql = "select pad_id, line_start, line_end, text from pad_chunks where pad_id is not null order by pad_id, seq"
    rows: dict[str, list[tuple[int, int, str]]] = {}
    for scratchpad, *row in memory.sql(sql, Scope(None)):
        rows.setdefault(scratchpad, []).append(tuple(row))
    assert rows.keys() == seen.keys()
    for scratchpad, texts in seen.items():
        assert [text for _, _, text in rows[scratchpad]] == ["\n".join(chunk) for chunk in cut(texts[-1].split("\n"))]
        *others, last = rows[scratchpad]
        for start, end, text in (*others, (*last[:2], last[2].removesuffix("\n"))):
            opened = memory.passages.open(Citation(f"{SCRATCHPAD}{scratchpad}", start, end))
            assert "\n".join(opened.lines) == text


def test_of_two_who_write_at_once_one_is_told(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan", "# Goal\nship it\n## Steps\n").row
    mine = memory.scratchpads.replace(scratchpad.id, "# Goal\nship it today\n", expect=scratchpad.version)
    assert mine.row.version == 2
    with pytest.raises(Changed) as told:
        memory.scratchpads.replace(scratchpad.id, "# Goal\nwait\n", expect=scratchpad.version)
    assert "version 2" in told.value.message and "L1 # Goal" in told.value.message
    assert memory.scratchpads.show(scratchpad.id).text == "# Goal\nship it today\n"


def test_whoever_appends_at_once_all_of_it_is_there(world: World) -> None:
    memory = world.memory()
    flow = memory.workflows.create("crowd").id
    scratchpad = memory.scratchpads.create(flow, "log").row.id
    failed: list[Exception] = []

    def write(who: int) -> None:
        own = world.memory()
        try:
            for n in range(10):
                own.scratchpads.append(scratchpad, f"<{who}:{n}>")
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails by it
            failed.append(error)

    threads = [threading.Thread(target=write, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    now = memory.scratchpads.show(scratchpad)
    assert now.row.version == 61
    for who in range(6):
        assert [now.text.index(f"<{who}:{n}>") for n in range(10)] == sorted(
            now.text.index(f"<{who}:{n}>") for n in range(10)
        )
    assert memory.verify() == []


def test_fifty_pads_and_no_more_however_many_make_them(world: World) -> None:
    memory = world.memory()
    flow = memory.workflows.create("full").id
    made: list[str] = []
    refused: list[BadQuery] = []

    def make(who: int) -> None:
        own = world.memory()
        for n in range(10):
            try:
                made.append(own.scratchpads.create(flow, f"{who} {n}").row.id)
            except BadQuery as error:
                refused.append(error)

    threads = [threading.Thread(target=make, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(set(made)), len(refused)) == (50, 10)
    assert "50 scratchpads" in refused[0].message
    memory.forget(scratchpad=made[0])
    assert memory.scratchpads.create(flow, "room again").row.version == 1
    assert memory.workflows.show(flow).scratchpad_count == 50


def test_what_is_written_while_the_index_is_gone_is_read_from_the_log(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan", "first").row.id
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
    assert memory.scratchpads.show(scratchpad).text == "first"
    memory.scratchpads.append(scratchpad, "second")
    memory.index()
    assert (
        memory.scratchpads.show(scratchpad).text.endswith("second")
        and memory.scratchpads.show(scratchpad).row.version == 2
    )
    assert memory.verify() == []


def test_an_index_of_an_older_version_keeps_nobody_from_writing(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan", "first").row.id
    with contextlib.closing(sqlite3.connect(world.home / "index.db")) as db:  # as it was before there were pads
        for table in ("pad_owners", "pad_chunks", "pads", "workflows"):
            db.execute(f"drop table {table}")
        db.execute("delete from projection_offsets where projector_name = 'pads'")
        db.commit()
    made = memory.workflows.create("two")
    assert made.name == "two" and memory.workflows.show(made.id) == made
    memory.scratchpads.append(scratchpad, "second")
    assert memory.scratchpads.show(scratchpad).text.endswith("second")
    with pytest.raises(IndexCorrupt, match="older version") as refused:
        memory.workflows.list()
    assert refused.value.hint == "run: axm index"
    memory.index()
    assert [flow.name for flow in memory.workflows.list()] == ["one", "two"]


def test_what_the_log_has_is_written_whatever_the_index_does(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan", "first").row.id

    def fail(*_: object) -> None:
        raise DiskFull("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("axiommind.projections.runner.Index.catch_up", fail)
        assert memory.scratchpads.append(scratchpad, "second").row.version == 2, "or it would be appended twice"
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
    monkeypatch.setattr("axiommind.scratchpads.access._AT_ONCE", 1)
    assert memory.scratchpads.append(scratchpad, "third").row.version == 3
    with pytest.raises(NotFound, match="there is no index"):  # and not an empty one, in which nothing is found
        memory.workflows.search("one")


def test_a_section_is_found_again_by_the_heading_that_made_it(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan").row.id
    headings = ("#Next", "Next", "####### Deep", "C #", "long " * 50, "## Two")
    for heading in headings * 2:
        memory.scratchpads.append_section(scratchpad, heading, "- a line")
    found = outline(memory.scratchpads.show(scratchpad).text)
    assert [(one.level, one.title[:8]) for one in found] == [
        (1, "Next"),
        (6, "Deep"),
        (2, "C"),
        (2, "long lon"),
        (2, "Two"),
    ]


def test_a_long_history_is_not_held_at_once(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("one").id, "plan", "x" * 500_000).row.id
    for n in range(40):
        memory.scratchpads.append(scratchpad, str(n))
    tracemalloc.start()
    try:
        assert (
            len(memory.scratchpads.history(scratchpad)) == 41
            and memory.scratchpads.at(scratchpad, "-1").row.version == 40
        )
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_key_that_comes_in_two_halves_is_not_kept(world: World) -> None:
    memory = world.memory()
    body = "\n".join(["MIIEowIBAAKCAQEA" + "q7Zk" * 12] * 8)
    scratchpad = memory.scratchpads.create(
        memory.workflows.create("keys").id, "plan", "-----BEGIN RSA PRIVATE KEY-----\n"
    ).row.id
    done = memory.scratchpads.insert(scratchpad, 2, f"{body}\n-----END RSA PRIVATE KEY-----")
    assert "q7Zk" not in memory.scratchpads.show(scratchpad).text and done.note and "secret" in done.note
    assert memory.verify() == []


def test_the_outline_of_many_headings_takes_a_moment(world: World) -> None:
    memory = world.memory()
    scratchpad = memory.scratchpads.create(memory.workflows.create("long").id, "headings", "# a\n## b\n" * 90_000).row
    with pytest.raises(Changed) as told:
        memory.scratchpads.replace(scratchpad.id, "", expect=7)
    assert "headings more" in told.value.message
