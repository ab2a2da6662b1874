"""Tables fit the terminal: every perspective and every list in 80 columns, whatever is in it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.memory import Memory
from axiommind.reports.perspectives import names
from axiommind.surfaces import cli
from axiommind.surfaces.render.table_layout import cut_middle, lay_out, width, wrap
from axiommind.surfaces.render.tables import as_table
from tests.docs.pages import sample_memory


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    memory: Memory = sample_memory(tmp_path_factory.mktemp("home"))
    memory.index()
    memory.learning.run()
    return memory.config.home


@pytest.fixture
def printed(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("AXM_HOME", str(home))

    def run(*argv: str) -> str:
        cli.main(list(argv))
        return capsys.readouterr().out

    return run


LISTS = [
    "entry list --all-projects",
    "entry list --all-projects --type task_note --all",
    "entry promote --policy --dry-run",
    "task list --all --all-projects",
    "decision list --all-projects",
    "condition list --all-projects",
    "metrics",
    "budget",
    "models",
    "embed --status",
    "kb list",
    "workflow list --all-projects",
    "query --list-perspectives --format table",
    "learn --dry-run --again --no-index",
]


@pytest.mark.parametrize("command", LISTS)
def test_a_list_fits_80_columns(printed, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in printed(*command.split()).splitlines() if width(line) > 80] == []


@pytest.mark.parametrize("name", names())
def test_a_perspective_fits_80_columns(printed, name: str) -> None:
    ask = ("query", "--all-projects", "--perspective", name)
    table = printed(*ask, "--format", "table")
    assert table and [line for line in table.splitlines() if width(line) > 80] == []
    dates = set(re.findall(r"\d{4}-\d\d-\d\d(?:T[\d:]+Z)?", printed(*ask)))
    assert {date for date in dates if date in printed(*ask, "--format", "csv")} == dates
    shown = " ".join(table.split())
    whole = set(re.findall(r'": "(\d{4}-\d\d-\d\d(?:T[\d:]+Z)?)"', printed(*ask)))
    assert [date for date in whole if date not in shown] == [], "a date is never cut"


def test_columns_that_are_empty_go(printed) -> None:
    ask = ("query", "--all-projects", "--perspective", "usage")
    table = printed(*ask, "--format", "table")
    assert "session_id" not in table and "project" not in table and "claude-" in table
    assert '"session_id": null' in printed(*ask)
    assert "session_id" in printed(*ask, "--format", "csv")


def test_the_terminal_says_how_wide_it_is(printed, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ("query", "--all-projects", "--perspective", "usage", "--format", "table")
    monkeypatch.setenv("COLUMNS", "200")
    wide = printed(*ask)
    assert "cache_creation_tokens" in wide.splitlines()[0]
    monkeypatch.setenv("COLUMNS", "5")  # says nothing
    assert max(map(width, printed(*ask).splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "many")
    assert max(map(width, printed(*ask).splitlines())) <= 80


def table(*rows: dict[str, object], columns: int = 40) -> list[str]:
    texts = [["" if value is None else str(value) for value in row.values()] for row in rows]
    found = lay_out(list(rows[0]), rows, texts, columns)
    return [*found.head, found.rule, *found.body]


def test_what_wraps_and_what_is_cut() -> None:
    row = {"date": "2026-01-31", "what": "a sentence that is too long for it", "times": 12, "nothing": None}
    assert table(row) == [
        "date        what                   times",
        "──────────  ─────────────────────  ─────",
        "2026-01-31  a sentence that is        12",
        "            too long for it",
    ]
    lines = table({"id": "018427c2-680a-4c1e-9c55-1d5a4b2d5c73", "path": "/home/dev/skycast/src/forecast/hourly.py"})
    assert lines[2].startswith("018427c2") and lines[2].endswith("hourly.py") and lines[2].count("…") == 2


def test_wide_characters_take_two_columns() -> None:
    assert table({"tool": "테스트", "n": 1}, {"tool": "test", "n": 10}) == [
        "tool     n",
        "──────  ──",
        "테스트   1",
        "test    10",
    ]
    assert all(width(line) <= 11 for line in wrap("コントリビューションへの導線を追加して", 11))


def test_a_row_that_does_not_fit_is_a_block() -> None:
    lines = table({f"column_{i}": f"value {i}" for i in range(9)})
    assert lines[:2] == ["", "column_0  value 0"] and len(lines) == 10


def test_kinds_of_rows_are_tables_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    one = {f"first_{i}": f"value {i}" for i in range(3)}
    two = {f"other_{i}": f"value {i}" for i in range(3)}
    rows = [{"kind": "one", **one, **dict.fromkeys(two)}, {"kind": "two", **dict.fromkeys(one), **two}]
    first, second = as_table(tuple(rows[0]), rows, sys.stdout).split("\n\n")
    assert first.startswith("kind  first_0") and second.startswith("kind  other_0")


VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=300),
    st.sampled_from(
        ["2026-01-31", "018427c2-680a-4c1e-9c55-1d5a4b2d5c73", "/home/dev/skycast/src", "테스트를 추가해줘"]
    ),
)


@given(st.lists(st.lists(VALUES, min_size=1, max_size=12), min_size=1, max_size=6), st.integers(20, 200))
def test_nothing_is_wider_than_the_terminal(found: list[list[object]], room: int) -> None:
    columns = [f"name_of_{i}" for i in range(len(found[0]))]
    rows = [dict(zip(columns, [*line, *[None] * len(columns)], strict=False)) for line in found]
    texts = [["" if v is None else " ".join(str(v).split())[:200] for v in row.values()] for row in rows]
    done = lay_out(columns, rows, texts, room)
    assert [line for line in (*done.head, done.rule, *done.body) if width(line) > room] == []


@given(st.text(max_size=100), st.integers(1, 60))
def test_a_cut_keeps_both_ends(text: str, room: int) -> None:
    done = cut_middle(text, room)
    assert width(done) <= room or width(text[:1]) > room
    assert done == text or "…" in done
