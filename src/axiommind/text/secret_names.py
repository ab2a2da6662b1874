r"""Names that announce a secret, in English, Korean, Chinese and Japanese, and what stands between name and value.

Owns the words, their regexes, and which owners make a name harmless (`next_page_token`). Refuses: values and positions.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from axiommind.text.patterns import lazy

__all__ = ["ASSIGNED", "CJK_ASSIGNED", "CJK_WORDS", "LOGINS", "SCAN", "Telling", "telling", "telling_key"]


class Telling(Enum):
    """What a name says of its value."""

    PASSWORD = 1  # people choose these: weak values count
    SECRET = 2  # generated
    PERHAPS = 3  # `CACHE_KEY`, `auth`: generated, and nothing that a hash or an id could be


_PASSWORDS = (
    r"passw(?:or)?d|passwort|passphrase|passcode|pwd|(?<![A-Za-z])psk|(?<=[_.\"'-])pass"
    r"|identified (?:with [a-z0-9_]{1,40} )?by|(?<![A-Za-z])(?:contrasena|mot de passe|senha|wachtwoord)"
    r"|(?-i:(?<=[a-z])Pass)|(?-i:(?<![A-Za-z0-9-])pass)(?=[ ]?[=:][ ]?[^\s=:])|(?<![A-Za-z])pw"
)
_OWNERS = (
    *(
        "api",
        "access",
        "private",
        "priv",
        "secret",
        "signing",
        "sign",
        "encryption",
        "encrypt",
        "auth",
        "account",
        "master",
    ),
    *(
        "shared",
        "service",
        "client",
        "admin",
        "app",
        "hmac",
        "jwt",
        "webhook",
        "subscription",
        "license",
        "deploy",
        "server",
    ),
    *(
        "session",
        "cookie",
        "storage",
        "function",
        "host",
        "root",
        "recovery",
        "security",
        "crypto",
        "cipher",
        "aes",
        "rsa",
    ),
    # vendors, before a key of theirs
    *("openai", "anthropic", "gemini", "azure", "mistral", "groq", "cohere", "stripe", "sendgrid", "twilio", "mailgun"),
    *("datadog", "supabase", "firebase", "pinecone", "algolia", "cloudflare", "aws", "maps", "sentry", "elevenlabs"),
)
_SECRETS = (
    rf"secret|token|credentials?|creds|apikey|(?:{'|'.join(_OWNERS)})[_ .-]?keys?(?:[_-]?base)?|client[_-]key[_-]data"
    r"|connection[_-]?string|access[_-]?code|auth[_-]?code|pat(?<=[_-]pat)"
)
_PERHAPS = r"(?<=[A-Z0-9]_)KEY|(?<=[a-z0-9])Key|(?<=[a-z0-9][_-])key|(?<![A-Za-z])auth|(?<=_)auth|identitytoken|pepper|salt|cred"  # noqa: E501
_SUFFIX = (
    r"(?:[_.-]?(?:string|prod|production|dev|development|staging|stage|test|testing|live|base|value|data|text|plain|raw|old|new|backup"
    r"|primary|secondary|main|default|local|v[0-9]|[0-9]{1,2}))?"
)
NAME = rf"(?P<core>(?P<weak>(?i:{_PASSWORDS}))|(?P<strong>(?i:{_SECRETS}))|(?P<perhaps>{_PERHAPS}))(?i:{_SUFFIX})(?![A-Za-z0-9])"  # noqa: E501
# Between a name and its separator: closing quotes, a subscript's bracket, the stars of Markdown, an annotated type.
GAP = r"[ \t\"'`\\\]*)]{0,12}"
_PARTICLES = "은|는|이|가|을|를|は|が|を|是|(?:设置|設定|设|設|改|更新|换|換)?(?:为|為|成)|의 값은|の値は"
# token: str = "…", `token?: string = '…'`, token: &'static str = "…", token string = "…", token As String = "…"
_TYPE = (
    r"\??:[ ]?&?(?:'[a-z]{1,8} )?[A-Za-z_.]{1,20}(?:\[[A-Za-z, ]{1,20}\])?(?: \| (?:None|null|undefined))? = "
    r"|(?<=[ \t])(?:string|As String) = "
)
# What a value is wrapped in: `String::from("…")`, `SecretStr("…")`, `b64decode("…")`.
_WRAP = (
    r"(?:(?:new )?(?:String(?:::from)?|Secret(?:Str|String|Bytes)?(?:::new|::from)?|Zeroizing::new|Buffer\.from|Some"
    r"|str|bytes|atob|(?:base64\.)?b64decode)\((?=\\{0,7}[\"'`]))?"
)
SEPARATOR = (
    r"(?P<sep>,?[ \t]{0,4}\\{0,7}[\"']?[vV]alue\\{0,7}[\"']?[ \t]{0,4}[:=]|"
    rf"{_TYPE}|:=|=>|->|\((?=[ ]?\\{{0,7}}[\"'`])|(?<=[ \t])\((?=[A-Za-z0-9])|(?<=[ \t])[-\u2013\u2014](?=[ \t])"
    r"|[ ]?\{[ ]?(?=\\{0,7}[\"'`])|(?<=[ \t])by lazy \{"
    r"|\?=|={1,3}|::?|\uff1a|\uff1d|\u2192|>|\|\||\?\?|\||,|(?<=[ \t])(?:is|was|to be|to)(?=[ \t])"
    rf"|(?:{_PARTICLES})(?:\s?[:\uff1a=])?|(?<=[ \t])(?=\\{{0,7}}[\"'`]|[!-/:-~]{{0,11}}[0-9][!-~]{{6}}))"
)
# One quote, or three of them.
_TWO_MORE = r"(?:(?:\\{0,7}[\"']){2}(?=\\{0,7}[\"'][^\s\"'\\]))?"
OPEN = rf"(?:[bBrRuUfF]?{_TWO_MORE}\\{{0,7}}(?P<quote>[\"'`\u201c\u2018\u300c\u300e\u300a]))?"
_BREAK = r"(?:[ \t*]{0,12}(?:(?:[|>][+-]?)?(?:\r?\n|\\r?\\n|\\n)[ \t+]{1,40})?)"
ASSIGNED = rf"{NAME}{GAP}{SEPARATOR}{_BREAK}{_WRAP}{OPEN}"
FLAG = rf"--(?<![A-Za-z0-9-]--)(?:[a-z0-9]{{1,20}}-){{0,4}}?{NAME}(?P<sep> ) {{0,4}}{OPEN}"

_CJK_PASSWORDS = (
    *(
        "비밀번호",
        "비밀 번호",
        "암호",
        "패스워드",
        "비번",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証番号",
        "合言葉",
        "パスフレーズ",
        "ｐａｓｓｗｏｒｄ",
        "ＰＡＳＳＷＯＲＤ",
        "contraseña",
        "пароль",
    ),
)
_CJK_SECRETS = (
    *(
        "토큰",
        "시크릿",
        "비밀키",
        "비밀 키",
        "개인키",
        "개인 키",
        "인증키",
        "인증 키",
        "API키",
        "API 키",
        "서비스키",
        "서비스 키",
        "액세스 키",
        "액세스키",
    ),
    *(
        "접근 키",
        "보안 키",
        "보안키",
        "암호화 키",
        "서명 키",
        "자격 증명",
        "令牌",
        "密钥",
        "密鑰",
        "私钥",
        "私鑰",
        "秘钥",
        "凭证",
        "凭据",
    ),
    *(
        "憑證",
        "トークン",
        "秘密鍵",
        "秘密キー",
        "シークレット",
        "APIキー",
        "API キー",
        "アクセスキー",
        "アクセス キー",
        "認証情報",
    ),
    *("認証キー", "暗号鍵", "暗号化キー", "署名キー", "鍵は", "接続文字列", "授权码", "授權碼"),
)
CJK_WORDS = (*_CJK_PASSWORDS, *_CJK_SECRETS)
CJK_FIRST = f"[{''.join(sorted({next(c for c in word if not c.isascii()) for word in CJK_WORDS}))}]"
_CJK_SEPARATOR = rf"(?: ?(?:키|キー|값|値|值|的值|の値))?[ \t\"'`*\\\])]{{0,8}}(?P<particle>{_PARTICLES})?[ \t]{{0,4}}(?P<sep>:=|[:\uff1a=\uff1d\u2192,、|(\uff08]|->|=>)?[ \t*]{{0,8}}"  # noqa: E501
CJK_ASSIGNED = rf"(?i:(?P<weak>{'|'.join(_CJK_PASSWORDS)})|(?P<strong>{'|'.join(_CJK_SECRETS)})){_CJK_SEPARATOR}{OPEN}"

# As a scanner that knows neither looking back nor Unicode reads names: never fewer than `NAME` and its gaps.
SCANNED = rf"(?i:passw(?:or)?d|passwort|passphrase|passcode|pwd|pass|pw|psk|identified (?:with [a-z0-9_]+ )?by|contrasena|mot de passe|senha|wachtwoord|{_SECRETS.replace('|pat(?<=[_-]pat)', '|[_-]pat')})(?i:{_SUFFIX})"  # noqa: E501
SCANNED_PERHAPS = rf"(?i:[a-z0-9][_-]?key|auth|pepper|salt|cred)(?i:{_SUFFIX})"
SCANNED_GAP = r"[ \t\"'`\\\]*)]{0,12}"
SCANNED_SEPARATOR = (
    r"(?:[:=>|,]|[ ]?\{[ ]?\\*[\"'`]|by lazy"
    r"|[vV]alue|[ \t]\\*[\"'`]|\?[=?:]|->|(?:is|was|to be|to)[ \t]|\([ ]?\\*[\"'`]|[ \t]\([A-Za-z0-9]"
    r"|[ \t]-[ \t]|(?:[ \t]|\\t)[!-/:-~]{0,11}[0-9][!-~]{6}|[ \t](?:string|As String) =|</key|\xe2\x86\x92)"
)
# The particles as UTF-8 has them, and as JSON may escape them.
SCANNED_PARTICLE = "(?:{})".format(
    "|".join(
        form
        for char in "은는이가을를은의はがをの是为為\uff1a\uff1d\u2192\u2013\u2014"
        for form in (re.escape(char.encode().decode("latin-1")), rf"(?i:\\+u{ord(char):04x})")
    )
)
# The head of a column in a table, as a whole cell.
_CELL_END = r"(?:[|,\t\r\n]|\\+[nrt])"
SCANNED_HEAD = (
    rf"\|[ *`]*[A-Za-z0-9_.-]*{SCANNED}[ *`]*{_CELL_END}"
    rf"|(?:[,\t\r\n]|\\[nt])[\"'\\]*[A-Za-z0-9_.-]*{SCANNED}[\"'\\]*{_CELL_END}"
)
CJK_HEAD = rf"(?i)\|[^|\r\n]{{0,12}}?(?:{'|'.join(CJK_WORDS)})(?: ?(?:키|キー))?[ *`]*(?=\||[\r\n]|\\[nr]|\Z)"
# Commands and settings in which a blank stands between a name and its value.
SET_BY = r"ENV|setenv|set -[A-Za-z]+|git config(?: --?[a-z-]+)+|(?:config|configure|env|secrets?|variable) (?:set|add)"
PASSED = r"requirepass|masterauth|auth_pass"
STDIN = (
    r"--password-stdin|--with-token|sudo (?:-[a-zA-Z]+ )*-S|passwd --stdin|chpasswd|secret (?:set|put)|vercel env add"
    r"|secrets (?:versions add|create)"
)
# What makes a secret of the text that it is given, and who takes one after the name of a user.
WRAPPED = r"(?:SecureString(?: -String)?[ (]|Secret(?:Str|String|Bytes)\()[ ]?(?=\\*[\"'])"
AFTER_USER = r"htpasswd(?: -[A-Za-z]+)*? -[A-Za-z]*b[A-Za-z]*"
# In prose: `… as the password`, `the token you need: "…"`.
_SAID = r"(?:password|passphrase|token|secret|api[ _-]?key)"
AS_SECRET = rf" as (?:the|a|an|my|our|your|its) (?:[a-z]+ )?{_SAID}"
SAID_BEFORE = rf"{_SAID}(?: [a-z]+){{1,4}}:[ ]?\\*[`\"']"
# Secrets that a command stores for others: what is given to it needs no telling name.
STORED = r"(?:secret set|create-secret|put-secret-value)"
STORED_BY = r"(?:-b|--body|--secret-string)[ =]?"
NAMED_VALUE = r"put-parameter|set-secret"
# Two quoted words in brackets: a user and a password.
PAIRED = (
    r"(?:Basic_?Auth|DigestAuth|NetworkCredential|UsernamePasswordCredentials?|PasswordAuthentication|basic_?auth"
    r"|[aA]uth ?= ?|\.login)\([ ]?\\*[\"']"
)
PGPASS = r":(?:5[0-9][0-9][0-9]|6432|\*):[A-Za-z0-9_*.-]+:[A-Za-z0-9_.-]+:"  # host:port:database:user:password
SCAN = rf"(?:{SCANNED}|{SCANNED_PERHAPS}){SCANNED_GAP}(?:{SCANNED_SEPARATOR}|\?)"

LOGINS = {  # command: how the password follows
    "curl": r"(?:-u|--user)[ =]{0,4}[\"']?[^\s:\"'\\]{1,100}:(?P<password>[^\s\"'\\]{6,128})",
    "sshpass": r"-p ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mysql": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mysqldump": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mariadb": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "docker login": r"-p[ =][\"']?(?P<password>[^\s\"'\\]{6,128})",
    "redis-cli": r"-a[ =]?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "add-generic-password": r"-w ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "add-internet-password": r"-w ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "zip": r"-P ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "7z": r"-p[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "sqlcmd": r"-P ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "ldapsearch": r"-w ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "keytool": r"-(?:store|key)pass ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "ssh-keygen": r"-N ?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "twine upload": r"-p[ =]?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "az login": r"-p[ =]?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "mongosh": r"-p[ =]?[\"']?(?P<password>[^\s\"'\\]{6,128})",
    "openssl": r"-pass(?:in|out)? pass:(?P<password>[^\s\"'\\]{6,128})",
}

_HUMP = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
# FORGOT_PASSWORD is a message or an event, whatever is assigned to it.
_ABOUT = lazy(
    r"(?<![a-z])(?:reset|forgot|forgotten|change|update|confirm|invalid|wrong|incorrect|weak|show|hide|toggle|enter|missing|no|min|max"
    r"|error|err|event|type|field|input|label|hash|hashed|encrypted)[_-]?(?:new[_-]|old[_-]|your[_-])?$"
)
# Tokens of a tokeniser, a paginator or a scheduler are no secrets, and neither are keys of a map.
_HARMLESS = lazy(
    r"(?<![a-z])(?:next|prev|previous|page|pagination|continuation|continue|cancel|cancellation|abort|sync|resume|cursor"
    r"|eos|bos|pad|unk|sep|cls|mask|stop|start|end|special|design|syntax|cache|public|pub|max|min|num|total|input|output"
    r"|primary|foreign|sort|partition|hash|object|idempotency|dedupe|dedup|row|map|dict|i18n|translation|query|react|routing"
    r"|route|lookup|registry|group|unique|index|item|shortcut|hot|arrow|event|meta|ctrl|shift|alt|modifier|bundle|issue|field"
    r"|column|localstorage|local_storage|state|redux|config|settings?|feature|flag|metric|label|tag|parent|child|left|right|node"
    r"|wrapped|encrypted|folder|file|record|entry|user_id|message|log|trace|span|tree|block|short|yubi|ssh_host|known|host_rsa)[_-]?$"
)


def telling(match: re.Match[str], before: str) -> Telling | None:
    """What the name of an assignment says, or None: `before` is what stands in front of its core."""
    before = _HUMP.sub("_", before).lower()
    if match["weak"]:
        return None if _ABOUT.search(before) else Telling.PASSWORD
    if _HARMLESS.search(before):
        return None
    return Telling.SECRET if match["strong"] else Telling.PERHAPS


@lru_cache(4096)
def telling_key(key: str) -> tuple[Telling, str] | None:
    """The same for the key of a dict, which stands alone; with the name's end as it is written."""
    from axiommind.text.secret_shapes import compiled

    if key.lower() == "pass":
        return Telling.PASSWORD, key
    match = compiled(NAME + r"\Z").search(key) if key.isascii() else None
    if match is not None:
        told = telling(match, key[: match.start()])
        return None if told is None else (told, key)
    if not key.isascii():
        cjk = compiled(rf"(?:{'|'.join(_CJK_PASSWORDS)})(?:\s*\Z)").search(key.lower())
        if cjk:
            return Telling.PASSWORD, key
        if any(word in key.lower() for word in map(str.lower, _CJK_SECRETS)) and len(key) < 24:
            return Telling.SECRET, key
    return None
