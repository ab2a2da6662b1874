"""Tasks by example: what sessions say, the events that follow, what a person asks and is answered."""

from __future__ import annotations

import json

import pytest

from axiommind.errors import BadQuery, NotFound
from axiommind.extraction.drafts import Draft, DraftBlocker, Quote
from axiommind.learning.keys import canonical_key, entry_id
from axiommind.learning.tasks.commands import reopen, resolve_condition, set_priority, set_status
from axiommind.learning.tasks.resolve import TaskNote, resolve
from axiommind.learning.tasks.state import IndexState
from axiommind.projections import task_rows as ask
from axiommind.projections.task_fold import OPEN, UNKNOWN_BLOCKER, unknown_blocker
from axiommind.surfaces.render.tasks import task_as_text, task_detail_json
from tests.counting import grows_linearly
from tests.learning.task_log import MINUTE, PROJECT, START, TaskLog, draft, in_batches, span, tables, timed
from tests.rows import rows


def status_of(log: TaskLog, title: str) -> str:
    detail = ask.get_task_detail(log.db, log.task_id(title))
    assert detail is not None
    return detail.task.status


def changes(log: TaskLog) -> list[tuple[str, str]]:
    return [(e.payload["from"], e.payload["to"]) for e in log.events if e.event_type == "task_status_changed"]


@rows("R2.7", "R2.47", "R2.59", "R2.98")
def test_a_task_is_opened_goes_on_and_is_done() -> None:
    log = TaskLog()
    log.learn(draft("Write the parser", "pending", "in_progress", "done", priority="high"))
    assert log.types() == ["task_created", "task_status_changed", "task_status_changed"]
    assert changes(log) == [("pending", "in_progress"), ("in_progress", "done")]
    detail = ask.get_task_detail(log.db, log.task_id("Write the parser"))
    assert detail is not None
    assert (detail.task.status, detail.task.priority, detail.task.stage) == ("done", "high", "working")
    assert [(h.before, h.after, h.outcome) for h in detail.history] == [
        (None, "pending", "applied"),
        ("pending", "in_progress", "applied"),
        ("in_progress", "done", "applied"),
    ]
    assert len(detail.evidence) == 1


def test_no_event_payload_holds_what_was_said() -> None:
    log = TaskLog()
    log.learn(draft("Deploy the shop", "blocked", blocked_by=["the certificate of the shop", "https://ca.example/7"]))
    said = json.dumps([event.payload for event in log.events])
    assert "eploy" not in said and "certificate" not in said and "ca.example" not in said


@rows("R2.58", "R2.59")
@pytest.mark.parametrize("start", ["pending", "blocked"])
def test_done_out_of_nowhere_is_two_changes_with_the_same_evidence(start: str) -> None:
    log = TaskLog()
    log.learn(draft("A", start))
    log.learn(draft("A", "done"), session="s2")
    assert changes(log)[-2:] == [(start, "in_progress"), ("in_progress", "done")]
    spans = [e.payload["spans"] for e in log.events if e.event_type == "task_status_changed"][-2:]
    assert spans == [[span(0)], [span(0)]]


@rows("R2.58")
def test_a_new_task_never_starts_as_done() -> None:
    log = TaskLog()
    done = log.learn(draft("A", "done"))
    assert done.created == 1
    assert log.events[0].payload["status"] == "in_progress"
    assert changes(log) == [("in_progress", "done")]


@rows("R2.47", "R2.59")
def test_what_the_table_forbids_is_rejected_and_remembered() -> None:
    log = TaskLog()
    done = log.learn(draft("A", "in_progress", "pending", "done", "cancelled"))
    assert done.rejected == 2
    detail = ask.get_task_detail(log.db, log.task_id("A"))
    assert detail is not None
    assert detail.task.status == "done"
    rejected = [(h.before, h.after, h.reason) for h in detail.history if h.outcome == "rejected"]
    assert rejected == [
        ("in_progress", "pending", "no such transition"),
        ("done", "cancelled", "no such transition"),
    ]


def test_a_title_that_returns_after_done_reopens_its_task() -> None:
    log = TaskLog()
    log.learn(draft("Run the tests", "in_progress", "done", "pending", "done"))
    log.learn(draft("Run the tests", "in_progress"), session="s2")
    (task,) = ask.list_tasks(log.db)
    assert (task.status, task.title) == ("in_progress", "Run the tests")
    detail = ask.get_task_detail(log.db, task.task_id)
    assert detail is not None
    assert [(h.before, h.after, h.reason) for h in detail.history[2:]] == [
        ("done", "pending", "reopened"),
        ("pending", "in_progress", "bridge: said to be done, and never to be begun"),
        ("in_progress", "done", ""),
        ("done", "in_progress", "reopened"),
    ]
    text = task_as_text(detail)
    assert "done → in progress (reopened)" in text and "pending → in progress (bridge: said to be done" in text


