"""The scripts that we write for clients whose hooks are programs of their own language: `_scripts/`.

Each begins with `ask.js`, which starts our hook with the client's words on its stdin. Everything else in it belongs to
one client: which of its events are asked about, and where the answer goes.
"""

from __future__ import annotations

import json
from pathlib import Path

from axiommind.surfaces.install import _program

__all__ = ["MARK", "script"]

MARK = "Written by `axm install"  # stands in each of them
_FOLDER = Path(__file__).with_name("_scripts")


def script(agent: str, name: str) -> str:
    """The script of an agent, as it is written for this installation."""
    ask = (_FOLDER / "ask.js").read_text(encoding="utf-8")
    ask = ask.replace("PROGRAM_WORDS", json.dumps(list(_program.hook()))).replace("AGENT", agent)
    if name.endswith(".ts"):
        ask = ask.replace("(event, fields)", "(event: string, fields: any): Promise<string>")
        ask = ask.replace("(tool, error)", "(tool: unknown, error: unknown)")
        ask = ask.replace("(text) =>", "(text: string) =>").replace("new Promise(", "new Promise<string>(")
    return f"{ask}\n{(_FOLDER / name).read_text(encoding='utf-8')}"
