"""Search by meaning, on a real index, a real model and a real store: what it finds, what it must not show, and what it
does when something of it is missing or broken."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery, UsageError
from axiommind.home import Scope
from axiommind.ids import number_of
from axiommind.recall.disclosure import Disclosed, score_kind_of
from axiommind.search import overlap as alike
from axiommind.search import rank
from axiommind.search.find import Page
from axiommind.search.likeness import likeness
from axiommind.vectors import versions
from axiommind.vectors.embedders import _grams, static
from axiommind.vectors.stores import open_store
from tests.examples import examples
from tests.learning.sessions import answered, tasks
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import DAY, ask, found, tell, untimed
from tests.transcripts import PROJECT, Lines, World

OTHER = "/home/dev/other"
LOGIN = "The login page keeps people signed in with a cookie that expires after thirty days"
FILES = "Delete the old files from the temporary directory before every build"
DATABASE = "The database connection was refused because the password is wrong"
THEME = "Add a dark colour theme to the settings window"
PAYMENT = "Send an email notification when the payment fails"
TESTS = "The unit tests are slow because each one starts a server"
UPLOAD = "Users can upload a profile picture and crop it"
MEMORY = "Memory usage grows until the process is killed"
KOREAN = "회의 일정을 달력에 추가하고 참석자를 초대한다"
CHINESE = "打印机缺纸时显示警告消息"
JAPANESE = "地図の上に天気予報を表示する"

QUESTIONS = [
    pytest.param("임시 폴더의 오래된 파일을 삭제", FILES, id="ko-en"),
    pytest.param("数据库连接被拒绝 密码错误", DATABASE, id="zh-en"),
    pytest.param("ダークテーマを設定画面に追加", THEME, id="ja-en"),
    pytest.param("add a meeting to the calendar", KOREAN, id="en-ko"),
    pytest.param("printer out of paper warning", CHINESE, id="en-zh"),
    pytest.param("show weather forecast on map", JAPANESE, id="en-ja"),
    pytest.param("erasing stale documents of tmp folders", FILES, id="paraphrase"),
    pytest.param("wrong credentials make SQL reject clients", DATABASE, id="synonyms"),
]
MEANT = ("hybrid", "semantic")
# Questions that something in every corner is near to.
ASKED = (
    "임시 폴더의 오래된 파일을 삭제",
    "wrong credentials make SQL reject clients",
    "one server for all slow tests",
    "picture upload, email notifications, calendar meeting, weather map",
    "データベースを毎晩別のディスクにコピー",
    "reading black letters on a white page",
    "read the file src/server.py",
)


def build(world: World) -> World:
    """Two projects, three languages more, an answer, a tool call, a folder of notes."""
    for number, text in enumerate((LOGIN, FILES, DATABASE, THEME)):
        tell(world, f"en-{number}", text, at=number * DAY)
    lines = Lines("talk")
    lines.prompt(TESTS, at=10 * DAY)
    lines.answer("Starting one server for all of the unit tests makes them fast.", at=10 * DAY + 1)
    lines.tool("Bash", "t1", at=10 * DAY + 2, command="pytest tests/server_test.py --durations 5")
    lines.result("t1", "slowest durations", at=10 * DAY + 3)
    lines.tool("Read", "t2", at=10 * DAY + 4, file_path="/home/dev/weather/src/server.py")
    lines.result("t2", "def serve(): ...", at=10 * DAY + 5)
    world.write(lines)
    for number, text in enumerate((KOREAN, CHINESE, JAPANESE)):
        tell(world, f"cjk-{number}", text, at=(20 + number) * DAY)
    for number, text in enumerate((PAYMENT, UPLOAD, MEMORY)):
        tell(world, f"other-{number}", text, at=(30 + number) * DAY, cwd=OTHER)
    notes = Notes(world)
    notes.write("ops/backup.md", "---\ntags: [ops]\n---\n# Backup\n\nCopy the database to another disk every night.\n")
    notes.write("ui/colours.md", "---\ntags: [ui]\n---\n# Colours\n\nBlack text on white paper is easy to read.\n")
    notes.add()
    world.memory().index()
    return world


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Embedded, and nobody writes here."""
    world = build(World(Path(os.path.realpath(tmp_path_factory.mktemp("rooms")))))
    done = world.memory().embeddings.make()
    assert done.active and not done.failed
    return world


