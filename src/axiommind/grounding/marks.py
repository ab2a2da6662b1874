"""What marks a text: the words in it that name something exactly, and its phrases.

Whoever repeats one has it from there, unless everybody says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["EVERYDAY", "WORD_OF_AN_ID", "identifiers", "is_same_name", "last_part", "phrases"]

WORD_OF_AN_ID = re.compile(r"[A-Za-z0-9_-]{4,100}")
_RUN = re.compile(r"[A-Za-z0-9_./~@:+-]{3,200}")
_LINE = re.compile(r"(?::\d+)+(?:-\d+)?$")
_SNAKE = re.compile(r"\w*[A-Za-z0-9]_+[A-Za-z0-9]\w*|_+[a-z]\w{3,}")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+")
_FILE = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*\.[a-z][a-z0-9]{0,7}")
# Of small numbers everybody's versions are made: 0.3.0 is no name, 2.1.325 and 0.3.0-rc.1 are.
_VERSION = re.compile(r"v?(?=[\d.]*\d\d|\d+\.\d+\.\d+[^\d.])\d+\.\d+\.\d+[\w.+-]*")
_CAMEL = re.compile(r"[a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*")
_CODE = re.compile(r"[A-Z]{1,6}-?\d{3,}|[A-Z]{2,6}-\d{1,6}|E[A-Z]{4,}|SIG[A-Z]{3,}")
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_AMOUNT = re.compile(
    r"(?<![\w.])(\d[\d.,]*)\s?(ms|seconds|secs?|s|minutes|mins?|m|hours|h|days|[kKMG]i?B|%|px|rps|tokens|[kM]?Hz)(?!\w)"
)
_UNITS = {"second": "s", "sec": "s", "minute": "min", "m": "min", "hour": "h"}
_ABBREVIATED = 5  # letters: shorter dotted words are `e.g` and `a.m`
# Everybody names these.
_EVERYDAY_LIST = """
README.md CLAUDE.md AGENTS.md MEMORY.md SKILL.md CHANGELOG.md CONTRIBUTING.md TODO.md package.json package-lock.json
pnpm-lock.yaml yarn.lock tsconfig.json pyproject.toml uv.lock poetry.lock requirements.txt Cargo.toml Cargo.lock go.mod
go.sum flake.nix flake.lock settings.json docker-compose.yml __init__.py setup.py conftest.py index.ts index.tsx
index.js index.html index.css main.py main.ts main.tsx main.js main.go main.rs lib.rs mod.rs App.tsx node.js Node.js
Next.js Vue.js GitHub GitLab JavaScript TypeScript PostgreSQL MySQL NoSQL GraphQL macOS OpenAI SQLite DevOps LaTeX
YouTube ISO-8601 __name__ __main__ __init__ session_id user_id file_path node_modules UTF-8 UTF-16 SHA-1 SHA-256 SHA256
--all --amend --cached --check --debug --delete --dry-run --fix --force --format --global --hard --help --init --json
--list --name-only --no-cache --no-edit --no-verify --noEmit --oneline --output --port --prod --quiet --reporter --run
--save-dev --short --soft --stat --verbose --version --watch --write --yes
"""
EVERYDAY = frozenset(_EVERYDAY_LIST.split())


def identifiers(text: str) -> Iterator[str]:
    """The words of a text that name something exactly: paths, code, flags, codes of errors, versions, amounts."""
    for match in _RUN.finditer(text):
        run = match[0]
        if run[0] == "/" and match.start() and text[match.start() - 1].isalnum():  # after a folder in another script
            run = run[1:]
        word = _identifier(run)
        if word and word not in EVERYDAY:
            yield word
    for match in _AMOUNT.finditer(text):
        number, unit = match[1].rstrip(".,"), match[2]
        if sum(c.isdigit() for c in number) > 1 and (number, unit) != ("100", "%"):
            unit = unit[:-1] if unit.endswith("s") and len(unit) > 2 else unit
            yield number + _UNITS.get(unit, unit)


def _identifier(run: str) -> str | None:
    if run.startswith("--"):
        flag = run.rstrip(".:-+/")
        return flag if len(flag) > 4 and flag[2].isalpha() else None
    word = _LINE.sub("", run.rstrip(".:-+@")).lstrip("-:+")
    if "/" in word:
        return _path(word)
    word = word.lstrip(".@~")
    if _SNAKE.fullmatch(word) or _VERSION.fullmatch(word) or _CODE.fullmatch(word) or _HASH.fullmatch(word):
        return word
    if _DOTTED.fullmatch(word) or _FILE.fullmatch(word):
        return word if sum(c.isalpha() for c in word) >= _ABBREVIATED else None
    return word if len(word) > 4 and _CAMEL.fullmatch(word) else None


def _path(word: str) -> str | None:
    """A path, as far as one can tell it from `and/or`."""
    path = word.rstrip("/").removeprefix("./")
    last = path.rpartition("/")[2]
    if not any(c.isalpha() for c in last):
        return None
    is_one = path.count("/") > 1 or path.startswith(("/", "~/", "../")) or any(c in "._" for c in last)
    return path if is_one and len(path) > 4 else None


_WORDS = re.compile(r"[^\W_]+")
_CHARACTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")  # scripts that set no blanks
_WINDOW, _LONG, _CHARACTER_WINDOW = 4, 3, 8


def phrases(text: str) -> Iterator[str]:
    """Every few words in a row, most of them long, or of a script without blanks every eight characters."""
    for run in _CHARACTERS.findall(text):
        for i in range(len(run) - _CHARACTER_WINDOW + 1):
            yield run[i : i + _CHARACTER_WINDOW]
    words = _WORDS.findall(_CHARACTERS.sub(" ", text).lower())
    long = [len(word) > 3 or not word.isascii() for word in words]
    for i in range(len(words) - _WINDOW + 1):
        if sum(long[i : i + _WINDOW]) >= _LONG:
            yield " ".join(words[i : i + _WINDOW])


def last_part(name: str) -> str:
    return name.rpartition("/")[2]


def is_same_name(a: str, b: str) -> bool:
    """The same name, or the same path told from another folder."""
    short, long = sorted((a.removeprefix("~/"), b.removeprefix("~/")), key=len)
    return long == short or long.endswith("/" + short)
