"""Fit and measure the chance that a passage is meant, as JSON: the constants of search/relevance.py.

    python bench/relevance.py BENCH_DIR [--most 500] [--plot docs/images/reliability.svg]

BENCH_DIR is the folder of public sets (locomo-dev.json, lme-pooled-dev …). Every question is asked of its own store
(right: a hit from one of its sessions or documents), once more with those left out ("absent": the store is about the
same things, and nothing is right), and of stores that have nothing to do with it: questions of other sets, prompts
and commit subjects of other projects, and the prompts of bench/sets/unrelated. "few" are stores of one to six sessions
of lme-pooled. By a hash of its text a question belongs to the half that is fitted or to the half that is reported. All
sets count the same, in each its own questions as much as all others together; absent ones a tenth of that.
Figures are of the constants as they are in the code; `fitted` is what they would be. Fitted are the first ten hits,
which those in the code put first: who changes them runs it again, until they stay. Nothing is written but the plot.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

import retrieval
from axiommind.projections.scope import open_scoped
from axiommind.recall.recall import OF_ONE_SESSION, TRAILING
from axiommind.search import find, relevance
from axiommind.search.query import Query
from axiommind.search.relevance import Signs

UNRELATED = Path(__file__).parent / "sets" / "unrelated" / "prompts.jsonl"
BEIR = ("lme-pooled", "welfare-ko", "cmrc-zh", "jaquad-ja")
SEED = 7
SHOWN = 10  # hits of a question that are looked at
TAKEN = 30  # hits that are kept, so that other constants may choose other ones
LOW, HIGH = 0.7, 0.92
ABSENT = 0.1
TODAY = 1_780_000_000_000


class Hit(NamedTuple):
    signs: Signs
    is_document: bool
    is_right: bool
    chance: float
    owner: str  # the session or document


class Case(NamedTuple):
    """A question that was asked of a store, and its hits; `source` is "own" where the store has the answer."""

    store: str
    source: str
    text: str
    hits: tuple[Hit, ...]
    took_ms: float

    @property
    def is_held_out(self) -> bool:
        return sha256(self.text.encode()).digest()[0] % 2 == 0


class Store(NamedTuple):
    name: str
    index: Path
    project: str | None
    names: dict[str, str]  # group → what the data set calls it
    own: list[retrieval.Asked]
    now: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=500, help="questions of a set of documents that are asked")
    parser.add_argument("--plot", type=Path, help="draw the reliability diagram into this SVG file")
    args = parser.parse_args()
    cases = list(asked(args.folder, args.most))
    held_out = [case for case in cases if case.is_held_out]
    shown = {
        "questions": len(cases),
        "fitted": fitted([case for case in cases if not case.is_held_out]),
        "shipped": shipped(),
        "held_out": measured(held_out),
        "reliability": reliability(held_out),
        "took_ms": percentiles(case.took_ms for case in cases),
    }
    print(json.dumps(shown, ensure_ascii=False, indent=1))
    if args.plot:
        plot(shown["reliability"], args.plot)
    return 0


# --- asking ------------------------------------------------------------------------------------------------


def asked(folder: Path, most: int) -> Iterator[Case]:
    with tempfile.TemporaryDirectory(prefix="axm-relevance-") as base:
        stores = list(built(folder, Path(base), most))
        prompts = list(prompts_of(folder / "transcripts"))
        for store in stores:
            with closing(open_scoped(store.index, None)) as db:
                find.connect(db)
                for question in store.own:
                    gold = frozenset(key for key, name in store.names.items() if name in question.gold)
                    yield ask(db, store, "own", question.text, question.now, gold)
                    yield ask(db, store, "absent", question.text, question.now, without=gold)
                for source, text in others(store, stores, prompts):
                    yield ask(db, store, source, text)
        print(f"{len(stores)} stores", file=sys.stderr)


def ask(
    db: sqlite3.Connection,
    store: Store,
    source: str,
    text: str,
    now: int | None = None,
    gold: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Case:
    now = now or store.now
    query = Query.plain(text, now=now, project=store.project)
    started = time.perf_counter()
    page = find.find(db, query, find.Options(k=TAKEN, calibrated=True, without=without), now)
    took = (time.perf_counter() - started) * 1000
    parents = dict(db.execute("select id, coalesce(parent_session, id) from sessions")) if gold else {}
    owners = [hit.doc_id or parents.get(hit.session_id, hit.session_id) or "" for hit in page.hits]
    hits = tuple(
        Hit(Signs(**hit.why["relevance"]), hit.kind == "doc", owner in gold, hit.score, owner)
        for hit, owner in zip(page.hits, owners, strict=True)
    )
    return Case(store.name, source, text, hits, took)


def others(store: Store, stores: Sequence[Store], prompts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Questions and prompts that the store has nothing to say to."""
    mixed = random.Random(f"{SEED} {store.name} {store.index.parent.parent.name}")
    few = store.name == "few"
    unrelated = [row["text"] for row in retrieval.lines(UNRELATED)]
    yield from (("unrelated", text) for text in (mixed.sample(unrelated, 4) if few else unrelated))
    own = {question.text for question in store.own}
    kept = set(store.names.values())
    questions: dict[str, list[str]] = {}
    for other in stores:
        # What was asked of a set is only known not to be in this store where that is of another set or conversation.
        if other.index != store.index or other.project != store.project:
            free = [q.text for q in other.own if not (few and other.name in ("few", "lme-pooled") and q.gold & kept)]
            questions.setdefault("lme-pooled" if other.name == "few" else other.name, []).extend(free)
    if store.name == "lme-pooled":
        questions.pop("lme-pooled")
    for name, texts in sorted(questions.items()):
        distinct = sorted(set(texts) - own)
        yield from ((name, text) for text in mixed.sample(distinct, min(2 if few else 60, len(distinct))))
    foreign = [text for project, text in prompts if project != store.name]
    yield from (("prompts", text) for text in mixed.sample(foreign, min(2 if few else 60, len(foreign))))


