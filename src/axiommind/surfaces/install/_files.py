"""Files of other programs, most of them JSON: read whole, and replaced in one step without loss.

A file that cannot be parsed is an error and stays as it is. `_ledger` keeps what was there before us.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.errors import AxmError, Locked
from axiommind.private import make_private

__all__ = [
    "FileChange",
    "JsonFile",
    "alone",
    "dump",
    "look",
    "parse",
    "read",
    "replace",
    "require_writable",
]

Json = dict[str, Any]
_BOM = b"\xef\xbb\xbf"
_INDENT = re.compile(r"^\s*\{\r?\n([ \t]+)\S")


class JsonFile(NamedTuple):
    """A file as it was found: `path` with every link followed, and no bytes where there is none."""

    path: Path
    raw: bytes | None
    data: Json


class FileChange(NamedTuple):
    """A file before and after; no bytes = no file. `exact`: this restores what was there before us."""

    found: JsonFile
    after: bytes | None
    shown: object = None  # what of it is ours, for people
    exact: bool = False

    @property
    def path(self) -> Path:
        return self.found.path

    @property
    def needed(self) -> bool:
        return self.after != self.found.raw


def look(path: Path) -> JsonFile:
    """A file of any kind, unparsed. A settings file is often a link into a folder of dotfiles: what it points to is
    read, and later written."""
    target = Path(os.path.realpath(path))
    try:
        return JsonFile(target, target.read_bytes(), {})
    except (FileNotFoundError, NotADirectoryError):
        return JsonFile(target, None, {})
    except OSError as error:
        raise AxmError(f"{target} cannot be read: {error.strerror}", hint="nothing was written") from error


def read(path: Path) -> JsonFile:
    found = look(path)
    return found if found.raw is None else found._replace(data=parse(found.path, found.raw))


def parse(path: Path, raw: bytes) -> Json:
    def number(text: str) -> float:
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"the number {text} is too large")
        return value

    def no_number(text: str) -> float:
        raise ValueError(f"{text} is not a value of JSON")

    def once(pairs: list[tuple[str, Any]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f'"{twice}" is there twice in one object')  # one of them would be lost
        return found

    try:
        text = raw.decode("utf-8-sig")
        reader = json.JSONDecoder(parse_float=number, parse_constant=no_number, object_pairs_hook=once)
        data = reader.decode(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise AxmError(f"{path} is not valid JSON: {where}", hint="nothing was written; correct it first") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise AxmError(f"{path} is not UTF-8: line {line}", hint="nothing was written; correct it first") from error
    except (ValueError, RecursionError) as error:
        raise AxmError(f"{path} cannot be read as JSON: {error}", hint="nothing was written") from error
    if not isinstance(data, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(data), "a number or a truth value")
        raise AxmError(f"{path} is not an object but {kind}", hint="nothing was written; correct it first")
    return data


def dump(data: Json, like: bytes | None) -> bytes:
    """JSON as the file has it: its indent, line ends, last line and byte order mark; two spaces where there is none."""
    raw = like or b""
    old = raw.decode("utf-8-sig")
    match = _INDENT.match(old)
    try:
        text = json.dumps(data, ensure_ascii=False, indent=match[1] if match else 2)
    except RecursionError as error:
        raise AxmError("a settings file is nested too deeply to be written", hint="nothing was written") from error
    if not old.strip() or old.endswith("\n"):
        text += "\n"
    if "\r\n" in old:
        text = text.replace("\n", "\r\n")
    # Half of a surrogate pair can be escaped in JSON, and cannot be written otherwise.
    return (_BOM if raw.startswith(_BOM) else b"") + text.encode("utf-8", "backslashreplace")


def replace(found: JsonFile, after: bytes | None, *, private: bool = False) -> None:
    """Replace the file in one step, unless another program has written to it meanwhile."""
    path = found.path
    require_writable(path)
    if after is None:
        _require_unchanged(found)
        path.unlink()
        return
    temporary = path.with_name(f".{path.name}.axm-{os.getpid()}")
    with suppress(FileNotFoundError):
        temporary.unlink()
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(fd, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            old = path.stat()
            temporary.chmod(stat.S_IMODE(old.st_mode))
            if hasattr(os, "chown"):
                with suppress(OSError):
                    os.chown(temporary, old.st_uid, old.st_gid)
        _require_unchanged(found)
        temporary.replace(path)
    except OSError as error:
        raise AxmError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def require_writable(path: Path, *, new_folders: int = 0) -> None:
    """Refuse a read-only file: it could be replaced, but somebody made it read-only on purpose. As many folders as said
    may be made for it."""
    with suppress(FileNotFoundError):
        if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
            raise AxmError(f"{path} is read-only: it was left as it is", hint="--print shows what it would hold")
    folder = path.parent
    for _ in range(new_folders):
        folder = folder if folder.exists() else folder.parent
    if not folder.is_dir():
        raise AxmError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise AxmError(f"{path} cannot be written: the folder {folder} is read-only")


def _require_unchanged(found: JsonFile) -> None:
    try:
        now = found.path.read_bytes()
    except FileNotFoundError:
        now = None
    if now != found.raw:
        raise AxmError(f"{found.path} was changed by somebody else meanwhile", hint="nothing was lost; run it again")


@contextmanager
def alone(home: Path, seconds: float = 10) -> Iterator[None]:
    """One process at a time: the next one waits, then sees what the first wrote. The lock ends with the process."""
    is_new = not home.exists()
    path = home / "install.lock"
    until = time.monotonic() + seconds
    while (lock := _taken(path)) is None:
        if time.monotonic() > until:
            raise Locked("another axm install or axm uninstall is at work", hint="run it again when that is done")
        time.sleep(0.05)
    try:
        yield
    finally:
        if lock >= 0:
            if os.name == "nt":  # which removes no file that is open
                os.close(lock)
            with suppress(OSError):
                path.unlink()
            if os.name != "nt":
                os.close(lock)
        if is_new:
            with suppress(OSError):
                home.rmdir()


def _taken(path: Path) -> int | None:
    """The lock, open; None where somebody else has it. A home that cannot be written, or has no locks, goes without
    one (-1): two at once find out by their files."""
    try:
        make_private(path.parent)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:  # who had it before has removed an empty home just now
        return None
    except OSError:
        return -1
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who had it before has removed the file: then this is a lock that nobody else will meet.
        if os.path.samestat(os.fstat(lock), path.stat()):
            return lock
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except OSError:
        os.close(lock)
        return -1
    os.close(lock)
    return None
