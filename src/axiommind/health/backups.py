"""Backups: the newest one, what was kept aside, and whether the key of the home is the log's."""

from __future__ import annotations

from axiommind.backups.backups import Backups
from axiommind.config import Config
from axiommind.health.check import Check, size_text
from axiommind.home import Home
from axiommind.log import key_path
from axiommind.log.identity import fingerprint
from axiommind.log.sqlite import SqliteLog

__all__ = ["check_backups", "check_key", "key_problem"]

_WAY_OUT = "axm restore FILE brings one back that was made --with-key; axm rebuild --anew goes on with a new one"


def key_problem(config: Config, log: SqliteLog, key: bytes) -> str:
    """What is wrong with the key of the home: the log knows which one it was written with. Empty when it is right."""
    written = log.identity().key
    if not key_path(config.home).exists():
        return f"is missing; {_WAY_OUT}"
    if written and written != fingerprint(key):
        return f"is not the key that the log was written with; {_WAY_OUT}"
    return ""


def check_key(config: Config, log: SqliteLog, key: bytes) -> list[Check]:
    problem = key_problem(config, log, key)
    return [Check(key_path(config.home).name, "warn", problem)] if problem else []


def check_backups(config: Config) -> list[Check]:
    """The newest backup, those that are damaged, and what takes room."""
    found = Backups(Home(config)).list()
    whole = [one.info for one in found if one.info is not None]
    kept = [one for one in found if one.kind == "kept"]
    data = {"backups": len(whole), "kept": len(kept), "daily": config.backup_daily}
    checks = []
    if whole:
        made = f"{whole[-1].made_at}, {whole[-1].events:,} events"
        checks.append(Check("backups", "ok", f"{len(whole)}, the newest of {made} ({whole[-1].path})", data=data))
    elif config.backup_daily:
        checks.append(Check("backups", "note", "none yet; the first is made in the background", data=data))
    else:
        text = "none, and backup.daily is off; axm backup FILE makes one"
        checks.append(Check("backups", "warn", text, data=data))
    damaged = [one for one in found if one.kind == "automatic" and one.problem]
    if damaged:
        checks.append(Check("backups", "warn", f"{len(damaged)} cannot be read", tuple(one.problem for one in damaged)))
    if kept:
        text = f"{size_text(sum(one.size for one in kept))} of logs and indexes that were replaced"
        details = tuple(str(one.path) for one in kept)
        checks.append(Check("kept aside", "note", f"{text}; remove what you do not need", details))
    return checks
