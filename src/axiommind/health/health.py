"""Health: what `start` shows, what `doctor` checks, what `verify` proves, of one home."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import LogLost
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.health.check import Check
    from axiommind.health.overview import Overview
    from axiommind.health.sources import SourceState
    from axiommind.ingest.purging import Certificate, Held

__all__ = ["Forgettings", "Health"]


class Forgettings(NamedTuple):
    """Places where some of a purged text may be left, and what was proven of the others."""

    held: tuple[Held, ...]
    certificates: tuple[Certificate, ...]


class Health:
    """Looks at a home, and repairs nothing but what a purge left to do."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def overview(self, scope: Scope) -> Overview:
        """What is in the index, in a few figures."""
        from axiommind.health.overview import overview
        from axiommind.prices.dollars import Pricing

        with self.home.reading(scope, None) as connection:
            return overview(connection, Pricing() if self.home.config.usage_dollars else None)

    def doctor(self) -> list[Check]:
        """What was found where, and what needs attention."""
        from axiommind.health.check import Check
        from axiommind.health.doctor import doctor
        from axiommind.learning.checks import idris_status

        checks = doctor(self.home.config, self.home.environ, self.home.user, self.home.discover())
        return [*checks, Check("checker", "ok", f"built in; {idris_status(self.home.environ)}")]

    def sources(self) -> list[SourceState]:
        """What there is of every agent, those that are not read included."""
        from axiommind.health.sources import states
        from axiommind.health.transcripts import with_sessions
        from axiommind.sources import names

        home = self.home
        found = with_sessions(home.discover(agents=names()))
        return states(home.config, found, sorted({*names()} - {*home.agents()}))

    def verify(self, *, deep: bool = False) -> list[tuple[str, str]]:
        """Everything that is wrong, as (where, what). What a purge left to do is done first, if it can be."""
        try:
            return self._verified(deep=deep)
        except LogLost as error:
            return [("log.db", f"{error.message}. {error.hint}")]

    def _verified(self, *, deep: bool) -> list[tuple[str, str]]:
        from axiommind.health.verify import verify
        from axiommind.learning.quote_check import misplaced

        pending = [(f"forgetting: {one.place}", f"pending: {_told(one)}") for one in self.forgotten().held]
        with self.home.read_log() as (log, key):
            found = verify(self.home.config, log, key, deep=deep)
            if not found and self.home.config.index_path.exists():
                with self.home.reading(Scope(None), None) as db:
                    found = list(misplaced(db, log.blob))
            return found + pending

    def forgotten(self) -> Forgettings:
        """What was proven to be gone, and what is pending; what can be finished is finished first."""
        from axiommind.ingest.purging import certificates, finish_if_open

        with self.home.read_log():  # there is a log
            pass
        held = finish_if_open(self.home).held
        with self.home.read_log() as (log, _key):
            return Forgettings(held, tuple(certificates(log)))


def _told(held: Held) -> str:
    found = f"; up to {held.found:,} pieces of the text are in it" if held.found else ""
    return f"{held.why}{found}; {held.then}"
