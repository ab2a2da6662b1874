"""The processes above this one, nearest first, each as its command line. From /proc on Linux, from `ps` elsewhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Final

__all__ = ["UNKNOWN", "Ancestors", "ancestors"]

Ancestors = Sequence[Sequence[str]]
UNKNOWN: Final[Ancestors] = ()  # where they are known, there is at least one
_MOST = 200  # a chain that is longer was not read right
_PS = ("/bin/ps", "-A", "-o", "pid=,ppid=,command=")
_PS_SECONDS = 10


def ancestors() -> Ancestors:
    """The command lines of the parent, its parent, and so on; UNKNOWN where the system does not say."""
    if os.name == "nt":
        return UNKNOWN
    try:
        found = _of_proc() if os.path.isdir("/proc/self/task") else _of_ps()  # noqa: PTH112 - as cheap as it gets
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return UNKNOWN
    return found


def _of_proc() -> Ancestors:
    found: list[list[str]] = []
    pid = os.getppid()
    while pid > 0 and len(found) < _MOST:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
                words = file.read(1 << 16).split(b"\0")
            with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
                stat = file.read(1 << 12)
        except (FileNotFoundError, PermissionError):
            if not found:
                raise
            break  # hidden processes above are another user's, who runs no agent of ours
        # The name in parentheses may hold blanks and parentheses; what a process calls itself counts too.
        called = stat[stat.index(b"(") + 1 : stat.rindex(b")")].decode("utf-8", "replace")
        command = [word.decode("utf-8", "replace") for word in words[:8] if word]
        found.append(command or [called])
        if command and called not in command[0]:
            found.append([called])
        pid = int(stat[stat.rindex(b")") + 2 :].split()[1])
    return found


def _of_ps() -> Ancestors:
    said = subprocess.run(_PS, capture_output=True, timeout=_PS_SECONDS, check=True, stdin=subprocess.DEVNULL).stdout
    known: dict[int, tuple[int, list[str]]] = {}
    for line in said.decode("utf-8", "replace").splitlines():
        pid, parent, *command = line.split()
        known[int(pid)] = (int(parent), command[:8])
    found: list[list[str]] = []
    at = os.getppid()
    while at in known and len(found) < _MOST:
        at, words = known[at]
        found.append(words)
    return found
