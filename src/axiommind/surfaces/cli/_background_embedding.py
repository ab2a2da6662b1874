"""Vectors that nobody asked for: made after learning, with the built-in embedder, so that meaning counts everywhere.

Whatever goes wrong there, what was indexed and learned stays, and words answer.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from axiommind.errors import AxmError

if TYPE_CHECKING:
    from axiommind.memory import Memory

__all__ = ["embed_by_itself"]


def embed_by_itself(memory: Memory, *, wait: bool = False) -> bool:
    """Embed what is new, unless that is off; with `wait` after the process that embeds now. Returns whether it was
    tried."""
    if not memory.embeddings.goes_by_itself:
        return False
    try:
        done = memory.embeddings.make(wait=wait)
    except AxmError as error:
        sys.stderr.write(f"Not embedded: {error.message}\n")
        return True
    if done.done:
        sys.stderr.write(f"Embedded: {done.done:,} new\n")
    return True
