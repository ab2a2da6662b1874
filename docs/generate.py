"""Writes the reference pages from the code: commands.md, mcp-tools.md, perspectives.md, schema.md, configuration.md.

`python docs/generate.py` writes them; `--check` writes nothing and exits 1 when one differs. The pages are built from
parsers, perspectives and a freshly made database, never from `--help` text, which differs between Python versions.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from axiommind.config import KEYS, Config
from axiommind.errors import AxmError
from axiommind.log.sqlite import SqliteLog
from axiommind.memory import Memory
from axiommind.projections import passages
from axiommind.projections.runner import Index
from axiommind.reports import perspectives
from axiommind.reports.perspectives import COMMON, Param, Perspective
from axiommind.surfaces import cli, mcp
from axiommind.surfaces.mcp._registry import Tool
from axiommind.text.estimate import estimate_tokens

HERE = Path(__file__).parent
NOTE = "<!-- Made by docs/generate.py from the code. Change the code, then run: make docs -->\n"

# One sentence for each table; a table without one, and one without a table, is an error.
LOG_TABLES = {
    "events": "Everything that happened, in order of `position`; two triggers refuse every update and delete.",
    "event_dedup": "The key of each event, so that the same thing is appended once.",
    "blobs": "The text: redacted, compressed (`zstd`, or `raw` when short), named by the SHA-256 of its content.",
    "blob_refs": "Which event refers to which blob; forgetting purges the blobs that nothing refers to any more.",
    "heads": "How far each file was read, and how the file looked then, so that an unchanged one is not opened.",
    "tombstones": "The sessions, documents (as `session`) and projects that were forgotten and are not read again.",
    "migrations": "Which numbered steps of the log's schema were applied, and when.",
}
INDEX_TABLES = {
    "sessions": "One row a session, subagents included (`parent_session`), with its counts, tokens and title.",
    "prompts": "What a person asked: only real prompts, not tool results or texts that the client wrote.",
    "prompt_keywords": "The words of each prompt without stop words.",
    "commands": "What a person ran: slash commands (`slash`) and shell lines typed with `!` (`bash`).",
    "responses": "One row an answer of a model, its streamed lines put together, with its tokens.",
    "tool_uses": "One row a tool use, in order (`seq_order`), with its classified name, input and outcome; "
    "`output` is an excerpt of what the tool returned, where that is worth searching.",
    "file_edits": "The tool uses that changed a file (Edit, Write, MultiEdit, NotebookEdit), with its path.",
    "compactions": "Where a session was compacted, and from how many tokens to how many.",
    "pull_requests": "Pull requests that a session was linked to.",
    "record_counts": "Lines by record type; `known` is 0 for a type that this version does not know.",
    "problems": "Lines that could not be read, and why.",
    "records": "The identity of each message line; forks copy lines with the same `uuid`.",
    "summaries": "Summaries that name a message, perhaps of another file.",
    "session_titles": "Titles by where they came from: `custom`, `ai`, `last-prompt`, `task`.",
    "sidecars": "Small files beside a transcript: a subagent's type and the tool use that started it, a title.",
    "segments": "Where the lines of a file are in the log: what a citation opens.",
    "files": "The transcript files, and since when one is missing.",
    "tool_transitions": "How often one tool follows another in a session, and with what probability.",
    "weekly_buckets": "Uses of each tool in each week (Monday, UTC); prompts are counted as `(prompts)`.",
    "file_hotspots": "How often each file was edited, and in how many sessions.",
    "session_links": "Pairs of sessions of one project that edited the same files.",
    "folders": "The folders of documents that were added with `axm kb add`, with their globs, one a line.",
    "documents": "One row a document in them; `root` is its folder, `blob` its text in the log.",
    "document_tags": "The tags in the front matter of a document.",
    "document_problems": "What is not as it should be in a document, at which line (0 = as a whole).",
    "chunks": "The pieces of a document: `text` is its lines `line_start` to `line_end`, `heading` the way there.",
    "passages": "What full-text search can find. `ref` is the id of the row that has the text: of `prompts`, "
    "`responses`, `tool_uses`, `entries`, `chunks` or `pad_chunks` by `kind` (`prompt`, `response`, `tool`, `insight`, "
    "`doc`, `pad`). It is of a session, or of a document, pad or workflow (`doc_id`); `timestamp` is when it was said "
    "or written, or when the document was last modified.",
    "passages_pending": "Rows that came or changed while a batch is folded; always empty between runs.",
    "passages_fts": "The terms of the passages (FTS5, contentless): our tokeniser makes them, see ADR 0005.",
    "passage_texts": "A view: the text of each passage.",
    "workflows": "Working memory: one row a workflow. `project_scope` is as it was given, `project` the project that "
    "it belongs to, `position` the last event that touched it or a pad of it.",
    "pads": "The scratchpads of workflows, without their text; `version` counts what was written.",
    "pad_chunks": "The text of pads in pieces: lines `line_start` to `line_end`. Without a `pad_id` it is the "
    "description of the workflow.",
    "pad_owners": "Whose each chunk is, by the numbers of its workflow and pad (0: the workflow's own words), and how "
    "many of its indexed terms are its title's: what points are counted with.",
    "scratchpads": "A view: pads with their whole text.",
    "entries": "What was learned: one claim a row, with its stage, status, keys and evidence. Content never changes.",
    "entry_evidence": "A view: one row a quote of an entry, with the file, line and span where its words stand, or "
    "with the `reason` why they were not found.",
    "promotions": "Every change of stage, with the policy (and its version) or the person behind it.",
    "rulings": "What was said about an entry: `contested`, `superseded` (by `other_id`), `deprecated`, `restored`.",
    "conflicts": "Pairs of claims with the same key that cannot both hold, and how that ended.",
    "entry_uses": "When an entry was shown, given to an agent or cited by a decision, and in which session.",
    "rejected_claims": "Keys of claims that a person rejected: they are not learned again.",
    "checks": "What the checkers said of the entries of a session, and whether they agreed.",
    "decisions": "What was decided with `axm decide`.",
    "decision_evidence": "The entries that a decision rests on, and the stage they had then.",
    "entities": "Tasks, conditions and artifacts as they are now: the fold of their events (`current_json`).",
    "entity_keys": "Every canonical key that an entity has had, with the event that gave it.",
    "task_links": "Which entities an event of a task names: what has to be worked out again when one of them goes.",
    "entity_aliases": "The canonical keys by which an entity is found; the newest one has a key.",
    "edges": "`evidence_of` (entry → task), `blocked_by`, `blocked_by_suggested`, `resolves_to`.",
    "task_events": "The events of tasks, conditions and artifacts as rows, with their text.",
    "v_task_blockers_effective": "A view: what a task waits for, a resolved condition followed to what it became.",
    "vector_outbox": "What has to be embedded, and how far that got (`status`, `error`, `attempts`). `item_id` is the "
    "id of a passage (`prompt`, `response`, `doc`, `pad`, `tool`), of an entry, of a session (`summary`: what it is "
    "about) or of a task (`task_title`); `created_at` is when that was said.",
    "build_runs": "One row a run of the pipeline over a session: what made it, and how it ended.",
    "pipeline_metrics": "How long each step of a build took, and whether it succeeded.",
    "model_calls": "Each call of a model, with its tokens and what it cost, where known.",
    "learning_voids": "Sessions that are to be learned again, because a task they spoke of was forgotten with another.",
    "learned": "Up to where each session was learned (`head`), by which extractor, and whether that failed.",
    "served": "What hooks gave agents: one row an answer, with the session that got it, its tokens and its time.",
    "served_items": "The items of each answer: the id of a passage, entry, task or decision, how likely it was meant, "
    "and the session or document that it is of (`owner`).",
    "meta": "`schema_version`, `project_path` (always `*`), `last_indexed_at`, `embedding_version` (of new jobs).",
    "projection_offsets": "How far each projection has folded the log, and its version.",
    "common_terms": "How often the commonest terms occurred when there were `of_passages` passages: a cache, so that a "
    "question need not count them.",
}
# What clients give to the model of a tool, and everything that `tools/list` says of it.
TOLD = ("name", "description", "inputSchema")
LISTED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
WORDS = """
- A time is epoch milliseconds (`timestamp`, `first_ts`, `started_at` …), unless its type is text: then it is ISO 8601
  in UTC.
