"""`axm search --mode` and `axm similar`, as a person or an agent meets them, also without numpy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind import db as sqlite
from axiommind.distribution import extra_command
from axiommind.ids import short_id
from axiommind.learning.tasks.match import suggest_candidates
from axiommind.learning.tasks.state import IndexState
from axiommind.search.reading.passage_ids import evidence_of
from tests.counting import PATIENCE_S
from tests.learning.sessions import answered, tasks
from tests.search.asking import tell
from tests.shell import as_nobody
from tests.surfaces.command import Axm
from tests.surfaces.shapes import HIT, MORE, PAGE
from tests.transcripts import PROJECT, START, Lines, World

FILES = "Delete the old files from the temporary directory before every build"
CLEANING = "Clean temporary directories of old files first, then build"
KOREAN = "빌드 전에 임시 폴더의 오래된 파일을 삭제"
THEME = "Add a dark colour theme to the settings window"
NO_NUMPY = (
    "import sys; sys.modules['numpy'] = None; from axiommind.surfaces.cli import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Sessions, tasks and a decision, embedded."""
    world = World(Path(os.path.realpath(tmp_path_factory.mktemp("made"))))
    tell(world, "aaaa-files", FILES)
    tell(world, "bbbb-clean", CLEANING, at=10)
    tell(world, "cccc-theme", THEME, at=20)
    tell(world, "dddd-korean", KOREAN, at=30)
    tell(world, "eeee-other", "Users can upload a profile picture", at=40, cwd="/home/dev/other")
    world.write(tasks("tttt-tasks"))
    more = Lines("uuuu-tasks")
    more.prompt("Two more")
    for number, title in enumerate(("Publish the new version to the registry", "Repair the sign-in form"), 1):
        more.tool("TaskCreate", f"m{number}", subject=title, description="soon")
        more.result(f"m{number}", f"Task #{number} created successfully: {title}")
    world.write(more)
    world.write(answered("vvvv-answer", "SQLite"))
    memory = world.memory()
    memory.index()
    memory.learning.run()
    memory.embeddings.make()
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    """A copy of its home, so that a test may break it."""
    world = World(tmp_path)
    shutil.copytree(made.home, world.home)
    return world


def first(axm: Axm, *args: str) -> dict[str, Any]:
    hit: dict[str, Any] = axm("search", "--all-projects", "--json", *args).json["hits"][0]
    return hit


# --- axm search --mode -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "method", "retrieved", "kind"),
    [
        ("auto", "hybrid", "vector", "hybrid"),
        ("hybrid", "hybrid", "vector", "hybrid"),
        ("semantic", "semantic", "vector", "cosine"),
    ],
)
def test_the_json_says_how_it_was_searched(axm: Axm, mode: str, method: str, retrieved: str, kind: str) -> None:
    done = axm("search", "--all-projects", "--json", "--mode", mode, "-k", "2", "設定画面にダークテーマを追加")
    page = done.json
    assert done.code == 0 and done.err == "" and list(page) == PAGE
    assert (page["schema"], page["search_method"], page["note"]) == ("axm.search.v1", method, None)
    hit = page["hits"][0]
    assert [key for key in hit if key not in MORE] == HIT and sorted(set(hit) - set(HIT)) == sorted(MORE)
    assert (hit["snippet"], hit["retrieval_method"], hit["score_kind"]) == (THEME, retrieved, kind)
    assert 0 < hit["score"] <= 1 and hit["highlights"] == [] and hit["citation"]["line_start"] == 1
    assert page["next_cursor"] is None and page["total"] == len(page["hits"])


def test_what_found_each_hit(axm: Axm) -> None:
    page = axm("search", "--all-projects", "--json", "--mode", "hybrid", "-k", "100", "delete old temporary files").json
    by = {hit["snippet"]: hit["retrieval_method"] for hit in page["hits"]}
    assert by[FILES] == "hybrid" and by[KOREAN] == "vector"
    lexical = axm("search", "--all-projects", "--json", "--mode", "lexical", "dark theme").json
    assert {hit["retrieval_method"] for hit in lexical["hits"]} == {"fts5-bm25"}


