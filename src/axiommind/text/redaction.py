r"""Redaction: replaces the secrets in a string by marks before it may be stored.

Owns where a secret is looked for (`_secrets` says what one looks like), the mark that replaces it, and a prefilter on
raw bytes so that clean lines cost almost nothing. Promises: `[redacted:<kind>:<hash>]` is the same for the same secret
and key; redacting twice equals once; `suspects(raw)` is never False for a line that `value` would change; time is
linear in the text. Refuses: I/O, decoding JSON, and guessing: a weak value without a telling name stays.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from axiommind.text import secret_shapes as secrets

MARK = re.compile(r"\[redacted:[a-z0-9-]{1,32}:[0-9a-f]{10}\]")


class _Span(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int  # of two findings of the same length the lower rank names the kind


class _Folded(NamedTuple):
    """A text and its bytes as the prefilter reads them; one byte a character, so that positions agree."""

    text: str
    raw: bytes
    back: bytes

    @classmethod
    def of(cls, text: str) -> "_Folded":
        raw = text.encode("ascii", "replace")
        return cls(text, raw, raw.translate(_FOLDED)[::-1])


def _find_shapes(folded: _Folded) -> Iterator[_Span]:
    text, back, prefilter = folded.text, folded.back, _prefilter()
    hot = {at for at in ("separator", "joint", "dot", "rare", "at") if getattr(prefilter, at).search(back)} | {"hex"}
    for shape in secrets.SHAPES:
        if shape.at in hot and any(literal in text for literal in shape.literals):
            for match in secrets.compiled(shape.pattern).finditer(text):
                start, end = match.span(match.lastindex or 0)
                if secrets.is_plausible(text[start:end]) and not (shape.edge and _is_inside_word(text, start)):
                    yield _Span(start, end, shape.kind, 0)


def _is_inside_word(text: str, start: int) -> bool:
    """A literal \\n, \\r or \\t in front is no part of a word: transcripts are full of JSON inside JSON."""
    before = text[max(0, start - 2) : start]
    return before[-1:].isalnum() and before[-1:].isascii() and before not in ("\\n", "\\r", "\\t")


def _find_url_passwords(folded: _Folded) -> Iterator[_Span]:
    text = folded.text
    if "@" not in text or not _prefilter().at.search(folded.back):
        return
    for match in secrets.compiled(secrets.URL_PASSWORD).finditer(text):
        user, password = match.groups()
        # postgres:postgres@ is a default that everybody knows, not a secret
        if password == user or password.lower() in secrets.WELL_KNOWN or secrets.PLACEHOLDER.search(password):
            continue
        if secrets.VARIABLE.search(password):
            continue
        yield _Span(*match.span(2), "url-password", 1)


def _find_private_keys(folded: _Folded) -> Iterator[_Span]:
    text = folded.text
    if "PRIVATE KEY" not in text:
        return
    run = secrets.compiled(r"[A-Za-z0-9+/=]{20,}")
    edges = list(
        secrets.compiled(r"-----(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----").finditer(text)
    )
    for i, edge in enumerate(edges):
        if edge[1] == "END":
            continue
        start = edge.end()
        after = edges[i + 1] if i + 1 < len(edges) else None
        if after is not None and after[1] == "END" and after.start() - start <= 20_000:
            body = text[start : after.start()]
            if sum(map(len, run.findall(body))) * 2 >= len(body) and not MARK.search(body):
                yield _Span(edge.start(), after.end(), secrets.PRIVATE_KEY, 0)
                continue
        # no end: the block was cut off. Whatever still looks like its lines goes.
        first = run.search(text, start, start + 240)
        if first is None or "-----" in text[start : first.start()]:
            continue
        lines = secrets.compiled(
            r"(?:[^A-Za-z0-9+/=\[]{1,40}(?:[0-9]{1,6}[^A-Za-z0-9+/=\[]{1,4})?[A-Za-z0-9+/=]{16,})*"
            r"(?:[^A-Za-z0-9+/=\[]{1,40}[A-Za-z0-9+/=]{1,15}\Z)?"
        )
        body_end = lines.match(text, first.end())
        yield _Span(edge.start(), body_end.end() if body_end else first.end(), secrets.PRIVATE_KEY, 0)


def _find_headers(folded: _Folded) -> Iterator[_Span]:
    text, lowered = folded.text, folded.raw.lower()
    flags = re.ASCII | re.IGNORECASE
    if b"authorization" in lowered:
        # In a list only the schemes that the prefilter knows without their header.
        listed = r",(?=[^A-Za-z]{0,16}(?<=[ \"'`])(?-i:Basic|Bearer) [A-Za-z0-9._~-]{8})"
        opening = rf"authorization{secrets.GAP}(?:[:=]|{listed})"
        pattern = rf"{opening}[ \t]{{0,8}}\\{{0,7}}[\"'`]?{secrets.CREDENTIALS}"
        for match in secrets.compiled(pattern, flags).finditer(text):
            if secrets.is_credentials(match):
                yield _Span(*match.span("secret"), secrets.AUTHORIZATION, 1)
    if "Bearer " in text:
        for match in secrets.compiled(secrets.BEARER).finditer(text):
            if secrets.is_random(match[1]):
                yield _Span(*match.span(1), secrets.AUTHORIZATION, 1)
    if b"cookie" in lowered:
        header = rf"cookie{secrets.GAP}[:=][ \t]{{0,8}}\\{{0,7}}[\"'`]?([^\n\"'`\\]{{8,4096}})"
        for match in secrets.compiled(header, flags).finditer(text):
            for start, end in secrets.session_cookies(text, *match.span(1)):
                yield _Span(start, end, secrets.COOKIE, 1)


_LOGINS = {  # command: how the password follows
    "curl": r"(?:-u|--user)[ =]{0,4}[\"']?[^\s:\"'\\]{1,100}:(?P<password>[^\s\"'\\]{6,128})",
    "sshpass": r"-p ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mysql": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mariadb": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "docker login": r"-p[ =][\"']?(?P<password>[^\s\"'\\]{6,128})",
}


def _find_arguments(folded: _Folded) -> Iterator[_Span]:
    """`curl -u name:password` and its like: the command stands on the same line, the flag after a blank."""
    text = folded.text
    if not any(command in text for command in _LOGINS):
        return
    for start in _flags(folded.back):
        if text[start - 1 : start] != " ":
            continue
        line = text[max(0, start - 200) : start].rpartition("\n")[2]
        last = max(_LOGINS, key=line.rfind)  # the command that the flag most likely belongs to
        if last not in line:
            continue
        match = secrets.compiled(_LOGINS[last]).match(text, start)
        if match is not None and secrets.is_argument(match["password"]):
            yield _Span(*match.span("password"), secrets.PASSWORD, 1)


def _find_listed(folded: _Folded) -> Iterator[_Span]:
    """A YAML list of `name: DB_PASSWORD` and `value: …`, each on its line."""
    text = folded.text
    if "value: " not in text:
        return
    pattern = (
        rf"name: [\"']?(?P<name>[A-Za-z0-9_-]{{0,60}}?{secrets.NAME})[\"']?[ ]{{0,8}}\n[ ]{{0,40}}value: [\"']?"
        r"(?P<value>[^\s\"'\\]{6,512})"
    )
    for match in secrets.compiled(pattern, re.ASCII | re.IGNORECASE).finditer(text):
        kind = _kind_by_name(match["name"], match["value"])
        if kind is not None:
            yield _Span(*match.span("value"), kind, 2)


def _find_assigned(folded: _Folded) -> Iterator[_Span]:
    text, size = folded.text, len(folded.text)
    flags = re.ASCII | re.IGNORECASE
    heads = []
    for found in _prefilter().separator.finditer(folded.back):
        heads.append(secrets.compiled(secrets.ASSIGNED, flags).match(text, size - found.end()))
    for start in _flags(folded.back):
        heads.append(secrets.compiled(secrets.FLAG, flags).match(text, start))
    run_ends: dict[str, int] = {}  # a run of value characters is measured once, however many names are in it
    for match in sorted(filter(None, heads), key=lambda head: head.end()):
        start = match.end()
        quote = match["quote"] or (">" if match["sep"] == ">" else "")
        end = run_ends.get(quote, -1)
        if end < start:
            run = secrets.compiled(secrets.VALUE_UNTIL[quote]).match(text, start)
            end = run_ends[quote] = run.end() if run else start
        if end - start < 6 or end - start > 2048:
            continue
        value, closing = text[start:end], text[end : end + 1]
        if quote == ">":
            if text[end : end + 2] != "</":
                continue
        elif quote:
            if closing and closing not in (quote, "\\"):
                continue
        elif closing and closing in "([{<":
            continue
        if not quote:
            value = value.rstrip(".:?!")
        before = text[max(0, match.start() - 16) : match.start()].lower()
        weak = match["weak"] is not None
        if secrets.is_secret(value, name=match["core"], before=before, weak=weak, quoted=bool(quote)):
            yield _Span(start, start + len(value), secrets.kind_of(value, before=before, weak=weak), 2)


_FINDERS: tuple[Callable[[_Folded], Iterator[_Span]], ...] = (
    _find_shapes,
    _find_url_passwords,
    _find_private_keys,
    _find_headers,
    _find_arguments,
    _find_listed,
    _find_assigned,
)


def kinds() -> list[str]:
    """Every kind that a mark can name, sorted."""
    named = {
        secrets.PASSWORD,
        secrets.SECRET,
        secrets.AWS_SECRET,
        secrets.PRIVATE_KEY,
        secrets.AUTHORIZATION,
        secrets.COOKIE,
        "url-password",
    }
    return sorted(named.union(shape.kind for shape in secrets.SHAPES))


# --- the prefilter ---------------------------------------------------------------------------------------
#
# One `translate` folds case and merges what may stand for each other; the result is read backwards, because a
# secret is announced on its left: at a separator, the name or prefix before it follows at once, and a regex that
# starts with one rare literal byte is searched in one tight loop. Everything that can stand between a name and its
# separator (quotes, backslashes, blanks) becomes a blank, so JSON inside JSON looks like JSON. B, I, J and K
# become one byte of their own, because they are rare and AKIA, AIza, SK, eyJ and Bearer have no separator to hold on.

_RARE = "\x01"
_Word = str | tuple[str, str]


def _folding() -> bytes:
    table = bytearray(bytes(range(256)).lower())
    for members, folded in (("-_~", "_"), (":=>", ":"), (" \"'\\`\t\r\n]", " "), ("BIJK", _RARE)):
        for member in members:
            table[ord(member)] = ord(folded)
    return bytes(table)


_FOLDED = _folding()


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


class _Prefilter(NamedTuple):
    """Each starts with a literal byte, so that the regex engine leaps from one to the next."""

    separator: re.Pattern[bytes]  # with a group where only more reading can tell
    joint: re.Pattern[bytes]
    dot: re.Pattern[bytes]
    flag: re.Pattern[bytes]
    rare: re.Pattern[bytes]
    at: re.Pattern[bytes]
    escape: re.Pattern[bytes]
    exact: re.Pattern[bytes]  # `rare` again with its case: megabytes of base64 hold any four letters
    hex: re.Pattern[bytes]
    flagged: re.Pattern[bytes]


@cache
def _prefilter() -> _Prefilter:
    alnum, body = rf"[a-z0-9{_RARE}]", rf"[a-z0-9_.{_RARE}]"
    keys = [f"{owner}{joint}key" for owner in secrets.KEY_OWNERS for joint in ("", "_", " ")]
    names = _backwards(*secrets.WEAK_NAMES, *secrets.STRONG_NAMES, *keys)
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
    endings: tuple[_Word, ...] = (
        *(*secrets.WEAK_NAMES, *secrets.STRONG_NAMES, *keys),
        *((f"_{suffix}", names) for suffix in secrets.SUFFIXES),
        ("#", rf"(?:_?{names}|[0-9]{{7}})"),
    )
    named = _backwards(
        *(*endings, "authorization", "cookie", "sig", " pass"),
        ("t", rf" ++{names}"),  # a tab, escaped
        ("value", rf"(?: ++(?:n ++)?{_backwards(*endings)}|() ++[,{{])"),
    )
    dots: tuple[_Word, ...] = (
        ("sg", rf"(?<={body}{{16}}\...)"),
        ("hooks", rf"(?<=[k{_RARE}]cals\..{{5}})"),
        *(("discord", r"(?<=moc\..{7})"), ("discordapp", r"(?<=moc\..{10})")),
        *("ya29", "hvs", "hvb", "hvr", "atlasv1", "dp.pt", "dp.st", "dp.ct", "dp.sa", "dp.scim", "dp.audit"),
    )
    patterns = (
        rf": *+{named}",
        rf"_{_guard(joints)}{_backwards(*joints)}",
        # Discord has no prefix at all, Airtable none before its dot
        rf"(?s)\.(?:{_backwards(*dots)}|.{{6}}\.{alnum}{{23}}|.{{14}}tap(?<=[0-9a-f]{{16}}\..{{17}}))",
        r"_(?:_(?<=[a-z0-9\x01]__)(?: |[nrt] |\Z)| (?<=[pu]_ ))",
        rf"{_RARE}(?:[{_RARE}s]a(?<=[a-z2-7{_RARE}]{{16}}a...)|a(?<=az..)|ye\.|s(?<=[0-9a-f]{{32}}..)"
        rf"| (?<=[ae]{_RARE} )(?:(?<={body}{{8}} rerae{_RARE} )|(?<={body}{{8}} c[i{_RARE}]sa{_RARE} )))",
        r"@(?:[^ /]{1,200}?:[^ /@]{0,100}/ */ *:|[0-9a-f]{32})",
        r"00u (?<=[2-7]00u )",  # \u0041: an ASCII character in hiding
        r"A[KSB]IA[A-Z2-7]{16}|AIza[A-Za-z0-9_-]{35}|\.eyJ|SK[0-9a-f]{32}|B(?:earer|asic) [A-Za-z0-9._~-]{8}",
        r"dapi[0-9a-f]{32}",
        rf"(?i)--(?:[a-z0-9]{{1,20}}-){{0,4}}{secrets.NAME} ",
    )
    return _Prefilter._make(re.compile(pattern.encode("latin-1")) for pattern in patterns)


def _flags(back: bytes) -> Iterator[int]:
    """Where in the text `--` stands after a blank, a line end or nothing, or `-p` and `-u` after a blank."""
    size = len(back)
    for found in _prefilter().flag.finditer(back):
        start = found.start()
        yield size - start - (2 if back[start + 1 : start + 2] == b"_" else 1)


_COMMANDS = tuple(command.encode() for command in _LOGINS)


def _has_named(raw: bytes, back: bytes) -> bool:
    """A telling name before a separator, or a `value` that a telling name may belong to."""
    size = len(back)
    for found in _prefilter().separator.finditer(back):
        if found.lastindex is None:
            return True
        key = size - found.start(1)  # of a dict, not of code
        if raw[key - 1 : key] == b'"' and raw[key - 2 : key - 1] != b"\\":
            return True
    return False


def _has_flag(raw: bytes, back: bytes) -> bool:
    flagged = _prefilter().flagged
    logs_in: bool | None = None
    for start in _flags(back):
        if raw.startswith(b"--", start) and not raw.startswith(b"--user", start):
            if flagged.match(raw, start):
                return True
            continue
        if logs_in is None:  # five searches, for the few lines that have such a flag
            logs_in = any(command in raw for command in _COMMANDS)
        if logs_in:
            return True
    return False


def _is_hot(raw: bytes, back: bytes) -> bool:
    """Whether these bytes, JSON or plain, may hold anything that a rule would find. Errs towards yes."""
    separator, joint, dot, flag, rare, at, escape, exact, hexadecimal, _ = _prefilter()
    return bool(
        (separator.search(back) and _has_named(raw, back))
        or joint.search(back)
        or dot.search(back)
        or (rare.search(back) and exact.search(raw))
        or escape.search(back)
        or (flag.search(back) and _has_flag(raw, back))
        or hexadecimal.search(raw)
        or (b"@" in raw and at.search(back))
        or b"\0" in raw  # UTF-16, which JSON may be written in
    )


class Redactor:
    """Replaces secrets by marks that only the holder of `key` can compare."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._clean: set[str] = set()  # short strings that come again on every line: types, ids, paths, keys

    def suspects(self, raw: bytes) -> bool:
        """False guarantees that `value` would change nothing in the JSON of these lines."""
        return _is_hot(raw, raw.translate(_FOLDED)[::-1])

    def text(self, value: str, *, keep_lines: bool = False) -> str:
        """One decoded string, redacted; the same object when there was nothing to find. With `keep_lines` the mark of
        a secret over several lines is followed by as many line ends, so that every line keeps its number."""
        if len(value) < 10 or value in self._clean:
            return value
        folded = _Folded.of(value)
        # In a line a quote would stand before the first word.
        if not (_is_hot(folded.raw, folded.back) or value.startswith("Bearer ")):
            if len(value) < 128:
                if len(self._clean) >= 8192:
                    self._clean.clear()
                self._clean.add(value)
            return value
        # A mark may complete or break what stands beside it, so once is not enough for redact(redact(x)) ==
        # redact(x). It ends: every round turns characters outside marks into marks.
        while (redacted := self._round(folded, keep_lines)) is not folded.text:
            folded = _Folded.of(redacted)
        return redacted

    def value(self, value: Any) -> Any:
        """A decoded JSON value, redacted in keys and strings; the same object when nothing changed."""
        if isinstance(value, str):
            return self.text(value)
        # Parents before children, then rebuilt from the end: nesting of any depth without recursion.
        containers: list[Any] = [value]
        seen = {id(value)}
        for container in containers:
            for child in _children(container):
                if isinstance(child, (dict, list, tuple)) and id(child) not in seen:
                    seen.add(id(child))
                    containers.append(child)
        rebuilt: dict[int, Any] = {}
        for container in reversed(containers):
            new = self._container(container, rebuilt)
            if new is not container:
                rebuilt[id(container)] = new
        return rebuilt.get(id(value), value)

    def _container(self, container: Any, rebuilt: dict[int, Any]) -> Any:
        if isinstance(container, dict):
            changed = False
            pairs: dict[Any, Any] = {}
            for name, old in container.items():
                key = self.text(name) if isinstance(name, str) else name
                new: Any
                if isinstance(old, str):
                    new = self._entry(name, old) if isinstance(name, str) else self.text(old)
                else:
                    new = rebuilt.get(id(old), old)
                changed = changed or key is not name or new is not old
                pairs[key] = new
            if "value" in container or "Value" in container:
                changed = self._pair(container, pairs) or changed
            return pairs if changed else container
        if isinstance(container, (list, tuple)):
            items = [self.text(old) if isinstance(old, str) else rebuilt.get(id(old), old) for old in container]
            if len(items) == 2 and all(isinstance(item, str) for item in items):
                items[1] = self._header(str(items[0]), str(items[1]))
            if all(new is old for new, old in zip(items, container, strict=True)):
                return container
            return items if isinstance(container, list) else tuple(items)
        return container

    def _entry(self, name: str, value: str) -> str:
        """The value of a dict entry: its key may say that it is a secret."""
        redacted = self.text(value)
        if len(value) < 6 or MARK.search(value) or MARK.fullmatch(redacted):
            return redacted
        lowered = name.lower()
        if lowered.endswith("authorization"):
            return self._credentials(redacted)
        if lowered.endswith("cookie"):
            return self._cut(redacted, secrets.session_cookies(redacted, 0, len(redacted)), secrets.COOKIE)
        kind = _kind_by_name(name, value)
        return redacted if kind is None else self._mark(kind, value)

    def _pair(self, old: dict[Any, Any], new: dict[Any, Any]) -> bool:
        """`{"name": "DB_PASSWORD", "value": …}`, as Kubernetes and its like list an environment."""
        name = next((old[key] for key in ("name", "Name", "key", "Key") if isinstance(old.get(key), str)), None)
        changed = False
        for key in ("value", "Value"):
            value = old.get(key)
            if isinstance(name, str) and isinstance(value, str) and new[key] is value:
                new[key] = self._entry(name, value)
                changed = changed or new[key] is not value
        return changed

    def _header(self, name: str, value: str) -> str:
        """`["Authorization", "Basic …"]`, for the schemes that the prefilter knows without their header."""
        if name.lower().endswith("authorization") and secrets.compiled(r"(?:Basic|Bearer) [\w.~-]{8}").match(value):
            return self._credentials(value)
        return value

    def _credentials(self, value: str) -> str:
        span = secrets.authorization(value)
        return value if span is None else self._cut(value, iter([span]), secrets.AUTHORIZATION)

    def _cut(self, text: str, spans: Iterator[tuple[int, int]], kind: str) -> str:
        parts: list[str] = []
        at = 0
        for start, end in spans:
            if not MARK.search(text, max(0, start - 64), end + 64):
                parts += text[at:start], self._mark(kind, text[start:end])
                at = end
        return "".join(parts) + text[at:] if parts else text

    def _round(self, folded: _Folded, keep_lines: bool) -> str:
        text = folded.text
        spans = [span for find in _FINDERS for span in find(folded)]
        if "[redacted:" in text:  # a mark is a finding too: whatever touches one is left as it is
            spans += (_Span(*match.span(), secrets.MARKED, -1) for match in MARK.finditer(text))
        parts: list[str] = []
        at = 0
        for span in _merged(sorted(spans)):
            if span.kind == secrets.MARKED:
                continue
            secret = text[span.start : span.end]
            parts += text[at : span.start], self._mark(span.kind, secret), "\n" * (keep_lines * secret.count("\n"))
            at = span.end
        return "".join(parts) + text[at:] if parts else text

    def _mark(self, kind: str, secret: str) -> str:
        import hmac  # loads OpenSSL: only where a secret was found

        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"[redacted:{kind}:{digest.hex()[:10]}]"


