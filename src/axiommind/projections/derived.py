"""Derived tables: sums over the session tables, kept equal to a full recomputation at all times.

A batch recomputes the projects it touched, and of the links those with a session it touched, in its own transaction.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections import OF_PROJECT, Batch, Table

NAME = "derived"
VERSION = 2
AFTER = ("sessions",)
EVENT_TYPES: tuple[str, ...] = ()  # reads what the sessions projection touched
TABLES = (
    Table(
        "tool_transitions",
        "How often one tool follows another in a session, and with what probability.",
        scope=OF_PROJECT,
        columns="from_tool, to_tool, count, probability",
        over_all="""
        select from_tool, to_tool, n as count, cast(n as real) / sum(n) over (partition by from_tool) as probability
        from (select from_tool, to_tool, sum(count) as n from main.tool_transitions group by from_tool, to_tool)
        """,
    ),
    Table(
        "weekly_buckets",
        "Uses of each tool in each week (Monday, UTC); prompts are counted as `(prompts)`.",
        scope=OF_PROJECT,
        columns="week_start, tool_name, count, session_count",
        over_all="""
        select week_start, tool_name, sum(count) as count, sum(session_count) as session_count
        from main.weekly_buckets group by week_start, tool_name
        """,
    ),
    Table(
        "file_hotspots",
        "How often each file was edited, and in how many sessions.",
        scope=OF_PROJECT,
        columns="file_path, edit_count, session_count",
        over_all="""
        select file_path, sum(edit_count) as edit_count, sum(session_count) as session_count
        from main.file_hotspots group by file_path
        """,
    ),
    Table(
        "session_links",
        "Pairs of sessions of one project that edited the same files.",
        scope=OF_PROJECT,
        columns="session_a, session_b, shared_files, overlap_ratio, time_gap_minutes",
        over_all="select session_a, session_b, shared_files, overlap_ratio, time_gap_minutes from main.session_links",
    ),
)

_DDL = (
    """
    create table tool_transitions (
        project text not null,
        from_tool text not null,
        to_tool text not null,
        count integer not null,
        probability real not null,
        primary key (project, from_tool, to_tool)
    ) without rowid
    """,
    """
    create table weekly_buckets (
        project text not null,
        week_start text not null,
        tool_name text not null,
        count integer not null,
        session_count integer not null,
        primary key (project, week_start, tool_name)
    ) without rowid
    """,
    "create index idx_weekly_week on weekly_buckets(week_start)",
    """
    create table file_hotspots (
        project text not null,
        file_path text not null,
        edit_count integer not null,
        session_count integer not null,
        primary key (project, file_path)
    ) without rowid
    """,
    """
    create table session_links (
        project text not null,
        session_a text not null,
        session_b text not null,
        shared_files integer not null,
        overlap_ratio real not null,
        time_gap_minutes integer,
        primary key (project, session_a, session_b)
    ) without rowid
    """,
    "create index idx_session_links_a on session_links(session_a)",
    "create index idx_session_links_b on session_links(session_b)",
)

# A pair counts when its second tool use is canonical: what a fork copied was counted where it happened.
_TRANSITIONS = """
    with pairs as (
        select lag(u.classified_name) over (partition by u.session_id, u.subagent order by u.seq_order) as from_tool,
               u.classified_name as to_tool, u.canonical
        from sessions s join tool_uses u on u.session_id = s.id
        where s.project = :project
    ),
    counted as (
        select from_tool, to_tool, count(*) as n
        from pairs
        where from_tool is not null and canonical
        group by from_tool, to_tool
    )
    insert into tool_transitions(project, from_tool, to_tool, count, probability)
    select :project, from_tool, to_tool, n, cast(n as real) / sum(n) over (partition by from_tool)
    from counted
