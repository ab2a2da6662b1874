"""The index and what was learned: how much there is, what could not be read, what failed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from axiommind import db as sqlite
from axiommind.config import Config
from axiommind.errors import StoreError
from axiommind.health.check import Check
from axiommind.model import Problem
from axiommind.projections import load_all
from axiommind.projections.scope import require_schema

__all__ = ["check_index", "check_memory", "sessions_to_learn"]


def check_index(config: Config) -> list[Check]:
    """What is in the index, and what of it could not be read."""
    if not config.index_path.exists():
        return [Check("index.db", "warn", "not there; run: axm index")]
    try:
        db = sqlite.open_read(config.index_path)
    except sqlite3.DatabaseError:
        return []  # said already
    try:
        (last,) = db.execute("select value from meta where key = 'last_indexed_at'").fetchone() or ("never",)
        projects = db.execute(
            "select project, count(*) from sessions group by project order by count(*) desc, project"
        ).fetchall()
        (sessions,) = db.execute("select count(*) from sessions").fetchone()
        (bad,) = db.execute("select count(*) from problems").fetchone()
        problems = db.execute("select path, line, why from problems order by path, line limit 1000").fetchall()
        flaws = db.execute(
            """
            select d.path, p.line, p.why from document_problems p join documents d on d.id = p.doc_id
            order by d.path, p.line, p.why limit 1000
            """
        ).fetchall()
        unknown = db.execute(
            "select type, sum(count) from record_counts where not known group by type order by 2 desc, type"
        ).fetchall()
        versions = dict(db.execute("select projector_name, version from projection_offsets").fetchall())
        (schema,) = db.execute("select value from meta where key = 'schema_version'").fetchone() or (None,)
        require_schema(config.index_path, schema)
    except StoreError as error:
        return [Check("index.db", "bad", error.message, (error.hint,))]
    except sqlite3.DatabaseError as error:
        return [Check("index.db", "bad", f"cannot be read: {error}", ("run: axm rebuild",))]
    finally:
        db.close()
    expected = {p.NAME: p.VERSION for p in load_all()}
    details = tuple(f"{count:>5}  {project}" for project, count in projects[:10])
    data = {"sessions": sessions, "projects": dict(projects), "last_indexed_at": last, "versions": versions}
    checks = [
        Check("index.db", "ok", f"sessions: {sessions}, projects: {len(projects)}, last indexed {last}", details, data)
    ]
    if versions != expected:
        checks.append(Check("index.db", "warn", "made by another version; run: axm index"))
    if problems:
        shown = tuple(f"{Problem(*row).where}  {row[2]}" for row in problems[:20])
        listed = [{"path": p, "line": n, "why": w} for p, n, w in problems]
        text = f"{bad} lines could not be read; the rest of their files was"
        checks.append(Check("problems", "note", text, shown, {"problems": listed}))
    if flaws:
        shown = tuple(f"{Problem(*row).where}  {row[2]}" for row in flaws[:20])
        listed = [{"path": p, "line": n, "why": w} for p, n, w in flaws]
        text = f"{len(flaws)} places in documents are not as they should be; their text is indexed as it is"
        checks.append(Check("documents", "note", text, shown, {"problems": listed}))
    if unknown:
        text = f"{sum(n for _, n in unknown)} records of types this version does not know (counted, kept in the log)"
        checks.append(Check("unknown", "note", text, tuple(f"{t}: {n}" for t, n in unknown), dict(unknown)))
    return checks


_WAITING = """
    select count(*)
    from sessions s
    where not exists (
        select 1
        from learned l
        where l.session_id = s.id
          and l.status = 'success'
          and l.head = (select max(g.position) || '.' || count(*) from segments g where g.session_id = s.id and g.live)
    )
"""


def sessions_to_learn(config: Config) -> int:
    """How many sessions nobody has learned from as they are now."""
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            return int(db.execute(_WAITING).fetchone()[0])
    except (sqlite3.DatabaseError, FileNotFoundError):
        return 0


def check_memory(config: Config) -> list[Check]:
    """What was learned, what failed, and whether the checkers disagreed."""
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            entries, standing = db.execute(
                "select count(*), count(*) filter (where stage in ('verified', 'certified')) from entries"
            ).fetchone()
            (waiting,) = db.execute(_WAITING).fetchone()
            failed = db.execute(
                "select session_id, error from learned where status = 'failed' order by at desc limit 20"
            ).fetchall()
            apart = _apart(db)
            conflicts = db.execute("select count(*) from conflicts where resolved_at is null").fetchone()[0]
    except (sqlite3.DatabaseError, FileNotFoundError):
        return []  # said already
    data = {
        "entries": entries,
        "verified": standing,
        "waiting": waiting,
        "conflicts": conflicts,
        "extractor": config.extract_extractor,
    }
    text = f"entries: {entries}, of them verified: {standing}; sessions to learn: {waiting}"
    checks = [Check("memory", "ok", text + (" (axm learn)" if waiting else ""), data=data)]
    if conflicts:
        checks.append(Check("conflicts", "note", f"{conflicts} are open; axm conflict list shows them"))
    if failed:
        shown = tuple(f"{session}  {error}" for session, error in failed)
        text = f"{len(failed)} session{'' if len(failed) == 1 else 's'} could not be learned; axm learn tries again"
        checks.append(Check("not learned", "warn", text, shown))
    return [*checks, *_checkers(apart)]


# What the last check of each session found where the checkers did not agree.
_APART = """
    select session_id, difference
    from (
        select session_id, difference, agree, max(position)
        from checks
        group by session_id
    )
    where not agree
"""


def _apart(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """In what the checkers differ, and of how many sessions, commonest first. Where one said nothing, only sessions
    count that still wait for it."""
    from collections import Counter

    from axiommind.learning.checks import SILENT
    from axiommind.learning.recheck import sessions_without_a_verdict

    found = db.execute(_APART).fetchall()
    waiting = sessions_without_a_verdict(db) if found else set()
    counts = Counter(what for session, what in found if session in waiting or not what.startswith(SILENT))
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _checkers(apart: Sequence[tuple[str, int]]) -> list[Check]:
    """A checker that says nothing is one trouble, however many sessions it was asked about."""
    from axiommind.learning.checks import SILENT

    checks = []
    silent = [(what.removeprefix(SILENT), count) for what, count in apart if what.startswith(SILENT)]
    if silent:
        text = f"Idris 2 gave no verdict on {_sessions(silent)}: {silent[0][0]}"
        details = *(f"also: {what} ({count})" for what, count in silent[1:_SHOWN]), _MEND
        checks.append(Check("checker", "warn", text, details))
    differ = [one for one in apart if not one[0].startswith(SILENT)]
    if differ:
        text = (
            f"of {_sessions(differ)} the checkers did not agree, and nothing of that was promoted: please report this"
        )
        details = tuple(f"{what} ({count})" if count > 1 else what for what, count in differ[:_SHOWN])
        checks.append(Check("checkers", "warn", text, details))
    return checks


_SHOWN = 5
_MEND = "their entries stay candidates; repair idris2 or take it off the PATH, then run: axm recheck"


def _sessions(apart: Sequence[tuple[str, int]]) -> str:
    count = sum(many for _, many in apart)
    return f"{count} session{'' if count == 1 else 's'}"
