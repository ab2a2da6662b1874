"""The budget: what models may cost in a day (UTC), kept by counting the calls in the log before each one."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import AxmError
from axiommind.ids import dedupe_key

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.llm.contract import AnswerBook
    from axiommind.log import EventLog

__all__ = ["BudgetReached", "CallRecord", "Spending", "SpendingDay", "spending_by_day", "within_budget"]


class BudgetReached(AxmError):
    """No further call today; what was learned before it stays."""

    exit_code = 3
    stops_quietly = True


class CallRecord(NamedTuple):
    """What one call of a model cost. `usd` is None where nobody says."""

    model: str
    input_tokens: int
    output_tokens: int
    usd: float | None
    seconds: float
    ok: bool
    call_id: str = ""  # counted once, however often it is recorded; empty = a call of its own


class Spending(NamedTuple):
    """`allow` is called before a model is asked, and raises when the budget is used up; `record` after it. `answers`:
    where they are kept until they are used."""

    allow: Callable[[], None]
    record: Callable[[CallRecord], None]
    answers: AnswerBook | None = None


class SpendingDay(NamedTuple):
    """What one model cost on one day."""

    day: str
    extractor: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    usd: float | None  # None where nobody says what it cost
    seconds: float


_BY_DAY = """
    select day, extractor, model, count(*), sum(not ok), sum(input_tokens), sum(output_tokens), sum(usd),
           round(sum(seconds), 3)
    from model_calls
    where day in (select distinct day from model_calls order by day desc limit :days)
    group by day, extractor, model
    order by day desc, extractor, model
"""
_TODAY = """
    select count(*), coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(usd), 0)
    from model_calls
    where day = :day
"""


def spending_by_day(db: sqlite3.Connection, limit: int = 30) -> list[SpendingDay]:
    """What was spent, by day and model, newest first."""
    return [SpendingDay(*row) for row in db.execute(_BY_DAY, {"days": limit})]


def within_budget(
    config: Config,
    log: EventLog,
    db: sqlite3.Connection,
    name: str,
    catch_up: Callable[[], object],
    answers: AnswerBook | None = None,
) -> Spending:
    """The spending of one provider: allowed while today's calls stay under the caps, recorded in the log."""

    def allow() -> None:
        catch_up()  # also what another process has spent
        today = {"day": time.strftime("%Y-%m-%d", time.gmtime())}
        calls, tokens, usd = db.execute(_TODAY, today).fetchone()
        for what, spent, cap in (
            ("calls", calls, config.budget_calls),
            ("tokens", tokens, config.budget_tokens),
            ("usd", usd, config.budget_usd),
        ):
            if 0 <= cap <= spent:
                raise BudgetReached(
                    f"today's budget is used up: {spent:g} of {cap:g} {what}",
                    hint=f"budget.{what} in config.toml is the cap; axm budget shows what was spent",
                )

    def record(call: CallRecord) -> None:
        figures = call._asdict()
        key = dedupe_key("model_called", name, figures.pop("call_id") or secrets.token_hex(16))
        log.append_dedup("model_called", actor="memory", payload={"extractor": name, **figures}, dedupe_key=key)

    return Spending(allow, record, answers)
