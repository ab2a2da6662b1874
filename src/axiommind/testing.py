"""Contract tests for plugins: what a source, perspective, extractor or embedder must do, as functions for a test.

Each raises AssertionError with a sentence that says what is wrong. They need no test framework; this package's own
sources, perspectives, extractors and embedders are held to the same.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from axiommind.config import Config
from axiommind.memory import SAMPLE, Memory, Scope
from axiommind.projections.transcript import Transcript, read
from axiommind.text.pointers import text_at
from axiommind.tools.kinds import EDIT, KINDS

__all__ = [
    "SAMPLE",
    "check_embedder",
    "check_extractor",
    "check_perspective",
    "check_source",
    "sample_memory",
    "sample_transcripts",
]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_ROLES = ("person", "assistant", "call", "result", "queued", "summary")
# What no source may stumble over: lines that were torn, are no records, or are records of nothing.
_HOSTILE = (b"", b"\n", b"{}\n", b"null\n", b"[]\n", b"7\n", b'"text"\n', b"\xff\xfe\n", b'{"type": \n', b"[" * 5_000)
_WRONG: tuple[Any, ...] = (None, 7, "text", [1], {"a": []})


def _must(condition: object, why: str) -> None:
    if not condition:
        raise AssertionError(why)


# --- the sample ----------------------------------------------------------------------------------------------


@contextmanager
def sample_memory() -> Iterator[Memory]:
    """A memory of the sample sessions that come with this package, indexed, in a folder of its own."""
    with TemporaryDirectory(prefix="axm-testing-") as folder:
        user = Path(folder) / "user"
        user.mkdir()
        config = Config.load(environ={}, home=Path(folder) / "home")
        memory = Memory(config, environ={"CLAUDE_CONFIG_DIR": str(SAMPLE)}, user=user)
        memory.index()
        yield memory


def sample_transcripts() -> list[Transcript]:
    """The sample sessions as an extractor is given them."""
    with sample_memory() as memory, memory.home.read_log() as (log, _), memory.home.reading(Scope(None), None) as db:
        names = [row[0] for row in db.execute("select id from sessions order by id")]
        return [found for name in names if (found := read(db, log.blob, name)) is not None]


# --- sources -------------------------------------------------------------------------------------------------


def check_source(source: Any, transcript: bytes, environ: Mapping[str, str] | None = None) -> None:
    """A source, with one of its agent's transcripts: a few lines that hold a prompt, an answer and a tool call.
    `environ` makes `discover` find at least one file, where that is to be tested too."""
    _must(_NAME.fullmatch(source.NAME), "NAME is in lower case, with dashes between words")
    for name, tool in source.TOOLS.items():
        _must(tool.kind in KINDS, f"the tool {name} is of no kind in axiommind.tools.kinds")
        _must(tool.kind != EDIT or tool.file_field, f"the tool {name} edits, and does not say which field is the file")
    _check_decoding(source, transcript)
    _check_blocks(source, transcript)
    for content in (*_HOSTILE, *_torn(transcript)):
        source.decode(content, 1)
        source.blocks(content, 1)
    if hasattr(source, "prune"):
        _check_pruning(source, transcript)
    with TemporaryDirectory(prefix="axm-testing-") as folder:
        nothing = source.discover({}, Path(folder), [], None)
        _must(not nothing.files, "nothing is found in an empty home folder")
        if environ is not None:
            files = source.discover(environ, Path(folder), [], None).files
            _must(any(file.kind == "transcript" for file in files), "a transcript is found where there is one")
            for file in files:
                state = Path(file.path).stat()
                _must(file.size == state.st_size, f"{file.path} has the size that discover says")
                _must(file.mtime_ns == state.st_mtime_ns, f"{file.path} has the time that discover says")


def _torn(content: bytes) -> Iterator[bytes]:
    """The transcript cut off in the middle of each line, and each line with a wrong type in every field."""
    for line in content.split(b"\n"):
        yield line[: len(line) // 2]
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            for field in record:
                yield from (json.dumps({**record, field: wrong}).encode() + b"\n" for wrong in _WRONG)


def _check_decoding(source: Any, transcript: bytes) -> None:
    found = source.decode(transcript, 1)
    _must(found.prompts, "the transcript holds a prompt")
    _must(found.tool_uses, "the transcript holds a tool call")
    _must(found == source.decode(transcript, 1), "the same lines decode to the same rows")
    count = transcript.count(b"\n") + (not transcript.endswith(b"\n"))
    _must(found.lines == count, f"it counts the lines: {count}")
    later = source.decode(transcript, 101)
    for rows, others in ((found.prompts, later.prompts), (found.tool_uses, later.tool_uses)):
        for one, other in zip(rows, others, strict=True):
            _must(1 <= one.line <= count, "a row's line is one of the transcript's")
            _must(other.line == one.line + 100, "lines are counted from the first line that is named")
    for record in found.records[:20]:
        left = source.decode(transcript, 1, frozenset({record.uuid}))
        _must(record.uuid not in {r.uuid for r in left.records}, "a record that is skipped is not decoded")


def _check_blocks(source: Any, transcript: bytes) -> None:
    blocks, calls = source.blocks(transcript, 1)
    lines = transcript.split(b"\n")
    _must(any(block.role == "person" for block in blocks), "a person's words are among the blocks")
    for block in blocks:
        _must(block.role in _ROLES, f"a block is from one of {', '.join(_ROLES)}")
        said = text_at(lines[block.line - 1], block.pointer)
        _must(said is not None, f"line {block.line} has a text at {block.pointer}")
        same = said is not None and len(said) == len(block.text)
        same = same and all(a in (b, " ") for a, b in zip(block.text, said or "", strict=True))
        _must(same, f"the block of line {block.line} is the text at {block.pointer}, with blanks for what nobody said")
    for call in calls:
        _must(all(0 <= place < len(blocks) for place in call.leaves.values()), "a call's texts are among the blocks")
    uses = source.decode(transcript, 1).tool_uses
    _must([c.name for c in calls] == [u.tool_name for u in uses], "blocks and decode see the same calls")


def _check_pruning(source: Any, transcript: bytes) -> None:
    for line in transcript.split(b"\n"):
        pruned = source.prune(line)
        _must(b"\n" not in pruned, "a pruned line is one line")
        _must(source.prune(pruned) == pruned, "pruning twice is pruning once")
    for line in (b"", b"{", b"\xff", b"[" * 5_000):
        source.prune(line)


# --- perspectives --------------------------------------------------------------------------------------------


def check_perspective(module: Any, db: sqlite3.Connection | None = None) -> None:
    """A module with a `PERSPECTIVE`, over the sample or over an index of your own (opened read-only)."""
    perspective = module.PERSPECTIVE
    _check_description(perspective)
    if db is not None:
        _check_rows(perspective, db)
        return
    with sample_memory() as memory, memory.home.reading(Scope(None), None) as sample:
        sample.execute("pragma query_only=on")
        _check_rows(perspective, sample)


def _check_description(perspective: Any) -> None:
    from axiommind.reports.perspectives import COMMON

    _must(_NAME.fullmatch(perspective.name), "its name is in lower case, with dashes between words")
    _must(perspective.summary, "it has a summary")
    _must(len(set(perspective.columns)) == len(perspective.columns), "no column comes twice")
    common = [param.name for param in COMMON]
    _must([p.name for p in perspective.filters] == common, f"its filters are those of every perspective: {common}")
    _must(not {p.name for p in perspective.params} & set(common), "its own parameters have other names")
    _must(all(p.help for p in (*perspective.filters, *perspective.params)), "every parameter has a help text")
    if plot := perspective.plot:
        used = {plot.x, plot.y, plot.color, plot.size} - {None}
        _must(used <= set(perspective.columns), f"the chart uses columns that there are: {used}")


def _check_rows(perspective: Any, db: sqlite3.Connection) -> None:
    params = {p.name: p.default for p in (*perspective.filters, *perspective.params)}
    rows = perspective.run(db, {**params, "top": -1})
    for row in rows:
        _must(tuple(row) == perspective.columns, "a row has the columns, in their order")
        json.dumps(row, allow_nan=False)
    _must(rows == perspective.run(db, {**params, "top": -1}), "the same question has the same answer")
    _must(perspective.run(db, {**params, "top": 0}) == [], "top 0 gives no rows")
    far = {"since": 1 << 52, "until": 0, "min_count": 1 << 52, "tool": "no such tool"}
    for name, value in far.items():
        _must(len(perspective.run(db, {**params, "top": -1, name: value})) <= len(rows), f"{name} adds no rows")
    for hostile in ("'; drop table sessions; --", "%' union select 1 --", "\x00"):
        perspective.run(db, {**params, "tool": hostile})


# --- extractors ----------------------------------------------------------------------------------------------


def check_extractor(module: Any, transcripts: Iterable[Transcript] | None = None, config: Config | None = None) -> None:
    """A module with `make(config, spending)`, over the sample sessions or sessions of your own."""
    from axiommind.llm.budget import Spending
    from axiommind.projections.entry_rows import ENTRY_TYPES

    chosen = config or Config.load(environ={}, home=Path("no-such-home"))
    made = module.make(chosen, Spending(allow=lambda: None, record=lambda _: None))
    _must(isinstance(made.name, str) and made.name, "an extractor has a name")
    _must(isinstance(made.is_measured, bool), "an extractor says whether its confidence is measured")
    for transcript in sample_transcripts() if transcripts is None else transcripts:
        found = made.extract(transcript)
        _must(found.model and found.prompt_hash, "an extraction says what made it")
        if made.is_measured:
            _must(found == made.extract(transcript), "the same session gives the same drafts")
        for draft in found.drafts:
            _must(draft.type in ENTRY_TYPES, f"a draft is one of {', '.join(ENTRY_TYPES)}")
            _must(draft.title and draft.quotes, "a draft has a title and quotes")
            _must(0 <= draft.confidence <= 1, "a draft's confidence is from 0 to 1")
            for quote in draft.quotes:
                _must(0 <= quote.message < len(transcript.messages), "a quote names one of the messages")
                said = transcript.messages[quote.message].text
                _must(quote.text and quote.text in said, f"a quote is what was said: {quote.text!r}")


# --- embedders -----------------------------------------------------------------------------------------------


def check_embedder(module: Any, settings: Any) -> None:
    """A module with `load(settings)`, where `settings` is an `axiommind.vectors.embedders.Settings`."""
    made = module.load(settings)
    _must(made.name == settings.name, "an embedder is called as the settings call it")
    _must(re.fullmatch(r"[A-Za-z0-9._-]+", made.version), "its version is fit for a file's name")
    _must(made.dimension > 0, "it says how many dimensions its vectors have")
    _must(100 <= made.parts_of <= 10_000, "it says how long a part of a text may be: 100 to 10,000 characters")
    _must(isinstance(made.warm, bool), "it says whether one vector costs milliseconds in a new process")
    texts = ["the index is rebuilt from the log", "빌드가 실패했다", "日本語の文", "x" * 10_000, "\ud83d half a pair"]
    vectors = _plain(made.embed(texts))
    _must([len(v) for v in vectors] == [made.dimension] * len(texts), "one vector a text, of that dimension")
    for vector in vectors:
        length = math.sqrt(sum(x * x for x in vector))
        _must(length == 0 or abs(length - 1) < 1e-3, "a vector has the length 1")
    _must(vectors[0] != vectors[1], "other words have another vector")
    _must(_near(_plain(made.embed(texts[::-1])), vectors[::-1]), "vectors come in the order of their texts")
    _must(
        _near(_plain(module.load(settings).embed(texts)), vectors), "the same text has the same vector in another life"
    )
    _must(_plain(made.embed([])) == [], "no texts have no vectors")
    _must(not any(_plain(made.embed(["", " \n"]))[0]), "a text that means nothing is all zeros")
    _must(len(made.embed_query("the log")) == made.dimension, "what is searched for has a vector of the same kind")


def _plain(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[float(x) for x in vector] for vector in vectors]


def _near(some: list[list[float]], others: list[list[float]]) -> bool:
    pairs = (zip(a, b, strict=True) for a, b in zip(some, others, strict=True))
    return all(abs(x - y) < 1e-4 for pair in pairs for x, y in pair)
