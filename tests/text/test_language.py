"""The language of a text, by its scripts and a few function words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.text.language import detect
from tests.counting import steps


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The index is rebuilt from the log."),
        ("en", "The word 記憶 means memory in Japanese, and 기억 is what it is called in Korean."),
        ("en", "See https://example.com/한국어/문서/색인/검색 for how the index works."),
        ("ko", "색인은 로그에서 다시 만들어진다."),
        ("ko", "React 컴포넌트에서 useEffect dependency array 설정"),
        ("ko", "Rust workspace 설계"),
        ("ko", "기억(記憶)은 소중하다"),
        ("ko", "ㅋㅋㅋ"),
        ("ja", "索引はログから作り直されます。"),
        ("ja", "東京都知事選挙の結果"),
        ("ja", "カタカナ"),
        ("zh", "索引可以从日志重建。"),
        ("zh", "在 React 項目中使用 TypeScript 開發組件"),
        ("zh", "优の良品是一家连锁食品店，总部设在香港"),
        ("und", "fix login bug"),
        ("und", "L'index est reconstruit à partir du journal, et les fichiers restent dans le dossier."),
        ("und", "Der Index wird aus dem Protokoll neu gebaut und will nicht in der Datei bleiben."),
        ("und", "El índice se reconstruye en la carpeta para que los archivos no cambien."),
        ("und", "Индекс строится заново из журнала, see the log"),
        ("und", "12345 --- !!!"),
        ("und", ""),
    ],
)
def test_the_language_of(lang: str, text: str) -> None:
    assert detect(text) == lang


def test_only_the_beginning_counts() -> None:
    english = "The index is rebuilt from the log. " * 200
    assert detect(english + "한국어 " * 200_000) == "en"
    assert steps(lambda: detect(english + "한국어 " * 200_000)) == steps(lambda: detect(english + "한국어 "))


@given(st.text())
def test_any_text_has_one(text: str) -> None:
    assert detect(text) in {"ko", "ja", "zh", "en", "und"} and detect(text) == detect(text)


@pytest.mark.parametrize(
    ("folder", "lang"),
    [("welfare-ko-dev", "ko"), ("jaquad-ja-dev", "ja"), ("cmrc-zh-dev", "zh"), ("lme-pooled-dev", "en")],
)
def test_real_texts(shared: Path, folder: str, lang: str) -> None:
    path = shared / "bench" / folder / "corpus.jsonl"
    if not path.is_file():
        pytest.skip(f"needs ../shared/bench/{folder}")
    with path.open(encoding="utf-8") as lines:
        found = [detect(json.loads(line)["text"]) for line in lines]
    assert found.count(lang) >= 0.99 * len(found)
