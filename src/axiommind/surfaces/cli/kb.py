"""`axm kb`: folders of Markdown notes, in the index beside the sessions."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import search
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.ingest import DocumentReport
    from axiommind.projections.documents import DocumentRow, FolderRow

HELP = "Index and search folders of Markdown notes"
CALLER = "free: what an agent adds is told in its own project only; taking some out of the index (remove) is a proposal"
GROUP = "remember"
_EPILOG = """examples:
  axm kb add ~/notes
  axm kb add . --include 'docs/**' --include '**/*.txt' --exclude 'docs/old/**'
  axm kb add . --replace                 back to every Markdown file
  axm kb search "Rust workspace 설계" --tag rust --path 'notes/**'
  axm kb list --documents
  axm kb remove ~/notes/private

.gitignore, .ignore and .axmignore are respected; hidden folders and node_modules are skipped. axm index updates
documents too.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", help="what to do")

    def action(name: str, text: str) -> argparse.ArgumentParser:
        sub: argparse.ArgumentParser = actions.add_parser(
            name, help=text, description=text, formatter_class=parser.formatter_class
        )
        # Accepted before or after the action; without a default, this one does not undo the other.
        sub.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        return sub

    add = action("add", "Add folders or files, and index them")
    add.add_argument("folders", nargs="+", metavar="FOLDER", help="a folder or a file")
    add.add_argument(
        "--include",
        metavar="GLOB",
        action="append",
        default=[],
        help="only matching files, such as 'docs/**' (repeatable)",
    )
    add.add_argument("--exclude", metavar="GLOB", action="append", default=[], help="skip matching files (repeatable)")
    add.add_argument(
        "--replace",
        action="store_true",
        help="use only these globs; otherwise, globs are added to those the folder has",
    )
    index = action("index", "Read new and changed files of the added folders")
    index.add_argument("--rebuild-fts", action="store_true", help="also rebuild the full-text index")
    listed = action("list", "List the added folders")
    listed.add_argument("--documents", action="store_true", help="list every document instead")
    remove = action("remove", "Remove a folder or a file from the index (the log keeps its text)")
    remove.add_argument("path", metavar="FOLDER|FILE", help="what to remove")
    found = action("search", "Search only the documents")
    found.add_argument("query", nargs="+", metavar="QUERY", help="words, in any language")
    found.add_argument("--tag", action="append", default=[], help="only documents with this tag (repeatable)")
    found.add_argument("--lang", help="only this language: ko, zh, ja or en")
    found.add_argument("--path", metavar="GLOB", help="only documents whose path matches, such as 'notes/**'")
    options.add_window(found, "documents changed")
    search.add_output(found)
    for sub in (add, index, listed, remove):
        sub.add_argument("--json", action="store_true", help="print JSON")


def explain_unknown(words: list[str]) -> str:
    return search.explain_unknown(words)


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        return options.print_usage(args)
    return _ACTIONS[args.action](args)


def _add(args: argparse.Namespace) -> int:
    bar = Bar("Indexing")
    try:
        memory = Memory()
        report = memory.documents.add(
            args.folders, args.include, args.exclude, progress=bar, replace=args.replace, caller=memory.identify()
        )
    finally:
        bar.close()
    return _show(report, args, "axm.kb.add.v1")


def _index(args: argparse.Namespace) -> int:
    memory = Memory()
    bar = Bar("Indexing")
    try:
        report = memory.documents.index(progress=bar)
    finally:
        bar.close()
    more = {}
    if args.rebuild_fts:
        more["passages"] = memory.documents.rebuild_fts()
        report.notes.append(f"the full-text index was rebuilt from {render.counted(more['passages'], 'passage')}")
    code = _show(report, args, "axm.kb.index.v1", **more)
    if not report.folders and not more:
        sys.stderr.write("No folder has been added yet: axm kb add FOLDER\n")
        return 1
    return code


