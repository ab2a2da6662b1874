"""The tokeniser against a real FTS5 table: what is written is found, and nothing a user types is syntax."""

from __future__ import annotations

import re
import sqlite3
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.text import tokens
from axiommind.text.english_stems import stem
from axiommind.text.keywords import keywords
from axiommind.text.query_terms import fts_query, search_method
from axiommind.text.stop_words import STOP_WORDS, is_stop
from axiommind.text.tokens import FTS_TOKENIZE, fts_text, terms
from tests.counting import ending, grows_linearly
from tests.examples import examples
from tests.loading import TUPLE, loaded_by
from tests.rows import rows

NOISE = "응 네 좋아 그래 알겠어 해줘 해 하자 고마워 감사 ok yes y sure thanks ㅇ ㅇㅇ 넵"
ENGLISH = """
caresses ponies ties cats feed agreed plastered motoring sing conflated troubled sized hopping
tanned falling hissing fizzed failing filing happy sky relational conditional rational valency
digitizer radically differently vileness analogously vietnamization predication operator feudalism
decisiveness hopefulness callousness formality sensitivity sensibility triplicate formative
formalize electricity electrical hopeful goodness revival allowance inference airliner gyroscopic
adjustable defensible irritant replacement adjustment dependent adoption homologous communism
activate angularity effective bowdlerize probate rate cease controlling rolling university analysis
running configuration authentication tests bus is as
"""


class Index:
    """A contentless FTS5 table as the product makes it."""

    def __init__(self, *texts: str) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(f"create virtual table f using fts5(t, content='', tokenize=\"{FTS_TOKENIZE}\")")
        self.db.execute("create virtual table v using fts5vocab(f, instance)")
        for row, text in enumerate(texts, 1):
            self.db.execute("insert into f(rowid, t) values (?, ?)", (row, fts_text(text)))

    def find(self, query: str, match: str = "all") -> list[int]:
        expression = fts_query(query, match=match)
        if expression is None:
            return []
        return [row for (row,) in self.db.execute("select rowid from f where f match ? order by rowid", (expression,))]

    def stored(self, row: int = 1) -> list[str]:
        found = self.db.execute("select term from v where doc = ? order by offset", (row,))
        return [term for (term,) in found]


@pytest.fixture(scope="module")
def shared() -> Index:
    return Index()


def one(text: str) -> Index:
    return Index(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Hello, World!", "hello world"),
        ("React組件開發", "react 組件 件開 開發 發"),
        ("v2 OAuth2", "v2 oauth2 auth2 auth oauth"),
        ("user_id", "user_id user id"),
        ("call getUserById now", "call getuserbyid now get user by id"),
        ("HTTPServer and IDs", "httpserver and id http server"),
        ("src/app/auth.py", "src app auth py"),
        ("--no-verify", "no verifi"),
        ("E0308", "e0308"),
        ("foo.bar()", "foo bar"),
        ("__init__ ___", "init"),
        ("python3", "python3 python"),
        ("don't user's 'quoted' l'homme", "dont user quot l homm"),
        ("it’s — “fine” … ✅️", "it fine"),
        ("Café NAÏVE Straße Łódź", "cafe naiv strass lodz"),
        ("connections connected connecting", "connect connect connect"),
        ("字", "字"),
        ("충돌이 났다", "충돌 돌이 이 났다 다"),
        ("ㅋㅋㅋ", "ㅋㅋ ㅋㅋ ㅋ"),
        ("ｶﾞｷﾞ ＡＢＣ", "ガギ ギ abc"),
        ("食べる。飲む", "食べ べる る 飲む む"),
        ("Привет ёлка", "привет елка"),
        ("Reactкомпонент", "react компонент"),
        ("άλφα", "αλφα"),
        ("שָׁלוֹם", "שלום"),
        ("مَرْحَبًا", "مرحبا"),
        ("हिन्दी में", "हिन्दी में"),
        ("ภาษา", "ภา าษ ษา า"),
        ("👩‍💻🎉", ""),
        ("\ud800 \x00 a\x00b", "a b"),
    ],
)
def test_terms(text: str, expected: str) -> None:
    assert fts_text(text) == expected
    assert terms(text) == expected.split()
    assert one(text).stored() == expected.split()


