"""The arguments of a command: argparse with the one command that is asked for, or with all of them for the docs."""

from __future__ import annotations

import argparse
import importlib
import os
from typing import Any, Protocol

from axiommind.surfaces.cli import _catalogue as catalogue
from axiommind.surfaces.cli._catalogue import CommandCard

__all__ = ["build", "parse"]

_COLORS = ("auto", "always", "never")  # said once, in `axm --help`


class CommandModule(Protocol):
    """What the file of a command offers, beside the lines that make its card."""

    def configure(self, parser: argparse.ArgumentParser, argv: list[str]) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal, examples as they are. argparse would import shutil to find the width, for every question
    that is asked."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:  # noqa: ARG002
        """Paragraphs are wrapped; those with indented lines are examples or lists."""
        import textwrap

        return "\n\n".join(
            part if "\n " in part else textwrap.fill(part, width, break_on_hyphens=False)
            for part in text.strip("\n").split("\n\n")
        )


class _Parser(argparse.ArgumentParser):
    """Says which of its choices may have been meant, and takes signs (`->`, `-*-`) for words."""

    def _parse_optional(self, arg_string: str) -> Any:
        if arg_string[:1] == "-" and arg_string[1:2] and not (arg_string[1].isalnum() or arg_string[1] == "-"):
            return None  # no option begins like this
        return super()._parse_optional(arg_string)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            near = catalogue.nearest(str(value), known)
            hint = f"did you mean {near}? " if near else ""
            raise argparse.ArgumentError(action, f"invalid choice: {value!r} ({hint}choose from {', '.join(known)})")


def parse(argv: list[str], program: str = "axm") -> argparse.Namespace:
    """What was asked for, by a command's name or its alias. `run` is None where a noun came without an action."""
    argv = catalogue.without_alias(argv)
    args, unknown = build(argv, program).parse_known_args(argv)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}{_hint(args, unknown)}")
    return args


def _hint(args: argparse.Namespace, unknown: list[str]) -> str:
    """What may have been meant by arguments that a command does not have, as the command knows or as it is spelled."""
    explained = "" if args.explain is None else args.explain(unknown)
    if not explained and unknown[0].startswith("--"):
        known = [option for action in args.parser._actions for option in action.option_strings]
        near = catalogue.nearest(unknown[0].partition("=")[0], known)
        explained = f"did you mean {near}?" if near else ""
    return f" ({explained})" if explained else ""


def build(argv: list[str], program: str = "axm", *, everything: bool = False) -> argparse.ArgumentParser:
    """The parser for arguments that begin with a command, not an alias: with that command alone, or with all."""
    parser = _Parser(prog=program, formatter_class=_Formatter)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, prog=program)
    for card in catalogue.every_command() if everything else [catalogue.require(argv[0])]:
        sub = _add(commands, card.name, card)
        sub.add_argument(
            "--home", metavar="FOLDER", help="the folder with log.db and index.db (default $AXM_HOME or ~/.axiommind)"
        )
        sub.add_argument("--color", choices=_COLORS, help=argparse.SUPPRESS)
        sub.set_defaults(parser=sub, json=False, run=None, explain=None)
        if card.is_noun:
            _configure_noun(sub, card, argv[1:], everything=everything)
        else:
            _configure(sub, card, argv[1:])
    return parser


def _add(subparsers: Any, name: str, card: CommandCard) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = subparsers.add_parser(
        name, help=card.help, description=card.help, formatter_class=_Formatter
    )
    return sub


def _configure(parser: argparse.ArgumentParser, card: CommandCard, argv: list[str]) -> None:
    module: CommandModule = importlib.import_module(card.module)
    module.configure(parser, argv)
    parser.set_defaults(run=module.run, parser=parser, explain=getattr(module, "explain_unknown", None))


def _configure_noun(parser: argparse.ArgumentParser, card: CommandCard, argv: list[str], *, everything: bool) -> None:
    """`--home` and `--json` hold before the action and after it. Only the action that is asked for is imported."""
    parser.epilog = importlib.import_module(card.module).EPILOG
    parser.add_argument("--json", action="store_true", help="print JSON")
    subparsers = parser.add_subparsers(dest="action", metavar="ACTION", help="what to do")
    for action in catalogue.actions(card.name):
        name = action.name.partition(" ")[2]
        sub = _add(subparsers, name, action)
        sub.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        sub.add_argument("--color", choices=_COLORS, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if everything or name in argv:
            _configure(sub, action, argv)
