"""Closing words: how an answer ended, in a few lines that can be read by themselves.

What it says first, and its last paragraph: that is where it asks, or says what is left to do. A sentence that leads to
a table is told with the table's first rows, and one that leads to a command with that command; where nothing follows
it, it says nothing and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axiommind.text.patterns import lazy
from axiommind.text.summary import on_one_line, preview, sentences

__all__ = ["HEAD", "TAIL", "closing", "tells_outcome"]

HEAD, TAIL = 220, 150  # characters: what was done, and what it said at the end
_CODE = 100  # of a line of code
_ROWS = 3
_LEADS_ON = (":", "：")
_FENCED = lazy(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_ROW = lazy(r"[ \t]*\|.*")
_RULE = lazy(r"[\s|:-]+")
_WORD = lazy(r"\w{2,}")
# Of Markdown: rules between parts, and the marks of headings, quotations and bold words.
_MARKUP = lazy(r"^[ \t]*[-=*_]{3,}[ \t]*$\n?|^[ \t]*(?:#{1,6}\s+|>\s?)|\*\*", re.MULTILINE)
# That what was done was put away: committed, pushed, or made a pull request of.
_PUT_AWAY = lazy(
    r"(?:\W|(?:and|all|both|changes?|everything|now|it[’']s|that[’']s|successfully|the|done|ok(?:ay)?)\b){0,4}"
    r"(?:(?:re-?)?commit(?:s|ted)?\b|push(?:ed)?\b|shipped\b|merged\b|staged\b|(?:clean )?working tree|on `|branch\b"
    r"|(?:pr|pull request) (?:is |was )?(?:created|opened|updated|merged|`?#?\d)|created (?:the )?(?:pr|pull request))"
    r"|.{0,80}\b(?:is|are|was|were) (?:now |all |both )?(?:committed|pushed|staged|merged)\b"
    r"|.{0,60}(?:(?:コミット|プッシュ|マージ|push|commit)(?:しました|済み|完了|でき)"
    r"|(?:커밋|푸시|머지)(?:[을를이가도])? ?(?:했|완료|됐|되었|하였)|(?:已|成功)(?:提交|推送|合并))",
    re.IGNORECASE,
)
_NAMES = lazy(r"`[^`\n]*`|\w+://\S+|[0-9a-f]{7,40}\b|\S*[/→]\S*")
_TELLING = 12  # letters of a sentence that says something, where those of wide scripts count twice
_DANGLING = lazy(r"(?:(?<=[.!?。！？])\s*|^)[^.!?。！？\n]*[:：]\s*$")


def closing(text: str) -> str:
    """How an answer ended; empty where it only says that something follows."""
    plain = _MARKUP.sub("", "\n".join(_with_rows(_FENCED.sub(_told_code, text)))).strip()
    plain = _DANGLING.sub("", plain).rstrip()
    parts = [part for part in plain.split("\n\n") if part.strip()]
    head = preview(plain, HEAD)
    last = parts[-1].strip() if len(parts) > 1 else ""
    if not last or "\n" in last or not last[0].isalpha() or on_one_line(last)[:20] in head:
        return head  # the last paragraph is a list, or code, or was told
    return f"{head} {preview(last, TAIL)}"


def tells_outcome(text: str) -> bool:
    """Whether an answer says what came of it, and not only that it is done, checked, committed or pushed, or what is
    done next."""
    from axiommind.recall.pieces import says_nothing

    for line in _FENCED.sub("", text).split("\n"):
        line = _MARKUP.sub("", line)
        for start, end in sentences(line):
            one = line[start:end].strip(" -*•")
            if not says_nothing(one) and _PUT_AWAY.match(one) is None and _letters(one) >= _TELLING:
                return True
    return False


def _letters(sentence: str) -> int:
    """How much a sentence says besides names, numbers and addresses."""
    return sum(1 + (letter > "\u2fff") for letter in _NAMES.sub("", sentence) if letter.isalpha())


def _told_code(match: re.Match[str]) -> str:
    """A block of code by its first line: that is the command, or what git said of the commit."""
    lines = [line.strip() for line in match[2].split("\n") if _WORD.search(line)]
    if not lines:
        return ""
    return f"`{preview(lines[0].replace('`', chr(39)), _CODE)}`{' …' * (len(lines) > 1)}\n"


def _with_rows(text: str) -> Iterator[str]:
    """The lines of a text without its tables, but for the first rows of one that a heading or a sentence leads to."""
    lead, table = "", list[str]()
    for line in (*text.split("\n"), ""):
        if _ROW.fullmatch(line):
            table.append(line)
            continue
        if table and _leads_on(lead):
            yield from _told_rows(table)
        table = []
        yield line
        lead = line.strip() or lead


def _leads_on(line: str) -> bool:
    is_heading = line.startswith("#") or (line.startswith("**") and line.endswith("**"))
    return is_heading or line.rstrip("* ").endswith(_LEADS_ON)


def _told_rows(table: list[str]) -> Iterator[str]:
    has_head = len(table) > 1 and _RULE.fullmatch(table[1]) is not None
    rows = [row for row in table[2 if has_head else 0 :] if not _RULE.fullmatch(row)]
    told = [" · ".join(cell for part in row.strip(" \t|").split("|") if (cell := part.strip())) for row in rows[:_ROWS]]
    if told:
        yield f"{'; '.join(told)}{'; …' if len(rows) > _ROWS else ''}"
