"""A document decoded: its title, tags, language and chunks."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from axiommind.sources.markdown.blocks import paragraphs, parse_blocks, prose_of
from axiommind.sources.markdown.chunks import DocumentChunk, cut_chunks
from axiommind.sources.markdown.files import SUFFIXES
from axiommind.sources.markdown.front_matter import FrontMatter, read_front_matter
from axiommind.sources.markdown.lines import lines_of, text_of
from axiommind.text.language import detect

__all__ = ["Document", "decode"]


class Document(NamedTuple):
    title: str
    tags: tuple[str, ...]
    lang: str
    chunks: tuple[DocumentChunk, ...]
    problems: tuple[tuple[int, str], ...]  # (line, why); line 0 = the file as a whole


def decode(content: bytes, name: str = "") -> Document:
    """The document in a file's bytes. A name that does not end like Markdown makes it plain text."""
    problems: list[tuple[int, str]] = []
    text = text_of(content, problems)
    stem = PurePosixPath(name).stem
    if "\0" in text:
        return Document(stem, (), "und", (), ((0, "binary: it holds NUL bytes"),))
    lines = lines_of(text)
    suffix = PurePosixPath(name).suffix.lower()
    plain = bool(suffix) and suffix not in SUFFIXES
    front = FrontMatter("", (), "", 0) if plain else read_front_matter(lines, problems)
    blocks = paragraphs(lines, 0) if plain else parse_blocks(lines, front.end, problems)
    headings = [block for block in blocks if block.kind == "heading" and block.title]
    title = front.title or next((b.title for b in headings if b.level == 1), headings[0].title if headings else stem)
    lang = front.lang or detect(prose_of(lines, blocks))
    return Document(title, front.tags, lang, tuple(cut_chunks(lines, blocks)), tuple(problems))
