"""Homes of users of every agent, as their clients wrote them: `homes/<agent>/` is what lies in the user's folder, and
`homes/<agent>.json` what a reader should find in it. A database is kept as SQL (`NAME.sql` makes `NAME`)."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from axiommind.config import Config
from axiommind.memory import Memory, Scope
from axiommind.reports.perspectives import load as load_perspective
from tests.transcripts import PERSON

HOMES = Path(__file__).parent / "homes"
AGENTS = sorted(path.stem for path in HOMES.glob("*.json"))
# A word of every home, in what was said and in what a tool printed, that a test can put something else for.
WORD = "nosuchmodule"
WRITTEN = 1_794_805_000  # when its files were, in seconds: some agents keep no other times


def expected(agent: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HOMES / f"{agent}.json").read_text(encoding="utf-8"))
    return found


def make_database(sql: str, path: Path) -> None:
    """The database of a dump, written anew where it is there: what its client would have committed by then."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("begin immediate")
        for (name,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            db.execute(f'drop table "{name}"')
        for statement in _statements(sql):
            db.execute(statement)
        db.execute("commit")


def is_database(path: Path) -> bool:
    return path.is_file() and path.read_bytes()[:6] == b"SQLite"


_TIMES = ("time_created", "created_at", "createdAt")


def rows_of(sql: str) -> tuple[list[str], list[tuple[str, tuple[Any, ...]]]]:
    """A dump as what makes its tables, and what inserts its rows one by one in the order of their times, which is that
    in which a client wrote them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in _statements(sql):
            db.execute(statement)
        made = [row[0] for row in db.execute("select sql from sqlite_master where sql is not null").fetchall()]
        found = []
        for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[1] for row in db.execute(f'pragma table_info("{table}")')]
            when = next((columns.index(name) for name in _TIMES if name in columns), None)
            insert = f'insert into "{table}" values ({", ".join("?" * len(columns))})'
            for row in db.execute(f'select * from "{table}" order by rowid').fetchall():
                found.append((0 if when is None else row[when] or 0, insert, row))
    found.sort(key=lambda one: one[0])
    return made, [(insert, row) for _, insert, row in found]


def touch(database: Path) -> None:
    """Say that the rows were written later, as a client does when it changes one."""
    with closing(sqlite3.connect(database)) as db, db:
        for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[1] for row in db.execute(f'pragma table_info("{table}")')]
            for column in (name for name in columns if "updated" in name):
                db.execute(f'update "{table}" set "{column}" = "{column}" + 1')
            if columns[:2] == ["key", "value"]:  # a write there replaces the row
                db.execute(f'update "{table}" set rowid = rowid + (select max(rowid) from "{table}")')


def _statements(sql: str) -> list[str]:
    found, part = [], ""
    for line in sql.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            found.append(part)
            part = ""
    return [one for one in found if not one.strip().upper().startswith(("BEGIN", "COMMIT", "PRAGMA"))]


class AgentHome:
    """A user's folder with an agent's sessions, our home, and a `Memory` over both."""

    def __init__(self, base: Path, agent: str | None = None, change: Callable[[str], str] = str) -> None:
        self.base = base
        self.user = base / "user"
        self.user.mkdir(parents=True, exist_ok=True)
        if agent is not None:
            self.lay(agent, change)

    def lay(self, agent: str, change: Callable[[str], str] = str) -> list[Path]:
        """Put an agent's files into the folder, their text changed; returns those that hold sessions."""
        made = []
        for path in sorted((HOMES / agent).rglob("*")):
            if not path.is_file():
                continue
            target = self.user / path.relative_to(HOMES / agent)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".sql":
                target = target.with_suffix("")
                make_database(change(path.read_text(encoding="utf-8")), target)
            else:
                try:
                    target.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
                except UnicodeDecodeError:
                    shutil.copyfile(path, target)
            os.utime(target, (WRITTEN, WRITTEN))
            made.append(target)
        return made

    def put(self, path: Path, data: bytes) -> None:
        """More of a file, as its agent would write it."""
        path.write_bytes(data)
        os.utime(path, (WRITTEN, WRITTEN))

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.user),
            "AXM_HOME": str(self.base / "axm"),
            "AXM_WORKERS": "0",
            "AXM_LEARN": "off",
            "AXM_EMBED_BACKGROUND": "0",
        }

    def memory(self, **environ: str) -> Memory:
        given = {**self.environ, **environ}
        return Memory(Config.load(given), environ=given, user=self.user, caller=PERSON)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return list(self.memory().own_sql(sql, Scope(None)))

    def sessions(self) -> dict[str, Any]:
        """Each session as a reader would tell it."""
        found: dict[str, Any] = {}
        for name, project, model, parent, title, *tokens in self.rows(
            "select id, project, model, parent_session, title, input_tokens, output_tokens, cache_creation_tokens, "
            "cache_read_tokens from sessions order by id"
        ):
            of = f"where session_id = '{name}'"
            found[name] = {
                "project": self._told(project),
                "model": model,
                "parent": parent,
                "title": title,
                "prompts": self._texts(f"select text from prompts {of} order by line"),
                "answers": self._texts(f"select text from responses {of} and text <> '' order by line_start"),
                "calls": [
                    list(row)
                    for row in self.rows(
                        f"select tool_name, classified_name, is_error from tool_uses {of} order by seq_order"
                    )
                ],
                "edits": self._texts(f"select file_path from file_edits {of} order by id"),
                "summaries": self._texts(f"select text from compaction_summaries {of} order by line"),
                "tokens": tokens,
            }
        return found

    def total(self) -> list[int]:
        """Tokens in, tokens out, and calls, of all sessions together: what forks copied counts once."""
        return [
            *self.rows(
                "select sum(input_tokens + cache_creation_tokens + cache_read_tokens), sum(output_tokens) "
                "from responses where canonical"
            )[0],
            *self.rows("select count(*) from tool_uses where canonical")[0],
        ]

    def _texts(self, sql: str) -> list[str]:
        return [self._told(row[0]) for row in self.rows(sql)]

    def _told(self, value: Any) -> Any:
        """A text of the index, wherever this home is."""
        return value.replace(str(self.user), "~") if isinstance(value, str) else value

    def said(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that was read, without what depends on how it came."""
        return {name: [tuple(map(self._told, row)) for row in self.rows(sql)] for name, sql in _SAID.items()}


def resumes(memory: Memory) -> dict[str, str | None]:
    """How each session is taken up again."""
    asked = load_perspective("sessions")
    params = {param.name: param.default for param in (*asked.filters, *asked.params)}
    return {row["id"]: row["resume"] for row in memory.query(asked, params, Scope(None))}


_SAID = {
    "sessions": """
        select id, project, agent, parent_session, model, title, prompt_count, tool_use_count, error_count,
               input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens from sessions order by id
    """,
    "prompts": "select session_id, text, timestamp, line, origin from prompts order by session_id, line, text",
    "responses": """
        select session_id, message_id, model, timestamp, text, input_tokens, output_tokens, cache_read_tokens
        from responses order by session_id, line_start, message_id
    """,
    "tool_uses": """
        select session_id, tool_name, classified_name, timestamp, input_json, is_error, error, output, line
        from tool_uses order by session_id, line, tool_use_id, tool_name
    """,
    "file_edits": "select session_id, file_path, timestamp from file_edits order by 1, 3, 2",
    "compaction_summaries": "select session_id, text, line from compaction_summaries order by 1, 3",
}


if __name__ == "__main__":  # what is found in a home, to be read against it by hand before it is kept
    import sys
    import tempfile

    from axiommind.sources import resume_command

    with tempfile.TemporaryDirectory() as folder:
        shown = AgentHome(Path(folder), sys.argv[1])
        shown.memory().index()
        sessions = shown.sessions()
        last = next(iter(sessions), "")
        command = [last, list(resume_command(sys.argv[1], last, "") or ())]
        print(
            json.dumps({"sessions": sessions, "total": shown.total(), "resume": command}, ensure_ascii=False, indent=1)
        )
