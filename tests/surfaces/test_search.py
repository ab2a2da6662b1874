"""`axm search`, `show`, `open`, `kb search` and `eval`, as a person or an agent meets them."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from axiommind.search.find import Page
from axiommind.surfaces.render import hits
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import ask, tell
from tests.shell import axm
from tests.surfaces.shapes import HIT, MORE, PAGE
from tests.transcripts import PROJECT, Lines, World


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two projects, a session with a tool call, and a folder of notes. Nobody writes here."""
    world = World(Path(os.path.realpath(tmp_path_factory.mktemp("house"))))
    lines = Lines("aaaa-1111")
    lines.prompt("why is the wombat login slow")
    lines.answer("The wombat session is looked up twice.")
    lines.tool("Bash", "t1", command="pytest -k wombat")
    lines.result("t1", "1 failed", error=True)
    world.write(lines)
    tell(world, "bbbb-2222", "a wombat in another project", cwd="/home/dev/other")
    notes = Notes(world)
    notes.write("zoo.md", "---\ntags: [zoo]\n---\n# Zoo\nAnimals.\n## Marsupials\n\nThe wombat digs.\n")
    notes.write("sub/one.md", "# One\n\nA quokka smiles.\n")
    notes.write("sub2/one.md", "# One again\n\nA numbat eats.\n")
    notes.add()
    world.memory().index()
    return world


def searched(world: World, *args: str) -> dict[str, Any]:
    done = axm(world, "search", "--all-projects", "--json", *args)
    assert done.returncode == 0, done.stderr
    page: dict[str, Any] = json.loads(done.stdout)
    return page


def first_id(world: World, *args: str) -> str:
    return str(searched(world, *args)["hits"][0]["id"])


# --- axm search --json -------------------------------------------------------------------------------------------


@rows("R1.15", "R1.18")
def test_the_shape_of_the_json(house: World) -> None:
    page = searched(house, "wombat", "login")
    assert list(page) == PAGE
    assert (page["schema"], page["query"], page["search_method"]) == ("axm.search.v1", "wombat login", "fts5")
    assert isinstance(page["took_ms"], float) and isinstance(page["index_version"], str)
    assert page["total"] == len(page["hits"]) == 5 and page["next_cursor"] is None
    hit = page["hits"][0]
    assert [key for key in hit if key not in MORE] == HIT and sorted(set(hit) - set(HIT)) == sorted(MORE)
    assert hit["index_version"] == page["index_version"] and hit["chunk_id"] is None
    assert hit["kind"] == "prompt" and hit["doc_id"] is None and hit["session_id"] == "aaaa-1111"
    assert (hit["retrieval_method"], hit["score_kind"]) == ("fts5-bm25", "bm25")
    assert 0 < hit["score"] < 1 and hit["project"] == PROJECT and hit["timestamp"] == 1_767_600_000_000
    assert hit["summary"] == hit["snippet"] == "why is the wombat login slow"
    assert [hit["snippet"][a:b] for a, b in hit["highlights"]] == ["wombat", "login"]
    path = str(house.path("aaaa-1111"))
    assert hit["citation"] == {
        "text": f"{path}:L1",
        "uri": f"{path}#L1",
        "path": path,
        "line_start": 1,
        "line_end": 1,
    }


@rows("R1.18", "R1.19", "R1.23", "R1.36")
def test_the_json_of_a_document(house: World) -> None:
    (hit,) = searched(house, "wombat digs kind:doc")["hits"]
    path = str(Notes(house).root / "zoo.md")
    assert hit["doc_id"].startswith("doc-") and hit["session_id"] is None
    chunk = house.rows(f"select doc_id, line_start, line_end from chunks where id = {hit['chunk_id']}")
    assert chunk == [(hit["doc_id"], 6, 8)]
    assert hit["heading"] == "Zoo > Marsupials" and hit["citation"]["text"] == f"{path}:L6-L8"


def test_nothing_found_is_the_same_object_and_exit_1(house: World) -> None:
    done = axm(house, "search", "--json", "platypus")
    assert done.returncode == 1 and done.stderr == "Nothing found.\n"
    page = json.loads(done.stdout)
    assert list(page) == PAGE and page["hits"] == [] and page["total"] == 0 and page["next_cursor"] is None
    plain = axm(house, "search", "platypus")
    assert (plain.returncode, plain.stdout, plain.stderr) == (1, "", "Nothing found.\n")