def _search(args: argparse.Namespace) -> int:
    text = " ".join(args.query)
    if not text.strip():
        raise UsageError("there is nothing to search for", hint="axm kb list --documents shows what is there")
    memory = Memory()
    page = memory.search(
        text,
        memory.scope(all_projects=True),
        k=args.k,
        recency=not args.no_recency,
        cursor=args.cursor,
        documents=True,
        mode=args.mode,
        **search.flags_of(args),
    )
    if args.json or not page.hits:
        return search.show(page, args, None)
    if page.note:
        sys.stderr.write(f"Note: {page.note}\n")
    print(hits.documents_as_text(page, why=args.why))
    if page.next_cursor:
        sys.stderr.write(f"More: --cursor {page.next_cursor}\n")
    return 0


def _list(args: argparse.Namespace) -> int:
    library = Memory().documents.list()
    if args.json:
        shown = {"schema": "axm.kb.list.v1", "folders": [f._asdict() for f in library.folders]}
        if args.documents:
            shown["documents"] = [d._asdict() for d in library.documents]
        print(json.dumps(shown, ensure_ascii=False))
    elif args.documents and library.documents:
        columns = ("title", "path", "lang", "tags", "chunks", "lines", "encoding", "modified")
        print(render.as_table(columns, _documents(library.documents)))
    elif not args.documents and library.folders:
        print(render.as_table(("folder", "documents", "chunks", "include", "exclude"), _folders(library.folders)))
        for folder in library.folders:
            if folder.agent is not None:
                options.say(f"{folder.root} was added by {folder.agent}: it is told in its own project only")
    if not library.folders:
        sys.stderr.write("No folder has been added yet: axm kb add FOLDER\n")
    return 0 if library.folders else 1


def _documents(documents: tuple[DocumentRow, ...]) -> list[dict[str, Any]]:
    return [
        {
            **d._asdict(),
            "tags": " ".join(d.tags),
            "modified": render.day(d.modified),
            "encoding": d.encoding or "unknown",
        }
        for d in documents
    ]


def _folders(folders: tuple[FolderRow, ...]) -> list[dict[str, Any]]:
    return [
        {**f._asdict(), "folder": f.root, "include": " ".join(f.include), "exclude": " ".join(f.exclude)}
        for f in folders
    ]


def _remove(args: argparse.Namespace) -> int:
    memory = Memory()
    report = memory.documents.remove(args.path, caller=memory.identify())
    code = _show(report, args, "axm.kb.remove.v1")
    sys.stderr.write(
        f"Its text stays in the log. To add it again: axm kb add {args.path}\n"
        "To purge a document's text from the log too: axm forget --document FILE\n"
    )
    return code


def _show(report: DocumentReport, args: argparse.Namespace, schema: str, **more: Any) -> int:
    """Say what was done; 3 when something could not be read."""
    for note in report.notes:
        sys.stderr.write(f"Note: {note}\n")
    for problem in (*report.problems, *report.flaws)[:5]:
        sys.stderr.write(f"Problem: {problem.where}: {problem.why}\n")
    rest = len(report.problems) + len(report.flaws) - 5
    if rest > 0:
        sys.stderr.write(f"… and {render.counted(rest, 'more problem')}; axm doctor lists them\n")
    sys.stderr.write(f"{summary(report)}, {report.seconds:.1f} s\n")
    if args.json:
        print(json.dumps({"schema": schema, **report.as_json(), **more}, ensure_ascii=False))
    return 3 if report.problems else 0


def summary(report: DocumentReport) -> str:
    """One line on a run over the documents."""
    chunks = f"; {render.counted(report.chunks, 'chunk')} made" if report.chunks else ""
    forgotten = f", {report.forgotten} stay forgotten" if report.forgotten else ""
    return (
        f"Documents: {report.new} new, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.removed} removed{forgotten}{chunks}"
    )


_ACTIONS = {"add": _add, "index": _index, "list": _list, "remove": _remove, "search": _search}
