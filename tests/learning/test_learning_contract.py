"""The contract of memory with the rest: what every extractor and projection keeps, and what nobody can say once it is
forgotten. Each is held against a session in which everything that can be said holds one word that is nowhere else."""

from __future__ import annotations

import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

import axiommind
from axiommind import extraction
from axiommind.config import Config
from axiommind.errors import NotFound
from axiommind.extraction.contract import ExtractionFailed
from axiommind.llm.budget import BudgetReached, Spending
from axiommind.log.sqlite import SqliteLog
from axiommind.memory import Scope
from axiommind.projections import load_all
from axiommind.projections import transcript as recorded
from tests.ingest.traces import events, nowhere
from tests.learning.sessions import ONE, OTHER, TWO, WORD, story
from tests.shell import as_nobody
from tests.transcripts import World

ALL = Scope(None)
# Events that no projection folds: what was read is known from the segments, what is lifted from what is read again.
NOT_FOLDED = {"session_ingested", "forget_lifted"}
SOURCE = Path(axiommind.__file__).parent
ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"


@pytest.fixture
def told(world: World) -> World:
    """Two projects that were learned, with a conflict in each, and a person who has said something about all of it."""
    for project, word in ((ONE, WORD), (TWO, OTHER)):
        for n, answer in enumerate(("SQLite", "PostgreSQL")):
            session = story(f"{project[-3:]}-{n}", project, word, answer)
            world.write(session, folder=project.replace("/", "-"))
    world.memory().index()
    assert world.memory().learning.run().failed == 0
    memory = world.memory()
    for project, word in ((ONE, WORD), (TWO, OTHER)):
        mine = {kind: of(world, project, kind) for kind in ("decision", "fact", "task_note", "insight")}
        assert all(mine.values()), mine
        memory.entries.promote(mine["decision"][0], f"{word} is my word")
        memory.decisions.decide(f"{word} it is", [mine["decision"][0]], Scope(project), reason=f"{word} holds")
        memory.entries.rule(mine["fact"][0], "deprecated", f"{word} was a joke")
        memory.entries.rule(mine["insight"][0], "contested", f"{word}?")
        memory.entries.rule(mine["insight"][0], "restored", f"{word}!")
        memory.entries.rule(mine["task_note"][0], "superseded", f"{word} again", mine["task_note"][1])
        memory.entries.note_use([mine["decision"][0]], "shown")
        task = next(one for one in memory.tasks.list(Scope(project)) if one.status == "blocked")
        memory.tasks.set(task.task_id, status="in_progress", priority="high")
    return world


def of(world: World, project: str, kind: str) -> list[str]:
    sql = f"""select entry_id from entries where project = '{project}' and entry_type = '{kind}' and status = 'active'
              order by entry_id"""
    return [row[0] for row in world.rows(sql)]


def index(world: World, sql: str) -> list[tuple[Any, ...]]:
    """Rows as they lie in the file, whatever a scope would show."""
    db = sqlite3.connect(world.home / "index.db")
    found = db.execute(sql).fetchall()
    db.close()
    return found


def tables(world: World, kinds: str = "'table'") -> list[str]:
    found = index(world, f"select name from sqlite_master where type in ({kinds})")
    return [name for (name,) in found if not name.startswith(("sqlite_", "passages_fts"))]


def nothing_of(world: World, column: str, like: str) -> None:
    for name in tables(world):
        if column in {row[1] for row in index(world, f"pragma table_info({name})")}:
            assert index(world, f"select * from {name} where {column} like '{like}'") == [], name


# --- what events say -----------------------------------------------------------------------------------------


def test_no_event_repeats_what_was_said(told: World) -> None:
    for event_type, payload in events(told):
        assert WORD not in payload, (event_type, payload)


def test_every_event_is_folded_or_left_on_purpose(told: World) -> None:
    folded = {name for projection in load_all() for name in projection.EVENT_TYPES}
    assert {event_type for event_type, _ in events(told)} <= folded | NOT_FOLDED
    assert not folded & NOT_FOLDED


def written() -> set[str]:
    """Every event type that the library can write, by its source, and all that it reads."""
    found = {name for projection in load_all() for name in projection.EVENT_TYPES} | NOT_FOLDED
    for path in SOURCE.rglob("*.py"):
        found |= set(re.findall(r'(?:Emit|append_dedup|\.emit)\(\s*"([a-z_]+)"', path.read_text()))
    return found


@pytest.mark.parametrize("event_type", sorted(written()))
def test_every_event_is_documented(event_type: str) -> None:
    assert f"`{event_type}`" in ARCHITECTURE.read_text()


# --- forgetting ----------------------------------------------------------------------------------------------


def test_a_forgotten_session_is_nowhere(told: World) -> None:
    memory = told.memory()
    assert memory.forget(session="one-0").complete and memory.forget(session="one-1").complete
    memory.forget(decision=decision_of(told, ONE))
    nothing_of(told, "session_id", "one-%")
    nowhere(told, WORD)
    assert memory.verify() == []
    assert {row[0] for row in told.rows("select distinct project from entries")} == {TWO}


def test_a_forgotten_project_is_nowhere(told: World) -> None:
    memory = told.memory()
    assert memory.forget(project=ONE).complete
    nothing_of(told, "project", ONE)
    nothing_of(told, "session_id", "one-%")
    nowhere(told, WORD)
    assert memory.verify() == []
    assert len(told.rows("select decision_id from decisions")) == 1
    memory.rebuild()
    assert memory.verify() == []
    assert memory.learning.run().sessions == 0


