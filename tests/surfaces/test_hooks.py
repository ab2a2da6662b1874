"""Hooks, as the client calls them: JSON or nothing, exit code 0, one line in our log, whatever is broken."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.locks import alone
from axiommind.settings import KEYS
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks import background_index, deadlines, record
from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
from axiommind.surfaces.hooks.events import all_events, module_name
from tests.counting import PATIENCE_S, wait_for
from tests.rows import rows
from tests.transcripts import PROJECT, START, Lines, World

EVENTS = [event.name for event in all_events()]
PROMPT = "how does the zephyr anemometer calibrate its hygroscope?"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A machine whose memory holds one thing worth recalling among others."""
    world = World(tmp_path_factory.mktemp("hooks"))
    lines = Lines("old")
    lines.prompt("the zephyr anemometer calibrates its hygroscope against the quartz reference")
    lines.answer("Done: the zephyr anemometer calibrates its hygroscope against the quartz reference at noon.")
    for n in range(30):
        lines.prompt(f"add a chart of rainfall for station {n}")
    world.write(lines)
    world.memory().index()
    return world


def raw(event: str | None = "UserPromptSubmit", session: str = "new", **fields: Any) -> bytes:
    given = {"session_id": session, "cwd": PROJECT, "transcript_path": "/nowhere.jsonl", **fields}
    return json.dumps(given if event is None else {**given, "hook_event_name": event}).encode()


def run(world: World, *arguments: str, given: bytes = b"", **environ: str) -> subprocess.CompletedProcess[bytes]:
    code = "from axiommind.surfaces.hooks import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=given,
        env={**world.environ, **environ},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )


def log(world: World) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (world.home / "hooks" / "hooks.log").read_text("utf-8").splitlines()]


def spooled(world: World, session: str) -> list[dict[str, Any]]:
    path = world.home / "hooks" / "served" / f"{session}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


# --- answers ----------------------------------------------------------------------------------------------


@rows("R3.42")
def test_a_prompt_is_answered_once_and_recorded(told: World) -> None:
    done = run(told, "UserPromptSubmit", given=raw(session="once/../1", prompt=PROMPT))
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)
    assert said.keys() == {"hookSpecificOutput"}
    inside = said["hookSpecificOutput"]
    assert inside.keys() == {"hookEventName", "additionalContext"} and inside["hookEventName"] == "UserPromptSubmit"
    assert "quartz reference" in inside["additionalContext"]
    (line,) = spooled(told, "once1")
    assert line["v"] == 1 and line["hook"] == "UserPromptSubmit" and line["project"] == PROJECT
    assert line["items"] and all(item.keys() == {"id", "kind", "score"} for item in line["items"])
    assert "quartz" not in json.dumps(line)
    noted = log(told)[-1]
    assert noted.keys() == {"at", "hook", "session", "ms", "outcome", "why", "items", "expanded", "tokens"}
    assert noted["outcome"] == "served" and noted["items"] == len(line["items"]) and noted["tokens"] == line["tokens"]
    assert noted["expanded"] == 0 and noted["why"] == "excerpts"  # answers, not an index that opens
    assert noted["tokens"] <= 800
    again = run(told, given=raw(session="once/../1", prompt=PROMPT))  # the event is as stdin says
    assert (again.returncode, again.stdout) == (0, b"")
    assert log(told)[-1]["outcome"] == "silent" and len(spooled(told, "once1")) == 1
    assert log(told)[-1]["why"].startswith("nothing_new")
    for path in (told.home / "hooks").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"prompt": "yes"}, "nothing to ask"),
        ({"prompt": "/compact now"}, "nothing to ask"),
        ({"prompt": "how do penguins coordinate underwater migrations"}, "nothing_relevant"),
        ({"prompt": PROMPT, "source": "loop_wakeup"}, "no person asked"),
        ({"prompt": PROMPT, "session": "old"}, "nothing_relevant"),  # it said so itself
    ],
)
def test_silence(told: World, fields: dict[str, Any], why: str) -> None:
    answer = hooks.answer("UserPromptSubmit", raw(**fields), told.environ)
    assert answer.outcome == "silent" and answer.why.startswith(why) and hooks.output("UserPromptSubmit", answer) == b""


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_answers_and_can_be_switched_off(told: World, event: str) -> None:
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/a.py"}, "error": "Exit code 1\nboom"}
    given = raw(event, prompt=PROMPT, source="startup", **edit)
    on = hooks.answer(event, given, told.environ)
    assert on.outcome in ("served", "silent"), on
    assert on.indexing == (event in ("Stop", "SessionEnd", "PreCompact"))
    key = "hooks." + "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")
    from axiommind.settings import KEYS

    (env,) = [k.env for k in KEYS if k.name == key]
    for name, value in ((env, "0"), ("AXM_HOOKS", "0"), ("AXM_INSIDE", "1")):
        assert hooks.answer(event, given, {**told.environ, name: value}) == HookAnswer("off")


