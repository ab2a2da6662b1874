"""Open work that is written down as a file: one todo, one file, in a folder for them (`todos/pending/…`, `backlog/…`).

Writing, reading or listing such a file says that it is still to be done; moving it to a folder of finished ones says
that it is done, deleting it that it no longer is to be. What git prints of files says nothing: it names what was moved
by its old place. A task is found by the file's name, and is called as the file calls itself once that was seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, DraftStep, Quote
from axiommind.extraction.quoting import clip, given, only, within
from axiommind.extraction.rules import MOST_DRAFTS, Rule
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import EDIT, READ, RUN, SEARCH

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "open-files",
        types=("task_note",),
        labelled="open-files",
        right=15,
        total=15,
        note="calls made by hand; 62 of 62 in real sessions of one project",
    ),
)
ORDER = 61

_FOLDER = r"(?:to-?dos?|backlog)"
_OVER = r"(?:done|completed?|closed|archived?|resolved|finished)"
_NAME = r"(?P<name>\w[\w.-]{2,120}\.(?:md|txt|org))"
_FILE = lazy(rf"(?<![\w.-]){_FOLDER}/(?:(?P<state>[\w-]{{1,40}})/)?{_NAME}", re.IGNORECASE)
_LISTS = lazy(rf"(?:ls|find|tree)\b[^;&|\n]*\b{_FOLDER}/(?!{_OVER}\b)[^;&|\n]*(?:2>/dev/null)?", re.IGNORECASE)
_BARE = lazy(r"^(\w[\w.-]{2,120}\.(?:md|txt|org))$", re.MULTILINE)
_MOVES = lazy(
    rf"\b(?:git\s+)?mv\s+(?:-\w+\s+)*[^\s;&|]*\b{_FOLDER}/(?:[\w-]{{1,40}}/)?{_NAME}[\"']?"
    rf"\s+[^\s;&|]*/{_OVER}(?:/|\b)",
    re.IGNORECASE,
)
_DELETES = lazy(
    rf"\b(?:git\s+)?rm\s+(?:-\w+\s+)*[^\s;&|]*\b{_FOLDER}/(?:[\w-]{{1,40}}/)?{_NAME}\b",
    re.IGNORECASE,
)
_IS_OVER = lazy(rf"{_OVER}$", re.IGNORECASE)
_CALLED = lazy(r"^(?:[ \t]*\d+[→\t])?(?:#{1,3}|title:)[ \t]+(?P<title>[^\n]{4,200}?)[ \t]*$", re.MULTILINE)
_DATED = lazy(r"^(?:\d{4}-?\d{2}-?\d{2}[-_])?(?:\d{1,4}[-_])?")
_DELETED = "its file was deleted"
_NO_TODO = ("readme", "index", "template")


class _TodoFile:
    """One file, with what was done to it so far."""

    def __init__(self, name: str) -> None:
        stem = name.rpartition(".")[0]
        self.name = name
        self.first_title = _DATED.sub("", stem, count=1).replace("-", " ").replace("_", " ").strip() or stem
        self.title = ""
        self.named: tuple[Quote, ...] = ()
        self.quotes: tuple[Quote, ...] = ()
        self.steps: list[DraftStep] = []

    def step(self, status: str, quotes: tuple[Quote, ...], use: ToolCall, reason: str = "") -> None:
        if quotes and not use.copied:
            self.steps.append(DraftStep(status, quotes, use.timestamp, reason))
            self.quotes = self.quotes or quotes

    def draft(self) -> Draft:
        title = self.title or self.first_title
        return Draft(
            type="task_note",
            title=title,
            text=title,
            quotes=only(self.named, self.quotes),
            rule="open-files",
            timestamp=self.steps[0].timestamp,
            steps=tuple(self.steps),
            renamed_from=self.first_title if self.title else "",
            file=self.name,
            kind="open",
        )


def find(transcript: Transcript) -> list[Draft]:
    files = _TodoFiles(transcript)
    for use in transcript.uses:
        if use.failed is not False:
            continue
        if use.tool.kind in (EDIT, READ):
            files.touched(use)
        elif use.tool.kind == RUN:
            files.ran(use)
        elif use.tool.kind == SEARCH:
            files.listed(use, is_bare=False)
    return [file.draft() for file in files.by_name.values() if file.steps][:MOST_DRAFTS]


class _TodoFiles:
    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.by_name: dict[str, _TodoFile] = {}

    def named(self, name: str) -> _TodoFile | None:
        name = name.casefold()
        if name.rpartition(".")[0] in _NO_TODO:
            return None
        return self.by_name.setdefault(name, _TodoFile(name))

    def touched(self, use: ToolCall) -> None:
        """A file that was written or read."""
        field = use.tool.file_field or "file_path"
        message = use.leaves.get(f"/{field}")
        match = _FILE.search(given(use, field))
        file = self.named(match["name"]) if match is not None else None
        if match is None or message is None or file is None:
            return
        if not file.title:
            held = [place for place in (use.leaves.get("/content"), *use.results) if place is not None]
            for place in held:
                self.call(file, place)
        is_over = match["state"] is not None and _IS_OVER.match(match["state"]) is not None
        file.step("done" if is_over else "pending", within(self.transcript, message, match["name"]), use)

    def call(self, file: _TodoFile, message: int) -> None:
        """What the file calls itself, if this text says it."""
        called = _CALLED.search(self.transcript.messages[message].text[:3_000])
        if called is not None and not file.title:
            title = called["title"].strip("\"' ")
            file.named = within(self.transcript, message, title[:200])
            file.title = clip(title) if file.named else ""

    def ran(self, use: ToolCall) -> None:
        command, message = given(use, "command"), use.leaves.get("/command")
        if message is None or not ("todo" in command.lower() or "backlog" in command.lower()):
            return
        moved = False
        for pattern, status, reason in ((_MOVES, "done", ""), (_DELETES, "cancelled", _DELETED)):
            for match in pattern.finditer(command):
                moved = True
                file = self.named(match["name"])
                if file is not None and not (status == "cancelled" and file.steps and file.steps[-1].status == "done"):
                    file.step(status, within(self.transcript, message, match[0].strip()), use, reason)
        if not moved and not use.given.get("run_in_background") and (listing := _LISTS.match(command.strip())):
            self.listed(use, is_bare=listing[0].strip() == command.strip())

    def listed(self, use: ToolCall, *, is_bare: bool) -> None:
        """Names of files in what came back. Of a whole listing they may stand there without their folder."""
        for result in use.results:
            text = self.transcript.messages[result].text[:20_000]
            files = _FILE.finditer(text)
            names = [one["name"] for one in files if one["state"] is None or not _IS_OVER.match(one["state"])]
            if is_bare and not names:
                names = [match[1] for match in _BARE.finditer(text)]
            for name in dict.fromkeys(names):
                file = self.named(name)
                if file is not None:
                    file.step("pending", within(self.transcript, result, name), use)
