"""Work that takes longer than a page: one piece at a time, in a thread, with its progress for whoever watches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from axiommind.errors import AxmError, UsageError

__all__ = ["Job", "Jobs"]

Progress = Callable[[int, int], None]


@dataclass
class Job:
    """`state` is running, done or failed; `told` what came of it, in words, and `result` the value itself."""

    name: str
    number: int
    state: str = "running"
    done: int = 0
    total: int = 0
    told: str = ""
    result: Any = None
    began: float = field(default_factory=time.monotonic)

    def as_row(self) -> dict[str, Any]:
        seconds = round(time.monotonic() - self.began) if self.state == "running" else None
        return {
            "number": self.number,
            "name": self.name,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "told": self.told,
            "seconds": seconds,
        }


class Jobs:
    """The last piece of work of this server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.last: Job | None = None

    def start(self, name: str, work: Callable[[Progress], tuple[str, Any]]) -> Job:
        """Begin a piece of work, unless one goes on. `work` returns what came of it, in words and as a value."""
        with self._lock:
            if self.last is not None and self.last.state == "running":
                raise UsageError(f"{self.last.name} goes on already", hint="wait until it is done")
            job = self.last = Job(name, 1 if self.last is None else self.last.number + 1)
        threading.Thread(target=_run, args=(job, work), daemon=True, name=f"axm-web-{name}").start()
        return job


def _run(job: Job, work: Callable[[Progress], tuple[str, Any]]) -> None:
    def progress(done: int, total: int) -> None:
        job.done, job.total = done, total

    try:
        job.told, job.result = work(progress)
        job.state = "done"
    except AxmError as error:
        job.told = f"{error.message}{f'. {error.hint}' if error.hint else ''}"
        job.state = "failed"
    except Exception as error:  # noqa: BLE001 - the edge of the surface: whoever watches is told
        job.told = f"a mistake of ours: {type(error).__name__}"
        job.state = "failed"
