"""Folders that only their owner can enter, made with whatever is missing above them.

`mkdir(parents=True, mode=0o700)` gives the mode to the last one only: a home that was first made for something inside
it could be read by everybody.
"""

from __future__ import annotations

import os

__all__ = ["make_private"]


def make_private(folder: str | os.PathLike[str]) -> None:
    """Make a folder; one that is there stays as it is."""
    path = os.path.abspath(folder)  # noqa: PTH100 - hooks load this, and pathlib is not needed for it
    if os.path.isdir(path):  # noqa: PTH112
        return
    make_private(os.path.dirname(path))  # noqa: PTH120
    try:
        os.mkdir(path, 0o700)  # noqa: PTH102
    except FileExistsError:
        if not os.path.isdir(path):  # noqa: PTH112 - another process was faster, or it is a file
            raise
