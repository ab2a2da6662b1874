"""Complaints: the line of an error that says most, and the command that the error itself says to run.

What was cancelled because a neighbour failed, and what a person refused, did not fail. A line that reports success is
no complaint, whatever the call ended with: hooks and test runners print both. A remedy is taken from the output only
where it is a whole command; one that needs filling in, asks for help or destroys something is none.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from axiommind.text.patterns import lazy
from axiommind.text.summary import without_colours

__all__ = ["complaint", "is_own", "is_refused", "remedy"]

COMPLAINT_CHARS = 140
_REMEDY_CHARS = 120

_CANCELLED = ("sibling tool call", "parallel tool call", "request interrupted", "was cancelled")
_REFUSED = ("doesn't want to proceed", "doesn't want to take", "tool use was rejected", "user rejected")
_SAYS_NOTHING = lazy(
    r"^(?:Exit (?:code|status) \d+$|\$ |> |\[(?!error|fatal)\w+\] |Usage:|For more information)"
    r"|\bexited with code \d|ELIFECYCLE|^\d+ expect\(\) calls|^\* \w+: \d+$",
    re.IGNORECASE,
)
_SUCCESS = lazy(
    r"(?:\.{3,}|[:\s])\s*(?:pass(?:ed)?|skipped|ok|success(?:ful(?:ly)?)?|done)[.!]?$|^(?:✓|✔|√|ok\b|PASS\b|success)"
    r"|^(?:\d+|all|=+) ?(?:\w+ ){0,2}pass(?:ed|ing)?\b"
    r"|\b(?:no|0) (?:errors?|failures?|failed|fail|problems?|warnings?)\b"
    r"|^(?:ran|checked|finished|compiled|built|downloaded|installed|tests?:|test suites?:|time:|duration)\b.*\d"
    r"|\bsuccessfully\b|\s(?:pass|skipping)\s",
    re.IGNORECASE,
)
_FAILS = lazy(r"\b[1-9]\d* (?:errors?|failures?|failed|fail|problems?)\b", re.IGNORECASE)
_TELLING = (
    lazy(
        r"^\[?(?:error|fatal|bug|panic)\b.{4,}|\bcommand not found\b|^[\w./-]+: illegal option",
        re.IGNORECASE,
    ),
    lazy(r"\berror (?:TS|\[?[A-Z]{1,4})\d{2,5}"),
    lazy(r"^(?:[×✖✗✘!]|\(fail\)|FAIL(?:ED)?\b|--- FAIL:)\s*\S.{4,}"),
    lazy(r"^(?:E\s+)?[\w.]*(?:Error|Exception)\b: \S"),
    lazy(r"\b(?:cannot|could not|unable to|not found|no such|denied|refused|rejected|failed|no matches)\b", re.I),
)
_RULE = lazy(r"\s*[━─═]{2,}.*$")

# What says "run this". First the command in quotes; then what stands alone, up to the purpose or the end of the line.
_QUOTED = lazy(
    r"\b(?:run(?:ning)?|try|use|execute|with|via|hint)\b:?\s{1,3}(?:`([^`\n]{3,160})`|'([^'\n]{3,160})'|\"([^\"\n]{3,160})\")",
    re.IGNORECASE,
)
_PLAIN = lazy(
    r"(?:\b(?:please|to fix(?: this| it| these)?,?|you can|you may need to|hint:)\s+(?:run|try|execute)"
    r"|\b(?:run|try running|fix with)):?\s+"
    r"([a-z][\w.@/-]*(?: [^\s,;()]+){1,8}?)(?=\s+(?:to|and|first|again|before|for)\b|\s*(?:[.!,;)]\s|[.!]?$))",
    re.IGNORECASE,
)
_PROGRAM = lazy(
    r"(?:git|gh|npm|npx|pnpm|yarn|bunx?|deno|node|pip3?|pipx|uvx?|poetry|python3?|cargo|rustup|go|make|just|task|docker"
    r"|brew|apt(?:-get)?|dotnet|mvn|gradle|bundle|gem|composer|mix|terraform|tofu|kubectl|helm|pre-commit|prek|nix|mise"
    r"|asdf|ruff|black|eslint|prettier|biome|tsc|playwright|prisma|dart|flutter|pod|swift|conda|pixi|direnv|lefthook|husky)\b"
)
_ANNOUNCES = lazy(r"\b(?:run|execute|use|try)\b(?:[^.]{0,80}:| the following command|)\s*[║│|]?$", re.IGNORECASE)
# What programs print besides, whatever failed: a newer version, where to read more, what else one could do.
_OTHER_NEWS = lazy(
    r"^\W*(?:npm )?(?:notice|warn)|\bnew (?:major |minor |patch )?(?:version|release)\b|\bupdate available\b"
    r"|\bto (?:update,? run|upgrade|see|publish|unstage|discard|learn|view|list)\b"
    r"|\bfor (?:more )?(?:details|info|help|a full)"
    r"|\bnpm (?:fund|audit)\b",
    re.IGNORECASE,
)
_NO_REMEDY = lazy(
    r"[<>…]|\.\.\.|(?:^|\s)(?:--?h(?:elp)?|--explain|--verbose|--debug|--stacktrace|--force|--hard|--info|--scan)\b"
    r"|\b(?:RUST_BACKTRACE|NODE_OPTIONS)\b|^(?:sudo|rm)\b|^git (?:status|log|diff|show|reset|restore|clean)\b",
    re.IGNORECASE,
)


def is_refused(error: str) -> bool:
    """Whether a person said no to the call."""
    return any(words in error[:400].lower() for words in _REFUSED)


def is_own(error: str) -> bool:
    """Whether the call failed by itself: it was neither refused nor cancelled with another one."""
    return not any(words in error[:400].lower() for words in (*_CANCELLED, *_REFUSED))


def complaint(error: str) -> str:
    """The line of an error that says most; empty when none does, or the call did not fail by itself."""
    if not is_own(error):
        return ""
    lines = [line for line in _lines(error) if not _SAYS_NOTHING.search(line)]
    lines = [line for line in lines if _FAILS.search(line) or not _SUCCESS.search(line)]
    said = next((line for pattern in _TELLING for line in lines if pattern.search(line)), "") or next(
        iter(lines[-1:]), ""
    )
    if len(said) <= COMPLAINT_CHARS:
        return said
    cut = said[: COMPLAINT_CHARS - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip() + "…"


def remedy(error: str) -> str:
    """The command that an error says to run; empty when it names none that could be run as it stands."""
    if not is_own(error):
        return ""
    lines = [line for line in _lines(error) if not _OTHER_NEWS.search(line)]
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        if _ANNOUNCES.search(line) and (command := _command(after.strip("║│|$> "))) and _PROGRAM.match(command):
            return command
        for found in _QUOTED.finditer(line):
            if command := _command(next(filter(None, found.groups()))):
                return command
        for found in _PLAIN.finditer(line):
            if _PROGRAM.match(found[1]) and (command := _command(found[1])):
                return command
    return ""


def _command(text: str) -> str:
    text = text.strip().lstrip("$ ")
    words = text.split()
    is_whole = len(words) >= 2 and len(text) <= _REMEDY_CHARS and re.match(r"[a-z][\w.@/-]*$", words[0])
    return text if is_whole and not _NO_REMEDY.search(text) and _is_command(words) else ""


def _is_command(words: list[str]) -> bool:
    """Whether quoted words are a command and not a value or a sentence: a known program, or an option among them."""
    return _PROGRAM.match(words[0]) is not None or any(word.startswith("-") for word in words[1:])


def _lines(error: str) -> list[str]:
    plain = without_colours(error).replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    return [text for line in plain.splitlines() if (text := _RULE.sub("", " ".join(line.split())))]
