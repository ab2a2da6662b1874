"""Where documents are: every Markdown file below a folder that no ignore file hides."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from axiommind.model import Problem
from axiommind.sources.markdown.lines import lines_of, text_of
from axiommind.text.globs import matches

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["MAX_BYTES", "SUFFIXES", "DocumentFile", "DocumentFiles", "discover"]

MAX_BYTES = 64 << 20
SUFFIXES = (".md", ".markdown", ".mdown", ".mdx")
# Later ones win over earlier ones, as with ripgrep; a deeper folder wins over both.
_IGNORE_FILES = (".gitignore", ".ignore", ".axmignore")
_IGNORE_SIZE = 100_000
_SKIPPED = {"node_modules"}
_DEPTH = 64


class DocumentFile(NamedTuple):
    path: str
    size: int
    mtime_ns: int
    inode: int


class DocumentFiles(NamedTuple):
    files: tuple[DocumentFile, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[Problem, ...] = ()  # links that were not followed, and why


class _Folder(NamedTuple):
    path: str
    name: str  # below the root, with a `/` at its end; empty for the root
    depth: int
    rules: tuple[tuple[str, GitIgnoreSpec], ...]  # (the folder they hold for, the rules)


def discover(root: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> DocumentFiles:
    """Every document below a folder, in order of path; or the one file that was named, whatever it is called.

    Globs are relative to the root. A file of another suffix is taken where an include names the suffix (`**/*.txt`).
    A link to a document elsewhere is followed, and the document is known by its own path, however many links lead to
    it. What lies below the root is read where it lies, so links to it add nothing. Links to folders are not followed.
    """
    top = os.path.realpath(Path(root).expanduser())
    problems: list[Problem] = []
    if Path(top).is_file():
        return DocumentFiles(tuple(_file(top, problems)), tuple(problems))
    include = [glob.removeprefix("./") for glob in include]
    exclude = [glob.removeprefix("./") for glob in exclude]
    files: set[DocumentFile] = set()
    skipped: list[Problem] = []
    pending = [_Folder(top, "", 0, ())]
    while pending:
        folder = pending.pop()
        entries = _entries(folder.path, problems)
        rules = (*folder.rules, *((folder.name, spec) for spec in _ignore_rules(entries, problems)))
        for entry in entries:
            name = folder.name + entry.name
            if entry.name.startswith(".") or any(matches(name, glob) for glob in exclude):
                continue
            if entry.is_symlink():
                if not _ignored(name, rules):
                    files.update(_linked(entry, _wanted(name, include), top, exclude, problems, skipped))
            elif entry.is_dir(follow_symlinks=False):
                if entry.name in _SKIPPED or _ignored(name + "/", rules):
                    continue
                if folder.depth == _DEPTH:
                    problems.append(Problem(_shown(entry.path), 0, f"more than {_DEPTH} folders deep: not read"))
                else:
                    pending.append(_Folder(entry.path, name + "/", folder.depth + 1, rules))
            elif entry.is_file(follow_symlinks=False) and _wanted(name, include) and not _ignored(name, rules):
                files.update(_file(entry.path, problems))
    return DocumentFiles(tuple(sorted(files)), _in_order(problems), _in_order(skipped))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.path, p.line, p.why)))


def _linked(
    entry: os.DirEntry[str],
    is_wanted: bool,
    top: str,
    exclude: Sequence[str],
    problems: list[Problem],
    skipped: list[Problem],
) -> Iterator[DocumentFile]:
    """The document that a link leads to, unless it is read where it lies; or why the link is not followed."""
    target = os.path.realpath(entry.path)

    def skip(why: str) -> None:
        skipped.append(Problem(_shown(entry.path), 0, why))

    try:
        mode = Path(target).stat().st_mode
    except OSError as error:
        if is_wanted:
            skip(f"a link to {_shown(target)}: {error.strerror or error}")
        return
    is_inside = (target + os.sep).startswith(top.rstrip(os.sep) + os.sep)
    if is_inside or any(matches(target.replace(os.sep, "/"), glob) for glob in exclude):
        return
    if stat.S_ISDIR(mode):
        skip(f"links to folders are not followed; axm kb add {_shown(target)} adds this one")
    elif is_wanted and Path(target).suffix.lower() not in (*SUFFIXES, Path(entry.name).suffix.lower()):
        skip(f"a link to {_shown(target)}, which is no document by its name: not followed")
    elif is_wanted and stat.S_ISREG(mode):
        yield from _file(target, problems)


def _wanted(name: str, include: Sequence[str]) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    if not include:
        return suffix in SUFFIXES
    return any(
        (suffix in SUFFIXES or (suffix and glob.lower().endswith(suffix))) and matches(name, glob) for glob in include
    )


def _entries(folder: str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(_shown(folder), 0, f"cannot be read: {error.strerror or error}"))
        return []


def _file(path: str, problems: list[Problem]) -> Iterator[DocumentFile]:
    try:
        path.encode()
        info = Path(path).stat()
    except UnicodeEncodeError:
        problems.append(Problem(_shown(path), 0, "its name is not UTF-8: not read"))
    except FileNotFoundError:
        pass  # gone since the folder was listed
    except OSError as error:
        problems.append(Problem(path, 0, f"cannot be read: {error.strerror or error}"))
    else:
        if info.st_size > MAX_BYTES:
            problems.append(Problem(path, 0, f"larger than {MAX_BYTES >> 20} MB: not read"))
        else:
            yield DocumentFile(path, info.st_size, info.st_mtime_ns, info.st_ino)


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


def _ignore_rules(entries: Iterable[os.DirEntry[str]], problems: list[Problem]) -> Iterator[GitIgnoreSpec]:
    found = {entry.name: entry for entry in entries if entry.name in _IGNORE_FILES}
    for entry in (found[name] for name in _IGNORE_FILES if name in found):
        try:
            with Path(entry.path).open("rb") as file:
                text = text_of(file.read(_IGNORE_SIZE))
        except OSError as error:
            problems.append(Problem(_shown(entry.path), 0, f"cannot be read: {error.strerror or error}"))
            continue
        yield _spec(_shown(entry.path), lines_of(text), problems)


def _spec(path: str, lines: Sequence[str], problems: list[Problem]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    usable = []
    for number, line in enumerate(lines, 1):
        if line.endswith("/**"):
            line = line[:-1]  # pathspec would take the folder itself too, and nothing in it could be wanted back
        if _too_wild(line):
            problems.append(Problem(path, number, "too many wildcards: the pattern is not used"))
            continue
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            problems.append(Problem(path, number, f"the pattern is not used: {error}"))
        else:
            usable.append(line)
    return GitIgnoreSpec.from_lines(usable)


def _too_wild(pattern: str) -> bool:
    """pathspec makes regular expressions that backtrack; with many stars a crafted name would keep it for hours."""
    segments = pattern.split("/")
    return segments.count("**") > 4 or any(s.count("*") > 3 for s in segments if s != "**")


def _ignored(name: str, rules: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """The deepest rule that says anything decides. A folder's name ends in `/`."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(name[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
