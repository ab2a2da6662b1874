"""Fit and measure whether an agent is told anything for a prompt, and what: the weights of recall/outcomes.py (pieces)
and recall/judgement.py (moments).

    python bench/judge.py LABELS.jsonl… TRANSCRIPTS [--fit] [--check] [--apply] [--homes DIR]

Labelled prompts are replayed in order of time, with only what had ended before each indexed and learned, and asked
through the product's own functions. Every prompt is also asked in the newest home of each other project, where nothing
should be said: those count three quarters of a prompt together (a quarter each, with four projects). A piece is right
when it holds half of the words of a gold quote of its session; an answer is right when its text does, and names the
session.

An order ("commit") means the same in every project, so where it is answered by how it usually fails there, it is no
unrelated prompt that was answered; how many those are is printed.

Without options: what the weights in the code give. With `--fit` also the weights as they would stand in the code, and
what is given on each project by weights from the other three: given and right by threshold, and reliability by chance,
by length of the prompt and by language. `--check` says how far the weights in the code are from the fitted ones;
`--apply` writes these into the code. `--homes` keeps the homes, and takes those that are there (1.2 GB).
"""

from __future__ import annotations

import argparse
import itertools
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from axiommind.projections.scope import open_scoped
from axiommind.recall import judgement, outcomes
from axiommind.recall.answers import answers
from axiommind.recall.disclosure import Disclosed, IndexItem, Meta
from axiommind.recall.judgement import MomentSigns
from axiommind.recall.outcomes import PieceOutcome, PieceSigns
from axiommind.recall.question import question_of
from axiommind.recall.quotations import fitting
from axiommind.recall.request import OF_ONE_SESSION, IndexRequest
from axiommind.recall.usual_failure import orders_in, usual_failures
from axiommind.search.evidence import Evidence, evidence
from axiommind.search.find import connect
from axiommind.search.lexical import FOLLOWING_FOR_A_CHANCE, KnownWords
from axiommind.search.query import Query
from axiommind.settings import KEYS
from axiommind.surfaces.render.recall import as_text
from axiommind.text.language import detect
from labelled_prompts import Label, labels_of, replayed, share
from logistic import Fitted, Floats, fit

NOW = 1_795_000_000_000
PIECES, MOMENTS = 0.05, 0.3  # how strongly each is fitted (C)
UNRELATED = 0.75  # what a prompt counts that is asked in other projects, in all of them together
HALF, WITHOUT_SESSION = 0.5, 0.75  # of a quote's words, where its session is named, and where not
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
CHANCES = (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 1.01)
SHORT, LONG = 40, 600  # characters
LENGTHS = (f"< {SHORT} characters", f"{SHORT}–{LONG}", f"> {LONG}")
TOKENS, THRESHOLD, TOP_K = (
    next(key.default for key in KEYS if key.name == name)
    for name in ("retrieval.maxTokens", "retrieval.promptChance", "progressiveDisclosure.layer1.topK")
)


class Moment(NamedTuple):
    """A prompt that was asked in a home; where it asks for nothing, or nothing was found, without signs. What usually
    fails is told for an order all the same."""

    label: Label
    home: Path
    project: str  # where it was asked
    question: str
    signs: MomentSigns | None
    pieces: tuple[tuple[PieceSigns, bool], ...]  # with whether each is right
    chance: Callable[[], float]  # by the weights in the code at the time

    @property
    def is_related(self) -> bool:
        return self.label.project == self.project


class Given(NamedTuple):
    """What the product would say for a prompt if it said something however unlikely."""

    moment: Moment
    chance: float
    is_right: bool


class Weights(NamedTuple):
    pieces: Fitted
    moments: Fitted


# --- asking ------------------------------------------------------------------------------------------------


def moments_of(labels: Sequence[Label], homes: dict[str, Path]) -> Iterator[Moment]:
    newest: dict[str, Path] = {}
    for label in sorted(labels, key=lambda one: one.timestamp):
        newest[label.project] = homes[label.key]
        yield asked(label, homes[label.key], label.project)
    for project, home in sorted(newest.items()):
        for label in labels:
            if label.project != project:
                yield asked(label, home, project)


