"""Find: what is found by which words, any text as a query, the same answer each time, page by page."""

from __future__ import annotations

import sqlite3
import threading
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery, IndexCorrupt, NotFound
from axiommind.memory import Scope
from axiommind.search.find import MAX_K, Page
from axiommind.search.query import PREFIXES
from tests.examples import examples
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import DAY, NOW, ask, found, sessions, tell, untimed
from tests.transcripts import Lines, World


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One of everything, and words that other words must find."""
    world = World(tmp_path_factory.mktemp("library"))
    lines = Lines("s1")
    lines.prompt("why does the deploy hang")
    lines.answer("The walrus lock is never released.")
    lines.tool("Bash", "t1", command="terraform apply --target wombat")
    lines.result("t1", "pelican: 3 resources were made")
    lines.tool("Bash", "t2", command="make release")
    lines.result("t2", "permission denied for ocelot", error=True)
    lines.tool("Edit", "t3", file_path="/home/dev/weather/flamingo.py", old_string="a", new_string="def heron(): ...")
    lines.result("t3", "The file has been updated.")
    world.write(lines)
    for i, text in enumerate(SAID):
        tell(world, f"said-{i}", text)
    notes = Notes(world)
    notes.write(
        "zoo.md", "# Marsupials\n\n## Small ones\n\nThe quokka smiles. Arrows → here. NEAR the gate stands a column.\n"
    )
    notes.write("plan.md", "# 설계\n\n워크스페이스 구조를 정한다.\n")
    notes.add()
    world.memory().index()
    return world


SAID = (
    "the login test failed again",
    "run the migration before lunch",
    "call getUserById and keep its result",
    "rename user_id in the schema",
    "look into src/app/auth.py once more",
    "commit it with --no-verify",
    "rustc says error[E0308]: mismatched types",
    "병합할 때 충돌이 났어요",
    "数据库连接失败了",
    "テストが失敗しました",
    "React組件開發遇到問題",
    "naïve Crème brûlée",
    "ship it 🎉",
)


# --- kinds and languages -----------------------------------------------------------------------------------------


@rows("R1.1", "R1.34", "R1.35")
@pytest.mark.parametrize(
    ("query", "kind", "shown"),
    [
        ("deploy hang", "prompt", "why does the deploy hang"),
        ("walrus", "response", "walrus lock"),
        ("terraform", "tool", "terraform apply"),
        ("pelican", "tool", "pelican: 3 resources"),
        ("ocelot permission", "tool", "permission denied for ocelot"),
        ("flamingo.py", "tool", "flamingo.py"),
        ("flamingo", "tool", "flamingo.py"),
        ("heron", "tool", "def heron()"),
        ("quokka", "doc", "The quokka smiles"),
        ("marsupials", "doc", "quokka"),
        ("→", "doc", "Arrows → here"),
    ],
)
def test_every_kind_is_found(library: World, query: str, kind: str, shown: str) -> None:
    hit = ask(library, query).hits[0]
    assert hit.kind == kind and shown in hit.snippet.text
    assert hit.citation is not None and hit.summary


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("failing logins", "the login test failed again"),
        ("ran migrations", "run the migration before lunch"),
        ("get user", "call getUserById and keep its result"),
        ("getUserById", "call getUserById and keep its result"),
        ("user_id", "rename user_id in the schema"),
        ("auth.py", "look into src/app/auth.py once more"),
        ("src/app/auth.py", "look into src/app/auth.py once more"),
        ("--no-verify", "commit it with --no-verify"),
        ("E0308", "rustc says error[E0308]: mismatched types"),
        ("e0308", "rustc says error[E0308]: mismatched types"),
        ("충돌", "병합할 때 충돌이 났어요"),
        ("충돌을", "병합할 때 충돌이 났어요"),
        ("連", None),
        ("连接", "数据库连接失败了"),
        ("库", "数据库连接失败了"),
        ("数据库失败", "数据库连接失败了"),
        ("失敗", "テストが失敗しました"),
        ("敗", "テストが失敗しました"),
        ("テスト", "テストが失敗しました"),
        ("React", "React組件開發遇到問題"),
        ("組件", "React組件開發遇到問題"),
        ("React組件", "React組件開發遇到問題"),
        ("開", "React組件開發遇到問題"),
        ("creme brulee", "naïve Crème brûlée"),
        ("🎉", "ship it 🎉"),
        ("워크스페이스", "# 설계 워크스페이스 구조를 정한다."),
        ("the again", "the login test failed again"),
        ("platypus", None),
    ],
)
def test_words_find_their_kin(library: World, query: str, text: str | None) -> None:
    shown = found(library, query)
    assert shown == [] if text is None else text in shown


@pytest.mark.parametrize(
    ("query", "method"), [("login", "fts5"), ("충돌", "fts5-bigram"), ("🎉", "like"), ("kind:prompt", "like")]
)
def test_how_it_was_found_is_said(library: World, query: str, method: str) -> None:
    assert ask(library, query).search_method == method


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Bash", {"command": "axm search --all-projects numbat"}),
        ("Bash", {"command": "cd /p && axm search numbat | head"}),
        ("Bash", {"command": ".venv/bin/axm show numbat"}),
        ("Bash", {"command": "suggest-workflow search numbat"}),
        ("mcp__axiommind__search", {"query": "numbat"}),
        ("mcp__plugin_axiommind_memory__recall", {"query": "numbat"}),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_what_was_recalled_is_not_found_again(world: World, name: str, given: dict[str, Any], late: bool) -> None:
    lines = Lines()
    lines.tool(name, "t1", **given)
    if late:  # the result comes in a segment of its own
        world.write(lines)
        world.memory().index()
    lines.result("t1", "an echidna was mentioned before")
    world.write(lines)
    world.memory().index()
    assert found(world, "echidna") == []
    assert len(found(world, "numbat")) == 1


# --- any text is a query -----------------------------------------------------------------------------------------

SYNTAX = ['"', "*", "^", "NEAR(", "AND", "OR", "NOT", "{", "}", "terms:", "col:", "(", ")", "+", "-", "''", ";--", "%"]
pieces = st.one_of(
    st.sampled_from([*SYNTAX, *(f"{name}:" for name in PREFIXES), "quokka", "충돌", "the", "🎉", "last week", "\x00"]),
    st.text(max_size=6),
    st.text(st.characters(categories=["Cs", "Cc", "Co", "Mn", "So", "Lo"]), max_size=6),
)


def answer(world: World, text: str, **options: Any) -> Page | None:
    """A page, or None when the query was refused as the errors say it may be."""
    try:
        return ask(world, text, **options)
    except BadQuery as error:
        assert error.message and error.hint
    except NotFound as error:
        assert "project:" in text.lower().replace("：", ":") and "is not in the index" in error.message
    return None


@given(st.lists(pieces, max_size=12), st.sampled_from(["", " "]), st.booleans())
@settings(max_examples=examples(300))
@example(["quokka NEAR(zoo, 3)"], "", False)
@example(["\ud800\udfff \x00 quokka"], "", True)
@example(['"'] * 12, "", False)
@example(["file:*", "tool:%", "-tool:%", "session:[", "path:**", "tag:x", "lang:ko"], " ", True)
def test_any_text_is_a_query_or_a_bad_one(library: World, parts: list[str], glue: str, group: bool) -> None:
    page = answer(library, glue.join(parts), group=group)
    if page is not None:
        assert len(page.hits) <= page.total
        assert len({hit.id for hit in page.hits}) == len(page.hits)
        page.query.encode()


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{i}" for i in range(10_000)),
        "quokka " * 10_000,
        "字" * 20_000,
        "a" * 100_000,
        '"' * 5_000,
        "()" * 5_000,
        "the of and is",
        "... !? -- ::",
        "\x00\x00",
        "\ud800",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_long_and_odd_queries(library: World, text: str) -> None:
    assert isinstance(ask(library, text), Page)


@rows("R1.32")
@pytest.mark.parametrize("text", ["", "   ", "-quokka", '-"the quokka"', '""'])
def test_nothing_asked_is_nothing_found(library: World, text: str) -> None:
    page = ask(library, text)
    assert (page.hits, page.total, page.next_cursor) == ((), 0, None)


@pytest.mark.parametrize(
    "text",
    [
        "tool:" + "a" * 60_000,
        "session:" + "a" * 60_000,
        "path:" + "*a?" * 20_000,
        "file:" + "[a" * 20_000,
        "project:" + "a" * 60_000,
        "tool:" + ",".join(map(str, range(2_000))),
        "-tool:" + ",".join(map(str, range(2_000))),
        " ".join(f"file:{i}" for i in range(2_000)),
        " ".join(f"tag:{i}" for i in range(2_000)),
    ],
    ids=lambda text: text[:9],
)
def test_what_no_filter_can_mean_is_refused(library: World, text: str) -> None:
    with pytest.raises(BadQuery):
        ask(library, f"quokka {text}")


@pytest.mark.parametrize("at", [10**30, -(10**30)])
def test_a_time_beyond_all_times(library: World, at: int) -> None:
    with pytest.raises(BadQuery, match="is no time"):
        ask(library, "quokka", since=at)


@pytest.mark.parametrize(
    "query", ["NEAR(", "NEAR(gate stands, 5)", "NEAR AND gate", "column:", "terms:column", "{column}", "NEAR*", "^near"]
)
def test_syntax_of_fts5_is_only_words(library: World, query: str) -> None:
    assert "NEAR the gate" in found(library, query)[0]


def test_a_project_that_is_none(library: World) -> None:
    for name in ("nowhere", "a\x00b", "/no/such/folder"):
        with pytest.raises(NotFound, match="is not in the index"):
            ask(library, f'quokka project:"{name}"')


# --- the same answer each time -----------------------------------------------------------------------------------


def several(world: World) -> None:
    """Enough of everything that order matters."""
    for i in range(6):
        lines = tell(world, f"s{i}", f"fix the cache of region {i}", f"로그인 오류 {i}번", at=i * DAY)
        lines.answer(f"The cache of region {i} is cleared.")
        lines.tool("Bash", f"t{i}", command=f"redis-cli flush region{i}")
        lines.result(f"t{i}", "cache: OK")
        world.write(lines, folder="-home-dev-weather")
    notes = Notes(world)
    for i in range(4):
        notes.write(f"n{i}.md", f"# Cache {i}\n\nHow region {i} keeps its cache.\n\n## 로그인\n\n오류가 나면 다시.\n")
    notes.add()
    world.memory().index()


QUERIES = ("cache region", "로그인 오류", "redis-cli", "kind:tool cache", "kind:prompt", "cache last week")


@rows("R1.31")
@pytest.mark.parametrize("group", [False, True])
def test_the_same_query_gives_the_same_page(world: World, group: bool) -> None:
    several(world)
    for query in QUERIES:
        first = ask(world, query, group=group)
        assert first.hits
        assert untimed(ask(world, query, group=group)) == untimed(first)


@rows("R1.31")
def test_a_rebuild_gives_the_same_hits(world: World) -> None:
    several(world)
    world.append(b"", "s1")
    before = [untimed(ask(world, query, group=group)) for query in QUERIES for group in (False, True)]
    world.memory().rebuild()
    assert [untimed(ask(world, query, group=group)) for query in QUERIES for group in (False, True)] == before


@rows("R1.22")
def test_the_full_text_index_made_anew_gives_the_same_hits(world: World) -> None:
    several(world)
    Notes(world).write("n1.md", "# Changed\n\nNo more of that.\n")
    world.memory().documents.index()
    grown = world.terms()
    before = [untimed(ask(world, query)) for query in QUERIES]
    world.memory().documents.rebuild_fts()
    assert world.terms() == grown
    assert [untimed(ask(world, query)) for query in QUERIES] == before


def test_read_in_pieces_or_at_once_the_order_is_the_same(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = World(tmp_path_factory.mktemp("other"))
    for i in range(5):
        for one in (world, other):
            tell(one, f"s{i}", f"wombat number {i} of north{i}", at=i)
        world.memory().index()
    other.memory().index()
    assert found(world, "wombat number") == found(other, "wombat number")


def test_searching_while_another_process_indexes(world: World) -> None:
    """One page is of one state of the index, whatever is written meanwhile."""
    several(world)
    notes = Notes(world)

    def write() -> None:
        for i in range(15):
            for n in range(4):
                notes.write(f"n{n}.md", f"# Cache {n}\n\nVersion {i} of the cache of region {n}.\n")
            world.memory().documents.index()

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        for hit in ask(world, "cache region").hits:
            assert hit.citation is not None and hit.snippet.text
    writer.join()


# --- pages -------------------------------------------------------------------------------------------------------

DIRECTIONS = ("north", "south", "east", "west", "up", "down", "left", "right", "in", "out", "over", "under")


@pytest.fixture
def burrows(world: World) -> World:
    """Twelve sessions that say something different about wombats, and seven more notes."""
    for i, direction in enumerate(DIRECTIONS):
        tell(world, f"s{i:02}", f"the wombat went {direction}ward to burrow{i}", at=i * DAY)
    notes = Notes(world)
    for i in range(7):
        notes.write(f"{i}.md", f"# Sighting {i * 31}\n\nA wombat, weight{i} and length{i * 3}, by observer{i}.\n")
    notes.add()
    world.memory().index()
    return world


def walk(world: World, text: str, k: int, **options: Any) -> list[Page]:
    pages = [ask(world, text, k=k, **options)]
    while pages[-1].next_cursor is not None:
        assert len(pages) < 50, "it ends"
        pages.append(ask(world, text, k=k, cursor=pages[-1].next_cursor, **options))
    return pages


@pytest.mark.parametrize("query", ["wombat", "kind:prompt", "wombat -burrow3", "kind:prompt wombat since:9999d"])
@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_pages_one_after_the_other_are_all_of_it(burrows: World, query: str, group: bool, k: int) -> None:
    whole = ask(burrows, query, k=MAX_K, group=group)
    assert whole.next_cursor is None and whole.total == len(whole.hits) >= 11
    pages = walk(burrows, query, k, group=group)
    assert [hit.id for page in pages for hit in page.hits] == [hit.id for hit in whole.hits]
    assert {page.total for page in pages} == {whole.total}
    assert [len(page.hits) for page in pages[:-1]] == [k] * (len(pages) - 1)
    assert 0 < len(pages[-1].hits) <= k


def test_pages_across_what_was_folded(world: World) -> None:
    for i in range(9):
        tell(world, f"s{i}", f"restart {['the server', 'a database', 'my laptop'][i % 3]}")
    world.memory().index()
    pages = walk(world, "restart", 1)
    assert sorted(hit.snippet.text for page in pages for hit in page.hits) == [
        "restart a database",
        "restart my laptop",
        "restart the server",
    ]
    whole = ask(world, "restart")
    assert [hit.same for hit in whole.hits] == [2, 2, 2] and whole.total == 3


def test_no_hits_wanted_is_a_count(burrows: World) -> None:
    page = ask(burrows, "wombat", k=0)
    assert page.hits == () and page.next_cursor is None and page.total == 19
    assert ask(burrows, "wombat", k=-5).hits == ()


@rows("R1.16")
def test_there_is_a_most(burrows: World) -> None:
    assert ask(burrows, "wombat", k=10**30).total == 19


def test_a_page_of_a_clock_that_goes_on(burrows: World) -> None:
    """`since:7d` is counted from the first page, and so is what is recent."""
    first = burrows.memory().search("wombat since:9999d", Scope(None), k=5)
    second = burrows.memory().search("wombat since:9999d", Scope(None), k=5, cursor=first.next_cursor)
    assert len(second.hits) == 5 and not {h.id for h in first.hits} & {h.id for h in second.hits}


@pytest.mark.parametrize(
    ("query", "options"),
    [("wombats", {}), ("wombat kind:prompt", {}), ("wombat", {"group": True}), ("wombat", {"recency": False})],
)
def test_a_cursor_of_another_query_is_refused(burrows: World, query: str, options: dict[str, Any]) -> None:
    cursor = ask(burrows, "wombat", k=3).next_cursor
    assert cursor is not None
    with pytest.raises(BadQuery, match="another query, or the index has changed") as refused:
        ask(burrows, query, k=3, cursor=cursor, **options)
    assert "without --cursor" in refused.value.hint


def test_a_cursor_is_stale_when_the_index_has_changed(burrows: World) -> None:
    cursor = ask(burrows, "wombat", k=3).next_cursor
    tell(burrows, "new", "one more wombat")
    burrows.memory().index()
    with pytest.raises(BadQuery, match="the index has changed"):
        ask(burrows, "wombat", k=3, cursor=cursor)


@given(cursor=st.one_of(st.text(min_size=1, max_size=30), st.from_regex(r"[0-9²३]{1,8}-[0-9a-z]{1,14}-[0-9a-f]{12}")))
@settings(max_examples=examples(60))
@example(cursor="3-zzzzzzzzzzzz-0123456789ab")
@example(cursor="\ud800")
def test_what_is_no_cursor_is_refused(library: World, cursor: str) -> None:
    with pytest.raises(BadQuery):
        library.memory().search("the quokka in May", Scope(None), cursor=cursor)


# --- without words -----------------------------------------------------------------------------------------------


def test_filters_alone_give_the_newest(world: World) -> None:
    tell(world, "z-old", "first of all", at=0)
    tell(world, "m-mid", "then this", "and that", at=DAY)
    tell(world, "a-new", "at last", at=2 * DAY)
    world.memory().index()
    assert found(world, "kind:prompt") == ["at last", "and that", "then this", "first of all"]
    assert sessions(world, "kind:prompt") == ["a-new", "m-mid", "z-old"]
    assert found(world, "", kind="prompt", until="2026-01-06") == ["and that", "then this", "first of all"]


def test_an_exclusion_counts_without_words_too(world: World) -> None:
    tell(world, "s1", "about redis", "about sqlite", "ein Test mit → Pfeil", "redis → sqlite")
    world.memory().index()
    assert found(world, "kind:prompt -redis") == ["ein Test mit → Pfeil", "about sqlite"]
    assert found(world, "→ -redis") == ["ein Test mit → Pfeil"]


def test_a_phrase_without_words_is_taken_as_it_stands(world: World) -> None:
    tell(world, "s1", "x -> y", "x => y", "x then y")
    world.memory().index()
    assert found(world, '"->"') == ["x -> y"]
    assert found(world, 'x "=>"') == ["x => y"]


def test_texts_without_words_are_not_all_the_same(world: World) -> None:
    lines = tell(world, "s1", "🎉🎉", "🎉 !")
    lines.answer("🎉🎉")
    world.write(lines, folder="-home-dev-weather")
    world.memory().index()
    page = ask(world, "🎉")
    assert [(hit.snippet.text, hit.same) for hit in page.hits] == [("🎉🎉", 1), ("🎉 !", 0)]


# --- one passage -------------------------------------------------------------------------------------------------


def test_a_passage_with_what_was_said_around_it(world: World) -> None:
    tell(world, "s1", "first", "second", "the third one", "fourth", "fifth")
    world.memory().index()
    hit = ask(world, "third").hits[0]
    shown = world.memory().passages.show(hit.id, context=1)
    assert (shown.text, shown.kind, shown.session_id) == ("the third one", "prompt", "s1")
    assert [text for _, _, text in shown.before] == ["second"]
    assert [text for _, _, text in shown.after] == ["fourth"]
    assert shown.citation == hit.citation
    around = world.memory().passages.show(hit.id.upper(), context=10**30)
    assert [text for _, _, text in (*around.before, *around.after)] == ["first", "second", "fourth", "fifth"]
    assert world.memory().passages.show(hit.id, context=-1).before == ()


def test_a_call_without_a_text_is_passed_over(world: World) -> None:
    lines = Lines("s1")
    lines.prompt("first")
    lines.tool("EnterPlanMode")
    lines.prompt("the third one")
    lines.tool("TaskUpdate", taskId="9", status="in_progress")
    lines.prompt("fifth")
    world.write(lines)
    world.memory().index()
    hit = ask(world, "third").hits[0]
    shown = world.memory().passages.show(hit.id, context=1)
    assert [text for _, _, text in (*shown.before, *shown.after)] == ["first", "fifth"]
    around = world.memory().recall.timeline([hit.id], window=2)
    assert [item.preview for item in around] == ["first", "the third one", "fifth"]


@pytest.mark.parametrize("name", ["zzz", "", "no such", "1" * 40, "-1", "é", "\ud800"])
def test_a_passage_that_is_not_there(world: World, name: str) -> None:
    tell(world, "s1", "hello")
    world.memory().index()
    with pytest.raises(NotFound, match="there is no passage"):
        world.memory().passages.show(name)


def test_a_subagent_whose_session_is_not_there_has_a_project(world: World) -> None:
    child = Lines("gone", sidechain=True)
    child.prompt("look for it")
    child.answer("The bandicoot is in the attic.")
    folder = world.path("gone").with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-1.jsonl").write_bytes(child.data())
    world.memory().index()
    (hit,) = ask(world, "bandicoot").hits
    assert hit.project == "/home/dev/weather" and hit.agent == "claude-code"


# --- indexes that cannot answer ----------------------------------------------------------------------------------


@rows("R1.32")
def test_no_index_yet(world: World) -> None:
    with pytest.raises(NotFound, match="there is no index") as missing:
        ask(world, "anything")
    assert missing.value.hint == "run: axm index"


@pytest.mark.parametrize(
    "change",
    [
        "drop table documents",
        "drop table passages",
        "drop table chunks",
        "alter table tool_uses drop column output",
        "update projection_offsets set version = 1 where projector_name = 'passages'",
        "delete from projection_offsets where projector_name = 'passages'",
    ],
)
def test_an_index_of_another_version_says_what_to_do(world: World, change: str) -> None:
    tell(world, "s1", "hello there")
    world.write(tell(world, "s2", "hello again"))
    Notes(world).write("a.md", "# Hello\n")
    Notes(world).add()
    lines = Lines("s3")
    lines.tool("Bash", "t", command="hello")
    world.write(lines)
    world.memory().index()
    db = sqlite3.connect(world.home / "index.db")
    for (trigger,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        db.execute(f"drop trigger {trigger}")
    db.execute("drop view passage_texts")
    db.execute(change)
    db.commit()
    db.close()
    with pytest.raises(IndexCorrupt, match="version") as old:
        ask(world, "hello")
    assert old.value.hint == "run: axm index"


@rows("R1.23")
def test_the_version_of_the_index_stays_with_its_shape(world: World) -> None:
    tell(world, "s1", "one")
    world.memory().index()
    first = ask(world, "one").index_version
    tell(world, "s2", "two")
    world.memory().index()
    assert ask(world, "two").index_version == first


@rows("R1.11", "R1.20")
def test_hits_come_best_first(library: World) -> None:
    for query in ("the login test", "user", "라", "result keep"):
        assert all(a.score >= b.score for a, b in pairwise(ask(library, query, now=NOW).hits))
