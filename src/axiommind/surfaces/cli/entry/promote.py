"""`axm entry promote`: raise an entry because a person vouches for it, or run the policies over all entries."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.projections.entry_rows import STAGES
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render

HELP = "Raise the stage of an entry, or apply the promotion policies"
CALLER = "proposal: it raises; the policies (--policy) act on evidence, whoever runs them"
ALIAS = "promote"
_EPILOG = """examples:
  axm entry promote ent_ca375937 --reason "still how we do it"
  axm entry promote ent_ca375937 --to certified --reason "the team agreed"
  axm entry promote ent_ca375937 --undo
  axm entry promote --policy --dry-run
  axm entry promote --policy half-life

policies:
  graduation  gives entries the stage that they have earned: by evidence, by
              whose words they rest on, by checks, and by use over weeks
  half-life   lowers entries that nobody has said or used for long (180, 90,
              30 days on which the project was worked in)
"""
_POLICIES = ("graduation", "half-life")
_EVERY = 1_000_000


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", nargs="?", help="the entry's id or its start")
    parser.add_argument("--reason", metavar="TEXT", help="why you vouch for it; stored with the change")
    parser.add_argument("--to", choices=STAGES[1:], help="the stage to raise it to (default: the next one)")
    parser.add_argument("--undo", action="store_true", help="undo your last promotion of it")
    parser.add_argument(
        "--policy",
        nargs="*",
        choices=_POLICIES,
        metavar="NAME",
        help=f"apply these policies to all entries (default: {' and '.join(_POLICIES)})",
    )
    parser.add_argument("--dry-run", action="store_true", help="with --policy: show what would change")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    error = args.parser.error
    memory = Memory()
    if args.policy is not None:
        if args.id or args.to or args.undo or args.reason:
            error("--policy applies to all entries: it takes no ID, --to, --reason or --undo")
        options.require(memory)
        return _policy(memory, args)
    if not args.id:
        error("give the ID of an entry, or --policy")
    if args.dry_run:
        error("--dry-run goes with --policy")
    if args.undo and args.to:
        error("--undo goes back to the earlier stage: it takes no --to")
    if not args.undo and not (args.reason or "").strip():
        error("the following arguments are required: --reason")
    options.require(memory)
    before = memory.entries.show(args.id).entry
    caller = memory.identify()
    after = (
        memory.entries.undo_promotion(args.id, args.reason or "", caller=caller)
        if args.undo
        else memory.entries.promote(args.id, args.reason, args.to, caller=caller)
    )
    if args.json:
        change = {"id": after.entry_id, "from": before.stage, "to": after.stage, "reason": args.reason or None}
        options.print_json("promote", {**change, "entry": rendered.entry_json(after)})
    else:
        print(f"{after.entry_id}  {before.stage} → {after.stage}")
    options.say(f"{'Undone' if args.undo else 'Raised'}: {rendered.one_line(after.title)}")
    if not args.undo:
        options.say(f"To undo: axm entry promote {after.entry_id} --undo")
    return 0


def _policy(memory: Memory, args: argparse.Namespace) -> int:
    changes = memory.entries.run_policy(args.policy, dry_run=args.dry_run)
    if args.json:
        rows = [{"policy": policy, **change.payload()} for policy, change in changes]
        options.print_json("promote", {"dry_run": args.dry_run, "changes": rows})
    elif changes:
        every = memory.entries.list(memory.scope(all_projects=True), every=True, limit=_EVERY)
        titles = {one.entry.entry_id: one.entry.title for one in every}
        names = rendered.short_ids(change.entry_id for _, change in changes)
        rows = [
            {
                "policy": policy,
                "id": names[change.entry_id],
                "from": change.source,
                "to": change.target,
                "reason": change.reason,
                "title": titles.get(change.entry_id, ""),
            }
            for policy, change in changes
        ]
        print(render.as_table(("policy", "id", "from", "to", "reason", "title"), rows))
    verb = "would change" if args.dry_run else "changed"
    options.say(f"{render.counted(len(changes), 'stage')} {verb}" if changes else "No entry changes its stage.")
    return 0
