"""`axm eval golden`: how well search finds what it should find."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from axiommind.config import Config
from axiommind.errors import BadQuery, NotFound, UsageError
from axiommind.memory import SAMPLE, Memory
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.reports.golden import Golden, Outcome

HELP = "Measure search against your own golden queries"
CALLER = "reads"
_EPILOG = """a file of golden queries (YAML):
  - query: "why was redis dropped"
    expected: [notes/decisions.md:L12-L20]     ids, sessions or citations
  - query: 테스트 타임아웃
    expected: [1k9x4c]
    group: korean

also: id, group, lang, kind, project, must_contain, forbidden (docs/search.md)

examples:
  axm eval golden --sample               the set that comes with the program, in a home of its own
  axm eval golden queries.yaml
  axm eval golden queries.yaml --save    write queries.baseline.json
  axm eval golden queries.yaml           compare with it; exit code 3 if worse
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("file", type=Path, metavar="FILE", nargs="?", help="the golden queries, as YAML")
    what.add_argument("--sample", action="store_true", help="the set that comes with the program, on the sample")
    parser.add_argument("--project", metavar="PATH", help="search only this project (default: all projects)")
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="compare with this run (default: FILE with the ending .baseline.json)",
    )
    parser.add_argument("--save", action="store_true", help="save this run as the baseline")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    if not args.sample:
        return _measure(Memory(), args.file, args)
    if args.project or (args.save and not args.baseline):
        raise UsageError("--sample has a home of its own", hint="axm eval golden --sample --baseline FILE --save")
    with _sample() as memory:
        return _measure(memory, _GOLDEN / "golden.yaml", args)


_GOLDEN = SAMPLE / "golden"


@contextmanager
def _sample() -> Iterator[Memory]:
    """The sample's sessions and notes, indexed in a home that is gone afterwards."""
    with TemporaryDirectory(prefix="axm-golden-") as folder:
        user = Path(folder) / "user"
        user.mkdir()
        memory = Memory(
            Config.load({}, home=Path(folder) / "home"), environ={"CLAUDE_CONFIG_DIR": str(SAMPLE)}, user=user
        )
        memory.index()
        memory.documents.add([str(_GOLDEN / "notes")])
        yield memory


def _measure(memory: Memory, file: Path, args: argparse.Namespace) -> int:
    from axiommind.reports import golden

    everywhere = memory.scope(project=args.project, all_projects=args.project is None)

    def search(one: Golden) -> list[dict[str, Any]]:
        flags: dict[str, Any] = {"lang": one.lang, "kind": one.kind, "project": one.project}
        page = memory.search(one.query, everywhere, k=max(one.k, 10), **{k: v for k, v in flags.items() if v})
        found: list[dict[str, Any]] = hits.to_dict(page)["hits"]
        return found

    outcome = golden.run(golden.load(file), search)
    place = args.baseline or file.with_suffix(".baseline.json")
    known = place.exists()
    if args.baseline and not known and not args.save:
        raise NotFound(f"there is no baseline at {place}", hint="--save writes one")
    before = _read(place) if known and not args.save else None
    worse = [] if before is None else golden.compare(outcome, before)
    is_better = before is not None and not worse and golden.compare(before, outcome) != []
    if args.save:
        place.write_text(json.dumps(golden.to_json(outcome), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if args.json:
        compared = None if before is None else "worse" if worse else "better" if is_better else "equal"
        shown = {**golden.to_json(outcome), "baseline": compared, "regressions": worse}
        print(json.dumps(shown, ensure_ascii=False, indent=1))
    else:
        _print(outcome)
    if args.save:
        sys.stderr.write(f"Saved as the baseline: {place}\n")
    elif before is None:
        sys.stderr.write(f"No baseline at {place}; --save writes one.\n")
    elif is_better:
        sys.stderr.write(f"Better than the baseline: {place}\n")
    elif not worse:
        sys.stderr.write(f"Equal to the baseline: {place}\n")
    for line in worse:
        sys.stderr.write(f"Worse: {render.printable(line)}\n")
    return 3 if worse else 0


def _read(place: Path) -> Outcome:
    from axiommind.reports import golden

    try:
        return golden.from_json(json.loads(place.read_text(encoding="utf-8")))
    except ValueError as error:
        raise BadQuery(f"{place} is no baseline: {error}", hint="--save writes a new one") from error


def _print(outcome: Outcome) -> None:
    rows = [
        {"query": q.query, "group": q.group, "rank": q.rank, "hits": q.hits, "missing": ", ".join(q.missing)}
        for q in outcome.queries
    ]
    print(render.as_table(["query", "group", "rank", "hits", "missing"], rows))
    print()
    names = list(outcome.metrics)
    table = [{"group": "all", **outcome.metrics}, *({"group": name, **m} for name, m in outcome.groups.items())]
    print(render.as_table(["group", *names], table))
