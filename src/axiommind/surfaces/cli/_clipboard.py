"""The clipboard: a text is put there by the program that the platform has for it, or by the terminal itself."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from typing import NamedTuple

__all__ = ["copy"]

_SECONDS = 5
# What terminals take at least in one sequence (OSC 52), in base64.
_MOST_BASE64 = 74_000
_TERMINAL = "/dev/tty"


class _Program(NamedTuple):
    """A program that puts its input into the clipboard, and the variable without which it has none to put it into."""

    command: tuple[str, ...]
    needs: str = ""
    encoding: str = "utf-8"


_PROGRAMS = (
    _Program(("pbcopy",)),
    _Program(("wl-copy",), "WAYLAND_DISPLAY"),
    _Program(("xclip", "-selection", "clipboard"), "DISPLAY"),
    _Program(("xsel", "--clipboard", "--input"), "DISPLAY"),
    _Program(("termux-clipboard-set",)),
    _Program(("clip.exe",), encoding="utf-16"),  # Windows, and Linux within it
)


def copy(text: str, environ: Mapping[str, str] | None = None) -> str:
    """Put a text into the clipboard; returns by what, in words, or nothing where there is no way."""
    environ = os.environ if environ is None else environ
    for program in _PROGRAMS:
        if program.needs and not environ.get(program.needs):
            continue
        path = which(program.command[0], path=environ.get("PATH"))
        if path is not None and _fed((path, *program.command[1:]), text.encode(program.encoding), environ):
            return program.command[0]
    return "the terminal (OSC 52; some ignore it)" if _by_terminal(text, environ) else ""


def _fed(command: tuple[str, ...], data: bytes, environ: Mapping[str, str]) -> bool:
    """Whether a program took it. Some stay in the background to serve it, so nobody waits for their output."""
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environ, "LC_CTYPE": "UTF-8"} if sys.platform == "darwin" else dict(environ),
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _by_terminal(text: str, environ: Mapping[str, str]) -> bool:
    """Ask the terminal itself, also at the other end of a connection."""
    encoded = base64.b64encode(text.encode("utf-8", "replace"))
    if len(encoded) > _MOST_BASE64 or environ.get("TERM", "dumb") == "dumb" or not sys.stderr.isatty():
        return False
    try:
        with Path(_TERMINAL).open("wb", buffering=0) as terminal:
            terminal.write(b"\x1b]52;c;" + encoded + b"\x07")
    except OSError:
        return False
    return True
