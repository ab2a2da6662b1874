"""What bench/judge.py fits the weights of recall with: the regression, and labels that hold no text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from bench import labelled_prompts, logistic


def cases(count: int, weights: list[float], offset: float) -> tuple[logistic.Floats, logistic.Floats]:
    """Signs of very different sizes, and what they lead to by chance."""
    chance = np.random.default_rng(7)
    signs = chance.normal(size=(count, len(weights))) * [1.0, 0.1, 20.0] + [0.0, 5.0, -3.0]
    return signs, (chance.random(count) < 1 / (1 + np.exp(-(signs @ weights + offset)))).astype(np.float64)


def test_known_weights_are_found_again() -> None:
    signs, right = cases(40_000, [1.5, -8.0, 0.05], 39.5)
    found = logistic.fit(signs, right, strength=100.0)
    assert found.weights == pytest.approx([1.5, -8.0, 0.05], rel=0.1)
    assert found.offset == pytest.approx(39.5, rel=0.1)
    assert found.odds(signs).shape == (40_000,)


def test_a_count_is_as_many_cases() -> None:
    signs, right = cases(300, [1.0, 4.0, 0.1], -20.0)
    often = np.arange(300) % 3 + 1.0
    repeated = np.repeat(np.arange(300), often.astype(int))
    # Signs are standardised by what is given, so the penalty has to be slight for both to be the same.
    counted = logistic.fit(signs, right, 1e6, often)
    copied = logistic.fit(signs[repeated], right[repeated], 1e6)
    assert counted.weights == pytest.approx(copied.weights, rel=1e-3)


def test_a_penalty_holds_what_a_line_tells_apart() -> None:
    signs = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    right = np.array([0.0, 0.0, 1.0, 1.0])
    weak, strong = (float(logistic.fit(signs, right, strength).weights[0]) for strength in (0.05, 50.0))
    assert 0 < weak < strong < 50


def record(text: object) -> str:
    return json.dumps({"timestamp": "2026-01-02T03:04:05Z", "message": {"content": text}})


def test_labels_keep_places_and_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    answer = [{"type": "text", "text": "The cart\nis locked while it is paid."}]
    Path(folder, "old.jsonl").write_text(record(answer), encoding="utf-8")
    Path(folder, "new.jsonl").write_text("{}\n" + record("why is the cart locked?"), encoding="utf-8")
    gold = {"session_id": "old", "line": 1, "quote": "is locked while it is paid", "help": 3}
    row = {"project": "shop", "session_id": "new", "line": 2, "none": False, "gold": [gold], "why": "the cart"}
    kept = labelled_prompts.placed({**row, "event": "prompt", "text": "why is the cart locked?"}, tmp_path)
    assert "cart" not in json.dumps(kept)
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps(kept), encoding="utf-8")
    (label,) = labelled_prompts.labels_of(labels, tmp_path)
    assert label.text == "why is the cart locked?"
    assert label.timestamp == "2026-01-02T03:04:05Z"
    assert label.gold == (labelled_prompts.Gold("old", "is locked while it is paid"),)
    assert label.is_answerable


def test_labels_of_the_repository_hold_no_text() -> None:
    path = Path(__file__).parents[2] / "bench" / "labels" / "recall-more.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert set(row) - {"weak"} == {"project", "session_id", "line", "none", "gold"}
        assert all(set(gold) == {"session_id", "line", "start", "end"} for gold in row["gold"])
