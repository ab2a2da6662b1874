"""`axm feedback`: say of a memory that an agent was given whether it was useful."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.text.summary import preview

HELP = "Say whether a memory that an agent was given was useful"
CALLER = "free: an agent's word counts in its own session only"
GROUP = "remember"
_VERDICTS = ("no", "yes", "clear")
_EPILOG = """examples:
  axm feedback 1k9x4c no
  axm feedback ent_ca375937 no --prompt "why does the build fail"
  axm feedback 1k9x4c clear

After a no it is not given again at that kind of moment: by the hook that gave it last and, if that was for a prompt,
for prompts about the same thing. It is still found, and still given elsewhere; axm entry deprecate withdraws an entry
that is wrong. A yes counts as used in axm grounding. clear takes back whatever was said of it. What an agent says
counts in its own session only. axm review asks about what was given lately, with one key each.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the passage or entry, as the agent was shown it")
    parser.add_argument("verdict", choices=_VERDICTS, help="not useful, useful, or take back what was said")
    parser.add_argument("--session", metavar="ID", help="given in this session (default: where it was given last)")
    parser.add_argument("--prompt", metavar="TEXT", help="for prompts such as this one, whether it was given or not")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    said = memory.feedback.say(
        args.id, args.verdict, session=args.session, prompt=args.prompt, caller=memory.identify()
    )
    if args.json:
        options.print_json("feedback", said._asdict())
    else:
        print(f"{said.id}  {said.verdict}")
    if not said.is_new:
        options.say("Nothing was said of it." if said.verdict == "clear" else "That was said already.")
        return 0
    options.say(_words(said.verdict, said.hook, said.about))
    if said.said_in:
        options.say("An agent said so: it counts in its session only. A person's word counts everywhere.")
    if said.verdict != "clear":
        options.say(f"To undo: axm feedback {said.id} clear")
    return 0


def _words(verdict: str, hook: str, about: str) -> str:
    if verdict == "clear":
        return "Taken back: what was said of it counts no more."
    moment = f"prompts such as “{preview(render.printable(about), 80)}”" if about else hook
    return f"Not given again for {moment}." if verdict == "no" else f"Useful for {moment}: counted as used."