@pytest.fixture
def own(rooms: World, world: World) -> World:
    """A copy to break: the citations still point into the other one."""
    shutil.copytree(rooms.home, world.home)
    return world


def why(page: Page) -> list[float | None]:
    return [hit.why.get("similarity") for hit in page.hits]


# --- what it finds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", *MEANT])
@pytest.mark.parametrize(("question", "passage"), QUESTIONS)
def test_other_words_and_languages_find_what_is_meant(rooms: World, question: str, passage: str, mode: str) -> None:
    page = ask(rooms, question, mode=mode)
    assert page.hits[0].snippet.text == passage
    assert page.search_method == ("hybrid" if mode == "auto" else mode) and page.note is None


def test_words_alone_do_not(rooms: World) -> None:
    assert found(rooms, "数据库连接被拒绝 密码错误", mode="lexical") == []


@pytest.mark.parametrize("mode", ["auto", *MEANT])
def test_sessions_by_meaning(rooms: World, mode: str) -> None:
    page = ask(rooms, "임시 폴더의 오래된 파일을 삭제", mode=mode, group=True)
    assert page.hits[0].session_id == "en-1" and page.hits[0].score_kind == "session"
    assert len({hit.session_id or hit.doc_id for hit in page.hits}) == len(page.hits)


# --- modes -------------------------------------------------------------------------------------------------------


def test_lexical_never_looks_at_vectors(own: World) -> None:
    shutil.rmtree(own.home / "vectors")
    (own.home / "vectors").write_text("not a folder")
    page = ask(own, "database password", mode="lexical")
    assert (page.search_method, page.note, page.hits[0].score_kind) == ("fts5", None, "bm25")
    assert why(page) == [None, None]


def test_auto_needs_no_vectors_when_one_passage_says_all(rooms: World) -> None:
    assert ask(rooms, "password database").search_method == "fts5"
    assert found(rooms, "password database") == found(rooms, "password database", mode="lexical")
    assert ask(rooms, "password platypus").search_method == "hybrid"


def test_what_a_score_is_of(rooms: World) -> None:
    hybrid = ask(rooms, "database password", mode="hybrid").hits[0]
    assert hybrid.score_kind == "hybrid" and 0 < hybrid.score < 1
    semantic = ask(rooms, "database password", mode="semantic").hits[0]
    assert semantic.score_kind == "cosine" and semantic.score == pytest.approx(semantic.why["similarity"], abs=1e-4)
    assert semantic.why["matched"] == [] and hybrid.why["matched"]
    assert hybrid.why["meaning"] > 0 and 0 < hybrid.why["found"] <= 1 and hybrid.why["question"] > 0


def test_semantic_is_in_the_order_of_nearness(rooms: World) -> None:
    near = [value for value in why(ask(rooms, ASKED[3], mode="semantic", k=100)) if value is not None]
    assert len(near) > 2 and near == sorted(near, reverse=True)


def test_a_mode_that_does_not_exist(rooms: World) -> None:
    with pytest.raises(UsageError, match="there is no mode 'psychic'"):
        ask(rooms, "database", mode="psychic")


