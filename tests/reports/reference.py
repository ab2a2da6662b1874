"""Every formula of the analysers once more: slow, obvious, and written from the specification, not from our code.

Of the program it uses only the tokeniser (`keywords`) and the list of verbs, which are data to it. A use of a tool is
(tool, minute or None); a session is a list of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import NormalDist, correlation, fmean, linear_regression, pstdev
from typing import Any, NamedTuple

from axiommind.reports.analysers.queries import VERBS
from axiommind.text.keywords import keywords

DAY = 86_400_000

Tools = tuple[str, ...]


class Said(NamedTuple):
    text: str
    at: int
    session: str


# --- bm25, depth, queries ---------------------------------------------------------------------------------------

DEPTHS = {
    "narrow": (12, 3, 2, False, 0.8, "Max"),
    "normal": (8, 5, 4, True, 0.7, "WeightedAvg"),
    "wide": (5, 8, 8, True, 0.5, "Avg"),
}


def idf(word: str, documents: Sequence[set[str]]) -> float:
    n, df = len(documents), sum(word in d for d in documents)
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


def bm25(query: Iterable[str], documents: Sequence[set[str]], k1: float, b: float) -> float:
    """The best document's score; a term occurs in a document once or not at all."""
    mean = fmean(map(len, documents))
    best = 0.0
    for document in documents:
        score = 0.0
        for word in set(query):
            if word in document:
                tf = 1
                score += idf(word, documents) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / mean))
        best = max(best, score)
    return best


def clauses(text: str) -> list[str]:
    """Cut at sentence ends and line ends, and at a conjunction that stands alone."""
    for mark in ".!?。！？\n":
        text = text.replace(mark, "\0")
    found = [""]
    words = text.split(" ")
    for i, word in enumerate(words):
        inside = 0 < i < len(words) - 1
        if inside and word.lower() in ("그리고", "그런데", "하지만", "또한", "and", "but", "also"):
            found.append("")
        else:
            found[-1] += " " + word
    return [piece for clause in found for piece in clause.split("\0") if piece.strip()]


def queries(text: str, documents: Sequence[set[str]], depth: str, stop: set[str]) -> list[list[str]]:
    split_from, rare, most, with_nouns, _, _ = DEPTHS[depth]

    def words(piece: str) -> list[str]:
        return [w for w in keywords(piece) if w not in stop]

    whole = words(text)
    made = [whole]
    if len(whole) >= split_from:
        made += [words(clause) for clause in clauses(text)]
    made.append(sorted(whole, key=lambda w: (-idf(w, documents), w))[:rare])
    if with_nouns:
        made.append([w for w in whole if w not in VERBS and not (w.isascii() and w[-3:] == "ing")
                     and not (w.isascii() and w[-2:] in ("ed", "ly"))])  # fmt: skip
    distinct: list[list[str]] = []
    for query in made:
        if query and not any(sorted(query) == sorted(other) for other in distinct):
            distinct.append(query)
    return distinct[:most]


def combined(scores: Sequence[float], depth: str, decay: float) -> float:
    how = DEPTHS[depth][-1]
    if not scores:
        return 0.0
    if how == "Max":
        return max(scores)
    if how == "Avg":
        return fmean(scores)
    return sum(s * decay**i for i, s in enumerate(scores)) / sum(decay**i for i in range(len(scores)))


# --- suffixes, prompts, clusters --------------------------------------------------------------------------------


def cuts(text: str, length: int) -> bool:
    """Whether an ending of this length may go: something remains, and no Latin word is cut."""
    rest, ending = text[:-length], text[-length:]
    if len(text) <= length or not rest.strip():
        return False
    return not (rest[-1].isascii() and rest[-1].isalnum() and ending[0].isascii() and ending[0].isalnum())