def test_two_drafts_of_one_title_in_one_session_are_one_task_that_is_open_again() -> None:
    log = TaskLog()
    both = (draft("Lint", "in_progress", "done"), draft("lint", "blocked", blocked_by=["the moon"], priority="high"))
    log.learn(*both)
    (task,) = ask.list_tasks(log.db)
    assert (task.status, task.priority) == ("blocked", "high")
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [b.title for b in blocked.blocked_by] == ["the moon"]
    before = len(log.events)
    log.learn(*both)
    assert len(log.events) == before


def test_older_words_do_not_reopen_what_was_closed_after_them() -> None:
    log = TaskLog()
    log.learn(timed("A", ("in_progress", 1), ("done", 9)))
    log.learn(timed("A", ("in_progress", 5)), session="s2")
    assert status_of(log, "A") == "done"
    log.learn(timed("A", ("in_progress", 5), ("blocked", 12)), session="s2")
    assert status_of(log, "A") == "blocked"


def test_words_that_were_not_found_change_nothing() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"))
    unfound = log.learn(draft("A", "done", priority="high", blocked_by=["x" * 40]), session="s2", aligned=False)
    assert unfound.events == [] == log.learn(draft("B", "pending"), session="s3", aligned=False).events
    # The draft was found, and one of its steps not.
    half = draft("A", "blocked", "done")
    noted = [TaskNote(half, "ent_half", True, [[{"reason": "no such words"}], [span(3)]])]
    done = resolve(IndexState(log.db), noted, project=PROJECT, epoch="0", now=START)
    assert [(e.event_type, e.payload.get("reason")) for e in done.events] == [
        ("task_transition_rejected", "its words were not found"),
        ("task_status_changed", ""),
    ]


def test_done_said_again_of_a_done_task_changes_nothing() -> None:
    log = TaskLog()
    log.learn(draft("A", "done"))
    done = log.learn(draft("A", "done"), session="s2")
    assert [emit.event_type for emit in done.events] == ["task_mentioned"]
    detail = ask.get_task_detail(log.db, log.task_id("A"))
    assert detail is not None and len(detail.evidence) == 2


@rows("R2.64", "R2.77", "R2.98")
def test_blocked_without_a_word_why_gets_the_placeholder() -> None:
    log = TaskLog()
    log.learn(draft("A", "blocked"))
    assert log.types() == ["task_created", "condition_declared", "task_blockers_set", "task_status_changed"]
    (blocked,) = ask.list_tasks_with_unknown_placeholder_blocker(log.db)
    (blocker,) = blocked.blocked_by
    assert (blocker.title, blocker.auto_placeholder, blocker.entity_id) == (
        UNKNOWN_BLOCKER,
        True,
        unknown_blocker(PROJECT)[0],
    )
    assert ask.list_tasks_with_only_suggested_blockers(log.db) == []


def test_the_placeholder_goes_by_the_key_of_its_words() -> None:
    assert unknown_blocker(PROJECT)[1] == canonical_key("cond", PROJECT, UNKNOWN_BLOCKER)
    assert unknown_blocker("")[1] == canonical_key("cond", "", UNKNOWN_BLOCKER)


@rows("R2.22", "R2.25", "R2.48", "R2.49", "R2.53", "R2.60", "R2.66", "R2.99")
def test_blockers_become_tasks_artifacts_and_conditions() -> None:
    log = TaskLog()
    log.learn(draft("Set up CI", "pending"))
    waits = ["set up ci", "PROJ-12", "see https://x.example/a.", "acme/shop#4", "QA팀 승인 대기", "the moon"]
    log.learn(draft("Ship", "blocked", blocked_by=waits), session="s2")
    (blocked,) = ask.list_blocked_tasks(log.db)
    found = {(b.kind, b.title, b.confidence, b.status) for b in blocked.blocked_by}
    assert found == {
        ("task", "Set up CI", 1.0, "pending"),
        ("artifact", "PROJ-12", 0.95, None),
        ("artifact", "https://x.example/a", 0.95, None),
        ("artifact", "acme/shop#4", 0.9, None),
        ("condition", "QA팀 승인 대기", 0.75, "open"),
        ("condition", "the moon", 0.5, "open"),
    }


def test_a_blocker_named_after_the_task_it_blocks_is_found() -> None:
    log = TaskLog()
    log.learn(
        draft("Ship", "blocked", blocked_by=[DraftBlocker("Build", is_title=True)], quote="Build"),
        draft("Build", "pending"),
    )
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [(b.kind, b.title) for b in blocked.blocked_by] == [("task", "Build")]
    log.learn(draft("Build", "done"), session="s2")
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [b.status for b in blocked.blocked_by] == ["done"]  # a reader sees that it may go on


