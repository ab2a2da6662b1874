"""SQLite, opened our way: WAL, visible transactions, read-only connections, and a guard for users' SQL.

Nothing outside this module sets a pragma or an authoriser. `executescript` is not used: it commits silently.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axiommind.disk import disk_fails, disk_full, no_space, os_error
from axiommind.errors import BadQuery, Locked, NotWritable, QueryLimit, StoreError

__all__ = [
    "Rows",
    "as_uri",
    "atomic",
    "checkpoint",
    "compact",
    "guard",
    "has_table",
    "is_damage",
    "open_read",
    "open_write",
    "run_guarded",
    "savepoint",
    "store_error",
    "too_long",
]

BUSY_MS = 15_000
CHECKPOINT_MS = 2_000  # as long as readers are waited for
_CACHE_KIB = 16_000
# Pages in the write-ahead log before whoever commits moves them all: of appends to a pad, with SQLite's own 1,000 every
# thirtieth waited 30 ms for that.
_CHECKPOINT_PAGES = 4_000
# A file up to this size is written anew by way of memory, a larger one by way of a temporary file.
_IN_MEMORY = 256 << 20


def open_write(path: Path, *, sync: str = "normal") -> sqlite3.Connection:
    """A connection that may write: WAL, foreign keys on, freed pages overwritten, explicit transactions."""
    from axiommind.private import make_private  # readers do without it

    try:
        make_private(path.parent)
        fresh = not path.exists()
        db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        if fresh:
            path.chmod(0o600)
    except (OSError, sqlite3.OperationalError) as error:
        known = os_error(error, path) if isinstance(error, OSError) else None
        raise known or NotWritable(
            f"{path} cannot be opened for writing: {error}",
            hint="set AXM_HOME to a folder that you can write",
        ) from error
    try:
        _pragmas(db, sync)
    except sqlite3.Error:
        db.close()
        raise
    except UnicodeDecodeError as error:
        db.close()
        raise _torn(error) from error
    return db


def _pragmas(db: sqlite3.Connection, sync: str) -> None:
    db.execute(f"pragma busy_timeout={BUSY_MS}")
    _wal(db)
    db.execute(f"pragma synchronous={sync}")
    db.execute("pragma foreign_keys=on")
    db.execute("pragma secure_delete=on")
    db.execute("pragma temp_store=memory")
    db.execute(f"pragma cache_size=-{_CACHE_KIB}")
    db.execute(f"pragma wal_autocheckpoint={_CHECKPOINT_PAGES}")


def _wal(db: sqlite3.Connection) -> None:
    """Change to the write-ahead log. We wait for others by ourselves, because SQLite does not, whatever its busy
    timeout, when two at once change a new database."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            db.execute("pragma journal_mode=wal")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
        time.sleep(0.005)


def open_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Where the folder is read-only (no -shm can be made), as immutable."""
    if not path.exists():
        raise FileNotFoundError(path)
    uri = f"{as_uri(path)}?mode=ro"
    last: sqlite3.Error | None = None
    for suffix in ("", "&immutable=1"):
        db = sqlite3.connect(uri + suffix, uri=True, timeout=BUSY_MS / 1000, isolation_level=None)
        try:
            db.execute(f"pragma busy_timeout={BUSY_MS}")
            db.execute(f"pragma cache_size=-{_CACHE_KIB}")  # SQLite's own 2 MB are too few to count a common word
            db.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            if not error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise  # locked, or worse: an immutable view would ignore what is in the write-ahead log
            last = error
            continue
        except sqlite3.Error:
            db.close()
            raise
        except UnicodeDecodeError as error:
            db.close()
            raise _torn(error) from error
        return db
    assert last is not None
    raise last


def _torn(error: UnicodeDecodeError) -> sqlite3.DatabaseError:
    """What SQLite says of a damaged schema quotes it, and Python cannot read that."""
    return sqlite3.DatabaseError(f"malformed database schema ({error.reason})")


def as_uri(path: Path) -> str:
    """A path as a file: URI. By hand, because urllib.parse costs a question two milliseconds."""
    text = path.absolute().as_posix()
    if not text.startswith("/"):  # C:/…
        text = "/" + text
    for char in "%?#":
        text = text.replace(char, f"%{ord(char):02x}")
    return f"file:{text}"


@contextmanager
def savepoint(db: sqlite3.Connection) -> Iterator[None]:
    """Inside a transaction: all of it, or nothing of it."""
    db.execute("savepoint part")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk ends the whole transaction
            db.execute("rollback to part")
            db.execute("release part")
        raise
    db.execute("release part")


@contextmanager
def atomic(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """`begin immediate` … `commit`, or all of it undone. Deferred write transactions fail under contention."""
    db.execute("begin immediate")
    try:
        yield db
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise
    db.execute("commit")


def checkpoint(db: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the database and empty it; False when a reader is in the way."""
    db.execute(f"pragma busy_timeout={CHECKPOINT_MS}")
    try:
        row = db.execute("pragma wal_checkpoint(truncate)").fetchone()
    except sqlite3.OperationalError:
        return False
    finally:
        db.execute(f"pragma busy_timeout={BUSY_MS}")
    return row is None or row[0] == 0


