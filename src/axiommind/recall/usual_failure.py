"""A usual failure: how what a prompt orders mostly fails in this project, told before the agent runs into it.

"commit", "push it" and "run the tests" are orders of every project, which ask for nothing. But where the command that
is meant failed in the same way in most of the last sessions that ran it, it will fail again. What is known of the error
is what `known_error` tells after it. Reads only, and only of the newest sessions.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.recall.disclosure import IndexItem
from axiommind.text.patterns import lazy
from axiommind.text.summary import preview
from axiommind.tools.kinds import CHECKS, LINT, RUN_CLASS

if TYPE_CHECKING:
    from axiommind.recall.packet import Note
    from axiommind.recall.request import IndexRequest
    from axiommind.tools.error_signature import Signature

__all__ = ["Order", "orders_in", "usual_failures"]

_CHARS = 120  # of a prompt: a longer one is about more than an order
_RAN = 8  # sessions that ran it, the newest
_LOOKED_AT = 40  # sessions in which they are looked for
_OFTEN, _MOSTLY = 3, 0.6  # sessions in which it failed, and their share
_LINE = 110  # characters of the error
_BUILD, _TEST = (name for name in sorted(CHECKS) if name != LINT)


class Order(NamedTuple):
    """What a prompt orders: the program by its first words, or the class of a check."""

    words: re.Pattern[str]
    program: tuple[str, ...] = ()
    check: str = ""


class _Ran(NamedTuple):
    """A session that ran it, with what failed in it, the last failure first."""

    session: str
    failures: tuple[tuple[str, dict[str, Any], str, tuple[Signature, ...]], ...]


_ORDERS = (
    Order(lazy(r"\bcomm?it{1,2}\b|커밋|コミット|提交", re.IGNORECASE), ("git", "commit")),
    Order(lazy(r"\bpush\b|푸시|プッシュ|推送", re.IGNORECASE), ("git", "push")),
    Order(
        lazy(
            r"\b(?:open|create|make|raise|submit) (?:a |the )?(?:pr|pull request)\b"
            r"|(?:pr|풀리퀘\S?) ?(?:올려|생성|만들)|(?:pr|プルリク\S{0,3}) ?を?(?:作|出)"
            r"|(?:提|创建|开)(?:个|一个)? ?pr",
            re.IGNORECASE,
        ),
        ("gh", "pr", "create"),
    ),
    Order(
        lazy(
            r"\b(?:re-?)?run (?:\w+ ){0,3}tests?\b|테스트 ?(?:를 )?(?:돌려|실행)|テスト(?:を)?(?:実行|回)"
            r"|(?:运行|跑).{0,4}测试",
            re.IGNORECASE,
        ),
        check=_TEST,
    ),
    Order(
        lazy(
            r"\b(?:re-?)?run (?:\w+ ){0,3}lint\w*|린트 ?(?:를 )?(?:돌려|실행)|リント(?:を)?(?:実行|回)", re.IGNORECASE
        ),
        check=LINT,
    ),
    Order(
        lazy(
            r"\bbuild it\b|\b(?:re-?)?run (?:\w+ ){0,3}build\b|빌드 ?(?:해|돌려|실행)|ビルド(?:して|を実行)|构建一下",
            re.IGNORECASE,
        ),
        check=_BUILD,
    ),
)
_SESSIONS = f"""
    select id from sessions
    where project = :project and parent_session is null and prompt_count > 0 and id is not :session
    order by coalesce(last_ts, ended_at, 0) desc, id
    limit {_LOOKED_AT}
"""
_CALLS = """
    select tool_name, input_json, is_error, coalesce(error, output, '')
    from tool_uses
    where session_id = :session and classified_name like :classified and input_json like :like
    order by seq_order desc
