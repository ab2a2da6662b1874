"""Builds: how a run of the pipeline ended, also when a later one ended it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from axiommind.log.sqlite import SqliteLog
from axiommind.projections.runner import Index, Segments
from tests.log.contract import KEY

_STARTED = dict.fromkeys(("model", "prompt_hash", "embedder_model", "embedding_version"), "") | {
    "idris_version": "none",
    "schema_version": "3",
}


class Builds:
    def __init__(self, folder: Path) -> None:
        self.log = SqliteLog(folder / "log.db", KEY)
        self.index = Index(folder / "index.db")

    def start(self, build: str, extractor: str = "rules", session: str = "s") -> None:
        self._add("build_started", build, session, {**_STARTED, "extractor": extractor, "head": "1.1"})

    def finish(self, build: str, status: str = "success", extractor: str = "rules", session: str = "s") -> None:
        given = {"status": status, "head": "1.1", "extractor": extractor, "model": None, "prompt_hash": None}
        self._add("build_finished", build, session, given)

    def _add(self, event_type: str, build: str, session: str, payload: dict[str, Any]) -> None:
        key = f"{event_type} {build}"
        self.log.append_dedup(
            event_type, actor="t", payload=payload, dedupe_key=key, session_id=session, build_id=build
        )

    def rows(self) -> dict[str, tuple[str, str | None, str | None]]:
        self.index.catch_up(self.log, Segments(self.log))
        rows = self.index.db.execute("select build_id, status, error, resumed_by from build_runs")
        return {row[0]: row[1:] for row in rows}


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    return Builds(tmp_path)


def test_what_was_cut_off_and_finished_later_says_so(builds: Builds) -> None:
    builds.start("killed")
    builds.start("killed again")
    assert builds.rows()["killed"] == ("failed", "cut off", None)
    builds.start("last")
    builds.finish("last")
    assert builds.rows() == {
        "killed": ("resumed", None, "last"),
        "killed again": ("resumed", None, "last"),
        "last": ("success", None, None),
    }


def test_only_the_same_work_resumes_it(builds: Builds) -> None:
    builds.start("killed")
    builds.start("other session", session="t")
    builds.finish("other session", session="t")
    builds.start("other extractor", extractor="claude")
    builds.finish("other extractor", extractor="claude")
    assert builds.rows()["killed"] == ("running", None, None)
    builds.start("failed")
    builds.finish("failed", status="failed")
    assert builds.rows()["killed"] == ("failed", "cut off", None)
    assert builds.rows()["failed"] == ("failed", None, None)


def test_one_that_was_only_slower_ends_by_itself(builds: Builds) -> None:
    builds.start("slow")
    builds.start("quick")
    builds.finish("quick")
    builds.finish("slow")
    assert builds.rows() == {"slow": ("success", None, None), "quick": ("success", None, None)}
