"""Places in which a secret stands that neither generator draws: declarations, calls, commands, lists, and endings that
Korean and Japanese put to a value. Beside each what looks like it and is none."""

from __future__ import annotations

import json
import random
import string

import pytest

from axiommind.text.redaction import Redactor
from axiommind.text.secret_prefilter import is_hot

REDACTOR = Redactor(b"a key of this home")
PLACES = (
    # declarations with a type
    'let api_key: &str = "{}";',
    'let api_key: &\'static str = "{}";',
    'var apiKey string = "{}"',
    "apiKey?: string = '{}'",
    "private readonly apiKey: string = '{}'",
    'Dim password As String = "{}"',
    # wrapped in a call, or given to one
    'let api_key = String::from("{}");',
    "api_key = SecretStr('{}')",
    'apiKey = new SecretString("{}")',
    'client.setApiKey("{}")',
    "client.set_api_key('{}')",
    'withToken("{}")',
    "requests.get(url, auth=('bob', '{}'))",
    "HTTPBasicAuth('bob', '{}')",
    'new NetworkCredential("bob", "{}")',
    # between braces, three quotes, and made a secret of without a name
    'val clientSecret by lazy {{ "{}" }}',
    'std::string token{{"{}"}};',
    'SECRET_KEY = """{}"""',
    'ConvertTo-SecureString "{}" -AsPlainText -Force',
    "login(SecretStr('{}'))",
    'Content-Disposition: form-data; name="password"\r\n\r\n{}\r\n--boundary',
    # commands
    "htpasswd -nb bob {}",
    "htpasswd -c -b /etc/nginx/users bob '{}'",
    "security add-generic-password -a bob -s deploy -w {}",
    'echo "{}" | wrangler secret put API_TOKEN',
    'vercel env add STRIPE_SECRET production <<< "{}"',
    'gcloud secrets versions add db --data-file=- <<< "{}"',
    "gh secret set API_KEY --body '{}'",
    "gh secret set API_KEY -b {}",
    "echo '{}' | gh secret set API_KEY",
    "aws ssm put-parameter --name /prod/API_KEY --type SecureString --value '{}'",
    "aws secretsmanager create-secret --name x --secret-string '{}'",
    "git config --global github.token {}",
    "echo {} | sudo -S ls",
    "zip -P {} x.zip x",
    "unzip -P {} x.zip",
    "7z a -p{} x.7z x",
    # prose, lists and columns
    "I changed the admin password to {} yesterday",
    "use {} as the password",
    "use `{}` as our api key for now",
    "here is the token you need: `{}`",
    "password - {}",
    "password \u2014 {}",
    "the token ({})",
    "API key (`{}`)",
    "password `{}`",
    "my api key {} works",
    "API_KEY    {}",
    "API_KEY\t{}",
    "<key>apiKey</key>\n\t<string>{}</string>",
    '{{"SecretString": "{}"}}',
    "create user x identified with mysql_native_password by '{}'",
    "azure_openai_key = {}",
    # other languages, and what is put to a value without a blank
    "비밀번호는 {}입니다",
    "비밀번호({})",
    "토큰 값은 `{}` 를 써줘",
    "서비스키={}",
    "把 API 密钥设置为 {}",
    "ＰＡＳＳＷＯＲＤ：{}",
    "API 키 ({})",
    "api 키: {}",
    "トークンは{}です",
    "密码是{}。",
    "contraseña: {}",
    "пароль: {}",
    "mot de passe : {}",
    "| 사용자 | 액세스 토큰 |\n|---|---|\n| bob | {} |",
    "| user | API密钥 |\n|---|---|\n| bob | {} |",
)
HARMLESS = (
    "we moved from the token to authentication-middleware-v2 last week",
    "use `user_session_id` as the token of the pagination",
    "it takes sha256 as the secret and 4096 as a size",
    "the token usage by model: `claude-sonnet-4-5-20250929`",
    "the password field has these rules: `min_length=12, max_length=64`",
    "interface Token {'value': string; 'expires_at': number}",
    'password = """\nThe password of the user, which is hashed before it is kept.\n"""',
    "htpasswd -c -b FILE USER PASSWORD",
    "val token by lazy { tokenProvider.currentToken() }",
    "the token (see `useState` and `useCallback`) is passed on",
    "validates the token (`validateSession`) first",
    "password - must have at least 12 characters",
    "client.setPassword(newPassword)",
    "setToken(response.data.accessToken)",
    "getToken('session')",
    "check_password('the password of the user')",
    "let token: TokenStream = parse_macro_input!(input as TokenStream2);",
    "the token authentication_middleware_v2 adds",
    "secret sauce2",
    "비밀번호(필수, 8자 이상)",
    "비밀번호는 12자 이상입니다",
    "fn password(input: &str) -> Result<(), Error>",
    "zip -r archive.zip folder && unzip -p archive.zip notes.txt",
    "git config --global core.editor vim",
    'gh secret set API_KEY --body "$API_KEY"',
)
ALPHABETS = (string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_letters + string.digits + "-_")


@pytest.mark.parametrize("place", PLACES)
def test_a_generated_value_is_found(place: str) -> None:
    rng = random.Random(f"{place} again")
    for alphabet in ALPHABETS:
        for size in (20, 32):
            value = "a7" + "".join(rng.choices(alphabet, k=size)) + "Q3"
            text = place.format(value)
            assert value not in REDACTOR.text(text)
            # And where it arrives: as a record of a transcript, with other scripts escaped or not.
            for escaped in (True, False):
                line = json.dumps({"content": text}, ensure_ascii=escaped)
                assert is_hot(line.encode()), line
                assert value not in json.dumps(REDACTOR.value(json.loads(line)))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_looks_like_it_stays(text: str) -> None:
    assert REDACTOR.text(text) == text
