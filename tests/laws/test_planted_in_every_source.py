"""Law 6 for every agent: a secret in any string that its client may write, ids and titles and paths among them, is in
no file of the home, whatever the string is for."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.sources.agents import AGENTS, WRITTEN, AgentHome, is_database, touch

TOKEN = re.compile(rb"ghp_[A-Za-z0-9]{36}")
# What a reader has to recognise: with a token in it, nothing of the record would be read.
STRUCTURE = {"type", "role", "kind", "status", "version", "subtype", "timestamp", "tool", "toolName", "callID"}
NAMES = re.compile(r"(?:id|Id|ID|[uU]uid|session|parent)$")
A_TIME = re.compile(r"[\d.TZ:+-]+")
ZSTD = b"\x28\xb5\x2f\xfd"


class Planter:
    """Adds a token of its own to the strings of JSON and of databases: to `names` (ids of all kinds) or to all else."""

    def __init__(self, seed: str, *, names: bool) -> None:
        self.rng = random.Random(seed)
        self.names = names
        self.planted: dict[bytes, str] = {}

    def _token(self, place: str) -> str:
        token = "ghp_" + "".join(self.rng.choices(string.ascii_letters + string.digits, k=36))
        self.planted[token.encode()] = place
        return token

    def string(self, key: str, value: str) -> str:
        if key in STRUCTURE or A_TIME.fullmatch(value) or bool(NAMES.search(key)) != self.names:
            return value
        if value[:1] + value[-1:] in ("{}", "[]"):
            try:
                return json.dumps(self.value(key, json.loads(value)))
            except ValueError:
                pass
        return f"{value}{'-' if self.names else ' '}{self._token(key)}"

    def value(self, key: str, value: Any) -> Any:
        if isinstance(value, str):
            return self.string(key, value)
        if isinstance(value, list):
            return [self.value(key, one) for one in value]
        if isinstance(value, dict):
            planted = {name: self.value(name, one) for name, one in value.items()}
            if key in ("input", "args", "arguments") and not self.names:
                planted[self._token(f"a key of {key}")] = "x"
            return planted
        return value

    def file(self, path: Path) -> None:
        if is_database(path):
            self._database(path)
        elif path.suffix in (".jsonl", ".json"):
            text = path.read_text(encoding="utf-8")
            pieces = text.splitlines() if path.suffix == ".jsonl" else [text]
            path.write_text("".join(json.dumps(self._parsed(piece)) + "\n" for piece in pieces), encoding="utf-8")
        elif path.suffix in (".md", ".yaml", ".txt"):
            path.write_text(path.read_text(encoding="utf-8") + f"\n{self._token(path.name)}\n", encoding="utf-8")

    def _parsed(self, text: str) -> Any:
        return self.value("", json.loads(text))

    def _database(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
                columns = [row[1] for row in db.execute(f'pragma table_info("{table}")')]
                for row, *cells in db.execute(f'select rowid, * from "{table}"').fetchall():
                    for column, cell in zip(columns, cells, strict=True):
                        is_json = isinstance(cell, str) and cell[:1] in ("{", "[")
                        # Ids of rows are how they find each other; those within JSON are only said.
                        if isinstance(cell, str) and (is_json or not self.names):
                            changed = self._cell(column, cell) if is_json else self.string(column, cell)
                            db.execute(f'update or ignore "{table}" set "{column}" = ? where rowid = ?', (changed, row))

    def _cell(self, column: str, cell: str) -> str:
        try:
            return json.dumps(self.value(column, json.loads(cell)))
        except ValueError:
            return cell


def found_in(home: Path) -> Iterator[tuple[str, bytes]]:
    """Every token in the files of a home: in their names, their bytes, and what is compressed in their tables."""
    for path in sorted(home.rglob("*")):
        where = path.relative_to(home).as_posix()
        data = path.read_bytes() if path.is_file() else b""
        for token in (*TOKEN.findall(path.name.encode()), *TOKEN.findall(data)):
            yield where, token
        if is_database(path):
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                for (blob,) in db.execute("select data from blobs") if where.endswith("log.db") else ():
                    if blob[:4] == ZSTD:
                        blob = zstandard.ZstdDecompressor().decompress(blob, max_output_size=1 << 26)
                    for token in TOKEN.findall(blob):
                        yield f"a blob of {where}", token


@pytest.mark.parametrize("names", [False, True], ids=["what is said", "names"])
@pytest.mark.parametrize("agent", AGENTS)
def test_no_planted_secret_is_stored(agent: str, names: bool, tmp_path: Path) -> None:
    home = AgentHome(tmp_path, agent)
    planter = Planter(agent, names=names)
    for path in sorted(path for path in home.user.rglob("*") if path.is_file()):
        planter.file(path)
        if is_database(path):
            touch(path)
        os.utime(path, (WRITTEN, WRITTEN))
    assert planter.planted or names
    memory = home.memory()
    memory.index()
    memory.learning.run()
    memory.backups.make(tmp_path / "axm" / "a copy.axm")
    left = {(where, planter.planted.get(token, "?")) for where, token in found_in(tmp_path / "axm")}
    assert not left
    assert home.rows("select count(*) from sessions")[0][0], "something was read"
