"""The perspectives' own SQL, on DuckDB over an export, gives the rows that it gives over the index."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind.home import Scope
from axiommind.memory import Memory
from axiommind.reports.perspectives import load, names
from tests.docs.pages import sample_memory
from tests.exports.reading import opened

pytest.importorskip("duckdb")


class Found(list[Any]):
    """Rows as a cursor of SQLite gives them."""

    def fetchall(self) -> list[Any]:
        return self

    def fetchone(self) -> Any:
        return self[0] if self else None

    def close(self) -> None:
        return


class AsSqlite:
    """DuckDB as a perspective asks SQLite. What is written otherwise is what docs/export.md lists."""

    def __init__(self, db: Any) -> None:
        self._db = db
        db.execute("set search_path = 'as_indexed,main'")
        db.execute("set integer_division = true")
        db.execute("create temp macro total(x) as coalesce(sum(x::double), 0)")

    def execute(self, sql: str, bound: Any = ()) -> Any:
        if "sum_dollars()" in sql:
            import sqlite3

            raise sqlite3.OperationalError("no prices here")
        if isinstance(bound, dict):
            wanted = set(re.findall(r"(?<![:\w]):([a-z_]+)", sql))
            return Found(self._db.execute(_translated(sql), {name: bound[name] for name in wanted}).fetchall())
        return Found(self._db.execute(_translated(sql), list(bound)).fetchall())


def _translated(sql: str) -> str:
    sql = re.sub(r"(?<![:\w]):([a-z_]+)", r"$\1", sql)
    sql = re.sub(r"date\(((?:max\()?[\w.]+\)?) / 1000, 'unixepoch', 'weekday 0', '-6 days'\)", _week, sql)
    sql = re.sub(r"date\(((?:max\()?[\w.]+\)?) / 1000, 'unixepoch'\)", r"strftime(epoch_ms(\1), '%Y-%m-%d')", sql)
    sql = re.sub(r"strftime\('([^']+)', ([$\w.]+) / 1000, 'unixepoch'\)", r"strftime(epoch_ms(\2::bigint), '\1')", sql)
    sql = sql.replace(" as integer)", " as bigint)").replace(" like ", " ilike ")
    sql = re.sub(r"\bat\b", '"at"', sql)
    sql = re.sub(r"strftime\('%s', (\w+)\)", r"epoch(\1::timestamp)", sql)
    sql = re.sub(r"(\S+) is not ('[^']*')", r"\1 is distinct from \2", sql)
    return re.sub(r"limit \$top", "limit (case when $top < 0 then 9223372036854775807 else $top end)", sql)


def _week(found: re.Match[str]) -> str:
    return f"strftime(date_trunc('week', epoch_ms({found[1]})), '%Y-%m-%d')"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = sample_memory(tmp_path_factory.mktemp("sample"))
    memory.index()
    return memory


@pytest.mark.parametrize("to", ["duckdb", "parquet"])
@pytest.mark.parametrize("name", names())
def test_the_same_rows(name: str, to: str, sample: Memory, tmp_path: Path) -> None:
    memory, perspective = sample, load(name)
    with closing(opened(to, memory.exports.make(to, tmp_path / "out").path)) as db:
        asked = AsSqlite(db)
        for given in _ways(memory):
            params: dict[str, Any] = {p.name: p.default for p in perspective.params}
            params |= {p.name: None for p in perspective.filters} | given
            expected = memory.query(perspective, params, Scope(None))
            found = perspective.run(asked, params)  # type: ignore[arg-type]
            assert [_plain(row) for row in found] == [_plain(row) for row in expected], given
            assert expected or given


def _ways(memory: Memory) -> list[dict[str, Any]]:
    (session, at), *_ = memory.own_sql(
        "select id, first_ts + 1 from sessions where parent_session is null order by first_ts", Scope(None)
    )
    return [{}, {"since": at}, {"until": at + 86_400_000}, {"session": session}, {"tool": "Edit"}, {"tool": "%e%"}]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Dollars need prices, which are no SQL; a decimal is a number."""
    return {k: float(v) if _is_decimal(v) else v for k, v in row.items() if k != "dollars"}


def _is_decimal(value: Any) -> bool:
    return type(value).__name__ in ("Decimal", "float")
