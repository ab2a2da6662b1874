"""What a person calls not useful is not given again at that kind of moment, and everything else stays as it was."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.callers import AGENT
from axiommind.config import Config
from axiommind.errors import BadQuery, NotFound
from axiommind.home import Scope
from axiommind.ids import short_id
from axiommind.memory import Memory
from axiommind.model import Event
from axiommind.projections import Batch, feedback
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.scope import open_scoped
from axiommind.recall.feedback import refused
from axiommind.recall.packet import Note, Packet, Section
from axiommind.recall.packets.wanted import wanted
from axiommind.recall.prompt_kind import is_same_kind, telling_words
from axiommind.surfaces import cli
from axiommind.surfaces.mcp import answers
from tests.examples import examples
from tests.learning.sessions import Session
from tests.served import item, line, made, spool
from tests.transcripts import PROJECT, Lines, World

ASKED = "The forecast is stale again, what was it?"
ALIKE = "why is our forecast stale"
OTHER = "rename the billing export column"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return given_once(tmp_path)


def given_once(base: Path) -> World:
    """An old answer was given to a new session for a prompt about a stale forecast."""
    world = made(base)
    spool(world, line(items=[item(world)]))
    world.memory().index()
    return world


def names(
    world: World, about: str, name: str, *, session: str | None = None, hook: str = "UserPromptSubmit"
) -> set[str]:
    with closing(open_scoped(world.home / "index.db", None)) as db:
        return refused(db, hook, about, [name, "other1"], session=session)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        (ASKED, ALIKE, True),
        (ASKED, OTHER, False),
        ("please fix the failing tests in billing", "fix the tests of login again please", False),
        ("please fix the tests", "commit this", True),  # neither says what it is about
        ("please fix the tests", ASKED, False),
        ("장바구니 합계가 할인 후에 틀려요", "할인하면 장바구니 합계가 이상해", True),
        ("장바구니 합계를 수정해줘", "로그인 화면을 수정해줘", False),
        ("キャッシュの有効期限を変更してください", "キャッシュの有効期限はなぜ十分ですか", True),
        ("キャッシュを変更してください", "認証画面を変更してください", False),
        ("购物车折扣总额计算", "为什么购物车折扣总额不对", True),
        ("修复购物车", "修复登录页面", False),
    ],
)
def test_prompts_of_one_kind(one: str, other: str, is_one: bool) -> None:
    assert is_same_kind(telling_words(one), telling_words(other)) is is_one


def test_a_no_keeps_it_from_that_kind_of_prompt_only(world: World) -> None:
    name = item(world)["id"]
    said = world.memory().feedback.say(name, "no")
    assert (said.id, said.verdict, said.hook, said.about, said.is_new) == (name, "no", "UserPromptSubmit", ASKED, True)
    assert names(world, ALIKE, name) == {name}
    assert names(world, OTHER, name) == set()
    assert names(world, "", name, hook="SessionStart") == set()


def test_it_is_not_recalled_again_until_that_is_taken_back(world: World) -> None:
    memory = world.memory()
    question = "which retry_budget did we set to keep the forecast fresh"
    before = memory.recall.answer_question(question, PROJECT, session="new")
    shown = {one.id for one in getattr(before, "disclosed").matches}  # noqa: B009 - it is no silence
    name = item(world)["id"]
    assert name in shown
    memory.feedback.say(name, "no", prompt=question)
    after = memory.recall.answer_question(question, PROJECT, session="new")
    assert name not in {one.id for one in getattr(getattr(after, "disclosed", None), "matches", ())}
    memory.feedback.say(name, "clear")
    again = memory.recall.answer_question(question, PROJECT, session="new")
    assert {one.id for one in getattr(again, "disclosed").matches} == shown  # noqa: B009


def test_twice_is_once_and_everything_survives_a_rebuild(world: World) -> None:
    name = item(world)["id"]
    memory = world.memory()
    assert memory.feedback.say(name, "no").is_new
    assert not memory.feedback.say(name, "no").is_new
    assert memory.feedback.say(name, "clear").is_new
    assert not memory.feedback.say(name, "clear").is_new
    assert names(world, ALIKE, name) == set()
    assert memory.feedback.say(name, "no").is_new, "it may be said again after it was taken back"
    rows = world.rows("select * from feedback")
    for path in world.home.glob("index.db*"):
        path.unlink()
    world.memory().index()
    assert world.rows("select * from feedback") == rows
    assert names(world, ALIKE, name) == {name}
    assert world.memory().verify() == []


def test_one_kind_of_moment_can_be_taken_back_alone(world: World) -> None:
    name = item(world)["id"]
    memory = world.memory()
    memory.feedback.say(name, "no")
    memory.feedback.say(name, "no", prompt=OTHER)
    memory.feedback.say(name, "clear", prompt=OTHER)
    assert names(world, ALIKE, name) == {name}
    assert names(world, OTHER, name) == set()


def test_an_agents_word_counts_in_its_session(world: World) -> None:
    name = item(world)["id"]
    said = world.memory().feedback.say(name, "no", caller=AGENT)
    assert said.said_in == "now"
    assert names(world, ALIKE, name, session="now") == {name}
    assert names(world, ALIKE, name, session="later") == set()
    world.memory().feedback.say(name, "clear")
    assert names(world, ALIKE, name, session="now") == set(), "a person takes back what anybody said"


def test_the_words_of_forgotten_prompts_are_gone(world: World) -> None:
    name = item(world)["id"]
    world.memory().feedback.say(name, "no")
    world.memory().forget(session="now")
    assert world.rows("select * from feedback") == []
    assert world.memory().verify() == []


def test_it_goes_with_the_session_that_it_is_of(world: World) -> None:
    world.memory().feedback.say(item(world)["id"], "no")
    world.memory().forget(session="old")
    assert world.rows("select * from feedback") == []
    assert world.memory().verify() == []


def test_what_is_unknown_is_refused(world: World) -> None:
    feedback = world.memory().feedback
    with pytest.raises(NotFound):
        feedback.say("zzzzzz", "no")
    with pytest.raises(BadQuery, match="for which prompt"):
        feedback.say(item(world, "old", "prompt")["id"], "no")
    with pytest.raises(BadQuery):
        feedback.say(item(world)["id"], "perhaps")


def test_it_may_be_said_at_once(tmp_path: Path) -> None:
    world = made(tmp_path)
    name = item(world)["id"]
    spool(world, line(items=[item(world)]))
    assert world.memory().feedback.say(name, "no").about == ASKED
    later = Lines("later")
    later.prompt(OTHER, at=20)
    world.write(later)
    spool(world, line(session="later", at=20, items=[item(world)]), "later")
    assert world.memory().feedback.say(name, "no").about == OTHER, "the moment that gave it last"


def test_without_a_transcript_the_prompt_is_not_known(world: World) -> None:
    name = item(world, "old", "prompt")["id"]
    spool(world, line(session="gone", items=[item(world, "old", "prompt")]), "gone")
    feedback = world.memory().feedback
    with pytest.raises(BadQuery, match="no transcript of session gone") as refusal:
        feedback.say(name, "no")
    assert f"{name} no --prompt" in (refusal.value.hint or "")
    assert feedback.say(name, "yes").is_new, "it is counted as used without one"
    given = {one.id: one.verdict for one in world.memory().reports.grounding(Scope(None)).given}
    assert given[name] == "yes"
    assert feedback.say(name, "clear", session="gone").is_new
    with pytest.raises(BadQuery, match="no agent was given it") as refusal:
        feedback.say(item(world, "now", "prompt")["id"], "yes")
    assert " yes --prompt" in (refusal.value.hint or "")


def test_nothing_can_be_taken_back_before_it_was_said(world: World) -> None:
    name = item(world)["id"]
    memory = world.memory()
    assert not memory.feedback.say(name, "clear").is_new
    assert not memory.feedback.say(name, "clear", prompt=OTHER).is_new
    assert world.rows("select * from feedback") == []
    memory.feedback.say(name, "no")
    assert not memory.feedback.say(name, "clear", prompt=OTHER).is_new
    assert names(world, ALIKE, name) == {name}
    assert memory.feedback.say(name, "clear").is_new


def test_taking_back_one_moment_leaves_what_was_said_at_another(world: World) -> None:
    name = item(world)["id"]
    memory = world.memory()
    memory.feedback.say(name, "no")
    memory.feedback.say(name, "no", prompt=OTHER)
    memory.feedback.say(name, "clear", prompt=OTHER)
    (one,) = memory.feedback.given(Scope(None))
    assert one.verdict == "no"


def test_a_packet_without_what_is_not_wanted(world: World) -> None:
    name = item(world)["id"]
    spool(world, line(at=20, hook="SessionStart", session="later", items=[item(world)]), "later")
    world.memory().index()
    world.memory().feedback.say(name, "no")
    notes = (Note(name, "response", "text"), Note("abc", "response", "text"))
    with closing(open_scoped(world.home / "index.db", None)) as db:
        kept = wanted(db, "SessionStart", Packet((Section("A", notes), Section("B", notes[:1]))), session=None)
        assert kept == Packet((Section("A", notes[1:]),))
        assert wanted(db, "SessionStart", Packet((Section("B", notes[:1]),)), session=None) is None
        other = Packet((Section("B", notes[:1]),))
        assert wanted(db, "PreToolUse", other, session=None) == other


def test_an_index_of_an_older_version_is_borne(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as db:
        assert refused(db, "UserPromptSubmit", ASKED, ["abc"]) == set()


def test_an_agent_says_it_with_a_tool(world: World) -> None:
    name = item(world)["id"]
    environ = world.environ | {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "now"}
    features = answers(Memory(Config.load(environ), environ=environ, user=world.base)).features
    said = features.call("feedback", {"id": name})["structuredContent"]
    assert said == {"id": name, "verdict": "no", "is_new": True}
    assert names(world, ALIKE, name, session="now") == {name}
    assert names(world, ALIKE, name) == set()
    assert features.call("feedback", {"id": "zzzzzz"})["isError"]


# --- the fold ----------------------------------------------------------------------------------------------

events = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["UserPromptSubmit", "SessionStart", ""]),
        st.sampled_from(["no", "yes", "clear"]),
        st.sampled_from(["", "s1"]),
        st.integers(1, 4),
    ),
    max_size=6,
)


def folded(said: list[tuple[str, str, str, str, int]]) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as db:
        feedback.create(db)
        for name, hook, verdict, who, at in said:
            payload = {"names": [name], "kind": "tool", "hook": hook, "verdict": verdict, "said_in": who, "owner": None}
            event = Event(1, "e", at, "feedback_given", "user", None, None, payload, "", at)
            feedback.apply(db, Batch([event], lambda *_a, **_k: None, lambda _name: None))
        return db.execute("select * from feedback order by 1, 2, 3, 4").fetchall()


@given(events, st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_order_and_repetition_do_not_matter(said: list[tuple[str, str, str, str, int]], shuffled: Any) -> None:
    again = [*said, *said]
    shuffled.shuffle(again)
    assert folded(again) == folded(said)


@given(st.lists(st.sampled_from(["no", "yes", "clear", "no other", "clear other", "index", "rebuild"]), max_size=7))
@settings(max_examples=examples(10))
def test_whatever_is_said_the_rows_are_the_replay_of_the_log(acts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = given_once(Path(folder))
        name = item(world)["id"]
        said: dict[str | None, str] = {}
        for act in acts:
            memory = world.memory()
            verdict, _, about = act.partition(" ")
            if act == "index":
                memory.index()
            elif act == "rebuild":
                memory.rebuild()
            else:
                memory.feedback.say(name, verdict, prompt=OTHER if about else None)
                if act == "clear":
                    said = {}
                else:
                    said[OTHER if about else ALIKE] = verdict
        assert world.memory().verify() == []
        for about in (ALIKE, OTHER):
            assert bool(names(world, about, name)) is (said.get(about) == "no")


# --- the commands ------------------------------------------------------------------------------------------


@pytest.fixture
def person(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    return world


def test_the_command(person: World, capsys: pytest.CaptureFixture[str]) -> None:
    name = item(person)["id"]
    assert cli.main(["feedback", name, "no"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{name}  no\n"
    assert f"axm feedback {name} clear" in err and ASKED in err
    assert cli.main(["feedback", name, "no", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["schema"], record["is_new"], record["verdict"]) == ("axm.feedback.v1", False, "no")
    assert cli.main(["feedback", name, "clear"]) == 0
    assert "Taken back" in capsys.readouterr().err
    assert cli.main(["feedback", name, "clear"]) == 0
    assert "Nothing was said of it" in capsys.readouterr().err
    assert cli.main(["feedback", "zzzzzz", "no"]) == 1
    with pytest.raises(SystemExit) as stopped:
        cli.main(["feedback", name, "perhaps"])
    assert stopped.value.code == 2


def test_a_review_is_one_key(
    person: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = item(person)["id"]
    spool(person, line(at=11, items=[item(person, "old", "prompt")]))
    person.memory().index()

    def review(keys: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(keys))
        assert cli.main(["review", "--only", "given", "--all-projects"]) == 0
        return capsys.readouterr().out

    assert ASKED in review("q") and names(person, ALIKE, name) == set()
    assert review("sss").count(name) == 1
    review("snq")
    assert names(person, ALIKE, name) == {name}
    person.memory().feedback.say(name, "clear")
    review("nuq")
    second = item(person, "old", "prompt")["id"]
    assert names(person, ALIKE, second) == set(), "undone"
    assert names(person, ALIKE, name) == set(), "undone"
    shown = review("nn")
    assert name in shown and "retry_budget" in shown
    assert names(person, ALIKE, name) == {name}
    monkeypatch.setattr("sys.stdin", io.StringIO("n"))
    assert cli.main(["review", "--only", "given", "--all-projects"]) == 1, "what was answered is not asked again"
    monkeypatch.delenv("AXM_PERSON_TOKEN")
    assert cli.main(["review"]) == 1


def test_a_review_and_grounding_know_the_same(
    person: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spool(person, line(session="gone", at=30, items=[item(person)]), "gone")
    assert cli.main(["grounding", "--all-projects", "--items"]) == 0
    assert "gone" in capsys.readouterr().out
    spool(person, line(session="fresh", at=31, items=[item(person)]), "fresh")
    monkeypatch.setattr("sys.stdin", io.StringIO("nq"))
    assert cli.main(["review", "--only", "given", "--all-projects"]) == 0
    out, err = capsys.readouterr()
    assert "session fresh" in out and "Skipped: for which prompt" in err
    monkeypatch.setattr("sys.stdin", io.StringIO("n"))
    assert cli.main(["review", "--session", "nobody"]) == 1
    assert "no agent was given anything" in capsys.readouterr().err


def test_the_library_says_it_too(world: World) -> None:
    assert isinstance(world.memory(), Memory)
    (one,) = world.memory().feedback.given(world.memory().scope(all_projects=True))
    assert (one.about, one.verdict, one.session_id) == (ASKED, None, "now")
    world.memory().feedback.say(one.id, "yes")
    (one,) = world.memory().feedback.given(world.memory().scope(all_projects=True))
    assert one.verdict == "yes"


def test_an_entry_is_refused_by_any_of_its_names(tmp_path: Path) -> None:
    world = World(tmp_path)
    session = Session("talk")
    session.prompt("The forecast page is slow. Where should its cache live?")
    session.ask("Where should the forecast cache live?", "SQLite")
    world.write(session)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    ((entry, row),) = world.rows("select entry_id, id from entries where kind = 'decision'")
    passage = short_id(row << KIND_BITS | KINDS["insight"])
    question = "where did we put the forecast cache"
    for name in (entry, passage, entry[:12]):
        said = world.memory().feedback.say(name, "no", prompt=question)
        assert (said.id, said.kind) == (entry, "decision")
        for shown in (entry, passage):
            assert names(world, "move the forecast cache", shown) == {shown}
        stage = world.one(f"select stage from entries where entry_id = '{entry}'")
        world.memory().feedback.say(name, "clear")
        assert names(world, question, entry) == names(world, question, passage) == set()
        assert world.one(f"select stage from entries where entry_id = '{entry}'") == stage
    assert world.memory().verify() == []
