"""Sessions in the database of one of OpenClaw's agents: the entries of a window are rows that are only ever added. It
holds accounts, contacts and channels too; of those nothing is read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from axiommind.model import Problem
from axiommind.sources.contract import SourceFile
from axiommind.sources.databases import missing_columns, opened, whole
from axiommind.sources.rendered import Rendered, is_name, split_stream, stream_name
from axiommind.text import jsonlines

__all__ = ["read", "sessions"]

_NEEDED = {
    "session_windows": ("session_id", "session_key", "updated_at", "transcript_updated_at", "parent_session_key"),
    "session_nodes": ("session_key", "current_session_id", "created_via", "spawned_by", "parent_session_key"),
    "transcript_events": ("session_id", "seq", "event_json", "event_zstd", "event_utf8_bytes"),
}
_WINDOWS = """
    select w.session_id, w.session_key, w.updated_at, w.transcript_updated_at,
           n.created_via, coalesce(n.spawned_by, n.parent_session_key, w.parent_session_key), p.current_session_id
    from session_windows w
    left join session_nodes n on n.session_key = w.session_key
    left join session_nodes p on p.session_key = coalesce(n.spawned_by, n.parent_session_key, w.parent_session_key)
"""
_COUNTS = """
    select session_id, count(*), max(seq)
    from transcript_events
    group by session_id
"""
_ENTRIES = """
    select seq, event_json, event_zstd, event_utf8_bytes
    from transcript_events
    where session_id = :session
    order by seq
"""
_ROW_BYTES = 1024  # about; the true size is only known when all is read
_ENTRY_MAX = 32 << 20
_NOBODY = ("spawn", "cron", "plugin", "internal")  # began it: an agent, a clock or a program


def sessions(container: SourceFile) -> tuple[list[SourceFile], list[Problem]]:
    """Each session with what tells whether it changed: how many entries it has, and when the last was written."""
    with opened(container.path, _NEEDED) as db:
        why = missing_columns(db, _NEEDED)
        if why is not None:
            return [], [Problem(container.path, 0, why)]
        counts = {name: (whole(count), whole(last)) for name, count, last in db.execute(_COUNTS)}
        found, problems = [], []
        for name, _key, updated, written, _via, _parent_key, parent in db.execute(_WINDOWS):
            if not is_name(name):
                problems.append(Problem(container.path, 0, f"the session {str(name)[:40]!r} has no id of OpenClaw's"))
            elif name in counts:
                count, last = counts[name]
                found.append(
                    SourceFile(
                        stream_name(container.path, name),
                        "transcript",
                        name,
                        container.root,
                        container.folder,
                        parent if is_name(parent) and parent != name else None,
                        count * _ROW_BYTES,
                        max(whole(written) or whole(updated), 0) * 1_000_000,
                        zlib.crc32(str(last).encode()),
                    )
                )
        return found, problems


def read(stream: str) -> Rendered:
    """A session as lines: whose it is, and its entries as they are."""
    path, name = split_stream(stream)
    with opened(path, _NEEDED) as db:
        why = missing_columns(db, _NEEDED)
        where = " where w.session_id = :session"
        found = None if why else db.execute(_WINDOWS + where, {"session": name}).fetchone()
        if found is None:
            raise FileNotFoundError(2, why or "the session is not there any more", path)
        _name, key, _updated, _written, via, parent, _parent_session = found
        begun_by = "nobody" if via in _NOBODY else "person"
        head = {"type": "window", "id": name, "key": key, "parentKey": parent, "begunBy": begun_by}
        return Rendered(_lines(head, db.execute(_ENTRIES, {"session": name})))


def _lines(head: dict[str, Any], rows: Any) -> Iterator[bytes]:
    yield jsonlines.encode(head)
    for seq, text, packed, size in rows:
        yield _line(text if isinstance(text, str) else _unpacked(packed, whole(size))) or jsonlines.encode(
            {"type": "unreadable", "seq": seq}
        )


def _line(text: str | None) -> bytes:
    """An entry on one line; empty where it cannot be read."""
    line = b"" if text is None else text.encode("utf-8", "replace").strip()
    if b"\n" not in line and b"\r" not in line:
        return line
    try:
        return jsonlines.encode(jsonlines.parse(line))
    except ValueError:
        return b""


def _unpacked(packed: Any, size: int) -> str | None:
    import zstandard

    if not isinstance(packed, bytes) or not 0 < size <= _ENTRY_MAX:
        return None
    try:
        data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError:
        return None
    return data.decode("utf-8", "replace")
