"""The tables of entries, and of what their stage and status follow from."""

from __future__ import annotations

from axiommind.projections import OF_PROJECT, Table

__all__ = ["DDL", "TABLES"]

TABLES = (
    Table(
        "entries",
        "What was learned: one claim per row, with its stage, status, keys and evidence. Content never changes. "
        "`kind` is what it is good for (preference, decision, convention, gotcha, howto, domain, open, record), "
        "`provenance` who said the words that it rests on, `extractor` who made the claim of them, `support` "
        "whether a second reader found that the words bear it out, `anchors_json` the files and symbols that it speaks "
        "of.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "entry_evidence",
        "A view: one row per quote of an entry, with the file, line and span of its words, or with the "
        "`reason` why they were not found.",
        scope="entry_id in (select entry_id from entries)",
        is_view=True,
    ),
    Table(
        "promotions",
        "Every change of stage, with the policy (and its version) or person responsible.",
        scope="entry_id in (select entry_id from entries)",
    ),
    Table(
        "rulings",
        "What was said about an entry: `contested`, `superseded` (by `other_id`), `deprecated`, `restored`; and "
        "`withdrawn` when its session no longer says it, `returned` when it does again.",
        scope="entry_id in (select entry_id from entries)",
    ),
    Table(
        "conflicts",
        "Pairs of claims with the same key that cannot both hold, and how the conflict was settled.",
        scope="newer_id in (select entry_id from entries)",
    ),
    Table(
        "entry_uses",
        "When an entry was shown, injected or cited by a decision, and in which session.",
        scope="entry_id in (select entry_id from entries)",
        forgotten_by="session_id",
    ),
    Table(
        "rejected_claims",
        "Keys of claims that a person rejected: they are not learned again.",
        scope="entry_id in (select entry_id from entries)",
    ),
    Table(
        "entry_events",
        "Which events are about which entry, so that it can be folded again when an older one comes from another "
        "machine.",
        scope="entry_id in (select entry_id from entries)",
        differs="true",
    ),
    Table(
        "entry_awaits",
        "Entries whose evidence is in an event of another machine that has not come yet.",
        scope="entry_id in (select entry_id from entries)",
        differs="true",
    ),
    Table(
        "checks",
        "The checkers' verdicts on the entries of a session, and whether they agreed.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
)

DDL = (
    """
    create table entries (
        id integer primary key,
        entry_id text not null unique,
        created_ts integer not null,
        entry_type text not null
            check (entry_type in ('fact', 'decision', 'insight', 'task_note', 'reference')),
        stage text not null check (stage in ('raw', 'working', 'candidate', 'verified', 'certified')),
        status text not null default 'active'
            check (status in ('active', 'contested', 'deprecated', 'superseded', 'withdrawn')),
        superseded_by text,
        session_id text not null,
        project text not null,
        project_path text not null,
        build_id text,
        kind text not null,
        provenance text not null,
        extractor text not null,
        rule text not null,
        confidence real not null,
        support text not null default '',
        aligned integer not null default 0,
        verified_by text,
        happened_at integer,
        created_at text not null,
        canonical_key text not null,
        value_key text not null,
        evidence_json text not null default '[]' check (json_valid(evidence_json)),
        title text not null,
        text text not null,
        content_json text not null check (json_valid(content_json)),
        anchors_json text not null default '[]' check (json_valid(anchors_json))
    )
    """,
    "create index idx_entries_type on entries(entry_type)",
    "create index idx_entries_stage on entries(stage)",
    "create index idx_entries_session on entries(session_id)",
    "create index idx_entries_key on entries(canonical_key)",
    "create index idx_entries_value on entries(value_key)",
    "create index idx_entries_fallen on entries(project) where status <> 'active'",
    """
    create table promotions (
        id integer primary key,
        entry_id text not null,
        from_stage text not null,
        to_stage text not null,
        policy text not null,
        policy_version text not null,
        reason text not null,
        actor text not null,
        at text not null
    )
    """,
    "create index idx_promotions_entry on promotions(entry_id)",
    """
    create table rulings (
        position integer primary key,
        ord text not null,
        entry_id text not null,
        act text not null
            check (act in ('contested', 'superseded', 'deprecated', 'restored', 'withdrawn', 'returned')),
        other_id text,
        actor text not null,
        reason text not null,
        at text not null
    )
    """,
    "create index idx_rulings_entry on rulings(entry_id)",
    """
    create table conflicts (
        conflict_id text primary key,
        older_id text not null,
        newer_id text not null,
        conflict_type text not null,
        reason text not null,
        detected_at text not null,
        resolved_at text,
        resolution text,
        resolved_by text
    ) without rowid
    """,
    "create index idx_conflicts_older on conflicts(older_id)",
    "create index idx_conflicts_newer on conflicts(newer_id)",
    """
    create table entry_uses (
        id integer primary key,
        entry_id text not null,
        session_id text,
        how text not null,
        at integer not null
    )
    """,
    "create index idx_entry_uses_entry on entry_uses(entry_id)",
    """
    create table rejected_claims (
        value_key text not null,
        entry_id text not null,
        position integer not null,
        primary key (value_key, entry_id)
    ) without rowid
    """,
    "create index idx_rejected_claims_entry on rejected_claims(entry_id)",
    # How an entry is folded again when something older about it comes from another machine.
    """
    create table entry_events (
        entry_id text not null,
        ord text not null,
        position integer not null,
        primary key (entry_id, ord)
    ) without rowid
    """,
    # Words that an entry rests on and that have not come yet.
    """
    create table entry_awaits (
        event_id text not null,
        entry_id text not null,
        primary key (event_id, entry_id)
    ) without rowid
    """,
    """
    create table checks (
        position integer primary key,
        session_id text not null,
        project text not null,
        project_path text not null,
        at text not null,
        verified_by text not null,
        agree integer not null,
        difference text not null,
        passed integer not null,
        failed integer not null
    )
    """,
    # One row per quote that was found: where its words are, with the file and line to open.
    """
    create view entry_evidence as
    select
        e.entry_id,
        q.key as seq_order,
        json_extract(q.value, '$.event_id') as event_id,
        json_extract(q.value, '$.position') as position,
        g.path,
        coalesce(g.live, 0) as is_live,
        json_extract(q.value, '$.line') as line,
        json_extract(q.value, '$.block') as block,
        json_extract(q.value, '$.start') as span_start,
        json_extract(q.value, '$.end') as span_end,
        json_extract(q.value, '$.quote_hash') as quote_hash,
        json_extract(q.value, '$.confidence') as confidence,
        json_extract(q.value, '$.method') as method,
        json_extract(q.value, '$.reason') as reason
    from entries e
    join json_each(e.evidence_json) q
    left join segments g on g.position = json_extract(q.value, '$.position')
    """,
)
