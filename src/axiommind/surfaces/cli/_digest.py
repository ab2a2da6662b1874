"""What `axm today` and `axm week` share: the record is brought up to date, then told."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from axiommind.errors import AxmError, UsageError
from axiommind.memory import Memory, Scope
from axiommind.reports.digest.days import local_moment, midnight
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _paging as paging
from axiommind.surfaces.render.digest import as_markdown, as_text, digest_json
from axiommind.surfaces.render.progress import Bar

__all__ = ["configure", "run"]

_DAY_MS = 86_400_000


def configure(parser: argparse.ArgumentParser, most: int) -> None:
    parser.add_argument(
        "--since",
        metavar="WHEN",
        type=_moment(is_end=False),
        help="from then on: yesterday, 2026-01-31, 3d (your time)",
    )
    parser.add_argument(
        "--until", metavar="WHEN", type=_moment(is_end=True), help="until then, the named day included (default: now)"
    )
    parser.add_argument("--project", metavar="PATH", help="only this project (default: all)")
    options.add_limit(parser, "sessions, commits, decisions and tasks of a project", most)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="as Markdown, with everything, to be pasted")
    options.add_json(form)
    paging.add_paging(parser)


def _moment(*, is_end: bool) -> Callable[[str], int]:
    def read(text: str) -> int:
        found = local_moment(text, options.now(), is_end=is_end)
        if found is None:
            raise argparse.ArgumentTypeError(f"{text!r} is not a time; such as 2026-01-31, 3d, yesterday, last week")
        return found

    return read


def run(args: argparse.Namespace, days: int) -> int:
    """The digest of so many days, today's included; or of the time asked for."""
    now = options.now()
    until = now if args.until is None else min(args.until, now)
    since = args.since if args.since is not None else midnight(until - 1 if args.until else now, days=1 - days)
    if since >= until:
        raise UsageError("--since is after --until, or has not come yet", hint="such as --since yesterday")
    memory = Memory()
    _refresh(memory, args.project, since, until)
    scope = memory.scope(project=args.project, all_projects=args.project is None)
    digest = memory.reports.digests.make(scope, since, until)
    home = memory.config.home
    if args.json:
        options.print_json("digest", {"project": scope.project, **digest_json(digest, home)})
    elif args.markdown and digest.projects:
        print(as_markdown(digest, home))
    elif digest.projects:
        paging.page(as_text(digest, args.limit, home), is_wanted=not args.no_pager)
    if digest.projects:
        return 0
    options.say(f"Nothing was done{f' in {scope.project}' if scope.project else ''} in that time.")
    options.say(f"  hint: axm {args.command} --since yesterday looks further back")
    return 1


def _refresh(memory: Memory, project: str | None, since: int, until: int) -> None:
    """Read what is new, and learn by rules what sessions of that time say: the last hours count most."""
    bar = Bar("Indexing")
    try:
        memory.index(project=project, progress=bar)
        bar.close()
        bar = Bar("Learning")
        sessions = memory.reports.digests.sessions_of(Scope(None), since, until)
        for n, session in enumerate(sessions):
            bar(n, len(sessions))
            memory.learning.catch_up(session)
    except (AxmError, OSError) as error:
        if not memory.config.index_path.exists():
            raise
        options.say(f"axm: not brought up to date, so the last hours may be missing: {error}")
    finally:
        bar.close()