- `canonical` is 1 for the occurrence that counts. Forks and resumed sessions copy lines; every copy is a row of its
  session, one is canonical. Add `where canonical` to totals over several sessions.
- `line` is the line of the transcript file, from 1.
- `is_error` is null as long as no result was seen.
""".strip()

VARIABLES = (
    (
        "AXM_HOME",
        "`~/.axiommind`",
        "The folder of `log.db`, `index.db`, `redaction.key` and `config.toml`; `--home` wins.",
    ),
    (
        "CLAUDE_CONFIG_DIR",
        "`~/.claude` and `$XDG_CONFIG_HOME/claude`",
        "Where Claude Code keeps `projects/`; commas separate several. When set, the defaults are not read.",
    ),
    ("XDG_CONFIG_HOME", "`~/.config`", "Where the second default folder of Claude Code is looked for."),
    ("NO_COLOR", "", "Set to anything: no bold and no dim text. Without a terminal there is none anyway."),
    ("AXM_HOOK_SECONDS", "`0.39`", "After how many seconds a hook ends without an answer; more for a slow machine."),
    ("AXM_DEBUG", "", "Set to anything: an internal error shows its traceback instead of one line."),
)


def pages() -> dict[str, str]:
    """Every page by its file name."""
    return {
        "commands.md": commands(),
        "mcp-tools.md": mcp_tools(),
        "perspectives.md": every_perspective(),
        "schema.md": schema(),
        "configuration.md": configuration(),
    }


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def code(text: str) -> str:
    return f"`{text}`"


# --- commands ----------------------------------------------------------------------------------------------


def commands() -> str:
    parser = cli.build([], everything=True)
    (subparsers,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    helps = {a.dest: a.help or "" for a in subparsers._choices_actions}
    parts = [
        NOTE,
        "# Commands\n",
        "`axm` and `suggest-workflow` are two names of one program. Data goes to stdout, words to stderr.\n",
        table(
            ("Command", "What it does"), [(f"[`axm {name}`](#axm-{name})", helps[name]) for name in subparsers.choices]
        ),
        "",
        "Every command takes `--home FOLDER`: where `log.db` and `index.db` are (default `$AXM_HOME`, else",
        "`~/.axiommind`). `axm --version` prints the version.\n",
        "Exit codes: 0 ok, 1 nothing found or a mistake in what was asked, 2 wrong usage, 3 needs attention,",
        "4 internal error.",
    ]
    for name, sub in subparsers.choices.items():
        parts += [f"\n## axm {name}\n", helps[name], *described(sub)]
        for action in sub._actions:
            if isinstance(action, argparse._SubParsersAction):
                said = {a.dest: a.help or "" for a in action._choices_actions}
                for inner, parser in action.choices.items():
                    parts += [f"\n### axm {name} {inner}\n", said[inner], *described(parser)]
    return "\n".join(parts) + "\n"


def described(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a parser, group by group, and its epilog."""
    parts = []
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if a.dest not in ("help", "home")]
        if actions:
            title = {"positional arguments": "arguments"}.get(group.title or "", group.title or "")
            parts.append(f"\n{title[:1].upper()}{title[1:]}:\n")
            parts.append(table(("Option", "Meaning"), [(spelled(a), meaning(a)) for a in actions]))
    for exclusive in parser._mutually_exclusive_groups:
        *names, last = [code((a.option_strings or [a.dest])[-1]) for a in exclusive._group_actions]
        rule = "one is needed" if exclusive.required else "at most one may be given"
        parts.append(f"\nOf {', '.join(names)} and {last} {rule}.")
    if parser.epilog:
        parts.append(f"\n```text\n{parser.epilog.strip()}\n```")
    return parts


