"""A replay: at each moment of the later sessions, what hooks would have given, and what of it came up afterwards.

Hooks are asked exactly as a client asks them, by the same functions. Whether something came up afterwards is judged by
`grounding`, as for what agents were really given; but nobody was given anything, so what they read meanwhile counts.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from axiommind.home import Scope
from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.surfaces.hooks.answers import HookAnswer
from axiommind.surfaces.hooks.call import HookCall
from axiommind.surfaces.hooks.record import folder_of, spool_served
from axiommind.surfaces.replay.moments import Moment, moments_of
from axiommind.surfaces.replay.past import Past

if TYPE_CHECKING:
    from axiommind.grounding.read import GivenItem
    from axiommind.memory import Memory

__all__ = ["EVENTS", "Replay", "ReplayedMoment", "replay"]

EVENTS = {
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUseFailure": "post_tool_use_failure",
}
_SESSIONS = """
    select id, project, coalesce(ended_at, last_ts, file_mtime), parent_session,
           coalesce(started_at, first_ts, file_mtime)
    from sessions
    order by 3, 1
"""


class ReplayedMoment(NamedTuple):
    """One moment, what would have been given, and which of that came up afterwards (`used`)."""

    moment: Moment
    project: str
    answer: HookAnswer
    given: tuple[GivenItem, ...] = ()

    @property
    def used(self) -> tuple[GivenItem, ...]:
        return tuple(item for item in self.given if item.reason is not None)


class Replay(NamedTuple):
    moments: tuple[ReplayedMoment, ...]  # in the order of time
    sessions: int  # that were replayed
    known: int  # that were known before the first of them


class _Session(NamedTuple):
    id: str
    project: str
    ended: int
    parent: str | None
    started: int


def replay(
    memory: Memory,
    scope: Scope,
    *,
    since: int | None = None,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Replay the later half of a project's sessions, or those that began since a time; the newest `limit` of them."""
    with memory.home.reading(Scope(None), None) as db:
        every = [_Session._make(row) for row in db.execute(_SESSIONS)]
        own = [one for one in every if one.parent is None and scope.project in (None, one.project)]
        own.sort(key=lambda one: (one.started, one.id))
        replayed = own[len(own) // 2 :] if since is None else [one for one in own if one.started >= since]
        replayed = replayed[-limit:] if limit else replayed
        projects = {one.id: one.project for one in replayed}
        moments = moments_of(db, projects, dict(TOOLS))
    if not moments:
        return Replay((), len(replayed), len(own) - len(replayed))
    waiting = sorted(every, key=lambda one: (one.ended, one.id))
    told: list[ReplayedMoment] = []
    with Past.of(memory) as past:
        for done, moment in enumerate(moments):
            ended = [one for one in waiting if one.ended < moment.at]
            if ended:
                waiting = waiting[len(ended) :]
                past.learn([one.id for one in ended], moment.at)
            told.append(_ask(past.memory, moment, projects[moment.session_id]))
            if progress is not None:
                progress(done + 1, len(moments))
        past.learn([one.id for one in waiting], moments[-1].at)  # what came afterwards says what was used
        judged = _judged(past.memory)
    found = tuple(
        one._replace(given=judged.get((one.moment.session_id, one.moment.event, one.moment.at), ())) for one in told
    )
    return Replay(found, len(replayed), len(own) - len(replayed))


def _ask(memory: Memory, moment: Moment, project: str) -> ReplayedMoment:
    """What the hook answers, recorded as a hook records it, so that nothing is given twice in a session."""
    given = {"cwd": project, "session_id": moment.session_id, "hook_event_name": moment.event, **moment.given}
    call = HookCall(moment.event, moment.session_id, given, memory.config, memory.home.environ, moment.at)
    module = importlib.import_module(f"axiommind.surfaces.hooks.events.{EVENTS[moment.event]}")
    started = time.perf_counter()
    answer: HookAnswer = module.answer(call)
    if answer.items:
        took = (time.perf_counter() - started) * 1000
        spool_served(memory.config.home, moment.event, moment.session_id, answer, moment.at, took)
    return ReplayedMoment(moment, project, answer)


def _judged(memory: Memory) -> dict[tuple[str, str, int], tuple[GivenItem, ...]]:
    """What was given, by the moment it was given at, with what shows that it was used."""
    import contextlib

    from axiommind.grounding.read import ground
    from axiommind.ingest.served import append_served
    from axiommind.projections.runner import Segments

    home = memory.home
    with home.open_log() as (log, _key), contextlib.ExitStack() as stack:
        index = home.open_index(log, [], stack)
        index.catch_up(log, Segments(log))
        append_served(log, index.db, folder_of(home.config.home))
        index.catch_up(log, Segments(log))
    found: dict[tuple[str, str, int], list[GivenItem]] = {}
    with home.read_log() as (log, _key), home.reading(Scope(None), None) as db:
        for item in ground(db, log.blob, None, is_replay=True).given:
            found.setdefault((item.session_id, item.hook, item.at), []).append(item)
    return {key: tuple(items) for key, items in found.items()}
