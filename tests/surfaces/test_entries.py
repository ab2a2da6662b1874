"""The commands about what was learned, as a person meets them: words, JSON, mistakes, and undoing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from axiommind.learning.entries import Entries
from axiommind.learning.event_writer import writing
from axiommind.learning.runs import Learning
from axiommind.surfaces.render.entries import one_line, short_ids
from tests.learning.sessions import QUESTION, Session, answered, tasks
from tests.rows import rows
from tests.surfaces.command import Axm
from tests.transcripts import PROJECT, Lines, World

HOSTILE = "Paint \x1b[31mred\x1b[0m \x1b]0;owned\x07 the\nwall \u202egnp.exe"


@pytest.fixture
def learned(world: World, axm: Axm) -> World:
    world.write(tasks("s1"))
    world.write(answered("s2", "SQLite"))
    assert axm("learn").code == 0
    return world


def decision(axm: Axm) -> str:
    (name,) = axm.ids("entries", "--type", "decision")
    return name


def position(world: World) -> int:
    with world.memory().home.read_log() as (log, _):
        return log.last_position()


# --- learn -------------------------------------------------------------------------------------------------


def test_learn_says_what_came_of_it_and_then_that_nothing_is_new(world: World, axm: Axm) -> None:
    world.write(tasks("s1"))
    world.write(answered("s2", "SQLite"))
    done = axm("learn")
    assert (done.code, done.out) == (0, "")
    assert "Indexed: 2 new" in done.err and "Learned: 2 sessions, 3 new entries" in done.err
    assert "2 task notes, 1 decision" in done.err and "2 candidate, 1 verified" in done.err
    assert "quotes found, 0 not found" in done.err and "2 created, 0 changed, 0 transitions refused" in done.err
    assert "time       " in done.err and "read " in done.err
    before = position(world)
    again = axm("learn")
    assert again.code == 0 and "Nothing new to learn; 2 sessions learned before" in again.err
    assert position(world) == before


def test_learn_sums_up_what_it_did_not_keep(world: World, axm: Axm) -> None:
    names = ("billing", "orders", "shipping", "returns", "stock", "prices", "taxes", "carts", "coupons", "refunds")
    for n in range(2):
        session = Session(f"s{n}")
        for name in names * 2:
            session.ask(f"Where should {name} be kept in round {n}?", f"In the {name} store")
        world.write(session)
    report = axm("learn", "--json").json
    assert report["left_out"] > 2 and report["notes"] == [] and report["refuted"] == 0
    done = axm("learn", "--again")
    assert f"{report['left_out']} left out, less worth keeping" in done.err and "Note: session" not in done.err


def test_titles_are_whole_where_there_is_no_terminal(world: World, axm: Axm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    session = Session("s1")
    rule = "Never write to the table of readings outside of a transaction, because two stations may report at once"
    session.prompt(rule)
    world.write(session)
    axm("learn")
    (line,) = [line for line in axm("entry", "list", "--all-projects").out.splitlines() if "readings" in line]
    assert "transaction" in line and "…" not in line


def test_refresh_without_entries(world: World, axm: Axm) -> None:
    session = Session("s1")
    session.prompt("Hello")
    world.write(session)
    axm("index")
    done = axm("refresh", "--all-projects")
    assert (done.code, done.out) == (1, "") and "There are no entries yet" in done.err


def test_learn_as_json(world: World, axm: Axm) -> None:
    world.write(tasks("s1"))
    done = axm("learn", "--json", "--all-projects").json
    assert done["schema"] == "axm.learn.v1"
    assert (done["sessions"], done["entries"], done["tasks_created"]) == (1, {"task_note": 2}, 2)
    assert done["planned"] == [] and done["errors"] == [] and done["left"] == 0


def test_a_dry_run_prints_the_entries_and_writes_nothing(world: World, axm: Axm) -> None:
    world.write(answered("s2", "SQLite"))
    empty = axm("learn", "--dry-run")
    assert empty.code == 1 and empty.err == "Nothing has been indexed yet: axm index\n" and not world.home.exists()
    assert axm("index").code == 0
    before = position(world)
    done = axm("learn", "--dry-run")
    assert done.code == 0 and position(world) == before
    assert QUESTION in done.out and "decision" in done.out and "yes" in done.out
    assert "Would learn: 1 session, 1 new entry" in done.err
    (planned,) = axm("learn", "--dry-run", "--json").json["planned"]
    assert (planned["type"], planned["title"], planned["aligned"]) == ("decision", QUESTION, True)
    assert axm("entries").code == 1 and position(world) == before


def test_which_sessions_are_learned(world: World, axm: Axm) -> None:
    world.write(tasks("s1"))
    world.write(answered("s2", "SQLite"))
    first = axm("learn", "--limit", "1")
    assert first.code == 0 and "Learned: 1 session," in first.err
    assert "Left: 1 session; the next axm learn continues with them" in first.err
    assert "Nothing new to learn" in axm("learn", "--since", "7d").err
    assert axm("learn", "--session", "s2", "--project", PROJECT, "--no-index").code == 0
    assert axm("learn", "--session", "s2", "--again", "--json").json["sessions"] == 1
    world.write(answered("s3", "SQLite"))
    assert "Nothing new to learn" in axm("learn", "--no-index").err
    assert "Learned: 1 session, 1 new entry" in axm("learn").err


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["learn", "--session", "nope"], 1, "there is no session 'nope'"),
        (["learn", "--since", "soonish"], 2, "--since: 'soonish' is not a time"),
        (["learn", "--project", "/nowhere"], 1, "is not in the index"),
        (["learn", "--extractor", "magic"], 2, "invalid choice: 'magic'"),
        (["learn", "--limit", "0"], 2, "is not a number from 1"),
        (["learn", "--project", ".", "--all-projects"], 2, "not allowed with"),
        (["entries", "--type", "opinion"], 2, "task_note"),
        (["entries", "--session", "nope"], 1, "there is no session"),
        (["entry", "show", "ent_ffff"], 1, "there is no entry 'ent_ffff'"),
        (["entry"], 2, "ACTION"),
        (["entry", "show", "dec_ffff"], 1, "axm decision list shows them"),
        (["why", "nope"], 1, "axm entry list shows them"),
        (["why", "dec_ffff"], 1, "axm decision list shows them"),
        (["show", "ent_ca375937"], 1, "hint: axm entry show ent_ca375937"),
        (["show", "tsk_1ac1f1a1"], 1, "there is no task 'tsk_1ac1f1a1'"),
        (["promote"], 2, "give the ID of an entry, or --policy"),
        (["promote", "ent_ffff"], 2, "required: --reason"),
        (["promote", "ent_ffff", "--reason", "x"], 1, "there is no entry"),
        (["promote", "ent_ffff", "--policy"], 2, "--policy applies to all entries"),
        (["promote", "ent_ffff", "--reason", "x", "--dry-run"], 2, "--dry-run goes with --policy"),
        (["promote", "--policy", "magic"], 2, "invalid choice: 'magic'"),
        (["contest", "ent_ffff"], 2, "required: --reason"),
        (["contest", "ent_ffff", "--reason", " "], 2, "required: --reason"),
        (["deprecate", "ent_ffff", "--reason", "x"], 1, "there is no entry"),
        (["supersede", "ent_ffff", "--reason", "x"], 2, "required: --by"),
        (["conflicts", "settle", "cfl_ffff"], 2, "--keep"),
        (["contest", "ent_", "--reason", "x"], 1, "give more characters of the id"),
        (["decide", "x"], 2, "required: --evidence"),
        (["decide", "x", "--evidence", "ent_ffff"], 1, "there is no entry"),
        (["decide", "x", "--evidence", "y", "--at", "soonish"], 2, "--at: 'soonish' is not a time"),
        (["tasks", "--status", "lost"], 2, "choose from pending, in_progress"),
        (["tasks", "--status", "done", "--all"], 2, "not allowed with"),
        (["task", "show", "tsk_ffff"], 1, "there is no task 'tsk_ffff'"),
        (["task", "set", "tsk_ffff"], 2, "give --status or --priority"),
        (["task", "set", "tsk_ffff", "--priority", "max"], 2, "critical"),
        (["conditions"], 2, "did you mean: axm condition list"),
        (["condition", "resolve", "cond_ffff", "--to", "x"], 1, "there is no condition"),
    ],
)
def test_mistakes_are_said(learned: World, axm: Axm, args: list[str], code: int, said: str) -> None:
    before = position(learned)
    done = axm(*args)
    assert (done.code, done.out) == (code, ""), done.err
    assert said in done.err and "internal error" not in done.err
    assert position(learned) == before


@pytest.mark.parametrize(
    "args",
    [
        ["entries"],
        ["entry", "show", "x"],
        ["why", "x"],
        ["promote", "x", "--reason", "y"],
        ["promote", "--policy"],
        ["contest", "x", "--reason", "y"],
        ["supersede", "x", "--by", "y", "--reason", "z"],
        ["deprecate", "x", "--undo"],
        ["conflicts"],
        ["conflicts", "settle", "x", "--keep", "y"],
        ["decisions"],
        ["decide", "x", "--evidence", "y"],
        ["tasks"],
        ["task", "show", "x"],
        ["task", "set", "x", "--status", "done"],
        ["blocked"],
        ["conditions", "resolved"],
        ["condition", "resolve", "x", "--to", "y"],
        ["metrics"],
    ],
)
@pytest.mark.parametrize("is_indexed", [False, True])
def test_before_anything_was_learned(world: World, axm: Axm, args: list[str], is_indexed: bool) -> None:
    if is_indexed:
        world.write(tasks())
        axm("index")
    done = axm(*args)
    assert (done.code, done.out) == (1, "")
    assert "othing has been learned yet" in done.err and "axm learn" in done.err
    assert world.home.exists() == is_indexed, "asking makes nothing"


@pytest.mark.parametrize(
    "args",
    [
        ["entries"],
        ["entry", "show", "x"],
        ["entry", "show", "dec_x"],
        ["why", "x"],
        ["why", "dec_x"],
        ["promote", "x", "--reason", "y"],
        ["promote", "--policy", "--dry-run"],
        ["contest", "x", "--reason", "y"],
        ["conflicts"],
        ["conflicts", "settle", "x", "--keep", "y"],
        ["decisions"],
        ["decisions", "--json"],
        ["decide", "x", "--evidence", "y"],
        ["tasks"],
        ["task", "show", "x"],
        ["blocked"],
        ["metrics"],
        ["budget"],
        ["budget", "--json"],
    ],
)
def test_without_its_index_a_log_is_not_empty(learned: World, axm: Axm, args: list[str]) -> None:
    index = learned.home / "index.db"
    index.unlink()
    done = axm(*args)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"axm: there is no index at {index} yet\n  hint: run: axm index\n"
    assert not index.exists()


@pytest.mark.parametrize("what", ["entries", "conflicts", "decisions", "tasks", "blocked", "metrics"])
def test_nothing_is_also_json(axm: Axm, what: str) -> None:
    done = axm(what, "--json")
    assert done.code == 1 and done.json["schema"] == f"axm.{what}.v1"


def test_a_session_that_fails_needs_attention(world: World, axm: Axm) -> None:
    world.write(tasks())
    axm("index")
    (world.home / "config.toml").write_text('[extract]\nclaude = "/nowhere/claude"\n')
    done = axm("learn", "--extractor", "claude")
    assert done.code == 1 and "there is no program '/nowhere/claude'" in done.err  # said once, and nothing failed of it
    (world.home / "config.toml").write_text(f"[extract]\nclaude = '{sys.executable}'\n")
    done = axm("learn", "--extractor", "claude")
    assert done.code == 3 and "Failed: session s1: " in done.err and "Learned: 1 session (1 failed)" in done.err
    assert "failed session; axm learn --extractor claude tries again" in done.err
    (world.home / "config.toml").write_text(f"[extract]\nextractor = 'claude'\nclaude = '{sys.executable}'\n")
    done = axm("learn")
    assert "by rules and claude" in done.err and "the next axm learn tries again" in done.err
    assert "Failed sessions\n" in axm("metrics").out


def test_a_budget_that_is_used_up_stops_it(world: World, axm: Axm) -> None:
    world.write(tasks())
    axm("index")
    (world.home / "config.toml").write_text(f"[extract]\nclaude = '{sys.executable}'\n[budget]\ncalls = 2\n")
    spend(world)
    done = axm("learn", "--extractor", "claude")
    assert done.code == 3 and "Stopped: today's budget is used up: 2 of 2 calls; axm budget shows" in done.err
    assert "Left: 1 session; axm learn --extractor claude continues with them" in done.err


@pytest.mark.parametrize("name", ["calls", "tokens", "usd"])
def test_a_cap_of_zero_is_said_to_be_one(world: World, axm: Axm, name: str) -> None:
    world.write(tasks())
    axm("index")
    (world.home / "config.toml").write_text(f"[extract]\nclaude = '{sys.executable}'\n[budget]\n{name} = 0\n")
    done = axm("learn", "--extractor", "claude")
    assert done.code == 3 and f"Stopped: budget.{name} is 0, which allows no model calls" in done.err
    assert "Left: 1 session\n" in done.err and "goes on" not in done.err
    assert "none: the cap is 0" in axm("budget").out


def test_an_interrupt_says_that_nothing_is_lost(world: World, axm: Axm, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Learning, "run", interrupt)
    done = axm("learn")
    assert done.code == 130 and "the next axm learn continues from here" in done.err


# --- entries -----------------------------------------------------------------------------------------------


def test_entries(learned: World, axm: Axm) -> None:
    done = axm("entries")
    assert done.code == 0 and done.err == "2 task notes left out: axm task list, or --type task_note\n"
    head, _rule, *rows = done.out.splitlines()
    assert head.split() == ["id", "kind", "from", "stage", "title", "date"]
    assert len(rows) == 1 and "decision  picked  verified" in done.out
    assert f"{QUESTION} → SQLite" in done.out and "2026-01-05" in done.out
    shown = axm("entries", "--type", "decision", "--stage", "verified", "--json").json
    assert (shown["schema"], shown["truncated"]) == ("axm.entries.v1", False)
    (entry,) = shown["entries"]
    assert (entry["title"], entry["text"], entry["sessions"], entry["status"]) == (QUESTION, "SQLite", 1, "active")
    assert isinstance(entry["timestamp"], int) and entry["id"].startswith("ent_")
    assert entry["created_at"].endswith("Z") and shown["task_notes_left_out"] == 0
    assert axm("entries", "--json").json["task_notes_left_out"] == 2
    assert len(axm.ids("entries", "--kind", "decision")) == 1
    assert axm("entries", "--kind", "preference").code == 1


def test_task_notes_are_listed_when_they_are_asked_for(learned: World, axm: Axm) -> None:
    done = axm("entries", "--type", "task_note")
    assert done.code == 0 and done.err == "" and done.out.count("open  agent  candidate") == 2
    only = axm("entries", "--session", "s1")
    assert (only.code, only.out) == (1, "")
    assert only.err == "No such entries.\n  hint: 2 task notes left out: axm task list, or --type task_note\n"


def test_entries_are_filtered(learned: World, axm: Axm) -> None:
    assert len(axm.ids("entries", "--session", "s1", "--type", "task_note")) == 2
    assert len(axm.ids("entries", "--type", "decision", "--type", "task_note")) == 3
    few = axm("entries", "-k", "2", "--type", "decision", "--type", "task_note")
    assert len(few.out.splitlines()) == 4 and few.err == "There are more: -k 4 shows up to 4\n"
    none = axm("entries", "--stage", "raw", "--json")
    assert none.code == 1 and none.json["entries"] == [] and none.err == "No such entries.\n"
    there = axm("entries", "--project", PROJECT, "--status", "deprecated")
    assert (
        there.code == 1
        and there.err == f"No such entries in {PROJECT}.\n  hint: --all-projects includes other projects\n"
    )


def test_the_same_claim_of_several_sessions_is_one_row(learned: World, axm: Axm) -> None:
    learned.write(answered("s3", "SQLite", at=5_000))
    axm("learn")
    (one,) = axm("entries", "--type", "decision", "--json").json["entries"]
    assert one["sessions"] == 2
    (latest, first) = axm.ids("entries", "--type", "decision", "--all")
    assert "This applies to the same claim in all 2 sessions.\n" in axm("deprecate", latest, "--reason", "over").err
    assert axm("entries", "--type", "decision").code == 1
    assert axm("deprecate", first, "--undo").code == 0
    assert axm.ids("entries", "--type", "decision", "--all") == [latest, first]


def test_an_entry_shows_its_quotes_in_their_place(learned: World, axm: Axm) -> None:
    name = decision(axm)
    done = axm("entry", "show", name[:10])
    assert done.code == 0 and done.err == f"Every event behind it: axm entry why {name}\n"
    assert done.out.startswith(f"{QUESTION}\n")
    for part in ("id           ent_", "stage        verified", "rule         answers", "verified by  builtin"):
        assert part in done.out
    assert "raw → working: schema valid" in done.out and "SQLite is what we know best" in done.out
    assert f'User has answered your questions: «"{QUESTION}"="SQLite"». You can now continue' in done.out
    (opened,) = {line.split(" · ")[0] for line in done.out.splitlines() if ".jsonl:L3" in line}
    lines = axm("open", opened.split()[-1])
    assert lines.code == 0 and "You can now continue" in lines.out
    again = axm("entry", "show", name, "--json").json
    assert (again["schema"], again["id"], again["uses"]) == ("axm.entry.v1", name, 1)
    assert all(quote["citation"]["line_start"] and quote["quote"] for quote in again["evidence"])
    assert [step["what"] for step in again["history"]][-1] == "candidate → verified"


def test_line_ends_of_every_kind_are_blanks(world: World, axm: Axm) -> None:
    lines = Lines("s1")
    lines.prompt("go")
    plan = "# Drop the old API\r\n\r\n## Context\r\n\r\nNobody calls it\rany\x0bmore.\u2028It costs\r\na lot.\r\n"
    lines.tool("ExitPlanMode", "c1", plan=plan)
    lines.result("c1", "User has approved your plan.")
    world.write(lines)
    axm("learn")
    name = decision(axm)
    shown = axm("entry", "show", name)
    assert "1. «# Drop the old API» ## Context Nobody calls it any more. It costs a lot.\n" in shown.out
    assert "2. # Drop the old API ## Context «Nobody calls it any more. It costs" in shown.out
    for done in (shown, axm("why", name), axm("entries"), axm("decisions"), axm("contest", name, "--reason", plan)):
        assert done.code == 0 and "\ufffd" not in done.out + done.err and "\r" not in done.out + done.err
    assert one_line("a\r\nb\x0b \x1b[31mc\x1b[0m\r d\x07") == "a b c d\ufffd"


def test_a_passage_names_its_entry(learned: World, axm: Axm) -> None:
    name = decision(axm)
    (hit,) = [one for one in axm("search", QUESTION, "--json").json["hits"] if one["entry"]]
    assert hit["entry"]["entry_id"] == name
    done = axm("show", hit["id"])
    assert done.code == 0 and done.out.startswith("decision, verified, active · ")
    assert done.out.splitlines()[1] == f"axm entry show {name}"
    assert axm("show", hit["id"], "--json").json["entry"] == hit["entry"]
    (prompt,) = axm("search", "service kind:prompt", "--json").json["hits"]
    assert axm("show", prompt["id"], "--json").json["entry"] is None


def test_an_entry_names_its_task(learned: World, axm: Axm) -> None:
    found = axm("entries", "--type", "task_note", "--json").json["entries"]
    (entry,) = [one["id"] for one in found if one["title"] == "Ship the release"]
    done = axm("entry", "show", entry)
    assert "task status  blocked" in done.out and "waits for    Write the parser" in done.out
    assert "  blocked  Ship the release" in done.out.partition("Tasks\n")[2]


@contextmanager
def read_only(world: World) -> Iterator[None]:
    files = [path for path in world.home.iterdir() if path.is_file()]
    world.home.chmod(0o500)
    for file in files:
        file.chmod(0o400)
    try:
        yield
    finally:
        world.home.chmod(0o700)
        for file in files:
            file.chmod(0o600)


def test_showing_does_not_need_to_write(learned: World, axm: Axm, monkeypatch: pytest.MonkeyPatch) -> None:
    name = decision(axm)
    if os.name == "posix" and os.getuid() != 0:
        with read_only(learned):
            assert axm("entry", "show", name).code == 0
    from axiommind.errors import NotWritable

    def refuse(*_: object) -> None:
        raise NotWritable("the home cannot be written")

    monkeypatch.setattr(Entries, "note_use", refuse)
    done = axm("entry", "show", name)
    assert done.code == 0 and QUESTION in done.out and "cannot" not in done.err


def test_why_tells_every_step(learned: World, axm: Axm) -> None:
    name = decision(axm)
    axm("entry", "show", name)
    axm("contest", name, "--reason", "a doubt")
    axm("contest", name, "--undo")
    done = axm("why", name)
    told = [line.partition("  ")[2].partition(" · ")[0] for line in done.out.splitlines()[2:]]
    assert done.code == 0 and done.err == ""
    assert told[0].startswith("read ") and told[0].endswith(" messages of session s2")
    assert told[1] == "extracted by rules (rule answers), chosen by you, worded by the agent, confidence 0.95"
    assert told[2].startswith("evidence found: exact, ") and told[2].endswith("s2.jsonl:L2")
    assert "checked by builtin: passed" in told
    assert "raised raw → working: schema valid (graduation-3)" in told
    assert told[-3:] == ["shown", "contested: a doubt", "restored"]
    record = axm("why", name, "--json").json
    assert record["schema"] == "axm.why.v1" and record["id"] == name
    assert [event["what"] for event in record["events"]] == told
    assert {event["who"] for event in record["events"]} == {"memory", "user"}
    assert all(event["at"].endswith("Z") and "timestamp" in event for event in record["events"])


# --- a person's word ---------------------------------------------------------------------------------------


def test_promote_and_undo(learned: World, axm: Axm) -> None:
    name = decision(axm)
    done = axm("promote", name[:10], "--reason", "still so")
    assert (done.code, done.out) == (0, f"{name}  verified → certified\n")
    assert done.err == f"Raised: {QUESTION}\nTo undo: axm entry promote {name} --undo\n"
    refused = axm("promote", name, "--reason", "more")
    assert refused.code == 1 and "is certified already" in refused.err
    back = axm("promote", name, "--undo", "--json").json
    assert (back["schema"], back["from"], back["to"]) == ("axm.promote.v1", "certified", "verified")
    assert axm("promote", name, "--undo").code == 1
    assert "lowered certified → verified: taken back" in axm("why", name).out


@pytest.fixture
def a_year_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from axiommind.learning import decisions, entries

    for module in (entries, decisions):
        monkeypatch.setattr(module, "now", lambda: time.time_ns() // 1_000_000 + 365 * 86_400_000)


@pytest.mark.usefixtures("a_year_on")
def test_policies(learned: World, axm: Axm) -> None:
    before = position(learned)
    dry = axm("promote", "--policy", "half-life", "--dry-run")
    assert dry.code == 0 and position(learned) == before
    assert dry.err == "No entry changes its stage.\n"  # nothing grows old in a project where nobody works
    done = axm("promote", "--policy", "--json").json
    assert done["schema"] == "axm.promote.v1" and done["changes"] == []
    settled = axm("promote", "--policy", "graduation")
    assert (settled.code, settled.out, settled.err) == (0, "", "No entry changes its stage.\n")


@pytest.mark.parametrize(("command", "status"), [("contest", "contested"), ("deprecate", "deprecated")])
def test_contest_and_deprecate_can_be_undone(learned: World, axm: Axm, command: str, status: str) -> None:
    name = decision(axm)
    done = axm(command, name, "--reason", "was wrong")
    assert (done.code, done.out) == (0, f"{name}  active → {status}\n")
    assert f"{status.capitalize()}: {QUESTION} → SQLite\n" in done.err
    assert f"To undo: axm entry {command} {name} --undo\n" in done.err
    listed = axm("entries", "--status", status)
    assert status in listed.out and "status" in listed.out.splitlines()[0]
    assert "was wrong" in axm("entry", "show", name).out
    back = axm(command, name, "--undo", "--json").json
    assert (back["schema"], back["from"], back["to"]) == (f"axm.{command}.v1", status, "active")
    assert "there is nothing to undo" in axm(command, name, "--undo").err


def test_a_ruling_is_undone_by_its_own_command(learned: World, axm: Axm) -> None:
    name = decision(axm)
    axm("deprecate", name, "--reason", "over")
    other = axm("contest", name, "--undo")
    assert other.code == 1 and f"{name} is deprecated, not contested" in other.err
    assert axm("deprecate", name, "--undo").out == f"{name}  deprecated → active\n"


def test_what_was_deprecated_stays_out(learned: World, axm: Axm) -> None:
    axm("deprecate", decision(axm), "--reason", "no")
    learned.write(answered("s3", "SQLite", at=5_000))
    done = axm("learn")
    assert "1 claim left out, because you rejected them before" in done.err
    assert axm("entries", "--type", "decision").code == 1


def test_supersede_and_undo(learned: World, axm: Axm) -> None:
    name = decision(axm)
    other = axm.ids("entries", "--type", "task_note")[0]
    done = axm("supersede", name, "--by", other, "--reason", "anew")
    assert (done.code, done.out) == (0, f"{name}  active → superseded by {other}\n")
    assert f"superseded by {other}" in axm("entry", "show", name).out
    assert f"supersedes {name}" in axm("why", other).out
    assert axm("supersede", name, "--undo").out == f"{name}  superseded → active\n"
    assert "cannot supersede itself" in axm("supersede", name, "--by", name, "--reason", "x").err


# --- conflicts ---------------------------------------------------------------------------------------------


@pytest.fixture
def contradicted(learned: World, axm: Axm) -> World:
    """A person vouches for one answer, and a later session gives another."""
    axm("promote", decision(axm), "--reason", "measured")
    learned.write(answered("s3", "Postgres", at=5_000))
    assert "conflicts  1 found" in axm("learn").err
    return learned


def test_conflicts_are_shown_and_settled(contradicted: World, axm: Axm) -> None:
    done = axm("conflicts")
    assert done.code == 0 and QUESTION in done.out and "SQLite" in done.out and "Postgres" in done.out
    assert done.err == "To settle one: axm conflict settle CONFLICT --keep ID\n"
    shown = axm("conflicts", "--json", "--all-projects").json
    assert shown["schema"] == "axm.conflicts.v1"
    (one,) = shown["conflicts"]
    assert {entry["status"] for entry in axm("entries", "--type", "decision", "--json").json["entries"]} == {
        "contested"
    }
    assert one["conflict_id"] in axm("entry", "show", one["newer_id"]).out
    wrong = axm("conflicts", "settle", one["conflict_id"], "--keep", axm.ids("entries", "--type", "task_note")[0])
    assert wrong.code == 1 and "is not part of" in wrong.err
    settled = axm(
        "conflicts", "settle", one["conflict_id"][:9], "--keep", one["older_id"], "--reason", "measured twice"
    )
    assert (settled.code, settled.out) == (0, f"{one['newer_id']}  superseded by {one['older_id']}\n")
    assert f"To undo: axm entry supersede {one['newer_id']} --undo\n" in settled.err
    none = axm("conflicts")
    assert none.code == 1 and none.err.startswith("No open conflicts.\n")
    assert "settled " in axm("conflicts", "--all").out
    gone = axm("conflicts", "settle", one["conflict_id"], "--keep", one["older_id"])
    assert gone.code == 1 and "there is no open conflict" in gone.err


def test_settling_as_json(contradicted: World, axm: Axm) -> None:
    (one,) = axm("conflicts", "--json").json["conflicts"]
    done = axm("conflicts", "settle", one["conflict_id"], "--keep", one["newer_id"], "--json").json
    assert done["schema"] == "axm.conflicts.settle.v1"
    assert (done["kept"], done["superseded"]) == (one["newer_id"], one["older_id"])


# --- decisions ---------------------------------------------------------------------------------------------


@rows("R2.28", "R2.107")
def test_decide_and_decisions(learned: World, axm: Axm) -> None:
    name = decision(axm)
    done = axm("decide", "Backups are made hourly", "--evidence", name, name[:12], "--reason", "SQLite is one file")
    assert done.code == 0 and done.out.startswith("dec_")
    assert done.err == "Decided, on 1 piece of evidence\n"
    listed = axm("decisions")
    assert listed.code == 0 and "Backups are made hourly" in listed.out and f"{QUESTION} → SQLite" in listed.out
    shown = axm("decisions", "-k", "1", "--json").json
    assert (shown["schema"], shown["truncated"]) == ("axm.decisions.v1", True)
    assert "There are more: -k 2" in axm("decisions", "-k", "1").err
    (first,) = shown["decisions"]
    assert (first["id"], first["evidence"], first["rationale"]) == (done.out.strip(), 1, "SQLite is one file")
    assert first["evidence_ids"] == [name] and isinstance(first["timestamp"], int) and "at" not in first
    (said,) = [one for one in axm("decisions", "--json").json["decisions"] if one["id"] == name]
    assert said["evidence_ids"] == [] and said["evidence"] > 0
    assert "cited by a decision" in axm("why", name).out


def test_a_decision_made_by_hand_is_shown(learned: World, axm: Axm) -> None:
    name = decision(axm)
    made = axm("decide", "Backups are made hourly", "--evidence", name, "--reason", "it is\r\none file").out.strip()
    done = axm("entry", "show", made[:20])
    assert done.code == 0 and done.out.startswith("Backups are made hourly\n")
    assert f"id       {made}\n" in done.out and "reason   it is one file\n" in done.out
    assert f"Rests on\n  1. {QUESTION} · verified at the time, supports it\n     axm entry show {name}\n" in done.out
    assert done.err == f"Every event behind it: axm entry why {made}\n"
    shown = axm("entry", "show", made, "--json").json
    assert (shown["schema"], shown["id"], shown["decision"]) == ("axm.decision.v1", made, "Backups are made hourly")
    assert shown["evidence"] == [{"id": name, "title": QUESTION, "stage_then": "verified", "role": "supports"}]
    told = axm("why", made)
    assert told.code == 0 and f"{made} · decision · certified\n" in told.out
    assert "decided: it is one file · user\n" in told.out
    assert f"rests on {name}, verified then: {QUESTION} · user\n" in told.out
    assert len(axm("why", made, "--json").json["events"]) == 2
    assert axm("why", name).code == 0


def test_forgetting_a_decision(learned: World, axm: Axm) -> None:
    made = axm("decide", "Backups are made hourly", "--evidence", decision(axm)).out.strip()
    dry = axm("forget", "--decision", made, "--dry-run")
    assert (dry.code, dry.out, dry.err) == (0, f"{made}\n", "Would forget: the decision\nNote: this cannot be undone\n")
    done = axm("forget", "--decision", made, "--yes", "--json")
    assert done.err.startswith("Forgotten: the decision\nNote: this cannot be undone\nProven gone: ")
    assert (done.json["decisions"], done.json["sessions"], done.json["gone"]) == ([made], [], 0)
    assert axm("entry", "show", made).code == 1


@pytest.mark.usefixtures("a_year_on")
def test_decide_is_refused_on_what_is_later_or_not_verified(learned: World, axm: Axm) -> None:
    name = decision(axm)
    early = axm("decide", "x", "--evidence", name, "--at", "2025-12-31")
    assert (early.code, early.out) == (1, "") and "is later than the decision" in early.err
    note, *_ = axm.ids("entries", "--type", "task_note")
    weak = axm("decide", "x", "--evidence", note)
    assert weak.code == 1 and "is only candidate" in weak.err


def test_decide_as_json(learned: World, axm: Axm) -> None:
    name = decision(axm)
    done = axm("decide", "Weekly releases", "--evidence", name, "--at", "2026-01-31", "--json").json
    assert done["schema"] == "axm.decide.v1" and done["evidence"] == [name]
    empty = axm("decide", " ", "--evidence", name)
    assert empty.code == 1 and "there is no decision in this" in empty.err


# --- tasks -------------------------------------------------------------------------------------------------


def task(axm: Axm, title: str) -> str:
    (name,) = [one["id"] for one in axm("tasks", "--all", "--json").json["tasks"] if one["title"] == title]
    return str(name)


@rows("R2.80", "R2.101")
def test_tasks(learned: World, axm: Axm) -> None:
    done = axm("tasks")
    assert done.code == 0 and done.out.splitlines()[0].split() == [
        "id",
        "status",
        "title",
        "said",
        "in",
        "last",
        "seen",
    ]
    assert "pending  Write the parser" in done.out and "blocked  Ship the release" in done.out
    shown = axm("tasks", "--status", "blocked", "--json").json
    assert (shown["schema"], [one["title"] for one in shown["tasks"]]) == ("axm.tasks.v1", ["Ship the release"])
    none = axm("tasks", "--status", "done")
    assert none.code == 1 and none.err == "No such tasks.\n  hint: --all includes finished and dormant ones\n"


def test_a_task_without_proof_is_marked() -> None:
    from axiommind.projections.task_rows import TaskRow
    from axiommind.surfaces.render.tasks import tasks_table

    rows = [TaskRow(f"tsk_{n:032x}", f"Task {n}", "pending", None, stage, "/p", "", "", "2026-01-01", "s1", None)
            for n, stage in enumerate(("raw", "working", "candidate", "verified"))]  # fmt: skip
    listed = [line for line in tasks_table(rows).splitlines() if "Task" in line]
    assert ["(unproven)" in line for line in listed] == [True, True, False, False]


@rows("R2.79", "R2.80", "R2.101")
def test_a_task_is_shown_and_set(learned: World, axm: Axm) -> None:
    name = task(axm, "Write the parser")
    done = axm("task", "show", name[:9])
    assert done.code == 0 and done.out.startswith("Write the parser\n") and "created: pending" in done.out
    assert "axm entry show ent_" in done.out
    urgent = axm("task", "set", name, "--priority", "high")
    assert (urgent.code, urgent.out) == (0, f"{name}  priority none → high\n")
    assert f"To undo: axm task set {name} --priority none\n" in urgent.err
    assert "priority" in axm("tasks").out.splitlines()[0]
    begun = axm("task", "set", name, "--status", "in_progress", "--json").json
    assert (begun["schema"], begun["status"], begun["priority"]) == ("axm.task.v1", "in_progress", "high")
    over = axm("task", "set", name, "--status", "done")
    assert over.out == f"{name}  in progress → done\n"
    assert f"To undo: axm task set {name} --status in_progress\n" in over.err
    never = axm("task", "set", name, "--status", "cancelled")
    assert never.code == 1 and "it can become: pending, in_progress, blocked" in never.err
    shown = axm("task", "show", name, "--json").json
    assert [change["after"] for change in shown["history"]] == ["pending", "high", "in_progress", "done"]
    assert shown["citation"] == shown["history"][0]["citation"]
    assert "status: in progress → done · user" in axm("task", "show", name).out
    assert shown["history"][0]["citation"]["text"] in axm("task", "show", name).out


def test_the_history_of_a_task_says_what_it_waits_for_and_opens(learned: World, axm: Axm) -> None:
    name = task(axm, "Ship the release")
    shown = axm("task", "show", name)
    assert "waits for: Write the parser · memory" in shown.out and "replace" not in shown.out
    history = axm("task", "show", name, "--json").json["history"]
    assert [change["waits_for"] for change in history] == [[], ["Write the parser"], []]
    for change in (history[0], history[2]):
        assert change["citation"]["text"] in shown.out
        assert axm("open", change["citation"]["text"]).code == 0


def test_a_task_is_reopened(learned: World, axm: Axm) -> None:
    name = task(axm, "Write the parser")
    again = axm("task", "reopen", name)
    assert again.code == 1 and "is open already" in again.err
    blocked = axm("task", "set", name, "--status", "blocked")
    assert blocked.code == 0 and "undo" not in blocked.err
    assert axm("task", "set", name, "--status", "cancelled").code == 0
    assert "Write the parser" not in axm("tasks").out
    done = axm("task", "reopen", name[:10])
    assert (done.code, done.out) == (0, f"{name}  cancelled → pending\n")
    assert f"To undo: axm task set {name} --status cancelled\n" in done.err
    over = axm("task", "set", name, "--status", "done")
    assert f"To undo: axm task reopen {name}\n" in over.err
    shown = axm("task", "reopen", name, "--json").json
    assert shown["status"] == "pending" and shown["history"][-1]["reason"] == "reopened"


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["task", "show", "nope"], "axm task list shows the tasks"),
        (["task", "set", "nope", "--status", "done"], "axm task list shows the tasks"),
        (["condition", "resolve", "nope", "--to", "tsk_"], "axm task blocked lists the conditions"),
        (["condition", "resolve", "cond_", "--to", "nope"], "axm task list shows the tasks"),
    ],
)
def test_who_is_not_found_is_told_where_to_look(learned: World, axm: Axm, command: list[str], hint: str) -> None:
    waits_for(learned, "the review by legal")
    done = axm(*command)
    assert done.code == 1 and hint in done.err and "'nope'" in done.err


@pytest.mark.parametrize(
    "command",
    ["task show", "task set", "task reopen", "condition resolve", "condition list", "task list", "task blocked"],
)
def test_help_has_an_example(axm: Axm, command: str) -> None:
    assert f"  axm {command}" in axm(*command.split(), "--help").out.partition("example")[2]


@rows("R2.75", "R2.80", "R2.101")
def test_blocked_tasks_say_what_they_wait_for(learned: World, axm: Axm) -> None:
    done = axm("blocked")
    assert done.code == 0 and "Ship the release" in done.out
    assert "waits for     Write the parser (pending)" in done.out
    axm("task", "set", task(axm, "Write the parser"), "--status", "done")
    over = axm("blocked")
    assert "Write the parser (✓ done)" in over.out and "it can continue" in over.out
    (one,) = axm("blocked", "--json").json["tasks"]
    assert one["may_go_on"] and one["blocked_by"][0]["is_over"]
    assert "all its blockers are done" in axm("task", "show", one["id"]).out
    assert axm("blocked", "--suggested").code == 1 and axm("blocked", "--suggested", "--unknown").code == 2


@rows("R2.77")
def test_a_blocker_that_nobody_named(learned: World, axm: Axm) -> None:
    name = task(axm, "Write the parser")
    axm("task", "set", name, "--status", "blocked")
    done = axm("blocked", "--unknown")
    assert done.code == 0 and "an unnamed blocker" in done.out and "Ship" not in done.out
    (one,) = axm("blocked", "--unknown", "--json").json["tasks"]
    refused = axm("condition", "resolve", one["blocked_by"][0]["id"], "--to", task(axm, "Ship the release"))
    assert refused.code == 1 and "stands for every unknown blocker" in refused.err


@rows("R2.78", "R2.80")
def test_a_condition_is_resolved(learned: World, axm: Axm) -> None:
    condition = waits_for(learned, "the review by legal")
    assert axm("conditions", "resolved").code == 1
    assert "the review by legal (open)" in axm("blocked").out
    ship = task(axm, "Ship the release")
    done = axm("condition", "resolve", condition, "--to", ship[:10])
    assert (done.code, done.out) == (0, f"{condition}  is {ship}\n")
    assert "Resolved: the review by legal is Ship the release\n" in done.err
    listed = axm("conditions", "resolved")
    assert listed.code == 0 and "the review by legal" in listed.out and "Ship the release" in listed.out
    shown = axm("conditions", "resolved", "--json").json
    assert shown["schema"] == "axm.conditions.v1" and shown["conditions"][0]["condition_id"] == condition
    assert f"Ship the release (blocked, named as {condition})" in axm("blocked").out


def waits_for(world: World, text: str) -> str:
    """Make the parser's task wait for something in words, as a model would say it."""
    from axiommind.extraction.drafts import Draft, DraftBlocker, DraftStep, Quote
    from axiommind.learning.tasks.resolve import TaskNote, resolve
    from axiommind.learning.tasks.state import IndexState

    quote = Quote(0, "the parser has to wait for the review by legal, nothing else")
    title = "Write the parser"
    draft = Draft(
        "task_note",
        title,
        title,
        (quote,),
        "m1",
        0.8,
        steps=(DraftStep("blocked", (quote,)),),
        blocked_by=(DraftBlocker(text),),
    )
    with writing(world.memory().home) as (_log, writer, index):
        noted = TaskNote(draft, "ent_by_hand", True, ((),))
        for emit in resolve(IndexState(index.db), [noted], project=PROJECT, epoch="1", now=1_767_700_000_000).events:
            writer.append(emit, session="s1", project=PROJECT)
    ((name,),) = world.rows("select entity_id from entities where entity_type = 'condition'")
    return str(name)


