"""`axm learn --model` and `--backfill`: switching a model on and off, and what asking it about older sessions takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render.distilling import state_json, state_lines
from axiommind.surfaces.render.tables import counted

if TYPE_CHECKING:
    from axiommind.memory import Memory

__all__ = ["run_model", "say_estimate"]


def run_model(memory: Memory, wish: str, *, as_json: bool) -> int:
    """Show (`show`), switch off (`off`) or switch on (`on`, or a name). 3 when it is on and cannot be asked."""
    if wish == "show":
        state = memory.learning.distilling()
    elif wish == "off":
        state = memory.learning.switch_model(None, on=False)
    else:
        state = memory.learning.switch_model(None if wish == "on" else wish, caller=memory.identify())
    if as_json:
        options.print_json("learn.model", state_json(state))
    else:
        print("\n".join(state_lines(state)))
    config = memory.config
    if wish == "off" and config.extract_extractor != "rules":
        options.say(f"Note: axm learn itself still asks {config.extract_extractor} (extract.extractor in config.toml)")
    if wish not in ("show", "off") and not state.model:
        options.say("Note: AXM_LEARN_MODEL is set, and wins over config.toml")
    if state.model and not config.learn_auto:
        options.say("Note: learn.auto is false, so nothing happens by itself; axm learn asks it")
    return 3 if state.model and state.problem else 0


def say_estimate(memory: Memory, count: int) -> None:
    """What a backfill will take, before it begins."""
    state = memory.learning.distilling()
    finished = state.waiting + state.backlog
    sessions = min(count, finished)
    options.say(
        f"Asking about {counted(sessions, 'session')} of {finished:,}, newest first: about "
        f"{sessions * state.median_tokens:,} tokens ({state.median_tokens:,} each, the median of real sessions)"
    )
