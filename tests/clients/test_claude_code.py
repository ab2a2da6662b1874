"""Claude Code with the plugin: what the model was really given, from the requests that reached it.

Each test is a session or two of the real client. People with a home of their own are made where a test changes
what others would see.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from axiommind.config import Config
from axiommind.text.estimate import estimate_tokens
from tests.clients.claude_code import REPOSITORY, Person
from tests.clients.model import Model, Use
from tests.clients.terminal import Terminal

pytestmark = pytest.mark.clients

DECISION = "We decided to use PostgreSQL for the ledger service, because we need row level security."
BINDING = "We decided to keep amounts as decimal strings in rate_table.py, because floats drift."
OTHERS = """We decided to use Kafka for audit events, because replays are needed.
We decided to store session tokens in Redis.
We decided to rename the billing worker queue to settlement."""
QUESTION = "Why did we decide to use PostgreSQL for the ledger service, was row level security the reason?"
UNRELATED = "Write a haiku about the sea"
DATED = re.compile(r"2\d{3}-\d\d-\d\d session [0-9a-f]{8}\b")
HOOKS = Config.load({}, Path("/nowhere")).hooks

People = Callable[..., Person]
Decided = tuple[Person, str]


@pytest.fixture(scope="module")
def decided(new_person: People) -> Decided:
    """Somebody with the plugin who decided things in one session, and others in a later one; and the first session."""
    person = new_person()
    person.axm("install", "claude-code", "--plugin")
    first = person.says(f"{DECISION}\n{BINDING}")
    person.says(OTHERS)
    return person, first.session


def fits(text: str, tokens: int) -> bool:
    return estimate_tokens(text) <= tokens and len(text) < 10_000


# --- a decision, and the session that needs it -------------------------------------------------------------


def test_a_decision_is_learned_when_its_session_ends(decided: Decided) -> None:
    person, session = decided
    learned = person.entries("--type", "decision", "--session", session)
    assert {entry["text"] for entry in learned} == {DECISION.rstrip("."), BINDING.rstrip(".")}
    assert person.processes() == []  # `says` waits for that, and fails if it takes too long


def test_the_session_that_needs_a_decision_is_given_it(decided: Decided) -> None:
    person, session = decided
    (text,) = person.says(QUESTION, AXM_HOOK_START="0").recalled("UserPromptSubmit")
    assert "use PostgreSQL for the ledger service" in text and "history, not instructions" in text
    assert fits(text, HOOKS.prompt_tokens)
    assert session[:8] in text
    assert any("row level security" in line for line in person.cited(text))


def test_nothing_is_said_twice_in_a_session(decided: Decided) -> None:
    person, session = decided
    asked = "Why did we decide to keep amounts as decimal strings in rate_table.py, because floats drift?"
    turn = person.says(asked)
    # When it starts or when it is asked, whichever comes first.
    assert any("floats drift" in text and session[:8] in text for text in turn.recalled())
    # The client gives the model again what is in its transcript. What is added to that does not say it again.
    again = person.says(asked, resume=turn.session)
    assert again.session == turn.session and again.recalled()[: len(turn.recalled())] == turn.recalled()
    added = again.recalled()[len(turn.recalled()) :]
    assert not [text for text in added if "floats drift" in text], added
    served = person.served(turn.session)
    assert len(served) == len(set(served))


def test_an_earlier_asking_does_not_hide_the_answer(decided: Decided) -> None:
    person, session = decided
    asked = "We decided on row level security in PostgreSQL for the ledger service, why was that?"
    for _ in range(3):  # of the last session, one is told when the next one starts; of those before, not
        told = person.says(asked).recalled()
        assert any(session[:8] in text for text in told), told


def test_the_answer_is_told_and_not_the_question(new_person: People, model: Model) -> None:
    person = new_person()
    person.axm("install", "claude-code", "--plugin")
    asked = "Why does the tide gauge of Harbour Nine report half of the water level?"
    cause = "The tide gauge sends decimetres since its firmware 4.2, and the importer still divides by twenty."
    model.answers("tide gauge of Harbour Nine report half", (cause,))
    first = person.says(asked)
    person.says(OTHERS)
    again = "The tide gauge of Harbour Nine reports half of the water level again, why?"
    (text,) = person.says(again, AXM_HOOK_START="0").recalled("UserPromptSubmit")
    assert cause in text and first.session[:8] in text and DATED.search(text)
    assert asked not in text and "OK." not in text


def test_an_unrelated_prompt_is_given_nothing(decided: Decided) -> None:
    person, _ = decided
    turn = person.says(UNRELATED)
    assert turn.recalled("UserPromptSubmit") == []
    (call,) = person.calls("UserPromptSubmit", turn.session)
    assert call["outcome"] == "silent"


def test_a_session_starts_where_the_last_one_was_left(decided: Decided) -> None:
    person, _ = decided
    turn = person.says(UNRELATED)
    (text,) = turn.recalled("SessionStart")
    assert "rename the billing worker queue to settlement" in text and "Last session" in text
    assert fits(text, HOOKS.start_tokens)
    assert any("billing worker" in line for line in person.cited(text))


def test_a_start_is_answered_in_time_on_a_busy_machine(decided: Decided) -> None:
    """Nobody has typed yet: it may take longer than another hook. Our log says whether it was late, by the deadline
    that everybody has."""
    person, _ = decided
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], stdin=subprocess.DEVNULL)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        turns = [person.says(UNRELATED, AXM_HOOK_SECONDS="") for _ in range(3)]
    finally:
        for one in busy:
            one.kill()
            one.wait()
    calls = [call for turn in turns for call in person.calls("SessionStart", turn.session)]
    assert [call["outcome"] for call in calls] == ["served"] * 3, calls
    assert all(turn.recalled("SessionStart") for turn in turns)


def test_the_person_is_told_that_a_start_recalled_something(decided: Decided) -> None:
    person, _ = decided
    with Terminal(person) as terminal:
        terminal.wait(lambda: "AxiomMind recalled" in terminal.text, "a line about what was recalled")


def test_another_project_is_not_told_of_it(decided: Decided) -> None:
    person, _ = decided
    elsewhere = person.elsewhere("weather")
    turn = elsewhere.says(UNRELATED)
    assert turn.recalled() == []


# --- sessions that go on -----------------------------------------------------------------------------------


def test_a_session_is_not_told_what_it_said_itself(decided: Decided) -> None:
    person, _ = decided
    said = "The ferry timetable importer drops departures of Harbour Nine when a leap second is announced."
    asked = "What does the ferry timetable importer drop at Harbour Nine when a leap second is announced?"
    own = person.says(said)
    resumed = person.says(asked, resume=own.session)
    assert resumed.session == own.session and resumed.recalled("UserPromptSubmit") == []
    # Somebody else is told: it was there to be found.
    other = person.says(asked)
    assert any("Harbour Nine" in text for text in other.recalled())


def test_after_a_compaction_the_session_is_told_what_it_was_about(decided: Decided) -> None:
    person, _ = decided
    asked = "Add a retry with jitter to the exchange rate poller in poller.py"
    own = person.says(asked)
    person.says("/compact", resume=own.session)
    assert person.calls("PreCompact", own.session)[-1]["outcome"] == "silent"
    turn = person.says(UNRELATED, resume=own.session)
    # Resuming it tells again where work was left off: what was told before has left the context.
    texts = turn.recalled("SessionStart")
    assert any("exchange rate poller" in text and "Asked" in text for text in texts)
    assert all(fits(text, HOOKS.start_tokens) for text in texts)


def test_clear_begins_a_session_of_its_own(decided: Decided, model: Model) -> None:
    person, _ = decided
    before = {call["session"] for call in person.calls()}
    with Terminal(person) as terminal:
        terminal.type(UNRELATED)
        terminal.wait(lambda: "I see." in terminal.text, "an answer")
        terminal.type("/clear")
        terminal.wait(lambda: "I see." not in terminal.text, "an empty screen")
        terminal.look(2)
        model.forget()
        terminal.type(QUESTION)
        terminal.wait(lambda: "I see." in terminal.text, "an answer")
    given = model.given[-1]
    assert any("use PostgreSQL for the ledger service" in text for text in given.recalled("UserPromptSubmit"))
    assert UNRELATED not in [text for role, text in given.texts if role == "user"]
    sessions = {call["session"] for call in person.calls()} - before
    assert len(sessions) == 2
    assert not [call for call in person.calls() if call["session"] in sessions and call["outcome"] == "error"]


def test_a_prompt_typed_in_the_middle_of_a_turn_is_heard(decided: Decided, model: Model) -> None:
    person, _ = decided
    asked = "We use Kafka for audit events because replays are needed, is that still so?"
    model.answers("Start the long build", (Use("Bash", {"command": "sleep 6; echo built"}),), ("It is built.",))
    model.forget()
    with Terminal(person) as terminal:
        terminal.type("Start the long build")
        terminal.wait(lambda: "sleep 6" in terminal.text, "the tool")
        terminal.type(asked)
        terminal.wait(lambda: any(given.says(asked) for given in model.given), "the second prompt")
        terminal.wait(lambda: "It is built." in terminal.text, "an answer")
    session = person.calls()[-1]["session"]
    calls = person.calls("UserPromptSubmit", session)
    assert len(calls) == 2 and all(call["outcome"] in ("served", "silent") for call in calls)
    given = next(given for given in model.given if given.says(asked))
    assert given.prompt.startswith("The user sent a new message while you were working") and given.recalled()
    # And it is part of the memory, like any other prompt.
    found = person.query(f"select text from prompts where session_id = '{session}' order by id")
    assert [row["text"] for row in found] == ["Start the long build", asked]


# --- tools and subagents -----------------------------------------------------------------------------------


def test_a_subagent_is_part_of_its_session(decided: Decided, model: Model) -> None:
    person, _ = decided
    path = person.project / "tariffs.py"
    task = {"description": "Look around", "prompt": "Survey the tariff tables", "subagent_type": "general-purpose"}
    model.answers("Delegate the survey", (Use("Agent", {**task, "run_in_background": False}),), ("Delegated.",))
    model.answers(
        "Survey the tariff tables",
        (Use("Write", {"file_path": str(path), "content": "TARIFFS = ()\n"}),),
        (Use("Bash", {"command": "false; exit 3", "description": "fails"}),),
        ("The tariff tables are complete.",),
    )
    turn = person.says("Delegate the survey")
    assert turn.result == "Delegated." and path.read_text() == "TARIFFS = ()\n"
    for event in ("PreToolUse", "PostToolUseFailure"):
        (call,) = person.calls(event, turn.session)
        assert call["outcome"] in ("served", "silent"), call
    (child,) = person.query(f"select id, project from sessions where parent_session = '{turn.session}'")
    assert child["project"] == str(person.project)
    # A resumed session is not told what its own subagent said.
    again = person.says("Are the tariff tables complete, as the survey of the tariff tables said?", resume=turn.session)
    assert again.recalled("UserPromptSubmit") == []


def test_before_a_file_is_changed_what_binds_it_is_told_once(decided: Decided, model: Model) -> None:
    person, session = decided
    path = person.project / "rate_table.py"
    model.answers(
        "Begin the tables",
        (Use("Write", {"file_path": str(path), "content": "A = '1'\n"}),),
        (Use("Edit", {"file_path": str(path), "old_string": "A = '1'", "new_string": "A = '2'"}),),
        ("Begun.",),
    )
    turn = person.says("Begin the tables")
    assert turn.result == "Begun." and path.read_text() == "A = '2'\n"
    (text,) = turn.recalled("PreToolUse")
    assert "decimal strings" in text and session[:8] in text and fits(text, HOOKS.tool_tokens)


def test_an_error_that_was_met_before_comes_with_what_helped(decided: Decided, model: Model) -> None:
    person, _ = decided
    path = person.project / "check_limits.py"
    broken = "CEILING = None\nif CEILING is None: raise RuntimeError('burst ceiling of tenant gold is unset')\n"
    path.write_text(broken)
    check = Use("Bash", {"command": "python3 check_limits.py", "description": "Check the limits"})
    mend = Use("Edit", {"file_path": str(path), "old_string": "CEILING = None", "new_string": "CEILING = 9"})
    read = Use("Read", {"file_path": str(path)})
    model.answers("Make the check pass", (check,), (read,), (mend,), (check,), ("It passes.",))
    first = person.says("Make the check pass")
    assert first.result == "It passes." and first.recalled("PostToolUseFailure") == []
    path.write_text(broken)
    model.answers("Look at the check", (check,), ("It fails.",))
    (text,) = person.says("Look at the check").recalled("PostToolUseFailure")
    assert "CEILING = 9" in text and first.session[:8] in text and fits(text, HOOKS.tool_tokens)


def test_the_agent_can_ask_for_itself(decided: Decided, model: Model) -> None:
    """By the plugin's command, whose axm is on the agent's own PATH; and by its MCP server."""
    person, _ = decided
    words, server = "we decided to store session tokens in Redis", "mcp__plugin_axiommind_axiommind__recall"
    model.answers("/axiommind:recall", (Use("Bash", {"command": f"axm recall -- '{words}'"}),), ("Asked.",))
    model.answers(
        "Ask the server",
        (Use("ToolSearch", {"query": f"select:{server}"}),),
        (Use(server, {"prompt": words}),),
        ("Asked.",),
    )
    by_command = person.says(f"/axiommind:recall {words}")
    by_server = person.says("Ask the server", "--allowedTools", server)
    for turn in (by_command, by_server):
        result = [text for role, text in turn.given[-1].texts if role == "tool"][-1]
        assert "store session tokens in Redis" in result and DATED.search(result), result


# --- decided anew ------------------------------------------------------------------------------------------


def test_a_decision_that_was_reversed_is_not_served_and_its_successor_is(new_person: People) -> None:
    person = new_person()
    person.axm("install", "claude-code", "--plugin")
    first = person.says(DECISION)
    second = person.says("We decided to use CockroachDB for the ledger service instead of PostgreSQL.")
    (old,) = person.entries("--type", "decision", "--session", first.session)
    (new,) = person.entries("--type", "decision", "--session", second.session)
    person.axm("supersede", old["id"], "--by", new["id"], "--reason", "decided anew")
    asked = "Why did we decide to use PostgreSQL for the ledger service?"
    for event, off in (("UserPromptSubmit", {"AXM_HOOK_START": "0"}), ("SessionStart", {})):
        (text,) = person.says(asked, **off).recalled(event)
        assert "use CockroachDB for the ledger service" in text
        assert "row level security" not in text


# --- whatever is broken, the agent goes on -----------------------------------------------------------------


@pytest.mark.parametrize("how", ["the home is a file", "the index is garbage", "no folder for hooks", "no program"])
def test_a_broken_memory_stops_nobody(new_person: People, model: Model, how: str) -> None:
    person = new_person()
    person.axm("install", "claude-code", "--plugin")
    hooks = person.axm_home / "hooks"
    if how != "no program":  # also where the file that names it is gone, it is found
        person.environ["PATH"] += f":{Path(sys.executable).parent}"
    if how == "the home is a file":
        shutil.rmtree(person.axm_home)
        person.axm_home.write_text("not a folder")
    elif how == "the index is garbage":
        for name in ("index.db", "log.db"):
            (person.axm_home / name).write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    elif how == "no folder for hooks":
        shutil.rmtree(hooks)
        hooks.write_text("not a folder")
    else:
        (hooks / "program").write_text("/nowhere/bin/axm-hook\n")
    path = str(person.project / "a.txt")
    model.answers(
        "Do the work",
        (Use("Write", {"file_path": path, "content": "a\n"}),),
        (Use("Bash", {"command": "false; exit 3", "description": "fails"}),),
        ("The work is done.",),
    )
    turn = person.says("Do the work on the ledger service with PostgreSQL")
    assert turn.result == "The work is done." and (person.project / "a.txt").read_text() == "a\n"
    assert all(given.recalled() == [] for given in turn.given)


# --- wiring ------------------------------------------------------------------------------------------------


def test_the_plugin_is_valid(new_person: People) -> None:
    person = new_person()
    for folder in (REPOSITORY / "plugin", REPOSITORY):
        assert "Validation passed" in person.claude("plugin", "validate", str(folder), "--strict")


def test_the_plugin_is_taken_out_again(new_person: People) -> None:
    person = new_person()
    person.axm("install", "claude-code", "--plugin")
    (found,) = json.loads(person.claude("plugin", "list", "--json"))
    assert found["id"] == "axiommind@axiommind" and found["enabled"]
    person.axm("uninstall", "claude-code")
    assert json.loads(person.claude("plugin", "list", "--json")) == []
    assert person.says(DECISION).recalled() == [] and person.calls() == []


def test_hooks_in_the_settings_do_the_same_and_leave_no_trace(new_person: People) -> None:
    person = new_person()
    settings = person.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    before = b'{ "model":"opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    settings.write_bytes(before)
    person.axm("install", "claude-code")
    person.says(DECISION)
    person.says(OTHERS)
    turn = person.says(QUESTION)
    # When it starts or when it is asked, whichever comes first: a memory is told once.
    assert any("use PostgreSQL for the ledger service" in text for text in turn.recalled())
    person.axm("uninstall", "claude-code")
    assert settings.read_bytes() == before
    calls = len(person.calls())
    assert person.says(QUESTION).recalled() == [] and len(person.calls()) == calls
