"""What still failed at the end of a session: the last command that failed and was not made good.

It was made good by the same kind of command or the same program that went well later, also within a longer line; by a
commit whose hook ran it; and by the agent's own last word that all of it passes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from axiommind.recall.packet import Note
from axiommind.recall.packets.notes import passage_note
from axiommind.text.patterns import lazy
from axiommind.text.summary import preview

__all__ = ["UnsolvedFailure", "failing", "unsolved_failures"]

_USES = 60  # of a session, from its end: where its last failure is looked for
_RESPONSES = 40
_OUTPUT = 4_000  # characters of what a command printed, from its end
_LAST_USES = f"""
    select id, classified_name, is_error, input_json, error, timestamp, line, substr(output, -{_OUTPUT})
    from tool_uses
    where session_id = ? and subagent is null
    order by seq_order desc
    limit ?
"""
_WORDS = f"""
    select line_start, text from responses
    where id in (select id from responses where session_id = ? order by id desc limit {_RESPONSES})
      and text <> ''
      and not is_error
    order by id desc
    limit 1
"""
_SENTENCE = lazy(r"[.!?。！？;；\n]+(?!\d)")
_PASSES = lazy(
    r"\ball (?:\d[\d,]* )?(?:\w+ ){0,3}?(?:tests?|checks?|specs?|hooks?|suites?)\b.{0,40}?\b(?:pass|green|succe|clean)"
    r"|\btests?\b(?: suites?)?(?: all| now| still| again)* pass(?:es|ed|ing)?\b"
    r"|\b(?:hooks?|checks?)\b.{0,40}?\bpass(?:es|ed)\b"
    r"|\b\d[\d,]* (?:tests? )?pass(?:ed|ing)?\b,? (?:and )?(?:0|no) fail"
    r"|\b(?:everything|all) (?:\w+ )?(?:passes|passing|is green|green|is clean|clean)\b"
    r"|\blint\w*\b.{0,20}\bclean\b"
    r"|(?:전부|모두|전체|모든|전\s).{0,20}?(?:통과|성공)|테스트.{0,12}?통과"
    r"|(?:全|すべて|全て).{0,16}?(?:通過|パス|成功|グリーン|pass)|テスト.{0,10}?(?:通過|パスし|成功)"
    r"|(?:全部|所有|都).{0,12}?(?:通过|通過|成功)|测试.{0,8}?通过|測試.{0,8}?通過",
    re.IGNORECASE,
)
_NONE_FAILED = lazy(
    r"\b(?:0|no|zero) (?:tests? )?(?:fail\w*|errors?)\b"
    r"|문제 ?없\w*|問題(?:は|も)?(?:ありません|ない|なし)|没有?问题"
    r"|실패 ?0|失敗 ?0|0 ?(?:件|个|개).{0,4}(?:失敗|失败|실패)",
    re.IGNORECASE,
)
_NOT_YET = lazy(
    r"\bnot\b|n[’']t\b|\bexcept\b|\bfail(?:s|ed|ing|ures?)?\b"
    r"|\b(?:once|if|until|when|should|would|will|ensure|make sure|let me)\b"
    r"|실패|않|못|하면|되면|失敗|ない|ません|未|失败|没有通过|如果",
    re.IGNORECASE,
)
_LINTED = lazy(
    r"lint|format|type|check|hook|clean|everything|린트|타입|전부|모두|リント|型|すべて|全て|检查|类型|全部",
    re.IGNORECASE,
)


class _Passed:
    """What went well after the point that is looked at."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.programs: set[tuple[str, ...]] = set()
        self.committed = False  # with its hooks
        self.hooks = ""  # what hooks printed in these calls

    def made_good(self, kind: str, ran: frozenset[tuple[str, ...]]) -> bool:
        if kind in self.kinds:
            return True
        return bool(ran) and (
            ran <= self.programs or (self.committed and all(_names(self.hooks, program) for program in ran))
        )


