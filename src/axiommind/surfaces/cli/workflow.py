"""`axm workflow`: pieces of work that outlast a session, and the scratchpads in them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _texts as texts
from axiommind.surfaces.cli._working_memory import Listing, current_project, print_list
from axiommind.surfaces.render import scratchpads as shown
from axiommind.surfaces.render.entries import one_line

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import WorkflowRow

HELP = "Manage workflows: long-running work with scratchpads"
CALLER = "free: working memory is the agent's, and can be changed back"
GROUP = "work"
_EPILOG = """examples:
  axm workflow create "Move the ledger to PostgreSQL" --description "what is left, and why" --project .
  axm workflow list --active
  axm workflow latest
  axm workflow show wf_01kamhz3f0ab
  axm workflow update wf_01kamhz3f0ab --inactive
  axm workflow search "React 組件"

Agents have the same through axm mcp. An inactive workflow keeps its scratchpads and takes no writes.
axm forget --workflow ID purges a workflow with all its texts.
"""
_SEARCH = """example:
  axm workflow search "React 組件" --scope /home/me/shop

Each occurrence of a word counts 5 in the name of a workflow, 3 in its description or in the title of a scratchpad, and
1 in the text of a scratchpad.
"""
_MOST_SCRATCHPADS = 50


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", help="what to do")
    create = options.action(parser, actions, "create", "Create a workflow, and print its id.")
    create.add_argument("name", metavar="NAME", help="its name, in quotes")
    create.add_argument("--description", metavar="TEXT", default="", help="what it is for")
    where = create.add_mutually_exclusive_group()
    where.add_argument(
        "--scope", type=texts.plain, metavar="TEXT", help="what it belongs to, in your own words (agents use a folder)"
    )
    where.add_argument("--project", metavar="PATH", help="the project it belongs to (default: that of this folder)")

    listed = options.action(parser, actions, "list", "List workflows, the latest changed first.")
    listed.add_argument("--scope", type=texts.plain, metavar="TEXT", help="only exactly this scope")
    status = listed.add_mutually_exclusive_group()
    status.add_argument("--active", dest="active", action="store_true", default=None, help="only active ones")
    status.add_argument("--inactive", dest="active", action="store_false", default=None, help="only inactive ones")
    options.add_limit(listed, "workflows", 20)
    options.add_scope(listed)

    show = options.action(parser, actions, "show", "Show a workflow and its scratchpads.")
    latest = options.action(parser, actions, "latest", "Show the active workflow that was worked on last.")
    latest.add_argument(
        "--scope",
        type=texts.plain,
        metavar="TEXT",
        help="with exactly this scope (default: the project of this folder)",
    )
    update = options.action(parser, actions, "update", "Change a workflow's name, description or status.")
    for sub in (show, update):
        sub.add_argument("id", type=texts.plain, metavar="ID", help="its id, or the beginning of it")
    update.add_argument("--name", metavar="NAME", help="its new name")
    update.add_argument("--description", metavar="TEXT", help="its new description")
    status = update.add_mutually_exclusive_group()
    status.add_argument("--active", dest="active", action="store_true", default=None, help="accept writes again")
    status.add_argument("--inactive", dest="active", action="store_false", default=None, help="accept no more writes")

    search = options.action(parser, actions, "search", "Search workflows and their scratchpads.", _SEARCH)
    search.add_argument("query", nargs="+", metavar="QUERY", help="words, in any language")
    search.add_argument("--scope", type=texts.plain, metavar="TEXT", help="only exactly this scope (default: all)")
    search.add_argument("--page", type=options.count, default=1, metavar="N", help="which page (default 1)")
    options.add_limit(search, "workflows a page", 5)


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        return options.print_usage(args)
    return _ACTIONS[args.action](Memory(), args)


def _create(memory: Memory, args: argparse.Namespace) -> int:
    import os

    scope, cwd = args.scope, current_project(memory)
    if args.project is not None:
        folder = os.path.realpath(args.project)
        if not os.path.isdir(folder):  # noqa: PTH112
            raise UsageError(f"--project: there is no folder {args.project!r}")
        # Agents use the folder they work in as the scope, so they will find it.
        scope = cwd = texts.plain(folder)
    made = memory.workflows.create(args.name, args.description, scope, actor=memory.identify().actor, cwd=cwd)
    if args.json:
        options.print_json("workflow", {"workflow": made._asdict()})
    else:
        print(made.id)
    where = f", in {made.project}" if made.project else ""
    options.say(f"Created: {one_line(made.name)}{where}")
    options.say(f"To add a scratchpad: axm pad create {shown.short(made.id)} TITLE")
    return 0


def _list(memory: Memory, args: argparse.Namespace) -> int:
    asked: dict[str, Any] = {"project_scope": args.scope, "active": args.active}
    listing = Listing(
        schema="workflows",
        key="workflows",
        rows=lambda project, limit: memory.workflows.list(**asked, project=project, limit=limit),
        table=shown.workflows_table,
        filter=None if args.scope is None else f"with the scope {args.scope!r}",
        hint='axm workflow create "NAME" makes one',
        adjective={True: "active ", False: "inactive ", None: ""}[args.active],
    )
    return print_list(memory, args, listing)


def _show(memory: Memory, args: argparse.Namespace) -> int:
    return _print(memory, memory.workflows.show(args.id), args)


def _latest(memory: Memory, args: argparse.Namespace) -> int:
    if args.scope is not None:
        found = memory.workflows.latest_active(args.scope)
        where = f"the scope {args.scope!r}"
    else:
        project = current_project(memory)
        found = next(iter(memory.workflows.list(project=project, active=True, limit=1)), None)
        where = project or "this folder"
    if found is None:
        options.say(f"No active workflow for {where}.")
        options.say("  hint: axm workflow list --active --all-projects lists all of them")
        return 1
    return _print(memory, found, args)


def _print(memory: Memory, row: WorkflowRow, args: argparse.Namespace) -> int:
    scratchpads = memory.scratchpads.list(workflow=row.id, limit=_MOST_SCRATCHPADS)
    if args.json:
        options.print_json(
            "workflow", {"workflow": row._asdict(), "scratchpads": [scratchpad._asdict() for scratchpad in scratchpads]}
        )
    else:
        print(shown.workflow_as_text(row, scratchpads))
        if row.conflicts:
            from axiommind.surfaces.render.scratchpad_conflicts import descriptions_as_text

            print(f"\n{descriptions_as_text(memory.workflows.conflicts(row.id))}")
            options.say(f"To settle: axm workflow update {shown.short(row.id)} --description TEXT")
    return 0


def _update(memory: Memory, args: argparse.Namespace) -> int:
    if args.name is None and args.description is None and args.active is None:
        raise UsageError("there is nothing to change", hint="give --name, --description, --active or --inactive")
    before = memory.workflows.show(args.id)
    after = memory.workflows.update(
        before.id, active=args.active, title=args.name, description=args.description, actor=memory.identify().actor
    )
    if args.json:
        options.print_json("workflow", {"workflow": after._asdict()})
    else:
        print(after.id)
    options.say(f"Updated: {one_line(after.name)}, {'active' if after.is_active else 'inactive: it takes no writes'}")
    if before.is_active != after.is_active:
        back = "--active" if before.is_active else "--inactive"
        options.say(f"To undo: axm workflow update {shown.short(after.id)} {back}")
    return 0


def _search(memory: Memory, args: argparse.Namespace) -> int:
    page = memory.workflows.search(" ".join(args.query), project_scope=args.scope, page=args.page, limit=args.limit)
    if args.json:
        options.print_json("workflow.search", shown.workflow_page_json(page))
    elif page.results:
        print(shown.workflow_page_as_text(page))
    options.say(page.message)
    if page.has_more:
        options.say(f"More: --page {page.page + 1}")
    return 0 if page.results else 1


_ACTIONS = {"create": _create, "list": _list, "show": _show, "latest": _latest, "update": _update, "search": _search}
