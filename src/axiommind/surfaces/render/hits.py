"""Hits as JSON and as text for people: the same for every command that searches."""

from __future__ import annotations

import json
import os
import shlex
import time
from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.provenance import SAID_BY
from axiommind.text.summary import summary

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.model import Citation
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.reading.lines import Opened

__all__ = [
    "age",
    "as_json",
    "as_text",
    "cited",
    "documents_as_text",
    "highlighted",
    "hit_as_dict",
    "hit_as_text",
    "lines_as_text",
    "numbered",
    "to_dict",
]

RETRIEVAL_METHOD = "fts5-bm25"
_AGES = ((365 * 86_400, "y"), (30 * 86_400, "mo"), (7 * 86_400, "w"), (86_400, "d"), (3_600, "h"), (60, "min"))


def to_dict(page: Page, *, why: bool = False) -> dict[str, Any]:
    return {
        "schema": "axm.search.v1",
        "query": page.query,
        "search_method": page.search_method,
        "score_kind": page.score_kind,
        "took_ms": page.took_ms,
        "index_version": page.index_version,
        "hits": [_hit(hit, page.search_method, why=why) for hit in page.hits],
        "total": page.total,
        "next_cursor": page.next_cursor,
        "truncated": page.truncated,
        "note": page.note,
    }


def as_json(page: Page, *, why: bool = False) -> str:
    return json.dumps(to_dict(page, why=why), ensure_ascii=False, indent=1)


def _hit(hit: Hit, method: str, *, why: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": hit.id,
        "doc_id": hit.doc_id,
        "chunk_id": hit.chunk_id,
        "kind": hit.kind,
        "retrieval_method": _retrieved(hit, method),
        "score": hit.score,
        "score_kind": hit.score_kind,
        "summary": hit.summary,
        "snippet": hit.snippet.text,
        "highlights": [list(mark) for mark in hit.snippet.marks],
        "session_id": hit.session_id,
        "project": hit.project,
        "timestamp": hit.timestamp,
        "citation": cited(hit.citation),
        "heading": hit.heading or None,
        "title": hit.title,
        "tool": hit.tool,
        "provenance": hit.provenance,
        "entry": hit.entry._asdict() if hit.entry is not None else None,
        "folded": hit.same,
        "passages": hit.passages,
        "index_version": hit.index_version,
    }
    if why:
        shown["why"] = hit.why
    return shown


def _retrieved(hit: Hit, method: str) -> str:
    """What found this hit: its words, its meaning, or both."""
    if method == "semantic" or (method == "hybrid" and not hit.why["words"]):
        return "vector"
    if method == "hybrid" and "similarity" in hit.why:
        return "hybrid"
    return "like" if method == "like" else RETRIEVAL_METHOD


def hit_as_dict(hit: Hit, method: str) -> dict[str, Any]:
    return _hit(hit, method, why=False)


def hit_as_text(number: int, hit: Hit) -> str:
    return _shown(number, hit, time.time(), why=False)


def cited(citation: Citation | None) -> dict[str, Any] | None:
    if citation is None:
        return None
    return {"text": citation.text, "uri": citation.uri, **citation._asdict()}


def numbered(opened: Opened, home: Path) -> list[tuple[int, str]]:
    """Lines of a file, redacted once more, with their numbers."""
    from axiommind.surfaces.render.fence import redacted

    if not opened.lines:
        return []
    lines = redacted("\n".join(opened.lines), home, keep_lines=True).split("\n")
    return list(enumerate(lines, opened.first))


def lines_as_text(opened: Opened, home: Path) -> str:
    """Lines with their numbers; those that were asked for have a mark."""
    last = opened.first + len(opened.lines) - 1
    room = len(str(last))
    cited = opened.citation
    rows = []
    for number, text in numbered(opened, home):
        inside = cited.line_start <= number <= cited.line_end
        row = f"{'▸' if inside else ' '} {number:>{room}} │ {render.printable(text)}"
        rows.append(row if inside else render.dim(row))
    return "\n".join(rows)


def as_text(page: Page, *, why: bool = False, now: float | None = None) -> str:
    """Every hit: rank, score and snippet; kind and age; file and line; how to resume its session."""
    at = time.time() if now is None else now
    return "\n\n".join(_shown(n, hit, at, why=why) for n, hit in enumerate(page.hits, 1))


def documents_as_text(page: Page, *, why: bool = False) -> str:
    """Hits in documents, each as its text, its document, its citation and its headings (R1.27)."""
    shown = []
    for number, hit in enumerate(page.hits, 1):
        lines = [f"{number}. [{hit.score:.2f}] {highlighted(hit.snippet.text, hit.snippet.marks)}"]
        if hit.citation is not None:
            lines += [f"   doc: {_home(hit.citation.path)}", f"   citation: {_home(hit.citation.text)}"]
        lines.append(f"   heading: {render.printable(hit.heading)}")
        if why:
            lines += [f"   {line}" for line in _reasons(hit.why)]
        shown.append("\n".join(lines))
    return "\n\n".join(shown)


