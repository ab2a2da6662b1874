"""Met before: this error was had in another session, and this is what was done until the same thing worked.

A fix is only told when the same tool worked afterwards on the same command or file, and something was done in between:
edits of files that the error names, another command that did more than look, or the call itself was another one. A fix
that somebody ruled out is not told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.disclosure import Note, Packet
from axiommind.recall.packets.error_signature import Signature, is_same, signatures
from axiommind.recall.packets.notes import day, entry_note, packet, passage_note
from axiommind.search import lexical
from axiommind.text.summary import PREVIEW_CHARS, on_one_line, preview
from axiommind.tools.kinds import CHECKS, is_run

__all__ = ["command_of", "met_before"]

_AHEAD = 15  # uses after the failure in which it must have worked
_LOOKED_AT = 60  # candidates that are read
_TRIED = 12  # of those with the same error
_HELPING = 3  # commands in between that nobody knows: of more, none can be told to have helped
_ERROR_CHARS = 50  # of a note, at least
_SEARCHED = 3  # telling lines by which it is looked for
_WORDS_SEARCHED = 16
_TERMS = 4  # of a line, the rarest


_KIND = (1 << KIND_BITS) - 1  # what of a passage's id says its kind


class _Failed(NamedTuple):
    id: int
    session: str
    seq: int
    tool: str
    kind: str
    given: dict[str, Any]
    error: str
    told: Signature
    timestamp: int | None


def met_before(
    db: sqlite3.Connection,
    tool: str,
    tool_input: Mapping[str, Any] | None,
    error: str | None,
    project: str | None,
    *,
    session: str | None,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """How the same error was got over before; None when it tells nothing, was never met, or never got over."""
    told = signatures(error or "")
    if not told:
        return None
    given = dict(tool_input) if isinstance(tool_input, Mapping) else {}
    stats = lexical.statistics(db)
    searched = [_weighed(db, one, stats) for one in told[:_SEARCHED]]
    is_rare = any(one.passages <= max(3, stats.passages // 200) for weighed in searched for one in weighed)
    rows = _candidates(db, searched)
    known = _entries(db, rows, told, session)
    ruled_out = {row.session for row in known if not row.stands}
    failures = _failures(db, rows, told, tool, given, session)
    own = [one for one, where, _ in failures if where == project and one.session not in ruled_out]
    others = [
        one
        for one, where, equal in failures
        if where != project and equal is not None and (equal.has_code or is_rare) and one.session not in ruled_out
    ]
    if any(short_id(one.id << KIND_BITS | KINDS["tool"]) in skip for one in (*own, *others)):
        return None  # told already, by another of its failures
    note = _newest_fix(db, own, "", len({one.session for one in own}))
    if note is None:
        standing = (one for one in known if one.stands and one.project == project)
        note = next((_learned(db, one) for one in standing), None)
    if note is None:
        note = _newest_fix(db, others, "in another project ", 1)
    return None if note is None else packet([("This error was met before", [note])], skip)


def _newest_fix(db: sqlite3.Connection, failures: Iterable[_Failed], place: str, times: int) -> Note | None:
    for one in sorted(failures, key=lambda one: -(one.timestamp or 0))[:_TRIED]:
        note = _fixed(db, one, place, times)
        if note is not None:
            return note
    return None


# --- where it was met ------------------------------------------------------------------------------------

_FAILED = f"""
    select t.id, t.session_id, t.seq_order, t.tool_name, t.classified_name, t.error, t.input_json, t.timestamp,
           s.project, s.parent_session
    from tool_uses t join sessions s on s.id = t.session_id
    where t.id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["tool"]})
      and t.is_error = 1
"""
_LEARNED = f"""
    select id, entry_id, session_id, project, status = 'active' and stage <> 'raw', text, happened_at
    from entries
    where id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["insight"]})
      and rule = 'fixes'
    order by id desc
"""
# FTS5 leaps through an AND, so this costs no more than the rarest of the words.
_HAVING = f"""
    select rowid from passages_fts
    where passages_fts match ? and rowid & {_KIND} in ({KINDS["tool"]}, {KINDS["insight"]})
    order by rowid desc
    limit {_LOOKED_AT}