@rows("R2.50", "R2.52")
def test_an_explicit_id_is_that_task_or_else_a_condition_and_never_a_stub() -> None:
    log = TaskLog()
    log.learn(draft("Build", "pending"))
    build = log.task_id("Build")
    log.learn(draft("Ship", "blocked", blocked_by=[f"after {build}", "tsk_0123456789abcdef"]), session="s2")
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert {(b.kind, b.entity_id == build) for b in blocked.blocked_by} == {("task", True), ("condition", False)}
    assert len(ask.list_tasks(log.db)) == 2


@rows("R2.61", "R2.67", "R2.76")
def test_weak_evidence_only_suggests() -> None:
    log = TaskLog()
    log.learn(draft("Ship", "blocked", blocked_by=["the moon"], quote="too short"))
    (task,) = ask.list_tasks_with_only_suggested_blockers(log.db)
    assert [b.title for b in task.suggested] == ["the moon"]
    assert task.blocked_by == ()
    assert task.task.status == "blocked"


@rows("R2.51", "R2.57")
def test_a_condition_keeps_the_tasks_it_may_mean() -> None:
    log = TaskLog()
    log.learn(draft("Migrate the user database", "pending"))
    log.learn(draft("Ship", "blocked", blocked_by=["migrate database somehow"]), session="s2")
    (row,) = log.db.execute("select current_json from entities where entity_type = 'condition'").fetchone()
    assert [c["task_id"] for c in json.loads(row)["candidates"]] == [log.task_id("Migrate the user database")]


def test_a_condition_never_means_the_task_that_it_blocks() -> None:
    log = TaskLog()
    log.learn(draft("Migrate the user database", "pending"))
    log.learn(draft("Migrate the user database", "blocked", blocked_by=["migrate database somehow"]), session="s2")
    (row,) = log.db.execute("select current_json from entities where entity_type = 'condition'").fetchone()
    assert json.loads(row)["candidates"] == []


def test_a_task_blocked_by_itself_waits_for_something_unknown() -> None:
    log = TaskLog()
    log.learn(draft("Ship", "blocked", blocked_by=["ship", DraftBlocker("Ship", is_title=True)]))
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [b.auto_placeholder for b in blocked.blocked_by] == [True]


def test_a_circle_of_blockers_is_data() -> None:
    log = TaskLog()
    names = ["A1", "B2", "C3"]
    log.learn(
        *(
            draft(name, "blocked", blocked_by=[DraftBlocker(names[i - 1], is_title=True)], quote="a" * 30)
            for i, name in enumerate(names)
        )
    )
    assert {(t.task.title, t.blocked_by[0].title) for t in ask.list_blocked_tasks(log.db)} == {
        ("A1", "C3"),
        ("B2", "A1"),
        ("C3", "B2"),
    }


@rows("R2.75")
def test_blocked_lists_the_urgent_and_then_the_newest_first() -> None:
    log = TaskLog()
    for i, (title, priority) in enumerate(
        [("old", None), ("low", "low"), ("first", "critical"), ("new", None), ("high", "high"), ("medium", "medium")]
    ):
        log.learn(draft(title, "blocked", priority=priority, at=START + i * MINUTE), session=title)
    found = [blocked.task.title for blocked in ask.list_blocked_tasks(log.db)]
    assert found == ["first", "high", "medium", "low", "new", "old"]
    assert len(ask.list_tasks(log.db, ["blocked"], PROJECT, 2)) == 2
    assert ask.list_tasks(log.db, ["done"]) == [] == ask.list_blocked_tasks(log.db, "elsewhere")


@rows("R2.25", "R2.47", "R2.74", "R2.78")
def test_a_condition_resolved_to_a_task_is_replaced_by_it() -> None:
    log = TaskLog()
    log.learn(draft("Ship", "blocked", blocked_by=["the moon"]), draft("Land", "pending"), draft("Fly", "pending"))
    (moon,) = log.db.execute("select entity_id from entities where entity_type = 'condition'").fetchone()
    for title in ("Land", "Fly"):
        for emit in resolve_condition(IndexState(log.db), moon, log.task_id(title), epoch="0", now=START):
            log.append(emit, None)
        log.fold()
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [(b.title, b.via) for b in blocked.blocked_by] == [("Fly", moon)]  # the newest word
    assert [(c.text, c.title, c.by) for c in ask.list_resolved_conditions(log.db)] == [
        ("the moon", "Fly", "user"),
        ("the moon", "Land", "user"),
    ]
    with pytest.raises(BadQuery, match="already"):
        resolve_condition(IndexState(log.db), moon, log.task_id("Fly"), epoch="0", now=START)
    with pytest.raises(BadQuery, match="resolves back"):
        resolve_condition(IndexState(log.db), moon, moon, epoch="0", now=START)
    with pytest.raises(NotFound):
        resolve_condition(IndexState(log.db), log.task_id("Fly"), moon, epoch="0", now=START)
    with pytest.raises(NotFound):
        resolve_condition(IndexState(log.db), moon, "tsk_nothing", epoch="0", now=START)


