"""What an agent is told without asking: where we left off, what is known of a file, how an error was solved before."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from axiommind.memory import Scope
from axiommind.recall.packet import Packet
from axiommind.recall.packets.file import about_file
from axiommind.recall.packets.file_identity import is_distinctive
from axiommind.recall.packets.known_error import known_error
from axiommind.recall.packets.session_start import left_off, recovery
from axiommind.surfaces.render.recall import packet_text
from tests.learning.sessions import Session
from tests.recall.packets import NOW, learned, reading, start, told
from tests.transcripts import PROJECT, Lines, World

DAY_MS = 86_400_000
TAX = f"{PROJECT}/src/billing/tax_rates.py"
MISSING = "Exit code 1\nModuleNotFoundError: No module named 'yaml'"


def edit(world: World, path: str, *, session: str = "new") -> dict[str, list[str]]:
    with reading(world) as db:
        return told(about_file(db, path, PROJECT, session=session))


# --- where we left off -----------------------------------------------------------------------------------


@pytest.fixture
def busy(world: World) -> World:
    """A session that decided, left tasks open and one blocked, and finished one."""
    session = Session("s1")
    session.prompt("Please add tax rates to the invoices")
    session.ask("Which store should invoices use?", "SQLite")
    done, running, later, stuck = (session.task(name) for name in ("Write schema", "Add rates", "Add docs", "Ship it"))
    session.update(done, status="in_progress")
    session.update(done, status="completed")
    session.update(running, status="in_progress")
    session.update(stuck, addBlockedBy=[later])
    session.prompt("and round them half up, per line")
    session.prompt("ok")
    session.answer("Rates are in; rounding is half up per line.")
    return learned(world, session)


def test_a_start_tells_of_the_last_session_what_was_decided_and_what_is_open(busy: World) -> None:
    packet = start(busy)
    assert packet is not None
    assert list(told(packet).items()) == [
        (
            "Last session",
            [
                "asked: Please add tax rates to the invoices",
                "asked last: and round them half up, per line",
                "ended: Rates are in; rounding is half up per line.",
            ],
        ),
        ("Decided and wanted", ["Which store should invoices use? → SQLite"]),
        ("Open tasks", ["Add rates (in progress)", "Ship it: waits for Add docs", "Add docs (pending)"]),
    ]
    assert all(note.citation is not None and len(note.text) <= 200 for note in packet.notes)


def test_a_start_says_the_stage_of_what_is_not_sure(busy: World) -> None:
    entry = busy.one("select entry_id from entries where entry_type = 'decision'")
    busy.memory().decisions.decide("Invoices stay in SQLite", [entry], Scope(PROJECT))

    def stages() -> dict[str, str]:
        packet = start(busy)
        assert packet is not None
        return {note.text: note.stage for note in packet.notes if note.kind == "decision"}

    assert set(stages().values()) == {""} and len(stages()) == 2
    with closing(sqlite3.connect(busy.home / "index.db")) as db, db:
        db.execute("update entries set stage = 'candidate' where entry_id = ?", (entry,))
        db.execute("update decisions set actor = 'agent'")
    assert stages()["Invoices stay in SQLite"] == "working"  # an agent recorded it
    assert sorted(stages().values()) == ["candidate", "working"]


def test_every_note_opens(busy: World) -> None:
    memory = busy.memory()
    with reading(busy) as db:
        notes = [*(start(busy) or Packet(())).notes, *(recovery(db, "s1") or Packet(())).notes]
    opens: dict[str, Callable[[str], object]] = {"tsk_": memory.tasks.show, "ent_": memory.entries.show}
    assert {note.id[:4] for note in notes} >= set(opens)
    assert all(opens.get(note.id[:4], memory.passages.show)(note.id) for note in notes)
    assert all(memory.passages.show(note.shown_id).session_id == note.session_id for note in notes)


@pytest.mark.parametrize("source", ["resume", "clear"])
def test_whoever_goes_on_is_not_told_of_the_last_session(busy: World, source: str) -> None:
    assert list(told(start(busy, source=source))) == ["Decided and wanted", "Open tasks"]


def test_old_news_is_no_news(busy: World) -> None:
    assert list(told(start(busy, now=NOW + 31 * DAY_MS))) == ["Decided and wanted"]


def test_what_was_told_is_not_told_again(busy: World) -> None:
    everything = start(busy)
    assert everything is not None
    assert start(busy, skip=frozenset(note.id for note in everything.notes)) is None


def test_the_last_session_is_neither_this_one_nor_a_subagent(world: World) -> None:
    first, this = Session("s1"), Session("new")
    first.prompt("look at the rates table")
    this.prompt("something newer altogether", at=600)
    helper = Lines("s1", sidechain=True)
    helper.prompt("explore the rates for your parent", at=300)
    helper.answer("found them", at=301)
    folder = world.write(first).with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_bytes(helper.data())
    assert told(start(learned(world, first, this)))["Last session"] == ["asked: look at the rates table"]


def test_nothing_known_is_silence(world: World) -> None:
    learned(world, Session("s1"))
    with reading(world) as db:
        for project in (None, "/elsewhere"):
            assert left_off(db, project, session=None, source="startup", now=NOW, skip=frozenset()) is None
        assert recovery(db, "nobody") is None


@pytest.mark.parametrize("act", ["deprecated", "contested"])
def test_a_decision_that_does_not_stand_is_not_told(busy: World, act: str) -> None:
    decision = busy.one("select entry_id from entries where entry_type = 'decision'")
    busy.memory().entries.rule(decision, act, "it was a mistake")
    assert "Decided and wanted" not in told(start(busy))


DECIDED = "We decided to store session tokens in Redis because of its latency"


def test_words_that_do_not_stand_are_not_quoted(world: World) -> None:
    session = Session("s1")
    session.prompt("look at the login page, please")
    session.prompt(f"{DECIDED}.")
    session.answer("Noted: session tokens go to Redis, for its latency.")
    session.add("custom-title", customTitle="Store session tokens in Redis")
    learned(world, session)
    assert "Redis" in str(start(world))
    world.memory().entries.rule(world.one("select entry_id from entries"), "contested", "is it so?")
    assert told(start(world)) == {"Last session": ["asked: look at the login page, please"]}
    with reading(world) as db:
        assert told(recovery(db, "s1")) == {"Asked": ["first: look at the login page, please"]}


def test_what_was_decided_is_said_once(world: World) -> None:
    opened, closed = Session("s1"), Session("s2")
    opened.prompt(f"{DECIDED}.")
    assert told(start(learned(world, opened))) == {"Last session": [f"asked: {DECIDED}."]}
    closed.prompt("look at the login page, please", at=60)
    closed.prompt("We decided to use Argon2 instead of bcrypt for hashing passwords. Thanks!", at=61)
    closed.answer("Noted: we decided to use Argon2 instead of bcrypt for hashing passwords.", at=62)
    assert told(start(learned(world, closed))) == {
        "Last session": [
            "asked: look at the login page, please",
            "asked last: We decided to use Argon2 instead of bcrypt for hashing passwords. Thanks!",
            "ended: Noted: we decided to use Argon2 instead of bcrypt for hashing passwords.",
        ],
        "Decided and wanted": [DECIDED],
    }


def test_a_copy_of_this_session_is_not_the_last_one(world: World) -> None:
    older, original, fork = Session("s0"), Session("s1"), Session("new")
    older.prompt("something else altogether", at=-60)
    original.prompt("look at the rates table")
    original.answer("I looked at it.")
    fork.lines = [line | {"sessionId": "new"} for line in original.lines]
    original.prompt("and at the other table")
    learned(world, older, original)
    assert "look at the rates table" in str(start(world))
    assert told(start(learned(world, fork)))["Last session"] == ["asked: something else altogether"]


def test_of_a_reversed_decision_the_new_one_is_told(world: World) -> None:
    first, second = Session("s1"), Session("s2")
    first.ask("Which store should invoices use?", "SQLite")
    second.prompt("once more about the store", at=60)
    second.ask("Which store should invoices use?", "Postgres")
    for lines in (first, second):
        lines.prompt("go on with that, please")
    assert told(start(learned(world, first, second)))["Decided and wanted"] == [
        "Which store should invoices use? → Postgres"
    ]


def test_after_compaction_a_session_is_told_of_itself(world: World) -> None:
    session = Session("s1")
    session.prompt("Please add tax rates to the invoices")
    session.ask("Which store should invoices use?", "SQLite")
    session.task("Add docs")
    for new in ("a = 1", "a = 2"):
        session.use("Edit", file_path=TAX, old_string="x", new_string=new)
    session.use("Bash", MISSING, error=True, command="pytest -q")
    session.prompt("make the tests pass again")
    session.answer("I am looking for the missing module.")
    with reading(learned(world, session)) as db:
        assert told(recovery(db, "s1")) == {
            "Asked": ["first: Please add tax rates to the invoices", "last: make the tests pass again"],
            "Decided and learned": ["Which store should invoices use? → SQLite"],
            "Open tasks": ["Add docs (pending)"],
            "Still failing": ["`pytest -q`: ModuleNotFoundError: No module named 'yaml'"],
            "Files changed": ["src/billing/tax_rates.py (2 edits)"],
            "Last words": ["answered last: I am looking for the missing module."],
        }


def test_a_failure_that_was_mended_is_not_still_failing(world: World) -> None:
    session = Session("s1")
    session.prompt("make the tests pass again")
    session.use("Bash", MISSING, error=True, command="pytest -q")
    session.use("Bash", "3 passed", command="pytest -q")
    with reading(learned(world, session)) as db:
        assert "Still failing" not in told(recovery(db, "s1"))


# --- about a file ----------------------------------------------------------------------------------------


def ruled(world: World, *rules: str) -> World:
    session = Session("s1")
    for rule in rules:
        session.prompt(rule)
    return learned(world, session)


def test_a_rule_about_a_file_is_told_before_it_is_edited(world: World) -> None:
    ruled(world, "Never edit tax_rates.py by hand.")
    ((title, (rule,)),) = edit(world, TAX).items()
    assert (title, rule) == ("About tax_rates.py", "Never edit tax_rates.py by hand")


def test_a_note_says_the_stage_of_what_is_not_sure(world: World) -> None:
    ruled(world, "Never edit tax_rates.py by hand.")

    def given() -> tuple[str, str]:
        with reading(world) as db:
            packet = about_file(db, TAX, PROJECT, session="new")
        assert packet is not None
        return packet.notes[0].stage, packet_text(packet)

    assert given()[0] == "" and "verified" not in given()[1]
    with closing(sqlite3.connect(world.home / "index.db")) as db, db:
        db.execute("update entries set stage = 'candidate'")
    assert given()[0] == "candidate" and "(fact, candidate)\n" in given()[1]


@pytest.mark.parametrize(
    "path",
    [
        f"{PROJECT}/src/billing/tax_rates.pyi",
        f"{PROJECT}/src/billing/old_tax_rates.py",
        f"{PROJECT}/src/billing/rates.py",
        "/elsewhere/tax_rates.py",
    ],
)
def test_another_file_is_not_meant(world: World, path: str) -> None:
    ruled(world, "Never edit tax_rates.py by hand.")
    assert edit(world, path) == {}


def test_a_common_name_counts_with_its_folder(world: World) -> None:
    ruled(world, "Never import heavy modules in billing/__init__.py.")
    assert edit(world, f"{PROJECT}/src/billing/__init__.py")
    assert edit(world, f"{PROJECT}/src/orders/__init__.py") == {}


@pytest.mark.parametrize(
    ("path", "distinctive"),
    [("a/tax_rates.py", True), ("a/RateTable.tsx", True), ("a/rates.test.ts", True), ("a/index.ts", False)]
    + [(f"a/{name}", False) for name in ("__init__.py", "main.py", "README.md", "mod.rs", "utils.py", "engine.ts")],
)
def test_which_names_say_enough(path: str, distinctive: bool) -> None:
    assert is_distinctive(path) is distinctive


def test_a_rule_that_was_withdrawn_binds_no_longer(world: World) -> None:
    ruled(world, "Never edit tax_rates.py by hand.")
    world.memory().entries.rule(world.one("select entry_id from entries"), "deprecated", "not any more")
    assert edit(world, TAX) == {}


def test_the_session_that_said_it_is_not_told(world: World) -> None:
    ruled(world, "Never edit tax_rates.py by hand.")
    assert edit(world, TAX, session="s1") == {}


def edited(world: World, *errors: str) -> World:
    """Sessions in each of which one edit of the file fails, and then works after it was read."""
    sessions = []
    for n, error in enumerate(errors):
        session = Session(f"e{n}")
        session.prompt("change the rates")
        session.use("Edit", error, error=True, file_path=TAX, old_string="x", new_string="y")
        session.use("Read", file_path=TAX)
        session.use("Edit", file_path=TAX, old_string="z", new_string="y")
        sessions.append(session)
    return learned(world, *sessions)


def test_edits_that_failed_in_the_same_way_are_told(world: World) -> None:
    edited(world, *["<tool_use_error>File has been modified since read, either by …</tool_use_error>"] * 2)
    assert edit(world, TAX)["About tax_rates.py"] == [
        "edits failed in 2 sessions, last on 2026-01-05: it changed between reading and editing (a formatter or a "
        "person); it worked after reading the file again"
    ]


def test_what_a_person_said_when_refusing_an_edit_is_told(world: World) -> None:
    edited(world, "The user doesn't want to proceed with this tool use. … the user said:\nedit the list, not this file")
    (note,) = edit(world, TAX)["About tax_rates.py"]
    assert "the user refused it: “edit the list, not this file”" in note


def test_what_a_subagent_of_this_session_met_is_not_told(world: World) -> None:
    parent = Session("new")
    parent.prompt("change the rates")
    helper = Session("new")
    helper.sidechain = True
    helper.prompt("change them for your parent")
    helper.use("Edit", "EACCES: permission denied, open", error=True, file_path=TAX, old_string="x", new_string="y")
    folder = world.write(parent).with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_bytes(helper.data())
    learned(world, parent)
    assert edit(world, TAX, session="new") == {}
    assert edit(world, TAX, session="another")


@pytest.mark.parametrize("path", ["src//billing/tax_rates.py", "./src/x/../billing/tax_rates.py"])
def test_a_path_may_be_written_in_many_ways(world: World, path: str) -> None:
    ruled(world, "Never edit src/billing/tax_rates.py by hand.")
    assert edit(world, path) == edit(world, f"{PROJECT}/{path}") == edit(world, TAX) != {}


@pytest.mark.parametrize(
    "errors",
    [
        ["<tool_use_error>String to replace not found in file.</tool_use_error>"],  # once
        ["<tool_use_error>File has not been read yet.</tool_use_error>"] * 3,
        ["The user doesn't want to proceed with this tool use. The tool use was rejected."] * 3,
    ],
)
def test_a_slip_says_nothing_about_a_file(world: World, errors: list[str]) -> None:
    assert edit(edited(world, *errors), TAX) == {}


# --- cost ------------------------------------------------------------------------------------------------

_LARGE = "sessions|prompts|responses|tool_uses|file_edits|entries|entities|edges|passages|task_events|segments|records"


def test_no_table_is_read_from_end_to_end(busy: World) -> None:
    failing = Session("old")
    failing.prompt("run the checks")
    for command, answer, failed in (("make check", MISSING, True), ("uv add pyyaml", "added", False)):
        failing.use("Bash", answer, failed, command=command)
    failing.use("Bash", "all good", command="make check")
    learned(busy, failing)
    statements: list[str] = []
    with reading(busy) as db:
        db.set_trace_callback(statements.append)
        left_off(db, PROJECT, session="new", source="startup", now=NOW, skip=frozenset())
        recovery(db, "s1")
        about_file(db, TAX, PROJECT, session="new")
        known_error(db, "Bash", {"command": "make check"}, MISSING, PROJECT, session="new")
        db.set_trace_callback(None)
        plans = [
            str(row[3])
            for sql in statements
            if re.match(r"\s*(?:select|with)\b", sql)
            for row in db.execute(f"explain query plan {sql}")
        ]
    assert plans and not [plan for plan in plans if re.match(rf"SCAN (?:{_LARGE})\b(?! USING INTEGER)", plan)]
