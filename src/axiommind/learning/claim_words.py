"""What the words of a claim are about, and what they say about it: its subject, numbers, choices, and yes or no.

A vocabulary of how people set rules, in four languages; no rule here decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.query_terms import clauses

__all__ = ["FRAME", "Gist", "gist_of", "members_of", "subject", "without_prefix"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREFIX = lazy(r"^(?:feat|fix|chore|docs|refactor|style|test|perf|build|ci)(?:\([^)]*\))?!?:\s*", re.IGNORECASE)
# One of them says yes and one says no to the same thing.
_YES = _words("""
    add adds added enable enables enabled allow allows show shows include includes always keep keeps introduce
""")
_NO = _words("""
    remove removes removed disable disables disabled forbid forbids hide hides exclude excludes never drop drops avoid
    stop delete deletes don't dont not no without
""")
_NO_IN = lazy(
    r"하지\s?마|하지\s?말|쓰지\s?마|쓰지\s?말|금지|않(?:는다|도록|게)|不要|别|禁止|不再|勿|しない|するな|使わない|やめ|禁じ"
    r"|してはいけない"
)
# Things of which one is used and the others are not.
_CHOICES = tuple(
    tuple(group.split())
    for group in (
        "tabs spaces",
        "npm yarn pnpm bun",
        "pip poetry uv pipenv conda",
        "jest vitest mocha",
        "pytest unittest",
        "sqlite postgres postgresql mysql mariadb duckdb mongodb",
        "rebase merge squash",
        "camelcase snake_case kebab-case",
        "rest graphql grpc",
        "redux zustand mobx",
        "webpack vite esbuild rollup",
        "eslint biome",
        "docker podman",
        "english korean japanese chinese",
        "영어 한국어 일본어 중국어",
        "英語 日本語 韓国語 中国語",
        "英文 中文 日文 韩文",
    )
)
# Words that say that something is chosen or set, and not what it is about; as they are indexed.
FRAME = _words("""
    us prefer should must alwai never pleas make keep set run want need go let instead rather default now choos pick
    indent indentat here thi that project code everi all actual back again ever
    항상 사용 용해 해줘 을 를 은 는 이제 말고 써줘 반드 필요 必ず 使っ 使う を は が に で して 用 使用 请
    一律 以后 总是
""")
_SYNONYMS = {"listen": "port", "bind": "port", "serv": "server"}
# A number after one of these is a name, not a value.
_ORDINAL = lazy(
    r"(?:phase|step|stage|part|issue|pr|task|milestone|week|day|sprint|epic|plan|section|#|v)\s*[-.#]?\s*$",
    re.IGNORECASE,
)
_NUMBER = lazy(r"(?<![\w.#/-])\d+(?:[.,:]\d+)*(?!\w*[a-z]{3})", re.IGNORECASE)
_DENIED = lazy(
    r"\b(?:never|do not|don['’]?t|avoid|no|not)\s+(?!just|only|yet)(?:ever |use |using |add |have )?([^,.;:()]{2,60})"
)
_AROUND = ".,:;!?\"'()`"


class Gist(NamedTuple):
    """What a claim is about, and what it says about it."""

    words: frozenset[str]
    numbers: frozenset[str]
    denies: bool
    first: str  # the first word that is about something
    choices: frozenset[tuple[int, str]]  # the group, and which of it
    denied: frozenset[str] = frozenset()  # of its words, those that it says no to


def without_prefix(title: str) -> str:
    """A title without the `feat:` or `fix(parser):` of a commit."""
    return _PREFIX.sub("", title)


@lru_cache(8_192)
def gist_of(title: str) -> Gist:
    plain = without_prefix(title)
    numbers = {
        match[0].rstrip(".,:") for match in _NUMBER.finditer(plain) if not _ORDINAL.search(plain[: match.start()])
    }
    without = _NUMBER.sub(lambda match: " " if match[0].rstrip(".,:") in numbers else match[0], plain)
    tokens = [(token, token.strip(_AROUND).casefold()) for token in without.split()]
    kept = " ".join(token for token, bare in tokens if bare not in _YES and bare not in _NO)
    words = [clause.terms[0] for clause in clauses(kept.casefold()) if len(clause.terms) == 1]
    first = next((word for word in words if word not in FRAME), "")
    denies = any(bare in _NO for _, bare in tokens) or _NO_IN.search(title) is not None
    said = " ".join(match[1] for match in _DENIED.finditer(without.casefold()))
    denied = {clause.terms[0] for clause in clauses(said) if len(clause.terms) == 1}
    choices = _choices_in(title.casefold())
    return Gist(frozenset(words), frozenset(numbers), denies, first, choices, frozenset(denied))


def _choices_in(title: str) -> frozenset[tuple[int, str]]:
    """The things of the groups that a title names. Han and Hangul have particles and no blanks around them."""
    words = set(re.findall(r"[a-z_-]+", title))
    return frozenset(
        (n, member)
        for n, group in enumerate(_CHOICES)
        for member in group
        if (member in words if member.isascii() else member in title)
    )


def members_of(group: int) -> frozenset[str]:
    """The words of a group, as they are indexed."""
    return frozenset(word for member in _CHOICES[group] for word in gist_of(member).words)


def subject(words: Iterable[str]) -> frozenset[str]:
    """What words are about: without those that only say that something is chosen."""
    return frozenset(_SYNONYMS.get(word, word) for word in words if word not in FRAME)
