"""What a question from the shell costs: which modules it loads, of ours and of others, and how many.

What that takes against a bare interpreter is measured by `bench/startup.py`."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from tests import loading
from tests.transcripts import PROJECT, START, Lines, World

# What `axm query` may load beyond the standard library. Everything else is for commands that write.
ALLOWED = {
    "axiommind",
    "axiommind.callers",
    "axiommind.config",
    "axiommind.consent",
    "axiommind.setting_limits",
    "axiommind.recall_settings",
    "axiommind.setting",
    "axiommind.settings",
    "axiommind.db",
    "axiommind.disk",
    "axiommind.errors",
    "axiommind.home",
    "axiommind.ids",
    "axiommind.memory",
    "axiommind.memory_parts",
    "axiommind.projections",
    "axiommind.projections.scope",
    "axiommind.projects",
    "axiommind.reports",
    "axiommind.registry",
    "axiommind.reports.perspectives",
    "axiommind.reports.perspectives._filters",
    "axiommind.reports.perspectives.tool_frequency",
    "axiommind.reports.reports",
    "axiommind.surfaces",
    "axiommind.surfaces.cli",
    "axiommind.surfaces.cli._catalogue",
    "axiommind.surfaces.cli._options",
    "axiommind.surfaces.cli._parsing",
    "axiommind.surfaces.cli.query",
    "axiommind.surfaces.render",
    "axiommind.surfaces.render.tables",
    "axiommind.surfaces.render.terminal",
}
# What `axm search` may load. No source, no log, no projection but the one whose index it reads.
SEARCH_ALLOWED = {
    "axiommind",
    "axiommind.callers",
    "axiommind.config",
    "axiommind.consent",
    "axiommind.setting_limits",
    "axiommind.recall_settings",
    "axiommind.setting",
    "axiommind.settings",
    "axiommind.db",
    "axiommind.disk",
    "axiommind.errors",
    "axiommind.home",
    "axiommind.ids",
    "axiommind.memory",
    "axiommind.memory_parts",
    "axiommind.model",
    "axiommind.projections",
    "axiommind.projections.passages",
    "axiommind.projections.scope",
    "axiommind.search",
    "axiommind.search.dates._calendar",
    "axiommind.search.dates._english",
    "axiommind.search.candidates",
    "axiommind.search.citations",
    "axiommind.search.dates",
    "axiommind.search.evidence",
    "axiommind.search.filters",
    "axiommind.search.find",
    "axiommind.search.hits",
    "axiommind.search.lexical",
    "axiommind.search.query",
    "axiommind.search.rank",
    "axiommind.search.rows",
    "axiommind.search.search",
    "axiommind.search.snippets",
    "axiommind.surfaces",
    "axiommind.surfaces.cli",
    "axiommind.surfaces.cli._catalogue",
    "axiommind.surfaces.cli._options",
    "axiommind.surfaces.cli._parsing",
    "axiommind.surfaces.cli.search",
    "axiommind.surfaces.render",
    "axiommind.surfaces.render.hits",
    "axiommind.surfaces.render.provenance",
    "axiommind.surfaces.render.tables",
    "axiommind.surfaces.render.terminal",
    "axiommind.text",
    "axiommind.text.english_stems",
    "axiommind.text.patterns",
    "axiommind.text.recalled",
    "axiommind.text.query_terms",
    "axiommind.text.stop_words",
    "axiommind.text.summary",
    "axiommind.text.tokens",
    "axiommind.tools",
    "axiommind.tools.call_text",
}
# What `axm search` may load beyond that where there are vectors to ask.
MEANING_ALLOWED = SEARCH_ALLOWED | {
    "axiommind.registry",
    "axiommind.search.calibrate",
    "axiommind.search.overlap",
    "axiommind.search.semantic",
    "axiommind.text.language",
    "axiommind.vectors",
    "axiommind.vectors.contract",
    "axiommind.vectors.embedders",
    "axiommind.vectors.embedders._grams",
    "axiommind.vectors.embedders.static",
    "axiommind.vectors.similarity",
    "axiommind.vectors.stores",
    "axiommind.vectors.stores._codes",
    "axiommind.vectors.stores._file",
    "axiommind.vectors.stores._rows",
    "axiommind.vectors.stores._slots",
    "axiommind.vectors.stores.local",
    "axiommind.vectors.versions",
}
# What a hook may load to answer a prompt: no command line, no writing, no vectors.
HOOK_ALLOWED = {
    "axiommind",
    "axiommind.callers",
    "axiommind.config",
    "axiommind.consent",
    "axiommind.setting_limits",
    "axiommind.recall_settings",
    "axiommind.setting",
    "axiommind.settings",
    "axiommind.db",
    "axiommind.disk",
    "axiommind.errors",
    "axiommind.private",
    "axiommind.grounding",
    "axiommind.grounding.chance",
    "axiommind.grounding.usefulness",
    "axiommind.home",
    "axiommind.ids",
    "axiommind.memory",
    "axiommind.memory_parts",
    "axiommind.model",
    "axiommind.projections",
    "axiommind.projections.crossing",
    "axiommind.projections.entry_rows",
    "axiommind.projections.passages",
    "axiommind.projections.scope",
    "axiommind.recall",
    "axiommind.recall._prompt_words",
    "axiommind.recall.answers",
    "axiommind.recall.disclosure",
    "axiommind.recall.feedback",
    "axiommind.recall.judgement",
    "axiommind.recall.others",
    "axiommind.recall.outcomes",
    "axiommind.recall.own_words",
    "axiommind.recall.packet",
    "axiommind.recall.packets",
    "axiommind.recall.packets.notes",
    "axiommind.recall.permission",
    "axiommind.recall.pieces",
    "axiommind.recall.question",
    "axiommind.recall.quotations",
    "axiommind.recall.reader",
    "axiommind.recall.recall",
    "axiommind.recall.request",
    "axiommind.recall.selection",
    "axiommind.recall.withdrawn",
    "axiommind.search",
    "axiommind.search.dates._calendar",
    "axiommind.search.dates._english",
    "axiommind.search.candidates",
    "axiommind.search.citations",
    "axiommind.search.dates",
    "axiommind.search.evidence",
    "axiommind.search.filters",
    "axiommind.search.find",
    "axiommind.search.hits",
    "axiommind.search.lexical",
    "axiommind.search.likeness",
    "axiommind.search.query",
    "axiommind.search.rank",
    "axiommind.search.relevance",
    "axiommind.search.rows",
    "axiommind.search.search",
    "axiommind.search.snippets",
    "axiommind.surfaces",
    "axiommind.surfaces.hooks",
    "axiommind.surfaces.hooks.answers",
    "axiommind.surfaces.hooks.call",
    "axiommind.surfaces.hooks.deadlines",
    "axiommind.surfaces.hooks.events",
    "axiommind.surfaces.hooks.events.user_prompt_submit",
    "axiommind.surfaces.hooks.record",
    "axiommind.surfaces.render",
    "axiommind.surfaces.render.fence",
    "axiommind.surfaces.render.recall",
    "axiommind.surfaces.render.turns",
    "axiommind.text",
    "axiommind.text.english_stems",
    "axiommind.text.estimate",
    "axiommind.text.patterns",
    "axiommind.text.recalled",
    "axiommind.text.query_terms",
    "axiommind.text.redaction",
    "axiommind.text.requests",
    "axiommind.text.requests._tongue",
    "axiommind.text.requests.prompt_kinds",
    "axiommind.text.scanner",
    "axiommind.text.secret_names",
    "axiommind.text.secret_prefilter",
    "axiommind.text.secret_shapes",
    "axiommind.text.stop_words",
    "axiommind.text.summary",
    "axiommind.text.tokens",
    "axiommind.tools",
    "axiommind.tools.call_text",
}
# And to compare the prompt's meaning with that of what it is about to say.
HOOK_MEANING = {
    "axiommind.registry",
    "axiommind.vectors",
    "axiommind.vectors.contract",
    "axiommind.vectors.embedders",
    "axiommind.vectors.embedders._grams",
    "axiommind.vectors.embedders.static",
    "axiommind.vectors.similarity",
    "axiommind.vectors.stores",
    "axiommind.vectors.stores._codes",
    "axiommind.vectors.stores._file",
    "axiommind.vectors.stores._rows",
    "axiommind.vectors.stores._slots",
    "axiommind.vectors.stores.local",
    "axiommind.vectors.versions",
}
HEAVY = {"msgspec", "zstandard", "watchfiles", "altair", "multiprocessing", "concurrent.futures", "asyncio", "logging"}
HEAVY |= {"markdown_it", "yaml", "pathspec", "subprocess", "shutil", "difflib", "dataclasses", "inspect", "secrets"}
HEAVY |= {"numpy", "onnxruntime", "tokenizers", "lancedb"}
MOST_OTHERS = 50  # modules that are not ours: 36 to 43 of them, as the version of Python has it
ASK = ["query", "--perspective", "tool-frequency", "--top", "10"]
SEARCH = ["search", "--all-projects", "prompt last week -nothing kind:prompt"]
MEANING = ["search", "--all-projects", "prompt last week that no passage answers -nothing kind:prompt"]


# What a hook does without, beyond what every question does without.
HOOK_HEAVY = {
    "argparse",
    "hashlib",
    "threading",
    "tempfile",
    "tomllib",
    "typing_extensions",
    "cachetools",
    "random",
    "copy",
}
PROMPT = {"session_id": "new", "hook_event_name": "UserPromptSubmit", "prompt": "what does the zephyr hygroscope need?"}


def filled(world: World) -> World:
    lines = Lines()
    for i in range(50):
        lines.prompt(f"prompt {i}")
        lines.tool("Read", f"r{i}", file_path="/a")
    world.write(lines)
    world.memory().index()
    return world


def loaded_by(world: World, command: list[str]) -> set[str]:
    code = (
        "import sys, json; sys.argv = ['axm', *json.loads(sys.argv[1])]\n"
        "from axiommind.surfaces.cli import main; main()\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(command)],
        env=world.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout
    return set(json.loads(done.stderr.splitlines()[-1]))


def others(loaded: set[str]) -> set[str]:
    """What was loaded that is not ours, and that neither a bare interpreter nor a parser of arguments has."""
    return (
        {m for m in loaded if m.split(".")[0] != "axiommind"} - loading.loaded_by() - loading.loaded_by(loading.PARSER)
    )


@pytest.mark.parametrize(("command", "allowed"), [(ASK, ALLOWED), (SEARCH, SEARCH_ALLOWED)], ids=["query", "search"])
def test_a_question_loads_little(world: World, command: list[str], allowed: set[str]) -> None:
    loaded = loaded_by(filled(world), command)
    assert len(others(loaded)) <= MOST_OTHERS
    assert {m for m in loaded if m.split(".")[0] == "axiommind"} <= allowed
    assert others(loaded) & HEAVY == set()


def test_a_question_by_meaning_loads_little_more(world: World) -> None:
    filled(world).memory().embeddings.make()
    loaded = loaded_by(world, MEANING)
    assert {m for m in loaded if m.split(".")[0] == "axiommind"} <= MEANING_ALLOWED
    assert "axiommind.search.semantic" in loaded and others(loaded) & HEAVY == set()


def hooked(world: World) -> World:
    lines = Lines()
    lines.prompt("check the zephyr hygroscope")
    lines.answer("The zephyr hygroscope needs a quartz reference.")
    for i in range(50):
        lines.prompt(f"prompt {i}")
    world.write(lines)
    world.memory().index()
    return world


def loaded_by_hook(world: World, event: str, given: dict[str, str]) -> set[str]:
    """What a hook loads that answers with the quartz."""
    code = (
        f"import sys; from axiommind.surfaces import hooks; hooks.serve({event!r})\n"
        "import json; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    prompt = json.dumps({**given, "cwd": PROJECT})
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=world.environ, input=prompt, capture_output=True, text=True, check=True)
    assert "quartz" in done.stdout
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_a_prepared_start_loads_no_database(world: World) -> None:
    lines = Lines()
    lines.prompt("the zephyr hygroscope needs a quartz reference", at=(time.time() * 1000 - START) / 60_000)
    world.write(lines)
    world.memory().index()
    given = {"session_id": "new", "hook_event_name": "SessionStart", "source": "startup"}
    assert "sqlite3" in loaded_by_hook(world, "SessionStart", given)
    world.memory().recall.prepare_starts()
    loaded = loaded_by_hook(world, "SessionStart", given | {"session_id": "newer"})
    assert "sqlite3" not in loaded and loaded & (HEAVY | HOOK_HEAVY) == set()


def test_a_hook_loads_little(world: World) -> None:
    loaded = loaded_by_hook(hooked(world), "UserPromptSubmit", PROMPT)
    assert len(others(loaded)) <= MOST_OTHERS
    assert {m for m in loaded if m.split(".")[0] == "axiommind"} <= HOOK_ALLOWED
    assert loaded & (HEAVY | HOOK_HEAVY) == set()


def test_a_hook_of_another_client_loads_its_dialect_besides(world: World) -> None:
    loaded = loaded_by_hook(hooked(world), "UserPromptSubmit codex", PROMPT)
    dialect = {
        f"axiommind.surfaces.hooks.{name}" for name in ("translation", "dialects", "dialects._calls", "dialects.codex")
    }
    assert {m for m in loaded if m.split(".")[0] == "axiommind"} <= HOOK_ALLOWED | dialect
    assert loaded >= dialect and loaded & (HEAVY | HOOK_HEAVY) == set()


def test_a_hook_compares_meanings_and_loads_little_more(world: World) -> None:
    hooked(world).memory().embeddings.make()
    loaded = loaded_by_hook(world, "UserPromptSubmit", PROMPT)
    assert {m for m in loaded if m.split(".")[0] == "axiommind"} <= HOOK_ALLOWED | HOOK_MEANING
    assert loaded >= HOOK_MEANING and loaded & (HEAVY | HOOK_HEAVY) == set()


def test_an_edit_of_a_file_that_nobody_spoke_of_loads_little(world: World) -> None:
    code = (
        "import json, os, sys; from axiommind.surfaces import hooks\n"
        "hooks.answer('PreToolUse', sys.stdin.buffer.read(), dict(os.environ))\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    change = {"file_path": f"{PROJECT}/src/new_thing.py", "old_string": "a = one_value", "new_string": "a = 2"}
    given = {"session_id": "new", "cwd": PROJECT, "tool_name": "Edit", "tool_input": change}
    command = [sys.executable, "-c", code]
    environ = hooked(world).environ
    done = subprocess.run(command, env=environ, input=json.dumps(given), capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "axiommind.recall.packets.file" in loaded
    assert loaded & {"axiommind.text.agent_cues", "axiommind.text.prose", "axiommind.extraction.likeness"} == set()
    assert loaded & HEAVY == set()
