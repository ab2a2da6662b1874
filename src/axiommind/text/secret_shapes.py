r"""What a secret looks like: token formats, names that announce one, and whether a value looks random.

Owns the patterns and thresholds of ADR 0004; `secret_finders` finds with them, `redaction` replaces. Refuses:
positions, and the prefilter. Nothing here is compiled before a text was suspected, except what judges a value.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from axiommind.text.patterns import lazy

# A kind that is found by the name in front of it, not by its own shape.
PASSWORD, SECRET, AWS_SECRET = "password", "secret", "aws-secret-key"
PRIVATE_KEY, AUTHORIZATION, COOKIE = "private-key", "authorization", "cookie"
MARKED = ""
# What stands where a secret was.
MARK = re.compile(r"\[redacted:[a-z0-9-]{1,32}:[0-9a-f]{10}\]")


class Shape(NamedTuple):
    """A token that is known by its own form; group 1 (or the whole match) is the secret."""

    kind: str
    at: str  # the part of the prefilter that announces it
    literals: tuple[str, ...]  # one of them is in every match: no regex runs without it
    pattern: str
    edge: bool = False  # the prefix is too short to count in the middle of a word


SHAPES = (
    Shape("anthropic", "joint", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{20,}"),
    Shape("openai", "joint", ("sk-",), r"sk-(?!ant-|or-v)[A-Za-z0-9_-]{20,}", edge=True),
    Shape("openrouter", "joint", ("sk-or-v",), r"sk-or-v[0-9]-[A-Za-z0-9_-]{20,}"),
    Shape("aws-access-key", "rare", ("AKIA", "ASIA", "ABIA"), r"A[KSB]IA[A-Z2-7]{16}(?![A-Za-z0-9])", edge=True),
    Shape("github", "joint", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,}"),
    Shape("github", "joint", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}"),
    Shape(
        "gitlab",
        "joint",
        ("glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-"),
        r"gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9]{9})?",
    ),
    Shape("slack", "joint", ("xox", "xapp-"), r"(?:xox[abcdeoprs]|xapp)-[A-Za-z0-9-]{12,}"),
    Shape(
        "slack-webhook",
        "dot",
        ("hooks.slack",),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})",
    ),
    Shape("stripe", "joint", ("_live_", "_test_"), r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    Shape("stripe", "joint", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    Shape("google", "rare", ("AIza",), r"AIza[A-Za-z0-9_-]{35}", edge=True),
    Shape("google", "dot", ("ya29.",), r"ya29\.[A-Za-z0-9_.-]{20,}"),
    Shape("google", "joint", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    Shape("npm", "joint", ("npm_",), r"npm_[A-Za-z0-9]{36,}"),
    Shape("pypi", "joint", ("pypi-",), r"pypi-[A-Za-z0-9_-]{40,}"),
    Shape("huggingface", "joint", ("hf_",), r"hf_[A-Za-z0-9]{30,}", edge=True),
    Shape("sendgrid", "dot", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", edge=True),
    Shape("twilio", "rare", ("SK",), r"SK[0-9a-f]{32}(?![A-Za-z0-9])", edge=True),
    Shape(
        "discord",
        "dot",
        ("M", "N", "O"),
        r"[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,64}",
        edge=True,
    ),
    Shape(
        "discord-webhook",
        "dot",
        ("discord",),
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{8,}/([A-Za-z0-9_-]{40,})",
    ),
    Shape("digitalocean", "joint", ("_v1_",), r"do[opr]_v1_[0-9a-f]{64}"),
    Shape(
        "shopify",
        "joint",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_"),
        r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}",
    ),
    Shape("databricks", "hex", ("dapi",), r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])", edge=True),
    Shape("groq", "joint", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}"),
    Shape("xai", "joint", ("xai-",), r"xai-[A-Za-z0-9]{40,}"),
    Shape("replicate", "joint", ("r8_",), r"r8_[A-Za-z0-9]{36,}", edge=True),
    Shape("perplexity", "joint", ("pplx-",), r"pplx-[A-Za-z0-9]{32,}"),
    Shape("vault", "dot", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{24,}", edge=True),
    Shape("docker", "joint", ("dckr_",), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    Shape("linear", "joint", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Shape("notion", "joint", ("ntn_",), r"ntn_[A-Za-z0-9]{40,}", edge=True),
    Shape("notion", "joint", ("secret_",), r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])", edge=True),
    Shape("sentry", "joint", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    Shape("cloudflare", "joint", ("cfk_", "cfut_", "cfat_"), r"cf(?:k|ut|at)_[A-Za-z0-9]{40,}"),
    Shape("azure", "joint", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", edge=True),
    Shape("mailgun", "joint", ("key-",), r"key-[0-9a-f]{32}(?![A-Za-z0-9])", edge=True),
    Shape("supabase", "joint", ("sbp_",), r"sbp_(?:v[0-9]_)?[0-9a-f]{40}", edge=True),
    Shape("vercel", "joint", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"vc[piark]_[A-Za-z0-9]{24,}", edge=True),
    Shape("netlify", "joint", ("nfp_",), r"nfp_[A-Za-z0-9]{36,}", edge=True),
    Shape("fly", "joint", ("fo1_", "fm1_", "fm2_"), r"f(?:o1|m[12])_[A-Za-z0-9+/=_-]{40,}", edge=True),
    Shape("airtable", "dot", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])", edge=True),
    Shape("heroku", "joint", ("HRKU-",), r"HRKU-[A-Za-z0-9_-]{30,}", edge=True),
    Shape("postman", "joint", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", edge=True),
    Shape("newrelic", "joint", ("NRAK-",), r"NRAK-[A-Z0-9]{27}(?![A-Za-z0-9])", edge=True),
    Shape("grafana", "joint", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", edge=True),
    Shape("terraform", "dot", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", edge=True),
    Shape("doppler", "dot", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    Shape("age", "joint", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    Shape("sentry", "at", ("@",), r"://([0-9a-f]{32})(?::[0-9a-f]{32})?@[A-Za-z0-9.-]{0,80}?(?:sentry|ingest)"),
    Shape(
        "jwt",
        "rare",
        (".eyJ",),
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    Shape("telegram", "separator", (":AA",), r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    Shape("azure", "separator", ("Key=",), r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    Shape("azure", "separator", ("sig=",), r"(?<![A-Za-z0-9])sig=([A-Za-z0-9%+/]{40,}={0,2})"),
)

# Printable ASCII without quotes, brackets and slashes: the prefilter reads the same characters from raw JSON.
URL_PASSWORD = r"://([!#-&(-.0-9;=?A-Z^_a-z{|}~]{0,100}):([!#-&(-.0-:;=?@A-Z^_a-z{|}~]{1,200})@(?=[A-Za-z0-9\[_$%{<])"

LOGINS = {  # command: how the password follows
    "curl": r"(?:-u|--user)[ =]{0,4}[\"']?[^\s:\"'\\]{1,100}:(?P<password>[^\s\"'\\]{6,128})",
    "sshpass": r"-p ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mysql": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mariadb": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "docker login": r"-p[ =][\"']?(?P<password>[^\s\"'\\]{6,128})",
}

# Names after which a value is a secret. `keys`, `tokens` and `secrets` are counts and lists: never.
WEAK_NAMES = ("password", "passwd", "pwd", "passphrase", "_pass")
STRONG_NAMES = ("secret", "token", "credential", "credentials")
KEY_OWNERS = (*("api", "access", "private", "secret", "signing", "encryption", "auth", "account", "master", "shared"),)
SUFFIXES = ("prod", "production", "dev", "staging", "test", "live", "base", "value")
NAME = (
    rf"(?P<core>(?P<weak>{'|'.join(WEAK_NAMES[:-1])}|(?<=[A-Za-z0-9])[_-]pass)"
    rf"|{'|'.join(STRONG_NAMES)}|(?:{'|'.join(KEY_OWNERS)})[_ -]?key)"
    rf"(?:[_-](?:{'|'.join(SUFFIXES)})|[_-]?[0-9])?"
)
GAP = r"[ \t\"'`\\\]]{0,24}"  # between a name and its separator: closing quotes, a subscript's bracket
_TYPE = r":[ ]?[A-Za-z_.]{1,20}(?:\[[A-Za-z, ]{1,20}\])?(?: \| (?:None|null|undefined))? = "  # token: str = "…"
_OPEN = r"(?:[bBrRuU]?\\{0,7}(?P<quote>[\"'`]))?"
ASSIGNED = rf"{NAME}{GAP}(?P<sep>{_TYPE}|:=|=>|={{1,3}}|:|>)[ \t]{{0,24}}{_OPEN}"
FLAG = rf"--(?:[a-z0-9]{{1,20}}-){{0,4}}{NAME}(?P<sep> ) {{0,4}}{_OPEN}"
VALUE_UNTIL = {
    '"': r"[^\s\"\\]*",
    "'": r"[^\s'\\]*",
    "`": r"[^\s`\\]*",
    ">": r"[^\s<>\"'\\]*",
    "": r"[A-Za-z0-9_\-+/.~!@#%^*:?$]*={0,2}",
}
CREDENTIALS = r"(?:(?P<scheme>bearer|basic|token|bot|apikey|digest)[ \t]{1,8})?(?P<secret>[A-Za-z0-9._~+/:=-]{8,4096})"
# The first eight characters are what the prefilter asks for.
BEARER = r"(?:\A|(?<=[ \"'`\\]))Bearer ([A-Za-z0-9._~-]{8}[A-Za-z0-9._~+/=-]{12,4088})"
_COOKIE_PAIR = r"(?:^|(?<=[;\s]))(?P<name>[A-Za-z0-9_.%-]{1,80})=(?P<value>[^;\s,]{12,2048})"
_COOKIE_NAMES = r"sess|sid|auth|token|jwt|remember|login|csrf|xsrf"
# FORGOT_PASSWORD is a message or an event, whatever is assigned to it.
_ABOUT_PASSWORDS = lazy(
    r"(?:reset|forgot|forgotten|change|update|confirm|invalid|wrong|incorrect|weak|show|hide|toggle|enter|missing|no|min|max"
    r"|error|err|event|type|field|input|label)[_-]?(?:new[_-]|old[_-]|your[_-])?$"
)
# Tokens of a tokeniser, a paginator or a scheduler are no secrets.
_HARMLESS_OWNER = lazy(
    r"(?:next|prev|page|pagination|continuation|continue|cancel|cancellation|abort|sync|resume"
    r"|eos|bos|pad|unk|sep|cls|mask|stop|start|end|special|design|syntax|cache|public)[_-]?$"
)
PLACEHOLDER = lazy(
    r"your|example|placeholder|change_?-?me|redacted|dummy|sample|insert|replace|fake|mock|todo|xxx|\*\*\*|\.\.\."
    r"|[<>\u2026]|\$\{|\{\{|\$\(|%\(|^\$|^%|^\{.*\}$|process\.env|environ|getenv|://|^(?:toolu|srvtoolu|msg|req)_",
    re.IGNORECASE,
)
_CALL = lazy(r"[A-Za-z_$][A-Za-z0-9_$.]*(?:\(|\[|\?\.|::|->)|^[(\[{]")
_DOTTED = lazy(r"!{0,2}[A-Za-z_$][A-Za-z0-9_$]*!?(?:[.:/?]+[A-Za-z_$*][A-Za-z0-9_$]*!?)+")
_PATH = lazy(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[^/\\]*[/\\.]|[^/\\]{0,24}$)")
_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_COLOUR = lazy(r"#[0-9a-fA-F]{3,8}")
_WORD = lazy(r"[A-Za-z]?[a-z]{3,}|[A-Z]{4,}")
_SYMBOL = lazy(r"[!@#$%^&*?+~|]")


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def is_plausible(token: str) -> bool:
    """A token of a known shape is real unless it is filler (`xxxx`) or plain words (`sk-circle-fade-dot`)."""
    classes = any(map(str.isdigit, token)), any(map(str.islower, token)), any(map(str.isupper, token))
    return sum(classes) >= 2 and len(set(token)) >= 6 and "xxxxxxxx" not in token.lower()


def _is_password(value: str, *, quoted: bool) -> bool:
    """Weak values count here, since people choose them; words, paths and code do not."""
    if not 6 <= len(value) <= 128 or not value.isascii() or not any(map(str.isalpha, value)):
        return False
    if not any(map(str.isdigit, value)) and not _SYMBOL.search(value):
        return False
    if PLACEHOLDER.search(value) or _PATH.match(value) or _DOTTED.fullmatch(value):
        return False
    if (not quoted and _CALL.search(value)) or _COLOUR.fullmatch(value):
        return False
    return _entropy(value) >= 2.2


def is_random(value: str) -> bool:
    """A value that a generator made: long, mixed, and not words joined by dashes."""
    size = len(value)
    if not 12 <= size <= 2048 or not value.isascii() or not value.isprintable() or " " in value:
        return False
    digits = sum(map(str.isdigit, value))
    if digits == size or PLACEHOLDER.search(value) or _PATH.match(value) or _CALL.search(value):
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


def is_secret(value: str, *, name: str, before: str, weak: bool, quoted: bool) -> bool:
    """Whether a value is a secret, given the name it was assigned to and what stands before that name."""
    if weak:
        return _is_password(value, quoted=quoted) or (name.isupper() and is_chosen(value, before=before))
    if name.lower() == "token" and before.endswith("_auth") and _UUID.fullmatch(value):
        return True  # .npmrc
    if _HARMLESS_OWNER.search(before) or (name.lower() == "token" and _UUID.fullmatch(value)):
        return False
    # Amazon's own documentation key is shaped like every other, and whoever tests a redactor tries it first.
    return is_random(value) or (_is_aws_secret(value, before) and is_plausible(value))


def is_chosen(value: str, *, before: str) -> bool:
    """Plain letters after a name in capitals (`DB_PASSWORD=`), where code would stand in no other name."""
    plain = compiled(r"[a-z][a-z_-]{7,127}").fullmatch(value)
    if plain is None or "passw" in value or value in WELL_KNOWN or PLACEHOLDER.search(value):
        return False
    return not _ABOUT_PASSWORDS.search(before) and _entropy(value) >= 2.2


def is_argument(value: str) -> bool:
    """The password of a command line: anything that is no variable, no path and no filler."""
    if not 6 <= len(value) <= 128 or not value.isascii() or value.lower() in WELL_KNOWN:
        return False
    return not (PLACEHOLDER.search(value) or VARIABLE.search(value) or _PATH.match(value) or _CALL.search(value))


def authorization(value: str) -> tuple[int, int] | None:
    """Where the secret of an Authorization header is, or None."""
    match = compiled(CREDENTIALS, re.ASCII | re.IGNORECASE).match(value)
    if match is None or not is_credentials(match):
        return None
    return match.span("secret")


def is_credentials(match: re.Match[str]) -> bool:
    secret, scheme = match["secret"], (match["scheme"] or "").lower()
    if scheme == "basic" and any(map(str.isupper, secret)) and any(map(str.islower, secret)):
        return not PLACEHOLDER.search(secret)
    return is_random(secret)


def session_cookies(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the secrets of a cookie header are: sessions by their name, others only if long and random."""
    for match in compiled(_COOKIE_PAIR, re.ASCII).finditer(text, start, end):
        value = match["value"]
        known = compiled(_COOKIE_NAMES, re.ASCII | re.IGNORECASE).search(match["name"])
        if is_random(value) and (known or (len(value) >= 32 and _entropy(value) >= 3.8)):
            yield match.span("value")