def test_learning_is_asked_for_when_a_session_ends(told: World) -> None:
    environ = {**told.environ, "AXM_LEARN": "1"}
    learning = {event: hooks.answer(event, raw(event), environ).learning for event in EVENTS[4:]}
    assert learning == {"Stop": False, "SessionEnd": True, "PreCompact": True}


def test_an_old_index_is_renewed_when_a_session_starts(told: World, tmp_path: Path) -> None:
    assert not hooks.answer("SessionStart", raw("SessionStart"), told.environ).indexing
    assert hooks.answer("SessionStart", raw("SessionStart"), {**told.environ, "AXM_HOME": str(tmp_path / "x")}).indexing


def test_a_file_and_an_error_are_told_about_once(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.recall.packet import Note, Packet, Section
    from axiommind.recall.packets import file as about_file

    packet = Packet((Section("Known", (Note("1a", "decision", "edit with care"),)),))
    monkeypatch.setattr(about_file, "about_file", lambda *_args, **_named: packet)
    given = raw("PreToolUse", "files", tool_name="Write", tool_input={"file_path": "/a/b.py"})
    first = hooks.answer("PreToolUse", given, told.environ)
    assert first.outcome == "served" and "edit with care" in first.text and [i.id for i in first.items] == ["1a"]
    record.spool_served(told.home, "PreToolUse", "files", first, 0, 1.0)
    assert hooks.answer("PreToolUse", given, told.environ).why == "this file was told about"
    assert hooks.answer("PreToolUse", given.replace(b"b.py", b"c.py"), told.environ).outcome == "served"
    assert record.served_before(told.home, "files").ids == {"1a"}


def tell(world: World, event: str, **fields: Any) -> HookAnswer:
    """Ask as a client does, and record the answer as a process does."""
    handed = hooks.HandedOver(event, raw(event, "telling", **fields), world.environ)
    handed.finish(has_reached=True)
    return handed.answer


@pytest.fixture
def busy_start(world: World) -> World:
    """A home with a session of today."""
    recently = (time.time() * 1000 - START) / 60_000 - 600
    lines = Lines("old")
    lines.prompt("Round the rates half up, please", at=recently)
    lines.answer("They are rounded.", at=recently + 1)
    world.write(lines)
    world.memory().index()
    return world


def test_a_memory_is_told_once_until_the_context_is_lost(world: World) -> None:
    recently = (time.time() * 1000 - START) / 60_000 - 600
    lines = Lines("old")
    lines.prompt("We decided to store session tokens in Memcached because of its latency", at=recently)
    for n in range(30):
        lines.prompt(f"add a chart of rainfall for station {n}", at=recently - 900 + n)
    world.write(lines)
    world.memory().index()
    world.memory().learning.run()
    ((entry,),) = world.rows("select entry_id from entries")
    asked = {"prompt": "where do we store session tokens, in Memcached or elsewhere?"}
    started = tell(world, "SessionStart", source="startup")
    assert "Memcached" in started.text and entry not in record.served_before(world.home, "telling").ids
    said = tell(world, "UserPromptSubmit", **asked)
    assert said.why.startswith("nothing_new"), "the entry learned from a passage that was told is told, too"
    assert not tell(world, "SessionStart", source="resume").afresh
    assert tell(world, "SessionStart", source="compact").afresh
    assert "Memcached" in tell(world, "UserPromptSubmit", **asked).text
    assert entry in record.served_before(world.home, "telling").ids
    assert tell(world, "UserPromptSubmit", **asked).why.startswith("nothing_new")
    cleared = tell(world, "SessionStart", source="clear")
    assert cleared.afresh and "Memcached" in cleared.text
    assert tell(world, "UserPromptSubmit", **asked).why.startswith("nothing_new")


def test_an_index_of_another_version_is_not_told_from_and_is_made_anew(world: World) -> None:
    lines = Lines("old")
    lines.prompt(PROMPT)
    world.write(lines)
    world.memory().index()
    with sqlite3.connect(world.home / "index.db") as db:
        db.execute("update projection_offsets set version = version + 1")
    db.close()
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/a.py"}, "error": "Exit code 1\nboom"}
    for event in EVENTS[:4]:
        said = hooks.answer(event, raw(event, prompt=PROMPT, source="compact", **edit), world.environ)
        assert (said.outcome, said.why) == ("error", "the index was made by another version of this program")
    again = hooks.answer("SessionStart", raw("SessionStart", source="compact"), world.environ)
    assert again.indexing and again.afresh


def test_half_a_character_does_not_stop_an_answer() -> None:
    given = HookAnswer("served", text="\ud800 lone")
    assert json.loads(hooks.output("Stop", given))["hookSpecificOutput"]["additionalContext"] == "? lone"


# --- bad input --------------------------------------------------------------------------------------------

BAD: list[tuple[str, bytes | None]] = [
    ("UserPromptSubmit", b""),
    ("UserPromptSubmit", b" \n"),
    ("UserPromptSubmit", None),
    ("UserPromptSubmit", b"{"),
    ("UserPromptSubmit", b"\xff\xfe\x00"),
    ("UserPromptSubmit", b"[" * 100_000),
    ("UserPromptSubmit", b"[1]"),
    ("UserPromptSubmit", b"null"),
    ("UserPromptSubmit", raw("Stop")),
    ("", raw(None)),
    ("", raw("Elicitation")),
    ("Nonsense", raw("Nonsense")),
    ("../cli/index", raw("../cli/index")),
    ("_call", raw("_call")),
    ("Events", raw("Events")),
    ("Ünicode", raw("Ünicode")),
]


@pytest.mark.parametrize(("event", "given"), BAD, ids=range(len(BAD)))
def test_bad_input_is_an_error_of_one_line(told: World, event: str, given: bytes | None) -> None:
    answer = hooks.answer(event, given, told.environ)
    assert answer.outcome == "error" and answer.why and not answer.text


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["session_id", "cwd", "prompt", "source", "tool_name", "tool_input", "error", "is_interrupt", "transcript_path"]
)


