"""`axm search`: what was said and written, ranked; every hit shows its file and line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from axiommind.errors import UsageError
from axiommind.memory import Memory, Scope
from axiommind.model import PROVENANCES
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render

HELP = "Search prompts, answers, tool calls and documents"
CALLER = "reads"
GROUP = "look"
EVERYDAY = 3
DEFAULT_HITS = 10
_EPILOG = """A query may contain "phrases", -word, and the filters kind: project: file: tool: session: since: until:
lang: tag: path: provenance:

examples:
  axm search "flaky test timeout"
  axm search 'kind:prompt since:7d "rate limit" -redis'
  axm search --group session "which session fixed the login redirect"
  axm search "React 組件 開發" --lang zh --json
  axm search --file src/auth.py "why" --why
  axm search --provenance person "retry"
  axm search --mode semantic "keeping people from logging in twice"
  axm search --smart --budget 1000 "why is the parser pinned"

--smart shows results in layers, as agents see them: a list of likely hits, then context and full text of the best.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words, in any language")
    where = parser.add_argument_group("scope (default: the project of this folder if it is indexed, otherwise all)")
    where.add_argument("--project", metavar="PATH", help="only this project")
    where.add_argument("--all-projects", action="store_true", help="all projects")
    where.add_argument("--db", metavar="FILE", type=Path, help="use this index file")
    add_filters(parser)
    how = parser.add_argument_group("ranking and output")
    how.add_argument("--group", choices=("session",), help="rank sessions and documents instead of passages")
    how.add_argument(
        "--smart",
        action="store_true",
        help="only likely hits; for the best ones also their context and full text",
    )
    how.add_argument(
        "--budget",
        type=options.count,
        metavar="N",
        help="with --smart: at most N tokens (default: progressiveDisclosure.tokenBudget.maxTotalTokens)",
    )
    add_output(how, smart=True)


def add_filters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("filters (also as prefixes in the query)")
    group.add_argument(
        "--kind", action="append", default=[], help="only prompt, response, tool, doc, insight or summary (repeatable)"
    )
    group.add_argument(
        "--file", action="append", default=[], metavar="PATH", help="only what is about this file (or glob)"
    )
    group.add_argument(
        "--tool", action="append", default=[], help="only calls of this tool, such as Bash:git or mcp__%%"
    )
    group.add_argument("--session", metavar="ID", help="only this session (an id or its start)")
    options.add_window(group, "what was said or changed")
    group.add_argument("--lang", help="only this language: ko, zh, ja or en")
    group.add_argument("--tag", action="append", default=[], help="only documents with this tag (repeatable)")
    group.add_argument(
        "--provenance",
        action="append",
        default=[],
        help=f"only what comes from there (repeatable): {', '.join(PROVENANCES)}",
    )
    group.add_argument("--path", metavar="GLOB", help="only documents whose path matches, such as 'notes/**'")


def add_output(group: Any, *, smart: bool = False) -> None:
    layers = "; with --smart: progressiveDisclosure.layer1.topK" if smart else ""
    group.add_argument(
        "-k",
        "--k",
        type=options.between(1, 100, "; quote the query if this is part of it"),
        default=None if smart else DEFAULT_HITS,
        metavar="N",
        help=f"at most N hits, up to 100 (default {DEFAULT_HITS}{layers})",
    )
    group.add_argument(
        "--mode",
        choices=("auto", "lexical", "semantic", "hybrid"),
        default="auto",
        help="by words (lexical), by meaning (semantic) or both (hybrid); auto, the default, is hybrid if there are "
        "vectors (axm embed) and the words alone are not enough",
    )
    group.add_argument("--no-recency", action="store_true", help="do not rank recent hits higher")
    group.add_argument("--why", action="store_true", help="explain the score of each hit")
    group.add_argument("--cursor", help="the next page: next_cursor of the page before")
    group.add_argument("--json", action="store_true", help="print JSON")


def explain_unknown(words: list[str]) -> str:
    return "" if words[0].startswith("--") else "quote a query that contains -word"


def flags_of(args: argparse.Namespace) -> dict[str, Any]:
    """The filters given as options, as the query parser takes them."""
    options.require_window(args.since, args.until)
    names = ("kind", "file", "tool", "session", "since", "until", "lang", "tag", "path", "provenance")
    return {name: getattr(args, name) for name in names if getattr(args, name, None)}


def run(args: argparse.Namespace) -> int:
    if args.project is not None and args.all_projects:
        raise UsageError("--project and --all-projects exclude each other")
    if args.budget is not None and not args.smart:
        raise UsageError("--budget needs --smart")
    memory = Memory()
    scope = memory.scope(project=args.project, all_projects=args.all_projects, db=args.db)
    if args.smart:
        return _smart(memory, scope, args)
    page = memory.search(
        " ".join(args.query),
        scope,
        k=args.k or DEFAULT_HITS,
        group=args.group == "session",
        recency=not args.no_recency,
        cursor=args.cursor,
        db=args.db,
        mode=args.mode,
        **flags_of(args),
    )
    return show(page, args, scope.project)


def _smart(memory: Memory, scope: Scope, args: argparse.Namespace) -> int:
    """The three layers, as recall opens them."""
    from axiommind.surfaces.render import recall as disclosed
    from axiommind.surfaces.render.fence import clean

    others = {"--group": args.group, "--db": args.db, "--cursor": args.cursor, "--why": args.why}
    others["--no-recency"] = args.no_recency
    for name, value in others.items():
        if value:
            raise UsageError(f"{name} and --smart exclude each other")
    budget = memory.config.disclosure.max_tokens if args.budget is None else args.budget
    found = memory.recall.smart_search(
        " ".join(args.query), scope, budget=budget, top_k=args.k, mode=args.mode, fenced=False, **flags_of(args)
    )
    if args.json:
        options.print_json("disclosed", disclosed.to_dict(found, memory.config.home))
    elif found.matches:
        text = disclosed.as_text(found, budget, fence=False)
        print(render.printable(clean(text, memory.config.home)))
    if found.matches:
        return 0
    if found.meta.total_matches:
        options.say(f"{budget} tokens are not enough for one line.")
        return 1
    words = " ".join(args.query)
    nearest = memory.recall.index(words, scope, top_k=1, min_score=0.0, mode=args.mode, **flags_of(args))
    why = ""
    if nearest:
        needed = memory.config.disclosure.min_score
        why = f": the best score is {nearest[0].score:.2f}; {needed} is required"
    _nothing_found(args, scope.project, "Nothing likely enough was found", why)
    if nearest:
        options.say("  hint: without --smart, less likely hits are shown too")
    return 1


def show(page: Any, args: argparse.Namespace, project: str | None) -> int:
    """Print a page; 1 when nothing was found."""
    if page.note:
        sys.stderr.write(f"Note: {page.note}\n")
    if args.json:
        print(hits.as_json(page, why=args.why))
    elif page.hits:
        print(hits.as_text(page, why=args.why))
    if page.total:
        if page.next_cursor and not args.json:
            sys.stderr.write(f"More: --cursor {page.next_cursor}\n")
        return 0
    return _nothing_found(args, project, "Nothing found")


def _nothing_found(args: argparse.Namespace, project: str | None, said: str, why: str = "") -> int:
    where = f" in {render.printable(project)}" if project else ""
    sys.stderr.write(f"{said}{where}{why}.\n")
    if project and hasattr(args, "all_projects"):
        sys.stderr.write("  hint: --all-projects includes other projects\n")
    return 1
