"""Whose words something rests on, as a person reads it: in full, and for a column."""

from __future__ import annotations

__all__ = ["SAID_BY", "SAID_BY_SHORT"]

SAID_BY = {
    "person": "said by you",
    "picked": "chosen by you, worded by the agent",
    "teammate": "from a team mate",
    "rules": "written in a rules file",
    "file": "read in a file",
    "agent": "written by the agent",
    "tool": "returned by a tool",
    "pasted": "pasted into a prompt",
    "network": "read on the network",
    "elsewhere": "from elsewhere",
}
SAID_BY_SHORT = {name: name for name in SAID_BY} | {"person": "you", "teammate": "team mate", "elsewhere": ""}
