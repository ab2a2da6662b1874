"""Rules for an agent's rules file: what was certified, as a section of CLAUDE.md or AGENTS.md that a person reviews.

A proposal is text and a diff; nothing here writes a file. The section stands between two comments, so that a later
proposal changes its own lines and no others. What the file says elsewhere in the same words is not said again.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import BadQuery

if TYPE_CHECKING:
    import sqlite3

    from axiommind.projections.entry_rows import EntryRow

__all__ = ["KINDS", "RulesProposal", "propose_rules"]

KINDS = ("preference", "convention", "howto", "gotcha")
_HEADINGS = {
    "preference": "How we work",
    "convention": "Conventions",
    "howto": "How things are run",
    "gotcha": "Watch out",
}
_NAMES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".claude/CLAUDE.md")
_BEGIN = "<!-- axiommind: learned rules, proposed by `axm rules --diff` -->"
_END = "<!-- axiommind: end of learned rules -->"
_SECTION = re.compile(rf"{re.escape(_BEGIN)}.*?{re.escape(_END)}\n?", re.DOTALL)
_LINE_CHARS = 300
_RUNS = "runs"  # the rule for how something is run: its title is the command, its text how often that worked
_ABSOLUTE = re.compile(r"(?<=[\s`=])(?:/|[A-Za-z]:\\)\w")  # a folder of one machine
_OPTIONS = "flags"  # the rule for a few words that became an option
_MOST_BYTES = 4_000_000
_EVERY = 1_000_000


class RulesProposal(NamedTuple):
    """A rules file as it is and as it would be."""

    path: Path
    rules: tuple[EntryRow, ...]  # in the section
    said_already: tuple[EntryRow, ...]  # elsewhere in the file
    before: str
    after: str

    @property
    def diff(self) -> str:
        """A unified diff, as `patch` takes it in the project's folder; empty when nothing would change."""
        name = self.path.name if self.path.parent.name != ".claude" else f".claude/{self.path.name}"
        before, after = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        made = difflib.unified_diff(before, after, f"a/{name}" if self.before else "/dev/null", f"b/{name}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


def propose_rules(
    db: sqlite3.Connection, project: str, *, file: Path | None = None, stages: Sequence[str] = ("certified",)
) -> RulesProposal:
    """What the rules file of a project would be with the rules of these stages in it."""
    path = _file_of(Path(project), file)
    before = _read(path)
    rest = _SECTION.sub("", before)
    known = [_words(line) for line in rest.splitlines()]
    rules: list[EntryRow] = []
    said: list[EntryRow] = []
    for entry in _certified(db, project, stages):
        words = _words(_line(entry))
        (said if any(_covers(line, words) for line in known) else rules).append(entry)
    section = _section(rules)
    if _SECTION.search(before):
        after = _SECTION.sub(lambda _: section, before, count=1)
    elif section:
        gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
        after = f"{before}{gap}{section}"
    else:
        after = before
    return RulesProposal(path, tuple(rules), tuple(said), before, after)


def _file_of(root: Path, file: Path | None) -> Path:
    if file is not None:
        return file if file.is_absolute() else root / file
    return next((root / name for name in _NAMES if (root / name).is_file()), root / _NAMES[0])


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadQuery(f"{path} is too large for a rules file", hint="--file names another one")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadQuery(f"{path} cannot be read: {error}", hint="--file names another one") from error


def _certified(db: sqlite3.Connection, project: str, stages: Sequence[str]) -> list[EntryRow]:
    """The rules that stand, by kind and then in the order in which they were made; what is gone is no rule."""
    from axiommind.freshness.state import GONE, freshness_of
    from axiommind.projections.entry_rows import list_entries

    listed = list_entries(
        db, types=("fact", "decision", "insight"), stages=stages, statuses=("active",), project=project, limit=_EVERY
    )
    found = [one.entry for one in listed if one.entry.kind in KINDS and _is_rule(one.entry)]
    states = freshness_of(db, [entry.entry_id for entry in found])
    kept = [entry for entry in found if entry.entry_id not in states or states[entry.entry_id].state != GONE]
    return sorted(kept, key=lambda e: (KINDS.index(e.kind), e.happened_at or e.created_ts, e.entry_id))


def _is_rule(entry: EntryRow) -> bool:
    """Whether a claim can stand in a rules file. What was certified was vouched for or used for weeks; of what is only
    verified, somebody's wish has to last longer than its session."""
    from axiommind.text.requests.lasting import reads_as_rule

    if entry.stage == "certified" or entry.rule == _OPTIONS:
        return True
    if entry.rule == _RUNS:
        return _ABSOLUTE.search(entry.title) is None
    return entry.kind != "preference" or reads_as_rule(entry.text)


def _section(rules: Sequence[EntryRow]) -> str:
    if not rules:
        return ""
    lines = [_BEGIN]
    for kind in KINDS:
        own = [entry for entry in rules if entry.kind == kind]
        if own:
            lines += ["", f"## {_HEADINGS[kind]}", "", *(f"- {_line(entry)}" for entry in own)]
    return "\n".join([*lines, "", _END, ""])


def _line(entry: EntryRow) -> str:
    """The rule on one line that is nothing but text: no heading, no comment, no list of its own."""
    is_told_by_title = entry.rule == _RUNS or len(entry.text) > _LINE_CHARS
    text = entry.title if is_told_by_title else entry.text
    if entry.rule == _OPTIONS:
        text = f"Run `{entry.title}` (asked for as {entry.text.partition(':')[0]})"
    line = " ".join(text.split()).replace("<!--", "").replace("-->", "")
    line = line.lstrip("#>-*+ ")
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1].rstrip() + "…"


def _words(text: str) -> frozenset[str]:
    from axiommind.text.tokens import fts_text

    return frozenset(fts_text(text).split())


def _covers(line: frozenset[str], rule: frozenset[str]) -> bool:
    """Whether a line says what a rule says: it has nearly all of its words."""
    return bool(rule) and len(rule & line) >= 0.8 * len(rule)