@pytest.mark.parametrize("mode", ["auto", *MEANT])
def test_page_by_page_it_is_the_same_list(rooms: World, mode: str) -> None:
    question = ASKED[3]
    whole = ask(rooms, question, mode=mode, k=100)
    seen: list[str] = []
    cursor = None
    while True:
        page = ask(rooms, question, mode=mode, k=1, cursor=cursor)
        assert page.total == whole.total and len(page.hits) <= 1
        seen += [hit.id for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [hit.id for hit in whole.hits] and len(seen) == len(set(seen)) > 2


def test_a_cursor_is_of_its_mode_and_of_its_vectors(own: World) -> None:
    question = ASKED[3]
    cursors = {mode: ask(own, question, mode=mode, k=1).next_cursor for mode in ("lexical", *MEANT)}
    assert all(cursors.values())
    for mode, cursor in cursors.items():
        for other in {"auto", *cursors} - {mode}:
            with pytest.raises(BadQuery, match="the cursor is of another query"):
                ask(own, question, mode=other, k=1, cursor=cursor)
    shutil.rmtree(own.home / "vectors")
    ask(own, question, mode="lexical", k=1, cursor=cursors["lexical"])
    for mode in MEANT:
        with pytest.raises(BadQuery, match="the cursor is of another query"):
            ask(own, question, mode=mode, k=1, cursor=cursors[mode])


# --- laws --------------------------------------------------------------------------------------------------------

# A filter, and what is true of every hit under it.
FILTERS: dict[str, Callable[[Any], bool]] = {
    "kind:prompt": lambda hit: hit.kind == "prompt",
    "kind:doc": lambda hit: hit.kind == "doc",
    "kind:tool kind:response": lambda hit: hit.kind in ("tool", "response"),
    f"project:{OTHER}": lambda hit: hit.project == OTHER or hit.kind == "doc",  # a folder of no project is of all
    "session:talk": lambda hit: hit.session_id == "talk",
    "since:2026-01-20": lambda hit: hit.timestamp >= 1_768_867_200_000,
    "until:2026-01-10": lambda hit: hit.timestamp < 1_768_089_600_000,
    "file:src/server.py": lambda hit: hit.session_id == "talk",
    "tool:Bash": lambda hit: hit.tool.startswith("Bash"),
    "lang:ko": lambda hit: hit.snippet.text == KOREAN,
    "lang:ja": lambda hit: hit.snippet.text == JAPANESE,
    "tag:ops": lambda hit: "night" in hit.snippet.text,
    "path:ui/**": lambda hit: "paper" in hit.snippet.text,
    '"profile picture"': lambda hit: hit.snippet.text == UPLOAD,
    '"database"': lambda hit: "database" in hit.snippet.text,
    '"..."': lambda hit: "..." in hit.snippet.text,
    "-database": lambda hit: "database" not in hit.snippet.text,
    '-"unit tests" -server': lambda hit: "unit tests" not in hit.snippet.text and "server" not in hit.snippet.text,
}
WORDS = (*ASKED, "server", "read", "platypus", "database password disk")


@pytest.mark.parametrize("mode", MEANT)
@pytest.mark.parametrize("chosen", FILTERS)
def test_meaning_shows_nothing_that_a_filter_hides(rooms: World, chosen: str, mode: str) -> None:
    some = 0
    for words in ASKED:
        for hit in ask(rooms, f"{words} {chosen}", mode=mode, k=100).hits:
            some += 1
            assert FILTERS[chosen](hit), (words, hit.kind, hit.snippet.text)
    # Tool calls have no vectors unless embed.kinds says so, and "..." stands nowhere.
    assert some or (mode == "semantic" and chosen in ("file:src/server.py", "tool:Bash")) or chosen == '"..."'


@given(
    st.sampled_from(WORDS),
    st.lists(st.sampled_from(sorted(FILTERS)), max_size=3, unique_by=lambda one: one.partition(":")[0]),
    st.sampled_from(MEANT),
    st.booleans(),
)
@settings(max_examples=examples(30))
def test_filters_together(rooms: World, words: str, chosen: list[str], mode: str, scoped: bool) -> None:
    text = " ".join((words, *chosen))
    project = OTHER if scoped else None
    page = ask(rooms, text, mode=mode, k=100, project=project)
    for hit in page.hits:
        assert all(FILTERS[one](hit) for one in chosen)
        assert not scoped or hit.project == OTHER or hit.kind == "doc"
        assert hit.citation is not None
    assert untimed(ask(rooms, text, mode=mode, k=100, project=project)) == untimed(page)


@rows("R2.108")
@pytest.mark.parametrize("words", WORDS)
def test_hybrid_loses_nothing_that_words_find(rooms: World, words: str) -> None:
    by_words = {hit.id for hit in ask(rooms, words, mode="lexical", k=100).hits}
    page = ask(rooms, words, mode="hybrid", k=100)
    assert by_words <= {hit.id for hit in page.hits}


def test_nor_when_half_of_the_vectors_are_missing(own: World) -> None:
    version = versions.active(own.home)
    assert version is not None
    with closing(open_store("local", own.home / "vectors", write=True)) as store:
        keys = sorted(store.keys("passages", version.version))
        store.delete("passages", version.version, keys[::2])
    for words in WORDS:
        for mode in ("hybrid", "auto"):
            by_words = {hit.id for hit in ask(own, words, mode="lexical", k=100).hits}
            page = ask(own, words, mode=mode, k=100)
            assert by_words <= {hit.id for hit in page.hits} and page.note is None
    similar = [value for words in WORDS for value in why(ask(own, words, mode="hybrid", k=100))]
    assert None in similar and any(similar)


@pytest.mark.parametrize("mode", MEANT)
def test_every_citation_opens(rooms: World, mode: str) -> None:
    hits = {hit.id: hit for text in ASKED for hit in ask(rooms, text, mode=mode, k=100).hits}
    assert len(hits) > 8
    for hit in hits.values():
        assert hit.citation is not None
        opened = rooms.memory().passages.open(hit.citation)
        assert hit.snippet.text.split()[-1].strip("…") in "\n".join(opened.lines)


def test_a_project_confines_its_vectors(rooms: World) -> None:
    question = "데이터베이스 연결 비밀번호, 결제 실패 이메일 알림"
    for mode in MEANT:
        page = ask(rooms, question, mode=mode, k=100, project=OTHER)
        assert {hit.project for hit in page.hits if hit.kind != "doc"} == {OTHER}
        assert DATABASE not in [hit.snippet.text for hit in page.hits]
        assert DATABASE in [hit.snippet.text for hit in ask(rooms, question, mode=mode, k=100).hits]


@pytest.mark.parametrize("act", ["deprecated", "superseded"])
def test_an_entry_that_no_longer_stands_does_not_rise(world: World, act: str) -> None:
    memory = world.memory()
    world.write(answered("s1", "SQLite"))
    world.write(tasks("s2"))
    memory.index()
    memory.learning.run()
    memory.embeddings.make()
    question = "서비스는 어떤 데이터베이스를 사용하나"
    for mode in MEANT:
        assert entries(ask(world, question, mode=mode))[0][0] == "decision"
    (made,) = [row[0] for row in world.rows("select entry_id from entries where entry_type = 'decision'")]
    (other, *_) = [row[0] for row in world.rows("select entry_id from entries where entry_type <> 'decision'")]
    before = {mode: ask(world, question, mode=mode, k=100) for mode in MEANT}
    memory.entries.rule(made, act, "it is over", other if act == "superseded" else None)
    for mode in MEANT:
        after = ask(world, question, mode=mode, k=100)
        ((score, rank_of),) = [(h.why["meaning"], n) for n, h in enumerate(after.hits) if is_entry(h, made)]
        ((first, rank_was),) = [(h.why["meaning"], n) for n, h in enumerate(before[mode].hits) if is_entry(h, made)]
        assert score < first * 0.1 and rank_of > rank_was
    like = memory.search.similar(other)
    assert not any(is_entry(hit, made) for hit in like.hits[:1]) and like.title


def entries(page: Page) -> list[tuple[str, str]]:
    return [(hit.entry.type, hit.entry.status) for hit in page.hits if hit.entry is not None]


def is_entry(hit: Any, name: str) -> bool:
    return hit.entry is not None and hit.entry.entry_id == name


# --- near-duplicates ---------------------------------------------------------------------------------------------


def test_what_means_the_same_is_folded(world: World) -> None:
    other = "Run the integration tests and deploy the release to the registry"
    texts = ("Please run the unit tests and then the linter", "Then run the linter and the unit tests", other)
    for number, text in enumerate(texts):
        tell(world, f"s{number}", text, at=number)
    world.memory().index()
    world.memory().embeddings.make()
    question = "run the tests"
    assert len(ask(world, question, mode="lexical").hits) == 3
    page = ask(world, question, mode="hybrid")
    assert sorted((hit.same, hit.snippet.text == other) for hit in page.hits) == [(0, True), (1, False)]
    assert page.total == 2
    page = ask(world, "unit tests and the linter", mode="semantic")
    assert page.hits[0].same == 1 and page.hits[0].snippet.text != other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cache is cleared when the user logs out", "The cache is not cleared when the user logs out"),
        ("All 1274 tests pass after the change", "All 1309 tests pass after the change"),
        ("Rename the function frobnicate in the parser module", "Rename the function quuxify in the parser module"),
        (
            "The customer Kowalczyk wants a refund for the invoice",
            "The customer Nakamura wants a refund for the invoice",
        ),
    ],
)
def test_a_number_a_name_or_a_not_is_not_folded_away(world: World, one: str, other: str) -> None:
    tell(world, "s1", one)
    tell(world, "s2", other, at=1)
    world.memory().index()
    world.memory().embeddings.make()
    question = " ".join(set(one.split()) & set(other.split()))
    for mode in MEANT:
        assert sorted(found(world, question, mode=mode)) == sorted([one, other])


