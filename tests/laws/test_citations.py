"""Law 4: every passage's citation opens, and the text there is the text of the passage. Whatever became of the file."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.laws.histories import History, operation
from tests.laws.passages import Passages
from tests.notes import Notes
from tests.rows import rows
from tests.transcripts import Lines, World, encode

# Of a very long value the index keeps the beginning, and says so.
CUT = "… [axm: "


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def answered(line: str, message_id: str) -> list[str]:
    """The texts of a line, when it is one of this message."""
    record = json.loads(line)
    message = record.get("message") or {}
    if record["type"] != "assistant" or message.get("id", record.get("uuid")) != message_id:
        return []
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block.get("type") == "text"]


def check(world: World, *, whole: bool = True) -> Counter[str]:
    """Hold the law for every passage; how many of each kind there are."""
    passages = Passages(world)
    found: Counter[str] = Counter()
    for kind, text, opened, row in passages:
        found[kind] += 1
        where = f"{kind} {opened.citation.text}"
        if kind == "doc":
            assert "\n".join(opened.lines) == text, where
        elif kind == "prompt":
            (line,) = opened.lines
            said = list(strings(json.loads(line)))
            if whole:
                assert any(text in one for one in said), where
            else:  # several blocks, or what the client put between them is left out
                assert all(any(piece in one for one in said) for piece in text.split("\n")), where
        elif kind == "response":
            parts = [part for line in opened.lines for part in answered(line, row["message_id"])]
            assert "\n\n".join(parts) == text, where
        else:
            said = [one for line in opened.lines for one in strings(json.loads(line))]
            for piece in text.split("\n"):
                piece = piece.partition(CUT)[0]
                assert piece == "…" or any(piece in one for one in said), f"{where}: {piece!r}"
    passages.close()
    return found


# --- any text ----------------------------------------------------------------------------------------------------

letters = st.characters(exclude_categories=["Cs"])
words = st.sampled_from(
    ["fix", "the", "flaky", "test", "로그인", "충돌이", "組件", "テスト", "a.py", "E0308", "🎉", "\t"]
)
# No blanks at the ends: a prompt is stripped of them, and that is not what this is about.
said = st.one_of(
    st.lists(words, min_size=1, max_size=12).map(" ".join),
    st.text(letters, min_size=1, max_size=60),
    st.integers(200, 900).map(lambda n: "\n".join(f"line {i} of the output" for i in range(n))),
).map(str.strip)
spoken = said.filter(bool)


class Talk:
    """A session that grows by one thing at a time, each with a text of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lines = Lines("s1")
        self.written = 0

    def say(self, kind: str, text: str, other: str) -> None:
        n = len(self.lines.lines)
        if kind == "prompt":
            self.lines.prompt(f"please {text}")
        elif kind == "blocks":
            self.lines.add("user", message={"role": "user", "content": [{"type": "text", "text": f"see {text}"}]})
        elif kind == "answer":
            self.lines.answer(text)
        elif kind == "stream":
            for part in (text, other):
                self.lines.answer(part, message_id=f"m{n}", request_id="r")
                self.lines.add("progress")
        elif kind == "edit":
            self.lines.tool("Edit", f"t{n}", file_path=f"/p/{n}.py", old_string=other, new_string=text)
            self.lines.result(f"t{n}")
        else:
            self.lines.tool("Bash", f"t{n}", command=text, description="run it")
            self.lines.prompt(f"while it runs: {n}")
            self.lines.result(f"t{n}", other, error=kind == "failure")

    def save(self, upto: int | None = None) -> None:
        """Append what is new; the last lines may come later, so that results come in a segment of their own."""
        stop = len(self.lines.lines) if upto is None else max(upto, self.written)
        self.world.append(b"".join(encode(line) for line in self.lines.lines[self.written : stop]))
        self.written = stop
        self.world.memory().index()


turn = st.tuples(st.sampled_from(["prompt", "blocks", "answer", "stream", "edit", "output", "failure"]), spoken, spoken)


