"""PreToolUse: what is known about a file before it is changed, once a session."""

from __future__ import annotations

from axiommind.surfaces.hooks._call import Answer, Call, about_packet, silent

__all__ = ["answer"]

_WRITES = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))


def answer(call: Call) -> Answer:
    if call.text("tool_name") not in _WRITES:
        return silent("no file is changed")
    given = call.table("tool_input")
    path = next((given[key] for key in ("file_path", "notebook_path") if isinstance(given.get(key), str)), "")
    if not path:
        return silent("no file is named")
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.ids import dedupe_key

    served, about = call.served(), dedupe_key("file", path)[:16]
    if about in served.abouts:
        return silent("this file was told about")
    with call.reading() as (db, project):
        from axiommind.recall.packets.file import about_file

        packet = about_file(db, path, project, session=call.session or None, skip=served.ids)
    return about_packet(call, packet, call.config.hooks.tool_tokens, project, about)
