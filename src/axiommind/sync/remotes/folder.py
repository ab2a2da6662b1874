"""A remote in a folder: on a disk, a stick or a share, or one that another program keeps in step (Syncthing, Dropbox).

A file is written under a hidden name, to the disk, and then linked to its own name, which fails where there is one. So
it is never seen in parts, and of several writers one wins. Where a file system has no hard links, the same is done by
renaming under a lock. Nothing rests on times or on the order of a listing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from axiommind.errors import RemoteFailed, UsageError
from axiommind.locks import alone
from axiommind.sync.remotes import RemoteUrl
from axiommind.sync.remotes._objects import ObjectRemote

__all__ = ["SCHEMES", "FolderObjects", "open"]

SCHEMES = ("file",)

_HIDDEN = ".axm-tmp"
_NO_LINKS = {
    errno.EPERM,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EMLINK,
    errno.EACCES,
    errno.EXDEV,
    errno.EINVAL,
}
_CONFLICT = re.compile(r"\.sync-conflict|conflicted copy|\(conflict", re.IGNORECASE)
_LEFT_OVER = 24 * 3600.0  # seconds after which a hidden file is what a crash left
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def open(address: RemoteUrl) -> ObjectRemote:  # noqa: A001 - what the registry asks of every kind
    """The remote in a folder: a path, or file:///a/path."""
    address.only()
    if "://" not in address.url:
        path = Path(address.path).expanduser()
    elif address.host not in ("", "localhost") or not address.path:
        raise UsageError(
            "a URL of a folder has three slashes: file:///a/folder", hint="or give its path without file://"
        )
    else:
        from urllib.request import url2pathname  # brings the whole of HTTP

        path = Path(url2pathname(address.url.partition("://")[2].partition("?")[0].removeprefix("localhost")))
    return ObjectRemote(FolderObjects(Path(os.path.abspath(path))))  # noqa: PTH100 - links stay as they are


class FolderObjects:
    """Files under one folder."""

    at_once = 1

    def __init__(self, root: Path) -> None:
        self.root = root
        self.is_exclusive = True
        self.url = root.as_uri()
        self._can_link = True
        self._problems: dict[str, None] = {}

    def prepare(self) -> None:
        with self._said("made", self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            self._clear()

    def create(self, name: str, content: bytes) -> bool:
        path = self.root / name
        with self._said("written", path), self._written(path, content) as hidden:
            return self._linked(hidden, path)

    def replace(self, name: str, content: bytes) -> None:
        path = self.root / name
        with self._said("written", path), self._written(path, content) as hidden:
            hidden.replace(path)
            _settle(path.parent)

    def read(self, name: str, most: int) -> bytes | None:
        path = self.root / name
        with self._said("read", path):
            try:
                file = os.open(path, _READ)
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                self._problems[f"{path} is a link, and was not followed"] = None
                return None
            with os.fdopen(file, "rb") as opened:
                if not os.path.isfile(opened.fileno()):  # noqa: PTH113 - a pipe, a device
                    return None
                content = opened.read(most + 1)
        if len(content) > most:
            self._problems[f"{path} is longer than anything that we write, and was not read"] = None
            return None
        return content

    def is_there(self, name: str) -> bool:
        return (self.root / name).is_file()

    def files(self, folder: str, after: str = "") -> list[str]:
        return sorted(name for name, is_folder in self._listed(folder) if not is_folder and name > after)

    def folders(self, folder: str) -> list[str]:
        return sorted(name for name, is_folder in self._listed(folder) if is_folder)

    def delete(self, name: str) -> None:
        path = self.root / name
        with self._said("deleted", path):
            path.unlink(missing_ok=True)
            for other in self._copies(path):
                other.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # not empty, or another machine was faster
                path.parent.rmdir()

    def problems(self) -> list[str]:
        return list(self._problems)

    def close(self) -> None:
        """A folder keeps nothing open."""

    # --- files ------------------------------------------------------------------------------------------------

    def _listed(self, folder: str) -> list[tuple[str, bool]]:
        path, found = self.root / folder, []
        with self._said("read", path):
            try:
                entries = os.scandir(path)
            except (FileNotFoundError, NotADirectoryError):
                return []
            with entries:
                for entry in entries:
                    if _CONFLICT.search(entry.name):
                        self._problems[f"{entry.path} is a conflict copy: two machines wrote this name"] = None
                    elif not entry.name.startswith("."):
                        found.append((entry.name, entry.is_dir(follow_symlinks=False)))
        return found

    def _copies(self, path: Path) -> list[Path]:
        """What a program that keeps folders in step made of a file beside it."""
        try:
            beside = list(os.scandir(path.parent))
        except FileNotFoundError:
            return []
        endings = [(one, one.name[len(path.name) :]) for one in beside if one.name.startswith(path.name)]
        return [Path(one.path) for one, ending in endings if ending[:1] in (".", " ", "(") and _CONFLICT.search(ending)]

    @contextlib.contextmanager
    def _written(self, path: Path, content: bytes) -> Iterator[Path]:
        """A hidden file with this content, on the disk; it is gone afterwards unless it was renamed."""
        hidden = self.root / _HIDDEN / secrets.token_hex(16)
        hidden.parent.mkdir(exist_ok=True)
        try:
            with os.fdopen(os.open(hidden, _WRITE, 0o666), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            path.parent.mkdir(parents=True, exist_ok=True)
            yield hidden
        finally:
            hidden.unlink(missing_ok=True)

    def _linked(self, hidden: Path, path: Path) -> bool:
        """Give a hidden file its name, unless that is taken."""
        if self._can_link:
            try:
                path.hardlink_to(hidden)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in _NO_LINKS or not path.parent.is_dir():
                    raise
                self._can_link = False
            else:
                _settle(path.parent)
                return True
        return self._renamed(hidden, path)

    def _renamed(self, hidden: Path, path: Path) -> bool:
        for _ in range(100):
            with alone(self.root / _HIDDEN / "lock") as is_ours:
                if is_ours:
                    if path.exists():
                        return False
                    hidden.rename(path)
                    _settle(path.parent)
                    return True
            time.sleep(0.05)
        raise OSError(errno.EBUSY, "another process keeps its lock")

    def _clear(self) -> None:
        """Remove what a crash left behind a day ago or more."""
        for one in (self.root / _HIDDEN).glob("*"):
            with contextlib.suppress(OSError):
                if one.name != "lock" and time.time() - one.stat().st_mtime > _LEFT_OVER:
                    one.unlink()

    @contextlib.contextmanager
    def _said(self, done: str, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RemoteFailed(
                f"{path} cannot be {done}: {error.strerror or error}",
                hint="check that the disk is there, has space, and may be written by you; then run it again",
            ) from error


def _settle(folder: Path) -> None:
    """The names of a folder, to the disk: where a system can do that."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
