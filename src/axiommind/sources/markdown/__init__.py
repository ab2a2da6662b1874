"""Markdown: finds the documents below a folder, and splits each into chunks that cite their own lines.

A chunk is verbatim the lines it names, so a citation opens what was found; only a line too long for one chunk is cut
inside. Every line that says something is in a chunk, whatever the parser makes of it; front matter becomes title, tags
and language instead. `decode` is pure and raises on no bytes: what cannot be read is a problem beside what could.
Documents are people's, so this is no agent's source. Why it is so, and what it costs: docs/adr/0011-markdown.md.
"""

from __future__ import annotations

from axiommind.sources.markdown.chunks import MAX_TOKENS, OVERLAP_TOKENS, TARGET_TOKENS, DocumentChunk
from axiommind.sources.markdown.document import Document, decode
from axiommind.sources.markdown.files import MAX_BYTES, SUFFIXES, DocumentFile, DocumentFiles, discover
from axiommind.sources.markdown.lines import lines_of, read_text, text_of

__all__ = [
    "CHUNKER",
    "MAX_BYTES",
    "MAX_TOKENS",
    "NAME",
    "OVERLAP_TOKENS",
    "SUFFIXES",
    "TARGET_TOKENS",
    "Document",
    "DocumentChunk",
    "DocumentFile",
    "DocumentFiles",
    "decode",
    "discover",
    "lines_of",
    "read_text",
    "text_of",
]

NAME = "markdown"
CHUNKER = "md-heading-v2"  # a change of what `decode` returns gets a new name
