"""Charts: every perspective with a hint draws one, the same every time; everything else is a clear error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from axiommind.distribution import extra_command
from axiommind.errors import BadQuery, MissingExtra
from axiommind.reports.perspectives import load, names
from axiommind.surfaces.render.plot import draw
from tests.reports.perspectives.index_world import ask, busy_world, store

CHARTED = [name for name in names() if load(name).plot]


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadQuery, match="pdf"):
        draw([{"tool": "Read", "frequency": 1}], load("tool-frequency"), tmp_path / "x.pdf")


def test_no_rows_no_chart(tmp_path: Path) -> None:
    with pytest.raises(BadQuery, match="nothing to draw"):
        draw([], load("tool-frequency"), tmp_path / "x.svg")
    assert not (tmp_path / "x.svg").exists()


def test_a_perspective_without_a_chart_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadQuery, match="no chart"):
        draw([{"id": 1}], load("prompts"), tmp_path / "x.svg")


def test_without_altair_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra) as caught:
        draw([{"tool": "Read", "frequency": 1}], load("tool-frequency"), tmp_path / "x.svg")
    assert caught.value.hint == extra_command("plot")


@pytest.mark.parametrize("name", CHARTED)
def test_every_hint_draws(name: str, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    rows = ask(store(busy_world()), name)
    for path in (tmp_path / "a.svg", tmp_path / "b.svg"):
        draw(rows, load(name), path)
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert drawn == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert "NaN" not in drawn
    assert "Infinity" not in drawn
    draw(rows[:1] if name != "dependency-graph" else rows, load(name), tmp_path / "c.svg")


def test_png_and_foreign_letters(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    hostile = '테스트\'] + alert(1) \\ "登录" 🎉 <b>&'
    rows = [{"tool": hostile, "frequency": 3, "sessions": 1, "errors": 0}]
    perspective = load("tool-frequency")._replace(summary="도구")
    draw(rows, perspective, tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    draw(rows, perspective, tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "테스트" in drawn
    assert "登录" in drawn
    assert "🎉" in drawn
    assert "&lt;b&gt;" in drawn
