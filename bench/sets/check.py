"""Proves what the sets promise: `python bench/sets/check.py`. Exits 1 and says why when a promise is broken.

Each question has one right passage and shares no content word with it, in the sense of the product's own tokeniser:
stems without stop words for English, identifiers and numbers; pairs of characters for runs of Han, kana and Hangul.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from axiommind.text.english_stems import stem
from axiommind.text.stop_words import STOP_WORDS
from axiommind.text.tokens import terms

HERE = Path(__file__).parent
KINDS = {
    "paraphrase": {"dev": 120, "everyday": 40},
    "crosslingual": {"ko-en": 40, "zh-en": 30, "ja-en": 30, "en-ko": 20, "en-zh": 20, "en-ja": 20},
}
STOPS = STOP_WORDS | {stem(word) for word in STOP_WORDS}
LATIN = re.compile("[A-Za-z]")
DIGIT = re.compile(r"\d")
SCRIPTS = {
    "ko": re.compile("[\uac00-\ud7a3]"),
    "ja": re.compile("[\u3041-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "en": LATIN,
}
ASIAN = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
WORDS = range(20, 91)  # of an English passage
ASKED = range(4, 15)  # of an English question


class Question(NamedTuple):
    id: str
    text: str
    type: str


class Evaluation(NamedTuple):
    """A set as it lies in its folder; `gold` pairs a question's id with a passage's."""

    passages: list[tuple[str, str]]
    questions: list[Question]
    gold: list[tuple[str, str]]


def read(folder: Path) -> Evaluation:
    def rows(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    header, *lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    if header != "query-id\tcorpus-id\tscore":
        raise ValueError(f"{folder.name}/qrels.tsv: header is {header!r}")
    judged = [line.split("\t") for line in lines]
    return Evaluation(
        [(row["_id"], row["text"]) for row in rows("corpus.jsonl")],
        [Question(row["_id"], row["text"], row["type"]) for row in rows("queries.jsonl")],
        [(query, passage) for query, passage, score in judged if int(score) > 0],
    )


def content(text: str) -> set[str]:
    return set(terms(text)) - STOPS


def language(text: str) -> str:
    """Kana before Han: Japanese has both."""
    return next((name for name, script in SCRIPTS.items() if script.search(text)), "none")


def whole(found: Evaluation, kinds: dict[str, int]) -> list[str]:
    """What is wrong with the ids, the judgements and the counts."""
    ids = [passage for passage, _ in found.passages] + [question.id for question in found.questions]
    problems = [f"{id_}: id is used {count} times" for id_, count in Counter(ids).items() if count > 1]
    texts = [text for _, text in found.passages] + [question.text for question in found.questions]
    problems += [f"said {count} times: {text}" for text, count in Counter(texts).items() if count > 1]
    golds = Counter(query for query, _ in found.gold)
    problems += [f"{q.id}: {golds[q.id]} right passages" for q in found.questions if golds[q.id] != 1]
    problems += [f"{passage}: is the answer to {count}" for passage, count in Counter(p for _, p in found.gold).items()
                 if count > 1]  # fmt: skip
    known = set(ids)
    problems += [f"{query} → {passage}: no such id" for query, passage in found.gold if not {query, passage} <= known]
    for half, first in (("development", 0), ("test", 1)):
        counted = Counter(question.type for question in found.questions[first::2])
        if counted != {kind: count // 2 for kind, count in kinds.items()}:
            problems.append(f"{half} half: {dict(counted)}")
    return problems


def one_by_one(found: Evaluation) -> list[str]:
    """What is wrong with a question and its passage."""
    texts = dict(found.passages)
    gold = dict(found.gold)
    problems = [f"{passage}: {len(text.split())} words" for passage, text in found.passages
                if not ASIAN.search(text) and len(text.split()) not in WORDS]  # fmt: skip
    for question in found.questions:
        answer = texts[gold[question.id]]
        if shared := content(question.text) & content(answer):
            problems.append(f"{question.id}: shares {sorted(shared)} with {gold[question.id]}")
        asked, _, told = question.type.partition("-") if "-" in question.type else ("en", "", "en")
        if (language(question.text), language(answer)) != (asked, told):
            problems.append(f"{question.id}: is not {question.type}")
        if DIGIT.search(question.text) or (asked != "en" and LATIN.search(question.text)):
            problems.append(f"{question.id}: holds digits or Latin letters: {question.text}")
        if asked == "en" and len(question.text.split()) not in ASKED:
            problems.append(f"{question.id}: {len(question.text.split())} words")
    return problems


def misleading(found: Evaluation) -> int:
    """Questions of which another passage holds two content words or more."""
    passages = [content(text) for _, text in found.passages]
    return sum(any(len(content(q.text) & held) > 1 for held in passages) for q in found.questions)


def main() -> int:
    failed = False
    for name, kinds in KINDS.items():
        found = read(HERE / name)
        problems = whole(found, kinds) or one_by_one(found)
        failed |= bool(problems)
        for problem in problems:
            print(f"{name}: {problem}")
        print(f"{name}: {len(found.passages)} passages, {len(found.questions)} questions, {len(problems)} problems")
        if name == "paraphrase":
            print(f"{name}: {misleading(found)} questions share two content words or more with a wrong passage")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
