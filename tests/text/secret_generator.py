"""Draws secrets: values by each vendor's shape, generated values after telling names, and the carriers they come in.

Seeded, so that a figure can be repeated. Nothing here is a real secret, and nothing is written down: all is drawn.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from typing import Any

from axiommind.text.secret_shapes import SHAPES, Shape

ALNUM = string.ascii_letters + string.digits


def draw(pattern: str, rng: random.Random) -> str:
    """A string that the pattern matches."""
    return "".join(_drawn(re._parser.parse(pattern), rng))  # type: ignore[attr-defined]


def _drawn(parsed: Any, rng: random.Random) -> Iterator[str]:
    for op, argument in parsed:
        name = str(op)
        if name == "LITERAL":
            yield chr(argument)
        elif name == "IN":
            yield rng.choice(_members(argument))
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            for _ in range(rng.randint(least, min(int(most), least + 12))):
                yield from _drawn(inner, rng)
        elif name == "SUBPATTERN":
            yield from _drawn(argument[3], rng)
        elif name == "BRANCH":
            yield from _drawn(rng.choice(argument[1]), rng)
        elif name not in ("ASSERT", "ASSERT_NOT", "AT"):
            raise ValueError(name)


def _members(argument: Any) -> str:
    members = ""
    for op, value in argument:
        if str(op) == "LITERAL":
            members += chr(value)
        elif str(op) == "RANGE":
            members += "".join(map(chr, range(value[0], value[1] + 1)))
    return "".join(c for c in members if c not in "\\\n\r\t ") or "A"


def vendor_secrets(rng: random.Random, each: int) -> Iterator[tuple[str, str]]:
    """Kind and value, `each` times for every shape."""
    for shape in SHAPES:
        for _ in range(each):
            yield shape.kind, vendor_value(shape, rng)


def vendor_value(shape: Shape, rng: random.Random) -> str:
    if shape.kind == "private-key":
        armour = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + "".join(rng.choices(ALNUM, k=400))
        return base64.b64encode(armour.encode()).decode()
    if shape.kind == "jwt" and shape.literals == ("eyJ",):
        parts = [json.dumps({"alg": "HS256", "kid": _text(rng, ALNUM, 8)}), json.dumps({"sub": _text(rng, ALNUM, 12)})]
        head, body = (base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)
        return f"{head}.{body}.{_text(rng, ALNUM + '-_', 43)}"
    return draw(shape.pattern, rng)


def _text(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


DJANGO = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)"
PUNCTUATED = ALNUM + "!@#$%^&*-_+=?~"
VALUES: dict[str, Callable[[random.Random], str]] = {
    "letters and digits": lambda rng: _text(rng, ALNUM, rng.choice((16, 20, 24, 32, 40))),
    "hexadecimal": lambda rng: _text(rng, "0123456789abcdef", rng.choice((24, 32, 48, 64))),
    "base64": lambda rng: base64.b64encode(rng.randbytes(rng.choice((16, 24, 32, 48)))).decode(),
    "base64 for URLs": lambda rng: (
        base64.urlsafe_b64encode(rng.randbytes(rng.choice((16, 24, 32)))).decode().rstrip("=")
    ),
    "Django's": lambda rng: _text(rng, DJANGO, 50),
    "punctuation": lambda rng: _text(rng, PUNCTUATED, rng.choice((12, 16, 20, 24))),
    "lower case and digits": lambda rng: _text(rng, string.ascii_lowercase + string.digits, rng.choice((20, 32))),
    "capitals and digits": lambda rng: _text(rng, string.ascii_uppercase + string.digits, rng.choice((20, 32))),
}
NAMES = (
    *(
        "API_KEY",
        "MY_API_KEY",
        "SECRET_KEY",
        "DB_PASSWORD",
        "ACCESS_TOKEN",
        "AZURE_OPENAI_KEY",
        "JWT_SECRET",
        "CLIENT_SECRET",
    ),
    *(
        "api_key",
        "apiKey",
        "password",
        "client_secret",
        "accessToken",
        "auth_token",
        "privateKey",
        "db.password",
        "signing-key",
    ),
)
# A carrier puts a value after a name, as such files and texts do.
CARRIERS: dict[str, Callable[[str, str], str]] = {
    "environment": lambda name, value: f"DEBUG=1\n{name}={value}\nPORT=80\n",
    "shell": lambda name, value: f"export {name}='{value}' && make deploy",
    "json": lambda name, value: json.dumps({"host": "db1", name: value, "port": 5432}),
    "json in json": lambda name, value: json.dumps({"content": json.dumps({name: value, "n": 1})}),
    "yaml": lambda name, value: f'service:\n  {name}: "{value}"\n  replicas: 2\n',
    "python": lambda name, value: f'{name} = "{value}"  # from the vault\n',
    "toml": lambda name, value: f'[auth]\n{name} = "{value}"\n',
    "log": lambda name, value: f"2026-05-01 12:00:00 DEBUG loaded {name}={value} from env",
    "diff": lambda name, value: f'-{name} = ""\n+{name} = "{value}"\n context',
    "prose": lambda name, value: f"Use {name}: {value} for the staging cluster.",
    "docker": lambda name, value: f"docker run -e {name}={value} -p 80:80 app",
    "terminal": lambda name, value: f"\x1b[32m{name}\x1b[0m=\x1b[1m{value}\x1b[0m\n",
}
# Vendors' tokens need no name.
BARE: dict[str, Callable[[str], str]] = {
    "alone": lambda value: value,
    "environment": lambda value: f"A=1\nSOME_THING={value}\nB=2",
    "json": lambda value: json.dumps({"a": value}),
    "json in json": lambda value: json.dumps(json.dumps({"a": value})),
    "yaml": lambda value: f"- value: {value}\n  other: 1",
    "python": lambda value: f'client = Client("{value}", timeout=3)',
    "shell": lambda value: f"export X='{value}'; run",
    "header": lambda value: f"curl -H 'X-Custom: {value}' https://api.example.org",
    "url": lambda value: f"https://api.example.org/v1?x={value}&y=2",
    "log": lambda value: f"[12:00:01] WARN request with {value} failed (401)",
    "diff": lambda value: f'+  key: "{value}",\n-  key: "",',
    "korean": lambda value: f"이 값은 {value} 입니다",
    "chinese": lambda value: f"请使用 {value}，谢谢",
    "japanese": lambda value: f"値は「{value}」です",
    "colours": lambda value: f"\x1b[33m{value[:7]}\x1b[0m\x1b[33m{value[7:]}\x1b[0m",
    "zero width": lambda value: value[: len(value) // 2] + "\u200b" + value[len(value) // 2 :],
    "two lines": lambda value: f"token is\n{value[: len(value) * 2 // 3]}\n{value[len(value) * 2 // 3 :]}\nand more",
}
FOUR_LANGUAGES: dict[str, tuple[str, ...]] = {
    "english": (
        "The password is {0} for now",
        "password: {0}",
        "API key: {0}",
        "my token is {0}",
        "the secret key is {0}, keep it",
    ),
    "korean": (
        "비밀번호: {0}",
        "비밀번호는 {0} 입니다",
        "암호는 '{0}'로 설정",
        "토큰: {0}",
        "API 키는 {0} 이에요",
        "액세스 토큰 = {0}",
    ),
    "chinese": ("密码：{0}", "密码是 {0}", "口令: {0}", "令牌为{0}，请保存", "密钥：{0}", "访问令牌 = {0}"),
    "japanese": (
        "パスワード：{0}",
        "パスワードは {0} です",
        "秘密鍵: {0}",
        "トークン：「{0}」",
        "APIキーは {0} です",
        "アクセスキー = {0}",
    ),
}
