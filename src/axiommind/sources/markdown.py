"""Markdown: finds the documents below a folder, and splits each into chunks that cite their own lines.

A chunk is verbatim the lines it names, so a citation opens what was found; only a line too long for one chunk is cut
inside. Every line that says something is in a chunk, whatever the parser makes of it; front matter becomes title, tags
and language instead. `decode` is pure and raises on no bytes: what cannot be read is a problem beside what could.
Nothing here reads the log or the index. Why it is so, and what it costs: docs/adr/0011-markdown.md.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.model import Problem
from axiommind.text.globs import matches
from axiommind.text.language import detect

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
    from pathspec import GitIgnoreSpec

__all__ = [
    "CHUNKER",
    "MAX_BYTES",
    "MAX_TOKENS",
    "NAME",
    "OVERLAP_TOKENS",
    "SUFFIXES",
    "TARGET_TOKENS",
    "Chunk",
    "Document",
    "DocumentFile",
    "DocumentFiles",
    "decode",
    "discover",
    "lines_of",
    "text_of",
]

NAME = "markdown"
CHUNKER = "md-heading-v1"  # a change of what `decode` returns gets a new name
MAX_BYTES = 64 << 20
SUFFIXES = (".md", ".markdown", ".mdown", ".mdx")

# A token is three bytes of UTF-8: too many for English, about right for Korean, never too few for an embedder.
TARGET_TOKENS = 500
OVERLAP_TOKENS = 80
MAX_TOKENS = 4000

_PARSED_CHARS = 8_000_000  # larger files are cut at blank lines, without the parser
_PARSED_LINES = 100_000
_PROBES = 500_000  # steps of the parser, see `_meter`
_NESTING = 100
_SAMPLE = 4000  # characters of prose that tell the language


class Chunk(NamedTuple):
    """Lines of a document, 1-based and inclusive, under the headings that lead to them."""

    heading: tuple[str, ...]
    line_start: int
    line_end: int
    text: str


class Document(NamedTuple):
    title: str
    tags: tuple[str, ...]
    lang: str
    chunks: tuple[Chunk, ...]
    problems: tuple[tuple[int, str], ...]  # (line, why); line 0 = the file as a whole


def decode(content: bytes, name: str = "") -> Document:
    """The document in a file's bytes. A name that does not end like Markdown makes it plain text."""
    problems: list[tuple[int, str]] = []
    text = _text(content, problems)
    stem = PurePosixPath(name).stem
    if "\0" in text:
        return Document(stem, (), "und", (), ((0, "binary: it holds NUL bytes"),))
    lines = lines_of(text)
    suffix = PurePosixPath(name).suffix.lower()
    plain = bool(suffix) and suffix not in SUFFIXES
    front = _Front("", (), "", 0) if plain else _front_matter(lines, problems)
    blocks = _paragraphs(lines, 0) if plain else _blocks(lines, front.end, problems)
    headings = [block for block in blocks if block.kind == "heading" and block.title]
    title = front.title or next((b.title for b in headings if b.level == 1), headings[0].title if headings else stem)
    lang = front.lang or detect(_prose(lines, blocks))
    return Document(title, front.tags, lang, tuple(_chunks(lines, blocks)), tuple(problems))


# --- bytes and lines ---------------------------------------------------------------------------------------

