"""Prose: sentences of Markdown that are substrings of it, with their headings and their places in lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from axiommind.text.prose import sentences

TEXT = """# Why it fails

The worker reads `a.b. c` once. It never looks again, e.g. after a reload. Version 1.2 does.

- **First:** one thing
  that goes on here.
- Second thing. And more.

```
no prose. at all.
```

| a | table. |

**Fix**

문제는 캐시입니다. 항상 남습니다.
原因はキャッシュです。常に残ります。
"""


def test_sentences_with_their_headings_and_lists() -> None:
    found = list(sentences(TEXT))
    assert [(one.text, one.heading, one.in_list) for one in found] == [
        ("The worker reads `a.b. c` once.", "Why it fails", False),
        ("It never looks again, e.g. after a reload.", "Why it fails", False),
        ("Version 1.2 does.", "Why it fails", False),
        ("**First:** one thing\n  that goes on here.", "Why it fails", True),
        ("Second thing.", "Why it fails", True),
        ("And more.", "Why it fails", True),
        ("문제는 캐시입니다.", "Fix", False),
        ("항상 남습니다.", "Fix", False),
        ("原因はキャッシュです。", "Fix", False),
        ("常に残ります。", "Fix", False),
    ]
    assert [one.first for one in found][:3] == [True, False, False]


@given(st.text(alphabet="ab.!?。 \n`*#-|~1)", max_size=200))
def test_every_sentence_stands_where_it_says(text: str) -> None:
    for one in sentences(text):
        assert one.text and text[one.start : one.start + len(one.text)] == one.text
