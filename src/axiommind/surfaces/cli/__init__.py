"""The command line. One file per command, and the folder is the registry; only the one asked for is imported.

Data goes to stdout, words to stderr. Exit codes: 0 ok, 1 nothing found or a user's mistake, 2 usage, 3 needs
attention, 4 internal.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import Protocol

from axiommind import __version__
from axiommind.errors import AxmError, NotFound

__all__ = ["build", "commands", "main"]

# The second name of this program. Without a command it is v2 of the program that had that name.
V2 = "suggest-workflow"


class Command(Protocol):
    """What a module in this folder offers."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser, argv: list[str]) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse would import shutil to find that out, for every question that is asked."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)


def commands() -> list[str]:
    here = Path(__file__).parent
    return sorted(p.stem for p in here.glob("[a-z]*.py"))


def _called() -> str:
    """The name that this program was called by."""
    return V2 if Path(sys.argv[0]).name.removesuffix(".exe") == V2 else "axm"


def _load(name: str) -> Command:
    module: Command = importlib.import_module(f"{__name__}.{name}")
    return module


def build(argv: list[str], *, everything: bool = False) -> argparse.ArgumentParser:
    """The parser for these arguments: with the one command they name, or with all of them for help."""
    parser = argparse.ArgumentParser(
        formatter_class=_Formatter,
        prog=_called(),
        description="Memory for coding agents: index, query and keep what they leave on disk.",
        epilog='Try: axm index, then: axm search "what you remember of it"'
        + (f"\nWithout a command: the options of {V2} 2 ({V2} analyze --help), and --cache" if _called() == V2 else ""),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, prog=parser.prog)
    wanted = argv[0] if argv and argv[0] in commands() and not everything else None
    for command in [wanted] if wanted else commands():
        module = _load(command)
        sub = subparsers.add_parser(
            command,
            help=module.HELP,
            description=module.HELP,
            formatter_class=_Formatter,
        )
        sub.add_argument(
            "--home", metavar="FOLDER", help="where log.db and index.db are (default $AXM_HOME or ~/.axiommind)"
        )
        module.configure(sub, argv[1:])
        sub.set_defaults(run=module.run, parser=sub)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command; every failure becomes a sentence and an exit code."""
    args = sys.argv[1:] if argv is None else argv
    try:
        return _run(args)
    except BrokenPipeError:
        # The reader went away (head, less): silence what Python would say while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except AxmError as error:
        _say(error)
        return error.exit_code
    except Exception as error:
        if (known := _of_the_store(error)) is not None:
            _say(known)
            return known.exit_code
        if isinstance(error, OSError) and error.strerror:
            _say(AxmError(f"{error.filename or 'output'}: {error.strerror}"))
            return 1
        if os.environ.get("AXM_DEBUG"):
            raise
        sys.stderr.write(
            f"axm: internal error: {type(error).__name__}: {error}\n"
            "  hint: run it again with AXM_DEBUG=1 and report what it prints\n"
        )
        return 4


def _flat(argv: list[str]) -> list[str]:
    """The arguments with the command that v2's form without one means; none where this is another form."""
    first = argv[0] if argv else ""
    if first in ("-h", "--help", "--version") or not (first.startswith("-") or (not argv and _called() == V2)):
        return []
    from axiommind.surfaces.cli import _suggest_workflow as _v2

    return _v2.commanded(argv) if _called() == V2 or first.partition("=")[0] in _v2.flags() else []


def _run(argv: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        # Text from transcripts may hold anything; a terminal's encoding must not make us fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    flat = _flat(argv)
    argv = flat or argv
    parser = build(argv)
    if not argv:
        parser.print_help(sys.stderr)
        return 2
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        hint = _load("query").owners(unknown) if args.command == "query" else ""  # type: ignore[attr-defined]
        if args.command in ("search", "kb"):
            hint = "a query with -word goes in quotes"
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}" + (f" ({hint})" if hint else ""))
    if args.home:
        os.environ["AXM_HOME"] = args.home
    try:
        code: int = args.run(args)
    except NotFound as error:
        if flat:  # as v2 did when there was nothing to analyse
            error.exit_code = 2
        raise
    sys.stdout.flush()
    return code


def _of_the_store(error: Exception) -> AxmError | None:
    """A full disk or a lock that came through as SQLite said it."""
    import sqlite3

    if not isinstance(error, sqlite3.Error):
        return None
    from axiommind.config import Config
    from axiommind.db import store_error

    return store_error(error, Config.load().home)


def _say(error: AxmError) -> None:
    from axiommind.surfaces.render.tables import printable  # a message may name what a transcript says

    sys.stderr.write(f"axm: {printable(error.message)}\n")
    if error.hint:
        sys.stderr.write(f"  hint: {printable(error.hint)}\n")
