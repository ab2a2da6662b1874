"""Slugs as the real client makes them, and worktrees that fold into their repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from axiommind.projects import fold_path, fold_worktree, machine_of, project_of, slug


@pytest.mark.parametrize(
    ("cwd", "expected"),
    [
        ("/srv/x/My Proj_v1.2+x@y", "-srv-x-My-Proj-v1-2-x-y"),
        ("/srv/.hidden/--dash", "-srv--hidden---dash"),
        ("/a/ünï-日本", "-a--n----"),
        ("/a/😀b", "-a---b"),  # an emoji is two UTF-16 units
        ("C:\\Users\\me", "C--Users-me"),
        ("/home/u/my-p", "-home-u-my-p"),
    ],
)
def test_slug(cwd: str, expected: str) -> None:
    assert slug(cwd) == expected


def test_a_long_path_is_cut_and_hashed() -> None:
    long = "/srv/" + "deep/" * 60
    made = slug(long)
    assert len(made) > 201 and made[200] == "-" and made[:200] == slug(long[:200])
    assert made != slug(long + "x") and made[:200] == slug(long + "x")[:200]
    assert all(c.isdigit() or c.islower() for c in made[201:])


def test_nfc_and_nfd_are_the_same_folder() -> None:
    assert slug("/a/e\u0301") == slug("/a/é")


@pytest.mark.parametrize(
    ("cwd", "expected"),
    [
        ("/repo/.claude/worktrees/feat+x_1", "/repo"),
        ("/repo/.claude/worktrees/feat/src/deep", "/repo"),
        ("C:\\repo\\.claude\\worktrees\\x", "C:\\repo"),
        ("/repo/.claude/worktrees", "/repo/.claude/worktrees"),
        ("/repo/.worktrees/7", "/repo"),
        ("/repo/.worktrees/feat/login/src", "/repo"),
        ("/repo/.git/wt/main-2/src", "/repo"),
        ("/code/repo__worktrees/side", "/code/repo"),
        ("/code/repo.worktrees/side", "/code/repo"),
        ("/code/repo-worktrees/side/src", "/code/repo"),
        ("/code/worktrees/side", "/code/worktrees/side"),
        ("/code/.worktrees", "/code/.worktrees"),
        ("/repo/.git/hooks", "/repo/.git/hooks"),
        ("/repo/src", "/repo/src"),
    ],
)
def test_fold_worktree(cwd: str, expected: str) -> None:
    assert fold_worktree(cwd) == expected
    assert project_of(cwd) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/repo/.worktrees/7/src/a.py", "/repo/src/a.py"),
        ("/repo/.claude/worktrees/x/a.py", "/repo/a.py"),
        ("/repo/.git/wt/x/a b.py", "/repo/a b.py"),
        ("/repo/.worktrees/feat/login/src/a.py", "/repo/src/a.py"),
        ("/repo/.worktrees/fix/a.py", "/repo/a.py"),
        ("C:\\repo\\.worktrees\\x\\src\\a.py", "C:\\repo\\src\\a.py"),
        ("/code/repo.worktrees/side/a.py", "/code/repo/a.py"),
        ("/repo/.git/config", "/repo/.git/config"),
        ("/repo/src/worktrees/a.py", "/repo/src/worktrees/a.py"),
        ("src/a.py", "src/a.py"),
    ],
)
def test_a_file_of_a_worktree_is_that_of_the_repository(path: str, expected: str) -> None:
    assert fold_path(path) == expected


def test_a_git_worktree_elsewhere_folds_by_its_marker(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    (repository / ".git" / "worktrees" / "side").mkdir(parents=True)
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {repository}/.git/worktrees/side\n")
    assert project_of(str(side)) == str(repository)
    (side / ".git").write_text("gitdir: ../repo/.git/worktrees/side\n")
    assert project_of(str(side)) == str(repository)
    (side / ".git").write_text("gitdir: /elsewhere/.git/modules/side\n")  # a submodule is its own project
    assert project_of(str(side)) == str(side)
    assert project_of(str(repository)) == str(repository)


@pytest.mark.parametrize(
    ("path", "machine"),
    [
        ("laptop:/home/ana/x", "laptop"),
        ("ana@laptop:/home/ana/x.jsonl", "ana@laptop"),
        ("desk:C:\\Users\\ana\\x", "desk"),
        ("x:C:\\Users\\ana", "x"),
        ("/home/ana/a:b/c", ""),
        ("C:\\Users\\ana", ""),
        ("C:/Users/ana", ""),
        ("notes:today", ""),
        ("", ""),
    ],
)
def test_a_path_of_another_machine_begins_with_its_name(path: str, machine: str) -> None:
    assert machine_of(path) == machine
