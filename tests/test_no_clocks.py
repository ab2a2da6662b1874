"""No test compares a clock: what is asserted holds on a busy machine too. Figures of speed are made in bench/."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
CLOCKS = {f"time.{name}" for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time")}
CLOCKS |= {f"{name}_ns" for name in CLOCKS} | {"timeit.timeit", "timeit.repeat", "os.times", "resource.getrusage"}
RECKONING = {"min", "max", "sum", "abs", "round", "sorted", "int", "float", "statistics.median", "statistics.mean"}
EXCUSED = {
    "counting.py": "gives up waiting after two minutes, and asserts nothing",
    "test_no_clocks.py": "is this file",
    "backups/test_backup_crash.py": "kills at moments within what a run took, and compares how many there were",
    "scratchpads/test_crowd.py": "the slow test ends after a minute",
    "torture/crowd.py": "a process of the slow test ends after its minutes",
    "fuzz/run.py": "looks for crashes for as long as it is told, and asserts nothing",
    "ingest/test_bad_input.py": "compares memory, which getrusage tells as well",
}


def reads_a_clock(node: ast.AST, known: set[str]) -> bool:
    """Whether the value of an expression is a clock's: read here, or in a name that was given it. A clock that is
    handed to a function is data there, unless that function only reckons with it."""
    if isinstance(node, ast.Name | ast.Attribute):
        return (node.id if isinstance(node, ast.Name) else node.attr) in known
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called in CLOCKS or called in known or called.rpartition(".")[2] in known:
            return True
        return called in RECKONING and any(reads_a_clock(value, known) for value in node.args)
    return any(reads_a_clock(part, known) for part in ast.iter_child_nodes(node))


def given_names(node: ast.AST, known: set[str]) -> Iterator[str]:
    """Names that get the value of a clock by this node: assigned to, appended to, or functions that return one."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        if node.value is not None and reads_a_clock(node.value, known):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "add"):
        if any(reads_a_clock(value, known) for value in node.args):
            targets = [node.func.value]
    elif isinstance(node, ast.FunctionDef):
        returned = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]
        if any(reads_a_clock(value, known) for value in returned):
            yield node.name
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name | ast.Attribute):
                yield part.id if isinstance(part, ast.Name) else part.attr


def comparisons(source: str) -> list[int]:
    """The lines on which a clock is compared, top-level definition by definition."""
    found: list[int] = []
    for unit in ast.parse(source).body:
        known: set[str] = set()
        while new := {name for node in ast.walk(unit) for name in given_names(node, known)} - known - {"self"}:
            known |= new
        compared = (node for node in ast.walk(unit) if isinstance(node, ast.Compare))
        found += [node.lineno for node in compared if reads_a_clock(node, known)]
    return found


def test_no_test_compares_a_clock() -> None:
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if not name.startswith("clients/") and (lines := comparisons(path.read_text(encoding="utf-8"))):
            found[name] = lines
    assert {name: lines for name, lines in found.items() if name not in EXCUSED} == {}, (
        "count the work instead (tests/counting.py), or wait for something to happen"
    )


SEEN = """
started = time.monotonic(); assert time.monotonic() - started < 5
began = time.perf_counter(); took = time.perf_counter() - began; assert took < 1
def cost(): return time.process_time() - x
a = cost(); assert a < 4 * cost()
many.append(time.time() - x); assert min(many) < 0.1
if timeit.timeit(work) > 1: raise AssertionError
self.spent = time.monotonic(); assert self.spent < 3
"""
NOT_SEEN = """
at = time.time() - 600; write(at); assert read(at) == 3
assert report.seconds == 3 and memory.time(3) is None
"""


def test_a_clock_that_is_compared_is_seen() -> None:
    def wrapped(source: str) -> str:
        return "def test():\n" + "".join(f"    {line}\n" for line in source.strip().splitlines())

    assert len(comparisons(wrapped(SEEN))) == SEEN.count("assert") + SEEN.count("if ")
    assert comparisons(wrapped(NOT_SEEN)) == []
