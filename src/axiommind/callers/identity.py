"""Identifying the caller of this process: by a token, by the environment, by the terminal, by what runs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from axiommind.callers import Caller
from axiommind.callers.agents import agent_in_environment, agent_in_process
from axiommind.callers.processes import UNKNOWN, Ancestors, ancestors
from axiommind.callers.tokens import TOKEN_VARIABLE, PersonTokens

__all__ = ["identify"]


def identify(
    environ: Mapping[str, str],
    home: Path,
    *,
    is_terminal: Callable[[], bool] | None = None,
    running: Callable[[], Ancestors] = ancestors,
) -> Caller:
    """Who runs this process."""
    given = environ.get(TOKEN_VARIABLE, "")
    found = _terminal(environ, is_terminal or _is_terminal, running)
    token = PersonTokens(home).find(given) if given else None
    if token is not None:  # whoever holds one may sit at a terminal as well
        return Caller(True, f"{TOKEN_VARIABLE} holds the token {token.name!r}", token.name, found.at_terminal)
    if given and not found.is_person:
        return found._replace(why=f"{found.why}, and {TOKEN_VARIABLE} holds no valid token of this home")
    return found


def _terminal(environ: Mapping[str, str], is_terminal: Callable[[], bool], running: Callable[[], Ancestors]) -> Caller:
    marked = agent_in_environment(environ)
    if marked is not None:
        return Caller(False, f"{marked.variable} is set, as {marked.name} does for what it runs", marked.name)
    if not is_terminal():
        return Caller(False, "standard input and output are not a terminal")
    above = running()
    if above == UNKNOWN:
        # Windows tells a program's ancestors only through calls that we do not make; there the terminal and the
        # environment decide. Elsewhere it means that the system hides them, and who is unknown is an agent.
        if os.name == "nt":
            return Caller(True, "a terminal (on Windows, ancestors are not examined)", at_terminal=True)
        return Caller(False, "which programs run this terminal cannot be read")
    for command in above:
        name = agent_in_process(command)
        if name is not None:
            return Caller(False, f"{name} runs this terminal", name)
    return Caller(True, "a terminal that no agent runs", at_terminal=True)


def _is_terminal() -> bool:
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False
