"""What a tool call is, in words that no agent owns: edit, run, read, search, ask, plan, delegate or other.

Every source maps its agent's tool names to these (`TOOLS`), and all other modules ask for the kind. A shell command has
a class besides, such as `Bash:test`: the name under which it is counted, `tool_uses.classified_name`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = [
    "ADD_TASK",
    "ASK",
    "CHANGE_TASK",
    "CHECKS",
    "DELEGATE",
    "EDIT",
    "GIT",
    "KINDS",
    "LINT",
    "OTHER",
    "PLAN",
    "PROPOSE_PLAN",
    "READ",
    "RUN",
    "RUN_CLASS",
    "SEARCH",
    "SET_TASKS",
    "UNKNOWN_TOOL",
    "KnownTool",
    "is_run",
]

EDIT = "edit"  # changes a file
RUN = "run"  # runs a shell command
READ = "read"  # reads a file or a page
SEARCH = "search"  # looks for files, texts or pages
ASK = "ask"  # asks the person
PLAN = "plan"  # proposes a plan, or keeps the agent's own list of tasks
DELEGATE = "delegate"  # hands work to another agent
OTHER = "other"
KINDS = (EDIT, RUN, READ, SEARCH, ASK, PLAN, DELEGATE, OTHER)

# What a call of the kind PLAN does.
PROPOSE_PLAN = "propose-plan"  # shows the person a plan to approve
SET_TASKS = "set-tasks"  # writes the whole list
ADD_TASK = "add-task"
CHANGE_TASK = "change-task"

# The classes of shell commands (`tools/shell.py` tells them).
RUN_CLASS = "Bash:"
GIT = f"{RUN_CLASS}git"
LINT = f"{RUN_CLASS}lint"
CHECKS = frozenset({f"{RUN_CLASS}test", f"{RUN_CLASS}build", LINT})


class KnownTool(NamedTuple):
    """One tool of an agent. `is_quiet`: what it returns is a file, a list or an acknowledgement, nothing of the
    session's own, so it is not worth searching."""

    kind: str
    act: str = ""  # of a plan: which of the above
    file_field: str = ""  # of an edit: the field of its input that names the file
    is_quiet: bool = False
    is_network: bool = False  # what it returns was written by others, somewhere on the network
    common: str = ""  # the name under which it is counted, where other agents call the same tool otherwise
    fields: tuple[tuple[str, str], ...] = ()  # fields of its input that are called otherwise: (the agent's, ours)

    def in_common(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The input of a call with the fields called as in every agent, at any depth of lists."""
        names = dict(self.fields)
        return {names.get(key, key): _renamed(value, names) for key, value in given.items()} if names else dict(given)

    @property
    def is_statement(self) -> bool:
        """Whether the call itself states something: a question to the person, a plan, a task."""
        return self.kind == ASK or bool(self.act)


UNKNOWN_TOOL = KnownTool(OTHER)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [
            {names.get(key, key): one for key, one in part.items()} if isinstance(part, dict) else part
            for part in value
        ]
    return value


def is_run(classified_name: str) -> bool:
    """Whether a call ran a shell command, by the name under which it is counted."""
    return classified_name.startswith(RUN_CLASS)