"""
_FIXED = re.compile(r"failed with: (.+)\. It passed after", re.DOTALL)


class _Known(NamedTuple):
    id: int
    entry_id: str
    session: str
    project: str
    stands: bool
    text: str
    timestamp: int | None


def _weighed(db: sqlite3.Connection, one: Signature, stats: lexical.Statistics) -> list[lexical.Weighed]:
    """The rarest words of a telling line, each by itself: phrases would have to be counted."""
    from axiommind.text.tokens import STOP_WORDS, Clause, fts_text

    text = " ".join((*sorted(one.names), *sorted(one.words)))
    wanted = [Clause((term,)) for term in dict.fromkeys(fts_text(text).split()) if term not in STOP_WORDS]
    return sorted(lexical.weigh(db, wanted[:_WORDS_SEARCHED], stats), key=lambda one: one.places)[:_TERMS]


def _candidates(db: sqlite3.Connection, searched: Iterable[list[lexical.Weighed]]) -> list[int]:
    """The newest passages of tools and of entries that have all these words of a line."""
    found: dict[int, None] = {}
    for weighed in searched:
        if weighed:
            together = " AND ".join(one.clause.match for one in weighed)
            found |= dict.fromkeys(row[0] for row in db.execute(_HAVING, (together,)))
    return list(found)


def _failures(
    db: sqlite3.Connection,
    rows: list[int],
    told: list[Signature],
    tool: str,
    given: dict[str, Any],
    session: str | None,
) -> list[tuple[_Failed, str, Signature | None]]:
    """The uses that failed in the same way, with their project and, where it is equal to the letter, the line."""
    from axiommind.tools.shell import classify

    kind = classify(given.get("command"))
    heads = _heads(given)
    known: dict[str, Signature | None] = {}
    found = []
    for use, owner, seq, name, classified, error, said, at, project, parent in db.execute(
        _FAILED, (json.dumps(rows),)
    ).fetchall():
        if name != tool or not error or (session is not None and session in (owner, parent)):
            continue
        if error not in known:
            known[error] = _told_by_both(told, error)
        other = known[error]
        if other is None:
            continue
        before = _fields(said)
        if not is_run(classified) or classified == kind or heads & _heads(before):
            equal = next((one for one in told if one.key == other.key), None)
            found.append((_Failed(use, owner, seq, name, classified, before, error, other, at), project, equal))
    return found


def _told_by_both(told: list[Signature], error: str) -> Signature | None:
    """The line of an error that is one of those asked for."""
    text = error.lower()
    near = [
        one
        for one in told
        if all(name in text for name in one.names) and 4 * sum(word in text for word in one.words) >= 3 * len(one.words)
    ]  # most candidates only have some of the words, and that is seen at once
    if not near:
        return None
    return next((other for other in signatures(error) for one in near if is_same(one, other)), None)


def _entries(db: sqlite3.Connection, rows: list[int], told: list[Signature], session: str | None) -> list[_Known]:
    """What the rule of fixes learned of the same error, the newest first; also what does not stand any more."""
    found = []
    for entry in map(_Known._make, db.execute(_LEARNED, (json.dumps(rows),))):
        said = _FIXED.search(entry.text)
        if said is None or entry.session == session:
            continue
        if any(is_same(one, other) for one in told for other in signatures(said[1])):
            found.append(entry)
    return found


def _learned(db: sqlite3.Connection, entry: _Known) -> Note:
    text = f"met on {day(entry.timestamp)}: {entry.text}"
    return entry_note(db, entry.id, entry.entry_id, "insight", text, entry.timestamp)


# --- what got over it ------------------------------------------------------------------------------------

_NEXT = f"""
    select tool_name, classified_name, is_error, input_json, output,
           exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id)
    from tool_uses
    where session_id = ? and seq_order > ?
    order by seq_order
    limit {_AHEAD}
