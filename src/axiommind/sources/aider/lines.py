"""A run of Aider as lines of JSON: what the person wrote, what the model said, what Aider did.

In the history the person's lines begin with `####`, Aider's with `>`, and all the rest is the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from axiommind.text import jsonlines

__all__ = ["lines_of"]

_SHELL = re.compile(r"(?:/run|/test|/git|!)\s*(.*)", re.DOTALL)
_EDITED = re.compile(r"(?:Applied edit to|Created|Updated) (.+)")
_MODEL = re.compile(r"(?:Main model|Model): (\S+)")
_VERSION = re.compile(r"Aider v(\S+)")


def lines_of(started: int, text: str) -> Iterator[bytes]:
    return map(jsonlines.encode, _lines(started, text))


def _lines(started: int, text: str) -> Iterator[dict[str, Any]]:
    yield {"type": "run", "started": started}
    is_open = False  # a command whose output may follow
    for who, group in groupby(text.splitlines(), _who):
        said = "\n".join(_without_mark(line) for line in group).strip("\n")
        if not said.strip():
            continue
        if who == "person":
            shell = _SHELL.match(said)
            is_open = shell is not None
            yield {"type": "shell", "command": shell[1]} if shell is not None else {"type": "prompt", "text": said}
        elif who == "aider":
            yield from _notes(said)
            if is_open:
                yield {"type": "output", "text": said}
            is_open = False
        else:
            yield {"type": "answer", "text": said}


def _notes(said: str) -> Iterator[dict[str, Any]]:
    for line in said.splitlines():
        if found := _EDITED.match(line):
            yield {"type": "edit", "path": found[1].strip(), "text": line}
        elif found := _MODEL.match(line):
            yield {"type": "model", "model": found[1]}
        elif found := _VERSION.match(line):
            yield {"type": "version", "version": found[1]}


def _who(line: str) -> str:
    return "person" if line.startswith("#### ") else "aider" if line.startswith(">") else "model"


def _without_mark(line: str) -> str:
    if line.startswith("#### "):
        return line[5:].rstrip()
    return line[1:].removeprefix(" ").rstrip() if line.startswith(">") else line
