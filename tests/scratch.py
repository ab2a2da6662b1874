"""Where the tests write: in memory, where there is enough of it, because most of them wait for a disk more than for us.

Programs must be able to run from there, and whoever sets TMPDIR has chosen already.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["CLIENTS", "write_in_memory"]

# Where make test-clients puts the real clients: what was the temporary folder before the tests changed it. A worker of
# pytest-xdist inherits the change, and with it this.
CLIENTS = Path(os.environ.setdefault("AXM_TEST_CLIENTS", os.environ.get("TMPDIR") or "/tmp"))

_SHM = Path("/dev/shm")
_ENOUGH = 2 << 30  # bytes; a run needs a tenth of it


def write_in_memory() -> None:
    """Make a folder in memory the place of temporary files, for this process and those that it starts."""
    if "TMPDIR" not in os.environ and _is_fit():
        os.environ["TMPDIR"] = tempfile.tempdir = str(_SHM)


def _is_fit() -> bool:
    try:
        stat = os.statvfs(_SHM)
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        free = min(stat.f_bavail * stat.f_frsize, int(memory["MemAvailable"].split()[0]) * 1024)
    except (OSError, ValueError, KeyError):
        return False
    return free >= _ENOUGH and os.access(_SHM, os.W_OK) and not stat.f_flag & os.ST_NOEXEC
