"""`axm completion`: a completion script, generated from the commands, and the values that it asks for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from axiommind.surfaces import cli
from axiommind.surfaces.cli._completion_scripts import CompletionWords, bash, fish, zsh

HELP = "Print a completion script for bash, zsh or fish"
CALLER = "reads"
GROUP = "wire up"
_EPILOG = """install:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         axm completion bash > ~/.local/share/bash-completion/completions/axm
  zsh    axm completion zsh > "${fpath[1]}/_axm"
  fish   axm completion fish > ~/.config/fish/completions/axm.fish

It completes commands and options, and asks this machine's index for projects, sessions, entries, tasks, scratchpads and
the like, the ones of this folder's project first: axm resume TAB, axm task show TAB, axm search --project TAB.
"""
_SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
_OPTIONS = {
    "--project": "projects",
    "--session": "sessions",
    "--keep": "entries",
    "--by": "entries",
    "--evidence": "entries",
    "--workflow": "workflows",
    "--scratchpad": "pads",
    "--decision": "decisions",
}
# What the ids are that a command takes, or the actions of a noun.
_POSITIONS = {
    "show": "ids",
    "similar": "ids",
    "resume": "sessions",
    "handoff": "sessions",
    "timeline": "entries",
    "feedback": "entries",
    "entry": "entries",
    "task": "tasks",
    "condition": "conditions",
    "decision": "decisions",
    "conflict": "conflicts",
    "proposal": "proposals",
    "pad": "pads",
    "workflow": "workflows",
    "project": "projects",
}
_NO_ID = ("RULING", "TITLE", "NAME", "QUERY", "TEXT", "DECISION")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("shell", nargs="?", choices=tuple(_SCRIPTS), help="your shell")
    parser.add_argument("--values", metavar="KIND", help="the values of a kind, as the scripts ask for them: sessions")
    parser.add_argument("--starting", metavar="TEXT", default="", help="with --values: only those that begin so")


def run(args: argparse.Namespace) -> int:
    if args.values is not None:
        return _print_values(args)
    if args.shell is None:
        args.parser.error("which shell? bash, zsh or fish")
    print(_SCRIPTS[args.shell](_read()))
    return 0


def _print_values(args: argparse.Namespace) -> int:
    from axiommind.memory import Memory
    from axiommind.reports.completing import KINDS
    from axiommind.surfaces.render.tables import printable

    if args.values not in KINDS:
        args.parser.error(f"no kind {args.values!r}: one of {', '.join(KINDS)}")
    for value, about in Memory().reports.completing.values(args.values, args.starting):
        if value.isprintable():
            print(f"{value}\t{' '.join(printable(about).split())}")
    return 0


def _read() -> CompletionWords:
    """Every command with its help and its options, and the values of options, read from the parsers themselves."""
    from axiommind.reports.perspectives import names

    parser = cli.build_all()
    (choices,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    helps = {a.dest: a.help or "" for a in choices._choices_actions}
    commands = {name: (helps[name], _words(sub)) for name, sub in choices.choices.items()}
    values: dict[str, dict[str, None]] = {"--perspective": dict.fromkeys(names()), "--format": {}}
    every = [inner for command in choices.choices.values() for inner in _parsers(command)]
    for action in (action for sub in every for action in sub._actions):
        for option in (option for option in action.option_strings if option.startswith("--") and action.choices):
            values.setdefault(option, {}).update(dict.fromkeys(map(str, action.choices or ())))
    values["--format"].update(dict.fromkeys(("json", "csv", "table")))
    options = {option for sub in every for action in sub._actions for option in action.option_strings}
    return CompletionWords(
        commands,
        {option: list(found) for option, found in values.items()},
        {option: kind for option, kind in _OPTIONS.items() if option in options},
        dict(_positions(choices.choices)),
    )


def _positions(commands: dict[str, argparse.ArgumentParser]) -> Iterator[tuple[str, str]]:
    """The commands that take an id, and of what kind."""
    for name, kind in _POSITIONS.items():
        parser = commands.get(name)
        if parser is None:
            continue
        inner = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if not inner:
            yield name, kind
        for action, sub in ((action, sub) for one in inner for action, sub in one.choices.items()):
            first = next((a for a in sub._actions if not a.option_strings), None)
            if first is not None and str(first.metavar).strip("[]") not in _NO_ID:
                yield f"{name} {action}", kind


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A command's, and those of its actions."""
    inner = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return [parser, *(sub for action in inner for sub in action.choices.values())]


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """What may follow a command: its choices, and its options with those of its actions."""
    return [
        *(str(c) for a in parser._actions if not a.option_strings for c in a.choices or ()),
        *sorted({o for p in _parsers(parser) for a in p._actions for o in a.option_strings if o.startswith("--")}),
    ]