"""
# Weeks begin on Monday, UTC.
_WEEKLY = """
    with happened as (
        select u.session_id, u.classified_name as name, u.timestamp
        from sessions s join tool_uses u on u.session_id = s.id
        where s.project = :project and u.canonical and u.timestamp > 0
        union all
        select p.session_id, '(prompts)', p.timestamp
        from sessions s join prompts p on p.session_id = s.id
        where s.project = :project and p.canonical and p.timestamp > 0
    )
    insert into weekly_buckets(project, week_start, tool_name, count, session_count)
    select :project, date(timestamp / 1000, 'unixepoch', 'weekday 0', '-6 days') as week, name, count(*),
           count(distinct session_id)
    from happened
    group by week, name
"""
_HOTSPOTS = """
    insert into file_hotspots(project, file_path, edit_count, session_count)
    select :project, e.file_path, count(*), count(distinct e.session_id)
    from sessions s join file_edits e on e.session_id = s.id
    where s.project = :project and e.canonical
    group by e.file_path
"""
# A file that more sessions than this edited (a changelog, a lock file) links none of them: otherwise n sessions of a
# project make n² links that say nothing. It still counts in the overlap of a pair that another file links.
LINKING_SESSIONS = 50
# From when to when people and agents did something in a session: a client may write into its file days later.
_DONE = """
    select timestamp as at from prompts where session_id = s.id and timestamp > 0
    union all select timestamp from tool_uses where session_id = s.id and timestamp > 0
    union all select timestamp from responses where session_id = s.id and timestamp > 0
"""
SPANS = f"""
    select s.id, coalesce((select min(at) from ({_DONE})), s.started_at) as start,
           coalesce((select max(at) from ({_DONE})), s.ended_at) as finish
    from sessions s
"""
# The links of one session: with those sessions of its project that edited a file which links.
_LINKS = f"""
    with mine as (
        select distinct file_path from file_edits where session_id = :touched
    ),
    others as (
        select distinct e.session_id as other
        from mine
        join file_hotspots h on h.project = :project and h.file_path = mine.file_path
                            and h.session_count <= {LINKING_SESSIONS}
        join file_edits e on e.file_path = mine.file_path
        join sessions o on o.id = e.session_id
        where e.session_id <> :touched and o.project = :project
    ),
    pairs as (
        select other, (select count(distinct e.file_path) from file_edits e
                       where e.session_id = other and e.file_path in (select file_path from mine)) as shared
        from others
    ),
    spans as ({SPANS} where s.id = :touched or s.id in (select other from others))
    insert into session_links(project, session_a, session_b, shared_files, overlap_ratio, time_gap_minutes)
    select :project, min(:touched, other), max(:touched, other), shared,
           cast(shared as real) / ((select count(*) from mine)
               + (select count(distinct file_path) from file_edits where session_id = other) - shared),
           case when a.finish < b.start then (b.start - a.finish) / 60000
                when b.finish < a.start then (a.start - b.finish) / 60000 end
    from pairs join spans a on a.id = :touched join spans b on b.id = other
    where true
    on conflict do nothing
"""


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    relink = set(batch.sessions)
    for project in sorted(batch.projects):
        crowded = _crowded(db, project)
        for table in ("tool_transitions", "weekly_buckets", "file_hotspots"):
            db.execute(f"delete from {table} where project = ?", (project,))
        for statement in (_TRANSITIONS, _WEEKLY, _HOTSPOTS):
            db.execute(statement, {"project": project})
        if crowded != _crowded(db, project):  # a file began or ceased to link: that is about everyone's links
            db.execute("delete from session_links where project = ?", (project,))
            relink |= {row[0] for row in db.execute("select id from sessions where project = ?", (project,))}
    for session in relink:
        db.execute("delete from session_links where session_a = ?", (session,))
        db.execute("delete from session_links where session_b = ?", (session,))
    for session in sorted(relink):
        row = db.execute("select project from sessions where id = ?", (session,)).fetchone()
        if row is not None:
            db.execute(_LINKS, {"touched": session, "project": row[0]})


def _crowded(db: sqlite3.Connection, project: str) -> set[str]:
    rows = db.execute(
        "select file_path from file_hotspots where project = ? and session_count > ?", (project, LINKING_SESSIONS)
    )
    return {row[0] for row in rows}
