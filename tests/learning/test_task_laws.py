"""Laws of tasks: whatever is said, in whatever order, the invariants hold; twice is once; batches do not matter."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.extraction.drafts import Draft, DraftBlocker
from axiommind.learning.tasks.commands import set_status
from axiommind.learning.tasks.state import IndexState
from axiommind.model import Event
from axiommind.projections.task_fold import CLOSED, TASK_STATUSES, TRANSITIONS, FoldedTask, TaskEvent, fold
from tests.examples import examples
from tests.learning.task_log import START, TaskLog, apply, draft, in_batches, new_index, tables, timed
from tests.rows import rows

# Those that the acceptance rows name; the others are tried less often here, and ten times as often by `make proof`.
CASES = examples(500)
SOME = examples(75)

# --- what may be said ---------------------------------------------------------------------------------------

TITLES = ("Build", "Ship it", "it: ship", "测试 登录", "로그인 수정", "🎉", "wait for review")
WORDS = (
    *TITLES,
    "the moon",
    "QA 승인",
    "PROJ-7",
    "https://x.example",
    "acme/shop#4",
    "build",
    "",
    "tsk_0123456789abcdef",
)
titles = st.sampled_from(TITLES)
statuses = st.sampled_from((*TASK_STATUSES, *TASK_STATUSES, "sleeping"))
blockers = st.builds(DraftBlocker, st.sampled_from(WORDS), st.booleans())


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    return draft(
        draw(titles),
        *draw(st.lists(statuses, max_size=4)),
        blocked_by=draw(st.lists(blockers, max_size=3)),
        priority=draw(st.sampled_from((None, None, "critical", "low", "soon"))),
        renamed_from=draw(st.sampled_from(("", "", "", *TITLES))),
        quote=draw(st.sampled_from(("short", "x" * 40))),
    )


sessions = st.lists(
    st.tuples(st.sampled_from(("s1", "s2", "s3")), st.lists(drafts(), min_size=1, max_size=4), st.booleans()),
    min_size=1,
    max_size=5,
)


def learned(said: list[tuple[str, list[Draft], bool]]) -> TaskLog:
    log = TaskLog()
    for session, notes, aligned in said:
        log.learn(*notes, session=session, aligned=aligned)
    return log


# --- what must hold -----------------------------------------------------------------------------------------


def check_task(task: FoldedTask) -> None:
    assert task.status in TASK_STATUSES
    if task.status == "blocked":
        assert task.blockers or task.suggestions
    if task.status in CLOSED:
        assert not task.blockers and not task.suggestions
    assert task.task_id not in {ref.entity_id for ref in (*task.blockers, *task.suggestions)}
    status = None
    for change in task.history:
        if change.outcome == "applied" and change.event_type in ("task_created", "task_status_changed"):
            assert change.before == status
            assert status is None or change.after in TRANSITIONS[status]
            assert (status, change.after) != ("pending", "done")
            status = change.after
    assert status == task.status


def check_tables(db: sqlite3.Connection) -> None:
    there = {row[0] for row in db.execute("select entity_id from entities")}
    edges = db.execute("select src_type, src_id, rel_type, dst_id from edges").fetchall()
    for src_type, src, rel, dst in edges:
        assert dst in there
        assert src_type == "entry" or src in there
        assert src != dst, rel
    for entity, current in db.execute("select entity_id, current_json from entities where entity_type = 'task'"):
        now = json.loads(current)
        waits = {rel: {dst for _, src, r, dst in edges if src == entity and r == rel} for _, _, rel, _ in edges}
        confirmed, suggested = waits.get("blocked_by", set()), waits.get("blocked_by_suggested", set())
        assert {b["entity_id"] for b in now["blockers"]} == confirmed
        assert {b["entity_id"] for b in now["blocker_suggestions"]} == suggested
        assert entity not in confirmed | suggested
        if now["status"] == "blocked":
            assert confirmed or suggested
        if now["status"] in CLOSED:
            assert not confirmed and not suggested
    effective = db.execute("select task_id, blocker_id, effective_id from v_task_blockers_effective").fetchall()
    assert {row[:2] for row in effective} == {(src, dst) for _, src, rel, dst in edges if rel == "blocked_by"}
    assert len(effective) == len({row[:2] for row in effective})
    assert all(task != reached for task, _, reached in effective)
    newest = db.execute(
        "select canonical_key, entity_id, max(position) from entity_keys group by entity_type, canonical_key"
    )
    assert sorted(row[:2] for row in newest) == sorted(
        db.execute("select canonical_key, entity_id from entity_aliases")
    )


# --- the fold alone -----------------------------------------------------------------------------------------

ME = "tsk_me"
refs = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("task", "condition", "artifact", "dream")),
        "entity_id": st.sampled_from((ME, "tsk_b", "cond_c", "art_d")),
        "confidence": st.sampled_from((0.5, 1, 7, None, "much")),
    }
)
words = st.one_of(statuses, st.none(), st.just(["done"]))
bodies = st.one_of(
    st.tuples(
        st.just("task_created"), st.fixed_dictionaries({"status": words, "title": titles, "canonical_key": titles})
    ),
    st.tuples(st.just("task_status_changed"), st.fixed_dictionaries({"from": words, "to": words})),
    st.tuples(st.just("task_transition_rejected"), st.fixed_dictionaries({"from": words, "to": words})),
    st.tuples(
        st.just("task_priority_changed"),
        st.fixed_dictionaries({"from": words, "to": st.sampled_from(("low", None, "x"))}),
    ),
    st.tuples(st.just("task_title_changed"), st.fixed_dictionaries({"title": titles, "canonical_key": titles})),
    st.tuples(
        st.just("task_blockers_set"),
        st.fixed_dictionaries(
            {"mode": st.sampled_from(("replace", "suggest", "guess")), "blockers": st.lists(refs, max_size=3)}
        ),
    ),
    st.tuples(st.just("task_mentioned"), st.just({})),
)


@rows("R2.65", "R2.97", "R2.21", "R2.22", "R2.63")
@settings(max_examples=CASES)
@given(st.lists(bodies, max_size=25))
def test_any_events_in_any_order_fold_to_a_lawful_task(said: list[tuple[str, dict[str, Any]]]) -> None:
    rows = [TaskEvent(i, kind, ME, None, "app", "memory", START + i, body) for i, (kind, body) in enumerate(said)]
    for end in range(len(rows) + 1):
        task = fold(rows[:end])
        if task is not None:
            check_task(task)
            assert len(task.history) == end  # nothing that was said is lost


# --- drafts -------------------------------------------------------------------------------------------------


@rows("R2.91")
@settings(max_examples=CASES)
@given(sessions)
def test_pending_never_becomes_done_in_one_step(said: list[tuple[str, list[Draft], bool]]) -> None:
    log = learned(said)
    moves = [(e.payload["from"], e.payload["to"]) for e in log.events if e.event_type == "task_status_changed"]
    assert all(to in TRANSITIONS[before] for before, to in moves)
    assert ("pending", "done") not in moves
    starts = {e.payload["status"] for e in log.events if e.event_type == "task_created"}
    assert starts <= {"pending", "in_progress"}


@rows("R2.68", "R2.92", "R2.93")
@settings(max_examples=CASES)
@given(sessions)
def test_blocked_tasks_have_blockers_and_done_ones_none(said: list[tuple[str, list[Draft], bool]]) -> None:
    log = learned(said)
    check_tables(log.db)
    state = IndexState(log.db)
    for (task_id,) in log.db.execute("select entity_id from entities where entity_type = 'task'").fetchall():
        task = fold(state.events_about(task_id))
        assert task is not None
        check_task(task)
        assert all(change.outcome != "ignored" or change.event_type == "task_blockers_set" for change in task.history)


@settings(max_examples=SOME)
@given(sessions, sessions)
def test_what_was_not_found_changes_no_status(
    said: list[tuple[str, list[Draft], bool]], unfound: list[tuple[str, list[Draft], bool]]
) -> None:
    log = learned(said)
    before = tables(log.db)
    for session, notes, _ in unfound:
        log.learn(*notes, session=f"{session} later", aligned=False)
    assert tables(log.db) == before


@rows("R2.62", "R2.94", "R2.99", "R2.100")
@settings(max_examples=CASES)
@given(sessions, st.randoms(use_true_random=False))
def test_learned_twice_is_learned_once(said: list[tuple[str, list[Draft], bool]], random: Any) -> None:
    # A session is learned as a whole, so of each only the last version counts.
    whole = list({session: (session, notes, aligned) for session, notes, aligned in said}.values())
    log = learned(whole)
    before, events = tables(log.db), len(log.events)
    random.shuffle(whole)
    for session, notes, aligned in whole:
        again = log.learn(*notes, session=session, aligned=aligned)
        assert again.events == []
    assert len(log.events) == events
    assert tables(log.db) == before


@settings(max_examples=SOME)
@given(st.lists(drafts(), min_size=1, max_size=5))
def test_learned_by_two_at_once_is_learned_once(notes: list[Draft]) -> None:
    """The second one has not seen what the first one wrote: its events have the same keys, and are dropped."""
    log = TaskLog()
    first = log.learn(*notes)
    blind = TaskLog().learn(*notes)
    for emit in blind.events:
        log.append(emit)
    assert log.dropped == len(blind.events) == len(first.events)


@settings(max_examples=SOME)
@given(st.lists(drafts(), min_size=1, max_size=3), st.data())
def test_a_session_that_grows_ends_as_if_it_had_been_learned_at_its_end(
    notes: list[Draft], data: st.DataObject
) -> None:
    notes = [
        note._replace(renamed_from=data.draw(st.sampled_from(("", f"Before {note.title}"))))
        for note in {note.title: note for note in notes}.values()
    ]
    cut = [data.draw(st.integers(1, len(note.steps))) if note.steps else 0 for note in notes]
    early = [note._replace(steps=note.steps[:n]) for note, n in zip(notes, cut, strict=True)]
    early = [  # some before they were renamed
        note._replace(title=note.renamed_from, renamed_from="")
        if note.renamed_from and data.draw(st.booleans())
        else note
        for note in early
    ]
    grown, whole = TaskLog(), TaskLog()
    for other in data.draw(st.lists(st.sampled_from((*early, *notes)), max_size=2)):
        for log in (grown, whole):  # what another session knows already
            log.learn(other._replace(blocked_by=()), session="s2")
    grown.learn(*early)
    grown.learn(*notes)
    whole.learn(*notes)

    def standing(log: TaskLog) -> list[Any]:
        return sorted(
            log.db.execute(
                """
                select entity_id, title, json_extract(current_json, '$.status'),
                       (select json_group_array(canonical_key)
                        from (select canonical_key from entity_keys k where k.entity_id = e.entity_id order by 1))
                from entities e where entity_type = 'task'
                """
            )
        )

    assert standing(grown) == standing(whole)
    assert grown.types().count("task_title_changed") == whole.types().count("task_title_changed")
    moves = [
        [(e.payload["task_id"], e.payload["from"], e.payload["to"]) for e in log.events if "transition" in e.event_type]
        for log in (grown, whole)
    ]
    assert sorted(moves[0]) == sorted(moves[1])  # what is rejected is rejected once


# --- the order of learning ----------------------------------------------------------------------------------

# What was said of one title, in the order it was said: by which session, and what.
timelines = st.lists(
    st.tuples(st.sampled_from(("s1", "s2", "s3")), st.sampled_from(TASK_STATUSES)), min_size=1, max_size=8
)
# The table has no way from the second to the first.
FORBIDDEN = {("pending", "in_progress"), ("pending", "blocked"), ("cancelled", "done")}


def drafts_of(timeline: list[tuple[str, str]]) -> dict[str, list[Draft]]:
    """As extractors give them: what follows an end is another draft."""
    found: dict[str, list[Draft]] = {}
    lives: dict[str, list[tuple[str, int]]] = {}
    for minute, (session, status) in enumerate(timeline):
        lives.setdefault(session, []).append((status, minute))
        if status in CLOSED:
            found.setdefault(session, []).append(timed("A", *lives.pop(session)))
    for session, steps in lives.items():
        found.setdefault(session, []).append(timed("A", *steps))
    return found


def in_order(said: dict[str, list[Draft]], order: list[str]) -> str:
    """How the one task stands when they are learned in this order."""
    log = TaskLog()
    for session in order:
        log.learn(*said[session], session=session)
    check_tables(log.db)
    ((status, current),) = log.db.execute(
        "select json_extract(current_json, '$.status'), current_json from entities where entity_type = 'task'"
    ).fetchall()
    history = json.loads(current)["history"]
    times = [change["at"] for change in history if change["event_type"] == "task_status_changed"]
    assert times == sorted(times)  # nothing that was said before the last change is one
    return str(status)


@settings(max_examples=SOME)
@given(timelines, st.data())
def test_whatever_is_learned_first_the_last_word_counts(timeline: list[tuple[str, str]], data: st.DataObject) -> None:
    """One title is one task, and it is as was said last, unless the table forbids that from where it was."""
    said = drafts_of(timeline)
    status = in_order(said, data.draw(st.permutations(sorted(said))))
    last = timeline[-1][1]
    assert status == last or (last, status) in FORBIDDEN


@settings(max_examples=SOME)
@given(timelines, st.sampled_from(("in_progress", "blocked", "done")), st.data())
def test_where_the_last_word_is_more_than_a_list_the_order_makes_no_difference(
    timeline: list[tuple[str, str]], last: str, data: st.DataObject
) -> None:
    said = drafts_of([*timeline, (data.draw(st.sampled_from(("s1", "s2", "s3"))), last)])
    assert in_order(said, data.draw(st.permutations(sorted(said)))) == last


@settings(max_examples=SOME)
@given(st.lists(st.sampled_from(TASK_STATUSES), min_size=1, max_size=8))
def test_a_later_list_says_nothing_new_whichever_is_learned_first(statuses: list[str]) -> None:
    """What one session left open is as open; what it finished is open again."""
    said = drafts_of([*(("s1", status) for status in statuses), ("s2", "pending")])
    assert in_order(said, ["s2", "s1"]) == in_order(said, ["s1", "s2"])


@settings(max_examples=SOME)
@given(st.lists(st.sampled_from(TASK_STATUSES), max_size=8), drafts())
def test_a_person_cannot_break_a_law(wishes: list[str], note: Draft) -> None:
    from axiommind.errors import BadQuery

    log = TaskLog()
    log.learn(note)
    task_id = log.task_id(note.title)
    for to in wishes:
        try:
            events = set_status(IndexState(log.db), task_id, to, epoch="0", now=START)
        except BadQuery as refused:
            assert refused.hint
            continue
        for emit in events:
            log.append(emit, None)
        log.fold()
        (now,) = log.db.execute(
            "select json_extract(current_json, '$.status') from entities where entity_id = ?", (task_id,)
        ).fetchone()
        assert now == to
        check_tables(log.db)
    assert log.dropped == 0


# --- the tables ---------------------------------------------------------------------------------------------


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[list[Event], dict[str, bytes]]:
    """The events of some sessions: some missing, some twice, conditions resolved to anything, in any order."""
    log = learned(draw(sessions))
    events = list(log.events)
    known = sorted(row[0] for row in log.db.execute("select entity_id from entities"))
    conditions = [entity for entity in known if entity.startswith("cond_")]
    if conditions:
        for condition, entity in draw(
            st.lists(st.tuples(st.sampled_from(conditions), st.sampled_from([*known, "art_gone"])), max_size=5)
        ):
            payload = {"condition_id": condition, "entity_id": entity, "by": "user"}
            events.append(events[0]._replace(event_type="condition_resolved_to", payload=payload, session_id=None))
    voids = st.tuples(st.sampled_from(("s1", "s2", "s3")), st.sets(st.sampled_from(known or ["tsk_none"]), max_size=3))
    for session, entities in draw(st.lists(voids, max_size=2)) if events else ():
        payload = {"session": session, "entities": sorted(entities)}
        voided = events[0]._replace(event_type="learning_voided", payload=payload, session_id=session)
        events.insert(draw(st.integers(1, len(events))), voided)
    picked = draw(st.lists(st.sampled_from(events), max_size=6) if events else st.just([])) + [
        event for event in events if draw(st.integers(0, 9)) > 0
    ]
    order = draw(st.permutations(range(len(picked)))) if draw(st.booleans()) else range(len(picked))
    return renumbered([picked[i] for i in order]), log.blobs


def renumbered(events: list[Event]) -> list[Event]:
    return [e._replace(position=i, event_id=f"evt_{i}", ts=START + i) for i, e in enumerate(events, start=1)]


sizes = st.lists(st.integers(1, 7), max_size=30)


@rows("R2.65", "R2.100")
@settings(max_examples=CASES)
@given(disturbed(), sizes)
def test_any_interleaving_is_lawful_and_batches_do_not_matter(
    world: tuple[list[Event], dict[str, bytes]], batches: list[int]
) -> None:
    events, blobs = world
    whole = in_batches(events, blobs, [])
    check_tables(whole)
    assert tables(in_batches(events, blobs, batches)) == tables(whole)


@settings(max_examples=SOME)
@given(disturbed(), sizes, st.data())
def test_forgetting_in_the_middle_is_a_rebuild_without_what_was_forgotten(
    world: tuple[list[Event], dict[str, bytes]], batches: list[int], data: st.DataObject
) -> None:
    events, blobs = world
    at = data.draw(st.integers(0, len(events)))
    gone = data.draw(st.sets(st.sampled_from(("s1", "s2", "s3")), min_size=1))
    project = data.draw(st.sampled_from((None, None, None, "app")))

    def is_gone(event: Event) -> bool:
        return event.session_id in gone or (project is not None and event.project == project)

    tombstone = Event(
        0, "", 0, "forgotten", "user", None, project, {"sessions": sorted(gone), "project": project, "reason": ""}, ""
    )
    before, after = events[:at], events[at:]
    kept = {e.payload.get("blob") for e in [e for e in before if not is_gone(e)] + after}
    purged = {name: content for name, content in blobs.items() if name in kept}
    log = renumbered([*before, tombstone, *after])

    step_by_step = new_index()
    done = 0
    for size in [*batches, *([5] * len(log))]:
        # Until the tombstone is there the text is there.
        apply(step_by_step, log[done : done + size], blobs if done + size <= at else purged)
        done += size
    rebuilt = in_batches(log, purged, [])
    check_tables(rebuilt)
    assert tables(step_by_step) == tables(rebuilt)
    never = [event for event in log[:at] if not is_gone(event)] + log[at + 1 :]
    assert tables(in_batches(never, blobs, [])) == tables(rebuilt)


@rows("R2.74")
@settings(max_examples=SOME)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), max_size=14), sizes)
def test_effective_blockers_end_whatever_is_resolved_to_what(pairs: list[tuple[int, int]], batches: list[int]) -> None:
    """Six conditions resolved to each other and to two tasks, in circles as it may be; the newest word counts."""
    log = TaskLog()
    names = [f"moon {i}" for i in range(6)]
    log.learn(draft("Ship", "blocked", blocked_by=names), draft("Land", "blocked", blocked_by=names[:2]))
    found = dict(log.db.execute("select title, entity_id from entities").fetchall())
    nodes = [*(found[name] for name in names), found["Ship"], found["Land"]]
    newest: dict[str, str] = {}
    for src, dst in pairs:
        log.add("condition_resolved_to", {"condition_id": nodes[src], "entity_id": nodes[dst], "by": "user"}, None)
        if src != dst:
            newest[nodes[src]] = nodes[dst]
    log.fold()
    check_tables(log.db)
    assert tables(in_batches(log.events, log.blobs, batches)) == tables(log.db)
    for task, blocker, reached in log.db.execute(
        "select task_id, blocker_id, effective_id from v_task_blockers_effective"
    ):
        seen, walked = set(), blocker
        while walked in newest and newest[walked] != task and walked not in seen:
            seen.add(walked)
            walked = newest[walked]
        assert reached == (blocker if walked in seen else walked)