def test_why_shows_the_similarity(axm: Axm) -> None:
    hit = first(axm, "--mode", "hybrid", "--why", "dark theme")
    assert 0.3 < hit["why"]["similarity"] < 1 and hit["why"]["meaning"] > 0
    text = axm("search", "--all-projects", "--mode", "hybrid", "--why", "dark theme")
    assert "meaning " in text.out and "(cosine 0." in text.out
    plain = axm("search", "--all-projects", "--mode", "lexical", "--why", "dark theme")
    assert "cosine" not in plain.out
    sessions = axm("search", "--all-projects", "--mode", "hybrid", "--why", "--group", "session", "dark theme")
    assert "; meaning " in sessions.out


def test_pages_and_their_cursors(axm: Axm) -> None:
    args = ("search", "--all-projects", "--json", "--mode", "semantic", "-k", "1", "오래된 파일 삭제")
    page = axm(*args).json
    seen = [hit["id"] for hit in page["hits"]]
    while page["next_cursor"]:
        page = axm(*args, "--cursor", page["next_cursor"]).json
        seen += [hit["id"] for hit in page["hits"]]
    whole = axm(*args, "-k", "100").json
    assert seen == [hit["id"] for hit in whole["hits"]] and len(seen) == len(set(seen)) == whole["total"] > 2
    cursor = axm(*args).json["next_cursor"]
    refused = axm("search", "--all-projects", "--mode", "hybrid", "-k", "1", "오래된 파일 삭제", "--cursor", cursor)
    assert refused.code == 1 and "hint: search again without --cursor" in refused.err


@pytest.mark.parametrize("mode", ["lexical", "auto", "hybrid", "semantic"])
def test_nothing_found_is_exit_1(axm: Axm, mode: str) -> None:
    done = axm("search", "--all-projects", "--mode", mode, "xqzzyv")
    assert (done.code, done.out) == (1, "") and done.err.endswith("Nothing found.\n")
    assert ("says too little" in done.err) == (mode == "semantic")


def test_a_note_for_who_asked_and_none_for_who_did_not(axm: Axm, world: World) -> None:
    (world.home / "vectors" / "local.db").write_bytes(b"broken" * 2_000)
    quiet = axm("search", "--all-projects", "temporary files")
    assert quiet.code == 0 and quiet.err == "" and FILES in quiet.out
    for mode in ("hybrid", "semantic"):
        told = axm("search", "--all-projects", "--mode", mode, "--json", "temporary files")
        assert told.code == 0 and FILES in [hit["snippet"] for hit in told.json["hits"]]
        assert told.err.startswith("Note: ") and "is damaged" in told.err and "searched by words" in told.err
        assert "Note: " + told.json["note"] + "\n" == told.err


def test_an_index_file_has_no_vectors(axm: Axm, world: World) -> None:
    done = axm("search", "--db", str(world.home / "index.db"), "--mode", "hybrid", "temporary files")
    assert done.code == 0 and done.err == "Note: there are no vectors for --db; searched by words\n"
    assert FILES in done.out


def test_a_document_search_has_modes_too(axm: Axm) -> None:
    done = axm("kb", "search", "--mode", "semantic", "--json", "rotate the encryption keys")
    assert done.code == 1 and done.json["search_method"] == "semantic"


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root writes everywhere")
def test_a_home_that_cannot_be_written(world: World) -> None:
    for folder in (world.home / "vectors", world.home):
        for path in folder.iterdir():
            if path.is_file():
                path.chmod(0o444)
        folder.chmod(0o555)
    try:
        done = as_nobody(world, "search", "--all-projects", "--mode", "hybrid", "--json", "設定画面にダークテーマ")
        assert done.returncode == 0, done.stderr
        page = json.loads(done.stdout)
        assert page["search_method"] == "hybrid" and page["hits"][0]["snippet"] == THEME
        assert as_nobody(world, "similar", "aaaa").returncode == 0
        refused = as_nobody(world, "embed")
        assert refused.returncode == 3 and "internal" not in refused.stderr, refused.stderr
    finally:
        world.home.chmod(0o755)
        (world.home / "vectors").chmod(0o755)


