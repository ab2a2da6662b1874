"""`axm analyze`, `axm cache` and the form of v2 without a command: shapes, options, files, and what goes wrong."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from axiommind.reports.analysers.tuning import Tuning
from axiommind.surfaces.cli import _suggest_workflow as suggest_workflow
from axiommind.surfaces.cli import main
from tests.rows import rows
from tests.transcripts import PROJECT, Lines, World

V2 = "suggest-workflow"
# The shapes of v2. A dict: exactly these keys. A list of one shape: any number of that. A tuple: one for each place.
# Anything else: a value of that type.
TEXT, NUMBER = str, (int | float)
TUNING = dict.fromkeys(Tuning().to_dict(), NUMBER)
PROMPTS = {
    "total": int,
    "unique": int,
    "start_date": str | None,
    "end_date": str | None,
    "top_prompts": [{"prompt": TEXT, "count": int, "weighted_count": NUMBER, "last_used": TEXT}],
}
WORKFLOW = {
    "total_sequences": int,
    "unique_sequences": int,
    "top_sequences": [{"tools": [TEXT], "count": int, "sessions": [TEXT]}],
    "tool_usage_stats": [(TEXT, int)],
}
GRAPH = {
    "nodes": [
        {
            "tool": TEXT,
            "totalUses": int,
            "fanout": int,
            "fanin": int,
            "avgPosition": NUMBER,
            "entryRate": NUMBER,
            "terminalRate": NUMBER,
        }
    ],
    "edges": [
        {
            "from": TEXT,
            "to": TEXT,
            "count": int,
            "probability": NUMBER,
            "reverseProbability": NUMBER,
            "commitReachableRate": NUMBER,
            "avgStepsToEnd": NUMBER,
        }
    ],
    "cycles": [{"tools": [TEXT], "occurrenceCount": int, "avgIterations": NUMBER}],
    "criticalPaths": [{"path": [TEXT], "frequency": int, "commitRate": NUMBER}],
    "totalTransitions": int,
    "uniqueTools": int,
}
TACIT = {
    "total": int,
    "patterns": [
        {
            "type": TEXT,
            "pattern": TEXT,
            "normalized": TEXT,
            "examples": [TEXT],
            "count": int,
            "bm25_score": NUMBER,
            "confidence": NUMBER,
        }
    ],
}
HEAD = {"analyzedAt": TEXT, "depth": TEXT, "scope": TEXT, "tuning": TUNING}
SECTIONS = {"promptAnalysis": PROMPTS, "workflowAnalysis": WORKFLOW, "dependencyGraph": GRAPH, "tacitKnowledge": TACIT}
OF_PROJECT = {**HEAD, "projectPath": TEXT, **SECTIONS}
OF_ALL = {
    **HEAD,
    "globalSummary": {
        "projectCount": int,
        "totalPrompts": int,
        "projects": [{"name": TEXT, "promptCount": int, "sessionCount": int}],
    },
    **SECTIONS,
}
INDEX = {
    "project": TEXT,
    "projectEncoded": TEXT,
    "lastUpdated": TEXT,
    "cacheVersion": TEXT,
    "sessions": [
        {
            "id": TEXT,
            "file": TEXT,
            "fileSize": int,
            "promptCount": int,
            "toolUseCount": int,
            "firstTimestamp": str | None,
            "lastTimestamp": str | None,
            "durationMinutes": int | None,
            "dominantTools": [TEXT],
            "tags": [TEXT],
        }
    ],
    "totalPrompts": int,
    "totalSessions": int,
}
SUMMARY = {
    "id": TEXT,
    "prompts": [{"text": TEXT, "timestamp": int}],
    "toolUseCount": int,
    "toolSequences": [TEXT],
    "filesMutated": [TEXT],
    "stats": {
        "promptCount": int,
        "uniqueToolCount": int,
        "totalToolUses": int,
        "filesEditedCount": int,
        "avgPromptLength": NUMBER,
        "maxConsecutiveSameTool": int,
        "toolTransitions": [(TEXT, TEXT, int)],
        "fileEditCounts": [(TEXT, int)],
    },
}
SNAPSHOT = {
    **{key: HEAD[key] for key in ("analyzedAt", "depth", "tuning")},
    "project": TEXT,
    "cacheVersion": TEXT,
    "dataSource": TEXT,
    **SECTIONS,
    "toolTransitions": {
        "transitions": [{"from": TEXT, "to": TEXT, "count": int, "probability": NUMBER}],
        "totalTransitions": int,
        "uniqueTools": int,
    },
    "repetitionStats": {
        "fileEditOutliers": [{"file": TEXT, "editCount": int, "sessionId": TEXT, "zScore": NUMBER}],
        "toolLoops": [{"sequence": [TEXT], "repeatCount": int, "sessionId": TEXT}],
        "sessionStats": [
            {
                "sessionId": TEXT,
                "totalToolUses": int,
                "uniqueToolUses": int,
                "maxConsecutiveSameTool": int,
                "mostRepeatedTool": str | None,
            }
        ],
        "globalMeanEditsPerFile": NUMBER,
        "globalStdDev": NUMBER,
    },
    "weeklyTrends": {
        "weeks": [
            {
                "week": TEXT,
                "promptCount": int,
                "sessionCount": int,
                "toolCounts": [(TEXT, int)],
                "uniqueFilesEdited": int,
            }
        ],
        "toolTrends": [{"tool": TEXT, "weeklyCounts": [int], "trendSlope": NUMBER, "rSquared": NUMBER}],
    },
    "fileAnalysis": {
        "hotFiles": [{"path": TEXT, "editCount": int, "sessionCount": int, "toolsUsed": [(TEXT, int)]}],
        "coChangeGroups": [{"files": [TEXT], "coOccurrenceCount": int}],
    },
    "sessionLinks": {
        "links": [
            {
                "sessionA": TEXT,
                "sessionB": TEXT,
                "sharedFiles": [TEXT],
                "fileOverlapRatio": NUMBER,
                "timeGapMinutes": int | None,
            }
        ]
    },
}


def differences(found: Any, shape: Any, at: str = "$") -> list[str]:
    """Where a value is not of its shape."""
    if isinstance(shape, dict):
        if not isinstance(found, dict) or found.keys() != shape.keys():
            return [f"{at}: {sorted(found)} instead of {sorted(shape)}"]
        return [line for key in shape for line in differences(found[key], shape[key], f"{at}.{key}")]
    if isinstance(shape, list | tuple):
        if not isinstance(found, list) or (isinstance(shape, tuple) and len(found) != len(shape)):
            return [f"{at}: {found!r} instead of {shape}"]
        each = shape if isinstance(shape, tuple) else shape * len(found)
        return [line for i, item in enumerate(found) for line in differences(item, each[i], f"{at}[{i}]")]
    return [] if isinstance(found, shape) else [f"{at}: {found!r} instead of {shape}"]


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command in this process, by either name of the program."""
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.base)

    def run(*argv: str, name: str = "axm") -> Done:
        monkeypatch.setattr(sys, "argv", [f"/usr/bin/{name}", *argv])
        monkeypatch.setenv("AXM_PERSON_TOKEN", world.person_token)
        capsys.readouterr()
        try:
            code = main()
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        return Done(code, *capsys.readouterr())

    return run


