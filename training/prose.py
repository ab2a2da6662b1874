"""English lines: sentences and short paragraphs taken from docs, docstrings, changelogs, books and word lists."""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterator

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[A-Z\"'(])")
DOCSTRING = re.compile(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'', re.S)
RAISED = re.compile(r'(?:Error|Exception|Warning|_|warn)\(\s*[frb]?"((?:\\.|[^"\\\n]){15,300})"')
DOC_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.S)
CODE = re.compile(r">>>|[{}<>;=|\\]|::|\(\)|__|^[@$#%]|https?:|\w\.\w+\.\w|[╒═│┌─]|\.\. |^:\w")
ROLE = re.compile(r":[\w:.-]+:`~?\.?([^`<]*?)(?:\s*<[^`]*>)?`")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]+?)\s*<[^`]*>`__?")
NOTES = re.compile(r"/(change|news|history|release|whats)[\w.-]*\.txt$|/docs?/.*\.txt$")
WORD = re.compile(r"[A-Za-z]{2,}")


def prose_kind(path: str) -> str:
    """Which reader a file of a code package needs: "" where it holds no English worth reading."""
    low = path.lower()
    if re.search(r"/(tests?|testing|locales?|i18n|translations|vendor|_vendor|node_modules|licenses?)/", low):
        return ""
    if low.endswith((".rst", ".md", ".mdx")) or NOTES.search(low):
        return "text"
    if low.endswith(".py"):
        return "python"
    return "script" if low.endswith((".d.ts", ".mts")) else ""


def read_prose(kind: str, data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", "ignore")
    if kind == "python":
        for match in DOCSTRING.finditer(text):
            yield from lines_of(match[1] or match[2] or "")
        for match in RAISED.finditer(text):
            yield from lines_of(re.sub(r"%\(?\w*\)?[sdr]|\{[^}]*\}", "", match[1]))
    elif kind == "script":
        for match in DOC_COMMENT.finditer(text):
            yield from lines_of(re.sub(r"^\s*\*( @\w+)? ?", "", match[1], flags=re.M))
    else:
        yield from lines_of(text)


def lines_of(text: str) -> Iterator[str]:
    """Paragraphs and list items of the text that read like English, cut into sentences where long."""
    text = re.sub(r"```.*?```|<!--.*?-->|<(script|style|pre)\b.*?</\1>", "\n\n", text, flags=re.S)
    text = re.sub(r"^\s*([-*+•]|\d+[.)]|#+)\s+", "\n\n", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        yield from split_long(tidy(block))


def split_long(block: str) -> Iterator[str]:
    if len(block) <= 220:
        if is_english(block):
            yield block
        return
    for sentence in SENTENCE_END.split(block):
        if is_english(sentence):
            yield sentence.strip()


def tidy(block: str) -> str:
    block = LINK.sub(lambda match: match[1] or match[2] or "", ROLE.sub(r"\1", block))
    block = html.unescape(re.sub(r"</?[a-zA-Z][^<>]*>", " ", block))
    block = re.sub(r"[`*]+|\[#?\w*\]_|\[[ x]\] |\|", "", block).replace("_", " ")
    return re.sub(r"\s+", " ", block).strip(' -=~^"#')


def is_english(line: str) -> bool:
    """Long enough, mostly words, and not code, a table or a signature."""
    if not 10 <= len(line) <= 400 or CODE.search(line) or not line.isprintable():
        return False
    words = WORD.findall(line)
    return len(words) >= 3 and sum(map(len, words)) > 0.66 * len(line) and line.isascii() | ("’" in line or "“" in line)


def fortune_lines(text: str) -> Iterator[str]:
    """Sayings, one or several sentences each, with their attribution cut off."""
    for saying in re.split(r"^%\s*$", text, flags=re.M):
        yield from split_long(tidy(re.split(r"\n\s*--", saying)[0]))


def book_lines(text: str) -> Iterator[str]:
    """Sentences of a book, joined over its line breaks."""
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in SENTENCE_END.split(tidy(paragraph)):
            if is_english(sentence):
                yield sentence.strip()


def rdb_text(data: bytes) -> str:
    """Strings of an R data file (`.rdb`): length-prefixed zlib records of serialised character vectors."""
    lines: list[bytes] = []
    at = 0
    while at + 4 < len(data):
        reader = zlib.decompressobj()
        record = reader.decompress(data[at + 4 :])
        at = len(data) - len(reader.unused_data)
        position = 0
        while (found := record.find(b"\x00\x04\x00\x09", position)) >= 0:
            size = int.from_bytes(record[found + 4 : found + 8], "big")
            lines.append(record[found + 8 : found + 8 + size])
            position = found + 8 + size
    return b"\n".join(lines).decode("utf-8", "replace")
