"""Taking in an export of another home: its JSON lines, read as something that a stranger wrote.

Every line is bounded, parsed strictly and checked by the door that all foreign events come through (`log/foreign.py`).
Texts are found where they are and read when they are needed, so memory holds a few of them. Events go in by their
number in that home: what is here already is passed over, so a run that was stopped goes on, and twice is once.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import zstandard

from axiommind.callers import Caller
from axiommind.errors import UsageError
from axiommind.exports.manifest import Manifest
from axiommind.exports.snapshot import BLOBS, EVENTS, REFS
from axiommind.exports.targets import jsonl
from axiommind.home import Home
from axiommind.ids import canonical_json
from axiommind.log.foreign import ForeignRefused, Outgoing, Received, append_foreign, join, read_lines
from axiommind.log.origins import TRAVELS
from axiommind.log.sqlite import SqliteLog
from axiommind.model import OriginHome

__all__ = ["TakenIn", "take_in"]

# A text of 64 MB, every character of it escaped; and an event, with what is around it.
_LONGEST_TEXT = 400 << 20
_LONGEST_EVENT = 8 << 20
_BATCH_EVENTS = 100
_BATCH_BYTES = 16 << 20
_SMALL = 200  # as in the log: below this a frame is no smaller than the text
_ABOUT = frozenset(("forgotten", "forget_lifted"))
_MILLISECONDS = ("ts", "happened_at")


class TakenIn(NamedTuple):
    """What an export held, and what became of it."""

    origin: str
    name: str
    relation: str
    dry_run: bool
    appended: int = 0
    known: int = 0
    forgotten: int = 0  # there, or here
    quarantined: int = 0
    texts_quarantined: int = 0
    not_travelling: int = 0  # of the other home's own work, or of a third home
    sessions: tuple[str, ...] = ()


class _Place(NamedTuple):
    """Where the line of a text is."""

    file: Path
    offset: int
    length: int


class _BlobName(msgspec.Struct):
    hash: str


class _Texts(Mapping[str, tuple[str, bytes] | None]):
    """The texts of an export by their names, read when they are asked for."""

    def __init__(self, places: dict[str, _Place]) -> None:
        self._places = places

    def size(self, name: str) -> int:
        return self._places[name].length if name in self._places else 0

    def __getitem__(self, name: str) -> tuple[str, bytes]:
        place = self._places[name]
        with place.file.open("rb") as file:
            file.seek(place.offset)
            said = json.loads(file.read(place.length))
        if isinstance(said.get("text"), str):
            content = said["text"].encode("utf-8", "surrogatepass")
        else:
            content = base64.b64decode(str(said.get("bytes", "")), validate=True)
        packed = zstandard.ZstdCompressor().compress(content) if len(content) >= _SMALL else content
        return ("raw", content) if len(content) < _SMALL else ("zstd", packed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def take_in(
    home: Home,
    folder: Path,
    name: str | None,
    *,
    dry_run: bool = False,
    caller: Caller | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TakenIn:
    """Append the events of an export of another home, and project them. `name` is what that machine is called here:
    `laptop` for another one of yours, `kim@laptop` for somebody else's."""
    who = caller or home.caller
    who.require_person("import another home")
    manifest = jsonl.found(folder)
    if manifest is None:
        raise UsageError(f"there is no export in {folder}", hint="make one there: axm export --to jsonl DIR")
    if not manifest.blobs or not manifest.is_whole:
        why = "holds no texts" if not manifest.blobs else "is not whole"
        raise UsageError(f"the export in {folder} {why}", hint=f"make it again there: axm export --to jsonl {folder}")
    with home.writing([]) as (log, _key, index):
        from axiommind.projections.runner import Segments

        its = _known_as(log, manifest, name)
        if not dry_run:
            its = join(log, its)
        done = _Reading(log, folder, manifest, its).run(dry_run, progress)
        index.catch_up(log, Segments(log))
        return done


def _known_as(log: SqliteLog, manifest: Manifest, name: str | None) -> OriginHome:
    """Who the home is, as a person says. Its relation stays as it was said first."""
    origin = manifest.origin
    own = [one.origin for one in log.origins.all() if one.id == 0]
    if origin in (log.identity().name, *own):
        raise UsageError("this export is of this home", hint="axm restore brings a backup of it back")
    known = log.origins.named(origin)
    if known is not None and name is None:
        return known
    if name is None:
        raise UsageError(
            "whose home is it?", hint="--as laptop for another machine of yours, --as kim@laptop for somebody else's"
        )
    person, at, machine = name.rpartition("@")
    if not machine or (at and not person) or not name.replace("@", "").replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"{name!r} is no name", hint="letters, digits, - and _; kim@laptop for somebody else's")
    relation = "teammate" if person else "own"
    if known is not None and (known.relation, known.name) != (relation, machine):
        raise UsageError(f"this home is known here as {known.label}", hint="leave --as out")
    return OriginHome(0, origin, person, machine, relation)