# --- without numpy -----------------------------------------------------------------------------------------------


def without_numpy(world: World, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", NO_NUMPY, *args],
        env={**world.environ, **environ},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_searching_needs_no_numpy(world: World, axm: Axm) -> None:
    for mode in ("hybrid", "semantic"):
        args = ("search", "--all-projects", "--json", "--mode", mode, "-k", "5", "임시 파일 삭제 temporary")
        done = without_numpy(world, *args)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        plain, page = json.loads(done.stdout), axm(*args).json
        assert plain["search_method"] == mode
        assert [(hit["id"], hit["score"]) for hit in plain["hits"]] == [
            (hit["id"], hit["score"]) for hit in page["hits"]
        ]
    assert without_numpy(world, "similar", "aaaa").returncode == 0


@pytest.mark.parametrize("embedder", ["", "static"])
def test_embedding_without_numpy_says_what_to_install(world: World, embedder: str) -> None:
    done = without_numpy(world, "embed", AXM_EMBEDDER=embedder)
    assert done.returncode == 1
    assert "embedding needs numpy" in done.stderr and extra_command("embed") in done.stderr


def test_forgetting_and_verifying_without_numpy(world: World) -> None:
    assert without_numpy(world, "forget", "--session", "aaaa", "--yes").returncode == 0
    checked = without_numpy(world, "verify")
    assert checked.returncode == 0, checked.stdout


# --- axm similar -------------------------------------------------------------------------------------------------


def test_like_a_passage(axm: Axm) -> None:
    hit = first(axm, "--mode", "lexical", '"before every build"')
    assert hit["snippet"] == FILES
    done = axm("similar", hit["id"], "--json")
    assert done.code == 0 and done.json["schema"] == "axm.similar.v1"
    assert (done.json["id"], done.json["kind"], done.json["others"]) == (hit["id"], "passage", [])
    found = [(one["snippet"], one["retrieval_method"], one["score_kind"]) for one in done.json["hits"]]
    assert hit["id"] not in [one["id"] for one in done.json["hits"]], "it is not like itself"
    assert {snippet for snippet, *_ in found[:2]} == {CLEANING, KOREAN}
    assert found[0][1:] == ("vector", "cosine")
    scores = [one["score"] for one in done.json["hits"]]
    assert scores == sorted(scores, reverse=True) and 0.5 < scores[0] <= 1
    text = axm("similar", hit["id"], "-k", "1")
    assert text.out.count("axm show") == 1 and (CLEANING in text.out or KOREAN in text.out)


def test_like_an_entry(axm: Axm, world: World) -> None:
    (entry,) = world.rows("select entry_id from entries where session_id = 'vvvv-answer'")[0]
    done = axm("similar", entry[:14], "--json")
    assert done.code == 0 and done.json["kind"] == "passage" and done.json["title"]
    assert all(hit["entry"] is None or hit["entry"]["entry_id"] != entry for hit in done.json["hits"])
    with closing(sqlite.open_read(world.home / "index.db")) as db:
        (row,) = db.execute("select id from entries where entry_id = ?", (entry,)).fetchone()
        words = {short_id(number) for number in evidence_of(db, row)}
    assert words and words.isdisjoint(hit["id"] for hit in done.json["hits"]), "nor the words it was learned from"
    assert done.json["hits"]


def test_like_a_session(axm: Axm) -> None:
    done = axm("similar", "aaaa", "--json")
    assert done.code == 0 and (done.json["id"], done.json["kind"], done.json["hits"]) == ("aaaa-files", "session", [])
    others = [one["id"] for one in done.json["others"]]
    assert "aaaa-files" not in others and set(others[:2]) == {"bbbb-clean", "dddd-korean"}
    text = axm("similar", "aaaa", "-k", "2")
    assert text.code == 0 and "similarity" in text.out and "bbbb-cle" in text.out and "cccc" not in text.out


def test_like_a_task(axm: Axm, world: World) -> None:
    by_title = dict(world.rows("select title, entity_id from entities where entity_type = 'task'"))
    done = axm("similar", by_title["Ship the release"], "--json")
    assert done.code == 0 and done.json["kind"] == "task" and done.json["title"] == "Ship the release"
    best = done.json["others"][0]
    assert best["title"] == "Publish the new version to the registry" and best["status"] == "pending"
    text = axm("similar", by_title["Ship the release"])
    assert "Publish the new version" in text.out and "pending" in text.out


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("nobody", 1, "there is no passage, entry, task or session 'nobody'"),
        ("*", 1, "there is no passage, entry, task or session '*'"),
        ("[a-z]", 1, "there is no passage"),
        ("", 1, "there is no"),
        ("  ", 1, "there is no"),
        ("ent_ffffffff", 1, "there is no entry"),
        ("ent_", 1, "fits"),
        ("tsk_zzz", 1, "there is no task"),
        ("tsk_", 1, "fits"),
        ("9" * 400, 1, "there is no passage"),
        ("😀", 1, "there is no passage"),
    ],
)
def test_names_of_nothing(axm: Axm, name: str, code: int, said: str) -> None:
    done = axm("similar", name)
    assert done.code == code and said in done.err and done.out == ""


