"""A second generator, written after the rules and without looking at what they miss: other values, names and carriers.
What it says of the rules is worth more than what the first one says."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Iterator

# Each group, and how much of it may be missed.
GROUPS = {"settings": 0.03, "files": 0.03, "prose": 0.03, "vendors": 0.01}
_SAFE = string.ascii_letters + string.digits
_NAMES = (
    *("STRIPE_SECRET_KEY", "OPENAI_API_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "SESSION_SECRET", "ENCRYPTION_KEY"),
    *("GITHUB_TOKEN", "WEBHOOK_SECRET", "SMTP_PASSWORD", "AWS_SECRET_ACCESS_KEY", "refresh_token", "clientSecret"),
    *("db_password", "apiToken", "admin_password", "privateKey", "service_account_key", "masterKey"),
)


def _value(rng: random.Random) -> str:
    size = rng.choice((16, 18, 21, 22, 27, 32, 43))
    alphabet = rng.choice((_SAFE, _SAFE + "-_", _SAFE + "+/", string.hexdigits.lower()[:16], _SAFE + "!@%^*-_=+"))
    return "".join(rng.choice(alphabet) for _ in range(size if alphabet is not string.hexdigits else 32))


def _settings(rng: random.Random) -> Iterator[tuple[str, str]]:
    forms = (
        "{n}={v}",
        "set {n}={v}\r\n",
        "$env:{n} = '{v}'",
        "ENV {n}={v}",
        "  - {n}={v}",
        '{n} := "{v}"',
        "{n}: '{v}',",
        'os.environ["{n}"] = "{v}"',
        "const {n} = `{v}`;",
        '<add key="{n}" value="{v}" />',
        'setx {n} "{v}"',
        '{{"name": "{n}", "value": "{v}"}}',
    )
    for form in forms:
        for name in _NAMES:
            value = _value(rng)
            yield form.format(n=name, v=value), value


def _files(rng: random.Random) -> Iterator[tuple[str, str]]:
    for _ in range(12):
        value = _value(rng)
        pair = base64.b64encode(f"robot:{value}".encode()).decode()
        yield '{"auths": {"registry.example.org": {"auth": "' + pair + '"}}}', pair
        yield f"//registry.npmjs.org/:_authToken={value}\n", value
        yield f"machine api.example.org\n  login robot\n  password {value}\n", value
        yield f"users:\n- name: admin\n  user:\n    token: {value}\n", value
        der = base64.b64encode(rng.randbytes(120)).decode()
        yield f"    client-key-data: {der}\n", der
        secret = base64.b64encode(rng.randbytes(18)).decode()
        yield f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  thing: {secret}\n", secret
        yield f"[default]\naws_secret_access_key = {''.join(rng.choices(_SAFE + '+/', k=40))}\n", "\0"
        yield f"Server=db;Database=x;User Id=sa;Password={value};Encrypt=true", value
        plain = "".join(rng.choices(_SAFE, k=14))
        yield f"mongodb+srv://robot:{plain}/{plain[:3]}@cluster0.example.net/app", f"{plain}/{plain[:3]}"
        yield f"curl -X POST -H 'Authorization: Bearer {plain}{plain[::-1]}' https://x.example.org", plain + plain[::-1]
        words = " ".join(rng.choices(("maple", "otter", "violin", "harbour", "copper", "lantern", "meadow"), k=4))
        yield f'password: "{words}"\n', words


def _prose(rng: random.Random) -> Iterator[tuple[str, str]]:
    forms = (
        *("the admin password is {0}", "Password = {0}", "here is my api key: {0}", "token: `{0}`", "secret: **{0}**"),
        *("관리자 비밀번호는 {0} 이고", "패스워드: {0}", "시크릿 키: {0}", "인증 토큰: {0}", "비번은 {0} 이야"),
        *("管理员密码是{0}", "数据库密码: {0}", "访问密钥为 {0}", "口令：{0}。", "API密钥：{0}"),
        *("管理者のパスワードは{0}です", "トークンは {0} です", "秘密鍵：{0}", "APIキー: {0}", "暗証番号は「{0}」"),
    )
    for form in forms:
        for _ in range(6):
            value = _value(rng)
            yield form.format(value), value


def _vendors(rng: random.Random) -> Iterator[tuple[str, str]]:
    def some(size: int, alphabet: str = _SAFE) -> str:
        return "".join(rng.choices(alphabet, k=size))

    hexes = "0123456789abcdef"
    for _ in range(10):
        made = (
            *("gh" + "p_" + some(36), "gl" + "ft-" + some(20), "nv" + "api-" + some(64), "sb" + "_secret_" + some(31)),
            *(
                "fi" + "gd_" + some(40),
                "ATA" + "TT3" + some(180),
                "AK" + "IA" + some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            ),
            *("sk" + "-ant-api03-" + some(93) + "AA", "xo" + "xb-" + some(12, string.digits) + "-" + some(24)),
            *("hv" + "s." + some(95), "do" + "p_v1_" + some(64, hexes), "py" + "pi-AgEIcHlwaS5vcmc" + some(70)),
            *("AI" + "za" + some(35), "SG" + "." + some(22) + "." + some(43), "dapi" + some(32, hexes)),
            f"waka_{uuid.UUID(int=rng.getrandbits(128), version=4)}",
        )
        for value in made:
            yield f"git remote add x https://robot:{value}@git.example.org/x.git", value
            yield f"| token | `{value}` |", value
            yield f'\\n  \\"v\\": \\"{value}\\",\\n', value
            yield f"@@ -1 +1 @@\n-old\n+{value}\n", value


def drawn(group: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Texts, and the value that must not be left in each."""
    makers = {"settings": _settings, "files": _files, "prose": _prose, "vendors": _vendors}
    yield from makers[group](rng)
