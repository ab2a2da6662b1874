"""Slugs as the real client makes them, and worktrees that fold into their repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from axiommind.projects import fold_worktree, project_of, slug


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
        ("/repo/src", "/repo/src"),
    ],
)
def test_fold_worktree(cwd: str, expected: str) -> None:
    assert fold_worktree(cwd) == expected
    assert project_of(cwd) == expected


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