def test_the_placeholder_is_never_resolved_for_everyone() -> None:
    log = TaskLog()
    log.learn(draft("A", "blocked"))
    with pytest.raises(BadQuery, match="every unknown blocker"):
        resolve_condition(IndexState(log.db), unknown_blocker(PROJECT)[0], log.task_id("A"), epoch="0", now=START)


def test_a_person_sets_status_and_priority() -> None:
    log = TaskLog()
    log.learn(draft("A", "pending"))
    state, task_id = IndexState(log.db), log.task_id("A")

    def say(to: str) -> None:
        for emit in set_status(state, task_id, to, epoch="0", now=START):
            log.append(emit, None)
        log.fold()

    for to in ("blocked", "in_progress", "blocked", "in_progress", "blocked", "done"):
        say(to)
        assert status_of(log, "A") == to
    assert log.dropped == 0
    assert changes(log)[-2:] == [("blocked", "in_progress"), ("in_progress", "done")]
    with pytest.raises(BadQuery, match="cannot become"):
        say("cancelled")
    with pytest.raises(BadQuery, match="already"):
        say("done")
    with pytest.raises(BadQuery, match="no status"):
        say("finished")
    with pytest.raises(NotFound):
        set_status(state, "tsk_nothing", "done", epoch="0", now=START)
    with pytest.raises(BadQuery, match="is done"):
        set_priority(state, task_id, "low", epoch="0", now=START)
    for to in ("pending", "cancelled", "blocked"):  # a person reopens it
        say(to)
        assert status_of(log, "A") == to
    assert log.dropped == 0


def test_a_person_cannot_take_a_begun_task_back_and_is_told_what_is_possible() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"))
    state, task_id = IndexState(log.db), log.task_id("A")
    with pytest.raises(BadQuery) as caught:
        set_status(state, task_id, "pending", epoch="0", now=START)
    assert caught.value.hint == "it can become: blocked, done, cancelled"
    for to in ("high", None, "high"):
        for emit in set_priority(state, task_id, to, epoch="0", now=START):
            log.append(emit, None)
        log.fold()
        assert ask.list_tasks(log.db)[0].priority == to
    with pytest.raises(BadQuery, match="already"):
        set_priority(state, task_id, "high", epoch="0", now=START)
    with pytest.raises(BadQuery, match="no priority"):
        set_priority(state, task_id, "urgent", epoch="0", now=START)


def test_a_session_that_grew_goes_on_where_it_ended() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"))
    log.learn(draft("A", "in_progress", "blocked", blocked_by=["the moon"]))
    log.learn(draft("A", "in_progress", "blocked", "in_progress", "done", blocked_by=["the moon"]))
    assert changes(log) == [("in_progress", "blocked"), ("blocked", "in_progress"), ("in_progress", "done")]
    assert "task_transition_rejected" not in log.types()


def test_learning_again_what_another_session_has_finished_since_changes_nothing() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"))
    log.learn(draft("A", "in_progress"), session="s2")
    log.learn(draft("A", "done"), session="s3")
    before = len(log.events)
    log.learn(draft("A", "in_progress"))
    log.learn(draft("A", "in_progress"), session="s2")
    assert len(log.events) == before


def test_a_new_blocker_in_a_grown_session_is_taken() -> None:
    log = TaskLog()
    log.learn(draft("A", "blocked", blocked_by=["the moon"]))
    log.learn(draft("A", "blocked", blocked_by=["the moon", "the sun"]))
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert {b.title for b in blocked.blocked_by} == {"the moon", "the sun"}


@rows("R2.53", "R2.62")
def test_a_stale_index_makes_the_same_keys() -> None:
    """Two that learn the same at the same time: the second one's events are dropped by their keys."""
    log, other = TaskLog(), TaskLog()
    said = draft("A", "blocked", "done", blocked_by=["the moon"], priority="low")
    one, two = log.learn(said), other.learn(said)
    assert one.events == two.events


@rows("R2.23", "R2.70")
def test_a_new_title_keeps_the_task_and_the_old_alias() -> None:
    log = TaskLog()
    log.learn(draft("Fix login", "pending", "in_progress"))
    task_id = log.task_id("Fix login")
    log.learn(draft("Fix the login of guests", "pending", "in_progress", "done", renamed_from="Fix login"))
    detail = ask.get_task_detail(log.db, task_id)
    assert detail is not None
    assert (detail.task.title, detail.task.status) == ("Fix the login of guests", "done")
    assert len(detail.aliases) == 2
    assert "task_transition_rejected" not in log.types()
    assert len(ask.list_tasks(log.db)) == 1


