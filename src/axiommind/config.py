"""One frozen Config, read once: defaults < `config.toml` in the home < environment; `settings.py` lists every key."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.errors import UsageError
from axiommind.setting_limits import HOOK_SECONDS, limits_of
from axiommind.settings import KEYS, Key

__all__ = ["Config", "Disclosure", "Hooks"]


_WANTED = {list: "a list of texts", str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Disclosure(NamedTuple):
    """How recall answers in layers (`progressiveDisclosure`)."""

    enabled: bool = True
    top_k: int = 10
    min_score: float = 0.7
    auto_expand: bool = True
    high_confidence: float = 0.92
    score_gap: float = 0.1
    max_expand: int = 3
    max_tokens: int = 2_000
    index_tokens: int = 50
    timeline_tokens: int = 40
    detail_tokens: int = 500
    index_ttl: int = 60_000
    timeline_ttl: int = 300_000
    detail_ttl: int = 1_800_000


class Hooks(NamedTuple):
    """What the agent's hooks may do, and how much they may say."""

    enabled: bool
    user_prompt_submit: bool
    session_start: bool
    pre_tool_use: bool
    post_tool_use_failure: bool
    stop: bool
    session_end: bool
    pre_compact: bool
    resident: bool
    prompt_tokens: int
    start_tokens: int
    tool_tokens: int
    prompt_chance: float
    other_projects: float
    teammates: bool
    announce: tuple[str, ...]
    user_prompt_submit_seconds: float
    session_start_seconds: float
    pre_tool_use_seconds: float
    post_tool_use_failure_seconds: float
    stop_seconds: float
    session_end_seconds: float
    pre_compact_seconds: float


class Config(NamedTuple):
    home: Path
    claude_roots: tuple[str, ...]
    sources_off: tuple[str, ...]
    sources_roots: tuple[str, ...]
    index_workers: int
    backup_daily: bool
    backup_megabytes: int
    usage_dollars: bool
    sync_minutes: int
    query_seconds: float
    query_rows: int
    extract_extractor: str
    extract_model: str
    extract_url: str
    extract_key_env: str
    extract_seconds: float
    extract_chars: int
    extract_answers: str
    extract_claude: str
    learn_auto: bool
    learn_seconds: float
    learn_model: str
    learn_model_since: str
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
    mcp_tools: tuple[str, ...]
    mcp_token: str
    disclosure: Disclosure
    hooks: Hooks

    @property
    def roots(self) -> Mapping[str, tuple[str, ...]]:
        """More folders to look into, by the source that they are for."""
        found = {"claude-code": self.claude_roots}
        for one in self.sources_roots:
            agent, _, folder = one.partition("=")
            found[agent] = (*found.get(agent, ()), folder)
        return found

    @property
    def log_path(self) -> Path:
        return self.home / "log.db"

    @property
    def index_path(self) -> Path:
        return self.home / "index.db"

    @property
    def starts_path(self) -> Path:
        """Where what the next starts of projects are told is kept (`recall/packets/prepared_start.py`)."""
        return self.home / "hooks" / "starts"

    @property
    def packets_path(self) -> Path:
        """Packets that agents are started with where they are too long for an argument; each goes with its agent."""
        return self.home / "handoffs"

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, home: Path | None = None) -> Config:
        env = os.environ if environ is None else environ
        base = home or Path(env.get("AXM_HOME") or Path.home() / ".axiommind").expanduser().absolute()
        found = _read_file(base / "config.toml")
        values: dict[str, Any] = {}
        for key in KEYS:
            old_name, old_env = key.old
            raw = env.get(key.env) or env.get(old_env)
            written = [found.pop(name) for name in (key.name, old_name) if name in found]
            value = _checked(key, _parse(key, raw) if raw else written[0] if written else key.default)
            values[key.place] = value
            limits = limits_of(key.name)
            if limits is not None and not limits.hold(value):
                said = f"{key.env}={raw}" if raw else f"setting {key.name} = {value} in config.toml"
                raise UsageError(f"{said} is not possible: it has to be {limits}", hint=key.help)
        _check_hook_seconds(env.get(HOOK_SECONDS))
        if found:
            known = ", ".join(k.name for k in KEYS)
            raise UsageError(f"{base / 'config.toml'}: unknown setting {min(found)!r}", hint=f"known settings: {known}")
        groups: dict[str, dict[str, Any]] = {"disclosure": {}, "hooks": {}}
        for place in [place for place in values if "." in place]:
            group, _, name = place.partition(".")
            groups[group][name] = values.pop(place)
        disclosure, hooks = Disclosure(**groups["disclosure"]), Hooks(**groups["hooks"])
        return cls(home=base, disclosure=disclosure, hooks=hooks, **values)


def _check_hook_seconds(raw: str | None) -> None:
    """Refuse what cannot be meant by the deadline of every hook, which hooks read before they read settings."""
    limits = limits_of(HOOK_SECONDS)
    if not raw or limits is None:
        return
    hint = "After how many seconds every hook exits without an answer."
    try:
        seconds = float(raw)
    except ValueError:
        raise UsageError(f"{HOOK_SECONDS}={raw!r} is not a number", hint=hint) from None
    if not limits.hold(seconds):
        raise UsageError(f"{HOOK_SECONDS}={raw} is not possible: it has to be {limits}", hint=hint)


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    return dict(_flat("", tables))


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value


def _parse(key: Key, raw: str) -> Any:
    if key.kind is list:
        return [part.strip() for part in raw.split(",") if part.strip()]
    if key.kind is bool and raw.strip().lower() in (*_TRUE, *_FALSE):
        return raw.strip().lower() in _TRUE
    try:
        if key.kind is bool:
            raise ValueError
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
    elif key.kind is bool:
        if isinstance(value, bool) or value in (0, 1):
            return bool(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        # TOML writes nan and inf too, and whole numbers of any length.
        with contextlib.suppress(ValueError, OverflowError):
            number = float(value) if key.kind is float else int(value)
            if number == number:
                return number
    shown = "…" if key.is_secret else repr(value)
    raise UsageError(f"setting {key.name} = {shown} in config.toml is not {_WANTED[key.kind]}", hint=key.help)
