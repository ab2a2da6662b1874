"""A query, parsed once at the edge: words, "phrases", -exclusions, and filters such as `kind:prompt since:"last week"`.

Any text is a query. What looks like syntax but is not (`std::vector`, `C:\\path`, `12:30`, a URL, an unclosed quote,
`--no-verify`, `-5`, `-m`) stays words, and no word is lost. Only a filter that cannot mean anything is refused: an
unknown kind, an invalid time, a span that ends before it starts, two projects at once, an exclusion of a filter that
has none, a value longer than any path. A lone surrogate becomes U+FFFD, so that all of it can be bound and
printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from axiommind.errors import BadQuery
from axiommind.model import PROVENANCES
from axiommind.search.dates import moment
from axiommind.text.patterns import lazy

__all__ = ["KINDS", "PREFIXES", "Filters", "Query", "ScratchpadFilter"]

KINDS = ("prompt", "response", "tool", "insight", "doc", "pad", "summary")
PREFIXES = ("kind", "project", "file", "tool", "session", "since", "until", "lang", "tag", "path", "provenance")

_LANGUAGES = {"korean": "ko", "chinese": "zh", "japanese": "ja", "english": "en", "other": "und"}

_LISTS = frozenset({"kind", "tool", "tag", "provenance"})  # several by comma; a file's name may hold one
_ONCE = ("project", "session", "lang", "path")
_EXCLUDABLE = ("kind", "tool", "provenance")
# Beyond what anybody means: SQLite and `re` would refuse it with errors of their own.
_MOST_VALUES = 64
_LONGEST_VALUE = 4096
_LATEST = 1 << 53
# Of each end of a long prompt: about as many words as a search looks for at all.
_PLAIN_CHARS = 800

_QUOTES = '"“”„＂'
_ITEM = lazy(
    # kind:tool, file:"my notes.md"; not path::join, not file://host
    rf"(?<!\S)(?P<minus>-?)(?P<name>(?ai:{'|'.join(PREFIXES)}))[:：](?![:：]|//)"
    rf"(?:[{_QUOTES}](?P<quoted>[^{_QUOTES}]*)[{_QUOTES}]|(?P<value>[^\s{_QUOTES}]\S*))"
    # "a phrase", -"a phrase"; a straight quote after a letter opens nothing: 5" and foo"bar
    rf"|(?P<without>(?<!\S)-)?(?:(?<![0-9A-Za-z\u00c0-\u10ff])[{_QUOTES}]|“)(?P<phrase>[^{_QUOTES}]*)[{_QUOTES}]"
    # -word; one Latin letter is a flag of some command
    rf"|(?<!\S)-(?P<excluded>(?![A-Za-z](?!\S))[^\W\d]\S*)"
    rf"|(?P<piece>[^\s{_QUOTES}]+|[{_QUOTES}])"
)
_SURROGATE = lazy("[\ud800-\udfff]")


class ScratchpadFilter(NamedTuple):
    """Scratchpads and nothing else, not even the words of their workflows: of one workflow, of one project_scope."""

    workflow: str | None = None
    project_scope: str | None = None


class Filters(NamedTuple):
    """Which passages may be found. Several kinds or tools: one of them; several files or tags: all of them.

    `since` and `until` are epoch milliseconds; `until` is exclusive.
    """

    kinds: tuple[str, ...] = ()
    project: str | None = None
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    session: str | None = None
    since: int | None = None
    until: int | None = None
    lang: str | None = None
    tags: tuple[str, ...] = ()
    path: str | None = None
    not_kinds: tuple[str, ...] = ()
    not_tools: tuple[str, ...] = ()
    scratchpads: ScratchpadFilter | None = None
    provenances: tuple[str, ...] = ()
    not_provenances: tuple[str, ...] = ()
    into: str | None = None  # a project, or empty: of others only what may cross into it


class Query(NamedTuple):
    text: str  # as it was typed
    words: str  # without phrases, exclusions and filters, one blank between them
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]  # words and phrases
    filters: Filters

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        now: int,
        kind: str | Iterable[str] | None = None,
        project: str | None = None,
        file: str | Iterable[str] | None = None,
        tool: str | Iterable[str] | None = None,
        session: str | None = None,
        since: str | int | None = None,
        until: str | int | None = None,
        lang: str | None = None,
        tag: str | Iterable[str] | None = None,
        path: str | None = None,
        provenance: str | Iterable[str] | None = None,
    ) -> Query:
        """The query of a text and of the flags beside it, which are named like the prefixes.

        Of `kind`, `file`, `tool`, `tag` and `provenance`, flags and prefixes are taken together; of `since` and `until`
        the narrower one counts; of `project`, `session`, `lang` and `path` the flag.
        """
        text = _clean(text)
        read = _Read()
        for item in _ITEM.finditer(text):
            read.take(item)
        given = read.given
        several = (("kind", kind), ("file", file), ("tool", tool), ("tag", tag), ("provenance", provenance))
        for name, flag in several:
            given[name] += _listed(name, [flag] if isinstance(flag, str) else flag or ())
        for name, only in (("project", project), ("session", session), ("lang", lang), ("path", path)):
            if only:
                given[name] = [_clean(only)]
        for name, values in (*given.items(), *read.refused.items()):
            _check_size(name, values)
        filters = Filters(
            kinds=_kinds(given["kind"]),
            project=_only("project", given["project"]),
            files=_distinct(given["file"]),
            tools=_distinct(given["tool"]),
            session=_only("session", given["session"]),
            since=max(_times("since", [*given["since"], since], now), default=None),
            until=min(_times("until", [*given["until"], until], now), default=None),
            lang=_language(_only("lang", given["lang"])),
            tags=_distinct([tag.lstrip("#") or tag for tag in given["tag"]]),
            path=_only("path", given["path"]),
            not_kinds=_kinds(read.refused["kind"]),
            not_tools=_distinct(read.refused["tool"]),
            provenances=_provenances(given["provenance"]),
            not_provenances=_provenances(read.refused["provenance"]),
        )
        if filters.since is not None and filters.until is not None and filters.since >= filters.until:
            raise BadQuery("since is after until: nothing lies between", hint="swap them, or leave one out")
        return cls(text, " ".join(read.words), tuple(read.phrases), tuple(read.excluded), filters)

    @classmethod
    def plain(
        cls,
        text: str,
        *,
        now: int,
        project: str | None = None,
        kinds: Iterable[str] = (),
        not_kinds: Iterable[str] = (),
        since: str | int | None = None,
        until: str | int | None = None,
    ) -> Query:
        """The query of a prompt, in which nothing is syntax. Of a long one its beginning and its end are looked for:
        what is wanted stands there, and what was pasted between."""
        if len(text) > 2 * _PLAIN_CHARS:
            text = f"{text[:_PLAIN_CHARS]} {text[-_PLAIN_CHARS:]}"
        text = _clean(text)
        filters = Filters(
            kinds=_kinds(kinds),
            project=project,
            since=max(_times("since", [since], now), default=None),
            until=min(_times("until", [until], now), default=None),
            not_kinds=_kinds(not_kinds),
        )
        return cls(text, " ".join(text.split()), (), (), filters)


def _language(name: str | None) -> str | None:
    """`ko`, `ko-KR` and `Korean` are the same; a language that we cannot detect is an error."""
    if not name:
        return None
    short = _LANGUAGES.get(name.casefold(), name.casefold().replace("_", "-").partition("-")[0])
    if short not in _LANGUAGES.values():
        raise BadQuery(
            f"lang:{name[:60]} is not a language that is told apart", hint="ko, zh, ja, en, or und for others"
        )
    return short


class _Read:
    """What has been read of a text so far."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.phrases: list[str] = []
        self.excluded: list[str] = []
        self.given: dict[str, list[str]] = {name: [] for name in PREFIXES}
        self.refused: dict[str, list[str]] = {name: [] for name in _EXCLUDABLE}
        self._end = -1  # of the last piece of a word: quotes cut words into pieces

    def take(self, item: re.Match[str]) -> None:
        if item["name"]:
            self._filter(item)
        elif item["phrase"] is not None:
            if item["phrase"].strip():
                (self.excluded if item["without"] else self.phrases).append(item["phrase"])
            else:
                self._word(item)
        elif item["excluded"]:
            self.excluded.append(item["excluded"])
        else:
            self._word(item)

    def _word(self, item: re.Match[str]) -> None:
        if item.start() == self._end:
            self.words[-1] += item[0]
        else:
            self.words.append(item[0])
        self._end = item.end()

    def _filter(self, item: re.Match[str]) -> None:
        name = item["name"].lower()
        quoted = item["quoted"]
        values = [quoted.strip()] if quoted is not None else _listed(name, [item["value"]])
        if not any(values):
            self._word(item)
        elif not item["minus"]:
            self.given[name] += values
        elif name in _EXCLUDABLE:
            self.refused[name] += values
        else:
            raise BadQuery(f"{name}: cannot be excluded", hint="only -kind:, -tool: and -provenance: can")


