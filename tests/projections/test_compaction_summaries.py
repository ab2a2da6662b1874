"""What the client writes down when a session runs out of room: found as what it is, and nobody's words."""

from __future__ import annotations

from pathlib import Path

from axiommind.memory import Scope
from axiommind.projections import transcript
from tests.transcripts import Lines, World, encode

SUMMARY = "This session is being continued from a previous conversation.\n\nErrors: the wombat burrowed too deep."


def compacted() -> Lines:
    lines = Lines("s1")
    lines.prompt("dig a burrow")
    lines.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    lines.prompt(SUMMARY, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    lines.prompt(SUMMARY.replace("wombat", "badger"))  # an older client, which does not mark it
    lines.prompt("go on")
    return lines


def test_a_summary_is_found_as_a_summary_and_is_no_prompt(world: World) -> None:
    path = world.write(compacted())
    world.memory().index()
    assert world.rows("select text from prompts order by line") == [("dig a burrow",), ("go on",)]
    assert world.one("select prompt_count from sessions") == 2
    assert world.rows("select line, text from compaction_summaries order by line")[0] == (3, SUMMARY)
    hit = world.memory().search("wombat", Scope(None)).hits[0]
    assert (hit.kind, hit.provenance) == ("summary", "elsewhere")
    assert hit.citation is not None and (hit.citation.path, hit.citation.line_start) == (str(path), 3)
    same = world.memory().search("kind:summary badger", Scope(None)).hits[0]
    assert same.citation is not None and same.citation.line_start == 4
    assert world.memory().verify() == []


def test_its_words_are_not_the_persons(world: World) -> None:
    world.write(compacted())
    memory = world.memory()
    memory.index()
    with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _):
        read = transcript.read(db, log.blob, "s1")
    assert read is not None
    assert [(m.role, m.provenance) for m in read.messages] == [
        ("person", "person"),
        ("summary", "elsewhere"),
        ("summary", "elsewhere"),
        ("person", "person"),
    ]


def test_recall_does_not_give_it(world: World) -> None:
    world.write(compacted())
    world.memory().index()
    given = world.memory().recall.index("wombat burrowed deep errors", Scope(None))
    assert all(item.type != "summary" for item in given)


def test_line_by_line_as_at_once(tmp_path: Path) -> None:
    states = []
    for name in ("whole", "lines"):
        world = World(tmp_path / name)
        for line in compacted().lines:
            world.append(encode(line))
            if name == "lines":
                world.memory().index()
        world.memory().index()
        states.append(
            world.rows("select line, timestamp, uuid, canonical, text from compaction_summaries order by line")
        )
        assert world.memory().verify() == []
    assert states[0] == states[1]


def test_forgotten_with_its_session(world: World) -> None:
    world.write(compacted())
    memory = world.memory()
    memory.index()
    memory.forget(session="s1")
    assert not world.rows("select * from compaction_summaries")
    assert not world.memory().search("wombat", Scope(None)).hits
