"""One frozen Config. Defaults < `config.toml` in the home < environment; every key is in `KEYS`.

`docs/configuration.md` is generated from that table and a test keeps them equal.
"""

from __future__ import annotations

import contextlib
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
    kind: type[int] | type[float] | type[str] | type[list]  # type: ignore[type-arg]
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
    Key(
        "extract.extractor",
        "AXM_EXTRACTOR",
        str,
        "rules",
        "What `axm learn` extracts with: `rules` (nothing leaves the machine), or a model by `claude` (the Claude Code "
        "that is installed here), `openai` (any OpenAI-compatible server, such as Ollama) or `anthropic`.",
    ),
    Key(
        "extract.model",
        "AXM_EXTRACT_MODEL",
        str,
        "",
        "The model's name; empty = `haiku` for claude, `claude-haiku-5-5` for anthropic; openai has to be told.",
    ),
    Key(
        "extract.url",
        "AXM_EXTRACT_URL",
        str,
        "",
        "Where the model is asked; empty = `https://api.openai.com/v1` for openai, `https://api.anthropic.com` for "
        "anthropic. Ollama is `http://localhost:11434/v1`.",
    ),
    Key(
        "extract.key_env",
        "AXM_EXTRACT_KEY_ENV",
        str,
        "",
        "The name of the environment variable that holds the key, never the key; empty = `OPENAI_API_KEY` or "
        "`ANTHROPIC_API_KEY`. A server on this machine is sent a key only when this is set.",
    ),
    Key("extract.seconds", "AXM_EXTRACT_SECONDS", float, 120.0, "Time limit of one call of a model, in seconds."),
    Key(
        "extract.chars",
        "AXM_EXTRACT_CHARS",
        int,
        60_000,
        "Most characters of a session given to a model in one call (1,000 to 2,000,000). A longer session takes up to "
        "three calls, and one longer than that is given without its middle.",
    ),
    Key("extract.claude", "AXM_EXTRACT_CLAUDE", str, "claude", "The program that the extractor `claude` runs."),
    Key("budget.calls", "AXM_BUDGET_CALLS", int, 50, "Calls of a model a day; 0 = none at all, negative = no limit."),
    Key(
        "budget.tokens",
        "AXM_BUDGET_TOKENS",
        int,
        1_000_000,
        "Tokens a day, given and answered; 0 = no calls at all, negative = no limit.",
    ),
    Key(
        "budget.usd",
        "AXM_BUDGET_USD",
        float,
        1.0,
        "US dollars a day, as far as somebody says what a call cost; 0 = no calls at all, negative = no limit.",
    ),
    Key(
        "embed.embedder",
        "AXM_EMBEDDER",
        str,
        "",
        "What `axm embed` makes vectors with; empty = `static`, which comes with the program and asks nobody. "
        "Another one, model or store makes new vectors beside the old ones, which answer until the new ones are there.",
    ),
    Key("embed.model", "AXM_EMBED_MODEL", str, "", "The name of the embedder's model, where it has a choice."),
    Key("embed.url", "AXM_EMBED_URL", str, "", "Where a server that embeds is asked, such as Ollama on this machine."),
    Key(
        "embed.key_env",
        "AXM_EMBED_KEY_ENV",
        str,
        "",
        "The name of the environment variable that holds the server's key, never the key.",
    ),
    Key("embed.path", "AXM_EMBED_PATH", str, "", "The folder or file of a model on this machine."),
    Key("embed.seconds", "AXM_EMBED_SECONDS", float, 30.0, "Time limit of one call of a server, in seconds."),
    Key("embed.store", "AXM_EMBED_STORE", str, "local", "Where vectors are kept: `local` (a SQLite file) or `lance`."),
    Key(
        "embed.store_uri",
        "AXM_EMBED_STORE_URI",
        str,
        "",
        "The address of a store outside the home, such as an object storage; empty = `vectors/` in the home.",
    ),
    Key(
        "embed.kinds",
        "AXM_EMBED_KINDS",
        list,
        ["entry", "task_title", "summary", "doc", "prompt", "response"],
        "What gets vectors, of these and `tool` (tool calls).",
    ),
    Key(
        "embed.budget",
        "AXM_EMBED_BUDGET",
        int,
        200_000,
        "Most answers and tool calls together that get vectors, the newest ones; negative = all.",
    ),
    Key(
        "embed.background",
        "AXM_EMBED_BACKGROUND",
        int,
        0,
        "1 = `axm index` embeds what is new when it is done; 0 = only `axm embed` does.",
    ),
)


_WANTED = {list: "a list of texts", str: "a text", int: "a whole number", float: "a number"}


class Config(NamedTuple):
    home: Path
    claude_roots: tuple[str, ...]
    index_workers: int
    query_seconds: float
    query_rows: int
    extract_extractor: str
    extract_model: str
    extract_url: str
    extract_key_env: str
    extract_seconds: float
    extract_chars: int
    extract_claude: str
    budget_calls: int
    budget_tokens: int
    budget_usd: float
    embed_embedder: str
    embed_model: str
    embed_url: str
    embed_key_env: str
    embed_path: str
    embed_seconds: float
    embed_store: str
    embed_store_uri: str
    embed_kinds: tuple[str, ...]
    embed_budget: int
    embed_background: int

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
        wanted = _WANTED[key.kind]
        raise UsageError(f"{key.env}={raw!r} is not {wanted}", hint=key.help) from None


def _checked(key: Key, value: Any) -> Any:
    if key.kind is list:
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
    elif key.kind is str:
        if isinstance(value, str):
            return value.strip()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        # TOML writes nan and inf too, and whole numbers of any length.
        with contextlib.suppress(ValueError, OverflowError):
            number = float(value) if key.kind is float else int(value)
            if number == number:
                return number
    raise UsageError(f"setting {key.name} = {value!r} in config.toml is not {_WANTED[key.kind]}", hint=key.help)