def asked(label: Label, home: Path, project: str) -> Moment:
    question = question_of(label.text)
    index = home / "index.db"
    if not index.exists():
        return Moment(label, home, project, question or "", None, (), lambda: 0.0)
    if question is None:
        usual = max((item.score for item in ordered(label, home, project)), default=0.0)
        return Moment(label, home, project, "", None, (), lambda: usual)
    folder = f"/home/dev/{project}"
    with closing(open_scoped(index, None)) as db:
        connect(db)
        query = Query.plain(question, now=NOW, project=folder)
        found = evidence(db, query, NOW, frozenset(), KnownWords(FOLLOWING_FOR_A_CHANCE))
        read = outcomes.outcomes(db, found, folder) if found is not None else []
    if found is None or not read:
        return Moment(label, home, project, question, None, (), lambda: 0.0)
    signs = judgement.signs_of(question, found, read)
    pieces = tuple((one.signs, is_right(label, one)) for one in read) if label.project == project else ()
    return Moment(label, home, project, question, signs, pieces, likelihood(question, found, read))


def likelihood(question: str, found: Evidence, read: Sequence[PieceOutcome]) -> Callable[[], float]:
    """The product's own judgement, of as little as it looks at."""
    entries = tuple(one for one in found.scored if one.passage.kind == "insight")
    slight = found._replace(scored=entries, judged=found.judged[:1], groups=())
    looked_at = [read[0], max(read, key=lambda one: one.signs.dense)]
    return lambda: judgement.likelihood(question, slight, looked_at)


def ordered(label: Label, home: Path, project: str) -> Sequence[IndexItem]:
    """What is told for a prompt that asks for nothing."""
    orders = orders_in(label.text)
    if not orders:
        return ()
    with closing(open_scoped(home / "index.db", None)) as db:
        connect(db)
        return usual_failures(db, requested(label.text, project, THRESHOLD), orders)


def requested(question: str, project: str, least: float) -> IndexRequest:
    query = Query.plain(question, now=NOW, project=f"/home/dev/{project}")
    return IndexRequest(
        query, TOP_K, least, None, frozenset(), "lexical", NOW, is_now=True, of_one=OF_ONE_SESSION, answers=True
    )


def is_right(label: Label, one: PieceOutcome) -> bool:
    said = one.piece.said
    return any(gold.session == one.passage.group and share(gold.quote, said) >= HALF for gold in label.gold)


def given(moment: Moment) -> Given:
    chance = moment.chance()
    if not chance or not moment.is_related or not moment.label.gold:
        return Given(moment, chance, False)
    if moment.signs is None:
        items = ordered(moment.label, moment.home, moment.project)
    else:
        with closing(open_scoped(moment.home / "index.db", None)) as db:
            connect(db)
            items = answers(db, requested(moment.question, moment.project, 0.0), {}).items
    kept = tuple(fitting(items, TOKENS))
    text = as_text(Disclosed(kept, (), (), Meta(len(items), 0, 0)), TOKENS)
    helps = any(
        share(gold.quote, text) >= (HALF if gold.session[:8] in text else WITHOUT_SESSION) for gold in moment.label.gold
    )
    return Given(moment, chance, helps)


@contextmanager
def weighing(weights: Weights) -> Iterator[None]:
    """The product with other weights than those in the code."""
    kept = outcomes.WEIGHTS, judgement.WEIGHTS, judgement.OFFSET
    outcomes.WEIGHTS = PieceSigns(*map(float, weights.pieces.weights))
    judgement.WEIGHTS = MomentSigns(*map(float, weights.moments.weights))
    judgement.OFFSET = weights.moments.offset
    try:
        yield
    finally:
        outcomes.WEIGHTS, judgement.WEIGHTS, judgement.OFFSET = kept


# --- fitting -----------------------------------------------------------------------------------------------


def fitted(moments: Iterable[Moment], without: str = "") -> Weights:
    """By all projects but one: neither its prompts nor its home."""
    used = [
        one for one in moments
        if one.signs is not None and not one.label.is_weak and without not in (one.project, one.label.project)
    ]  # fmt: skip
    others = max(len({one.project for one in used}) - 1, 1)
    pieces = [piece for one in used if any(right for _, right in one.pieces) for piece in one.pieces]
    return Weights(
        fit(rows(signs for signs, _ in pieces), flags(right for _, right in pieces), PIECES),
        fit(
            rows(one.signs for one in used),
            flags(one.is_related and one.label.is_answerable for one in used),
            MOMENTS,
            np.array([1.0 if one.is_related else UNRELATED / others for one in used]),
        ),
    )


def rows(signs: Iterable[tuple[float, ...] | None]) -> Floats:
    return np.array(list(signs), dtype=np.float64)


def flags(values: Iterable[bool]) -> Floats:
    return np.array(list(values), dtype=np.float64)


