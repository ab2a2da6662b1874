"""Filters: which passages a query is about, as conditions on their rows. All values are bound."""

from __future__ import annotations

import os
import sqlite3
from typing import Any

from axiommind.search.query import Filters

__all__ = ["conditions", "connect", "owners"]

# Whose passages a project's scope shows. A folder of notes belongs to everybody, unless it lies in another project.
_PROJECT = "(s.project = :project or {documents} or {workflows})"
_DOCUMENTS = """
    (d.project = :project
     or (d.project is not null and d.project not in (select project from sessions)))
"""
_WORKFLOWS = "w.project in (:project, '')"
_SCRATCHPADS = """
    c.pad_id is not null and (:workflow is null or w.id = :workflow)
    and (:project_scope is null or w.project_scope = :project_scope)
"""
_SESSION = "(s.id glob :session or s.parent_session glob :session)"
# A tool call names the file, a document is it, and people talk about it in the sessions that change it.
_FILE = """
    case p.kind
        when 'tool' then case when json_valid(t.input_json) then axm_is_file(
            coalesce(json_extract(t.input_json, '$.file_path'), json_extract(t.input_json, '$.notebook_path'),
                     json_extract(t.input_json, '$.path')), :file{n}) end
        when 'doc' then axm_is_file(d.path, :file{n})
        when 'pad' then false
        else p.session_id in (select e.session_id from file_edits e where axm_is_file(e.file_path, :file{n}))
    end
"""
_TOOL = "(t.tool_name like :tool{n} escape '\\' or t.classified_name like :tool{n} escape '\\')"


def connect(db: sqlite3.Connection) -> None:
    """The functions that the conditions call."""
    db.create_function("axm_is_file", 2, _is_file, deterministic=True)
    db.create_function("axm_is_path", 3, _is_path, deterministic=True)
    db.create_function("axm_folded", 1, str.casefold, deterministic=True)  # SQLite's lower() knows ASCII only


def conditions(filters: Filters) -> tuple[str, dict[str, Any]]:
    """A condition on p (passages), s (sessions), d (documents), w and c (workflows and their chunks) and t (tool_uses),
    and its values."""
    wanted: list[str] = []
    values: dict[str, Any] = {}

    def add(condition: str, **bound: Any) -> None:
        wanted.append(condition)
        values.update(bound)

    if filters.kinds:
        add(_any_of("p.kind", "kind", filters.kinds), **_numbered("kind", filters.kinds))
    if filters.project is not None:
        add(_PROJECT.format(documents=_DOCUMENTS, workflows=_WORKFLOWS), project=filters.project)
    if filters.session:
        add(_SESSION, session=_session(filters.session))
    if filters.since is not None:
        add("p.timestamp >= :since", since=filters.since)
    if filters.until is not None:
        add("p.timestamp < :until", until=filters.until)
    for n, file in enumerate(filters.files):
        add(_FILE.format(n=n), **{f"file{n}": file})
    if filters.tools:
        any_tool = " or ".join(_TOOL.format(n=n) for n in range(len(filters.tools)))
        add(f"p.kind = 'tool' and ({any_tool})", **{f"tool{n}": _like(t) for n, t in enumerate(filters.tools)})
    if filters.not_kinds:
        add(f"not {_any_of('p.kind', 'not_kind', filters.not_kinds)}", **_numbered("not_kind", filters.not_kinds))
    for n, tool in enumerate(filters.not_tools):
        add(f"not coalesce({_TOOL.format(n=f'_not{n}')}, false)", **{f"tool_not{n}": _like(tool)})
    for n, tag in enumerate(filters.tags):
        add(
            f"exists (select 1 from document_tags g where g.doc_id = p.doc_id and axm_folded(g.tag) = :tag{n})",
            **{f"tag{n}": tag.casefold()},
        )
    if filters.provenances:
        names = filters.provenances
        add(_any_of("p.provenance", "provenance", names), **_numbered("provenance", names))
    if filters.not_provenances:
        names = filters.not_provenances
        add(f"not {_any_of('p.provenance', 'not_provenance', names)}", **_numbered("not_provenance", names))
    if filters.into is not None:
        from axiommind.projections.crossing import PASSAGE_CROSSES

        add(f"s.project = :into or w.project = :into or {PASSAGE_CROSSES}", into=filters.into)
    if filters.path:
        path = os.path.expanduser(filters.path)  # noqa: PTH111 - pathlib would need the whole path
        add("d.path is not null and axm_is_path(d.path, d.root, :path)", path=path)
    if filters.scratchpads is not None:
        add(_SCRATCHPADS, **filters.scratchpads._asdict())
    return " and ".join(f"({one})" for one in wanted) or "true", values


def owners(filters: Filters) -> tuple[str, str, str, dict[str, Any]]:
    """What a project, a session and scratchpads ask of s, d and w, each on its own: combined, none could use an
    index."""
    values: dict[str, Any] = {}
    sessions, documents, workflows = [], [], []
    if filters.project is not None:
        values["project"] = filters.project
        sessions.append("s.project = :project")
        documents.append(_DOCUMENTS)
        workflows.append(_WORKFLOWS)
    if filters.session:
        values["session"] = _session(filters.session)
        sessions.append(_SESSION)
        documents.append("false")
        workflows.append("false")
    if filters.scratchpads is not None:
        values |= filters.scratchpads._asdict()
        sessions.append("false")
        documents.append("false")
        workflows.append(_SCRATCHPADS)
    asked = [" and ".join(one) or "true" for one in (sessions, documents, workflows)]
    return asked[0], asked[1], asked[2], values


def _any_of(column: str, name: str, values: tuple[str, ...]) -> str:
    return f"{column} in ({', '.join(f':{name}{n}' for n in range(len(values)))})"


def _numbered(name: str, values: tuple[str, ...]) -> dict[str, str]:
    return {f"{name}{n}": value for n, value in enumerate(values)}


def _like(tool: str) -> str:
    """A pattern only when it contains `%`: `_` occurs in names such as mcp__server__tool."""
    return tool.replace("\\", "\\\\").replace("_", "\\_")


def _session(beginning: str) -> str:
    return _escaped_glob(beginning) + "*"


def _escaped_glob(text: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def _is_file(path: object, wanted: str) -> bool:
    """Whether a path is the file meant: its name, the end of its path, or a glob. An agent may give anything as one."""
    from axiommind.text.globs import matches

    if not isinstance(path, str) or not path:
        return False
    path = path.replace("\\", "/")
    wanted = wanted.replace("\\", "/").removeprefix("./")
    if any(c in wanted for c in "*?["):
        return matches(path.lstrip("/"), wanted.lstrip("/")) or matches(path.lstrip("/"), f"**/{wanted.lstrip('/')}")
    return path.casefold() == wanted.casefold() or path.casefold().endswith("/" + wanted.casefold().lstrip("/"))


def _is_path(path: str, root: str, glob: str) -> bool:
    """Whether a document's path fits a glob: below its folder, with the folder's own name, or as a whole."""
    from axiommind.text.globs import matches

    path, root = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    below = path[len(root) + 1 :] if path.startswith(root + "/") else path.rpartition("/")[2]
    named = f"{root.rpartition('/')[2]}/{below}"
    glob = glob.replace("\\", "/")
    glob = glob.strip("/") if not glob.startswith("/") else glob.lstrip("/")
    # A folder's name means what is in it, a file's name that file wherever it lies.
    globs = (glob, f"{glob}/**", f"**/{glob}") if not any(c in glob for c in "*?[") else (glob,)
    return any(matches(one, g) for one in (below, named, path.lstrip("/")) for g in globs)
