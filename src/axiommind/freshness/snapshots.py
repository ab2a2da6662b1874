"""What a file held when a session ended, and what became of a commit: from the file itself, or from git.

A file that was not written since is what it was. Otherwise git knows: the last commit before, or, when the session had
changed the file and somebody committed that within a day, the first one after. Nobody knows else.
"""

from __future__ import annotations

import os
import subprocess
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from axiommind.freshness.contents import MOST_BYTES, is_within, read_file

__all__ = ["Snapshots"]

_SLACK_MS = 120_000  # editors and formatters write a little later than the agent
_COMMITTED_WITHIN_S = 86_400
_MOST_COMMITS = 20_000
_SECONDS = 20
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


class Snapshots:
    """One project's folder. Git is asked twice at most, however many files there are, and only where it is needed."""

    def __init__(self, root: str) -> None:
        self.root = root

    def content_at(self, path: str, at: int, *, was_edited: bool) -> bytes | None:
        """What the file held at a time (epoch milliseconds); `was_edited`: by the session that ended then."""
        if not is_within(self.root, path):
            return None
        try:
            written = Path(self.root, path).stat().st_mtime_ns // 1_000_000
        except OSError:
            written = None
        if written is not None and written <= at + _SLACK_MS:
            return read_file(self.root, path)
        commit = self._commit_at(path, at // 1000, was_edited=was_edited)
        return None if commit is None else self._git_bytes("cat-file", "blob", f"{commit}:{path}")

    def state_of(self, commit: str) -> str:
        """`reachable`, `reverted` or `unreachable`; empty where git does not know the commit, or is not there."""
        known = self._git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").strip()
        if not known:
            return ""
        if any(whole.startswith(commit) or commit.startswith(whole) for whole in self._reverted):
            return "reverted"
        return "reachable" if self._git("branch", "--all", "--contains", known).strip() else "unreachable"

    def _commit_at(self, path: str, at: int, *, was_edited: bool) -> str | None:
        before = after = None
        for commit, when in self._history.get(path, ()):  # newest first
            if when > at:
                after = (commit, when)
            else:
                before = commit
                break
        if was_edited and after is not None and after[1] <= at + _COMMITTED_WITHIN_S:
            return after[0]
        return before

    @cached_property
    def _history(self) -> dict[str, list[tuple[str, int]]]:
        """Of each file, the commits that touched it and when, the newest first."""
        told = self._git(
            "log",
            "--format=%x01%H %ct",
            "--name-only",
            "--no-renames",
            "--no-merges",
            f"-n{_MOST_COMMITS}",
            "--relative",
        )
        found: dict[str, list[tuple[str, int]]] = {}
        for part in told.split("\x01")[1:]:
            head, _, names = part.partition("\n")
            commit, _, when = head.partition(" ")
            for name in names.split("\n"):
                if name:
                    found.setdefault(name, []).append((commit, int(when)))
        return found

    @cached_property
    def _reverted(self) -> set[str]:
        told = self._git("log", "--grep=This reverts commit", "--format=%b", f"-n{_MOST_COMMITS}")
        words = told.replace(".", " ").split()
        return {after for word, after in pairwise(words) if word == "commit" and len(after) >= 7}

    def _git(self, *given: str) -> str:
        said = self._git_bytes(*given)
        return "" if said is None else said.decode("utf-8", "replace")

    def _git_bytes(self, *given: str) -> bytes | None:
        environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        command = ["git", "-C", self.root, *_SAFE, *given]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, timeout=_SECONDS, env=environ, stdin=subprocess.DEVNULL
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
        if done.returncode != 0 or (given[0] == "cat-file" and len(done.stdout) > MOST_BYTES):
            return None
        return done.stdout
