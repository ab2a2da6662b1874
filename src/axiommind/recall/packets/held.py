"""What holds in a project: what a person wants every time, what its rules say, and what was decided and not reversed.

Only what is verified or certified, and what a person stated in so many words, chose, asked to be written down or
decided against something earlier; a wish that was said in several sessions comes first, and is told once. What was
asked for the work of one day is no wish for every time: it has to say so, or to be said on another day again. A command
that goes past a check is told with the reason for it or not at all. Plans and commits are left out: they say what was
to be changed, and that is done by now. So are the rules of files that the agent reads by itself.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from axiommind.extraction.rules import QUESTION, form_of, is_requested
from axiommind.recall.packet import Note
from axiommind.recall.packets.notes import STAGE_RANK, EntryWords, claim, day, entry_notes
from axiommind.text.patterns import lazy
from axiommind.text.requests.lasting import is_of_the_hour, points_elsewhere, says_every_time
from axiommind.text.summary import on_one_line, preview
from axiommind.tools.past_call import programs_of
from axiommind.tools.shell_outcomes import bypasses

__all__ = ["content_terms", "held_notes"]

_WANTED = 3  # wishes and rules
_HELD = 5  # of all
_SESSIONS = 200  # of a project: older ones are not looked at
_DECIDED_IN = 10  # sessions: what was decided before is told when a prompt is about it
_DECISIONS = 6
_CHARS = 160  # of a line
_ASKED = 190  # of a question with its answer
_STATED = 0.8  # confidence of a rule by which a candidate is told, as one; what is less has to be said again
_APART = 3_600_000  # milliseconds: a prompt that is sent again in a new session is said once, and so is a fork's copy
_SAME = 0.75  # of the terms of the shorter one
# What a person asked to be remembered, and what was learned before there were kinds, has none.
_KIND = """
    case when e.kind <> '' then e.kind
         when e.entry_type = 'decision' then 'decision'
         when e.extractor = 'person' and e.entry_type = 'fact' then 'preference'
         else '' end
"""
_ENTRIES = f"""
    select e.id, e.entry_id, {_KIND} as held, e.stage, e.rule, e.title, e.text, e.content_json,
           coalesce(e.happened_at, e.created_ts), e.value_key, e.session_id,
           e.confidence >= {_STATED} or e.extractor <> 'rules', e.extractor = 'rules' and e.stage <> 'certified',
           e.stage = 'candidate' and e.provenance = 'file'
    from entries e
    where e.session_id in (
        select id from sessions
        where project = :project and parent_session is null
        order by coalesce(last_ts, ended_at, 0) desc
        limit {_SESSIONS})
      and e.project = :project
      and e.status = 'active'
      and (held in ('preference', 'decision')
           or held = 'convention' and e.provenance <> 'rules'
           or e.stage = 'certified' and held not in ('open', 'record'))
      and (e.stage in ('verified', 'certified')
           or e.stage = 'candidate' and e.provenance in ('person', 'picked', 'file'))
    order by coalesce(e.happened_at, e.created_ts) desc, e.id desc
"""
_REPLACING = "select distinct superseded_by from entries where project = ? and status <> 'active'"
# What an agent or a team mate recorded as decided is no more than a working entry.
_DECIDED = f"""
    select decision_id, action, ts, iif(actor in ('agent', 'teammate'), 'working', '')
    from decisions
    where project = ?
    order by ts desc
    limit {_DECISIONS}
"""


_FAILED = """
    select text from entries
    where project = :project and status = 'active' and stage <> 'raw'
      and instr(text, 'failed with: ') and instr(text, :option)
    order by coalesce(happened_at, created_ts) desc, id desc
    limit 20
