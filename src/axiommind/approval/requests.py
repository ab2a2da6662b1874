"""Requests that count only from a person: the acts, what each says in words, and which cannot be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["ACTS", "PersonRequest", "cannot_be_undone", "in_words"]

# Acts by name. Each is a method of the library; `acts.py` says which.
ACTS = (
    "promote",
    "undo-promotion",
    "rule",
    "decide",
    "set-task",
    "reopen-task",
    "resolve-condition",
    "alias-project",
    "merge-projects",
    "split-project",
    "undo-project-ruling",
    "forget",
    "undo-forget",
    "remove-documents",
    "prune",
)
_FORGETTABLE = ("session", "project", "document", "decision", "workflow", "scratchpad")
_RULINGS = {
    "contested": "contest",
    "superseded": "supersede",
    "deprecated": "deprecate",
    "restored": "restore",
}


class PersonRequest(NamedTuple):
    """An act with its arguments, as the library's method takes them. It is forgotten with `session` (or what stands for
    one: a workflow, a decision, a document) and with `project`."""

    act: str
    args: Mapping[str, Any]
    about: str
    session: str | None = None
    project: str | None = None


def in_words(act: str, args: Mapping[str, Any]) -> str:
    """What is asked for, in a phrase that begins with a verb."""
    name = args.get("name", "")
    if act == "promote":
        return f"promote {name} to {args['to']}"
    if act == "undo-promotion":
        return f"undo the promotion of {name}"
    if act == "rule":
        by = f" by {args['other']}" if args.get("other") else ""
        return f"{_RULINGS[args['act']]} {name}{by}"
    if act == "decide":
        return f"record the decision {args['action']!r}, on {', '.join(args['evidence'])}"
    if act == "set-task":
        values = [f"{key} {args[key]}" for key in ("status", "priority") if args.get(key)]
        return f"set {name} to {' and '.join(values)}"
    if act == "reopen-task":
        return f"reopen {name}"
    if act == "resolve-condition":
        return f"resolve {name} to {args['to']}"
    if act == "alias-project":
        return f"take {args['alias']} for {args['project']}"
    if act == "merge-projects":
        return f"take {', '.join(args['others'])} and {args['project']} for one project"
    if act == "split-project":
        return f"take {', '.join(args['paths'])} for a project of its own"
    if act == "undo-project-ruling":
        return f"take back what was said of projects with {args['ruling']}"
    if act == "remove-documents":
        return f"take {args['path']} out of the index"
    if act == "prune":
        return "remove the sessions whose files are gone from the index"
    what = next((f"{key} {args[key]}" for key in _FORGETTABLE if args.get(key)), "nothing")
    return f"{'forget' if act == 'forget' else 'bring back'} {what.replace('scratchpad ', 'the scratchpad ', 1)}"


def cannot_be_undone(act: str, args: Mapping[str, Any]) -> bool:
    """Whether the only copy of something goes with it."""
    return act == "forget" and not args.get("dry_run")
