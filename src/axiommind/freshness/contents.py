"""What a file holds, for comparing: a hash of it, or of the lines in which a symbol stands.

Paths come from transcripts, so nothing outside the project's folder is read, only plain files, and none that is large.
"""

from __future__ import annotations

import hashlib
import re
import stat
from pathlib import Path

__all__ = ["MOST_BYTES", "fingerprint", "is_within", "read_file"]

MOST_BYTES = 1_000_000
_HASH_BYTES = 8
_LONGEST = 500  # characters of a path


def is_within(root: str, path: str) -> bool:
    """Whether a relative path stays inside the folder, wherever its links lead."""
    if not path or "\x00" in path or len(path) > _LONGEST or Path(path).is_absolute():
        return False
    try:
        return Path(root, path).resolve().is_relative_to(Path(root).resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def read_file(root: str, path: str) -> bytes | None:
    """The content of a project's file; None where there is none that can be compared."""
    if not is_within(root, path):
        return None
    whole = Path(root, path)
    try:
        facts = whole.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MOST_BYTES:
            return None
        with whole.open("rb") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError):
        return None


def fingerprint(content: bytes, symbol: str = "") -> str:
    """A hash of a file, line ends apart; with a symbol, of the lines that have it, and empty where none does."""
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    if symbol:
        word = re.compile(rb"(?<!\w)" + re.escape(symbol.encode()) + rb"(?!\w)")
        lines = [b" ".join(line.split()) for line in lines if word.search(line)]
        if not lines:
            return ""
    return hashlib.blake2b(b"\n".join(lines), digest_size=_HASH_BYTES).hexdigest()
