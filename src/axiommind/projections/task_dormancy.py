"""Which open tasks are dormant: nothing was said of them in the last three sessions of their project.

Nobody says that a task is dormant, so there is no event and no column: it follows from when the task was last seen and
from when the project's sessions began, and ends when it is seen again. What a person set by hand stays open.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections.task_fold import OPEN, TASK_STATUSES

__all__ = ["DORMANT", "LISTED_STATUSES", "STATUS", "WITH_NEWS", "unseen_before"]

DORMANT = "dormant"
LISTED_STATUSES = (*TASK_STATUSES, DORMANT)
_SESSIONS = 3  # of a project, begun without a word of the task

_BEGAN = "coalesce(s.started_at, s.first_ts)"
_OWN = "s.parent_session is null and s.prompt_count > 0"  # neither a subagent's, nor one in which nobody said anything

# For each project: when the third of its newest sessions began. What was last seen before that is dormant.
WITH_NEWS = f"""
    with news(project, began) as (
        select project, began
        from (
            select s.project, {_BEGAN} as began,
                   row_number() over (partition by s.project order by {_BEGAN} desc) as nth
            from sessions s
            where {_OWN})
        where nth = {_SESSIONS})
"""
# The status of `t` (entities), given the `news` of its project.
STATUS = f"""
    case when json_extract(t.current_json, '$.status') in ({", ".join(f"'{status}'" for status in OPEN)})
          and not coalesce(json_extract(t.current_json, '$.by_person'), 0)
          and json_extract(t.current_json, '$.seen_at') < news.began
         then '{DORMANT}' else json_extract(t.current_json, '$.status') end
"""


def unseen_before(db: sqlite3.Connection, project: str) -> int:
    """A task of the project that was last seen before this is dormant."""
    row = db.execute(
        f"""
        select {_BEGAN}
        from sessions s
        where s.project = ? and {_OWN}
        order by 1 desc
        limit 1 offset {_SESSIONS - 1}
        """,
        (project,),
    ).fetchone()
    return int(row[0]) if row is not None and row[0] is not None else 0
