"""Pull requests that `gh pr create` opened and whose body says why, where no commit of the session does.

A pull request and its commits are one thing: what `commits` tells is not told again.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import MOST_QUOTES, clip, head, only, within
from axiommind.extraction.rules import RECORD, Rule, commits
from axiommind.extraction.rules._git import RESULT_CHARS, command_of, is_memorable, kind_of, told_why
from axiommind.extraction.rules._shell_words import ShellWord, runs
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "pull-requests",
        types=("reference",),
        form=RECORD,
        labelled="pull-requests",
        right=1,
        total=1,
        note="158 real sessions, all there are: where a commit gives the reason, that is told",
    ),
)
ORDER = 5

_PULL = lazy(r"https://[\w.-]{1,100}/[\w.-]{1,100}/[\w./-]{1,200}?/(?:pull|merge_requests)/(\d{1,9})(?![\w/])")


def find(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    for use in transcript.uses:
        command, message = command_of(use)
        if message is None or "gh" not in command:
            continue
        calls = runs(command, "gh", "pr", "create")
        if len(calls) != 1 or any(word.text in ("--dry-run", "--web", "-w") for word in calls[0]):
            continue
        for result in use.results:
            links = list(_PULL.finditer(transcript.messages[result].text[:RESULT_CHARS]))
            if links:
                draft = _pull_request(transcript, use, message, calls[0], result, links[-1])
                if draft is not None:
                    found[draft.target] = draft
    if not found or commits.find(transcript):
        return []
    return [max(found.values(), key=lambda draft: len(draft.rationale))]


def _pull_request(
    transcript: Transcript, use: ToolCall, message: int, words: list[ShellWord], result: int, link: re.Match[str]
) -> Draft | None:
    title = _option(words, "--title", "-t")
    body = _option(words, "--body", "-b")
    command = transcript.messages[message].text
    quotes = within(transcript, result, link[0])
    if title is not None:
        quotes = only(quotes, within(transcript, message, head(command[title.start : title.end])))
    name = clip(title.text or "") if title is not None else ""
    if body is None or not name:
        return None
    more, told = told_why(transcript, message, command[body.start : body.end], MOST_QUOTES - len(quotes))
    if not is_memorable(name, told):
        return None
    return Draft(
        type="reference",
        kind=kind_of(name.rpartition(":")[0] or name, told),
        title=name,
        text=f"{name}\n\n{' '.join(told)}",
        rationale=" ".join(told),
        quotes=only(quotes, more),
        rule="pull-requests",
        target=link[0],
        anchors=(link[0],),
        timestamp=use.timestamp,
    )


def _option(words: list[ShellWord], *names: str) -> ShellWord | None:
    for word, value in pairwise(words):
        if word.text in names and value.text is not None:
            return value
    for word in words:
        for name in names:
            if word.text is not None and word.text.startswith(f"{name}=") and len(name) > 2:
                return ShellWord(word.text[len(name) + 1 :], word.start + len(name) + 1, word.end)
    return None
