"""Which project a folder is, wherever it lies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from axiommind.ingest.identities import ProjectIdentity, identity_of
from axiommind.projects import normalised_remote
from tests.repositories import git, repository
from tests.transcripts import Lines, World, encode


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:Owner/Name.git", "github.com/owner/name"),
        ("https://github.com/owner/name", "github.com/owner/name"),
        ("https://someone:secret@github.com/owner/name.git/", "github.com/owner/name"),
        ("ssh://git@ssh.github.com:443/owner/name.git", "github.com/owner/name"),
        ("ssh://git@git.example.org:2222/Team/Sub/Name.git", "git.example.org/team/sub/name"),
        ("https://git.example.org/scm/team/name.git", "git.example.org/team/name"),
        ("git@ssh.dev.azure.com:v3/Org/Project/Name", "dev.azure.com/org/project/name"),
        ("https://org@dev.azure.com/Org/Project/_git/Name", "dev.azure.com/org/project/name"),
        ("work:Team/name", "work/team/name"),
        ("/srv/git/name.git", ""),
        ("../name", ""),
        ("file:///srv/git/name.git", ""),
        ("C:\\git\\name", ""),
        ("", ""),
    ],
)
def test_a_remote_is_the_same_however_it_is_written(url: str, expected: str) -> None:
    assert normalised_remote(url) == expected


def talk(world: World, name: str, folder: Path) -> Lines:
    lines = Lines(name, cwd=str(folder))
    lines.prompt("hello")
    world.write(lines)
    return lines


def identities(world: World) -> list[tuple[str, ...]]:
    return world.rows("select path, kind, identity, folder from project_paths where kind <> 'inside' order by 1, 2")


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
    repository(plain, "https://git.example.org/team/plain")
    assert world.memory().index().events == 0, "looked at again when there is something new"
    world.append(encode(lines.prompt("again")), "s3")
    world.memory().index()
    assert identities(world)[2:] == [(str(plain), "remote", "git.example.org/team/plain", "")]
    assert world.memory().verify() == []
    shutil.rmtree(cloned)
    world.append(encode(lines.prompt("once more")), "s3")
    world.memory().index()
    assert identities(world)[:2] == expected[:2], "a folder that is gone keeps what was identified"
    world.memory().forget(project=str(plain))
    assert len(identities(world)) == 3, "and so does one that was forgotten"
    assert world.memory().verify() == []


def test_it_is_said_before_the_first_line(world: World, tmp_path: Path) -> None:
    talk(world, "s1", repository(tmp_path / "cloned", "git@github.com:owner/name.git"))
    world.memory().index()
    with world.memory().home.read_log() as (log, _):
        assert [event.event_type for event in log.replay()] == ["project_identified", "transcript_segment"]


def test_what_was_there_before_can_be_there_again(world: World, tmp_path: Path) -> None:
    folder = repository(tmp_path / "cloned", "git@github.com:owner/one.git")
    lines = talk(world, "s1", folder)
    for name in ("one", "two", "one"):
        config = folder / ".git" / "config"
        config.write_text(f'[remote "origin"]\n\turl = git@github.com:owner/{name}.git\n')
        world.append(encode(lines.prompt("again")), "s1")
        world.memory().index()
        assert identities(world) == [(str(folder), "remote", f"github.com/owner/{name}", "")]


def test_without_a_remote_the_first_commit_counts(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    assert identity_of(str(folder)) == ProjectIdentity("path", str(folder), "")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    first = git(folder, "rev-parse", "HEAD")
    git(folder, "commit", "-q", "--allow-empty", "-m", "two")
    assert identity_of(str(folder)) == ProjectIdentity("root", first, "", first)
    known = ProjectIdentity("root", "abc", "", "abc")
    assert identity_of(str(folder), known) == known, "git is not asked again"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "shallow")
    git(tmp_path / "shallow", "remote", "remove", "origin")
    shallow = str(tmp_path / "shallow")
    assert identity_of(shallow) == ProjectIdentity("path", shallow, ""), "its oldest commit is not the first"


def test_a_clone_of_a_clone_is_what_that_is_a_clone_of(tmp_path: Path) -> None:
    first = repository(tmp_path / "first", "git@github.com:o/name.git")
    repository(tmp_path / "second", str(first))
    third = repository(tmp_path / "third", f"file://{tmp_path / 'second'}")
    assert identity_of(str(third)) == ProjectIdentity("remote", "github.com/o/name", "")
    itself = repository(tmp_path / "itself", ".")
    assert identity_of(str(itself)) == ProjectIdentity("path", str(itself), "")


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
