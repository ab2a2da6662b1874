"""Every setting: its name in `config.toml`, the environment variable that wins over it, its default and what it does.

`docs/configuration.md` is generated from this table and a test keeps them equal.
"""

from __future__ import annotations

from axiommind.recall_settings import RECALL_KEYS
from axiommind.setting import Key

__all__ = ["KEYS", "Key"]

KEYS: tuple[Key, ...] = (
    Key(
        "claude.roots",
        "AXM_CLAUDE_ROOTS",
        list,
        [],
        "More folders with Claude Code's `projects/`, in addition to those that Claude Code itself uses.",
    ),
    Key("sources.off", "AXM_SOURCES_OFF", list, [], "Agents whose sessions are not read; `axm sources` has the names."),
    Key(
        "sources.roots",
        "AXM_SOURCES_ROOTS",
        list,
        [],
        "More folders to read sessions from, each as `AGENT=FOLDER`, in addition to those that the agents use.",
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
    Key(
        "sync.minutes",
        "AXM_SYNC_MINUTES",
        int,
        0,
        "After indexing by itself, sync too if the last time was so many minutes ago; 0 = only when `axm sync` is run.",
    ),
    Key(
        "usage.dollars", "AXM_DOLLARS", bool, True, "Show what tokens cost at list prices; false = no dollars anywhere."
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
    *RECALL_KEYS,
)