def spelled(action: argparse.Action) -> str:
    """An option as it is typed."""
    if not action.option_strings:
        return code(action.dest)
    value = ""
    if action.nargs != 0:
        value = f" {action.metavar or action.dest.upper()}"
    return ", ".join(code(f"{o}{value}") for o in action.option_strings)


def meaning(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    if action.choices:
        given = ", ".join(code(str(c)) for c in action.choices)
        text = f"{text}{'; ' if text else ''}one of {given}"
    return text


# --- what agents are offered -------------------------------------------------------------------------------


def mcp_tools() -> str:
    with tempfile.TemporaryDirectory(prefix="axm-docs-") as folder:
        offered = mcp.answers(Memory(Config.load({"AXM_HOME": folder}), environ={}, user=Path(folder))).tools
    tools = list(offered.tools.values())
    told, listed = tokens(tools, TOLD), tokens(tools, LISTED)
    parts = [
        NOTE,
        "# Tools of the MCP server\n",
        "What `axm mcp` offers, from the declarations that it answers with. How to connect, and what an answer",
        "looks like: [MCP](mcp.md).\n",
        "Tokens are what a tool costs an agent's context before it is ever called: its name, description and",
        f"arguments, a token taken to be four characters. All {len(tools)} together cost {told:,}, or {listed:,} where",
        "a client also gives the model the schemas of their answers. The setting `mcp.tools` narrows them.\n",
        table(
            ("Tool", "What it does", "Writes", "Tokens"),
            [
                (
                    f"[`{t.name}`](#{t.name})",
                    t.description.split(". ")[0].rstrip(".") + ".",
                    "" if t.annotations["readOnlyHint"] else "yes",
                    f"{tokens([t], TOLD):,}",
                )
                for t in tools
            ],
        ),
    ]
    for tool in tools:
        parts += [f"\n## {tool.name}\n", tool.description + "\n", arguments(tool.input_schema)]
        gives = ", ".join(code(name) for name in tool.output_schema.get("properties", {}))
        parts.append(f"\nAnswers with {gives}.")
    parts += [
        "\n## Resources\n",
        table(("Address", "What it is"), [(code(r.uri), r.description) for r in offered.resources]),
        "\n## Prompts\n",
        table(
            ("Prompt", "What it is for", "Arguments"),
            [
                (
                    code(p.name),
                    p.description,
                    "; ".join(f"{code(a['name'])}: {a.get('description', '')}" for a in p.arguments),
                )
                for p in offered.prompts.values()
            ],
        ),
    ]
    return "\n".join(parts) + "\n"


def tokens(tools: Iterable[Tool], fields: Sequence[str]) -> int:
    shown = [{field: tool.declared[field] for field in fields} for tool in tools]
    return estimate_tokens(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


def arguments(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        (
            code(name),
            kind(of),
            "required" if name in required else "" if of.get("default") is None else code(json.dumps(of["default"])),
            of.get("description", ""),
        )
        for name, of in schema["properties"].items()
    ]
    return table(("Argument", "Type", "Default", "Meaning"), rows) if rows else "It takes no arguments."


def kind(schema: dict[str, Any]) -> str:
    """The type of an argument, with its limits."""
    if "anyOf" in schema:
        return " or ".join(kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return ", ".join(code(str(one)) for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    name = {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(schema.get("type", ""), "")
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{name}, {least:,} to {most:,}"
    if least is not None:
        return f"{name}, {least:,} or more"
    return name or str(schema.get("type", "any"))


# --- perspectives ------------------------------------------------------------------------------------------


def every_perspective() -> str:
    found = [perspectives.load(name) for name in perspectives.names()]
    parts = [
        NOTE,
        "# Perspectives\n",
        "Ready-made questions: `axm query --perspective NAME`. Every one honours the six common filters; the tables",
        "say how. `--top -1` shows all rows. `--since` and `--until` are days in UTC, both included. A `--tool` is",
        "exact, unless it contains `%`: then it is a pattern, in which `_` is a plain character. Over several sessions",
        "a copy made by a fork counts once; with `--session` everything in that session counts. A chart is drawn with",
        "`--plot FILE.svg` or `FILE.png`.\n",
        table(("Perspective", "What", "Chart"), [(f"[`{p.name}`](#{p.name})", p.summary, drawn(p)) for p in found]),
    ]
    for perspective in found:
        module = importlib.import_module(f"axiommind.reports.perspectives.{perspective.name.replace('-', '_')}")
        rows = [option(p) for p in (*perspective.params, *perspective.filters)]
        parts += [
            f"\n## {perspective.name}\n",
            inspect.cleandoc(module.__doc__ or perspective.summary),
            f"\nColumns: {', '.join(code(c) for c in perspective.columns)}.\n",
            table(("Parameter", "Default", "How it acts"), rows),
        ]
    common = {p.name for p in COMMON}
    for perspective in found:
        assert {p.name for p in perspective.filters} == common, f"{perspective.name} lacks a common filter"
    return "\n".join(parts) + "\n"


def drawn(perspective: Perspective) -> str:
    return perspective.plot.mark if perspective.plot else ""


def option(param: Param) -> tuple[str, str, str]:
    text = param.help
    if param.choices:
        text += "; one of " + ", ".join(code(c) for c in param.choices)
    default = "" if param.default is None else code(str(param.default))
    return code(f"--{param.name.replace('_', '-')}"), default, text


# --- schema ------------------------------------------------------------------------------------------------


def schema() -> str:
    with tempfile.TemporaryDirectory(prefix="axm-docs-") as folder:
        log = SqliteLog(Path(folder) / "log.db", bytes(32))
        log.close()
        index = Index(Path(folder) / "index.db")
        index.close()
        parts = [
            NOTE,
            "# Schema\n",
            "`index.db` is what `axm query --sql` reads. It is disposable: `axm rebuild` makes it from `log.db`.",
            "`log.db` is the precious one. Read both freely; write neither.\n",
            WORDS,
            "\nThrough `axm query` the tables are scoped: in a project's scope each shows that project only. The four",
            "derived tables (`tool_transitions`, `weekly_buckets`, `file_hotspots`, `session_links`) have no column",
            "`project` there; over all projects their counts are summed and the probabilities recomputed.",
            "\n## index.db",
            tables(Path(folder) / "index.db", INDEX_TABLES),
            "\n## log.db",
            tables(Path(folder) / "log.db", LOG_TABLES),
        ]
    return "\n".join(parts) + "\n"


def tables(path: Path, sentences: dict[str, str]) -> str:
    db = sqlite3.connect(path)
    passages.connect(db)  # a view calls its functions
    try:
        found = [
            name
            for (name,) in db.execute(
                """
                select name from sqlite_master
                where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
                  and name not like '%\\_fts\\_%' escape '\\'
                """
            )
        ]
        assert set(found) == set(sentences), f"{path.name}: {set(found) ^ set(sentences)} has no sentence, or no table"
        parts = []
        for name in sentences:
            parts += [f"\n### {name}\n", sentences[name] + "\n", columns(db, name)]
    finally:
        db.close()
    return "\n".join(parts)


def columns(db: sqlite3.Connection, name: str) -> str:
    targets = {row[3]: f"{row[2]}.{row[4]}" for row in db.execute(f"pragma foreign_key_list({name})")}
    is_view = db.execute("select type from sqlite_master where name = ?", (name,)).fetchone() == ("view",)
    rows = []
    for _, column, kind, required, default, key in db.execute(f"pragma table_info({name})"):
        notes = [
            *(["key"] if key else []),
            *(["not null"] if required and not key else []),
            *([f"default {code(str(default))}"] if default is not None else []),
            *([f"→ {code(targets[column])}"] if column in targets else []),
        ]
        # What type a view's column has depends on SQLite's version.
        rows.append((code(column), "" if is_view else kind.lower(), ", ".join(notes)))
    return table(("Column", "Type", ""), rows)


# --- configuration -----------------------------------------------------------------------------------------


def configuration() -> str:
    kinds = {int: "whole number", float: "number", list: "list of texts", str: "text", bool: "true or false"}
    rows = [(code(k.name), code(k.env), kinds[k.kind], code(toml(k.default)), k.help) for k in KEYS]
    example: dict[str, list[str]] = {}
    for key in KEYS:
        section, _, name = key.name.rpartition(".")
        example.setdefault(section, []).append(f"{name} = {toml(key.default)}")
    blocks = "\n\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in example.items())
    return (
        "\n".join(
            [
                NOTE,
                "# Configuration\n",
                "Nothing has to be set. Settings come from `config.toml` in the home; the environment wins over it.",
                "An unknown setting, or a value of the wrong type, is an error that names it.\n",
                table(("Setting", "Environment", "Type", "Default", "What it does"), rows),
                "\nIn the environment a list is written with commas. The file with every default:\n",
                f"```toml\n{blocks}\n```\n",
                "## Other environment variables\n",
                table(("Variable", "Default", "What it does"), [(code(n), d, w) for n, d, w in VARIABLES]),
            ]
        )
        + "\n"
    )


def toml(value: object) -> str:
    return json.dumps(value) if isinstance(value, (str, list, bool)) else str(value)


# --- writing -----------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the reference pages of docs/ from the code.")
    parser.add_argument("--check", action="store_true", help="only say what differs; exit 1 if something does")
    check = parser.parse_args().check
    stale = []
    for name, text in pages().items():
        path = HERE / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    verb = "differs from the code; run: make docs" if check else "written"
    for name in stale:
        sys.stderr.write(f"docs/{name} {verb}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AxmError as error:
        sys.exit(f"{error.message} {error.hint}")
