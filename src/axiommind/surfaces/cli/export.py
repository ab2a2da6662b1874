"""`axm export`: everything elsewhere, in formats that other programs read."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.errors import StoreError, UsageError
from axiommind.health.check import size_text
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar
from axiommind.surfaces.render.session_page import as_html, as_markdown

if TYPE_CHECKING:
    from axiommind.exports.exports import ExportReport

HELP = "Export everything, or one session as a page to share"
CALLER = "free: a copy takes nothing away"
GROUP = "keep safe"
_EPILOG = """examples:
  axm export --to parquet ~/axm-parquet
  axm export --to duckdb ~/axm.duckdb --since 90d
  axm export --to sqlite ~/axm.sqlite --project ~/code/teashop
  axm export --to jsonl ~/axm-jsonl
  axm export html --session 3e1c26d3 --output session.html
  axm export md --session 3e1c26d3

Every event, every table of the index, and a data dictionary. The same command again writes only what changed since.
What was forgotten meanwhile goes from the export then; until then axm forget names the exports that may hold it. Texts
are redacted, as they are in the home. jsonl also holds whole transcripts and documents; the others do with --blobs.
parquet and duckdb need the extra export.

html and md are one session as one file, to be shared: redacted again, tools folded, nothing live in it. Read it before
you give it away.
"""
_FORMATS = ("duckdb", "jsonl", "parquet", "sqlite")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("format", nargs="?", choices=("html", "md"), help="one session as one file to share")
    parser.add_argument("--session", metavar="ID", help="which (an id or its start)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to this file instead of standard output")
    parser.add_argument("--to", nargs=2, metavar=("FORMAT", "PATH"), help=f"one of {', '.join(_FORMATS)}, and where to")
    parser.add_argument("--project", metavar="PATH", help="only this project (default: all)")
    parser.add_argument(
        "--since", metavar="WHEN", type=options.since, help="only sessions active since then: 2026-01-31, 30d (UTC)"
    )
    parser.add_argument(
        "--blobs", action=argparse.BooleanOptionalAction, help="with the texts of transcripts and documents, or without"
    )
    parser.add_argument("--force", action="store_true", help="write it anew; replace a file that is something else")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.format is not None:
        return _session(args)
    if args.to is None or args.session or args.output:
        raise UsageError("what is to be exported?", hint="--to FORMAT PATH, or html|md --session ID")
    memory = Memory()
    to, path = args.to
    if to not in _FORMATS:
        raise UsageError(f"there is no format {to!r}", hint=f"one of: {', '.join(_FORMATS)}")
    options.require_index(memory)
    project = None if args.project is None else memory.scope(project=args.project).project
    bar = Bar("Exporting")
    try:
        done = memory.exports.make(
            to,
            Path(path),
            project=project,
            since=args.since,
            blobs=args.blobs,
            force=args.force,
            progress=bar,
        )
    finally:
        bar.close()
    options.say(_said(done))
    if args.json:
        options.print_line("export", done._asdict() | {"path": str(done.path)})
    else:
        print(done.path)
    return 0


def _session(args: argparse.Namespace) -> int:
    """One session as one file."""
    if args.session is None or args.to or args.project or args.since or args.blobs is not None:
        raise UsageError(f"axm export {args.format} takes --session ID and -o FILE", hint="--to exports everything")
    memory = Memory()
    options.require_index(memory)
    told = memory.exports.session(args.session)
    text = as_html(told) if args.format == "html" else as_markdown(told)
    if args.output is None:
        if args.json:
            options.print_line("export", {"session": told.session_id, "format": args.format, "text": text})
        else:
            print(text, end="")
        return 0
    target = Path(args.output).expanduser().absolute()
    _write(target, text, force=args.force)
    options.say(
        f"Exported: {render.counted(len(told.items), 'piece')} of {told.session_id}. Read it before you share it"
    )
    if args.json:
        options.print_line("export", {"session": told.session_id, "format": args.format, "path": str(target)})
    else:
        print(target)
    return 0


def _write(target: Path, text: str, *, force: bool) -> None:
    """The file whole, or not at all; one that is there only with --force."""
    if target.is_dir() or (target.exists() and not force):
        raise UsageError(f"{target} exists already", hint="name another file, or say --force to replace it")
    part = target.with_name(f".{target.name}.part-{os.getpid()}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{target} cannot be written: {error.strerror or error}", hint="name another place") from error


def _said(done: ExportReport) -> str:
    rows = f"{render.counted(done.rows, 'row')} of {render.counted(done.tables, 'table')}, {size_text(done.bytes)}"
    if done.is_anew:
        return f"Exported: {rows}"
    if not done.rows_written and not done.parts_removed:
        return f"Nothing changed: {rows}"
    return f"Brought up to date: {render.counted(done.rows_written, 'row')} written; {rows}"
