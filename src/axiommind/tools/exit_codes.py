"""How a shell command ended, as agents write it into what the command printed. Several of them record a command that
failed as a success, so the text decides."""

from __future__ import annotations

import re

__all__ = ["exit_code_in"]

_NEAR = 400  # characters at either end: further in, it is what the command printed
_CODE = re.compile(
    r"(?:^|[\n(<\[{\"' ])(?:Process |Command |Script )?"
    r"(?:completed with exit code|exited with(?: exit)? code|exit(?:ed)? (?:code|status)|exit_code\"?)"
    r"\s*[:=]?\s*(?:is )?(-?\d{1,6})\b",
    re.IGNORECASE,
)


def exit_code_in(text: str) -> int | None:
    """The exit code that the agent wrote at the beginning or at the end of a result; None where it wrote none."""
    ends = [text] if len(text) <= 2 * _NEAR else [text[-_NEAR:], text[:_NEAR]]
    for end in ends:
        found = [int(match[1]) for match in _CODE.finditer(end)]
        if found:
            return found[-1]
    return None
