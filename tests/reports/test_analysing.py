"""`analyze`, the snapshot and the cache: v2's shapes, the same bytes for the same log, and bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from axiommind.errors import NotFound, UsageError
from axiommind.memory import Scope
from axiommind.reports.analysis.analyst import AnalyzeOptions
from tests.rows import rows
from tests.transcripts import PROJECT, START, Lines, World

EVERYTHING = AnalyzeOptions(scope="global", threshold=1)
MINE = AnalyzeOptions(project=PROJECT, threshold=2)

ANALYSIS = {
    "analyzedAt",
    "depth",
    "scope",
    "tuning",
    "promptAnalysis",
    "workflowAnalysis",
    "dependencyGraph",
    "tacitKnowledge",
}
SHAPE: dict[str, Any] = {
    "promptAnalysis": {
        "total": int,
        "unique": int,
        "start_date": str,
        "end_date": str,
        "top_prompts": [{"prompt": str, "count": int, "weighted_count": float, "last_used": str}],
    },
    "workflowAnalysis": {
        "total_sequences": int,
        "unique_sequences": int,
        "top_sequences": [{"tools": [str], "count": int, "sessions": [str]}],
        "tool_usage_stats": [[str, int]],
    },
    "dependencyGraph": {
        "nodes": [
            {
                "tool": str,
                "totalUses": int,
                "fanout": int,
                "fanin": int,
                "avgPosition": float,
                "entryRate": float,
                "terminalRate": float,
            }
        ],
        "edges": [
            {
                "from": str,
                "to": str,
                "count": int,
                "probability": float,
                "reverseProbability": float,
                "commitReachableRate": float,
                "avgStepsToEnd": float,
            }
        ],
        "cycles": [{"tools": [str], "occurrenceCount": int, "avgIterations": float}],
        "criticalPaths": [{"path": [str], "frequency": int, "commitRate": float}],
        "totalTransitions": int,
        "uniqueTools": int,
    },
    "tacitKnowledge": {
        "total": int,
        "patterns": [
            {
                "type": str,
                "pattern": str,
                "normalized": str,
                "examples": [str],
                "count": int,
                "bm25_score": float,
                "confidence": float,
            }
        ],
    },
    "toolTransitions": {
        "transitions": [{"from": str, "to": str, "count": int, "probability": float}],
        "totalTransitions": int,
        "uniqueTools": int,
    },
    "repetitionStats": {
        "fileEditOutliers": [{"file": str, "editCount": int, "sessionId": str, "zScore": float}],
        "toolLoops": [{"sequence": [str], "repeatCount": int, "sessionId": str}],
        "sessionStats": [
            {
                "sessionId": str,
                "totalToolUses": int,
                "uniqueToolUses": int,
                "maxConsecutiveSameTool": int,
                "mostRepeatedTool": str,
            }
        ],
        "globalMeanEditsPerFile": float,
        "globalStdDev": float,
    },
    "weeklyTrends": {
        "weeks": [
            {
                "week": str,
                "promptCount": int,
                "sessionCount": int,
                "toolCounts": [[str, int]],
                "uniqueFilesEdited": int,
            }
        ],
        "toolTrends": [{"tool": str, "weeklyCounts": [int], "trendSlope": float, "rSquared": float}],
    },
    "fileAnalysis": {
        "hotFiles": [{"path": str, "editCount": int, "sessionCount": int, "toolsUsed": [[str, int]]}],
        "coChangeGroups": [{"files": [str], "coOccurrenceCount": int}],
    },
    "sessionLinks": {
        "links": [
            {
                "sessionA": str,
                "sessionB": str,
                "sharedFiles": [str],
                "fileOverlapRatio": float,
                "timeGapMinutes": (int, type(None)),
            }
        ]
    },
}


def has_shape(found: Any, shape: Any, where: str) -> None:
    if isinstance(shape, dict):
        assert isinstance(found, dict), where
        assert list(found) == list(shape), where
        for key, part in shape.items():
            has_shape(found[key], part, f"{where}.{key}")
    elif isinstance(shape, list):
        assert isinstance(found, list), where
        assert found, f"{where}: nothing to look at"
        parts = [shape[0]] * len(found) if len(shape) == 1 else shape
        for one, part in zip(found, parts, strict=True):
            has_shape(one, part, f"{where}[]")
    else:
        assert isinstance(found, shape), f"{where}: {found!r}"


def session(world: World, name: str, start: float, edits: int = 3, folder: str = "-home-dev-weather") -> Lines:
    """A day's work: asks twice, reads and edits in circles, tests, commits."""
    lines = Lines(name, cwd=PROJECT if folder == "-home-dev-weather" else "/home/dev/shop")
    lines.prompt("fix the login bug", at=start)
    for i in range(3):
        lines.tool("Read", at=start + i, file_path="/p/a.py")
        for _ in range(edits if i == 0 else 1):
            lines.tool("Edit", at=start + i, file_path="/p/a.py")
    lines.tool("Write", at=start + 3, file_path="/p/b.py", content="x")
    lines.prompt("run all the tests", at=start + 4)
    lines.tool("Bash", at=start + 4, command="pytest -q")
    lines.tool("Bash", at=start + 4, command="git commit -m x")
    world.write(lines, folder=folder)
    return lines


