"""One frozen Config. Defaults < `config.toml` in the home < environment; every key is in `KEYS`.

`docs/configuration.md` is generated from that table and a test keeps them equal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.errors import UsageError

__all__ = ["KEYS", "Config", "Key"]


class Key(NamedTuple):
    """A setting: its name in `config.toml`, the environment variable that wins over it, and what it does."""

    name: str
    env: str
    kind: type[int] | type[float] | type[list]  # type: ignore[type-arg]
    default: Any
    help: str


KEYS: tuple[Key, ...] = (
    Key(
        "claude.roots",
        "AXM_CLAUDE_ROOTS",
        list,
        [],
        "More folders that hold Claude Code's `projects/`, beside the ones Claude Code itself uses.",
    ),
    Key(
        "index.workers",
        "AXM_WORKERS",
        int,
        -1,
        "Processes that read and redact in parallel; 0 = none, -1 = one per core (at most 4).",
    ),
    Key("query.seconds", "AXM_QUERY_SECONDS", float, 10.0, "Time limit of one `axm query --sql`, in seconds."),
    Key("query.rows", "AXM_QUERY_ROWS", int, 10_000, "Row limit of one `axm query --sql`."),
)


class Config(NamedTuple):
    home: Path
    claude_roots: tuple[str, ...]
    index_workers: int
    query_seconds: float
    query_rows: int

    @property
    def log_path(self) -> Path:
        return self.home / "log.db"

    @property
    def index_path(self) -> Path:
        return self.home / "index.db"

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, home: Path | None = None) -> Config:
        env = os.environ if environ is None else environ
        base = home or Path(env.get("AXM_HOME") or Path.home() / ".axiommind").expanduser().absolute()
        found = _read_file(base / "config.toml")
        values: dict[str, Any] = {}
        for key in KEYS:
            raw = env.get(key.env)
            value = _parse(key, raw) if raw else found.pop(key.name, key.default)
            found.pop(key.name, None)
            values[key.name.replace(".", "_")] = _checked(key, value)
        if found:
            known = ", ".join(k.name for k in KEYS)
            raise UsageError(f"{base / 'config.toml'}: unknown setting {min(found)!r}", hint=f"known settings: {known}")
        return cls(home=base, **values)


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    flat: dict[str, Any] = {}
    for table, entries in tables.items():
        if not isinstance(entries, dict):
            flat[table] = entries
            continue
        flat.update({f"{table}.{name}": value for name, value in entries.items()})
    return flat


def _parse(key: Key, raw: str) -> Any:
    if key.kind is list:
        return [part.strip() for part in raw.split(",") if part.strip()]
    try:
        return key.kind(raw)
    except ValueError:
        raise UsageError(f"{key.env}={raw!r} is not a number", hint=key.help) from None


def _checked(key: Key, value: Any) -> Any:
    if key.kind is list:
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if key.kind is float else int(value)
    wanted = {list: "a list of texts", int: "a whole number", float: "a number"}[key.kind]
    raise UsageError(f"setting {key.name} = {value!r} in config.toml is not {wanted}", hint=key.help)
