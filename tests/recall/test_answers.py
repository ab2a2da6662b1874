"""What a prompt is told: what came of it when it was asked before, and nothing that may not be given."""

from __future__ import annotations

import pytest

from axiommind.memory import Scope
from axiommind.recall.recall import Silence
from axiommind.surfaces.render.recall import as_text
from tests.learning.sessions import QUESTION, Session, answered
from tests.recall.packets import learned
from tests.recall.prompts import CAUSE, asked, past, said_in, told
from tests.transcripts import PROJECT, Lines, World


@pytest.mark.parametrize(
    ("prompt", "session", "outcome"),
    [
        ("the radar tiles are blank again, why?", "aaaaaaaa", CAUSE),
        ("make the wind rose larger", "bbbbbbbb", "The wind rose is an SVG of sixteen sectors. `rose.py` draws it."),
        ("장마 통계가 하루씩 밀려", "cccccccc", "원인은 시간대였고 서버는 UTC를 씁니다."),
        ("積雪のグラフがまた重くなった", "cccccccc", "積雪のグラフは一万点を間引くようにしました。"),
        ("台风路径又跳动了", "dddddddd", "台风路径跳动是因为两个来源的时间不同，现在按来源分组。"),
    ],
    ids=["en", "en-task", "ko", "ja", "zh"],
)
def test_the_outcome_is_told_and_not_the_old_prompt(world: World, prompt: str, session: str, outcome: str) -> None:
    found = told(asked(world), prompt)
    assert outcome in found[0].excerpt and found[0].session_id is not None
    assert found[0].session_id.startswith(session)
    assert {item.type for item in found} <= {"response", "insight"}
    assert not any("Let me look." in item.excerpt for item in found[:1])


def test_the_answer_that_closed_the_turn_is_told_even_without_the_prompts_words(world: World) -> None:
    closing = "It was the clock of the container, which ran an hour behind; it asks the host now."
    lines = said_in("eeeeeeee-0005", ("the hygrometer alarms ring too late", closing), day=4)
    assert closing in told(learned(world, *past(), lines), "hygrometer alarms late again")[0].excerpt


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("make the legend of the hygrometer bigger, it would be nicer in green", False),
        ("from now on the legend of the hygrometer should always be green instead of blue", True),
        ("We decided to use SVG in green for the hygrometer legend, because images blur.", True),
    ],
    ids=["that day", "lasts", "decided"],
)
def test_what_was_asked_for_is_told_only_if_it_lasts(world: World, asked: str, is_told: bool) -> None:
    done = said_in("eeeeeeee-0005", (asked, "The legend is drawn by `legend.py` in the colour of the theme."), day=4)
    found = told(learned(world, *past(), done), "which colour has the hygrometer legend in the margin?")
    assert any("in green" in item.excerpt or "be green" in item.excerpt for item in found) == is_told


def test_what_only_repeats_the_prompt_is_not_told(world: World) -> None:
    asked_often = [said_in(f"{n}eeeeeee-0005", ("Always align the hygrometer legend", "It is."), day=n) for n in (4, 5)]
    known = "The hygrometer legend is drawn by `legend.py`, which knows nothing of the map's margins."
    other = said_in("ffffffff-0006", ("where does the hygrometer legend come from?", known), day=6)
    found = told(learned(world, *past(), *asked_often, other), "align the hygrometer legend")
    assert known in found[0].excerpt
    assert not any("Always align" in item.excerpt for item in found)


PLAN = """Implement the following plan:

# Halo charts

1. Read the halo radius from the lidar header in degrees.
2. Bin the brightness by azimuth, weighted by exposure.
3. Draw the bins as a ring, with the sun at its centre.
"""


def test_a_plan_is_not_given_its_own_draft(world: World) -> None:
    draft = said_in("ffffffff-0006", ("plan the halo charts", PLAN.partition("\n")[2]), day=5)
    known = "The header of the lidar gives the exposure in minutes, not in seconds."
    other = said_in("99999999-0007", ("why is the exposure so short?", known), day=6)
    found = told(learned(world, *past(), draft, other), PLAN)
    assert found[0].excerpt == known and "ffffffff-0006" not in [item.session_id for item in found]