def test_tool_calls_on_different_files_are_not_folded(world: World) -> None:
    lines = Lines()
    lines.prompt("look at them")
    for name in ("RemediateTab", "ContextTab"):
        lines.tool("Read", f"r{name}", file_path=f"/Users/me/Code/evaluator/frontend/src/components/{name}.tsx")
        lines.result(f"r{name}", "ok")
    world.write(lines)
    world.memory().index()
    assert "tool" not in alike.KINDS and "insight" not in alike.KINDS
    world.memory().embeddings.make()
    page = ask(world, "evaluator frontend components kind:tool", mode="hybrid")
    assert len(page.hits) == 2


def test_folding_by_meaning_is_asked_after_the_words() -> None:
    asked: list[tuple[int, int, frozenset[str]]] = []

    def says(one: rank.Scored, other: rank.Scored, apart: frozenset[str]) -> bool:
        asked.append((one.passage.id, other.passage.id, apart))
        return one.passage.id == 3

    texts = {1: "alpha beta", 2: "alpha gamma", 3: "delta", 4: "beta alpha"}
    ones = [rank.Scored(rank.Passage(n, "prompt", n, "s", None, None, "s"), 1.0, (), 0.0, 1.0, 0.0, 0.0) for n in texts]
    kept = rank.fold(ones, 10, lambda passage: texts[passage.id], says)
    assert [(one.passage.id, same) for one, same in kept] == [(1, 2), (2, 0)]
    assert asked == [(2, 1, frozenset({"beta", "gamma"})), (3, 1, frozenset({"alpha", "beta", "delta"}))]