def cross_validated(moments: Sequence[Moment]) -> list[Given]:
    """What each project is given by weights from the others."""
    found: list[Given] = []
    for project in sorted({one.project for one in moments}):
        with weighing(fitted(moments, without=project)):
            found += [given(one) for one in moments if one.project == project]
    return found


# --- tables ------------------------------------------------------------------------------------------------


def by_threshold(found: Sequence[Given], title: str) -> None:
    print(f"\n{title}: a prompt that can be answered is put before one that cannot {told_apart(found):.2f} of the time")
    print("threshold  given right noise  precision recall noise   unrelated answered")
    for threshold in THRESHOLDS:
        print(f"{threshold:9.2f}  {_figures(found, threshold)}")


def told_apart(found: Sequence[Given]) -> float:
    """The area under the curve, of prompts that ask for something."""
    own = [one for one in found if one.moment.is_related and not one.moment.label.is_weak and one.moment.signs]
    can = np.array([one.chance for one in own if one.moment.label.is_answerable])
    cannot = np.array([one.chance for one in own if not one.moment.label.is_answerable])
    ahead = (can[:, None] > cannot).sum() + (can[:, None] == cannot).sum() / 2
    return float(ahead / max(len(can) * len(cannot), 1))


def by_project(found: Sequence[Given], threshold: float, title: str) -> None:
    print(f"\n{title}, threshold {threshold:.2f}")
    print(f"{'':34} given right noise  precision recall noise   unrelated answered")
    for source in sorted({one.moment.label.source for one in found}):
        mine = [one for one in found if one.moment.label.source == source]
        for project in [*sorted({one.moment.project for one in mine}), ""]:
            some = [one for one in mine if not project or one.moment.project == project]
            print(f"{source + ' ' + (project or 'all'):34} {_figures(some, threshold)}")
    print(f"{'all':34} {_figures(found, threshold)}")


