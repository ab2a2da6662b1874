"""One setting: what is said of it wherever settings are listed, read or documented."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Key"]


class Key(NamedTuple):
    """A setting."""

    name: str
    env: str
    kind: type[bool] | type[int] | type[float] | type[str] | type[list]  # type: ignore[type-arg]
    default: Any
    help: str
    attr: str = ""  # where it is in Config; its name with _ for . unless said
    is_secret: bool = False  # no message shows it
    old: tuple[str, str] = ("", "")  # its name and variable in earlier versions, which are still read

    @property
    def place(self) -> str:
        return self.attr or self.name.replace(".", "_")
