"""The checker that always runs: each obligation is a named yes or no about one candidate. It looks at the shape of a
claim only; that the quoted words are where a span says has been found before, by alignment."""

from __future__ import annotations

import re
from collections.abc import Callable

from axiommind.learning.checks.candidate import Candidate
from axiommind.projections.entry_rows import ENTRY_TYPES
from axiommind.projections.task_fold import TASK_STATUSES

__all__ = ["OBLIGATIONS", "VERSION", "failures", "is_id"]

VERSION = "1"  # of the obligations: another number when one is added, dropped or changed

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


def is_id(text: str) -> bool:
    """ASCII letters, digits and `_ . : -`, at most 64: what the ids that we derive are made of."""
    return _ID.fullmatch(text) is not None


def _ids(entry: Candidate) -> bool:
    blockers = entry.blockers if entry.type == "task_note" else ()
    return is_id(entry.entry_id) and all(map(is_id, blockers))


def _spans(entry: Candidate) -> bool:
    return all(span.line >= 1 and 0 <= span.start < span.end for span in entry.spans)


def _needs(entry_type: str, what: Callable[[Candidate], object]) -> Callable[[Candidate], bool]:
    return lambda entry: entry.type != entry_type or bool(what(entry))


# The names are those of the functions in `_schema.idr`, in the order of its `valid`.
OBLIGATIONS: dict[str, Callable[[Candidate], bool]] = {
    "type_known": lambda entry: entry.type in ENTRY_TYPES,
    "ids_well_formed": _ids,
    "title_present": lambda entry: bool(entry.title.strip()),
    "spans_in_order": _spans,
    "fact_has_evidence": _needs("fact", lambda entry: entry.spans),
    "decision_has_evidence": _needs("decision", lambda entry: entry.spans),
    "decision_has_rationale": _needs("decision", lambda entry: entry.rationale.strip()),
    "insight_has_evidence": _needs("insight", lambda entry: entry.spans),
    "reference_has_evidence": _needs("reference", lambda entry: entry.spans),
    "reference_has_target": _needs("reference", lambda entry: entry.target.strip()),
    "task_status_known": _needs("task_note", lambda entry: entry.status in TASK_STATUSES),
    "done_task_has_no_blockers": _needs("task_note", lambda entry: entry.status != "done" or not entry.blockers),
    "blocked_task_has_blockers": _needs("task_note", lambda entry: entry.status != "blocked" or entry.blockers),
}


def failures(entry: Candidate) -> tuple[str, ...]:
    """The names of the obligations that it does not meet; none is a pass."""
    return tuple(name for name, holds in OBLIGATIONS.items() if not holds(entry))
