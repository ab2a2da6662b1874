"""Indexing in the background: a process of its own that outlives the client, and at most one that waits.

A hook creates the file `pending` and starts a worker. The worker waits until no other one indexes, removes the file,
and then reads what is new; whatever comes after that gets a worker of its own. While the file exists, hooks start
nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from axiommind.locks import alone
from axiommind.private import make_private
from axiommind.surfaces.hooks.record import folder_of

__all__ = ["PENDING", "detach", "is_due", "start", "take_over"]

PENDING = "AXM_HOOK_PENDING"  # names the file to the worker
_STALE_S = 60.0  # a file this old belongs to a worker that never started
_ASK_AGAIN_S = 0.5
_WAIT_S = 600.0
_DUE_S = 600.0
# Variables of a session. The worker belongs to none.
_OF_A_SESSION_LIST = """
CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT CLAUDE_PROJECT_DIR CLAUDE_EFFORT CLAUDE_ENV_FILE
CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_PID
COPILOT_CLI COPILOT_HOOK_DIR COPILOT_PROJECT_DIR GEMINI_CLI GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_SESSION_ID
QWEN_CODE_SESSION_ID QWEN_PROJECT_DIR
"""
_OF_A_SESSION = frozenset(_OF_A_SESSION_LIST.split())


def is_due(home: Path) -> bool:
    """Whether nobody has indexed, or tried to, for ten minutes."""
    newest = 0.0
    for path in (home / "index.db", home / "index.db-wal", folder_of(home) / "index.log"):
        with contextlib.suppress(OSError):
            newest = max(newest, path.stat().st_mtime)
    return abs(time.time() - newest) > _DUE_S


def start(home: Path, environ: Mapping[str, str], *, learn: bool) -> str:
    """Start a worker unless one is waiting; returns what was done, for the log."""
    folder = folder_of(home)
    pending = folder / "pending"
    for made in (home, folder):
        make_private(made)
    if not _claim(pending):
        if learn:  # the one that waits does that too
            with pending.open("a", encoding="ascii") as file:
                file.write("learn\n")
        return "an index waits to begin"
    try:
        command = ["index", *(["--learn"] if learn else [])]
        detach(command, home, folder / "index.log", {**environ, PENDING: str(pending)})
    except BaseException:
        pending.unlink(missing_ok=True)
        raise
    return "an index was started"


def _claim(pending: Path) -> bool:
    for _ in range(2):
        try:
            os.close(os.open(pending, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return True
        except FileExistsError:
            try:
                if abs(time.time() - pending.stat().st_mtime) <= _STALE_S:
                    return False
                pending.unlink()
            except FileNotFoundError:
                continue
    return False


def detach(arguments: Sequence[str], home: Path, log: Path, environ: Mapping[str, str]) -> None:
    """Start `axm` with these arguments in a process that outlives this one; what it says goes to a file."""
    # The worker belongs to no session, and hooks of whatever it runs are off.
    kept = {name: value for name, value in environ.items() if name not in _OF_A_SESSION}
    _spawn(arguments, home, log, {**kept, "AXM_HOME": str(home), "AXM_HOOKS": "0"})


def _spawn(arguments: Sequence[str], home: Path, log: Path, environ: dict[str, str]) -> None:
    if not sys.executable:
        raise OSError("there is no interpreter to start")
    # -P: the session's folder may hold modules with the names of ours.
    command = [sys.executable, "-P", "-m", "axiommind", *arguments]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    if hasattr(os, "posix_spawn"):
        for file in range(3, 64):  # files that the client left open are not for the worker
            with contextlib.suppress(OSError):
                os.set_inheritable(file, False)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, str(log), flags, 0o600),
        ]
        with contextlib.suppress(NotImplementedError):  # an old C library has no setsid here
            os.posix_spawn(command[0], command, environ, file_actions=actions, setsid=True)
            return
    import subprocess

    apart = 0x00000008 | 0x00000200 | 0x08000000 if os.name == "nt" else 0  # detached, its own group, no window
    with log.open("wb") as errors:
        subprocess.Popen(
            command,
            env=environ,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=os.name != "nt",
            creationflags=apart,
        )


# --- the worker's side ------------------------------------------------------------------------------------


@contextlib.contextmanager
def take_over(pending: Path) -> Iterator[tuple[bool, bool]]:
    """In the worker: wait until no other one indexes, and remove the file. Yields whether it is our turn, and whether
    to learn as well."""
    folder = pending.parent
    with contextlib.suppress(OSError):
        os.chdir(folder)  # keeps no folder of the user in use
    if hasattr(os, "nice"):
        os.nice(10)
    until = time.monotonic() + _WAIT_S
    while True:
        with alone(folder / "indexing") as ours:
            if ours:
                yield True, _taken(pending)
                return
        if time.monotonic() > until:
            pending.unlink(missing_ok=True)
            yield False, False
            return
        with contextlib.suppress(OSError):
            os.utime(pending)  # still here: no second one needs to wait
        time.sleep(_ASK_AGAIN_S)


def _taken(pending: Path) -> bool:
    try:
        said = pending.read_text(encoding="ascii", errors="replace")
    except OSError:
        said = ""
    pending.unlink(missing_ok=True)
    return "learn" in said
