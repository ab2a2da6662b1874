"""Documents: from a folder of Markdown through the log into the index, and out again."""

from __future__ import annotations

import itertools
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import IndexCorrupt, NotFound
from axiommind.ids import document_id
from axiommind.ingest import DocumentReport
from axiommind.log.sqlite import SqliteLog
from axiommind.memory import Memory, Scope
from axiommind.projections.runner import Index
from tests.counting import wait_for
from tests.examples import examples
from tests.notes import Notes
from tests.rows import rows
from tests.shell import axm
from tests.transcripts import Lines, World


@pytest.fixture
def notes(world: World) -> Notes:
    return Notes(world)


def counts(report: DocumentReport) -> tuple[int, int, int, int]:
    return report.new, report.updated, report.unchanged, report.removed


def everything(world: World) -> bytes:
    """Every byte of both stores, as they lie on disk."""
    return b"".join(p.read_bytes() for p in sorted(world.home.iterdir()) if p.name.startswith(("log.db", "index.db")))


def events(world: World, *types: str) -> list[tuple[str, dict[str, Any]]]:
    log = SqliteLog(world.home / "log.db", (world.home / "redaction.key").read_bytes(), read_only=True)
    try:
        return [(e.event_type, e.payload) for e in log.replay(types or None)]
    finally:
        log.close()


def blob_lines(world: World, path: Path) -> list[str]:
    """The lines of a document as the log keeps them."""
    name = world.one(f"select blob from documents where id = '{document_id(str(path))}'")
    log = SqliteLog(world.home / "log.db", (world.home / "redaction.key").read_bytes(), read_only=True)
    try:
        return (log.blob(name) or b"").decode().split("\n")
    finally:
        log.close()


# --- what lands in the tables ------------------------------------------------------------------------------------


@rows("R1.5")
def test_what_lands_in_the_tables(world: World, notes: Notes) -> None:
    front = "---\ntags: [rust, kb]\nlang: en\n---\n"
    text = front + "# Workspaces\n\nOne lock file for all crates.\n\n## Why\n\nFaster builds.\n"
    path = notes.write("rust/kb.md", text)
    report = notes.add()
    assert counts(report) == (1, 0, 0, 0)
    assert (report.files, report.opened, report.chunks, report.bytes_read) == (1, 1, 2, len(text))
    doc = document_id(str(path))
    assert world.rows("select id, path, root, project, title, lang, size, lines, chunk_count from documents") == [
        (doc, str(path), str(notes.root), str(notes.root), "Workspaces", "en", len(text), 11, 2)
    ]
    assert world.rows("select doc_id, tag from document_tags order by tag") == [(doc, "kb"), (doc, "rust")]
    assert world.rows("select line_start, line_end, heading, text from chunks order by seq_order") == [
        (5, 7, "Workspaces", "# Workspaces\n\nOne lock file for all crates."),
        (9, 11, "Workspaces > Why", "## Why\n\nFaster builds."),
    ]
    assert world.rows("select kind, session_id, doc_id, timestamp from passages") == 2 * [
        ("doc", None, doc, path.stat().st_mtime_ns // 1_000_000)
    ]
    assert world.memory().verify(deep=True) == []


def test_a_document_goes_through_the_log(world: World, notes: Notes) -> None:
    notes.write("a.md", "# A\n")
    notes.add(exclude=["old/**"])
    (_, added), (_, saved) = events(world)
    assert added == {"root": str(notes.root), "include": [], "exclude": ["old/**"]}
    assert {k: saved[k] for k in ("source", "root", "generation", "size", "lines")} == {
        "source": "markdown",
        "root": str(notes.root),
        "generation": 0,
        "size": 4,
        "lines": 1,
    }
    before = world.rows("select * from chunks")
    (world.home / "index.db").unlink()
    report = world.memory().index()
    assert report.documents is not None and report.documents.opened == 0
    assert world.rows("select * from chunks") == before
    assert world.memory().documents.list().folders[0].exclude == ("old/**",)


def test_the_id_of_a_document_is_its_path() -> None:
    assert document_id("/notes/a.md") == document_id("/notes/a.md") != document_id("/notes/b.md")
    assert document_id("/notes/a.md").startswith("doc-") and len(document_id("/notes/a.md")) == 24


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"\xef\xbb\xbf# T\r\n\r\ntext\r\n", [(1, 3, "# T\n\ntext")]),
        (b"# T\r\rtext", [(1, 3, "# T\n\ntext")]),
        ("# T\n\nh\u2028i\x0c there\n".encode(), [(1, 3, "# T\n\nh\u2028i\x0c there")]),
        ("# T\n\n한국어 テスト\n".encode("utf-16"), [(1, 3, "# T\n\n한국어 テスト")]),
    ],
    ids=["bom-crlf", "cr", "no-line-ends", "utf-16"],
)
def test_lines_are_the_lines_of_the_file(
    world: World, notes: Notes, content: bytes, lines: list[tuple[int, int, str]]
) -> None:
    notes.write("t.md", content)
    notes.add()
    assert world.rows("select line_start, line_end, text from chunks") == lines
    assert world.memory().verify() == []


