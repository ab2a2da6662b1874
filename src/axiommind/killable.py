"""Work that cannot be interrupted, in a Python process of its own: a limit on its time, its memory and its CPU.

A regular expression or a function of SQLite may go on for ever in C, where no signal and no handler reaches it. The
process is killed when its time is up; it limits itself too, in case its parent dies first. Windows has no limit of
memory here.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["StoppedProcess", "answers_of"]

# Before the code: `given` is what the parent sent.
_PRELUDE = """
import json, sys
given = json.load(sys.stdin)
try:
    import resource
    for what, most in ((resource.RLIMIT_CPU, given["seconds"]), (resource.RLIMIT_AS, given["bytes"])):
        resource.setrlimit(what, (most, most))
except (ImportError, OSError, ValueError):
    pass
"""


class StoppedProcess(Exception):
    """The process ended before it was done: `too_late` if it was stopped because its time was up."""

    def __init__(self, too_late: bool) -> None:
        super().__init__("its time was up" if too_late else "it died")
        self.too_late = too_late


def answers_of(code: str, given: dict[str, Any], *, seconds: float, memory: int) -> Iterator[Any]:
    """What the code prints, a line of JSON each, as it comes. The code finds `given` as a dictionary."""
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _PRELUDE + code]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=1 << 16
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    assert process.stdin is not None and process.stdout is not None
    try:
        sent = json.dumps({**given, "seconds": int(seconds) + 2, "bytes": memory}).encode()
        with contextlib.suppress(OSError):  # it is dead already, which its exit code says below
            process.stdin.write(sent)
            process.stdin.close()
        yield from map(json.loads, process.stdout)
        if process.wait():
            raise StoppedProcess(late.is_set())
    except ValueError as error:  # killed in the middle of a line
        raise StoppedProcess(late.is_set()) from error
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what could not be sent
                pipe.close()
