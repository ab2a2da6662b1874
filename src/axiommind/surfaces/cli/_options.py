"""Options that the commands about memory share: where to look, how much to show, and times as people write them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from axiommind.errors import NotFound, UsageError
from axiommind.memory import Memory, Scope
from axiommind.surfaces.render import tables as render

__all__ = [
    "action",
    "add_json",
    "add_limit",
    "add_scope",
    "count",
    "first",
    "moment_of",
    "nothing",
    "print_json",
    "require",
    "require_index",
    "say",
    "say_more",
    "scope_of",
]

T = TypeVar("T")
_MOST = 100_000


def add_scope(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("where to look (default: the project of this folder if indexed, else all)")
    exclusive = where.add_mutually_exclusive_group()
    exclusive.add_argument("--project", metavar="PATH", help="this project")
    exclusive.add_argument("--all-projects", action="store_true", help="every project")


def scope_of(memory: Memory, args: argparse.Namespace) -> Scope:
    require_index(memory)
    return memory.scope(project=args.project, all_projects=args.all_projects)


def add_limit(parser: argparse.ArgumentParser, what: str, default: int = 50) -> None:
    parser.add_argument(
        "-k", "--limit", type=count, default=default, metavar="N", help=f"so many {what} (default {default})"
    )


def first(found: Sequence[T], limit: int) -> tuple[list[T], bool]:
    """As many as were asked for, and whether there are more: one more is asked for than is shown."""
    return list(found[:limit]), len(found) > limit


def say_more(limit: int) -> None:
    say(f"There are more: -k {limit * 2} shows more of them")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def action(
    parser: argparse.ArgumentParser, actions: Any, name: str, text: str, epilog: str = ""
) -> argparse.ArgumentParser:
    """A sub-action of a command. `--home` and `--json` hold before it or after it."""
    sub: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=text, epilog=epilog or None, formatter_class=parser.formatter_class
    )
    sub.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print it as JSON")
    return sub


def count(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= _MOST:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST}")


def moment_of(option: str, text: str | None) -> int | None:
    """Milliseconds of a time as people write it."""
    if text is None:
        return None
    from axiommind.search.dates import moment

    found = moment(text, time.time_ns() // 1_000_000)
    if found is None:
        raise UsageError(f"{option}: {text!r} is not a time", hint="such as 2026-01-31, 7d, yesterday, last week")
    return found


def say(text: str) -> None:
    """Words for a person."""
    sys.stderr.write(render.printable(text) + "\n")


def print_json(what: str, record: Mapping[str, Any]) -> None:
    print(json.dumps({"schema": f"axm.{what}.v1", **record}, ensure_ascii=False, indent=1))


def require_index(memory: Memory) -> None:
    """A log whose index is gone is not an empty one: nothing is lost, and that has to be said."""
    config = memory.config
    if config.log_path.exists() and not config.index_path.exists():
        raise NotFound(f"there is no index at {config.index_path} yet", hint="run: axm index")


def require(memory: Memory) -> None:
    """Asking about one thing needs that something was learned."""
    require_index(memory)
    if not memory.learning.session_count():
        raise NotFound("nothing was learned yet", hint="run: axm learn")


def nothing(memory: Memory, what: str, project: str | None = None, hint: str = "") -> int:
    """Say that a list is empty, and why."""
    require_index(memory)
    if not memory.learning.session_count():
        say("Nothing was learned yet: axm learn")
        return 1
    say(f"No {what}" + (f" in {project}." if project else "."))
    if project:
        say("  hint: --all-projects looks everywhere")
    if hint:
        say(f"  hint: {hint}")
    return 1
