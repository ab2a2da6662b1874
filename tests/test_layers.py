"""The shape of the house: who may import whom, no circles, private names stay private, names that mean one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import axiommind
from tests.rows import rows

ROOT = Path(axiommind.__file__).parent
# A row may import the rows below it; names on one row may not import each other.
ROWS = [
    {"surfaces", "testing"},
    {"memory"},
    {"memory_parts"},
    {"health"},
    {"reports"},
    {"recall", "learning", "scratchpads", "ingest", "sync", "exports"},
    {"grounding"},
    {"search", "extraction", "freshness", "backups"},
    {"vectors", "llm", "approval"},
    {"home"},
    {"projections"},
    {"log", "sources", "http"},
    {"tools"},
    {"text", "db", "projects", "callers", "prices"},
    {"config", "config_file"},
    {"settings", "setting_limits"},
    {"recall_settings"},
    {"setting"},
    {"ids"},
    {"registry"},
    {"model", "disk"},
    {"errors", "consent", "distribution", "holders", "killable", "locks"},
    {"private"},
]
LEVEL = {name: i for i, row in enumerate(ROWS) for name in row}
OUTSIDE = {"__init__", "__main__", "sample"}
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    return {
        ".".join(("axiommind", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in sorted(ROOT.rglob("*.py"))
    }


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def folder(module: str) -> str:
    return module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]


@cache
def imports(module: str) -> frozenset[tuple[str, str]]:
    """What a module imports of the package, wherever in the file: (module, name); a module itself has no name."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree(modules()[module])):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names if alias.name in modules()}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: relative import"
            for alias in node.names if (node.module or "").partition(".")[0] == "axiommind" else ():
                full = f"{node.module}.{alias.name}"
                found.add((full, "") if full in modules() else (str(node.module), alias.name))
    return frozenset(found)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def test_every_module_has_a_row() -> None:
    assert {room(module) for module in modules()} <= LEVEL.keys() | OUTSIDE


@rows("R1.28", "R1.33")
def test_imports_only_go_down() -> None:
    wrong = [
        f"{module} imports {other}"
        for module in modules()
        if room(module) not in OUTSIDE
        for other, _ in imports(module)
        if room(other) not in OUTSIDE and room(other) != room(module) and LEVEL[room(other)] <= LEVEL[room(module)]
    ]
    assert wrong == []


def test_no_circles() -> None:
    """Between modules, wherever they are; an import inside a function counts."""
    left = {m: {o for o, _ in imports(m) if o != m and o != "axiommind"} for m in modules() if m != "axiommind"}
    while done := {m for m, others in left.items() if not others} | left.keys() - set().union(*left.values()):
        left = {m: others - done for m, others in left.items() if m not in done}
    assert left == {}, f"these import each other: {sorted(left)}"


def test_private_names_stay_private() -> None:
    """A name with an underscore is used in its module, and a module with one in its folder and below."""
    wrong = []
    for module in modules():
        for other, name in imports(module):
            parent, _, stem = other.rpartition(".")
            inside = f"{folder(module)}.".startswith(f"{parent}.")
            if (stem.startswith("_") and not stem.startswith("__") and not inside) or (
                name.startswith("_") and not name.startswith("__")
            ):
                wrong.append(f"{module} imports {other} {name}".strip())
    assert wrong == []


def test_only_ingest_knows_sources_and_log() -> None:
    """Reading is on one side, storing on the other. (Projections fold what both made, so they see both; a restore reads
    again what its backup left out.)"""
    both = {room(m) for m in modules() if {"log", "sources"} <= {room(other) for other, _ in imports(m)}}
    assert both <= {"ingest", "projections", "backups", "health", "home", "memory"}


def functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (one for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))


def test_nothing_is_too_long_to_read() -> None:
    for module, path in modules().items():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES, module
        for one in functions(tree(path)):
            assert (one.end_lineno or 0) - one.lineno < MOST_LINES_OF_A_FUNCTION, f"{module}: {one.name}"


def test_one_class_one_name() -> None:
    homes = defaultdict(list)
    for module, path in modules().items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_memory_is_composition() -> None:
    """No SQL and no rules: nothing in memory.py and memory_parts.py runs a statement, loops or branches."""
    node = ast.Module([*tree(ROOT / "memory.py").body, *tree(ROOT / "memory_parts.py").body], [])
    assert not [one for one in ast.walk(node) if isinstance(one, ast.For | ast.While | ast.Try | ast.Match)]
    assert not [one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr.startswith("execute")]


def test_the_page_about_architecture_draws_these_rows() -> None:
    page = (ROOT.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = [set(line.split(" | ")) for line in page.partition("\n```\nsurfaces")[2].partition("```")[0].splitlines()]
    assert [{"surfaces", *drawn[0]} - {""}, *drawn[1:]] == ROWS


def test_the_tests_see_what_they_look_for() -> None:
    assert ("axiommind.sources", "discover_all") in imports("axiommind.home")
    assert LEVEL["surfaces"] < LEVEL["errors"]
    assert len(modules()) > 300
