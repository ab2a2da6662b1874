"""`axm recall`: what an agent would be given for a prompt, exactly as it would see it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import recall as disclosed
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.fence import fenced

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.recall.disclosure import Disclosed
    from axiommind.recall.recall import Silence

HELP = "Show what an agent would be given for a prompt"
CALLER = "reads"
GROUP = "look"
EVERYDAY = 5
_EPILOG = """examples:
  axm recall "why did we pin the parser to 2.3"
  axm recall --budget 2000 "how are sessions stored"
  axm recall --session 018427c2 "the login test fails again"
  git log -1 --format=%B | axm recall -

If an agent would be given nothing, nothing is printed and stderr says why. axm search finds more, with less certainty.
"""
_WHY = {
    "nothing_to_ask": "Nothing to recall: the prompt asks for nothing that memory could answer.",
    "nothing_relevant": "Nothing relevant enough was found",
    "nothing_new": "What would be relevant was given before, or has been withdrawn.",
    "no_room": "Something relevant was found, but the budget is too small for one line of it.",
}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("prompt", nargs="+", metavar="PROMPT", help="the prompt; - reads it from stdin")
    options.add_scope(parser)
    parser.add_argument(
        "--budget", type=options.count, metavar="N", help="at most N tokens (default: retrieval.maxTokens, as in hooks)"
    )
    parser.add_argument("--session", metavar="ID", help="as if asked in this session; its own words are not recalled")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from axiommind.recall.recall import Silence

    memory = Memory()
    scope = options.scope_of(memory, args)
    prompt = sys.stdin.read() if args.prompt == ["-"] else " ".join(args.prompt)
    budget = memory.config.hooks.prompt_tokens if args.budget is None else args.budget
    found = memory.recall.answer(prompt, scope, budget=budget, session=args.session)
    if isinstance(found, Silence):
        if args.json:
            options.print_json("disclosed", {**disclosed.to_dict(_nothing()), "why": found.why, "best": found.best})
        options.say(_why(found, memory.config, scope.project))
        return 1
    text = fenced(disclosed.as_text(found, budget), memory.config.home)
    if args.json:
        options.print_json("disclosed", {**disclosed.to_dict(found, memory.config.home), "text": text})
    else:
        print(render.printable(text))
    return 0


def _why(silence: Silence, config: Config, project: str | None) -> str:
    said = _WHY[silence.why]
    if silence.why != "nothing_relevant":
        return said
    if silence.best is None:
        return f"{said}."
    needed = f"{config.hooks.prompt_chance} is required, {config.hooks.other_projects} from other projects"
    if project is None:
        needed = f"{config.hooks.other_projects} is required where no project is asked about"
    return f"{said}: the best score is {silence.best:.2f}; {needed}."


def _nothing() -> Disclosed:
    from axiommind.recall.disclosure import Disclosed, Meta

    return Disclosed((), (), (), Meta(0, 0, 0, "no_results"))
