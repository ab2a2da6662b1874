"""Every kind is found, ordinary code is left alone, and the laws of the redactor hold."""

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.text.redaction import MARK, Redactor, kinds
from axiommind.text.secret_shapes import SHAPES
from tests.counting import ending, grows_linearly
from tests.examples import examples

REDACTOR = Redactor(b"a key of this home")

# Built at run time, so that nothing in this repository looks like a secret.
A, HEX, MIX = "A1b2C3d4", "0123456789abcdef", "a1B2-c3D4_e5F6g7H8i9J0"
PEM = "-----BEGIN {0}PRIVATE " + "KEY-----\n" + ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2 + "\n") * 4
PEM_END = "-----END {0}PRIVATE " + "KEY-----"
PGP = (
    "-----BEGIN PGP PRIVATE "
    + "KEY BLOCK-----\nVersion: GnuPG v2\n\n"
    + ("lQOYBF1234567890ABCDEFabcdefGHIJ" * 2 + "\n") * 6
)
PGP += "=aB3d\n-----END PGP PRIVATE " + "KEY BLOCK-----"
SECRETS = [
    ("anthropic", "sk-" + "ant-api03-" + MIX * 4),
    ("anthropic", "sk-" + "ant-oat01-" + MIX * 2),
    ("openai", "sk" + "-" + A * 6),
    ("openai", "sk" + "-proj-" + MIX * 5),
    ("aws-access-key", "AK" + "IA" + "QWERTY234567ZXCV"),
    ("aws-access-key", "AS" + "IA" + "QWERTY234567ZXCV"),
    *(("github", f"gh{letter}" + "_" + "A1b2" * 9) for letter in "pousr"),
    ("github", "github" + "_pat_" + "A1b2" * 5 + "_" + "C3d4" * 10),
    ("gitlab", "gl" + "pat-" + "a1B2_c3D4-e5F6g7H8i9"),
    ("slack", "xo" + "xb-123456789012-" + A * 3),
    ("slack", "xa" + "pp-1-A0123456789-" + A * 3),
    ("stripe", "sk" + "_live_" + A * 3),
    ("stripe", "rk" + "_live_" + A * 3),
    ("stripe", "sk" + "_test_" + A * 3),
    ("stripe", "wh" + "sec_" + A * 4),
    ("google", "AI" + "za" + "SyA1b2C3d4-E5f6G7h8_I9j0K1l2M3n4O5p6Q"[:35]),
    ("google", "ya" + "29." + MIX * 3),
    ("google", "GOC" + "SPX-" + MIX + "abCD12"),
    ("axiommind", "axm" + "p_" + MIX * 3),
    ("npm", "np" + "m_" + "A1b2" * 9),
    ("pypi", "py" + "pi-AgEIcHlwaS5vcmc" + MIX * 3),
    ("huggingface", "h" + "f_" + "AbCdEfGhIjKlMnOpQrStUvWxYz12345678"),
    ("sendgrid", "S" + "G." + MIX + "." + MIX + "abCD12efGH34ijKL56mnO"),
    ("twilio", "S" + "K" + HEX * 2),
    ("telegram", "123456789" + ":AA" + "H1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"),
    ("discord", "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + "ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
    ("digitalocean", "do" + "p_v1_" + HEX * 4),
    ("shopify", "shp" + "at_" + HEX * 2),
    ("databricks", "da" + "pi" + HEX * 2),
    ("groq", "gs" + "k_" + A * 7),
    ("xai", "xa" + "i-" + A * 10),
    ("replicate", "r" + "8_" + A * 5),
    ("perplexity", "pp" + "lx-" + A * 6),
    ("vault", "hv" + "s." + MIX * 4),
    ("docker", "dckr" + "_pat_" + MIX + "abcde"),
    ("linear", "lin" + "_api_" + A * 5),
    ("notion", "nt" + "n_" + A * 6),
    ("notion", "sec" + "ret_" + (A * 6)[:43]),
    ("sentry", "snt" + "rys_" + A * 8),
    ("cloudflare", "cf" + "ut_" + A * 6),
    ("azure", "abc" + "8Q" + "~" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p"),
    ("openrouter", "sk" + "-or-v1-" + HEX * 4),
    ("mailgun", "key" + "-" + HEX * 2),
    ("supabase", "sb" + "p_" + HEX * 2 + HEX[:8]),
    ("vercel", "vc" + "p_" + A * 4),
    ("netlify", "nf" + "p_" + A * 5),
    ("fly", "fo" + "1_" + A * 6),
    ("fly", "fm" + "2_" + A * 12),
    ("airtable", "pa" + "t" + (A * 2)[:14] + "." + HEX * 4),
    ("heroku", "HR" + "KU-AA" + A * 7),
    ("postman", "PM" + "AK-" + HEX + HEX[:8] + "-" + HEX * 2 + "ab"),
    ("newrelic", "NR" + "AK-" + "ABC1234567DEFGH89012345JKLM"),
    ("grafana", "gl" + "sa_" + A * 4 + "_" + HEX[:8]),
    ("terraform", (A * 2)[:14] + ".atlas" + "v1." + A * 9),
    ("doppler", "dp" + ".pt." + A * 5),
    ("age", "AGE-SEC" + "RET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"),
    ("private-key", PGP),
    ("jwt", "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxMjM0In0" + "." + MIX),
    ("private-key", (PEM + PEM_END).format("RSA ")),
    ("private-key", (PEM + PEM_END).format("").replace("\n", "\\n")),
    ("private-key", PEM.format("EC ").strip()),
]
RANDOM = "q7Zr2" + "Xw9Lk4" + "Tn8Vb3" + "Ym6Pd1"
LETTERS = "correct" + "horse" + "battery"
CONTEXTS = [  # (kind, text before, secret, text after)
    ("sentry", "https://", HEX * 2, "@o123.ingest.sentry.io/456"),
    ("authorization", "Proxy-Authorization: Basic ", "dXNlcjpw" + "YXNzd29yZA==", "\r\n"),
    ("authorization", '("Authorization", "Bearer ', RANDOM, '")'),
    ("authorization", "['authorization', 'Basic ", "dXNlcjpw" + "YXNzd29yZA==", "']"),
    ("authorization", "sent Bearer ", RANDOM, " to it"),
    ("secret", "X-Api-Key: ", RANDOM, "\n"),
    ("secret", "curl -H 'x-api-key: ", RANDOM, "'"),
    ("secret", "X-Auth-Token: ", RANDOM, ""),
    ("secret", "PRIVATE-TOKEN: ", RANDOM, ""),
    ("cookie", "Set-Cookie: connect.sid=", "s%3A" + RANDOM, "; Path=/"),
    ("cookie", "Cookie: PHPSESSID=", RANDOM, ""),
    ("cookie", "cookie: csrftoken=", RANDOM, "; a=b"),
    ("cookie", "Cookie: theme=dark; x=", RANDOM + "Gh5Jk2Zx7", ""),
    ("password", "export DB_PASSWORD=", LETTERS, "\n"),
    ("password", "POSTGRES_PASSWORD=", "mysec" + "retpw", ""),
    ("password", "PGPASSWORD=", "hunt" + "er22", " psql -h x"),
    ("password", "  MYSQL_ROOT_PASSWORD: ", "root" + "pw99", "\n"),
    ("password", "  POSTGRES_PASSWORD: ", LETTERS, "\n"),
    ("password", "DB_PASS=", "S3cr" + "3t!pw", ""),
    ("password", "SMTP_PASS='", LETTERS, "'"),
    ("password", "password2 = '", "hunt" + "er22", "'"),
    ("password", "password\t= ", "hunt" + "er22", ""),
    ("password", "curl -u ann:", "S3cr" + "3t!pw", " https://x"),
    ("password", "curl -s --user ann:", LETTERS, " https://x"),
    ("password", "sshpass -p ", LETTERS, " ssh ann@x"),
    ("password", "mysql -u root -p", "S3cr" + "3t!pw", " app"),
    ("password", "docker login -u ann -p ", LETTERS, " ghcr.io"),
    ("secret", "gh auth --token ", RANDOM, ""),
    ("secret", "//registry.npmjs.org/:_authToken=", "1a2b3c4d-1a2b-4c3d-8e9f-" + "0123456789ab", "\n"),
    ("password", "- name: DB_PASSWORD\n      value: ", LETTERS, "\n"),
    ("secret", '- name: API_TOKEN\n  value: "', RANDOM, '"'),
    ("aws-secret-key", "aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "\n"),
    ("aws-secret-key", '"SecretAccessKey": "', "abcdEFGH1234ijkl/MNOP+5678" + "qrstUVWX90yzAB", '"'),
    ("slack-webhook", "https://hooks.slack.com/services/", "T0A1B2C3D/B0A1B2C3D/" + A * 3, ""),
    ("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/", MIX * 3, " x"),
    ("azure", "AccountName=x;AccountKey=", A * 10 + "abcdEF==", ";EndpointSuffix=y"),
    ("azure", "https://x.blob.core.windows.net/c?sv=2022&sig=", A * 5 + "abc%3D", "&se=2030"),
    ("url-password", "postgres://app:", "p4ss" + "w0rd!x", "@db.example.com:5432/app"),
    ("url-password", "redis://:", "c0rrect" + "horse", "@cache:6379"),
    ("authorization", "Authorization: Bearer ", RANDOM, ""),
    ("authorization", "curl -H 'Authorization: token ", RANDOM, "' https://x"),
    ("authorization", "{'Authorization': 'Basic ", "dXNlcjpw" + "YXNzd29yZA==", "'}"),
    ("authorization", '\\"authorization\\": \\"Bearer ', RANDOM, '\\"'),
    ("cookie", "Cookie: theme=dark; session_id=", RANDOM, "; lang=en"),
    ("password", "password=", "hunt" + "er2", ""),
    ("password", "DB_PASSWORD: ", "S3cr" + "3t!pw", "\n"),
    ("password", 'password = "', "S3cr" + "3t!pw", '"'),
    ("password", "mysql --password ", "S3cr" + "3t!pw", " -h x"),
    ("password", "Server=x;Pwd=", "S3cr" + "3t!pw", ";"),
    ("password", "<password>", "S3cr" + "3t!pw", "</password>"),
    ("secret", "export API_KEY=", RANDOM, ""),
    ("secret", "client_secret: '", RANDOM, "'"),
    ("secret", '"access-token": "', RANDOM, '"'),
    ("secret", "token := '", RANDOM, "'"),
    ("secret", 'token: str = "', RANDOM, '"'),
    ("secret", 'env["MY_TOKEN"] = "', RANDOM, '"'),
    ("secret", "deploy --api-key ", RANDOM, " now"),
    ("secret", "SECRET_KEY_BASE=", "7f3a9c0e5b" * 6, ""),
    ("password", 'password = "', "correct horse " + "battery", '"'),
    ("secret", '{"auths": {"ghcr.io": {"auth": "', "YW5uOmh1bnRl" + "cjItaHVudGVy", '"}}}'),
    ("secret", "    client-key-data: ", "LS0tLS1CRUdJ" + "TiBFQyBQVUJM" * 6, "\n"),
    ("password", "machine x.org login ann password ", "hunt" + "er2", "\n"),
    ("url-password", "amqp://ann:", "p4/ss" + "w0rd", "@mq.example.com/vhost"),
    ("secret", "AZURE_OPENAI_KEY=", RANDOM, "\n"),
    ("password", "비밀번호: ", "hunt" + "er2!", " 입니다"),
    ("password", "密码：", "hunt" + "er2!", "，谢谢"),
    ("password", "パスワードは「", "hunt" + "er2!", "」です"),
    ("secret", "토큰은 ", RANDOM, " 입니다"),
    ("secret", "The token is ", RANDOM, " for now"),
    ("secret", "SECRET_KEY = '", "k3j(2!x$9v&^q7z@m1#p5=t0+w8*b4-n6_r", "'"),
    ("password", "DB_PASSWORD=", "k3j(2!x$9v&^q7z@m1", "\n"),
    ("secret", "apiVersion: v1\nkind: Secret\ndata:\n  user: ", "YW5uYW5uYW5u", "\n"),
    ("private-key", '{"kty": "EC", "d": "', RANDOM, '"}'),
    ("private-key", "x: ", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + "QUJDREVGR0hJSktM" * 6, "\n"),
]
CLEAN = [
    "password: string",
    "password?: string | null;",
    "token = get_token()",
    "token = await client.get_token_v2(scope1)",
    "const secret = process.env.SECRET",
    'password="${DB_PASSWORD}"',
    'api_key=os.environ["X"]',
    'api_key = os.getenv("API_KEY_V2")',
    'token: "your-token-here"',
    "Authorization: Bearer <token>",
    "Authorization: `Bearer ${token}`",
    "token=<token> secret=xxxxxxxxxxxxxxxx password=********",
    '"tokens": 1234, "max_tokens": 4096',
    "cancellation_token = CancellationToken(source1)",
    "csrf_token_name = 'csrfmiddlewaretoken2'",
    "commit 252f6b9e4d5a812c4edc0c0b810130e8dbd84b33",
    '"sessionId":"00acd976-784c-4077-95cd-19aa1b51739b"',
    "toolu_01AbCdEfGhIjKlMnOpQrStUv msg_01AbCdEfGhIjKlMnOpQrStUv req_011CUabcDEFghi",
    '"token": "toolu_01AbCdEfGhIjKlMnOpQrStUv"',
    "/home/user/.ssh/id_rsa and PWD=/home/user/project1",
    "integrity sha512-" + A * 10 + "==",
    '"sha256:' + HEX * 4 + '"',
    "data:image/png;base64," + A * 100,
    "postgres://postgres:postgres@localhost:5432/app",
    "postgres://${USER}:${PASSWORD}@host https://user:password@host",
    "https://example.com:8080/@scope/package",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "sk-circle-fade-dot-animation-slow",
    "task-0123456789abcdef0123456789",
    "ghp_" + "x" * 36,
    "DB_PASSWORD=postgres POSTGRES_PASSWORD: postgres DB_PASSWORD=${{ secrets.X }} PASSWORD=$(openssl rand -hex 8)",
    "DB_PASSWORD=changeme DB_PASSWORD=your-password PASSWORD=<password> PASSWORD=xxxxxxxxxx PASSWORD=**********",
    "PASSWORD: 'passwordFactor', RESET_PASSWORD: 'reset-link', FORGOT_PASSWORD=forgotten",
    "DB_PASSWORD=getPassword() DB_PASSWORD=/run/secrets/db DB_PASSWORD=os.environ DB_PASSWORD=settings.database",
    "password: 'Password', password: 'mysecretpassword', password = \"Enter your password\"",
    "const privateKey: Option<Zeroizing<Vec<u8>>> = secp256k1.utils.randomPrivateKey()",
    "JWT_SECRET=e2e-test-jwt-secret-key-for-ci",
    "--- PASS: TestRunMultipleFormatFlagsNoError (0.02s)",
    "CACHE_KEY=da39a3ee5e6b4b0d3255bfef95601890afd80709 cache_key: 'da39a3ee5e6b4b0d3255bfef95601890afd80709'",
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVUQU5CZ2txaGtpRzl3MEJBUVVGQURCYQ==",
    "토큰 수는 max_tokens=4096 이고 비밀번호는 사용자가 정합니다",
    "passwords: S3cr3t!pw is no name",
    "Bearer authentication-with-tokens is supported; Bearer invalid; Bearer $ALICE_TOKEN; Basic validation",
    '("Authorization", "Bearer ${token}")',
    "Cookie: theme=dark; lang=en; session=abc",
    "mkdir -p build/output1 && curl -u $USER:$PASS https://x",
    "date -u +%Y-%m-%dT%H:%M:%SZ; curl https://x:8080/a1b2c3",
    "mysql -u root -p app_db2",
    "docker run -p 127.0.0.1:8080:80 login-image",
    'sshpass -p $PASSWORD ssh x; sshpass -p "${SSH_PASS}" ssh x',
    "--token <token> --token $TOKEN --password=$PW --user root",
    "  --pass: #34d399;  --fail: #f87171;",
    "name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
    "name: DB_PASSWORD\n  valueFrom: secretKeyRef",
    "msg_01AbCdEfGhIjKlMnOpQrStUv.x npm run key-value-pairs-of-configuration-files",
    "https://0123456789abcdef@example.com",
    "const nextPageToken = 'CAUQAA1b2C3d4E5f6'",
]


def marked(kind: str, text: str) -> bool:
    return any(mark.startswith(f"[redacted:{kind}:") for mark in MARK.findall(text))


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_token_is_known_by_its_shape(kind: str, secret: str) -> None:
    for before, after in (("", ""), ("use ", " now"), ('"', '",'), ("\n", "\n"), ("x=(", ")"), ("\\n", "\\n")):
        redacted = REDACTOR.text(before + secret + after)
        assert secret not in redacted
        assert marked(kind, redacted)
        assert redacted.startswith(before)


@pytest.mark.parametrize(("kind", "before", "secret", "after"), CONTEXTS)
def test_a_secret_is_known_by_its_name(kind: str, before: str, secret: str, after: str) -> None:
    redacted = REDACTOR.text(before + secret + after)
    assert secret not in redacted
    assert marked(kind, redacted)
    assert redacted.startswith(before)
    assert redacted.endswith(after)
    assert REDACTOR.text(redacted) is redacted


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_code_is_left_alone(text: str) -> None:
    assert REDACTOR.text(text) is text
    assert REDACTOR.value({"content": text})["content"] is text


def test_every_kind_has_an_example() -> None:
    """Here, or drawn from its shape (`test_recall`)."""
    drawn = {shape.kind for shape in SHAPES}
    assert kinds() == sorted({kind for kind, *_ in SECRETS} | {kind for kind, *_ in CONTEXTS} | drawn)


def test_marks_are_stable_and_keyed() -> None:
    secret = SECRETS[6][1]
    assert REDACTOR.text(secret) == Redactor(b"a key of this home").text(f" {secret} ").strip()
    assert REDACTOR.text(secret) != Redactor(b"another").text(secret)
    assert MARK.fullmatch(REDACTOR.text(secret))


def test_a_mark_is_never_redacted_again() -> None:
    mark = REDACTOR.text(SECRETS[0][1])
    for text in (f"password={mark}", f'"token": "{mark}"', f"Authorization: Bearer {mark}", f"a://b:{mark}@c"):
        assert REDACTOR.text(text) is text
    entry = {"password": mark}
    assert REDACTOR.value(entry) is entry


def test_a_dict_key_tells_what_its_value_is() -> None:
    value = {"user": "ann", "Password": "hunt" + "er2", "nested": [{"api_key": RANDOM}], "token": "string"}
    redacted = REDACTOR.value(value)
    assert marked("password", redacted["Password"])
    assert marked("secret", redacted["nested"][0]["api_key"])
    assert redacted["user"] == "ann"
    assert redacted["token"] == "string"
    assert value["Password"] == "hunt" + "er2"


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "authorization",
        "Proxy-Authorization",
        "X-Api-Key",
        "x-api-key",
        "X-Auth-Token",
        "PRIVATE-TOKEN",
    ],
)
def test_a_header_in_a_dict(name: str) -> None:
    for scheme in ("", "Bearer ", "token ") if "uthorization" in name else ("",):
        redacted = REDACTOR.value({name: scheme + RANDOM})[name]
        assert RANDOM not in redacted
        assert redacted.startswith(scheme)
        assert REDACTOR.suspects(json.dumps({name: scheme + RANDOM}).encode())
    plain = {name: "Bearer ${token}"}
    assert REDACTOR.value(plain) is plain


def test_a_header_in_a_list() -> None:
    for header in (["Authorization", "Bearer " + RANDOM], ["authorization", "Basic dXNlcjpw" + "YXNzd29yZA=="]):
        redacted = REDACTOR.value(header)
        assert marked("authorization", redacted[1])
        assert REDACTOR.suspects(json.dumps(header).encode())
        assert REDACTOR.value(redacted) is redacted
    plain = ["Authorization", "Bearer <token>"]
    assert REDACTOR.value(plain) is plain


def test_a_cookie_in_a_dict() -> None:
    redacted = REDACTOR.value({"Cookie": f"theme=dark; sid={RANDOM}; lang=en"})
    assert marked("cookie", redacted["Cookie"])
    assert RANDOM not in redacted["Cookie"]
    assert REDACTOR.value(redacted) is redacted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DB_PASSWORD", LETTERS),
        ("API_TOKEN", RANDOM),
        ("Authorization", "Bearer " + RANDOM),
        ("db_password", "hunt" + "er2"),
    ],
)
def test_a_name_and_a_value_in_a_dict(name: str, value: str) -> None:
    for entry in (
        {"name": name, "value": value},
        {"value": value, "key": name},
        {"Name": name, "x": 1, "Value": value},
    ):
        redacted = REDACTOR.value({"env": [entry]})
        assert value not in json.dumps(redacted)
        assert name in json.dumps(redacted)
        assert REDACTOR.suspects(json.dumps({"env": [entry]}).encode())
        assert REDACTOR.value(redacted) is redacted
    for plain in ({"name": "LOG_LEVEL", "value": value}, {"name": name, "value": "${X}"}, {"name": name, "value": 5}):
        if "Bearer" not in value:
            assert REDACTOR.value(plain) is plain