# --- figures -----------------------------------------------------------------------------------------------


@rows("R2.31", "R2.84")
def test_metrics(learned: World, axm: Axm) -> None:
    done = axm("metrics")
    assert done.code == 0 and done.err.startswith("Note: never retrieved means not shown")
    for part in ("Steps\n", "p95_ms", "Builds\n", "rules", "Store\n", "never retrieved", "100.0%", "without evidence"):
        assert part in done.out
    shown = axm("metrics", "--json", "--project", PROJECT).json
    assert shown["schema"] == "axm.metrics.v1" and shown["project"] == PROJECT
    assert shown["audit"]["entries"] == 3 and shown["audit"]["shares"]["never_retrieved"] == 1.0
    assert all(step["p95_ms"] is not None for step in shown["steps"])
    assert shown["builds"][0]["last_at"].endswith("Z")


def test_the_caps_are_shown_before_anything_was_learned(world: World, axm: Axm) -> None:
    done = axm("budget")
    assert done.code == 0 and done.err == "No model has been called yet.\n" and "1,000,000" in done.out
    assert axm("budget", "--json").json["today"]["caps"]["calls"] == 50
    assert not world.home.exists()


def test_budget(learned: World, axm: Axm) -> None:
    none = axm("budget")
    assert none.code == 0 and none.err == "No model has been called yet.\n" and "1,000,000" in none.out
    spend(learned)
    done = axm("budget")
    assert done.code == 0 and "m-small" in done.out and "0.2500" in done.out and "unknown" in done.out
    shown = axm("budget", "--json").json
    assert shown["schema"] == "axm.budget.v1"
    assert shown["today"]["used"] == {"calls": 2, "tokens": 330, "usd": 0.25}
    assert sorted(day["model"] for day in shown["days"]) == ["m-free", "m-small"]
    (learned.home / "config.toml").write_text("[budget]\ncalls = 2\nusd = -1\n")
    capped = axm("budget").out
    assert "none: no further calls today" in capped and "no cap" in capped


