"""The laws of graduation: who may rise, how far, by whose word, and who sinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery
from axiommind.learning.policies import (
    BELIEVED,
    GRADUATION,
    MEASURED,
    SUPPORTED,
    EntryFacts,
    demotion,
    lasting,
    promotions,
    vitality,
)
from axiommind.projections.entry_rows import ENTRY_STATUSES, STAGES
from tests.examples import examples
from tests.learning.saying import claim, told
from tests.rows import rows
from tests.transcripts import World

MANY = settings(max_examples=examples(500))
days = st.floats(0, 5_000, allow_nan=False)


GROUNDS = ("", "a person's own words", "a check passed afterwards")


@st.composite
def known(draw: st.DrawFn, stages: Sequence[str] = STAGES) -> EntryFacts:
    """Facts as they can be: only what is aligned is ever given to a checker, or raised far by a person."""
    aligned = draw(st.booleans())
    return EntryFacts(
        "ent_0123456789abcdef",
        draw(st.sampled_from(stages)),
        draw(st.sampled_from(ENTRY_STATUSES)),
        aligned,
        aligned and draw(st.booleans()),
        draw(st.one_of(st.floats(0, 1), st.sampled_from([0.69, 0.7, 0.71]))),
        draw(st.sampled_from([SUPPORTED, BELIEVED, MEASURED])),
        draw(st.sampled_from(GROUNDS)),
        draw(st.integers(0, 8)),
        draw(st.one_of(days, st.sampled_from([29.9, 30.0]))),
        draw(days),
        draw(st.sampled_from(["", "", "candidate", "verified", "certified"])) if aligned else "",
    )


def settled(facts: EntryFacts) -> str:
    """The stage that both policies leave an entry at."""
    risen = promotions(facts)
    now = facts._replace(stage=risen[-1].target) if risen else facts
    sunk = demotion(now)
    return now.stage if sunk is None else sunk.target


# --- stages ------------------------------------------------------------------------------------------------


@rows("R2.1", "R2.18")
@MANY
@given(known())
def test_stages_rise_one_at_a_time_and_in_order(facts: EntryFacts) -> None:
    rises = promotions(facts)
    here = STAGES.index(facts.stage)
    assert all(change.entry_id == facts.entry_id and change.reason for change in rises)
    if rises and STAGES.index(rises[0].target) < here:  # it has not earned what it has
        assert len(rises) == 1 and rises[0].source == facts.stage
        return
    assert [STAGES.index(change.source) for change in rises] == list(range(here, here + len(rises)))
    assert [STAGES.index(change.target) for change in rises] == list(range(here + 1, here + 1 + len(rises)))


@rows("R2.42")
@MANY
@given(known())
def test_never_past_what_the_facts_allow(facts: EntryFacts) -> None:
    reached = STAGES.index(settled(facts))
    if facts.word:
        return
    if reached >= STAGES.index("candidate"):
        assert facts.aligned
    if reached >= STAGES.index("verified"):
        assert facts.aligned and facts.passed and facts.status == "active" and facts.grounds
        assert facts.confidence >= facts.needed
    if reached >= STAGES.index("certified"):
        assert facts.sessions >= GRADUATION.certified_sessions and facts.days >= GRADUATION.certified_days


@MANY
@given(known(), st.sampled_from(STAGES))
def test_a_stage_follows_from_the_facts_and_not_from_the_stage_before(facts: EntryFacts, before: str) -> None:
    """So whatever order things were learned in, and however often, an entry ends where it belongs."""
    assert settled(facts) == settled(facts._replace(stage=before))
    assert settled(facts._replace(stage=settled(facts))) == settled(facts)


@MANY
@given(known(), st.sampled_from(["aligned", "passed", "status", "confidence", "grounds"]))
def test_better_facts_never_lower(facts: EntryFacts, what: str) -> None:
    better: dict[str, Any] = {"aligned": True, "passed": facts.aligned, "status": "active", "confidence": 1.0}
    better["grounds"] = "a person's own words"
    assert STAGES.index(settled(facts)) <= STAGES.index(settled(facts._replace(**{what: better[what]})))


@rows("R2.88")
@MANY
@given(known())
def test_without_a_person_or_a_check_nothing_is_verified(facts: EntryFacts) -> None:
    """What comes from tools, the network, a paste or an agent alone: law 9."""
    alone = facts._replace(grounds="", word="")
    assert STAGES.index(settled(alone)) <= STAGES.index("candidate")


@MANY
@given(st.sampled_from(STAGES), days, days)
def test_vitality_only_falls(stage: str, one: float, two: float) -> None:
    sooner, later = sorted((one, two))
    assert 0.0 <= vitality(stage, later) <= vitality(stage, sooner) <= 1.0
    assert vitality(stage, 0.0) == 1.0 == vitality(stage, -one)
    lives = [vitality(higher, later) for higher in STAGES[1:]]
    assert lives == sorted(lives), "what has risen further lives longer"
    assert STAGES.index(lasting(stage, later)) <= STAGES.index(lasting(stage, sooner)) <= STAGES.index(stage)
    assert stage == "raw" or lasting(stage, later) != "raw"


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