def test_renamed_after_the_old_one_was_finished_in_the_same_run() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress", "done"), draft("B", "in_progress", renamed_from="A"))
    assert {task.title: task.status for task in ask.list_tasks(log.db)} == {"B": "in_progress"}


def test_renamed_in_one_session_is_the_same_task_learned_at_once_or_before_and_after() -> None:
    early = draft("Fix login", "pending", "in_progress")
    late = draft("Fix the login of guests", "pending", "in_progress", "done", renamed_from="Fix login")
    grown, whole = TaskLog(), TaskLog()
    grown.learn(early)
    grown.learn(late)
    whole.learn(late)
    for log in (grown, whole):
        log.learn(late)
        assert log.types().count("task_title_changed") == 1
    one, two = (ask.get_task_detail(log.db, log.task_id("Fix the login of guests")) for log in (grown, whole))
    assert one is not None and two is not None
    assert (one.task, one.aliases) == (two.task, two.aliases)
    assert [canonical_key("task", PROJECT, title) for title in ("Fix the login of guests", "Fix login")] == list(
        one.aliases
    )


def test_renamed_after_it_was_done() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress", "done"))
    log.learn(draft("B", "in_progress", "done", renamed_from="A"))
    assert [(task.title, task.status) for task in ask.list_tasks(log.db)] == [("B", "done")]


def test_renamed_twice_and_back() -> None:
    log = TaskLog()
    for title in ("A", "B", "C", "A", "B"):
        said = draft(title, "pending", renamed_from="" if len(log.events) == 0 else "A")
        log.learn(said)
        before = len(log.events)
        log.learn(said)
        assert len(log.events) == before
        assert [task.title for task in ask.list_tasks(log.db)] == [title]
    assert log.dropped == 0


def test_a_session_renames_what_another_one_opened_and_a_third_may_rename_it_again() -> None:
    log = TaskLog()
    log.learn(timed("A", ("in_progress", 1)))
    log.learn(timed("B", ("pending", 2), ("blocked", 3), renamed_from="A"), session="s2")
    log.learn(timed("C", ("in_progress", 4), renamed_from="B"), session="s3")
    again = log.learn(timed("B", ("pending", 2), ("blocked", 3), renamed_from="A"), session="s2")
    assert again.events == []
    (task,) = ask.list_tasks(log.db)
    assert (task.task_id, task.title, task.status) == (log.task_id("C"), "C", "in_progress")
    log.learn(timed("a", ("done", 5)), session="s4")  # by any of its names
    assert [task.status for task in ask.list_tasks(log.db)] == ["done"]


# --- when it was said, and when it was learned ------------------------------------------------------------------

BLOCKED = timed("Write the cache", ("in_progress", 5), ("blocked", 6), blocked_by=["the moon"], priority="low")
DONE = timed("Write the cache", ("in_progress", 10), ("done", 11), priority="high")


def test_what_is_learned_late_is_not_what_was_said_late() -> None:
    log = TaskLog()
    log.learn(DONE, session="s2")
    late = log.learn(BLOCKED)
    assert [emit.event_type for emit in late.events] == ["task_mentioned"]
    assert log.learn(BLOCKED).events == []
    (task,) = ask.list_tasks(log.db)
    detail = ask.get_task_detail(log.db, task.task_id)
    assert detail is not None
    assert (task.status, task.priority, len(detail.evidence)) == ("done", "high", 2)


def test_a_session_that_was_forgotten_and_came_back_changes_nothing_that_was_said_later() -> None:
    log = TaskLog()
    log.learn(BLOCKED)
    log.learn(DONE, session="s2")
    task_id = log.task_id("Write the cache")
    log.forget("s1")
    log.fold()
    assert ask.list_tasks(log.db) == []
    log.void("s2", task_id)
    log.learn(DONE, session="s2", epoch="1")
    log.learn(BLOCKED, epoch="1")
    assert [task.status for task in ask.list_tasks(log.db)] == ["done"]
    assert log.dropped == 0
    assert tables(in_batches(log.events, log.blobs, [1] * 7)) == tables(log.db)


def test_an_older_part_of_a_session_is_left_out_and_the_newer_one_taken() -> None:
    log = TaskLog()
    log.learn(timed("A", ("blocked", 5), blocked_by=["the sun"]), session="s2")
    log.learn(timed("A", ("pending", 1), ("blocked", 2), ("in_progress", 7), blocked_by=["the moon"]))
    assert changes(log) == [("pending", "blocked"), ("blocked", "in_progress")]
    assert "the moon" not in [row[0] for row in log.db.execute("select title from entities")]


def test_an_older_blocker_does_not_come_back_when_its_session_is_learned_again() -> None:
    log = TaskLog()
    log.learn(timed("A", ("blocked", 2), blocked_by=["the moon"]))
    log.learn(timed("A", ("in_progress", 5)), session="s2")
    assert log.learn(timed("A", ("blocked", 2), blocked_by=["the moon", "the sun"])).events == []