def spend(world: World) -> None:
    from axiommind.llm.budget import CallRecord, within_budget

    memory = world.memory()
    with writing(memory.home) as (log, _writer, index):
        spent = within_budget(memory.config, log, index.db, "openai", lambda: None)
        spent.record(CallRecord("m-small", 100, 20, 0.25, 1.5, True))
        spent.record(CallRecord("m-free", 200, 10, None, 0.5, False))


# --- what a transcript says steers nothing -----------------------------------------------------------------


def test_hostile_titles_stay_text_on_one_line(world: World, axm: Axm) -> None:
    lines = Lines("s1")
    lines.prompt("go")
    lines.tool("TaskCreate", "c1", subject=HOSTILE, description="\x1b[2J" + HOSTILE)
    lines.result("c1", "Task #1 created successfully")
    lines.tool("TaskUpdate", "c2", taskId="1", status="in_progress")
    lines.result("c2", "Updated task #1 status")
    world.write(lines)
    dry_run = (axm("index"), axm("learn", "--dry-run"))[1]
    axm("learn")
    (entry,) = axm.ids("entries", "--type", "task_note")
    (name,) = axm.ids("tasks")
    shown = [dry_run, axm("entries", "--type", "task_note"), axm("entry", "show", entry), axm("why", entry)]
    shown += [axm("tasks"), axm("entries")]
    shown += [axm("task", "show", name), axm("contest", entry, "--reason", HOSTILE), axm("entry", "show", entry)]
    shown += [axm("why", entry), axm("contest", entry, "--undo"), axm("decisions"), axm("promote", "--policy")]
    shown += [axm("task", "set", name, "--priority", "low"), axm("task", "set", name, "--status", "blocked")]
    shown += [axm("promote", entry, "--to", "verified", "--reason", HOSTILE)]
    shown += [axm("blocked"), axm("decide", HOSTILE, "--evidence", entry, "--reason", HOSTILE)]
    made = shown[-1].out.strip()
    assert made.startswith("dec_")
    shown += [axm("decisions"), axm("entry", "show", made), axm("why", made), axm("metrics")]
    for done in shown:
        text = done.out + done.err
        assert done.code in (0, 1) and not set(text) & set("\x1b\x07\u202e"), text
    assert all(line for line in axm("tasks").out.splitlines())
    assert len(axm("entries", "--type", "task_note").out.splitlines()) == 3


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_values_of_options(axm: Axm, shell: str) -> None:
    script = axm("completion", shell).out
    assert "raw working candidate verified certified" in script and "graduation half-life" in script


def test_short_ids_tell_apart() -> None:
    found = short_ids(["ent_0123456789", "ent_0123456700", "tsk_0123456789", "dec_x"])
    assert found == {
        "ent_0123456789": "ent_012345678",
        "ent_0123456700": "ent_012345670",
        "tsk_0123456789": "tsk_01234567",
        "dec_x": "dec_x",
    }
