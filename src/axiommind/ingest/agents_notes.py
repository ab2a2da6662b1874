"""The notes that an agent keeps for itself: a folder of documents of one project, found and added without being asked.

It is added once. Whoever takes it out again with `axm kb remove` does not get it back. What an agent wrote is its own
word: it is labelled as that, and stays in its project.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from axiommind.ingest.folders import FOLDER_EVENTS, Folder, add_folder
from axiommind.log import EventLog
from axiommind.projects import slug
from axiommind.sources import Discovery

__all__ = ["add_notes"]


def add_notes(log: EventLog, index: sqlite3.Connection, found: Sequence[tuple[str, Discovery]]) -> int:
    """Add the folders of notes that were never added, of projects that are known by now; returns how many."""
    notes = [(agent, root, folder) for agent, discovery in found for root, folder in discovery.notes]
    if not notes:
        return 0
    known = {event.payload["root"] for event in log.replay(FOLDER_EVENTS)}
    wanted = [one for one in notes if one[1] not in known]
    if not wanted:
        return 0
    rows = index.execute("select distinct project from sessions where project_known")
    projects = {slug(project): project for (project,) in rows}
    added = 0
    for agent, root, folder in wanted:
        if folder in projects:
            added += add_folder(log, Folder(root, project=projects[folder], agent=agent)) is not None
    return added
