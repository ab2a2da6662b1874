"""The second and third layer of an answer: what was said before and after passages; and passages in full, with the
files, tools and passages that belong to them.

Unknown ids are skipped: an id may be old, or of something that was forgotten since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS
from axiommind.recall.disclosure import Detail, TimelineItem
from axiommind.recall.withdrawn import claims, repeating, withdrawn_among
from axiommind.search.citations import locate
from axiommind.search.rank import Passage
from axiommind.search.reading.passage_ids import evidence_of
from axiommind.search.reading.passages import beside
from axiommind.search.rows import PASSAGES, Texts
from axiommind.text.estimate import estimate_tokens
from axiommind.text.patterns import lazy
from axiommind.text.summary import PREVIEW_CHARS, preview

__all__ = ["details", "timeline"]

# How many answers and calls of a prompt are named, and how many files and tools of a text.
_CHILDREN = 20
_NAMED = 10
_ENDS = " .…。!?"  # of a sentence, which a title may lack
_READ_CHARS = 20_000  # of a text, that are searched for files
_PATH = lazy(r"(?<![\w@:/.-])(?:~?/|\.{1,2}/)?[\w@.-]+(?:/[\w@.-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
# Words with a dot in them that are no files: only a path, or one of these endings, is taken for a file.
_ENDING_LIST = """
c cc cfg cpp cs css csv go h hpp html ini ipynb java js json jsonl jsx kt lock lua md mjs php pl proto py pyi rb rs scss
sh sql svg swift toml ts tsx txt vue xml yaml yml zig
"""
_ENDINGS = frozenset(_ENDING_LIST.split())
_WORD = lazy(r"\w+")
_EDITED = "exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id)"
_FILE = """
    case when json_valid(input_json) then
        coalesce(json_extract(input_json, '$.file_path'), json_extract(input_json, '$.notebook_path'),
                 json_extract(input_json, '$.path'))
    end
"""
_PROMPT = """
    select coalesce(p.timestamp, 0), p.id
    from passages p
    where p.session_id = :session and p.kind = 'prompt' and (coalesce(p.timestamp, 0), p.id) {sign} (:at, :id)
    order by coalesce(p.timestamp, 0) {order}, p.id {order}
    limit 1
"""
_ANSWERS = """
    select p.id, p.kind, p.ref
    from passages p
    where p.session_id = :session
      and p.kind in ('response', 'tool')
      and (coalesce(p.timestamp, 0), p.id) > (:at, :id)
      and (coalesce(p.timestamp, 0), p.id) < (:next_at, :next_id)
    order by coalesce(p.timestamp, 0), p.id
    limit :count
"""
_NEVER = (1 << 62, 0)


def _passages(db: sqlite3.Connection, wanted: Sequence[int]) -> list[Passage]:
    places = ", ".join(map(str, wanted))  # numbers of ours, not words of a user
    rows = {row[0]: Passage(*row) for row in db.execute(f"{PASSAGES} where p.id in ({places})")}
    return [rows[number] for number in wanted if number in rows]


# --- before and after ------------------------------------------------------------------------------------------


def timeline(
    db: sqlite3.Connection, wanted: Sequence[int], window: int = 3, *, is_served: bool = False
) -> list[TimelineItem]:
    """What was said around passages in their sessions, `window` of them each side, in the order of time; what is served
    to an agent, without the words of withdrawn claims and without entries that speak of what is gone."""
    targets = _passages(db, wanted)
    near: dict[int, Passage] = {}
    for target in targets:
        near[target.id] = target
        if window > 0:
            before, after = beside(db, target, window) if target.session_id is not None else _chunks(db, target, window)
            near |= {passage.id: passage for passage in (*before, *after)}
    are_targets = {target.id for target in targets}
    if is_served:
        beside_them = near.keys() - are_targets
        for gone in withdrawn_among(db, beside_them) | repeating(db, beside_them, are_targets):
            del near[gone]
    changed = _leave_out_gone(db, near) if is_served else {}
    texts = Texts(db)
    ordered = sorted(near.values(), key=lambda p: (p.timestamp or 0, p.id))
    where = locate(db, [(p.id, p.kind, p.ref) for p in ordered])
    items = [
        TimelineItem(
            short_id(p.id),
            p.timestamp,
            p.kind,
            _labelled(_whole(p.kind, *texts(p)), changed.get(p.id, "")),
            p.id in are_targets,
            where.get(p.id),
            p.session_id,
            p.provenance,
        )
        for p in ordered
    ]
    said_again = _said_again(items) if is_served else frozenset[str]()
    # A call may have no text.
    return [item for item in items if item.is_target or (item.preview and item.id not in said_again)]


def _said_again(items: Sequence[TimelineItem]) -> frozenset[str]:
    """The entries that are in the words of another line, as those are that a person's own words became."""
    said = [(item.id, item.preview.rstrip(_ENDS)) for item in items]
    return frozenset(
        item.id
        for item, (_, mine) in zip(items, said, strict=True)
        if item.type == "insight" and any(name != item.id and mine in other for name, other in said)
    )


