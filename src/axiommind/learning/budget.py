"""The budget: what models may cost in a day (UTC), kept by counting calls in the log before each one."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import NamedTuple

from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.learning.drafts import Emit
from axiommind.learning.event_writer import Writer
from axiommind.learning.extractors import CallRecord, Spend

__all__ = ["BudgetReached", "Day", "days", "spending"]


class BudgetReached(AxmError):
    """No further call today; what was learned before it stays."""

    exit_code = 3
    stops_quietly = True


class Day(NamedTuple):
    day: str
    extractor: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    usd: float | None  # None where nobody says what it cost
    seconds: float


def days(db: sqlite3.Connection, limit: int = 30) -> list[Day]:
    """What was spent, by day and model, newest first."""
    rows = db.execute(
        """
        select day, extractor, model, count(*), sum(not ok), sum(input_tokens), sum(output_tokens), sum(usd),
               round(sum(seconds), 3)
        from model_calls
        where day in (select distinct day from model_calls order by day desc limit ?)
        group by day, extractor, model
        order by day desc, extractor, model
        """,
        (limit,),
    )
    return [Day(*row) for row in rows]


def spending(
    config: Config, writer: Writer, db: sqlite3.Connection, extractor: str, catch_up: Callable[[], object]
) -> Spend:
    """What an extractor asks before a call, and tells after it."""

    def allow() -> None:
        catch_up()  # also what another process has spent
        calls, tokens, usd = db.execute(
            """
            select count(*), coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(usd), 0)
            from model_calls where day = ?
            """,
            (time.strftime("%Y-%m-%d", time.gmtime()),),
        ).fetchone()
        for name, spent, most in (
            ("calls", calls, config.budget_calls),
            ("tokens", tokens, config.budget_tokens),
            ("usd", usd, config.budget_usd),
        ):
            if 0 <= most <= spent:
                raise BudgetReached(
                    f"the budget of today is used up: {spent:g} of {most:g} {name}",
                    hint=f"budget.{name} in config.toml is the cap; axm budget shows what was spent",
                )

    def record(call: CallRecord) -> None:
        payload = {"extractor": extractor, **call._asdict()}
        writer.append(Emit("model_called", payload, (extractor, _unique())), session=None, project=None)

    return Spend(allow, record)


def _unique() -> str:
    import secrets

    return secrets.token_hex(16)