@given(st.lists(turn, min_size=1, max_size=6), st.integers(0, 12), st.integers(1, 4))
@settings(max_examples=examples(40))
def test_what_was_said_is_at_its_lines(turns: list[tuple[str, str, str]], later: int, dropped: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        talk = Talk(world)
        for one in turns:
            talk.say(*one)
        talk.save(upto=later)
        check(world)
        talk.save()
        found = check(world)
        assert found["prompt"] + found["response"] + found["tool"] > 0
        world.memory().rebuild()
        assert check(world) == found
        rest = b"".join(encode(line) for line in talk.lines.lines[dropped:])
        world.write(rest, "s1")  # rewritten: every line has another number
        world.memory().index()
        kept = check(world)
        world.path("s1").unlink()
        world.memory().index()
        assert check(world) == kept, "a citation opens when its file is gone"
        world.memory().rebuild()
        assert check(world) == kept


@given(st.lists(operation, min_size=1, max_size=12))
@settings(max_examples=examples(60))
def test_whatever_happens_to_the_files(history: list[tuple[str, Any, Any]]) -> None:
    """Torn, forked, rewritten, moved, pruned, forgotten: what is still in the index opens."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        player = History(world)
        for step in history:
            player.play(*step)
        player.index()
        check(world)


def test_a_moved_session_is_cited_where_all_of_it_is(world: World) -> None:
    lines = Lines("s1")
    lines.prompt("start the build")
    lines.tool("Bash", "t1", command="make all")
    lines.answer("It has begun.", message_id="m", request_id="r")
    old = world.write(lines, folder="-old")
    world.memory().index()
    lines.answer("It is done.", message_id="m", request_id="r")
    lines.result("t1", "a zebra was built")
    old.unlink()
    new = world.write(lines, folder="-new")
    world.memory().index()
    assert check(world) == {"prompt": 1, "tool": 1, "response": 1}
    page = world.memory().search("zebra", world.memory().scope(all_projects=True))
    assert page.hits[0].citation is not None
    assert page.hits[0].citation.text == f"{new}:L2-L5"


# --- any Markdown ------------------------------------------------------------------------------------------------

block = st.one_of(
    st.builds(lambda level, title: "#" * level + " " + title, st.integers(1, 4), said),
    st.builds("- {}\n- {}".format, said, said),
    st.builds("```\n{}\n```".format, said),
    st.builds("| a | b |\n|---|---|\n| {} | x |".format, said),
    st.builds("> {}".format, said),
    st.text(letters, max_size=400),
    st.just("설계 문서입니다. 충돌이 났다.\n" * 60),
    st.just("A paragraph of some length, as people write them. " * 40),
    said,
)
markdown = st.tuples(
    st.sampled_from(["", "---\ntags: [a, b]\n---\n", "---\nnever closed\n", "\ufeff"]),
    st.lists(block, max_size=9),
    st.sampled_from(["\n", "\n\n", "\r\n\r\n", "\n\n\n"]),
).map(lambda parts: parts[0] + parts[2].join(parts[1]))


@rows("R1.30", "R1.37")
@given(markdown, markdown)
@settings(max_examples=examples(50))
def test_a_chunk_is_its_lines(before: str, after: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        notes = Notes(world)
        path = notes.write("note.md", before)
        notes.write("other.md", after)
        notes.add()
        check(world)
        path.write_bytes(after.encode())
        os.utime(path, ns=(1, 1))
        notes.index()
        grown = check(world)
        world.memory().rebuild()
        assert check(world) == grown


@rows("R1.30", "R1.37")
def test_the_lines_of_a_document_are_those_that_were_indexed(world: World) -> None:
    notes = Notes(world)
    path = notes.write("plan.md", "# Plan\n\nFirst the tokeniser, then the rest.\n")
    notes.add()
    path.write_text("# Another\n\nNothing of it is left.\n")
    assert check(world) == {"doc": 1}, "changed on disk, and not indexed since"
    path.unlink()
    assert check(world) == {"doc": 1}


# --- the real thing ----------------------------------------------------------------------------------------------


def real(shared: Path, base: Path, every: int) -> World:
    """Every n-th of the real transcripts, and the real Markdown."""
    world = World(base)
    for name in ("cipher-box", "context-evaluator"):
        (world.projects / name).mkdir()
        for path in sorted((shared / "bench" / "transcripts" / name).glob("*.jsonl"))[::every]:
            (world.projects / name / path.name).symlink_to(path)
    notes = Notes(world)
    for path in sorted(shared.rglob("*.md")):
        notes.write("-".join(path.relative_to(shared).parts), path.read_bytes())
    notes.add()
    world.memory().index()
    return world


def test_some_real_sessions_and_documents(shared: Path, tmp_path: Path) -> None:
    found = check(real(shared, tmp_path, 10), whole=False)
    assert set(found) == {"prompt", "response", "tool", "doc"} and min(found.values()) > 20


@pytest.mark.slow
def test_every_real_session_and_document(shared: Path, tmp_path: Path) -> None:
    world = real(shared, tmp_path, 1)
    found = check(world, whole=False)
    print(dict(found))
    assert min(found[kind] for kind in ("prompt", "response", "tool")) > 300
