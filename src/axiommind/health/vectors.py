"""Vectors: what is embedded, with what, how far that is, and whether it answers."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

from axiommind import db as sqlite
from axiommind.config import Config
from axiommind.errors import AxmError, VectorsCorrupt
from axiommind.health.check import Check, percent
from axiommind.vectors import embedders, lock, versions
from axiommind.vectors.coverage import coverage
from axiommind.vectors.items import words_of

__all__ = ["check_vectors"]


def check_vectors(config: Config) -> list[Check]:
    """What is embedded, with what, and how far that is."""
    known = versions.read(config.home)
    answering = next((one for one in known if one.state == "active"), None)
    making = next((one for one in known if one.state == "building"), None)
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            wanted = coverage(db)
            covered = (coverage(db, answering.version) if answering is not None else {}) or wanted
    except (sqlite3.DatabaseError, FileNotFoundError):
        return []  # said already
    left = sum(one.pending for kind, one in wanted.items() if kind in config.embed_kinds)
    failed = sum(one.failed for one in wanted.values())
    data = {
        "embedder": config.embed_embedder or "static",
        "store": config.embed_store,
        "version": None if answering is None else answering.version,
        "building": None if making is None else making.version,
        "coverage": {kind: one._asdict() for kind, one in covered.items()},
        "jobs": left,
    }
    shares = ", ".join(f"{words_of(kind)} {percent(one.done, one.total)}" for kind, one in covered.items())
    if answering is None and making is None:
        text = f"none: search is lexical; texts that wait for one: {left} (axm embed)"
        return [Check("embedder", "ok", text, data=data)]
    if answering is None:
        text = f"no version is complete yet: search is lexical; {shares}; run: axm embed"
    else:
        text = f"{answering.version} in {answering.store}; {shares}"
    checks = [Check("embedder", "note" if answering is None else "ok", text, data=data)]
    if answering is not None and (why := _silent(config, answering)) is not None:
        checks.append(Check("vectors", "warn", f"search is lexical: {why.message}; {why.hint or 'run: axm embed'}"))
    if answering is not None and making is not None:
        text = f"{making.version} is being made, and {answering.version} answers until it is complete; run: axm embed"
        checks.append(Check("vectors", "note", text))
    if failed:
        checks.append(Check("vectors", "warn", f"{failed} texts could not be embedded; axm embed --status says why"))
    writer = lock.owner(config.home)
    if writer is not None and writer.is_gone(int(time.time() * 1000)):
        checks.append(Check("vectors", "note", f"{writer} died while it embedded; the next axm embed goes on"))
    return checks


def _silent(config: Config, version: versions.Version) -> AxmError | None:
    """Why a version that is complete does not answer: searching says nothing of it unless meaning was asked for. A
    server is not asked."""
    try:
        with closing(versions.open_of(config.home, version, write=False)) as store:
            if not store.versions().get(version.version):
                return VectorsCorrupt(f"the vectors of {version.version} are gone", hint="run: axm embed")
        chosen = embedders.settings_of(
            version.settings, embedders.Settings("", "", "", "", config.embed_seconds, "", config.home)
        )
        if chosen.name != "openai":
            embedders.check(embedders.load(chosen), version.embedder)
    except AxmError as error:
        return error
    return None