_LINE_END = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The one meaning of a line in a citation. `str.splitlines` would also cut at form feeds and U+2028."""
    return _LINE_END.split(text)


def text_of(content: bytes, problems: list[tuple[int, str]] | None = None) -> str:
    """The text that the line numbers count in: decoded as `decode` does, without a byte order mark."""
    return _text(content, [] if problems is None else problems)


def _text(content: bytes, problems: list[tuple[int, str]]) -> str:
    encoding = "utf-8"
    if content.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        encoding = "utf-32"
    elif content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = len(lines_of(content[: error.start].decode(encoding, "replace")))
        problems.append((line, f"not {encoding.upper()}: what cannot be read is shown as \N{REPLACEMENT CHARACTER}"))
        return content.decode(encoding, "replace").removeprefix("\ufeff")


# --- front matter ------------------------------------------------------------------------------------------

_FRONT_CHARS = 65_536
_TAG_KEYS = ("tags", "tag", "keywords", "categories", "category")
_LANGUAGES = {
    "english": "en",
    "korean": "ko",
    "한국어": "ko",
    "japanese": "ja",
    "日本語": "ja",
    "chinese": "zh",
    "中文": "zh",
}
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_ITEM = re.compile(r'\s*(?:"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,\[\]]+)')


class _Front(NamedTuple):
    title: str
    tags: tuple[str, ...]
    lang: str
    end: int  # lines that it takes


class _Malformed(ValueError):
    pass


def _front_matter(lines: Sequence[str], problems: list[tuple[int, str]]) -> _Front:
    none = _Front("", (), "", 0)
    fence = lines[0].rstrip()
    if fence not in ("---", "+++"):
        return none
    closing = (fence, "...") if fence == "---" else (fence,)
    end = next((i for i in range(1, len(lines)) if lines[i].rstrip() in closing), 0)
    inside = lines[1:end]
    begin = next((line for line in (inside if end else lines[1:2]) if line.strip() and not line.startswith("#")), "")
    if not (_is_key(begin, fence) or (end and not begin)):
        return none  # a line across the page, as Markdown has it
    try:
        if not end:
            raise _Malformed("it has no end")
        if sum(map(len, inside)) > _FRONT_CHARS:
            raise _Malformed(f"it has more than {_FRONT_CHARS} characters")
        read = _toml(inside) if fence == "+++" else _yaml(inside)
    except _Malformed as error:
        problems.append((1, f"front matter taken as text: {error}"))
        return none
    return read._replace(end=end + 1)


def _is_key(line: str, fence: str) -> bool:
    if fence == "+++":
        return "=" in line or line.startswith("[")
    _, colon, value = line.partition(":")
    return bool(colon) and not value[:1].strip() and line[0] not in " \t-"


def _yaml(lines: Sequence[str]) -> _Front:
    """The usual forms of the few keys that are wanted. What else stands there only has to look like YAML."""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t]}" or line.startswith("- ") or line.rstrip() == "-":
            if current is None:
                raise _Malformed(f"line {number} belongs to no key")
            current.append(line.strip())
            continue
        if not _is_key(line, "---"):
            raise _Malformed(f"line {number} is no `key: value`")
        key, _, value = line.partition(":")
        current = fields[key.strip().strip("\"'").lower()] = [value.strip()]
    tags = [tag for key in _TAG_KEYS for tag in _yaml_list(fields.get(key, [""]))]
    lang = _yaml_text(fields.get("lang") or fields.get("language") or [""])
    return _Front(_one_line(_yaml_text(fields.get("title", [""]))), _tags(tags), _language(lang), 0)


def _yaml_text(value: Sequence[str]) -> str:
    if value[0].startswith(("|", ">")):
        return " ".join(value[1:])
    return _unquoted(" ".join(value))


def _yaml_list(value: Sequence[str]) -> list[str]:
    if value[0].startswith("["):
        inside, bracket, _ = " ".join(value)[1:].rpartition("]")
        if not bracket:
            raise _Malformed("a list has no end")
        return [_unquoted(item[0].strip()) for item in _ITEM.finditer(inside)]
    if not _unquoted(value[0]) and all(line.startswith("-") for line in value[1:]):
        return [_unquoted(line[1:].strip()) for line in value[1:]]
    return _yaml_text(value).split(",")


def _unquoted(text: str) -> str:
    if text.startswith('"'):
        if not (found := _DOUBLE_QUOTED.match(text)):
            raise _Malformed("a quote has no end")
        try:
            # YAML's escapes are JSON's and a few rare ones. Half of a surrogate pair is no text.
            return str(json.loads(found[0], strict=False)).encode("utf-8", "replace").decode()
        except ValueError:
            return found[1]
    if text.startswith("'"):
        if not (found := _SINGLE_QUOTED.match(text)):
            raise _Malformed("a quote has no end")
        return found[1].replace("''", "'")
    plain = "" if text.startswith("#") else text.partition(" #")[0].strip()
    return "" if plain in ("~", "null") else plain


def _toml(lines: Sequence[str]) -> _Front:
    import tomllib

    try:
        fields = tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError) as error:  # its own errors, and those of int() on thousands of digits
        raise _Malformed(str(error)) from None
    taxonomies = fields.get("taxonomies")
    places = [fields, taxonomies] if isinstance(taxonomies, dict) else [fields]
    tags = [tag for place in places for key in _TAG_KEYS for tag in _toml_list(place.get(key))]
    title, lang = fields.get("title"), fields.get("lang") or fields.get("language")
    return _Front(
        _one_line(title) if isinstance(title, str) else "",
        _tags(tags),
        _language(lang) if isinstance(lang, str) else "",
        0,
    )


def _toml_list(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(",")
    return [str(item) for item in value if isinstance(item, str | int)] if isinstance(value, list) else []


def _tags(values: Iterable[str]) -> tuple[str, ...]:
    found = (_one_line(value.strip().lstrip("#")) for value in values)
    return tuple(dict.fromkeys(tag for tag in found if tag))


def _language(value: str) -> str:
    value = value.strip().lower()
    code = _LANGUAGES.get(value) or value.replace("_", "-").partition("-")[0]
    return code if re.fullmatch("[a-z]{2,3}", code) else ""


# --- blocks ------------------------------------------------------------------------------------------------

_HEADING_CHARS = 200
_HEADING_MARKS = 60
_MARKUP = re.compile(r"[\\`*_\[\]<&!]")
_ANCHOR = re.compile(r"\{#[^{}]*\}\s*$")
_LEAVES = {"fence": "code", "code_block": "code", "html_block": "text", "hr": "rule", "table": "table"}
_CONTAINERS = {"bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open"}


class _Block(NamedTuple):
    """Lines `start` up to `end` (0-based, exclusive). Kinds: heading, code, table, rule, text."""

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""
    inner: tuple[_Block, ...] = ()


class _TooCostly(Exception):
    pass


def _blocks(lines: Sequence[str], first: int, problems: list[tuple[int, str]]) -> list[_Block]:
    """The blocks of the page from line `first` on; together they hold every line that is not blank."""
    body = lines[first:]
    source = "\n".join(body)
    if len(source) > _PARSED_CHARS or len(body) > _PARSED_LINES:
        problems.append((0, "very large: cut at blank lines, not at headings"))
        return _paragraphs(lines, first)
    try:
        found = _parsed(source, len(body), first)
    except (_TooCostly, RecursionError):
        problems.append((0, "nested too deep: cut at blank lines, not at headings"))
        return _paragraphs(lines, first)
    return _covering(lines, found, first, len(lines))


def _paragraphs(lines: Sequence[str], first: int) -> list[_Block]:
    return list(_runs(lines, first, len(lines)))


def _runs(lines: Sequence[str], start: int, end: int) -> Iterator[_Block]:
    """Lines that are not blank, as far as they are together."""
    begin = start
    for i in range(start, end + 1):
        if i == end or not lines[i].strip():
            if i > begin:
                yield _Block("text", begin, i)
            begin = i + 1


def _covering(lines: Sequence[str], blocks: Sequence[_Block], start: int, end: int) -> list[_Block]:
    """The blocks without blank lines at their ends, and between them what the parser took without a word, such as
    definitions of links."""
    found: list[_Block] = []
    at = start
    for block in blocks:
        low, high = max(block.start, at), min(block.end, end)
        while high > low and not lines[high - 1].strip():
            high -= 1
        if low < high:
            found += _runs(lines, at, low)
            found.append(block._replace(start=low, end=high))
            at = high
    found += _runs(lines, at, end)
    return found


def _parsed(source: str, count: int, first: int) -> list[_Block]:
    env: dict[str, Any] = {"probes": min(8 * count + 10_000, _PROBES)}
    tokens = _parser().parse(source, env)
    stack: list[tuple[Token | None, list[_Block]]] = [(None, [])]
    for i, token in enumerate(tokens):
        if token.level >= _NESTING - 1:
            raise _TooCostly  # there the parser skips to the end of the file
        if token.type in _CONTAINERS:
            stack.append((token, []))
        elif token.nesting < 0 and token.type.replace("_close", "_open") in _CONTAINERS:
            opening, inner = stack.pop()
            assert opening is not None
            stack[-1][1].append(_block("text", opening, first)._replace(inner=tuple(inner)))
        elif token.type == "heading_open":
            # Inside a list or a quote a heading is text: it opens no part of the document.
            top = len(stack) == 1
            block = _block("heading" if top else "text", token, first)
            title = _heading_text(tokens[i + 1].content, env) if top else ""
            stack[-1][1].append(block._replace(level=int(token.tag[1:]), title=title))
        elif token.type == "paragraph_open":
            stack[-1][1].append(_block("text", token, first))
        elif token.type in _LEAVES:
            stack[-1][1].append(_block(_LEAVES[token.type], token, first))
    return stack[0][1]


def _block(kind: str, token: Token, first: int) -> _Block:
    start, end = token.map or (0, 0)
    return _Block(kind, start + first, end + first)


@cache
def _parser() -> MarkdownIt:
    """CommonMark and tables; blocks only, since most of the time would go into the insides of paragraphs."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.before("table", "meter", _meter, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _meter(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001 - the shape of a rule
    """Counts the parser's steps. A real page takes one or two a line; lines inside dozens of quotes take dozens."""
    state.env["probes"] -= 1
    if state.env["probes"] < 0:
        raise _TooCostly
    return False


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's own rule finds the head; the rows need no tokens, of which a large table has millions."""
    from markdown_it.rules_block import table

    if not table(state, start, end, True):
        return False
    if silent:
        return True
    others = state.md.block.ruler.getRules("blockquote")
    parent, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.isEmpty(line):
        if state.is_code_block(line) or any(rule(state, line, end, True) for rule in others):
            break
        line += 1
    state.parentType = parent
    state.line = line
    state.push("table", "table", 0).map = [start, line]
    return True


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _heading_text(source: str, env: dict[str, Any]) -> str:
    """What a reader sees of a heading: no emphasis, no link targets, no anchor."""
    source = _ANCHOR.sub("", source[: 2 * _HEADING_CHARS])
    marks = len(_MARKUP.findall(source))
    if 0 < marks < _HEADING_MARKS:  # the parser is slow on hundreds of brackets, and no reader wants them
        pending = _inline_parser().parseInline(source, env)
        source = ""
        while pending:
            token = pending.pop(0)
            if token.children:
                pending[:0] = token.children
            elif token.type in ("text", "code_inline", "text_special"):
                source += token.content
            elif token.type in ("softbreak", "hardbreak"):
                source += " "
    return _one_line(source)


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _HEADING_CHARS else text[: _HEADING_CHARS - 1].rstrip() + "…"


