"""Filters: what each of them lets through, at its bounds, and what a project's scope shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from axiommind.errors import BadQuery
from axiommind.memory import Scope
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import DAY, ask, found, tell
from tests.transcripts import START, Lines, World

OTHER = "/home/dev/other"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two projects, a subagent, tools of several names, and notes. Every passage says `zebra` and its own word."""
    world = World(tmp_path_factory.mktemp("office"))
    lines = Lines("abc-1")
    lines.prompt("zebra prompt: change the auth module", at=0)
    lines.answer("zebra answer", at=1)
    lines.tool("Edit", "e1", at=2, file_path="/home/dev/weather/src/Auth.py", new_string="zebra edit")
    lines.tool("Read", "r1", at=3, file_path="/home/dev/weather/src/main.rs", why="zebra read")
    lines.tool("Bash", "b1", at=4, command="git commit -m zebra-git")
    lines.tool("Bash", "b2", at=5, command="pytest -k zebra_test")
    lines.tool("mcp__my_server__find", "m1", at=6, query="zebra server")
    lines.tool("mcp__myXserver__find", "m2", at=7, query="zebra impostor")
    lines.tool("Grep", "g1", at=8, pattern="zebra grep", path=5)
    world.write(lines)
    child = Lines("abc-1", sidechain=True)
    child.answer("zebra subagent", uuid="c1", at=9)
    folder = world.path("abc-1").with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-x.jsonl").write_bytes(child.data())
    tell(world, "abd-2", "zebra later: 로그인이 안 됩니다", at=10 * DAY)
    tell(world, "xyz-3", "zebra elsewhere", at=20 * DAY, cwd=OTHER)
    notes = Notes(world)
    notes.write("rust/kb.md", "---\ntags: [Rust, kb]\n---\n# Crates\n\nThis is the zebra note about crates.\n")
    notes.write("été.md", "---\ntags: [ÉTÉ]\n---\n# 설계\n\n여름 zebra 메모를 정리합니다.\n")
    notes.add()
    world.memory().index()
    return world


def about(world: World, query: str, **options: Any) -> set[str]:
    """The word after `zebra` of everything found: enough to tell passages apart."""
    names = {
        "prompt": "prompt",
        "answer": "answer",
        "zebra edit": "edit",
        "zebra read": "read",
        "zebra-git": "git",
        "zebra_test": "test",
        "zebra server": "server",
        "zebra impostor": "impostor",
        "zebra grep": "grep",
        "zebra subagent": "subagent",
        "zebra later": "later",
        "zebra elsewhere": "elsewhere",
        "zebra note": "note",
        "여름": "summer",
    }
    shown = found(world, query, k=100, **options)
    return {next(name for words, name in names.items() if words in text) for text in shown}


TOOLS = {"edit", "read", "git", "test", "server", "impostor", "grep"}
SESSION = {"prompt", "answer", "subagent"} | TOOLS
EVERYTHING = SESSION | {"later", "elsewhere", "note", "summer"}


def test_without_a_filter_everything(office: World) -> None:
    assert about(office, "zebra") == EVERYTHING


@rows("R1.17")
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ("kind:prompt", {"prompt", "later", "elsewhere"}),
        ("kind:prompt,response", {"prompt", "later", "elsewhere", "answer", "subagent"}),
        ("kind:doc", {"note", "summer"}),
        ("-kind:doc -kind:tool", {"prompt", "later", "elsewhere", "answer", "subagent"}),
        ("kind:insight", set()),
        ("tool:Edit", {"edit"}),
        ("tool:edit", {"edit"}),
        ("tool:Bash", {"git", "test"}),
        ("tool:Bash:git", {"git"}),
        ("tool:bash:%", {"git", "test"}),
        ("tool:Edit,Read", {"edit", "read"}),
        ("tool:mcp__my_server__find", {"server"}),
        ("tool:mcp__my_%", {"server"}),
        ("tool:mcp__%", {"server", "impostor"}),
        ("tool:%", TOOLS),
        ("tool:Edi", set()),
        ("-tool:Bash", EVERYTHING - {"git", "test"}),
        ("-tool:mcp__% -tool:Bash:git", EVERYTHING - {"server", "impostor", "git"}),
        ("kind:tool -tool:%", set()),
        ("session:abc-1", SESSION),
        ("session:abc", SESSION),
        ("session:ab", SESSION | {"later"}),
        ("session:*", set()),
        ("session:[a]bc", set()),
        ("session:ABC", set()),
        ("tag:rust", {"note"}),
        ("tag:RUST tag:kb", {"note"}),
        ("tag:rust tag:été", set()),
        ("tag:été", {"summer"}),
        ("tag:ÉTÉ", {"summer"}),
        ("lang:ko", {"summer", "later"}),
        ("lang:KO kind:doc", {"summer"}),
        ("lang:en kind:doc,prompt", {"note", "prompt", "elsewhere"}),
        ("lang:zh", set()),
        ("path:rust/**", {"note"}),
        ("path:notes/**", {"note", "summer"}),
        ("path:**/*.md", {"note", "summer"}),
        ("path:kb.md", {"note"}),
        ("path:rust", {"note"}),
        ("path:k*.md", set()),
        ("path:**/kb.md", {"note"}),
    ],
)
def test_each_filter(office: World, filters: str, names: set[str]) -> None:
    assert about(office, f"zebra {filters}") == names


