"""A fix: what was done after a failure until the same thing worked.

It counts only when the same tool worked afterwards on the same command or file, and something was done in between:
edits of files that the error names, another command that did more than look, or the call itself was another one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from axiommind.recall.disclosure import Note
from axiommind.recall.packets.notes import day, passage_note
from axiommind.text.patterns import lazy
from axiommind.text.summary import PREVIEW_CHARS, on_one_line, preview
from axiommind.tools.error_signature import Signature, signatures
from axiommind.tools.kinds import CHECKS, is_run
from axiommind.tools.past_call import (
    base_name,
    changes_things,
    command_of,
    fields_of,
    file_of,
    programs_of,
)

__all__ = ["FailedCall", "fix_note"]

_AHEAD = 15  # calls after the failure in which it must have worked
_HELPING = 3  # unknown commands in between: if there are more, nobody can say which of them helped
_ERROR_CHARS = 50  # of a note, at least
_NEXT = f"""
    select tool_name, classified_name, is_error, input_json, output,
           exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id)
    from tool_uses
    where session_id = ? and seq_order > ?
    order by seq_order
    limit {_AHEAD}
"""
_LOOKING = frozenset(
    ("git", word) for word in ("status", "diff", "log", "show", "branch", "remote", "rev-parse", "fetch", "add")
)
_WRITES = lazy(r"\b(?:sed|perl) [^|;&]*-\w*i\b|\btee\b|(?<![\d&>-])>{1,2} ?(?!/dev/|/tmp/|&)[\w./~$\"']")
_MOVING = lazy(r"^(?:cd\s+[^;&|]+(?:&&|;)\s*)+")
_AROUND = lazy(r"\s*(?:2>&1|2>/dev/null)|\s*\|\s*(?:tail|head|grep|cat)\b[^|&;]*")
_FAILING = lazy(r"\b[1-9]\d* (?:fail|error)|\bfailed\b|exited with code [1-9]|exit(?: code)?[=: ]+[1-9]")
_SILENCED = lazy(r"biome-ignore|eslint-disable|# ?noqa|type: ?ignore|@ts-(?:ignore|expect-error)|nolint|allow\(clippy")
# Commands that make another one work; what only looks at things does not.
_PREPARING = lazy(
    r"\b(?:install|add|sync|update|upgrade|migrate|generate|build|up|start|restart|init|login|auth|pull|stash|checkout"
    r"|config|create|link|rm|mv|cp|ln|chmod|kill)\b"
)
_PLACE = lazy(r"^(?:at )?\S+?[:(]\d+(?:[:,]\d+)?\)?:?\s+")


class FailedCall(NamedTuple):
    """A tool call that failed, and the line of its error that tells most."""

    id: int
    session: str
    seq: int
    tool: str
    kind: str
    given: dict[str, Any]
    error: str
    told: Signature
    timestamp: int | None


def fix_note(db: sqlite3.Connection, failed: FailedCall, place: str, times: int) -> Note | None:
    """What was done after a failure until the same worked, as a note; None when it did not, or nothing was done."""
    programs, command = programs_of(failed.given), _plain(command_of(failed.given), failed)
    edits: dict[str, str] = {}
    ran: dict[str, None] = {}
    others: dict[str, None] = {}  # that may have helped, if nothing was edited
    was_edited = False
    for tool, kind, is_error, said, output, is_edit in db.execute(_NEXT, (failed.session, failed.seq)).fetchall():
        given = fields_of(said)
        if is_error != 0:
            if tool == failed.tool and _is_again(failed, programs, given):
                others.clear()  # it failed again: that was not it
            continue
        if is_edit:
            was_edited = True
            if _SILENCED.search(str(given.get("new_string", ""))[:20_000]):
                return None  # a complaint that was switched off was not fixed
            path = base_name(str(file_of(given) or ""))
            if path and path in failed.error:
                edits[path] = "" if path in edits else _change(given)
        if tool == failed.tool and _is_again(failed, programs, given):
            if output and (_FAILING.search(output.lower()) or (failed.told.is_about_code and signatures(output))):
                others.clear()
                continue  # a pipe hides how it ended
            worked = _plain(command_of(given), failed)
            if not was_edited and not ran and worked == command and 0 < len(others) <= _HELPING:
                # Which of them it was is not known, so all are told.
                ran["`, `".join(preview(line, 60 if len(others) == 1 else 30) for line in others)] = None
            done = _done(failed, edits, ran, is_same_command=worked == command)
            if done is None:
                return None
            when = f"in {times} sessions, last on" if times > 1 else "on"
            met = f"met {place}{when} {day(failed.timestamp)}: "
            then = f"; then {done} and it worked" if done else f"; then this worked: `{preview(worked, 80)}`"
            room = max(PREVIEW_CHARS - len(met) - len(then), _ERROR_CHARS)
            text = f"{met}{preview(_PLACE.sub('', failed.told.line), room).rstrip('.;, ')}{then}"
            return passage_note(db, "tool", failed.id, text, failed.timestamp)
        if is_run(kind) and kind not in CHECKS:
            line = _plain(command_of(given), failed)
            was_edited = was_edited or _WRITES.search(line) is not None
            if _PREPARING.search(line):
                ran[preview(line, 60)] = None
            elif changes_things(given):
                others[line] = None
    return None


def _is_again(failed: FailedCall, programs: frozenset[tuple[str, ...]], given: Mapping[str, Any]) -> bool:
    """Whether a later call did all that the failed one was to do."""
    if is_run(failed.kind):
        wanted = programs - _LOOKING
        return bool(wanted) and wanted <= programs_of(given) and "||" not in str(given.get("command"))
    return file_of(given) == file_of(failed.given)


def _done(failed: FailedCall, edits: dict[str, str], ran: dict[str, None], *, is_same_command: bool) -> str | None:
    """What was done in between, in words; empty when only the call itself was another; None when it was no fix."""
    if failed.told.is_about_code:
        if not edits and not (ran and is_same_command):
            return None  # a complaint about code is fixed in the files it names, or in what they need to run
        if not ran and len(failed.told.words) < 4 and not failed.told.names and not any(edits.values()):
            return None  # the name of a rule says how to keep it; that a file was edited adds nothing
    elif not is_same_command:
        return ""
    if not edits and not ran:
        return None  # it went away by itself
    if edits:
        names = [f"{path} ({change})" if change and len(edits) == 1 else path for path, change in edits.items()]
        return f"editing {', '.join(names[:3])}{f' and {len(names) - 3} more' * (len(names) > 3)}"
    return f"running `{list(ran)[-1]}`"


def _change(given: Mapping[str, Any]) -> str:
    """A small edit in a few words: the first line removed and the first one added."""
    old, new = given.get("old_string"), given.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str) or len(old) > 4_000 or len(new) > 4_000:
        return ""
    gone = [on_one_line(line) for line in old.splitlines() if line.strip() and line not in new]
    come = [on_one_line(line) for line in new.splitlines() if line.strip() and line not in old]
    if len(gone) > 2 or len(come) > 2 or not come:
        return ""
    return f"`{preview(gone[0], 40)}` → `{preview(come[0], 40)}`" if gone else f"+ `{preview(come[0], 60)}`"


def _plain(command: str, failed: FailedCall) -> str:
    """A command without what redirects its output and, where the folder cannot have been at fault, without `cd`."""
    plain = _AROUND.sub("", command).strip()
    return _MOVING.sub("", plain) if failed.told.is_about_code else plain
