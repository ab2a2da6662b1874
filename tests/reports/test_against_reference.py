"""The analysers against `reference.py`, on random sessions: small alphabets, equal and missing times, one of a kind."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.reports.analysers.bm25 import Corpus
from axiommind.reports.analysers.clusters import clusters
from axiommind.reports.analysers.dependency_graph import build
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.files import Touch, changed_together, hot_files
from axiommind.reports.analysers.prompt_frequency import PromptText, frequencies, normalise
from axiommind.reports.analysers.queries import combine, decompose
from axiommind.reports.analysers.repetition import longest_run, loops, outliers
from axiommind.reports.analysers.sequences import count
from axiommind.reports.analysers.stopwords import StopWords
from axiommind.reports.analysers.suffixes import mine, strip
from axiommind.reports.analysers.trends import ToolEvent, weekly
from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import ToolStep, Unit, split
from axiommind.reports.analysis.analyst import AnalyzeOptions
from axiommind.text.keywords import keywords
from tests.examples import examples
from tests.reports import reference
from tests.transcripts import START, Lines, World

MINUTE = 60_000
TEXTS = (
    "fix the login bug",
    "Fix the  login bug",
    "fix the login bug please",
    "fix login bugs",
    "run all the tests",
    "run all tests!",
    "테스트 실행해줘",
    "테스트 실행해주세요",
    "배포해줘",
    "y",
    "ok",
    "<command-name>x</command-name>",
    "rename the parser module and update every import. Then regenerate snapshots, publish docs and tell nobody",
    "This session is being continued from a previous conversation",
)
texts = st.sampled_from(TEXTS) | st.text("ab 해줘", min_size=1, max_size=9)
minutes = st.integers(0, 3) | st.integers(0, 60 * 24 * 30)
times = st.just(0) | minutes.map(lambda m: START + m * MINUTE)
said = st.lists(st.builds(PromptText, texts, times, st.sampled_from("st")), max_size=14)
tools = st.sampled_from(["Read", "Edit", "Bash:git"]) | st.just("Read")
used = st.lists(st.tuples(tools, st.none() | times), max_size=14)
sessions = st.dictionaries(st.sampled_from("abc"), used, max_size=3)
touched = st.lists(st.builds(Touch, st.sampled_from("stuv"), st.sampled_from("fgh"), tools, st.booleans()), max_size=16)
tunings = st.builds(
    Tuning,
    bm25_k1=st.floats(0, 3),
    bm25_b=st.floats(0, 1),
    time_window_minutes=st.integers(0, 60),
    max_seq_length=st.integers(2, 6),
    decay_half_life_days=st.floats(0.5, 60),
    multi_query_decay=st.floats(0.1, 1),
    max_clusters=st.integers(1, 8),
    loop_max_seq_length=st.integers(2, 5),
    loop_min_repeats=st.integers(2, 4),
    min_trend_r_squared=st.sampled_from([0.0, 0.31, 0.77, 1.0]),
)

many = settings(max_examples=examples(80))


def as_uses(found: list[tuple[str, int | None]]) -> list[ToolStep]:
    return [ToolStep(tool, at) for tool, at in found]


def as_units(found: dict[str, list[tuple[str, int | None]]], tuning: Tuning) -> list[Unit]:
    return [Unit(session, unit) for session, uses in found.items() for unit in split(as_uses(uses), tuning)]


# --- prompts ----------------------------------------------------------------------------------------------------


@many
@given(st.lists(texts, min_size=1, max_size=10), texts, tunings)
def test_bm25(documents: list[str], query: str, tuning: Tuning) -> None:
    sets = [set(keywords(d)) or {"nothing"} for d in documents]
    words = keywords(query)
    expected = reference.bm25(words, sets, tuning.bm25_k1, tuning.bm25_b)
    assert Corpus([sorted(s) for s in sets], tuning).score(words) == pytest.approx(expected)


@many
@given(st.lists(texts, min_size=1, max_size=8), texts, st.sampled_from(list(DEPTHS)), st.sampled_from(["", "login"]))
def test_queries(documents: list[str], text: str, depth: str, stop: str) -> None:
    sets = [set(keywords(d)) for d in documents]
    made = decompose(Corpus([sorted(s) for s in sets]), text, DEPTHS[depth], StopWords([stop]))
    assert made == reference.queries(text, sets, depth, {stop})


@many
@given(st.lists(st.floats(0, 50), max_size=6), st.sampled_from(list(DEPTHS)), st.floats(0.1, 1))
def test_combined_scores(scores: list[float], depth: str, decay: float) -> None:
    made = combine(scores, DEPTHS[depth].combine, Tuning(multi_query_decay=decay))
    assert made == pytest.approx(reference.combined(scores, depth, decay))


@many
@given(st.lists(texts, max_size=45), texts)
def test_endings(prompts: list[str], text: str) -> None:
    known = mine(map(normalise, prompts))
    assert known == reference.endings(map(normalise, prompts))
    assert strip(normalise(text), known) == reference.stripped(normalise(text), set(known))


@many
@given(said, st.booleans(), tunings)
def test_frequencies(prompts: list[PromptText], decay: bool, tuning: Tuning) -> None:
    prompts = [p for p in prompts if p.text.strip()]
    found = frequencies(prompts, decay, tuning)
    expected = reference.frequencies([reference.Said(*p[:3]) for p in prompts], decay, tuning.decay_half_life_days)
    assert found.total == len(prompts)
    assert [(s.count, pytest.approx(s.weighted_count)) for s in found.said] == [(n, w) for _, n, w in expected]


@many
@given(said, st.sampled_from(list(DEPTHS)), st.integers(1, 3), st.booleans(), tunings, st.sampled_from(["", "login"]))
def test_clusters(prompts: list[PromptText], depth: str, least: int, decay: bool, tuning: Tuning, stop: str) -> None:
    found = clusters(prompts, DEPTHS[depth], least, decay, tuning, StopWords([stop]))
    asked = [reference.Said(*p[:3]) for p in prompts]
    expected = reference.clusters(asked, depth, least, decay, tuning.to_dict(), {stop, "ok"})
    assert {
        c.normalized: (c.count, pytest.approx(c.bm25_score), pytest.approx(c.confidence)) for c in found
    } == expected


# --- tools ------------------------------------------------------------------------------------------------------


@many
@given(used, tunings)
def test_units(found: list[tuple[str, int | None]], tuning: Tuning) -> None:
    made = [[use.tool for use in unit] for unit in split(as_uses(found), tuning)]
    assert made == reference.units(found, tuning.time_window_minutes)


@many
@given(sessions, st.integers(1, 3), tunings)
def test_sequences(found: dict[str, list[tuple[str, int | None]]], least: int, tuning: Tuning) -> None:
    made = count(as_units(found, tuning), least, tuning)
    total, unique, kept = reference.sequences(found, least, 2, tuning.max_seq_length, tuning.time_window_minutes)
    assert (made.total, made.unique) == (total, unique)
    assert {f.tools: (f.count, set(f.session_ids)) for f in made.frequent} == kept
    order = [(-f.count, -len(f.tools), f.tools) for f in made.frequent]
    assert order == sorted(order)


@many
@given(sessions)
def test_dependency_graph(found: dict[str, list[tuple[str, int | None]]]) -> None:
    units = as_units(found, Tuning())
    made, expected = build(units), reference.graph(found)
    assert {n.tool: tuple(map(pytest.approx, n[1:])) for n in made.nodes} == expected["nodes"]
    edges = {
        (e.source, e.target): tuple(
            map(pytest.approx, (e.count, e.probability, e.reverse, e.commit_rate, e.steps_to_end))
        )
        for e in made.edges
    }
    assert edges == expected["edges"]
    assert {c.tools: (c.units, pytest.approx(c.repetitions)) for c in made.cycles} == expected["cycles"]
    assert {p.tools: (p.units, pytest.approx(p.commit_rate)) for p in made.paths} == expected["paths"]
    assert made.transitions == expected["total"]


@many
@given(st.text("AB", max_size=24) | st.text("ABC", max_size=24), tunings, st.booleans())
def test_loops_and_runs(letters: str, tuning: Tuning, any_row: bool) -> None:
    uses = [ToolStep(letter) for letter in letters]
    expected = reference.loops(letters, tuning.loop_max_seq_length, tuning.loop_min_repeats, any_row)
    assert {loop.tools: (loop.repeats, loop.times) for loop in loops(uses, tuning, any_row=any_row)} == expected
    assert longest_run(uses).length == reference.longest_run(letters)


@many
@given(
    st.dictionaries(st.tuples(st.sampled_from("st"), st.sampled_from("abcdef")), st.integers(1, 30), max_size=12),
    st.floats(0, 3),
)
def test_outliers(edits: dict[tuple[str, str], int], z: float) -> None:
    found = {(o.session, o.file): pytest.approx(o.z) for o in outliers(edits, z)}
    assert found == reference.outliers(edits, z)


@many
@given(touched)
def test_files(touches: list[Touch]) -> None:
    plain = [tuple(t) for t in touches]
    expected = reference.hot_files(plain)
    assert {f.file: (f.edits, f.sessions, dict(f.tools)) for f in hot_files(touches)} == expected
    assert {p.files: p.sessions for p in changed_together(touches)} == reference.changed_together(plain)


@many
@given(said, sessions, st.lists(st.tuples(st.none() | times, st.just("s"), st.sampled_from("fg")), max_size=5), tunings)
def test_weeks(
    prompts: list[PromptText],
    found: dict[str, list[tuple[str, int | None]]],
    edits: list[tuple[int | None, str, str]],
    tuning: Tuning,
) -> None:
    uses = [(at, session, tool) for session, used in found.items() for tool, at in used]
    events = [ToolEvent(p.at, p.session) for p in prompts] + [ToolEvent(*use) for use in uses]
    made = weekly([*events, *(ToolEvent(at, session, None, file) for at, session, file in edits)], tuning)
    weeks, trends = reference.weekly([(p.at, p.session) for p in prompts], uses, edits, tuning.min_trend_r_squared)
    assert {w.name: (w.prompts, len(w.sessions), dict(w.tools), len(w.files)) for w in made.weeks.values()} == weeks
    for tool, (_, slope, r_squared) in trends.items():
        assert made.trends[tool].r_squared == pytest.approx(r_squared, abs=1e-9)
        if abs(r_squared - tuning.min_trend_r_squared) > 1e-6:
            assert made.trends[tool].slope == pytest.approx(slope, abs=1e-9)
    assert made.trends.keys() == trends.keys()


# --- the whole snapshot, from transcripts -----------------------------------------------------------------------

COMMANDS = {"Bash:git": ("Bash", {"command": "git status"}), "Bash:test": ("Bash", {"command": "pytest -q"})}
steps = st.lists(
    st.tuples(st.just("prompt"), st.sampled_from([*TEXTS[:9], "y"]), minutes)
    | st.tuples(st.sampled_from(["Read", "Edit", "Write", *COMMANDS]), st.sampled_from("fgh"), st.none() | minutes),
    max_size=12,
)
worlds = st.dictionaries(st.sampled_from(["s1", "s2", "s3"]), steps, min_size=1)


def write(world: World, found: dict[str, list[tuple[str, str, int | None]]]) -> None:
    for session, taken in found.items():
        lines = Lines(session)
        for kind, what, minute in taken:
            at = 0 if minute is None else minute
            if kind == "prompt":
                lines.prompt(what, at=at)
                continue
            name, given = COMMANDS.get(kind, (kind, {"file_path": f"/home/dev/weather/{what}"}))
            line = lines.tool(name, at=at, **given)
            if minute is None:
                del line["timestamp"]
        if lines.lines:
            world.write(lines)


def near(rows: list[dict[str, Any]], *keys: str) -> dict[Any, tuple[Any, ...]]:
    """Rows by the first key, their figures with the tolerance of two decimals."""

    def value(found: Any) -> Any:
        if isinstance(found, list):
            return tuple(map(value, found))
        return pytest.approx(found, abs=0.00501) if isinstance(found, float) else found

    return {value(row[keys[0]]): tuple(value(row[key]) for key in keys[1:]) for row in rows}


@settings(max_examples=examples(12))
@given(worlds)
def test_the_snapshot(found: dict[str, list[tuple[str, str, int | None]]]) -> None:
    prompts = [
        reference.Said(what, START + minute * MINUTE, session)
        for session, taken in found.items()
        for kind, what, minute in taken
        if kind == "prompt" and minute is not None
    ]
    with tempfile.TemporaryDirectory() as base:
        world = World(Path(base))
        write(world, found)
        memory = world.memory()
        memory.index()
        options = AnalyzeOptions(scope="global", threshold=1, top=-1)
        if not prompts:
            return
        made = memory.reports.analyst.snapshot(options)
    ms = {s: [(k, w, None if m is None else START + m * MINUTE) for k, w, m in taken] for s, taken in found.items()}
    uses = {s: [(k, at) for k, _, at in taken if k != "prompt"] for s, taken in ms.items()}
    on_files = [
        (s, f"/home/dev/weather/{what}", k, k != "Read", at)
        for s, taken in ms.items()
        for k, what, at in taken
        if k in ("Read", "Edit", "Write")
    ]
    touches = [t[:4] for t in on_files]

    assert made["promptAnalysis"]["total"] == made["tacitKnowledge"]["total"] == len(prompts)
    assert made["promptAnalysis"]["unique"] == len(set(reference.normalised({p.text for p in prompts}).values()))
    expected = reference.clusters(prompts, "normal", 1, False, Tuning().to_dict(), {"ok"})
    assert near(made["tacitKnowledge"]["patterns"], "normalized", "count", "bm25_score", "confidence") == expected

    total, unique, kept = reference.sequences(uses, 1)
    flow = made["workflowAnalysis"]
    assert (flow["total_sequences"], flow["unique_sequences"]) == (total, unique)
    assert {tuple(s["tools"]): (s["count"], set(s["sessions"])) for s in flow["top_sequences"]} == kept
    every = [tool for taken in uses.values() for tool, _ in taken]
    assert dict(map(tuple, flow["tool_usage_stats"])) == {tool: every.count(tool) for tool in every}

    graph = reference.graph(uses)
    figures = ("totalUses", "fanout", "fanin", "avgPosition", "entryRate", "terminalRate")
    assert near(made["dependencyGraph"]["nodes"], "tool", *figures) == graph["nodes"]
    assert near(made["dependencyGraph"]["cycles"], "tools", "occurrenceCount", "avgIterations") == graph["cycles"]
    assert near(made["dependencyGraph"]["criticalPaths"], "path", "frequency", "commitRate") == graph["paths"]
    assert made["dependencyGraph"]["totalTransitions"] == graph["total"]

    steps_ = {(t["from"], t["to"]): (t["count"], pytest.approx(t["probability"], abs=1e-4))
              for t in made["toolTransitions"]["transitions"]}  # fmt: skip
    assert steps_ == reference.transitions(uses)

    edits = {(s, f): sum(t[:2] == (s, f) and t[3] for t in touches) for s, f, _, e in touches if e}
    stats = made["repetitionStats"]
    rare = {(o["sessionId"], o["file"]): pytest.approx(o["zScore"], abs=0.00501) for o in stats["fileEditOutliers"]}
    assert rare == reference.outliers(edits, 2.0)
    circles = {(c["sessionId"], tuple(c["sequence"])): c["repeatCount"] for c in stats["toolLoops"]}
    assert circles == {
        (s, loop): best
        for s, taken in uses.items()
        for loop, (best, _) in reference.loops([tool for tool, _ in taken], any_row=True).items()
    }
    runs = {s["sessionId"]: s["maxConsecutiveSameTool"] for s in stats["sessionStats"]}
    assert runs == {s: reference.longest_run([tool for tool, _ in taken]) for s, taken in uses.items() if taken}

    hot = {f["path"]: (f["editCount"], f["sessionCount"], dict(map(tuple, f["toolsUsed"])))
           for f in made["fileAnalysis"]["hotFiles"]}  # fmt: skip
    assert hot == reference.hot_files(touches)
    pairs = {tuple(p["files"]): p["coOccurrenceCount"] for p in made["fileAnalysis"]["coChangeGroups"]}
    assert pairs == reference.changed_together(touches)

    spans = {}
    for session, taken in ms.items():
        known = [at for _, _, at in taken if at is not None]
        spans[session] = (min(known), max(known)) if known else None
    links = {
        (link["sessionA"], link["sessionB"]): (
            set(link["sharedFiles"]),
            pytest.approx(link["fileOverlapRatio"], abs=0.00501),
            link["timeGapMinutes"],
        )
        for link in made["sessionLinks"]["links"]
    }
    assert links == reference.links(touches, spans)

    weeks, trends = reference.weekly(
        [(p.at, p.session) for p in prompts],
        [(at, s, tool) for s, taken in uses.items() for tool, at in taken],
        [(at, s, file) for s, file, _, edited, at in on_files if edited],
    )
    shown = {w["week"]: (w["promptCount"], w["sessionCount"], dict(map(tuple, w["toolCounts"])), w["uniqueFilesEdited"])
             for w in made["weeklyTrends"]["weeks"]}  # fmt: skip
    assert shown == weeks
    lines = near(made["weeklyTrends"]["toolTrends"], "tool", "weeklyCounts", "trendSlope", "rSquared")
    assert lines.keys() == trends.keys()
    for tool, (counts, slope, r_squared) in trends.items():
        if abs(r_squared - Tuning().min_trend_r_squared) > 1e-6:  # on the border either side is right
            assert lines[tool] == (tuple(counts), slope, r_squared)


def test_the_order_of_equal_times_does_not_matter() -> None:
    prompts = [PromptText(text, START, f"s{i}") for i, text in enumerate(TEXTS * 2)]
    tuning = replace(Tuning(), max_clusters=4)
    one, other = (clusters(p, DEPTHS["wide"], 1, True, tuning) for p in (prompts, prompts[::-1]))
    assert one == other
