"""The agent's hooks: the client's JSON on stdin, its JSON or nothing on stdout, exit code 0 always.

`events/` has one file per event, `dialects/` one per client that is not Claude Code; this module reads the call, finds
its event, writes the answer and records it. What a process was `called` is its event, and the agent if one was named.
Whatever is broken, the agent goes on: a failure is a line in `hooks.log`. So is being late: a hook that has not
answered by its deadline (`deadlines`) ends without an answer. What is served is fenced as quoted history.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time

from axiommind.surfaces.hooks import deadlines

TYPE_CHECKING = False  # importing typing takes longer than handing a call over
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent

__all__ = ["HandedOver", "answer", "called", "main", "output", "serve"]

_START_S = 0.03  # what starting the interpreter is assumed to have cost, where the system does not say
_GRACE_S = 0.6  # after the answer, to record it and to start indexing in the background
_MOST_BYTES = 10_000_000
_NOT_READ = b"\0"  # no JSON begins like that
_CURSOR = "cursor_version"  # in its calls, which may come by the hooks of Claude Code
_INSIDE = "AXM_INSIDE"  # set in a client that our own extractor runs


class _Progress:
    """How far a call is; shared with the thread that watches the clock."""

    def __init__(self, called: str, *, aloud: bool = False) -> None:
        self.aloud = aloud  # being late is said on stderr too
        self.began = time.perf_counter() - _age()
        self.called = called
        self.event, _, self.agent = called.partition(" ")
        self.named = self.event  # as the client calls it
        self.deadline = deadlines.default(self.event)
        self.session = ""
        self.home: Path | None = None
        self.is_said = False
        self.is_over = False
        self.turn = _thread.allocate_lock()  # held by the thread that has the last word

    @property
    def took(self) -> float:
        return (time.perf_counter() - self.began) * 1000


def _age() -> float:
    """Seconds since this process began: on a busy machine, starting the interpreter alone may take a while."""
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib comes later
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return _START_S
    return age if 0 <= age < 3 else _START_S  # older: the process did something else before


def main() -> None:
    """`axm-hook [--agent NAME] EVENT`."""
    gc.disable()  # a process of a few tenths of a second has no garbage worth collecting
    try:
        serve(called(sys.argv[1:]))
    except BaseException:  # noqa: BLE001 - law: a hook exits 0
        pass
    finally:
        os._exit(0)  # nothing of ours needs the interpreter's own shutdown


def called(arguments: Sequence[str]) -> str:
    """What a command line calls: an event, and after a space the agent if one is named."""
    agent = ""
    if arguments[:1] == ["--agent"]:
        agent, arguments = " ".join(arguments[1:2]), arguments[2:]
    return f"{arguments[0] if arguments else ''} {agent}".rstrip()


def serve(called: str, *, aloud: bool = False) -> HookAnswer | None:
    """Read a call from stdin, answer it on stdout, record it. Returns what was answered, unless a resident process did
    that; `aloud`, for people who want to see it: none does, and being late is said."""
    progress = _Progress(called, aloud=aloud)
    _heed_consent()
    environ = dict(os.environ)
    _thread.start_new_thread(_watch, (progress,))
    home = _home(environ)
    _settle(progress, environ, home)
    raw: bytes | None = _NOT_READ
    if not aloud and os.path.isdir(sockets := os.path.join(home, "hooks", "resident")):  # noqa: PTH112, PTH118
        raw = _read()
        if raw is not None and _handed_over(progress, raw, environ, sockets):
            return None
    # Loaded before the client is read: the watching thread needs them when the client is slow.
    from axiommind.surfaces.hooks import call, record  # noqa: F401

    progress.home = record.home_of(environ)
    try:
        given = answer(called, _read() if raw is _NOT_READ else raw, environ, progress)
        with progress.turn:
            if not _write(output(progress.named, given, progress.agent)):
                given = _unreached(given)
            progress.is_said = True
        _finish(progress, given, environ)
        return given
    finally:
        progress.is_over = True


def _heed_consent() -> None:
    """What a repository sets counts only if a person allowed it: neither here nor in what this starts."""
    if any(name.startswith("AXM_") for name in os.environ):
        from axiommind.consent import drop_unasked

        drop_unasked(os.environ, os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())  # noqa: PTH109


def _home(environ: Mapping[str, str]) -> str:
    home = environ.get("AXM_HOME") or os.path.join(environ.get("HOME") or "~", ".axiommind")  # noqa: PTH118
    return os.path.abspath(os.path.expanduser(home))  # noqa: PTH100, PTH111


def _handed_over(progress: _Progress, raw: bytes, environ: Mapping[str, str], sockets: str) -> bool:
    """Whether a resident process has answered, and the client has the answer."""
    from axiommind.surfaces.hooks import resident_client

    until = progress.began + resident_client.SHARE * progress.deadline
    answered = resident_client.ask(sockets, progress.called, raw, environ, until)
    if answered is None:
        return False
    data, line = answered
    with progress.turn:
        has_reached = _write(data)
        progress.is_said = True
    if line is None:
        from axiommind.surfaces.hooks import record
        from axiommind.surfaces.hooks.answers import HookAnswer

        progress.home = record.home_of(environ)
        _keep(progress, HookAnswer("late", "the process that answers for hooks is busy"))
    elif has_reached:
        resident_client.thank(line)
    progress.is_over = True
    return True


class HandedOver:
    """A call that a hook handed over to a resident process: `data` is for the client; `finish` records the rest."""

    def __init__(self, called: str, raw: bytes, environ: Mapping[str, str]) -> None:
        self._progress = _Progress(called)
        self._progress.began = time.perf_counter()
        self._environ = environ
        self.answer = answer(called, raw, environ, self._progress)
        self.data = output(self._progress.named, self.answer, self._progress.agent)

    def finish(self, *, has_reached: bool) -> None:
        _finish(self._progress, self.answer if has_reached else _unreached(self.answer), self._environ)


def _unreached(given: HookAnswer) -> HookAnswer:
    return given._replace(outcome="error", why="the client is gone", text="", message="", items=(), also=(), about="")


def answer(called: str, raw: bytes | None, environ: Mapping[str, str], progress: _Progress | None = None) -> HookAnswer:
    """The answer to a call; never raises. `raw` is what the client wrote, or None if that was too much."""
    from axiommind.surfaces.hooks import record
    from axiommind.surfaces.hooks.answers import HookAnswer

    progress = progress or _Progress(called)
    try:
        progress.home = record.home_of(environ)
        return _answered(raw, environ, progress)
    except Exception as error:  # noqa: BLE001 - the outer edge: whatever it is, the agent goes on
        return HookAnswer("error", _said_by(error))


def output(event: str, given: HookAnswer, agent: str = "") -> bytes:
    """An answer as the client reads it, who calls the event so; nothing where there is none."""
    if not given.text:
        return b""
    if agent:
        from axiommind.surfaces.hooks.translation import spoken

        return spoken(agent, event, given.text)
    import json

    said: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": given.text}}
    if given.message:
        said["systemMessage"] = given.message
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


def _answered(raw: bytes | None, environ: Mapping[str, str], progress: _Progress) -> HookAnswer:
    from axiommind.config import Config
    from axiommind.surfaces.hooks import events, record
    from axiommind.surfaces.hooks.answers import HookAnswer
    from axiommind.surfaces.hooks.call import HookCall

    given = _given(raw)
    if isinstance(given, str):
        return HookAnswer("error", given)
    if progress.agent or _CURSOR in given:
        from axiommind.surfaces.hooks.translation import translated

        heard = translated(given, progress.agent, progress.event, progress.home)
        if isinstance(heard, HookAnswer):
            return heard
        progress.agent, progress.event, progress.named, given = heard
    named, session = given.get("hook_event_name"), given.get("session_id")
    progress.session = record.session_name(session, progress.home) if isinstance(session, str) else ""
    if not progress.event and isinstance(named, str):
        progress.event = progress.named = named
        progress.deadline = deadlines.configured(named, environ, _home(environ))
    if isinstance(named, str) and named != progress.event:
        return HookAnswer("error", record.mismatch(progress.event, named))
    if progress.home is None:
        return HookAnswer("error", "there is no home")
    module = events.find(progress.event)
    if module is None:
        return HookAnswer("error", "there is no such event" if progress.event else "the client names no event")
    config = Config.load(environ, progress.home)
    is_on = getattr(config.hooks, events.module_name(progress.event) or "", True)
    if environ.get(_INSIDE) or not config.hooks.enabled or not is_on:
        return HookAnswer("off")
    now = time.time_ns() // 1_000_000
    said = module.answer(HookCall(progress.event, progress.session, given, config, environ, now))
    return _as_declared(module.EVENT, said)


def _given(raw: bytes | None) -> Mapping[str, Any] | str:
    """What the client wrote, or what is wrong with it."""
    import json

    if raw is None:
        return "the client wrote too much"
    if not raw.strip():
        return "the client wrote nothing"
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        return "the client wrote no JSON"
    return given if isinstance(given, dict) else "the client wrote no object"


def _as_declared(event: HookEvent, given: HookAnswer) -> HookAnswer:
    """Without what the event does not say that it does."""
    if given.text and not event.gives_context:
        given = given._replace(outcome="silent", text="", message="", items=(), also=(), about="")
    if given.indexing and not event.starts_index:
        given = given._replace(indexing=False, learning=False)
    return given


def _said_by(error: Exception) -> str:
    """What went wrong: an error of ours in its words; another one by its name and place, as its text may quote
    anything."""
    from axiommind.errors import AxmError

    if not isinstance(error, AxmError):
        error = _of_the_disk(error) or error
    if isinstance(error, AxmError):
        return error.message
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = "" if at is None else f" at {at.tb_frame.f_code.co_filename.rpartition('axiommind')[2]}:{at.tb_lineno}"
    return f"{type(error).__name__}{where}"


def _of_the_disk(error: Exception) -> Exception | None:
    """A full disk has many names."""
    import sqlite3
    from pathlib import Path

    if isinstance(error, sqlite3.Error):
        from axiommind.db import store_error

        return store_error(error, Path(_home(os.environ)))
    if isinstance(error, OSError):
        from axiommind.disk import os_error

        return os_error(error, Path(error.filename or _home(os.environ)))
    return None


def _read() -> bytes | None:
    """All that the client wrote; None if that is more than any client writes."""
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = os.read(0, 1 << 16)
        except OSError:  # there is no stdin
            break
        if not part:
            break
        size += len(part)
        if size > _MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _write(data: bytes) -> bool:
    """Whether all of it was written."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return False
    return True