class _Reading:
    """One export while it is read."""

    def __init__(self, log: SqliteLog, folder: Path, manifest: Manifest, its: OriginHome) -> None:
        self._log, self._folder, self._manifest, self._its = log, folder, manifest, its
        self._texts = _Texts(dict(self._places()))
        self._refs = self._references()
        self._gone = self._forgotten()
        self._count: Counter[str] = Counter()
        self._sessions: set[str] = set()

    def run(self, dry_run: bool, progress: Callable[[int, int], None] | None) -> TakenIn:
        total = sum(part.rows for part in self._manifest.parts if part.table == EVENTS)
        batch: list[Outgoing] = []
        size = 0
        for done, (where, said) in enumerate(self._events(), 1):
            one = self._outgoing(where, said)
            if one is not None:
                batch.append(one)
                size += sum(self._texts.size(name) for name in one.texts)
            if len(batch) >= _BATCH_EVENTS or size >= _BATCH_BYTES:
                self._append(batch, dry_run)
                batch, size = [], 0
            if progress is not None:
                progress(done, total)
        self._append(batch, dry_run)
        its = self._its
        return TakenIn(
            its.origin, its.label, its.relation, dry_run, **self._count, sessions=tuple(sorted(self._sessions))
        )

    def _append(self, batch: list[Outgoing], dry_run: bool) -> None:
        if not batch:
            return
        if dry_run:
            received = Received(appended=len(batch))
        else:
            received = append_foreign(self._log, self._its.origin, batch, self._texts)
        self._count.update(received._asdict())
        self._sessions |= {
            str(self._log.origins.local_id(self._its, name)) for one in batch if (name := one.event.session_id)
        }

    # --- lines -------------------------------------------------------------------------------------------

    def _lines(self, table: str, longest: int) -> Iterator[tuple[Path, int, int, bytes]]:
        """Each line of a table: its file, number and offset. The manifest says which files there are."""
        for path in jsonl.files(self._folder, self._manifest, table):
            with path.open("rb") as file:
                number = offset = 0
                while line := file.readline(longest + 1):
                    number += 1
                    if len(line) > longest:
                        raise ForeignRefused(f"{path}, line {number}: it is longer than {longest} bytes")
                    yield path, number, offset, line
                    offset += len(line)

    def _events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        last = 0
        for path, number, _, line in self._lines(EVENTS, _LONGEST_EVENT):
            where = f"{path}, line {number}"
            said = _parsed(line, where)
            position = said.get("position")
            if not isinstance(position, int) or position <= last:
                raise ForeignRefused(f"{where}: its position does not follow the one before it")
            last = position
            yield where, said

    def _places(self) -> Iterator[tuple[str, _Place]]:
        decoder = msgspec.json.Decoder(_BlobName)
        for path, number, offset, line in self._lines(BLOBS, _LONGEST_TEXT):
            try:
                found = decoder.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                raise ForeignRefused(f"{path}, line {number}: {error}") from None
            yield found.hash, _Place(path, offset, len(line))

    def _references(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for path, number, _, line in self._lines(REFS, _LONGEST_EVENT):
            where = f"{path}, line {number}"
            said = _parsed(line, where)
            position, name = said.get("position"), said.get("hash")
            if not isinstance(position, int) or not isinstance(name, str):
                raise ForeignRefused(f"{where}: it names no event and text")
            found.setdefault(position, []).append(name)
        return found

    def _forgotten(self) -> set[tuple[str, str]]:
        """Sessions and projects that were forgotten there, and not taken back."""
        gone: set[tuple[str, str]] = set()
        for _, said in self._events():
            payload = said.get("payload")
            if said.get("event_type") not in _ABOUT or not isinstance(payload, dict):
                continue
            sessions = payload.get("sessions") or [payload.get("session")]
            names = [("session", str(one)) for one in sessions if one] if isinstance(sessions, list) else []
            if payload.get("project"):
                names.append(("project", str(payload["project"])))
            gone = gone | {*names} if said["event_type"] == "forgotten" else gone - {*names}
        return gone

    def _outgoing(self, where: str, said: dict[str, Any]) -> Outgoing | None:
        """The event of a line as it travels, checked; None where it stays at home."""
        kind = said.get("event_type")
        if said.get("origin") or kind not in TRAVELS:
            self._count["not_travelling"] += 1
            return None
        if kind not in _ABOUT and self._gone & {("session", said.get("session_id")), ("project", said.get("project"))}:
            self._count["forgotten"] += 1
            return None
        names = {
            "position": "seq",
            "event_id": "id",
            "event_type": "type",
            "session_id": "session",
            "build_id": "build",
        }
        line = {names.get(name, name): value for name, value in said.items()}
        for name in ("origin", "origin_ts", "schema"):
            line.pop(name, None)
        line["seq"] = said.get("position")
        texts = self._refs.get(line["seq"], [])
        try:
            line |= {name: _milliseconds(line.get(name)) for name in _MILLISECONDS}
            line |= {"schema": self._manifest.vocabulary, "blobs": [one for one in texts if one in self._texts]}
            (one,) = read_lines(canonical_json(line).encode("utf-8", "surrogatepass"))
        except ForeignRefused as error:
            raise ForeignRefused(f"{where}: {error.message.removeprefix('line 1 is refused: ')}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise ForeignRefused(f"{where}: {error or 'it is nested too deeply'}") from None
        return one


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ForeignRefused(f"{where}: {error or 'it is nested too deeply'}") from None
    if not isinstance(said, dict):
        raise ForeignRefused(f"{where}: it is no object")
    return said


def _milliseconds(text: Any) -> int | None:
    """A time of an export as the log has it."""
    from datetime import datetime

    if text is None:
        return None
    if not isinstance(text, str) or not text.endswith("Z"):
        raise ValueError("a time is none")
    return round(datetime.fromisoformat(text).timestamp() * 1000)
