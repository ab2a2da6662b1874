"""How things are run here: the check that a session ran most often with success, where its line is this project's own.

`npm test` anybody would guess. A line counts that names a package or a folder of the repository, sets a variable, or
has options that say where and how; which tests it picked out is left open. Sessions that run the same say the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import clip, given, only
from axiommind.extraction.rules import Rule
from axiommind.extraction.rules._failures import line_quote, said_to_fail
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import LINT, RUN_CLASS

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "runs",
        types=("fact",),
        labelled="runs",
        right=21,
        total=21,
        note="158 real sessions, all there are; true, and of use where a session does not know it yet",
    ),
)
ORDER = 22

_BUILD = f"{RUN_CLASS}build"
_VERBS = {f"{RUN_CLASS}test": "Tests are run with", LINT: "The code is linted with", _BUILD: "It is built with"}
_CHECKING = lazy(r"--noEmit\b|\bcargo (?:check|clippy)\b|\btype-?check\b|\bmypy\b|\bpyright\b")
_OFTEN = 2  # times in a session
_QUOTES = 3
_LONGEST = 160
_AROUND = lazy(r"\s*(?:2>&1|&?>\s*/dev/null|2>/dev/null)|\s*\|\s*(?:tail|head|grep|rg|cat|tee)\b.*$|\s*;\s*echo\b.*$")
_MOVING = lazy(r"^cd\s+(\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300})\s*(?:&&|;)\s*")
_PICKED = lazy(
    r"((?:^|\s)(?:--testPathPatterns?|--testNamePattern|--grep|-t|-k|-g|-run|--run|--test)(?:=|\s+))"
    r"(?:\"[^\"]{0,200}\"|'[^']{0,200}'|[^\s;&|]{1,200})"
)
_OWN = lazy(
    r"^[A-Z_]{1,40}=\S|^cd\s|\s(?:--filter|-F|--workspace|-w|-p|--package|--project|--manifest-path|--config|-c|--features"
    r"|--prefix|--env|--profile|--testPathPatterns?|--no-cov\w*|-C)(?:[=\s])|\srun\s+[\w-]+:[\w:-]+|\b(?:make|just|task)\s+[\w-]{3,}",
)
_UNPLAIN = lazy(r"\n|\|\||`|\$\(|<<|\bgit\b|\b(?:sleep|kill|pkill|rm)\b|;")


class _Line(NamedTuple):
    kind: str
    command: str


def find(transcript: Transcript) -> list[Draft]:
    ran: dict[_Line, list[ToolCall]] = {}
    for use in transcript.uses:
        if use.classified_name not in _VERBS or use.failed is not False or use.given.get("run_in_background"):
            continue
        command = _settled(given(use, "command"), transcript.project)
        if not command or said_to_fail(transcript, use):
            continue
        ran.setdefault(_Line(use.classified_name, command), []).append(use)
    often = {line: uses for line, uses in ran.items() if len(uses) >= _OFTEN and _OWN.search(line.command)}
    if not often:
        return []
    line = max(often, key=lambda one: len(often[one]))
    quotes: tuple[Quote, ...] = ()
    for use in often[line][:_QUOTES]:
        quotes = only(quotes, line_quote(transcript, use))
    if not quotes:
        return []
    verb = "Types are checked with" if _CHECKING.search(line.command) else _VERBS[line.kind]
    said = f"{verb} `{line.command}`"
    return [
        Draft(
            type="fact",
            kind="howto",
            title=clip(said),
            text=f"{said}: it worked {len(often[line])} times in this session.",
            quotes=quotes,
            rule="runs",
            key=said,
            value=said,
            timestamp=often[line][0].timestamp,
        )
    ]


def _settled(command: str, project: str) -> str:
    """A line without what becomes of its output, the folder seen from the project's own, and any tests for the picked
    ones; empty when it is no plain line."""
    line = _AROUND.sub("", command[: 4 * _LONGEST]).strip()
    root = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if move := _MOVING.match(line):
        folder = move[1].strip("\"'").rstrip("/")
        _, is_inside, within = f"{folder}/".partition(f"/{root}/") if root else ("", "", "")
        folder = within.rstrip("/") if is_inside else folder
        line = f"cd {folder} && {line[move.end() :]}" if folder else line[move.end() :]
    words = (word.rpartition(f"/{root}/")[2] if root and word.startswith("/") else word for word in line.split())
    line = _PICKED.sub(r"\1…", " ".join(words))
    return "" if len(line) > _LONGEST or _UNPLAIN.search(line) else line