def test_nothing_found_in_a_project_says_where_else(house: World) -> None:
    done = axm(house, "search", "--project", PROJECT, "another project")
    assert done.returncode == 1
    assert done.stderr == f"Nothing found in {PROJECT}.\n  hint: --all-projects includes other projects\n"
    assert axm(house, "search", "--all-projects", "another project").returncode == 0


def test_a_count_has_bounds(house: World) -> None:
    done = axm(house, "search", "--all-projects", "-k", "0", "--json", "wombat")
    assert done.returncode == 2 and "from 1 to 100" in done.stderr


def test_page_by_page(house: World) -> None:
    first = axm(house, "search", "--all-projects", "-k", "3", "wombat")
    assert first.stdout.count("axm show") == 3 and first.stderr.startswith("More: --cursor ")
    cursor = first.stderr.split()[-1]
    second = axm(house, "search", "--all-projects", "-k", "3", "wombat", "--cursor", cursor)
    assert second.stdout.count("axm show") == 2 and second.stderr == ""
    stale = axm(house, "search", "--all-projects", "-k", "3", "wombats", "--cursor", cursor)
    assert stale.returncode == 1 and "hint: search again without --cursor" in stale.stderr


def test_why(house: World) -> None:
    hit = searched(house, "wombat login", "--why")["hits"][0]
    assert {"matched", "missing", "words", "near", "kind_weight", "date", "recency", "passage"} <= set(hit["why"])
    text = axm(house, "search", "--all-projects", "--why", "--group", "session", "wombat login quokka platypus").stdout
    assert (
        "wombat: " in text
        and "not here: " in text
        and "in no passage: platypu" in text
        and "words " in text
        and "session " in text
    )


def test_filters_as_options_and_as_prefixes(house: World) -> None:
    as_options = searched(house, "wombat", "--kind", "tool", "--tool", "Bash")
    as_prefixes = searched(house, "wombat kind:tool tool:Bash")
    assert [hit["id"] for hit in as_options["hits"]] == [hit["id"] for hit in as_prefixes["hits"]]
    assert len(as_options["hits"]) == 1


# --- for people --------------------------------------------------------------------------------------------------


def test_what_a_person_sees(house: World) -> None:
    done = axm(house, "search", "--all-projects", "wombat login", "-k", "1")
    head, about, where = done.stdout.rstrip("\n").split("\n")
    assert head.startswith("1. [0.") and head.endswith("] why is the wombat login slow")
    assert about.startswith("   prompt · ") and " ago · " in about and "· axm show " in about and PROJECT in about
    assert where == "   " + str(house.path("aaaa-1111")).replace(str(house.base), "~") + ":L1"


def test_sessions_with_the_way_back(house: World) -> None:
    text = axm(house, "search", "--all-projects", "--group", "session", "wombat login").stdout
    assert f"cd {PROJECT} && claude --resume aaaa-1111" in text
    assert "3 passages" in text
    assert "Zoo > Marsupials" in text


def test_what_is_piped_has_no_colours(house: World) -> None:
    for command in (["search", "--all-projects", "wombat"], ["kb", "search", "wombat"], ["open", "zoo.md:L6"]):
        for wanted in ("", "1"):
            done = axm(house, *command, NO_COLOR=wanted)
            assert done.returncode == 0 and "\x1b" not in done.stdout + done.stderr


