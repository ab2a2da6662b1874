"""Front matter: the title, tags and language that a document states before its text, in YAML or TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from axiommind.sources.markdown.lines import one_line

__all__ = ["FrontMatter", "read_front_matter"]

_T = TypeVar("_T")

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
# Of these, one is enough to tell front matter from a line across the page.
_KNOWN_KEYS = (*_TAG_KEYS, "title", "lang", "language", "date", "author", "aliases", "draft", "description", "layout")
_TOML_LINE = re.compile(r"\(at line (\d+)")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_ITEM = re.compile(r'\s*(?:"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,\[\]]+)')


class FrontMatter(NamedTuple):
    title: str
    tags: tuple[str, ...]
    lang: str
    end: int  # lines that it takes


class _MalformedFrontMatter(ValueError):
    def __init__(self, why: str, line: int = 1) -> None:
        super().__init__(why)
        self.line = line


def read_front_matter(lines: Sequence[str], problems: list[tuple[int, str]]) -> FrontMatter:
    """What stands before the text. What is malformed is a problem with its line: where the keys can still be told, they
    are read, and otherwise it is taken as text."""
    none = FrontMatter("", (), "", 0)
    fence = lines[0].rstrip()
    if fence not in ("---", "+++"):
        return none
    closing = (fence, "...") if fence == "---" else (fence,)
    end = next((i for i in range(1, len(lines)) if lines[i].rstrip() in closing), 0)
    inside = lines[1:end]
    begin = next((line for line in (inside if end else lines[1:2]) if line.strip() and not line.startswith("#")), "")
    is_begun = _is_key(begin, fence) or (end and not begin)
    if not is_begun and not any(_is_known_key(line, fence) for line in inside):
        return none  # a line across the page, as Markdown has it
    try:
        if not end:
            raise _MalformedFrontMatter("it has no end")
        if sum(map(len, inside)) > _FRONT_CHARS:
            raise _MalformedFrontMatter(f"it has more than {_FRONT_CHARS} characters")
        read = _toml(inside) if fence == "+++" else _yaml(inside)
    except _MalformedFrontMatter as error:
        problems.append((error.line, f"front matter taken as text: {error}"))
        return none
    if fence == "---" and (flaw := _flaw(inside)) is not None:
        problems.append((flaw.line, f"front matter is no YAML: {flaw}; what could be told of it was read"))
    return read._replace(end=end + 1)


def _is_key(line: str, fence: str) -> bool:
    if fence == "+++":
        return "=" in line or line.startswith("[")
    _, colon, value = line.partition(":")
    return bool(colon) and not value[:1].strip() and line[0] not in " \t-"


def _is_known_key(line: str, fence: str) -> bool:
    key = line.partition("=" if fence == "+++" else ":")[0]
    return _is_key(line, fence) and key.strip().lower() in _KNOWN_KEYS


def _flaw(lines: Sequence[str]) -> _MalformedFrontMatter | None:
    """What a parser of YAML says is wrong: other programs that read the file will not get what is meant."""
    import yaml

    try:
        for _event in yaml.parse("\n".join(lines), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error).partition("\n")[0]
        return _MalformedFrontMatter(why, 2 + min(mark.line, len(lines) - 1) if mark is not None else 1)
    return None


def _yaml(lines: Sequence[str]) -> FrontMatter:
    """The usual forms of the few keys that are wanted. What else stands there only has to look like YAML."""
    fields: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    current: list[str] | None = None
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t]}" or line.startswith("- ") or line.rstrip() == "-":
            if current is None:
                raise _MalformedFrontMatter("this line belongs to no key", number)
            current.append(line.strip())
            continue
        if not _is_key(line, "---"):
            raise _MalformedFrontMatter("this line is no `key: value`", number)
        written, _, value = line.partition(":")
        key = written.strip().strip("\"'").lower()
        current = fields[key] = [value.strip()]
        places[key] = number

    def read(key: str, how: Callable[[Sequence[str]], _T]) -> _T:
        try:
            return how(fields.get(key, [""]))
        except _MalformedFrontMatter as error:
            raise _MalformedFrontMatter(str(error), places[key]) from None

    tags = [tag for key in _TAG_KEYS for tag in read(key, _yaml_list)]
    lang = read("lang" if fields.get("lang") else "language", _yaml_text)
    return FrontMatter(one_line(read("title", _yaml_text)), _tags(tags), _language(lang), 0)


def _yaml_text(value: Sequence[str]) -> str:
    if value[0].startswith(("|", ">")):
        return " ".join(value[1:])
    return _unquoted(" ".join(value))


def _yaml_list(value: Sequence[str]) -> list[str]:
    if value[0].startswith("["):
        inside, bracket, _ = " ".join(value)[1:].rpartition("]")
        if not bracket:
            raise _MalformedFrontMatter("a list has no end")
        return [_unquoted(item[0].strip()) for item in _ITEM.finditer(inside)]
    if not _unquoted(value[0]) and all(line.startswith("-") for line in value[1:]):
        return [_unquoted(line[1:].strip()) for line in value[1:]]
    return _yaml_text(value).split(",")


def _unquoted(text: str) -> str:
    if text.startswith('"'):
        if not (found := _DOUBLE_QUOTED.match(text)):
            raise _MalformedFrontMatter("a quote has no end")
        try:
            # YAML's escapes are JSON's and a few rare ones. Half of a surrogate pair is no text.
            return str(json.loads(found[0], strict=False)).encode("utf-8", "replace").decode()
        except ValueError:
            return found[1]
    if text.startswith("'"):
        if not (found := _SINGLE_QUOTED.match(text)):
            raise _MalformedFrontMatter("a quote has no end")
        return found[1].replace("''", "'")
    plain = "" if text.startswith("#") else text.partition(" #")[0].strip()
    return "" if plain in ("~", "null") else plain


def _toml(lines: Sequence[str]) -> FrontMatter:
    import tomllib

    try:
        fields = tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError) as error:  # its own errors, and those of int() on thousands of digits
        at = _TOML_LINE.search(str(error))
        raise _MalformedFrontMatter(str(error), int(at[1]) + 1 if at else len(lines) + 1) from None
    taxonomies = fields.get("taxonomies")
    places = [fields, taxonomies] if isinstance(taxonomies, dict) else [fields]
    tags = [tag for place in places for key in _TAG_KEYS for tag in _toml_list(place.get(key))]
    title, lang = fields.get("title"), fields.get("lang") or fields.get("language")
    return FrontMatter(
        one_line(title) if isinstance(title, str) else "",
        _tags(tags),
        _language(lang) if isinstance(lang, str) else "",
        0,
    )


def _toml_list(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(",")
    return [str(item) for item in value if isinstance(item, str | int)] if isinstance(value, list) else []


def _tags(values: Iterable[str]) -> tuple[str, ...]:
    found = (one_line(value.strip().lstrip("#")) for value in values)
    return tuple(dict.fromkeys(tag for tag in found if tag))


def _language(value: str) -> str:
    value = value.strip().lower()
    code = _LANGUAGES.get(value) or value.replace("_", "-").partition("-")[0]
    return code if re.fullmatch("[a-z]{2,3}", code) else ""
