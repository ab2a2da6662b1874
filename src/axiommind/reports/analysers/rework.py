"""What had to be done again: calls that failed with the same complaint, and what made them pass.

A command is known by its shape (`git add && git commit`): its leading words, without where it runs, its options,
paths and texts. A complaint is known again without its numbers and paths. What made it pass is another command that
came next, the same one with an option more or less, or what the error itself said to run. Looking around (`git log`,
`ls`) answers nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from axiommind.reports.analysers.complaints import complaint, is_own, remedy
from axiommind.tools.kinds import is_run
from axiommind.tools.shell_programs import programs

__all__ = ["CountedCall", "RepeatedFailure", "Variation", "failures", "shape"]

LEAST_FOLLOWED = 0.5  # of what came next after a failure: less than half is no answer to it
LEAST_VARIED = 0.4  # of the sessions in which it failed
LONGEST_PAUSE_MS = 300_000  # a failure cost the time up to the next call, if that came soon
_NEAR = 12  # calls after a failure in which the same command may pass
_LONGEST = 4_000  # characters of a command that are looked at
_WORDS_KEPT = 4
_PARTS_KEPT = 3

_BEFORE = re.compile(r"\s*(?:cd\s+\S{1,300}\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]{0,40}=\S{0,100}\s+|(?:sudo|time)\s+)")
_ELSEWHERE = re.compile(r"\bgit\s+-C\s+\S{1,300}")
_TEXT = re.compile(r"[\n\"'`]|\$\(|<<")  # from here on it is an argument's text
_JOINT = re.compile(r"\s*(?:&&|\|\||;)\s*")
_WORD = re.compile(r"@?[A-Za-z][A-Za-z0-9_:@.+-]*")
_FILE = re.compile(r"\.[A-Za-z]{1,5}$")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{2,30}(?==|$)")
# These make another thing of a command, or destroy something: no way to make it pass.
_OTHER_WISH = re.compile(
    r"--(?:amend|fixup|continue|abort|quit|help|version|list|dry-run|force|hard|delete|prune|dangerously|yes)"
)
_ASIDE = frozenset({"echo", "printf", "true", "sleep", "export", "set"})
_LOOKS = re.compile(
    r"(?:[\w-]+ )?git (?:log|status|diff|show|branch|remote|rev-parse|stash list|config)\b"
    r"|(?:ls|cat|head|tail|grep|rg|find|pwd|which|wc|file|stat|ps|env|type|tree)\b"
    r"|gh (?:pr|issue|run|repo) (?:view|list|checks|status)\b"
)

_MASKED = re.compile(r"\|")  # what a pipe ends with says nothing about how it began
_PLACE = re.compile(r"\S*[/\\]\S*|\b[0-9a-f]{7,40}\b|\d+")


class CountedCall(NamedTuple):
    """A use of a tool. `command` is a shell's line, else empty; `counts` is False outside of what was asked for;
    `file` is what a call that failed was about."""

    ref: int
    session: str
    tool: str
    command: str
    failed: bool
    error: str
    at: int | None
    counts: bool = True
    is_edit: bool = False
    file: str = ""


class Variation(NamedTuple):
    """The same command with one option more or less, that passed after a failure `passed` times."""

    option: str
    is_added: bool
    passed: int
    sessions: int


@dataclass(frozen=True, slots=True)
class RepeatedFailure:
    """The same failing with the same complaint. `runs`: how often that was called at all, `worked` how often it is
    known to have passed, `most` the failures in one session; `then` is the command that came next and passed `passed`
    times, in `passed_sessions`; `varied` the same command otherwise; `remedy` what the errors said to run, in
    `remedy_sessions`. `lost_ms` is what each of the calls cost, up to the next one."""

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
    varied: Variation | None
    remedy: str
    remedy_sessions: int
    lost_ms: tuple[int, ...]
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
    text = _ELSEWHERE.sub("git", command[:_LONGEST])
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


@dataclass(slots=True)
class _Seen:
    """What is gathered of one failure."""

    calls: list[CountedCall] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    lines: Counter[str] = field(default_factory=Counter)
    answers: list[CountedCall] = field(default_factory=list)
    varied: list[tuple[str, bool, str]] = field(default_factory=list)  # option, added, session

    def take(self, other: _Seen) -> None:
        self.calls += other.calls
        self.lost += other.lost
        self.lines += other.lines
        self.answers += other.answers
        self.varied += other.varied


def failures(calls: Iterable[CountedCall], at_least: int = 2) -> list[RepeatedFailure]:
    """What failed at least so often in the same way, the most sessions first. `calls` come in order, by session."""
    runs: Counter[str] = Counter()
    worked: Counter[str] = Counter()
    failed: dict[tuple[str, str], _Seen] = {}
    for _session, group in groupby(calls, key=attrgetter("session")):
        of_session = list(group)
        shapes = [_name(call) for call in of_session]
        for at, (call, name) in enumerate(zip(of_session, shapes, strict=True)):
            if not call.counts or not name or (call.failed and not is_own(call.error)):
                continue
            told = complaint(call.error) if call.failed else ""
            runs[name] += 1
            worked[name] += not call.failed and not _MASKED.search(call.command)
            if told:
                seen = failed.setdefault((name, _PLACE.sub("#", told.casefold())), _Seen())
                _note(seen, of_session, shapes, at, told)
    failed = _joined(failed)
    found = [
        _failure(name, seen, runs[name], worked[name])
        for (name, _), seen in failed.items()
        if len(seen.calls) >= at_least
    ]
    return sorted(found, key=lambda f: (-f.sessions, -f.times, f.what, f.complaint))


def _note(seen: _Seen, calls: Sequence[CountedCall], shapes: Sequence[str], at: int, told: str) -> None:
    call = calls[at]
    after = calls[at + 1].at if at + 1 < len(calls) else None
    gap = after - call.at if after and call.at else 0
    seen.calls.append(call)
    seen.lost.append(gap if 0 < gap <= LONGEST_PAUSE_MS else 0)
    seen.lines[told] += 1
    if not is_run(call.tool):
        return
    if (answer := _answer(calls, shapes, at)) is not None:
        seen.answers.append(answer)
    seen.varied += [(option, added, call.session) for option, added in _variations(calls, shapes, at)]


def _joined(failed: dict[tuple[str, str], _Seen]) -> dict[tuple[str, str], _Seen]:
    """A command that failed alone and as the last of several, with one complaint, failed once and the same way."""
    found: dict[tuple[str, str], _Seen] = {}
    for (name, told), seen in failed.items():
        last = name.rpartition(" && ")[2]
        key = (last, told) if (last, told) in failed else (name, told)
        found.setdefault(key, _Seen()).take(seen)
    for seen in found.values():
        order = sorted(range(len(seen.calls)), key=lambda n: (seen.calls[n].session, seen.calls[n].ref))
        seen.calls, seen.lost = [seen.calls[n] for n in order], [seen.lost[n] for n in order]
    return found


def _name(call: CountedCall) -> str:
    return shape(call.command) if is_run(call.tool) else call.tool


def _answer(calls: Sequence[CountedCall], shapes: Sequence[str], at: int) -> CountedCall | None:
    """The next command after a failed one, if it is another one of its kind and nothing was edited in between."""
    for call, name in zip(calls[at + 1 :], shapes[at + 1 :], strict=True):
        if call.is_edit:
            return None
        if is_run(call.tool) and name and not _LOOKS.match(name) and not (call.failed and not is_own(call.error)):
            is_same = f"{name} ".startswith(f"{shapes[at]} ") or f"{shapes[at]} ".startswith(f"{name} ")
            return call if not is_same and call.tool == calls[at].tool else None
    return None


def _variations(calls: Sequence[CountedCall], shapes: Sequence[str], at: int) -> list[tuple[str, bool]]:
    """The options by which the same command, when it soon passed and nothing was edited, was another one."""
    last = shapes[at].rpartition(" && ")[2]
    for call, name in zip(calls[at + 1 : at + 1 + _NEAR], shapes[at + 1 :], strict=False):
        if call.is_edit:
            return []
        if not call.failed and is_run(call.tool) and name.rpartition(" && ")[2] == last:
            before, after = _options(calls[at].command, last), _options(call.command, last)
            return [(one, True) for one in sorted(after - before)] + [(one, False) for one in sorted(before - after)]
    return []


def _options(command: str, name: str) -> set[str]:
    """The long options of the command of this name in a line."""
    words = name.split()
    lines = [one for one in programs(command[:_LONGEST]) if [w for w in one if w[:1] != "-"][: len(words)] == words]
    return {found[0] for one in lines for word in one if (found := _OPTION.match(word))}


def _failure(what: str, seen: _Seen, runs: int, worked: int) -> RepeatedFailure:
    calls = seen.calls
    by_session = Counter(call.session for call in calls)
    named = Counter(shape(call.command) for call in seen.answers)
    then, count = min(named.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
    passed = [call for call in seen.answers if shape(call.command) == then and not call.failed]
    if count < LEAST_FOLLOWED * len(calls) or len(passed) < LEAST_FOLLOWED * count:
        then, passed = "", []
    told, told_in = _remedy(calls)
    return RepeatedFailure(
        what=what,
        tool=calls[0].tool,
        complaint=min(seen.lines, key=lambda line: (-seen.lines[line], line)),
        times=len(calls),
        sessions=len(by_session),
        days=len({call.at // 86_400_000 for call in calls if call.at}),
        most=max(by_session.values()),
        runs=runs,
        worked=worked,
        then=then,
        passed=len(passed),
        passed_sessions=len({call.session for call in passed}),
        varied=_varied(seen, len(by_session)),
        remedy=told if told_in >= LEAST_FOLLOWED * len(by_session) else "",
        remedy_sessions=told_in,
        lost_ms=tuple(seen.lost),
        calls=tuple(calls),
        answers=tuple(passed),
    )


def _remedy(calls: Sequence[CountedCall]) -> tuple[str, int]:
    """What most of the errors say to run, with its last word left open where only that varies (a branch, a file), and
    in how many sessions."""
    said: dict[str, dict[str, set[str]]] = {}
    for call in calls:
        if command := remedy(call.error):
            said.setdefault(command.rpartition(" ")[0], {}).setdefault(command, set()).add(call.session)
    if not said:
        return "", 0
    begin, whole = min(said.items(), key=lambda item: (-len(set().union(*item[1].values())), item[0]))
    command, sessions = min(whole.items(), key=lambda item: (-len(item[1]), item[0]))
    every = set().union(*whole.values())
    if len(sessions) < LEAST_FOLLOWED * len(every) and " " in begin:
        return f"{begin} …", len(every)
    return command, len(sessions)


def _varied(seen: _Seen, sessions: int) -> Variation | None:
    found: dict[tuple[str, bool], list[str]] = {}
    for option, is_added, session in seen.varied:
        if is_added and _OTHER_WISH.match(option):
            continue
        found.setdefault((option, is_added), []).append(session)
    if not found:
        return None
    # What was added says more than what happened to be left out.
    (option, is_added), those = min(found.items(), key=lambda item: (-len(set(item[1])), not item[0][1], item[0][0]))
    if len(set(those)) < max(2, LEAST_VARIED * sessions):
        return None
    return Variation(option, is_added, len(those), len(set(those)))
