"""The rows of one segment: putting them in, and taking a session's rows out.

An id is the position of the segment in the log and the row's place in it, so a replay makes the same ids. It fits
in the 53 bits that JSON readers keep exactly, up to half a billion events.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from axiommind.projections import PLACE_BITS, Batch, _canonical, _queued
from axiommind.projects import fold_path
from axiommind.sources import load as load_source
from axiommind.sources.records import Decoded, Record, ToolResult
from axiommind.tools.kinds import UNKNOWN_TOOL
from axiommind.tools.results import has_output

__all__ = ["add", "clear", "clear_relayed", "iso", "known_elsewhere", "row_id"]


def iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def row_id(position: int, place: int) -> int:
    return position << PLACE_BITS | place


def add(
    db: sqlite3.Connection,
    session: str,
    position: int,
    path: str,
    decoded: Decoded,
    shared: _canonical.Shared,
    batch: Batch,
) -> None:
    base = row_id(position, 0)
    db.executemany(
        "insert into records(uuid, session_id, timestamp, forked, line) values (?, ?, ?, ?, ?)",
        [(r.uuid, session, r.timestamp, r.forked, r.line) for r in decoded.records],
    )
    _prompts(db, session, base, decoded)
    _responses(db, session, base, decoded)
    _tool_uses(db, session, base, decoded)
    _rest(db, session, base, path, decoded)
    _queued.settle(db, session, decoded)
    _session(db, session, decoded)
    shared.added([r.uuid for r in decoded.records], [r.message_id for r in decoded.responses])
    for leaf, _summary in decoded.summaries:  # a summary may name a message of another file
        rows = db.execute("select session_id from records where uuid = ?", (leaf,))
        batch.sessions |= {row[0] for row in rows}


def clear(db: sqlite3.Connection, session: str, shared: _canonical.Shared, batch: Batch) -> None:
    """Take out every row that came from the session's lines; the session itself stays."""
    shared.removing(session)
    named = db.execute(
        "select r.session_id from summaries s join records r on r.uuid = s.leaf_uuid where s.session_id = ?",
        (session,),
    )
    batch.sessions |= {row[0] for row in named}  # their titles may have come from here
    # Children before parents, so that the full-text index can still read what it takes out.
    for table in (
        "prompts",
        "commands",
        "responses",
        "tool_uses",
        "compactions",
        "compaction_summaries",
        "pull_requests",
        "record_counts",
        "problems",
        "summaries",
        "session_titles",
        "records",
    ):
        db.execute(f"delete from {table} where session_id = ?", (session,))
    db.execute(
        """
        update sessions set model = null, git_branch = null, cwd = null, version = null,
                            started_at = null, ended_at = null
        where id = ?
        """,
        (session,),
    )


def clear_relayed(db: sqlite3.Connection, subagent: str, shared: _canonical.Shared) -> set[str]:
    """Take out what parents' files told of a subagent, because its own file tells it; the sessions that lose rows."""
    told = db.execute("select session_id, uuid from tool_uses where subagent = ?", (subagent,)).fetchall()
    db.executemany("delete from records where session_id = ? and uuid = ?", told)
    db.execute("delete from tool_uses where subagent = ?", (subagent,))
    shared.added([uuid for _, uuid in told], [])
    return {session for session, _ in told}


def known_elsewhere(db: sqlite3.Connection, session: str, decoded: Decoded) -> frozenset[str]:
    """Of these records, the ones that another file or segment of the same session has brought already, and those of
    subagents that have a file of their own."""
    own = "select 1 from segments where session_id = ? limit 1"
    with_file = {one for one in set(decoded.relayed.values()) if db.execute(own, (one,)).fetchone() is not None}
    of_subagents = {uuid for uuid, subagent in decoded.relayed.items() if subagent in with_file}
    return _already_known(db, session, decoded.records) | of_subagents


def _already_known(db: sqlite3.Connection, session: str, records: Sequence[Record]) -> frozenset[str]:
    if db.execute("select 1 from record_counts where session_id = ? limit 1", (session,)).fetchone() is None:
        return frozenset()
    find = "select 1 from records where uuid = ? and session_id = ?"
    return frozenset(r.uuid for r in records if db.execute(find, (r.uuid, session)).fetchone() is not None)


