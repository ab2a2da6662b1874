"""Settings: defaults, then the file, then the environment; what is of the wrong kind is named."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from axiommind.config import Config, Disclosure
from axiommind.errors import UsageError
from axiommind.settings import KEYS


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
