"""Reading facts: one scope of the index, read once, and the evidence that stands behind a fact."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

from axiommind.model import Citation
from axiommind.reports.analysers.evidence import FilePair, Habit, Witness
from axiommind.reports.analysers.rework import RepeatedFailure, failures
from axiommind.reports.insight import rows
from axiommind.reports.insight.habits import habits_of
from axiommind.reports.insight.rows import CallRow, PersonPrompt, Window, one_line
from axiommind.reports.insight.values import CitedQuote
from axiommind.search.citations import locate

__all__ = ["MOST_SHOWN", "FactReader", "heading"]

MOST_SHOWN = 5
_MOST_EVIDENCE = 3
TITLE_CHARS = 80
_LEAST_TITLE = 5
_MOST_OF_FILES = 0.7
_LEAST_DEPTH = 3


class FactReader:
    """One scope of the index, read once."""

    def __init__(self, db: sqlite3.Connection, project: str | None, window: Window) -> None:
        self.db = db
        self.project = project
        self.window = window
        self.prompts: list[PersonPrompt] = rows.prompts_of(db, window)
        self.used: list[CallRow] = rows.calls_of(db, window)
        self.counted = [one.call for one in self.used if one.call.counts]
        self.failures: list[RepeatedFailure] = failures(one.call for one in self.used)
        self.habits: list[Habit] = habits_of(self.prompts, self.used)
        self.statements = rows.statements_of(self.prompts)
        self.pairs: list[FilePair] = rows.pairs_of(db, window)
        self._elsewhere = _other_root(self.project, {one.file for one in self.used if one.file})

    def cite(self, kind: str, ref: int) -> Citation | None:
        return locate(self.db, [(ref, kind, ref)]).get(ref)

    def quoted(self, witness: Witness) -> CitedQuote | None:
        citation = self.cite(witness.kind, witness.ref)
        return None if citation is None else CitedQuote(witness.quote, citation, witness.session, witness.at)

    def evidence(self, witnesses: Sequence[Witness]) -> tuple[CitedQuote, ...]:
        """A few witnesses of different sessions, the newest first."""
        newest: dict[str, Witness] = {}
        for one in sorted(witnesses, key=lambda w: (-(w.at or 0), w.session, w.ref)):
            newest.setdefault(one.session, one)
        found: list[CitedQuote] = []
        for one in newest.values():
            if len(found) < _MOST_EVIDENCE and (quoted := self.quoted(one)) is not None:
                found.append(quoted)
        return tuple(found)

    def last(self, witnesses: Sequence[Witness]) -> CitedQuote | None:
        found = self.evidence(witnesses)
        return found[0] if found else None

    def inside(self, path: str) -> str:
        """A path as seen from its project, or from where most of the files are that were edited outside of it."""
        root = f"{self.project}/" if self.project else ""
        if root and path.startswith(root):
            return path.removeprefix(root)
        return path.removeprefix(self._elsewhere) if root and self._elsewhere else path

    def title(self, session: str) -> str:
        """What a session is called, or what was asked in it first; of a plan its heading."""
        row = self.db.execute(
            """
            select case when length(trim(coalesce(s.title, ''))) >= :least then s.title
                else (select text from prompts p where p.session_id = s.id and p.char_count >= :least
                      order by p.line limit 1) end
            from sessions s where s.id = :session
            """,
            {"session": session, "least": _LEAST_TITLE},
        ).fetchone()
        return one_line(heading(row[0]), TITLE_CHARS) if row and row[0] else session[:8]

    def perspective(self, perspective: str, **params: Any) -> list[dict[str, Any]]:
        """The rows of a perspective over this scope and window."""
        from axiommind.reports.perspectives import load

        one = load(perspective)
        values = {p.name: p.default for p in (*one.filters, *one.params)}
        return one.run(self.db, {**values, **self.window._asdict(), **params})


def _other_root(project: str | None, files: set[str]) -> str:
    """The folder that most of the files are in that are not the project's: a worktree, a container, another machine."""
    outside = sorted(path for path in files if project is None or not path.startswith(f"{project}/"))
    folders = Counter(path[: at + 1] for path in outside for at, char in enumerate(path) if char == "/" and at)
    most = [folder for folder, count in folders.items() if count >= _MOST_OF_FILES * len(outside)]
    root = max(most, key=len, default="")
    # The repository itself where its folders are told apart there; else the folder above, to keep one name.
    has_folders = (
        sum(1 for folder in folders if folder.startswith(root) and folder.count("/") == root.count("/") + 1) > 1
    )
    return root if has_folders or root.count("/") < _LEAST_DEPTH else root[: root.rstrip("/").rfind("/") + 1]


def heading(text: str) -> str:
    """Of a plan that the client handed on, its heading; any other text as it is."""
    if not text.lower().startswith("implement the following plan"):
        return text
    plan = text.partition(":")[2].strip().lstrip("# ").removeprefix("Plan:").strip()
    return plan.splitlines()[0] if plan else "a plan"