def _prompts(db: sqlite3.Connection, session: str, base: int, decoded: Decoded) -> None:
    db.executemany(
        """
        insert into prompts(id, session_id, text, timestamp, char_count, uuid, line, origin)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (base + i, session, p.text, p.timestamp or 0, len(p.text), p.uuid, p.line, p.origin)
            for i, p in enumerate(decoded.prompts)
        ],
    )
    words = []
    place = 0
    for i, prompt in enumerate(decoded.prompts):
        words += [(base + place + n, base + i, word) for n, word in enumerate(prompt.keywords)]
        place += len(prompt.keywords)
    db.executemany("insert into prompt_keywords(id, prompt_id, keyword) values (?, ?, ?)", words)


def _responses(db: sqlite3.Connection, session: str, base: int, decoded: Decoded) -> None:
    """A message that began in an earlier segment goes on: its text is joined, its tokens are the larger ones."""
    db.executemany(
        """
        insert into responses(id, session_id, uuid, message_id, request_id, model, timestamp, text, char_count,
                              stop_reason, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens,
                              is_sidechain, is_error, line_start, line_end, cache_1h_tokens, service_tier)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict(message_id, request_id, session_id) do update set
            text = case when excluded.text = '' then text when text = '' then excluded.text
                        else text || char(10) || char(10) || excluded.text end,
            char_count = case when excluded.text = '' then char_count when text = '' then excluded.char_count
                              else char_count + 2 + excluded.char_count end,
            stop_reason = coalesce(excluded.stop_reason, stop_reason),
            input_tokens = case when excluded.output_tokens > output_tokens
                                then excluded.input_tokens else input_tokens end,
            cache_creation_tokens = case when excluded.output_tokens > output_tokens
                                         then excluded.cache_creation_tokens else cache_creation_tokens end,
            cache_read_tokens = case when excluded.output_tokens > output_tokens
                                     then excluded.cache_read_tokens else cache_read_tokens end,
            cache_1h_tokens = case when excluded.output_tokens > output_tokens
                                   then excluded.cache_1h_tokens else cache_1h_tokens end,
            service_tier = case when excluded.output_tokens > output_tokens
                                then excluded.service_tier else service_tier end,
            output_tokens = max(output_tokens, excluded.output_tokens),
            is_error = max(is_error, excluded.is_error),
            line_end = max(line_end, excluded.line_end)
        """,
        [
            (
                base + i,
                session,
                r.uuid,
                f"{session}:{r.message_id}" if r.message_id.startswith("line-") else r.message_id,
                r.request_id,
                r.model,
                r.timestamp,
                r.text,
                len(r.text),
                *r[6:],
            )
            for i, r in enumerate(decoded.responses)
        ],
    )


def _tool_uses(db: sqlite3.Connection, session: str, base: int, decoded: Decoded) -> None:
    (order,) = db.execute(
        "select coalesce(max(seq_order) + 1, 0) from tool_uses where session_id = ?", (session,)
    ).fetchone()
    uses = []
    edits = []
    more = len(decoded.tool_uses)  # places after those of the calls themselves
    for i, use in enumerate(decoded.tool_uses):
        result = use.result
        uses.append(
            (
                base + i,
                session,
                order,
                use.tool_name,
                use.classified_name,
                use.timestamp,
                use.input_json,
                use.tool_use_id,
                use.message_id,
                use.uuid,
                use.line,
                use.subagent,
                None if result is None else result.is_error,
                None if result is None else result.error,
                None if result is None else result.output,
                None if result is None else result.chars,
                None if result is None else result.line,
            )
        )
        order += 1
        if use.file_path is not None:
            edits.append((base + i, session, base + i, fold_path(use.file_path), use.timestamp))
        for path in use.more_files:
            edits.append((base + more, session, base + i, fold_path(path), use.timestamp))
            more += 1
    db.executemany(
        """
        insert into tool_uses(id, session_id, seq_order, tool_name, classified_name, timestamp, input_json,
                              tool_use_id, message_id, uuid, line, subagent, is_error, error, output, result_chars,
                              result_line)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        uses,
    )
    db.executemany(
        """
        insert into file_edits(id, session_id, tool_use_id, file_path, written_path, timestamp)
        values (?1, ?2, ?3, ?4, ?4, ?5)
        """,
        edits,
    )
    for result in decoded.results:
        _late_result(db, session, result)


