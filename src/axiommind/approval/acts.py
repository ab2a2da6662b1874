"""Which method of the library each act is that counts only from a person (`requests.py` names them)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from axiommind.home import Scope

__all__ = ["acts_of"]


def acts_of(memory: Any) -> Mapping[str, Callable[..., Any]]:
    """Of a `Memory`, which is above all that: each part of it is made when one of its acts is confirmed."""
    return {
        "promote": lambda **given: memory.entries.promote(**given),
        "undo-promotion": lambda **given: memory.entries.undo_promotion(**given),
        "rule": lambda **given: memory.entries.rule(**given),
        "decide": lambda project, **given: memory.decisions.decide(scope=Scope(project), **given),
        "set-task": lambda **given: memory.tasks.set(**given),
        "reopen-task": lambda **given: memory.tasks.reopen(**given),
        "resolve-condition": lambda **given: memory.conditions.resolve(**given),
        "alias-project": lambda **given: memory.projects.alias(**given),
        "merge-projects": lambda **given: memory.projects.merge(**given),
        "split-project": lambda **given: memory.projects.split(**given),
        "undo-project-ruling": lambda **given: memory.projects.undo(**given),
        "forget": lambda **given: memory.forget(**given),
        "undo-forget": lambda **given: memory.undo_forget(**given),
        "remove-documents": lambda **given: memory.documents.remove(**given),
        "prune": lambda **given: memory.index(prune=True, **given),
    }
