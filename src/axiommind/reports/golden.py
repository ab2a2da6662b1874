"""Golden queries: a user's own queries with the answers that search should find, and how well it finds them.

The file is YAML: a list, or `queries:` with a list, of entries such as

    - query: how did we fix the login loop
      expected: [notes/auth.md:L12-L34, 5e6f0c1a]

What is expected is an id of a hit, a document or a session (its first eight characters do), or a citation: a path or
the end of one, with or without lines. `must_contain` is text that some hit must show; where nothing else is expected,
such a hit is the answer. It only measures: searching is the caller's, and so is the baseline's file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.search import citations

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SCHEMA", "Golden", "JudgedQuery", "Outcome", "Target", "compare", "from_json", "load", "run", "to_json"]

SCHEMA = "axm.golden.v1"
TOP = 10
_HITS_AT = (1, 3, 5, 10)
_ROUND = 4
_SESSION_START = 8

# Which hits an entry's key may mean. `expected` and `forbidden` mean any of them.
_EXPECTED = {
    "expected": ("id", "doc_id", "session_id", "citation"),
    "expected_ids": ("id",),
    "expected_chunk_ids": ("chunk_id", "id"),
    "expected_doc_ids": ("doc_id",),
    "expected_sessions": ("session_id",),
    "expected_citations": ("citation",),
}
_TEXTS = ("id", "query", "lang", "kind", "project", "group", "difficulty")
_KEYS = (*_TEXTS, "k", *_EXPECTED, "must_contain", "forbidden")


class Target(NamedTuple):
    """A hit that is meant, and by which of its fields it may be known."""

    text: str
    fields: tuple[str, ...]


class Golden(NamedTuple):
    """A question and what search must answer; with nothing expected, it is only watched for what is forbidden."""

    id: str
    query: str
    expected: tuple[Target, ...] = ()
    must_contain: tuple[str, ...] = ()
    forbidden: tuple[Target, ...] = ()
    lang: str | None = None
    kind: str | None = None
    project: str | None = None
    k: int = TOP
    group: str | None = None
    difficulty: str | None = None


class JudgedQuery(NamedTuple):
    """How one question went. `rank` is that of the first hit that was expected, from 1; None when none was found."""

    id: str
    query: str
    group: str | None
    answerable: bool
    hits: int
    rank: int | None
    found: tuple[str, ...]
    missing: tuple[str, ...]
    forbidden: tuple[str, ...]  # those that were found all the same


Metrics = dict[str, float | int | None]


class Outcome(NamedTuple):
    metrics: Metrics
    groups: dict[str, Metrics]
    queries: tuple[JudgedQuery, ...]


# --- reading ----------------------------------------------------------------------------------------------


def load(path: Path) -> list[Golden]:
    """The questions of a file; a mistake in it is said with its entry."""
    import yaml

    try:
        data = yaml.safe_load(path.read_bytes())
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="write one: a list of {query: …, expected: […]}") from None
    except OSError as error:
        raise BadQuery(f"{path} cannot be read: {error.strerror}", hint="give a file that you may read") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where is not None else ""
        why = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise BadQuery(f"{path}{line}: this is not YAML: {why}", hint="quote texts that hold : or #") from None
    entries = data.get("queries") if isinstance(data, dict) else data
    if not isinstance(entries, list) or not entries:
        raise BadQuery(f"{path} holds no queries", hint="write a list of {query: …, expected: […]}, or queries: and it")
    found: dict[str, Golden] = {}
    for number, entry in enumerate(entries, 1):
        golden = _entry(_GoldenEntry(path, number, entry))
        if golden.id in found:
            raise BadQuery(f"{path}, entry {number}: the id {golden.id!r} is there twice", hint="give it another id")
        found[golden.id] = golden
    return list(found.values())


class _GoldenEntry(NamedTuple):
    """An entry as YAML gave it; its readers refuse what they cannot use."""

    path: Path
    number: int
    value: Any

    def wrong(self, what: str, hint: str) -> BadQuery:
        name = self.value.get("id") if isinstance(self.value, dict) else None
        named = f" ({name})" if isinstance(name, str | int) else ""
        return BadQuery(f"{self.path}, entry {self.number}{named}: {what}", hint=hint)

    def text(self, key: str) -> str | None:
        value = self.value.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and key in ("id", "group", "difficulty"):
            return str(value)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"{key} must be text, not {value!r}", f'quote it: {key}: "…"')
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.value.get(key)
        if value is None:
            return ()
        values = value if isinstance(value, list) else [value]
        for one in values:
            if isinstance(one, bool) or not isinstance(one, str | int) or not str(one).strip():
                raise self.wrong(f"{key} must be a list of texts; {one!r} is none", f'quote it: {key}: ["…"]')
        return tuple(dict.fromkeys(str(one).strip() for one in values))


def _entry(entry: _GoldenEntry) -> Golden:
    if not isinstance(entry.value, dict):
        raise entry.wrong("this is no mapping", "write query: and expected: under one dash")
    for key in entry.value:
        if key not in _KEYS:
            raise entry.wrong(f"{key!r} is no key", _near(str(key)))
    query = entry.text("query")
    if query is None:
        raise entry.wrong("it has no query", "write query: and the question")
    if not any(key in entry.value for key in (*_EXPECTED, "must_contain", "forbidden")):
        raise entry.wrong("nothing is expected", "write expected: and a list; an empty one if nothing should be found")
    k = entry.value.get("k", TOP)
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= 1000:
        raise entry.wrong(f"k must be a number from 1 to 1000, not {k!r}", "leave it out for 10")
    return Golden(
        id=entry.text("id") or f"q{entry.number}",
        query=query,
        expected=tuple(Target(text, fields) for key, fields in _EXPECTED.items() for text in entry.texts(key)),
        must_contain=entry.texts("must_contain"),
        forbidden=tuple(Target(text, _EXPECTED["expected"]) for text in entry.texts("forbidden")),
        lang=entry.text("lang"),
        kind=entry.text("kind"),
        project=entry.text("project"),
        k=k,
        group=entry.text("group"),
        difficulty=entry.text("difficulty"),
    )


def _near(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, _KEYS, 1)
    return f"did you mean {near[0]}?" if near else f"the keys are {', '.join(_KEYS)}"


# --- judging ----------------------------------------------------------------------------------------------


def run(golden: Sequence[Golden], search: Callable[[Golden], Sequence[Mapping[str, Any]]]) -> Outcome:
    """Ask every question; `search` returns hits as `axm search --json` does, best first. The first ten count."""
    return _outcome([_judge(one, search(one)) for one in golden])


def _judge(golden: Golden, hits: Sequence[Mapping[str, Any]]) -> JudgedQuery:
    hits = hits[:TOP]
    named = {target.text: _rank(_is(target, hit) for hit in hits) for target in golden.expected}
    held = {text: _rank(_holds(text, hit) for hit in hits) for text in golden.must_contain}
    ranks = held | named
    return JudgedQuery(
        id=golden.id,
        query=golden.query,
        group=golden.group,
        answerable=bool(ranks),
        hits=len(hits),
        rank=min((rank for rank in (named or held).values() if rank is not None), default=None),
        found=tuple(text for text, rank in ranks.items() if rank is not None),
        missing=tuple(text for text, rank in ranks.items() if rank is None),
        forbidden=tuple(target.text for target in golden.forbidden if any(_is(target, hit) for hit in hits)),
    )


def _rank(right: Iterable[bool]) -> int | None:
    return next((rank for rank, one in enumerate(right, 1) if one), None)


def _is(target: Target, hit: Mapping[str, Any]) -> bool:
    return any(_is_by(field, target.text, hit) for field in target.fields)


def _is_by(field: str, text: str, hit: Mapping[str, Any]) -> bool:
    value = hit.get(field)
    if value is None:
        return False
    if field == "citation":
        return _cites(text, value)
    if field == "session_id" and len(text) >= _SESSION_START:
        return str(value).startswith(text)
    return str(value) == text


def _cites(text: str, citation: Mapping[str, Any]) -> bool:
    """Whether a citation is of that path, or of one that ends with it, and of some of those lines."""
    path, lines = text, None
    try:
        parsed = citations.parse(text)
    except BadQuery:
        pass
    else:
        path, lines = parsed.path, (parsed.line_start, parsed.line_end)
    wanted, found = _components(path), _components(str(citation.get("path") or ""))
    if not wanted or found[-len(wanted) :] != wanted:
        return False
    if lines is None:
        return True
    start = citation.get("line_start")
    end = citation.get("line_end") or start
    return isinstance(start, int) and isinstance(end, int) and start <= lines[1] and lines[0] <= end


def _components(path: str) -> list[str]:
    """A path in parts; one from the root keeps an empty first part, so that it fits only from the root."""
    parts = path.replace("\\", "/").split("/")
    return [part for at, part in enumerate(parts) if part not in (".", "~") and (part or not at)] if path else []


def _holds(text: str, hit: Mapping[str, Any]) -> bool:
    """Whether a hit shows a text, whatever its case and spacing."""
    shown = f"{hit.get('snippet') or ''}\n{hit.get('summary') or ''}"
    return " ".join(text.casefold().split()) in " ".join(shown.casefold().split())


# --- measuring --------------------------------------------------------------------------------------------


def _outcome(judged: Sequence[JudgedQuery]) -> Outcome:
    names = dict.fromkeys(one.group for one in judged if one.group is not None)
    groups = {name: _metrics([one for one in judged if one.group == name]) for name in names}
    return Outcome(_metrics(judged), groups, tuple(judged))


def _metrics(judged: Sequence[JudgedQuery]) -> Metrics:
    """Over the questions that have an answer; None where there is none to measure."""
    asked = [one for one in judged if one.answerable]
    metrics: Metrics = {"queries": len(judged), "answerable": len(asked)}
    for k in _HITS_AT:
        metrics[f"hit@{k}"] = _mean(one.rank is not None and one.rank <= k for one in asked)
    metrics["mrr"] = _mean(1 / one.rank if one.rank else 0.0 for one in asked)
    metrics[f"recall@{TOP}"] = _mean(len(one.found) / (len(one.found) + len(one.missing)) for one in asked)
    metrics["empty_result_rate"] = _mean(one.hits == 0 for one in asked)
    metrics["forbidden_violations"] = sum(len(one.forbidden) for one in judged)
    return metrics


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(sum(known) / len(known), _ROUND) if known else None


# --- a baseline -------------------------------------------------------------------------------------------


def compare(outcome: Outcome, baseline: Outcome) -> list[str]:
    """What got worse, in words. Only questions that are asked the same in both count, so that a new one is no loss."""
    before = {one.id: one for one in baseline.queries}
    pairs = [(before[one.id], one) for one in outcome.queries if one.id in before and _same(before[one.id], one)]
    then, now = _metrics([old for old, _ in pairs]), _metrics([new for _, new in pairs])
    worse = []
    for name, old in then.items():
        new = now[name]
        if old is not None and new is not None and (new > old if name in _BETTER_LOW else new < old):
            worse.append(f"{name}: was {old}, now {new}")
    for was, one in pairs:
        if was.rank is not None and (one.rank is None or one.rank > was.rank):
            worse.append(
                f"{one.id}: was at {was.rank}, now {f'at {one.rank}' if one.rank else f'not in the top {TOP}'}"
            )
        worse += [f"{one.id}: no longer finds {text}" for text in one.missing if text in was.found and one.rank]
        worse += [
            f"{one.id}: now finds {text}, which is forbidden" for text in one.forbidden if text not in was.forbidden
        ]
    return worse


_BETTER_LOW = ("empty_result_rate", "forbidden_violations")


def _same(one: JudgedQuery, other: JudgedQuery) -> bool:
    return one.query == other.query and {*one.found, *one.missing} == {*other.found, *other.missing}


def to_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "metrics": outcome.metrics,
        "groups": outcome.groups,
        "queries": [
            {name: list(value) if isinstance(value, tuple) else value for name, value in one._asdict().items()}
            for one in outcome.queries
        ],
    }


def from_json(data: Any) -> Outcome:
    """An outcome as `to_json` wrote it. The metrics are counted anew from the questions."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise BadQuery(f"this is no {SCHEMA} file", hint="save the baseline again")
    try:
        return _outcome([_judged(one) for one in data["queries"]])
    except (KeyError, TypeError, ValueError) as error:
        raise BadQuery(f"the baseline is damaged: {error!r}", hint="save it again") from None


def _judged(data: Mapping[str, Any]) -> JudgedQuery:
    rank = data["rank"]
    return JudgedQuery(
        id=str(data["id"]),
        query=str(data["query"]),
        group=None if data["group"] is None else str(data["group"]),
        answerable=bool(data["answerable"]),
        hits=int(data["hits"]),
        rank=None if rank is None else int(rank),
        found=tuple(map(str, data["found"])),
        missing=tuple(map(str, data["missing"])),
        forbidden=tuple(map(str, data["forbidden"])),
    )
