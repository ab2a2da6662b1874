"""Every setting: its name in `config.toml`, the environment variable that wins over it, its default and what it does.

`docs/configuration.md` is generated from this table and a test keeps them equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["KEYS", "Key"]


class Key(NamedTuple):
    """A setting."""

    name: str
    env: str
    kind: type[bool] | type[int] | type[float] | type[str] | type[list]  # type: ignore[type-arg]
    default: Any
    help: str
    attr: str = ""  # where it is in Config; its name with _ for . unless said
    is_secret: bool = False  # no message shows it
    old: tuple[str, str] = ("", "")  # its name and variable in earlier versions, which are still read

    @property
    def place(self) -> str:
        return self.attr or self.name.replace(".", "_")


# The agent's hooks: the setting and the variable that switch each, its deadline in seconds, and what it does.
_HOOKS = (
    ("user_prompt_submit", "PROMPT", 0.39, "Recall for each prompt."),
    ("session_start", "START", 1.5, "Where work stopped, when a session starts, resumes or was compacted."),
    ("pre_tool_use", "EDIT", 0.39, "What is known about a file before it is changed."),
    ("post_tool_use_failure", "FAILURE", 0.39, "What solved the same error before."),
    ("stop", "STOP", 0.39, "Index in the background after each turn."),
    ("session_end", "END", 0.39, "Index in the background after each session."),
    ("pre_compact", "COMPACT", 0.39, "Index before a session is compacted."),
)

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
    Key("backup.daily", "AXM_BACKUP", bool, True, "Back up daily, by itself, what cannot be read again from disk."),
    Key("backup.megabytes", "AXM_BACKUP_MB", int, 64, "Text of files that are gone in such a backup, at most, in MB."),
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
        120_000,
        "Maximum number of characters of a session sent to a model in one call (1,000 to 2,000,000). A longer session "
        "takes up to three calls; beyond that, its middle is left out.",
    ),
    Key(
        "extract.answers",
        "AXM_EXTRACT_ANSWERS",
        str,
        "",
        "A folder to record every question to a model and its answer in, as files, so that they can be read and "
        "replayed: a question that was answered there is not asked again. The extractor `recorded` answers from it "
        "alone.",
    ),
    Key("extract.claude", "AXM_EXTRACT_CLAUDE", str, "claude", "The program that the extractor `claude` runs."),
    Key(
        "learn.auto",
        "AXM_LEARN",
        bool,
        True,
        "Whether the rules learn from new sessions in the background: after `axm index`, and after each session where "
        "the hooks are installed. (Earlier: `hooks.learn`, `AXM_HOOK_LEARN`, which are still read.)",
        old=("hooks.learn", "AXM_HOOK_LEARN"),
    ),
    Key(
        "learn.seconds",
        "AXM_LEARN_SECONDS",
        float,
        300.0,
        "How long one run in the background may take, in seconds; the next one continues from there.",
    ),
    Key(
        "learn.model",
        "AXM_LEARN_MODEL",
        str,
        "",
        "What distils finished sessions in the background besides the rules: `claude` (the installed Claude Code), "
        "`openai` or `anthropic`; empty = nothing. `axm learn --model on` sets it.",
    ),
    Key(
        "learn.model_since",
        "AXM_LEARN_MODEL_SINCE",
        str,
        "",
        "Only sessions that ended after this time are distilled by themselves; empty = all. `axm learn --model on` "
        "sets it to now; `axm learn --backfill` is for the sessions before it.",
    ),
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
        2,
        "2 = what is new is embedded in the background, after learning, with the built-in embedder; 1 = `axm index` "
        "embeds it, with any embedder, and waits; 0 = only `axm embed` does.",
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
    Key(
        "mcp.tools",
        "AXM_MCP_TOOLS",
        list,
        [],
        "The tools that `axm mcp` offers, by name or group (history, memory, working-memory, figures); empty = all.",
    ),
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
        1_000,
        "Maximum number of tokens that a hook injects for one prompt, and that `axm recall` and MCP's `recall` give.",
        "hooks.prompt_tokens",
    ),
    Key(
        "retrieval.promptChance",
        "AXM_PROMPT_CHANCE",
        float,
        0.50,
        "A prompt is answered only if something helps with at least this probability; over 1 = never.",
        "hooks.prompt_chance",
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
    *(Key(f"hooks.{event}", f"AXM_HOOK_{name}", bool, True, what, f"hooks.{event}") for event, name, _, what in _HOOKS),
    Key(
        "hooks.resident",
        "AXM_HOOK_RESIDENT",
        bool,
        True,
        "Whether `axm mcp`, while it runs, answers for hooks, which makes them twice as fast.",
        "hooks.resident",
    ),
    Key("hooks.start_tokens", "AXM_HOOK_START_TOKENS", int, 500, "Maximum tokens at a start.", "hooks.start_tokens"),
    Key(
        "hooks.tool_tokens",
        "AXM_HOOK_TOOL_TOKENS",
        int,
        300,
        "Maximum tokens about a file or an error.",
        "hooks.tool_tokens",
    ),
    Key(
        "hooks.announce",
        "AXM_HOOK_ANNOUNCE",
        list,
        ["SessionStart"],
        "Events after which the person is told in one line what the agent was given; `[]` (variable: `none`) = none.",
        "hooks.announce",
    ),
    *(
        Key(
            f"hooks.seconds.{event}",
            f"AXM_HOOK_{name}_SECONDS",
            float,
            seconds,
            "After how many seconds this hook exits without an answer; `AXM_HOOK_SECONDS` goes before it.",
            f"hooks.{event}_seconds",
        )
        for event, name, seconds, _ in _HOOKS
    ),
)
