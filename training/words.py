"""Dictionary-like lines: WordNet and Webster glosses, synonyms, emoji keywords by language, Han definitions."""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Iterator

Word = tuple[str, str, str]
ANNOTATIONS = {"en": "en", "ko": "ko", "ja": "ja", "zh": "zh", "zh-Hant": "zh-Hant"}


def wordnet_lines(text: str) -> Iterator[Word]:
    """("gloss", lemma, gloss), ("synonym", lemma, lemma) and ("example", lemma, sentence) from a data.* file."""
    for line in text.splitlines():
        if not line[:8].isdigit() or "|" not in line:
            continue
        head, gloss = line.split("|", 1)
        fields = head.split()
        count = int(fields[3], 16)
        lemmas = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * index]).replace("_", " ") for index in range(count)]
        meaning = re.split(r';\s*"', gloss)[0].strip(" ;")
        for lemma in lemmas:
            yield "gloss", lemma, meaning
        yield from (("synonym", lemmas[0], lemma) for lemma in lemmas[1:])
        yield from (("example", lemmas[0], example) for example in re.findall(r'"([^"]{8,300})"', gloss))


def annotation_tables(files: dict[str, bytes]) -> dict[str, dict[str, tuple[str, list[str]]]]:
    """CLDR's emoji names and keywords: {language: {emoji: (name, keywords)}}."""
    tables: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for path, data in files.items():
        language = ANNOTATIONS.get(path.split("/")[-2])
        if language and path.endswith("annotations.json"):
            root = json.loads(data)
            entries = (root.get("annotations") or root.get("annotationsDerived"))["annotations"]
            tables[language] = {
                emoji: (entry.get("tts", [""])[0], entry.get("default", [])) for emoji, entry in entries.items()
            }
    return tables


def keyword_lines(tables: dict[str, dict[str, tuple[str, list[str]]]]) -> Iterator[Word]:
    """(language, English keywords, that language's keywords) for each emoji named in both."""
    for language, table in tables.items():
        for emoji, (_, keywords) in table.items():
            if language != "en" and keywords and emoji in tables["en"]:
                yield language, ", ".join(tables["en"][emoji][1]), ", ".join(keywords)


def han_lines(data: bytes) -> Iterator[Word]:
    """("han", character, definition) from Unihan's kDefinition."""
    for line in bz2.decompress(data).decode("utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) == 3 and fields[1] == "kDefinition":
            yield "han", chr(int(fields[0][2:], 16)), fields[2]


def webster_lines(data: bytes) -> Iterator[Word]:
    for entry in json.loads(data):
        gloss = re.sub(r"\s+", " ", entry["value"]).strip()
        if entry["key"] and gloss:
            yield "gloss", entry["key"], gloss[:400]
