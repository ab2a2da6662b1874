"""UserPromptSubmit: what is remembered about what a person asks for now.

The way through, each step once: prompt → question → judged hits → disclosed within the budget → text → fence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent, ServedItem, silent
from axiommind.surfaces.hooks.call import HookCall, fenced_for

if TYPE_CHECKING:
    from axiommind.recall.recall import Recalled

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("UserPromptSubmit", order=10, gives_context=True)

# Who wrote the prompt, where it was not the person.
_MACHINES = frozenset(("system", "loop_wakeup", "schedule_wakeup", "poll_event"))


def answer(call: HookCall) -> HookAnswer:
    if call.text("source") in _MACHINES:
        return silent("no person asked")
    from axiommind.recall.question import question_of

    prompt = call.text("prompt")
    question = question_of(prompt)
    if question is None and not _orders(prompt):
        return silent("nothing to ask")
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.recall.recall import Silence

    recall = call.memory().recall
    ask = recall.answer_order if question is None else recall.answer_question
    found = ask(
        question or prompt,
        call.folder,
        budget=call.config.hooks.prompt_tokens,
        session=call.session or None,
        skip=call.served().ids,
        now=call.now,
    )
    if isinstance(found, Silence):
        return silent(found.why if found.best is None else f"{found.why}, the best {found.best:.2f}")
    return _served(call, found)


def _orders(prompt: str) -> bool:
    from axiommind.recall.usual_failure import orders_in  # most prompts ask for something

    return bool(orders_in(prompt))


def _served(call: HookCall, found: Recalled) -> HookAnswer:
    from axiommind.surfaces.render.recall import as_text

    shown = found.disclosed
    text = fenced_for(call, as_text(shown, call.config.hooks.prompt_tokens))
    if not text:
        return silent("the budget is too small")
    items = {item.id: ServedItem(item.id, item.type, item.score) for item in shown.matches}
    for detail in shown.details:
        items.setdefault(detail.id, ServedItem(detail.id, detail.type))
    entries = [one.entry.entry_id for one in shown.matches if one.entry is not None]
    also = (*entries, *(one.id for one in shown.timeline))
    why = shown.meta.expansion_reason or ""
    opened = shown.meta.expanded_count
    return HookAnswer("served", why, text, tuple(items.values()), found.project, also=also, expanded=opened)
