"""What we are made of: `make lock`, `make audit`, `make sbom`, `make reproducible`.

    python .ci/supply.py lock | audit | sbom | reproducible

lock           every package for development and its hashes, for Python 3.11 to 3.14, into requirements/
audit          what is locked, against the database of known vulnerabilities (PyPI's). Exit code 1: some were found;
               3: the database could not be reached, so nothing was audited, which is said
sbom           a bill of materials (CycloneDX, JSON) of a plain install, into dist/
reproducible   the wheel built twice, in two folders and at two times: the bytes must be equal
Tools run in an environment of their own (.venv-supply), with locked versions.
"""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "requirements"
TOOLS = ROOT / ".venv-supply"
UNAUDITED = 3
SBOM = ROOT / "dist" / "axiommind.cdx.json"


def main() -> int:
    tasks = {"lock": lock, "audit": audit, "sbom": sbom, "reproducible": reproducible}
    if len(sys.argv) != 2 or sys.argv[1] not in tasks:
        print(__doc__, file=sys.stderr)
        return 2
    return tasks[sys.argv[1]]()


def lock() -> int:
    _own_tools("uv", unlocked=True)
    environ = os.environ | {"UV_CUSTOM_COMPILE_COMMAND": "make lock"}
    compile_ = [
        _tool("uv"),
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--python-version",
        "3.11",
        "--generate-hashes",
    ]
    for name, given in (
        ("dev", ["pyproject.toml", "requirements/dev.in", "--extra", "dev"]),
        ("run", ["pyproject.toml"]),
        ("supply", ["requirements/supply.in"]),
    ):
        command = [*compile_, "--upgrade", *given, "-o", f"requirements/{name}.txt"]
        subprocess.run(command, cwd=ROOT, env=environ, check=True)
        print(f"requirements/{name}.txt")
    return 0


def audit() -> int:
    _own_tools("pip-audit")
    worst = 0
    for name in ("run", "dev", "supply"):
        command = [
            _tool("pip-audit"),
            "--disable-pip",
            "--require-hashes",
            "--progress-spinner",
            "off",
            "--format",
            "json",
        ]
        done = subprocess.run([*command, "-r", str(LOCKS / f"{name}.txt")], capture_output=True, text=True, check=False)
        try:
            found = json.loads(done.stdout)["dependencies"]
        except (ValueError, KeyError):
            last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            print(f"requirements/{name}.txt was NOT audited: the vulnerability database could not be asked ({last})")
            worst = worst or UNAUDITED
            continue
        bad = [(one["name"], one["version"], flaw["id"]) for one in found for flaw in one.get("vulns", ())]
        skipped = {one["name"]: one["skip_reason"] for one in found if "skip_reason" in one}
        if len(skipped) == len(found):
            print(f"requirements/{name}.txt was NOT audited: the registry here has no vulnerability data")
            print(f"  ({next(iter(skipped.values()))})")
            worst = worst or UNAUDITED
            continue
        print(f"requirements/{name}.txt: {len(found)} packages, {len(bad)} known vulnerabilities")
        for package, version, flaw in bad:
            print(f"  {package} {version}: {flaw}")
        if skipped:
            print(f"  NOT audited: {', '.join(skipped)}")
        worst = 1 if bad else worst or (UNAUDITED if skipped else 0)
    return worst


def sbom() -> int:
    _own_tools("cyclonedx-py")
    SBOM.parent.mkdir(exist_ok=True)
    command = [_tool("cyclonedx-py"), "requirements", "--pyproject", "pyproject.toml", "--output-reproducible"]
    subprocess.run([*command, "--of", "JSON", "-o", str(SBOM), "requirements/run.txt"], cwd=ROOT, check=True)
    made = json.loads(SBOM.read_text("utf-8"))
    print(f"{SBOM.relative_to(ROOT)}: CycloneDX {made['specVersion']}, {len(made['components'])} components")
    return 0


def reproducible() -> int:
    """The same wheel whoever builds it, wherever and whenever. Needs hatchling, which the environment has."""
    with tempfile.TemporaryDirectory(prefix="axm-wheel-") as scratch:
        wheels = [_wheel(Path(scratch) / place, umask) for place, umask in (("one", 0o022), ("another-folder", 0o077))]
        if not filecmp.cmp(*wheels, shallow=False):
            print(f"the two wheels differ: {wheels[0].name}")
            return 1
        print(f"{wheels[0].name}: {wheels[0].stat().st_size:,} bytes, twice the same")
    return 0


def _wheel(place: Path, umask: int) -> Path:
    """A wheel of a copy of what git has, with other times and permissions than those of the files here."""
    copy = place / "axiommind"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    before = os.umask(umask)
    try:
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, copy / name)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=copy, check=True, capture_output=True
        )
    finally:
        os.umask(before)
    return next((copy / "dist").glob("*.whl"))


def _own_tools(tool: str, *, unlocked: bool = False) -> None:
    if shutil.which(tool, path=str(TOOLS / "bin")):
        return
    if not TOOLS.exists():
        subprocess.run([sys.executable, "-m", "venv", str(TOOLS)], check=True)
    given = [tool] if unlocked else ["--require-hashes", "-r", str(LOCKS / "supply.txt")]
    command = [str(TOOLS / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", *given]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"{tool} could not be installed from the package index: nothing was done")


def _tool(name: str) -> str:
    return str(TOOLS / "bin" / name)


if __name__ == "__main__":
    sys.exit(main())