def test_a_dict_key_in_capitals_takes_plain_letters() -> None:
    assert marked("password", REDACTOR.value({"POSTGRES_PASSWORD": LETTERS})["POSTGRES_PASSWORD"])
    for plain in ({"password": LETTERS}, {"RESET_PASSWORD": "resetting"}, {"DB_PASSWORD": "postgres"}):
        assert REDACTOR.value(plain) is plain
    assert marked("password", REDACTOR.value({"user": "ann", "pass": "hunt" + "er2"})["pass"])


def test_keys_are_redacted_too() -> None:
    secret = SECRETS[6][1]
    assert list(REDACTOR.value({secret: 1})) == [REDACTOR.text(secret)]


def test_what_is_clean_is_the_same_object() -> None:
    value = {"a": [1, None, True, "text", {"b": 2.5}], "token": "abc"}
    assert REDACTOR.value(value) is value
    assert REDACTOR.value(5) == 5
    mixed = {"clean": value, "hot": SECRETS[6][1]}
    assert REDACTOR.value(mixed)["clean"] is value


def test_nesting_of_any_depth() -> None:
    deep: Any = {"password": "hunt" + "er2"}
    for level in range(10_000):
        deep = [deep] if level % 2 else {"in": deep}
    redacted = REDACTOR.value(deep)
    assert redacted is not deep
    for level in reversed(range(10_000)):
        redacted = redacted[0] if level % 2 else redacted["in"]
    assert marked("password", redacted["password"])


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_the_prefilter_sees_through_escapes(kind: str, secret: str) -> None:
    line = json.dumps({"text": f"é{secret}é"})
    hidden = "".join(f"\\u{ord(c):04x}" for c in secret)
    assert REDACTOR.suspects(line.encode())
    assert REDACTOR.suspects(f'{{"text":"{hidden}"}}'.encode())
    assert REDACTOR.suspects(json.dumps(line).replace("/", "\\/").encode())
    assert REDACTOR.suspects(line.encode("utf-16"))


