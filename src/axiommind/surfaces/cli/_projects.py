"""What the commands that say something of projects print."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import projects as rendered

if TYPE_CHECKING:
    from axiommind.ingest.projects import ProjectShown

__all__ = ["print_shown"]


def print_shown(what: str, shown: ProjectShown, args: argparse.Namespace) -> int:
    if args.json:
        options.print_json(f"project.{what}", rendered.shown_json(shown))
    else:
        print(rendered.shown_text(shown))
    options.say("To undo: axm project undo")
    return 0
