"""What is left of a purge, and what was proven of one, as text."""

from __future__ import annotations

from axiommind.ingest.purging import Certificate, Held
from axiommind.surfaces.render.tables import counted, day

__all__ = ["certified", "held", "proven"]


def held(one: Held) -> str:
    found = f"; up to {counted(one.found, 'piece')} of the text in it" if one.found else ""
    return f"{one.place}: {one.why}{found}"


def proven(one: Certificate) -> str:
    """What was done, in a sentence."""
    return f"Proven gone: {_where(one)} ({counted(one.searched, 'byte')})"


def certified(one: Certificate) -> str:
    """A line of a list."""
    what = f"{counted(one.blobs, 'text')} ({counted(one.bytes, 'byte')})"
    return f"{day(one.at)}: {what} gone; {_where(one)} for {counted(one.looked_for, 'sample')} of it"


def _where(one: Certificate) -> str:
    return f"{' and '.join(one.rewritten)} were written anew, every other file of the home was searched"