def _clean(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair
        return _SURROGATE.sub("\ufffd", text)
    return text


def _shown(value: str) -> str:
    return value if len(value) <= 60 else value[:59] + "…"


def _listed(name: str, values: Iterable[str]) -> list[str]:
    cut = [part for value in values for part in (re.split("[,，、]", value) if name in _LISTS else [value])]
    return [_clean(part.strip()) for part in cut if part.strip()]


def _check_size(name: str, values: Sequence[str]) -> None:
    if len(values) > _MOST_VALUES:
        raise BadQuery(f"{name}: is given {len(values):,} times", hint=f"{_MOST_VALUES} of them are the most")
    if any(len(value) > _LONGEST_VALUE for value in values):
        raise BadQuery(f"{name}: is longer than {_LONGEST_VALUE:,} characters", hint="give a shorter one")


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _only(name: str, values: Sequence[str]) -> str | None:
    distinct = _distinct(values)
    if len(distinct) > 1:
        raise BadQuery(
            f"{name}: is given more than once: {', '.join(map(_shown, distinct[:3]))}",
            hint=f"give one {name}; kind:, file:, tool:, tag: and provenance: may be given several times",
        )
    return distinct[0] if distinct else None


def _kinds(values: Iterable[str]) -> tuple[str, ...]:
    return _known("kind", values, KINDS)


def _provenances(values: Iterable[str]) -> tuple[str, ...]:
    return _known("provenance", values, tuple(PROVENANCES))


def _known(what: str, values: Iterable[str], names: tuple[str, ...]) -> tuple[str, ...]:
    found = _distinct(value.lower() for value in values)
    for value in found:
        if value not in names:
            from difflib import get_close_matches

            value = _shown(value)
            near = get_close_matches(value, names, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise BadQuery(f"there is no {what} {value!r}", hint=f"{meant}the {what}s are {', '.join(names)}")
    return found


def _times(name: str, values: Iterable[str | int | None], now: int) -> list[int]:
    found = []
    for value in values:
        if value is None:
            continue
        at = value if isinstance(value, int) else moment(value, now, end=name == "until")
        if at is None or abs(at) >= _LATEST:
            raise BadQuery(
                f"{name}: {_shown(str(value))!r} is no time",
                hint=f'write {name}:2026-01-31, {name}:2026-01, {name}:7d, {name}:yesterday or {name}:"last week"',
            )
        found.append(at)
    return found
