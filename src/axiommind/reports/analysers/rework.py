"""What had to be done again: calls that failed with the same complaint, and the command that came next and passed.

A command is known by its shape (`git add && git commit`): its leading words, without where it runs, its options,
paths and texts. A complaint is the line of an error that says most, known again without its numbers and paths. What
was cancelled because a neighbour failed, and what a person refused, did not fail.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from axiommind.text.summary import without_colours
from axiommind.tools.kinds import is_run

__all__ = ["CountedCall", "RepeatedFailure", "complaint", "failures", "is_own", "is_refused", "shape"]

COMPLAINT_CHARS = 140
LEAST_FOLLOWED = 0.5  # of what came next after a failure: less than half is no answer to it
_LONGEST = 4_000  # characters of a command that are looked at
_WORDS_KEPT = 4
_PARTS_KEPT = 3

_BEFORE = re.compile(r"\s*(?:cd\s+\S{1,300}\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]{0,40}=\S{0,100}\s+|(?:sudo|time)\s+)")
_TEXT = re.compile(r"[\n\"'`]|\$\(|<<")  # from here on it is an argument's text
_JOINT = re.compile(r"\s*(?:&&|\|\||;)\s*")
_WORD = re.compile(r"@?[A-Za-z][A-Za-z0-9_:@.+-]*")
_FILE = re.compile(r"\.[A-Za-z]{1,5}$")
_ASIDE = frozenset({"echo", "printf", "true", "sleep", "export", "set"})

_CANCELLED = ("sibling tool call", "parallel tool call", "request interrupted", "was cancelled")
_REFUSED = ("doesn't want to proceed", "doesn't want to take", "tool use was rejected", "user rejected")
_SAYS_NOTHING = re.compile(
    r"^(?:Exit code \d+$|\$ |> |\[\w+\] |Usage:|For more information)|\bexited with code \d|ELIFECYCLE"
)
_MASKED = re.compile(r"\|")  # what a pipe ends with says nothing about how it began
_TELLING = (
    re.compile(r"^(?:error|fatal)\b.{4,}|\bcommand not found\b|^[\w./-]+: illegal option", re.IGNORECASE),
    re.compile(r"\berror (?:TS|\[?[A-Z]{1,4})\d{2,5}"),
    re.compile(r"^(?:[×✖✗✘!]|\(fail\)|FAIL(?:ED)?\b|--- FAIL:)\s*\S.{4,}"),
    re.compile(r"^(?:E\s+)?[\w.]*(?:Error|Exception)\b: \S"),
    re.compile(r"\b(?:cannot|could not|unable to|not found|no such|denied|refused|rejected|failed|no matches)\b", re.I),
)
_FEW_LINES = 4  # of so few, the first is what it says
_RULE = re.compile(r"\s*[━─═]{2,}.*$")
_PLACE = re.compile(r"\S*[/\\]\S*|\b[0-9a-f]{7,40}\b|\d+")


class CountedCall(NamedTuple):
    """A use of a tool. `command` is a shell's line, else empty; `counts` is False outside of what was asked for."""

    ref: int
    session: str
    tool: str
    command: str
    failed: bool
    error: str
    at: int | None
    counts: bool = True
    is_edit: bool = False


@dataclass(frozen=True, slots=True)
class RepeatedFailure:
    """The same failing with the same complaint. `runs`: how often that was called at all, `worked` how often it is
    known to have passed, `most` the failures in one session; `then` is the command that came next and passed `passed`
    times, in `passed_sessions`."""

    what: str
    tool: str
    complaint: str
    times: int
    sessions: int
    days: int
    most: int
    runs: int
    worked: int
    then: str
    passed: int
    passed_sessions: int
    calls: tuple[CountedCall, ...]  # those that failed
    answers: tuple[CountedCall, ...]  # those that then passed

    @property
    def is_command(self) -> bool:
        return is_run(self.tool)

    @property
    def never_worked(self) -> bool:
        return self.worked == 0


def shape(command: str) -> str:
    """The leading words of a shell line's commands; empty where it begins with none."""
    text = command[:_LONGEST]
    while found := _BEFORE.match(text):
        text = text[found.end() :]
    text = text[: found.start()] if (found := _TEXT.search(text)) else text
    parts: list[str] = []
    for part in _JOINT.split(text):
        words: list[str] = []
        for word in part.partition("|")[0].split():
            if not _WORD.fullmatch(word) or len(words) == _WORDS_KEPT or (words and _FILE.search(word)):
                break
            words.append(word)
        if words and words[0] not in _ASIDE and " ".join(words) not in parts:
            parts.append(" ".join(words))
    return " && ".join(parts[:_PARTS_KEPT])