@pytest.mark.parametrize(
    "file",
    ["auth.py", "src/Auth.py", "/home/dev/weather/src/Auth.py", "./src/auth.py", "*.py", "src/*.py", "**/Auth.*"],
)
def test_a_file_by_name_by_the_end_of_its_path_and_by_glob(office: World, file: str) -> None:
    """The call that names it, and what was said in the session that changed it; not every call of that session."""
    assert about(office, f"zebra file:{file}") == {"prompt", "answer", "edit"}


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("main.rs", {"read"}),  # read, and not changed: nobody talked about it
        ("kb.md", {"note"}),
        ("rust/kb.md", {"note"}),
        ("uth.py", set()),
        ("*.toml", set()),
        ("5", set()),
    ],
)
def test_other_files(office: World, file: str, names: set[str]) -> None:
    assert about(office, f"zebra file:{file}") == names


def test_several_files_are_all_of_them(office: World) -> None:
    assert about(office, "zebra file:auth.py file:*.py") == {"prompt", "answer", "edit"}
    assert about(office, "zebra file:auth.py file:main.rs") == set()


def test_a_tool_was_given_what_no_json_reader_takes(world: World) -> None:
    line = Lines().tool("Grep", "g1", pattern="zebra", path="src/" + "x" * 9000)
    text = json.dumps(line).replace('"pattern": "zebra"', '"pattern": "zebra", "depth": NaN')
    world.write(text.encode() + b"\n")
    world.memory().index()
    assert len(found(world, "zebra")) == 1
    assert found(world, "zebra file:auth.py") == []


@pytest.mark.parametrize("minutes", [0, 10 * DAY])
def test_since_and_until_at_their_bounds(office: World, minutes: int) -> None:
    at = START + minutes * 60_000
    name = "prompt" if minutes == 0 else "later"
    assert name in about(office, "zebra kind:prompt", since=at)
    assert name not in about(office, "zebra kind:prompt", since=at + 1)
    assert name not in about(office, "zebra kind:prompt", until=at)
    assert name in about(office, "zebra kind:prompt", until=at + 1)


def test_times_as_people_write_them(office: World) -> None:
    assert about(office, "zebra kind:prompt until:2026-01-05") == {"prompt"}, "the named day is in it"
    assert about(office, "zebra kind:prompt since:2026-01-06 until:2026-01-20") == {"later"}
    assert about(office, "zebra kind:prompt since:2026-01-25") == {"elsewhere"}
    with pytest.raises(BadQuery, match="since is after until"):
        ask(office, "zebra since:2026-02 until:2026-01")


def test_a_phrase_is_required_and_a_word_excluded(office: World) -> None:
    assert about(office, '"zebra note"') == {"note"}
    assert about(office, 'zebra "about crates"') == {"note"}
    assert about(office, 'zebra "crates about"') == set()
    assert about(office, "zebra kind:doc -crates") == {"summer"}
    assert about(office, 'zebra kind:prompt -"change the"') == {"later", "elsewhere"}
    assert about(office, "zebra kind:prompt -로그인") == {"prompt", "elsewhere"}


def test_all_that_a_session_says_of_it(world: World) -> None:
    """Of one session among many only the best are looked at; of the one that was asked for, all."""
    tell(world, "s1", *(f"zebra number{i} in field{i}" for i in range(40)))
    world.memory().index()
    assert ask(world, "zebra session:s1").total == 40


def test_a_language_is_found_behind_many_passages_of_another(world: World) -> None:
    for i in range(30):
        tell(world, f"s{i}", *(f"the zebra is in the field number{i} row{n}" for n in range(12)))
    tell(world, "ko", "얼룩말 zebra 사진을 로그인 화면에 넣어 주세요 그리고 버튼도 바꿔 주세요")
    world.memory().index()
    assert len(found(world, "zebra lang:ko")) == 1


# --- scope -------------------------------------------------------------------------------------------------------


def test_a_project_shows_its_own_and_notes_of_nobody(office: World) -> None:
    assert about(office, "zebra", project="/home/dev/weather") == SESSION | {"later", "note", "summer"}
    assert about(office, "zebra", project=OTHER) == {"elsewhere", "note", "summer"}


def test_a_project_named_in_the_query_wins(office: World) -> None:
    assert "elsewhere" in about(office, "zebra project:other", project="/home/dev/weather")
    assert about(office, "zebra kind:prompt project:/home/dev/other") == {"elsewhere"}


def test_documents_of_another_project_are_not_shown(world: World) -> None:
    """Notes that lie in a repository are its own; notes elsewhere are everybody's."""
    mine, theirs, free = (Notes(world, name) for name in ("mine", "theirs", "free"))
    for notes in (mine, theirs, free):
        notes.write("n.md", f"# Zebra\n\nA zebra of {notes.root.name}.\n")
        notes.add()
    tell(world, "s1", "hello", cwd=str(mine.root))
    tell(world, "s2", "hello", cwd=str(theirs.root))
    world.memory().index()
    page = world.memory().search("zebra", Scope(str(mine.root)))
    assert sorted(hit.snippet.text.split()[-1] for hit in page.hits) == ["free.", "mine."]
    assert world.memory().search("zebra", Scope(None)).total == 3
