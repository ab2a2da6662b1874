"""Sealed blobs: the only way for text into the log.

Sealing redacts line by line, names the result by its content, compresses it, and signs it with the key of the
home. The log refuses a blob whose signature does not fit, so text that the redactor has not seen cannot be
stored, also not by a worker process. Line N of a sealed transcript or document is line N of the file.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import zstandard

from axiommind.errors import LogCorrupt
from axiommind.ids import content_hash
from axiommind.text import jsonlines
from axiommind.text.redaction import Redactor

__all__ = ["Sealed", "is_sealed", "reseal", "seal_lines", "seal_page", "seal_text", "unseal"]

# zstd 3 against 1 on the bench transcripts: 410 and 514 MB/s, 0.134 and 0.158 of the size.
_LEVEL = 3
# Below this a zstd frame is no smaller than the text.
_SMALL = 200
# The longest text that is unpacked. What is sealed is lines of 32 MB at most and documents of 64 MB: more than this was
# not written by us, and a frame of 32 KB may declare a gigabyte.
_LONGEST = 256 << 20
# The same of what another home sent, and how much more than its packed bytes: the most of ours was 14 times as much.
_LONGEST_FOREIGN = 64 << 20
_MOST_RATIO = 200


@dataclass(frozen=True, slots=True)
class Sealed:
    """Redacted, compressed, named and signed. Made by `seal_lines`, `seal_page` and `seal_text` only."""

    hash: str
    codec: str
    size: int
    data: bytes
    proof: bytes


def seal_lines(redactor: Redactor, key: bytes, lines: Iterable[bytes]) -> tuple[Sealed, bytes]:
    """Seal JSON lines; returns the redacted bytes too, for whoever decodes them next."""
    content = b"".join([_redact_line(redactor, line) + b"\n" for line in lines])
    return _seal(key, content), content


def seal_text(redactor: Redactor, key: bytes, text: str) -> Sealed:
    """Seal one text (a small JSON file)."""
    return _seal(key, redactor.text(text).encode("utf-8", "replace"))


def seal_page(redactor: Redactor, key: bytes, lines: Sequence[str]) -> Sealed:
    """Seal the lines of a document. Of a secret over several lines the first has the mark and the others are empty."""
    text = "\n".join(lines)
    content = text.encode("utf-8", "replace")
    if not redactor.suspects(content) and not text.startswith("Bearer "):
        return _seal(key, content)
    # As a whole, for keys in armour; then line by line, for a quote that is opened and not closed on its line.
    before = None
    while text != before:
        before = text
        whole = redactor.text(text, keep_lines=True)
        text = "\n".join([redactor.text(line) for line in whole.split("\n")])
    return _seal(key, text.encode("utf-8", "replace"))


def unseal(codec: str, data: bytes, longest: int = _LONGEST) -> bytes:
    """The redacted bytes of a stored blob. One that is longer than this, or does not say how long it is, is refused
    before anything is unpacked: zstandard would make room for whatever a frame declares."""
    if codec == "raw":
        return data
    declared = zstandard.frame_content_size(data)
    if not 0 <= declared <= longest:
        said = "does not say how long it is" if declared < 0 else f"declares {declared} bytes"
        raise LogCorrupt(f"a compressed text {said}: not unpacked (the most is {longest})", hint="run: axm verify")
    # A decompressor holds buffers: one per call keeps this safe between threads and costs nothing measurable.
    return zstandard.ZstdDecompressor().decompress(data)


def reseal(redactor: Redactor, key: bytes, name: str, codec: str, data: bytes) -> Sealed | str:
    """A text that another home sealed, for this one; or why not. It is taken as it is or not at all."""
    if codec not in ("raw", "zstd") or len(data) > _LONGEST_FOREIGN:
        return "it is not packed as texts are, or too long"
    try:
        content = unseal(codec, data, min(_LONGEST_FOREIGN, len(data) * _MOST_RATIO))
    except (LogCorrupt, zstandard.ZstdError) as error:
        return str(error)
    if content_hash(content) != name:
        return "it is not what its name says"
    if redactor.suspects(content) and _would_change(redactor, content):
        return "it holds what looks like a secret here"
    return Sealed(name, codec, len(content), data, _proof(key, name))


def _would_change(redactor: Redactor, content: bytes) -> bool:
    """Whether sealing it again would change it: as JSON lines, or as a page, which is redacted as a whole too."""
    lines = content.split(b"\n")
    if any(_redact_line(redactor, line) != line for line in lines):
        return True
    if lines[0].startswith(b"{"):
        return False
    text = content.decode("utf-8", "replace")
    return redactor.text(text, keep_lines=True) != text


def is_sealed(key: bytes, blob: Sealed) -> bool:
    """Whether the blob was sealed under this key."""
    return hmac.compare_digest(blob.proof, _proof(key, blob.hash))


def _seal(key: bytes, content: bytes) -> Sealed:
    name = content_hash(content)
    if len(content) < _SMALL:
        codec, data = "raw", content
    else:
        codec, data = "zstd", zstandard.ZstdCompressor(level=_LEVEL).compress(content)
    return Sealed(name, codec, len(content), data, _proof(key, name))


def _proof(key: bytes, name: str) -> bytes:
    return hmac.new(key, b"seal:" + name.encode(), hashlib.sha256).digest()


def _redact_line(redactor: Redactor, line: bytes) -> bytes:
    if not redactor.suspects(line):
        return line
    try:
        value = jsonlines.parse(line)
    except ValueError:  # not JSON: what cannot be read as a record is redacted as text
        return redactor.text(line.decode("utf-8", "replace")).replace("\n", " ").encode("utf-8", "replace")
    clean = redactor.value(value)
    return line if clean is value else jsonlines.encode(clean)
