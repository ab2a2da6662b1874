"""What the program is made of: locked with hashes, the model's bytes, a wheel that is the same whoever builds it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def locked(name: str) -> dict[str, set[str]]:
    """Package → versions (another for another Python), of lines `name==version ; markers \\` with hashes below them."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    found: dict[str, set[str]] = {}
    for package, version, rest in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)[^\n\\]*((?:\\\n    --hash=\S+ ?)*)", text):
        assert "--hash=sha256:" in rest, f"{package} has no hash"
        found.setdefault(re.sub(r"[-_.]+", "-", package).lower(), set()).add(version)
    assert sum(map(len, found.values())) == len(re.findall(r"(?m)^\S+==", text))
    return found


def wanted(extra: str) -> list[Requirement]:
    """The requirements of an extra, with those of the extras that it names."""
    found = []
    for requirement in map(Requirement, PROJECT["optional-dependencies"][extra]):
        if requirement.name == PROJECT["name"]:
            found += [one for name in sorted(requirement.extras) for one in wanted(name)]
        else:
            found.append(requirement)
    return found


@pytest.mark.parametrize("lock", ["run", "dev"])
def test_every_requirement_is_locked_with_hashes(lock: str) -> None:
    versions = locked(lock)
    needed = [*map(Requirement, PROJECT["dependencies"]), *(wanted("dev") if lock == "dev" else ())]
    missing = [str(one) for one in needed if re.sub(r"[-_.]+", "-", one.name).lower() not in versions]
    assert not missing, "make lock"
    for one in needed:
        for version in versions[re.sub(r"[-_.]+", "-", one.name).lower()]:
            assert one.specifier.contains(Version(version)), f"{one}: make lock"


def test_what_is_run_is_what_development_has() -> None:
    run, dev = locked("run"), locked("dev")
    assert [name for name, versions in run.items() if not versions <= dev.get(name, set())] == [], "make lock"


def test_the_model_is_the_one_that_was_trained() -> None:
    spec = importlib.util.spec_from_file_location("manifest", ROOT / "training" / "manifest.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept = json.loads((ROOT / "training" / "manifest.json").read_text("utf-8"))
    assert module.manifest() == kept, "the model, its grams or its recipe changed: see training/README.md"
    header, _, body = (ROOT / module.MODEL).read_bytes().partition(b"\n")
    table = hashlib.sha256(body).hexdigest()
    assert json.loads(header)["sha256"] == table
    assert f"static-{table[:8]}" in (ROOT / "training" / "README.md").read_text("utf-8")
    sources = json.loads((ROOT / "training" / "sources.json").read_text("utf-8"))
    assert sources, "what the model was trained on is kept"


@pytest.mark.slow
def test_the_wheel_is_the_same_twice() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout")
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("needs hatchling, which requirements/dev.txt has")
    done = subprocess.run(
        [sys.executable, ".ci/supply.py", "reproducible"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
