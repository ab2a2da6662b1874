"""Commits whose message says why: the subject, and the sentences of the body that give the reason.

A subject alone is no memory, git has it; of a session the commit that gives most reasons is told. A commit is believed
when the call did not fail and git did not say that there was nothing to commit. One that is amended later in the
session gives way to what it became, and one that is reverted is dropped.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import MOST_QUOTES, clip, cut, head, only, within
from axiommind.extraction.rules import RECORD, Rule
from axiommind.extraction.rules._git import RESULT_CHARS, command_of, is_memorable, kind_of, told_why
from axiommind.extraction.rules._shell_words import ShellWord, runs
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "commits",
        types=("fact",),
        form=RECORD,
        labelled="commits",
        right=17,
        total=19,
        note="158 real sessions, all there are; wrong: a reason of something else than the title",
    ),
)
ORDER = 4

_MOST = 2  # of a session
_MESSAGE = lazy(r"-[a-zA-Z]{0,6}m|--message")
_DONE = lazy(r"^[ \t]*\[[^\]\n]{1,200}?[ \t]([0-9a-f]{7,40})\][ \t](.{1,300})$", re.MULTILINE)
_NOTHING = lazy(
    r"nothing (?:added )?to commit|running in (?:the )?background|no changes added to commit"
    r"|^fatal:|^error:|aborting commit|pre-commit.{0,40}failed"
    r"|husky - .{0,60}(?:failed|exited)",
    re.MULTILINE | re.IGNORECASE,
)
_REVERTS = lazy(r'(Revert|Reapply) "(.{1,250}?)"?$')  # a revert of a revert applies again
_HEAD = lazy(r"(?:HEAD|@)(?:\^|~1?)?$|(?:HEAD|@)~(\d{1,3})$")
_HASH = lazy(r"[0-9a-f]{7,40}$")


class _Commit:
    """A commit of this session, as the session leaves it. One that says nothing to anybody has no draft."""

    def __init__(self, hash_: str, subject: str, draft: Draft | None, undoes: _Commit | None = None) -> None:
        self.hash = hash_
        self.subject = subject
        self.draft = draft
        self.undoes = undoes
        self.undone = False

    def undo(self) -> None:
        self.undone = True
        if self.undoes is not None:  # who reverts a revert has the first one back
            self.undoes.undone = False


class _GitRun(NamedTuple):
    """A run of git in a shell line, and what came back from the whole line."""

    use: ToolCall
    message: int
    words: list[ShellWord]
    done: dict[str, re.Match[str]]  # what git said that it committed, by subject
    said: str


def find(transcript: Transcript) -> list[Draft]:
    made: list[_Commit] = []
    for use in transcript.uses:
        command, message = command_of(use)
        if message is None or not ("commit" in command or "revert" in command):
            continue
        said = "\n".join(transcript.messages[result].text[:RESULT_CHARS] for result in use.results)
        done = {clip(match[2], 60): match for match in _DONE.finditer(said)}
        for words in runs(command, "git", "commit"):
            _commit(transcript, _GitRun(use, message, words, done, said), made)
        for words in runs(command, "git", "revert"):
            _revert(_GitRun(use, message, words, done, said), made)
    found = {one.draft.title: one.draft for one in made if one.draft is not None and not one.undone}
    best = sorted(found.values(), key=lambda draft: -len(draft.rationale))[:_MOST]
    return [draft for draft in found.values() if any(draft is one for one in best)]


def _commit(transcript: Transcript, run: _GitRun, made: list[_Commit]) -> None:
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
            made.append(_Commit(line[1], clip(line[2]), draft))
        return
    draft = _draft(transcript, run, texts, subject, line)
    made.append(_Commit(line[1] if line else "", subject, draft))
    _undo(made)


def _draft(
    transcript: Transcript, run: _GitRun, texts: list[ShellWord], subject: str, line: re.Match[str] | None
) -> Draft | None:
    """What a commit says and why; None when it does not say why."""
    command = transcript.messages[run.message].text
    first = command[texts[0].start : texts[0].end]
    quotes: tuple[Quote, ...] = within(transcript, run.message, cut(first.strip().partition("\n")[0].rstrip()))
    for result in run.use.results if line else ():
        quotes = only(quotes, within(transcript, result, head(line[0] if line else "")))
    told: tuple[str, ...] = ()
    for raw in (first.strip().partition("\n")[2], *(command[word.start : word.end] for word in texts[1:])):
        more, words = told_why(transcript, run.message, raw, MOST_QUOTES - len(quotes))
        quotes, told = only(quotes, more), (*told, *words)
    if not is_memorable(subject, told):
        return None
    return Draft(
        type="fact",
        kind=kind_of(subject.rpartition(":")[0] or subject, told),
        title=subject,
        text=f"{subject}\n\n{' '.join(told)}",
        rationale=" ".join(told),
        quotes=quotes,
        rule="commits",
        target=line[1] if line else "",
        anchors=(line[1],) if line else (),
        timestamp=run.use.timestamp,
    )


def _revert(run: _GitRun, made: list[_Commit]) -> None:
    """What `git revert` undoes: what it says so of; otherwise what it was given, a hash or a place before the last."""
    options = {word.text for word in run.words}
    if options & {"--abort", "--quit", "--skip"} or _NOTHING.search(run.said):
        return
    printed = [line for line in run.done.values() if _REVERTS.match(line[2])]
    for line in printed:
        made.append(_Commit(line[1], clip(line[2]), None))
        _undo(made)
    for word in run.words if not printed else ():
        one = _named(word.text or "", made)
        if one is not None and not one.undone:
            one.undo()
            made.append(_Commit("", f'Revert "{one.subject}"', None, undoes=one))


def _named(word: str, made: list[_Commit]) -> _Commit | None:
    if _HASH.match(word):
        same = [one for one in made if one.hash and (one.hash.startswith(word) or word.startswith(one.hash))]
        return same[-1] if same else None
    if place := _HEAD.match(word):
        back = int(place[1]) if place[1] else 1 if word[-1] in "^~1" and word not in ("HEAD", "@") else 0
        return made[-1 - back] if back < len(made) else None
    return None


def _undo(made: list[_Commit]) -> None:
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


def _messages(words: list[ShellWord]) -> list[ShellWord]:
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
            found.append(ShellWord(word.text[skip:], word.start + skip, word.end))
    return found if all(word.text is not None for word in found) else []