def _figures(found: Sequence[Given], threshold: float) -> str:
    own = [one for one in found if one.moment.is_related and not one.moment.label.is_weak]
    others = [one for one in found if not one.moment.is_related]
    told = [one for one in own if one.chance >= threshold]
    can = sum(one.moment.label.is_answerable for one in own)
    right = sum(one.is_right for one in told)
    noise = sum(not one.moment.label.is_answerable for one in told)
    strange = sum(one.chance >= threshold for one in others if one.moment.signs is not None)
    return (
        f"{len(told):5} {right:5} {noise:5}  {_percent(right, len(told)):>9} {_percent(right, can):>6} "
        f"{_percent(noise, len(own) - can):>5}   {strange:4} of {len(others)} ({strange / max(len(others), 1):.1%})"
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def reliability(found: Sequence[Given]) -> None:
    """Predicted chance against what was so, of prompts that ask for something."""
    own = [one for one in found if one.moment.is_related and not one.moment.label.is_weak and one.moment.signs]
    print(f"\nreliability, of {len(own)} prompts that ask for something")
    print("                 prompts  predicted  answerable  right")
    for low, high in itertools.pairwise(CHANCES):
        _observed(f"chance {low:.2f}–{min(high, 1):.2f}", [one for one in own if low <= one.chance < high])
    groups: dict[str, list[Given]] = {name: [] for name in (*LENGTHS, "en", "ko", "ja")}
    for one in own:
        text = one.moment.label.text
        groups[LENGTHS[(len(text) >= SHORT) + (len(text) > LONG)]].append(one)
        groups[language(text)].append(one)
    for name, some in groups.items():
        _observed(name, some)


def language(text: str) -> str:
    """Of these projects none is Chinese: Han without kana is a short Japanese prompt."""
    return {"ko": "ko", "ja": "ja", "zh": "ja"}.get(detect(text), "en")


def _observed(name: str, found: Sequence[Given]) -> None:
    if not found:
        print(f"{name:16} {0:7}")
        return
    predicted = sum(one.chance for one in found) / len(found)
    answerable = sum(one.moment.label.is_answerable for one in found) / len(found)
    right = sum(one.is_right for one in found) / len(found)
    print(f"{name:16} {len(found):7} {predicted:10.2f} {answerable:11.2f} {right:6.2f}")


# --- the code ----------------------------------------------------------------------------------------------


def as_code(names: tuple[str, ...], kind: str, weights: Floats) -> str:
    """Weights as they stand in the code."""
    told = [f"{name}={round(float(weight), 2)}" for name, weight in zip(names, weights, strict=True)]
    line = f"WEIGHTS = {kind}({', '.join(told)})"
    if len(line) <= 120:
        return line
    lines = ["   "]
    for one in told:
        if len(lines[-1]) + len(one) + 2 > 120:
            lines.append("   ")
        lines[-1] += f" {one},"
    return "\n".join([f"WEIGHTS = {kind}(", *lines, ")  # fmt: skip"])


def code_of(weights: Weights) -> tuple[str, str]:
    moments = as_code(MomentSigns._fields, "MomentSigns", weights.moments.weights)
    return (
        as_code(PieceSigns._fields, "PieceSigns", weights.pieces.weights),
        f"{moments}\nOFFSET = {round(weights.moments.offset, 2)}",
    )


def apply(weights: Weights) -> None:
    pieces, moments = code_of(weights)
    _write(outcomes, r"^WEIGHTS = PieceSigns\(.*?\)(?:  # fmt: skip)?$", pieces)
    _write(judgement, r"^WEIGHTS = MomentSigns\(.*?^OFFSET = \S+$", moments)


def _write(module: ModuleType, pattern: str, code: str) -> None:
    path = Path(str(module.__file__))
    text, changed = re.subn(pattern, lambda _: code, path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    if changed != 1:
        raise SystemExit(f"{path}: {changed} places for the weights")
    path.write_text(text, encoding="utf-8")
    print(f"written: {path}")


def check(weights: Weights, moments: Sequence[Moment]) -> None:
    """How far the weights in the code are from the fitted ones."""
    print("\nweights in the code and fitted; by how much they differ when a sign changes by one standard deviation")
    for kind, names, code, one in (
        ("piece", PieceSigns._fields, outcomes.WEIGHTS, weights.pieces),
        ("moment", MomentSigns._fields, judgement.WEIGHTS, weights.moments),
    ):
        apart = (np.array(code) - one.weights) * one.spread
        for name, now, then, off in zip(names, code, one.weights, apart, strict=True):
            print(f"{kind:7} {name:10} {now:7.2f} {then:7.2f} {off:+7.2f}")
        print(f"{kind}s: furthest {names[int(np.abs(apart).argmax())]} by {np.abs(apart).max():.2f}")
    print(f"offset {judgement.OFFSET} and {weights.moments.offset:.2f}")
    used = [one for one in moments if one.signs is not None]
    now_chances = np.array([one.chance() for one in used])
    with weighing(weights):
        chances = np.array([one.chance() for one in used])
    moved = int(((now_chances >= THRESHOLD) != (chances >= THRESHOLD)).sum())
    print(
        f"chances of {len(used)} moments differ by {np.abs(now_chances - chances).mean():.3f} on average, "
        f"{np.abs(now_chances - chances).max():.3f} at most; {moved} are decided otherwise at {THRESHOLD}"
    )


def main() -> None:
    args = arguments()
    labels = [label for path in args.labels for label in labels_of(path, args.transcripts)]
    with tempfile.TemporaryDirectory(prefix="axm-homes-") as base:
        moments = list(moments_of(labels, replayed(labels, args.transcripts, args.homes or Path(base))))
        own = [one for one in moments if one.is_related]
        weak, can = sum(one.label.is_weak for one in own), sum(one.label.is_answerable for one in own)
        print(f"{len(own)} prompts, {weak} of them weak (not counted), {can} answerable;", end=" ")
        print(f"{sum(one.signs is None for one in own)} ask for nothing or find nothing;", end=" ")
        print(f"{len(moments) - len(own)} times asked in another project;", end=" ")
        usual = [sum(one.signs is None and one.chance() > 0 for one in some) for some in (own, moments)]
        print(f"{usual[0]} orders usually fail, and {usual[1] - usual[0]} where they are asked in another project")
        shipped = [given(one) for one in moments]
        by_threshold(shipped, "weights in the code")
        by_project(shipped, THRESHOLD, "weights in the code")
        if args.fit or args.check or args.apply:
            weights = fitted(moments)
            print("\nfitted on all projects:", *code_of(weights), sep="\n")
        if args.fit:
            with weighing(weights):
                by_project([given(one) for one in moments], THRESHOLD, "fitted on all projects")
            found = cross_validated(moments)
            by_threshold(found, "each project by weights from the others")
            by_project(found, THRESHOLD, "each project by weights from the others")
            reliability(found)
        if args.check:
            check(weights, moments)
        if args.apply:
            apply(weights)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path, nargs="+")
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--apply", action="store_true")
    parser.add_argument("--homes", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