def _late_result(db: sqlite3.Connection, session: str, result: ToolResult) -> None:
    """A result whose tool use came in an earlier segment."""
    rows = db.execute(
        """
        select t.id, t.tool_name, t.classified_name, t.input_json, s.agent
        from tool_uses t join sessions s on s.id = t.session_id
        where t.session_id = ? and t.tool_use_id = ? and t.is_error is null
        """,
        (session, result.tool_use_id),
    )
    for use, name, classified, given, agent in rows.fetchall():
        tool = load_source(agent).TOOLS.get(name, UNKNOWN_TOOL)
        output = result.output if has_output(tool, name, classified, given) else None
        db.execute(
            "update tool_uses set is_error = ?, error = ?, output = ?, result_chars = ?, result_line = ? where id = ?",
            (result.is_error, result.error, output, result.chars, result.line, use),
        )


def _rest(db: sqlite3.Connection, session: str, base: int, path: str, decoded: Decoded) -> None:
    db.executemany(
        """
        insert into commands(id, session_id, uuid, timestamp, kind, name, args, line)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [(base + i, session, *c) for i, c in enumerate(decoded.commands)],
    )
    db.executemany(
        """
        insert into compactions(id, session_id, timestamp, trigger, pre_tokens, post_tokens, line)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        [(base + i, session, *c) for i, c in enumerate(decoded.compactions)],
    )
    db.executemany(
        "insert into compaction_summaries(id, session_id, uuid, timestamp, text, line) values (?, ?, ?, ?, ?, ?)",
        [(base + i, session, *s) for i, s in enumerate(decoded.compaction_summaries)],
    )
    db.executemany(
        """
        insert into pull_requests(session_id, url, number, repository, timestamp) values (?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        [(session, *p) for p in decoded.pull_requests],
    )
    db.executemany(
        "insert into problems(path, line, session_id, why) values (?, ?, ?, ?) on conflict do nothing",
        [(path, line, session, why) for line, why in decoded.problems],
    )
    db.executemany(
        """
        insert into record_counts(session_id, type, known, count) values (?, ?, ?, ?)
        on conflict do update set count = count + excluded.count
        """,
        [(session, t, int(t not in decoded.unknown), n) for t, n in decoded.counts.items()]
        or [(session, "(none)", 1, 0)],
    )
    db.executemany(
        """
        insert into summaries(session_id, leaf_uuid, summary) values (?, ?, ?)
        on conflict do update set summary = excluded.summary
        """,
        [(session, leaf, summary) for leaf, summary in decoded.summaries],
    )
    db.executemany(
        """
        insert into session_titles(session_id, kind, title) values (?, ?, ?)
        on conflict do update set title = case when kind = 'task' then title else excluded.title end
        """,
        [(session, kind, title) for kind, title in decoded.titles.items()],
    )


def _session(db: sqlite3.Connection, session: str, decoded: Decoded) -> None:
    db.execute(
        """
        update sessions set
            cwd = case when :moved then :cwd else coalesce(cwd, :cwd) end,
            git_branch = coalesce(:branch, git_branch),
            version = coalesce(:version, version),
            model = coalesce(:model, model),
            started_at = min(coalesce(started_at, :first), coalesce(:first, started_at)),
            ended_at = max(coalesce(ended_at, :last), coalesce(:last, ended_at))
        where id = :id
        """,
        {
            "cwd": decoded.cwd,
            "moved": decoded.relocated,
            "branch": decoded.git_branch,
            "version": decoded.version,
            "model": decoded.model,
            "first": decoded.first_ts,
            "last": decoded.last_ts,
            "id": session,
        },
    )
