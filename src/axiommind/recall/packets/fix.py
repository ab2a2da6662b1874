"""A fix: what was done after a failure until the same thing worked.

It counts only when the same tool worked afterwards on the same command or file, and something was done in between:
edits of files that the error names, another command that did more than look, or the call itself was another one. What
is only not formatted is fixed by the formatter, whether or not anybody looked again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.recall.packets.call_difference import around, changed_words
from axiommind.recall.packets.failed_calls import FailedCall
from axiommind.text.patterns import lazy
from axiommind.text.summary import on_one_line
from axiommind.tools.error_signature import formatting, is_same, misses_module, missing_program, signatures
from axiommind.tools.kinds import CHECKS, is_run
from axiommind.tools.past_call import base_name, changes_things, command_of, fields_of, file_of, programs_of
from axiommind.tools.shell_outcomes import (
    applies_fixes,
    in_short,
    is_silenced,
    prepares,
    says_failure,
    without_output,
    without_staging,
)
from axiommind.tools.shell_programs import program_name
from axiommind.tools.shell_programs import programs as programs_in

__all__ = ["Aftermath", "Fix", "aftermath_of"]

_AHEAD = 15  # calls after the failure in which it must have worked
_HELPING = 3  # unknown commands in between: if there are more, nobody can say which of them helped
_COMMAND_CHARS = 320  # of a command that is told
_COMPARED = 2_000
_RAN = 2  # commands that are told, the last
_NEXT = f"""
    select tool_name, classified_name, is_error, input_json, coalesce(output, error), line,
           exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id)
    from tool_uses
    where session_id = :session and seq_order > :seq
      and subagent is (select subagent from tool_uses where session_id = :session and seq_order = :seq)
    order by seq_order
    limit {_AHEAD}
