"""The agent's hooks: the client's JSON on stdin, its JSON or nothing on stdout, exit 0 always. One file per event, and
the folder is the registry.

Whatever is broken, the agent goes on: a failure is a line in `hooks.log`. So is being late: who has not answered 390 ms
after the process began ends without an answer. What is served was said before, and is fenced as that.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time

TYPE_CHECKING = False  # typing takes longer to import than handing a call over takes
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Protocol

    from axiommind.surfaces.hooks._call import Answer, Call

    class _Event(Protocol):
        """What a module in this folder offers."""

        def answer(self, call: Call) -> Answer: ...


__all__ = ["DEADLINE_S", "Handed", "answer", "main", "output", "serve"]

DEADLINE_S = 0.39  # from the start of the process; what is left of 400 ms is for ending it
_SECONDS = "AXM_HOOK_SECONDS"  # another deadline, for a machine that is slow
_MOST_SECONDS = 20.0
_START_S = 0.03  # what starting the interpreter is taken to have cost, where nobody says
_GRACE_S = 0.6  # after the answer, to record it and to start what goes on in the background
_MOST_BYTES = 10_000_000
_NOT_READ = b"\0"  # no JSON begins like that
_INSIDE = "AXM_INSIDE"  # set in a client that our own extractor runs


class _Seen:
    """What is known of a call so far, also to the thread that watches the clock."""

    def __init__(self, event: str) -> None:
        self.began = time.perf_counter() - _age()
        self.deadline = _deadline()
        self.event = event
        self.session = ""
        self.home: Path | None = None
        self.is_said = False
        self.is_over = False
        self.turn = _thread.allocate_lock()  # held by who has the last word

    @property
    def took(self) -> float:
        return (time.perf_counter() - self.began) * 1000


def _deadline() -> float:
    try:
        return min(max(float(os.environ[_SECONDS]), 0.05), _MOST_SECONDS)
    except (KeyError, ValueError):
        return DEADLINE_S


def _age() -> float:
    """For how many seconds this process has been there: on a busy machine, the interpreter alone may take a while."""
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib comes later
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return _START_S
    return age if 0 <= age < 3 else _START_S  # older: it is not a hook alone


def main() -> None:
    """`axm-hook EVENT`."""
    gc.disable()  # a process of a few tenths of a second leaves nothing worth looking for
    try:
        serve(sys.argv[1] if len(sys.argv) > 1 else "")
    except BaseException:  # noqa: BLE001 - law: a hook exits 0
        pass
    finally:
        os._exit(0)  # nothing of ours waits for the interpreter to tidy up


def serve(event: str) -> None:
    """Read a call from stdin, answer it on stdout, record it."""
    seen = _Seen(event)
    environ = dict(os.environ)
    _thread.start_new_thread(_watch, (seen,))
    raw: bytes | None = _NOT_READ
    if os.path.isdir(sockets := _sockets(environ)):  # noqa: PTH112
        raw = _read()
        if raw is not None and _handed_over(seen, raw, environ, sockets):
            return
    # Before the client is read: to be late also needs them.
    from axiommind.surfaces.hooks import _call, _record  # noqa: F401
    from axiommind.surfaces.hooks._patterns import Patterns

    seen.home = _record.home_of(environ)
    patterns = Patterns(_record.folder_of(seen.home)) if seen.home is not None else None
    try:
        if patterns is not None:
            patterns.install()
        given = answer(event, _read() if raw is _NOT_READ else raw, environ, seen)
        with seen.turn:
            if not _write(output(seen.event, given)):
                given = _unreached(given)
            seen.is_said = True
        if given.indexing and seen.home is not None:
            given = _in_background(given, seen.home, environ)
        _keep(seen, given)
        if patterns is not None:
            patterns.save()
    finally:
        seen.is_over = True


def _sockets(environ: Mapping[str, str]) -> str:
    """Where processes that stay would listen."""
    home = environ.get("AXM_HOME") or os.path.join(environ.get("HOME") or "~", ".axiommind")  # noqa: PTH118
    return os.path.join(os.path.abspath(os.path.expanduser(home)), "hooks", "resident")  # noqa: PTH100, PTH111, PTH118


def _handed_over(seen: _Seen, raw: bytes, environ: Mapping[str, str], sockets: str) -> bool:
    """Whether somebody who stays has answered, and the client has it."""
    from axiommind.surfaces.hooks import _resident

    answered = _resident.ask(sockets, seen.event, raw, environ, seen.began + _resident.SHARE * seen.deadline)
    if answered is None:
        return False
    data, line = answered
    with seen.turn:
        has_reached = _write(data)
        seen.is_said = True
    if line is None:
        from axiommind.surfaces.hooks import _record
        from axiommind.surfaces.hooks._call import Answer

        seen.home = _record.home_of(environ)
        _keep(seen, Answer("late", "the process that answers for hooks is busy"))
    elif has_reached:
        _resident.thank(line)
    seen.is_over = True
    return True


class Handed:
    """A call that a hook handed over to a process that stays: `data` is for the client; `finish` records the rest."""

    def __init__(self, event: str, raw: bytes, environ: Mapping[str, str]) -> None:
        self._seen = _Seen(event)
        self._seen.began = time.perf_counter()
        self._environ = environ
        self._given = answer(event, raw, environ, self._seen)
        self.data = output(self._seen.event, self._given)

    def finish(self, *, has_reached: bool) -> None:
        given = self._given if has_reached else _unreached(self._given)
        if given.indexing and self._seen.home is not None:
            given = _in_background(given, self._seen.home, self._environ)
        _keep(self._seen, given)


def _unreached(given: Answer) -> Answer:
    return given._replace(outcome="error", why="the client is gone", text="", items=(), also=(), about="")


def answer(event: str, raw: bytes | None, environ: Mapping[str, str], seen: _Seen | None = None) -> Answer:
    """What a call is answered; never raises. `raw` is what the client wrote, or None if that was too much."""
    from axiommind.surfaces.hooks import _record
    from axiommind.surfaces.hooks._call import Answer

    seen = seen or _Seen(event)
    try:
        seen.home = _record.home_of(environ)
        return _answered(event, raw, environ, seen)
    except Exception as error:  # noqa: BLE001 - the outer edge: whatever it is, the agent goes on
        return Answer("error", _said_by(error))


def output(event: str, given: Answer) -> bytes:
    """An answer as the client reads it; nothing where there is none."""
    if not given.text:
        return b""
    import json

    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": given.text}}
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


def _answered(event: str, raw: bytes | None, environ: Mapping[str, str], seen: _Seen) -> Answer:
    import json

    from axiommind.config import Config
    from axiommind.surfaces.hooks._call import Answer, Call

    if raw is None:
        return Answer("error", "the client wrote too much")
    if not raw.strip():
        return Answer("error", "the client wrote nothing")
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        return Answer("error", "the client wrote no JSON")
    if not isinstance(given, dict):
        return Answer("error", "the client wrote no object")
    named, session = given.get("hook_event_name"), given.get("session_id")
    seen.session = session if isinstance(session, str) else ""
    seen.event = event or (named if isinstance(named, str) else "")
    if isinstance(named, str) and named != seen.event:
        return Answer("error", f"called for {seen.event}, and the client says it is {named[:100]}")
    if seen.home is None:
        return Answer("error", "there is no home")
    module = _module(seen.event)
    if module is None:
        return Answer("error", "there is no such event")
    config = Config.load(environ, seen.home)
    if environ.get(_INSIDE) or not config.hooks.enabled or not getattr(config.hooks, module, True):
        return Answer("off")
    return _load(module).answer(Call(seen.event, seen.session, given, config, environ, time.time_ns() // 1_000_000))


def _module(event: str) -> str | None:
    """The module of an event: `PreToolUse` is in `pre_tool_use`. None where there is none."""
    if not event.isascii() or not event.isalpha() or len(event) > 40:
        return None
    name = "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")
    return name if os.path.exists(os.path.join(os.path.dirname(__file__), f"{name}.py")) else None  # noqa: PTH110, PTH118, PTH120


def _load(module: str) -> _Event:
    from importlib import import_module

    found: _Event = import_module(f"{__name__}.{module}")
    return found


def _said_by(error: Exception) -> str:
    """What went wrong: an error of ours in its words, another one by its name and place, for it may quote anything."""
    from axiommind.errors import AxmError

    if isinstance(error, AxmError):
        return error.message
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = "" if at is None else f" at {at.tb_frame.f_code.co_filename.rpartition('axiommind')[2]}:{at.tb_lineno}"
    return f"{type(error).__name__}{where}"


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


def _in_background(given: Answer, home: Path, environ: Mapping[str, str]) -> Answer:
    from axiommind.surfaces.hooks._detached import start

    try:
        done = start(home, environ, learn=given.learning)
    except Exception as error:  # noqa: BLE001 - the answer is given; this is only said
        outcome = "error" if given.outcome == "silent" else given.outcome
        return given._replace(outcome=outcome, why=f"nothing is indexed: {_said_by(error)}")
    return given._replace(why=f"{given.why}; {done}" if given.why else done)


def _keep(seen: _Seen, given: Answer) -> None:
    """Record a call; who cannot has answered nevertheless."""
    from axiommind.surfaces.hooks import _record

    if seen.home is None:
        return
    at = time.time_ns() // 1_000_000
    try:
        if given.outcome == "served" or given.afresh:
            _record.spool(seen.home, seen.event, seen.session, given, at, seen.took)
        _record.note(seen.home, seen.event, seen.session, given, at, seen.took)
    except OSError:  # no space, or not ours to write
        pass


def _watch(seen: _Seen) -> None:
    """Ends the process when it is late. SQLite lets other threads run while it works, so this one does."""
    time.sleep(max(seen.deadline - seen.took / 1000, 0))
    is_ours = seen.turn.acquire(timeout=_GRACE_S)  # an answer that has begun is finished, where the client reads it
    if is_ours and seen.is_said:
        seen.turn.release()
        if not seen.is_over:
            time.sleep(_GRACE_S)
        if not seen.is_over:
            os._exit(0)
        return
    try:
        _thread.start_new_thread(_end, ())  # the disk may be what keeps us
        _late(seen, f"no answer within {seen.deadline * 1000:.0f} ms" if is_ours else "the client does not read")
    finally:
        os._exit(0)


def _end() -> None:
    time.sleep(0.02)
    os._exit(0)


def _late(seen: _Seen, why: str) -> None:
    from axiommind.surfaces.hooks._call import Answer

    _keep(seen, Answer("late", why))
