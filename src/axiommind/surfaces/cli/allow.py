"""`axm allow`: what the repository of this folder sets, and whether it is obeyed."""

from __future__ import annotations

import argparse
import os
import sys

from axiommind import consent
from axiommind.errors import NotFound, UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "Show and allow settings that this repository makes"
CALLER = "free: it lists, and stops obeying; to obey takes a person at a terminal"
GROUP = "keep safe"
_EPILOG = """examples:
  axm allow                        what this repository sets, and whether it is obeyed
  axm allow .claude/settings.json  obey that file as it is now; asks at a terminal
  axm allow .envrc --revoke        no longer

A repository can reach the environment of your agent and your shell (.claude/settings.json, .mcp.json, .envrc, .env and
others). Variables of AxiomMind (AXM_…) that such a file names are ignored until you allow the file. If its content
changes, you are asked again. A home inside the repository is treated in the same way.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", nargs="*", metavar="FILE", help="a file to allow (default: list all)")
    parser.add_argument("--revoke", action="store_true", help="obey these files no longer")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    files = consent.repository_files(os.getcwd(), os.environ.get("AXM_HOME"))  # noqa: PTH109
    if args.file:
        chosen = [_named(files, name) for name in args.file]
        if args.revoke:
            consent.revoke(chosen)
        else:
            _ask(chosen)
            consent.allow(chosen)
        files = consent.repository_files(os.getcwd(), os.environ.get("AXM_HOME"))  # noqa: PTH109
    elif args.revoke:
        raise UsageError("--revoke needs the file that is no longer obeyed", hint="axm allow lists them")
    if args.json:
        options.print_json("allow", {"files": [{**file._asdict(), "names": list(file.names)} for file in files]})
    for file in files if not args.json else ():
        state = "allowed" if file.is_allowed else "ignored"
        print(f"{state}  {render.printable(file.path)}: {', '.join(file.names)}")
    if not files:
        options.say("No file of this repository sets anything of AxiomMind.")
    return 0 if files else 1


def _named(files: list[consent.RepositoryFile], name: str) -> consent.RepositoryFile:
    path = os.path.realpath(name)
    found = [file for file in files if path == os.path.realpath(file.path)]
    if not found:
        raise NotFound(f"{name} sets nothing of AxiomMind in this repository", hint="axm allow lists what does")
    return found[0]


def _ask(files: list[consent.RepositoryFile]) -> None:
    """A person says yes at a terminal; there is no other way."""
    for file in files:
        options.say(f"{file.path} sets:")
        for line in _lines(file):
            options.say(f"  {line}")
    if not Memory().identify().at_terminal:
        raise UsageError("only a person at a terminal can allow what a repository sets", hint="run it in your shell")
    sys.stderr.write("Obey this, as it is now? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was allowed")


def _lines(file: consent.RepositoryFile) -> list[str]:
    try:
        with open(file.path, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            return [" ".join(line.split()) for line in opened if "AXM_" in line]
    except OSError:  # a folder: the home itself
        return [f"{name}={file.path}" for name in file.names]
