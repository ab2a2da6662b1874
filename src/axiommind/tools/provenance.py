"""Where the words of a call and of its result come from, by what the tool is and what it was given.

The vocabulary is `model.PROVENANCES`. Nothing here looks at an agent's own tool names: a source says what a tool is
(`KnownTool`), and only a tool that nobody declared is judged by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from axiommind.text.patterns import lazy
from axiommind.tools.answers import answers_in
from axiommind.tools.kinds import ASK, DELEGATE, EDIT, PLAN, READ, RUN, KnownTool
from axiommind.tools.results import is_ours
from axiommind.tools.shell_programs import program_name, programs

__all__ = ["call_provenance", "is_rules_file", "path_in", "result_provenance"]

_PATHS = ("file_path", "path", "notebook_path", "absolute_path", "filePath", "target_file")
# Fields of an edit that hold a file's text, as it was or as it shall be.
_OF_FILE_LIST = "content contents new_string old_string new_source file_text new_str old_str patch"
_OF_FILE = frozenset(_OF_FILE_LIST.split())
_RULES_FILE = lazy(
    r"""(?:^|[/\\])(?:
        (?:claude|claude\.local|agents|agents\.override|agent|gemini|qwen|memory|copilot-instructions|warp)\.md
        | \.(?:cursor|windsurf|cline|roo|goose)(?:rules|hints)
        | \.(?:claude|cursor|windsurf|clinerules|roo|kiro|amazonq|continue)[/\\](?:rules|steering)[/\\].+
        | \.claude[/\\](?:.+[/\\])?memory[/\\].+\.md
        | \.clinerules[/\\].+
        | \.github[/\\]instructions[/\\].+\.md
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
# Programs that fetch what others wrote; the first tells where there can be one at all.
_FETCHING = lazy(r"\b(?:curl|wget|https?|xh|aria2c|lynx|w3m|links|elinks|gh|glab|hub)\b")
_FETCHERS = frozenset(("curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "elinks"))
_FORGES = frozenset(("gh", "glab", "hub"))
# What brings nothing that others wrote: settings, and what only sends.
_NOT_FETCHED_LIST = "auth config alias help version completion extension create comment edit close reopen merge ready"
_NOT_FETCHED = frozenset(_NOT_FETCHED_LIST.split())
_LOCAL = lazy(r"(?:https?://)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?:[:/]|$)")
_ADDRESS = lazy(r"https?://|^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)")
# Programs that print files as they are; a line of nothing else is as good as reading them.
_PRINTING = lazy(r"\b(?:cat|bat|head|tail|less|more|nl|tac|sed|type|Get-Content|gc)\b")
_PRINTERS = frozenset(("cat", "bat", "head", "tail", "less", "more", "nl", "tac", "type", "Get-Content", "gc"))
_MOVERS = frozenset(("cd", "echo", "ls", "pwd", "true"))
_WRITING = lazy(r"(?<![\d&])>(?!&|\s*/dev/null)|<<|\$\(|`")
_PATH_WORD = lazy(r"[./\\\w]*[A-Za-z_][\w.-]*")
_WORDS = lazy(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_NETWORK_LIST = (
    "web fetch http https url browser browse browsing crawl scrape internet github gitlab slack notion linear jira "
    "confluence atlassian gmail discord exa tavily brave perplexity firecrawl playwright puppeteer chrome context7 "
    "deepwiki reddit twitter youtube arxiv wikipedia"
)
_NETWORK = frozenset(_NETWORK_LIST.split())


def is_rules_file(path: str) -> bool:
    """Whether an agent reads this file as its rules or its memory, by its path."""
    return _RULES_FILE.search(path.strip()) is not None


def path_in(given: Mapping[str, Any]) -> str:
    """The file that a call names, whatever the field is called; empty where it names none."""
    return next((value for name in _PATHS if isinstance(value := given.get(name), str) and value), "")


def call_provenance(tool: KnownTool, given: Mapping[str, Any], field: str) -> str:
    """Of a text in the input of a call; `field` is its pointer, such as `/edits/0/new_string`. What an edit writes is
    the file's, everything else is what the agent says."""
    if tool.kind != EDIT or _OF_FILE.isdisjoint(field.split("/")):
        return "agent"
    return "rules" if is_rules_file(path_in(given)) else "file"


def result_provenance(tool: KnownTool, name: str, given: Mapping[str, Any], result: str | None = None) -> str:
    """Of what a call returned. Of a question it is the person's answer, if the result holds one."""
    if tool.is_network or (tool.kind == RUN and _fetches(given.get("command"))):
        return "network"
    if is_ours(name, given) or tool.kind == DELEGATE:
        return "elsewhere"  # what memory says was said elsewhere, and another agent's report is its own
    if tool.kind == ASK:
        return _answered(given, result or "")
    if tool.kind == PLAN:
        return "agent" if tool.act else "tool"
    if tool.kind in (READ, EDIT) and (path := path_in(given)):
        return "rules" if is_rules_file(path) else "file"
    if tool.kind == RUN and (printed := _printed(given.get("command"))):
        return "rules" if all(map(is_rules_file, printed)) else "file"
    if tool.kind == "other" and not _NETWORK.isdisjoint(word.lower() for word in _WORDS.findall(name)):
        return "network"
    return "tool"


def _answered(given: Mapping[str, Any], result: str) -> str:
    """Of the answers to a question: the person's own words, or only labels that the agent had worded."""
    asked = given.get("questions")
    questions = [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    names = [name for one in questions if isinstance(name := one.get("question"), str)]
    answers = answers_in(result, names) or answers_in(result)
    if not answers:
        return "tool"
    labels = {label for one in questions for label in _labels(one)}
    is_picked = all(not one.is_noted and _is_made_of(one.answer, labels) for one in answers)
    return "picked" if is_picked and labels else "person"


def _is_made_of(answer: str, labels: set[str]) -> bool:
    """Whether an answer is a label, or several, which a client writes in a row."""
    return answer.strip() in labels or all(part.strip() in labels for part in answer.split(","))


def _labels(question: Mapping[str, Any]) -> Iterator[str]:
    options = question.get("options")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and isinstance(label := option.get("label"), str):
            yield label.strip()


def _printed(command: object) -> list[str]:
    """The files that a shell line prints and does nothing else with; none where it does anything else."""
    if not isinstance(command, str) or not _PRINTING.search(command) or _WRITING.search(command):
        return []
    files: list[str] = []
    for words in programs(command):
        name = program_name(words[0]) if words else ""
        prints = name in _PRINTERS or (name == "sed" and "-n" in words and not any("-i" in word for word in words))
        if not prints and name not in _MOVERS:
            return []
        if prints:
            named = [word for word in words[1:] if not word.startswith("-") and _PATH_WORD.search(word)]
            files += named[1:] if name == "sed" else named  # the first is what it does
    return files


def _fetches(command: object) -> bool:
    """Whether a shell line asks the network for something that others wrote."""
    if not isinstance(command, str) or not _FETCHING.search(command):
        return False
    for words in programs(command):
        name = program_name(words[0]) if words else ""
        if name in _FORGES and words[1:] and _NOT_FETCHED.isdisjoint(words[1:3]):
            return True
        if name in _FETCHERS:
            addresses = [word for word in words[1:] if _LOCAL.match(word) or _ADDRESS.search(word)]
            if not addresses or not all(_LOCAL.match(word) for word in addresses):
                return True
    return False