def test_what_is_not_utf8_is_a_flaw_and_is_indexed(world: World, notes: Notes) -> None:
    path = notes.write("latin.md", b"# Good\n\ncaf\xe9\n")
    report = notes.add()
    assert [(p.path, p.line) for p in report.flaws] == [(str(path), 3)] and not report.problems
    assert world.one("select text from chunks") == "# Good\n\ncaf\N{REPLACEMENT CHARACTER}"
    assert any("latin.md:L3" in d for c in world.memory().doctor() for d in c.details)


def test_a_page_in_another_encoding_is_read_found_and_cited(world: World, notes: Notes) -> None:
    text = "# 배포 절차\n\n배포하기 전에 통합 테스트를 실행하고 담당자에게 알린다.\n"
    path = notes.write("deploy.md", text.encode("cp949"))
    report = notes.add()
    assert counts(report) == (1, 0, 0, 0) and report.flaws == []
    assert world.rows("select title, lang, encoding from documents") == [("배포 절차", "ko", "cp949")]
    assert [payload["encoding"] for _, payload in events(world, "document_saved")] == ["cp949"]
    page = world.memory().search("통합 테스트", Scope(None))
    assert [hit.citation.text for hit in page.hits if hit.citation] == [f"{path}:L1-L3"]
    assert blob_lines(world, path) == text.split("\n")
    assert notes.index().opened == 0
    assert world.memory().verify(deep=True) == []


def test_what_was_read_before_encodings_were_told_is_read_again_once(world: World, notes: Notes) -> None:
    korean = notes.write("deploy.md", "# 배포 절차\n\n배포하기 전에 통합 테스트를 실행한다.\n".encode("cp949"))
    notes.write("plain.md", "# Plain\n")
    notes.write("broken.md", b"# Broken \xff\n")
    notes.add()
    with sqlite3.connect(world.home / "log.db") as log:  # heads as the version before wrote them
        log.execute("update heads set state = json_remove(state, '$.encoding')")
    log.close()
    again = notes.index()
    assert (counts(again), again.opened) == ((0, 1, 2, 0), 3), "only what can be read better is saved again"
    assert [p["path"] for _, p in events(world, "document_saved") if p["generation"] == 1] == [str(korean)]
    assert notes.index().opened == 0
    assert world.memory().verify(deep=True) == []


def test_of_a_binary_file_nothing_is_kept(world: World, notes: Notes) -> None:
    key = "AKIA" + "Q3EGZ7WLTR2KXVND"
    notes.write("x.md", key.encode("utf-16-le"))  # without a mark at its start nobody knows that this is UTF-16
    report = notes.add()
    assert [p.why for p in report.flaws] == ["binary: it holds NUL bytes"]
    assert world.one("select count(*) from chunks") == 0
    assert key.encode("utf-16-le") not in everything(world)
    assert notes.index().opened == 0
    assert world.memory().verify() == []


def test_an_empty_file_is_a_document_without_chunks(world: World, notes: Notes) -> None:
    path = notes.write("empty.md", "")
    notes.add()
    assert world.rows("select title, lines, chunk_count from documents") == [("empty", 0, 0)]
    assert world.memory().verify() == []
    path.write_text("now it says something")
    assert counts(notes.index()) == (0, 1, 0, 0)
    path.write_text("")
    assert counts(notes.index()) == (0, 1, 0, 0)
    assert world.memory().verify() == []


# --- secrets -----------------------------------------------------------------------------------------------------

PEM_BODY = [
    "MIIEowIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy",
    "vGZlGJpmn65+A4xHXInJYiPuKzrKUnApeLZ+vw1HocOAZtWK0z3r26uA8kQYOKX9",
    "Qt/DbCdvsF9wF8gRK0ptx9M6R13NvBxvVQApfc9jB9nTzphOgM4JiEYvlV8FLhg9",
]