def compact(path: Path) -> bool:
    """Write a database anew, without anything that nothing refers to, and empty its write-ahead log. SQLite overwrites
    what it frees, but not the copies that stay behind when it moves cells from page to page. False when a reader or a
    writer is in the way; while one is, the file is not written anew again and again."""
    db = open_write(path)
    try:
        if not checkpoint(db):
            return False
        if path.stat().st_size > _IN_MEMORY:
            db.execute("pragma temp_store=file")
        db.execute("vacuum")
        return checkpoint(db)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return False
        raise store_error(error, path) or error from error
    finally:
        db.close()


def store_error(error: sqlite3.Error, path: Path) -> StoreError | None:
    """The error of ours that a SQLite error means for the file at `path`, or None if it is a mistake in our SQL."""
    name = getattr(error, "sqlite_errorname", "") or ""
    text = str(error)
    if name.startswith("SQLITE_FULL") or "disk is full" in text:
        return disk_full(path)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in text:
        return Locked(f"{path} is locked by another process", hint="wait for the other run to end, then try again")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or "readonly" in text:
        return NotWritable(f"{path} cannot be written: {text}", hint="set AXM_HOME to a folder you can write")
    if name.startswith("SQLITE_IOERR"):
        return no_space(path) or disk_fails(path, name)
    return None


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is broken."""
    name = getattr(error, "sqlite_errorname", "") or ""
    text = str(error)
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in text or "not a database" in text


# --- SQL from strangers --------------------------------------------------------------------------------

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
# Functions that reach outside the database or can be used to burn memory.
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob", "randomblob"}
_BYTES = 64 << 20
_STEP = 20_000  # virtual-machine instructions between two looks at the clock


class Rows(list[tuple[Any, ...]]):
    """Rows with the names of their columns."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)
        self.notes: tuple[str, ...] = ()  # what has to be said beside them

    def dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.names(), row, strict=True)) for row in self]

    def names(self) -> tuple[str, ...]:
        """The columns' names made unique (`a`, `a_2`), so that no value of a join is lost in a dictionary."""
        seen: dict[str, int] = {}
        found = []
        for name in self.columns:
            seen[name] = seen.get(name, 0) + 1
            found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
        return tuple(found)


def guard(db: sqlite3.Connection) -> None:
    """From now on this connection answers select statements only. Also for hostile, well-formed SQL."""

    def authorise(action: int, what: str | None, name: str | None, _db: str | None, _source: str | None) -> int:
        if action == sqlite3.SQLITE_PRAGMA and what == "data_version" and name is None:
            return sqlite3.SQLITE_OK  # FTS5 asks this of its own accord
        if action not in _ALLOWED:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION and (name or "").lower() in _FORBIDDEN_FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    # A virtual table declares itself on first use, which the authoriser would take for a write.
    virtual = db.execute("select name from sqlite_master where sql like 'create virtual table%'").fetchall()
    for (table,) in virtual:
        db.execute(f'select * from "{table}" limit 0')
    db.execute("pragma query_only=on")
    db.set_authorizer(authorise)
    # Strings and blobs that a query may build, and how deep its expressions may go.
    for limit, value in (
        (sqlite3.SQLITE_LIMIT_LENGTH, 16 << 20),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    ):
        db.setlimit(limit, value)


