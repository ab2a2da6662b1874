"""What there is of every agent: where its sessions are looked for, what was found there, and what of it is in the
index."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from axiommind import db as sqlite
from axiommind.config import Config
from axiommind.model import Problem
from axiommind.projects import machine_of
from axiommind.sources import Discovery
from axiommind.sources import load as load_source

__all__ = ["SourceState", "states"]

_INDEXED = """
    select agent, count(*), sum(parent_session is not null), max(coalesce(ended_at, last_ts)) from sessions group by 1
"""
_ELSEWHERE = "select agent, file_path from sessions where substr(file_path, 1, 1) <> '/' and instr(file_path, ':') > 1"
_UNKNOWN = """
    select s.agent, c.type, sum(c.count) from record_counts c join sessions s on s.id = c.session_id
    where not c.known group by 1, 2 order by 3 desc, 2
"""


class SourceState(NamedTuple):
    """One agent on this machine. `newest` is the last moment of its sessions, in epoch milliseconds."""

    name: str
    title: str
    is_off: bool
    roots: tuple[str, ...]  # those that are there, or else where its files are
    looked_in: tuple[str, ...]
    files: int
    bytes: int
    sessions: int
    subagents: int
    newest: int | None
    unknown: tuple[tuple[str, int], ...]  # records of types that nobody knows, and how many
    problems: tuple[Problem, ...]
    machines: tuple[tuple[str, int], ...] = ()  # whose sessions are among them, and how many


def states(config: Config, found: Sequence[tuple[str, Discovery]], off: Sequence[str]) -> list[SourceState]:
    """The agents of `found`, in their order."""
    indexed, unknown = _in_index(config)
    machines = _of_machines(config)
    made = []
    for name, discovery in found:
        files = [file for file in discovery.files if file.kind == "transcript"]
        sessions, subagents, newest = indexed.get(name, (0, 0, None))
        roots = [root for root in discovery.roots if Path(root).exists()] or sorted({file.root for file in files})
        made.append(
            SourceState(
                name,
                load_source(name).TITLE,
                name in off,
                tuple(roots),
                discovery.roots,
                len(files),
                sum(file.size for file in files),
                sessions - subagents,
                subagents,
                newest,
                tuple(unknown.get(name, ())),
                discovery.problems,
                machines.get(name, ()),
            )
        )
    return made


def _of_machines(config: Config) -> dict[str, tuple[tuple[str, int], ...]]:
    """Of the sessions of each agent, those of other machines: how many of which."""
    if not config.index_path.exists():
        return {}
    counted: dict[str, Counter[str]] = {}
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            for agent, path in db.execute(_ELSEWHERE):
                if machine := machine_of(path):
                    counted.setdefault(agent, Counter())[machine] += 1
    except sqlite3.DatabaseError:
        return {}
    return {agent: tuple(sorted(found.items())) for agent, found in counted.items()}


def _in_index(config: Config) -> tuple[dict[str, tuple[int, int, int | None]], dict[str, list[tuple[str, int]]]]:
    """Sessions, subagents' among them and the newest moment by agent; and records of unknown types."""
    if not config.index_path.exists():
        return {}, {}
    unknown: dict[str, list[tuple[str, int]]] = {}
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            indexed = {row[0]: (row[1], row[2], row[3]) for row in db.execute(_INDEXED)}
            for agent, kind, count in db.execute(_UNKNOWN):
                unknown.setdefault(agent, []).append((kind, count))
    except sqlite3.DatabaseError:
        return {}, {}  # doctor says what is wrong with it
    return indexed, unknown
