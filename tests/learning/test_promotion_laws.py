"""The laws of graduation: who may rise, how far, by whose word, and who sinks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery
from axiommind.learning.policies import GRADUATION, HALF_LIFE, EntryFacts, demotion, promotions, vitality
from axiommind.projections.entry_rows import ENTRY_STATUSES, STAGES
from tests.examples import examples
from tests.learning.saying import claim, told
from tests.transcripts import World

MANY = settings(max_examples=examples(500))
days = st.floats(0, 5_000, allow_nan=False)


@st.composite
def known(draw: st.DrawFn, stages: Sequence[str] = STAGES) -> EntryFacts:
    """Facts as they can be: only what is aligned is ever given to a checker."""
    aligned = draw(st.booleans())
    return EntryFacts(
        "ent_0123456789abcdef",
        draw(st.sampled_from(stages)),
        draw(st.sampled_from(ENTRY_STATUSES)),
        aligned,
        aligned and draw(st.booleans()),
        draw(st.one_of(st.floats(0, 1), st.sampled_from([0.69, 0.7, 0.71]))),
        draw(st.integers(0, 8)),
        draw(st.one_of(days, st.sampled_from([29.9, 30.0]))),
        draw(days),
        draw(st.booleans()),
    )


# --- stages ------------------------------------------------------------------------------------------------


@MANY
@given(known())
def test_stages_rise_one_at_a_time_and_in_order(facts: EntryFacts) -> None:
    rises = promotions(facts)
    here = STAGES.index(facts.stage)
    assert [STAGES.index(change.source) for change in rises] == list(range(here, here + len(rises)))
    assert [STAGES.index(change.target) for change in rises] == list(range(here + 1, here + 1 + len(rises)))
    assert all(change.entry_id == facts.entry_id and change.reason for change in rises)


@MANY
@given(known(("raw", "working", "candidate")))
def test_never_past_what_the_facts_allow(facts: EntryFacts) -> None:
    reached = {change.target for change in promotions(facts)}
    if "candidate" in reached:
        assert facts.aligned
    if "verified" in reached:
        assert facts.aligned and facts.passed and facts.status == "active"
        assert facts.confidence >= GRADUATION.verified_confidence
    if "certified" in reached:
        assert facts.sessions >= GRADUATION.certified_sessions and facts.days >= GRADUATION.certified_days


@MANY
@given(known(), st.sampled_from(["aligned", "passed", "status", "confidence"]))
def test_better_facts_never_lower(facts: EntryFacts, what: str) -> None:
    better = {"aligned": True, "passed": facts.aligned, "status": "active", "confidence": 1.0}
    assert len(promotions(facts)) <= len(promotions(facts._replace(**{what: better[what]})))


@MANY
@given(st.sampled_from(STAGES), days, days)
def test_vitality_only_falls(stage: str, one: float, two: float) -> None:
    sooner, later = sorted((one, two))
    assert 0.0 <= vitality(stage, later) <= vitality(stage, sooner) <= 1.0
    assert vitality(stage, 0.0) == 1.0 == vitality(stage, -one)
    lives = [vitality(higher, later) for higher in STAGES[1:]]
    assert lives == sorted(lives), "what has risen further lives longer"


@MANY
@given(known())
def test_what_sinks_sinks_by_one_and_not_below_working(facts: EntryFacts) -> None:
    sinking = facts
    for _ in STAGES:
        change = demotion(sinking)
        if change is None:
            break
        assert vitality(sinking.stage, facts.idle_days) < HALF_LIFE.least
        assert STAGES.index(change.target) == STAGES.index(change.source) - 1 and change.source == sinking.stage
        sinking = sinking._replace(stage=change.target)
    else:
        raise AssertionError("it never comes to rest")
    assert STAGES.index(sinking.stage) >= min(STAGES.index(facts.stage), STAGES.index("working"))


@MANY
@given(known())
def test_what_sank_does_not_rise_by_the_same_facts(facts: EntryFacts) -> None:
    change = demotion(facts)
    assert change is None or promotions(facts._replace(stage=change.target, sunk=True)) == []


@MANY
@given(known(("candidate", "verified")).map(lambda facts: facts._replace(idle_days=facts.idle_days % 60)))
def test_what_rose_does_not_sink_by_the_same_facts(facts: EntryFacts) -> None:
    rises = promotions(facts)
    assert not rises or demotion(facts._replace(stage=rises[-1].target)) is None


def test_policies_come_to_rest(world: World) -> None:
    told(world, "s0", 0, claim())  # in January, and nobody has used it since
    for _ in range(4):
        world.memory().entries.run_policy()
    assert world.memory().entries.run_policy() == []


def test_a_person_raises_only_what_has_evidence(world: World) -> None:
    told(world, "s0", 0, claim(quote="we will all move to PostgreSQL next Tuesday"))
    (entry,) = world.rows("select entry_id from entries where not aligned")[0]
    for stage in ("verified", "certified"):
        with pytest.raises(BadQuery, match="no evidence"):
            world.memory().entries.promote(entry, "trust me", stage)
    assert world.memory().entries.promote(entry, "worth a look").stage == "candidate"  # which claims nothing yet
    with pytest.raises(BadQuery, match="no evidence"):
        world.memory().entries.promote(entry, "trust me")
    assert world.memory().entries.run_policy(["graduation"]) == []
    for act in ("contested", "deprecated"):
        world.memory().entries.rule(entry, act, "no")
        with pytest.raises(BadQuery, match="cannot be promoted"):
            world.memory().entries.promote(entry, "trust me")


def test_only_what_was_really_said_counts_towards_certified(world: World) -> None:
    """One session says it; in two more a model only claims that it was said. That is not three sessions."""
    told(world, "s0", 0, claim())
    for n in (1, 2):
        told(world, f"s{n}", n * 20 * 24 * 60, claim(quote=f"nobody has said this, number {n}, anywhere"))
    assert world.rows("select session_id, stage from entries order by 1") == [
        *[("s0", "verified"), ("s1", "working"), ("s2", "working")]
    ]
    (entry,) = world.rows("select entry_id from entries where session_id = 's0'")[0]
    world.memory().entries.note_use([entry], "shown")
    world.memory().entries.run_policy(["graduation"])
    assert world.memory().entries.show(entry).entry.stage == "verified"