def _children(container: Any) -> Any:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, (list, tuple)) else ()


def _kind_by_name(name: str, value: str) -> str | None:
    """The kind of a value that stands alone under a name, or None if it is no secret."""
    named = _named(name)
    if named is None:
        return None
    core, before = named
    weak = core.lower() in secrets.WEAK_NAMES or core.lower() in ("-pass", "pass")
    if not secrets.is_secret(value, name=core, before=before, weak=weak, quoted=True):
        return None
    return secrets.kind_of(value, before=before, weak=weak)


@lru_cache(4096)
def _named(key: str) -> tuple[str, str] | None:
    """The telling end of a dict key as it is written and, in lower case, what stands before it, or None."""
    if key.lower() == "pass":
        return key, ""
    match = secrets.compiled(secrets.NAME + r"\Z", re.ASCII | re.IGNORECASE).search(key)
    return (match["core"], key[: match.start()].lower()) if match else None


def _merged(spans: list[_Span]) -> Iterator[_Span]:
    """Findings that overlap become one, so that no piece of either survives; the longest names the kind."""
    current: _Span | None = None
    widest = (0, 0)
    for span in spans:
        width = (span.end - span.start, -span.rank)
        if current is None or span.start >= current.end:
            if current is not None:
                yield current
            current, widest = span, width
            continue
        kind = span.kind if width > widest else current.kind
        if secrets.MARKED in (span.kind, current.kind):
            kind = secrets.MARKED
        current = current._replace(end=max(current.end, span.end), kind=kind)
        widest = max(widest, width)
    if current is not None:
        yield current