def test_going_on_after_another_session_finished_it_reopens_it() -> None:
    steps = [("pending", 1), ("in_progress", 10)]
    log = TaskLog()
    log.learn(timed("A", *steps[:1]))
    log.learn(timed("A", ("done", 5)), session="s2")
    log.learn(timed("A", *steps))
    assert [task.status for task in ask.list_tasks(log.db)] == ["in_progress"]
    other = TaskLog()
    other.learn(timed("A", *steps))
    other.learn(timed("A", ("done", 5)), session="s2")
    assert [task.status for task in ask.list_tasks(other.db)] == ["in_progress"]


def test_a_word_of_a_person_is_newer_than_a_session_before_it() -> None:
    log = TaskLog()
    log.learn(timed("A", ("in_progress", -9)))
    for emit in set_status(IndexState(log.db), log.task_id("A"), "blocked", epoch="0", now=START):
        log.append(emit, None)
    log.learn(timed("A", ("in_progress", -9), ("done", -8)))
    assert status_of(log, "A") == "blocked"
    log.learn(timed("A", ("in_progress", -9), ("done", -8), ("in_progress", 8)))
    assert status_of(log, "A") == "in_progress"


def test_steps_without_a_time_are_said_now() -> None:
    log = TaskLog()
    log.learn(timed("A", ("blocked", 10)))
    log.learn(draft("A", "done"), session="s2", now=START)
    assert status_of(log, "A") == "done"
    # What follows a step without a time was not said before it.
    mixed = draft("B", "pending", "in_progress")
    mixed = mixed._replace(steps=(*mixed.steps, *timed("B", ("blocked", -5), ("done", -4)).steps))
    log.learn(mixed)
    assert status_of(log, "B") == "done"


def test_a_list_that_has_it_says_nothing_of_how_far_it_is() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"), draft("B", "blocked"))
    listed = log.learn(draft("A", "pending"), draft("B", "pending", "in_progress"), session="s2")
    assert [emit.event_type for emit in listed.events] == ["task_status_changed", "task_mentioned"][::-1]
    assert listed.rejected == 0
    back = log.learn(draft("B", "pending", "in_progress", "pending"), session="s2")
    assert back.rejected == 1


def test_what_was_only_listed_is_as_far_as_was_said_before() -> None:
    log = TaskLog()
    log.learn(timed("A", ("pending", 10)), timed("B", ("pending", 10)), session="s2")
    log.learn(timed("A", ("pending", 1), ("in_progress", 5)), timed("B", ("in_progress", 5), ("done", 7)))
    assert {task.title: task.status for task in ask.list_tasks(log.db)} == {"A": "in_progress", "B": "pending"}


def test_voiding_takes_back_what_one_session_said_of_one_task() -> None:
    log = TaskLog()
    log.learn(draft("A", "in_progress"), draft("B", "in_progress"))
    log.learn(draft("A", "done"), draft("B", "done"), session="s2")
    log.void("s2", log.task_id("A"), "tsk_nothing")
    assert (status_of(log, "A"), status_of(log, "B")) == ("in_progress", "done")
    log.learn(draft("A", "done"), draft("B", "done"), session="s2", epoch="1")
    assert status_of(log, "A") == "done"


# --- what nobody speaks of any more -----------------------------------------------------------------------------


def begin(log: TaskLog, name: str, minute: int, parent: str | None = None, prompts: int = 1) -> None:
    log.db.execute(
        "insert into sessions values (?, ?, ?, ?, ?, null)", (name, PROJECT, parent, prompts, START + minute * MINUTE)
    )


def test_an_open_task_unseen_for_three_sessions_is_dormant() -> None:
    log = TaskLog()
    log.learn(timed("A", ("pending", 1)), timed("B", ("in_progress", 1), ("done", 2)), timed("C", ("blocked", 12)))
    for name, minute in (("s2", 10), ("s3", 20)):
        begin(log, name, minute)
    begin(log, "a subagent", 21, parent="s3")
    begin(log, "nobody spoke", 22, prompts=0)
    assert [task.title for task in ask.list_tasks(log.db, ["dormant"])] == []
    begin(log, "s4", 30)
    statuses = {task.title: task.status for task in ask.list_tasks(log.db)}
    assert statuses == {"A": "dormant", "B": "done", "C": "blocked"}  # C was seen in s2
    begin(log, "s5", 40)
    assert [task.title for task in ask.list_tasks(log.db, ["dormant"])] == ["C", "A"]
    assert ask.list_blocked_tasks(log.db) == []
    log.learn(timed("A", ("pending", 41)), session="s5")  # listed again
    assert [task.title for task in ask.list_tasks(log.db, OPEN)] == ["A"]


