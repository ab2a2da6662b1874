"""Entries: what was learned. Listing and showing them, and a person's rulings on one: each is an event."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.errors import BadQuery, PersonOnly
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of
from axiommind.learning.event_writer import note_use, writing
from axiommind.learning.stage_changes import apply_policy, write_changes

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.learning.entry_view import EntryShown
    from axiommind.learning.event_writer import EventWriter
    from axiommind.learning.manual_entries import RememberResult
    from axiommind.learning.policies import StageChange
    from axiommind.learning.recheck import RecheckReport
    from axiommind.learning.refresh import RefreshReport
    from axiommind.learning.rules_file import RulesProposal
    from axiommind.model import Event
    from axiommind.projections.entry_rows import EntryRow, ListedEntry
    from axiommind.projections.runner import Index

__all__ = ["Entries"]

_LAST_PROMOTION = """
    select from_stage, to_stage, actor
    from promotions
    where entry_id = :entry
    order by id desc
    limit 1
"""


class Entries:
    """Lists, shows, promotes and rules on entries, and remembers new ones."""

    def __init__(self, home: Home, read_new: Callable[[str | None], object]) -> None:
        self.home = home
        self._read_new = read_new  # what is new in a project, into the index

    def list(
        self,
        scope: Scope,
        *,
        types: Sequence[str] = (),
        stages: Sequence[str] = (),
        statuses: Sequence[str] = (),
        kinds: Sequence[str] = (),
        provenances: Sequence[str] = (),
        session: str | None = None,
        every: bool = False,
        limit: int = 50,
    ) -> builtins.list[ListedEntry]:
        """Entries, and whether what each speaks of still holds."""
        from axiommind.freshness.state import freshness_of
        from axiommind.projections.entry_rows import list_entries

        with self.home.reading(Scope(None), None) as db:
            if session is not None:
                session = one_of(session, {row[0] for row in db.execute("select id from sessions")}, "session")
            found = list_entries(
                db,
                types=types,
                stages=stages,
                statuses=statuses,
                kinds=kinds,
                provenances=provenances,
                project=scope.project,
                session=session,
                every=every,
                limit=limit,
            )
            states = freshness_of(db, [one.entry.entry_id for one in found])
            return [
                one._replace(freshness=state.state, changed=state.why)
                if (state := states.get(one.entry.entry_id)) is not None
                else one
                for one in found
            ]

    def count(
        self,
        scope: Scope,
        *,
        types: Sequence[str] = (),
        stages: Sequence[str] = (),
        statuses: Sequence[str] = (),
        kinds: Sequence[str] = (),
        provenances: Sequence[str] = (),
        session: str | None = None,
        every: bool = False,
    ) -> int:
        """How many entries `list` would give."""
        from axiommind.projections.entry_rows import list_entries

        with self.home.reading(Scope(None), None) as db:
            if session is not None:
                session = one_of(session, {row[0] for row in db.execute("select id from sessions")}, "session")
            found = list_entries(
                db,
                types=types,
                stages=stages,
                statuses=statuses,
                kinds=kinds,
                provenances=provenances,
                project=scope.project,
                session=session,
                every=every,
                limit=-1,
            )
            return len(found)

    def recheck(self, scope: Scope, *, dry_run: bool = False) -> RecheckReport:
        """Ask checkers again that could not answer when entries were learned: Idris, and a model's second look."""
        from axiommind.learning.recheck import recheck

        return recheck(self.home, scope, dry_run=dry_run)

    def refresh(self, scope: Scope) -> RefreshReport:
        """Look at the code again: anchor what is not yet, ask git about commits, and tell what drifted or is gone."""
        from axiommind.learning.refresh import refresh

        return refresh(self.home, scope.project)

    def propose_rules(
        self, project: str, *, file: Path | None = None, stages: Sequence[str] = ("certified",)
    ) -> RulesProposal:
        """What the rules file of a project would be with its certified rules in it. Nothing is written."""
        from axiommind.learning.rules_file import propose_rules

        with self.home.reading(Scope(None), None) as db:
            return propose_rules(db, project, file=file, stages=stages)

    def show(self, name: str) -> EntryShown:
        """One entry with its history and its quotes in their place."""
        from axiommind.learning.entry_view import show
        from axiommind.projections.entry_rows import find_entry

        with self.home.reading(Scope(None), None) as db, self.home.read_log() as (log, _key):
            return show(db, log.blob, find_entry(db, name))

    def why(self, name: str) -> tuple[EntryRow, builtins.list[Event]]:
        """Every event that made an entry what it is."""
        from axiommind.learning.entry_view import events_of
        from axiommind.projections.entry_rows import find_entry

        with self.home.reading(Scope(None), None) as db, self.home.read_log() as (log, _key):
            entry = find_entry(db, name)
            return entry, list(events_of(log, entry))

    def promote(self, name: str, reason: str, to: str | None = None, *, caller: Caller | None = None) -> EntryRow:
        """Raise an entry on a person's word: to the next stage, or to the one asked for. An agent's makes a proposal
        (`NeedsPerson`), as with every request below that takes a `caller`."""
        from axiommind.learning.policies import PERSON, StageChange
        from axiommind.projections.entry_rows import STAGES, find_entry

        with writing(self.home) as (_log, writer, index):
            entry = find_entry(index.db, name)
            if entry.status != "active":
                raise BadQuery(
                    f"{entry.entry_id} is {entry.status} and cannot be promoted",
                    hint=f"axm entry show {entry.entry_id} shows why; axm conflict settle ends a conflict",
                )
            here = STAGES.index(entry.stage)
            target = to or (STAGES[here + 1] if here + 1 < len(STAGES) else entry.stage)
            if STAGES.index(target) <= here:
                raise BadQuery(f"{entry.entry_id} is {entry.stage} already", hint="a promotion only raises it")
            if STAGES.index(target) >= STAGES.index("verified") and not entry.aligned:
                raise BadQuery(
                    f"{entry.entry_id} has no evidence and cannot be {target}",
                    hint="say it in a session, or decide it: axm decision make",
                )
            _need(
                writer,
                index,
                caller or self.home.caller,
                "promote",
                entry,
                {"name": entry.entry_id, "to": target, "reason": reason},
            )
            change = StageChange(entry.entry_id, entry.stage, target, "a person's word")
            write_changes(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.show(entry.entry_id).entry

    def undo_promotion(self, name: str, reason: str, *, caller: Caller | None = None) -> EntryRow:
        """Undo the last promotion by a person, if nothing has changed the stage since."""
        from axiommind.learning.policies import PERSON, StageChange
        from axiommind.projections.entry_rows import STAGES, find_entry

        with writing(self.home) as (_log, writer, index):
            entry = find_entry(index.db, name)
            last = index.db.execute(_LAST_PROMOTION, {"entry": entry.entry_id}).fetchone()
            if last is None or last[2] != "user" or STAGES.index(last[0]) > STAGES.index(last[1]):
                raise BadQuery(
                    f"the last change of {entry.entry_id} was not a promotion by a person: there is nothing to undo",
                    hint=f"axm entry why {entry.entry_id} shows how it became {entry.stage}",
                )
            _need(
                writer,
                index,
                caller or self.home.caller,
                "undo-promotion",
                entry,
                {"name": entry.entry_id, "reason": reason},
            )
            change = StageChange(entry.entry_id, entry.stage, last[0], "taken back")
            write_changes(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.show(entry.entry_id).entry

    def run_policy(
        self, names: Sequence[str] = (), *, dry_run: bool = False, at: int | None = None, caller: Caller | None = None
    ) -> builtins.list[tuple[str, StageChange]]:
        """Run the policies over all entries: `graduation` promotes, `half-life` demotes. They act on evidence, so
        anybody may have them run; as of another time than now (`at`) only a person."""
        from axiommind.learning.policies import POLICIES

        unknown = [name for name in names if name not in POLICIES]
        if unknown:
            raise BadQuery(f"there is no policy {unknown[0]!r}", hint=f"one of: {', '.join(POLICIES)}")
        who = caller or self.home.caller
        if at is not None and not dry_run and not who.is_person:
            raise PersonOnly("only a person can run a policy as of another time", who.why)
        with writing(self.home) as (log, writer, index):
            return [
                (name, change)
                for name in names or POLICIES
                for change in apply_policy(log, writer, index, name, at=at or now(), dry_run=dry_run)
            ]

    def rule(
        self,
        name: str,
        act: str,
        reason: str,
        other: str | None = None,
        undoes: str | None = None,
        *,
        caller: Caller | None = None,
    ) -> EntryRow:
        """Contest, supersede, deprecate or restore a claim: the entry, and those of other sessions that say the same.
        `undoes`: the ruling that restoring is meant to take back."""
        from axiommind.learning.rulings import check_ruling, write_rulings
        from axiommind.projections.entry_rows import find_entry

        with writing(self.home) as (_log, writer, index):
            entry = find_entry(index.db, name)
            by = None if other is None else find_entry(index.db, other)
            check_ruling(index.db, entry, act, by, undoes)
            args = {"name": entry.entry_id, "act": act, "reason": reason, "undoes": undoes}
            args["other"] = None if by is None else by.entry_id
            _need(writer, index, caller or self.home.caller, "rule", entry, args)
            write_rulings(writer, index.db, entry, act, reason, by)
        return self.show(entry.entry_id).entry

    def remember(
        self,
        text: str,
        *,
        title: str | None = None,
        type: str | None = None,  # noqa: A002 - what it is called everywhere else
        kind: str = "",
        quotes: Sequence[str] = (),
        ids: Sequence[str] = (),
        session: str | None = None,
        project: str | None = None,
        reason: str = "",
        caller: Caller | None = None,
    ) -> RememberResult:
        """Remember a claim that is backed by words found in a session.

        `ids` are passages as a search gives them: the quotes are looked for there first, and without quotes their
        beginnings are the evidence. Without ids, it is the session named or the client's own, read up to now (`project`
        says where it is, if that is not known yet). The same claim twice is one entry, and what an entry of the project
        says already confirms that one. `kind` is what it is good for (a preference, a gotcha, a howto …); without a
        `type`, it has the one that fits its kind. What an agent remembers starts at working.
        """
        from axiommind.learning.manual_entries import TYPE_OF_KIND
        from axiommind.learning.remember import Remembering, RememberRequest

        wanted = type or TYPE_OF_KIND.get(kind, "fact")
        who = caller or self.home.caller
        wish = RememberRequest(text, title, wanted, tuple(quotes), tuple(ids), session, project, reason, who, kind)
        return Remembering(self.home, self._read_new).remember(wish)

    def note_use(self, entries: Sequence[str], how: str) -> None:
        """Record that entries were looked at or given to an agent: what is used is not demoted."""
        if entries:
            with writing(self.home) as (log, writer, _index):
                note_use(self.home, log, writer, entries, how)


def _need(
    writer: EventWriter, index: Index, caller: Caller, act: str, entry: EntryRow, args: dict[str, str | None]
) -> None:
    """A person, for what is asked about an entry."""
    request = PersonRequest(act, args, entry.entry_id, entry.session_id, entry.project)
    writer.require_person(index, caller, request)
