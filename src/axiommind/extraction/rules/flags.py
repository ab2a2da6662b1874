"""A few words of a person that became an option of the next command: "no verify", and `git commit --no-verify` ran.

That the agent obeyed tells what the words meant, typing errors included; the command is quoted beside them. Said again
in another session it is the same claim, because its title is the command and the option.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import given, only, within
from axiommind.extraction.rules import OWN_WORDS, Rule
from axiommind.extraction.rules._prompts import own_prompts
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import RUN

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "flags",
        types=("fact",),
        form=OWN_WORDS,
        labelled="flags",
        right=7,
        total=7,
        note="158 real sessions, all there are: of one project",
    ),
)
ORDER = 9

_WORDS = lazy(r"[A-Za-z][A-Za-z -]{3,28}")
_OPTION = lazy(r"(?:^|\s)(--[a-z][a-z0-9-]{2,30})(?=[\s=]|$)")
_NEXT = 4  # commands after the words
_ALIKE = 0.75
_COMMAND = 4_000


def find(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    for n in own_prompts(transcript):
        words = transcript.messages[n].text.strip().strip(".!")
        if _WORDS.fullmatch(words) is None or len(words.split()) > 4:
            continue
        draft = _obeyed(transcript, n, words)
        if draft is not None:
            found.setdefault(draft.title, draft)
    return list(found.values())


def _obeyed(transcript: Transcript, n: int, words: str) -> Draft | None:
    line = transcript.messages[n].line
    later = [use for use in transcript.uses if use.tool.kind == RUN and use.line > line and not use.copied]
    for use in later[:_NEXT]:
        command = given(use, "command")[:_COMMAND]
        for option in _OPTION.finditer(command):
            if not _is_alike(words, option[1]):
                continue
            program = _program(command[: option.start()])
            message = _message(use, transcript)
            quotes = only((Quote(n, words),), within(transcript, message, option[1]) if message is not None else ())
            title = f"{program} {option[1]}" if program else option[1]
            return Draft(
                type="fact",
                title=title,
                text=f"“{words}”: {title}",
                quotes=quotes,
                rule="flags",
                timestamp=transcript.messages[n].timestamp,
                kind="preference",
                value=title,
            )
    return None


def _is_alike(words: str, option: str) -> bool:
    one, other = words.casefold().replace(" ", "").replace("-", ""), option.replace("-", "")
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _program(before: str) -> str:
    """The program and what it does, of the words that stand before an option: the last two without options of their
    own and their values."""
    from axiommind.tools.shell_programs import programs

    words = next(iter(reversed(list(programs(before)))), [])
    plain: list[str] = []
    skip = False
    for word in words:
        if word.startswith("-"):
            skip = len(word) == 2  # an option of one letter mostly has a value
        elif skip:
            skip = False
        else:
            plain.append(word)
    return " ".join(plain[:2])


def _message(use: ToolCall, transcript: Transcript) -> int | None:
    at = use.leaves.get("/command")
    return at if at is not None and at < len(transcript.messages) else None
