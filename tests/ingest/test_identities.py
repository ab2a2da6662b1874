"""Which project a folder is, wherever it lies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from axiommind.ingest.identities import ProjectIdentity, identity_of, normalised_remote
from tests.transcripts import Lines, World, encode


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:Owner/Name.git", "github.com/owner/name"),
        ("https://github.com/owner/name", "github.com/owner/name"),
        ("https://someone:secret@github.com/owner/name.git/", "github.com/owner/name"),
        ("ssh://git@git.example.org:2222/Team/Sub/Name.git", "git.example.org/Team/Sub/Name"),
        ("work:Team/name", "work/Team/name"),
        ("/srv/git/name.git", ""),
        ("../name", ""),
        ("file:///srv/git/name.git", ""),
        ("C:\\git\\name", ""),
        ("", ""),
    ],
)
def test_a_remote_is_the_same_however_it_is_written(url: str, expected: str) -> None:
    assert normalised_remote(url) == expected


def repository(folder: Path, url: str | None) -> Path:
    (folder / ".git").mkdir(parents=True)
    remote = "" if url is None else f'[remote "fork"]\n\turl = {url}x\n[remote "origin"]\n\turl = {url}\n'
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}[branch]\n\turl = no\n")
    return folder


def talk(world: World, name: str, folder: Path) -> Lines:
    lines = Lines(name, cwd=str(folder))
    lines.prompt("hello")
    world.write(lines)
    return lines


def identities(world: World) -> list[tuple[str, ...]]:
    return world.rows("select project, kind, identity, folder from project_identities order by 1, 2")


def test_projects_are_identified_once(world: World, tmp_path: Path) -> None:
    cloned = repository(tmp_path / "cloned", "git@github.com:owner/name.git")
    inner = cloned / "packages" / "inner"
    inner.mkdir(parents=True)
    plain = tmp_path / "plain"
    plain.mkdir()
    talk(world, "s1", cloned)
    talk(world, "s2", inner)
    lines = talk(world, "s3", plain)
    talk(world, "s4", tmp_path / "gone")
    first = world.memory().index()
    expected = [
        (str(cloned), "remote", "github.com/owner/name", ""),
        (str(inner), "remote", "github.com/owner/name", "packages/inner"),
        (str(plain), "path", str(plain), ""),
    ]
    assert identities(world) == expected
    assert first.events == 4 + 3
    assert world.memory().index().events == 0, "nothing new, nothing written"
    repository(plain, "https://git.example.org/plain")
    assert world.memory().index().events == 0, "looked at again when there is something new"
    world.append(encode(lines.prompt("again")), "s3")
    world.memory().index()
    assert identities(world)[2:] == [
        (str(plain), "path", str(plain), ""),
        (str(plain), "remote", "git.example.org/plain", ""),
    ]
    assert world.memory().verify() == []
    world.memory().forget(project=str(plain))
    assert identities(world) == expected[:2]
    assert world.memory().verify() == []


def test_without_a_remote_the_first_commit_counts(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()

    def git(*words: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", "-C", str(folder), *names, *words], capture_output=True, check=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    assert identity_of(str(folder)) == ProjectIdentity("path", str(folder), "")
    git("commit", "-q", "--allow-empty", "-m", "one")
    first = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", "two")
    assert identity_of(str(folder)) == ProjectIdentity("root", first, "")
    known = {ProjectIdentity("root", "abc", "")}
    assert identity_of(str(folder), known) == ProjectIdentity("root", "abc", ""), "git is not asked again"


def test_a_submodule_says_where_its_settings_are(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", "git@github.com:o/outer.git")
    kept = outer / ".git" / "modules" / "inner"
    kept.mkdir(parents=True)
    (kept / "config").write_text('[remote "origin"]\nurl = git@github.com:o/inner.git\n')
    (outer / "inner").mkdir()
    (outer / "inner" / ".git").write_text("gitdir: ../.git/modules/inner\n")
    assert identity_of(str(outer / "inner")) == ProjectIdentity("remote", "github.com/o/inner", "")


@pytest.mark.parametrize("project", ["", "weather", "/no/such/folder", "/tmp/\x00"])
def test_what_is_not_here_is_not_identified(project: str) -> None:
    assert identity_of(project) is None