@pytest.mark.parametrize("prefix", ["", "    ", "> "])
def test_a_private_key_leaves_its_mark_and_no_line_moves(world: World, notes: Notes, prefix: str) -> None:
    key = ["-----BEGIN RSA PRIVATE KEY-----", *PEM_BODY, "-----END RSA PRIVATE KEY-----"]
    lines = ["# Keys", "", "Do not do this:", "", *(prefix + line for line in key), "", "## After", "", "the end"]
    path = notes.write("keys.md", "\n".join(lines) + "\n")
    notes.add()
    stored = everything(world)
    assert not any(part.encode() in stored for line in PEM_BODY for part in (line[:20], line[-20:]))
    kept = blob_lines(world, path)
    assert len(kept) == len(lines) + 1
    assert kept[:4] == lines[:4] and kept[-5:] == [*lines[-4:], ""]
    assert kept[4].startswith(f"{prefix}[redacted:private-key:") and not any(line.strip("> ") for line in kept[5:9])
    assert world.rows("select line_start, line_end from chunks where text like '%the end'") == [(11, 13)]
    assert world.memory().verify() == []


def test_a_secret_in_a_code_block_is_marked_on_its_line(world: World, notes: Notes) -> None:
    access, secret = "AKIA" + "Q3EGZ7WLTR2KXVND", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCY9q2vLd8s3Tm"
    opened = "hunter2" + "!Kq9"  # by a quote that nobody closed
    lines = [
        *("# Deploy", "", "```sh", f"export AWS_ACCESS_KEY_ID={access}", f"export AWS_SECRET_ACCESS_KEY={secret}"),
        *(f'password = "{opened}', "aws s3 ls", "```", ""),
    ]
    path = notes.write("deploy.md", "\n".join(lines))
    notes.add()
    stored = everything(world)
    assert not any(text.encode() in stored for text in (access, secret, opened))
    kept = blob_lines(world, path)
    assert [i for i, line in enumerate(kept, 1) if "[redacted:" in line] == [4, 5, 6]
    assert kept[6] == "aws s3 ls"
    assert world.rows("select line_start, line_end from chunks") == [(1, 8)]
    assert world.one("select text from chunks").split("\n") == kept[:8]