# --- after the answer --------------------------------------------------------------------------------------


def _finish(progress: _Progress, given: HookAnswer, environ: Mapping[str, str]) -> None:
    if given.indexing and progress.home is not None:
        given = _in_background(given, progress.home, environ)
    _keep(progress, given)


def _in_background(given: HookAnswer, home: Path, environ: Mapping[str, str]) -> HookAnswer:
    from axiommind.surfaces.hooks.background_index import start

    try:
        done = start(home, environ, learn=given.learning)
    except Exception as error:  # noqa: BLE001 - the client has its answer; this is only reported
        outcome = "error" if given.outcome == "silent" else given.outcome
        return given._replace(outcome=outcome, why=f"nothing is indexed: {_said_by(error)}")
    return given._replace(why=f"{given.why}; {done}" if given.why else done)


def _keep(progress: _Progress, given: HookAnswer) -> None:
    """Record a call, if the disk allows it."""
    from axiommind.surfaces.hooks import record

    if progress.home is None:
        return
    at = time.time_ns() // 1_000_000
    try:
        if given.outcome == "served" or given.afresh:
            record.spool_served(progress.home, progress.event, progress.session, given, at, progress.took)
        record.log_call(progress.home, progress.event, progress.session, given, at, progress.took, progress.agent)
    except OSError:  # no space, or not ours to write
        pass