@pytest.fixture
def lived(world: World) -> World:
    session(world, "s1", 0)
    session(world, "s2", 60)
    session(world, "s3", 60 * 24 * 8, edits=30)
    session(world, "s4", 90, folder="-home-dev-shop")
    for i in range(8):
        lines = Lines(f"t{i}")
        lines.prompt("네", at=200 + i)
        lines.tool("Edit", at=200 + i, file_path=f"/p/{i}.py")
        world.write(lines)
    world.memory().index()
    return world


def test_the_analysis_of_a_project(lived: World) -> None:
    found = lived.memory().reports.analyst.analyze(MINE)
    assert found.keys() == ANALYSIS | {"projectPath"}
    assert (found["scope"], found["projectPath"], found["depth"]) == ("project", PROJECT, "normal")
    for name in ("promptAnalysis", "workflowAnalysis", "dependencyGraph", "tacitKnowledge"):
        has_shape(found[name], SHAPE[name], name)
    assert found["promptAnalysis"]["total"] == found["tacitKnowledge"]["total"] == 14
    assert {p["type"] for p in found["tacitKnowledge"]["patterns"]} == {"cluster"}


def test_the_analysis_of_all_projects(lived: World) -> None:
    found = lived.memory().reports.analyst.analyze(EVERYTHING)
    assert found.keys() == ANALYSIS | {"globalSummary"}
    assert found["globalSummary"] == {
        "projectCount": 2,
        "totalPrompts": 16,
        "projects": [
            {"name": "home-dev-weather", "promptCount": 14, "sessionCount": 11},
            {"name": "home-dev-shop", "promptCount": 2, "sessionCount": 1},
        ],
    }


def test_the_focus_leaves_out_the_rest(lived: World) -> None:
    workflow = lived.memory().reports.analyst.analyze(MINE._replace(focus="workflow"))
    skill = lived.memory().reports.analyst.analyze(MINE._replace(focus="skill"))
    assert "tacitKnowledge" not in workflow
    assert "dependencyGraph" in workflow
    assert skill.keys() & SHAPE.keys() == {"tacitKnowledge"}


