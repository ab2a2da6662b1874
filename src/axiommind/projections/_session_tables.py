"""The tables of sessions: what was said and done in them, and where it stands."""

from __future__ import annotations

from axiommind.projections import OF_PROJECT, OF_SESSION, Table, _session_order

__all__ = ["DDL", "TABLES"]

TABLES = (
    Table(
        "sessions",
        "One row per session, subagents included (`parent_session`), with its counts, tokens and title.",
        scope=OF_PROJECT,
        forgotten_by="id",
    ),
    Table(
        "prompts",
        "What a person asked: only real prompts, not tool results or text that the client added.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "prompt_keywords",
        "The words of each prompt without stop words.",
        scope="prompt_id in (select id from prompts)",
    ),
    Table(
        "commands",
        "What a person ran: slash commands (`slash`) and shell lines typed with `!` (`bash`).",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "responses",
        "One row per answer of a model, its streamed lines joined: `input_tokens` had no part in the cache, "
        "`cache_1h_tokens` are those of `cache_creation_tokens` that are kept for an hour, `output_tokens` include "
        "reasoning. `service_tier` is null for the standard one. Its cost: `dollars` ([dollars](dollars.md)).",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "tool_uses",
        "One row per tool use in order (`seq_order`), with class, input and outcome; `output` is an excerpt of the "
        "result worth searching, `subagent` who made the call where only the parent's transcript tells of it.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "file_edits",
        "The tool uses that changed a file: `file_path` is in the folder that the project goes by, else as written.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "compactions",
        "Where a session was compacted, with the number of tokens before and after.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "compaction_summaries",
        "What the client wrote down when a session was compacted: nobody's own words, and its pending may be done.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "pull_requests",
        "Pull requests that a session was linked to.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "record_counts",
        "Lines by record type; `known` is 0 for a type that this version does not know.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "problems",
        "Lines that could not be read, and why.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "records",
        "The identity of each message line; forks copy lines with the same `uuid`.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "summaries",
        "Summaries that refer to a message, possibly in another file.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "session_titles",
        "Titles by where they came from: `custom`, `ai`, `last-prompt`, `task`.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "sidecars",
        "Small files next to a transcript: a subagent's type and the tool use that started it, a title, what the whole "
        "session spent where its agent counts only that.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    _session_order.TABLE,
    Table(
        "segments",
        "Where the lines of a file are in the log; citations open from here.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "files",
        "The transcript files, and since when a file has been missing.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
)

# The long text of a row comes last: a count that does not need it then never reads its pages. Without rowid the columns
# of the key come first, in its order: SQLite before 3.42 takes another for damage.
DDL = (
    """
    create table sessions (
        id text primary key,
        project text not null,
        project_path text not null,
        file_path text not null,
        file_size integer not null,
        file_mtime integer not null,
        first_ts integer,
        last_ts integer,
        prompt_count integer not null default 0,
        tool_use_count integer not null default 0,
        indexed_at text not null,
        agent text not null,
        parent_session text,
        parent_tool_use_id text,
        agent_type text,
        title text,
        model text,
        git_branch text,
        cwd text,
        version text,
        response_count integer not null default 0,
        edit_count integer not null default 0,
        error_count integer not null default 0,
        input_tokens integer not null default 0,
        output_tokens integer not null default 0,
        cache_creation_tokens integer not null default 0,
        cache_read_tokens integer not null default 0,
        started_at integer,
        ended_at integer,
        missing_since text,
        project_known integer not null default 0
    )
    """,
    "create index idx_sessions_project on sessions(project)",
    "create index idx_sessions_parent on sessions(parent_session) where parent_session is not null",
    """
    create table prompts (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        timestamp integer not null,
        char_count integer not null,
        canonical integer not null default 1,
        uuid text,
        line integer not null,
        origin text not null,
        text text not null
    )
    """,
    "create index idx_prompts_session on prompts(session_id)",
    "create index idx_prompts_ts on prompts(timestamp)",
    """
    create table prompt_keywords (
        id integer primary key,
        prompt_id integer not null references prompts(id) on delete cascade,
        keyword text not null
    )
    """,
    "create index idx_keywords_keyword on prompt_keywords(keyword)",
    "create index idx_keywords_prompt on prompt_keywords(prompt_id)",
    """
    create table commands (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        kind text not null,
        name text not null,
        args text not null,
        timestamp integer,
        uuid text,
        line integer not null,
        canonical integer not null default 1
    )
    """,
    "create index idx_commands_session on commands(session_id)",
    """
    create table responses (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        message_id text not null,
        request_id text not null,
        uuid text,
        model text,
        timestamp integer,
        char_count integer not null,
        stop_reason text,
        input_tokens integer not null,
        output_tokens integer not null,
        cache_creation_tokens integer not null,
        cache_read_tokens integer not null,
        cache_1h_tokens integer not null default 0,
        service_tier text,
        is_sidechain integer not null,
        is_error integer not null,
        line_start integer not null,
        line_end integer not null,
        canonical integer not null default 1,
        text text not null,
        unique (message_id, request_id, session_id)
    )
    """,
    "create index idx_responses_session on responses(session_id)",
    """
    create table tool_uses (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        seq_order integer not null,
        tool_name text not null,
        classified_name text not null,
        timestamp integer,
        canonical integer not null default 1,
        is_error integer,
        result_chars integer,
        result_line integer,
        line integer not null,
        tool_use_id text,
        message_id text,
        uuid text,
        subagent text,
        error text,
        output text,
        input_json text
    )
    """,
    "create index idx_tool_uses_session on tool_uses(session_id, seq_order)",
    "create index idx_tool_uses_subagent on tool_uses(subagent) where subagent is not null",
    "create index idx_tool_uses_tool on tool_uses(classified_name)",
    "create index idx_tool_uses_ts on tool_uses(timestamp)",
    """
    create table file_edits (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        tool_use_id integer not null references tool_uses(id) on delete cascade,
        file_path text not null,
        written_path text not null,
        timestamp integer,
        canonical integer not null default 1
    )
    """,
    "create index idx_file_edits_session on file_edits(session_id)",
    "create index idx_file_edits_path on file_edits(file_path)",
    "create index idx_file_edits_use on file_edits(tool_use_id)",
    """
    create table compactions (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        timestamp integer,
        trigger text,
        pre_tokens integer,
        post_tokens integer,
        line integer not null
    )
    """,
    "create index idx_compactions_session on compactions(session_id)",
    """
    create table compaction_summaries (
        id integer primary key,
        session_id text not null references sessions(id) on delete cascade,
        timestamp integer,
        canonical integer not null default 1,
        uuid text,
        line integer not null,
        text text not null
    )
    """,
    "create index idx_compaction_summaries_session on compaction_summaries(session_id)",
    """
    create table pull_requests (
        session_id text not null references sessions(id) on delete cascade,
        url text not null,
        number integer,
        repository text,
        timestamp integer,
        primary key (session_id, url)
    ) without rowid
    """,
    """
    create table record_counts (
        session_id text not null references sessions(id) on delete cascade,
        type text not null,
        known integer not null,
        count integer not null,
        primary key (session_id, type)
    ) without rowid
    """,
    """
    create table problems (
        path text not null,
        line integer not null,
        why text not null,
        session_id text not null references sessions(id) on delete cascade,
        primary key (path, line, why)
    ) without rowid
    """,
    "create index idx_problems_session on problems(session_id)",
    """
    create table records (
        uuid text not null,
        session_id text not null,
        timestamp integer,
        forked integer not null,
        line integer not null,
        canonical integer not null default 1,
        primary key (uuid, session_id)
    ) without rowid
    """,
    """
    create table summaries (
        session_id text not null references sessions(id) on delete cascade,
        leaf_uuid text not null,
        summary text not null,
        primary key (session_id, leaf_uuid)
    ) without rowid
    """,
    """
    create table session_titles (
        session_id text not null references sessions(id) on delete cascade,
        kind text not null,
        title text not null,
        primary key (session_id, kind)
    ) without rowid
    """,
    """
    create table sidecars (
        path text primary key,
        session_id text not null,
        kind text not null,
        title text,
        agent_type text,
        parent_tool_use_id text,
        model text,
        input_tokens integer,
        output_tokens integer,
        cache_creation_tokens integer,
        cache_read_tokens integer,
        position integer not null
    ) without rowid
    """,
    "create index idx_sidecars_session on sidecars(session_id)",
    """
    create table segments (
        position integer primary key,
        session_id text not null,
        source text not null,
        path text not null,
        generation integer not null,
        start_offset integer not null,
        end_offset integer not null,
        first_line integer not null,
        lines integer not null,
        blob text not null,
        live integer not null default 1,
        context text
    )
    """,
    "create index idx_segments_session on segments(session_id)",
    "create index idx_segments_path on segments(path)",
    """
    create table files (
        path text primary key,
        session_id text not null,
        folder text not null,
        generation integer not null,
        position integer not null,
        ord text not null,
        size integer not null,
        mtime integer not null,
        missing_since text,
        pruned integer not null default 0
    ) without rowid
    """,
    *(f"create index idx_files_{name} on files({name}{more})" for name, more in (("session", "_id"), ("folder", ""))),
    _session_order.DDL,
)
