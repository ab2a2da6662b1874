r"""Secrets out, marks in: what the log may keep of a string.

Owns the rules that recognise a secret, the mark that replaces it, and a prefilter on raw bytes so that
clean lines cost almost nothing. Promises: `[redacted:<kind>:<hash>]` is the same for the same secret and
key; redacting twice equals once; `suspects(raw)` is never False for a line that `value` would change;
time is linear in the text. Refuses: I/O, decoding JSON, and guessing: a weak value without a telling name
stays.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

MARK = re.compile(r"\[redacted:[a-z0-9-]{1,32}:[0-9a-f]{10}\]")

# A kind that is found by the name in front of it, not by its own shape.
_PASSWORD, _SECRET, _AWS_SECRET = "password", "secret", "aws-secret-key"
_PRIVATE_KEY, _AUTHORIZATION, _COOKIE = "private-key", "authorization", "cookie"
_MARKED = ""


class _Shape(NamedTuple):
    """A token that is known by its own form; group 1 (or the whole match) is the secret."""

    kind: str
    at: str  # the part of the prefilter that announces it
    literals: tuple[str, ...]  # one of them is in every match: no regex runs without it
    pattern: str
    edge: bool = False  # the prefix is too short to count in the middle of a word


_SHAPES = (
    _Shape("anthropic", "joint", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _Shape("openai", "joint", ("sk-",), r"sk-(?!ant-)[A-Za-z0-9_-]{20,}", edge=True),
    _Shape("aws-access-key", "rare", ("AKIA", "ASIA", "ABIA"), r"A[KSB]IA[A-Z2-7]{16}(?![A-Za-z0-9])", edge=True),
    _Shape("github", "joint", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,}"),
    _Shape("github", "joint", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}"),
    _Shape(
        "gitlab",
        "joint",
        ("glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-"),
        r"gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9]{9})?",
    ),
    _Shape("slack", "joint", ("xox", "xapp-"), r"(?:xox[abcdeoprs]|xapp)-[A-Za-z0-9-]{12,}"),
    _Shape(
        "slack-webhook",
        "dot",
        ("hooks.slack",),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})",
    ),
    _Shape("stripe", "joint", ("_live_", "_test_"), r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    _Shape("stripe", "joint", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    _Shape("google", "rare", ("AIza",), r"AIza[A-Za-z0-9_-]{35}", edge=True),
    _Shape("google", "dot", ("ya29.",), r"ya29\.[A-Za-z0-9_.-]{20,}"),
    _Shape("google", "joint", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _Shape("npm", "joint", ("npm_",), r"npm_[A-Za-z0-9]{36,}"),
    _Shape("pypi", "joint", ("pypi-",), r"pypi-[A-Za-z0-9_-]{40,}"),
    _Shape("huggingface", "joint", ("hf_",), r"hf_[A-Za-z0-9]{30,}", edge=True),
    _Shape("sendgrid", "dot", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", edge=True),
    _Shape("twilio", "rare", ("SK",), r"SK[0-9a-f]{32}(?![A-Za-z0-9])", edge=True),
    _Shape(
        "discord",
        "dot",
        ("M", "N", "O"),
        r"[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,64}",
        edge=True,
    ),
    _Shape(
        "discord-webhook",
        "dot",
        ("discord",),
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{8,}/([A-Za-z0-9_-]{40,})",
    ),
    _Shape("digitalocean", "joint", ("_v1_",), r"do[opr]_v1_[0-9a-f]{64}"),
    _Shape(
        "shopify",
        "joint",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_"),
        r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}",
    ),
    _Shape("databricks", "hex", ("dapi",), r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])", edge=True),
    _Shape("groq", "joint", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}"),
    _Shape("xai", "joint", ("xai-",), r"xai-[A-Za-z0-9]{40,}"),
    _Shape("replicate", "joint", ("r8_",), r"r8_[A-Za-z0-9]{36,}", edge=True),
    _Shape("perplexity", "joint", ("pplx-",), r"pplx-[A-Za-z0-9]{32,}"),
    _Shape("vault", "dot", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{24,}", edge=True),
    _Shape("docker", "joint", ("dckr_",), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    _Shape("linear", "joint", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _Shape("notion", "joint", ("ntn_",), r"ntn_[A-Za-z0-9]{40,}", edge=True),
    _Shape("notion", "joint", ("secret_",), r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])", edge=True),
    _Shape("sentry", "joint", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _Shape("cloudflare", "joint", ("cfk_", "cfut_", "cfat_"), r"cf(?:k|ut|at)_[A-Za-z0-9]{40,}"),
    _Shape("azure", "joint", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", edge=True),
    _Shape(
        "jwt",
        "rare",
        (".eyJ",),
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    _Shape("telegram", "separator", (":AA",), r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    _Shape("azure", "separator", ("Key=",), r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    _Shape("azure", "separator", ("sig=",), r"(?<![A-Za-z0-9])sig=([A-Za-z0-9%+/]{40,}={0,2})"),
)

# Printable ASCII without quotes, brackets and slashes: the prefilter reads the same characters from raw JSON.
_URL_PASSWORD = r"://([!#-&(-.0-9;=?A-Z^_a-z{|}~]{0,100}):([!#-&(-.0-:;=?@A-Z^_a-z{|}~]{1,200})@(?=[A-Za-z0-9\[_$%{<])"

# Names after which a value is a secret. `keys`, `tokens` and `secrets` are counts and lists: never.
_WEAK_NAMES = ("password", "passwd", "pwd", "passphrase")
_STRONG_NAMES = ("secret", "token", "credential", "credentials")
_KEY_OWNERS = (*("api", "access", "private", "secret", "signing", "encryption", "auth", "account", "master", "shared"),)
_SUFFIXES = ("prod", "production", "dev", "staging", "test", "live", "base", "value")
_NAME = (
    rf"(?P<core>(?P<weak>{'|'.join(_WEAK_NAMES)})|{'|'.join(_STRONG_NAMES)}|(?:{'|'.join(_KEY_OWNERS)})[_ -]?key)"
    rf"(?:[_-](?:{'|'.join(_SUFFIXES)}|[0-9]))?"
)
_GAP = r"[ \"'`\\\]]{0,24}"  # between a name and its separator: closing quotes, a subscript's bracket
_TYPE = r":[ ]?[A-Za-z_.]{1,20}(?:\[[A-Za-z, ]{1,20}\])?(?: \| (?:None|null|undefined))? = "  # token: str = "…"
_OPEN = r"(?:[bBrRuU]?\\{0,7}(?P<quote>[\"'`]))?"
_ASSIGNED = rf"{_NAME}{_GAP}(?P<sep>{_TYPE}|:=|=>|={{1,3}}|:|>)[ \t]{{0,24}}{_OPEN}"
_FLAG = rf"(?<![A-Za-z0-9-])--(?:[a-z0-9]{{1,20}}-){{0,4}}{_NAME}(?P<sep> ) {{0,4}}{_OPEN}"
_VALUE_UNTIL = {
    '"': r"[^\s\"\\]*",
    "'": r"[^\s'\\]*",
    "`": r"[^\s`\\]*",
    ">": r"[^\s<>\"'\\]*",
    "": r"[A-Za-z0-9_\-+/.~!@#%^*:?$]*={0,2}",
}
# Tokens of a tokeniser, a paginator or a scheduler are no secrets.
_HARMLESS_OWNER = re.compile(
    r"(?:next|prev|page|pagination|continuation|continue|cancel|cancellation|abort|sync|resume"
    r"|eos|bos|pad|unk|sep|cls|mask|stop|start|end|special|design|syntax|cache|public)[_-]?$"
)
_PLACEHOLDER = re.compile(
    r"your|example|placeholder|change_?-?me|redacted|dummy|sample|insert|replace|fake|mock|todo|xxx|\*\*\*|\.\.\."
    r"|[<>\u2026]|\$\{|\{\{|\$\(|%\(|^\$|^%|^\{.*\}$|process\.env|environ|getenv|://|^(?:toolu|srvtoolu|msg|req)_",
    re.IGNORECASE,
)
_CALL = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*(?:\(|\[|\?\.|::|->)|^[(\[{]")
_DOTTED = re.compile(r"!{0,2}[A-Za-z_$][A-Za-z0-9_$]*!?(?:[.:/?]+[A-Za-z_$*][A-Za-z0-9_$]*!?)+")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[^/\\]*[/\\.]|[^/\\]{0,24}$)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]?[a-z]{3,}|[A-Z]{4,}")
_SYMBOL = re.compile(r"[!@#$%^&*?+~|]")


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def _is_plausible(token: str) -> bool:
    """A token of a known shape is real unless it is filler (`xxxx`) or plain words (`sk-circle-fade-dot`)."""
    classes = any(map(str.isdigit, token)), any(map(str.islower, token)), any(map(str.isupper, token))
    return sum(classes) >= 2 and len(set(token)) >= 6 and "xxxxxxxx" not in token.lower()


def _is_password(value: str, *, quoted: bool) -> bool:
    """Weak values count here, since people choose them; words, paths and code do not."""
    if not 6 <= len(value) <= 128 or not value.isascii() or not any(map(str.isalpha, value)):
        return False
    if not any(map(str.isdigit, value)) and not _SYMBOL.search(value):
        return False
    if _PLACEHOLDER.search(value) or _PATH.match(value) or _DOTTED.fullmatch(value):
        return False
    if not quoted and _CALL.search(value):
        return False
    return _entropy(value) >= 2.2


def _is_random(value: str) -> bool:
    """A value that a generator made: long, mixed, and not words joined by dashes."""
    size = len(value)
    if not 12 <= size <= 2048 or not value.isascii() or not value.isprintable() or " " in value:
        return False
    digits = sum(map(str.isdigit, value))
    if digits == size or _PLACEHOLDER.search(value) or _PATH.match(value) or _CALL.search(value):
        return False
    if digits == 0:
        cases = "".join(c for c in value if c.isalpha())
        turns = sum(a.islower() != b.islower() for a, b in pairwise(cases))
        if size < 20 or turns * 3 < len(cases):
            return False
    worded = sum(len(word) for word in _WORD.findall(value))
    if digits * 7 < size and worded * 2 > size:
        return False
    return _entropy(value) >= (2.8 if size < 20 else 3.1)


def _is_secret(value: str, *, name: str, before: str, weak: bool, quoted: bool) -> bool:
    """Whether a value is a secret, given the name it was assigned to and what stands before that name."""
    if weak:
        return _is_password(value, quoted=quoted)
    if _HARMLESS_OWNER.search(before) or (name == "token" and _UUID.fullmatch(value)):
        return False
    # Amazon's own documentation key is shaped like every other, and whoever tests a redactor tries it first.
    return _is_random(value) or (_is_aws_secret(value, before) and _is_plausible(value))


def _is_aws_secret(value: str, before: str) -> bool:
    return "secret" in before and _compiled(r"[A-Za-z0-9+/]{40}").fullmatch(value) is not None


def _kind_of(value: str, *, before: str, weak: bool) -> str:
    if weak:
        return _PASSWORD
    return _AWS_SECRET if _is_aws_secret(value, before) else _SECRET


@cache
def _compiled(pattern: str, flags: int = re.ASCII) -> re.Pattern[str]:
    """Compiled on first use: a hook that meets no secret compiles the prefilter and nothing else."""
    return re.compile(pattern, flags)


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
    hot = {at for at in ("separator", "joint", "dot", "rare") if getattr(prefilter, at).search(back)} | {"hex"}
    for shape in _SHAPES:
        if shape.at in hot and any(literal in text for literal in shape.literals):
            for match in _compiled(shape.pattern).finditer(text):
                start, end = match.span(match.lastindex or 0)
                if _is_plausible(text[start:end]) and not (shape.edge and _is_inside_word(text, start)):
                    yield _Span(start, end, shape.kind, 0)


def _is_inside_word(text: str, start: int) -> bool:
    """A literal \\n, \\r or \\t in front is no part of a word: transcripts are full of JSON inside JSON."""
    before = text[max(0, start - 2) : start]
    return before[-1:].isalnum() and before[-1:].isascii() and before not in ("\\n", "\\r", "\\t")


def _find_url_passwords(folded: _Folded) -> Iterator[_Span]:
    text = folded.text
    if "@" not in text or not _prefilter().url.search(folded.back):
        return
    for match in _compiled(_URL_PASSWORD).finditer(text):
        user, password = match.groups()
        # postgres:postgres@ is a default that everybody knows, not a secret
        if password == user or password.lower() in _WELL_KNOWN or _PLACEHOLDER.search(password):
            continue
        if _VARIABLE.search(password):
            continue
        yield _Span(*match.span(2), "url-password", 1)


_WELL_KNOWN = frozenset(
    (
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "user",
        "username",
        "root",
        "admin",
        "test",
    )
)
_VARIABLE = re.compile(r"^[$%{<\[(]|[{}]|^[A-Z][A-Z_]*$|^[*.x]+$")


def _find_private_keys(folded: _Folded) -> Iterator[_Span]:
    text = folded.text
    if "PRIVATE KEY" not in text:
        return
    run = _compiled(r"[A-Za-z0-9+/=]{20,}")
    edges = list(_compiled(r"-----(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----").finditer(text))
    for i, edge in enumerate(edges):
        if edge[1] == "END":
            continue
        start = edge.end()
        after = edges[i + 1] if i + 1 < len(edges) else None
        if after is not None and after[1] == "END" and after.start() - start <= 20_000:
            body = text[start : after.start()]
            if sum(map(len, run.findall(body))) * 2 >= len(body) and not MARK.search(body):
                yield _Span(edge.start(), after.end(), _PRIVATE_KEY, 0)
                continue
        # no end: the block was cut off. Whatever still looks like its lines goes.
        first = run.search(text, start, start + 240)
        if first is None or "-----" in text[start : first.start()]:
            continue
        lines = _compiled(
            r"(?:[^A-Za-z0-9+/=\[]{1,40}(?:[0-9]{1,6}[^A-Za-z0-9+/=\[]{1,4})?[A-Za-z0-9+/=]{16,})*"
            r"(?:[^A-Za-z0-9+/=\[]{1,40}[A-Za-z0-9+/=]{1,15}\Z)?"
        )
        body_end = lines.match(text, first.end())
        yield _Span(edge.start(), body_end.end() if body_end else first.end(), _PRIVATE_KEY, 0)


def _find_headers(folded: _Folded) -> Iterator[_Span]:
    text, lowered = folded.text, folded.raw.lower()
    if b"authorization" in lowered:
        pattern = (
            rf"authorization{_GAP}[:=][ \t]{{0,8}}\\{{0,7}}[\"'`]?"
            r"(?:(?P<scheme>bearer|basic|token|bot|apikey|digest)[ \t]{1,8})?"
            r"(?P<secret>[A-Za-z0-9._~+/:=-]{8,4096})"
        )
        for match in _compiled(pattern, re.ASCII | re.IGNORECASE).finditer(text):
            secret, scheme = match["secret"], (match["scheme"] or "").lower()
            basic = scheme == "basic" and any(map(str.isupper, secret)) and any(map(str.islower, secret))
            if (basic and not _PLACEHOLDER.search(secret)) or _is_random(secret):
                yield _Span(*match.span("secret"), _AUTHORIZATION, 1)
    if b"cookie" in lowered:
        header = _compiled(
            rf"cookie{_GAP}[:=][ \t]{{0,8}}\\{{0,7}}[\"'`]?([^\n\"'`\\]{{8,4096}})", re.ASCII | re.IGNORECASE
        )
        pair = _compiled(
            r"(?:^|[;\s])[A-Za-z0-9_.-]{0,40}?(?:sess|sid|auth|token|jwt|remember|login)[A-Za-z0-9_.-]{0,40}=([^;\s,]{12,})",
            re.ASCII | re.IGNORECASE,
        )
        for found in header.finditer(text):
            for match in pair.finditer(text, *found.span(1)):
                if _is_random(match[1]):
                    yield _Span(*match.span(1), _COOKIE, 1)


def _find_assigned(folded: _Folded) -> Iterator[_Span]:
    text, size = folded.text, len(folded.text)
    flags = re.ASCII | re.IGNORECASE
    heads = []
    for found in _prefilter().separator.finditer(folded.back):
        heads.append(_compiled(_ASSIGNED, flags).match(text, size - found.end()))
    for found in _prefilter().flag.finditer(folded.raw):
        heads.append(_compiled(_FLAG, flags).match(text, found.start()))
    run_ends: dict[str, int] = {}  # a run of value characters is measured once, however many names are in it
    for match in sorted(filter(None, heads), key=lambda head: head.end()):
        start = match.end()
        quote = match["quote"] or (">" if match["sep"] == ">" else "")
        end = run_ends.get(quote, -1)
        if end < start:
            run = _compiled(_VALUE_UNTIL[quote]).match(text, start)
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
        if _is_secret(value, name=match["core"].lower(), before=before, weak=weak, quoted=bool(quote)):
            yield _Span(start, start + len(value), _kind_of(value, before=before, weak=weak), 2)


_FINDERS: tuple[Callable[[_Folded], Iterator[_Span]], ...] = (
    _find_shapes,
    _find_url_passwords,
    _find_private_keys,
    _find_headers,
    _find_assigned,
)


def kinds() -> list[str]:
    """Every kind that a mark can name, sorted."""
    named = {_PASSWORD, _SECRET, _AWS_SECRET, _PRIVATE_KEY, _AUTHORIZATION, _COOKIE, "url-password"}
    return sorted(named.union(shape.kind for shape in _SHAPES))


# --- the prefilter ---------------------------------------------------------------------------------------
#
# One `translate` folds case and merges what may stand for each other; the result is read backwards, because a
# secret is announced on its left: at a separator, the name or prefix before it follows at once, and a regex that
# starts with one rare literal byte is searched with memchr. Everything that can stand between a name and its
# separator (quotes, backslashes, blanks) becomes a blank, so JSON inside JSON looks like JSON. I, J and K become
# one byte of their own, because they are rare and AKIA, AIza, SK and eyJ have no separator to hang on to.

_RARE = "\x01"
_Word = str | tuple[str, str]


def _folding() -> bytes:
    table = bytearray(bytes(range(256)).lower())
    for members, folded in (("-_~", "_"), (":=>", ":"), (" \"'\\`\t\r\n]", " "), ("IJK", _RARE)):
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
    for last, shorter in branches.items():
        byte = "[0-9]" if last == "#" else f"[{last}{_RARE}]" if last in "ijk" else last
        ends.append(byte + _backwards(*shorter))
    return ends[0] if len(ends) == 1 else f"(?:{'|'.join(ends)})"


class _Prefilter(NamedTuple):
    """Each starts with a literal byte, so that the regex engine leaps from one to the next."""

    separator: re.Pattern[bytes]
    joint: re.Pattern[bytes]
    dot: re.Pattern[bytes]
    rare: re.Pattern[bytes]
    url: re.Pattern[bytes]
    escape: re.Pattern[bytes]
    exact: re.Pattern[bytes]  # `rare` again with its case: megabytes of base64 hold any four letters
    hex: re.Pattern[bytes]
    flag: re.Pattern[bytes]


@cache
def _prefilter() -> _Prefilter:
    alnum, body = rf"[a-z0-9{_RARE}]", rf"[a-z0-9_{_RARE}]"
    keys = [f"{owner}{joint}key" for owner in _KEY_OWNERS for joint in ("", "_", " ")]
    names = [*_WEAK_NAMES, *_STRONG_NAMES, *keys]
    suffixed = [(f"_{suffix}", _backwards(*names)) for suffix in (*_SUFFIXES, "#")]
    joints: tuple[_Word, ...] = (
        *(
            ("sk", rf"(?<={body}{{16}}_..)"),
            ("hf", rf"(?<={alnum}{{16}}_..)"),
            ("r8", rf"(?<={alnum}{{16}}_..)"),
        ),
        *(
            ("secret", rf"(?<={alnum}{{16}}_.{{6}})"),
            ("#q", rf"(?<={body}{{16}}_..)"),
        ),
        *(
            "ghp",
            "gho",
            "ghu",
            "ghs",
            "ghr",
            "github_pat",
            "npm",
            "pypi",
            "whsec",
            "gocspx",
            "xai",
            "pplx",
            "xapp",
        ),
        *("glpat", "glptt", "gldt", "glrt", "glcbt", "glsoat", "sk_live", "sk_test", "rk_live", "rk_test"),
        *(f"xox{letter}" for letter in "abcdeoprs"),
        *("doo_v1", "dop_v1", "dor_v1", "shpat", "shpca", "shppa", "shpss", "shpua", "sntrys", "sntryu"),
        *("dckr_pat", "dckr_oat", "lin_api", "lin_oauth", "ntn", "cfk", "cfut", "cfat"),
        *("private key", "private key block"),
    )
    dots: tuple[_Word, ...] = (
        *("ya29", "hvs", "hvb", "hvr", "hooks", "discord", "discordapp", ("sg", rf"(?<={body}{{16}}\...)")),
        ("", rf"{body}{{6}}\.{alnum}{{23}}"),  # a Discord bot token has no prefix at all
    )
    named = _backwards(*names, *suffixed, "authorization", "cookie", "sig")
    patterns = (
        rf": *+(?:{named}|[0-9]{{8}})",
        rf"_{_backwards(*joints)}",
        rf"\.{_backwards(*dots)}",
        rf"{_RARE}(?:[{_RARE}sb]a(?<=[a-z2-7{_RARE}]{{16}}a...)|a(?<=az..)|ye\.|s(?<=[0-9a-f]{{32}}..))",
        r"@[^ /]{1,200}?:[^ /@]{0,100}/ */ *:",
        r"00u (?<=[2-7]00u )",  # \u0041: an ASCII character in hiding
        r"A[KSB]IA[A-Z2-7]{16}|AIza[A-Za-z0-9_-]{35}|\.eyJ|SK[0-9a-f]{32}",
        r"dapi[0-9a-f]{32}",
        rf"--(?:[a-z0-9]{{1,20}}-){{0,4}}{_NAME} ",
    )
    *most, flag = (pattern.encode("latin-1") for pattern in patterns)
    return _Prefilter._make([*map(re.compile, most), re.compile(flag, re.IGNORECASE)])


def _is_hot(raw: bytes, back: bytes) -> bool:
    """Whether these bytes, JSON or plain, may hold anything that a rule would find. Errs towards yes."""
    prefilter = _prefilter()
    return bool(
        prefilter.separator.search(back)
        or prefilter.joint.search(back)
        or prefilter.dot.search(back)
        or (prefilter.rare.search(back) and prefilter.exact.search(raw))
        or prefilter.escape.search(back)
        or prefilter.flag.search(raw)
        or prefilter.hex.search(raw)
        or (b"@" in raw and prefilter.url.search(back))
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

    def text(self, value: str) -> str:
        """One decoded string, redacted; the same object when there was nothing to find."""
        if len(value) < 10 or value in self._clean:
            return value
        folded = _Folded.of(value)
        if not _is_hot(folded.raw, folded.back):
            if len(value) < 128:
                if len(self._clean) >= 8192:
                    self._clean.clear()
                self._clean.add(value)
            return value
        # A mark may complete or break what stands beside it, so once is not enough for redact(redact(x)) ==
        # redact(x). It ends: every round turns characters outside marks into marks.
        while (redacted := self._round(folded)) is not folded.text:
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
            return pairs if changed else container
        if isinstance(container, (list, tuple)):
            items = [self.text(old) if isinstance(old, str) else rebuilt.get(id(old), old) for old in container]
            if all(new is old for new, old in zip(items, container, strict=True)):
                return container
            return items if isinstance(container, list) else tuple(items)
        return container

    def _entry(self, name: str, value: str) -> str:
        """The value of a dict entry: its key may say that it is a secret."""
        redacted = self.text(value)
        if len(value) < 6 or MARK.search(value) or MARK.fullmatch(redacted):
            return redacted
        named = _named(name)
        if named is None:
            return redacted
        core, before = named
        weak = core in _WEAK_NAMES
        if not _is_secret(value, name=core, before=before, weak=weak, quoted=True):
            return redacted
        return self._mark(_kind_of(value, before=before, weak=weak), value)

    def _round(self, folded: _Folded) -> str:
        text = folded.text
        spans = [span for find in _FINDERS for span in find(folded)]
        if "[redacted:" in text:  # a mark is a finding too: whatever touches one is left as it is
            spans += (_Span(*match.span(), _MARKED, -1) for match in MARK.finditer(text))
        parts: list[str] = []
        at = 0
        for span in _merged(sorted(spans)):
            if span.kind == _MARKED:
                continue
            parts += text[at : span.start], self._mark(span.kind, text[span.start : span.end])
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


@lru_cache(4096)
def _named(key: str) -> tuple[str, str] | None:
    """The telling end of a dict key and what stands before it, in lower case, or None."""
    match = _compiled(_NAME + r"\Z", re.ASCII | re.IGNORECASE).search(key)
    return (match["core"].lower(), key[: match.start()].lower()) if match else None


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
        if _MARKED in (span.kind, current.kind):
            kind = _MARKED
        current = current._replace(end=max(current.end, span.end), kind=kind)
        widest = max(widest, width)
    if current is not None:
        yield current