@rows("R0.10", "R0.91", "R0.2")
def test_the_snapshot_has_v2s_shape(lived: World) -> None:
    found = lived.memory().reports.analyst.snapshot(MINE)
    head = {"analyzedAt", "depth", "project", "cacheVersion", "dataSource", "tuning"}
    assert found.keys() == head | SHAPE.keys()
    assert (found["project"], found["cacheVersion"], found["dataSource"]) == (PROJECT, "2.0.0", "index")
    assert len(found["tuning"]) == 20
    for name, shape in SHAPE.items():
        has_shape(found[name], shape, name)
    [link] = [x for x in found["sessionLinks"]["links"] if {x["sessionA"], x["sessionB"]} == {"s1", "s2"}]
    assert (link["sharedFiles"], link["fileOverlapRatio"], link["timeGapMinutes"]) == (["/p/a.py", "/p/b.py"], 1.0, 56)
    [week, _] = found["weeklyTrends"]["weeks"]
    assert week["week"] == "2026-W02"
    [hot, *_] = found["fileAnalysis"]["hotFiles"]
    assert (hot["path"], hot["toolsUsed"]) == ("/p/a.py", [["Edit", 42], ["Read", 9]])


def test_the_files_of_the_cache(lived: World) -> None:
    found = lived.memory().reports.analyst.cache_files(MINE)
    names = {f"sessions/{i}.summary.json" for i in ("s1", "s2", "s3", *(f"t{i}" for i in range(8)))}
    assert found.keys() == names | {"index.json", "analysis-snapshot.json"}
    assert found["analysis-snapshot.json"] == lived.memory().reports.analyst.snapshot(MINE)
    index, summary = found["index.json"], found["sessions/s3.summary.json"]
    assert (index["project"], index["projectEncoded"]) == (PROJECT, "-home-dev-weather")
    assert (index["totalPrompts"], index["totalSessions"]) == (14, 11)
    entry = index["sessions"][2]
    assert entry["tags"] == ["high-repetition"]
    assert (entry["file"], entry["durationMinutes"], entry["dominantTools"][0]) == ("s3.jsonl", 4, "Edit")
    assert entry["firstTimestamp"] == "2026-01-13T08:00:00.000+00:00"
    assert summary["prompts"][0] == {"text": "fix the login bug", "timestamp": START + 8 * 86_400_000}
    assert summary["filesMutated"] == ["/p/a.py", "/p/b.py"]
    assert summary["stats"]["maxConsecutiveSameTool"] == 30
    assert summary["stats"]["toolTransitions"][0] == ["Edit", "Edit", 29]
    assert summary["stats"]["fileEditCounts"] == [["/p/a.py", 32], ["/p/b.py", 1]]


def test_the_same_log_gives_the_same_bytes(lived: World) -> None:
    def everything() -> list[str]:
        analyst = lived.memory().reports.analyst
        made: list[Callable[[AnalyzeOptions], Any]] = [analyst.analyze, analyst.snapshot, analyst.cache_files]
        options = (EVERYTHING, MINE, MINE._replace(depth="wide", decay=True))
        return [json.dumps(make(o), ensure_ascii=False) for make in made for o in options]

    first = everything()
    lived.memory().rebuild()
    assert everything() == first


def test_what_a_fork_copied_counts_once(world: World) -> None:
    origin = session(world, "s1", 0)
    alone = AnalyzeOptions(project=PROJECT, threshold=1, top=-1)
    world.memory().index()
    before = world.memory().reports.analyst.analyze(alone)
    copies = [{**line, "sessionId": "s2", "forkedFrom": {"sessionId": "s1"}} for line in origin.lines]
    fork = Lines("s2")
    fork.lines = copies
    world.write(fork)
    world.memory().index()
    assert world.rows("select count(*) from prompts") == [(4,)]
    after = world.memory().reports.analyst.analyze(alone)
    for name in ("promptAnalysis", "workflowAnalysis", "dependencyGraph", "tacitKnowledge"):
        assert after[name] == before[name]
    summaries = world.memory().reports.analyst.cache_files(alone)
    assert summaries["sessions/s2.summary.json"]["stats"] == summaries["sessions/s1.summary.json"]["stats"]
    assert summaries["index.json"]["totalPrompts"] == 2