def prompts_of(transcripts: Path) -> Iterator[tuple[str, str]]:
    """What people typed in the transcripts, each once."""
    seen = set()
    for path in sorted(transcripts.glob("*/*.jsonl")):
        for line in path.read_bytes().splitlines():
            if b'"user"' not in line:
                continue
            try:
                record = json.loads(line)
            except ValueError:
                continue
            text = (record.get("message") or {}).get("content") if isinstance(record, dict) else None
            if isinstance(text, str) and 15 <= len(text) < 1500 and not text.startswith("<") and text not in seen:
                seen.add(text)
                yield path.parent.name, text


# --- stores ------------------------------------------------------------------------------------------------


def built(folder: Path, base: Path, most: int) -> Iterator[Store]:
    commands = {name: ["beir", str(folder / f"{name}-dev")] for name in BEIR}
    commands["locomo"] = ["locomo", str(folder / "locomo-dev.json")]
    commands["commits"] = ["commits", str(folder / "transcripts"), str(folder / "commit-session-dev.jsonl")]
    for name, command in commands.items():
        (base / name).mkdir()
        for home, questions in recorded(command, base / name):
            if name != "commits":
                wanted = random.Random(SEED).sample(questions, min(most, len(questions)))
                yield store(name, home, None, questions if name == "locomo" else wanted)
                continue
            for project in sorted({question.project or "" for question in questions}):
                short = "cipher-box" if "cipher-box" in project else "context-evaluator"
                yield store(short, home, project, [q for q in questions if q.project == project])
    yield from few(folder / "lme-pooled-dev", base / "few")


def recorded(command: list[str], base: Path) -> list[tuple[retrieval.Home, list[retrieval.Asked]]]:
    """The homes of a set and what would be asked of each, without asking."""
    asked: dict[int, tuple[retrieval.Home, list[retrieval.Asked]]] = {}

    def note(home: retrieval.Home, question: retrieval.Asked, _unit: str = "session") -> Any:
        asked.setdefault(id(home), (home, []))[1].append(question)
        return question, [], 0.0

    usual = retrieval.Home.ask
    retrieval.Home.ask = note  # type: ignore[method-assign]
    try:
        args = retrieval.parsed(command)
        list(retrieval.RUNS[args.set](args, base))
    finally:
        retrieval.Home.ask = usual  # type: ignore[method-assign]
    return list(asked.values())


