"""The folders of documents that a user has added: which are known is in the log, as events."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key
from axiommind.log import EventLog
from axiommind.model import Event
from axiommind.sources.markdown import SUFFIXES

__all__ = ["FOLDER_EVENTS", "Folder", "add_folder", "folders_of", "is_below", "leave_out", "remove_folder", "widened"]

FOLDER_EVENTS = ("folder_added", "folder_removed")


class Folder(NamedTuple):
    """A folder (or one file) that the user added, with globs relative to it; or one of an agent's notes, or that an
    agent added, and then of which project they are, where it is not the one that they lie in."""

    root: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    project: str | None = None
    agent: str | None = None

    @property
    def payload(self) -> dict[str, Any]:
        globs = {"root": self.root, "include": list(self.include), "exclude": list(self.exclude)}
        return globs if self.agent is None else {**globs, "project": self.project, "agent": self.agent}


def folders_of(log: EventLog) -> dict[str, Folder]:
    """The folders that are added now, by their root."""
    folders: dict[str, Folder] = {}
    for event in log.replay(FOLDER_EVENTS):
        payload = event.payload
        if event.event_type == "folder_added":
            globs = (tuple(payload["include"]), tuple(payload["exclude"]))
            whose = (payload.get("project"), payload.get("agent"))
            folders[payload["root"]] = Folder(payload["root"], *globs, *whose)
        else:
            folders.pop(payload["root"], None)
    return folders


def widened(folder: Folder, include: Iterable[str], exclude: Iterable[str]) -> Folder:
    """A folder with more globs. One that has no includes holds every Markdown file, and goes on to."""
    more = tuple(include)
    if more:
        more = (*(folder.include or tuple(f"**/*{suffix}" for suffix in SUFFIXES)), *more)
    return folder._replace(
        include=tuple(dict.fromkeys(more or folder.include)),
        exclude=tuple(dict.fromkeys((*folder.exclude, *exclude))),
    )


def add_folder(log: EventLog, folder: Folder) -> Event | None:
    """Add a folder, or give it other globs. None when the log knows it just so."""
    with log.atomic():
        if folders_of(log).get(folder.root) == folder:
            return None
        return log.append_dedup(
            "folder_added",
            actor="user" if folder.agent is None else "axm-index",
            payload=folder.payload,
            dedupe_key=dedupe_key("folder_added", folder.root, log.last_position()),
        )


def remove_folder(log: EventLog, root: str) -> Event | None:
    """Take a folder out. Its documents leave with the next run. None when the log does not know it."""
    with log.atomic():
        if root not in folders_of(log):
            return None
        return log.append_dedup(
            "folder_removed",
            actor="user",
            payload={"root": root},
            dedupe_key=dedupe_key("folder_removed", root, log.last_position()),
        )


def leave_out(log: EventLog, path: str, linked_from: str | None = None) -> list[str]:
    """Exclude a file or a folder from the added folders that it lies in, and from the one that a link leads to it from;
    returns their roots."""
    changed = []
    for folder in folders_of(log).values():
        if path != folder.root and (is_below(path, [folder.root]) or folder.root == linked_from):
            below = path[len(folder.root.rstrip(os.sep)) + 1 :] if is_below(path, [folder.root]) else path
            name = below.replace(os.sep, "/")
            glob = re.sub(r"([*?\[\]\\])", r"\\\1", name)
            if glob not in folder.exclude and add_folder(log, folder._replace(exclude=(*folder.exclude, glob))):
                changed.append(folder.root)
    return changed


def is_below(path: str, tops: Iterable[str]) -> bool:
    """Whether a path is one of these, or lies in one of them."""
    return any(path == top or path.startswith(top.rstrip(os.sep) + os.sep) for top in tops)
