"""Draws docs/start.svg: what `axm start` prints on a terminal of a machine without any sessions.

Runs the real command on a pseudo-terminal (so only on Linux or macOS) in a throw-away home, and draws the cells as SVG,
with nothing from outside. The throw-away folder is shown as /home/dev. Run: .venv/bin/python docs/picture.py
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from axiommind.surfaces.render.table_layout import width

TARGET = Path(__file__).with_name("start.svg")
COMMAND = ("axm", "start")

CELL, LINE, SIZE = 8.43, 20, 14
LEFT, TOP, BOTTOM = 18, 58, 16
BACK, BAR, INK, FAINT, BRIGHT, ACCENT = "#161b22", "#21262d", "#c9d1d9", "#7d8590", "#f0f6fc", "#3fb0a3"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK JP', monospace"
STYLE = re.compile(r"\x1b\[(\d*)m")
WIPED = re.compile(r"[^\n]*\r\x1b\[K")
BLOCK = "▇"
WIDE = "\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"  # fitted apart from narrow text


def record() -> str:
    """What the command writes to a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder, "TERM": "xterm-256color"}
        for name in list(env):
            if name.startswith(("AXM_", "CLAUDE", "XDG_", "NO_COLOR")):
                del env[name]
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "axiommind", *COMMAND[1:]]
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
            os.close(theirs)
            said = b""
            try:
                while block := os.read(ours, 65536):
                    said += block
            except OSError:  # Linux says so when the other side is closed
                pass
        os.close(ours)
        if process.returncode:
            sys.exit(said.decode())
    text = said.decode().replace("\r\n", "\n").replace(folder, "/home/dev")
    return WIPED.sub("", text)


def draw(text: str) -> str:
    """A terminal window with these lines; bold and dim as they came."""
    lines = [f"\x1b[2m$\x1b[0m \x1b[1m{' '.join(COMMAND)}\x1b[0m", *text.rstrip("\n").split("\n")]
    columns = max(width(STYLE.sub("", line)) for line in lines)
    wide, high = round(columns * CELL + 2 * LEFT), TOP + len(lines) * LINE + BOTTOM
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" width="{wide}">',
        f"<title>The output of {' '.join(COMMAND)}</title>",
        f'<rect width="{wide}" height="{high}" rx="9" fill="{BACK}"/>',
        f'<path d="M0 9a9 9 0 0 1 9-9H{wide - 9}a9 9 0 0 1 9 9V32H0Z" fill="{BAR}"/>',
        *(
            f'<circle cx="{20 + i * 20}" cy="16" r="6" fill="{c}"/>'
            for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ),
        f'<g font-family="{FONTS}" font-size="{SIZE}" fill="{INK}" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        out += _line(line, TOP + row * LINE)
    return "\n".join([*out, "</g>", "</svg>"]) + "\n"


def _line(line: str, y: int) -> list[str]:
    out = []
    column = 0
    style = ""
    for i, part in enumerate(STYLE.split(line)):
        if i % 2:
            style = {"1": f' font-weight="bold" fill="{BRIGHT}"', "2": f' fill="{FAINT}"'}.get(part, "")
            continue
        for piece in re.findall(rf"{BLOCK}+|[{WIDE}]+|[^{BLOCK}{WIDE}\s]+(?: [^{BLOCK}{WIDE}\s]+)*|\s+", part):
            x = LEFT + column * CELL
            cells = width(piece)
            column += cells
            if piece.isspace():
                continue
            if piece[0] == BLOCK:  # drawn, because fonts leave gaps between the blocks
                out.append(f'<rect x="{x:.1f}" y="{y - 11}" width="{cells * CELL:.1f}" height="13" fill="{ACCENT}"/>')
            else:
                fit = f' textLength="{cells * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                out.append(f'<text x="{x:.1f}" y="{y}"{fit}{style}>{escape(piece)}</text>')
    return out


if __name__ == "__main__":
    TARGET.write_text(draw(record()), encoding="utf-8")