class _Use(NamedTuple):
    id: int
    kind: str
    failed: int | None
    given: str | None
    error: str | None
    at: int | None
    line: int
    output: str | None


def failing(db: sqlite3.Connection, session: str, said: str = "") -> Iterable[Note]:
    """The last command that failed, if nothing made it good after it."""
    found = next(_not_made_good(db, session, _USES), None)
    if found is not None and found.told and not _is_denied_check(db, session, found.use):
        text = f"{said}`{preview(found.command, 80)}`: {found.told}"
        yield passage_note(db, "tool", found.use.id, text, found.use.at)


class UnsolvedFailure(NamedTuple):
    """A command that failed and that nothing made good later in its session."""

    use: int  # the row of the call
    command: str
    told: str  # the line of the error that says most
    at: int | None
    line: int
    programs: frozenset[tuple[str, ...]]


def unsolved_failures(db: sqlite3.Connection, session: str, most: int) -> Iterable[UnsolvedFailure]:
    """Every command among the last calls that nothing made good, from the end."""
    for found in _not_made_good(db, session, most):
        if found.told and not _is_denied_check(db, session, found.use):
            use = found.use
            yield UnsolvedFailure(use.id, found.command, found.told, use.at, use.line, found.ran)


class _Failed(NamedTuple):
    use: _Use
    command: str
    told: str
    ran: frozenset[tuple[str, ...]]


def _not_made_good(db: sqlite3.Connection, session: str, most: int) -> Iterator[_Failed]:
    """The commands among the last calls that failed, from the end, less those that something made good after them."""
    from axiommind.tools.error_signature import told_by
    from axiommind.tools.kinds import CHECKS, is_run
    from axiommind.tools.past_call import changes_things, command_of, fields_of, programs_of

    passed = _Passed()
    for use in map(_Use._make, db.execute(_LAST_USES, (session, most)).fetchall()):
        if not is_run(use.kind) or use.failed is None:
            continue
        fields = fields_of(use.given)
        ran = programs_of(fields)
        if ("git", "commit") in ran:
            passed.hooks += f"\n{use.error or use.output or ''}"
        if not use.failed:
            _note_success(passed, use, ran, str(fields.get("command")))
        elif use.error and not use.error.startswith(("<tool_use_error>", "The user doesn't")):
            if passed.made_good(use.kind, ran) or (use.kind not in CHECKS and not changes_things(fields)):
                continue  # or nothing was found, and that is no failure
            yield _Failed(use, command_of(use.given), told_by(use.error), ran)


def _is_denied_check(db: sqlite3.Connection, session: str, use: _Use) -> bool:
    from axiommind.tools.kinds import CHECKS

    return use.kind in CHECKS and _is_denied(db, session, use)


def _note_success(passed: _Passed, use: _Use, ran: frozenset[tuple[str, ...]], command: str) -> None:
    from axiommind.tools.shell_outcomes import hides_ending, says_failure

    if hides_ending(command) and says_failure(use.output or ""):
        return
    passed.kinds.add(use.kind)
    passed.programs |= ran
    passed.committed = passed.committed or (("git", "commit") in ran and "--no-verify" not in command)


def _names(output: str, program: tuple[str, ...]) -> bool:
    """Whether what a hook printed names a program, by itself or by the script that it runs."""
    words = [word for word in program if word not in ("run", "exec")]
    return bool(output) and all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", output) for word in words)


def _is_denied(db: sqlite3.Connection, session: str, use: _Use) -> bool:
    """Whether the agent said at the end that it passes by now."""
    from axiommind.tools.kinds import LINT

    row = db.execute(_WORDS, (session,)).fetchone()
    if row is None or row[0] < use.line:
        return False
    for sentence in _SENTENCE.split(row[1]):
        bare = _NONE_FAILED.sub("", sentence)
        if (_PASSES.search(sentence) or (bare != sentence and _PASSES.search(bare))) and not _NOT_YET.search(bare):
            return use.kind != LINT or _LINTED.search(row[1]) is not None
    return False
