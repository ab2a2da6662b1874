"""The checks of `doctor`, from the program itself to the vectors."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from axiommind import __version__
from axiommind.config import Config
from axiommind.distribution import extra_command
from axiommind.errors import LogLost, StoreError
from axiommind.health.approval import check_proposals, check_tokens
from axiommind.health.backups import check_backups, check_key
from axiommind.health.check import Check, size_text
from axiommind.health.index import check_index, check_memory
from axiommind.health.learning import check_learning
from axiommind.health.plugins import check_plugins
from axiommind.health.redacting import check_redaction
from axiommind.health.transcripts import (
    Found,
    check_behind,
    check_folders,
    check_leaving,
    check_log,
    check_roots,
    with_sessions,
)
from axiommind.health.vectors import check_vectors
from axiommind.ingest.file_names import without_secrets
from axiommind.log import home_key
from axiommind.log.sqlite import SqliteLog
from axiommind.projections.following import folded_from, has_log, require_log
from axiommind.text.redaction import Redactor

__all__ = ["doctor"]


def doctor(config: Config, environ: Mapping[str, str], user: Path, found: Found) -> list[Check]:
    """Everything that can be looked at without changing it, in the order in which data flows."""
    found = with_sessions(found)
    checks = [_versions(), _home(config), *check_tokens(config, environ), *check_roots(found), *check_plugins()]
    try:
        folded = folded_from(config.index_path)
        if not has_log(config.log_path):
            require_log(folded, None, config.index_path, config.log_path)
            checks.append(Check("log.db", "note", "not there yet; run: axm index"))
            return [*checks, *_extras()]
        key = home_key(config.home, make=False)
        log = SqliteLog(config.log_path, key, read_only=True)
        try:
            require_log(folded, log, config.index_path, config.log_path)
            checks += check_log(log)
            checks += check_key(config, log, key)
            checks += check_redaction(log, key)
            named = without_secrets(found, Redactor(key))  # as the log knows them
            checks += check_behind(config, log, named)
            checks += check_leaving(named, log)
            checks += check_folders(config, log, user)
        finally:
            log.close()
        checks += check_index(config)
        checks += check_memory(config)
        checks += check_learning(config)
        checks += check_vectors(config)
        checks += check_backups(config)
        checks += check_proposals(config)
    except LogLost as error:
        checks.append(Check("log.db", "bad", error.message, (error.hint,)))
    except StoreError as error:
        checks.append(Check("store", "bad", error.message, (error.hint,) if error.hint else ()))
    return [*checks, *_extras()]


def _versions() -> Check:
    data = {"axiommind": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    text = f"axiommind {__version__}, Python {data['python']} ({sys.executable}), SQLite {sqlite3.sqlite_version}"
    return Check("versions", "ok", text, data=data)


def _home(config: Config) -> Check:
    home = config.home
    if not home.exists():
        return Check("home", "note", f"{home} (will be made by: axm index)", data={"home": str(home)})
    sizes = {p.name: p.stat().st_size for p in sorted(home.iterdir()) if p.is_file()}
    details = tuple(f"{name} {size_text(size)}" for name, size in sizes.items() if size > 4096)
    old = [name for name in sizes if ".corrupt-" in name]
    data = {"home": str(home), "files": sizes, "writable": os.access(home, os.W_OK)}
    if not os.access(home, os.W_OK):
        return Check("home", "warn", f"{home} cannot be written: reading works, indexing does not", details, data)
    if old:
        return Check("home", "note", f"{home} (holds {len(old)} damaged index files set aside)", details, data)
    return Check("home", "ok", str(home), details, data)


def _extras() -> list[Check]:
    if find_spec("altair") is None or find_spec("vl_convert") is None:
        text = f"charts (--plot) are not installed; to add them: {extra_command('plot')}"
        return [Check("optional", "note", text, data={"plot": False})]
    return [Check("optional", "ok", "charts (--plot) are installed", data={"plot": True})]