"""
_BESIDE_LIST = """
cd echo cat ls head tail grep rg sleep export source true pwd wc which find sed awk sort test set mkdir jq tee date
"""
_BESIDE = frozenset(_BESIDE_LIST.split())
_LOOKING = frozenset(
    ("git", word) for word in ("status", "diff", "log", "show", "branch", "remote", "rev-parse", "fetch", "add")
)
_LOOKING_LIST = """
cmp curl df diff dig du env file free gh git host hostname id less lsof man more ping printenv printf ps readlink
realpath ss stat strings top tree type uname uptime whereis whoami xxd
"""  # what git does that makes other things work is among what prepares
_LOOKERS = frozenset(_LOOKING_LIST.split())
_LOOKING_WORDS_LIST = """
cat describe diff help info inspect list logs log ls outdated ps search show status version view why
"""
_LOOKING_WORDS = frozenset(_LOOKING_WORDS_LIST.split())
_QUERIES = ("select ", "show ", "explain ", "pragma ", "\\d", "\\l")  # to a database
_WRITES = re.compile(r"\b(?:sed|perl) [^|;&]*-\w*i\b|\btee\b|(?<![\d&>-])>{1,2} ?(?!/dev/|/tmp/|&)[\w./~$\"']")
# Code that is given with the call looks at things as often as it changes them.
_INLINE = re.compile(r"(?:python|pypy|node|bun|deno|ruby|perl|php)[\d.]*")
_MOVING = re.compile(r"^(?:cd\s+[^;&|]+(?:&&|;)\s*)+")
_AROUND = re.compile(r"\s*(?:2>&1|2>/dev/null)|\s*\|\s*(?:tail|head|grep|cat)\b[^|&;]*")
_FAILING = re.compile(r"\b[1-9]\d* (?:fail|error)|\bfailed\b|exited with code [1-9]|exit(?: code)?[=: ]+[1-9]")
_SILENCED = re.compile(
    r"biome-ignore|eslint-disable|# ?noqa|type: ?ignore|@ts-(?:ignore|expect-error)|nolint|allow\(clippy"
)
# Commands that make another one work; what only looks at things does not.
_PREPARING = re.compile(
    r"\b(?:install|add|sync|update|upgrade|migrate|generate|build|up|start|restart|init|login|auth|pull|stash|checkout"
    r"|config|create|link|rm|mv|cp|ln|chmod|kill)\b"
)
_PLACE = re.compile(r"^(?:at )?\S+?[:(]\d+(?:[:,]\d+)?\)?:?\s+")


def _fixed(db: sqlite3.Connection, failed: _Failed, place: str, times: int) -> Note | None:
    """What was done after a failure until the same worked, as a note; None when it did not, or nothing was done."""
    heads, command = _heads(failed.given), _plain(command_of(failed.given), failed)
    edits: dict[str, str] = {}
    ran: dict[str, None] = {}
    others: dict[str, None] = {}  # that may have helped, if nothing was edited
    was_edited = False
    for tool, kind, is_error, said, output, is_edit in db.execute(_NEXT, (failed.session, failed.seq)).fetchall():
        given = _fields(said)
        if is_error != 0:
            if tool == failed.tool and _is_again(failed, heads, given):
                others.clear()  # it failed again: that was not it
            continue
        if is_edit:
            was_edited = True
            if _SILENCED.search(str(given.get("new_string", ""))[:20_000]):
                return None  # a complaint that was switched off was not mended
            path = _base(str(_file(given) or ""))
            if path and path in failed.error:
                edits[path] = "" if path in edits else _change(given)
        if tool == failed.tool and _is_again(failed, heads, given):
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
            elif _does(given):
                others[line] = None
    return None


def _does(given: Mapping[str, Any]) -> bool:
    """Whether a shell line does more than look at things."""
    from axiommind.tools.shell_programs import programs

    return any(_changes(words) for words in programs(str(given.get("command"))[:1_000]))


def _changes(words: list[str]) -> bool:
    name, *rest = _base(words[0]), *words[1:]
    if name in _LOOKERS or (name in _BESIDE and name != "mkdir") or {"--version", "--help"}.intersection(rest[:2]):
        return False
    if _INLINE.fullmatch(name):  # a file of code that was run may have done something
        return bool(rest) and not rest[0].startswith("-")
    plain = [word for word in rest if not word.startswith("-")]
    if name == "kubectl" and plain[:1] == ["get"]:
        return False
    return not _LOOKING_WORDS.intersection(plain[:2]) and not any(w.lower().startswith(_QUERIES) for w in plain)


def _is_again(failed: _Failed, heads: frozenset[tuple[str, ...]], given: Mapping[str, Any]) -> bool:
    """Whether a later use did all that the failed one was to do."""
    if is_run(failed.kind):
        wanted = heads - _LOOKING
        return bool(wanted) and wanted <= _heads(given) and "||" not in str(given.get("command"))
    return _file(given) == _file(failed.given)


def _done(failed: _Failed, edits: dict[str, str], ran: dict[str, None], *, is_same_command: bool) -> str | None:
    """What was done in between, in words; empty when only the call itself was another; None when it was no fix."""
    if failed.told.is_about_code:
        if not edits and not (ran and is_same_command):
            return None  # a complaint about code is mended in the files it names, or in what they need to run
        if not ran and len(failed.told.words) < 4 and not failed.told.names and not any(edits.values()):
            return None  # the name of a rule says how to keep it; that a file was edited adds nothing
    elif not is_same_command:
        return ""
    if not edits and not ran:
        return None  # it came and went by itself
    if edits:
        names = [f"{path} ({change})" if change and len(edits) == 1 else path for path, change in edits.items()]
        return f"editing {', '.join(names[:3])}{f' and {len(names) - 3} more' * (len(names) > 3)}"
    return f"running `{list(ran)[-1]}`"


def _change(given: Mapping[str, Any]) -> str:
    """A small edit in a few words: the first line that went and the first that came."""
    old, new = given.get("old_string"), given.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str) or len(old) > 4_000 or len(new) > 4_000:
        return ""
    gone = [on_one_line(line) for line in old.splitlines() if line.strip() and line not in new]
    come = [on_one_line(line) for line in new.splitlines() if line.strip() and line not in old]
    if len(gone) > 2 or len(come) > 2 or not come:
        return ""
    return f"`{preview(gone[0], 40)}` → `{preview(come[0], 40)}`" if gone else f"+ `{preview(come[0], 60)}`"


def command_of(given: Mapping[str, Any] | str | None) -> str:
    """What a call was of, on one line: its command, its file, or its values."""
    fields = _fields(given) if given is None or isinstance(given, str) else given
    for name in ("command", "file_path", "notebook_path", "path", "url", "query", "pattern"):
        if isinstance(fields.get(name), str):
            return on_one_line(str(fields[name])[:2_000])
    return on_one_line(", ".join(f"{name}: {value}" for name, value in fields.items())[:2_000])


def _plain(command: str, failed: _Failed) -> str:
    """A command without what becomes of its output, and, where its place cannot have been the fault, without that."""
    plain = _AROUND.sub("", command).strip()
    return _MOVING.sub("", plain) if failed.told.is_about_code else plain


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _file(given: Mapping[str, Any]) -> object:
    return given.get("file_path") or given.get("notebook_path")


def _fields(given: str | None) -> dict[str, Any]:
    try:
        fields = json.loads(given or "{}")
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _heads(given: Mapping[str, Any]) -> frozenset[tuple[str, ...]]:
    """What a shell line runs, each by its first words: ("git", "commit"), ("bun", "run", "test")."""
    from axiommind.tools.shell_programs import programs

    command = given.get("command")
    if not isinstance(command, str):
        return frozenset()
    found = set()
    for words in programs(command[:1_000]):
        name = _base(words[0])
        if name in _BESIDE:
            continue
        plain = [word for word in words[1:3] if not word.startswith("-") and word.isascii() and "/" not in word]
        wanted = 2 if plain[:1] and plain[0] in ("run", "exec", "compose", "pr") else 1
        found.add((name, *plain[:wanted]))
    return frozenset(found)
