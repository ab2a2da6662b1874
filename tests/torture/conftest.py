"""One victim for all tests of a process: starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.torture.faults import Victim, victims


@pytest.fixture(scope="session")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with victims(tmp_path_factory.mktemp("shim")) as made:
        yield made
