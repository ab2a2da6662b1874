"""The page of the requirements: every row of the five designs beside how it is met and the tests that prove it.

Rows are in `rows/partN.toml`, resolutions in `rows/resolutions.toml`, and tests say themselves what they prove
(`@rows("R0.56")`, tests/rows.py). Tests are read, not imported: the page is made where they cannot run.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
PARTS = range(5)
SHOWN = 3  # tests of a row that are linked; the rest is counted


@dataclass(frozen=True)
class Row:
    """`replaced` is the resolution that stands in for the row, `target` what shows it where a test cannot, `open` what
    is missing."""

    id: str
    says: str
    met: str = ""
    section: str = ""
    resolutions: tuple[str, ...] = ()
    replaced: str = ""
    target: str = ""
    open: str = ""


@dataclass(frozen=True)
class Proof:
    """A test that names rows; `row_ids` as it wrote them."""

    file: str
    name: str
    row_ids: tuple[str, ...] = field(default=())


def rows_of(part: int) -> tuple[str, list[Row]]:
    """A seed's title and its rows, in their order."""
    stored: dict[str, Any] = tomllib.loads((HERE / "rows" / f"part{part}.toml").read_text("utf-8"))
    title = stored.pop("title")
    return title, [_row(name, one) for name, one in stored.items()]


def _row(name: str, stored: dict[str, Any]) -> Row:
    return Row(name, **{**stored, "resolutions": tuple(stored.get("resolutions", ()))})


def all_rows() -> dict[str, Row]:
    return {row.id: row for part in PARTS for row in rows_of(part)[1]}


def resolutions() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "rows" / "resolutions.toml").read_text("utf-8"))


def proofs() -> Iterator[Proof]:
    """Every test that says what it proves."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text("utf-8")
        if "rows(" not in text:
            continue
        file = path.relative_to(HERE.parent).as_posix()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                named = tuple(one for decorator in node.decorator_list for one in _named(decorator))
                if named:
                    yield Proof(file, node.name, named)


def _named(decorator: ast.expr) -> Iterator[str]:
    if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "rows":
        yield from (str(one.value) for one in decorator.args if isinstance(one, ast.Constant))


def by_row() -> dict[str, list[Proof]]:
    found: dict[str, list[Proof]] = {}
    for proof in proofs():
        for row in proof.row_ids:
            found.setdefault(row, []).append(proof)
    return found


INTRODUCTION = """
# Requirements

The five designs that this program unites, row by row: what each row says, how it is met, and what proves it. A test
names the rows that it proves (`@rows("R0.56")`); where a [resolution](#resolutions) stands in for a row, it is named
instead. `[A]` marks what a design leaves ambiguous, `[M]` what is optional there, `[P]` a performance figure.
"""
ABOUT_RESOLUTIONS = "What was decided where the designs differ, or where a row was found wrong in practice."
HEAD = ["| Row | Says | How it is met | Proof |", "|---|---|---|---|"]


def page() -> str:
    proven = by_row()
    rows = all_rows()
    shown = sum(bool(proven.get(row.id) or row.target or row.replaced) for row in rows.values())
    lines = [INTRODUCTION, f"{shown} of {len(rows)} rows are shown by a test, a target or a resolution.", ""]
    for part in PARTS:
        title, mine = rows_of(part)
        lines += [f"## Part {part}: {title}", ""]
        for row in mine:
            if row.section:
                lines += ["", f"### {row.section}", "", *HEAD]
            cells = row.id, _cell(row.says), _cell(_met(row)), _proof(row, proven.get(row.id, []))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += ["## Resolutions", "", ABOUT_RESOLUTIONS, "", "| Topic | Rows | What we do |", "|---|---|---|"]
    lines += [f"| {topic} | {one['rows']} | {_cell(one['decided'])} |" for topic, one in resolutions().items()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).lstrip() + "\n"


def _cell(text: str) -> str:
    return text.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")


def _met(row: Row) -> str:
    parts = [row.met]
    if row.replaced:
        parts.append(f"Replaced: {row.replaced}.")
    if row.open:
        parts.append(f"**Open**: {row.open}.")
    if row.resolutions:
        parts.append("Resolution: " + ", ".join(row.resolutions) + ".")
    return " ".join(part for part in parts if part)


def _proof(row: Row, found: list[Proof]) -> str:
    links = [f"[{one.name}](../{one.file})" for one in found[:SHOWN]]
    if len(found) > SHOWN:
        links.append(f"and {len(found) - SHOWN} more")
    if row.target:
        links.append(f"`{row.target}`")
    return "<br>".join(links) or "–"
