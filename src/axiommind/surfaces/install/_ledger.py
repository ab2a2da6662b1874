"""What we wrote into the files of other programs, and what was there before: `backups/` in our home.

What was there before our first change is kept, with a ledger of what we wrote: a file that is still what we wrote is
restored to its old bytes. Each agent has its own part of the ledger.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from axiommind.errors import NotWritable
from axiommind.private import make_private
from axiommind.surfaces.install._files import FileChange, JsonFile

__all__ = ["Ledger", "LedgerEntry"]


class LedgerEntry(NamedTuple):
    """What the ledger knows of a file: its backup (empty: there was no file), what we wrote, the outermost folder that
    we made for it, and the agent whose file it is."""

    backup: str
    digest: str
    folder: str
    agent: str = "claude-code"  # before there were others, it was not written down


class Ledger:
    """One agent's part of it; saving keeps the others' as they are."""

    def __init__(self, home: Path, agent: str) -> None:
        self.folder = home / "backups"
        self._file = self.folder / "installed.json"
        self._agent = agent
        self._emptied: list[tuple[Path, str]] = []  # files that were dropped, and the outermost folder made for each
        try:
            found = json.loads(self._file.read_bytes())
            known = {path: LedgerEntry(**entry) for path, entry in found["files"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            # Without it, entries are still recognised by what they run.
            known = {}
        self.files = {path: entry for path, entry in known.items() if entry.agent == agent}
        self._others = {path: entry for path, entry in known.items() if entry.agent != agent}

    def __getitem__(self, path: Path) -> LedgerEntry | None:
        return self.files.get(str(path))

    def is_ours(self, found: JsonFile) -> bool:
        """Whether a file still is what we wrote, so that its old bytes undo it."""
        entry = self[found.path]
        return entry is not None and found.raw is not None and entry.digest == _digest(found.raw)

    def before(self, path: Path) -> bytes | None:
        """What was there before us; None where there was nothing, or nobody knows."""
        entry = self[path]
        if entry is None or not entry.backup:
            return None
        try:
            return (self.folder / entry.backup).read_bytes()
        except OSError:
            return None

    def keep(self, change: FileChange, *, had_ours: bool) -> None:
        """Remember what a file holds before it is changed, and what it is about to hold."""
        found, entry = change.found, self[change.path]
        digest = _digest(change.after or b"")
        if not had_ours or entry is None:
            folder = entry.folder if entry else ""
            entry = LedgerEntry(self._backup(found), digest if not had_ours else "", folder, self._agent)
        elif self.is_ours(found):
            entry = entry._replace(digest=digest)
        else:
            # Others have written since: the first backup is not to be restored, but shows what was there before us.
            self._backup(found)
            entry = entry._replace(digest="")
        self.files[str(found.path)] = entry
        self._write()

    def made(self, path: Path, folder: Path) -> None:
        """A folder that was made for a file, and those in it on the way there, are removed with it."""
        self.files[str(path)] = (self[path] or LedgerEntry("", "", "", self._agent))._replace(folder=str(folder))

    def drop(self, change: FileChange) -> Path | None:
        """Forget a file that was restored. Its backup stays, unless the file is equal to it again."""
        entry = self.files.pop(str(change.path), None)
        if entry is None:
            return None
        backup = self.folder / entry.backup if entry.backup else None
        if backup is not None and change.exact:
            backup.unlink(missing_ok=True)
            backup = None
        if entry.folder:
            self._emptied.append((change.path, entry.folder))
        for path, outermost in reversed(self._emptied):  # one that held two files is empty now
            with suppress(OSError):  # one that holds something else stays, and so do those around it
                for folder in path.parents:
                    if not folder.is_relative_to(outermost):
                        break
                    with suppress(FileNotFoundError):
                        folder.rmdir()
        self._write()
        return backup

    def close(self) -> None:
        """Nothing of ours is left anywhere in this agent's files. Backups stay."""
        self.files = {}
        self._write()

    def _backup(self, found: JsonFile) -> str:
        if found.raw is None:
            return ""
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        for again in range(1000):
            name = f"{stamp}{f'-{again}' if again else ''}-{found.path.name.lstrip('.')}"
            try:
                self._make()
                fd = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            except OSError as error:
                raise NotWritable(f"{self.folder} cannot be written: {error.strerror}") from error
            with os.fdopen(fd, "wb") as file:
                file.write(found.raw)
                file.flush()
                os.fsync(file.fileno())
            return name
        raise NotWritable(f"{self.folder} has too many backups of this second")

    def _make(self) -> None:
        make_private(self.folder.parent)
        self.folder.mkdir(exist_ok=True, mode=0o700)

    def _write(self) -> None:
        temporary = self._file.with_suffix(f".axm-{os.getpid()}")
        try:
            if not self.files and not self._others:
                self._file.unlink(missing_ok=True)
                with suppress(OSError):
                    self.folder.rmdir()
                return
            self._make()
            files = {path: entry._asdict() for path, entry in {**self._others, **self.files}.items()}
            temporary.write_text(json.dumps({"v": 1, "files": files}, indent=1), encoding="utf-8")
            temporary.replace(self._file)
        except OSError as error:
            raise NotWritable(f"{self._file} cannot be written: {error.strerror}") from error


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
