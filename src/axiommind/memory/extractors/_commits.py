"""What went into the repository: messages of `git commit`, and pull requests that `gh pr create` opened.

A commit is believed when the call did not fail and git did not say that there was nothing to commit.
"""

from __future__ import annotations

import re
from itertools import pairwise

from axiommind.memory.extractors._precision import PRECISION
from axiommind.memory.extractors._quoting import clip, given, head, only, within
from axiommind.memory.extractors._shell import Word, runs
from axiommind.memory.values import Draft, Quote
from axiommind.projections.recorded import Transcript, Use

__all__ = ["commits", "pull_requests"]

_TEXT = 2_000
_RESULT = 100_000  # characters of what came back; hooks print much before git says its line
_SHORTEST_SUBJECT = 10  # `wip`, `fix`: true, and of no use to anybody
_MESSAGE = re.compile(r"-[a-zA-Z]{0,6}m|--message")
_TRAILER = re.compile(
    r"[ \t]*(?:(?:co-authored-by|signed-off-by|reviewed-by|acked-by|change-id|claude-session|entire-[\w-]{1,30})[ \t]*:"
    r"|(?:🤖[ \t]*)?generated with\b|https://claude\.(?:ai|com)/)",
    re.IGNORECASE,
)
_DONE = re.compile(r"^[ \t]*\[[^\]\n]{1,200}?[ \t]([0-9a-f]{7,40})\][ \t](.{1,300})$", re.MULTILINE)
_NOTHING = re.compile(
    r"nothing (?:added )?to commit|running in (?:the )?background|no changes added to commit"
    r"|^fatal:|^error:|aborting commit|pre-commit.{0,40}failed"
    r"|husky - .{0,60}(?:failed|exited)",
    re.MULTILINE | re.IGNORECASE,
)
_PULL = re.compile(r"https://[\w.-]{1,100}/[\w.-]{1,100}/[\w./-]{1,200}?/(?:pull|merge_requests)/(\d{1,9})(?![\w/])")


def commits(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    for use in transcript.uses:
        command, message = _command(use)
        if message is None or "commit" not in command:
            continue
        said = "\n".join(transcript.messages[result].text[:_RESULT] for result in use.results)
        done = {clip(match[2], 60): match for match in _DONE.finditer(said)}
        for words in runs(command, "git", "commit"):
            draft = _commit(transcript, use, message, words, done, said)
            if draft is not None:
                found[draft.title] = draft  # an amended commit replaces what it amends
    return list(found.values())


def _commit(
    transcript: Transcript, use: Use, message: int, words: list[Word], done: dict[str, re.Match[str]], said: str
) -> Draft | None:
    texts = _messages(words)
    if not texts or any(word.text in ("--dry-run", "--fixup", "--squash") for word in words):
        return None
    lines = "\n\n".join(word.text or "" for word in texts).replace("\r", "").strip().split("\n")
    subject = clip(lines[0])
    line = done.get(clip(subject, 60))
    if len(subject) < _SHORTEST_SUBJECT or " " not in subject or (line is None and _NOTHING.search(said)):
        return None
    kept = [row for row in lines if not _TRAILER.match(row)]
    command = transcript.messages[message].text
    quotes: tuple[Quote, ...] = within(transcript, message, head(command[texts[0].start : texts[0].end]))
    for result in use.results if line else ():
        quotes = only(quotes, within(transcript, result, head(line[0] if line else "")))
    return Draft(
        type="fact",
        title=subject,
        text="\n".join(kept)[:_TEXT].strip(),
        quotes=quotes,
        rule="commits",
        confidence=PRECISION["commits"],
        target=line[1] if line else "",
        timestamp=use.timestamp,
    )


def _messages(words: list[Word]) -> list[Word]:
    """The texts of `-m`, or of a here-document on the standard input; none where only a shell would know them."""
    found = []
    for word, value in pairwise(words):
        if (word.text is not None and _MESSAGE.fullmatch(word.text)) or (
            word.text is not None and word.text == "<<" and any(other.text == "-F" for other in words)
        ):
            found.append(value)
    for word in words:
        if word.text is not None and word.text.startswith("--message="):
            skip = len("--message=")
            found.append(Word(word.text[skip:], word.start + skip, word.end))
    return found if all(word.text is not None for word in found) else []


def pull_requests(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    for use in transcript.uses:
        command, message = _command(use)
        if message is None or "gh" not in command:
            continue
        calls = runs(command, "gh", "pr", "create")
        if len(calls) != 1 or any(word.text in ("--dry-run", "--web", "-w") for word in calls[0]):
            continue
        for result in use.results:
            links = list(_PULL.finditer(transcript.messages[result].text[:_RESULT]))
            if links:
                draft = _pull_request(transcript, use, message, calls[0], result, links[-1])
                found[draft.target] = draft
    return list(found.values())


def _pull_request(
    transcript: Transcript, use: Use, message: int, words: list[Word], result: int, link: re.Match[str]
) -> Draft:
    title = _option(words, "--title", "-t")
    body = _option(words, "--body", "-b")
    command = transcript.messages[message].text
    quotes = within(transcript, result, link[0])
    if title is not None:
        quotes = only(quotes, within(transcript, message, head(command[title.start : title.end])))
    name = clip(title.text or "") if title is not None else ""
    rows = [row for row in (body.text or "").replace("\r", "").split("\n") if not _TRAILER.match(row)] if body else []
    return Draft(
        type="reference",
        title=name or f"Pull request {link[1]}: {'/'.join(link[0].split('/')[3:-2])}",
        text="\n".join([name, *rows])[:_TEXT].strip() or link[0],
        quotes=quotes,
        rule="pull-requests",
        confidence=PRECISION["pull-requests"],
        target=link[0],
        timestamp=use.timestamp,
    )


def _option(words: list[Word], *names: str) -> Word | None:
    for word, value in pairwise(words):
        if word.text in names and value.text is not None:
            return value
    for word in words:
        for name in names:
            if word.text is not None and word.text.startswith(f"{name}=") and len(name) > 2:
                return Word(word.text[len(name) + 1 :], word.start + len(name) + 1, word.end)
    return None


def _command(use: Use) -> tuple[str, int | None]:
    """A shell line that ran to its end without failing, and the message that holds it."""
    if use.name != "Bash" or use.failed is not False or use.given.get("run_in_background"):
        return "", None
    return given(use, "command"), use.leaves.get("/command")
