"""Which project a working folder belongs to, which file of it a path means, and which repository it is, wherever that
lies. Worktrees fold into their repository; a slug is never decoded. Files are read, and git is never run."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

__all__ = [
    "WORKTREE_SLUGS",
    "fold_path",
    "fold_worktree",
    "git_folder",
    "machine_of",
    "normalised_remote",
    "project_around",
    "project_of",
    "remote_of",
    "repository_around",
    "slug",
    "worktrees_of",
]

_SLUG_MAX = 200
# Where worktrees are kept whose path names their repository: in it, or in a folder beside it that bears its name.
_WORKTREES = re.compile(
    r"(?:[/\\](?:\.claude[/\\]worktrees|\.worktrees?|\.git[/\\](?:wt|worktrees?))|(?<=[^/\\])[._-]{1,2}worktrees)"
    # The name of one may be that of a branch, with its kind before it.
    r"[/\\](?P<branch>(?:feature|feat|bugfix|hotfix|fix|chore|refactor)[/\\](?=[^/\\]+[/\\]))?[^/\\]+(?P<rest>[/\\].*)?\Z",
    re.DOTALL,
)
# How the folders of such worktrees continue the slug of their repository.
WORKTREE_SLUGS = ("--claude-worktrees-", "--worktrees-", "--worktree-", "--git-wt-", "--git-worktrees-", "-worktrees-")
# A drive of Windows has one letter, and a name of a machine there may have one too: then two colons tell.
_OF_MACHINE = re.compile(r"((?:[A-Za-z0-9_-]+@)?[A-Za-z0-9_-]{2,}|[A-Za-z0-9_-](?=:[A-Za-z]:)):(?=.*[/\\])", re.DOTALL)
_MOST_BYTES = 1 << 20
_FARTHEST = 3  # clones of clones on one machine
_REMOTE = re.compile(r'\s*\[remote\s+"([^"]+)"\]')
_SECTION = re.compile(r"\s*\[")
_URL = re.compile(r"\s*url\s*=\s*(\S+)")
_ADDRESS = re.compile(r"(?:[a-z+]+://)(?:[^/@\s]*@)?(?P<host>[^/:\s]+)(?::\d+)?/+(?P<path>\S+)", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/@\s]+@)?(?P<host>[\w.-]{2,}):(?!//|\\)(?P<path>\S+)")
# What a host is called where ssh goes through the port of https, or by an address of its own.
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def machine_of(path: str) -> str:
    """The machine that stands before a path of another home (`laptop:/home/ana/x`, `ana@laptop:…`); nothing before one
    of this machine."""
    found = _OF_MACHINE.match(path)
    return found[1] if found else ""


def slug(cwd: str) -> str:
    """The folder name that Claude Code gives a working folder: every UTF-16 unit outside [A-Za-z0-9] is a dash."""
    units = _utf16(unicodedata.normalize("NFC", cwd))
    text = "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units)
    if len(text) <= _SLUG_MAX:
        return text
    return f"{text[:_SLUG_MAX]}-{_base36(abs(_int32_hash(units)))}"


def _utf16(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]


def _int32_hash(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = ((value << 5) - value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, rest = divmod(number, 36)
        digits = _BASE36[rest] + digits
        if not number:
            return digits


def fold_worktree(cwd: str) -> str:
    """`<repo>/.claude/worktrees/<name>/…` is `<repo>`, by its name alone; so is `<repo>/.worktrees/<name>`."""
    return _WORKTREES.sub("", cwd) or cwd


def fold_path(path: str) -> str:
    """A file in a worktree as the file of the repository that it is a copy of, by its name alone."""
    return _WORKTREES.sub(lambda found: found["rest"] or "", path) or path


def project_of(cwd: str) -> str:
    """The project of a working folder, as far as this machine can tell: also a worktree elsewhere, when its
    `.git` file still says to which repository it belongs."""
    folded = fold_worktree(cwd)
    if folded != cwd:
        return folded
    marker = Path(cwd) / ".git"
    try:
        if not marker.is_file():
            return cwd
        text = marker.read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, ValueError):
        return cwd
    match = re.match(r"gitdir:\s*(.+?)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$", text)
    if match is None:
        return cwd
    repository = match.group(1)
    return os.path.normpath(repository if os.path.isabs(repository) else os.path.join(cwd, repository))  # noqa: PTH117, PTH118


def project_around(path: str, stop: str) -> str:
    """The project that a folder or a file of notes belongs to: the repository it lies in, else the folder itself. A
    repository at `stop` (the user's home, for dotfiles) is not the project of everything in it."""
    top = Path(path) if Path(path).is_dir() else Path(path).parent
    for folder in (top, *top.parents):
        if str(folder) == stop:
            break
        if os.path.lexists(folder / ".git"):
            return project_of(str(folder))
    return project_of(str(top))


def worktrees_of(project: str) -> list[str]:
    """Where the git worktrees of a repository are, as the repository itself remembers them."""
    found = []
    try:
        for marker in sorted((Path(project) / ".git" / "worktrees").glob("*/gitdir")):
            text = marker.read_text(encoding="utf-8", errors="replace").strip()
            found.append(os.path.dirname(text))  # noqa: PTH120 - a string of that machine's form
    except OSError:
        return found
    return found


# --- repositories ------------------------------------------------------------------------------------------


def repository_around(path: str, stop: str = "") -> Path | None:
    """The folder of the repository that a folder lies in; None where there is none here. One at `stop` (the user's
    home, for dotfiles) is not that of everything in it."""
    top = Path(path)
    try:
        if not top.is_absolute() or not top.is_dir():
            return None
        root = next((one for one in (top, *top.parents) if os.path.lexists(one / ".git")), None)
    except (OSError, ValueError):
        return None
    return None if root is not None and str(root) == stop and root != top else root


def git_folder(root: Path) -> Path | None:
    """Where a repository is kept: `.git`, or what a submodule's or worktree's file of that name says."""
    git = root / ".git"
    try:
        if git.is_file():
            said = git.read_text(encoding="utf-8", errors="replace").strip().removeprefix("gitdir:").strip()
            git = root / said
            common = git / "commondir"
            return git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
        return git if git.is_dir() else None
    except (OSError, ValueError):
        return None


def remote_of(root: Path, depth: int = 0) -> str:
    """The normalised remote of a repository: `origin`, else the first that is none of this machine's folders, else that
    of the folder it was cloned from. Empty where there is none."""
    git = git_folder(root)
    if git is None:
        return ""
    try:
        with (git / "config").open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_BYTES)
    except (OSError, ValueError):
        return ""
    urls: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if _SECTION.match(line):
            section = _REMOTE.match(line)
            name = section[1] if section else ""
        elif name and (url := _URL.match(line)):
            urls.setdefault(name, url[1])
    remotes = {one: made for one, url in urls.items() if (made := normalised_remote(url))}
    found = remotes.get("origin") or next(iter(remotes.values()), "")
    if found or "origin" not in urls or depth == _FARTHEST:
        return found
    cloned = Path(os.path.normpath(root / urls["origin"].removeprefix("file://")))
    return "" if cloned == root else remote_of(cloned, depth + 1)


def normalised_remote(url: str) -> str:
    """`github.com/owner/name`, however the remote is written; empty for a folder of this machine. Nobody's name or
    password stays in it."""
    found = _ADDRESS.fullmatch(url) or _SCP.fullmatch(url)
    if found is None or url.lower().startswith("file:"):
        return ""
    host, path = found["host"].lower(), found["path"].strip("/").lower().removesuffix(".git").strip("/")
    host = _SAME_HOST.get(host, host)
    if host == "dev.azure.com":
        path = path.removeprefix("v3/").replace("/_git/", "/")
    return f"{host}/{path.removeprefix('scm/')}" if path else ""
