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
    return text.replace("|", " ").replace(";", " ").split()  # between rows of a table


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
        "What changed: File | Change; `deploy.py` | reads the token late; `ci.yml` | fails when it is empty - `make "
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
    ("announced", "said"),
    [
        ("Now let me look at the tests that cover the lease in `worker.py` and at the fixtures they use.", ""),
        ("Good, that explains the report. I'll update the handler and its tests.", "Good, that explains the report."),
        ("Now update the section on leases and then commit both files.", ""),
        ("Would you like me to clean up the old leases as well, or leave them where they are for now?", ""),
        ("Ready for the next phase whenever you want to continue.", ""),
        ("이제 모든 이슈를 수정하고 나서 전체 테스트를 다시 실행하겠습니다.", ""),
        ("설정 파일도 함께 수정할까요?", ""),
        ("`worker.py` のリース処理とそのテストを更新します。", ""),
        ("この変更もコミットしますか？", ""),
        ("让我检查一下租约的测试。", ""),
    ],
    ids=["en", "en-after", "en-now", "en-offer", "en-ready", "ko", "ko-offer", "ja", "ja-offer", "zh"],
)
def test_what_was_only_going_to_be_done_or_was_offered_is_left_out(announced: str, said: str) -> None:
    outcome = "The cause was a stale lease."
    assert [piece.text for piece in pieces_of(announced)] == ([said] if said else [])
    assert pieces_of(f"{announced}\n\n{outcome}")[-1].text.endswith(outcome)


@pytest.mark.parametrize(
    "put_away",
    [
        "Both committed on `chore/lease-notes`.",
        "All the changes for the lease are committed.",
        "PR created: https://example.org/rates/pull/174",
        "Committed on `leases`: 7 tests pass.",
        "두 파일 모두 커밋했습니다.",
        "両リポジトリともコミット完了です。",
        "- `/lease:check [area]` to filter by area",
        "- `q` to exit",
        "- `/lease:plan 14` — skip the discussion",
    ],
)
def test_that_it_was_put_away_and_what_may_be_typed_next_is_left_out(put_away: str) -> None:
    outcome = "The cause was a stale lease."
    assert pieces_of(put_away) == []
    assert [piece.text for piece in pieces_of(f"{outcome}\n\n{put_away}")] == [outcome]


@pytest.mark.parametrize(
    "reasoned",
    [
        "The commit succeeded, but the hook reports a failure of its own.",
        "The old leases are committed to the log, because the worker reads them from there.",
        "- `/lease:check` fails where the worker was killed",
        "- Committed offsets are read back when the worker starts: leases begin there",
        "I'll keep the lease in the database, because the worker may be killed before it writes the file.",
        "Now update the protocol — the schema is a snapshot, and no living document.",
        "Let me correct that: leases are renewed every ten seconds and not every thirty.",
        "재시작해도 임대가 유지되므로 캐시를 비우겠습니다.",
        "サーバーは起動時にリースを削除します。",
        "再起動に備えるため、リースをデータベースに保存します。",
        "我将租约存入数据库，因为进程可能被杀死。",
        "If you want to keep a lease over a restart, it has to be in the database.",
    ],
)
def test_what_gives_a_reason_or_says_what_is_so_is_told(reasoned: str) -> None:
    assert [piece.text for piece in pieces_of(reasoned)] == [reasoned]


def test_a_title_between_rules_is_the_heading_of_what_follows() -> None:
    rule = "━" * 40
    found = pieces_of(f"{rule}\n DEPLOY ► FAILED ✗\n{rule}\n\nThe lease was stale.\n\n{'─' * 50}\n\nIt is renewed now.")
    assert [piece.said for piece in found] == ["DEPLOY ► FAILED ✗: The lease was stale. It is renewed now."]
    assert pieces_of(f"{rule}\n DEPLOY ► STARTED\n{rule}") == []


@pytest.mark.parametrize(
    "text",
    [
        "|",
        "`",
        ".",
        "*",
        "#",
        "-",
        "━",
        "━━━━━\n",
        "now ",
        "~~~\n",
        "```\n",
        " ",
        "\n",
        "a. ",
        "。",
        "| ",
        "**a",
        "``",
        "!?",
        "…",
        "\t|",
    ],
)
def test_nothing_makes_it_slow(text: str) -> None:
    with ending():
        for whole in (text * 100_000, text * 100_000 + "x", "x " + text * 100_000 + "\nthe end."):
            assert sum(len(piece.said) for piece in pieces_of(whole)) <= 400_000
        pieces_of("x" * 1_000_000)
        pieces_of(("word " * 40 + ". ") * 5_000)


def test_work_grows_with_the_length() -> None:
    grows_linearly(lambda n: pieces_of("A sentence of some words. Another one! " * (n // 40)), size=5_000)
