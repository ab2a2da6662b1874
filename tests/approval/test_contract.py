"""Every command and tool says who may use it, and a new one that changes something has to say so too."""

from __future__ import annotations

import importlib

import pytest

from axiommind.approval.requests import ACTS
from axiommind.surfaces.cli import cards
from axiommind.surfaces.cli._catalogue import CommandCard, actions
from axiommind.surfaces.mcp.declarations import Tool
from axiommind.surfaces.mcp.features import declared_in
from tests.shell import axm
from tests.transcripts import AS_AGENT, World, session

HOW = """
Say in its file who may use it, as CALLER:
  "reads"                it changes nothing but what is derived or operational
  "free: why"            an agent may, and why that raises, lowers, decides and deletes nothing
  "proposal: what"       an agent's becomes a proposal (approval/proposing.py: require_person)
  "person: why"          an agent's is refused (errors.PersonOnly)
"""
# Tools that write, and why an agent may use them. Whatever else counts only from a person asks them: `ask_person`.
FREE_TOOLS = {
    "remember": "what an agent remembers starts at working, and certifies and contests nothing",
    "feedback": "an agent's word counts in its own session only",
    "create-workflow": "working memory is the agent's",
    "update-workflow-status": "working memory is the agent's, and can be changed back",
    "create-scratchpad": "working memory is the agent's",
    "append-scratchpad": "working memory is the agent's, and every version is kept",
    "update-scratchpad": "working memory is the agent's, and every version is kept",
    "chop-scratchpad": "working memory is the agent's, and every version is kept",
}
PROPOSAL_TOOLS = {"decide"}
# How each is tried by an agent. What it is about need not be there: an agent is refused, or it is not found.
PERSON_ONLY = {
    "import": ("DIR", "--as", "laptop"),
    "person token": (),
    "person revoke": ("--all",),
    "proposal confirm": ("prp_1",),
    "proposal decline": ("prp_1",),
    "restore": ("BACKUP", "--yes"),
    "review": (),
    "share": ("--session", "s1"),
    "sync": (),
    "team": ("leave", "radar"),
    "unshare": ("--all",),
}


def leaves() -> list[CommandCard]:
    return [leaf for card in cards() for leaf in (actions(card.name) if card.is_noun else [card])]


def caller_of(card: CommandCard) -> str:
    return str(getattr(importlib.import_module(card.module), "CALLER", ""))


@pytest.mark.parametrize("card", leaves(), ids=lambda card: card.name)
def test_a_command_says_who_may_use_it(card: CommandCard) -> None:
    kind, _, why = caller_of(card).partition(": ")
    assert kind in ("reads", "free", "proposal", "person"), f"axm {card.name}: {HOW}"
    assert why or kind == "reads", f"axm {card.name}: {HOW}"


def test_commands_of_a_person_refuse_an_agent(world: World) -> None:
    world.write(session("s1"))
    world.memory().index()
    named = {card.name for card in leaves() if caller_of(card).startswith("person: ")}
    assert named == set(PERSON_ONLY), HOW
    backup = world.base / "home.backup"
    assert axm(world, "backup", str(backup)).returncode == 0
    for name, args in PERSON_ONLY.items():
        said = [str(backup) if arg == "BACKUP" else arg for arg in args]
        done = axm(world, *name.split(), *said, **AS_AGENT)
        assert done.returncode == 1 and "taken for an agent" in done.stderr, name


def test_commands_that_only_read_append_nothing(world: World) -> None:
    """What says that it reads writes no event, with the arguments that it needs least."""
    world.write(session("s1"))
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    with world.memory().home.read_log() as (log, _):
        before = log.last_position()
    needs = {"search": ("parser",), "recall": ("parser",), "query": ("--sql", "select 1"), "similar": ("parser",)}
    for card in leaves():
        if caller_of(card) == "reads" and not card.name.startswith("eval"):
            axm(world, *card.name.split(), *needs.get(card.name, ()), **AS_AGENT)
    with world.memory().home.read_log() as (log, _):
        assert log.last_position() == before


def test_a_tool_that_writes_says_why_an_agent_may() -> None:
    tools = declared_in("axiommind.surfaces.mcp.tools", Tool)
    writing = {tool.name for tool in tools if not tool.annotations.get("readOnlyHint")}
    assert writing == FREE_TOOLS.keys() | PROPOSAL_TOOLS


def test_every_act_can_be_confirmed(world: World) -> None:
    assert set(world.memory().proposals._acts) == set(ACTS)