# --- the deadline ------------------------------------------------------------------------------------------


def _settle(progress: _Progress, environ: Mapping[str, str], home: str) -> None:
    """The deadline as the settings have it."""
    seconds = deadlines.configured(progress.event, environ, home)
    is_sooner = seconds < progress.deadline
    progress.deadline = seconds
    if is_sooner:  # the thread that watches sleeps until the default
        _thread.start_new_thread(_watch, (progress,))


def _watch(progress: _Progress) -> None:
    """Ends the process when it is late. SQLite releases the interpreter while it works, so this thread runs."""
    while (left := progress.deadline - progress.took / 1000) > 0:
        time.sleep(left)
    is_ours = progress.turn.acquire(timeout=_GRACE_S)  # an answer that is being written is finished
    if is_ours and progress.is_said:
        progress.turn.release()
        if not progress.is_over:
            time.sleep(_GRACE_S)
        if not progress.is_over:
            os._exit(0)
        return
    try:
        late = f"no answer within {progress.deadline * 1000:.0f} ms" if is_ours else "the client does not read"
        _thread.start_new_thread(_end, ())  # writing to the disk may be what takes so long
        if progress.aloud:
            os.write(2, f"axm: {late}; {deadlines.SECONDS} gives it more time\n".encode())
        _log_late(progress, late)
    finally:
        os._exit(0)


def _end() -> None:
    time.sleep(0.02)
    os._exit(0)


def _log_late(progress: _Progress, why: str) -> None:
    from axiommind.surfaces.hooks.answers import HookAnswer

    _keep(progress, HookAnswer("late", why))
