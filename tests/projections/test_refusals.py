"""What a person wrote when refusing a call is a prompt, found and cited where it stands, and the person's words."""

from __future__ import annotations

from pathlib import Path

from axiommind.memory import Scope
from axiommind.projections import transcript
from axiommind.tools.refusals import refusal_in
from tests.transcripts import Lines, World, encode

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
SAID = "To tell you how to proceed, the user said:\n"
STOP = "STOP what you are doing and wait for the user to tell you how to proceed."


def refusing() -> Lines:
    lines = Lines("s1")
    lines.prompt("add the badger")
    lines.tool("Edit", "t1", file_path="/p/a.py", old_string="a", new_string="b")
    lines.result("t1", f"{REFUSED}{SAID}never touch the generated badger", error=True)
    lines.tool("ExitPlanMode", "t2", plan="# Plan")
    lines.result("t2", REFUSED + STOP, error=True)
    lines.prompt("Implement the following plan:\n\n# Plan\n\nDo it.")
    return lines


def test_the_words_are_a_prompt(world: World) -> None:
    path = world.write(refusing())
    world.memory().index()
    assert world.rows("select text, origin, line from prompts order by line") == [
        ("add the badger", "unstamped", 1),
        ("never touch the generated badger", "refusal", 3),
        ("Implement the following plan:\n\n# Plan\n\nDo it.", "unstamped", 6),
    ]
    hit = world.memory().search("generated badger kind:prompt", Scope(None)).hits[0]
    assert hit.provenance == "person"
    assert hit.citation is not None and (hit.citation.path, hit.citation.line_start) == (str(path), 3)
    assert world.one("select error_count from sessions") == 2
    assert world.memory().verify() == []


def test_the_words_are_the_persons_and_a_plan_is_not(world: World) -> None:
    world.write(refusing())
    memory = world.memory()
    memory.index()
    with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _):
        read = transcript.read(db, log.blob, "s1")
    assert read is not None
    said = [(m.text.strip()[:20], m.provenance) for m in read.messages if m.role == "person"]
    assert said == [
        ("add the badger", "person"),
        ("never touch the gene", "person"),
        ("Implement the follow", "pasted"),
    ]
    plan = read.uses[1]
    refusal = refusal_in(read.messages[plan.results[0]].text)
    assert plan.failed and refusal is not None and not refusal.reason, "refused without a word: mostly an approval"
    edited = [m.provenance for m in read.messages if m.block.endswith("/new_string")]
    assert edited == ["file"]


def test_line_by_line_as_at_once(tmp_path: Path) -> None:
    states = []
    for name in ("whole", "lines"):
        world = World(tmp_path / name)
        for line in refusing().lines:
            world.append(encode(line))
            if name == "lines":
                world.memory().index()
        world.memory().index()
        prompts = world.rows("select text, origin, line, uuid, canonical from prompts order by line")
        found = world.rows("select kind, provenance, count(*) from passages group by 1, 2 order by 1, 2")
        memory = world.memory()
        with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _):
            read = transcript.read(db, log.blob, "s1")
        assert read is not None
        states.append((prompts, found, [(m.line, m.role, m.provenance, m.text) for m in read.messages]))
    assert states[0] == states[1]