def endings(texts: Iterable[str]) -> set[str]:
    distinct = set(texts)
    support = max(3, math.ceil(0.02 * len(distinct)))
    found = {"해줘", "해주세요", "하세요", "해", "줘"} if len(distinct) < 30 else set()
    left = set(distinct)
    for length in range(10, 1, -1):

        def has(text: str, ending: str, length: int = length) -> bool:
            begins = ending[0].isspace() or not text[: -len(ending)][-1:].isspace()
            return text.endswith(ending) and cuts(text, length) and begins

        taken = set()
        for ending in {text[-length:] for text in left if len(text) > length}:
            whole_words = ending if ending[0].isspace() else " ".join(ending.split(" ")[1:])
            holders = {text for text in left if has(text, ending)}
            if len(holders) >= support and not keywords(whole_words):
                found.add(ending)
                taken |= holders
        left -= taken
    return found


def stripped(text: str, known: set[str]) -> str:
    for ending in sorted(known, key=len, reverse=True):
        if text.endswith(ending) and cuts(text, len(ending)):
            return text[: -len(ending)].rstrip()
    return text


def normalised(texts: Iterable[str]) -> dict[str, str]:
    folded = {text: " ".join(text.casefold().split()) for text in texts}
    known = endings(folded.values())
    return {text: stripped(short, known) for text, short in folded.items()}


def recency(at: int, now: int, half_life_days: float) -> float:
    return 0.5 ** ((now - at) / DAY / half_life_days)


def frequencies(prompts: Sequence[Said], decay: bool, half_life: float) -> list[tuple[str, int, float]]:
    """(normalised text, count, weight), in order."""
    texts = normalised({p.text for p in prompts})
    now = max((p.at for p in prompts), default=0)
    found = []
    for text in set(texts.values()):
        group = [p for p in prompts if texts[p.text] == text]
        weight = sum(recency(p.at, now, half_life) for p in group if p.at > 0) if decay else float(len(group))
        found.append((text, len(group), weight))
    return sorted(found, key=lambda f: (-f[2] if decay else -f[1], -f[1], f[0]))


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def bigrams(text: str) -> set[str]:
    return {text[i] + text[i + 1] for i in range(len(text) - 1)}


def clusters(
    prompts: Sequence[Said], depth: str, at_least: int, decay: bool, tuning: dict[str, Any], stop: set[str]
) -> dict[str, tuple[int, float, float]]:
    """representative → (count, bm25, confidence)."""
    ordered = sorted(prompts, key=lambda p: (p.at, p.session, p.text))

    def words(text: str) -> set[str]:
        return {w for w in keywords(text) if w not in stop}

    def means(text: str) -> bool:
        text = text.strip()
        continued = "session is being continued" in text[:200].lower()
        wide = sum(2.5 if re.match("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]", char) else 1 for char in text)
        return wide >= 5 and text[0] != "<" and not continued and text.casefold() not in stop and bool(words(text))

    meaningful = [p for p in ordered if means(p.text)]
    if not meaningful:
        return {}
    texts = normalised({p.text for p in meaningful})
    groups = [(text, [p for p in meaningful if texts[p.text] == text]) for text in set(texts.values())]
    groups = sorted(groups, key=lambda g: (-len(g[1]), g[0]))[: tuning["max_clusters"]]
    merged: list[list[tuple[str, list[Said]]]] = []
    for group in groups:
        best, place = 0.0, -1
        for i, cluster in enumerate(merged):
            lengths = (len(group[0]), len(cluster[0][0]))
            longest = 300 if depth == "wide" else math.inf
            may = all(4 <= n <= longest for n in lengths)
            alike = jaccard(bigrams(group[0]), bigrams(cluster[0][0])) if may else 0.0
            if alike >= DEPTHS[depth][4] and alike > best:
                best, place = alike, i
        if place < 0:
            merged.append([group])
        else:
            merged[place].append(group)
    documents = [words(p.text) for p in meaningful]
    now = meaningful[-1].at
    found = {}
    for cluster in merged:
        members = [p for _, group in cluster for p in group]
        if len(members) < at_least:
            continue
        spelled = [p.text for p in cluster[0][1]]
        said = max(spelled, key=spelled.count)
        made = queries(said, documents, depth, stop)
        scores = [bm25(q, documents, tuning["bm25_k1"], tuning["bm25_b"]) for q in made]
        score = combined(scores, depth, tuning["multi_query_decay"])
        times = sorted(p.at for p in members if p.at > 0)
        gaps = [b - a for a, b in pairwise(times)]
        regular = 1 / (1 + pstdev(gaps) / fmean(gaps)) if any(gaps) else 0.0
        met = 1 / (1 + math.exp(-score / tuning["bm25_sigmoid_k"]))
        share = len(members) / len(meaningful)
        if decay:
            recent = recency(times[-1], now, tuning["decay_half_life_days"]) if times else 0.0
            confidence = (
                tuning["decay_weight_frequency"] * share + tuning["decay_weight_consistency"] * regular
                + tuning["decay_weight_bm25"] * met + tuning["decay_weight_recency"] * recent
            )  # fmt: skip
        else:
            confidence = (
                tuning["weight_frequency"] * share + tuning["weight_consistency"] * regular
                + tuning["weight_bm25"] * met
            )  # fmt: skip
        found[cluster[0][0]] = (len(members), score, min(1.0, confidence))
    return found


