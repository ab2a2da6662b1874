"""The tests on every Python that is supported and can be found: `make test-all`.

Each version has an environment of its own, `.venv-3.X`. An interpreter is looked for on the PATH, among pyenv's and
uv's; uv, which is installed for this where it can be had, is asked to download what is missing. At the end: which
versions passed, failed, and were not found. It fails only where one that was found failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
USABLE = "import sys, venv, ensurepip, sqlite3; print('%d.%d' % sys.version_info[:2], sys.executable)"
INSTALL_S = 300


def main() -> int:
    outcomes: dict[str, str] = {}
    for version in sys.argv[1:] or VERSIONS:
        python = find(version)
        if python is None:
            outcomes[version] = "not found"
            continue
        print(f"\n=== Python {version}: {python}", flush=True)
        command = ["make", "--no-print-directory", "unit", f"VENV=.venv-{version}", f"PYTHON={python}"]
        done = subprocess.run(command, cwd=ROOT, env=environment(), check=False)
        outcomes[version] = "failed" if done.returncode else "passed"
    print()
    for version, outcome in outcomes.items():
        print(f"Python {version}: {outcome}")
    return int("failed" in outcomes.values())


def environment() -> dict[str, str]:
    """Ours, but for what the `make` that started this tells its own children."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}


def find(version: str) -> str | None:
    return next((python for path in candidates(version) if (python := usable(path, version))), None)


def candidates(version: str) -> Iterator[str]:
    if found := shutil.which(f"python{version}"):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from (str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True))
    uv = shutil.which("uv") or own_uv()
    yield said_by(uv, "python", "find", version)
    print(f"Python {version} is not here; asking uv for it …", flush=True)
    said_by(uv, "python", "install", "--quiet", version)
    yield said_by(uv, "python", "find", version)


def own_uv() -> str:
    """uv in an environment of its own, from the package index."""
    folder = ROOT / ".venv-uv"
    uv = folder / "bin" / "uv"
    if not uv.exists():
        said_by(sys.executable, "-m", "venv", str(folder))
        said_by(str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "uv")
    return str(uv)


def usable(path: str, version: str) -> str | None:
    """The interpreter itself, not a shim for it, where it is of this version and can make an environment."""
    if not path:
        return None
    found, _, executable = said_by(path, "-c", USABLE).partition(" ")
    return executable if found == version else None


def said_by(*command: str) -> str:
    """What a command prints; nothing where it cannot be run, fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main())
