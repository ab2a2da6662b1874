"""The tables and indexes that the designs name are there, with its columns, and hold what it says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from axiommind.projections.scope import open_scoped
from tests.rows import rows
from tests.transcripts import PROJECT, Lines, World

COLUMNS = {
    "meta": "key value",
    "sessions": "id file_path file_size file_mtime first_ts last_ts prompt_count tool_use_count indexed_at",
    "prompts": "id session_id text timestamp char_count",
    "tool_uses": "id session_id seq_order tool_name classified_name timestamp input_json",
    "file_edits": "id session_id tool_use_id file_path timestamp",
    "prompt_keywords": "id prompt_id keyword",
    "tool_transitions": "from_tool to_tool count probability",
    "weekly_buckets": "week_start tool_name count session_count",
    "file_hotspots": "file_path edit_count session_count",
    "session_links": "session_a session_b shared_files overlap_ratio time_gap_minutes",
    "workflows": "id name description project_scope is_active created_at updated_at",
    "scratchpads": "id workflow_id title content created_at updated_at",
}
# Of the memory: a scope shows the same columns.
MEMORY = {
    "entries": "entry_id created_ts entry_type title content_json stage status superseded_by build_id evidence_json "
    "canonical_key created_at",
    "entities": "entity_id entity_type canonical_key title stage status current_json title_norm search_text created_at "
    "updated_at",
    "entity_aliases": "entity_type canonical_key entity_id is_primary created_at",
    "edges": "edge_id src_type src_id rel_type dst_type dst_id meta_json created_at",
    "vector_outbox": "job_id item_kind item_id embedding_version status error created_at updated_at",
    "build_runs": "build_id started_at finished_at extractor_model extractor_prompt_hash embedder_model "
    "embedding_version idris_version schema_version status error",
    "decisions": "decision_id ts actor action outcome_json confidence build_id created_at",
    "decision_evidence": "id decision_id evidence_kind evidence_id evidence_stage role",
    "conflicts": "conflict_id older_id newer_id conflict_type reason detected_at resolved_at resolution resolved_by",
    "pipeline_metrics": "id ts stage latency_ms success error session_id",
    "projection_offsets": "projector_name last_ts last_event_id",
}
LOG = {
    "events": "event_id ts event_type actor session_id payload_json payload_redacted sensitivity checksum build_id "
    "created_at",
    "event_dedup": "dedupe_key event_id ts event_type",
}
INDEXES = {
    "idx_prompts_session": "prompts",
    "idx_prompts_ts": "prompts",
    "idx_tool_uses_session": "tool_uses",
    "idx_tool_uses_tool": "tool_uses",
    "idx_tool_uses_ts": "tool_uses",
    "idx_file_edits_session": "file_edits",
    "idx_file_edits_path": "file_edits",
    "idx_keywords_keyword": "prompt_keywords",
    "idx_weekly_week": "weekly_buckets",
}


@pytest.fixture
def filled(world: World) -> World:
    lines = Lines("s1")
    lines.prompt("add a retry budget to the forecast", at=1_000)
    lines.tool("Read", "t1", file_path=f"{PROJECT}/a.py")
    lines.tool("Edit", "t2", file_path=f"{PROJECT}/a.py", old_string="a", new_string="b")
    lines.tool("Bash", "t3", command="git add -A")
    lines.prompt("now the tests please", at=500_000)
    world.write(lines)
    world.memory().index()
    return world


@rows("R0.17", "R0.18", "R0.23", "R0.25", "R0.30", "R0.32", "R0.35", "R0.37", "R0.39", "R0.40", "R4.6", "R4.7")
@pytest.mark.parametrize("table", COLUMNS)
@pytest.mark.parametrize("project", [PROJECT, None])
def test_a_table_has_the_columns_of_the_design(filled: World, table: str, project: str | None) -> None:
    with closing(open_scoped(filled.home / "index.db", project)) as db:
        found = {row[1] for row in db.execute(f"select * from pragma_table_info('{table}')")} or {
            column[0] for column in db.execute(f"select * from {table}").description
        }
    assert set(COLUMNS[table].split()) <= found


@rows("R2.16", "R2.21", "R2.23", "R2.24", "R2.26", "R2.27", "R2.28", "R2.29", "R2.30", "R2.31", "R2.15", "R2.97")
@pytest.mark.parametrize("table", MEMORY)
def test_a_table_of_the_memory_has_the_columns_of_the_design(filled: World, table: str) -> None:
    assert set(MEMORY[table].split()) <= columns(filled.home / "index.db", table)


@rows("R2.13", "R2.14", "R2.97", "R2.105")
@pytest.mark.parametrize("table", LOG)
def test_the_log_has_the_columns_of_the_design(filled: World, table: str) -> None:
    assert set(LOG[table].split()) <= columns(filled.home / "log.db", table)


def columns(path: Path, table: str) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {row[1] for row in db.execute(f"select * from pragma_table_info('{table}')")}


@rows("R2.9", "R2.96", "R2.102")
def test_json_is_text_that_sqlite_calls_valid(filled: World) -> None:
    for file in ("log.db", "index.db"):
        with closing(sqlite3.connect(filled.home / file)) as db:
            declared = db.execute(
                "select m.name, c.name, c.type from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'"
            )
            jsons = [(table, column, kind) for table, column, kind in declared if column.endswith("_json")]
            assert jsons and {kind.lower() for _, _, kind in jsons} <= {"text", ""}
            for table, column, _ in jsons:
                wrong = f"select count(*) from {table} where {column} is not null and not json_valid({column})"
                assert db.execute(wrong).fetchone() == (0,)


@rows("R0.24", "R0.29", "R0.31", "R0.32", "R0.37")
@pytest.mark.parametrize("index", INDEXES)
def test_an_index_of_the_design_is_there(filled: World, index: str) -> None:
    with closing(sqlite3.connect(filled.home / "index.db")) as db:
        [(table,)] = db.execute("select tbl_name from sqlite_master where type = 'index' and name = ?", (index,))
    assert table == INDEXES[index]


@rows("R0.17", "R0.19", "R0.20", "R0.21", "R0.22", "R0.26", "R0.27", "R0.28", "R0.77")
def test_what_the_columns_hold(filled: World) -> None:
    [file] = filled.projects.rglob("s1.jsonl")
    with closing(open_scoped(filled.home / "index.db", PROJECT)) as db:
        meta = dict(db.execute("select key, value from meta"))
        session = db.execute(
            "select id, file_path, file_size, file_mtime, first_ts, last_ts, indexed_at, prompt_count from sessions"
        ).fetchone()
        asked = [row[0] for row in db.execute("select timestamp from prompts order by timestamp")]
        used = db.execute(
            "select seq_order, tool_name, classified_name, input_json from tool_uses order by 1"
        ).fetchall()
    assert (meta["schema_version"], meta["project_path"]) == ("3", PROJECT) and "last_indexed_at" in meta
    assert session[:3] == ("s1", str(file), file.stat().st_size)
    assert session[3] == file.stat().st_mtime_ns // 1_000_000
    assert [session[4], session[5]] == asked and session[7] == 2
    assert session[6].endswith("Z") and "T" in session[6]
    assert [row[:3] for row in used] == [(0, "Read", "Read"), (1, "Edit", "Edit"), (2, "Bash", "Bash:git")]
    assert "git add -A" in used[2][3]
