"""Files of a repository that lies in several places, under one name: that of the folder its project goes by.

A session writes `/home/ana/clone/src/a.py`, and what is counted and looked for is `/work/weather/src/a.py`, so that the
work of both clones on one file is about that file. `written_path` keeps what the session wrote.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections.project_groups import without_machine

__all__ = ["rename_files", "root_of"]

_PLACE = """
    select s.project_path, coalesce(p.folder, ''), s.project, coalesce(m.folder, '')
    from sessions s
    left join project_paths p on p.path = s.project_path
    left join project_paths m on m.path = s.project
    where s.id = ?
"""
_RESET = "update file_edits set file_path = written_path where session_id = ? and file_path <> written_path"
_RENAME = "update file_edits set file_path = ? where session_id = ? and written_path = ?"


def rename_files(db: sqlite3.Connection, session: str) -> None:
    """Give the files of a session the names that they have in the folder that its project goes by."""
    row = db.execute(_PLACE, (session,)).fetchone()
    if row is None:
        return
    db.execute(_RESET, (session,))
    path, folder, project, main_folder = row
    root, main = root_of(without_machine(path), folder), root_of(project, main_folder)
    if root == main:
        return
    written = db.execute("select distinct written_path from file_edits where session_id = ?", (session,)).fetchall()
    for (file,) in written:
        rest = file[len(root) :]
        if file.startswith(root) and rest[:1] in ("/", "\\"):
            name = main + (rest if "\\" in main else rest.replace("\\", "/"))
            db.execute(_RENAME, (name, session, file))


def root_of(path: str, folder: str) -> str:
    """The folder of the repository around a place of it."""
    plain = path.replace("\\", "/")
    return path[: -len(folder) - 1] if folder and plain.endswith(f"/{folder}") else path.rstrip("/\\")