def test_the_parts_of_identifiers_come_after_the_words_and_once() -> None:
    text = "GitHub Actions fail in GitHub Actions"
    assert fts_text(text) == "github action fail in github action git hub"
    index = one(text)
    assert index.find('"github actions fail"') == [1]
    assert index.find('"Actions fail in GitHub"') == [1]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call getUserById(7)", "getUserById"),
        ("call getUserById(7)", "getuserbyid"),
        ("call getUserById(7)", "get user by id"),
        ("call getUserById(7)", "get_user_by_id"),
        ("select user_id from t", "userId"),
        ("select user_id from t", "user"),
        ("OAuth2 login", "oauth"),
        ("edit src/app/auth.py:12", "src/app/auth.py"),
        ("edit src/app/auth.py:12", "auth.py"),
        ("edit src/app/auth.py:12", "app/auth"),
        ("git commit --no-verify", "--no-verify"),
        ("error[E0308]: mismatched", "e0308"),
        ("foo.bar() fails", "foo.bar()"),
        ("The connection failed", "connections failing"),
        ("ratio 1,234.5", "1,234.5"),
        ("we can’t go", "can't"),
        ("충돌 해결", "충돌이"),
        ("충돌이 났다", "충돌"),
        ("충돌은 없다", "충돌이"),
        ("데이터베이스에서는", "데이터베이스"),
        ("React組件開發", "組件"),
        ("React的組件", "React組件"),
        ("한국어 React 컴포넌트", "컴포넌트를 react"),
        ("ｶﾅ入力", "カナ"),
        ("to be or not to be", "to be"),
    ],
)
def test_found(text: str, query: str) -> None:
    assert one(text).find(query) == [1]
    expression = fts_query(query, match="any")
    assert expression is None or one(text).find(query, "any") == [1]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("app auth src py", "src/app/auth.py"),
        ("world hello", '"hello world"'),
        ("組件 開發", "組件開發"),
        ("충돌", "추돌"),
        ("one", "one two"),
    ],
)
def test_not_found(text: str, query: str) -> None:
    assert one(text).find(query) == []


def test_a_phrase_across_scripts_keeps_its_order() -> None:
    index = one("用 React 開發組件 的 Vue 應用")
    assert index.find('"React 開發"') == [1]
    assert index.find('"組件 的 Vue"') == [1]
    assert index.find('"開發 Vue"') == []
    assert index.find('"vue 應"') == [1]


@pytest.mark.parametrize(
    ("query", "all_of", "any_of"),
    [
        ("the login bug", '"login" AND "bug"', '"login" OR "bug"'),
        ("what is the", '"what" AND "is" AND "the"', None),
        ("ok", '"ok"', None),
        ('"to be" or not', '"to be"', '"to be"'),
        ("…", None, None),
        ("", None, None),
        ("字", '"字"*', '"字"*'),
        ('say "unclosed', '"sai" AND "unclos"', '"sai" OR "unclos"'),
        ("NEAR(a b) OR c* -d ^e t:f", None, None),
    ],
)
def test_queries(query: str, all_of: str | None, any_of: str | None) -> None:
    if query.startswith("NEAR"):
        assert re.fullmatch(r'"[a-z ]+"(?: AND "[a-z ]+")*', fts_query(query) or "")
        return
    assert fts_query(query) == all_of
    assert fts_query(query, match="any") == any_of


def test_match_is_all_or_any() -> None:
    with pytest.raises(ValueError, match="'all' or 'any'"):
        fts_query("x", match="some")


def test_long_queries_stay_within_what_fts5_takes(shared: Index) -> None:
    for text in ("word%d " * 5000 % tuple(range(5000)), "漢字仮名交じり文" * 3000, '"' * 9999, "a/" * 9999):
        for match in ("all", "any"):
            shared.find(text, match)


@rows("R4.2", "R4.3")
@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("login", "fts5"),
        ("로그인", "fts5-bigram"),
        ("react 組件", "fts5-bigram"),
        ("naïve", "fts5"),
        ("ｶﾅ", "fts5-bigram"),
    ],
)
def test_search_method(text: str, method: str) -> None:
    assert search_method(text) == method