"""


def orders_in(prompt: str) -> tuple[Order, ...]:
    """What a short prompt orders that every project hears."""
    return tuple(one for one in _ORDERS if one.words.search(prompt)) if len(prompt) <= _CHARS else ()


def usual_failures(db: sqlite3.Connection, request: IndexRequest, orders: tuple[Order, ...]) -> list[IndexItem]:
    """What is known of the error with which an order mostly ends here; nothing where it mostly works."""
    from axiommind.search.rows import index_version

    index_version(db)  # one that another version made is refused
    try:
        return [item for order in orders for item in _told(db, request, order)]
    except sqlite3.DatabaseError as error:
        from axiommind.projections.full_text import is_of_full_text

        if not is_of_full_text(error):
            raise
        return []  # an error that was met before is found by its words


def _told(db: sqlite3.Connection, request: IndexRequest, order: Order) -> list[IndexItem]:
    """What may be said of it, the first line with how often it failed."""
    from axiommind.recall.permission import allowed, weighed

    said, found = _usual(db, request, order)
    likely = [item for item in weighed(db, request, found) if item.score >= request.min_score]
    kept = allowed(db, request, likely) if likely else []
    return [item._replace(excerpt=f"{said} {item.said}") if n == 0 else item for n, item in enumerate(kept)]


def _usual(db: sqlite3.Connection, request: IndexRequest, order: Order) -> tuple[str, list[IndexItem]]:
    """How often an order failed with the same error, in words, and what is known of that."""
    from axiommind.recall.packets.known_error import known_error
    from axiommind.tools.error_signature import is_same

    project, session = request.query.filters.project, request.not_session
    ran = _sessions_that_ran(db, project, session, order)
    # Where the last session that ran it did not fail, it works again.
    for tool, given, error, signatures in ran[0].failures if len(ran) >= _OFTEN else ():
        for told in signatures:
            times = sum(any(is_same(told, one) for failed in other.failures for one in failed[3]) for other in ran)
            if times < _OFTEN or times < _MOSTLY * len(ran):
                continue
            packet = known_error(db, tool, given, error, project, session=session, skip=request.skip)
            if packet is not None:
                often = f"failed in {times} of the last {len(ran)} sessions that ran it"
                said = f"`{_name(order)}` {often}: {preview(told.line, _LINE)}."
                return said, [_item(note, times / len(ran), project) for note in packet.notes]
    return "", []


def _sessions_that_ran(db: sqlite3.Connection, project: str | None, session: str | None, order: Order) -> list[_Ran]:
    """The last sessions that ran it, the newest first."""
    found: list[_Ran] = []
    for (name,) in db.execute(_SESSIONS, {"project": project, "session": session}).fetchall():
        one = _ran_in(db, name, order)
        if one is not None:
            found.append(one)
        if len(found) == _RAN:
            break
    return found


def _ran_in(db: sqlite3.Connection, session: str, order: Order) -> _Ran | None:
    from axiommind.tools.error_signature import signatures
    from axiommind.tools.past_call import fields_of, programs_of

    did = False
    failures = []
    like = f"%{order.program[-1]}%" if order.program else "%"
    asked = {"session": session, "classified": order.check or f"{RUN_CLASS}%", "like": like}
    for tool, said, is_error, error in db.execute(_CALLS, asked):
        given = fields_of(said)
        if order.program and order.program not in programs_of(given):
            continue
        did = True
        told = tuple(one for one in signatures(error) if not one.is_about_code) if is_error else ()
        if told:
            failures.append((tool, given, error, told))
    return _Ran(session, tuple(failures)) if did else None


def _name(order: Order) -> str:
    return " ".join(order.program) or {_TEST: "test", LINT: "lint", _BUILD: "build"}[order.check]


def _item(note: Note, share: float, project: str | None) -> IndexItem:
    excerpt = f"{note.text[:1].upper()}{note.text[1:]}"
    return IndexItem(
        note.shown_id,
        preview(excerpt, 100),
        round(share, 4),
        note.kind,
        note.timestamp,
        note.session_id,
        note.citation,
        project,
        excerpt=excerpt,
        provenance="tool",
    )