def _prose(lines: Sequence[str], blocks: Iterable[_Block]) -> str:
    """The beginning of what is written for people: code says nothing about the language of a document."""
    found: list[str] = []
    size = 0
    for block in blocks:
        for i in range(block.start, block.end if block.kind in ("heading", "text") else block.start):
            found.append(lines[i][:_SAMPLE])
            size += len(lines[i])
            if size > _SAMPLE:
                return "\n".join(found)
    return "\n".join(found)


# --- chunks ------------------------------------------------------------------------------------------------


class _Sizes:
    """Tokens of any range of lines, in one step."""

    def __init__(self, lines: Sequence[str]) -> None:
        sizes = ((len(line) if line.isascii() else len(line.encode())) + 1 for line in lines)
        self._ends = list(accumulate(sizes, initial=0))

    def tokens(self, start: int, end: int) -> int:
        return -(-(self._ends[end] - self._ends[start] - 1) // 3)


class _Span(NamedTuple):
    """A chunk before its text is cut out."""

    heading: tuple[str, ...]
    start: int
    end: int


def _chunks(lines: Sequence[str], blocks: Iterable[_Block]) -> Iterator[Chunk]:
    sizes = _Sizes(lines)
    for span in _spans(_units(lines, blocks, sizes), sizes):
        if sizes.tokens(span.start, span.end) <= MAX_TOKENS:
            yield Chunk(span.heading, span.start + 1, span.end, "\n".join(lines[span.start : span.end]))
        else:
            yield from _pieces(lines, span, sizes)


def _units(lines: Sequence[str], blocks: Iterable[_Block], sizes: _Sizes) -> Iterator[_Block]:
    """The blocks, with those of running text that are over the target taken apart: a list into items, an item or a
    quote into what it holds, a paragraph into lines. Code and tables stay whole."""
    for block in blocks:
        if block.kind != "text" or sizes.tokens(block.start, block.end) <= TARGET_TOKENS:
            yield block
        elif block.inner:
            yield from _units(lines, _covering(lines, block.inner, block.start, block.end), sizes)
        else:
            for i in range(block.start, block.end):
                if lines[i].strip():
                    yield _Block("text", i, i + 1)


def _spans(units: Iterable[_Block], sizes: _Sizes) -> Iterator[_Span]:
    """Units gathered into chunks. A heading opens a chunk and is never left alone while what follows is its own."""
    path: list[_Block] = []
    gathered: list[_Block] = []
    headed = filled = False  # whether a heading is among the gathered, and anything but headings and rules
    last: _Span | None = None  # held back, because a rule may still end it

    def closed() -> _Span:
        titles = tuple(block.title for block in path if block.title)
        return _Span(titles, gathered[0].start, gathered[-1].end)

    for unit in units:
        if unit.kind == "rule" and (gathered or last) and sizes.tokens(unit.start, unit.end) < OVERLAP_TOKENS:
            # A line across the page says nothing by itself: it goes with what it ends.
            if gathered:
                gathered.append(unit)
            elif last:
                last = last._replace(end=unit.end)
            continue
        alone = unit.kind in ("code", "table")
        heading = unit.kind == "heading"
        if heading:
            leave = filled or (headed and unit.level <= path[-1].level)
        else:
            leave = filled and (alone or sizes.tokens(gathered[0].start, unit.end) > TARGET_TOKENS)
        if leave:
            if last:
                yield last
            last = closed()
            gathered = [] if heading or alone else _overlap(gathered, unit, sizes)
            headed = filled = False
        if heading:
            while path and path[-1].level >= unit.level:
                path.pop()
            path.append(unit)
        gathered.append(unit)
        headed, filled = headed or heading, filled or unit.kind not in ("heading", "rule")
        if alone:
            if last:
                yield last
            last, gathered, headed, filled = closed(), [], False, False
    if last:
        yield last
    if gathered:
        yield closed()


def _overlap(units: Sequence[_Block], following: _Block, sizes: _Sizes) -> list[_Block]:
    """The last units of a chunk, to begin the next with: never its heading, and no more than fits."""
    room = min(OVERLAP_TOKENS, TARGET_TOKENS // 2)
    tail: list[_Block] = []
    for unit in reversed(units):
        fits = sizes.tokens(unit.start, units[-1].end) <= room
        if unit.kind == "heading" or not fits or sizes.tokens(unit.start, following.end) > TARGET_TOKENS:
            break
        tail.insert(0, unit)
    return tail


def _pieces(lines: Sequence[str], span: _Span, sizes: _Sizes) -> Iterator[Chunk]:
    """A chunk too large for any embedder, cut at line ends; a line that is too large by itself is cut inside."""
    start = span.start
    for i in range(span.start, span.end + 1):
        long = i < span.end and sizes.tokens(i, i + 1) > MAX_TOKENS
        if i == span.end or long or sizes.tokens(start, i + 1) > MAX_TOKENS:
            yield from _trimmed(lines, span.heading, start, i)
            start = i
        if long:
            yield from (Chunk(span.heading, i + 1, i + 1, part) for part in _parts(lines[i]) if part.strip())
            start = i + 1


def _trimmed(lines: Sequence[str], heading: tuple[str, ...], start: int, end: int) -> Iterator[Chunk]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        yield Chunk(heading, start + 1, end, "\n".join(lines[start:end]))


def _parts(line: str) -> Iterator[str]:
    """A line in pieces of at most MAX_TOKENS, cut after a blank where there is one near the end."""
    data = line.encode()
    limit = MAX_TOKENS * 3
    at = 0
    while len(data) - at > limit:
        cut = data.rfind(b" ", at + limit // 2, at + limit) + 1
        if not cut:
            cut = at + limit
            while data[cut] & 0xC0 == 0x80:  # inside a character
                cut -= 1
        yield data[at:cut].decode()
        at = cut
    yield data[at:].decode()


# --- where the files are -----------------------------------------------------------------------------------

# Later ones win over earlier ones, as with ripgrep; a deeper folder wins over both.
_IGNORE_FILES = (".gitignore", ".ignore", ".axmignore")
_IGNORE_SIZE = 100_000
_SKIPPED = {"node_modules"}
_DEPTH = 64


class DocumentFile(NamedTuple):
    path: str
    size: int
    mtime_ns: int
    inode: int


class DocumentFiles(NamedTuple):
    files: tuple[DocumentFile, ...]
    problems: tuple[Problem, ...]


class _Folder(NamedTuple):
    path: str
    name: str  # below the root, with a `/` at its end; empty for the root
    depth: int
    rules: tuple[tuple[str, GitIgnoreSpec], ...]  # (the folder they hold for, the rules)


def discover(root: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> DocumentFiles:
    """Every document below a folder, in order of path; or the one file that was named, whatever it is called.

    Globs are relative to the root. A file of another suffix is taken where an include names the suffix (`**/*.txt`).
    Links below the root are not followed: what they point at is read where it lies, or is not part of this root.
    """
    top = os.path.realpath(Path(root).expanduser())
    problems: list[Problem] = []
    if Path(top).is_file():
        return DocumentFiles(tuple(_file(top, problems)), tuple(problems))
    include = [glob.removeprefix("./") for glob in include]
    exclude = [glob.removeprefix("./") for glob in exclude]
    files: list[DocumentFile] = []
    pending = [_Folder(top, "", 0, ())]
    while pending:
        folder = pending.pop()
        entries = _entries(folder.path, problems)
        rules = (*folder.rules, *((folder.name, spec) for spec in _ignore_rules(entries, problems)))
        for entry in entries:
            name = folder.name + entry.name
            if entry.name.startswith(".") or entry.is_symlink() or any(matches(name, glob) for glob in exclude):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name in _SKIPPED or _ignored(name + "/", rules):
                    continue
                if folder.depth == _DEPTH:
                    problems.append(Problem(_shown(entry.path), 0, f"more than {_DEPTH} folders deep: not read"))
                else:
                    pending.append(_Folder(entry.path, name + "/", folder.depth + 1, rules))
            elif entry.is_file(follow_symlinks=False) and _wanted(name, include) and not _ignored(name, rules):
                files += _file(entry.path, problems)
    return DocumentFiles(tuple(sorted(files)), tuple(sorted(problems, key=lambda p: (p.path, p.line, p.why))))


def _wanted(name: str, include: Sequence[str]) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    if not include:
        return suffix in SUFFIXES
    return any(
        (suffix in SUFFIXES or (suffix and glob.lower().endswith(suffix))) and matches(name, glob) for glob in include
    )


def _entries(folder: str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(_shown(folder), 0, f"cannot be read: {error.strerror or error}"))
        return []


def _file(path: str, problems: list[Problem]) -> Iterator[DocumentFile]:
    try:
        path.encode()
        info = Path(path).stat()
    except UnicodeEncodeError:
        problems.append(Problem(_shown(path), 0, "its name is not UTF-8: not read"))
    except FileNotFoundError:
        pass  # gone since the folder was listed
    except OSError as error:
        problems.append(Problem(path, 0, f"cannot be read: {error.strerror or error}"))
    else:
        if info.st_size > MAX_BYTES:
            problems.append(Problem(path, 0, f"larger than {MAX_BYTES >> 20} MB: not read"))
        else:
            yield DocumentFile(path, info.st_size, info.st_mtime_ns, info.st_ino)


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


def _ignore_rules(entries: Iterable[os.DirEntry[str]], problems: list[Problem]) -> Iterator[GitIgnoreSpec]:
    found = {entry.name: entry for entry in entries if entry.name in _IGNORE_FILES}
    for entry in (found[name] for name in _IGNORE_FILES if name in found):
        try:
            with Path(entry.path).open("rb") as file:
                text = text_of(file.read(_IGNORE_SIZE))
        except OSError as error:
            problems.append(Problem(_shown(entry.path), 0, f"cannot be read: {error.strerror or error}"))
            continue
        yield _spec(_shown(entry.path), lines_of(text), problems)


def _spec(path: str, lines: Sequence[str], problems: list[Problem]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    usable = []
    for number, line in enumerate(lines, 1):
        if line.endswith("/**"):
            line = line[:-1]  # pathspec would take the folder itself too, and nothing in it could be wanted back
        if _too_wild(line):
            problems.append(Problem(path, number, "too many wildcards: the pattern is not used"))
            continue
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            problems.append(Problem(path, number, f"the pattern is not used: {error}"))
        else:
            usable.append(line)
    return GitIgnoreSpec.from_lines(usable)


def _too_wild(pattern: str) -> bool:
    """pathspec makes regular expressions that backtrack; with many stars a crafted name would keep it for hours."""
    segments = pattern.split("/")
    return segments.count("**") > 4 or any(s.count("*") > 3 for s in segments if s != "**")


def _ignored(name: str, rules: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """The deepest rule that says anything decides. A folder's name ends in `/`."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(name[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
