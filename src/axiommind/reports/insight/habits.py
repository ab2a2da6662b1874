"""Habits: clusters of a person's prompts, with what the agent did then.

Addresses, numbers and files are left open before prompts are compared, and what only names everyday steps is one
habit in whatever language and words it was said.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import groupby
from pathlib import PurePosixPath
from typing import NamedTuple

from axiommind.reports.analysers.actions import named, plain
from axiommind.reports.analysers.clusters import clusters
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.evidence import Habit, HabitStep
from axiommind.reports.analysers.prompt_frequency import PromptText
from axiommind.reports.analysers.rework import shape
from axiommind.reports.analysers.templates import OrderTemplate, masked, template
from axiommind.reports.insight.rows import CallRow, PersonPrompt
from axiommind.text.pasted import is_pasted, pasted_spans, without
from axiommind.text.requests import language_of
from axiommind.text.requests.prompt_kinds import kind_of
from axiommind.tools.shell_programs import programs

__all__ = ["habits_of"]

LEAST_OF_HABIT = 3  # prompts
MOST_HABITS = 12
_MOST_STEPS = 24
_OPTIONS_WITHIN = 4  # commands after a prompt that may have obeyed it
_MOST_OPTIONS = 5
_MOST_OTHERS = 2
_ORDER_CHARS = 600  # what is longer is looked at as it is


def habits_of(prompts: Sequence[PersonPrompt], used: Sequence[CallRow]) -> list[Habit]:
    """Clusters of prompts that may differ widely, with what was done then."""
    said = (PromptText(_compared(asked.text), asked.at, asked.session, n) for n, asked in enumerate(prompts))
    largest = clusters(said, DEPTHS["wide"], LEAST_OF_HABIT)
    then = _Turns(prompts, used)
    found = []
    for cluster in largest:
        members = [prompts[member.ref] for member in cluster.members]
        if all(member.is_handed_on or is_pasted(member.text) for member in members):
            continue
        found.append(_habit(members, then))
        if len(found) == MOST_HABITS:
            break
    return sorted(found, key=lambda h: (-h.sessions, -h.count, h.text))


def _compared(text: str) -> str:
    if len(text) > _ORDER_CHARS:
        return without(text, pasted_spans(text)) if not is_pasted(text) else text
    if plain(text):
        # As one word that resembles no other: "commit" and "commit and push" are two habits.
        digest = blake2b("\0".join(named(text)).encode(), digest_size=12).digest()
        return "".join(chr(ord("a") + byte % 26) for byte in digest)
    return masked(text)


def _habit(members: Sequence[PersonPrompt], then: _Turns) -> Habit:
    texts = [" ".join(asked.text.split()) for asked in members]
    spelled = Counter(texts)
    text = spelled.most_common(1)[0][0]
    language = language_of(text)
    others = {language_of(one): one for one, _ in reversed(spelled.most_common()) if language_of(one) != language}
    made = OrderTemplate(text, ()) if plain(text) else template(texts)
    steps, options = then.after(members)
    return Habit(
        text=text,
        kind=kind_of(text),
        count=len(members),
        sessions=len({asked.session for asked in members}),
        last_at=max(asked.at for asked in members),
        witnesses=tuple(asked.witness() for asked in members),
        steps=steps,
        template=made.text if made.slots else "",
        slots=made.slots,
        others=tuple(sorted(others.values())[:_MOST_OTHERS]),
        typed=sum(map(len, texts)),
        options=options,
    )


class _Done(NamedTuple):
    steps: tuple[HabitStep, ...]
    options: tuple[tuple[str, str], ...]


class _Turns:
    """What was run after a prompt, up to the next one of its session."""

    def __init__(self, prompts: Sequence[PersonPrompt], used: Sequence[CallRow]) -> None:
        self._lines: dict[str, list[int]] = {}
        for asked in prompts:
            self._lines.setdefault(asked.session, []).append(asked.line)
        for lines in self._lines.values():
            lines.sort()
        self._used = {name: list(some) for name, some in groupby(used, key=lambda one: one.call.session)}

    def after(self, members: Iterable[PersonPrompt]) -> _Done:
        seen: dict[tuple[str, bool], dict[str, float]] = {}
        options: dict[tuple[str, str], set[str]] = {}
        for asked in members:
            turn = self._turn(asked)
            for place, one in enumerate(turn):
                if one.call.failed:
                    continue
                steps = [(name, False) for name in shape(one.call.command).split(" && ") if name]
                steps += [(PurePosixPath(one.file.replace("\\", "/")).name, True)] if one.file else []
                for step in steps:
                    seen.setdefault(step, {}).setdefault(asked.session, place / len(turn))
            for one in [one for one in turn if one.call.command][:_OPTIONS_WITHIN]:
                for pair in _options(one.call.command):
                    options.setdefault(pair, set()).add(asked.session)
        usual = sorted(options, key=lambda pair: (-len(options[pair]), pair))
        return _Done(_steps(seen), tuple(pair for pair in usual if len(options[pair]) > 1)[:_MOST_OPTIONS])

    def _turn(self, asked: PersonPrompt) -> list[CallRow]:
        lines = self._lines[asked.session]
        after = bisect_right(lines, asked.line)
        end = lines[after] if after < len(lines) else float("inf")
        return [one for one in self._used.get(asked.session, ()) if asked.line < one.line < end]


def _steps(seen: dict[tuple[str, bool], dict[str, float]]) -> tuple[HabitStep, ...]:
    """The steps of most sessions, in their usual order. `git diff HEAD` is `git diff`, and a command that was run
    with a wrapper and without (`sudo make`, `make`) is one, by the name that it had more often."""
    joined: dict[tuple[str, bool], dict[str, float]] = {}
    for (what, is_edit), by_session in sorted(seen.items(), key=lambda item: (-len(item[1]), item[0])):
        name = what.removesuffix(" HEAD")
        inner = name.partition(" ")[2]
        wrapped = (k for k, edits in joined if not edits and (k == inner or k.partition(" ")[2] == name))
        name = next(wrapped, name) if not is_edit and " " in name else name
        for session, place in by_session.items():
            joined.setdefault((name, is_edit), {}).setdefault(session, place)
    usual = sorted(joined.items(), key=lambda item: (-len(item[1]), item[0]))[:_MOST_STEPS]
    usual.sort(key=lambda item: (sum(item[1].values()) / len(item[1]), item[0]))
    return tuple(HabitStep(what, len(by_session), is_edit) for (what, is_edit), by_session in usual)


def _options(command: str) -> set[tuple[str, str]]:
    """Each long option of a line, with the program and what it does."""
    found = set()
    for words in programs(command[:4_000]):
        name = " ".join([word for word in words if not word.startswith("-")][:2])
        found |= {(name, word.partition("=")[0]) for word in words if word.startswith("--") and len(word) > 4}
    return found
