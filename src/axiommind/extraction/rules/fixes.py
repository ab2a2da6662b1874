"""What broke and what fixed it: a check that fails, edits to the files it named, and the same check passing.

The check is a run of tests, of a build or of a linter. The most telling line of the failure is the title, and the
agent's own diagnosis next to it the cause: without one, or where the edits visibly had nothing to do with it, a failure
is just work in progress. What could not be run at all is told by `errors`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import clip, cut, given, head, leaf, only, within
from axiommind.extraction.rules import FIX, Rule
from axiommind.extraction.rules._causes import diagnosis
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import CHECKS, EDIT
from axiommind.tools.shell_outcomes import is_silenced

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "fixes",
        types=("insight",),
        form=FIX,
        labelled="fixes",
        right=2,
        total=2,
        note="158 real sessions, all there are: few, so the number is low",
    ),
)
ORDER = 6

_FARTHEST = 40  # uses of tools between the failure and the success
_RESULT = 100_000
_LEADING = lazy(r"\s*(?:cd\s+[^\s;&|]{1,300}\s*(?:&&|;)\s*|(?:rtk|time|npx|bunx)\s+|[A-Z_]{1,40}=\S{0,100}\s+)")
_TRAILING = lazy(r"\s*(?:2>&1|2>/dev/null|&>\s*/dev/null|\|\s*(?:tail|head|grep|cat)\b[^|&;]{0,100})\s*$")
_PIPE = lazy(r"\||;|\bpipefail\b")
_NOT_RUN = lazy(r"\s*<tool_use_error>|.{0,40}(?:command not found|unrecognized subcommand)", re.DOTALL)
_ANSI = lazy(r"\x1b\[[0-9;]{0,20}m")
# The most telling first. A line must say what is wrong, not only that something is.
_TELLING = tuple(
    lazy(pattern, re.MULTILINE)
    for pattern in (
        r"^.{0,200}\berror (?:TS\d{1,5}|\[?[EC]\d{3,5}\]?)[: ].{5,300}$",
        r"^\(fail\)[ \t].{5,300}$",
        r"^(?:error|Error)(?:\[[A-Z]\d{1,5}\])?: .{10,300}$",
        r"^[ \t]{0,8}(?:E[ \t]{1,8})?(?:[A-Z]\w{0,40}\.){0,4}[A-Z]\w{0,40}(?:Error|Exception)\b: .{5,300}$",
        r"^[ \t]{0,8}\d{1,6}:\d{1,5}[ \t]{1,8}error[ \t]{1,8}.{5,300}$",
        r"^[ \t]{0,8}(?:at )?[\w./@-]{1,200}:\d{1,6}:\d{1,5}:?[ \t]{1,4}(?:lint/|error|[EFWC]\d{3,4}\b).{3,300}$",
        r"^[ \t]{0,8}(?:×|✖|✗|✘)[ \t]{1,4}\S.{10,300}$",
        r"^[ \t]{0,8}(?:FAIL|FAILED|--- FAIL:)[ \t].{5,300}$",
    )
)
# Nobody learns from these, or they say only that something failed.
_TRIVIAL = lazy(
    r"\bformat\b|Formatter would|organizeImports|unused|errors were emitted"
    r"|Script not found|exited with code|\bELIFECYCLE\b",
    re.IGNORECASE,
)

_TEST_FILE = lazy(r"[._-](?:test|spec)s?\.\w{1,5}$|^test_|_test\.\w{1,5}$", re.IGNORECASE)
_BEFORE = 200  # uses before the failure that may have written the test
_NOISE = lazy(r"^(?:at |[×✖✗✘] )|(?: FIXABLE)?[ ━─]{1,200}$| \[[\d.]{1,10} ?ms\]$")
_LINES = 50


class _FailedCheck(NamedTuple):
    at: int
    use: ToolCall
    message: int
    lines: tuple[str, ...]  # the most telling first


def find(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    failed: dict[str, _FailedCheck] = {}
    for at, use in enumerate(transcript.uses):
        if use.classified_name not in CHECKS or use.failed is None:
            continue
        line = given(use, "command")[:2_000]
        check = _plain(line)
        if not check:
            continue
        if use.failed:
            failure = _failure(transcript, at, use)
            if failure is None:
                failed.pop(check, None)
            else:
                failed[check] = failure
        elif check in failed and not _PIPE.search(line):
            failure = failed.pop(check)
            draft = _fix(transcript, check, failure, at, use)
            if draft is not None:
                found.setdefault(draft.title, draft)
    return list(found.values())


def _edited(use: ToolCall) -> str:
    """The name of the file that a use changed; empty when it changed none."""
    if use.tool.kind != EDIT or use.failed is not False:
        return ""
    path = given(use, use.tool.file_field)
    return PurePosixPath(path.replace("\\", "/")).name


def _plain(command: str) -> str:
    """The check itself, without where it runs and what becomes of its output."""
    for _ in range(4):
        command = _LEADING.sub("", command, count=1) if _LEADING.match(command) else command
        command = _TRAILING.sub("", command)
    return " ".join(command.split())


def _failure(transcript: Transcript, at: int, use: ToolCall) -> _FailedCheck | None:
    for message in use.results:
        text = transcript.messages[message].text[:_RESULT]
        if _NOT_RUN.match(text):
            return None
        lines = [match[0] for pattern in _TELLING for match in pattern.finditer(text) if not _TRIVIAL.search(match[0])]
        if lines:
            return _FailedCheck(at, use, message, tuple(dict.fromkeys(lines))[:_LINES])
    return None


def _fix(transcript: Transcript, check: str, failure: _FailedCheck, at: int, use: ToolCall) -> Draft | None:
    if at - failure.at > _FARTHEST:
        return None
    complaint = transcript.messages[failure.message].text[:_RESULT]
    edited: dict[str, None] = {}
    for other in transcript.uses[failure.at + 1 : at]:
        name = _edited(other)
        if name and is_silenced(given(other, "new_string")):
            return None
        if name:
            edited[name] = None
    before = {_edited(other) for other in transcript.uses[max(0, failure.at - _BEFORE) : failure.at]}
    if all(_TEST_FILE.search(name) and name in before for name in edited):
        return None  # a test that was just being written was wrong: that says nothing about the project
    # Tests print errors that they expect, and do so again when they pass: such a line was not the failure.
    passed = "\n".join(transcript.messages[result].text[:_RESULT] for result in use.results)
    line = next((line for line in failure.lines if line.strip() not in passed), "")
    if not line or not any(name in complaint for name in edited):
        return None
    told = _NOISE.sub("", " ".join(_ANSI.sub("", line).split()))
    why = diagnosis(transcript, failure.use, f"{check} {told}")
    if why is None:
        return None
    quotes = only(
        within(transcript, failure.message, cut(line.strip())),
        leaf(transcript, failure.use, "/command"),
    )
    quotes = only(quotes, (why,))
    for result in use.results[:1]:
        quotes = only(quotes, within(transcript, result, head(transcript.messages[result].text)))
    return Draft(
        type="insight",
        kind="gotcha",
        anchors=tuple(edited),
        title=clip(f"Fixed: {clip(check, 60)}: {told}"),
        text=(
            f"`{clip(check, 200)}` failed with: {clip(told, 300).rstrip('.')}. "
            f"It passed after edits to {', '.join(edited)}. Diagnosis: {why.text}"
        ),
        quotes=quotes,
        rule="fixes",
        timestamp=use.timestamp,
    )
