"""`axm --help`: the everyday commands first, then all others by what one wants to do; and the older names.

Written from the cards of the commands alone, so it is there at once.
"""

from __future__ import annotations

from axiommind.surfaces.cli._catalogue import GROUPS, CommandCard, actions, every_command

__all__ = ["alias_list", "overview"]

_HEAD = "Memory for coding agents: index, search and reuse what their sessions leave."
_FOOT = """axm COMMAND --help: options and examples.  axm help aliases: older names
Every command takes --home FOLDER and --color auto|always|never (or NO_COLOR)"""
_LABEL, _NAME = 11, 12


def overview(program: str) -> str:
    """What `axm --help` prints."""
    cards = every_command()
    everyday = sorted((card for card in cards if card.everyday), key=lambda card: (card.everyday, card.name))
    groups = [("every day", everyday)]
    groups += [(group, [card for card in cards if card.group == group and not card.everyday]) for group in GROUPS]
    first, *others = [_lines(*group) for group in groups if group[1]]
    parts = [f"usage: {program} COMMAND [OPTIONS]", _HEAD, first, "\n".join(others), _FOOT]
    if program != "axm":
        parts.append(f"Without a command, {program} takes the options of axm analyze, and --cache for axm cache.")
    return "\n\n".join(parts)


def _lines(group: str, cards: list[CommandCard]) -> str:
    labels = [group.capitalize(), *[""] * (len(cards) - 1)]
    return "\n".join(
        f"{label:<{_LABEL}}{card.name:<{_NAME}}{card.help.rstrip('.')}"
        for label, card in zip(labels, cards, strict=True)
    )


def alias_list() -> list[tuple[str, str]]:
    """The older names, and what each is called now."""
    found = [card for noun in every_command() if noun.is_noun for card in actions(noun.name)]
    return sorted((card.alias, card.name) for card in found if card.alias)