def test_similar_without_vectors(axm: Axm, world: World) -> None:
    shutil.rmtree(world.home / "vectors")
    done = axm("similar", "aaaa")
    assert (done.code, done.out) == (1, "")
    assert "nothing is embedded yet" in done.err and "hint: axm embed makes the vectors" in done.err


def test_similar_when_the_store_is_gone_or_broken(axm: Axm, world: World) -> None:
    store = world.home / "vectors" / "local.db"
    for suffix in ("-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    store.unlink()
    done = axm("similar", "aaaa")
    assert done.code == 3 and "are gone" in done.err and "axm embed" in done.err and "by words" not in done.err
    store.write_bytes(b"broken" * 2_000)
    done = axm("similar", "aaaa")
    assert done.code == 3 and "is damaged" in done.err and "run: axm embed" in done.err


# --- learning ----------------------------------------------------------------------------------------------------


def test_what_a_task_waits_for_is_found_by_its_meaning(world: World) -> None:
    near = world.memory().search.tasks_near()
    assert near is not None
    with closing(sqlite.open_read(world.home / "index.db")) as db:
        titles = dict(db.execute("select entity_id, title from entities where entity_type = 'task'"))
        state = IndexState(db)
        for text, meant in (
            ("로그인 양식 수정", "Repair the sign-in form"),
            ("新しいバージョンを公開", "Publish the new version to the registry"),
        ):
            assert suggest_candidates(state, text, project=PROJECT, now=START) == []
            (best, *_) = suggest_candidates(state, text, project=PROJECT, now=START, near=near)
            assert (titles[best.task_id], best.method) == (meant, "vector") and 0 < best.score <= 1


@pytest.mark.parametrize("breaks", ["local.db", "state.db"])
def test_learning_goes_on_without_vectors(axm: Axm, world: World, breaks: str) -> None:
    whole = (world.home / "vectors" / breaks).read_bytes()
    (world.home / "vectors" / breaks).write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    near = world.memory().search.tasks_near()
    assert near is None or list(near("Repair sign-in", 5)) == []
    world.write(answered("wwww-more", "Postgres", at=500))
    done = axm("learn")
    assert done.code == 0 and "Learned: 1 session" in done.err