@given(event=st.sampled_from(EVENTS), fields=st.dictionaries(FIELDS, ANYTHING))
def test_fields_of_any_kind_are_borne(told: World, event: str, fields: dict[str, Any]) -> None:
    answer = hooks.answer(event, json.dumps(fields).encode(), told.environ)
    assert answer.outcome in ("served", "silent"), answer


def _file(world: World) -> dict[str, str]:
    (world.base / "file").write_text("x")
    return {"AXM_HOME": str(world.base / "file")}


def _corrupt(world: World) -> dict[str, str]:
    world.home.mkdir()
    (world.home / "index.db").write_bytes(b"SQLite format 3\x00" + b"junk" * 5_000)
    return {}


def _foreign(world: World) -> dict[str, str]:
    world.home.mkdir()
    with sqlite3.connect(world.home / "index.db") as db:
        db.execute("create table sessions(id, project)")
        db.execute("insert into sessions values ('s', ?)", (PROJECT,))
    db.close()
    return {}


def _config(text: str) -> Callable[[World], dict[str, str]]:
    def broken(world: World) -> dict[str, str]:
        world.home.mkdir()
        (world.home / "config.toml").write_text(text)
        return {}

    return broken


BROKEN = [_file, _corrupt, _foreign, _config("["), _config("nonsense = 1"), _config("[hooks]\nenabled = 'x'")]


