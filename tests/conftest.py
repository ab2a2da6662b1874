"""Fixtures shared by all tests: a machine of its own for each, and the real data where it is there."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.examples import examples
from tests.scratch import write_in_memory
from tests.surfaces.command import Axm
from tests.transcripts import World

write_in_memory()

# `make test` tries the same cases every time, so that it says something about the change at hand; `make proof` (which
# sets AXM_EXAMPLES) looks for new ones, and tries more of them.
settings.register_profile(
    "axm",
    max_examples=examples(150),
    derandomize="AXM_EXAMPLES" not in os.environ,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("axm")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_leaks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the machine's own agents or home."""
    for name in list(os.environ):
        if name.startswith(("AXM_", "CLAUDE", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "user").mkdir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What reads the real transcripts is a proof: they are large, and most people do not have them. What is tried on
    made-up cases is a law."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.law)
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: looking through it again at each collection of garbage takes longer
    than most tests."""
    gc.freeze()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def axm(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Axm:
    """The command line in this process, on the world of the test."""
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "200")  # rows of tables stay on one line
    monkeypatch.chdir(world.base)
    return Axm(capsys, lambda: monkeypatch.setenv("AXM_PERSON_TOKEN", world.person_token))


@pytest.fixture(scope="session")
def shared() -> Path:
    if not (SHARED / "bench" / "transcripts").is_dir():
        pytest.skip("needs ../shared with the real transcripts, which is not part of the project")
    return SHARED
