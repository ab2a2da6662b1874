"""Failed runs of a session: the line that tells, which of them are one error, and the run that worked in the end.

A failure counts when it says something about this machine or this project: a tool that refuses, a command that is not
there, a hook, a registry. What a search did not find, what a person stopped and what the client says about its own
tools does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Quote
from axiommind.extraction.quoting import cut, given, only, within
from axiommind.text.patterns import lazy
from axiommind.tools.error_signature import Signature, signatures
from axiommind.tools.kinds import CHECKS, EDIT, OTHER, RUN
from axiommind.tools.past_call import changes_things, programs_of
from axiommind.tools.shell_outcomes import hides_ending, in_short, prepares, says_failure, without_output
from axiommind.tools.shell_syntax import simple_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = [
    "FailedRun",
    "Solution",
    "failures",
    "line_in",
    "line_quote",
    "main_program",
    "said_to_fail",
    "solution",
]

_AHEAD = 30  # uses after the failure in which it must have worked
_RESULT = 20_000
_LIMIT = 6_000  # characters of a result that its telling lines are looked for in
# A failure of these says what is not there, and nothing about how things work.
_EXPLORING_LIST = """
ls cat head tail grep rg egrep find fd wc test [ stat du df which type file tree diff rm mv cp mkdir rmdir touch sed awk
kill pkill lsof ps curl wget open
"""
_EXPLORING = frozenset(_EXPLORING_LIST.split())
# What git and the shell say to anybody, anywhere.
_EVERYDAY = lazy(
    r"no matches found|failed to push|\[rejected\]|fetch first|non-fast-forward|would be overwritten|unstaged changes"
    r"|nothing to commit|not a git repository|(?:branch|tag|remote|worktree)\b.{0,80}already exists|already checked out"
    r"|ambiguous argument|unknown revision|not fully merged|no upstream branch|bad revision|is not a working tree"
    r"|branch .{1,80} not found|did not match any file|contains modified or untracked|use --force to delete"
    r"|no stash entries|ref .{0,60} not found|no tracking information|divergent branches|process already finished"
    r"|no such process|no configuration file provided|traceback \(most recent|syntaxerror|jsondecodeerror|nameerror"
    r"|\bkeyerror\b|typeerror|attributeerror|indexerror|valueerror|parse error|syntax error|unexpected token"
    r"|release not found|no pull requests found|no open pull|http 404|not found \(http|\(404\)|connection refused"
    r"|econnrefused|please (?:commit|stash)|404 not found|could not (?:apply|revert|merge)|cannot iterate over null"
    r"|expected value|is outside repository|pathspec",
    re.IGNORECASE,
)
_NOT_RUN = lazy(r"^\W{0,3}(?:[\w.-]{1,30}: )?(?:npm (?:err!|error)|error|fatal|bug)\b", re.IGNORECASE)
# Of a check: that it could not be run at all. Other lines may be printed by what is tested.
_COULD_NOT = lazy(
    r"no module named|(?:cannot|can[’']t|could not|unable to) (?:find|resolve|load|open|connect|locate|access)"
    r"|not found|no tests found"
    r"|unrecognized|unknown (?:option|command|flag|argument)|permission denied|not installed|refusing to"
    r"|no such (?:file|command)",
    re.IGNORECASE,
)
_NO_MODULE = lazy(r"No module named|ModuleNotFoundError")
_COMPILER = lazy(r"error TS\d|\bE\d{4}\b|unused|format", re.IGNORECASE)
_ASSIGNMENT = lazy(r"[A-Za-z_]\w*=")
_NAME = lazy(r"(?:\./)?[a-zA-Z][\w/.-]{0,40}(?::[a-z]\w{0,20})?")
_BESIDE = frozenset(
    ("cd", "echo", "sleep", "export", "source", "true", "set", "pwd", "for", "while", "if", "do", "done", "then", "fi")
)
_TWO = frozenset(("gh", "npm", "pnpm", "yarn", "bun", "rtk", "docker", "go", "cargo", "uv", "poetry", "nix"))
_TAKING = frozenset(("install", "add", "i", "remove", "update", "exec", "test"))  # the next word is what they take
_VALUED = frozenset(("--filter", "-F", "-C", "--prefix", "-w", "--workspace", "--manifest-path", "--cwd", "-f"))
# What is filtered, what is tried one after the other and what is a program of its own does not tell whether it worked.
_UNTOLD = lazy(r"\|\s*(?:grep|rg|wc)\b|\|\||\b(?:python|node|ruby|perl|bun|deno)[\d.]* -[ce]\b")
_IN_FOLDER = lazy(r"\bgit -C (\"[^\"]{1,300}\"|\S{1,300}) ")
_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun", "make", "just", "python", "python3", "node"))
_COMMAND = 2_000
_HELPING = 2  # commands in between that are told
_NOTHING_RAN = lazy(r"\bno tests? (?:found|files?|ran|collected)|\bno projects matched|\b0 tests?\b", re.IGNORECASE)


class FailedRun(NamedTuple):
    """A run that failed, and the line of its output that tells why."""

    at: int  # of the uses
    use: ToolCall
    message: int
    told: Signature


class Solution(NamedTuple):
    """How it worked in the end."""

    at: int
    command: str  # as it worked, where that is another one; else empty
    before: tuple[str, ...]  # what was run first
    edited: tuple[str, ...]  # names of files that the failure names
    is_edited: bool  # whether any file was changed meanwhile
    quotes: tuple[Quote, ...]


def failures(transcript: Transcript) -> Iterator[FailedRun]:
    """The failed runs that tell something, in order."""
    for at, use in enumerate(transcript.uses):
        if use.failed is None or use.tool.kind not in (RUN, OTHER) or not use.results:
            continue
        if use.tool.kind == RUN and not _acts(use):
            continue
        if not use.failed and not (use.tool.kind == RUN and _is_hidden(use)):
            continue
        # Of a command that ran on while its output was asked for, several came back.
        message = next((one for one in use.results if transcript.messages[one].failed), use.results[0])
        told = _telling(transcript.messages[message].text[:_RESULT], use)
        if told is not None:
            yield FailedRun(at, use, message, told)


def _acts(use: ToolCall) -> bool:
    """Whether a line runs anything that does more than look around."""
    return any(one[0] not in _EXPLORING for one in programs_of(use.given))


def _is_hidden(use: ToolCall) -> bool:
    """Whether how a line ended is hidden by what comes after it."""
    command = _line(use)[:_COMMAND]
    return hides_ending(command) and (use.classified_name in CHECKS or changes_things(use.given))


def _telling(text: str, use: ToolCall) -> Signature | None:
    is_check = use.classified_name in CHECKS
    for one in signatures(text, _LIMIT):
        if _EVERYDAY.search(one.line) and not _NO_MODULE.search(one.line):
            continue
        if one.is_about_code and not _NO_MODULE.search(one.line):
            if is_check or (one.has_code and not _COMPILER.search(one.line) and "git commit" in _programs(_line(use))):
                return one
            continue
        if (is_check and not _COULD_NOT.search(one.line)) or (not use.failed and not _NOT_RUN.search(one.line)):
            continue
        return one._replace(is_about_code=False)
    return None


def _line(use: ToolCall) -> str:
    return given(use, "command")


def line_in(text: str, told: Signature) -> str:
    """The telling line as it stands in a text, to be quoted."""
    at = text.find(told.line[:60])
    if at < 0:
        return ""
    end = text.find("\n", at)
    return text[at : at + len(told.line) if end < 0 else min(end, at + len(told.line))].strip()


def main_program(use: ToolCall) -> str:
    """What a failed line was to run, by its first words."""
    if use.tool.kind != RUN:
        return use.name
    named = _programs(_line(use))
    return next((one for one in named if one != "git add"), next(iter(named), use.name))


def _programs(command: str) -> dict[str, None]:
    """What a line runs, each by its first words and without what it is told to work on: `git commit`, `pnpm test`."""
    found: dict[str, None] = {}
    for words in simple_commands(command[:_COMMAND]):
        plain = [word for word in words if not _ASSIGNMENT.match(word)]
        name = plain[0].rpartition("/")[2] if plain else ""
        if not name or name in _EXPLORING or name in _BESIDE:
            continue
        most = 2 if name in _TWO else 1
        rest: list[str] = []
        skip = False
        for word in plain[1:8]:
            if skip or word.startswith("-"):
                skip = not skip and not rest and word in _VALUED
                if rest:
                    break
            elif _NAME.fullmatch(word) and len(rest) < most:
                rest.append(word)
                most = 1 if word in _TAKING else most
        found[" ".join((name, *rest))] = None
    return found


def solution(transcript: Transcript, failure: FailedRun) -> Solution | None:
    """How the same was done at last; None when it was not."""
    command = given(failure.use, "command")
    wanted, first = _acting(command), _plain(command)
    complaint = transcript.messages[failure.message].text[:_RESULT]
    ran: dict[str, ToolCall] = {}
    edited: dict[str, None] = {}
    is_edited = False
    for at in range(failure.at + 1, min(len(transcript.uses), failure.at + 1 + _AHEAD)):
        use = transcript.uses[at]
        if use.failed is not False or use.given.get("run_in_background"):
            continue
        if use.tool.kind == EDIT:
            is_edited = True
            name = given(use, use.tool.file_field).replace("\\", "/").rpartition("/")[2]
            if name and name in complaint:
                edited[name] = None
        if use.tool.kind != RUN or failure.use.tool.kind != RUN:
            continue
        again = _plain(_line(use))
        if _is_again(wanted, _acting(_line(use)), first, again):
            said = "\n".join(transcript.messages[one].text[:_RESULT] for one in use.results)
            if "|" in _line(use) and _failed_again(said, failure):
                continue
            quotes = line_quote(transcript, use)
            for other in list(ran.values())[-_HELPING:]:
                quotes = only(quotes, line_quote(transcript, other))
            told = in_short(again) if in_short(again) != in_short(first) else ""
            return Solution(at, told, tuple(ran)[-_HELPING:], tuple(edited)[:4], is_edited, quotes[:3])
        if prepares(again) and changes_things(use.given):
            ran[in_short(again, 80)] = use
    return None


def said_to_fail(transcript: Transcript, use: ToolCall) -> bool:
    """Whether a run that did not fail printed that something did: a pipe hides how it ended."""
    if "|" not in _line(use):
        return any(_NOTHING_RAN.search(transcript.messages[one].text[:_RESULT]) for one in use.results)
    said = "\n".join(transcript.messages[one].text[:_RESULT] for one in use.results)
    if says_failure(said) or _NOTHING_RAN.search(said):
        return True
    return any(one.is_about_code for one in signatures(said, _LIMIT))


def _failed_again(said: str, failure: FailedRun) -> bool:
    """Whether what a run printed says that it failed after all: a pipe hides how it ended."""
    again = (one.key == failure.told.key or _NOT_RUN.search(one.line) for one in signatures(said, _LIMIT))
    return says_failure(said) or any(again)


def line_quote(transcript: Transcript, use: ToolCall) -> tuple[Quote, ...]:
    """The first line of what was run."""
    message = use.leaves.get("/command")
    return () if message is None else within(transcript, message, cut(_line(use).strip().partition("\n")[0]))


def _plain(command: str) -> str:
    return without_output(command[:_COMMAND])


def _acting(command: str) -> frozenset[object]:
    """The programs of a line: those behind wrappers and package managers where there are, else by their first words."""
    behind = {one for one in programs_of({"command": command}) if one[0] not in _EXPLORING and one[0] not in _MANAGERS}
    return frozenset(behind - {("git",), ("git", "add")} or set(_programs(command)) - {"git add"})


def _is_again(wanted: frozenset[object], done: frozenset[object], first: str, again: str) -> bool:
    """Whether a later line does what the failed one was to do."""
    here, there = set(_IN_FOLDER.findall(first)), set(_IN_FOLDER.findall(again))
    if (here and there and not here & there) or _UNTOLD.search(again):
        return False  # in another repository; or nobody can tell whether it worked
    if wanted and wanted <= done:
        return True
    before, after = frozenset(first.split()), frozenset(again.split())
    return len(before & after) > 0.5 * len(before | after)