@pytest.mark.parametrize(
    ("no", "wrong", "right"),
    [
        (
            "No, that is wrong",
            "The sunset is late because the server ignores DST.",
            "The sunset is of another meridian.",
        ),
        ("아니 그게 아니라", "일몰이 늦은 이유는 서버의 서머타임입니다.", "일몰 표가 다른 자오선의 것입니다."),
        ("違う", "日没が遅い原因はサーバーの夏時間です。", "日没の表が別の子午線のものでした。"),
        ("不对", "日落晚是因为服务器忽略夏令时。", "日落表属于另一条子午线。"),
    ],
    ids=["en", "ko", "ja", "zh"],
)
def test_what_the_person_rejected_is_not_told(world: World, no: str, wrong: str, right: str) -> None:
    lines = said_in("eeeeeeee-0005", (f"{wrong[:6]}?", wrong), (f"{no}, {wrong[:6]}", right), day=4)
    found = [item.excerpt for item in told(learned(world, *past(), lines), wrong[:6])]
    assert right in found and wrong not in found


def test_what_the_own_session_said_and_what_was_given_is_not_told(world: World) -> None:
    prompt = "why are the radar tiles blank?"
    asked(world)
    first = told(world, prompt)[0]
    assert first.session_id == "aaaaaaaa-0001"
    assert "aaaaaaaa-0001" not in [item.session_id for item in told(world, prompt, session="aaaaaaaa-0001")]
    assert first.id not in [item.id for item in told(world, prompt, skip=frozenset({first.id}))]


def test_a_fork_is_not_told_what_it_holds_itself(world: World) -> None:
    fork = Lines("fork")
    fork.lines = [{**line, "sessionId": "fork", "forkedFrom": "aaaaaaaa-0001"} for line in past()[0].lines]
    fork.prompt("go on with the fork", at=9_000)
    found = told(learned(world, *past(), fork), "why are the radar tiles blank?", session="fork")
    assert not [item for item in found if CAUSE in item.excerpt]


def test_at_most_three_passages_of_a_session(world: World) -> None:
    many = [(f"radar tiles, part {n}", f"Part {n} of the radar tiles is served from the edge {n}.") for n in range(9)]
    found = told(learned(world, *past(), said_in("eeeeeeee-0005", *many, day=4)), "radar tiles of the edge")
    assert [item.session_id for item in found].count("eeeeeeee-0005") == 3


LISTED = "Pending: 6 · look for another resolver of names · api; 7 · move the root key into the vault record · crypto."


def test_a_list_that_several_sessions_printed_is_told_once(world: World) -> None:
    lists = [said_in(f"eeeeeeee-000{n}", ("what is pending?", f"{LISTED} {n}d ago"), day=4 + n) for n in range(3)]
    found = told(learned(world, *past(), *lists), "move the root key into the vault record")
    assert [item.session_id for item in found if "root key" in item.excerpt] == ["eeeeeeee-0002"]


def test_short_answers_that_differ_in_a_word_are_two(world: World) -> None:
    turns = ("which port has the gauge?", "The gauge has port 70."), ("and the buoy?", "The buoy has port 71.")
    found = told(learned(world, *past(), said_in("eeeeeeee-0005", *turns, day=4)), "port of gauge and buoy")
    assert {"The gauge has port 70.", "The buoy has port 71."} <= {item.excerpt for item in found}


def test_what_only_leads_on_to_the_next_step_is_not_told(world: World) -> None:
    step, cause = "Now update the barometer table of the harbour page:", "The barometer table lost its last row."
    lines = said_in("eeeeeeee-0005", ("mend the barometer table", step), ("why?", cause), day=4)
    found = [item.excerpt for item in told(learned(world, *past(), lines), "the barometer table of the harbour page")]
    assert cause in found and step not in found


def test_what_is_left_when_the_likely_was_told_before_has_to_be_likely_itself(world: World) -> None:
    prompt = "why are the radar tiles blank?"
    beside = said_in("eeeeeeee-0005", ("colour the radar legend", "The radar legend has six colours now."), day=4)
    first, second, *_ = told(learned(world, *past(), beside), prompt)
    least = (first.score + second.score) / 2
    assert told(world, prompt, least=least)[0].id == first.id
    assert told(world, prompt, least=least, skip=frozenset({first.id})) == ()
    assert told(world, prompt, least=second.score / 2, skip=frozenset({first.id}))[0].id == second.id


# --- entries ---------------------------------------------------------------------------------------------------


def decided(world: World) -> World:
    """A decision, and a later one that replaced it."""
    learned(world, *past(), answered("11111111-s1", "SQLite", at=100))
    return learned(world, answered("22222222-s2", "Postgres", at=9_000))


