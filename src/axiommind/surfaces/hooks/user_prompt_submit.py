"""UserPromptSubmit: what is remembered of what a person asks for now."""

from __future__ import annotations

from axiommind.recall.question import to_ask
from axiommind.surfaces.hooks._call import Answer, Call, Item, silent, within

__all__ = ["answer"]

# Who wrote the prompt, where it was not the person.
_MACHINES = frozenset(("system", "loop_wakeup", "schedule_wakeup", "poll_event"))


def answer(call: Call) -> Answer:
    prompt = call.text("prompt")
    if call.text("source") in _MACHINES:
        return silent("no person asked")
    if to_ask(prompt) is None:
        return silent("nothing to ask")
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.recall.recall import Silence

    budget = call.config.hooks.prompt_tokens
    memory = call.memory()
    found = memory.recall.answer(
        prompt, call.folder, budget=budget, session=call.session or None, skip=call.served().ids, now=call.now
    )
    if isinstance(found, Silence):
        return silent(found.why if found.best is None else f"{found.why}, the best {found.best:.2f}")
    from axiommind.surfaces.render.recall import as_text, shown_of

    text, tokens = within(call.config.home, budget, lambda tokens: as_text(found, tokens))
    if not text:
        return silent("the budget is too small")
    shown = shown_of(found, tokens)
    items = {item.id: Item(item.id, item.type, item.score) for item in shown.matches}
    for detail in shown.details:
        items.setdefault(detail.id, Item(detail.id, detail.type))
    entries = [one.entry.entry_id for one in shown.matches if one.entry is not None]
    also = (*entries, *(one.id for one in shown.timeline))
    project = memory.scope(cwd=call.folder).project
    return Answer("served", found.meta.expansion_reason or "", text, tuple(items.values()), project, also=also)
