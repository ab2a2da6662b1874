"""The values that travel between the layers: frozen, typed, light to import, without I/O."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = [
    "HEADLESS",
    "PROVENANCES",
    "QUOTED_AS",
    "Citation",
    "Event",
    "OriginHome",
    "Problem",
    "Span",
    "least_trusted",
]

# Where words come from, the most trusted first.
PROVENANCES = {
    "person": "said by the person: typed, queued, written when refusing or answering",
    "picked": "chosen by the person among options that the agent had worded",
    "teammate": "from the memory of a team mate",
    "rules": "a rules file of the agent, such as CLAUDE.md or AGENTS.md",
    "file": "another file of the repository or the machine: read, printed, or written by an edit",
    "agent": "written by the agent",
    "tool": "returned by a tool that ran on this machine",
    "pasted": "put into a prompt, but written by a model, a program or somebody else",
    "network": "returned from the network",
    "elsewhere": "from another agent, or nobody knows",
}
# The origin of a prompt that a client was given on its command line: by a person, a script or another agent.
HEADLESS = "headless"
# What is said beside words that are quoted to an agent; its own and the person's need no label.
QUOTED_AS = {
    "picked": "the person's choice in the agent's words",
    "teammate": "a team mate's",
    "rules": "from a rules file",
    "file": "from a file",
    "tool": "tool output",
    "pasted": "pasted",
    "network": "from the network",
}
_WEAKEST_FIRST = list(reversed(PROVENANCES))


def least_trusted(provenances: Iterable[str]) -> str:
    """The one of some provenances that is trusted least; `elsewhere` where there are none."""
    return min(provenances, key=_WEAKEST_FIRST.index, default=_WEAKEST_FIRST[0])


class Event(NamedTuple):
    """One line of the log. `position` is commit order, `ts` append time (ms, never going back). Of an event of another
    home (`origin` is its number here, 0 this home) `seq` and `origin_ts` are its position and time there, `schema` the
    version of the vocabulary it is written in, and `ts` is the time there for whoever reads it."""

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
    origin: int = 0
    seq: int | None = None
    origin_ts: int | None = None
    schema: int | None = None
    is_teammates: bool = False

    @property
    def order(self) -> str:
        """Sorts events as every home sorts them, however they arrived: by the time where they happened, then as their
        home wrote them, then by their id, which is the same everywhere."""
        return f"{self.ts:015d}.{self.seq or self.position:011d}.{self.event_id}"


class OriginHome(NamedTuple):
    """A home whose events are in this log: its number here (0 this one), what it is called in its chain, whose machine
    it is and which, what that person is to this home's (`self`, `own`, `teammate`), and whether it is `active`, `gone`
    or `forked`."""

    id: int
    origin: str
    who: str = ""
    name: str = ""
    relation: str = "own"
    state: str = "active"
    verify_key: bytes | None = None

    @property
    def label(self) -> str:
        """What stands before its paths: the machine, and of a team mate the person too."""
        return f"{self.who}@{self.name}" if self.relation == "teammate" else self.name


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
