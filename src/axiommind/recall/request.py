"""What an index of matches is asked for, and what is selected: the values between recall and whoever finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.recall.disclosure import IndexItem
    from axiommind.search.query import Query

__all__ = ["OF_ONE_SESSION", "IndexRequest", "Selection"]

# Of one session an agent is given no more lines than this, those that it was given before included: they are about the
# same, and `axm timeline` has the rest.
OF_ONE_SESSION = 3


class IndexRequest(NamedTuple):
    """All that an index of matches depends on, beside the index file."""

    query: Query
    top_k: int
    min_score: float
    not_session: str | None
    skip: frozenset[str]
    mode: str
    now: int
    is_now: bool  # nobody asked for another time
    of_one: int = 0  # most items of one session; 0 is any number
    answers: bool = False  # what answers a prompt, in pieces, instead of all that it may mean
    how: str = ""  # whether it is plain text, and the flags beside it, as they were given


class Selection(NamedTuple):
    """What may be given, best first; the relevance of the best hit, whether it may be given or not; and how it was
    searched for, as `search.find` names it."""

    items: tuple[IndexItem, ...] = ()
    best: float | None = None
    method: str = ""
    note: str = ""  # what of the question was not searched for, and why not as always
    index_version: str = ""
