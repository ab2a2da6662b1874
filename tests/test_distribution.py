"""A hint names a command that works from where the program was installed: checkout, folder, file, git or registry."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

import axiommind
from axiommind.distribution import Origin, extra_command, origin, upgrade_command

CHECKOUT = {"url": "file:///home/dev/my%20axm", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///home/dev/axm", "dir_info": {}}
WHEEL = {"url": "file:///tmp/axiommind-0.1.0-py3-none-any.whl", "archive_info": {}}
REMOTE = {"url": "https://example.org/axiommind-0.1.0-py3-none-any.whl", "archive_info": {}}
GIT = {"url": "https://example.org/axm.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}
BRANCH = {**GIT, "vcs_info": {**GIT["vcs_info"], "requested_revision": "main"}, "subdirectory": "python"}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes this process look as if the program had been installed from somewhere, by pip or another installer."""
    environment = tmp_path / "venv" / "bin"
    environment.mkdir(parents=True)
    for name in ("python", "pip"):
        (environment / name).touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(environment / "python"))
    monkeypatch.setenv("PATH", str(environment))

    def made(direct: dict[str, object] | None, installer: str = "pip") -> None:
        metadata = tmp_path / "site" / "axiommind-0.1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: axiommind\nVersion: 0.1.0\n")
        (metadata / "INSTALLER").write_text(f"{installer}\n")
        if direct is not None:
            (metadata / "direct_url.json").write_text(json.dumps(direct))
        monkeypatch.setattr(sys, "path", [str(metadata.parent), *sys.path])

    return made


@pytest.mark.parametrize(
    ("direct", "extra", "upgrade"),
    [
        (CHECKOUT, "pip install -e '/home/dev/my axm[embed]'", "git -C '/home/dev/my axm' pull"),
        (FOLDER, "pip install '/home/dev/axm[embed]'", "git -C /home/dev/axm pull && pip install /home/dev/axm"),
        (
            WHEEL,
            "pip install '/tmp/axiommind-0.1.0-py3-none-any.whl[embed]'",
            "pip install NEWER-FILE (this version came from /tmp/axiommind-0.1.0-py3-none-any.whl)",
        ),
        (
            REMOTE,
            "pip install 'axiommind[embed] @ https://example.org/axiommind-0.1.0-py3-none-any.whl'",
            "pip install NEWER-FILE (this version came from https://example.org/axiommind-0.1.0-py3-none-any.whl)",
        ),
        (
            GIT,
            "pip install 'axiommind[embed] @ git+https://example.org/axm.git'",
            "pip install --upgrade 'axiommind @ git+https://example.org/axm.git'",
        ),
        (
            BRANCH,
            "pip install 'axiommind[embed] @ git+https://example.org/axm.git@main#subdirectory=python'",
            "pip install --upgrade 'axiommind @ git+https://example.org/axm.git@main#subdirectory=python'",
        ),
        (None, "pip install 'axiommind[embed]'", "pip install --upgrade axiommind"),
    ],
    ids=["checkout", "folder", "wheel", "wheel-url", "git", "git-branch", "registry"],
)
def test_an_extra_comes_from_where_the_program_came_from(direct, extra: str, upgrade: str, install) -> None:
    install(direct)
    assert extra_command("embed") == extra
    assert upgrade_command() == upgrade


def test_an_environment_that_is_not_active_is_named(install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(None)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert extra_command("plot") == f"{sys.executable} -m pip install 'axiommind[plot]'"


def test_uv_installs_without_pip(install) -> None:
    install(CHECKOUT, "uv")
    assert extra_command("plot") == f"uv pip install --python {sys.executable} -e '/home/dev/my axm[plot]'"


def test_what_was_never_installed_is_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert origin() == Origin("editable", str(Path(axiommind.__file__).parents[2]))


def test_a_damaged_record_counts_as_none(install, tmp_path: Path) -> None:
    install(None)
    (tmp_path / "site" / "axiommind-0.1.0.dist-info" / "direct_url.json").write_text("{")
    assert origin() == Origin("registry")


def test_no_other_module_writes_such_a_command() -> None:
    root = Path(axiommind.__file__).parent
    told = re.compile(r"pip install[^\n]*axiommind|axiommind\[[a-z]")
    assert [p.name for p in root.rglob("*.py") if told.search(p.read_text(encoding="utf-8"))] == []


def test_every_extra_that_is_hinted_at_exists() -> None:
    import tomllib

    root = Path(axiommind.__file__).parent
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    hinted = re.findall(r"""extra_command\(["']([a-z0-9]+)""", "".join(p.read_text() for p in root.rglob("*.py")))
    assert hinted and set(hinted) <= set(extras)
    assert shlex.split(extra_command("embed"))
