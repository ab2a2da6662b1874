"""Runs the console blocks of README.md and docs/*.md as a stranger would type them, and shows what they print.

The blocks of one page run in order, in one shell that starts in an empty home; standard output and standard error
arrive together, as in a terminal. A line that begins with `$ ` is a command (and goes on after a `\\` at its end), the
lines below it are its output, and `…` alone on a line stands for any lines. What differs from run to run is made equal
on both sides before they are compared: see `DIFFERS`. `--check` only compares; otherwise the pages are updated.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOME = "/home/dev"  # how the throw-away home is shown
NEEDED = ("bash", "jq")
ELLIPSIS = "…"
MARK = "\x1e"
AFTER = "2026-03-01"  # the sample ends before; a later day is the one on which the commands ran

# What differs from run to run: (pattern, what stands for it).
DIFFERS = (
    (r"\b(wf|pad|ws)_[0-9a-z]{12,26}\b", r"\1_ID"),  # random ids
    (r"\d{4}-\d\d-\d\d([ T])\d\d:\d\d(:\d\d(\.\d+)?)?", r"DATE\1TIME"),
    (r"\d{4}-\d\d-\d\d", lambda m: m[0] if m[0] < AFTER else "DATE"),
    (r"\b\d+ (min|h|d|mo|y) ago\b|\bjust now\b", "AGE"),
    (r"\b\d+(\.\d+)? (ms|s)\b", "DURATION"),
    (r"\b0\.\d{6}\b", "CHANCE"),  # of a recalled passage: its age is part of it
    (r"\b\d[\d,]* bytes\b", "SIZE"),
    (r"--cursor \S+", "--cursor CURSOR"),
    (r'("(?:next_cursor|index_version)": ?)"[^"]+"', r'\1"…"'),
    (r"\b(axiommind|axm|Python|SQLite) \d+\.\d+\.\d+", r"\1 VERSION"),
    (r"(?<=\S) {2,}|─{2,}", "  "),  # columns are as wide as what is in them
)


class Step(NamedTuple):
    """One command of a page and the output that the page shows for it."""

    command: str
    shown: str


class Ran(NamedTuple):
    """A step and what it printed."""

    step: Step
    printed: str

    @property
    def agrees(self) -> bool:
        return matches(same(self.step.shown), same(self.printed))


def pages() -> list[Path]:
    """Every page that has a console block."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "plugin").rglob("*.md"))]
    return [page for page in found if BLOCK.search(page.read_text(encoding="utf-8"))]


def steps(text: str) -> list[Step]:
    """The commands of all console blocks of a page, in order."""
    return [step for block in BLOCK.findall(text) for step in _steps_of(block)]


def _steps_of(block: str) -> list[Step]:
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        command = [lines.pop(0)]
        while command[-1].endswith("\\"):
            command.append(lines.pop(0))
        found.append(Step("\n".join(command), "\n".join(lines)))
    return found


def same(text: str) -> str:
    """A text with everything made equal that differs from run to run."""
    for pattern, instead in DIFFERS:
        text = re.sub(pattern, instead, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what is shown, where `…` alone on a line stands for any lines."""
    pattern = "\n".join("(?:.*)" if line == ELLIPSIS else re.escape(line) for line in shown.splitlines())
    pattern = pattern.replace("\n(?:.*)", "(?:\n.*)?").replace("(?:.*)\n", "(?:.*\n)?")
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def run(page: Path, home: Path) -> list[Ran]:
    """Every step of a page with what it printed, run in order in one shell that starts in this home."""
    todo = steps(page.read_text(encoding="utf-8"))
    script = "\n".join(f"printf '\\n{MARK}\\n'\n{step.command}" for step in todo)
    done = subprocess.run(
        ["bash", "-c", script],
        env=environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    printed = done.stdout.replace(str(home), HOME).split(f"\n{MARK}\n")[1:]
    return [Ran(step, text.strip("\n")) for step, text in zip(todo, printed, strict=True)]


def environment(home: Path) -> dict[str, str]:
    """What a stranger's shell has: this program on the PATH, and nothing that points anywhere else."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # A pipe instead of a terminal: unbuffered, so that both streams keep their order. A busy machine may be slow. What
    # is learned in the background would come at another moment every time.
    settings = {
        "COLUMNS": "80",  # as wide as a terminal usually is: tables in a pipe may be wider
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",  # times of day are those of the machine's clock
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "AXM_HOOK_SECONDS": "30",
        "AXM_LEARN": "off",
        "AXM_EMBED_BACKGROUND": "0",
    }
    return {"HOME": str(home), "PATH": path, "AXM_PERSON_TOKEN": _person_token(home), **settings}


def _person_token(home: Path) -> str:
    """A reader types these commands in a terminal, which makes them a person's; a shell without one has a token, of the
    home and of the sample's home."""
    from axiommind.callers.tokens import PersonTokens

    token, _ = PersonTokens(home / ".axiommind").make("docs")
    sample = PersonTokens(home / ".axiommind" / "sample").path
    sample.parent.mkdir(mode=0o700)
    shutil.copy2(PersonTokens(home / ".axiommind").path, sample)
    return token


def difference(ran: Sequence[Ran]) -> str:
    """What is shown and not printed, and the other way round; empty when all agree."""
    told = []
    for one in ran:
        if not one.agrees:
            lines = difflib.unified_diff(
                same(one.step.shown).splitlines(), same(one.printed).splitlines(), "shown", "printed", lineterm=""
            )
            told += [f"$ {one.step.command}", *lines, ""]
    return "\n".join(told)


def updated(text: str, ran: Sequence[Ran]) -> str:
    """The page with the output of every step that no longer agrees replaced by what was printed."""
    left = iter(ran)

    def rewritten(block: re.Match[str]) -> str:
        lines = []
        for step in _steps_of(block[1]):
            one = next(left)
            lines += [f"$ {step.command}", step.shown if one.agrees else _unfenced(one.printed)]
        return "```console\n" + "".join(f"{line}\n" for line in lines if line) + "```"

    return BLOCK.sub(rewritten, text)


def _unfenced(printed: str) -> str:
    """A text that ends where it would close the block that shows it."""
    lines = printed.splitlines()
    end = next((at for at, line in enumerate(lines) if line.startswith("```")), None)
    return printed if end is None else "\n".join([*lines[:end], ELLIPSIS])


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the output in the console blocks of the docs up to date.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if something differs")
    parser.add_argument("pages", nargs="*", type=Path, help="which pages (default: all that have such blocks)")
    args = parser.parse_args()
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        sys.exit(f"needs {' and '.join(missing)}")
    differs = False
    for page in args.pages or pages():
        with tempfile.TemporaryDirectory(prefix="axm-docs-") as folder:
            ran = run(page.resolve(), Path(os.path.realpath(folder)))
        told = difference(ran)
        if told:
            differs = True
            sys.stdout.write(f"{page}\n{told}\n")
            if not args.check:
                page.write_text(updated(page.read_text(encoding="utf-8"), ran), encoding="utf-8")
    return 1 if differs and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