def is_refused(error: str) -> bool:
    """Whether a person said no to the call."""
    return any(words in error[:400].lower() for words in _REFUSED)


def is_own(error: str) -> bool:
    """Whether the call failed by itself: it was neither refused nor cancelled with another one."""
    return not any(words in error[:400].lower() for words in (*_CANCELLED, *_REFUSED))


def complaint(error: str) -> str:
    """The line of an error that says most; empty when none does, or the call did not fail by itself."""
    if not is_own(error):
        return ""
    plain = without_colours(error).replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    lines = [text for line in plain.splitlines() if (text := _RULE.sub("", " ".join(line.split())))]
    lines = [line for line in lines if not _SAYS_NOTHING.search(line)]
    said = next((line for pattern in _TELLING for line in lines if pattern.search(line)), "") or next(
        iter(lines[-1:]), ""
    )
    return said if len(said) <= COMPLAINT_CHARS else said[:COMPLAINT_CHARS].rstrip()


def failures(calls: Iterable[CountedCall], at_least: int = 2) -> list[RepeatedFailure]:
    """What failed at least so often in the same way, the most sessions first. `calls` come in order, by session."""
    runs: Counter[str] = Counter()
    worked: Counter[str] = Counter()
    failed: dict[tuple[str, str], list[CountedCall]] = {}
    lines: dict[tuple[str, str], Counter[str]] = {}
    answers: dict[tuple[str, str], list[CountedCall]] = {}
    for _session, group in groupby(calls, key=attrgetter("session")):
        of_session = list(group)
        shapes = [_name(call) for call in of_session]
        for at, (call, name) in enumerate(zip(of_session, shapes, strict=True)):
            if not call.counts or not name:
                continue
            if call.failed and not is_own(call.error):
                continue
            told = complaint(call.error) if call.failed else ""
            runs[name] += 1
            worked[name] += not call.failed and not _MASKED.search(call.command)
            if told:
                key = (name, _PLACE.sub("#", told.casefold()))
                failed.setdefault(key, []).append(call)
                lines.setdefault(key, Counter())[told] += 1
                if (answer := _answer(of_session, shapes, at)) is not None:
                    answers.setdefault(key, []).append(answer)
    found = [
        _failure(key[0], lines[key].most_common(1)[0][0], those, answers.get(key, []), runs[key[0]], worked[key[0]])
        for key, those in failed.items()
        if len(those) >= at_least
    ]
    return sorted(found, key=lambda f: (-f.sessions, -f.times, f.what, f.complaint))


def _name(call: CountedCall) -> str:
    return shape(call.command) if is_run(call.tool) else call.tool


def _answer(calls: Sequence[CountedCall], shapes: Sequence[str], at: int) -> CountedCall | None:
    """The next command after a failed one, if it is another one of its kind and nothing was edited in between."""
    if not is_run(calls[at].tool):
        return None
    for call, name in zip(calls[at + 1 :], shapes[at + 1 :], strict=True):
        if call.is_edit:
            return None
        if is_run(call.tool) and name and not (call.failed and not is_own(call.error)):
            return call if name != shapes[at] and call.tool == calls[at].tool else None
    return None


def _failure(
    what: str, told: str, calls: list[CountedCall], answers: list[CountedCall], runs: int, worked: int
) -> RepeatedFailure:
    by_session = Counter(call.session for call in calls)
    named = Counter(shape(call.command) for call in answers)
    then, count = min(named.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
    passed = [call for call in answers if shape(call.command) == then and not call.failed]
    if count < LEAST_FOLLOWED * len(calls) or len(passed) < LEAST_FOLLOWED * count:
        then, passed = "", []
    return RepeatedFailure(
        what=what,
        tool=calls[0].tool,
        complaint=told,
        times=len(calls),
        sessions=len(by_session),
        days=len({call.at // 86_400_000 for call in calls if call.at}),
        most=max(by_session.values()),
        runs=runs,
        worked=worked,
        then=then,
        passed=len(passed),
        passed_sessions=len({call.session for call in passed}),
        calls=tuple(calls),
        answers=tuple(passed),
    )
