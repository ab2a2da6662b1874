"""`axm export`: everything elsewhere, in formats that other programs read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.errors import UsageError
from axiommind.health.check import size_text
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.exports.exports import ExportReport

HELP = "Export to Parquet, DuckDB, SQLite or JSON lines"
CALLER = "free: a copy takes nothing away"
GROUP = "keep safe"
_EPILOG = """examples:
  axm export --to parquet ~/axm-parquet
  axm export --to duckdb ~/axm.duckdb --since 90d
  axm export --to sqlite ~/axm.sqlite --project ~/code/teashop
  axm export --to jsonl ~/axm-jsonl

Every event, every table of the index, and a data dictionary. The same command again writes only what changed since.
What was forgotten meanwhile goes from the export then; until then axm forget names the exports that may hold it. Texts
are redacted, as they are in the home. jsonl also holds whole transcripts and documents; the others do with --blobs.
parquet and duckdb need the extra export.
"""
_FORMATS = ("duckdb", "jsonl", "parquet", "sqlite")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--to", nargs=2, required=True, metavar=("FORMAT", "PATH"), help=f"one of {', '.join(_FORMATS)}, and where to"
    )
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


def _said(done: ExportReport) -> str:
    rows = f"{render.counted(done.rows, 'row')} of {render.counted(done.tables, 'table')}, {size_text(done.bytes)}"
    if done.is_anew:
        return f"Exported: {rows}"
    if not done.rows_written and not done.parts_removed:
        return f"Nothing changed: {rows}"
    return f"Brought up to date: {render.counted(done.rows_written, 'row')} written; {rows}"