@given(
    st.lists(
        st.sampled_from(
            [
                *("", "text", "```", "> quoted", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
                *(*PEM_BODY, "  " + PEM_BODY[0], 'password = "hunter2!Kq9', "Bearer abcDEF123456ghiJKL7890mnop"),
                *("name: DB_PASSWORD", "  value: hunter2!Kq9", "[redacted:password:0123456789]"),
            ]
        ),
        max_size=14,
    )
)
@settings(max_examples=examples(150))
def test_redacting_a_page_keeps_its_lines_and_leaves_nothing_to_redact(lines: list[str]) -> None:
    from axiommind.log import seal_page, unseal
    from axiommind.text.redaction import Redactor

    key = bytes(32)
    redactor = Redactor(key)
    sealed = seal_page(redactor, key, lines)
    text = unseal(sealed.codec, sealed.data).decode()
    assert text.count("\n") == max(len(lines) - 1, 0)
    assert redactor.text(text, keep_lines=True) == text
    assert [redactor.text(line) for line in text.split("\n")] == text.split("\n")


# --- what a run costs --------------------------------------------------------------------------------------------


def test_a_second_run_opens_nothing(world: World, notes: Notes) -> None:
    for i in range(20):
        notes.write(f"{i % 3}/{i}.md", f"# Note {i}\n")
    assert notes.add().opened == 20
    again = notes.index()
    assert (again.files, again.opened, again.bytes_read, again.events, again.rows) == (20, 0, 0, 0, 0)
    assert counts(again) == (0, 0, 20, 0)
    whole = world.memory().index()
    assert whole.documents is not None and (whole.documents.opened, whole.documents.unchanged) == (0, 20)


@rows("R1.40")
def test_only_what_changed_is_read(world: World, notes: Notes) -> None:
    for i in range(10):
        notes.write(f"{i}.md", f"# Note {i}\n\nabout zebras\n")
    notes.add()
    notes.write("3.md", "# Note 3\n\nabout lions\n")
    report = notes.index()
    assert (report.opened, report.events) == (1, 1) and counts(report) == (0, 1, 9, 0)
    assert report.rows < 40
    assert (notes.found("zebra"), notes.found("lion")) == (9, 1)
    assert world.memory().verify() == []


def test_a_file_that_was_only_touched_is_opened_once(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n")
    notes.add()
    os.utime(path, ns=(1, 1))
    report = notes.index()
    assert (report.opened, report.events) == (1, 0) and counts(report) == (0, 0, 1, 0)
    assert notes.index().opened == 0
    assert len(events(world, "document_saved")) == 1


def test_a_full_run_opens_everything_and_finds_what_hid(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# Before\n")
    notes.add()
    state = path.stat()
    path.write_text("# Behind\n")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert notes.index().opened == 0
    assert [where for where, _ in world.memory().verify(deep=True)] == [str(path)]
    assert counts(world.memory().documents.index(full=True)) == (0, 1, 0, 0)
    assert world.one("select title from documents") == "Behind"
    assert world.memory().verify(deep=True) == []


def test_one_project_leaves_documents_alone(world: World, notes: Notes) -> None:
    notes.write("a.md", "# A\n")
    notes.add()
    notes.write("a.md", "# Another\n")
    assert world.memory().index(project=str(notes.root)).documents is None
    assert world.one("select title from documents") == "A"


# --- what leaves, and what must not ------------------------------------------------------------------------------


def test_a_deleted_file_leaves_and_may_come_back(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n\nzebra\n")
    notes.write("b.md", "# B\n")
    notes.add()
    path.unlink()
    assert counts(notes.index()) == (0, 0, 1, 1)
    assert notes.paths() == ["b.md"] and notes.found("zebra") == 0
    assert counts(notes.index()) == (0, 0, 1, 0)
    notes.write("a.md", "# A\n\nzebra\n")
    assert counts(notes.index()) == (1, 0, 1, 0)
    assert notes.found("zebra") == 1
    assert [t for t, _ in events(world, "document_saved", "document_removed")] == [
        *("document_saved", "document_saved", "document_removed", "document_saved")
    ]
    assert world.memory().verify() == []


def test_the_last_file_of_a_folder_leaves_too(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n")
    notes.add()
    path.unlink()
    assert counts(notes.index()) == (0, 0, 0, 1)


def test_a_moved_file_is_another_document(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n")
    notes.add()
    path.rename(notes.root / "b.md")
    assert counts(notes.index()) == (1, 0, 0, 1)
    assert notes.paths() == ["b.md"]


@pytest.mark.parametrize("what", ["gone", "forbidden", "part"])
def test_a_folder_that_cannot_be_read_takes_nothing_away(
    world: World, notes: Notes, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("a.md", "# A\n")
    notes.write("sub/b.md", "# B\n")
    notes.add()
    shut = notes.root / "sub" if what == "part" else notes.root
    with monkeypatch.context() as now:
        if what == "gone":
            notes.root.rename(notes.root.with_name("aside"))
        else:
            now.setattr(os, "scandir", refusing(os.scandir, shut))
        report = notes.index()
    assert report.removed == 0 and [p.path for p in report.problems] == [str(shut)]
    assert "as last read" in report.problems[0].why
    assert notes.paths() == ["a.md", "sub/b.md"]
    if what == "gone":
        notes.root.with_name("aside").rename(notes.root)
    assert counts(notes.index()) == (0, 0, 2, 0)


def refusing(function: Any, path: Path) -> Any:
    """The function, but not allowed at one path; whoever runs the tests may read everything."""

    def guarded(given: Any, *args: Any, **named: Any) -> Any:
        if str(given) == str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return function(given, *args, **named)

    return guarded


def test_a_disk_that_is_not_mounted_takes_nothing_away(
    world: World, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from axiommind.ingest import DocumentIngest

    path = notes.write("a.md", "# A\n")
    with monkeypatch.context() as other_disk:
        other_disk.setattr(DocumentIngest, "_device", lambda _self, _path: 4711)
        notes.add()
    path.unlink()
    report = notes.index()
    assert report.removed == 0 and "not mounted" in report.problems[0].why
    assert notes.paths() == ["a.md"]
    notes.write("other.md", "# O\n")
    assert counts(notes.index()) == (1, 0, 0, 1), "a folder with something in it is there"


def test_a_file_that_cannot_be_read_is_a_problem(world: World, notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("a.md", "# A\n")
    path = notes.write("b.md", "# B\n")
    with monkeypatch.context() as now:
        now.setattr(Path, "open", refusing(Path.open, path))
        report = notes.add()
    assert counts(report) == (1, 0, 0, 0) and [p.path for p in report.problems] == [str(path)]
    assert counts(notes.index()) == (1, 0, 1, 0)


def test_a_file_too_large_is_a_problem(world: World, notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.sources.markdown import files

    path = notes.write("a.md", "# A\n")
    notes.add()
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    path.write_text("# More than ten bytes\n")
    report = notes.index()
    assert (report.opened, report.removed) == (0, 0) and "larger than" in report.problems[0].why
    assert world.one("select title from documents") == "A"


# --- folders -----------------------------------------------------------------------------------------------------


def test_adding_twice_says_so_and_changes_nothing(world: World, notes: Notes) -> None:
    notes.write("a.md", "# A\n")
    notes.add(include=["**/*.md"])
    again = notes.add(include=["**/*.md"])
    assert counts(again) == (0, 0, 1, 0) and "nothing changed" in again.notes[0]
    assert "nothing changed" in notes.add().notes[0], "no globs are no wish to drop the old ones"
    assert len(events(world, "folder_added")) == 1


def test_more_globs_are_added_to_the_old_ones(world: World, notes: Notes) -> None:
    for name in ("a.md", "old/b.md", "c.txt", "d.rst"):
        notes.write(name, f"# {name}\n")
    notes.add()
    assert notes.paths() == ["a.md", "old/b.md"]
    report = notes.add(include=["**/*.txt"])
    assert counts(report) == (1, 0, 2, 0) and "added to those it has" in report.notes[0], "Markdown stays"
    assert notes.paths() == ["a.md", "c.txt", "old/b.md"]
    assert counts(notes.add(include=["*.rst"], exclude=["old/**"])) == (1, 0, 2, 1)
    assert notes.paths() == ["a.md", "c.txt", "d.rst"]
    assert "nothing changed" in notes.add(include=["**/*.txt"], exclude=["old/**"]).notes[0]
    assert world.memory().verify() == []


def test_globs_are_replaced_when_asked_and_the_note_brings_the_old_ones_back(world: World, notes: Notes) -> None:
    for name in ("a.md", "old/b.md", "c.txt"):
        notes.write(name, f"# {name}\n")
    notes.add(exclude=["old/**"])
    report = notes.add(include=["**/*.txt"], replace=True)
    assert counts(report) == (1, 0, 0, 1) and notes.paths() == ["c.txt"]
    command = report.notes[0].partition("as before: axm ")[2]
    assert axm(world, *shlex.split(command)).returncode == 0
    assert notes.paths() == ["a.md"]
    assert counts(notes.add(replace=True)) == (1, 0, 1, 0) and notes.paths() == ["a.md", "old/b.md"]
    assert world.memory().verify() == []


def test_a_linked_document_is_one_by_its_own_path(world: World, notes: Notes) -> None:
    other = Notes(world, "other")
    target = other.write("deep/plan.md", "# Plan\n")
    for name in ("plan.md", "same.md"):
        (notes.root / name).symlink_to(target)
    (notes.root / "deep").symlink_to(target.parent, target_is_directory=True)
    report = notes.add()
    assert counts(report) == (1, 0, 0, 0) and world.rows("select path, root from documents") == [
        (str(target), str(notes.root))
    ]
    assert report.notes == [
        f"{notes.root / 'deep'}: links to folders are not followed; axm kb add {target.parent} adds this one"
    ]
    other.add()
    assert world.rows("select path, root from documents") == [(str(target), str(other.root))], "where it lies"
    world.memory().documents.remove(other.root)
    assert world.rows("select path, root from documents") == [(str(target), str(notes.root))]
    target.write_text("# Another plan\n")
    assert counts(notes.index()) == (0, 1, 0, 0)
    assert counts(world.memory().documents.remove(notes.root / "same.md")) == (0, 0, 0, 1)
    assert counts(notes.index()) == (0, 0, 0, 0)
    assert world.memory().verify() == []


def test_a_relative_folder_a_link_and_a_home_are_one(
    world: World, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("a.md", "# A\n")
    link = world.base / "link"
    link.symlink_to(notes.root)
    monkeypatch.chdir(notes.root)
    monkeypatch.setenv("HOME", str(notes.root.parent))
    report = world.memory().documents.add([".", link, "~/notes"])
    assert (report.folders, report.files) == (1, 1)
    assert [f.root for f in world.memory().documents.list().folders] == [str(notes.root)]


def test_a_folder_that_is_not_there_is_an_error_and_adds_nothing(world: World, notes: Notes) -> None:
    with pytest.raises(NotFound) as error:
        world.memory().documents.add([notes.root, notes.root / "nowhere"])
    assert error.value.hint
    assert world.memory().documents.list() == ((), ())


def test_a_single_file_may_be_added(world: World, notes: Notes) -> None:
    notes.write("a.md", "# A\n")
    plain = notes.write("plain.text", "just words\n")
    report = world.memory().documents.add([plain])
    assert counts(report) == (1, 0, 0, 0) and notes.paths() == ["plain.text"]
    plain.unlink()
    assert counts(notes.index()) == (0, 0, 0, 1), "its folder is there, so it was deleted"
    assert notes.index().problems, "and the file is still on the list"


def test_a_document_of_two_folders_is_one(world: World, notes: Notes) -> None:
    notes.write("a.md", "# A\n")
    notes.write("in/b.md", "# B\n")
    notes.add()
    inner = notes.root / "in"
    assert counts(world.memory().documents.add([inner])) == (0, 1, 1, 0), "it belongs to the inner one now"
    assert world.rows("select path, root from documents order by path") == [
        (str(notes.root / "a.md"), str(notes.root)),
        (str(inner / "b.md"), str(inner)),
    ]
    assert notes.index().opened == 0
    assert [f.documents for f in world.memory().documents.list().folders] == [1, 1]
    report = world.memory().documents.remove(inner)
    assert report.removed == 0 and "another folder" in report.notes[0]
    assert world.rows("select distinct root from documents") == [(str(notes.root),)]
    assert counts(world.memory().documents.remove(inner)) == (0, 0, 1, 1), "now it is a part of the outer one"
    assert notes.paths() == ["a.md"]
    assert world.memory().verify() == []


def test_removing_a_folder_leaves_the_files_and_the_log(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n\nzebra\n")
    notes.add()
    assert world.memory().documents.remove(notes.root).removed == 1
    assert world.memory().documents.list() == ((), ()) and notes.found("zebra") == 0
    assert path.exists() and len(events(world, "document_saved")) == 1
    report = world.memory().index()
    assert report.documents is not None and report.documents.files == 0
    assert counts(notes.add()) == (1, 0, 0, 0)
    assert notes.found("zebra") == 1
    assert world.memory().verify() == []


def test_removing_a_file_holds_until_it_is_added_again(world: World, notes: Notes) -> None:
    path = notes.write("we[ir]d*.md", "# Weird\n")
    notes.write("b.md", "# B\n")
    notes.add()
    assert counts(world.memory().documents.remove(path)) == (0, 0, 1, 1)
    path.write_text("# Changed\n")
    assert notes.index().files == 1 and notes.paths() == ["b.md"]
    assert counts(world.memory().documents.add([path])) == (1, 0, 1, 0)
    assert notes.paths() == ["b.md", "we[ir]d*.md"]
    with pytest.raises(NotFound):
        world.memory().documents.remove(notes.root / "unheard-of.md")


def test_what_was_taken_out_meanwhile_does_not_come_back(world: World, notes: Notes) -> None:
    """A run that began before `kb remove` may not save what it read for that folder."""
    from axiommind.ingest import DocumentIngest
    from axiommind.ingest.folders import remove_folder

    notes.write("a.md", "# A\n")
    notes.add()
    notes.write("b.md", "# B\n")
    key = (world.home / "redaction.key").read_bytes()
    log = SqliteLog(world.home / "log.db", key)
    late = DocumentIngest(log, key, user="/")
    read = late._read

    def interrupted(item: Any) -> Any:
        remove_folder(log, str(notes.root))
        return read(item)

    late._read = interrupted  # type: ignore[method-assign]
    late.run()
    log.close()
    assert [payload["path"] for _, payload in events(world, "document_saved")] == [str(notes.root / "a.md")]


def test_the_project_of_a_folder_is_the_repository_it_lies_in(world: World, notes: Notes) -> None:
    repository = Notes(world, "repo")
    (repository.root / ".git").mkdir()
    repository.write("docs/a.md", "# A\n")
    notes.write("b.md", "# B\n")
    (notes.root.parent / ".git").mkdir()  # a home under version control is not the project of everything in it
    world.memory().documents.add([repository.root / "docs", notes.root])
    assert world.rows("select project from documents order by path") == [(str(notes.root),), (str(repository.root),)]
    assert len(world.rows("select path from documents", project=str(notes.root))) == 2
    lines = Lines("s1", cwd=str(repository.root))
    lines.prompt("hello")
    world.write(lines)
    world.memory().index()
    assert [p for (p,) in world.rows("select path from documents", project=str(notes.root))] == [
        str(notes.root / "b.md")
    ], "the documents of a project are its own; other notes are everybody's"


def test_an_index_of_an_older_version_is_said(world: World, notes: Notes) -> None:
    notes.add()
    db = sqlite3.connect(world.home / "index.db")
    db.execute("drop table folders")
    db.execute("update projection_offsets set version = 0 where projector_name = 'documents'")
    db.commit()
    db.close()
    with pytest.raises(IndexCorrupt) as error:
        world.memory().documents.list()
    assert error.value.hint == "run: axm index"
    world.memory().index()
    assert [f.root for f in world.memory().documents.list().folders] == [str(notes.root)]


# --- forgetting --------------------------------------------------------------------------------------------------


def test_forgetting_a_document_leaves_no_trace(world: World, notes: Notes) -> None:
    path = notes.write("secret plan.md", "# Zanzibar\n\nthe quick wombat\n" + "filler words here\n" * 50)
    notes.write("b.md", "# B\n")
    notes.add()
    path.write_text("# Zanzibar\n\nthe slow wombat\n")
    notes.index()
    dry = world.memory().forget(document=str(path), dry_run=True)
    assert dry.documents == (document_id(str(path)),) and dry.sessions == ()
    assert notes.paths() == ["b.md", "secret plan.md"]
    done = world.memory().forget(document=str(path))
    assert done.documents == dry.documents and done.complete and done.gone == 0
    stored = everything(world)
    assert all(word not in stored for word in (b"Zanzibar", b"zanzibar", b"wombat", b"slow w"))
    assert notes.paths() == ["b.md"] and world.memory().verify() == []
    report = notes.index()
    assert (report.forgotten, report.opened) == (1, 0)
    path.write_text("# Zanzibar again, changed\n")
    assert notes.index().opened == 0 and b"Zanzibar" not in everything(world)
    world.memory().rebuild()
    assert notes.paths() == ["b.md"]


def test_undo_reads_a_document_again(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n\nwombat\n")
    notes.add()
    world.memory().forget(document=document_id(str(path))[:12])
    assert notes.found("wombat") == 0
    report = world.memory().undo_forget(document=str(path)).documents
    assert report is not None and counts(report) == (1, 0, 0, 0)
    assert notes.found("wombat") == 1 and world.memory().verify() == []
    with pytest.raises(NotFound):
        world.memory().undo_forget(document=str(path))


def test_a_document_that_was_removed_can_still_be_forgotten(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n\nwombat\n")
    notes.add()
    world.memory().documents.remove(notes.root)
    path.unlink()
    assert world.memory().forget(document=str(path)).gone == 1
    assert b"wombat" not in everything(world) and world.memory().verify() == []


def test_a_document_is_no_session(world: World, notes: Notes) -> None:
    path = notes.write("a.md", "# A\n")
    notes.add()
    with pytest.raises(NotFound):
        world.memory().forget(session=document_id(str(path)))
    with pytest.raises(NotFound):
        world.memory().forget(document="doc-00")


def test_forgetting_a_project_forgets_its_documents(world: World, notes: Notes) -> None:
    (notes.root / ".git").mkdir()
    notes.write("docs/a.md", "# A\n\nwombat\n")
    lines = Lines("s1", cwd=str(notes.root))
    lines.prompt("about the aardvark")
    world.write(lines)
    notes.add()
    world.memory().index()
    done = world.memory().forget(project=str(notes.root))
    assert (len(done.sessions), len(done.documents)) == (1, 1)
    stored = everything(world)
    assert b"wombat" not in stored and b"aardvark" not in stored
    notes.write("docs/new.md", "# New\n\nwombat\n")
    assert notes.index().forgotten == 2 and notes.paths() == []
    assert world.memory().verify() == []
    report = world.memory().undo_forget(project=str(notes.root))
    assert report.documents is not None and report.documents.new == 2 and report.updated == 1
    assert world.memory().verify() == []


def test_a_text_that_two_documents_have_stays_for_the_other(world: World, notes: Notes) -> None:
    text = "# Same\n\nwombat\n"
    path = notes.write("a.md", text)
    notes.write("b.md", text)
    notes.add()
    world.memory().forget(document=str(path))
    assert notes.found("wombat") == 1 and world.memory().verify() == []
    world.memory().rebuild()
    assert notes.paths() == ["b.md"] and world.memory().verify() == []


# --- the full-text index -----------------------------------------------------------------------------------------


@rows("R0.49", "R1.21", "R1.22", "R1.24")
def test_the_full_text_index_made_anew_equals_the_grown_one(world: World, notes: Notes) -> None:
    lines = Lines("s1")
    lines.prompt("테스트를 추가해줘")
    lines.tool("Bash", command="git status")
    lines.answer("Done.")
    world.write(lines)
    for i in range(5):
        notes.write(f"{i}.md", f"# Note {i}\n\nReact組件 and some_identifier{i}\n")
    notes.add()
    world.memory().index()
    notes.write("2.md", "# Changed\n\nthing\n")
    notes.index()
    grown = world.terms()
    assert grown
    index = Index(world.home / "index.db")
    index.db.execute("insert into passages_fts(rowid, terms) values (999999, 'damage')")
    index.close()
    assert world.terms() != grown
    assert world.memory().documents.rebuild_fts() == world.one("select count(*) from passages")
    assert world.terms() == grown
    assert world.memory().verify() == []


# --- together and at random --------------------------------------------------------------------------------------


@rows("R1.14")
def test_two_processes_equal_one(world: World, notes: Notes) -> None:
    for i in range(60):
        notes.write(f"{i}.md", f"# Note {i}\n\n" + f"words of note {i}\n" * 20)
    command = [sys.executable, "-m", "axiommind", "kb", "add", str(notes.root)]
    runs = [subprocess.Popen(command, env=world.environ, stderr=subprocess.PIPE) for _ in range(3)]
    assert [run.communicate()[1].decode() and run.returncode for run in runs] == [0, 0, 0]
    assert [t for t, _ in events(world)].count("folder_added") == 1
    saved = events(world, "document_saved")
    assert len(saved) == 60 and {p["generation"] for _, p in saved} == {0}
    assert world.one("select count(*) from documents") == 60
    assert world.memory().verify() == []


def test_watch_sees_documents(world: World, notes: Notes) -> None:
    import threading

    notes.write("a.md", "# A\n")
    notes.add()
    stop = threading.Event()
    watching = world.memory().watch(stop=stop)
    first = next(watching)
    assert first.documents is not None and first.documents.unchanged == 1
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(next(watching)))
    thread.start()
    tries = itertools.count()
    # Until the folder is watched, nobody sees what happens in it.
    wait_for(lambda: seen or not notes.write("b.md", f"# B {next(tries)}\n"), "a change", poll_s=1.1)
    thread.join()
    stop.set()
    assert seen and seen[0].documents.new == 1


NAMES = ("a.md", "in/b.md", "in/c.md", "c.txt")
TEXTS = (
    "# One\n\nwombat\n",
    "# Two\r\n\r\n한국어 문서\r\n",
    "",
    "---\ntags: [x]\n---\ntext\n",
    "# One\n\nwombat\n\nmore\n",
)
operation = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("add"), st.sampled_from((".", "in")), st.sampled_from(((), ("**/*.txt",), ("**/*.md",)))),
    st.tuples(st.just("remove"), st.sampled_from((".", "in", *NAMES)), st.none()),
    st.tuples(st.just("forget"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("undo"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("index"), st.none(), st.none()),
)


class History:
    """Plays operations on a folder of notes, and knows what should be in the index."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.memory: Memory = notes.world.memory()
        self.forgotten: set[str] = set()
        self.clock = 1

    def play(self, op: str, name: Any, detail: Any) -> None:
        try:
            getattr(self, op)(name, detail)
        except NotFound:
            assert op in ("add", "remove", "forget", "undo")

    def write(self, name: str, text: str) -> None:
        path = self.notes.write(name, text)
        self.clock += 1  # two writes within one tick of the file system's clock would look like one
        os.utime(path, ns=(self.clock, self.clock))

    def delete(self, name: str, _: None) -> None:
        (self.notes.root / name).unlink(missing_ok=True)

    def move(self, name: str, target: str) -> None:
        path = self.notes.root / name
        if path.exists():
            (self.notes.root / target).parent.mkdir(exist_ok=True)
            path.replace(self.notes.root / target)

    def add(self, folder: str, include: tuple[str, ...]) -> None:
        self.memory.documents.add([self.notes.root / folder], include=include)

    def remove(self, name: str, _: None) -> None:
        self.memory.documents.remove(self.notes.root / name)

    def forget(self, name: str, _: None) -> None:
        self.memory.forget(document=str(self.notes.root / name))
        self.forgotten.add(name)

    def undo(self, name: str, _: None) -> None:
        self.memory.undo_forget(document=str(self.notes.root / name))
        self.forgotten.discard(name)

    def index(self, *_: None) -> None:
        self.memory.index()

    def expected(self) -> dict[str, str]:
        """What is on disk, wanted by a folder, and not forgotten."""
        from axiommind.sources.markdown import discover

        found = {}
        for folder in self.memory.documents.list().folders:
            for file in discover(folder.root, folder.include, folder.exclude).files:
                name = os.path.relpath(file.path, self.notes.root)
                if name not in self.forgotten:
                    found[name] = Path(file.path).read_bytes().decode().replace("\r\n", "\n")
        return found


@given(st.lists(operation, min_size=1, max_size=12))
@settings(max_examples=examples(40))
def test_whatever_happens_the_index_is_what_is_on_disk_and_in_the_log(history: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        notes = Notes(World(Path(folder)))
        player = History(notes)
        for name in ("a.md", "in/b.md"):
            player.write(name, TEXTS[0])
        player.add(".", ())
        for step in history:
            player.play(*step)
        player.index()
        assert notes.world.memory().verify(deep=True) == []
        expected = player.expected()
        assert notes.paths() == sorted(expected)
        for path, blob in notes.world.rows("select path, blob from documents"):
            log = SqliteLog(notes.world.home / "log.db", (notes.world.home / "redaction.key").read_bytes())
            assert (log.blob(blob) or b"").decode() == expected[os.path.relpath(path, notes.root)]
            log.close()
        rows = notes.world.memory().sql(
            "select path, line_start, line_end, text from chunks join documents d on d.id = doc_id", Scope(None)
        )
        for path, start, end, text in rows:
            assert expected[os.path.relpath(path, notes.root)].split("\n")[start - 1 : end] == text.split("\n")
        again = notes.index()
        assert (again.opened, again.events) == (0, 0)