def run_guarded(db: sqlite3.Connection, sql: str, *, seconds: float, rows: int) -> Rows:
    """Run one `select` or `with … select` on a guarded connection, within a time and a row limit."""
    text = _one_statement(sql)
    deadline = time.monotonic() + seconds
    db.set_progress_handler(lambda: time.monotonic() > deadline, _STEP)
    try:
        cursor = db.execute(text)
        if cursor.description is None:
            raise BadQuery("only a select statement is allowed here")
        columns = [d[0] for d in cursor.description]
        found = _fetch(cursor, rows + 1, deadline, seconds)
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise too_long(seconds) from error
        raise _refusal(error) from error
    except MemoryError as error:  # SQLite's own limit
        raise _refusal(sqlite3.OperationalError("out of memory")) from error
    except (sqlite3.DatabaseError, sqlite3.Warning, sqlite3.ProgrammingError, ValueError) as error:
        if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
            raise
        raise _refusal(error) from error
    finally:
        db.set_progress_handler(None, 0)
    if len(found) > rows:
        raise QueryLimit(
            f"the query gives more than {rows:,} rows",
            hint="add a limit, or raise query.rows (AXM_QUERY_ROWS)",
        )
    return Rows(columns, found)


def _fetch(cursor: sqlite3.Cursor, rows: int, deadline: float, seconds: float) -> list[tuple[Any, ...]]:
    """At most so many rows, and so many bytes: a row limit alone does not bound memory."""
    found: list[tuple[Any, ...]] = []
    size = 0
    for row in cursor:
        found.append(row)
        size += sum(len(v) for v in row if isinstance(v, (str, bytes)))
        if size > _BYTES:
            raise QueryLimit(f"the query gives more than {_BYTES >> 20} MB", hint="ask for fewer or shorter columns")
        if time.monotonic() > deadline:
            raise too_long(seconds)
        if len(found) >= rows:
            break
    return found


def too_long(seconds: float) -> QueryLimit:
    """What is said of a query whose time was up."""
    return QueryLimit(
        f"the query was stopped after {seconds:g} s",
        hint="narrow it with where or limit, or raise query.seconds (AXM_QUERY_SECONDS)",
    )


def _refusal(error: Exception) -> BadQuery:
    text = str(error)
    if "out of memory" in text or "string or blob too big" in text:
        return QueryLimit("the query builds values that are too large", hint="ask for fewer or shorter values")
    if "not authorized" in text or "prohibited" in text or "readonly" in text:
        return BadQuery(f"only reading is allowed: {text}", hint="use one select (or with … select) statement")
    if "one statement at a time" in text:
        return BadQuery("only one statement is allowed", hint="remove what follows the first semicolon")
    if "no such table" in text or "no such column" in text:
        return BadQuery(text, hint="docs/schema.md lists the tables and columns; or: axm query --schema")
    return BadQuery(text)


def _one_statement(sql: str) -> str:
    """The statement, checked by its first word. Read-only open and authoriser are the wall; this is the message."""
    text = sql.replace("\ufeff", "").strip()
    if not text:
        raise BadQuery("the query is empty", hint='example: axm query --sql "select count(*) from sessions"')
    if "\x00" in text:
        raise BadQuery("the query contains a NUL character")
    rest = text
    while rest.startswith(("--", "/*")):
        rest = rest.partition("\n" if rest.startswith("--") else "*/")[2].lstrip()
    word = rest.split(None, 1)[0].split("(")[0] if rest else ""
    if word.lower() not in ("select", "with"):
        raise BadQuery(
            f"only select is allowed here, not {word[:20]!r}",
            hint="use one select (or with … select) statement",
        )
    return text


def dicts(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    """The rows of a query by the names of their columns."""
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Whether a table is there: an index that an older version of the program made lacks the newest ones."""
    return db.execute("select 1 from main.sqlite_master where name = ?", (name,)).fetchone() is not None