def _shown(number: int, hit: Hit, at: float, *, why: bool) -> str:
    from axiommind.search.candidates import OF_ONE_GROUP

    what = [hit.tool or hit.kind, age(hit.timestamp, at)]
    how = f"axm show {hit.id}"
    if hit.entry is not None:
        standing = "" if hit.entry.status == "active" else f", {hit.entry.status}"
        what[0] = f"{hit.entry.type.replace('_', ' ')}, {hit.entry.stage}{standing}"
        how = f"axm entry show {hit.entry.entry_id}"
    if hit.why.get("similarity") is not None and not hit.why["words"]:
        what.insert(1, "by meaning")
    if hit.kind not in ("prompt", "response") or hit.provenance not in ("person", "agent"):
        what.insert(1, SAID_BY[hit.provenance])
    if hit.project:
        what.append(_home(hit.project))
    if hit.score_kind == "session":
        more = "+" if hit.passages >= OF_ONE_GROUP else ""  # of one session no more are scored
        what.append(f"{hit.passages}{more} passage{'' if hit.passages == 1 else 's'}")
    if hit.same:
        what.append(f"+{hit.same} alike")
    lines = [f"{number}. [{hit.score:.2f}] {highlighted(hit.snippet.text, hit.snippet.marks)}"]
    lines.append("   " + render.dim(" · ".join(w for w in what if w) + f" · {how}"))
    title = summary(hit.title or "")
    if title and not hit.snippet.text.startswith(title[:40]):
        lines.append(f"   {render.printable(title)}")
    if hit.heading:
        lines.append(f"   {render.printable(hit.heading)}")
    if hit.citation is not None:
        lines.append(f"   {_home(hit.citation.text)}")
    if hit.score_kind == "session" and (words := _resume(hit)):
        where = f"cd {shlex.quote(hit.project)} && " if hit.project else ""
        lines.append("   " + render.dim(render.printable(where + shlex.join(words))))
    if why:
        lines += [f"   {line}" for line in _reasons(hit.why)]
    return "\n".join(lines)


def _resume(hit: Hit) -> tuple[str, ...] | None:
    from axiommind.sources import resume_command

    if not hit.agent or not hit.session_id or hit.citation is None:
        return None
    return resume_command(hit.agent, hit.session_id, hit.citation.path)


def _reasons(why: dict[str, Any]) -> list[str]:
    rows = [
        f"{one['clause']}: gave {one['gave']:.2f} (worth {one['worth']:.2f}, in {one['in_passages']:,} of all passages)"
        for one in why["matched"]
    ]
    if why["missing"]:
        rows.append("not here: " + ", ".join(why["missing"]))
    if why["nowhere"]:
        rows.append("in no passage: " + ", ".join(why["nowhere"]))
    parts = [f"words {why['words']:.2f}", f"near each other {why['near']:.2f}", f"kind × {why['kind_weight']:.2f}"]
    parts += [f"date {why['date']:.2f}"] if why["date"] else []
    parts += [f"meaning {why['meaning']:.2f} (cosine {why['similarity']:.2f})"] if "similarity" in why else []
    parts += [f"recency × {1 + why['recency']:.2f}"] if why["recency"] else []
    rows.append(" · ".join(parts) + f" = {why['passage']:.2f}")
    if "session" in why:
        best = ", ".join(f"{score:.2f}" for score in why["passages"])
        meaning = f"; meaning {why['session_meaning']:.2f}" if "session_meaning" in why else ""
        rows.append(f"session {why['session']:.2f}: passages {best}; covers {why['covered']:.2f}{meaning}")
    return rows


def highlighted(text: str, marks: tuple[tuple[int, int], ...]) -> str:
    """The text with its marked words in bold, where the terminal can."""
    pieces = []
    at = 0
    for start, end in marks:
        pieces += [render.printable(text[at:start]), render.bold(render.printable(text[start:end]))]
        at = end
    return "".join(pieces) + render.printable(text[at:])


def age(timestamp: int | None, now: float) -> str:
    """How long ago, in one unit."""
    if timestamp is None:
        return ""
    seconds = now - timestamp / 1000
    for size, unit in _AGES:
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"


def _home(path: str) -> str:
    """A path as people write it: the home folder as ~."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib is not worth its import here
    shown = "~" + path[len(home) :] if home != "/" and (path == home or path.startswith(home + os.sep)) else path
    return render.printable(shown)
