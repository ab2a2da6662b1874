"""Working memory from the shell: texts go through pipes and editors unchanged, and every write can be taken back."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.surfaces.render.scratchpads import between, last_blocks, last_chars, last_lines, within
from axiommind.text.edits import with_separator
from tests.rows import rows
from tests.surfaces.command import Axm, Said
from tests.transcripts import PROJECT, Lines, World

TEXT = "# One\nfoo\n## Two\nbar\n"


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes | None) -> None:
    """What is piped in; None is a terminal."""
    stream = io.TextIOWrapper(io.BytesIO(data or b""), "utf-8")
    if data is None:
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", stream)


def editor(folder: Path, script: str) -> str:
    """An editor that does this to the text."""
    path = folder / "editor.py"
    path.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n{script}\n")
    return f"{sys.executable} {path}"


@pytest.fixture
def flow(axm: Axm, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("AI_AGENT", raising=False)
    return made(axm("workflow", "create", "Move the ledger", "--description", "what is left"))


@pytest.fixture
def scratchpad(axm: Axm, flow: str) -> str:
    return made(axm("pad", "create", flow, "Findings", "--text", TEXT))


def made(said: Said) -> str:
    assert said.code == 0, said.err
    return said.out.strip()


def text_of(axm: Axm, scratchpad: str) -> str:
    return axm("pad", "show", scratchpad).out


# --- writing and reading -----------------------------------------------------------------------------------


def test_a_text_comes_back_as_it_went_in(axm: Axm, flow: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pipe(monkeypatch, "첫 줄\nReact組件\n\nno end".encode())
    scratchpad = made(axm("pad", "create", flow, "From a pipe"))
    said = axm("pad", "show", scratchpad)
    assert said.out == "첫 줄\nReact組件\n\nno end", "nothing is added to what is piped on"
    assert said.err.startswith(f"{scratchpad}  From a pipe · version 1 · 4 lines, ")
    file = tmp_path / "notes.md"
    file.write_bytes(b"\xef\xbb\xbfcaf\xe9\r\nend\r\n")
    said = axm("pad", "replace", scratchpad, "--file", str(file))
    assert "is not valid UTF-8" in said.err and text_of(axm, scratchpad) == "caf\ufffd\nend\n"
    assert axm("pad", "show", scratchpad[:20], "--lines", "2-9", "--numbers").out == "2  end\n"
    assert axm("pad", "show", scratchpad, "--json").json["content"] == "caf\ufffd\nend\n"


def test_every_kind_of_write(axm: Axm, scratchpad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"piped\n")
    assert axm("pad", "append", scratchpad, "-").out == f"{scratchpad}  version 2\n"
    assert axm("pad", "tail", scratchpad, "--blocks", "1").out == "piped\n"
    axm("pad", "insert", scratchpad, "--line", "2", "- inserted")
    axm("pad", "replace-lines", "--lines", "3", scratchpad, "FOO")
    axm("pad", "section", scratchpad, "Two", "baz")
    assert text_of(axm, scratchpad).startswith("# One\n- inserted\nFOO\n## Two\nbar\n")
    assert "baz\n" in text_of(axm, scratchpad)
    axm("pad", "replace-lines", scratchpad, "--lines", "6-", "")
    said = axm("pad", "chop", scratchpad, "--lines", "2")
    assert text_of(axm, scratchpad) == "# One\n- inserted\nFOO\n"
    assert f"To undo: axm pad restore {scratchpad[:16]} --at 6" in said.err
    assert "To undo" in axm("pad", "rename", scratchpad, "Other").err
    assert axm("pad", "outline", scratchpad).out == "1-3  One\n"
    found = axm("pad", "history", scratchpad, "--json").json["versions"]
    assert [one["version"] for one in found] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert axm("pad", "restore", scratchpad, "--at", "1").code == 0
    assert (
        text_of(axm, scratchpad) == TEXT
        and axm("pad", "show", scratchpad, "--at", "-2").out == "# One\n- inserted\nFOO\n"
    )
    assert axm("verify").code == 0


def test_what_changed(axm: Axm, scratchpad: str) -> None:
    assert axm("pad", "diff", scratchpad).out.endswith("@@ -0,0 +1,4 @@\n+# One\n+foo\n+## Two\n+bar\n"), (
        "the first is all new"
    )
    axm("pad", "replace-lines", scratchpad, "--lines", "2", "FOO")
    lines = axm("pad", "diff", scratchpad).out.splitlines()
    assert (
        lines[:2] == [f"--- {scratchpad} version 1", f"+++ {scratchpad} version 2"]
        and "-foo" in lines
        and "+FOO" in lines
    )
    assert axm("pad", "diff", scratchpad, "--from", "2").err == "Version 2 and version 2 have the same text.\n"
    at = axm("pad", "history", scratchpad, "--json").json["versions"][0]["at"]
    for time in (at, at[:19], at[:16], at[:10], "today", "now"):  # what a table shows of it, and its day
        assert "· version 2 ·" in axm("pad", "show", scratchpad, "--at", time).err, time
    for wrong in ("--1", "-", "9" * 5_000, "²"):
        said = axm("pad", "show", scratchpad, f"--at={wrong}")
        assert said.code == 1 and "is neither a version nor a time" in said.err


def test_agents_sign_as_agents(axm: Axm, scratchpad: str) -> None:
    axm.as_agent("pad", "append", scratchpad, "by a machine")
    assert [one["actor"] for one in axm("pad", "history", scratchpad, "--json").json["versions"]] == ["agent", "user"]


# --- an editor ---------------------------------------------------------------------------------------------


def test_editing(axm: Axm, scratchpad: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert axm("pad", "edit", scratchpad).code == 2
    monkeypatch.setenv("TMPDIR", str(tmp_path / "drafts"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "drafts").mkdir()
    monkeypatch.setenv("EDITOR", editor(tmp_path, "assert path.suffix == '.md'"))
    said = axm("pad", "edit", scratchpad)
    assert (said.code, said.out) == (0, "") and "nothing was written" in said.err
    monkeypatch.setenv("EDITOR", editor(tmp_path, "path.write_text(text.replace('foo', 'FOO'))"))
    assert axm("pad", "edit", scratchpad).out == f"{scratchpad}  version 2\n"
    assert text_of(axm, scratchpad) == TEXT.replace("foo", "FOO")
    assert not list((tmp_path / "drafts").iterdir())


def test_an_edit_that_lost_is_kept(
    axm: Axm, scratchpad: str, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    other = (
        f"import os, subprocess\npath.write_text('mine')\n"
        f"subprocess.run([sys.executable, '-m', 'axiommind', 'pad', 'append', '{scratchpad}', 'theirs'], check=True)"
    )
    monkeypatch.setenv("EDITOR", editor(tmp_path, other))
    said = axm("pad", "edit", scratchpad)
    assert said.code == 3 and "was changed since version 1; nothing was written" in said.err and "# One" in said.err
    kept = Path(next(line for line in said.err.splitlines() if "still in" in line).rpartition(" ")[2])
    assert kept.read_text() == "mine" and "theirs" in text_of(axm, scratchpad)
    kept.unlink()
    assert (
        axm("pad", "chop", scratchpad, "--version", "1").code == 3
        and axm("pad", "chop", scratchpad, "--version", "2").code == 0
    )


# --- mistakes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["pad", "append", "PAD"], 2, "there is no text"),
        (["pad", "append", "PAD", "  "], 1, "nothing to append"),
        (["pad", "append", "PAD", "x", "--file", "y"], 2, "given twice"),
        (["pad", "append", "PAD", "--file", "/nowhere.md"], 1, "/nowhere.md: No such file"),
        (["pad", "append", "pad_nobody", "x"], 1, "there is no scratchpad 'pad_nobody'"),
        (["pad", "append", "FLOW", "x"], 1, "there is no scratchpad"),
        (["pad", "create", "PAD", "title", "--text", "x"], 1, "there is no workflow"),
        (["pad", "create", "FLOW", "title"], 2, "no editor is set"),
        (["pad", "create", "FLOW", " ", "--text", "x"], 1, "needs a name"),
        (["pad", "show", "PAD", "--lines", "9-3"], 2, "before the first"),
        (["pad", "show", "PAD", "--lines", "0-3"], 2, "counted from 1"),
        (["pad", "show", "PAD", "--lines", "99"], 2, "it has 4 lines"),
        (["pad", "show", "PAD", "--at", "9"], 1, "has no version 9"),
        (["pad", "show", "PAD", "--at", "soonish"], 1, "neither a version nor a time"),
        (["pad", "insert", "PAD", "--line", "-1", "x"], 2, "--line"),
        (["pad", "replace-lines", "PAD", "--lines", "50-60", "x"], 1, "no line 50"),
        (["pad", "chop", "PAD", "--lines", "0"], 2, "not a number"),
        (["pad", "append", "PAD", "x", "y"], 2, "unrecognized arguments: y"),
        (["pad", "restore", "PAD"], 2, "--at"),
        (["workflow", "update", "FLOW"], 2, "nothing to change"),
        (["workflow", "show", "PAD"], 1, "there is no workflow"),
        (["workflow", "create", "x", "--project", "/nowhere/at/all"], 2, "there is no folder"),
        (["forget", "--pad", "PAD", "--undo"], 2, "cannot be restored"),
        (["forget", "--workflow", "PAD"], 1, "there is no workflow"),
    ],
)
def test_mistakes_are_told(
    axm: Axm, flow: str, scratchpad: str, monkeypatch: pytest.MonkeyPatch, args: list[str], code: int, said: str
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    pipe(monkeypatch, None)
    done = axm(*(one.replace("PAD", scratchpad).replace("FLOW", flow) for one in args))
    assert (done.code, said in done.err) == (code, True), done.err
    assert done.out == "" and text_of(axm, scratchpad) == TEXT


def test_bytes_that_are_no_text(axm: Axm, flow: str, scratchpad: str) -> None:
    for args in (
        ["pad", "show"],
        ["workflow", "show"],
        ["workflow", "list", "--scope"],
        ["workflow", "list", "--project"],
    ):
        assert axm(*args, "a\udcff").code == 1
    assert axm("workflow", "create", "a\udcff", "--scope", "b\udcff").code == 0
    assert axm("pad", "append", scratchpad, "c\udcff").code == 0 and text_of(axm, scratchpad).endswith("c?")


def test_before_there_is_anything(axm: Axm) -> None:
    for args in (["workflow", "list"], ["workflow", "latest"], ["pad", "list"], ["pad", "show", "pad_x"]):
        done = axm(*args)
        assert done.code == 1 and done.out == "" and "internal" not in done.err


# --- workflows ---------------------------------------------------------------------------------------------


def test_lists_are_of_this_folder_first(axm: Axm, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = world.base / "here", world.base / "there"
    for folder in (here, there):
        folder.mkdir()
    monkeypatch.chdir(here)
    mine = made(axm("workflow", "create", "Mine", "--project", "."))
    other = made(axm("workflow", "create", "Theirs", "--project", str(there)))
    scratchpad = made(axm("pad", "create", mine, "P", "--text", "x"))
    assert axm.ids("workflow", "list") == [mine] and axm.ids("pad", "list") == [scratchpad]
    assert axm.ids("workflow", "list", "--all-projects") == [mine, other]
    assert axm.ids("workflow", "list", "--scope", str(there)) == [other]
    assert axm.ids("workflow", "list", "--project", str(there)) == [other]
    assert axm("workflow", "latest", "--json").json["workflow"]["id"] == mine
    assert axm("workflow", "latest", "--scope", str(there)).out.startswith(other)
    monkeypatch.chdir(world.base)
    assert axm.ids("workflow", "list") == [mine, other], "where there is none, all of them"
    assert axm.ids("pad", "list", "--workflow", mine) == [scratchpad]


@rows("R4.6")
def test_an_inactive_workflow_takes_no_writes(axm: Axm, flow: str, scratchpad: str) -> None:
    said = axm("workflow", "update", flow, "--inactive", "--name", "Done")
    undo = f"To undo: axm workflow update {flow[:15]} --active\n"
    assert said.err == f"Updated: Done, inactive: it takes no writes\n{undo}"
    assert axm.ids("workflow", "list", "--active") == [] and axm.ids("workflow", "list", "--inactive") == [flow]
    refused = axm("pad", "append", scratchpad, "more")
    assert refused.code == 1 and f"axm workflow update {flow} --active" in refused.err
    assert "inactive: takes no writes" in axm("workflow", "show", flow).out


# --- searching ---------------------------------------------------------------------------------------------


def test_searching(axm: Axm, flow: str, scratchpad: str) -> None:
    other = made(axm("pad", "create", flow, "Row level security", "--text", "the ledger needs it\nfoo bar"))
    assert axm("workflow", "search", "ledger", "--json").json["results"][0]["score"] == 5 + 1
    assert axm("workflow", "search", "->").code == 1  # signs are words, and nothing holds them
    found = axm("workflow", "search", "row", "security")
    assert found.code == 0 and f"  {other[:16]}  Row level security  6" in found.out
    assert found.err == "1 workflow matched; this is page 1 of 1.\n"
    assert axm("pad", "search", "ledger", "needs", "--json").json["results"][0]["scratchpad"]["id"] == other
    assert axm("pad", "search", "foo", "--workflow", flow).out.count("pad_") == 2
    assert axm("pad", "grep", scratchpad, "FOO", "--context", "1").out == "... 1: # One\n> 2: foo\n... 3: ## Two\n"
    assert axm("pad", "grep", scratchpad, "^(b|f)", "--regex", "--context", "0").out == "> 2: foo\n--\n> 4: bar\n"
    for args in (
        ["workflow", "search", "nowhere"],
        ["pad", "search", "nowhere"],
        ["pad", "grep", scratchpad, "nowhere"],
    ):
        assert (axm(*args).code, axm(*args).out) == (1, "")


# --- forgetting --------------------------------------------------------------------------------------------


def traces(world: World, *words: str) -> set[str]:
    """Which of these words are in a file of ours, in upper or lower case."""
    data = b"".join(path.read_bytes().lower() for path in world.home.rglob("*") if path.is_file())
    return {word for word in words if word.lower().encode() in data}


def test_forgetting_a_pad_and_a_workflow(axm: Axm, world: World) -> None:
    flow = made(axm("workflow", "create", "Zorbulon", "--description", "quixotrellis"))
    first = made(axm("pad", "create", flow, "Grimblewick", "--text", "flabbergastor"))
    second = made(axm("pad", "create", flow, "Other", "--text", "splinterfax"))
    axm("pad", "replace", first, "wobblestonk")
    axm("embed")
    words = ("zorbulon", "quixotrellis", "grimblewick", "flabbergastor", "wobblestonk", "splinterfax")
    assert traces(world, *words) == set(words)
    assert axm("forget", "--pad", first, "--dry-run").err.startswith("Would forget: 1 scratchpad\n")
    assert traces(world, *words) == set(words)
    said = axm("forget", "--pad", first, "--yes")
    assert said.out == f"{first}\n" and "Forgotten: 1 scratchpad" in said.err and "cannot be undone" in said.err
    assert traces(world, *words) == {"zorbulon", "quixotrellis", "splinterfax"}
    assert axm("pad", "append", first, "again").code == 1 and axm("verify").code == 0
    assert axm("forget", "--workflow", flow[:15], "--yes", "--json").json["scratchpads"] == [second]
    assert traces(world, *words) == set() and axm("verify").code == 0
    assert axm("forget", "--session", first, "--undo").code == 1, "nothing could come back"


def test_forgetting_a_project_takes_its_workflows_along(axm: Axm, world: World) -> None:
    lines = Lines("s1")
    lines.prompt("The ledger is moved.")
    world.write(lines)
    memory = world.memory()
    memory.index()
    flow = memory.workflows.create("Zorbulon", cwd=PROJECT)
    scratchpad = memory.scratchpads.create(flow.id, "Grimblewick", "flabbergastor").row
    other = memory.workflows.create("Elsewhere", cwd="/elsewhere")
    done = axm("forget", "--project", PROJECT, "--yes")
    assert done.err.startswith(f"Forgotten: 1 session, 1 workflow and 1 scratchpad of {PROJECT}\n")
    assert not traces(world, "zorbulon", "grimblewick", "flabbergastor") and axm("verify").code == 0
    assert axm("forget", "--project", PROJECT, "--undo").code == 0
    assert axm("workflow", "show", flow.id).code == 1 and axm("pad", "show", scratchpad.id).code == 1
    assert [row.id for row in memory.workflows.list()] == [other.id]
    assert axm("forget", "--project", "/elsewhere", "--yes").code == 0, "a project may have workflows only"


# --- parts of a text ---------------------------------------------------------------------------------------

texts = st.text("ab組 #\n-", max_size=60)


@given(texts, st.integers(1, 20))
def test_reading_on_gives_the_whole_text(text: str, limit: int) -> None:
    read, line = "", 1
    while (whole := between(text, line, None)).text:
        part = within(whole, limit)
        assert len(part.text) <= limit and part.line_start == line
        if part.is_cut:  # a line that is longer than the limit
            part = between(text, line, line)
        read, line = read + part.text, part.line_end + 1
    assert read == text


@given(texts, st.integers(1, 20))
def test_an_end_is_an_end(text: str, size: int) -> None:
    for part in (last_lines(text, size), last_chars(text, size)):
        assert text.endswith(part.text)
        assert between(text, part.line_start, part.line_end).text.endswith(part.text)


@given(st.lists(st.text("ab#\n", min_size=1, max_size=10).filter(str.strip), min_size=1, max_size=5), st.integers(1, 5))
def test_the_last_blocks_are_what_was_appended_last(pieces: list[str], size: int) -> None:
    text = ""
    for piece in pieces:
        text += with_separator(text, piece)
    last = last_blocks(text, size)
    assert last.text == between(text, last.line_start, None).text
    assert last.text.startswith(pieces[-min(size, len(pieces))].rstrip("\n"))
