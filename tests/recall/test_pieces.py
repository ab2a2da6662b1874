"""Pieces of an answer: its own words in their order, readable by themselves, and no code."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from axiommind.recall.pieces import pieces_of
from tests.counting import ending, grows_linearly

# Characters of a piece: sentences that are joined, with blanks between them, or one sentence; and of its heading.
JOINED, ONE, TITLE = 440, 480, 120

sentences = st.sampled_from(
    [
        "The cache was keyed by the city's name, so two cities called Springfield shared a forecast.",
        "Fixed in `cache.py`: the key is the id now, e.g. `city:4250542`.",
        "만료 시간이 초 단위로 저장되어 있어서 캐시가 바로 비워졌습니다.",
        "원인은 시간대였습니다. 서버는 UTC를 씁니다!",
        "キャッシュのキーが都市名だったため、同名の都市で結果が混ざっていました。",
        "原因是时区：服务器使用UTC。",
        "Done.",
        "x" * 700,
        "word " * 60,
    ]
)
titles = st.sampled_from(["## Root cause", "### 원인", "**修正内容**", "# 结论:", "#### " + "long " * 60])
rows = st.sampled_from(["| file | why |\n|---|---|\n| `cache.py` | the key |\n| `city.py` | 이름이 같음 |", "---", "|"])
code = st.sampled_from(["```python\nzanzibar = 1\n\nquux()\n```", "~~~\nzanzibar\n~~~"])
items = sentences.map("- {}".format) | sentences.map("2. {}".format)
parts = st.lists(sentences | titles | rows | code | items, max_size=12)
answers = parts.map("\n\n".join) | parts.map("\n".join) | st.text() | st.text("|`#*-.。 \na", max_size=300)


def words(text: str) -> list[str]:
    return text.replace("|", " ").split()


@given(answers)
@example("|\n" * 500)
@example("```\nzanzibar")
@example("a " * 300 + "e.g. b. " * 60)
def test_pieces_are_the_answers_own_words_in_their_order(answer: str) -> None:
    left = iter("".join(words(answer)))
    for number, piece in enumerate(pieces_of(answer)):
        assert piece.number == number and piece.text.strip() == piece.text != ""
        assert len(piece.text) <= max(JOINED, ONE) and len(piece.heading) <= TITLE
        assert "\n" not in piece.said and piece.said.endswith(piece.text)
        assert "zanzibar" not in piece.said
        own = "".join(words(piece.text)).removesuffix("…")  # what is too long is cut
        assert all(char in left for char in own)


ANSWER = """
The deploy works again.

## Why it failed

The token was read before `load_env()` ran, so it was empty. The runner has no `.env` file, and nobody noticed because
the tests mock it.

```sh
export ZANZIBAR=1
```

## What changed

| File | Change |
|---|---|
| `deploy.py` | reads the token late |
| `ci.yml` | fails when it is empty |

- `make deploy` asks once
- 배포 전에 토큰을 확인합니다

**Left to do**

Rotate the old token; see e.g. the runbook.
"""


def test_headings_belong_to_what_is_below_them_and_rows_and_items_stay_whole() -> None:
    said = [piece.said for piece in pieces_of(ANSWER)]
    assert said == [
        "The deploy works again.",
        "Why it failed: The token was read before `load_env()` ran, so it was empty. The runner has no `.env` file, "
        "and nobody noticed because the tests mock it.",
        "What changed: File | Change `deploy.py` | reads the token late `ci.yml` | fails when it is empty - `make "
        "deploy` asks once - 배포 전에 토큰을 확인합니다",
        "Left to do: Rotate the old token; see e.g. the runbook.",
    ]


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("The worker keeps its lease for thirty seconds, so that a restart is not noticed by anyone.", "It was five. "),
        ("작업자는 재시작이 눈에 띄지 않도록 임대를 삼십 초 동안 유지하게 바꾸었습니다.", "전에는 오 초였습니다. "),
        ("再起動に気付かれないように、ワーカーはリースを三十秒間保持するようにしました。", "以前は五秒でした。"),
        ("为了不让重启被察觉，工作进程现在将租约保持三十秒。", "之前是五秒。"),
    ],
    ids=["en", "ko", "ja", "zh"],
)
def test_a_long_paragraph_is_cut_between_sentences(sentence: str, other: str) -> None:
    found = pieces_of(f"{other * 20}{sentence} {other * 20}")
    assert len(found) > 1 and sum(sentence in piece.text for piece in found) == 1
    assert all(len(piece.text) <= 480 and not piece.text.endswith("…") for piece in found)


def test_a_table_of_many_rows_is_cut_between_rows() -> None:
    rows = [f"| step {n} | what was found out about it in the end, in a sentence | kept |" for n in range(30)]
    found = pieces_of("\n".join(["| a | b | c |", "|---|---|---|", *rows]))
    inner = [row.strip("| ") for row in rows]
    assert [row for piece in found for row in inner if row in piece.text] == inner


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ("All green. Done: 16 tests pass, committed.", "The cause was a stale lease."),
        (
            "Commit `af5e09e` created successfully. Pre-commit hooks passed (tests, lint).",
            "Two checks failed at first.",
        ),
        ("완료. 컴파일 성공. 빌드 성공했습니다.", "원인은 시간대였습니다."),
        ("コミット完了しました。", "原因は時刻帯でした。"),
        ("提交成功。全部测试通过。", "原因是时区。"),
    ],
    ids=["en", "en-commit", "ko", "ja", "zh"],
)
def test_a_sentence_that_only_says_that_it_is_done_is_left_out(done: str, said: str) -> None:
    assert pieces_of(done) == []
    assert [piece.text for piece in pieces_of(f"{done} {said}")] == [said]


@pytest.mark.parametrize(
    "text",
    ["|", "`", ".", "*", "#", "-", "~~~\n", "```\n", " ", "\n", "a. ", "。", "| ", "**a", "``", "!?", "…", "\t|"],
)
def test_nothing_makes_it_slow(text: str) -> None:
    with ending():
        for whole in (text * 100_000, text * 100_000 + "x", "x " + text * 100_000 + "\nthe end."):
            assert sum(len(piece.said) for piece in pieces_of(whole)) <= 400_000
        pieces_of("x" * 1_000_000)
        pieces_of(("word " * 40 + ". ") * 5_000)


def test_work_grows_with_the_length() -> None:
    grows_linearly(lambda n: pieces_of("A sentence of some words. Another one! " * (n // 40)), size=5_000)