def _leave_out_gone(db: sqlite3.Connection, near: dict[int, Passage]) -> dict[int, str]:
    """Take the entries out whose files are gone; what changed since, for those that are left."""
    entries = {p.ref: p.id for p in near.values() if p.kind == "insight"}
    if not entries:
        return {}
    from axiommind.freshness.state import GONE, freshness_of

    places = ", ".join(map(str, entries))
    names = dict(db.execute(f"select entry_id, id from entries where id in ({places})").fetchall())
    changed = {}
    for name, state in freshness_of(db, names).items():
        passage = entries[names[name]]
        if state.state == GONE:
            del near[passage]
        else:
            changed[passage] = state.label
    return changed


def _labelled(text: str, label: str) -> str:
    return (
        f"{preview(text, max(PREVIEW_CHARS - len(label) - 3, PREVIEW_CHARS // 2))} ({label})"
        if label
        else preview(text)
    )


def _chunks(db: sqlite3.Connection, target: Passage, window: int) -> tuple[list[Passage], list[Passage]]:
    """The parts of a document beside one: their numbers follow each other."""
    reach = window << KIND_BITS
    rows = db.execute(
        f"{PASSAGES} where p.id between ? and ? and p.doc_id = ? order by p.id",
        (target.id - reach, target.id + reach, target.doc_id),
    )
    found = [Passage(*row) for row in rows]
    return [p for p in found if p.id < target.id], [p for p in found if p.id > target.id]


# --- all of it -------------------------------------------------------------------------------------------------


def details(db: sqlite3.Connection, wanted: Sequence[int]) -> list[Detail]:
    """Passages in full, with their files and tools and the passages that belong to them."""
    passages = _passages(db, wanted)
    where = locate(db, [(p.id, p.kind, p.ref) for p in passages])
    learned = claims(db, [p.id for p in passages if p.session_id is not None])
    texts = Texts(db)
    found = []
    for passage in passages:
        content = _whole(passage.kind, *texts(passage))
        children = _children(db, passage)
        files, tools, has_code = _used(db, passage, content, children)
        found.append(
            Detail(
                id=short_id(passage.id),
                content=content,
                type=passage.kind,
                timestamp=passage.timestamp,
                session_id=passage.session_id,
                citation=where.get(passage.id),
                token_count=estimate_tokens(content),
                has_code=has_code,
                files=files,
                tools=tools,
                parent_id=_parent(db, passage),
                child_ids=tuple(short_id(child) for child, _, _ in children),
                related_ids=tuple(_related(db, passage))
                or tuple(claim.entry_id for claim in learned.get(passage.id, ())),
                provenance=passage.provenance,
            )
        )
    return found


def _whole(kind: str, title: str, text: str) -> str:
    """A text below its title, unless it begins with it. The title of an entry is made of its words: where the text has
    all of them, it is enough."""
    if not title or text.startswith(title.rstrip("…")):
        return text
    if kind == "insight" and set(_words(title)) <= set(_words(text)):
        return text
    return f"{title}\n\n{text}"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _at(passage: Passage) -> dict[str, object]:
    return {"session": passage.session_id, "at": passage.timestamp or 0, "id": passage.id, "count": _CHILDREN}


def _parent(db: sqlite3.Connection, passage: Passage) -> str | None:
    """The last prompt before a passage."""
    if passage.session_id is None or passage.kind == "prompt":
        return None
    row = db.execute(_PROMPT.format(sign="<", order="desc"), _at(passage)).fetchone()
    return short_id(row[1]) if row else None


def _children(db: sqlite3.Connection, passage: Passage) -> list[tuple[int, str, int]]:
    """What answers a prompt, until the next one."""
    if passage.kind != "prompt":
        return []
    at = _at(passage)
    then = db.execute(_PROMPT.format(sign=">", order="asc"), at).fetchone() or _NEVER
    return db.execute(_ANSWERS, {**at, "next_at": then[0], "next_id": then[1]}).fetchall()


def _related(db: sqlite3.Connection, passage: Passage) -> list[str]:
    return [short_id(number) for number in evidence_of(db, passage.ref)] if passage.kind == "insight" else []


def _used(
    db: sqlite3.Connection, passage: Passage, content: str, children: Sequence[tuple[int, str, int]]
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The files that a passage is about, the tools that were called, and whether there is code in it."""
    from axiommind.tools.kinds import is_run

    calls = [passage.ref] if passage.kind == "tool" else [ref for _, kind, ref in children if kind == "tool"]
    places = ", ".join(map(str, calls))
    rows = db.execute(f"select classified_name, {_EDITED}, {_FILE} from tool_uses where id in ({places}) order by id")
    tools: dict[str, None] = {}
    files: dict[str, None] = {}
    has_code = "```" in content or "~~~" in content
    for classified, was_edited, file in rows:
        tools[classified] = None
        if passage.kind == "tool":
            has_code = has_code or bool(was_edited) or is_run(classified)
            if isinstance(file, str) and file:
                files[file] = None
    if not files:
        files = dict.fromkeys(word for word in _PATH.findall(content[:_READ_CHARS]) if _is_file(word))
    return tuple(files)[:_NAMED], tuple(tools)[:_NAMED], has_code


def _is_file(word: str) -> bool:
    return "/" in word or word.rpartition(".")[2].lower() in _ENDINGS