def store(name: str, home: retrieval.Home, project: str | None, questions: Iterable[retrieval.Asked]) -> Store:
    paths = dict(home.memory.sql("select id, path from documents", retrieval.Scope(None)))
    names = {key: home.names.get(paths.get(key, key), key) for key in {*paths, *home.names}}
    once: dict[str, retrieval.Asked] = {}
    for one in questions:  # a subject that several commits have is one question
        gold = once[one.text].gold if one.text in once else frozenset()
        once[one.text] = one._replace(gold=one.gold | gold)
    now = max((one.now for one in once.values() if one.now), default=TODAY)
    return Store(name, home.memory.config.index_path, project, names, list(once.values()), now)


def few(folder: Path, base: Path) -> Iterator[Store]:
    """Stores as they are in the first days: the sessions of one question, and up to four more."""
    documents = {document["_id"]: document for document in retrieval.lines(folder / "corpus.jsonl")}
    gold: dict[str, list[str]] = {}
    for row in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = row.split("\t")
        if int(score) > 0:
            gold.setdefault(query, []).append(document)
    questions = [q for q in retrieval.lines(folder / "queries.jsonl") if len(gold.get(q["_id"], "123")) <= 2][:100]
    args = argparse.Namespace(mode="lexical")
    base.mkdir()
    for number, question in enumerate(questions):
        more = [gold[q["_id"]][0] for q in questions[number + 1 :] + questions[:number]][: number % 5]
        (base / str(number)).mkdir()
        home = retrieval.Home(base / str(number), args)
        for name in dict.fromkeys([*gold[question["_id"]], *more]):
            turns = [tuple(turn.split(": ", 1)) for turn in retrieval._TURN.split(documents[name]["text"])]
            home.session(name, "chats", turns, retrieval.moment(documents[name].get("title", "")))  # type: ignore[arg-type]
        home.index()
        now = retrieval.milliseconds(retrieval.moment(question["date"]))
        yield store("few", home, None, [retrieval.Asked(question["text"], frozenset(gold[question["_id"]]), None, now)])


# --- fitting -----------------------------------------------------------------------------------------------

FITTED = tuple(name for name in Signs._fields if name != "own")


def fitted(cases: Sequence[Case]) -> dict[str, float]:
    """Weights of the logistic curve, none below 0, by Newton's method; `own` is as it is set."""
    import numpy as np

    rows, rights, weights, fixed = [], [], [], []
    for case, weight in zip(cases, weighed(cases), strict=True):
        for hit in case.hits[:SHOWN]:
            signs = hit.signs._replace(passages=0.0 if hit.is_document else hit.signs.passages)
            rows.append([*(getattr(signs, name) for name in FITTED), float(hit.is_document), 1.0])
            rights.append(float(hit.is_right))
            weights.append(weight)
            fixed.append(relevance.WEIGHTS.own * hit.signs.own)
    x, y, w, base = map(np.array, (rows, rights, weights, fixed))
    b = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ b + base, -30, 30)))
        up = x.T @ (w * (y - p)) - 1e-5 * b
        bend = (x * (w * p * (1 - p))[:, None]).T @ x + 1e-5 * np.eye(len(b))
        free = [i for i in range(len(b)) if i >= len(FITTED) or b[i] > 0 or up[i] > 0]
        b[free] += np.linalg.solve(bend[np.ix_(free, free)], up[free])
        b[: len(FITTED)] = np.maximum(b[: len(FITTED)], 0)
    found = {name: round(float(value), 2) for name, value in zip(FITTED, b, strict=False)}
    per_passage = max(found["passages"], 0.01)
    return {**found, "OFFSET": round(float(b[-1]), 2), "DOCUMENT_PASSAGES": round(exp(float(b[-2]) / per_passage), 1)}


def weighed(cases: Sequence[Case]) -> list[float]:
    """What a case counts: all sets alike, in each the own questions as much as all others together."""

    def part(case: Case) -> tuple[str, str]:
        return case.store, case.source if case.source in ("own", "absent") else "other"

    count: dict[tuple[str, str], int] = {}
    for case in cases:
        count[part(case)] = count.get(part(case), 0) + 1
    return [(ABSENT if case.source == "absent" else 1.0) / count[part(case)] for case in cases]


def shipped() -> dict[str, float]:
    return {**relevance.WEIGHTS._asdict(), "OFFSET": relevance.OFFSET, "DOCUMENT_PASSAGES": relevance.DOCUMENT_PASSAGES}


# --- measuring ---------------------------------------------------------------------------------------------


