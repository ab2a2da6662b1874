"""Projects as text and as JSON: what each is called, where it lies, and what persons said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import iso, one_line

if TYPE_CHECKING:
    from axiommind.ingest.projects import ProjectShown
    from axiommind.projections.project_rows import PlaceRow, ProjectRow, RulingRow

__all__ = [
    "COLUMNS",
    "project_json",
    "project_row",
    "ruling_json",
    "ruling_text",
    "shown_json",
    "shown_text",
]

COLUMNS = ("project", "known by", "folders", "sessions", "last")
_WHY = {
    "remote": "the remote {identity}",
    "root": "the first commit {identity:.12}",
    "path": "its path alone: it is in no repository",
    "given": "what a person said",
    "inside": "a folder inside it",
    "": "its path alone: the folder was not here to look at",
}


def project_row(one: ProjectRow) -> dict[str, Any]:
    kind, _, identity = one.key.partition(":")
    return {
        "project": one_line(one.project),
        "known by": one_line(one.name or {"git": identity, "root": identity[:12]}.get(kind, "its path")),
        "folders": one.places,
        "sessions": one.sessions,
        "last": render.day(one.last_ts),
    }


def project_json(one: ProjectRow) -> dict[str, Any]:
    return {
        "project": one.project,
        "name": one.name,
        "key": one.key,
        "folders": one.places,
        "sessions": one.sessions,
        "last": None if one.last_ts is None else iso(one.last_ts),
    }


def ruling_json(one: RulingRow) -> dict[str, Any]:
    return {"id": one.id, "act": one.act, "at": iso(one.at), "about": list(one.about), "undone": one.undone}


def ruling_text(one: RulingRow) -> str:
    about = [one_line(part.removeprefix("path:")) for part in one.about]
    if one.act == "alias":
        return f"{about[0]} means {about[1]}"
    if one.act == "merge":
        return f"{' and '.join(about)} are one project"
    return f"{about[0]} is a project of its own" if len(about) == 1 else f"{' and '.join(about)} are another project"


def shown_json(shown: ProjectShown) -> dict[str, Any]:
    return {
        **project_json(shown.project),
        "folders": [_place_json(one) for one in shown.places],
        "rulings": [ruling_json(one) for one in shown.rulings],
    }


def _place_json(one: PlaceRow) -> dict[str, Any]:
    return {
        "path": one.path,
        "kind": one.kind or None,
        "identity": one.identity or None,
        "folder": one.folder or None,
        "sessions": one.sessions,
        "here": one.is_here,
    }


def shown_text(shown: ProjectShown) -> str:
    one = shown.project
    lines = [render.bold(one_line(one.called))]
    if one.called != one.project:
        lines.append(f"  {one_line(one.project)}")
    lines.append("")
    rows = [
        {"folder": one_line(place.path), "sessions": place.sessions, "known by": one_line(_why(place))}
        for place in shown.places
    ]
    lines.append(render.as_table(("folder", "sessions", "known by"), rows))
    for ruling in shown.rulings:
        undone = " (undone)" if ruling.undone else ""
        lines += ["", f"{ruling.id}  {render.day(ruling.at)}  {ruling_text(ruling)}{undone}"]
    return "\n".join(lines)


def _why(place: PlaceRow) -> str:
    why = _WHY[place.kind].format(identity=place.identity)
    return f"{why}, in {place.folder}" if place.folder else why
