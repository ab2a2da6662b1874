"""Shell syntax: cuts a line into its simple commands, each a list of words.

Quotes, substitutions, here-documents, comments and redirections are read as a shell reads them, so a word counts only
where a program stands. One pass in linear time; nesting lives on a stack, not in calls. It never raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["simple_commands"]

_PLAIN = re.compile(r"[^\s'\"\\`$<>|&;()]+")
_IN_QUOTES = re.compile(r'[^"\\`$]+')
_ANSI = re.compile(r"\$'[^'\\]*(?:\\.[^'\\]*)*'?", re.DOTALL)
_DELIMITER = re.compile(r"-?[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([^\s'\"<>|&;()]+))")
_REDIRECT = re.compile(r"[<>]{1,2}[&|]?")


def simple_commands(text: str) -> list[list[str]]:
    """The simple commands of a shell line, those of its substitutions included, as words."""
    return _Scanner(text).run()


class _Outer(NamedTuple):
    """What was being read when a substitution or a subshell began."""

    words: list[str]
    word: list[str] | None
    quoted: bool
    skip: bool
    sums: bool
    closer: str


class _Scanner:
    """A reader of one text. A method that reads a character is told where it stands, and says where to read on."""

    __slots__ = ("bodies", "closer", "found", "quoted", "skip", "stack", "sums", "text", "word", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[list[str]] = []
        self.words: list[str] = []
        self.word: list[str] | None = None  # the pieces of the word being read; None between words
        self.quoted = False  # inside double quotes
        self.skip = False  # the next word is the target of a redirection
        self.sums = False  # inside $(( )): nothing there is a command
        self.closer = ""
        self.stack: list[_Outer] = []
        self.bodies: list[str] = []  # the ends of the here-documents that follow this line

    def run(self) -> list[list[str]]:
        text, at, end = self.text, 0, len(self.text)
        while at < end:
            char = text[at]
            if self.quoted:
                piece = _IN_QUOTES.match(text, at)
            else:
                piece = _PLAIN.match(text, at)
                if piece is not None and char == "#" and self.word is None:
                    close = text.find("\n", at)
                    at = end if close < 0 else close
                    continue
            if piece is not None:
                self.add(piece[0])
                at = piece.end()
            else:
                at = _READERS.get(char, _Scanner.blank)(self, char, at)
        # What was left open ends here: quotes, substitutions, the last command.
        self.end_command()
        while self.stack:
            self.leave()
            self.end_command()
        return self.found

    # --- words -----------------------------------------------------------------------------------------

    def add(self, piece: str) -> None:
        if self.word is None:
            self.word = [piece]
        else:
            self.word.append(piece)

    def end_word(self) -> None:
        if self.word is None:
            return
        if not self.skip:
            self.words.append("".join(self.word))
        self.word, self.skip = None, False

    def end_command(self) -> None:
        self.end_word()
        if self.words and not self.sums:
            self.found.append(self.words)
        self.words = []

    def enter(self, closer: str) -> None:
        """Begin a substitution. What it prints is part of the word around it, so there is one, if only an empty one."""
        word = [""] if self.word is None else self.word
        self.stack.append(_Outer(self.words, word, self.quoted, self.skip, self.sums, self.closer))
        self.words, self.word, self.quoted, self.skip, self.closer = [], None, False, False, closer

    def leave(self) -> None:
        self.words, self.word, self.quoted, self.skip, self.sums, self.closer = self.stack.pop()

    # --- characters that mean something ----------------------------------------------------------------

    def double_quote(self, _char: str, at: int) -> int:
        self.quoted = not self.quoted
        self.word = [] if self.word is None else self.word
        return at + 1

    def single_quote(self, _char: str, at: int) -> int:
        close = self.text.find("'", at + 1)
        close = len(self.text) if close < 0 else close
        self.add(self.text[at + 1 : close])
        return close + 1

    def backslash(self, _char: str, at: int) -> int:
        escaped = self.text[at + 1 : at + 2]
        if escaped != "\n":
            self.add(escaped)
        return at + 2

    def backtick(self, _char: str, at: int) -> int:
        if self.closer == "`":
            self.end_command()
            self.leave()
        else:
            self.enter("`")
        return at + 1

    def dollar(self, _char: str, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "(":
            self.enter(")")
            self.sums = self.sums or self.text[at + 2 : at + 3] == "("
            return at + 2
        if following == "'" and not self.quoted and (piece := _ANSI.match(self.text, at)):
            self.add(piece[0][2:-1])
            return piece.end()
        self.add("$")
        return at + 1

    def redirection(self, _char: str, at: int) -> int:
        text = self.text
        if self.word is not None and all(map(str.isdigit, self.word)):
            self.word = None  # the file descriptor of `2>`
        self.end_word()
        if text.startswith("(", at + 1):
            self.enter(")")
            return at + 2
        if text.startswith("<<<", at):
            self.skip = True
            return at + 3
        if text.startswith("<<", at) and not self.sums and (mark := _DELIMITER.match(text, at + 2)):
            self.bodies.append(mark[1] or mark[2] or mark[3] or "")
            return mark.end()
        piece = _REDIRECT.match(text, at)
        assert piece is not None
        self.skip = True
        return piece.end()

    def operator(self, char: str, at: int) -> int:
        """The end of a command: a list, a pipe, the end of a line, or a subshell's bracket."""
        if char == "&" and self.text.startswith(">", at + 1):
            return at + 1
        self.end_command()
        self.skip = False
        at += 1
        if char == "(":
            self.stack.append(_Outer([], None, False, False, self.sums, self.closer))
            self.closer = ")"
            self.sums = self.sums or self.text.startswith("(", at)
        elif char == ")" and self.closer == ")":
            self.leave()
        elif char == "\n" and self.bodies:
            at = self.after_bodies(at)
        return at

    def blank(self, _char: str, at: int) -> int:
        self.end_word()
        return at + 1

    def after_bodies(self, at: int) -> int:
        """The place after the here-documents that start here; a body without its end takes the rest."""
        text = self.text
        for mark in self.bodies:
            while at < len(text):
                close = text.find("\n", at)
                close = len(text) if close < 0 else close
                line = text[at:close].strip()
                at = close + 1
                if line == mark:
                    break
        self.bodies.clear()
        return min(at, len(text))


_READERS: dict[str, Callable[[_Scanner, str, int], int]] = {
    '"': _Scanner.double_quote,
    "'": _Scanner.single_quote,
    "\\": _Scanner.backslash,
    "`": _Scanner.backtick,
    "$": _Scanner.dollar,
    "<": _Scanner.redirection,
    ">": _Scanner.redirection,
    **dict.fromkeys("|&;()\n", _Scanner.operator),
}
