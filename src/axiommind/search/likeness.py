"""Likeness: how near a few passages are to a question in meaning, for a process that has a few milliseconds.

A hook may not scan all vectors, import numpy or load a model: it looks at the vectors of the passages that words found,
and at nothing else. It needs the built-in model and the store in the home; where either is not what the vectors were
made with, is damaged or is missing, the answer is None, and words have to do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

__all__ = ["likeness"]


def likeness(db: sqlite3.Connection, question: str, passages: Iterable[int]) -> dict[int, float] | None:
    """The cosine, -1 to 1, of each of these passages (by row) that has a vector; None where words have to do. The
    vectors are those of the home that the index is in."""
    (file,) = [file for _, name, file in db.execute("pragma database_list") if name == "main"]
    home = Path(file).parent
    if not (home / "vectors").is_dir():  # nothing of vectors needs to be imported
        return None
    from axiommind.errors import AxmError
    from axiommind.vectors import versions

    version = versions.active(home)
    if version is None or version.store != "local" or version.place:
        return None
    from axiommind.vectors.contract import PASSAGES
    from axiommind.vectors.embedders.static import MODEL, Static

    try:
        model = Static(MODEL)
        if model.version != version.embedder:
            return None
        vector = model.embed_query(question)
        if not any(vector):  # it says too little to be near anything
            return None
        store = versions.open_of(home, version, write=False)
        try:
            found = store.similarities(PASSAGES, version.version, vector, map(str, passages))
        finally:
            store.close()
    except AxmError:
        return None
    return {int(key): similarity for key, similarity in found.items()}
