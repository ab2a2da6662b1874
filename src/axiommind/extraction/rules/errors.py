"""Errors of tools: what a command, a hook, a registry or a service refuses here, why, and what worked instead.

One draft for each error of a session, however often it was met. Its title is the same in every session that meets it,
so that sessions can be counted. What a check says about the code at hand is the business of `fixes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import clip, cut, given, only, within
from axiommind.extraction.rules import FIX, Rule
from axiommind.extraction.rules._causes import diagnosis
from axiommind.extraction.rules._failures import (
    FailedRun,
    Solution,
    failures,
    line_in,
    line_quote,
    main_program,
    solution,
)
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import CHECKS, RUN
from axiommind.tools.shell_outcomes import in_short

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Quote
    from axiommind.projections.transcript import Transcript

RULES = (
    Rule(
        "errors",
        types=("insight",),
        form=FIX,
        labelled="errors",
        right=56,
        total=61,
        note="158 real sessions, at most six of one error; wrong: what worked later was something else",
    ),
)
ORDER = 20

_MOST = 3  # of a session
# Where it was: in the shell line, or in a file.
_PLACE = lazy(r"^(?:\(eval\):\d+: |(?:ba|z)?sh: (?:line \d+: )?|(?:at )?\S+?[:(]\d+(?:[:,]\d+)?\)?:?\s+)")

UNSOLVED = "not solved"  # what an entry says of an error that stayed


class _Error(NamedTuple):
    """One error of a session: each time it was met."""

    met: list[FailedRun]

    @property
    def last(self) -> FailedRun:
        return self.met[-1]


def find(transcript: Transcript) -> list[Draft]:
    errors: dict[object, _Error] = {}
    for failure in failures(transcript):
        errors.setdefault(failure.told.key, _Error([])).met.append(failure)
    best: dict[str, tuple[int, Draft]] = {}  # of each program: two lines about one failure are one error
    for error in errors.values():
        draft = _draft(transcript, error)
        if draft is None:
            continue
        program, weight = main_program(error.last.use), _weight(error, draft)
        if program not in best or weight > best[program][0]:
            best[program] = weight, draft
    kept = sorted(best.values(), key=lambda pair: -pair[0])[:_MOST]
    return [draft for _, draft in sorted(kept, key=lambda pair: pair[1].quotes[0].message)]


def _weight(error: _Error, draft: Draft) -> int:
    return 10 * min(len(error.met), 3) + 5 * len(draft.quotes) + 6 * min(len(error.last.told.words), 12)


def _draft(transcript: Transcript, error: _Error) -> Draft | None:
    last = error.last
    line = line_in(transcript.messages[last.message].text, last.told)
    quotes = only(within(transcript, last.message, cut(line)), line_quote(transcript, last.use))
    if not line or not quotes:
        return None
    told = clip(_PLACE.sub("", last.told.line), 300).rstrip(".")
    program = main_program(last.use)
    why = diagnosis(transcript, last.use, f"{program} {last.told.line}")
    end = next((one for failure in reversed(error.met) if (one := solution(transcript, failure)) is not None), None)
    if last.told.is_about_code and not _tells(last, why, end):
        return None
    parts = [f"`{in_short(given(last.use, 'command')) or last.use.name}` failed with: {told}."]
    if end is not None:
        parts.append(_worked(end))
        quotes = only(quotes, end.quotes)
    elif len(error.met) > 1:
        parts.append(f"It was met {len(error.met)} times in this session, and {UNSOLVED}.")
    elif last.use.tool.kind == RUN:
        parts.append(f"It was {UNSOLVED} in this session.")
    if why is not None:
        parts.append(f"Diagnosis: {why.text}")
        quotes = only(quotes, (why,))
    key = " ".join((program, *sorted(last.told.names), *sorted(last.told.words)))
    return Draft(
        type="insight",
        kind="gotcha",
        title=clip(f"`{program}` fails: {clip(told, 140)}"),
        text=" ".join(parts),
        quotes=quotes,
        rule="errors",
        key=key,
        value=key,
        anchors=end.edited if end is not None else (),
        timestamp=last.use.timestamp,
    )


def _tells(failure: FailedRun, why: Quote | None, end: Solution | None) -> bool:
    """Whether a complaint about code says more than that the code at hand was wrong: a check that passed by another
    command alone, or a hook whose rule the agent explains."""
    if failure.use.classified_name in CHECKS:
        return end is not None and not end.is_edited and bool(end.before) and not end.command
    return why is not None


def _worked(end: Solution) -> str:
    steps = [f"`{one}`" for one in end.before]
    if end.edited:
        steps.append(f"edits to {', '.join(end.edited)}")
    after = f" after {' and '.join(steps)}" if steps else ""
    if end.command:
        return f"It worked{after} as `{end.command}`."
    return f"It worked{after}." if after else "It worked when it was run again."
