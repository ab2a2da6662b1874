"""Changing config.toml: what a person wrote stays as it is, and what is switched on can be switched off again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.config_file import read_text, replace_text, with_values
from axiommind.errors import UsageError

ON: dict[str, str | None] = {"learn.model": "claude", "learn.model_since": "2026-01-31T12:00:00Z"}
OFF: dict[str, str | None] = dict.fromkeys(ON)

PIECES = [
    "# my settings",
    "",
    "[hooks]\nstop = false  # quiet, please",
    "[budget]\ncalls = 10\n\n# what it may cost\nusd = 0.5",
    '[extract]\nmodel = "a = b # c"  # not a comment inside',
    "[progressiveDisclosure.layer1]\ntopK = 3",
]
LEARN = ["", "[learn]\nauto = true  # as it is", "learn.seconds = 60"]


@given(st.permutations(PIECES), st.integers(0, len(PIECES)), st.sampled_from(LEARN), st.booleans())
def test_on_and_off_leaves_what_was_there(pieces: list[str], count: int, learn: str, at_end: bool) -> None:
    others = list(pieces[:count])
    if learn.startswith("learn."):  # a dotted name belongs before the first table
        parts = [learn, *others]
    else:
        parts = [*others, learn] if at_end else [learn, *others]
    text = "\n".join(part for part in parts) + "\n"
    on = with_values(text, ON)
    found = tomllib.loads(on)
    assert found["learn"]["model"] == "claude" and found["learn"]["model_since"] == "2026-01-31T12:00:00Z"
    assert [line for line in text.split("\n") if line] == [
        line for line in on.split("\n") if line and "claude" not in line and "model_since" not in line
    ][: len([line for line in text.split("\n") if line])] or "[learn]" in on
    for line in text.split("\n"):
        assert line in on.split("\n")  # comments and all
    assert with_values(on, OFF) == text
    assert with_values(on, ON) == on


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    assert with_values('[learn]\nmodel = "openai"  # mine\n', {"learn.model": "claude"}) == (
        '[learn]\nmodel = "claude"  # mine\n'
    )


@pytest.mark.parametrize("text", ["learn = { auto = true }\n", '[x]\ny = """\n[learn]\nmodel = 1\n"""\n[learn]\n'])
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    try:
        assert tomllib.loads(with_values(text, ON))["learn"]["model"] == "claude"
    except UsageError as error:
        assert "cannot be changed safely" in error.message and "claude" in (error.hint or "")


def test_a_broken_file_is_left_alone() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        with_values("[learn\n", ON)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "home" / "config.toml"
    assert read_text(path) is None
    replace_text(path, "[learn]\n")
    assert read_text(path) == "[learn]\n"
    path.chmod(0o600)
    replace_text(path, "[hooks]\n")
    assert path.stat().st_mode & 0o777 == 0o600 and [p.name for p in path.parent.iterdir()] == ["config.toml"]
    replace_text(path, "\n")
    assert not path.exists()