# --- bad input ---------------------------------------------------------------------------------------------------


def broken_state(home: Path) -> None:
    (home / "vectors" / "state.db").write_bytes(b"SQLite format 3\0 and then nothing that makes sense" * 99)


def no_state(home: Path) -> None:
    (home / "vectors" / "state.db").unlink()


def broken_store(home: Path) -> None:
    (home / "vectors" / "local.db").write_bytes(b"no database at all" * 999)


def cut_store(home: Path) -> None:
    path = home / "vectors" / "local.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def torn_store(home: Path) -> None:
    """Its first pages are right, so opening it finds nothing wrong."""
    path = home / "vectors" / "local.db"
    data = path.read_bytes()
    path.write_bytes(data[:8192] + bytes(len(data) - 8192))


def empty_store(home: Path) -> None:
    (home / "vectors" / "local.db").write_bytes(b"")


def no_store(home: Path) -> None:
    (home / "vectors" / "local.db").unlink()


def other_settings(home: Path, **changes: str) -> None:
    with closing(sqlite3.connect(home / "vectors" / "state.db")) as db, db:
        for column, value in changes.items():
            db.execute(f"update versions set {column} = ?", (value,))


def no_model(home: Path) -> None:
    other_settings(home, settings=json.dumps({"name": "static", "path": str(home / "removed.bin")}))


def broken_model(home: Path) -> None:
    (home / "model.bin").write_bytes(b'{"format": "axiommind-static"')
    other_settings(home, settings=json.dumps({"name": "static", "path": str(home / "model.bin")}))


def no_minilm(home: Path) -> None:
    other_settings(home, settings='{"name": "minilm"}', embedder="minilm-00000000")


def no_server(home: Path) -> None:
    settings = {"name": "openai", "model": "some", "url": "http://127.0.0.1:9/v1"}
    other_settings(home, settings=json.dumps(settings), embedder="openai-00000000")


def unknown_embedder(home: Path) -> None:
    other_settings(home, settings='{"name": "psychic"}')


def unreadable_settings(home: Path) -> None:
    other_settings(home, settings="{")


def other_model(home: Path) -> None:
    other_settings(home, embedder="static-ffffffff")


def unknown_store(home: Path) -> None:
    other_settings(home, store="heap")


def no_lance(home: Path) -> None:
    other_settings(home, store="lance")


def newer_store(home: Path) -> None:
    with closing(sqlite3.connect(home / "vectors" / "local.db")) as db:
        db.execute("pragma user_version=99")


BROKEN = (
    broken_state,
    no_state,
    broken_store,
    cut_store,
    torn_store,
    empty_store,
    no_store,
    no_model,
    broken_model,
    no_minilm,
    no_server,
    unknown_embedder,
    unreadable_settings,
    other_model,
    unknown_store,
    no_lance,
    newer_store,
)


