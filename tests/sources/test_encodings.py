"""Encodings: a few lines are enough to tell the usual ones apart; what cannot be told is not guessed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.sources.markdown import decode, read_text

KOREAN = (
    "# 배포 절차\n\n배포하기 전에 통합 테스트를 실행하고 담당자에게 알린다.\n되돌릴 때는 이전 태그로 다시 배포한다.\n"
)
JAPANESE = (
    "# リリース手順\n\n公開する前に結合テストを実行し、担当者に知らせる。\n戻すときは前のタグをもう一度公開する。\n"
)
SIMPLIFIED = "# 发布流程\n\n发布之前先运行集成测试，并通知相关同事。\n需要回滚时，重新发布上一个标签。\n"
TRADITIONAL = "# 發佈流程\n\n發佈之前先執行整合測試，並通知相關同事。\n需要還原時，重新發佈上一個標籤。\n"
RUSSIAN = "# Выпуск\n\nПеред выпуском запустите тесты и предупредите всех, кто за это отвечает.\n"
FRENCH = (
    "# Procédure\n\nAvant la publication, exécutez les tests d'intégration et prévenez l'équipe concernée.\nÀ côté.\n"
)

FILES = [
    (KOREAN, "cp949", "cp949"),
    (KOREAN, "euc_kr", "cp949"),
    (JAPANESE, "cp932", "cp932"),
    (JAPANESE, "shift_jis", "cp932"),
    (JAPANESE, "euc_jp", "euc-jp"),
    (SIMPLIFIED, "gb18030", "gb18030"),
    (SIMPLIFIED, "gb2312", "gb18030"),
    (TRADITIONAL, "big5", "big5"),
    *((text, "utf-16", "utf-16") for text in (KOREAN, JAPANESE, SIMPLIFIED)),
    (KOREAN, "utf-8", "utf-8"),
    (KOREAN, "utf-8-sig", "utf-8"),
    (KOREAN, "utf-32", "utf-32"),
    (RUSSIAN, "cp1251", "cp1251"),
    (RUSSIAN, "koi8-r", "koi8-r"),
    (FRENCH, "cp1252", "cp1252"),
]


@pytest.mark.parametrize(("text", "codec", "shown"), FILES)
def test_a_page_is_read_in_its_encoding(text: str, codec: str, shown: str) -> None:
    problems: list[tuple[int, str]] = []
    assert read_text(text.encode(codec), problems) == (text, shown)
    assert problems == []


@pytest.mark.parametrize(("text", "codec", "shown"), FILES[:8])
@pytest.mark.parametrize("line", [2, 3])
def test_one_line_is_enough(text: str, codec: str, shown: str, line: int) -> None:
    one = text.split("\n")[line]
    assert read_text(one.encode(codec)) == (one, shown)
    mixed = f"README\n\n```sh\nmake deploy\n```\n\n- {one} (see README.md, section 3.2)\n"
    assert read_text(mixed.encode(codec)) == (mixed, shown)


@pytest.mark.parametrize(("text", "codec", "shown"), FILES[:8])
def test_a_large_file_is_judged_by_its_beginning_and_read_whole(text: str, codec: str, shown: str) -> None:
    page = text * 400
    assert read_text(page.encode(codec)) == (page, shown)
    one_line = page.replace("\n", " ")
    assert read_text(one_line.encode(codec)) == (one_line, shown), "the sample may end inside a character"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"caf\xe9\n", 1),
        (b"one\ntwo \xff\xfe three\n", 2),
        (KOREAN.encode() + b"\xb0\xa1", 5),  # UTF-8, but for two bytes
        (("가" * 20 + "\n").encode() + "나".encode("cp949"), 2),
        ("한글".encode("cp949") + b"\xff\xff\xff", 1),
        (b"\xff\xfea\0b\0\0\xd8", 1),
    ],
)
def test_what_cannot_be_told_is_a_problem_with_its_line(content: bytes, line: int) -> None:
    problems: list[tuple[int, str]] = []
    told = read_text(content, problems)
    assert told.encoding is None and "\N{REPLACEMENT CHARACTER}" in told.text
    assert [at for at, _ in problems] == [line] and problems[0][1].startswith("not UTF-")


def test_front_matter_headings_and_lines_are_those_of_the_text() -> None:
    page = f"---\ntitle: 배포\ntags: [운영]\n---\n{KOREAN}"
    assert decode(page.encode("cp949"), "a.md") == decode(page.encode(), "a.md")


@given(st.binary(max_size=300))
def test_any_bytes_are_text(content: bytes) -> None:
    told = read_text(content)
    assert isinstance(told.text, str)
    try:
        expected = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return
    assert told == (expected, "utf-8") or content.startswith((b"\xff\xfe", b"\xfe\xff"))


def test_utf8_loads_nothing_for_it() -> None:
    code = "import sys; from axiommind.sources.markdown import read_text; read_text('한글'.encode()); "
    code += (
        "read_text('배포하기 전에 통합 테스트를 실행한다'.encode('cp949')); print('charset_normalizer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