# --- work units and what is made of them ------------------------------------------------------------------------

Use = tuple[str, int | None]  # tool, epoch ms


def units(session: Sequence[Use], minutes: int = 5) -> list[list[str]]:
    found: list[list[str]] = []
    for i, (tool, at) in enumerate(session):
        before = session[i - 1][1] if i else None
        pause = i == 0 or (at is not None and before is not None and at - before > minutes * 60_000)
        if pause:
            found.append([])
        found[-1].append(tool)
    return found


def windows(unit: Sequence[str], shortest: int, longest: int) -> list[Tools]:
    return [
        tuple(unit[start : start + length])
        for length in range(shortest, longest + 1)
        for start in range(len(unit) - length + 1)
    ]


def inside(short: Tools, long: Tools) -> bool:
    return len(short) < len(long) and short in windows(long, len(short), len(short))


def sequences(
    sessions: dict[str, Sequence[Use]], at_least: int, shortest: int = 2, longest: int = 5, minutes: int = 5
) -> tuple[int, int, dict[Tools, tuple[int, set[str]]]]:
    """How many windows, how many different, and the maximal frequent ones with their count and sessions."""
    seen = [
        (window, session)
        for session, uses in sessions.items()
        for unit in units(uses, minutes)
        for window in windows(unit, shortest, longest)
    ]
    tools = [window for window, _ in seen]
    often = {window: tools.count(window) for window in set(tools) if tools.count(window) >= at_least}
    kept = {
        short: (n, {session for window, session in seen if window == short})
        for short, n in often.items()
        if not any(inside(short, long) and m >= n for long, m in often.items())
    }
    return len(seen), len(set(tools)), kept