@pytest.mark.parametrize("breaks", BROKEN)
def test_whatever_is_wrong_with_vectors_words_answer(
    own: World, breaks: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lancedb", None)
    breaks(own.home)
    lexical = ask(own, "server platypus", mode="lexical")
    assert lexical.hits
    quiet = ask(own, "server platypus", mode="auto")
    assert quiet.note is None and quiet.search_method == "fts5"
    assert [hit.id for hit in quiet.hits] == [hit.id for hit in lexical.hits]
    for mode in MEANT:
        page = ask(own, "server platypus", mode=mode)
        assert page.search_method == "fts5" and [hit.id for hit in page.hits] == [hit.id for hit in lexical.hits]
        assert page.note is not None and "; searched by words" in page.note, mode
        grouped = ask(own, "server platypus", mode=mode, group=True)
        assert grouped.hits and grouped.note == page.note
    told = {check.name: check for check in own.memory().doctor()}
    if breaks not in (broken_state, no_state, no_server):  # without its state nothing is known to be embedded
        assert told["vectors"].status == "warn" and told["vectors"].text.startswith("search is lexical: ")


@pytest.mark.parametrize("mode", ["auto", *MEANT])
@pytest.mark.parametrize("breaks", [torn_store, no_store])
def test_then_the_pages_go_on_by_words(own: World, breaks: Callable[[Path], None], mode: str) -> None:
    breaks(own.home)
    wanted = found(own, "the server database", mode="lexical", k=100)
    seen: list[str] = []
    cursor = None
    while len(seen) < len(wanted):
        page = ask(own, "the server database", mode=mode, k=2, cursor=cursor)
        seen += [hit.snippet.text for hit in page.hits]
        cursor = page.next_cursor
        assert (page.note is None) == (mode == "auto")
    assert seen == wanted and len(seen) > 4 and cursor is None


def test_a_store_that_breaks_is_made_anew(own: World) -> None:
    torn_store(own.home)
    assert ask(own, ASKED[0], mode="hybrid").note
    done = own.memory().embeddings.make()
    assert done.active and done.done > 10
    assert found(own, "임시 폴더의 오래된 파일을 삭제", mode="hybrid")[0] == FILES


def test_doctor_has_nothing_to_say_of_what_works(rooms: World) -> None:
    assert "vectors" not in {check.name for check in rooms.memory().doctor()}


def test_nothing_embedded(world: World) -> None:
    tell(world, "s1", DATABASE)
    world.memory().index()
    assert ask(world, "password").note is None
    page = ask(world, "password", mode="semantic")
    assert page.note == "nothing is embedded yet; searched by words; axm embed makes the vectors"
    assert page.search_method == "fts5" and len(page.hits) == 1


def test_an_index_of_its_own_has_no_vectors(rooms: World) -> None:
    index = rooms.home / "index.db"
    assert ask(rooms, "데이터베이스", db=index).note is None
    page = ask(rooms, "database", db=index, mode="hybrid")
    assert page.note == "there are no vectors for --db; searched by words" and page.search_method == "fts5"


@pytest.mark.parametrize("mode", ["auto", *MEANT])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "the of and",
        "😀",
        "->",
        "half \ud800 pair",
        "a \0 byte",
        "'\"; drop table passages; --",
        "-only -excluded",
        "xqzzyv",
        "\u202eright to left",
    ],
)
def test_questions_that_say_little(rooms: World, text: str, mode: str) -> None:
    page = ask(rooms, text, mode=mode)
    by_words = mode == "semantic" and page.search_method != "semantic"
    assert (page.note is not None and "says too little" in page.note) if by_words else page.note is None
    assert page.total >= len(page.hits)
    assert untimed(ask(rooms, text, mode=mode)) == untimed(page)


@pytest.mark.parametrize("mode", MEANT)
def test_a_megabyte(rooms: World, mode: str) -> None:
    page = ask(rooms, f"{DATABASE} " * 12_000, mode=mode)
    assert page.hits[0].snippet.text == DATABASE


def test_a_model_of_another_dimension(own: World) -> None:
    """The same version under another model: what is compared is checked, not hoped for."""
    head, _, _ = static.MODEL.read_bytes()[:2_000].partition(b"\n")
    header = json.loads(head)
    header["rows"], header["dimension"] = 1, 8
    body = struct.pack("<If8b", crc32(b"wserver"), 100.0, *range(8))
    path = own.home / "tiny.bin"
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    other_settings(own.home, settings=json.dumps({"name": "static", "path": str(path)}))
    page = ask(own, "server server server", mode="semantic")
    assert page.hits and page.note is not None and "dimensions, not of 8; searched by words" in page.note