@pytest.mark.parametrize(("kind", "before", "secret", "after"), CONTEXTS)
def test_the_prefilter_sees_names_in_nested_json(kind: str, before: str, secret: str, after: str) -> None:
    line = before + secret + after
    for _ in range(3):
        line = json.dumps({"text": line}).replace("/", "\\/")
        assert REDACTOR.suspects(line.encode())


@pytest.mark.parametrize(
    "line", [b'{"type":"user","uuid":"00acd976-784c-4077-95cd-19aa1b51739b"}', b'{"max_tokens":5}']
)
def test_the_prefilter_lets_plain_lines_pass(line: bytes) -> None:
    assert not REDACTOR.suspects(line)


UNITS = (
    *(
        "a",
        "password=",
        "password:",
        "password='",
        'token="',
        "ey" + "J",
        "://",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF",
        "sk-",
        "ghp_",
        "--a-",
        "[redacted:",
        "\\",
        "Cookie: sid=a",
    ),
    *(
        "authorization: bearer ",
        "M" * 25 + ".",
        "curl ",
        " ",
        "token ",
        ".eyJa",
        "token:a1B2c3D4e5F6g7",
        "@a:",
        "SG.",
        "-",
    ),
    *(" --", " -p", "curl -u ", "value: ", "name: token\n value: ", "Bearer ", "PASSWORD=a", "pata1.", "--token "),
    *("password=hunt" + "er2 ", "api" + "_key=" + RANDOM + "\n", "key_secret_token_0:"),
)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit[:24].strip() or "blank")
def test_the_work_grows_with_the_text(unit: str) -> None:
    def work(size: int) -> None:
        REDACTOR.text(unit * (size // len(unit)))

    grows_linearly(work, 1_000)
    with ending():
        work(150_000)


# --- laws ------------------------------------------------------------------------------------------------

PIECES = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=string.ascii_letters + string.digits + "=:'\"\\-_./@[]> \n", max_size=12),
    st.sampled_from([secret for _, secret in SECRETS]),
    st.sampled_from([before + secret + after for _, before, secret, after in CONTEXTS]),
    st.sampled_from(
        [
            "password",
            "token",
            "api_key=",
            '": "',
            " --secret ",
            "Authorization: Bearer ",
            "curl -u a:",
            " -p",
            "://u:",
            "@h",
        ]
    ),
    st.sampled_from([RANDOM, "hunt" + "er2", "[redacted:password:0123456789]", "[redacted:", "-----", "eyJ"]),
)
TEXTS = st.lists(PIECES, max_size=6).map("".join)
NAMES = st.one_of(
    TEXTS,
    st.sampled_from(
        ["password", "DB_PASSWORD", "token", "x-api-key", "secret_0", "clientSecret", "Cookie", "name", "value"]
    ),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.just(RANDOM),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(400), deadline=None)
@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) is once


@settings(max_examples=examples(300), deadline=None)
@given(VALUES)
def test_redacting_a_value_twice_is_once(value: Any) -> None:
    once = REDACTOR.value(value)
    assert REDACTOR.value(once) is once


@settings(max_examples=examples(500), deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_the_prefilter_never_misses(value: Any, ascii_only: bool, indent: int | None) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    if REDACTOR.value(value) != value:
        assert REDACTOR.suspects(line)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(st.sampled_from([s for _, s in SECRETS if "PRIVATE" not in s]), min_size=1, max_size=3),
    st.lists(st.sampled_from([" ", "\n", "é", " = ", '"', "(", "中", ", ", "\\n"]), min_size=4, max_size=4),
)
def test_no_known_secret_survives(secrets: list[str], joints: list[str]) -> None:
    text = "".join(joint + secret for joint, secret in zip(joints, secrets, strict=False)) + joints[-1]
    redacted = json.dumps(REDACTOR.value({"a": [text], text: "b"}), ensure_ascii=False)
    assert not any(secret in redacted for secret in secrets)