def session(name: str, day: int, cwd: str = PROJECT) -> Lines:
    """Two hours of the same: asked, edited and tested in circles, then committed."""
    lines = Lines(name, cwd)
    for i in range(4):
        start = day * 1440 + i * 30
        lines.prompt("please add a test for the weather parser", at=start)
        lines.tool("Read", at=start + 0.1, file_path=f"{cwd}/parser.py")
        for j in range(3):
            lines.tool("Edit", at=start + 0.2 + j / 10, file_path=f"{cwd}/parser.py")
            lines.tool("Bash", at=start + 0.25 + j / 10, command="pytest -q")
        lines.tool("Write", at=start + 1, file_path=f"{cwd}/notes-{i}.md")
        lines.tool("Bash", at=start + 2, command="git commit -am done")
    lines.prompt(f"something that was asked once, in {name}", at=day * 1440 + 200)
    return lines


@pytest.fixture
def filled(world: World) -> World:
    for i in range(3):
        world.write(session(f"s{i}", i * 7))
    return world


def analysed(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@rows("R0.7", "R0.91")
def test_the_json_of_a_project_is_that_of_v2(filled: World, run: Run) -> None:
    filled.write(session("other", 1, cwd="/other"), folder="-other")
    done = run("analyze", "--project", PROJECT, "--format", "json")
    assert "Indexed: 3 new" in done.err, "it indexes first, the project alone"
    found = analysed(done)
    assert differences(found, OF_PROJECT) == []
    assert (found["scope"], found["projectPath"], found["depth"]) == ("project", PROJECT, "normal")
    assert found["tuning"] == Tuning().to_dict()
    prompts = found["promptAnalysis"]
    assert (prompts["total"], prompts["top_prompts"][0]["count"]) == (15, 12)
    assert all(found["dependencyGraph"][part] for part in ("nodes", "edges", "cycles", "criticalPaths"))
    assert found["workflowAnalysis"]["top_sequences"] and found["tacitKnowledge"]["patterns"]


@rows("R0.11")
def test_the_json_of_all_projects_is_that_of_v2(filled: World, run: Run) -> None:
    filled.write(session("other", 1, cwd="/other"), folder="-other")
    found = analysed(run("analyze", "--scope", "global", "--json"))
    assert differences(found, OF_ALL) == []
    assert found == analysed(run("analyze", "--scope", "global", "--project", PROJECT, "--json")), "as v2 did"
    summary = found["globalSummary"]
    assert (summary["projectCount"], summary["totalPrompts"]) == (2, 20)
    assert sorted(p["sessionCount"] for p in summary["projects"]) == [1, 3]


@pytest.mark.parametrize(
    ("focus", "sections"),
    [("workflow", {"promptAnalysis", "workflowAnalysis", "dependencyGraph"}), ("skill", {"tacitKnowledge"})],
)
def test_a_focus_leaves_the_rest_out(filled: World, run: Run, focus: str, sections: set[str]) -> None:
    found = analysed(run("analyze", "--project", PROJECT, "--focus", focus, "--json"))
    assert differences(found, {k: v for k, v in OF_PROJECT.items() if k not in SECTIONS or k in sections}) == []
    text = run("analyze", "--project", PROJECT, "--focus", focus).out
    assert ("--- Workflow Analysis ---" in text) == (focus == "workflow") != ("--- Tacit Knowledge" in text)


def test_text_is_laid_out_as_v2_did(filled: World, run: Run) -> None:
    text = run("analyze", "--project", PROJECT).out
    assert text.startswith("=== Project Analysis ===\nDepth: normal | Multi-query: WeightedAvg\n")
    assert "\n  1. [12x] please add a test for the weather parser\n" in text
    assert "Edit → Bash:test" in text and " ↔ " in text
    sections = ["Workflow Analysis", "Tool Dependency Graph", "Tacit Knowledge Analysis"]
    assert [line.strip("- ") for line in text.splitlines() if line.startswith("--- ")] == sections
    text = run("analyze", "--scope", "global", "--depth", "wide").out
    assert text.startswith("=== Global Analysis (1 projects, 15 prompts) ===\nDepth: wide | Multi-query: Avg\n")
    assert "--- Project Breakdown ---\n\n  " in text and ": 15 prompts, 3 sessions" in text


def test_a_prompt_does_not_steer_the_terminal(world: World, run: Run) -> None:
    lines = Lines()
    for i in range(4):
        lines.prompt(f"\x1b]0;owned\x07run\x1b[31m the tests\r\nof \x9b2J the parser\u202e {'very ' * 30}", at=i)
        lines.tool("evil\x1b[2J", at=i + 0.1)
        lines.tool("Read", at=i + 0.2)
    world.write(lines)
    text = run("analyze", "--project", PROJECT, "--threshold", "2").out
    assert "run the tests of" in text
    assert all(c.isprintable() or c == "\n" for c in text)
    assert all(len(line) < 120 for line in text.splitlines())


def test_the_same_log_gives_the_same_bytes(filled: World, run: Run) -> None:
    first = [run("analyze", "--project", PROJECT, "--decay", *more).out for more in ([], ["--json"])]
    assert run("rebuild").code == 0
    assert first == [run("analyze", "--project", PROJECT, "--decay", *more).out for more in ([], ["--json"])]


@rows("R0.1", "R0.9", "R0.10")
def test_v2_without_a_command(filled: World, run: Run) -> None:
    wanted = run("analyze", "--project", PROJECT, "--json").out
    assert run("--project", PROJECT, "--format", "json", name=V2).out == wanted
    assert run("--project", PROJECT, "--format", "json").out == wanted, "v2's flags will do"
    assert run(f"--project={PROJECT}", "--format=json").out == wanted
    assert run("--home", str(filled.home), "--project", PROJECT, "--json", name=V2).out == wanted
    assert run("query", "--perspective", "tool-frequency", "--all-projects", name=V2).code == 0
    assert run("--version", name=V2).out.startswith(V2)
    assert "analyze" in run("--help", name=V2).out
    assert run().code == 2 and run(name="axm").out == "", "axm alone is a question, not an analysis"
    for word, name in (("--nonsense", "axm"), ("--json", "axm"), ("nonsense", V2), ("--nonsense", V2)):
        done = run(word, name=name)
        assert (done.code, done.out) == (2, "") and (name == "axm" or word in done.err), done.err


@rows("R0.9")
def test_v2_alone_analyses_the_project_of_this_folder(
    world: World, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "code" / "here"
    (here / ".git").mkdir(parents=True)
    (here / "src").mkdir()
    world.write(session("s1", 0, cwd=str(here)), folder=str(here).replace("/", "-").replace("_", "-"))
    monkeypatch.chdir(here / "src")
    for _ in range(2):  # before the project is known, and after
        done = run(name=V2)
        assert done.code == 0 and "[4x] please add a test" in done.out, done.err


@rows("R0.7", "R0.8")
def test_every_flag_of_v2_is_known(run: Run) -> None:
    wanted = (
        "scope depth focus project threshold top format decay since until exclude-words cache tuning tuning-defaults"
    )
    wanted += " bm25-k1 bm25-b time-window decay-half-life z-threshold"
    assert {f"--{name}" for name in wanted.split()} == suggest_workflow.flags()
    assert json.loads(run("--tuning-defaults", name=V2).out) == Tuning().to_dict()


def test_nothing_to_analyse(world: World, run: Run) -> None:
    flat, named = run("--project", PROJECT, name=V2), run("analyze", "--project", PROJECT)
    assert (flat.code, named.code) == (2, 1) and flat.out == named.out == ""
    assert "No session files found." in flat.err.splitlines() and PROJECT in flat.err
    done = run("--scope", "global", "--format", "json", name=V2)
    assert done.code == 2 and "No prompts found across any projects." in done.err
    assert run("--project", PROJECT, "--cache", name=V2).code == 2
    lines = Lines()
    lines.tool("Read", file_path="/a")
    world.write(lines)
    done = run("--project", PROJECT, name=V2)
    assert done.code == 2 and "No prompts found." in done.err, "a session without a prompt"


def test_one_session_of_one_prompt(world: World, run: Run) -> None:
    lines = Lines()
    lines.prompt("y")
    world.write(lines)
    found = analysed(run("analyze", "--project", PROJECT, "--json"))
    assert differences(found, OF_PROJECT) == [] and found["promptAnalysis"]["total"] == 1
    assert "No patterns found with threshold >= 3" in run("analyze", "--project", PROJECT).out


def test_days_choose_prompts(filled: World, run: Run) -> None:
    def total(*days: str) -> Any:
        return analysed(run("analyze", "--project", PROJECT, "--json", *days))["promptAnalysis"]["total"]

    assert total("--since", "2026-01-12") == 10
    assert total("--until", "2026-01-12") == 10, "the day itself belongs to it"
    assert total("--since", "2026-01-12", "--until", "2026-01-12") == 5
    assert run("--project", PROJECT, "--since", "2027-01-01", name=V2).code == 2


def test_a_tuning_file(filled: World, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "tuning.json"

    def tuned(text: str, *more: str) -> Done:
        file.write_text(text)
        return run("analyze", "--project", PROJECT, "--json", "--tuning", str(file), *more)

    assert analysed(tuned('{"bm25_k1": 2}'))["tuning"] == {**Tuning().to_dict(), "bm25_k1": 2.0}, "the rest is default"
    assert analysed(tuned('{"bm25_k1": 2}', "--bm25-k1", "1.1"))["tuning"]["bm25_k1"] == 1.1, "a flag wins"
    for text, named in [
        ('{"max_clusters": "many"}', "max_clusters"),
        ('{"bm25_b": null}', "bm25_b"),
        ('{"bm25_kk1": 2}', "bm25_kk1"),
        ('{"min_seq_length": 4, "max_seq_length": 3}', "max_seq_length"),
        ("[]", "object"),
        ("{", "JSON"),
    ]:
        done = tuned(text)
        assert done.code == 2 and named in done.err and str(file) in done.err, done.err
    assert run("analyze", "--tuning", str(tmp_path / "none.json")).code == 2


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--since", "2026-02-02", "--until", "2026-02-01"], "--since is after --until"),
        (["--since", "some day"], "is not a time"),
        (["--scope", "galaxy"], "galaxy"),
        (["--threshold", "0"], "0"),
        (["--top", "many"], "many"),
        (["--bm25-b", "3"], "--bm25-b"),
        (["--time-window", "nan"], "--time-window"),
        (["--sql", "select"], "--sql"),
    ],
)
def test_a_wrong_option_is_named(world: World, run: Run, argv: list[str], said: str) -> None:
    for name in ("axm", V2):
        done = run(*(["analyze"] if name == "axm" else []), *argv, name=name)
        assert done.code == 2 and said in done.err and done.out == "", done.err
    assert not world.home.exists(), "said before anything is written"


@rows("R0.8", "R0.10", "R0.91")
def test_cache_writes_the_files_of_v2(filled: World, run: Run) -> None:
    done = run("--project", PROJECT, "--cache", name=V2)
    folder = filled.claude / "suggest-workflow-cache" / "-home-dev-weather"
    assert (done.code, done.out) == (0, f"{folder}\n"), done.err
    files = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*.json") if not p.name.startswith(".")}
    assert sorted(files) == ["analysis-snapshot.json", "index.json", *(f"sessions/s{i}.summary.json" for i in range(3))]
    index, snapshot = json.loads(files["index.json"]), json.loads(files["analysis-snapshot.json"])
    assert differences(index, INDEX) == [] and differences(snapshot, SNAPSHOT) == []
    assert differences(json.loads(files["sessions/s1.summary.json"]), SUMMARY) == []
    assert index["cacheVersion"] == snapshot["cacheVersion"] == "2.0.0"
    assert (index["projectEncoded"], index["totalPrompts"], index["totalSessions"]) == (folder.name, 15, 3)
    assert not [p for p in folder.rglob("*") if str(os.getpid()) in p.name], "nothing is left beside"
    assert run("cache", "--project", PROJECT).code == 0
    assert all((folder / name).read_text() == text for name, text in files.items()), "the same log, the same bytes"


def test_cache_removes_what_it_wrote_of_sessions_that_are_gone(filled: World, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("cache", "--project", PROJECT, "--out", str(out)).out == f"{out}\n"
    (out / "sessions" / "theirs.summary.json").write_text("{}")
    changed = out / "sessions" / "s1.summary.json"
    changed.write_text(changed.read_text() + " ")
    for name in ("s0", "s1"):
        assert run("forget", "--session", name, "--yes").code == 0
    assert run("cache", "--project", PROJECT, "--out", str(out)).code == 0
    left = sorted(p.name.removesuffix(".summary.json") for p in (out / "sessions").iterdir())
    assert left == ["s1", "s2", "theirs"], "not ours, or not as we left it: kept"
    assert run("forget", "--project", PROJECT, "--yes").code == 0
    assert run("cache", "--project", PROJECT, "--out", str(out)).code == 1
    assert not (out / "index.json").exists() and not (out / "sessions" / "s2.summary.json").exists()


def test_a_note_does_not_lead_out_of_the_cache(filled: World, run: Run, tmp_path: Path) -> None:
    from hashlib import sha256

    out, mine = tmp_path / "out", tmp_path / "mine.summary.json"
    out.mkdir()
    mine.write_text("mine")
    named = {"../mine.summary.json": sha256(b"mine").hexdigest(), "sessions/../../mine.summary.json": "", "x": 1}
    (out / ".axm-written.json").write_text(json.dumps(named))
    assert run("cache", "--project", PROJECT, "--out", str(out)).code == 0
    assert mine.exists()


def test_a_cache_that_cannot_be_written_is_said(filled: World, run: Run) -> None:
    if os.geteuid() == 0:  # who may write everywhere meets a file in the way
        (filled.claude / "suggest-workflow-cache").write_text("")
    else:
        filled.claude.chmod(0o500)
    done = run("cache", "--project", PROJECT)
    filled.claude.chmod(0o700)
    assert done.code == 3 and done.out == ""
    assert "suggest-workflow-cache" in done.err and "--out FOLDER" in done.err


def test_without_indexing_only_the_index_is_asked(filled: World, run: Run) -> None:
    assert run("index").code == 0
    filled.write(session("late", 21))
    done = run("analyze", "--project", PROJECT, "--no-index", "--json")
    assert done.err == "" and analysed(done)["promptAnalysis"]["total"] == 15
    assert analysed(run("analyze", "--project", PROJECT, "--json"))["promptAnalysis"]["total"] == 20
