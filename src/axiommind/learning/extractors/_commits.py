"""What went into the repository: messages of `git commit`, and pull requests that `gh pr create` opened.

A commit is believed when the call did not fail and git did not say that there was nothing to commit. One that is
amended later in the session gives way to what it became, and one that is reverted is forgotten.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from axiommind.learning.drafts import Draft, Quote
from axiommind.learning.extractors._precision import PRECISION
from axiommind.learning.extractors._quoting import MOST_QUOTES, clip, covered, cut, given, head, only, within
from axiommind.learning.extractors._shell import Word, runs
from axiommind.projections.transcript import ToolCall, Transcript
from axiommind.tools.kinds import RUN

__all__ = ["commits", "pull_requests"]

_RESULT = 100_000  # characters of what came back; hooks print much before git says its line
_SHORTEST_SUBJECT = 10  # `wip`, `fix`: true, and of no use to anybody
_MESSAGE = re.compile(r"-[a-zA-Z]{0,6}m|--message")
_TRAILER = re.compile(
    r"[ \t]*(?:(?:co-authored-by|signed-off-by|reviewed-by|acked-by|change-id|claude-session|entire-[\w-]{1,30})[ \t]*:"
    r"|(?:🤖[ \t]*)?generated with\b|(?:🤖[ \t]*)?\[?generated (?:with|by)\b|https://claude\.(?:ai|com)/)",
    re.IGNORECASE,
)
_DONE = re.compile(r"^[ \t]*\[[^\]\n]{1,200}?[ \t]([0-9a-f]{7,40})\][ \t](.{1,300})$", re.MULTILINE)
_NOTHING = re.compile(
    r"nothing (?:added )?to commit|running in (?:the )?background|no changes added to commit"
    r"|^fatal:|^error:|aborting commit|pre-commit.{0,40}failed"
    r"|husky - .{0,60}(?:failed|exited)",
    re.MULTILINE | re.IGNORECASE,
)
_REVERTS = re.compile(r'(Revert|Reapply) "(.{1,250}?)"?$')  # a revert of a revert applies again
_HEAD = re.compile(r"(?:HEAD|@)(?:\^|~1?)?$|(?:HEAD|@)~(\d{1,3})$")
_HASH = re.compile(r"[0-9a-f]{7,40}$")
_PULL = re.compile(r"https://[\w.-]{1,100}/[\w.-]{1,100}/[\w./-]{1,200}?/(?:pull|merge_requests)/(\d{1,9})(?![\w/])")


@dataclass(eq=False)
class _Made:
    """A commit of this session, as the session leaves it. One that says nothing to anybody has no draft."""

    hash: str
    subject: str
    draft: Draft | None
    undoes: _Made | None = None
    undone: bool = False

    def undo(self) -> None:
        self.undone = True
        if self.undoes is not None:  # who reverts a revert has the first one back
            self.undoes.undone = False


class _Run(NamedTuple):
    """A run of git in a shell line, and what came back from the whole line."""

    use: ToolCall
    message: int
    words: list[Word]
    done: dict[str, re.Match[str]]  # what git said that it committed, by subject
    said: str


def commits(transcript: Transcript) -> list[Draft]:
    made: list[_Made] = []
    for use in transcript.uses:
        command, message = _command(use)
        if message is None or not ("commit" in command or "revert" in command):
            continue
        said = "\n".join(transcript.messages[result].text[:_RESULT] for result in use.results)
        done = {clip(match[2], 60): match for match in _DONE.finditer(said)}
        for words in runs(command, "git", "commit"):
            _commit(transcript, _Run(use, message, words, done, said), made)
        for words in runs(command, "git", "revert"):
            _revert(_Run(use, message, words, done, said), made)
    found = {one.draft.title: one.draft for one in made if one.draft is not None and not one.undone}
    return list(found.values())


def _commit(transcript: Transcript, run: _Run, made: list[_Made]) -> None:
    options = {word.text for word in run.words}
    texts = _messages(run.words)
    lines = "\n\n".join(word.text or "" for word in texts).replace("\r", "").strip().split("\n")
    subject = clip(lines[0])
    line = run.done.get(clip(subject, 60)) if subject else next(iter(run.done.values()), None)
    if options & {"--dry-run", "--fixup", "--squash"} or (line is None and (_NOTHING.search(run.said) or not subject)):
        return
    before = made.pop() if "--amend" in options and made else None
    if not subject:  # it keeps its message, or somebody wrote one that is not here
        draft = before.draft if before is not None and "--no-edit" in options else None
        if line is not None:
            draft = draft._replace(target=line[1]) if draft is not None else None
            made.append(_Made(line[1], clip(line[2]), draft))
        return
    draft = None
    if len(subject) >= _SHORTEST_SUBJECT and " " in subject:
        draft = _draft(transcript, run, texts, subject, line)
    made.append(_Made(line[1] if line else "", subject, draft))
    _undo(made)


def _draft(transcript: Transcript, run: _Run, texts: list[Word], subject: str, line: re.Match[str] | None) -> Draft:
    command = transcript.messages[run.message].text
    first = command[texts[0].start : texts[0].end]
    quotes: tuple[Quote, ...] = within(transcript, run.message, head(first))
    for result in run.use.results if line else ():
        quotes = only(quotes, within(transcript, result, head(line[0] if line else "")))
    told = [cut((texts[0].text or "").strip().partition("\n")[0].rstrip())]
    bodies = [((texts[0].text or "").strip().partition("\n")[2], first.strip().partition("\n")[2])]
    bodies += [(word.text or "", command[word.start : word.end]) for word in texts[1:]]
    for text, raw in bodies:
        more, words = _body(transcript, run.message, text, raw, MOST_QUOTES - len(quotes))
        quotes = only(quotes, more)
        told.append(words)
    return Draft(
        type="fact",
        title=subject,
        text="\n\n".join(part for part in told if part),
        quotes=quotes,
        rule="commits",
        confidence=PRECISION["commits"],
        target=line[1] if line else "",
        timestamp=run.use.timestamp,
    )


def _body(transcript: Transcript, message: int, text: str, raw: str, most: int) -> tuple[tuple[Quote, ...], str]:
    """A body as the shell gave it to the program, as far as it can be quoted as it stands in the line."""
    text, raw = _own(text).replace("\r", "").strip(), _own(raw).strip()
    quotes, held = covered(transcript, message, raw, most)
    return quotes, text if held == raw else cut(text, max(0, len(held) - held.count("\\") - held.count("\r")))


def _own(body: str) -> str:
    """A message without what tools put at its end."""
    rows = body.split("\n")
    return "\n".join(rows[: next((n for n, row in enumerate(rows) if _TRAILER.match(row)), len(rows))])


def _revert(run: _Run, made: list[_Made]) -> None:
    """What `git revert` undoes: what it says so of; otherwise what it was given, a hash or a place before the last."""
    options = {word.text for word in run.words}
    if options & {"--abort", "--quit", "--skip"} or _NOTHING.search(run.said):
        return
    printed = [line for line in run.done.values() if _REVERTS.match(line[2])]
    for line in printed:
        made.append(_Made(line[1], clip(line[2]), None))
        _undo(made)
    for word in run.words if not printed else ():
        one = _named(word.text or "", made)
        if one is not None and not one.undone:
            one.undo()
            made.append(_Made("", f'Revert "{one.subject}"', None, undoes=one))


def _named(word: str, made: list[_Made]) -> _Made | None:
    if _HASH.match(word):
        same = [one for one in made if one.hash and (one.hash.startswith(word) or word.startswith(one.hash))]
        return same[-1] if same else None
    if place := _HEAD.match(word):
        back = int(place[1]) if place[1] else 1 if word[-1] in "^~1" and word not in ("HEAD", "@") else 0
        return made[-1 - back] if back < len(made) else None
    return None


def _undo(made: list[_Made]) -> None:
    """The last commit may say by its subject which one it undoes."""
    said = _REVERTS.match(made[-1].subject)
    if said is None:
        return
    subject = clip(said[2] if said[1] == "Revert" else f'Revert "{said[2]}"', 60)
    for one in reversed(made[:-1]):
        if not one.undone and clip(one.subject, 60) == subject:
            one.undo()
            made[-1].undoes = one
            return


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
    transcript: Transcript, use: ToolCall, message: int, words: list[Word], result: int, link: re.Match[str]
) -> Draft:
    title = _option(words, "--title", "-t")
    body = _option(words, "--body", "-b")
    command = transcript.messages[message].text
    quotes = within(transcript, result, link[0])
    if title is not None:
        quotes = only(quotes, within(transcript, message, head(command[title.start : title.end])))
    name = clip(title.text or "") if title is not None else ""
    told = ""
    if body is not None:
        raw = command[body.start : body.end]
        more, told = _body(transcript, message, body.text or "", raw, MOST_QUOTES - len(quotes))
        quotes = only(quotes, more)
    return Draft(
        type="reference",
        title=name or f"Pull request {link[1]}: {'/'.join(link[0].split('/')[3:-2])}",
        text=f"{name}\n{told}".strip() or link[0],
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


def _command(use: ToolCall) -> tuple[str, int | None]:
    """A shell line that ran to its end without failing, and the message that holds it."""
    if use.tool.kind != RUN or use.failed is not False or use.given.get("run_in_background"):
        return "", None
    return given(use, "command"), use.leaves.get("/command")
