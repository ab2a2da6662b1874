"""`axm embed`: compute vectors to enable semantic search."""

from __future__ import annotations

import argparse
import contextlib
import os
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.vectors.coverage import Counts
    from axiommind.vectors.embedding import Embedded, EmbedStatus

HELP = "Compute vectors to enable semantic search"
CALLER = "free: vectors are derived, and can be made again"
GROUP = "wire up"
_EPILOG = """examples:
  axm embed
  axm embed --watch
  axm embed --limit 1000
  axm embed --status
  axm embed --retry

Only texts without vectors are embedded, so it can be stopped and started at any time. Search keeps working: after a
change of embedder or store (embed.embedder, embed.store), the old vectors are used until the new ones are complete. One
process embeds at a time.
"""
_NICE = 10


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--watch", action="store_true", help="keep running as the index grows, until interrupted")
    how.add_argument("--status", action="store_true", help="show the progress, and exit")
    parser.add_argument("--limit", type=options.count, metavar="N", help="at most N texts")
    parser.add_argument("--retry", action="store_true", help="retry texts that failed too often")
    parser.add_argument("--wait", action="store_true", help="wait if another process is embedding")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if not memory.config.index_path.exists():
        options.require_index(memory)
        options.say("Nothing has been indexed yet: axm index")
        return 1
    if args.status:
        return _status(memory, args)
    with contextlib.suppress(AttributeError, OSError):  # Windows has none
        os.nice(_NICE)
    chosen: dict[str, Any] = {"limit": args.limit, "wait": args.wait, "retry": args.retry}
    if args.watch:
        return _watch(memory, args, chosen)
    bar = Bar("Embedding")
    try:
        done = memory.embeddings.make(progress=bar, **chosen)
    except KeyboardInterrupt:
        bar.close()
        options.say("Stopped; the next axm embed continues from here")
        raise
    finally:
        bar.close()
    return _show(done, args)


def _watch(memory: Memory, args: argparse.Namespace, chosen: dict[str, Any]) -> int:
    first = True
    try:
        for done in memory.embeddings.watch(**chosen):
            _show(done, args)
            if first and not args.json:
                options.say("Watching for changes; press Ctrl-C to stop.")
            first = False
    except KeyboardInterrupt:
        options.say("Stopped.")
    return 0


def _show(done: Embedded, args: argparse.Namespace) -> int:
    if args.json:
        figures = done._asdict() | {"texts_per_s": round(done.texts_per_s, 1), "seconds": round(done.seconds, 3)}
        stopped = None if done.stopped is None else done.stopped.message
        options.print_json("embed", figures | {"stopped": stopped, "notes": list(done.notes)})
    for note in done.notes:
        options.say(f"Note: {note}")
    options.say(f"Embedded: {_figures(done)}, {done.seconds:.1f} s")
    if done.failed:
        options.say(f"Failed: {render.counted(done.failed, 'text')}; axm embed --status shows why")
    if done.stopped is not None:
        options.say(f"Stopped: {done.stopped.message}")
        if done.stopped.hint:
            options.say(f"  hint: {done.stopped.hint}")
    if not done.active:
        options.say("Search does not use these vectors yet: run axm embed to complete them")
    return 3 if done.failed or done.stopped else 0


def _figures(done: Embedded) -> str:
    figures = [f"{done.done:,} new"]
    for count, words in (
        (done.kept, "unchanged"),
        (done.removed, "removed"),
        (done.waiting, "left"),
        (done.over_budget, "over embed.budget"),
    ):
        if count:
            figures.append(f"{count:,} {words}")
    return ", ".join(figures)


# --- how far it is -----------------------------------------------------------------------------------------


def _status(memory: Memory, args: argparse.Namespace) -> int:
    from axiommind.vectors.items import words_of

    status = memory.embeddings.status()
    failed = sum(counts.failed for counts in status.coverage.values())
    if args.json:
        options.print_json("embed-status", _as_json(status))
        return 3 if failed else 0
    print(f"Embedder: {status.embedder}, store: {status.store}, {status.bytes:,} bytes")
    if status.writer is not None:
        gone = " (gone: the next axm embed takes over)" if status.is_writer_gone else ""
        print(f"Writer:   {status.writer}{gone}")
    rows: list[dict[str, Any]]
    if status.versions:
        rows = [{**one._asdict(), "complete": render.day(one.completed_at)} for one in status.versions]
        print(f"\n{render.as_table(('version', 'embedder', 'store', 'state', 'vectors', 'complete'), rows)}")
    if status.coverage:
        rows = [
            {"of": words_of(kind), "done": one.done, "waiting": one.pending, "failed": one.failed, "share": _share(one)}
            for kind, one in status.coverage.items()
        ]
        print(f"\n{render.as_table(('of', 'done', 'waiting', 'failed', 'share'), rows)}")
    for one in status.failures:
        options.say(f"Failed: {one.kind} {one.id}: {one.error}")
    if failed:
        options.say(f"{render.counted(failed, 'text')} failed; axm embed --retry tries again")
    if not status.versions:
        options.say("Nothing has been embedded yet: axm embed")
    return 3 if failed else 0


def _share(counts: Counts) -> str:
    return f"{counts.done / counts.total:.0%}" if counts.total else ""


def _as_json(status: EmbedStatus) -> dict[str, Any]:
    return {
        **status._asdict(),
        "versions": [one._asdict() for one in status.versions],
        "coverage": {kind: {**c._asdict(), "total": c.total} for kind, c in status.coverage.items()},
        "failures": [one._asdict() for one in status.failures],
        "writer": None if status.writer is None else status.writer._asdict(),
    }
