"""Repositories that lie somewhere: with a remote or without one, with commits or without."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["git", "repository"]


def repository(folder: Path, url: str | None) -> Path:
    (folder / ".git").mkdir(parents=True)
    remote = "" if url is None else f'[remote "fork"]\n\turl = {url}x\n[remote "origin"]\n\turl = {url}\n'
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}[branch]\n\turl = no\n")
    return folder


def git(folder: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", "-C", str(folder), *names, *words], capture_output=True, check=True, text=True)
    return done.stdout.strip()
