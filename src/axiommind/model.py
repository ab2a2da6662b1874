"""The values that travel between the layers: frozen, typed, light to import, without I/O."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["PROVENANCES", "Citation", "Event", "Problem", "Span"]

# Where words come from, the most trusted first.
PROVENANCES = {
    "person": "said by the person: typed, queued, written when refusing or answering",
    "rules": "a rules file of the agent, such as CLAUDE.md or AGENTS.md",
    "file": "another file: read, or written by an edit",
    "tool": "returned by a tool that ran on this machine",
    "agent": "written by the agent",
    "pasted": "put into a prompt, but written by a model, a program or somebody else",
    "network": "returned from the network",
    "elsewhere": "from another agent, or nobody knows",
}


class Event(NamedTuple):
    """One line of the log. `position` is commit order, `ts` append time (ms, never going back)."""

    position: int
    event_id: str
    ts: int
    event_type: str
    actor: str
    session_id: str | None
    project: str | None
    payload: dict[str, Any]
    checksum: str
    happened_at: int | None = None
    build_id: str | None = None
    sensitivity: str = "normal"


class Problem(NamedTuple):
    """Bad input is data: what was wrong, in which file, at which line (0 = the file as a whole)."""

    path: str
    line: int
    why: str

    @property
    def where(self) -> str:
        return Citation(self.path, self.line, self.line).text if self.line else self.path


class Citation(NamedTuple):
    """Lines of a file. The text form is `path:L12-L34`, or `path:L12` for one line."""

    path: str
    line_start: int
    line_end: int

    @property
    def text(self) -> str:
        if self.line_end == self.line_start:
            return f"{self.path}:L{self.line_start}"
        return f"{self.path}:L{self.line_start}-L{self.line_end}"

    @property
    def uri(self) -> str:
        """The same lines as a fragment, for what opens links."""
        end = "" if self.line_end == self.line_start else f"-L{self.line_end}"
        return f"{self.path}#L{self.line_start}{end}"


class Span(NamedTuple):
    """Words that were said: code points `start` to `end` of the decoded, redacted text at a JSON pointer (`block`) of
    a line that the event at `position` brought. Never an offset into escaped JSON."""

    position: int
    line: int
    block: str
    start: int
    end: int
