"""Passages in an answer: matches, their surroundings and whole texts, each as few words as say it.

A citation is written once, as the beginning of the session's id and its lines (`axm open` takes it); a path is named
once for each session, or with the whole text. What is empty is left out.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from axiommind.surfaces.mcp.pages import chars_fitting, cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from axiommind.model import Citation
    from axiommind.recall.disclosure import Detail, IndexItem, TimelineItem

_SESSION_CHARS = 8
_LEAST_PART = 50  # tokens of a text in an answer with others
_LONGEST_NAME = 60  # characters of an id that nothing has
_USUAL = {"prompt": "person", "response": "agent"}  # whose words they are, unless something else is said


class RecallMatch(TypedDict):
    id: str  # of an insight, that of its entry
    summary: str
    score: float
    type: str  # prompt, response, tool, insight, doc
    timestamp: str  # the day
    citation: str | None  # 3bb427c1:L53; of a document, its path and lines
    chunk_id: NotRequired[int]  # of a document: the row of `chunks`
    stage: NotRequired[str]  # of an insight: how far it is believed
    status: NotRequired[str]  # if it is no longer active
    provenance: NotRequired[str]  # whose words, unless it is a person's prompt or the agent's answer: network, tool …
    changed: NotRequired[str]  # what it speaks of has changed since
    project: NotRequired[str]  # if it is not the one that was asked about


class SurroundingPassage(TypedDict):
    id: str
    timestamp: str
    type: str
    preview: str
    isTarget: bool
    citation: str | None
    provenance: NotRequired[str]  # as of a match


class WholePassage(TypedDict):
    id: str
    content: str
    part: NotRequired[str]  # which characters of the text these are, if not all
    # The rest is given with the beginning of a text:
    type: NotRequired[str]
    timestamp: NotRequired[str]
    sessionId: NotRequired[str]
    citation: NotRequired[str]  # with the path
    provenance: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    relations: NotRequired[dict[str, Any]]


def match_json(item: IndexItem, project: str | None) -> RecallMatch:
    """A match in a line, for whoever asked about a project."""
    shown = RecallMatch(
        id=item.entry.entry_id if item.entry is not None else item.id,
        summary=item.summary,
        score=round(item.score, 2),
        type=item.type,
        timestamp=moment(item.timestamp)[:10],
        citation=cited(item.session_id, item.citation),
    )
    if said := _words_of(item):
        shown["provenance"] = said
    if item.chunk_id is not None:
        shown["chunk_id"] = item.chunk_id
    if item.entry is not None:
        shown["stage"] = item.entry.stage
        if item.entry.status != "active":
            shown["status"] = item.entry.status
    if item.changed:
        shown["changed"] = item.changed
    if item.project and item.project != project:
        shown["project"] = item.project
    return shown


def _words_of(item: IndexItem | TimelineItem | Detail) -> str:
    """Where words come from; empty where the type says it."""
    return "" if _USUAL.get(item.type) == item.provenance else item.provenance


def around_json(item: TimelineItem) -> SurroundingPassage:
    shown = SurroundingPassage(
        id=item.id,
        timestamp=moment(item.timestamp),
        type=item.type,
        preview=item.preview,
        isTarget=item.is_target,
        citation=cited(item.session_id, item.citation),
    )
    if said := _words_of(item):
        shown["provenance"] = said
    return shown


def files_of(items: Iterable[TimelineItem]) -> dict[str, str]:
    """The file of each session, as it is cited."""
    return {
        label: item.citation.path
        for item in items
        if item.citation is not None and (label := _label(item.session_id, item.citation)) is not None
    }


def moment(milliseconds: int | None) -> str:
    """A time to the minute, in UTC; empty if nobody knows it."""
    if not milliseconds:
        return ""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000))[:16]
    except (OverflowError, OSError, ValueError):  # a transcript may say any number
        return ""


def cited(session: str | None, citation: Citation | None) -> str | None:
    if citation is None:
        return None
    label = _label(session, citation)
    return citation.text if label is None else citation._replace(path=label).text


def _label(session: str | None, citation: Citation) -> str | None:
    """The beginning of a session's id, which says which file is meant; None if it does not."""
    if not session or session not in citation.path:
        return None
    # Ids of subagents all begin with the same letters.
    return session if "-" in session[:_SESSION_CHARS] else session[:_SESSION_CHARS]


def names_shown(unknown: Iterable[str]) -> list[str]:
    return [name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…" for name in unknown]


# --- whole texts -------------------------------------------------------------------------------------------------


def parts_of(details: Sequence[Detail], places: Sequence[int], room: int) -> tuple[list[WholePassage], list[int]]:
    """What of some texts has room, each from its place on, in equal shares; and where the next page begins in each.
    A text that has been given whole is left out, and one without words is given once."""
    shown: list[WholePassage] = []
    after = list(places)
    open_ones = [n for n, detail in enumerate(details) if places[n] < max(len(detail.content), 1)]
    for left, n in zip(range(len(open_ones), 0, -1), open_ones, strict=True):
        detail, start = details[n], places[n]
        one = _about(detail) if start == 0 else WholePassage(id=detail.id, content="")
        text = detail.content[start:]
        end = start + _whole_lines(text, chars_fitting(text, max(room // left - cost(one), _LEAST_PART)))
        one["content"] = detail.content[start:end]
        if start or end < len(detail.content):
            one["part"] = f"characters {start + 1:,} to {end:,} of {len(detail.content):,}"
        room -= cost(one)
        after[n] = max(end, 1)
        shown.append(one)
    return shown, after


def _whole_lines(text: str, most: int) -> int:
    """So many characters, or a few less, so that a line or at least a word is not cut in two."""
    if most >= len(text):
        return len(text)
    for mark in ("\n", " "):
        if (end := text.rfind(mark, most - most // 5, most)) > 0:
            return end + 1
    return most


def _about(detail: Detail) -> WholePassage:
    shown = WholePassage(id=detail.id, content="", type=detail.type, timestamp=moment(detail.timestamp))
    if said := _words_of(detail):
        shown["provenance"] = said
    if detail.session_id:
        shown["sessionId"] = detail.session_id
    if detail.citation is not None:
        shown["citation"] = detail.citation.text
    named = {"files": list(detail.files), "tools": list(detail.tools)}
    shown["metadata"] = {
        "tokenCount": detail.token_count,
        "hasCode": detail.has_code,
        **{name: values for name, values in named.items() if values},
    }
    related = {"parentId": detail.parent_id, "childIds": list(detail.child_ids), "relatedIds": list(detail.related_ids)}
    if given := {name: value for name, value in related.items() if value}:
        shown["relations"] = given
    return shown