# --- in every door -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "passage"), QUESTIONS)
def test_recall_searches_by_meaning_too_and_says_so(rooms: World, question: str, passage: str) -> None:
    recall = rooms.memory().recall
    found = recall.select(question, Scope(None), min_score=0.0)
    assert found.items[0].summary == passage and found.method == "hybrid"
    assert score_kind_of(found.method) == "hybrid"
    shown = recall.smart_search(question, Scope(None), min_score=0.0)
    assert (shown.meta.search_method, shown.meta.score_kind) == ("hybrid", "hybrid")
    assert recall.select(question, Scope(None), min_score=0.0, mode="lexical").method.startswith("fts5")


@pytest.mark.parametrize("broken", ["gone", "no folder", "torn"])
def test_recall_searches_by_words_where_vectors_cannot_be_used(own: World, broken: str) -> None:
    break_vectors(own, broken)
    found = own.memory().recall.select("why was the database connection refused", Scope(None), min_score=0.0)
    assert found.items[0].summary == DATABASE and found.method == "fts5"
    assert score_kind_of(found.method) == "calibrated"


@pytest.mark.parametrize("broken", ["", "gone", "no folder", "torn"])
def test_what_a_prompt_is_told_is_ordered_by_meaning_too(world: World, broken: str) -> None:
    lines = Lines("old")
    lines.prompt("the zephyr anemometer calibrates its hygroscope against the quartz reference")
    lines.answer("The zephyr anemometer calibrates its hygroscope against the quartz reference at noon.")
    for number in range(30):
        lines.prompt(f"add a chart of rainfall for station {number}")
    world.write(lines)
    world.memory().index()
    world.memory().embeddings.make()
    if broken:
        break_vectors(world, broken)
    told = world.memory().recall.answer("how does the zephyr anemometer calibrate its hygroscope?", Scope(PROJECT))
    assert isinstance(told, Disclosed) and "quartz" in told.matches[0].said
    assert told.meta.search_method == ("fts5" if broken else "hybrid") and told.meta.score_kind == "calibrated"


def break_vectors(world: World, how: str) -> None:
    folder = world.home / "vectors"
    if how == "torn":
        for file in folder.iterdir():
            file.write_bytes(b"not a database" * 999)
        return
    shutil.rmtree(folder)
    if how == "no folder":
        folder.write_text("not a folder")


def near_to(world: World, question: str, rows: list[int]) -> dict[int, float] | None:
    with closing(sqlite3.connect(world.home / "index.db")) as db:
        return likeness(db, question, rows)


def passage_rows(world: World) -> dict[str, int]:
    return {hit.snippet.text: number_of(hit.id) or 0 for hit in ask(world, ASKED[3], mode="semantic", k=100).hits}


@pytest.mark.parametrize(("question", "passage"), QUESTIONS[:2])
def test_likeness_is_the_similarity_of_a_search(rooms: World, question: str, passage: str) -> None:
    page = ask(rooms, question, mode="semantic", k=100)
    rows = {number_of(hit.id): hit.why["similarity"] for hit in page.hits}
    near = near_to(rooms, question, [*(row for row in rows if row), 10**9])
    assert near is not None and near == {row: pytest.approx(similarity, abs=1e-4) for row, similarity in rows.items()}


@pytest.mark.parametrize("broken", ["gone", "no folder", "torn"])
def test_without_vectors_there_is_no_likeness(own: World, broken: str) -> None:
    rows = list(passage_rows(own).values())
    assert near_to(own, DATABASE, rows) and near_to(own, "ok", rows) is None
    break_vectors(own, broken)
    assert near_to(own, DATABASE, rows) is None


def test_vectors_of_another_model_are_not_compared(own: World) -> None:
    rows = list(passage_rows(own).values())
    with closing(sqlite3.connect(own.home / "vectors" / "state.db")) as db, db:
        db.execute("update versions set embedder = 'static-00000000-1'")
    assert near_to(own, DATABASE, rows) is None
    assert own.memory().recall.select(DATABASE, Scope(None), min_score=0.0).method == "fts5"


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_a_text_in_ascii_has_the_same_pieces_by_the_faster_pattern(text: str) -> None:
    assert _grams._ASCII_PIECE.findall(text) == _grams._PIECE.findall(text)
