"""`axm kb` and `axm forget --document`, as a person or an agent meets them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.rows import rows
from tests.shell import axm
from tests.transcripts import World


@pytest.fixture
def folder(world: World) -> Path:
    root = Path(os.path.realpath(world.base)) / "notes"
    root.mkdir()
    world.home.mkdir(mode=0o700, exist_ok=True)  # so that there is a person's token from the first command on
    (root / "a.md").write_text("---\ntags: [kb]\n---\n# First\n\nabout wombats\n")
    (root / "b.md").write_text("# Second\n")
    return root


def test_add_list_index_remove(world: World, folder: Path) -> None:
    done = axm(world, "kb", "add", "notes", cwd=folder.parent)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("Documents: 2 new, 0 updated, 0 unchanged, 0 removed; 2 chunks made, ")
    listed = axm(world, "kb", "list", COLUMNS="200")
    assert listed.returncode == 0 and str(folder) in listed.stdout
    documents = axm(world, "kb", "list", "--documents", COLUMNS="200").stdout
    assert "First" in documents and "kb" in documents and str(folder / "b.md") in documents
    (folder / "a.md").write_text("# First, changed\n")
    again = json.loads(axm(world, "kb", "index", "--json").stdout)
    assert again["schema"] == "axm.kb.index.v1"
    assert (again["new"], again["updated"], again["unchanged"], again["opened"], again["chunks"]) == (0, 1, 1, 1, 1)
    removed = axm(world, "kb", "remove", str(folder / "a.md"))
    assert removed.returncode == 0
    assert f"axm kb add {folder / 'a.md'}" in removed.stderr and "axm forget --document" in removed.stderr
    shown = json.loads(axm(world, "kb", "list", "--documents", "--json").stdout)
    assert shown["schema"] == "axm.kb.list.v1"
    assert [(f["root"], f["documents"], f["exclude"]) for f in shown["folders"]] == [(str(folder), 1, ["a.md"])]
    assert [d["title"] for d in shown["documents"]] == ["Second"]
    assert axm(world, "kb", "remove", str(folder)).returncode == 0
    assert axm(world, "verify").returncode == 0


def test_include_and_exclude(world: World, folder: Path) -> None:
    (folder / "c.txt").write_text("plain\n")
    done = axm(
        world, "kb", "add", str(folder), "--include", "**/*.txt", "--include", "*.md", "--exclude", "b.*", "--json"
    )
    report = json.loads(done.stdout)
    assert report["schema"] == "axm.kb.add.v1" and report["new"] == 2
    again = axm(world, "kb", "add", str(folder))
    assert again.returncode == 0 and "is added already, and just so: nothing changed" in again.stderr


def test_index_says_what_became_of_documents(world: World, folder: Path) -> None:
    axm(world, "kb", "add", str(folder))
    (folder / "b.md").unlink()
    done = axm(world, "index", "--json")
    assert "Documents: 0 new, 0 updated, 1 unchanged, 1 removed\n" in done.stderr
    assert json.loads(done.stdout)["documents"]["removed"] == 1


@rows("R1.22")
def test_the_full_text_index_made_anew(world: World, folder: Path) -> None:
    axm(world, "kb", "add", str(folder))
    done = axm(world, "kb", "index", "--rebuild-fts", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["passages"] == 2
    assert "rebuilt from 2 passages" in done.stderr


def test_the_list_shows_encodings(world: World, folder: Path) -> None:
    (folder / "c.md").write_bytes("# 발표\n\n다음 주 발표 자료를 준비한다.\n".encode("cp949"))
    (folder / "d.md").write_bytes(b"# caf\xe9\n")
    added = axm(world, "kb", "add", str(folder))
    assert added.returncode == 0 and f"{folder / 'd.md'}:L1: not UTF-8" in added.stderr
    shown = json.loads(axm(world, "kb", "list", "--documents", "--json").stdout)
    assert [d["encoding"] for d in shown["documents"]] == ["utf-8", "utf-8", "cp949", None]
    rows = axm(world, "kb", "list", "--documents", COLUMNS="300").stdout.split("\n")
    assert "encoding" in rows[0] and any("발표" in row and "cp949" in row for row in rows)
    assert any("unknown" in row for row in rows)


def test_the_snippet_of_a_very_long_line_holds_the_match(world: World, folder: Path) -> None:
    (folder / "long.md").write_text("# Long\n\n" + "word " * 200_000 + "quokka " + "word " * 200_000 + "\n")
    axm(world, "kb", "add", str(folder))
    (hit,) = json.loads(axm(world, "kb", "search", "quokka", "--json").stdout)["hits"]
    assert [hit["snippet"][a:b] for a, b in hit["highlights"]] == ["quokka"]
    assert hit["citation"]["text"].endswith("long.md:L3")
    assert "quokka" in axm(world, "kb", "search", "quokka").stdout.partition("\n")[0]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["kb"], 2, "ACTION"),
        (["kb", "add"], 2, "FOLDER"),
        (["kb", "nonsense"], 2, "invalid choice"),
        (["kb", "add", "/nowhere/at/all"], 1, "there is no folder or file"),
        (["kb", "remove", "/nowhere/at/all"], 1, "was not added"),
        (["kb", "list"], 1, "axm kb add FOLDER"),
        (["kb", "index"], 1, "axm kb add FOLDER"),
        (["forget", "--document", "/nowhere.md"], 1, "there is no document"),
        (["forget", "--document", "x", "--session", "y"], 2, "not allowed with"),
    ],
)
def test_mistakes_are_said(world: World, args: list[str], code: int, said: str) -> None:
    done = axm(world, *args)
    assert (done.returncode, done.stdout) == (code, "") and said in done.stderr


def test_a_folder_that_went_away_needs_attention(world: World, folder: Path) -> None:
    axm(world, "kb", "add", str(folder))
    folder.rename(folder.with_name("elsewhere"))
    done = axm(world, "kb", "index")
    assert done.returncode == 3 and "cannot be read" in done.stderr and "2 documents of it stay" in done.stderr
    assert axm(world, "index").returncode == 0
    doctor = axm(world, "doctor")
    assert f"! folder {folder}: documents: 2, chunks: 2" in doctor.stdout and "cannot be read" in doctor.stdout


def test_doctor_shows_the_folders(world: World, folder: Path) -> None:
    axm(world, "kb", "add", str(folder))
    assert f"✓ folder {folder}: documents: 2, chunks: 2" in axm(world, "doctor").stdout
    (folder / "c.md").write_text("# New\n")
    assert "files to read: 1; run: axm index" in axm(world, "doctor").stdout


def test_forget_a_document_and_undo(world: World, folder: Path) -> None:
    axm(world, "kb", "add", str(folder))
    path = folder / "a.md"
    dry = axm(world, "forget", "--document", str(path), "--dry-run")
    assert dry.returncode == 0 and dry.stderr == "Would forget: 1 document\n" and dry.stdout.startswith("doc-")
    done = axm(world, "forget", "--document", str(path), "--yes", "--json")
    assert json.loads(done.stdout)["documents"] == [dry.stdout.strip()]
    assert "Forgotten: 1 document\n" in done.stderr and path.exists()
    assert "1 stay forgotten" in axm(world, "kb", "index").stderr
    assert "forgotten document doc-" in axm(world, "doctor").stdout
    back = axm(world, "forget", "--document", str(path), "--undo")
    assert back.returncode == 0 and "read again: 1 document\n" in back.stderr
    assert axm(world, "verify").returncode == 0


def test_home_before_and_after_the_action(world: World, folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "other"
    assert axm(world, "kb", "--home", str(home), "add", str(folder)).returncode == 0
    assert axm(world, "kb", "list").returncode == 1
    assert axm(world, "kb", "list", "--home", str(home)).returncode == 0