def test_colours_on_a_terminal_unless_they_are_not_wanted(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    page = ask(house, "wombat login", k=1)
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1mwombat\x1b[0m" in hits.as_text(page)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in hits.as_text(page)


BAD = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt\x00\x08"


def test_what_a_transcript_says_does_not_steer_the_terminal(world: World) -> None:
    cwd = f"/home/dev/{BAD}"
    lines = Lines("s1", cwd=cwd)
    lines.prompt(f"wombat {BAD} prompt")
    lines.answer(f"wombat {BAD} answer")
    lines.tool("Bash", "t1", command=f"wombat {BAD}")
    lines.result("t1", f"wombat {BAD} failed", error=True)
    lines.add("custom-title", customTitle=f"title {BAD}")
    world.write(lines, folder="-odd")
    notes = Notes(world)
    notes.write("n.md", f"# Heading {BAD.replace(chr(0), '')}\n\nwombat {BAD.replace(chr(0), '')}\n")
    notes.add()
    world.memory().index()
    name = first_id(world, "wombat kind:prompt")
    for command in (
        ["search", "--all-projects", "wombat"],
        ["search", "--all-projects", "wombat", "--why"],
        ["search", "--all-projects", "wombat", "--group", "session"],
        ["search", "--project", cwd.replace("\x00", ""), "zzz"],
        ["kb", "search", "wombat"],
        ["show", name, "-C", "5"],
        ["show", name, "--raw"],
        ["show", first_id(world, "wombat kind:doc")],
        ["open", "s1.jsonl:L1-L4"],
        ["open", "n.md:L1"],
    ):
        done = axm(world, *command)
        shown = done.stdout + done.stderr
        assert done.returncode in (0, 1) and shown
        assert all(char.isprintable() or char == "\n" for char in shown), command


def test_blanks_of_other_scripts_and_joined_emoji_are_shown(world: World) -> None:
    text = "全角　空白\u00a0と👨\u200d👩\u200d👧 wombat"
    tell(world, "s1", text)
    world.memory().index()
    assert text in axm(world, "show", first_id(world, "wombat")).stdout


def test_a_resume_command_can_be_pasted(world: World) -> None:
    tell(world, "it's; rm", "a wombat", cwd="/home/dev/my app")
    world.memory().index()
    text = axm(world, "search", "--all-projects", "--group", "session", "wombat").stdout
    assert "cd '/home/dev/my app' && claude --resume 'it'\"'\"'s; rm'" in text


def test_ages() -> None:
    minute, day = 60_000, 86_400_000
    now = 1_800_000_000_000
    for ago, shown in (
        (0, "just now"),
        (-5 * day, "just now"),
        (5 * minute, "5 min ago"),
        (3 * 60 * minute, "3 h ago"),
        (2 * day, "2 d ago"),
        (15 * day, "2 w ago"),
        (70 * day, "2 mo ago"),
        (800 * day, "2 y ago"),
    ):
        assert hits.age(now - ago, now / 1000) == shown
    assert hits.age(None, now / 1000) == ""


def test_an_empty_page_has_a_shape() -> None:
    page = Page("q", "fts5", 0.1, "3-abc", (), 0, False, None)
    assert json.loads(hits.as_json(page))["hits"] == [] and hits.as_text(page) == ""


# --- axm show ----------------------------------------------------------------------------------------------------


def test_show_a_passage(house: World) -> None:
    done = axm(house, "show", first_id(house, "wombat login kind:prompt"))
    assert done.returncode == 0
    assert done.stdout.startswith("prompt · ") and f"{house.path('aaaa-1111')}:L1\n" in done.stdout
    assert "── you · " in done.stdout and "why is the wombat login slow" in done.stdout
    assert "── agent · " in done.stdout and "looked up twice" in done.stdout, "what was said after it"


def test_show_as_json(house: World) -> None:
    name = first_id(house, "wombat twice")
    record = json.loads(axm(house, "show", name, "--json").stdout)
    assert record["schema"] == "axm.show.v1" and record["id"] == name and record["kind"] == "response"
    assert record["text"] == "The wombat session is looked up twice."
    assert record["citation"]["line_start"] == record["lines"][0]["line"] == 2
    assert [one["kind"] for one in record["before"]] == ["prompt"]
    assert [one["kind"] for one in record["after"]] == ["tool"]


def test_show_the_lines_themselves(house: World) -> None:
    done = axm(house, "show", first_id(house, "wombat kind:tool"), "--raw", "-C", "0")
    assert done.stdout.count("▸") == 2 and "pytest -k wombat" in done.stdout and "1 failed" in done.stdout
    document = axm(house, "show", first_id(house, "wombat kind:doc"))
    assert "▸ 6 │ ## Marsupials" in document.stdout and "  5 │" in document.stdout


@pytest.mark.parametrize("name", ["zzzzzz", "no-such", "", "%", "9" * 30])
def test_show_what_is_not_there(house: World, name: str) -> None:
    done = axm(house, "show", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no passage" in done.stderr and "hint: axm search prints the ids" in done.stderr


# --- axm open ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("citation", ["zoo.md:L8", "zoo.md#L8", "zoo.md:8", "./notes/zoo.md:L8", "notes/zoo.md#L8-L8"])
def test_open_ways_to_write_it(house: World, citation: str) -> None:
    done = axm(house, "open", citation, "-C", "0")
    assert (done.returncode, done.stdout) == (0, "▸ 8 │ The wombat digs.\n")


def test_open_a_whole_path_and_one_from_home(house: World) -> None:
    path = Notes(house).root / "zoo.md"
    assert "▸ 8 │ The wombat digs." in axm(house, "open", f"{path}:L8").stdout
    assert "▸ 8 │ The wombat digs." in axm(house, "open", "~/notes/zoo.md:L8").stdout, "as search prints it"


def test_open_as_json_with_lines_around(house: World) -> None:
    record = json.loads(axm(house, "open", "zoo.md:L6-L7", "--json", "-C", "1").stdout)
    assert record["schema"] == "axm.open.v1" and record["kind"] == "document"
    assert (record["citation"]["line_start"], record["citation"]["line_end"]) == (6, 7)
    assert [line["line"] for line in record["lines"]] == [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("citation", "said"),
    [
        ("one.md:L1", "fits 2 files"),
        ("zoo.md:L900", "has no line 900"),
        ("zoo.md", "is no citation"),
        ("zoo.md:L0", "lines are counted from 1"),
        ("nowhere.md:L1", "is not in the index"),
        ("", "is no citation"),
    ],
)
def test_open_what_does_not_open(house: World, citation: str, said: str) -> None:
    done = axm(house, "open", citation)
    assert (done.returncode, done.stdout) == (1, "") and said in done.stderr and "hint: " in done.stderr


def test_open_with_more_context_than_there_is(house: World) -> None:
    done = axm(house, "open", "zoo.md:L8", "-C", "999999")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 8


# --- axm kb search -----------------------------------------------------------------------------------------------


@rows("R1.2", "R1.26", "R1.27", "R1.35", "R1.36", "R1.38")
def test_search_documents(house: World) -> None:
    done = axm(house, "kb", "search", "wombat")
    assert done.returncode == 0
    head, document, citation, heading = done.stdout.rstrip("\n").split("\n")
    score = head.removeprefix("1. [").partition("] ")
    assert 0 < float(score[0]) < 1 and score[2] == "## Marsupials The wombat digs."
    assert document == "   doc: ~/notes/zoo.md"
    assert citation == "   citation: ~/notes/zoo.md:L6-L8"
    assert heading == "   heading: Zoo > Marsupials"


@rows("R1.17", "R1.26")
def test_search_documents_narrowed(house: World) -> None:
    assert axm(house, "kb", "search", "wombat", "--tag", "zoo").returncode == 0
    assert axm(house, "kb", "search", "quokka", "--path", "sub/**").returncode == 0
    nothing = axm(house, "kb", "search", "wombat", "--tag", "rust")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", "Nothing found.\n")
    found = json.loads(axm(house, "kb", "search", "quokka", "--json").stdout)
    assert found["schema"] == "axm.search.v1" and [hit["kind"] for hit in found["hits"]] == ["doc"]


# --- axm eval ----------------------------------------------------------------------------------------------------


@rows("R1.29", "R1.39", "R2.109")
def test_golden_queries_and_what_got_worse(world: World) -> None:
    notes = Notes(world)
    gone = notes.write("wombat.md", "# Wombats\n\nThe wombat digs.\n")
    notes.write("quokka.md", "# Quokkas\n\nThe quokka smiles.\n")
    notes.add()
    golden = world.base / "golden.yaml"
    golden.write_text(
        "- id: digging\n  query: what does the wombat do\n  expected: [wombat.md:L3]\n"
        "- id: smiling\n  query: who smiles\n  expected: [quokka.md]\n  group: smiles\n"
    )
    first = axm(world, "eval", "golden", str(golden))
    assert first.returncode == 0 and "No baseline at" in first.stderr and "hit@1" in first.stdout
    saved = axm(world, "eval", "golden", str(golden), "--save")
    assert saved.returncode == 0 and (world.base / "golden.baseline.json").exists()
    same = axm(world, "eval", "golden", str(golden), "--json")
    assert same.returncode == 0 and json.loads(same.stdout)["regressions"] == []
    assert json.loads(same.stdout)["baseline"] == "equal" and "Equal to the baseline: " in same.stderr
    gone.unlink()
    world.memory().documents.index()
    worse = axm(world, "eval", "golden", str(golden))
    assert worse.returncode == 3
    assert "Worse: digging: was at 1, now not in the top 10\n" in worse.stderr and "smiling" not in worse.stderr
    assert "Worse: hit@1: was 1.0, now 0.5\n" in worse.stderr
    assert axm(world, "eval", "golden", str(golden), "--save").returncode == 0
    notes.write("wombat.md", "# Wombats\n\nThe wombat digs.\n")
    world.memory().documents.index()
    better = axm(world, "eval", "golden", str(golden))
    assert better.returncode == 0 and "Better than the baseline: " in better.stderr


@rows("R1.29", "R1.38", "R1.39", "R2.109")
def test_the_golden_set_that_comes_with_the_program(world: World, tmp_path: Path) -> None:
    done = axm(world, "eval", "golden", "--sample", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["baseline"], found["regressions"]) == (0, "equal", []), (
        "search finds the set otherwise: read what changed; where it is better, axm eval golden --sample "
        "--baseline src/axiommind/sample/golden/golden.baseline.json --save"
    )
    assert list(found["groups"]) == ["ko", "en", "zh", "mixed"]
    assert not (world.home / "index.db").exists(), "it is measured in a home of its own"
    here = tmp_path / "here.json"
    assert axm(world, "eval", "golden", "--sample", "--save").returncode == 2
    assert axm(world, "eval", "golden", "--sample", "--save", "--baseline", str(here)).returncode == 0
    assert axm(world, "eval", "golden", "--sample", "--baseline", str(here)).returncode == 0


def test_golden_queries_that_cannot_be_read(world: World) -> None:
    tell(world, "s1", "hello")
    world.memory().index()
    missing = axm(world, "eval", "golden", str(world.base / "no.yaml"))
    assert missing.returncode == 1 and "no.yaml" in missing.stderr
    golden = world.base / "g.yaml"
    golden.write_text("- query: hello\n  expected: [s1]\n")
    (world.base / "g.baseline.json").write_text("not json")
    broken = axm(world, "eval", "golden", str(golden))
    assert broken.returncode == 1 and "is no baseline" in broken.stderr


# --- no index, an old one ----------------------------------------------------------------------------------------

COMMANDS = (["search", "hello"], ["show", "1a"], ["open", "a.md:L1"], ["kb", "search", "hello"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_index_yet(world: World, command: list[str]) -> None:
    done = axm(world, *command)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no index at" in done.stderr and "hint: run: axm index" in done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_index_of_an_older_version(world: World, command: list[str]) -> None:
    tell(world, "s1", "hello")
    world.memory().index()
    db = sqlite3.connect(world.home / "index.db")
    for kind, name in db.execute("select type, name from sqlite_master where type in ('trigger', 'view')").fetchall():
        db.execute(f"drop {kind} {name}")
    db.execute("drop table documents")
    db.execute("update projection_offsets set version = version - 1")
    db.commit()
    db.close()
    done = axm(world, *command)
    assert (done.returncode, done.stdout) == (3, "")
    assert "version" in done.stderr and "hint: run: axm index" in done.stderr
    assert axm(world, "index").returncode == 0
    assert axm(world, "search", "hello").returncode == 0, "and then it works again"


# --- mistakes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["search"], 2, "QUERY"),
        (["search", "x", "--project", "a", "--all-projects"], 2, "exclude each other"),
        (["search", "x", "--kind", "nonsense"], 1, "there is no kind 'nonsense'"),
        (["search", "kind:promt x"], 1, "did you mean prompt?"),
        (["search", "x", "--since", "whenever"], 2, "is not a time"),
        (["search", "since:whenever x"], 1, "is no time"),
        (["search", "x", "--project", "nowhere"], 1, "is not in the index"),
        (["search", "x project:nowhere"], 1, "is not in the index"),
        (["search", "x", "-k", "many"], 2, "is not a number from 1 to 100"),
        (["search", "merge", "-conflict"], 2, "quote a query"),
        (["search", "x", "--lang", "klingon"], 1, "is not a language"),
        (["kb", "search", " "], 2, "nothing to search for"),
        (["search", "x", "--cursor", "nonsense"], 1, "the cursor is of another query"),
        (["show"], 2, "ID"),
        (["open"], 2, "CITATION"),
    ],
)
def test_mistakes_are_said(house: World, args: list[str], code: int, said: str) -> None:
    done = axm(house, *args)
    assert (done.returncode, done.stdout) == (code, "") and said in done.stderr