def measured(cases: Sequence[Case]) -> dict[str, Any]:
    own = [case for case in cases if case.source == "own"]
    silent = [case for case in cases if case.source not in ("own", "absent")]
    return {
        "all": answered(own),
        "by_set": {name: answered([c for c in own if c.store == name]) for name in sorted({c.store for c in own})},
        "unrelated": noise([case for case in silent if case.source == "unrelated"]),
        "unrelated_by_set": {
            name: noise([c for c in silent if c.store == name and c.source == "unrelated"])
            for name in sorted({c.store for c in silent})
        },
        "other": noise([case for case in silent if case.source != "unrelated"]),
        "other_by_set": {
            name: noise([c for c in silent if c.store == name and c.source != "unrelated"])
            for name in sorted({c.store for c in silent})
        },
        "absent": noise([case for case in cases if case.source == "absent"]),
    }


def answered(cases: Sequence[Case]) -> dict[str, Any]:
    """Of questions that the store answers: how many get a hit, and how many of the hits are right."""
    shown: dict[str, Any] = {"questions": len(cases)}
    for floor in (LOW, HIGH):
        hits = [[hit for hit in case.hits[:SHOWN] if hit.chance >= floor] for case in cases]
        flat = [hit.is_right for some in hits for hit in some]
        shown[f"any>={floor}"] = share(sum(map(bool, hits)), len(cases))
        shown[f"hits>={floor}"] = len(flat)
        shown[f"right>={floor}"] = share(sum(flat), len(flat))
    given = [hit.is_right for case in cases for hit in injected(case)]
    return shown | {"injected": len(given), "injected_right": share(sum(given), len(given))}


def injected(case: Case) -> list[Hit]:
    """What an agent would be given: the likely ones, a few of each session, none far behind the first."""
    of_owner: Counter[str] = Counter()
    kept = []
    for hit in case.hits[:SHOWN]:
        of_owner[hit.owner] += 1
        likely = hit.chance >= max(LOW, case.hits[0].chance - TRAILING)
        if likely and of_owner[hit.owner] <= OF_ONE_SESSION:
            kept.append(hit)
    return kept


def noise(cases: Sequence[Case]) -> dict[str, Any]:
    """Of questions that nothing answers: how many get a hit all the same."""
    got = sum(any(hit.chance >= LOW for hit in case.hits) for case in cases)
    return {"questions": len(cases), "got": got, "share": share(got, len(cases))}


def share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def reliability(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """By tenths of what was said: how many hits, what was said of them on average, and how many were right; cases
    count as they do for the fit."""
    tenths: list[list[tuple[float, bool, float]]] = [[] for _ in range(10)]
    for case, weight in zip(cases, weighed(cases), strict=True):
        if case.source != "absent":
            for hit in case.hits[:SHOWN]:
                tenths[min(int(hit.chance * 10), 9)].append((hit.chance, hit.is_right, weight))
    return [
        {
            "from": i / 10,
            "hits": len(some),
            "said": share(sum(chance * weight for chance, _, weight in some), sum(weight for *_, weight in some)),
            "right": share(sum(right * weight for _, right, weight in some), sum(weight for *_, weight in some)),
        }
        for i, some in enumerate(tenths)
    ]


def percentiles(times: Iterable[float]) -> dict[str, float]:
    ordered = sorted(times) or [0.0]
    return {f"p{p}": round(ordered[min(len(ordered) * p // 100, len(ordered) - 1)], 1) for p in (50, 95)}


def plot(tenths: Sequence[dict[str, Any]], path: Path) -> None:
    """What was said of hits against how many were right; a point is as large as its hits are many."""
    import altair as alt

    rows = [row for row in tenths if row["hits"]]
    said = alt.X("said:Q", title="said", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    right = alt.Y("right:Q", title="right", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    ideal = alt.Chart(alt.Data(values=[{"said": 0, "right": 0}, {"said": 1, "right": 1}]))
    points = alt.Chart(alt.Data(values=rows))
    size = alt.Size("hits:Q", legend=None, scale=alt.Scale(type="sqrt", range=[20, 400]))
    chart = (
        ideal.mark_line(strokeDash=[4, 4], color="#7d8590").encode(x=said, y=right)
        + points.mark_line(color="#0f766e").encode(x=said, y=right)
        + points.mark_circle(color="#0f766e", opacity=1).encode(x=said, y=right, size=size)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    chart.properties(width=360, height=360, background="white").save(str(path))


if __name__ == "__main__":
    raise SystemExit(main())
