"""The arguments of `git commit`, `git revert` and `gh pr create` in a shell line, and where in the line they are.

`tools.shell_programs` tells which programs a line runs; only the words of one of them are read here. A line on which
the two disagree (a here-document that shows a command, for example) gives nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["ShellWord", "runs"]

_LONGEST = 20_000  # characters of a shell line
_START = lazy(r"(?:^|[\n;&|({])[ \t]*(?:(?:rtk|sudo|command|time|proxy)[ \t]+){0,3}(?=(?:git|gh)[ \t])")
_PLAIN = lazy(r"[^\s'\"\\|&;()<>`$]+")
_IN_QUOTES = lazy(r'[^"\\`$]+')
_CAT = lazy(r"\$\([ \t\n]{0,8}cat[ \t]{0,8}<<-?[ \t]{0,8}(['\"]?)(\w{1,40})\1[ \t]{0,8}\r?\n")
_STDIN = lazy(r"<<-?[ \t]{0,8}(['\"]?)(\w{1,40})\1")
_REDIRECT = lazy(r"[<>]{1,2}&?[ \t]{0,8}[^\s;|&()<>]*")
_GIT_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")


class ShellWord(NamedTuple):
    """A word as the program got it (None: only a shell would know), and where it is in the line."""

    text: str | None
    start: int
    end: int


def runs(line: str, program: str, *names: str) -> list[list[ShellWord]]:
    """The arguments of each run of `program names…` in a line; a here-document comes last, after `<<`."""
    if len(line) > _LONGEST or program not in line or names[-1] not in line:
        return []
    from axiommind.tools.shell_programs import programs

    wanted = (program, *names)
    said = sum(1 for words in programs(line) if _after(words, wanted) is not None)
    found = []
    for start in _START.finditer(line) if said else ():
        words = _words(line, start.end())
        at = _after([word.text or "" for word in words], wanted)
        if at is not None:
            found.append(words[at:])
    return found if len(found) == said else []


def _after(words: list[str], wanted: tuple[str, ...]) -> int | None:
    """Where the arguments begin, if this is a run of what is wanted."""
    if not words or words[0] != wanted[0]:
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUED else 1
    end = at + len(wanted) - 1
    return end if tuple(words[at:end]) == wanted[1:] else None


def _words(line: str, at: int) -> list[ShellWord]:
    """The words from here to the end of the simple command."""
    found: list[ShellWord] = []
    stdin = ""
    pieces: list[str] | None = None
    known, start, last = True, at, at
    while at < len(line):
        char = line[at]
        if char in " \t" or line.startswith("\\\n", at):
            if pieces is not None:
                found.append(ShellWord("".join(pieces) if known else None, start, last))
            pieces, known = None, True
            at += 1 if char in " \t" else 2
            continue
        if char in "\n;|&)":
            break
        if char in "<>":
            here = _STDIN.match(line, at)
            redirect = _REDIRECT.match(line, at)
            stdin = here[2] if here else stdin
            at = here.end() if here else redirect.end() if redirect else at + 1
            continue
        at, first, last, text = _piece(line, at)
        if pieces is None:
            pieces, start = [], first
        known = known and text is not None
        pieces.append(text or "")
    if pieces is not None:
        found.append(ShellWord("".join(pieces) if known else None, start, last))
    if stdin and (newline := line.find("\n", at)) >= 0 and (end := _end_of(line, newline + 1, stdin)) is not None:
        found += [ShellWord("<<", at, at), ShellWord(line[newline + 1 : end], newline + 1, end)]
    return found


def _piece(line: str, at: int) -> tuple[int, int, int, str | None]:
    """One piece of a word: where to go on, where its letters begin and end, and what it says."""
    char = line[at]
    if char == "'":
        close = line.find("'", at + 1)
        return (len(line), at, len(line), None) if close < 0 else (close + 1, at + 1, close, line[at + 1 : close])
    if char == '"':
        return _quoted(line, at + 1)
    if char == "\\":
        return at + 2, at, at + 2, line[at + 1 : at + 2]
    if plain := _PLAIN.match(line, at):
        return plain.end(), at, plain.end(), plain[0]
    return at + 1, at, at + 1, None  # `$`, a backtick, a bracket


def _quoted(line: str, at: int) -> tuple[int, int, int, str | None]:
    pieces: list[str] = []
    known = True
    first = last = at
    while at < len(line) and line[at] != '"':
        if plain := _IN_QUOTES.match(line, at):
            pieces.append(plain[0])
            at = last = plain.end()
        elif line[at] == "\\":
            escaped = line[at + 1 : at + 2]
            pieces.append(escaped if escaped in ('"', "\\", "$", "`") else "\\" + escaped)
            at = last = at + 2
        elif cat := _CAT.match(line, at):
            end = _end_of(line, cat.end(), cat[2])
            if end is None:
                return len(line), first, len(line), None
            first = first if pieces else cat.end()  # the body, not the `$(cat` around it
            pieces.append(line[cat.end() : end])
            last = end
            at = line.find(")", end)
            at = len(line) if at < 0 else at + 1
        else:
            known = known and line[at] == "$" and line[at + 1 : at + 2] in ("", " ", '"', *"0123456789")
            pieces.append(line[at])
            at = last = at + 1
    return at + 1, first, last, "".join(pieces) if known and at < len(line) else None


def _end_of(line: str, at: int, tag: str) -> int | None:
    """Where the body of a here-document ends; None when nothing ends it."""
    while at < len(line):
        close = line.find("\n", at)
        close = len(line) if close < 0 else close
        if line[at:close].strip() == tag:
            return at
        at = close + 1
    return None
