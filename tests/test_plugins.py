"""Third parties add sources, perspectives, extractors and embedders: the example of docs/plugins.md, installed."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind import sources, testing
from axiommind.errors import PluginError
from axiommind.extraction import extractors
from axiommind.registry import Registry
from axiommind.reports import perspectives
from axiommind.vectors import embedders
from tests.transcripts import Lines, World

PAGE = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```python file=(\S+)\n(.*?)```", PAGE, re.DOTALL))
POINTS = {
    group: f"{name} = {module}"
    for group, name, module in re.findall(r'\[project\.entry-points\."(axiommind\.\w+)"\]\n([\w-]+) = "([\w.]+)"', PAGE)
}
PLACES = {"scribe": sources, "busy-days": perspectives, "reminders": extractors, "letters": embedders}


def install(folder: Path, name: str, points: dict[str, str], files: dict[str, str]) -> None:
    """A package as an installer leaves it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{lines}\n\n" for group, lines in points.items()))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for module in set(sys.modules) - before:
        if module.startswith(("axm_scribe", "test_axm_scribe", "broken_plugin")):
            del sys.modules[module]


@pytest.fixture
def scribe(site: Path) -> Path:
    install(site, "axm-scribe", POINTS, FILES)
    (site / "axm_scribe" / "__init__.py").write_text("")
    importlib.invalidate_caches()
    return site


def asking(text: str) -> Lines:
    lines = Lines()
    lines.prompt(text)
    return lines


def session(folder: Path) -> Path:
    example = importlib.import_module("test_axm_scribe")
    folder.mkdir()
    (folder / "one.jsonl").write_bytes(example.TRANSCRIPT)
    return folder


def test_the_example_passes_its_own_test(scribe: Path, tmp_path: Path) -> None:
    importlib.import_module("test_axm_scribe").test_plugins(tmp_path)


@pytest.mark.parametrize("name", PLACES)
def test_it_is_listed_with_ours(scribe: Path, name: str) -> None:
    assert name in PLACES[name].REGISTRY.names()
    assert len(PLACES[name].REGISTRY.names()) > len(PLACES[name].REGISTRY.own())


def test_the_command_line_knows_it(scribe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from axiommind.surfaces.cli import main

    assert main(["query", "--list-perspectives"]) == 0
    assert "on which days most was asked" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["learn", "--help"])
    assert "reminders" in capsys.readouterr().out


def test_sessions_of_another_agent_are_indexed_searched_queried_and_forgotten(scribe: Path, world: World) -> None:
    session(world.base / ".scribe")
    world.write(asking("a prompt of Claude Code"))
    memory = world.memory()
    memory.index()
    assert world.rows("select id, agent, prompt_count, tool_use_count, edit_count from sessions where id = 'one'") == [
        ("one", "scribe", 1, 2, 1)
    ]
    assert world.rows("select classified_name from tool_uses where session_id = 'one' order by seq_order") == [
        ("Bash:test",),
        ("patch",),
    ]
    scope = memory.scope(all_projects=True)
    listing = perspectives.load("sessions")
    rows = memory.query(listing, {p.name: p.default for p in (*listing.filters, *listing.params)}, scope)
    assert "scribe open one" in [row["resume"] for row in rows]
    busy = memory.query(perspectives.load("busy-days"), {"top": 5}, scope)
    assert {"day": "2026-01-01", "prompts": 1} in busy
    assert memory.verify() == []
    memory.forget(session="one")
    assert world.rows("select id from sessions where id = 'one'") == [] and memory.verify() == []


def test_what_is_said_there_is_learned(scribe: Path, world: World) -> None:
    session(world.base / ".scribe")
    world.memory().index()
    world.memory().learning.run(extractor="reminders")
    assert world.rows("select title, rule from entries where session_id = 'one'") == [
        ("prices are in øre", "reminders")
    ]


def test_it_embeds(scribe: Path, world: World) -> None:
    world.write(asking("the zephyr hygroscope needs a quartz reference"))
    world.home.mkdir()
    (world.home / "config.toml").write_text('[embed]\nembedder = "letters"\n')
    world.memory().index()
    world.memory().embeddings.make()
    assert world.one("select count(*) from vector_outbox where embedding_version = 'letters-1' and status = 'done'")


