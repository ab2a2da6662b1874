"""Settings: defaults, then the file, then the environment; what is of the wrong kind is named."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from axiommind.config import Config, Disclosure
from axiommind.errors import UsageError
from axiommind.setting_limits import HOOK_SECONDS, limits_of
from axiommind.settings import KEYS
from axiommind.surfaces.hooks import deadlines
from tests.rows import rows


def test_every_key_is_a_field_with_its_default(tmp_path: Path) -> None:
    config = Config.load({}, tmp_path)
    assert set(Config._fields) == {"home", *(key.place.partition(".")[0] for key in KEYS)}
    for key in KEYS:
        value = attrgetter(key.place)(config)
        assert value == (tuple(key.default) if key.kind is list else key.default)
    assert len({key.env for key in KEYS}) == len(KEYS)


def test_nested_settings_and_switches(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        "[progressiveDisclosure]\nenabled = false\n[progressiveDisclosure.layer1]\ntopK = 3\n[hooks]\nstop = true\n"
    )
    config = Config.load({"AXM_HOOK_STOP": "off", "AXM_HOOK_LEARN": "no"}, tmp_path)
    assert config.disclosure == Disclosure(enabled=False, top_k=3)
    assert (config.hooks.stop, config.learn_auto, config.hooks.session_end) == (False, False, True)
    with pytest.raises(UsageError, match="AXM_HOOK_STOP='maybe' is not true or false"):
        Config.load({"AXM_HOOK_STOP": "maybe"}, tmp_path)


def test_the_file_wins_over_the_default_and_the_environment_over_both(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[extract]\nextractor = "openai"\nmodel = " qwen3:8b "\nseconds = 30\n[budget]\ncalls = 0\nusd = -1\n'
    )
    config = Config.load({"AXM_EXTRACTOR": "claude", "AXM_BUDGET_TOKENS": "5", "AXM_EXTRACT_URL": ""}, tmp_path)
    assert config.extract_extractor == "claude"
    assert config.extract_model == "qwen3:8b"
    assert config.extract_seconds == 30.0
    assert config.extract_url == ""
    assert (config.budget_calls, config.budget_tokens, config.budget_usd) == (0, 5, -1.0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("extract.model = 3", "extract.model = 3 in config.toml is not a text"),
        ("extract.model = ['a']", "is not a text"),
        ("extract.url = true", "is not a text"),
        ("extract.chars = 'many'", "is not a whole number"),
        ("extract.chars = inf", "is not a whole number"),
        ("extract.chars = nan", "is not a whole number"),
        ("extract.seconds = nan", "is not a number"),
        ("extract.seconds = true", "is not a number"),
        (f"budget.usd = 1{'0' * 400}", "is not a number"),
        ("extract.api_key = 'sk-1'", "unknown setting 'extract.api_key'"),
    ],
)
def test_a_wrong_kind_in_the_file(tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "config.toml").write_text(line)
    with pytest.raises(UsageError) as refused:
        Config.load({}, tmp_path)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("AXM_EXTRACT_CHARS", "many", "AXM_EXTRACT_CHARS='many' is not a whole number"),
        ("AXM_EXTRACT_CHARS", "1.5", "is not a whole number"),
        ("AXM_EXTRACT_SECONDS", "soon", "AXM_EXTRACT_SECONDS='soon' is not a number"),
    ],
)
def test_a_wrong_kind_in_the_environment(tmp_path: Path, name: str, value: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Config.load({name: value}, tmp_path)


IMPOSSIBLE = [
    ("progressiveDisclosure.layer1.topK", "AXM_TOP_K", "0", "1 to 100"),
    ("progressiveDisclosure.layer1.topK", "AXM_TOP_K", "101", "1 to 100"),
    ("progressiveDisclosure.layer1.minScore", "AXM_MIN_SCORE", "7", "0 to 1"),
    ("progressiveDisclosure.layer1.minScore", "AXM_MIN_SCORE", "-0.1", "0 to 1"),
    ("progressiveDisclosure.tokenBudget.maxTotalTokens", "AXM_MAX_TOKENS", "-5", "at least 1"),
    ("retrieval.maxTokens", "AXM_HOOK_TOKENS", "-800", "at least 0"),
    ("retrieval.promptChance", "AXM_PROMPT_CHANCE", "-1", "at least 0"),
    ("hooks.start_tokens", "AXM_HOOK_START_TOKENS", "-1", "at least 0"),
    ("hooks.seconds.user_prompt_submit", "AXM_HOOK_USER_PROMPT_SUBMIT_SECONDS", "0", "at least 0.001"),
    ("query.rows", "AXM_QUERY_ROWS", "0", "at least 1"),
    ("index.workers", "AXM_WORKERS", "-2", "at least -1"),
]


@pytest.mark.parametrize(("name", "variable", "value", "limits"), IMPOSSIBLE)
def test_an_impossible_number_is_refused_wherever_it_is_set(
    tmp_path: Path, name: str, variable: str, value: str, limits: str
) -> None:
    known = {key.name: key.env for key in KEYS}
    with pytest.raises(UsageError, match=f"{known[name]}={value} is not possible: it has to be {limits}"):
        Config.load({known[name]: value}, tmp_path)
    assert known[name] == variable or name.startswith("hooks.seconds")
    (tmp_path / "config.toml").write_text(f"{name} = {value}\n")
    with pytest.raises(UsageError, match=rf"setting {name} = {value}(\.0)? in config.toml is not possible") as refused:
        Config.load({}, tmp_path)
    assert refused.value.hint


@pytest.mark.parametrize(("value", "why"), [("-1", "at least 0.001"), ("0", "at least 0.001"), ("abc", "not a number")])
def test_the_deadline_of_every_hook_has_limits_too(tmp_path: Path, value: str, why: str) -> None:
    assert HOOK_SECONDS == deadlines.SECONDS
    with pytest.raises(UsageError, match=f"AXM_HOOK_SECONDS='?{value}'? .*{why}"):
        Config.load({HOOK_SECONDS: value}, tmp_path)
    Config.load({HOOK_SECONDS: "20"}, tmp_path)


def test_limits_are_of_settings_and_hold_their_defaults() -> None:
    limited = [key for key in KEYS if (limits := limits_of(key.name)) is not None and limits.hold(key.default)]
    assert len(limited) == sum(limits_of(key.name) is not None for key in KEYS) > 20
    assert all(key.kind in (int, float) for key in limited)


@rows("R3.5", "R3.6", "R3.7", "R3.8", "R3.9", "R3.10")
def test_the_settings_of_progressive_disclosure_are_those_of_the_design() -> None:
    defaults = {key.name.removeprefix("progressiveDisclosure."): key.default for key in KEYS}
    assert {name: defaults[name] for name in DISCLOSURE} == DISCLOSURE


DISCLOSURE = {
    "enabled": True,
    "layer1.topK": 10,
    "layer1.minScore": 0.7,
    "autoExpand.enabled": True,
    "autoExpand.highConfidenceThreshold": 0.92,
    "autoExpand.scoreGapThreshold": 0.1,
    "autoExpand.maxAutoExpandCount": 3,
    "tokenBudget.maxTotalTokens": 2_000,
    "tokenBudget.layer1PerItem": 50,
    "tokenBudget.layer2PerItem": 40,
    "tokenBudget.layer3PerItem": 500,
    "cache.layer1Ttl": 60_000,
    "cache.layer2Ttl": 300_000,
    "cache.layer3Ttl": 1_800_000,
}
