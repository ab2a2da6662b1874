"""`axm` alone, on a terminal: where the work in this folder stands, and how to go on with it. One screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from axiommind.errors import AxmError
from axiommind.memory import Memory
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.digest import short_name
from axiommind.surfaces.render.fence import clean
from axiommind.surfaces.render.hits import age
from axiommind.surfaces.render.progress import Bar
from axiommind.surfaces.render.table_layout import cut_end, cut_middle, width, wrap

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.reports.resuming import ResumableSession
    from axiommind.reports.standing import ProjectStanding

__all__ = ["show_home"]

_FIXED = 13  # lines that are there whatever there is to say
_OUTCOME_LINES = 2
_ROWS = 24  # of a terminal that does not say
_FOOT = "axm today: what was done · axm search WORDS · axm --help: all commands"


def show_home() -> int:
    memory = Memory()
    if not memory.config.index_path.exists():
        print(_welcome(memory))
        return 0
    _refresh(memory)
    room, most = render.terminal_width(), _most()
    standing = memory.reports.standings.of(memory.scope(), most=most)
    print("\n".join(_lines(standing, room, most, memory.config.home)))
    return 0


def _refresh(memory: Memory) -> None:
    """Read what is new of this folder's project."""
    bar = Bar("Indexing")
    try:
        memory.index(project=memory.scope().project, progress=bar)
    except (AxmError, OSError) as error:
        bar.close()
        sys.stderr.write(f"axm: not brought up to date: {render.printable(str(error))}\n")
    finally:
        bar.close()


def _welcome(memory: Memory) -> str:
    return "\n".join(
        [
            f"{render.bold('AxiomMind')}: memory for coding agents. There is nothing in {memory.config.home} yet.",
            "",
            "  axm start            reads the sessions that your agents left on this machine, and says what is in them",
            "  axm start --sample   shows what it looks like, on a few made-up sessions",
            "  axm --help           all commands",
            "",
            "Nothing leaves this machine, and no agent's file is changed.",
        ]
    )


def _most() -> int:
    """How many of each thing there is room for."""
    try:
        rows = os.get_terminal_size(sys.stdout.fileno()).lines
    except (OSError, ValueError):
        rows = _ROWS
    return max(min((rows - _FIXED) // 3, 6), 2)


def _lines(standing: ProjectStanding, room: int, most: int, home: Path) -> Iterator[str]:
    now = time.time()
    yield _head(standing, room)
    if standing.sessions:
        yield from _last(standing, now, room, home)
        yield from _before(standing, now, room, most, home)
    yield from _open(standing, room, most, home)
    yield from _learned(standing, room, most, home)
    yield ""
    yield from _waiting(standing)
    yield render.dim(cut_end(_FOOT, room))


def _head(standing: ProjectStanding, room: int) -> str:
    sessions = render.counted(standing.session_count, "session")
    if standing.project is None:
        where = f"{sessions} in {render.counted(standing.project_count, 'project')}"
        return f"{render.bold('All projects')}  {render.dim(f'{where}; this folder is none of them')}"
    name = render.printable(short_name(standing.project))
    path = cut_middle(render.printable(standing.project), max(room - width(name) - len(sessions) - 5, 10), 0.3)
    return f"{render.bold(name)}  {render.dim(f'{path} · {sessions}')}"


def _last(standing: ProjectStanding, now: float, room: int, home: Path) -> Iterator[str]:
    one = standing.sessions[0]
    about = " · ".join(filter(None, (age(one.ended or None, now), one.agent_title, _branch(one), one.id[:8])))
    yield ""
    yield f"{render.coloured('cyan', 'Last session')}  {render.dim(cut_end(about, room - 14))}"
    yield f"  {cut_end(_named(one, standing, home), room - 2)}"
    if not standing.is_answered:
        yield "  What was asked last has no answer."
    elif standing.outcome:
        lines = wrap(_line(standing.outcome, home), room - 4)
        more = "…" if len(lines) > _OUTCOME_LINES else ""
        yield from (render.dim(f"    {line}") for line in lines[: _OUTCOME_LINES - 1])
        yield from (
            render.dim(f"    {cut_end(line + more, room - 4)}") for line in lines[_OUTCOME_LINES - 1 : _OUTCOME_LINES]
        )
    yield f"  {cut_end(_how(one), room - 2)}"


def _how(one: ResumableSession) -> str:
    if one.resume is None:
        why = "its transcript is gone" if one.gone_since else f"{one.agent_title} cannot resume it"
        return f"axm handoff {one.id[:8]} --run goes on with what is recorded of it ({why})"
    return f"axm resume {one.id[:8]} goes on with it; axm handoff: with another agent"


def _before(standing: ProjectStanding, now: float, room: int, most: int, home: Path) -> Iterator[str]:
    earlier = standing.sessions[1:most]
    if not earlier:
        return
    yield ""
    yield render.coloured("cyan", "Before that") + render.dim("  axm resume picks one")
    for one in earlier:
        lead = f"  {age(one.ended or None, now):>11}  {one.id[:8]}  "
        yield f"{render.dim(lead)}{cut_end(_named(one, standing, home), room - len(lead))}"


def _open(standing: ProjectStanding, room: int, most: int, home: Path) -> Iterator[str]:
    if not standing.open:
        return
    yield ""
    yield render.coloured("cyan", "Open") + render.dim("  axm task list")
    for task in standing.open[:most]:
        state = f"waits for {_line(task.waits_for, home)}" if task.waits_for else task.status.replace("_", " ")
        about = cut_end(f"  {state}, {task.id}", room // 2)
        where = "" if standing.project else f"{render.printable(short_name(task.project))}: "
        yield f"  {cut_end(where + _line(task.title, home), room - 2 - width(about))}{render.dim(about)}"


def _learned(standing: ProjectStanding, room: int, most: int, home: Path) -> Iterator[str]:
    if not standing.learned:
        return
    yield ""
    yield render.coloured("cyan", "Learned lately") + render.dim("  axm entry list")
    for one in standing.learned[:most]:
        about = f"  {one.kind}, {one.id}"
        where = "" if standing.project else f"{render.printable(short_name(one.project))}: "
        yield f"  {cut_end(where + _line(one.text, home), room - 2 - len(about))}{render.dim(about)}"


def _waiting(standing: ProjectStanding) -> Iterator[str]:
    waiting = standing.proposals + standing.conflicts
    if waiting:
        found = [
            f"{count} {noun if count == 1 else plural}"
            for count, noun, plural in (
                (standing.proposals, "proposal of an agent", "proposals of agents"),
                (standing.conflicts, "conflict", "conflicts"),
            )
            if count
        ]
        yield f"{' and '.join(found)} {'waits' if waiting == 1 else 'wait'} for you: axm review"


def _branch(one: ResumableSession) -> str:
    return render.printable(one.branch)


def _named(one: ResumableSession, standing: ProjectStanding, home: Path) -> str:
    where = "" if standing.project else f"{render.printable(short_name(one.project))}: "
    return f"{where}{_line(one.title, home) or '(no title)'}"


def _line(text: str, home: Path) -> str:
    return " ".join(render.printable(clean(" ".join(text.split()), home)).split())
