"""Where secrets stand in what programs print: tables, files and command lines, and each of them in JSON, coloured, in a
diff, or with numbered lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from axiommind.text.redaction import Redactor

REDACTOR = Redactor(b"a key of this home")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HERE = (
    "| user | password |\n|------|----------|\n| bob  | {} |\n",
    "| token | user |\n|---|---|\n| {} | bob |\n",
    " id | name | password \n----+------+----------\n  1 | bob | {}\n(1 row)",
    "+----+----------+\n| id | password |\n+----+----------+\n|  1 | {} |\n+----+----------+",
    "| 사용자 | 비밀번호 |\n|---|---|\n| kim | {} |",
    "| パスワード | {} |",
    "some text\nuser,password\nbob,{}\n",
    "name,api_key,role\nci,{},admin\n",
    "name\ttoken\nci\t{}\n",
    "db.example.org:5432:app:appuser:{}",
    "ENV DB_PASSWORD {}",
    "setenv MY_TOKEN {}",
    "set -gx GITHUB_TOKEN {}",
    "aws configure set aws_secret_access_key {}",
    "npm config set //registry.example.org/:_authToken {}",
    "requirepass {}",
    "echo '{}' | docker login -u me --password-stdin",
    "gh auth login --with-token <<< {}",
    "git clone https://{}@git.example.org/x/y",
    "twine upload -u me -p {} dist/*",
    "ssh-keygen -t ed25519 -N '{}' -f key",
    "CREATE USER 'bob'@'%' IDENTIFIED BY '{}';",
    'psk="{}"',
    "user: me, pass: {}",
    '{{"비밀번호": "{}"}}',
    "パスワードは「{}」です",
    "数据库密码：{}，请勿外传",
    "비밀번호는 {} 입니다",
    "password → {}",
)


def numbered(text: str) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1))


CARRIERS: dict[str, Callable[[str, str], str]] = {
    "as it is": lambda text, _: text,
    "JSON": lambda text, _: json.dumps({"out": text}),
    "JSON in JSON": lambda text, _: json.dumps({"out": json.dumps({"text": text})}),
    "JSON in letters": lambda text, _: json.dumps({"out": json.dumps(text, ensure_ascii=False)}, ensure_ascii=False),
    "coloured": lambda text, value: text.replace(value, f"\x1b[33m{value[:6]}\x1b[0m\x1b[1m{value[6:]}\x1b[0m"),
    "a diff": lambda text, _: "\n".join(f"+{line}" for line in text.split("\n")),
    "cat -n": lambda text, _: numbered(text),
}


@pytest.mark.parametrize("text", HERE)
def test_a_value_is_found_wherever_it_stands(text: str) -> None:
    rng = random.Random(text)
    for carrier, carry in CARRIERS.items():
        value = "".join(rng.choice(LETTERS) for _ in range(32))
        given = carry(text.format(value), value)
        seen = REDACTOR.text(given).replace("\x1b[33m", "").replace("\x1b[0m", "").replace("\x1b[1m", "")
        assert value not in seen, carrier
        for escaped in (True, False):
            raw = json.dumps({"text": given}, ensure_ascii=escaped).encode()
            assert REDACTOR.suspects(raw), f"{carrier}: the prefilter lets it through"


@pytest.mark.parametrize(
    "text",
    [
        "| option | password | token |\n|---|---|---|\n| kind | argon2id | base64url |\n| size | 128 | varchar(255) |",
        "| token | what the server answers with |",
        "import user, password, token\nfoo, bar, baz1\n",
        "id,password,name\n1,argon2id,first\n",
        "GET :5000:/users:list:/items/42",
        "git clone https://a-very-long-user-name@git.example.org/x",
        "--- PASS: TestThatTheServerAnswers2 (0.02s)\npass: 12\npass = True",
        "npm config set token-endpoint https://example.org/v2",
        "a page that says \\u2192 and \\u2014 and \\u00e9",
    ],
)
def test_tables_and_command_lines_without_a_secret_are_left_alone(text: str) -> None:
    assert REDACTOR.text(text) == text


def test_what_is_escaped_is_replaced_where_it_stands() -> None:
    value = "Kp9#mzQ2wX7u"
    given = json.dumps({"비밀번호": value, "그리고": "다음"})
    redacted = json.loads(REDACTOR.text(given))
    assert redacted["그리고"] == "다음" and redacted["비밀번호"].startswith("[redacted:password:")
