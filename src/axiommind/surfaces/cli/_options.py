"""What commands share: options for scope, limits and times, and words for people on stderr."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from axiommind.callers import Caller
from axiommind.errors import NotFound, UsageError
from axiommind.memory import Memory, Scope
from axiommind.surfaces.render import tables as render

__all__ = [
    "action",
    "add_json",
    "add_limit",
    "add_scope",
    "add_window",
    "add_yes",
    "between",
    "confirmed",
    "count",
    "first",
    "nothing",
    "now",
    "print_json",
    "print_line",
    "require",
    "require_index",
    "require_window",
    "say",
    "say_more",
    "scope_of",
    "since",
    "until",
]

T = TypeVar("T")
_MOST = 100_000


def add_scope(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("scope (default: the project of this folder if it is indexed, otherwise all)")
    exclusive = where.add_mutually_exclusive_group()
    exclusive.add_argument(
        "--project", metavar="PATH", help="only this project: a folder of it, its name or its remote"
    )
    exclusive.add_argument("--all-projects", action="store_true", help="all projects")


def scope_of(memory: Memory, args: argparse.Namespace) -> Scope:
    require_index(memory)
    return memory.scope(project=args.project, all_projects=args.all_projects)


def add_limit(parser: argparse.ArgumentParser, what: str, default: int = 50) -> None:
    parser.add_argument(
        "-k", "--limit", type=count, default=default, metavar="N", help=f"at most N {what} (default {default})"
    )


def first(found: Sequence[T], limit: int) -> tuple[list[T], bool]:
    """As many as were asked for, and whether there are more: one more is asked for than is shown."""
    return list(found[:limit]), len(found) > limit


def say_more(limit: int) -> None:
    say(f"There are more: -k {limit * 2} shows up to {limit * 2}")


def add_json(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask; counts only from a person")


def confirmed(caller: Caller, question: str) -> bool:
    """Whether a person at the terminal says yes. Where a person holds a token and nobody can be asked, `--yes` says
    it."""
    if not caller.at_terminal:
        raise UsageError("this is asked about, and there is no terminal to ask at", hint="--yes goes ahead")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def action(
    parser: argparse.ArgumentParser, actions: Any, name: str, text: str, epilog: str = ""
) -> argparse.ArgumentParser:
    """A sub-action of a command. `--home` and `--json` hold before it or after it."""
    sub: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=text, epilog=epilog or None, formatter_class=parser.formatter_class
    )
    sub.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return sub


def between(least: int, most: int, hint: str = "") -> Callable[[str], int]:
    """Reads a whole number within limits."""

    def read(text: str) -> int:
        if text.isdecimal() and len(text) < 10 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}{hint}")

    return read


def count(text: str) -> int:
    return between(1, _MOST)(text)


def now() -> int:
    return time.time_ns() // 1_000_000


def add_window(parser: Any, what: str) -> None:
    """`--since` and `--until`, in the words of people."""
    parser.add_argument(
        "--since", metavar="WHEN", type=since, help=f"only {what} since then: 2026-01-31, 7d, yesterday (UTC)"
    )
    parser.add_argument("--until", metavar="WHEN", type=until, help=f"only {what} until then, the named day included")


def since(text: str) -> int:
    """Milliseconds of the beginning of a time, as people write it. All commands read dates here."""
    return _moment(text, is_end=False)


def until(text: str) -> int:
    """Milliseconds of the end of a time."""
    return _moment(text, is_end=True)


def _moment(text: str, *, is_end: bool) -> int:
    from axiommind.search.dates import moment

    found = moment(text, now(), end=is_end)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; such as 2026-01-31, 7d, yesterday, last week")
    return found


def require_window(since: int | None, until: int | None) -> None:
    if since is not None and until is not None and since >= until:
        raise UsageError("--since is after --until", hint="such as --since 2026-01-01 --until 2026-01-31")


def print_usage(args: argparse.Namespace) -> int:
    """The help of a command that was called without what it needs."""
    args.parser.print_help(sys.stderr)
    return 2


def say(text: str) -> None:
    """Words for a person."""
    sys.stderr.write(render.printable(text) + "\n")


def print_line(what: str, record: Mapping[str, Any]) -> None:
    """The same on one line."""
    print(json.dumps({"schema": f"axm.{what}.v1", **record}, ensure_ascii=False))


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
        raise NotFound("nothing has been learned yet", hint="run: axm learn")


def nothing(memory: Memory, what: str, project: str | None = None, hint: str = "") -> int:
    """Say that a list is empty, and why."""
    require_index(memory)
    if not memory.learning.session_count():
        say("Nothing has been learned yet: axm learn")
        return 1
    say(f"No {what}" + (f" in {project}." if project else "."))
    if project:
        say("  hint: --all-projects includes other projects")
    if hint:
        say(f"  hint: {hint}")
    return 1