@pytest.mark.parametrize("breaking", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_home_is_borne(world: World, breaking: Callable[[World], dict[str, str]]) -> None:
    environ = {**world.environ, **breaking(world)}
    for event in EVENTS[:4]:
        edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/a.py"}, "error": "Exit code 1\nboom"}
        answer = hooks.answer(event, raw(event, prompt=PROMPT, **edit), environ)
        assert answer.outcome in ("error", "silent") and answer.why and not answer.text


def test_nobody_knows_the_home(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    environ = {name: value for name, value in told.environ.items() if name != "HOME"}
    assert hooks.answer("UserPromptSubmit", raw(prompt=PROMPT), environ).outcome == "served"
    del environ["AXM_HOME"]
    assert hooks.answer("UserPromptSubmit", raw(prompt=PROMPT), environ) == HookAnswer("error", "there is no home")


def test_who_cannot_record_still_answers(told: World, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "index.db").symlink_to(told.home / "index.db")
    (home / "hooks").write_text("no folder")
    assert run(told, given=raw(session="unrecorded", prompt=PROMPT), AXM_HOME=str(home)).stdout


def test_a_process_bears_what_it_is_given(told: World) -> None:
    """Where a process differs from a call: arguments, a missing stdin, a client that never ends what it says."""
    for arguments, data in ((["--bogus", "x"], b""), ([], b"not json"), (["Stop"], b"x" * 10_500_000)):
        done = run(told, *arguments, given=data)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"") and log(told)[-1]["outcome"] == "error"
    before = len(log(told))
    command = [sys.executable, "-c", "from axiommind.surfaces.hooks import main; main()", "UserPromptSubmit"]
    environ = {name: value for name, value in told.environ.items() if name != "AXM_HOOK_SECONDS"}
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as silent:
        assert silent.stdin is not None and silent.stdout is not None
        silent.stdin.write(raw(prompt=PROMPT))
        silent.stdin.flush()
        assert silent.stdout.read() == b"" and silent.wait() == 0
    (late,) = log(told)[before:]
    assert late["outcome"] == "late" and late["ms"] >= 375
    cli = [sys.executable, "-m", "axiommind", "hook", "Nonsense", "--bogus", "--home"]
    done = subprocess.run(cli, env=told.environ, input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b""), "2 would block the prompt"


@pytest.mark.parametrize(
    ("arguments", "given", "code", "why"),
    [
        ((), b"", 1, "the client wrote nothing"),
        ((), b"{", 1, "the client wrote no JSON"),
        ((), b"{}", 1, "the client names no event"),
        (("TeaTime",), b"{}", 1, "there is no such event"),
        (("UserPromptSubmit",), b'{"prompt": "ok"}', 0, "Nothing was answered: nothing to ask"),
    ],
)
def test_people_are_told_why_nothing_is_answered(
    told: World, arguments: tuple[str, ...], given: bytes, code: int, why: str
) -> None:
    command = [sys.executable, "-m", "axiommind", "hook", *arguments]
    done = subprocess.run(command, env=told.environ, input=given, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (code, b"") and why in done.stderr.decode()


@pytest.mark.parametrize(
    ("name", "value"), [(deadlines.SECONDS, "-1"), (deadlines.SECONDS, "abc"), ("AXM_PROMPT_CHANCE", "-1")]
)
def test_a_hook_with_an_impossible_setting_is_silent_and_says_why(told: World, name: str, value: str) -> None:
    done = run(told, "UserPromptSubmit", given=raw(prompt=PROMPT), **{name: value})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert log(told)[-1]["outcome"] == "error" and name in log(told)[-1]["why"]
    command = [sys.executable, "-m", "axiommind", "doctor"]
    doctor = subprocess.run(command, env={**told.environ, name: value}, capture_output=True, check=False)
    assert doctor.returncode == 3 and f"settings: {name}={value}" in doctor.stdout.decode().replace("'", "")


@pytest.mark.parametrize("event", all_events(), ids=lambda event: event.name)
def test_each_event_has_its_deadline_in_the_settings(world: World, event: HookEvent) -> None:
    environ = {name: value for name, value in world.environ.items() if name != deadlines.SECONDS}
    home, name = str(world.home), module_name(event.name)

    def configured(**more: str) -> float:
        return deadlines.configured(event.name, {**environ, **more}, home)

    (key,) = (key for key in KEYS if key.name == f"hooks.seconds.{name}")
    assert configured() == deadlines.default(event.name) == key.default < event.seconds
    assert configured(**{key.env: "0.7"}) == 0.7 and configured(**{key.env: "0.7", deadlines.SECONDS: "3"}) == 3
    assert configured(**{deadlines.SECONDS: "1e9"}) == 20 and configured(**{deadlines.SECONDS: "0.01"}) == 0.05
    for impossible in ("-1", "0", "soon", "nan"):
        assert configured(**{deadlines.SECONDS: impossible}) == key.default, "it is refused when the call is answered"
    world.home.mkdir(exist_ok=True)
    (world.home / "config.toml").write_text(f"[hooks.seconds]\n{name} = 2.5\n")
    assert configured() == 2.5
    (world.home / "config.toml").write_text("[hooks.seconds\n")
    assert configured() == key.default, "broken settings are said elsewhere"


@pytest.mark.parametrize(("seconds", "why"), [("1.2", "1200 ms"), ("0.35", "350 ms")])
def test_a_deadline_of_the_settings_is_kept(world: World, seconds: str, why: str) -> None:
    """Whether it is later or sooner than the default; the client never ends what it says."""
    world.home.mkdir(exist_ok=True)
    (world.home / "config.toml").write_text(f"hooks.seconds.user_prompt_submit = {seconds}\n")
    environ = {name: value for name, value in world.environ.items() if name != deadlines.SECONDS}
    command = [sys.executable, "-c", "from axiommind.surfaces.hooks import main; main()", "UserPromptSubmit"]
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as silent:
        assert silent.stdout is not None and silent.stdout.read() == b"" and silent.wait() == 0
    assert [(one["outcome"], one["why"]) for one in log(world)] == [("late", f"no answer within {why}")]


def test_the_person_is_told_in_a_line_what_was_recalled(busy_start: World) -> None:
    def said(**environ: str) -> dict[str, Any]:
        given = raw("SessionStart", "announced", cwd=PROJECT, source="startup")
        answer = hooks.answer("SessionStart", given, {**busy_start.environ, **environ})
        return dict(json.loads(hooks.output("SessionStart", answer)))

    told_of = said()
    assert told_of["systemMessage"] == (
        "AxiomMind recalled 2 lines (last session): asked: Round the rates half up, please"
    )
    assert told_of["hookSpecificOutput"]["additionalContext"].startswith("<recalled-history>")
    assert "systemMessage" not in said(AXM_HOOK_ANNOUNCE="none")
    assert "systemMessage" in said(AXM_HOOK_ANNOUNCE="UserPromptSubmit,SessionStart")


def test_the_log_is_turned_over(world: World) -> None:
    path = world.home / "hooks" / "hooks.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 1_000_000)
    record.log_call(world.home, "Stop", "s", HookAnswer("silent"), 0, 1.0)
    assert not path.exists() and path.with_name("hooks.log.1").stat().st_size > 1_000_000
    record.log_call(world.home, "Stop", "s", HookAnswer("silent"), 0, 1.0)
    assert len(path.read_bytes().splitlines()) == 1


# --- the background ---------------------------------------------------------------------------------------


def test_a_session_is_indexed_and_learned_after_its_hook_is_gone(world: World) -> None:
    lines = Lines("live")
    lines.prompt("We decided to calibrate the hygroscope against the quartz reference.")
    world.write(lines)
    done = run(world, "SessionEnd", given=raw("SessionEnd", "live"), AXM_LEARN="1")
    assert (done.returncode, done.stdout) == (0, b"") and log(world)[-1]["why"] == "an index was started"
    index_log = world.home / "hooks" / "index.log"
    wait_for(lambda: b"Learned: 1 session," in index_log.read_bytes(), "learning")
    assert world.one("select count(*) from sessions") == 1
    assert world.one("select count(*) from learned") == 1
    assert not (world.home / "hooks" / "pending").exists()


def test_one_waits_and_one_runs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []
    monkeypatch.setattr(background_index, "_spawn", lambda _arguments, _home, _log, environ: started.append(environ))
    pending = world.home / "hooks" / "pending"
    environ = {**world.environ, "CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "/x"}
    assert background_index.start(world.home, environ, learn=False) == "an index was started"
    assert background_index.start(world.home, environ, learn=True) == "an index waits to begin"
    assert len(started) == 1 and started[0]["AXM_HOOKS"] == "0" and started[0][background_index.PENDING] == str(pending)
    assert {"CLAUDECODE", "CLAUDE_PROJECT_DIR"}.isdisjoint(started[0]) and "CLAUDE_CONFIG_DIR" in started[0]
    monkeypatch.chdir(world.base)
    monkeypatch.setattr(os, "nice", lambda _by: 0)
    with background_index.take_over(pending) as (ours, learn):
        assert ours and learn and not pending.exists()  # what is new from now on has a worker of its own
        assert background_index.start(world.home, environ, learn=False) == "an index was started"
        with alone(pending.with_name("indexing")) as other:
            assert not other
    os.utime(pending, (1, 1))  # a worker that never began
    assert background_index.start(world.home, environ, learn=False) == "an index was started" and len(started) == 3


def test_a_worker_that_cannot_be_started_leaves_nothing_pending(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(OSError):
        background_index.start(world.home, world.environ, learn=False)
    assert not (world.home / "hooks" / "pending").exists()


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script with a shebang")
def test_a_session_that_ends_is_distilled_by_the_users_own_agent(world: World, tmp_path: Path) -> None:
    """From the hook to an entry: indexed, learned by rules, sent to a stand-in for `claude`, quoted and kept."""
    item = {
        "kind": "domain",
        "type": "fact",
        "title": "The gauge listens on port 8123",
        "text": "The gauge listens on port 8123.",
        "confidence": 0.9,
        "worth": 3,
        "evidence": [{"messageIndex": 0, "quote": "the gauge listens on port 8123"}],
    }
    result = {"type": "result", "is_error": False, "structured_output": {"entries": [item], "verdicts": []}}
    program = tmp_path / "stand-in"
    program.write_text(f"#!{sys.executable}\nprint({json.dumps(json.dumps(result))})\n")
    program.chmod(0o755)
    lines = Lines("live")
    lines.prompt("Remember that the gauge listens on port 8123, and nothing else does.")
    lines.answer("Noted.")
    world.write(lines)
    on = {"AXM_LEARN": "on", "AXM_LEARN_MODEL": "claude", "AXM_EXTRACT_CLAUDE": str(program)}
    assert run(world, "SessionEnd", given=raw("SessionEnd", "live"), **on).returncode == 0
    assert (world.home / "hooks" / "ended" / "live").exists()
    last = world.home / "learning" / "last.json"
    wait_for(last.exists, "the run in the background")
    assert json.loads(last.read_text())["extractors"] == ["claude", "rules"]
    assert world.rows("select extractor, status from learned order by 1") == [
        ("claude", "success"),
        ("rules", "success"),
    ]
    assert world.rows("select title from entries where extractor = 'claude'") == [(item["title"],)]
    world.memory().forget(session="live")
    assert not (world.home / "hooks" / "ended" / "live").exists() and world.memory().verify() == []
