"""The weights of the agent's findings, and what they are worth: `python bench/salience.py [SHARED] [--fit]`.

Reads SHARED/bench/worth-dev.jsonl and the transcripts it speaks of, and fits a logistic regression over the features
of `extraction/rules/_salience` to which statements were labelled, there or in `tests/learning/labelled/findings.jsonl`
(findings of other sessions of the same projects, judged by reading). A weight starts at a guess (`GUESS`) and moves as
far as the labels pull it. Every project is scored by weights that the other projects gave; the table is of that.
Needs numpy. `--fit` prints the weights fitted to all of them, to be put into the module.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import LONGEST, cut
from axiommind.extraction.refutation import refuted
from axiommind.extraction.rules import _salience, findings
from axiommind.projections.transcript import Transcript
from precision import indexed, transcripts

HERE = Path(__file__).parents[1]
JUDGED = HERE / "tests" / "learning" / "labelled" / "findings.jsonl"
HOLD = 40.0  # how firmly a weight is held to its guess
GUESS = {
    "root": 1.5, "diagnosis": 1.0, "cause": 1.0, "constraint": 0.8, "contrast": 0.8, "names": 0.5, "asked_why": 0.5,
    "repeated": 0.5, "name": 0.4, "fails": 0.4, "cause_heading": 0.4, "seen": 0.2, "in_list": -0.3,
    "points_back": -0.3, "change_heading": -0.3, "edited_later": -0.3, "local": -0.5, "now": -0.5, "trivial": -0.8,
    "change": -1.0, "short": -1.2,
}  # fmt: skip
WORD = re.compile(r"[a-z0-9_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+", re.IGNORECASE)
Label = dict[str, Any]


class Row(NamedTuple):
    project: str
    said: _salience.SaidSentence
    worth: int  # 0: not labelled
    undone: bool  # a trap, or taken back later


class Session(NamedTuple):
    project: str
    transcript: Transcript
    labels: list[Label]


def share(part: str, whole: str) -> float:
    """How much of a text is in another, as score.py counts it."""
    mine, theirs = _grams(part), _grams(whole)
    return len(mine & theirs) / len(mine) if mine else 0.0


def _grams(text: str) -> set[str]:
    found: set[str] = set()
    for word in WORD.findall(text.lower()):
        found.update([word] if word[0] < "\u3040" else (word[at : at + 2] for at in range(max(1, len(word) - 1))))
    return found


def sessions(shared: Path) -> list[Session]:
    rows = (shared / "bench" / "worth-dev.jsonl").read_text(encoding="utf-8").splitlines()
    labels: dict[str, list[Label]] = defaultdict(list)
    for row in map(json.loads, rows):
        labels[row["session_id"]].append(row)
    read = {row["session"] for row in judged()}
    found = []
    for project in sorted({row["project"] for some in labels.values() for row in some}):
        with tempfile.TemporaryDirectory() as folder:
            for transcript in transcripts(indexed(shared, Path(folder), [project])):
                if transcript.session_id in labels or transcript.session_id in read:
                    found.append(Session(project, transcript, labels.get(transcript.session_id, [])))
    return found


def judged() -> list[Label]:
    return [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]


def statements(given: list[Session]) -> list[Row]:
    rows = []
    read = {(row["session"], row["quote_hash"]): row["ok"] for row in judged()}
    for project, transcript, labels in given:
        for said in _salience.said_in(transcript):
            if not _salience.is_statement(said):
                continue
            if not labels:
                first = cut(said.sentence.text[: LONGEST + 1])
                key = transcript.session_id, hashlib.sha256(first.encode("utf-8", "surrogatepass")).hexdigest()[:16]
                if key in read:
                    rows.append(Row(project, said, 2 * read[key], not read[key]))
                continue
            line, text = transcript.messages[said.message].line, said.sentence.text
            hits = [
                label
                for label in labels
                if (shared := share(label["quote"], text)) >= 0.6 or (abs(label["line"] - line) <= 1 and shared >= 0.3)
            ]
            worth = max((one["worth"] for one in hits if one["kind"] not in ("trap", "reversal", "open")), default=0)
            rows.append(Row(project, said, worth, any(one["kind"] in ("trap", "reversal") for one in hits)))
    return rows


def fitted(rows: list[Row], names: list[str]) -> tuple[float, dict[str, float]]:
    """Newton's method for the logistic regression that is held to the guess."""
    x = np.array([[1.0, *(name in row.said.features for name in names)] for row in rows])
    y = np.array([float(row.worth > 0 and not (row.undone and row.worth < 2)) for row in rows])
    count = np.array([1.0 + (row.worth > 1) if row.worth else 1.0 + row.undone for row in rows])
    guess = np.array([-3.0, *(GUESS.get(name, 0.0) for name in names)])
    hold = np.diag([1e-6, *[HOLD] * len(names)])
    weights = guess.copy()
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (count * (p - y)) + hold @ (weights - guess)
        step = np.linalg.solve((x.T * (count * p * (1 - p))) @ x + hold, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return float(weights[0]), dict(zip(names, map(float, weights[1:]), strict=True))


def found_by(one: Session, label: Label, drafts: list[Draft]) -> list[int]:
    lines = [label["line"], *(label.get("also_lines") or [])]
    hits = []
    for n, draft in enumerate(drafts):
        near = any(
            abs(one.transcript.messages[quote.message].line - line) <= 1 and share(label["quote"], quote.text) >= 0.3
            for quote in draft.quotes
            for line in lines
        )
        whole = "\n".join([draft.title, draft.text, *(quote.text for quote in draft.quotes)])
        if near or share(label["quote"], whole) >= 0.6:
            hits.append(n)
    return hits


def score(given: list[tuple[Session, list[Draft]]]) -> dict[str, int]:
    tally: dict[str, int] = defaultdict(int)
    for one, drafts in given:
        useful: set[int] = set()
        for label in one.labels:
            hits = found_by(one, label, drafts)
            if label["kind"] in ("trap", "reversal"):
                tally[label["kind"]] += bool(hits)
            elif label["kind"] != "open":
                useful.update(hits)
                if label["worth"] > 1:
                    tally["learned"] += bool(hits)
                    tally["items"] += 1
                    if label["speaker"] in ("assistant", "summary"):
                        tally["learned of the agent"] += bool(hits)
                        tally["items of the agent"] += 1
        tally["entries"] += len(drafts)
        tally["useful"] += len(useful)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", nargs="?", type=Path, default=HERE.parent / "shared")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    given = sessions(options.shared)
    rows = statements(given)
    names = sorted({name for row in rows for name in row.said.features})
    print(f"{len(given)} sessions, {len(rows)} statements, {sum(row.worth > 0 for row in rows)} of them labelled")
    if options.fit:
        base, weights = fitted(rows, names)
        print(f"BASE = {base:.2f}", json.dumps({name: round(w, 2) for name, w in weights.items()}, indent=4), sep="\n")
        return
    kept: list[tuple[Session, list[Draft]]] = []
    for project in sorted({one.project for one in given}):
        base, weights = fitted([row for row in rows if row.project != project], names)
        _salience.BASE = base
        _salience.WEIGHTS.update(weights)
        for one in given:
            if one.project == project and one.labels:
                drafts = findings.find(one.transcript)
                out = refuted(one.transcript, drafts)
                kept.append((one, [draft for n, draft in enumerate(drafts) if n not in out]))
    for most in (3, 5):
        print(f"at most {most} a session:")
        for project in [*sorted({one.project for one, _ in kept}), ""]:
            tally = score([(one, drafts[:most]) for one, drafts in kept if not project or one.project == project])
            print(f"  {project or 'together':20} {json.dumps(tally)}")


if __name__ == "__main__":
    main()