def test_a_forgotten_decision_is_nowhere(told: World) -> None:
    memory = told.memory()
    memory.forget(decision=decision_of(told, ONE), reason="not ours")
    nowhere(told, f"{WORD} it is", f"{WORD} holds")
    assert len(told.rows("select decision_id from decisions")) == 1
    assert told.rows("select count(distinct decision_id) from decision_evidence") == [(1,)]
    with pytest.raises(NotFound):
        memory.forget(decision="dec_nothing")
    assert memory.verify() == []


def decision_of(world: World, project: str) -> str:
    return str(world.one(f"select decision_id from decisions where project = '{project}'"))


# --- every projection, every extractor -----------------------------------------------------------------------


def test_every_table_has_one_owner(told: World) -> None:
    owned = [table.name for projection in load_all() for table in projection.TABLES if not table.is_view]
    assert len(owned) == len(set(owned))
    assert set(tables(told)) - {"meta", "projection_offsets", "common_terms", "forgettings"} == set(owned) - {
        "passages_fts"
    }


# What these keep is no text, and whatever is forgotten is known by it when it comes back elsewhere.
KEEPS = {"projects"}


@pytest.mark.parametrize("projection", load_all(), ids=lambda projection: projection.NAME)
def test_every_projection_that_folds_anything_folds_forgetting(projection: Any) -> None:
    folds = not projection.EVENT_TYPES or "forgotten" in projection.EVENT_TYPES
    assert folds != (projection.NAME in KEEPS)


UNSCOPED = {"passage_texts", "rejected_claims"}


def test_a_project_sees_only_itself(told: World) -> None:
    assert shown_of_others(told) <= UNSCOPED


@pytest.mark.parametrize("name", sorted(UNSCOPED))
def test_nothing_shows_another_project(told: World, name: str) -> None:
    assert name not in shown_of_others(told)


def shown_of_others(world: World) -> set[str]:
    """The tables and views that show something of the other project in a project's scope."""
    theirs = [decision_of(world, TWO), TWO, OTHER]
    theirs += [row[0] for row in world.rows(f"select entry_id from entries where project = '{TWO}'")]
    theirs += [row[0] for row in world.rows(f"select entity_id from entities where project = '{TWO}'")]
    found = set()
    for name in tables(world, "'table', 'view'"):
        rows = repr(world.rows(f"select * from {name}", ONE))
        if any(one in rows for one in theirs):
            found.add(name)
    return found


@pytest.mark.parametrize("name", extraction.names())
def test_no_model_is_asked_beyond_the_budget(world: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every extractor has its name, and asks before it spends; the rules spend nothing, and say nothing of silence."""

    def refuse() -> None:
        raise BudgetReached("used up")

    monkeypatch.setenv("ANTHROPIC_API_KEY", "nothing")
    monkeypatch.setenv("OPENAI_API_KEY", "nothing")
    settings = {"URL": "http://127.0.0.1:9", "MODEL": "m", "CLAUDE": sys.executable, "ANSWERS": str(world.home / "no")}
    config = Config.load(world.environ | {f"AXM_EXTRACT_{key}": value for key, value in settings.items()})
    extractor = extraction.load(name, config, Spending(refuse, lambda call: pytest.fail(f"{call} was made")))
    assert extractor.name == name
    world.write(story("s", ONE, WORD))
    world.memory().index()
    memory = world.memory()
    with memory.home.reading(ALL, None) as db, memory.home.read_log() as (log, _key):
        read = recorded.read(db, log.blob, "s")
    assert read is not None
    empty = read._replace(messages=(), uses=())
    if name == "rules":
        assert extractor.extract(read).drafts and not extractor.extract(empty).drafts
        return
    with pytest.raises((BudgetReached, ExtractionFailed), match="used up"):
        extractor.extract(read)


def test_a_home_that_can_only_be_read_answers(told: World) -> None:
    decision = of(told, ONE, "decision")[0]
    task = told.memory().tasks.list(Scope(ONE))[0].task_id
    SqliteLog(told.home / "log.db", (told.home / "redaction.key").read_bytes()).close()
    for path in (one for one in told.home.rglob("*") if one.is_file()):
        path.chmod(0o444)
    told.home.chmod(0o555)
    asked = {
        "entries": ("entries", "--all-projects"),
        "entry": ("entry", "show", decision),
        "why": ("why", decision),
        "tasks": ("tasks", "--all-projects"),
        "task": ("task", "show", task),
        "blocked": ("blocked", "--all-projects"),
        "conditions": ("conditions", "resolved", "--all-projects"),
        "conflicts": ("conflicts", "--all-projects"),
        "decisions": ("decisions", "--all-projects"),
        "metrics": ("metrics", "--all-projects"),
        "budget": ("budget",),
        "verify": ("verify",),
    }
    try:
        for name, command in asked.items():
            done = as_nobody(told, *command)
            if "Permission denied" in done.stderr:  # another pytest began just now, and closed the folder above ours
                done = as_nobody(told, *command)
            empty = name in ("blocked", "conditions", "conflicts") and done.stderr.startswith("No ")
            assert done.returncode == int(empty), (name, done.stderr)
            assert name not in ("entries", "entry", "why", "tasks", "task", "decisions") or WORD in done.stdout, name
        refused = as_nobody(told, "learn")
        assert refused.returncode == 3 and "internal" not in refused.stderr, refused.stderr
    finally:
        told.home.chmod(0o755)