"""
_LOOKING = frozenset(
    ("git", word) for word in ("status", "diff", "log", "show", "branch", "remote", "rev-parse", "fetch", "add")
)
_WRITES = lazy(r"\b(?:sed|perl) [^|;&]*-\w*i\b|\btee\b|(?<![\d&>-])>{1,2} ?(?!/dev/|/tmp/|&)[\w./~$\"']")
_MOVING = lazy(r"^(?:cd\s+[^;&|]+(?:&&|;)\s*)+")
_FOLDER = lazy(r"(?:^|[;&|(]\s*)cd\s+(\S+)|\bgit -C (\S+)")
_REPOSITORY = lazy(r"\bgit -C (\"[^\"]+\"|\S+)")
# A file that is not there is a slip, unless the shell stood in another folder.
_SLIP = lazy(r"\bpathspec\b|did not match any file")
_WRITTEN = lazy(r"(<<-?\s*['\"]?\w+['\"]?).*")  # what a line writes is its own business
_ASSIGNED = lazy(r"^(?:[A-Za-z_]\w*=\S* )+")  # variables that were tried in vain
_OPTION = lazy(r"--?[a-zA-Z][\w-]*")
_INSTALLING = lazy(
    r"\b(?:pip3?|uv|npm|pnpm|yarn|bun|brew|apt(?:-get)?|dnf|apk|cargo|gem|poetry|go) (?:\S+ )?(?:install|add|get|i)\b"
)
_INSTALLED_WITHIN = 6  # calls


class Fix(NamedTuple):
    """How it worked in the end, in words, and at which line of the transcript."""

    text: str
    line: int
    is_edit: bool = False  # of the files that the error names


class Aftermath(NamedTuple):
    """What became of a failure. `acted` is the line of the first call after it that did more than look around."""

    fix: Fix | None
    acted: int | None


class _Call(NamedTuple):
    tool: str
    kind: str
    failed: bool
    given: dict[str, Any]
    output: str
    line: int
    is_edit: bool


def aftermath_of(db: sqlite3.Connection, failed: FailedCall) -> Aftermath:
    calls = [
        _Call(tool, kind, is_error != 0, fields_of(said), output or "", line, bool(is_edit))
        for tool, kind, is_error, said, output, line, is_edit in db.execute(
            _NEXT, {"session": failed.session, "seq": failed.seq}
        )
    ]
    programs = programs_of(failed.given)
    fix = _fix(failed, programs, calls)
    if fix is None and (missing_program(failed.error) or misses_module(failed.error)):
        fix = _installation(failed, calls)
    acts = (one.line for one in calls if one.is_edit or _is_again(failed, programs, one) or changes_things(one.given))
    return Aftermath(fix, next(acts, None))


def _fix(failed: FailedCall, programs: frozenset[tuple[str, ...]], calls: list[_Call]) -> Fix | None:
    """What was done after a failure until the same worked; None when it did not, or nothing was done."""
    command = _plain(command_of(failed.given), failed)
    edits: dict[str, list[str]] = {}
    ran: dict[str, None] = {}
    others: dict[str, None] = {}  # that may have helped, if nothing was edited
    was_edited = False
    for call in calls:
        is_again = _is_again(failed, programs, call)
        if call.failed:
            if is_again:
                others.clear()  # it failed again: that was not it
            continue
        if call.is_edit:
            was_edited = True
            if is_silenced(str(call.given.get("new_string", ""))):
                return None
            path = base_name(str(file_of(call.given) or ""))
            if path and path in failed.error:
                edits.setdefault(path, []).extend(filter(None, [_change(call.given)]))
        run = _plain(command_of(call.given), failed)
        if is_again:
            if _failed_again(failed, call.output):
                others.clear()
                continue  # a pipe hides how it ended
            was_same = in_short(run, _COMPARED) in (
                in_short(_ASSIGNED.sub("", command), _COMPARED),
                in_short(command, _COMPARED),
            )
            if not was_edited and not ran and was_same and 0 < len(others) <= _HELPING:
                # Which of them it was is not known, so all are told.
                ran["`, `".join(_cut(one, 120 if len(others) == 1 else 60) for one in others)] = None
            done = _done(failed, edits, ran, is_same_command=was_same)
            if done is None:
                return None
            if not done and _SLIP.search(failed.told.line) and not _moved(command, run):
                return None
            said = f"worked after {done}" if done else _worked(command, run, failed.told.line)
            if not done and (advised := _advised(failed, (*ran, *others))):
                said = f"worked after running {advised}, {said.removeprefix('worked ')}"
            return Fix(said, call.line, bool(edits))
        if is_run(call.kind) and _formats(failed, run, call.output):
            return Fix(f"`{_shown(run)}` fixed it", call.line)
        if is_run(call.kind) and call.kind not in CHECKS:
            was_edited = was_edited or _WRITES.search(run) is not None
            if prepares(run):
                ran[_cut(_shown(run), 120)] = None
            elif changes_things(call.given):
                others[run] = None
    return None


def _installation(failed: FailedCall, calls: list[_Call]) -> Fix | None:
    """What was installed right after something was missing, and after that was not missing again."""
    found: Fix | None = None
    for call in calls[:_INSTALLED_WITHIN]:
        line = _plain(command_of(call.given), failed)
        if any(is_same(one, failed.told) for one in signatures(call.output)):
            found = None
        elif is_run(call.kind) and not call.failed and _INSTALLING.search(line) and not says_failure(call.output):
            found = Fix(f"was installed by `{_shown(line)}`", call.line)
    return found


def _failed_again(failed: FailedCall, output: str) -> bool:
    if says_failure(output):
        return True
    return any(failed.told.is_about_code or is_same(one, failed.told) for one in signatures(output))


def _shown(command: str) -> str:
    """A command on one line, as far as it is told."""
    return _cut(_bare(command), _COMMAND_CHARS)


def _bare(command: str) -> str:
    """A command without the files that it stages and the text that it writes."""
    return _WRITTEN.sub(r"\1 …", without_staging(command))


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _formats(failed: FailedCall, run: str, output: str) -> bool:
    """Whether a line let the formatter do what it asked for."""
    return (
        failed.told.is_about_code
        and applies_fixes(run)
        and formatting(failed.error) is not None
        and not says_failure(output)
    )


def _advised(failed: FailedCall, ran: Iterable[str]) -> str:
    """Of what was run meanwhile that which the error itself says to run, although the call was then another one too."""
    error = on_one_line(failed.error)
    return " and ".join(f"`{one}`" for one in ran if one in error)


def _worked(command: str, worked: str, error: str) -> str:
    """How the call itself was another one: first the options that it was with or without, or what else was changed."""
    before, after = _options(command), _options(worked)
    shared = before.keys() & after.keys()
    come = [one for name in shared for one in after[name] if one not in before[name]]
    gone = [one for name in shared for one in before[name] if one not in after[name]]
    ways = [
        f"{how} {', '.join(f'`{one}`' for one in some[:3])}"
        for how, some in (("with", come), ("without", gone))
        if some
    ]
    if not ways and (changed := changed_words(_bare(command), _bare(worked), error)):
        return f"worked {changed}, as `{around(_bare(command), _bare(worked))}`"
    return f"worked {' and '.join(ways)}{' ' * bool(ways)}as `{_shown(worked)}`"


def _options(command: str) -> dict[str, list[str]]:
    """The options of each program that a line runs."""
    found: dict[str, list[str]] = {}
    for words in programs_in(_WRITTEN.sub("", command)):
        options = (word.partition("=")[0] for word in words[1:])
        found.setdefault(program_name(words[0]), []).extend(one for one in options if _OPTION.fullmatch(one))
    return found


def _moved(command: str, worked: str) -> bool:
    """Whether it worked in another folder."""
    return bool(set(_FOLDER.findall(worked)) - set(_FOLDER.findall(command)))


def _is_again(failed: FailedCall, programs: frozenset[tuple[str, ...]], call: _Call) -> bool:
    """Whether a later call did all that the failed one was to do."""
    if call.tool != failed.tool:
        return False
    if is_run(failed.kind):
        wanted = programs - _LOOKING or programs
        line = str(call.given.get("command"))
        if not wanted or "||" in line or not wanted <= programs_of(call.given):
            return False
        here, there = set(_REPOSITORY.findall(str(failed.given.get("command")))), set(_REPOSITORY.findall(line))
        return not (here and there) or bool(here & there)  # not in another repository
    return file_of(call.given) == file_of(failed.given)


def _done(
    failed: FailedCall, edits: dict[str, list[str]], ran: dict[str, None], *, is_same_command: bool
) -> str | None:
    """What was done in between, in words; empty when only the call itself was another; None when it was no fix."""
    if failed.told.is_about_code:
        if not edits and not (ran and is_same_command):
            return None  # a complaint about code is fixed in the files it names, or in what they need to run
        if not ran and not any(edits.values()):
            return None  # that a file was edited adds nothing to its name in the error
        if formatting(failed.error) is not None:
            return None  # how it was formatted by hand does not help the next time
    elif not is_same_command:
        return ""
    if not edits and not ran:
        return None  # it went away by itself
    steps = []
    if edits:
        names = [
            f"{path} ({'; '.join(some[:2])})" if some and len(edits) == 1 else path for path, some in edits.items()
        ]
        steps.append(f"editing {', '.join(names[:3])}{f' and {len(names) - 3} more' * (len(names) > 3)}")
    if ran and not (edits and failed.told.is_about_code):
        steps.append(f"running {' and '.join(f'`{one}`' for one in list(ran)[-_RAN:])}")
    return " and ".join(steps)


def _change(given: Mapping[str, Any]) -> str:
    """A small edit in a few words: the first line removed and the first one added."""
    old, new = given.get("old_string"), given.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str) or len(old) > 4_000 or len(new) > 4_000:
        return ""
    gone = [on_one_line(line) for line in old.splitlines() if line.strip() and line not in new]
    come = [on_one_line(line) for line in new.splitlines() if line.strip() and line not in old]
    if len(gone) > 2 or len(come) > 2 or not come:
        return ""
    if not gone:
        return f"+ `{_cut(come[0], 60)}`"
    same = next((n for n, (a, b) in enumerate(zip(gone[0], come[0], strict=False)) if a != b), 0)
    at = same - 10 if same > 20 else 0  # of long lines, where they begin to differ
    return f"`{'…' * bool(at)}{_cut(gone[0][at:], 50)}` → `{'…' * bool(at)}{_cut(come[0][at:], 50)}`"


def _plain(command: str, failed: FailedCall) -> str:
    """A command without what redirects its output and, where the folder cannot have been at fault, without `cd`."""
    plain = without_output(command)
    return _MOVING.sub("", plain) if failed.told.is_about_code else plain
