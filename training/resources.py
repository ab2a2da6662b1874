"""Compiled message tables: Chromium .pak files, Android's resources.arsc, TypeScript and VS Code diagnostics."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Iterator
from itertools import pairwise

from catalogues import Pair, unescape

PAK_LANGUAGES = {"ko": "ko", "ja": "ja", "zh-CN": "zh", "zh-TW": "zh-Hant", "en-US": "en"}
STRING = r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)"


def read_pak(data: bytes) -> dict[str, str]:
    """Texts of a Chromium locale pack (version 5) by resource id."""
    version, _encoding, count, _aliases = struct.unpack_from("<IB3xHH", data)
    if version != 5:
        return {}
    places = [struct.unpack_from("<HI", data, 12 + 6 * index) for index in range(count + 1)]
    spans = pairwise(places)
    return {str(name): data[start:end].decode("utf-8", "ignore") for (name, start), (_, end) in spans}


def read_arsc(data: bytes) -> dict[str, dict[str, str]]:
    """Plain string resources of an Android resource table: {language: {resource id: text}}."""
    strings: list[str] = []
    found: dict[str, dict[str, str]] = {}
    for kind, start, header, _size in _chunks(data, 12, len(data)):
        if kind == 0x0001:
            strings = _string_pool(data, start)
        elif kind == 0x0200:
            for inner, at, _, _ in _chunks(data, start + header, start + _size):
                if inner == 0x0201:
                    language = _config_language(data, at)
                    if language:
                        found.setdefault(language, {}).update(_type_strings(data, at, strings))
    return found


def _chunks(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    while start + 8 <= end:
        kind, header, size = struct.unpack_from("<HHI", data, start)
        yield kind, start, header, size
        start += max(size, 8)


def _string_pool(data: bytes, at: int) -> list[str]:
    count, _, flags, base = struct.unpack_from("<IIII", data, at + 8)
    offsets = struct.unpack_from(f"<{count}I", data, at + 28)
    return [_pool_string(data, at + base + offset, bool(flags & 0x100)) for offset in offsets]


def _pool_string(data: bytes, at: int, utf8: bool) -> str:
    if utf8:
        at += 2 if data[at] & 0x80 else 1
        size = data[at]
        if size & 0x80:
            size = (size & 0x7F) << 8 | data[at + 1]
            at += 1
        return data[at + 1 : at + 1 + size].decode("utf-8", "replace")
    (size,) = struct.unpack_from("<H", data, at)
    return data[at + 2 : at + 2 + 2 * size].decode("utf-16-le", "replace")


def _config_language(data: bytes, at: int) -> str:
    language, country = data[at + 28 : at + 30].rstrip(b"\0"), data[at + 30 : at + 32].rstrip(b"\0")
    if not language:
        return "en"
    if language == b"zh":
        return {b"CN": "zh", b"TW": "zh-Hant"}.get(country, "")
    return {b"ko": "ko", b"ja": "ja"}.get(language, "")


def _type_strings(data: bytes, at: int, strings: list[str]) -> Iterator[tuple[str, str]]:
    header = struct.unpack_from("<H", data, at + 2)[0]
    kind, count, base = data[at + 8], *struct.unpack_from("<II", data, at + 12)
    for index, offset in enumerate(struct.unpack_from(f"<{count}I", data, at + header)):
        if offset == 0xFFFFFFFF:
            continue
        entry = at + base + offset
        size, flags = struct.unpack_from("<HH", data, entry)
        value_type, value = struct.unpack_from("<xxxBI", data, entry + size)
        if not flags & 1 and value_type == 3 and value < len(strings):
            yield f"{kind}:{index}", strings[value]


def android_pairs(apk: bytes) -> Iterator[Pair]:
    with zipfile.ZipFile(io.BytesIO(apk)) as archive:
        tables = read_arsc(archive.read("resources.arsc"))
    yield from table_pairs(tables)


def table_pairs(tables: dict[str, dict[str, str]]) -> Iterator[Pair]:
    """Pairs of {language: {id: text}} tables that share ids."""
    for language, table in tables.items():
        if language != "en":
            yield from ((language, tables["en"][key], text) for key, text in table.items() if key in tables["en"])


def typescript_pairs(files: dict[str, bytes]) -> Iterator[Pair]:
    """Compiler diagnostics: the English ones are in the compiler itself, under the same slugs."""
    folders = {"ko": "ko", "ja": "ja", "zh-cn": "zh", "zh-tw": "zh-Hant"}
    source = next(data for path, data in files.items() if path.endswith("lib/typescript.js")).decode()
    english = {
        unescape(slug): unescape(text)
        for slug, text in re.findall(r'diag\(\d+, \d+ /\* \w+ \*/, "((?:\\.|[^"\\])*)", "((?:\\.|[^"\\])*)"', source)
    }
    for path, data in files.items():
        if path.endswith(".generated.json"):
            language = folders.get(path.split("/")[-2], "")
            for slug, text in json.loads(data).items():
                if language and slug in english:
                    yield language, english[slug], text


def vscode_english(source: str) -> dict[int, str]:
    """Numbered messages of VS Code's own calls: localize(12, "Close")."""
    calls = re.findall(rf"localize2?\(\s*(\d+),\s*{STRING}", source)
    return {int(number): unescape(text[1:-1]) for number, text in calls}


def vscode_pack_pairs(path: str, data: bytes, language: str, english: dict[int, str]) -> Iterator[Pair]:
    """A language pack's numbered messages, and its extensions' bundles, whose keys are the English text."""
    text = data.decode("utf-8")
    if path.endswith("main.i18n.json.js"):
        body = text[text.index("[") : text.rindex("]") + 1]
        items = json.loads(re.sub(r"^\s*undefined(,?)$", r"null\1", body, flags=re.M))
        yield from ((language, english[index], item) for index, item in enumerate(items) if item and index in english)
    elif path.endswith(".i18n.json"):
        for key, item in json.loads(text).get("contents", {}).get("bundle", {}).items():
            if isinstance(item, str):
                yield language, re.sub(r"/\{?[A-Z].*$", "", key, flags=re.S) if "/{Locked" in key else key, item