def test_a_question_comes_with_its_answer_and_its_stage(world: World) -> None:
    learned(world, *past(), answered("11111111-s1", "SQLite", at=100))
    found = next(item for item in told(world, "which database does the service use") if item.entry is not None)
    assert found.excerpt == f"{QUESTION} → SQLite"
    assert found.entry is not None and found.entry.stage == "verified"
    disclosed = world.memory().recall("which database does the service use?", Scope(PROJECT))
    assert disclosed is not None
    text = as_text(disclosed, 1_000)
    assert (
        "session 11111111\n" in text
        and f"- [{found.id}] {QUESTION} → SQLite (the person's choice in the agent's words)\n" in text
    )


def test_a_superseded_decision_gives_way(world: World) -> None:
    found = told(decided(world), "which database does the service use")
    assert [item.excerpt for item in found if "database" in item.excerpt] == [f"{QUESTION} → Postgres"]
    assert not any("SQLite" in item.excerpt for item in found)


@pytest.mark.parametrize("act", ["deprecated", "contested"])
def test_what_was_withdrawn_is_not_told(world: World, act: str) -> None:
    decided(world)
    ((entry,),) = world.rows("select entry_id from entries where status = 'active' and text = 'Postgres'")
    world.memory().entries.rule(entry, act, "it was a mistake")
    assert not [item for item in told(world, "which database does the service use") if "Postgres" in item.excerpt]


def test_an_answer_that_repeats_a_withdrawn_decision_is_not_told(world: World) -> None:
    lines = Session("33333333-s3")
    lines.prompt("set the store of the rain gauge up")
    lines.ask("Which store should the rain gauge use?", "SQLite")
    lines.answer("The rain gauge will use SQLite as its store: which store should it use was answered.")
    learned(world, *past(), lines)
    prompt = "which store does the rain gauge use"
    assert any("SQLite" in item.excerpt for item in told(world, prompt))
    ((entry,),) = world.rows("select entry_id from entries where text = 'SQLite' and status = 'active'")
    world.memory().entries.rule(entry, "deprecated", "it lost rows")
    assert not any("SQLite" in item.excerpt for item in told(world, prompt))


# --- other projects, and silence ---------------------------------------------------------------------------------


def test_prompts_and_calls_of_other_projects_are_never_told(world: World) -> None:
    other = Session("44444444-s4", "/home/dev/tea")
    other.prompt("the oolong kettle whistles in the wrong key, tune the oolong kettle")
    other.use("Bash", "the oolong kettle whistles", command="oolong kettle --whistle")
    other.answer("The oolong kettle whistles in the key of its valve; the valve of the oolong kettle is tuned.")
    learned(world, *past(), other)
    prompt = "the oolong kettle whistles in the wrong key"
    assert not any("oolong" in item.excerpt for item in told(world, prompt))
    disclosed = world.memory().recall(prompt, Scope(PROJECT))
    assert disclosed is None or {item.type for item in disclosed.matches} <= {"response", "insight", "doc", "pad"}


@pytest.mark.parametrize(
    "prompt", ["write a haiku about the sea", "바다에 대한 시를 써 줘", "海についての俳句を書いて"]
)
def test_what_nobody_spoke_of_is_answered_with_nothing(world: World, prompt: str) -> None:
    found = asked(world).memory().recall.answer(prompt, Scope(PROJECT))
    assert isinstance(found, Silence)


def test_a_higher_threshold_only_leaves_out(world: World) -> None:
    asked(world)
    prompt = "why are the radar tiles blank?"
    every = told(world, prompt)
    assert told(world, prompt, least=0.4) in (every, ())
    assert told(world, prompt, least=1.1) == ()


def test_asking_twice_tells_the_same(world: World) -> None:
    asked(world)
    assert told(world, "radar tiles blank") == told(world, "radar tiles blank")
    before = told(world, "radar tiles blank")
    (world.home / "index.db").unlink()
    world.memory().index()
    assert told(world, "radar tiles blank") == before


def test_a_short_remark_without_the_prompts_words_is_not_told(world: World) -> None:
    lines = said_in("eeeeeeee-0005", ("push it", "Pushed."), ("and the barometer?", "Committed."), day=4)
    assert not {"Pushed.", "Committed."} & {
        item.excerpt for item in told(learned(world, *past(), lines), "radar tiles")
    }