def test_dates_choose_prompts_only(lived: World) -> None:
    week = 7 * 86_400_000
    found = lived.memory().reports.analyst.snapshot(MINE._replace(since=START + week))
    assert found["promptAnalysis"]["total"] == 2
    assert found["promptAnalysis"]["start_date"] == "2026-01-13"
    assert found["repetitionStats"] == lived.memory().reports.analyst.snapshot(MINE)["repetitionStats"]
    with pytest.raises(NotFound, match="no prompts of /home/dev/weather in these days"):
        lived.memory().reports.analyst.analyze(MINE._replace(since=START + 9 * week))
    with pytest.raises(UsageError, match="until lies before since"):
        lived.memory().reports.analyst.analyze(MINE._replace(since=START, until=START - 1))


def test_stop_words_of_the_user(lived: World) -> None:
    def patterns(**options: Any) -> set[str]:
        found = lived.memory().reports.analyst.analyze(MINE._replace(**options))
        return {p["pattern"] for p in found["tacitKnowledge"]["patterns"]}

    assert patterns() == {"fix the login bug", "run all the tests"}
    assert patterns(exclude_words=("run", "Tests")) == {"fix the login bug"}
    file = lived.base / ".claude" / "suggest-workflow" / "stopwords.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"words": ["fix", "login", "bug"]}')
    assert patterns() == {"run all the tests"}
    for wrong in ("{", '{"words": "fix"}', "[1]"):
        file.write_text(wrong)
        with pytest.raises(UsageError, match="stopwords"):
            patterns()


def test_nothing_to_analyse(world: World) -> None:
    with pytest.raises(NotFound, match="no index"):
        world.memory().reports.analyst.analyze(EVERYTHING)
    world.memory().index()
    for ask in (
        world.memory().reports.analyst.analyze,
        world.memory().reports.analyst.snapshot,
        world.memory().reports.analyst.cache_files,
    ):
        with pytest.raises(NotFound, match="no sessions of any project"):
            ask(EVERYTHING)
    lines = Lines("s1")
    lines.tool("Read", file_path="/p/a.py")
    world.write(lines)
    world.memory().index()
    with pytest.raises(NotFound, match="no prompts of any project"):
        world.memory().reports.analyst.analyze(EVERYTHING)
    with pytest.raises(NotFound, match="is not in the index"):
        world.memory().reports.analyst.analyze(AnalyzeOptions(project="/nowhere"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"depth": "deep"}, "depth"),
        ({"scope": "all"}, "scope"),
        ({"focus": "x"}, "focus"),
        ({"threshold": 0}, "threshold"),
    ],
)
def test_wrong_options(world: World, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        world.memory().reports.analyst.analyze(AnalyzeOptions()._replace(**wrong))


def test_a_pattern_is_cut(world: World) -> None:
    lines = Lines("s1")
    lines.prompt("rename the parser " * 9, at=0)
    world.write(lines)
    world.memory().index()
    [pattern] = world.memory().reports.analyst.analyze(EVERYTHING)["tacitKnowledge"]["patterns"]
    assert pattern["pattern"] == ("rename the parser " * 9)[:80]


def test_one_session_one_tool_one_time_one_character(world: World) -> None:
    lines = Lines("s1")
    for _ in range(4):
        lines.prompt("y", at=0)
        lines.tool("Edit", at=0, file_path="/p/a.py")
    world.write(lines)
    world.memory().index()
    found = world.memory().reports.analyst.snapshot(EVERYTHING)
    assert found["promptAnalysis"]["top_prompts"][0]["count"] == 4
    assert found["tacitKnowledge"] == {"total": 4, "patterns": []}
    assert found["repetitionStats"]["fileEditOutliers"] == []
    assert [(loop["sequence"], loop["repeatCount"]) for loop in found["repetitionStats"]["toolLoops"]] == [
        (["Edit", "Edit"], 2)
    ]
    assert found["dependencyGraph"]["cycles"] == found["sessionLinks"]["links"] == []
    assert found["weeklyTrends"]["toolTrends"] == [
        {"tool": "Edit", "weeklyCounts": [4], "trendSlope": 0.0, "rSquared": 0.0}
    ]
    assert world.memory().sql("select count(*) from sessions", Scope(None))[0] == (1,)
