"""Which prompts ask for something, and what of them is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.recall.question import question_of
from tests.counting import ending, steps

SILENT = """
|yes|Yes!|y|ok go on|continue|go ahead|do it|thanks!|lgtm|looks good, thanks|1|option 2|the first one|why?|?|👍|...
ㅇㅇ|네|넵 계속|계속해줘|네 진행해주세요|커밋하고 푸시해줘|테스트 돌려줘
继续|好的，继续吧|可以|修复这个问题|运行测试|はい|続けて|続けてください。|お願いします|テストを実行してください
get back to main, pull in the latest changes, then create a branch for the docs update and a pr for it
run the tests|commit and push|fix the bug|fix it please|what do you think?|go ahead and commit it|explain this code
/compact|/review src/a.py carefully|!ls -la src|# remember to always use tabs in makefiles|[[T1]] please
https://example.com/rate/limiter|3e1c26d3|0b5f3c1e-7a2d-4c51-9d8e-1f2a3b4c5d6e|dGhpcyBpcyBhIHNlY3JldDEyMzQ1Njc4OTA=
<task-notification>the limiter build is done</task-notification>|<command-name>/limiter</command-name> token bucket
[Request interrupted by user] token bucket limiter|This session is being continued from a previous one: token bucket
<system-reminder>the token bucket limiter changed</system-reminder>
"""
ASKED = """
TokenBucketLimiter|user_id|src/app/auth.py|why did we choose sqlite over duckdb?|fix the login bug|deploy to staging
get back to main and delete the lease branch|why do the tests fail on main after the merge?
이 프로젝트에서 캐시 무효화는 어떻게 하기로 했지?|로그인 토큰 만료|为什么我们选择了令牌桶限流|优化缓存策略
レート制限の実装方針は何でしたか|#123 still crashes in production|/home/dev/weather/app.py crashes on start
ValueError: invalid literal for int() with base 10: 'x'|Error: connect ECONNREFUSED
"""


@pytest.mark.parametrize("prompt", [p for line in SILENT.strip("\n").splitlines() for p in line.split("|")])
def test_what_asks_for_nothing(prompt: str) -> None:
    assert question_of(prompt) is None


@pytest.mark.parametrize("prompt", [p for line in ASKED.strip("\n").splitlines() for p in line.split("|")])
def test_what_asks_for_something_is_asked_as_it_is(prompt: str) -> None:
    assert question_of(prompt) == prompt


TRACE = """
Traceback (most recent call last):
  File "/app/limiter.py", line 12, in refill
    self.tokens += gained(self.clock)
KeyError: 'zanzibar'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    quux.serve()
RuntimeError: bucket is empty
"""
DIFF = """
diff --git a/limiter.py b/limiter.py
index 83db48f..bf269f4 100644
--- a/limiter.py
+++ b/limiter.py
@@ -1,3 +1,3 @@
-zanzibar = 1
+zanzibar = quux
 plain context line
"""
LOG = """
2026-01-05 12:00:00,123 INFO zanzibar worker started
[2026-01-05T12:00:01Z] DEBUG quux heartbeat sent
12:00:02 zanzibar quux
Jan 05 12:00:03 host quux[12]: zanzibar
[WARN] zanzibar is deprecated
$ make zanzibar
"""
CODE = """
import zanzibar
def quux(a, b):
    return zanzibar(a)[b];
}
"""
TABLE = "| zanzibar | quux |\n|---|---|\n| a | b |\n"
FENCED = "```python\nzanzibar quux\n```\n"
DATA = '{"zanzibar":"' + "quux," * 100 + '"}'


@pytest.mark.parametrize("pasted", [TRACE, DIFF, LOG, CODE, TABLE, FENCED, DATA], ids=range(7))
@pytest.mark.parametrize("is_last", [True, False])
def test_of_a_paste_the_persons_own_words_are_asked(pasted: str, is_last: bool) -> None:
    own = "the rate limiter of the gateway forgets its tokens"
    asked = question_of(f"{own}\n{pasted}" if is_last else f"{pasted}\n{own}")
    assert asked is not None and own in asked
    assert "zanzibar" not in asked and "quux" not in asked


@pytest.mark.parametrize("pasted", [DIFF, LOG, TABLE, FENCED, DATA], ids=range(5))
def test_a_paste_alone_asks_for_nothing(pasted: str) -> None:
    assert question_of(pasted) is None
    assert question_of(f"fix this please:\n{pasted}") is None


def test_of_an_error_its_last_message_is_asked() -> None:
    assert question_of(TRACE) == "RuntimeError: bucket is empty"
    assert question_of(f"why?\n```\n{TRACE}```") == "why?\nRuntimeError: bucket is empty"


def test_a_persons_list_and_short_code_stay() -> None:
    prompt = "refactor the limiter:\n- use a monotonic clock\n- drop `refill()` from Bucket\nresult = limiter.take(3);"
    assert question_of(prompt) == prompt


def test_what_is_no_word_is_left_out() -> None:
    asked = question_of(
        "[[TAG]] limiter at https://x.test/quux of deadbeef01234 <system-reminder>zanzibar</system-reminder> leaks"
    )
    assert asked is not None and asked.split() == ["limiter", "at", "of", "leaks"]


def test_of_a_long_prompt_the_ends_are_asked() -> None:
    middle = " ".join(f"word{n}" for n in range(20_000))
    asked = question_of(f"the limiter leaks tokens. {middle} so what about zanzibar")
    assert asked is not None and len(asked) <= 2_100
    assert asked.startswith("the limiter leaks tokens.") and asked.endswith("so what about zanzibar")


@given(st.text(max_size=400))
def test_it_takes_any_text_and_asks_the_same_again(text: str) -> None:
    asked = question_of(text)
    if asked is not None:
        assert asked.strip() and len(asked) <= 2_400
        question_of(asked)


HOSTILE = [
    "a",
    "a\n",
    "[[",
    "a://",
    "<system-reminder>",
    "```\n",
    "|",
    "好",
    "계속 ",
    "Error: ",
    "a.b$",
    "at x(",
    "ab1",
    '"',
    " x\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_million_characters_take_no_more_work_than_a_long_prompt(piece: str) -> None:
    long, huge = (piece * (size // len(piece)) for size in (100_000, 1_000_000))
    with ending():
        question_of(huge)
    assert steps(lambda: question_of(huge)) == steps(lambda: question_of(long))