def _is_aws_secret(value: str, before: str) -> bool:
    return "secret" in before and compiled(r"[A-Za-z0-9+/]{40}").fullmatch(value) is not None


def kind_of(value: str, *, before: str, weak: bool) -> str:
    if weak:
        return PASSWORD
    return AWS_SECRET if _is_aws_secret(value, before) else SECRET


def kind_by_name(name: str, value: str) -> str | None:
    """The kind of a value that stands alone under a name, or None if it is no secret."""
    named = _named(name)
    if named is None:
        return None
    core, before = named
    weak = core.lower() in WEAK_NAMES or core.lower() in ("-pass", "pass")
    if not is_secret(value, name=core, before=before, weak=weak, quoted=True):
        return None
    return kind_of(value, before=before, weak=weak)


@lru_cache(4096)
def _named(key: str) -> tuple[str, str] | None:
    """The telling end of a dict key as it is written and, in lower case, what stands before it, or None."""
    if key.lower() == "pass":
        return key, ""
    match = compiled(NAME + r"\Z", re.ASCII | re.IGNORECASE).search(key)
    return (match["core"], key[: match.start()].lower()) if match else None


@cache
def compiled(pattern: str, flags: int = re.ASCII) -> re.Pattern[str]:
    """Compiled on first use: a hook that meets no secret compiles the prefilter and nothing else."""
    return re.compile(pattern, flags)


WELL_KNOWN = frozenset(
    (
        *("password", "passwd", "pass", "postgres", "mysql", "mongo", "redis", "rabbitmq", "minio", "guest", "default"),
        *("required", "optional", "undefined", "disabled", "enabled", "redacted", "something", "whatever", "anything"),
        *("password123", "supersecret", "my-secret-pw", "secretpassword", "credentials", "changeit"),
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
VARIABLE = lazy(r"^[$%{<\[(]|[{}]|^[A-Z][A-Z_]*$|^[*.x]+$")
