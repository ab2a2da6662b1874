"""Sources: what agents leave on disk. One agent, one room, and the folder is the registry.

A source finds its agent's files, says what of a line is bulk, decodes redacted lines into rows, and knows the names of
the agent's tools and how to resume a session. It knows nothing of the log or the index: `ingest/` reads and seals, the
projections fold what `decode` returns. Third parties add sources by entry points (docs/plugins.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from axiommind.errors import PluginError
from axiommind.projects import machine_of
from axiommind.registry import Registry
from axiommind.sources.contract import Discovery, Source, SourceFile

if TYPE_CHECKING:
    from axiommind.sources.records import Block, CallBlocks, Decoded

__all__ = [
    "REGISTRY",
    "Discovery",
    "Source",
    "SourceFile",
    "blocks",
    "decode",
    "discover_all",
    "load",
    "names",
    "resume_command",
    "start_command",
    "tool_names",
    "watched_endings",
    "watched_folders",
]


REGISTRY: Registry[Source] = Registry(
    __name__,
    requires=("TOOLS", "NAME", "discover", "decode", "blocks"),  # a helper of this folder has no TOOLS
    group="axiommind.sources",
    has_helpers=True,
)
_ROOMS: dict[str, tuple[Source, Source]] = {}


def names() -> list[str]:
    return REGISTRY.names()


def load(name: str) -> Source:
    """The source of an agent. Sessions outlive their source: where none reads them (any more), what is asked of it
    comes back empty, with a problem that says so."""
    try:
        source = REGISTRY.find(name)
    except PluginError as error:
        source, why = None, error.message
    else:
        why = f"no source reads the sessions of {name}: install its plugin, then run: axm rebuild"
    if source is not None and not REGISTRY.is_plugin(name):
        return _room(name, source)
    from axiommind.sources.guarded import AbsentSource, GuardedSource

    return AbsentSource(name, why) if source is None else GuardedSource(source)


def _room(name: str, module: Source) -> Source:
    """A room as a whole source; another module under the same name is another room."""
    known = _ROOMS.get(name)
    if known is None or known[0] is not module:
        from axiommind.sources.rooms import Room

        known = _ROOMS[name] = module, cast(Source, Room(cast(Any, module)))
    return known[1]


def discover_all(
    environ: Mapping[str, str],
    home: Path,
    roots: Mapping[str, Sequence[str]],
    project: str | None = None,
    *,
    wanted: Sequence[str] | None = None,
) -> list[tuple[str, Discovery]]:
    """What every source finds, by the source's name, or those that are wanted. `roots` are folders that the settings
    add, by the same."""
    asked = names() if wanted is None else wanted
    return [(name, load(name).discover(environ, home, roots.get(name, ()), project)) for name in asked]


def decode(
    source: Source, content: bytes, first_line: int, skip: frozenset[str], context: Mapping[str, Any]
) -> Decoded:
    """The rows of some lines. A source that hands nothing on need not know of `context`."""
    return source.decode(content, first_line, skip, context) if context else source.decode(content, first_line, skip)


def blocks(
    source: Source, content: bytes, first_line: int, skip: frozenset[str], context: Mapping[str, Any]
) -> tuple[list[Block], list[CallBlocks]]:
    """The texts of some lines, in the same way."""
    return source.blocks(content, first_line, skip, context) if context else source.blocks(content, first_line, skip)


def tool_names(*wanted: str) -> frozenset[str]:
    """What agents call the tools of these kinds or acts (`tools/kinds.py`)."""
    return frozenset(
        tool
        for name in names()
        for tool, known in load(name).TOOLS.items()
        if known.kind in wanted or known.act in wanted
    )


def resume_command(agent: str, session_id: str, stream: str) -> tuple[str, ...] | None:
    """The command that resumes a session, in its working folder; None where there is none, as on any machine but its
    own. Of two agents' sessions with the same id one has the agent's name before it, which the agent does not know."""
    source = load(agent)
    if machine_of(stream) or not source.resumes(stream):
        return None
    return source.resume(session_id.removeprefix(f"{agent}:"))


def start_command(agent: str, prompt: str) -> tuple[str, ...] | None:
    """The command that starts an agent with a first prompt, in the current folder; None where it is not known."""
    return load(agent).start(prompt)


def watched_folders(found: Sequence[tuple[str, Discovery]]) -> list[Path]:
    """The folders in which agents leave something new, as far as they are there."""
    return [
        load(name).watched(Path(root)) for name, discovery in found for root in discovery.roots if Path(root).is_dir()
    ]


def watched_endings() -> tuple[str, ...]:
    """How the names of the files end whose changes are worth a look."""
    return tuple(ending for name in names() for ending in load(name).WATCHED)
