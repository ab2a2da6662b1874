"""Which commands there are: the folder is the registry, and the path is the command (`entry/promote.py` is `axm entry
promote`; a folder is a noun, and its `__init__.py` speaks for it).

What a command says of itself (HELP, GROUP, EVERYDAY, ALIAS) is read from the first lines of its file. So help and a
wrong command import no command, and neither argparse nor typing: each costs about as much as starting the interpreter.
"""

# pathlib, too, takes as long to import as the interpreter takes to start.
# ruff: noqa: PTH110, PTH112, PTH123, PTH208
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "GROUPS",
    "CommandCard",
    "actions",
    "commands",
    "every_command",
    "find",
    "nearest",
    "require",
    "suggestion",
    "without_alias",
]

# What people want to do, in the order in which help shows it.
GROUPS = ("look", "ask", "remember", "work", "wire up", "keep safe")
_PACKAGE = "axiommind.surfaces.cli"
_FIELDS = ("HELP", "GROUP", "EVERYDAY", "ALIAS")
_known: dict[str, dict[str, str]] = {}  # what was read in this process, by path


class CommandCard:
    """What a command's file says of it. `name` is as it is typed (`entry promote`); `everyday` is its place among the
    commands that help shows first (0: not one of them); `alias` is the older name under which it is still known."""

    __slots__ = ("alias", "everyday", "group", "help", "is_noun", "module", "name")

    def __init__(self, name: str, path: str, *, is_noun: bool) -> None:
        said = _read(path)
        self.name = name
        self.module = f"{_PACKAGE}.{name.replace(' ', '.').replace('-', '_')}"
        self.is_noun = is_noun
        self.help = said.get("HELP", "")
        self.group = said.get("GROUP", "")
        self.everyday = int(said.get("EVERYDAY", "0"))
        self.alias = said.get("ALIAS", "")


def commands() -> list[str]:
    """The first words of all commands; aliases are not among them."""
    return sorted(_files())


def every_command() -> list[CommandCard]:
    """Every command and noun, by name."""
    return [_card((name,), path) for name, path in sorted(_files().items())]


def find(name: str) -> CommandCard | None:
    path = _files().get(name)
    return None if path is None else _card((name,), path)


def require(name: str) -> CommandCard:
    """The command of this name, or an error that says which one may have been meant."""
    card = find(name)
    if card is None:
        from axiommind.errors import UsageError

        near = suggestion(name)
        raise UsageError(
            f"there is no command {name!r}" + (f"; did you mean: axm {near}" if near else ""),
            hint="axm --help lists the commands",
        )
    return card


def actions(noun: str) -> list[CommandCard]:
    """What can be done with a noun; nothing where a command is none."""
    return [_card((noun, name), path) for name, path in sorted(_files(noun).items())]


def without_alias(argv: list[str]) -> list[str]:
    """The arguments with the name that a command has now. A known first word is taken at once; only for another one
    are the files of nouns searched for an alias."""
    if not argv or argv[0].startswith("-") or argv[0] in _files():
        return argv
    first, *rest = argv
    aliases = {card.alias: card.name for noun in every_command() if noun.is_noun for card in actions(noun.name)}
    # `conflicts settle` before `conflicts`; options may stand between the words.
    for alias in sorted(filter(None, aliases), key=len, reverse=True):
        one, _, two = alias.partition(" ")
        if one == first and (not two or two in rest):
            left = [word for at, word in enumerate(rest) if not two or at != rest.index(two)]
            return [*aliases[alias].split(), *left]
    return argv


def suggestion(word: str) -> str:
    """The command that somebody may have meant, by its name of today; nothing when none is near."""
    known = {name: name for name in commands()}
    for noun in every_command():
        for card in actions(noun.name) if noun.is_noun else ():
            known.setdefault(card.alias.partition(" ")[0] or card.name.partition(" ")[2], card.name)
    found = nearest(word, known)
    return known[found] if found else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to a mistyped one: it begins or ends with it, or differs by a few letters."""
    word = word.lower()
    best, found = max(1, len(word) // 3) + 1, ""
    for other in known:
        away = 0 if len(word) > 2 and (other.startswith(word) or other.endswith(word)) else _distance(word, other)
        if away < best:
            best, found = away, other
    return found


def _distance(one: str, two: str) -> int:
    """How many letters were added, left out, replaced, or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        above, before, row = before, row, [i]
        for j, other in enumerate(two, 1):
            cost = min(row[-1] + 1, before[j] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]


# --- the files ---------------------------------------------------------------------------------------------


def _files(noun: str = "") -> dict[str, str]:
    """The files of commands by name, of nouns by the name of their folder, and with a noun those of its actions."""
    found = {}
    for folder in sys.modules[_PACKAGE].__path__:  # it is being imported, if it is not yet: this module is inside it
        inside = f"{folder}/{noun.replace('-', '_')}" if noun else folder
        for name in os.listdir(inside) if os.path.isdir(inside) else ():
            stem, dot, ending = name.partition(".")
            path = f"{inside}/{name}" if dot else f"{inside}/{name}/__init__.py"
            if stem[:1].isalpha() and (ending == "py" if dot else not noun and os.path.exists(path)):
                found[stem.replace("_", "-")] = path
    return found


def _card(words: tuple[str, ...], path: str) -> CommandCard:
    return CommandCard(" ".join(words), path, is_noun=path.endswith("__init__.py"))


def _read(path: str) -> dict[str, str]:
    """The fields of a command's file: each one literal on one line, before the first function."""
    if path in _known:
        return _known[path]
    said = _known[path] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, equals, value = line.partition(" = ")
            if equals and name in _FIELDS:
                said[name] = value.strip().strip('"')
            elif line.startswith("def "):
                break
    return said
