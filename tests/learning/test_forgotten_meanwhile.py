"""What happens while a session is learned: a model that fails, a person who forgets. Nothing of it may stay behind."""

from __future__ import annotations

from axiommind.config import Config
from axiommind.projections.transcript import Transcript
from tests.ingest.traces import events, nowhere
from tests.learning.saying import Saying, claim, run
from tests.learning.sessions import ONE, WORD, story
from tests.transcripts import PERSON, World


def test_a_model_that_fails_is_not_repeated_in_the_log(world: World) -> None:
    """`claude` repeats what it was given and fails, as it does when an input is too long for it."""
    world.write(story("s", ONE, WORD))
    world.memory().index()
    program = world.base / "claude-that-fails"
    program.write_text("#!/bin/sh\ncat >&2\nexit 1\n")
    program.chmod(0o755)
    config = Config.load(world.environ | {"AXM_EXTRACT_CLAUDE": str(program)})
    memory = type(world.memory())(config, environ=world.environ, user=world.base, caller=PERSON)
    assert memory.learning.run(extractor="claude").failed == 1
    memory.forget(session="s")
    assert not [event for event in events(world) if WORD in event[1]]


def test_a_type_that_there_is_not_is_not_repeated_in_the_log(world: World) -> None:
    world.write(story("s", ONE, WORD))
    world.memory().index()
    assert run(world, Saying(claim(type=f"{WORD} says so"))).failed == 1
    assert not [event for event in events(world) if WORD in event[1]]


def test_what_is_forgotten_while_it_is_learned_stays_forgotten(world: World) -> None:
    """A model thinks for a minute; meanwhile a person forgets the session. `verify` says so: law 5."""
    world.write(story("s", ONE, WORD))
    world.memory().index()
    forget = lambda transcript: world.memory().forget(session=transcript.session_id)  # noqa: E731
    run(world, Saying(claim(title=f"{WORD} title"), before=forget))
    assert world.one("select count(*) from entries") == 0
    assert world.memory().verify() == []
    nowhere(world, f"{WORD} title")


def test_what_is_forgotten_before_its_turn_is_passed_over(world: World) -> None:
    for n in range(3):
        world.write(story(f"s{n}", ONE, WORD))
    world.memory().index()

    def forget(transcript: Transcript) -> None:
        if transcript.session_id == "s0":
            world.memory().forget(session="s1")

    assert run(world, Saying(claim(), before=forget)).sessions == 2


def test_a_forgotten_session_that_goes_on_leaves_no_trace(world: World) -> None:
    """A person forgets the session they are in; then its agent looks at an entry."""
    for name in ("other", "mine"):
        world.write(story(name, ONE, f"{WORD} {name}"))
    world.memory().index()
    world.memory().learning.run()
    world.memory().forget(session="mine")
    (entry,) = world.rows("select entry_id from entries limit 1")[0]
    inside = world.environ | {"CLAUDE_CODE_SESSION_ID": "mine"}
    type(world.memory())(Config.load(inside), environ=inside, user=world.base).entries.note_use([entry], "shown")
    assert world.memory().verify() == []
    assert world.one("select count(*) from entry_uses where session_id = 'mine'") == 0