def test_what_a_person_wants_done_is_not_dormant() -> None:
    log = TaskLog()
    log.learn(timed("A", ("pending", -9)), timed("B", ("pending", -9)))
    for emit in reopen(IndexState(log.db), log.task_id("A"), epoch="0", now=START):
        log.append(emit, None)
        log.events[-1] = log.events[-1]._replace(actor="user")
    log.fold()
    for name, minute in (("s2", 10), ("s3", 20), ("s4", 30)):
        begin(log, name, minute)
    assert {task.title: task.status for task in ask.list_tasks(log.db)} == {"A": "pending", "B": "dormant"}


# --- how it is shown -------------------------------------------------------------------------------------------


@rows("R2.79")
def test_the_history_says_what_a_task_waits_for_and_where_that_was_said() -> None:
    log = TaskLog()
    log.db.execute("insert into segments values (1, '/t/s1.jsonl')")
    log.learn(draft("Build", "pending"))
    log.learn(draft("Ship", "in_progress", "blocked", blocked_by=["Build", "the moon"]), session="s2")
    log.learn(draft("Ship", "blocked", blocked_by=["the sun"], quote="short"), session="s3")
    log.learn(draft("Land", "blocked"), session="s4")
    log.forget("s1")
    log.fold()
    detail = ask.get_task_detail(log.db, log.task_id("Ship"))
    assert detail is not None
    assert [(h.what, h.after, h.waits_for, h.citation and h.citation.text) for h in detail.history] == [
        ("task_created", "in_progress", (), "/t/s1.jsonl:L0"),
        ("task_blockers_set", "replace", (None, "the moon"), None),
        ("task_status_changed", "blocked", (), "/t/s1.jsonl:L1"),
        ("task_blockers_set", "suggest", ("the sun",), None),
        ("task_mentioned", None, (), "/t/s1.jsonl:L0"),
    ]
    text = task_as_text(detail)
    assert "waits for: something forgotten; the moon" in text and "may wait for: the sun" in text
    assert "created: in progress · memory · /t/s1.jsonl:L0" in text and "replace" not in text
    shown = task_detail_json(detail)["history"][0]
    assert shown["citation"]["text"] == "/t/s1.jsonl:L0"
    unnamed = ask.get_task_detail(log.db, log.task_id("Land"))
    assert unnamed is not None and "waits for: an unnamed blocker" in task_as_text(unnamed)


def test_what_it_may_wait_for_is_shown_as_what_it_became() -> None:
    log = TaskLog()
    log.learn(draft("Ship", "blocked", blocked_by=["the moon", "the sun"], quote="short"), draft("Land", "pending"))
    found = dict(log.db.execute("select title, entity_id from entities").fetchall())
    for name, to in (("the moon", "Land"), ("the sun", "Ship")):
        log.add("condition_resolved_to", {"condition_id": found[name], "entity_id": found[to], "by": "user"}, None)
    log.fold()
    (task,) = ask.list_tasks_with_only_suggested_blockers(log.db)
    assert {(b.title, b.status, b.via) for b in task.suggested} == {
        ("Land", "pending", found["the moon"]),
        ("the sun", "resolved", None),  # it waits for itself: shown as it was said
    }


@rows("R2.47", "R2.59")
def test_priorities_change_and_unknown_words_are_ignored() -> None:
    log = TaskLog()
    log.learn(draft("A", "pending", priority="urgent!!"))
    log.learn(draft("A", "pending", priority="high"), session="s2")
    log.learn(draft("A", "pending", priority="whatever"), session="s3")
    (task,) = ask.list_tasks(log.db)
    assert task.priority == "high"
    done = log.learn(draft("A", "sleeping", ""), draft("B", "finished?"), session="s4")
    assert done.rejected == 3
    assert {t.title: t.status for t in ask.list_tasks(log.db)} == {"A": "pending", "B": "pending"}
    assert "sleeping" not in json.dumps([event.payload for event in log.events])


@pytest.mark.parametrize(
    "title",
    [
        "🎉🎉",
        "  🚀 ",
        "x" * 10_000,
        "a\x00b",
        "\ud800 half",
        "'; drop table entities; --",
        "%s | %s",
        "写解析器",
        "로그인 고치기",
    ],
)
def test_any_title_is_a_title(title: str) -> None:
    log = TaskLog()
    said = draft(title, "blocked", blocked_by=["🔥", "y" * 10_000, "\udfff"])
    log.learn(said)
    log.learn(said)
    assert len(ask.list_blocked_tasks(log.db)) == 1
    assert len(log.types()) == len([*log.keys])


def test_different_emoji_are_different_tasks_and_blank_titles_none() -> None:
    log = TaskLog()
    log.learn(draft("🎉", "pending"), draft("🔥", "pending"), draft("  ", "pending"), draft("", "done"))
    assert len(ask.list_tasks(log.db)) == 2


