"""The real client, or a clear word that it is not here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.clients.claude_code import Person, client
from tests.clients.model import Model

_people: list[Person] = []


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    found = Model()
    yield found
    found.close()


@pytest.fixture(scope="module")
def new_person(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Person]:
    """Makes people with a home of their own."""
    if client() is None:
        pytest.skip("the real Claude Code is not installed: make test-clients does that, with npm")
    if not Path("/proc/self/environ").exists():
        pytest.skip("needs /proc, to see which processes are left")

    def make(**environ: str) -> Person:
        person = Person(tmp_path_factory.mktemp("person"), model, **environ)
        _people.append(person)
        return person

    return make


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long the client saw our hooks take."""
    took: dict[str, list[int]] = {}
    for person in _people:
        for hook, ms in person.durations():
            took.setdefault(hook, []).append(ms)
    if took:
        terminalreporter.write_sep("-", "hooks, as the client measured them (milliseconds)")
    for hook, all_ms in sorted(took.items()):
        all_ms.sort()
        middle, high = all_ms[len(all_ms) // 2], all_ms[-1 - len(all_ms) // 20]
        terminalreporter.write_line(
            f"{hook:20} {len(all_ms):4} calls  p50 {middle:4}  p95 {high:4}  max {all_ms[-1]:4}"
        )