def test_a_session_outlives_its_plugin(scribe: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session(world.base / ".scribe")
    world.memory().index()
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(scribe)])
    assert "scribe" not in sources.names()
    assert world.memory().index().problems == []
    world.memory().rebuild()
    assert world.rows("select agent, prompt_count from sessions where id = 'one'") == [("scribe", 0)]
    assert "install its plugin" in world.one("select why from problems where path like '%one.jsonl'")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(scribe))
    world.memory().rebuild()
    assert world.rows("select agent, prompt_count from sessions where id = 'one'") == [("scribe", 1)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("this is no python", "SyntaxError"),
        ("TOOLS = {}", "has no NAME"),
    ],
)
def test_a_broken_plugin_is_a_finding_and_stops_nothing(site: Path, world: World, text: str, why: str) -> None:
    install(site, "broken", {"axiommind.sources": "ruined = broken_plugin"}, {"broken_plugin.py": text})
    importlib.invalidate_caches()
    world.write(asking("go on"))
    world.memory().index()
    assert world.one("select count(*) from prompts") == 1
    assert "ruined" not in sources.names()
    (check,) = [check for check in world.memory().doctor() if check.name == "source ruined"]
    assert check.status == "warn" and why in check.text and "broken 1.0" in check.text


def test_a_source_that_fails_while_it_reads_stops_nothing(site: Path, world: World) -> None:
    text = FILES["axm_scribe/source.py"].replace("    out = Decoded()\n", "    raise ZeroDivisionError('decode')\n")
    install(site, "broken", {"axiommind.sources": "scribe = broken_plugin"}, {"broken_plugin.py": text})
    importlib.invalidate_caches()
    (world.base / ".scribe").mkdir()
    (world.base / ".scribe" / "one.jsonl").write_text(json.dumps({"id": "1", "who": "me", "text": "hello"}) + "\n")
    world.write(asking("go on"))
    world.memory().index()
    assert world.one("select count(*) from prompts") == 1
    assert "ZeroDivisionError" in world.one("select why from problems where path like '%one.jsonl'")


def test_a_perspective_that_fails_says_whose_it_is(site: Path, world: World) -> None:
    text = FILES["axm_scribe/busy_days.py"].replace("    wanted = ", "    1 / 0\n    wanted = ")
    install(site, "broken", {"axiommind.perspectives": "busy-days = broken_plugin"}, {"broken_plugin.py": text})
    importlib.invalidate_caches()
    world.write(asking("go on"))
    world.memory().index()
    with pytest.raises(PluginError, match="busy-days failed: ZeroDivisionError"):
        world.memory().query(perspectives.load("busy-days"), {}, world.memory().scope(all_projects=True))


def test_our_own_names_cannot_be_taken(site: Path) -> None:
    install(site, "thief", {"axiommind.sources": "claude-code = broken_plugin"}, {"broken_plugin.py": "TOOLS = {}"})
    importlib.invalidate_caches()
    assert sources.load("claude-code").NAME == "claude-code"
    (plugin,) = sources.REGISTRY.plugins()
    assert plugin.why_not == "the name is one of our own"


def test_without_plugins_no_metadata_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_named: object) -> None:
        raise AssertionError("importlib.metadata was asked")

    monkeypatch.setattr("importlib.metadata.entry_points", refuse)
    assert "claude-code" in sources.names()
    registry: Registry[object] = Registry("axiommind.sources", requires=("TOOLS",), group="axiommind.sources")
    assert registry.find("nobody-offers-this") is None


# --- ours are held to the same ---------------------------------------------------------------------------------


def test_our_first_source_keeps_the_contract() -> None:  # the others: tests/sources/test_every_source.py
    folder = testing.SAMPLE / "projects" / "-home-dev-teashop"
    transcript = next(path for path in sorted(folder.glob("*.jsonl")) if b'"tool_use"' in path.read_bytes())
    environ = {"CLAUDE_CONFIG_DIR": str(testing.SAMPLE)}
    testing.check_source(sources.load("claude-code"), transcript.read_bytes(), environ)


def test_our_perspectives_keep_the_contract() -> None:
    with testing.sample_memory() as memory, memory.home.reading(memory.scope(all_projects=True), None) as db:
        db.execute("pragma query_only=on")
        for name in perspectives.REGISTRY.own():
            testing.check_perspective(perspectives.REGISTRY.find(name), db)


def test_our_offline_extractor_keeps_the_contract() -> None:
    testing.check_extractor(extractors.REGISTRY.find("rules"))


def test_our_own_embedder_keeps_the_contract(tmp_path: Path) -> None:
    settings = embedders.Settings("static", "", "", "", 10.0, "", tmp_path)
    testing.check_embedder(embedders.REGISTRY.find("static"), settings)
