"""What became of a shell line: output that tells of a failure which a pipe hides, commands that make another one work,
fixers of what a check complains of, complaints that were switched off instead, and the line itself in short.

Read by the rules that learn fixes and by recall, which tells them. Nothing is run.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = [
    "applies_fixes",
    "bypasses",
    "hides_ending",
    "in_short",
    "is_silenced",
    "prepares",
    "says_failure",
    "without_output",
    "without_staging",
]

# Commands that make another one work; what only looks at things does not.
_PREPARING = lazy(
    r"\b(?:install|add|sync|update|upgrade|migrate|generate|build|up|start|restart|init|login|auth|pull|stash|checkout"
    r"|config|create|link|rm|mv|cp|ln|chmod|kill)\b"
)
_FAILING = lazy(
    r"\b[1-9]\d* (?:fail|error)|^\W*(?!0 |no )(?:\w+ ){0,2}failed\b(?!: 0)|exited with code [1-9]"
    r"|exit(?: code)?[=: ]+[1-9]",
    re.MULTILINE,
)
_FIXING = lazy(
    r"(?:[:\s_-]|^)(?:fix|fmt|format|autofix|reformat)\b(?! ?(?:--?check|:check))|--write\b|\bblack (?!.*--check)"
)
_SILENCED = lazy(r"biome-ignore|eslint-disable|# ?noqa|type: ?ignore|@ts-(?:ignore|expect-error)|nolint|allow\(clippy")
_SILENCED_IN = 20_000  # characters
_BYPASSING = lazy(
    r"(?<!\S)(--(?:no-(?:verify|gpg-sign|check\S*|strict\S*|sandbox|audit)|skip\S*|force\S*|ignore\S*|disable\S*|insecure"
    r"|unsafe\S*|dangerously\S*|legacy-peer-deps|break-system-packages|allow-\S+))(?=[\s`]|$)"
)
_OUTPUT = lazy(r"\s*(?:2>&1|2>/dev/null|&>\s*/dev/null)|\s*\|\s*(?:tail|head|grep|cat)\b[^|&;]*")
_PIPED = lazy(r"\|\s*(?:tail|head|cat)\b|\|\|\s*(?:true|echo)|;\s*echo\b")
_STAGING = lazy(r"(?:^|(?<=&& ))(?:git (?:-C \S{1,300} )?add [^&;|]{0,1500}(?:&&|;) *)+")
_TEXT = lazy(
    r" (?:-\w{0,4}m|--message|--body|-b|--title|-t)[ =](?:\"[^\"]{0,400}\"|'[^']{0,400}'|\"\$\(cat *$|\"[^\"]{0,400}$)"
)
# A file that is written first, for what comes after it.
_WRITTEN_FIRST = lazy(
    r"(?:cat|tee)\s*>{0,2}\s*\S{1,300}\s*<<-?\s*(['\"]?)(\w{1,40})\1[^\n]*\n(?:[^\n]*\n){0,2000}?\2[ \t]*\n(?=\s*\S)"
)
_COMMAND = 2_000
_SCRIPT = 20_000  # characters of a line with the files that it writes


def prepares(line: str) -> bool:
    """Whether a line may make another one work: it installs, starts, fetches, creates or removes something."""
    return _PREPARING.search(line) is not None


def applies_fixes(line: str) -> bool:
    """Whether a line lets a formatter or a linter mend the files: `lint:fix`, `ruff check --fix`."""
    return _FIXING.search(line) is not None


def says_failure(output: str) -> bool:
    """Whether what a line printed says that something failed, however the line itself ended."""
    return _FAILING.search(output.lower()) is not None


def hides_ending(line: str) -> bool:
    """Whether how a line ended is hidden by what comes after it: a pipe, or `|| true`."""
    return _PIPED.search(line) is not None


def is_silenced(code: str) -> bool:
    """Whether code switches a complaint off: that fixes nothing."""
    return _SILENCED.search(code[:_SILENCED_IN]) is not None


def bypasses(line: str) -> str:
    """The option by which a line goes past a check instead of satisfying it; empty where it has none."""
    found = _BYPASSING.search(line)
    return found[1] if found is not None else ""


def without_output(command: str) -> str:
    """A shell line without what becomes of its output."""
    return _OUTPUT.sub("", command).strip()


def without_staging(line: str) -> str:
    """A line without the files that it stages before it does what it is for."""
    return _STAGING.sub("", line) or line


def in_short(command: str, most: int = 120) -> str:
    """A shell line in short: without what is staged or written by it, and without what becomes of its output."""
    if "<<" in command:
        command = _WRITTEN_FIRST.sub("", command[:_SCRIPT])
    line = " ".join(without_output(command[:_COMMAND].replace("\\\n", " ").split("<<", 1)[0]).split())
    line = _TEXT.sub("", without_staging(line)) or line
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
