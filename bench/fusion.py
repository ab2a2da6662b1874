"""Fit what meaning is worth beside words, as JSON: the constants of search/semantic.py and search/calibrate.py.

    python bench/fusion.py BENCH_DIR [--set NAME …] [--embedder static]

BENCH_DIR is the folder of public sets (locomo-dev.json, lme-pooled-dev …); of bench/sets the development halves are
taken along. Every question is asked once through the product, and what fusion is given is kept. Then each constant is
varied around the value it has, the others as they are, and sessions and documents are ranked anew by the product's own
code: hit@1 and hit@5 of every set, for every value. Nothing is written: who changes a constant does it by hand, and
says why beside it. Last, the curve of the chance that a first hit is right, fitted to all sets alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

import retrieval
from axiommind.search import calibrate, rank, semantic

OWN = Path(__file__).parent / "sets"
VALUES: dict[str, tuple[float, ...]] = {
    "WEIGHT": (0.0, 0.02, 0.04, 0.06, 0.1),
    "ALONE": (0.0, 0.15, 0.3, 0.7),
    "POWER": (3, 6, 9),
    "UNSAID": (0.0, 0.3, 0.6, 0.9),
    "ACROSS": (0.0, 0.15, 0.3, 0.5),
    "ACROSS_POWER": (1, 2, 3),
}


class Kept(NamedTuple):
    """A question with what fusion was given for it: enough to rank again."""

    asked: rank.Asked
    given: tuple[Any, ...]
    is_right: Callable[[rank.Group], bool]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", action="append", default=[], help="only this one (repeatable)")
    parser.add_argument("--embedder", default="static")
    args = parser.parse_args()
    kept = {}
    for name, command in runs(args.folder).items():
        if name in (args.set or [name]):
            kept[name] = list(asked(command, args.embedder))
            print(f"{name}: {len(kept[name])} questions", file=sys.stderr)
    shown: dict[str, Any] = {"now": {name: measured(some) for name, some in kept.items()}, "varied": {}}
    for constant, values in VALUES.items():
        usual = getattr(semantic, constant)
        shown["varied"][constant] = {}
        for value in values:
            setattr(semantic, constant, value)
            shown["varied"][constant][value] = {name: measured(some) for name, some in kept.items()}
        setattr(semantic, constant, usual)
    shown["chance"] = fitted(kept)
    print(json.dumps(shown, indent=1))
    return 0


def runs(folder: Path) -> dict[str, list[str]]:
    found = {p.parent.name: ["beir", str(p.parent), "--half", "odd"] for p in sorted(OWN.glob("*/corpus.jsonl"))}
    found |= {path.parent.name: ["beir", str(path.parent)] for path in sorted(folder.glob("*/corpus.jsonl"))}
    if (folder / "locomo-dev.json").exists():
        found["locomo"] = ["locomo", str(folder / "locomo-dev.json")]
    if (folder / "transcripts").is_dir():
        found["commits"] = ["commits", str(folder / "transcripts"), str(folder / "commit-session-dev.jsonl")]
    return found


def asked(command: list[str], embedder: str) -> Iterator[Kept]:
    """Ask every question of a set, and keep what fusion is given."""
    given: list[tuple[Any, ...]] = []
    weighed, ask = semantic._weighed, retrieval.Home.ask

    def keep(*args: Any, group: bool) -> Iterator[rank.Scored]:
        args = (*args[:3], dict(args[3]), set(args[4]), args[5])
        given.append(args)
        return weighed(*args, group=group)

    def note(home: retrieval.Home, question: retrieval.Asked, unit: str = "session") -> Any:
        given.clear()
        outcome = ask(home, question, unit)
        if given:
            paths = dict(home.memory.sql("select id, path from documents", retrieval.Scope(None)))
            names = {key: home.names.get(paths.get(key, key), key) for key in {*paths, *home.names}}
            kept.append(Kept(given[0][1], given[0], lambda g: names.get(g.key, g.key) in question.gold))
        return outcome

    kept: list[Kept] = []
    semantic._weighed, retrieval.Home.ask = keep, note  # type: ignore[assignment, method-assign]
    try:
        args = retrieval.parsed([*command, "--mode", "hybrid", "--embedder", embedder])
        with tempfile.TemporaryDirectory(prefix="axm-fusion-") as base:
            list(retrieval.RUNS[args.set](args, Path(base)))
    finally:
        semantic._weighed, retrieval.Home.ask = weighed, ask  # type: ignore[method-assign]
    return iter(kept)


def ranked(one: Kept) -> list[rank.Group]:
    return rank.pool(one.asked, semantic._ordered(semantic._weighed(*one.given, group=True)))


def measured(kept: list[Kept]) -> list[float]:
    """hit@1 and hit@5, in percent."""
    hits = [[one.is_right(group) for group in ranked(one)[:5]] for one in kept]
    share = 100 / max(len(hits), 1)
    return [round(sum(any(row[:n]) for row in hits) * share, 1) for n in (1, 5)]


def fitted(kept: dict[str, list[Kept]]) -> dict[str, Any]:
    """Slope and offset of the logistic curve, every set counting the same; and how far off it is, set by set."""
    points = []
    for name, some in kept.items():
        for one in some:
            if groups := ranked(one):
                share = calibrate.share(groups[0].score, one.asked)
                points.append((share, float(one.is_right(groups[0])), 1 / len(some), name))
    slope, offset = 1.0, 0.0
    for _ in range(4_000):
        up = level = 0.0
        for x, right, weight, _name in points:
            wrong = weight * (right - 1 / (1 + exp(-(slope * x + offset))))
            up, level = up + wrong * x, level + wrong
        slope, offset = slope + 0.3 * up, offset + 0.3 * level
    said = {
        name: [
            round(sum(of(slope * x + offset, right) for x, right, _, n in points if n == name) / len(some), 3)
            for of in (lambda z, _r: 1 / (1 + exp(-z)), lambda _z, r: r)
        ]
        for name, some in kept.items()
        if some
    }
    return {"slope": round(slope, 2), "offset": round(offset, 2), "said_and_right": said}


if __name__ == "__main__":
    raise SystemExit(main())