def test_what_is_no_task_note_is_left_alone() -> None:
    log = TaskLog()
    log.learn(Draft("fact", "The sky", "is blue", (Quote(0, "sky"),), "rule", 0.9))
    assert log.events == []


def test_stage_is_the_highest_of_its_evidence() -> None:
    log = TaskLog()
    log.learn(draft("A", "pending"))
    log.learn(draft("A", "in_progress"), session="s2")
    entries = [row[0] for row in log.db.execute("select distinct entry_id from task_events order by position")]
    for stage in ("raw", "certified", "verified"):
        log.db.execute("insert or replace into entries values (?, ?, 's1', 'app')", (entries[1], stage))
        log.add("promoted", {"changes": [{"entry_id": entries[1], "from": "raw", "to": stage}]})
        log.fold()
        assert ask.list_tasks(log.db)[0].stage == ("working" if stage == "raw" else stage)


@rows("R2.24")
def test_forgetting_takes_the_task_with_it_and_leaves_no_edge_to_it() -> None:
    log = TaskLog()
    log.learn(draft("Build", "pending"))
    log.learn(draft("Ship", "blocked", blocked_by=["Build"]), session="s2")
    build = log.task_id("Build")
    log.forget("s1")
    log.fold()
    assert [task.title for task in ask.list_tasks(log.db)] == ["Ship"]
    assert log.db.execute("select count(*) from edges where dst_id = ?", (build,)).fetchone() == (0,)
    (blocked,) = ask.list_blocked_tasks(log.db)  # still blocked, by what nobody knows any more
    assert [(b.title, b.auto_placeholder) for b in blocked.blocked_by] == [(UNKNOWN_BLOCKER, True)]
    dump = json.dumps(tables(log.db))
    assert '"Build"' not in dump.replace('["Build"]', "")  # but for the words of the other session
    assert tables(in_batches(log.events, log.blobs, [])) == tables(log.db)


def test_a_condition_stays_while_one_session_names_it() -> None:
    log = TaskLog()
    log.learn(draft("A", "blocked", blocked_by=["the moon"]))
    log.learn(draft("B", "blocked", blocked_by=["the moon"]), session="s2")
    log.forget("s1")
    log.fold()
    (blocked,) = ask.list_blocked_tasks(log.db)
    assert [b.title for b in blocked.blocked_by] == ["the moon"]


def test_a_forgotten_session_that_came_back_is_learned_again() -> None:
    log = TaskLog()
    said = draft("A", "blocked", blocked_by=["the moon"], priority="high")
    log.learn(said)
    before = {name: len(rows) for name, rows in tables(log.db).items()}
    log.forget("s1")
    log.fold()
    assert all(not rows for rows in tables(log.db).values())
    log.learn(said, epoch="1")
    assert {name: len(rows) for name, rows in tables(log.db).items()} == before
    assert tables(in_batches(log.events, log.blobs, [1] * 5)) == tables(log.db)


def test_forgetting_a_project() -> None:
    log = TaskLog()
    log.learn(draft("A", "blocked"))
    log.forget(project=PROJECT)
    log.fold()
    assert all(not rows for rows in tables(log.db).values())


SHAPES = {
    "titles": lambda i: draft(f"Handle request number {i}", "pending", "in_progress"),
    "one title": lambda i: draft("Again", "in_progress", "done"),
    "chain": lambda i: draft(f"Step {i}", "blocked", blocked_by=[DraftBlocker(f"Step {i - 1}", True)]),
    "conditions": lambda i: draft(f"Request number {i}", "blocked", blocked_by=[f"approval {i % 900} of {i % 7}"]),
}


def notes(shape: str, count: int) -> list[TaskNote]:
    drafts = [SHAPES[shape](i) for i in range(count)]
    return [TaskNote(note, entry_id("s1", note.type, note.title), True) for note in drafts]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_with_the_drafts(shape: str) -> None:
    asked: list[str] = []

    def work(count: int) -> None:
        log, noted = TaskLog(), notes(shape, count)
        log.db.set_trace_callback(asked.append)
        resolve(IndexState(log.db), noted, project=PROJECT, epoch="0", now=START)

    grows_linearly(work, 100)
    asked.clear()
    work(100)
    few = len(asked)
    work(400)
    assert len(asked) - few <= 4 * few


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", SHAPES)
def test_so_many_drafts_at_once(shape: str, count: int) -> None:
    noted, log = notes(shape, count), TaskLog()
    done = resolve(IndexState(log.db), noted, project=PROJECT, epoch="0", now=START)
    assert done.created == (1 if shape == "one title" else count)
    for emit in done.events:
        log.append(emit)
    log.fold()
    assert resolve(IndexState(log.db), noted, project=PROJECT, epoch="0", now=START).events == []
