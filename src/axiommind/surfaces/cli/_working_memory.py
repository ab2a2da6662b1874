"""What `axm workflow` and `axm pad` share: the project of this folder, and lists of what it has."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.projects import project_of
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _texts as texts

__all__ = ["Listing", "current_project", "print_list"]


class Listing(NamedTuple):
    """A list command: `rows` gives the rows of a project (None: of all) up to a limit."""

    schema: str
    key: str  # of the rows in JSON
    rows: Callable[[str | None, int], Sequence[Any]]
    table: Callable[[Sequence[Any]], str]
    filter: str | None  # what it is limited to, in words, if not to a project
    hint: str
    adjective: str = ""  # as in "No active workflows"


def current_project(memory: Memory) -> str | None:
    """The project of this folder: an indexed one that contains it, else the folder itself."""
    try:
        return memory.scope().project or texts.plain(project_of(os.path.realpath(os.getcwd())))  # noqa: PTH109
    except OSError:  # the current folder was deleted
        return None


def print_list(memory: Memory, args: argparse.Namespace, listing: Listing) -> int:
    """Print the rows of the project named, or of this folder's project; if that has none, of all projects."""
    project = None if listing.filter is not None else _project_of(memory, args)
    found = listing.rows(project, args.limit + 1)
    if not found and project is not None and args.project is None:
        project, found = None, listing.rows(None, args.limit + 1)
    rows, more = options.first(found, args.limit)
    if args.json:
        shown = [row._asdict() for row in rows]
        options.print_json(listing.schema, {"project": project, listing.key: shown, "truncated": more})
    elif rows:
        print(listing.table(rows))
        if more:
            options.say_more(args.limit)
    if rows:
        return 0
    where = f" {listing.filter}" if listing.filter is not None else f" in {project}" if project else ""
    options.say(f"No {listing.adjective}{listing.key}{where}.")
    options.say(f"  hint: {listing.hint}")
    return 1


def _project_of(memory: Memory, args: argparse.Namespace) -> str | None:
    if args.all_projects:
        return None
    if args.project is None:
        return current_project(memory)
    if "\x00" in args.project:
        raise UsageError("--project: there is no such folder")
    return texts.plain(project_of(os.path.realpath(args.project)))
