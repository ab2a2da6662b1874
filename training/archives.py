"""Pinned packages: where each is fetched from, what its licence says, and how its files are read.

Only package registries are used (PyPI, npm, Debian). A package whose own metadata does not state a permissive
licence is refused before any text is read from it.
"""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

PERMISSIVE = re.compile(
    r"\b(MIT|0?BSD|Apache|ISC|PSF|Python Software Foundation|Unicode|Unlicense|CC0|CC-BY-4|Zlib|PostgreSQL|HPND"
    r"|Public Domain|WordNet)\b",
    re.I,
)
RESTRICTED = re.compile(
    r"\b[AL]?GPL|GNU|MPL|Mozilla|EPL|BSL|BUSL|Business|Proprietary|Commercial|SEE LICENSE|-SA\b|-NC\b|ODbL", re.I
)
PYTHON_METADATA = {"PKG-INFO", "METADATA"}
MAX_MEMBER = 12_000_000


class Refused(Exception):
    """A package whose stated licence is not a permissive one."""


@dataclass(frozen=True)
class Package:
    """One line of packages.txt: `registry name version form [licence]`."""

    registry: str
    name: str
    version: str
    form: str
    licence: str

    @classmethod
    def parse(cls, line: str) -> Package:
        """Debian packages carry no machine-readable licence: the line states what its copyright file says."""
        registry, name, version, form, *licence = line.split(maxsplit=4)
        return cls(registry, name, version, form, " ".join(licence))


def read_packages(path: Path) -> list[Package]:
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return [Package.parse(line) for line in lines if line and not line.startswith("#")]


def fetch(package: Package, cache: Path) -> Path:
    """The package's archive in the cache, downloaded if it is not there yet."""
    suffix = {"npm": ".tgz", "sdist": ".sdist", "wheel": ".whl", "deb": ".deb"}[package.form]
    stem = f"{package.registry}+{package.name}+{package.version}".replace("/", "+").replace(":", "%3a")
    path = cache / (stem + suffix)
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        {"npm": _fetch_npm, "pypi": _fetch_pypi, "debian": _fetch_debian}[package.registry](package, part)
        part.rename(path)
    return path


def _save(url: str, path: Path) -> None:
    with urllib.request.urlopen(url, timeout=120) as response, path.open("wb") as out:
        while block := response.read(1 << 20):
            out.write(block)


def _fetch_npm(package: Package, path: Path) -> None:
    base = package.name.rsplit("/", 1)[-1]
    _save(f"https://registry.npmjs.org/{package.name}/-/{base}-{package.version}.tgz", path)


def _fetch_pypi(package: Package, path: Path) -> None:
    index = f"https://pypi.org/simple/{re.sub('[-_.]+', '-', package.name).lower()}/"
    page = urllib.request.urlopen(index, timeout=60).read().decode()
    wanted = re.compile(rf"-{re.escape(package.version)}(-.*\.whl|\.tar\.gz|\.zip)$")
    links = re.findall(r'href="([^"#]+)[^"]*"[^>]*>([^<]+)<', page)
    found = [url for url, name in links if wanted.search(name) and name.endswith(".whl") == (package.form == "wheel")]
    if not found:
        raise FileNotFoundError(f"{package.name} {package.version} has no {package.form} on PyPI")
    _save(urljoin(index, found[0]), path)


def _fetch_debian(package: Package, path: Path) -> None:
    folder = path.with_name(path.name + ".d")
    folder.mkdir(exist_ok=True)
    wanted = f"{package.name}={package.version}"
    subprocess.run(["apt-get", "download", "-qq", wanted], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    next(folder.glob("*.deb")).rename(path)
    folder.rmdir()


def members(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Each plain file of the archive whose path is wanted, in archive order."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.file_size <= MAX_MEMBER and wanted(info.filename):
                    yield info.filename, archive.read(info)
        return
    if path.suffix == ".deb":
        unpack = ["dpkg-deb", "--fsys-tarfile", str(path)]
        with (
            subprocess.Popen(unpack, stdout=subprocess.PIPE) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as tar,
        ):
            yield from _tar_members(tar, wanted)
        return
    with tarfile.open(path, mode="r|*") as tar:
        yield from _tar_members(tar, wanted)


def _tar_members(tar: tarfile.TarFile, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    for info in tar:
        if info.isfile() and info.size <= MAX_MEMBER * 4 and wanted(info.name):
            handle = tar.extractfile(info)
            if handle is not None:
                yield info.name, handle.read()


def stated_licence(package: Package, path: Path) -> str:
    """The licence the package states of itself; raises Refused unless it is permissive."""
    stated = package.licence or _metadata_licence(path, {"package.json"} if package.form == "npm" else PYTHON_METADATA)
    if not PERMISSIVE.search(stated) or RESTRICTED.search(stated):
        raise Refused(f"{package.name} {package.version}: {stated or 'no licence stated'}")
    return stated


def _metadata_licence(path: Path, names: set[str]) -> str:
    """What the top folder's metadata file states; a wheel's is beside its packages, in `*.dist-info`."""
    for name, data in members(path, lambda p: p.count("/") == 1 and p.split("/")[1] in names):
        text = data.decode("utf-8", "replace")
        return _npm_licence(json.loads(text)) if name.endswith(".json") else _pypi_licence(text)
    return ""


def _npm_licence(manifest: dict[str, Any]) -> str:
    stated = manifest.get("license") or manifest.get("licenses") or ""
    if isinstance(stated, list):
        stated = " AND ".join(item if isinstance(item, str) else item.get("type", "") for item in stated)
    return stated.get("type", "") if isinstance(stated, dict) else str(stated)


def _pypi_licence(text: str) -> str:
    """The SPDX expression, else the classifiers, else the short field, else what the pasted text opens with."""
    head = text.split("\n\n", 1)[0]
    if match := re.search(r"^License-Expression: (.+)$", head, re.M):
        return match[1].strip()
    if found := re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.M):
        return " / ".join(found)
    match = re.search(r"^License: (.+(?:\n[ |\t]+.*)*)", text, re.M)
    pasted = match[1] if match else ""
    if len(pasted) < 80:
        return pasted.strip()
    opening = {"Permission is hereby granted": "MIT", "Redistribution and use": "BSD", "Apache License": "Apache-2.0"}
    return next((f"{name} (licence text)" for mark, name in opening.items() if mark in pasted), "")
