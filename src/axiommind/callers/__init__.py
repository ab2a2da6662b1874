"""Who is calling: a person, or an agent. Everything that counts only from a person asks here, and nowhere else.

A person sits at a terminal in which no agent's command runner is among the ancestors of this process, or holds a token
that was made at such a terminal. Whoever is not known to be a person is an agent. This keeps agents from acting in a
person's name by mistake or by persuasion; it stops no program of the same user that means to deceive.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AGENT", "Caller"]


class Caller(NamedTuple):
    """Who asks for something, and how that is known. `name` is the agent's or the token's, where it has one."""

    is_person: bool
    why: str
    name: str = ""
    at_terminal: bool = False

    @classmethod
    def person(cls, why: str) -> Caller:
        """A person, on the word of the program that calls the library."""
        return cls(True, why)

    def require_person(self, what: str) -> None:
        """Refuse an agent what makes no proposal: `what` follows "only a person can"."""
        if not self.is_person:
            from axiommind.errors import PersonOnly

            raise PersonOnly(f"only a person can {what}", self.why)

    @property
    def actor(self) -> str:
        """As events name it."""
        return "user" if self.is_person else "agent"


AGENT = Caller(False, "nobody said who is calling")
