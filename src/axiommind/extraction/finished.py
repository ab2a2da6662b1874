"""What a session says that it finished: the subjects of its commits as git confirmed them, and the titles of its pull
requests. Who has open tasks looks here for what closes them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from axiommind.text.patterns import lazy
from axiommind.tools.kinds import RUN

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

__all__ = ["FinishedWork", "finished_work"]

_RESULT_CHARS = 100_000
_COMMITTED = lazy(r"^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] (?P<said>[^\n]{4,300}?)[ \t]*$", re.MULTILINE)
_PULL_REQUEST = lazy(
    r"\bgh pr create\b.{0,400}?--title[ =](?P<quote>[\"'])(?P<said>[^\"'\n]{4,200})(?P=quote)", re.DOTALL
)
# A commit that undoes, that is not finished, or that only writes down what is to be done.
_UNFINISHED = lazy(
    r"^\s*(?:revert|fixup!|squash!)|\b(?:wip|draft|to-?dos?|backlog|plan(?:s|ning)?|capture|defer(?:red)?|track|specs?)\b"
    r"|할 ?일|계획|予定|計画|待办|计划",
    re.IGNORECASE,
)


class FinishedWork(NamedTuple):
    """Words that say what was finished, and where they stand."""

    text: str
    message: int
    start: int
    timestamp: int | None


def finished_work(transcript: Transcript) -> list[FinishedWork]:
    """In the order it was finished. What a fork copied is its parent's."""
    found: list[FinishedWork] = []
    for use in transcript.uses:
        command = use.given.get("command")
        if use.tool.kind != RUN or use.failed is not False or use.copied or not isinstance(command, str):
            continue
        places: list[tuple[int, re.Match[str]]] = []
        if "commit" in command:
            results = ((n, transcript.messages[n].text[:_RESULT_CHARS]) for n in use.results)
            places += [(n, match) for n, text in results for match in _COMMITTED.finditer(text)]
        message = use.leaves.get("/command")
        if message is not None and "gh pr create" in command:
            places += [(message, match) for match in _PULL_REQUEST.finditer(transcript.messages[message].text)]
        found += [
            FinishedWork(match["said"], n, match.start("said"), use.timestamp)
            for n, match in places
            if not _UNFINISHED.search(match["said"])
        ]
    return found