def reachable(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The transitive closure."""
    closed = set(edges)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return closed
        closed |= more


def components(edges: set[tuple[str, str]]) -> set[frozenset[str]]:
    """Sets of two and more nodes that all reach each other."""
    closed = reachable(edges)
    nodes = {node for edge in edges for node in edge}
    found = {frozenset({a} | {b for b in nodes if (a, b) in closed and (b, a) in closed}) for a in nodes}
    return {component for component in found if len(component) > 1}


def rounds(unit: Sequence[str], component: frozenset[str]) -> int:
    """Windows that hold each tool of the component once, taken from the left without overlap."""
    size, i, found = len(component), 0, 0
    if len(unit) < 2 * size:
        return 0
    while i + size <= len(unit):
        if set(unit[i : i + size]) == component:
            found += 1
            i += size
        else:
            i += 1
    return found


def cycles(runs: Sequence[Sequence[str]], counts: dict[tuple[str, str], int]) -> dict[Tools, tuple[int, float]]:
    """tools → units that hold it, mean rounds, of components that a unit went round twice; others lose rare edges."""
    found: dict[Tools, tuple[int, float]] = {}
    for component in components(set(counts)):
        held = [n for run in runs if (n := rounds(run, component))]
        if max(held, default=0) > 1:
            found[tuple(sorted(component))] = (len(held), fmean(held))
        else:
            inner = {edge: n for edge, n in counts.items() if set(edge) <= component}
            found |= cycles(runs, {edge: n for edge, n in inner.items() if n > min(inner.values())})
    return found


def graph(sessions: dict[str, Sequence[Use]], minutes: int = 5) -> dict[str, Any]:
    runs = [unit for uses in sessions.values() for unit in units(uses, minutes) if len(unit) > 1]
    steps = [(unit[i], unit[i + 1], unit, i) for unit in runs for i in range(len(unit) - 1)]
    pairs = [(a, b) for a, b, _, _ in steps]
    nodes, edges = {}, {}
    for tool in {tool for unit in runs for tool in unit}:
        places = [i / (len(unit) - 1) for unit in runs for i, name in enumerate(unit) if name == tool]
        holding = [unit for unit in runs if tool in unit]
        nodes[tool] = (
            len(places),
            len({b for a, b in pairs if a == tool}),
            len({a for a, b in pairs if b == tool}),
            fmean(places),
            sum(unit[0] == tool for unit in holding) / len(holding),
            sum(unit[-1] == tool for unit in holding) / len(holding),
        )
    for a, b in set(pairs):
        n = pairs.count((a, b))
        holding = [u for u in runs if (a, b) in list(pairwise(u))]
        edges[a, b] = (
            n,
            n / sum(x == a for x, _ in pairs),
            n / sum(y == b for _, y in pairs),
            sum("Bash:git" in u for u in holding) / len(holding),
            fmean(len(u) - 1 - (i + 1) for x, y, u, i in steps if (x, y) == (a, b)),
        )
    starts = [tuple(unit[:8]) for unit in runs]
    paths = {
        start: (
            starts.count(start),
            fmean("Bash:git" in unit for unit in runs if tuple(unit[:8]) == start),
        )
        for start in set(starts)
        if starts.count(start) >= 2
    }
    counts = {pair: pairs.count(pair) for pair in set(pairs)}
    return {
        "nodes": nodes,
        "edges": edges,
        "cycles": cycles(runs, counts),
        "paths": paths,
        "total": len(pairs),
    }


def transitions(sessions: dict[str, Sequence[Use]]) -> dict[tuple[str, str], tuple[int, float]]:
    pairs = [(a[0], b[0]) for uses in sessions.values() for a, b in pairwise(uses)]
    return {(a, b): (pairs.count((a, b)), pairs.count((a, b)) / sum(x == a for x, _ in pairs)) for a, b in set(pairs)}


# --- repetition -------------------------------------------------------------------------------------------------


def outliers(edits: dict[tuple[str, str], int], z_threshold: float) -> dict[tuple[str, str], float]:
    """(session, file) → z, by Benjamini and Hochberg."""
    mean, deviation = (fmean(edits.values()), pstdev(edits.values())) if edits else (0.0, 0.0)
    if deviation == 0:
        return {}
    normal = NormalDist()
    z = {pair: (n - mean) / deviation for pair, n in edits.items()}
    candidates = sorted((1 - normal.cdf(z[pair]), pair) for pair in edits if z[pair] > 0)
    alpha = 1 - normal.cdf(z_threshold)
    last = 0
    for rank, (p, _) in enumerate(candidates, start=1):
        if p <= alpha * (1 + 1e-9) * rank / len(candidates):  # exactly the threshold counts
            last = rank
    # Equal counts have equal p-values, so they are discoveries together.
    return {pair: z[pair] for _, pair in candidates[:last]}


def loops(
    tools: Sequence[str], longest: int = 3, least: int = 2, any_row: bool = False
) -> dict[Tools, tuple[int, int]]:
    """loop → (repeats of the longest chain, chains); only where asked also those that are a simpler one repeated."""
    found: dict[Tools, tuple[int, int]] = {}
    for length in range(2, longest + 1):
        i = 0
        while i + length <= len(tools):
            piece = tuple(tools[i : i + length])
            repeats = 1
            while tuple(tools[i + repeats * length : i + (repeats + 1) * length]) == piece:
                repeats += 1
            simpler = any(length % n == 0 and piece == piece[:n] * (length // n) for n in range(1, length))
            if repeats >= least and (any_row or not simpler):
                best, times = found.get(piece, (0, 0))
                found[piece] = (max(best, repeats), times + 1)
                i += repeats * length
            else:
                i += 1
    return found


def longest_run(tools: Sequence[str]) -> int:
    return max((n for n in range(1, len(tools) + 1) for i in range(len(tools) - n + 1)
                if len(set(tools[i : i + n])) == 1), default=0)  # fmt: skip


# --- files, links, weeks ----------------------------------------------------------------------------------------

Touch = tuple[str, str, str, bool]  # session, file, tool, whether it edits


def hot_files(touches: Sequence[Touch]) -> dict[str, tuple[int, int, dict[str, int]]]:
    found = {}
    for file in {t[1] for t in touches if t[3]}:
        mine = [t for t in touches if t[1] == file]
        tools = [t[2] for t in mine]
        found[file] = (sum(t[3] for t in mine), len({t[0] for t in mine}), {x: tools.count(x) for x in tools})
    return found


def edited_files(touches: Sequence[Touch]) -> dict[str, set[str]]:
    return {session: {t[1] for t in touches if t[0] == session and t[3]} for session in {t[0] for t in touches}}


def changed_together(touches: Sequence[Touch]) -> dict[tuple[str, str], int]:
    sets = [files for files in edited_files(touches).values() if 2 <= len(files) <= 50]
    every = sorted(set().union(*sets)) if sets else []
    counts = {(a, b): sum(a in s and b in s for s in sets) for a in every for b in every if a < b}
    return {pair: n for pair, n in counts.items() if n >= 2}


def links(
    touches: Sequence[Touch], spans: dict[str, tuple[int, int] | None]
) -> dict[tuple[str, str], tuple[set[str], float, int | None]]:
    """(a, b) → shared files, Jaccard, minutes from the end of the earlier to the start of the later."""
    files = {session: found for session, found in edited_files(touches).items() if found}
    found = {}
    for a in files:
        for b in files:
            if a < b and files[a] & files[b]:
                one, other = spans[a], spans[b]
                gap = None
                if one and other:
                    earlier, later = sorted((one, other))
                    gap = (later[0] - earlier[1]) // 60_000 if later[0] > earlier[1] else None
                found[a, b] = (files[a] & files[b], jaccard(files[a], files[b]), gap)
    return found


def iso_week(at: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    year, week, _ = moment.isocalendar()
    return f"{year}-W{week:02d}"


def weekly(
    prompts: Sequence[tuple[int, str]],
    uses: Sequence[tuple[int | None, str, str]],
    edits: Sequence[tuple[int | None, str, str]],
    least_r_squared: float = 0.3,
) -> tuple[dict[str, tuple[int, int, dict[str, int], int]], dict[str, tuple[list[int], float, float]]]:
    """week → (prompts, sessions, tools, files), and tool → (counts of those weeks, slope, r²)."""
    timed = [at for at, *_ in (*prompts, *uses, *edits) if at]
    if not timed:
        return {}, {}
    weeks: dict[str, tuple[int, int, dict[str, int], int]] = {}
    for name in dict.fromkeys(iso_week(at) for at in sorted(timed)):

        def here(at: int | None, name: str = name) -> bool:
            return bool(at) and iso_week(at or 0) == name

        tools = [tool for at, _, tool in uses if here(at)]
        sessions = {row[1] for row in (*prompts, *uses, *edits) if here(row[0])}
        weeks[name] = (
            sum(here(at) for at, _ in prompts),
            len(sessions),
            {tool: tools.count(tool) for tool in tools},
            len({file for at, _, file in edits if here(at)}),
        )
    trends = {}
    for tool in {tool for _, _, counts, _ in weeks.values() for tool in counts}:
        counts = [tools.get(tool, 0) for _, _, tools, _ in weeks.values()]
        slope = r_squared = 0.0
        if len(set(counts)) > 1:
            r_squared = correlation(range(len(counts)), counts) ** 2
            slope = linear_regression(range(len(counts)), counts).slope if r_squared >= least_r_squared else 0.0
        trends[tool] = (counts, slope, r_squared)
    return weeks, trends
