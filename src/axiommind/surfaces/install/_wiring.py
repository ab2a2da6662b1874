"""Pieces are written and undone: all is planned before anything is written, and what was there before is given back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.surfaces.install import _files, say
from axiommind.surfaces.install._files import FileChange
from axiommind.surfaces.install._ledger import Ledger
from axiommind.surfaces.install._pieces import FilePiece

__all__ = ["by_file", "planned", "take_out", "undone", "what_becomes", "write"]


def by_file(pieces: Iterable[FilePiece]) -> dict[Path, list[FilePiece]]:
    """The pieces by the file that they are really in."""
    found: dict[Path, list[FilePiece]] = {}
    for piece in pieces:
        found.setdefault(Path(os.path.realpath(piece.path)), []).append(piece)
    return found


def planned(pieces: Iterable[FilePiece]) -> list[tuple[FileChange, list[FilePiece]]]:
    """Each file with its pieces. One whose content would be the same is not written again, however it is formatted."""
    changes = []
    for path, inside in by_file(pieces).items():
        found = _files.look(path)
        raw = found.raw
        try:
            for piece in inside:
                raw = piece.added(raw)
            shown = _together([piece.shown(raw or b"") for piece in inside])
        except AxmError as error:
            if str(found.path) in error.message:
                raise AxmError(error.message, hint=_by_hand(inside, error) or "") from error
            raise AxmError(f"{found.path}: {error.message}", hint=error.hint or "nothing was written") from error
        changes.append((FileChange(found, raw, shown), inside))
    return changes


def write(change: FileChange, pieces: Sequence[FilePiece], ledger: Ledger) -> None:
    if not change.needed:
        say(f"Nothing to change in {change.path}")
        return
    made = [folder for folder in change.path.parents if not folder.exists()]
    if made:
        change.path.parent.mkdir(parents=True)
        ledger.made(change.path, made[-1])
    raw = change.found.raw
    ledger.keep(change, had_ours=raw is not None and any(piece.is_in(raw) for piece in pieces))
    _files.replace(change.found, change.after, private=any(piece.private for piece in pieces))
    say(f"Wrote {' and '.join(piece.what for piece in pieces)} to {change.path}")


def undone(path: Path, pieces: Sequence[FilePiece], ledger: Ledger) -> FileChange | None:
    """The change that removes our pieces from a file; None where there are none in it."""
    found = _files.look(path)
    entry, old = ledger[found.path], ledger.before(found.path)
    if found.raw is None or not any(piece.is_in(found.raw) for piece in pieces):
        return None
    if entry and ledger.is_ours(found) and (old is not None or not entry.backup):
        return FileChange(found, old, exact=True)
    after: bytes | None = found.raw
    for piece in pieces:
        if after is not None and piece.is_in(after):
            after = piece.removed(after, old)
    if entry and not entry.backup and after is not None and after.strip() in (b"", b"{}"):  # there was no file
        after = None
    return FileChange(found, after)


def take_out(path: Path, pieces: Sequence[FilePiece], ledger: Ledger) -> bool:
    """Remove our pieces from a file; False where there are none."""
    change = undone(path, pieces, ledger)
    if change is None:
        return False
    _files.replace(change.found, change.after)
    backup = ledger.drop(change)
    copy = f" (a copy of what it was before them: {backup})" if backup else ""
    say(f"{change.path}: {what_becomes(change)}{copy}")
    return True


def what_becomes(change: FileChange) -> str:
    if change.after is None:
        return "removed"
    return "as it was before" if change.exact else "without our entries"


def _by_hand(pieces: Sequence[FilePiece], error: AxmError) -> str | None:
    """What to do about a file that cannot be parsed: JSON with comments is right for its client, and not for us."""
    if "is not valid JSON" not in error.message:
        return error.hint
    try:
        shown = _together([piece.shown(piece.added(None)) for piece in pieces])
    except AxmError:
        return error.hint
    return f"{error.hint}, or add this by hand:\n{json.dumps(shown, ensure_ascii=False, indent=2)}"


def _together(shown: list[object]) -> object:
    """What several pieces show of one file."""
    if len(shown) == 1:
        return shown[0]
    if all(isinstance(one, dict) for one in shown):
        return {key: value for one in shown if isinstance(one, dict) for key, value in one.items()}
    return shown
