"""The prefilter: whether bytes, JSON or plain, may hold a secret at all. Clean lines cost almost nothing.

One `translate` folds case and merges what may stand for each other; the result is read backwards, because a
secret is announced on its left: at a separator, the name or prefix before it follows at once, and a regex that
starts with one rare literal byte is searched in one tight loop. Everything that can stand between a name and its
separator (quotes, backslashes, blanks) becomes a blank, so JSON inside JSON looks like JSON. B, I, J and K
become one byte of their own, because they are rare and AKIA, AIza, SK, eyJ and Bearer have no separator to hold on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from axiommind.text import secret_shapes as secrets

__all__ = ["flags", "folded", "is_hot", "prefilter"]

_RARE = "\x01"
_Word = str | tuple[str, str]


def _folding() -> bytes:
    table = bytearray(bytes(range(256)).lower())
    for members, folded in (("-_~", "_"), (":=>", ":"), (" \"'\\`\t\r\n]", " "), ("BIJK", _RARE)):
        for member in members:
            table[ord(member)] = ord(folded)
    return bytes(table)


_FOLDED = _folding()


def folded(raw: bytes) -> bytes:
    """Bytes as the prefilter reads them: folded, and backwards."""
    return raw.translate(_FOLDED)[::-1]


def _backwards(*words: _Word) -> str:
    """A regex for lower-case words as they read in the folded, reversed bytes: a tree, so that each byte is
    looked at once. `#` is any digit. A word may come with the pattern that must follow its last byte."""
    branches: dict[str, list[_Word]] = {}
    ends = []
    for entry in words:
        word, then = entry if isinstance(entry, tuple) else (entry, "")
        if word:
            branches.setdefault(word[-1], []).append((word[:-1], then))
        else:
            ends.append(then)
    if "" in ends:
        return ""
    longer = []
    for last, shorter in branches.items():
        longer.append(_byte(last) + _backwards(*shorter))
    ends = longer + ends
    return ends[0] if len(ends) == 1 else f"(?:{'|'.join(ends)})"


def _byte(char: str) -> str:
    return "[0-9]" if char == "#" else f"[{char}{_RARE}]" if char in "bijk" else re.escape(char)


def _guard(words: tuple[_Word, ...]) -> str:
    """The last two bytes that any of the words may end with: two sets are tried faster than a tree."""
    ends = [word if isinstance(word, str) else word[0] for word in words]
    sets = ("".join(sorted({end[at] for end in ends})) for at in (-1, -2))
    return "(?=" + "".join(f"[{chars.replace('#', '0-9')}{_RARE}]" for chars in sets) + ")"


class Prefilter(NamedTuple):
    """Each starts with a literal byte, so that the regex engine leaps from one to the next."""

    separator: re.Pattern[bytes]  # with a group where only more reading can tell
    joint: re.Pattern[bytes]
    dot: re.Pattern[bytes]
    flag: re.Pattern[bytes]
    rare: re.Pattern[bytes]
    at: re.Pattern[bytes]
    escape: re.Pattern[bytes]
    hex: re.Pattern[bytes]


@cache
def prefilter() -> Prefilter:
    alnum, body = rf"[a-z0-9{_RARE}]", rf"[a-z0-9_.{_RARE}]"
    joints: tuple[_Word, ...] = (
        *((word, rf"(?<={body}{{16}}_..)") for word in ("sk", "#q")),
        *((word, rf"(?<={alnum}{{16}}_..)") for word in ("hf", "r8")),
        ("secret", rf"(?<={alnum}{{16}}_.{{6}})"),
        ("key", r"(?<=[0-9a-f]{32}_...)"),
        *("ghp", "gho", "ghu", "ghs", "ghr", "github_pat", "npm", "pypi", "whsec", "gocspx", "xai", "pplx", "xapp"),
        *("glpat", "glptt", "gldt", "glrt", "glcbt", "glsoat", "sk_live", "sk_test", "rk_live", "rk_test"),
        *(f"xox{letter}" for letter in "abcdeoprs"),
        *("doo_v1", "dop_v1", "dor_v1", "shpat", "shpca", "shppa", "shpss", "shpua", "sntrys", "sntryu"),
        *("dckr_pat", "dckr_oat", "lin_api", "lin_oauth", "ntn", "cfk", "cfut", "cfat", "gsk", "sbp", "vcp"),
        *("vci", "vca", "vcr", "vck", "nfp", "fo1", "fm1", "fm2", "glsa"),
        *("hrku", "pmak", "nrak"),
        *("age_secret_key", "private key", "private key block"),
    )
    dots: tuple[_Word, ...] = (
        ("sg", rf"(?<={body}{{16}}\...)"),
        ("hooks", rf"(?<=[k{_RARE}]cals\..{{5}})"),
        *(("discord", r"(?<=moc\..{7})"), ("discordapp", r"(?<=moc\..{10})")),
        *("ya29", "hvs", "hvb", "hvr", "atlasv1", "dp.pt", "dp.st", "dp.ct", "dp.sa", "dp.scim", "dp.audit"),
    )
    patterns = (
        rf": *+{_named_before_a_separator()}",
        rf"_{_guard(joints)}{_backwards(*joints)}",
        # Discord has no prefix at all, Airtable none before its dot
        rf"(?s)\.(?:{_backwards(*dots)}|.{{6}}\.{alnum}{{23}}|.{{14}}tap(?<=[0-9a-f]{{16}}\..{{17}}))",
        r"_(?:_(?<=[a-z0-9\x01]__)(?: |[nrt] |\Z)| (?<=[pu]_ ))",
        rf"{_RARE}(?:[{_RARE}s]a(?<=[a-z2-7{_RARE}]{{16}}a...)|a(?<=az..)|ye\.|s(?<=[0-9a-f]{{32}}..)"
        rf"| (?<=[ae]{_RARE} )(?:(?<={body}{{8}} rerae{_RARE} )|(?<={body}{{8}} c[i{_RARE}]sa{_RARE} )))",
        r"@(?:[^ /]{1,200}?:[^ /@]{0,100}/ */ *:|[0-9a-f]{32})",
        r"00u (?<=[2-7]00u )",  # \u0041: an ASCII character in hiding
        r"dapi[0-9a-f]{32}",
    )
    return Prefilter._make(re.compile(pattern.encode("latin-1")) for pattern in patterns)


@cache
def _exact() -> re.Pattern[bytes]:
    """`rare` again with its case: megabytes of base64 hold any four letters."""
    return re.compile(
        rb"A[KSB]IA[A-Z2-7]{16}|AIza[A-Za-z0-9_-]{35}|\.eyJ|SK[0-9a-f]{32}|B(?:earer|asic) [A-Za-z0-9._~-]{8}"
    )


@cache
def _flagged() -> re.Pattern[bytes]:
    return re.compile(rf"(?i)--(?:[a-z0-9]{{1,20}}-){{0,4}}{secrets.NAME} ".encode("latin-1"))


def _named_before_a_separator() -> str:
    """A telling name, or what may stand behind one: a suffix, a digit, an escaped tab, or a `value` of its own.

    The tree of names is in it twice and no more: every process that redacts compiles it, and a hook is one.
    """
    words = (*secrets.WEAK_NAMES, *secrets.STRONG_NAMES)
    keys = [f"{owner}{joint}key" for owner in secrets.KEY_OWNERS for joint in ("", "_", " ")]
    others = ("authorization", "cookie", "sig", " pass")
    suffixes = [f"_{suffix}" for suffix in secrets.SUFFIXES]
    # The last three bytes tell nearly all texts apart, in less time than the trees behind it.
    ends = sorted({word[-3:] for word in (*words, "key", *others, *suffixes, "value")})
    guard = _backwards(*ends, "#", " t")
    alone = _backwards(*words, *keys, *others)
    behind = rf"(?:{_backwards(*suffixes)}|[0-9]_?)"
    further = rf"(?:{behind}|t ++|eulav ++(?:n ++)?{behind}?+){_backwards(*words, *keys)}"
    return rf"(?={guard})(?:{alone}|[0-9]{{8}}|{further}|eulav(?: ++(?:n ++)?[0-9]{{8}}|() ++[,{{]))"


def flags(back: bytes) -> Iterator[int]:
    """Where in the text `--` stands after a blank, a line end or nothing, or `-p` and `-u` after a blank."""
    size = len(back)
    for found in prefilter().flag.finditer(back):
        start = found.start()
        yield size - start - (2 if back[start + 1 : start + 2] == b"_" else 1)


_COMMANDS = tuple(command.encode() for command in secrets.LOGINS)


def _has_named(raw: bytes, back: bytes) -> bool:
    """A telling name before a separator, or a `value` that a telling name may belong to."""
    size = len(back)
    for found in prefilter().separator.finditer(back):
        if found.lastindex is None:
            return True
        key = size - found.start(1)  # of a dict, not of code
        if raw[key - 1 : key] == b'"' and raw[key - 2 : key - 1] != b"\\":
            return True
    return False


def _has_flag(raw: bytes, back: bytes) -> bool:
    logs_in: bool | None = None
    for start in flags(back):
        if raw.startswith(b"--", start) and not raw.startswith(b"--user", start):
            if _flagged().match(raw, start):
                return True
            continue
        if logs_in is None:  # five searches, for the few lines that have such a flag
            logs_in = any(command in raw for command in _COMMANDS)
        if logs_in:
            return True
    return False


def is_hot(raw: bytes, back: bytes) -> bool:
    """Whether these bytes, JSON or plain, may hold anything that a rule would find. Errs towards yes."""
    separator, joint, dot, flag, rare, at, escape, hexadecimal = prefilter()
    return bool(
        (separator.search(back) and _has_named(raw, back))
        or joint.search(back)
        or dot.search(back)
        or (rare.search(back) and _exact().search(raw))
        or escape.search(back)
        or (flag.search(back) and _has_flag(raw, back))
        or hexadecimal.search(raw)
        or (b"@" in raw and at.search(back))
        or b"\0" in raw  # UTF-16, which JSON may be written in
    )