def test_stop_words() -> None:
    noise = NOISE.split()
    assert len(noise) == 18
    assert set(noise) <= STOP_WORDS
    assert all(map(is_stop, [*noise, "OK", "The", "don't", "it's", "we'll", "的", "です", "ᄋᄋ"]))
    assert not any(map(is_stop, ["login", "충돌", "組件", "", "id", "shell"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the login bug, please", ["fix", "login", "bug"]),
        ("충돌이 났어 로그인에서 결과", ["충돌", "났어", "로그인", "결과"]),
        ("React組件開發", ["react", "組件開發"]),
        ("see https://www.example.com:80/a/b?c=d#e now", ["see", "example.com"]),
        ("edit src/app/auth.py and C:\\repo\\main.rs", ["edit", "auth.py", "main.rs"]),
        ("use --no-verify with user_id 42 3.14", ["use", "no-verify", "user_id"]),
        ("run\n```py\nimport os\n```\nagain later", ["run", "later"]),
        ("unclosed\n```\ncode", ["unclosed"]),
        ("設定ファイルを読み込む", ["設定", "ファイル", "読", "込"]),
        ("commit 1a2b3c4d5e bug Bug BUG", ["commit", "bug"]),
        ("the user's café", ["user", "café"]),
        ("ok thanks ㅇㅇ", []),
    ],
)
def test_keywords(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


def test_keywords_are_limited_and_cut() -> None:
    assert keywords(" ".join(f"word{n}x" for n in range(100)), limit=5) == [f"word{n}x" for n in range(5)]
    assert all(len(word) <= 8 for word in keywords("用人工智能技术开发的自动化软件测试平台在云端运行"))


def test_stems_are_porters_as_fts5_makes_them() -> None:
    words = ENGLISH.split()
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table p using fts5(t, tokenize='porter ascii')")
    db.execute("create virtual table v using fts5vocab(p, instance)")
    db.executemany("insert into p(rowid, t) values (?, ?)", enumerate(words))
    for row, term in db.execute("select doc, term from v"):
        assert stem(words[row]) == term, words[row]


def test_a_long_word_is_indexed_by_its_first_64_characters() -> None:
    assert terms("x" * 65 + "1") == ["x" * 64]
    assert one("a " + "Q" * 300).find("Q" * 300) == [1]


# --- laws ---------------------------------------------------------------------------------------------

_RUNS = st.text(
    st.sampled_from("組件開發충돌이한국어カナかな食べ漢字語ㅋ々ー𠀀ไทย")
    | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
    | st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    min_size=1,
    max_size=12,
)  # fmt: skip


@rows("R1.13", "R1.38")
@given(st.lists(_RUNS, min_size=1, max_size=4), st.data())
@settings(max_examples=examples(150), deadline=None)
def test_every_piece_of_a_run_is_found(runs: list[str], data: st.DataObject) -> None:
    index = one("。".join(runs) + " and more")
    run = data.draw(st.sampled_from(runs))
    at = data.draw(st.integers(0, len(run) - 1))
    piece = run[at : at + data.draw(st.integers(1, 6))]
    assert index.find(piece) == [1]


@given(st.text(st.characters(max_codepoint=127), max_size=80))
@settings(max_examples=examples(200), deadline=None)
def test_every_ascii_word_is_found(text: str) -> None:
    index = one(text)
    for word in text.split():
        expression = fts_query(word)
        assert expression is None or index.find(word) == [1], (word, expression)
        if re.fullmatch("[A-Za-z0-9]+", word):
            assert expression is not None
            assert (fts_query(word, match="any") is None) == is_stop(word)


@given(st.text(max_size=60), st.sampled_from(["all", "any"]))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_a_query_and_is_split_as_we_say(text: str, match: str) -> None:
    index = one(text)
    index.find(text, match)
    assert index.stored() == terms(text)
    assert fts_text(text) == " ".join(terms(text))
    outside = re.sub(r'"[^"]*"\*?', "", fts_query(text, match=match) or "")
    assert re.fullmatch(r"[() ]*(?:(?:AND|OR)[() ]*)*", outside)


@rows("R1.9", "R1.10")
@given(st.lists(st.text(max_size=40), max_size=5))
@settings(max_examples=examples(150), deadline=None)
def test_delete_leaves_nothing(texts: list[str]) -> None:
    index = Index(*texts)
    for row, text in enumerate(texts, 1):
        index.db.execute("insert into f(f, rowid, t) values ('delete', ?, ?)", (row, fts_text(text)))
    assert index.db.execute("select count(*) from v").fetchone() == (0,)


@given(st.lists(st.sampled_from(["don't", "naïve", "x̂y", "user_id", "…", "é", "ａ", "—", "字", "A1b", "\ufe0f", "’s"])))
def test_a_word_does_not_depend_on_its_neighbours(words: list[str]) -> None:
    """The shortcut for text that is all but ASCII must agree with the long way."""
    text = " ".join(words)
    alone = [term for word in words for part in tokens.words_of(word) for term in tokens.terms_of(part).split()]
    assert terms(text)[: len(alone)] == alone


def test_a_full_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"fooBar{n} connected{'x' * (n % 7)} 組件" for n in range(500))
    before = fts_text(text)
    monkeypatch.setattr(tokens, "_CACHE_SIZE", 10)
    monkeypatch.setattr(tokens, "_BATCH", 7)
    assert fts_text(text) == before == fts_text(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a\u0301\u0316",
        "\u0301\u0316",
        "\uff9e\u0301",
        "ｶﾞ",
        "A" * 50,
        "aB3",
        "' ",
        "'a",
        '"',
        "字",
        "\ufdfa",
        "-",
        "a.b/",
        "```\n",
    ],
)
def test_the_work_grows_with_hostile_text(piece: str) -> None:
    def work(size: int) -> None:
        text = piece * (size // len(piece))
        fts_text(text)
        fts_query(text)
        keywords(text)
        search_method(text)

    grows_linearly(work, 500)
    with ending():
        work(50_000)


def test_no_letter_decomposes_into_a_bare_mark() -> None:
    """The guard before normalising relies on it: marks are no word characters, but for the voicing marks."""
    loose = [
        chr(c)
        for c in range(0x80, 0x110000)
        if chr(c).isalnum() and unicodedata.combining(unicodedata.normalize("NFKD", chr(c))[0])
    ]
    assert loose == ["\uff9e", "\uff9f"]


def test_importing_it_is_light() -> None:
    found = loaded_by("import axiommind.text.query_terms") - loaded_by(f"import re, unicodedata; {TUPLE}")
    assert {name for name in found if not name.startswith("axiommind")} <= {
        "__future__",
        "_bisect",
        "_operator",
        "bisect",
        "collections.abc",
        "operator",
    }
