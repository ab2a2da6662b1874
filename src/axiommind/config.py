"""One frozen Config. Defaults < `config.toml` in the home < environment; every key is in `KEYS`.

`docs/configuration.md` is generated from that table and a test keeps them equal.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.errors import UsageError

__all__ = ["KEYS", "Config", "Disclosure", "Hooks", "Key"]


class Key(NamedTuple):
    """A setting: its name in `config.toml`, the environment variable that wins over it, and what it does."""

    name: str
    env: str
    kind: type[bool] | type[int] | type[float] | type[str] | type[list]  # type: ignore[type-arg]
    default: Any
    help: str
    attr: str = ""  # where it is in Config; its name with _ for . unless said
    is_secret: bool = False  # no message shows it

    @property
    def place(self) -> str:
        return self.attr or self.name.replace(".", "_")


KEYS: tuple[Key, ...] = (
    Key(
        "claude.roots",
        "AXM_CLAUDE_ROOTS",
        list,
        [],
        "More folders with Claude Code's `projects/`, in addition to those that Claude Code itself uses.",
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
        "What `axm learn` extracts with: `rules` (nothing leaves the machine), or a model through `claude` (the "
        "installed Claude Code), `openai` (any OpenAI-compatible server, such as Ollama) or `anthropic`.",
    ),
    Key(
        "extract.model",
        "AXM_EXTRACT_MODEL",
        str,
        "",
        "The model's name; empty = `haiku` for claude, `claude-haiku-5-5` for anthropic; required for openai.",
    ),
    Key(
        "extract.url",
        "AXM_EXTRACT_URL",
        str,
        "",
        "The server's URL; empty = `https://api.openai.com/v1` for openai, `https://api.anthropic.com` for "
        "anthropic. Ollama is `http://localhost:11434/v1`.",
    ),
    Key(
        "extract.key_env",
        "AXM_EXTRACT_KEY_ENV",
        str,
        "",
        "The name of the environment variable that holds the key, not the key itself; empty = `OPENAI_API_KEY` or "
        "`ANTHROPIC_API_KEY`. A server on this machine gets a key only if this is set.",
    ),
    Key("extract.seconds", "AXM_EXTRACT_SECONDS", float, 120.0, "Time limit of one call to a model, in seconds."),
    Key(
        "extract.chars",
        "AXM_EXTRACT_CHARS",
        int,
        60_000,
        "Maximum number of characters of a session sent to a model in one call (1,000 to 2,000,000). A longer session "
        "takes up to three calls; beyond that, its middle is left out.",
    ),
    Key("extract.claude", "AXM_EXTRACT_CLAUDE", str, "claude", "The program that the extractor `claude` runs."),
    Key("budget.calls", "AXM_BUDGET_CALLS", int, 50, "Calls to a model per day; 0 = none, negative = no limit."),
    Key(
        "budget.tokens",
        "AXM_BUDGET_TOKENS",
        int,
        1_000_000,
        "Tokens per day, input and output; 0 = no calls at all, negative = no limit.",
    ),
    Key(
        "budget.usd",
        "AXM_BUDGET_USD",
        float,
        1.0,
        "US dollars per day, as far as the cost of calls is known; 0 = no calls at all, negative = no limit.",
    ),
    Key(
        "embed.embedder",
        "AXM_EMBEDDER",
        str,
        "",
        "What `axm embed` makes vectors with; empty = `static`, which is built in and runs locally. After a change of "
        "embedder, model or store, the old vectors are used until the new ones are complete.",
    ),
    Key("embed.model", "AXM_EMBED_MODEL", str, "", "The name of the model, if the embedder has several."),
    Key("embed.url", "AXM_EMBED_URL", str, "", "The URL of an embedding server, such as Ollama on this machine."),
    Key(
        "embed.key_env",
        "AXM_EMBED_KEY_ENV",
        str,
        "",
        "The name of the environment variable that holds the server's key, not the key itself.",
    ),
    Key("embed.path", "AXM_EMBED_PATH", str, "", "The folder or file of a model on this machine."),
    Key("embed.seconds", "AXM_EMBED_SECONDS", float, 30.0, "Time limit of one call to a server, in seconds."),
    Key("embed.store", "AXM_EMBED_STORE", str, "local", "Where vectors are kept: `local` (a SQLite file) or `lance`."),
    Key(
        "embed.store_uri",
        "AXM_EMBED_STORE_URI",
        str,
        "",
        "The address of a store outside the home, such as an object store; empty = `vectors/` in the home.",
    ),
    Key(
        "embed.kinds",
        "AXM_EMBED_KINDS",
        list,
        ["entry", "task_title", "summary", "doc", "pad", "prompt", "response"],
        "What gets vectors: any of these and `tool` (tool calls).",
    ),
    Key(
        "embed.budget",
        "AXM_EMBED_BUDGET",
        int,
        200_000,
        "How many answers and tool calls together get vectors, newest first; negative = all.",
    ),
    Key(
        "embed.background",
        "AXM_EMBED_BACKGROUND",
        int,
        0,
        "1 = `axm index` also embeds what is new; 0 = only `axm embed` does.",
    ),
    Key(
        "progressiveDisclosure.enabled",
        "AXM_DISCLOSURE",
        bool,
        True,
        "Whether recall answers in layers: first an index, then a timeline and details of what is clearly meant. "
        "Without it, only the index.",
        "disclosure.enabled",
    ),
    Key(
        "progressiveDisclosure.layer1.topK",
        "AXM_TOP_K",
        int,
        10,
        "Maximum number of lines in the index.",
        "disclosure.top_k",
    ),
    Key(
        "progressiveDisclosure.layer1.minScore",
        "AXM_MIN_SCORE",
        float,
        0.7,
        "Matches with a lower probability than this (0 to 1) are left out.",
        "disclosure.min_score",
    ),
    Key(
        "progressiveDisclosure.autoExpand.enabled",
        "AXM_AUTO_EXPAND",
        bool,
        True,
        "Whether the timeline and details of good matches are included automatically.",
        "disclosure.auto_expand",
    ),
    Key(
        "progressiveDisclosure.autoExpand.highConfidenceThreshold",
        "AXM_HIGH_CONFIDENCE",
        float,
        0.92,
        "A single match with at least this probability is expanded.",
        "disclosure.high_confidence",
    ),
    Key(
        "progressiveDisclosure.autoExpand.scoreGapThreshold",
        "AXM_SCORE_GAP",
        float,
        0.1,
        "A likely match that is this far ahead of the next one is expanded.",
        "disclosure.score_gap",
    ),
    Key(
        "progressiveDisclosure.autoExpand.maxAutoExpandCount",
        "AXM_MAX_EXPAND",
        int,
        3,
        "Maximum number of matches that are expanded automatically.",
        "disclosure.max_expand",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.maxTotalTokens",
        "AXM_MAX_TOKENS",
        int,
        2_000,
        "Maximum number of tokens of one `axm search --smart`, over all layers.",
        "disclosure.max_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer1PerItem",
        "AXM_TOKENS_INDEX",
        int,
        50,
        "Estimated tokens of a line in the index.",
        "disclosure.index_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer2PerItem",
        "AXM_TOKENS_TIMELINE",
        int,
        40,
        "Estimated tokens of a line in the timeline.",
        "disclosure.timeline_tokens",
    ),
    Key(
        "progressiveDisclosure.tokenBudget.layer3PerItem",
        "AXM_TOKENS_DETAIL",
        int,
        500,
        "Maximum number of tokens of one detail; a longer text is cut to the relevant part.",
        "disclosure.detail_tokens",
    ),
    Key(
        "progressiveDisclosure.cache.layer1Ttl",
        "AXM_TTL_INDEX",
        int,
        60_000,
        "How long a resident process caches an index, in milliseconds, unless something new is indexed.",
        "disclosure.index_ttl",
    ),
    Key(
        "progressiveDisclosure.cache.layer2Ttl",
        "AXM_TTL_TIMELINE",
        int,
        300_000,
        "The same for a timeline.",
        "disclosure.timeline_ttl",
    ),
    Key(
        "progressiveDisclosure.cache.layer3Ttl",
        "AXM_TTL_DETAIL",
        int,
        1_800_000,
        "The same for a detail.",
        "disclosure.detail_ttl",
    ),
    Key("mcp.tools", "AXM_MCP_TOOLS", list, [], "The tools that `axm mcp` offers; empty = all of them."),
    Key(
        "mcp.token",
        "AXM_MCP_TOKEN",
        str,
        "",
        "What a client of `axm mcp --http` must send as `Authorization: Bearer …`; may be empty only on this machine.",
        is_secret=True,
    ),
    Key(
        "retrieval.maxTokens",
        "AXM_HOOK_TOKENS",
        int,
        800,
        "Maximum number of tokens that a hook injects for one prompt, and that `axm recall` prints.",
        "hooks.prompt_tokens",
    ),
    Key(
        "retrieval.otherProjects",
        "AXM_OTHER_PROJECTS",
        float,
        0.92,
        "Another project's matches are recalled only with at least this probability; over 1 = never.",
        "hooks.other_projects",
    ),
    Key("hooks.enabled", "AXM_HOOKS", bool, True, "Whether hooks do anything at all.", "hooks.enabled"),
    Key(
        "hooks.user_prompt_submit", "AXM_HOOK_PROMPT", bool, True, "Recall for each prompt.", "hooks.user_prompt_submit"
    ),
    Key(
        "hooks.session_start",
        "AXM_HOOK_START",
        bool,
        True,
        "Where work stopped, when a session starts, resumes or was compacted.",
        "hooks.session_start",
    ),
    Key(
        "hooks.pre_tool_use",
        "AXM_HOOK_EDIT",
        bool,
        True,
        "What is known about a file before it is changed.",
        "hooks.pre_tool_use",
    ),
    Key(
        "hooks.post_tool_use_failure",
        "AXM_HOOK_FAILURE",
        bool,
        True,
        "What solved the same error before.",
        "hooks.post_tool_use_failure",
    ),
    Key("hooks.stop", "AXM_HOOK_STOP", bool, True, "Index in the background after each turn.", "hooks.stop"),
    Key(
        "hooks.session_end",
        "AXM_HOOK_END",
        bool,
        True,
        "Index in the background after each session.",
        "hooks.session_end",
    ),
    Key(
        "hooks.pre_compact", "AXM_HOOK_COMPACT", bool, True, "Index before a session is compacted.", "hooks.pre_compact"
    ),
    Key(
        "hooks.resident",
        "AXM_HOOK_RESIDENT",
        bool,
        True,
        "Whether `axm mcp`, while it runs, answers for hooks, which makes them twice as fast.",
        "hooks.resident",
    ),
    Key("hooks.learn", "AXM_HOOK_LEARN", bool, False, "Whether background indexing also learns.", "hooks.learn"),
    Key(
        "hooks.start_tokens",
        "AXM_HOOK_START_TOKENS",
        int,
        500,
        "Maximum number of tokens injected when a session starts.",
        "hooks.start_tokens",
    ),
    Key(
        "hooks.tool_tokens",
        "AXM_HOOK_TOOL_TOKENS",
        int,
        300,
        "Maximum number of tokens injected about a file or an error.",
        "hooks.tool_tokens",
    ),
)


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
    learn: bool
    prompt_tokens: int
    start_tokens: int
    tool_tokens: int
    other_projects: float


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
    mcp_tools: tuple[str, ...]
    mcp_token: str
    disclosure: Disclosure
    hooks: Hooks

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
            values[key.place] = _checked(key, value)
        if found:
            known = ", ".join(k.name for k in KEYS)
            raise UsageError(f"{base / 'config.toml'}: unknown setting {min(found)!r}", hint=f"known settings: {known}")
        groups: dict[str, dict[str, Any]] = {"disclosure": {}, "hooks": {}}
        for place in [place for place in values if "." in place]:
            group, _, name = place.partition(".")
            groups[group][name] = values.pop(place)
        disclosure, hooks = Disclosure(**groups["disclosure"]), Hooks(**groups["hooks"])
        return cls(home=base, disclosure=disclosure, hooks=hooks, **values)


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
