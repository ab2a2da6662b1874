"""A handoff as the packet that an agent is started with: our words, then the record as quoted history.

Notes are told in the order of their ranks, as many as the budget allows, and shown in the order of their sections; so
more budget never gives less. No note is cut: what is told in parts says where a part is missing, and what was left out
is counted in the last line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import UsageError
from axiommind.model import QUOTED_AS
from axiommind.recall.disclosure import FENCE_SPARE, SESSION_CHARS
from axiommind.recall.handoff.asked import ANSWERED
from axiommind.surfaces.render.fence import clean, fenced, framed
from axiommind.surfaces.render.table_layout import cut_middle
from axiommind.text.estimate import UNITS, estimate_tokens, tokens_of, weigh
from axiommind.text.patterns import lazy
from axiommind.text.whole_sentences import LEFT_OUT

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.recall.handoff.values import Handoff, HandoffNote, HandoffSection

__all__ = ["HandoffPacket", "handoff_packet", "to_dict"]

_REQUEST = (
    "You take over the work of an earlier session ({agent}, {short}) in this folder. What its record says is quoted"
    " below as history; ids in brackets open with `axm show ID`. First look at the state of the files (git status, git"
    " log): they count where the record differs. Then go on with what is not done, the last request first, and do not"
    " try again what failed without a new reason. If nothing is left to do, say so and ask what is wanted next; where"
    " it is not clear, ask before you change anything."
)
_WHOSE = {"person": "the person", "agent": "the agent", "elsewhere": "another agent", **QUOTED_AS}
_LABELLED = ("Decided and learned", "Still open")  # sections whose claims say whose they are
_UNCITED = ("Files changed",)  # the last edit of a file is seldom worth opening
_PATH = 160  # characters
# What a client may open by itself when it stands in a prompt: `@file`.
_MENTION = lazy(r"(?<![\w@])@(?=[\w.~/\\\"'])")


class HandoffPacket(NamedTuple):
    """The packet, and what of the handoff it holds."""

    request: str  # what the next agent is to do, in our words
    quoted: str  # the record, fenced
    told: tuple[HandoffNote, ...]
    left_out: tuple[tuple[str, int, int], ...]  # what, how many, of how many

    @property
    def text(self) -> str:
        return f"{self.request}\n\n{self.quoted}"

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)


def handoff_packet(handoff: Handoff, budget: int, home: Path | None = None) -> HandoffPacket:
    """As much of a handoff as a budget of tokens allows, which also pays for our own words and the fence."""
    sections = [
        section._replace(notes=tuple(_cleaned(note, home) for note in section.notes)) for section in handoff.sections
    ]
    places = [(s, n) for s, section in enumerate(sections) for n in range(len(section.notes))]
    places.sort(key=lambda place: (sections[place[0]].notes[place[1]].rank, place))
    request = _request(handoff)
    head = clean(_head(handoff), home)
    room = budget * UNITS - FENCE_SPARE - weigh(framed(f"{request}\n\n"))

    def body(count: int) -> str:
        return _body(handoff, head, sections, frozenset(places[:count]), budget)

    # From the first on, until one does not fit; so what a smaller budget has room for, a larger one has too.
    count = next((n - 1 for n in range(len(places) + 1) if weigh(body(n)) > room), len(places))
    if count < len(places) and weigh(body(len(places))) <= room:  # then nothing has to be said to be left out
        count = len(places)
    if count < 0:
        least = budget + tokens_of(weigh(body(0)) - room)
        raise UsageError(f"a packet of {budget} tokens has no room for any note", hint=f"--budget {max(least, 500)}")
    told = frozenset(places[:count])
    return HandoffPacket(
        request,
        fenced(body(count), home),
        tuple(sections[s].notes[n] for s, n in sorted(told)),
        tuple(_left_out(sections, told)),
    )


def _request(handoff: Handoff) -> str:
    session = handoff.session
    return _REQUEST.format(agent=session.agent_title, short=session.id[:SESSION_CHARS])


def _cleaned(note: HandoffNote, home: Path | None) -> HandoffNote:
    """Without what a reader does not see, without secrets, and without what a client would open by itself."""
    return note._replace(text=_MENTION.sub("＠", clean(note.text, home)), lead=clean(note.lead, home))


# --- below each other ------------------------------------------------------------------------------------


def _head(handoff: Handoff) -> str:
    from axiommind.surfaces.render.tables import counted

    session = handoff.session
    title = _MENTION.sub("＠", " ".join(session.title.split()))
    about = [f"session {session.id} of {session.agent_title}", cut_middle(session.project, _PATH)]
    if session.folder and session.folder != session.project:
        about.append(f"worked in {cut_middle(session.folder, _PATH)}")
    if session.branch:
        about.append(f"branch {session.branch[:80]}")
    about.append(_span(session.began, session.ended))
    about.append(f"{counted(session.prompts, 'request')}, {counted(session.calls, 'tool call')}")
    if session.subagents:
        about.append(counted(session.subagents, "subagent"))
    if session.compactions:
        about.append(f"compacted {counted(session.compactions, 'time')}")
    if session.parent:
        about.append(f"itself a subagent of session {session.parent[:SESSION_CHARS]}")
    line = " · ".join(part for part in about if part)
    return f"# {title}\n{line}" if title else line


def _span(began: int | None, ended: int | None) -> str:
    from axiommind.surfaces.render.recall import moment

    if not began:
        return f"until {moment(ended)} UTC" if ended else ""
    first, last = moment(began), moment(ended) if ended else ""
    if last[:10] == first[:10]:
        last = last[11:]
    return f"{first} to {last} UTC" if last else f"{first} UTC"


def _body(
    handoff: Handoff,
    head: str,
    sections: Sequence[HandoffSection],
    told: frozenset[tuple[int, int]],
    budget: int,
) -> str:
    parts = [head]
    for s, section in enumerate(sections):
        lines = _lines(section, [n for n in range(len(section.notes)) if (s, n) in told], handoff.session.id)
        if lines:
            parts.append("\n".join([f"## {section.title}", *lines]))
    left_out = [f"{count} of {total} {what}" for what, count, total in _left_out(sections, told)]
    if left_out:
        more = f"axm handoff {handoff.session.id} --budget {budget * 2}"
        parts.append(f"_Left out for want of room: {', '.join(left_out)}. `{more}` has more._")
    return "\n\n".join(parts)


def _lines(section: HandoffSection, told: Sequence[int], session: str) -> list[str]:
    lines: list[str] = []
    before: HandoffNote | None = None
    for n in told:
        note = section.notes[n]
        if before is not None and before.id == note.id and note.part > before.part:
            glue = note.glue if note.part == before.part + 1 else f"\n{LEFT_OUT}\n"
            lines[-1] += _indented(f"{glue}{note.text}")
        else:
            lines.append(_first_line(note, section, session))
        before = note
        goes_on = any(section.notes[m].id == note.id for m in told if m > n)
        if note.part + 1 < note.parts and not goes_on and not lines[-1].endswith(LEFT_OUT):
            lines[-1] += f" {LEFT_OUT}"
    return lines


def _first_line(note: HandoffNote, section: HandoffSection, session: str) -> str:
    about = [note.session_id[:SESSION_CHARS]] if note.session_id and note.session_id != session else []
    about += [note.id] if note.id and section.title not in _UNCITED else []
    label = " ".join(about)
    if note.provenance and section.title in _LABELLED:
        label = f"{label}, {_WHOSE.get(note.provenance, note.provenance)}".lstrip(", ")
    start = f"[{label}] " if label else ""
    lead = f"{note.lead}: " if note.lead else ""
    cut = f"{LEFT_OUT} " if note.part > 0 else ""
    if note.lead == ANSWERED:
        return f"  {ANSWERED} {start}{' '.join(note.text.split())}"
    return _indented(f"- {start}{lead}{cut}{note.text}")


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _left_out(sections: Iterable[HandoffSection], told: frozenset[tuple[int, int]]) -> Iterable[tuple[str, int, int]]:
    """What of each section is not told at all, and of how many."""
    for s, section in enumerate(sections):
        names = {n: note.id or str(n) for n, note in enumerate(section.notes) if note.lead != ANSWERED}
        every = set(names.values())
        hidden = every - {name for n, name in names.items() if (s, n) in told}
        if hidden:
            yield section.what, len(hidden), len(every)


# --- as JSON -------------------------------------------------------------------------------------------------


def to_dict(handoff: Handoff, packet: HandoffPacket, budget: int, home: Path | None = None) -> dict[str, Any]:
    """The packet and its notes; clean, and not fenced: the fields say what these values are."""
    from axiommind.surfaces.render.hits import cited

    session = handoff.session
    told = set(packet.told)
    return {
        "session": {
            "id": session.id,
            "agent": session.agent,
            "project": session.project,
            "folder": session.folder,
            "branch": session.branch or None,
            "title": clean(session.title, home) or None,
            "began": session.began,
            "ended": session.ended,
            "requests": session.prompts,
            "toolCalls": session.calls,
            "subagents": session.subagents,
            "resume": list(session.resume) if session.resume else None,
        },
        "sections": [
            {
                "title": section.title,
                "notes": [
                    {
                        "id": note.id or None,
                        "session": note.session_id or None,
                        "lead": note.lead or None,
                        "text": note.text,
                        "part": note.part,
                        "provenance": note.provenance or None,
                        "timestamp": note.timestamp,
                        "citation": cited(note.citation),
                    }
                    for note in (_cleaned(one, home) for one in section.notes)
                    if note in told
                ],
            }
            for section in handoff.sections
        ],
        "leftOut": {what: count for what, count, _ in packet.left_out},
        "budget": budget,
        "tokens": packet.tokens,
        "text": packet.text,
    }
