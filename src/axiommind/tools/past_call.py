"""A recorded tool call: what it ran, which file it was about, and whether it did more than look at things."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from axiommind.text.patterns import lazy
from axiommind.text.summary import on_one_line

__all__ = ["base_name", "changes_things", "command_of", "fields_of", "file_of", "programs_of"]

# Programs that only accompany what a shell line is for.
_BESIDE_LIST = """
cd echo cat ls head tail grep rg sleep export source true pwd wc which find sed awk sort test set mkdir jq tee date
"""
_BESIDE = frozenset(_BESIDE_LIST.split())
# Programs that only look. What git does that makes other things work is told apart by its second word.
_LOOKING_LIST = """
cmp curl df diff dig du env file free gh git host hostname id less lsof man more ping printenv printf ps readlink
realpath ss stat strings top tree type uname uptime whereis whoami xxd
"""
_LOOKERS = frozenset(_LOOKING_LIST.split())
_LOOKING_WORDS_LIST = """
cat describe diff help info inspect list logs log ls outdated ps search show status version view why
"""
_LOOKING_WORDS = frozenset(_LOOKING_WORDS_LIST.split())
# Options before a program's own word that say where it works, with a value.
_PLACING = frozenset(
    ("-C", "-c", "-R", "-F", "-f", "--git-dir", "--work-tree", "--prefix", "--filter", "--cwd", "--dir", "--repo")
)
_QUERIES = ("select ", "show ", "explain ", "pragma ", "\\d", "\\l")  # to a database
# Inline code looks at things as often as it changes them.
_INLINE = lazy(r"(?:python|pypy|node|bun|deno|ruby|perl|php)[\d.]*")


def command_of(given: Mapping[str, Any] | str | None) -> str:
    """What a call was about, on one line: its command, its file, or its values."""
    fields = fields_of(given) if given is None or isinstance(given, str) else given
    for name in ("command", "file_path", "notebook_path", "path", "url", "query", "pattern"):
        if isinstance(fields.get(name), str):
            return on_one_line(str(fields[name])[:2_000].replace("\\\n", " "))
    return on_one_line(", ".join(f"{name}: {value}" for name, value in fields.items())[:2_000])


def file_of(given: Mapping[str, Any]) -> object:
    return given.get("file_path") or given.get("notebook_path")


def fields_of(given: str | None) -> dict[str, Any]:
    try:
        fields = json.loads(given or "{}")
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def programs_of(given: Mapping[str, Any]) -> frozenset[tuple[str, ...]]:
    """The programs that a shell line runs, each by its first words: ("git", "commit"), ("bun", "run", "test")."""
    from axiommind.tools.shell_programs import programs

    command = given.get("command")
    if not isinstance(command, str):
        return frozenset()
    found = set()
    for words in programs(command[:1_000]):
        name = base_name(words[0])
        if name in _BESIDE:
            continue
        at = 1
        while words[at : at + 1] and words[at] in _PLACING:  # `git -C folder commit`
            at += 2
        plain = [word for word in words[at : at + 2] if not word.startswith("-") and word.isascii() and "/" not in word]
        wanted = 2 if plain[:1] and plain[0] in ("run", "exec", "compose", "pr") else 1
        found.add((name, *plain[:wanted]))
    return frozenset(found)


def changes_things(given: Mapping[str, Any]) -> bool:
    """Whether a shell line does more than look at things."""
    from axiommind.tools.shell_programs import programs

    return any(_changes(words) for words in programs(str(given.get("command"))[:1_000]))


def _changes(words: list[str]) -> bool:
    name, *rest = base_name(words[0]), *words[1:]
    if name in _LOOKERS or (name in _BESIDE and name != "mkdir") or {"--version", "--help"}.intersection(rest[:2]):
        return False
    if _INLINE.fullmatch(name):  # a file of code that was run may have done something
        return bool(rest) and not rest[0].startswith("-")
    plain = [word for word in rest if not word.startswith("-")]
    if name == "kubectl" and plain[:1] == ["get"]:
        return False
    return not _LOOKING_WORDS.intersection(plain[:2]) and not any(w.lower().startswith(_QUERIES) for w in plain)


def base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
