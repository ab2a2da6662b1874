"""Health: what `start` shows, what `doctor` checks, what `verify` proves, of one home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.health.check import Check
    from axiommind.health.overview import Overview

__all__ = ["Health"]


class Health:
    """Looks at a home and repairs nothing."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def overview(self, scope: Scope) -> Overview:
        """What is in the index, in a few figures."""
        from axiommind.health.overview import overview

        with self.home.reading(scope, None) as connection:
            return overview(connection)

    def doctor(self) -> list[Check]:
        """What was found where, and what needs attention."""
        from axiommind.health.check import Check
        from axiommind.health.doctor import doctor
        from axiommind.learning.checks import idris_status

        checks = doctor(self.home.config, self.home.environ, self.home.user)
        return [*checks, Check("checker", "ok", f"built in; {idris_status(self.home.environ)}")]

    def verify(self, *, deep: bool = False) -> list[tuple[str, str]]:
        """Everything that is wrong, as (where, what)."""
        from axiommind.health.verify import verify
        from axiommind.learning.quote_check import misplaced

        with self.home.read_log() as (log, key):
            found = verify(self.home.config, log, key, deep=deep)
            if not found and self.home.config.index_path.exists():
                with self.home.reading(Scope(None), None) as db:
                    found = list(misplaced(db, log.blob))
            return found
