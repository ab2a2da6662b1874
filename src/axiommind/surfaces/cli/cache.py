"""`axm cache`: the files that suggest-workflow 2 wrote for agents, made from the index.

Each file is written to a temporary name and renamed. A file of ours lists what was written, by name and hash, so that
the summary of a session that is gone is removed if it is still as we wrote it, and nothing else is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from axiommind.errors import NotFound, NotWritable
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _suggest_workflow as suggest_workflow
from axiommind.surfaces.render.tables import counted

HELP = "Write the analysis as files, as suggest-workflow 2 did"
CALLER = "free: it writes files of reports, which can be made again"
GROUP = "ask"
_EPILOG = """Writes index.json, sessions/ID.summary.json and analysis-snapshot.json in the shapes of suggest-workflow 2,
to suggest-workflow-cache/PROJECT in Claude Code's folder (~/.claude, or $CLAUDE_CONFIG_DIR), and prints that folder.
All text is redacted. The files are a copy: axm forget does not change them; the next axm cache does.

A cache covers one whole project: --scope, --focus and --format are accepted for compatibility and ignored.

examples:
  axm cache
  axm cache --project ~/code/weather --out /tmp/weather
"""
_FOLDER = "suggest-workflow-cache"
_NOTE = ".axm-written.json"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write to this folder")
    suggest_workflow.add_format(parser)
    suggest_workflow.add_analysis(parser)


def run(args: argparse.Namespace) -> int:
    if args.tuning_defaults:
        return suggest_workflow.print_tuning()
    memory = Memory()
    for option, usual in (("scope", "project"), ("focus", "all")):
        if getattr(args, option) != usual:
            options.say(f"Note: --{option} is ignored: a cache covers one whole project")
            setattr(args, option, usual)
    wanted = suggest_workflow.analysis_of(memory, args)
    suggest_workflow.bring_up(memory, args, wanted.project)
    try:
        with suggest_workflow.asking(memory, wanted):
            files = memory.reports.analyst.cache_files(wanted)
    except NotFound:
        if memory.config.index_path.exists() and not suggest_workflow.in_index(memory, wanted.project):
            _forget(memory, args.out, wanted.project or "")
        raise
    folder = _folder(memory, args.out, files["index.json"]["projectEncoded"])
    try:
        removed = write(folder, files)
    except OSError as error:
        raise NotWritable(
            f"{error.filename or folder} cannot be written: {error.strerror or error}",
            hint="--out FOLDER writes the cache elsewhere",
        ) from error
    gone = f"; {counted(removed, 'file')} of sessions that are gone removed" if removed else ""
    options.say(f"Wrote {counted(len(files), 'file')}{gone}")
    print(folder)
    return 0


def _folder(memory: Memory, out: Path | None, encoded: str) -> Path:
    if out is not None:
        return out.expanduser().absolute()
    if memory.home.is_sample:  # its Claude folder is part of the program
        return memory.config.home / _FOLDER / encoded
    from axiommind.sources.claude_code import roots_of

    roots = roots_of(memory.home.environ, Path.home(), memory.config.claude_roots)
    return next((root for root in roots if root.is_dir()), roots[0]) / _FOLDER / encoded


def _forget(memory: Memory, out: Path | None, project: str) -> None:
    """Where the whole project is gone from the index, what we wrote about it goes too."""
    from axiommind.projects import slug

    with contextlib.suppress(OSError):
        _remove(_folder(memory, out, slug(project)), {})


def write(folder: Path, files: dict[str, dict[str, Any]]) -> int:
    """Put the files into the folder, the index last; returns how many old ones were removed."""
    texts = {name: (suggest_workflow.as_json(what) + "\n").encode("utf-8", "replace") for name, what in files.items()}
    hashes = {name: sha256(text).hexdigest() for name, text in texts.items()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sessions").mkdir(exist_ok=True)
    # Listed before it is written: a process killed in between leaves no file that is not listed.
    _put(folder / _NOTE, suggest_workflow.as_json({**_noted(folder), **hashes}).encode())
    for name in sorted(texts, key=lambda name: (name == "index.json", name)):
        _put(folder / name, texts[name])
    removed = _remove(folder, hashes)
    _put(folder / _NOTE, suggest_workflow.as_json(hashes).encode())
    return removed


def _put(path: Path, text: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text)
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _noted(folder: Path) -> dict[str, str]:
    """What we have written here before, by its name in the folder."""
    try:
        found = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: text for name, text in found.items() if isinstance(text, str) and _is_ours(name)}


def _is_ours(name: str) -> bool:
    """A name that we write: the note may have been changed, and must not lead out of the folder."""
    return name in ("index.json", "analysis-snapshot.json") or (
        name.startswith("sessions/") and name.endswith(".summary.json") and name.count("/") == 1
    )


def _remove(folder: Path, keep: dict[str, str]) -> int:
    removed = 0
    for name, written in _noted(folder).items():
        path = folder / name
        with contextlib.suppress(FileNotFoundError):
            if name not in keep and sha256(path.read_bytes()).hexdigest() == written:
                path.unlink()
                removed += 1
    return removed