"""
_FIXED = lazy(r"`([^`]+)` failed with: (.+?)\. It ((?:passed|worked) (?:after|as|with)\b.+)", re.DOTALL)
_ADDED = lazy(r"\s*[(（][^()（）]{3,200}[)）]")
# Whether to go on with something now: that is over when it is answered.
_ACT = lazy(
    r"^(?:should|shall|can|may|do you want|would you like)(?: i| me| we| to)+ (?:\w+ ){0,2}(?:commit|push|merge|publish"
    r"|release|deploy|proceed|continue|go on|retry|delete)\b"
    r"|(?:커밋|푸시|머지|공개|배포|릴리스|진행|계속|삭제)(?:을|를)? ?(?:할까요|하시겠|해도 ?될까요)"
    r"|(?:コミット|プッシュ|push|マージ|公開|リリース|デプロイ|続行|削除)(?:を)?(?:しますか|してもよい|していい)"
    r"|(?:要|是否)(?:现在|現在)?(?:提交|推送|合并|发布|公开|部署|继续|删除)",
    re.IGNORECASE,
)


class _Claim(NamedTuple):
    """An entry, as far as it is told."""

    ref: int
    entry_id: str
    kind: str
    stage: str
    rule: str
    title: str
    text: str
    content: str
    at: int
    value_key: str
    session: str
    is_sure: bool
    is_guessed: bool  # by a rule, and nobody confirmed it
    is_of_file: bool  # and not verified: told if a person asked for it to be written there

    @property
    def said(self) -> str:
        """A wish by its own sentence: what stands beside it was for that day. A question shorter than its answer."""
        if self.kind != "decision" and not self.title.endswith("…"):
            return self.title
        if form_of(self.rule) == QUESTION:
            return _answered(self.title, preview(self.text, _CHARS // 2), self.content)
        return claim(self.rule, self.title, self.text, self.content)


class _Held(NamedTuple):
    """What one or several entries claim, by the surest of them."""

    claim: _Claim
    terms: frozenset[str]
    said_at: tuple[int, ...]  # when each of the sessions said it


def held_notes(db: sqlite3.Connection, project: str, newest: Sequence[str], skip: frozenset[str]) -> list[Note]:
    """Wishes and rules first, those that were said most often before the others; then decisions, the newest first."""
    rows = map(_Claim._make, db.execute(_ENTRIES, {"project": project}))
    instead = {name for (name,) in db.execute(_REPLACING, (project,))}
    held = [
        one
        for one in _told_once(row for row in rows if row.entry_id not in skip and _is_a_persons(row))
        if (one.claim.is_sure or len(one.said_at) > 1 or one.claim.entry_id in instead) and _lasts(one, instead)
    ]
    wanted = sorted(
        (one for one in held if one.claim.kind != "decision"), key=lambda one: (-len(one.said_at), -one.claim.at)
    )
    told = [words for one in wanted[: 2 * _WANTED] if (words := _wish(db, project, one)) is not None]
    wishes = [note for note in entry_notes(db, told) if not note.is_gone][:_WANTED]
    recent = frozenset(newest[:_DECIDED_IN])
    decisions = [one for one in held if one.claim.kind == "decision" and one.claim.session in recent][:_DECISIONS]
    noted = entry_notes(db, list(map(_words, decisions)))
    decided = [(one.claim.at, note) for one, note in zip(decisions, noted, strict=True)]
    for decision, action, at, stage in db.execute(_DECIDED, (project,)):
        if decision not in skip:
            decided.append((at, Note(decision, "decision", preview(action, _CHARS), None, at, stage=stage)))
    decided.sort(key=lambda one: one[0], reverse=True)
    return [*wishes, *(note for _, note in decided if not note.is_gone)][:_HELD]


def _is_a_persons(claim: _Claim) -> bool:
    return not claim.is_of_file or is_requested(claim.rule)


def _told_once(claims: Iterable[_Claim]) -> list[_Held]:
    """Each thing once, the newest first."""
    held: list[_Held] = []
    for new in claims:
        terms = frozenset(content_terms(new.said))
        for n, one in enumerate(held):
            if one.claim.kind == new.kind and (one.claim.value_key == new.value_key or _is_same(one.terms, terms)):
                held[n] = _joined(one, new, terms)
                break
        else:
            held.append(_Held(new, terms, (new.at,)))
    return held


def _joined(one: _Held, other: _Claim, terms: frozenset[str]) -> _Held:
    is_another = other.session != one.claim.session and all(abs(other.at - at) > _APART for at in one.said_at)
    said_at = (*one.said_at, other.at) if is_another else one.said_at
    ahead = STAGE_RANK[other.stage] - STAGE_RANK[one.claim.stage]
    if ahead > 0 or (ahead == 0 and is_of_the_hour(one.claim.said) and not is_of_the_hour(other.said)):
        return _Held(other, terms, said_at)
    return one._replace(said_at=said_at)


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter > 1 and len(one & other) >= _SAME * shorter and 2 * shorter >= max(len(one), len(other))


def _lasts(one: _Held, instead: set[str]) -> bool:
    """Whether a thing holds beyond the day on which it was said."""
    held = one.claim
    if not held.is_guessed:
        return True
    if held.kind == "decision":
        return form_of(held.rule) != QUESTION or _ACT.search(held.title) is None
    if held.kind != "preference":
        return not points_elsewhere(held.said)
    if held.stage == "candidate" and is_of_the_hour(held.said):
        return False  # nobody put it in words that can be read without its session
    if held.entry_id in instead or len({day(at) for at in one.said_at}) > 1:
        return True
    if bypasses(held.said):
        return len(one.said_at) > 1  # and it is told with its reason: that lasts as long as the error
    return says_every_time(held.said)


def _wish(db: sqlite3.Connection, project: str, one: _Held) -> EntryWords | None:
    """A wish in words; None where it goes past a check and nobody knows why."""
    option = bypasses(one.claim.said)
    if not option:
        return _words(one)
    why = _why(db, project, one.claim.said, option)
    return _words(one, f"because: {preview(why, _CHARS // 2)}") if why else None


def _why(db: sqlite3.Connection, project: str, said: str, option: str) -> str:
    """The error for which a command was given an option, the newest that was learned."""
    wanted = programs_of({"command": said})
    for (text,) in db.execute(_FAILED, {"project": project, "option": option}):
        failed = _FIXED.match(text)
        if failed is not None and wanted & programs_of({"command": failed[1]}) and option in failed[3]:
            return failed[2]
    return ""


def _words(one: _Held, why: str = "") -> EntryWords:
    said, times = preview(one.claim.said, _ASKED), len(one.said_at)
    beside = "; ".join(filter(None, (f"said {times} times" if times > 1 else "", why)))
    text = f"{said} ({beside})" if beside else said
    return EntryWords(one.claim.ref, one.claim.entry_id, one.claim.kind, text, one.claim.at)


def _answered(question: str, answer: str, content: str) -> str:
    """A question with its answer. A long one is told without what it adds in brackets and cut in its middle, since what
    it asks stands at its end; where that was lost, what was not chosen says it."""
    others = json.loads(content).get("alternatives") if question.endswith("…") else None
    if isinstance(others, list) and others:
        answer += f" (not: {preview(', '.join(map(str, others)), _CHARS // 3)})"
    room = _ASKED - 3 - len(answer)
    line = on_one_line(question)
    if len(line) > room or others:
        line = _ADDED.sub("", line)
    if len(line) > room:
        head = preview(line, room // 2)
        tail = line[-(room - len(head) - 1) :]
        line = f"{head} {tail.partition(' ')[2] if ' ' in tail[:20] else tail}"
    return f"{line} → {answer}"


def content_terms(text: str) -> set[str]:
    """The terms of a text that say something."""
    from axiommind.text.query_terms import clauses

    return {term for clause in clauses(text) for term in clause.terms}
