"""Pieces: an answer of an agent cut into parts that can be read by themselves, a sentence or a few, each as it stands.

A heading belongs to every piece below it, list items and table rows stay whole, code is left out: the repository has
it. Pure, and linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["Piece", "only_announces", "pieces_of", "says_nothing"]

_ABOUT = 220  # characters of a piece; a sentence is never cut for it
_SLIGHT = 70  # characters of a sentence that may say nothing
_ANNOUNCED = 240  # of one that may only say what is done next
_LONGEST = 480  # characters of a sentence that is
_TITLE = 120  # of a heading
_READ = 24_000  # of an answer
_FENCE = lazy(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = lazy(r"[ \t]*(?:#{1,6}[ \t]+|\*\*(?=[^*\n]{2,80}\*\*[ \t]*[:：]?[ \t]*$))")
_RULE = lazy(r"[ \t]*(?:\|[-:| \t]+\||[-=*_─━═]{3,})[ \t]*$")
# A title between two rules.
_BANNER = lazy(r"^[ \t]*[─━═]{5,}[ \t]*\n[ \t]*([^\n─━═]{1,100}?)[ \t]*\n[ \t]*[─━═]{5,}[ \t]*$", re.MULTILINE)
_ITEM = lazy(r"[ \t]*(?:[-*+•]|\d{1,2}[.)]|\|)")
_END = lazy(r"(?<![ (][a-zA-Z])(?<!\be\.g)(?<!\bi\.e)[.!?]{1,4}[\"')\]*`]{0,3}(?=\s)|[。！？]+[」』）)*]{0,3}")
_NO_BLANK = lazy(r"(?<=[。！？]) ")  # between sentences of scripts without blanks
_CODE = lazy(r"`[^`\n]{1,300}`")
# What says only what comes below.
_BELOW = lazy(
    r".*(?:\bhere(?:[’']s| is| are)\b|\b(?:summary|following|below|as follows)\b|요약|다음|아래|以下|まとめ|如下|总结)"
    r".*[:：]$",
    re.IGNORECASE,
)
# What says only what the agent did next.
_NEXT = lazy(
    r"(?:(?:ok(?:ay)?|good|great|perfect|excellent|now|alright|right|done|next|first|then|finally|also|so)[,.!]? ){0,3}"
    r"(?:let me|let[’']s|i[’']ll|i will|i[’']m going to|i (?:also |just |now )?(?:need to|should))\b"
    r"|(?:ok(?:ay)?[,.]? |also |next,? )?now,? (?:add|apply|build|check|clean|commit|create|delete|fix|implement"
    r"|install|move|push|read|remove|rename|replace|rewrite|run|test|update|use|verify|wire|write)\b"
    r"|.*(?:겠습니다|할게요|볼게요)[.:]?$|(?:이제|먼저|다음으로|우선|그럼) .*합니다[.:]?$|.{0,60}확인합니다[.:]?$"
    r"|.*(?:ましょう|(?:(?<!失敗)(?<!発生)(?<!動作)(?<!存在)(?<!依存)(?<!一致)(?<!機能)し|せ|行い|進め|試み|直し|見|調べ|始め)"
    r"ます)[。.:：]?$"
    r"|(?:好的?[，,]? ?|现在)?(?:让我|我来|我先|我将|我会|接下来我)",
    re.IGNORECASE,
)
# What only asks the person what to do.
_OFFER = lazy(
    r"(?:want me to|would you like|do you want|shall i|should i|let me know|reply with|feel free|just say"
    r"|ready (?:for|to|when)|if you(?:[’']d| would) (?:like|prefer))\b"
    r"|.*(?:할까요|드릴까요|볼까요|하시겠(?:어요|습니까)|원하시나요|알려 ?주세요|말씀해 ?주세요)[?？.]?$"
    r"|.*(?:しますか|ましょうか|いかがですか|よろしいですか|お知らせください|教えてください)[?？。]?$"
    r"|(?:需要我|要我|要不要|是否需要|请告诉我|如果你(?:想|需要))",
    re.IGNORECASE,
)
# A reason, or what is so.
_REASON = lazy(
    r"\b(?:because|since|so that|due to|otherwise|instead of|rather than|cause[sd]?)\b"
    r"|\bto (?:avoid|prevent|ensure|keep|match)\b| [–—-]{1,2} |[:：] ?[^\s:：]"
    r"|때문|원인|이유|므로|위해|아니라|ため|ので|原因|理由|ではなく|[はが](?![ぁ-ん])|因为|由于|为了|所以|而不是",
    re.IGNORECASE,
)
_WHY = lazy(
    r"\b(?:because|since|so that|due to|otherwise|but|though|although|however)\b|때문|원인|이유|지만|다만"
    r"|ため|ので|原因|理由|ただし|しかし|因为|由于|但|不过",
    re.IGNORECASE,
)
# What says only that something is done, and that the checks passed.
_DONE = lazy(
    r"\b(?:(?:all|both|everything|is|are|now|the|and|with|no|to|on|it|as|in|of|we|you|i|good|great|perfect|excellent|ok"
    r"|okay|done|ready|complete[d]?|finished|success(?:ful(?:ly)?)?|succeed(?:s|ed)?|pass(?:es|ed|ing)?|green|clean"
    r"|understood|sure|commit(?:s|ted)?|push(?:ed)?|merged|created|saved|compile[sd]?|compil(?:ation|ing)|builds?|tests?"
    r"|checks?|lint(?:er|ing)?|types?|typechecks?|errors?|warnings?|hooks?|pre-commit|changes?|clear|got"
    r"|releases?d?|deployed|deployment)\b|\d[\d,]*)"
    r"|(?:모두|전부|모든|이제|작업|커밋|푸시|빌드|컴파일|테스트|에러|오류|경고|성공|통과|완료|없이|없습니다|되었습니다|됐습니다"
    r"|했습니다|하였습니다|입니다|배포|릴리스|이|가|을|를|도)"
    r"|(?:全て|すべて|全部|全|両方|リリース|デプロイ|コミット|プッシュ|ビルド|テスト|エラー|成功|通過|通り|パス|完了|なし|しました|されました|できました"
    r"|です|ました|も|が|は|を|に|、|件)"
    r"|(?:全部|所有|已经|已|发布|部署|提交|推送|构建|编译|测试|成功|通过|完成|了|都|没有|错误)"
    r"|`[0-9a-f]{7,40}`|[\s.,!:;。！、…*()✅✓-]+",
    re.IGNORECASE,
)

# What says only that it was put away.
_PUT_AWAY = lazy(
    r"(?:\W|(?:and|all|both|changes?|everything|now|it[’']s|that[’']s|successfully|the|done|ok(?:ay)?)\b){0,4}"
    r"(?:committed|pushed|shipped|merged|staged|commit (?:succeeded|went through)"
    r"|(?:pr|pull request) (?:is |was )?(?:created|opened|updated|merged))\b[^:：]{0,80}"
    r"(?:: (?:https?://\S+|(?:all )?(?:\d+ )?(?:tests?|checks?) (?:pass(?:es|ed)?|green)\.?))?$"
    r"|.{0,60}\b(?:is|are|was|were) (?:now |all |both )?(?:committed|pushed|staged|merged)\b[^:：]{0,40}$"
    r"|.{0,40}(?:コミット|プッシュ|マージ|push|commit)(?:しました|済み|完了|でき)[^:：]{0,20}$"
    r"|.{0,40}(?:커밋|푸시|머지)(?:[을를이가도])? ?(?:했|완료|됐|되었|하였)[^:：]{0,20}$"
    r"|.{0,40}(?:已|成功)(?:提交|推送|合并)[^:：]{0,20}$",
    re.IGNORECASE,
)
# A command that the person may give next, in a list of such.
_MENU = lazy(
    r"\W*(?:`/[a-z][\w:-]*(?: [^`\n]*)?`(?: |$)(?!(?:is|was|has|fails?|needs?|runs?)\b)|`q` to (?:exit|quit)\b)"
)


class Piece(NamedTuple):
    """Part of an answer."""

    heading: str  # the nearest one above; empty where there is none
    text: str  # on one line
    number: int  # among the pieces of its answer

    @property
    def said(self) -> str:
        return f"{self.heading}: {self.text}" if self.heading else self.text


def pieces_of(answer: str) -> list[Piece]:
    found: list[Piece] = []
    heading = ""
    held: list[str] = []
    size = 0
    after_row = False

    def flush() -> None:
        nonlocal size
        if held:
            found.append(Piece(heading, _NO_BLANK.sub("", " ".join(held)), len(found)))
            held.clear()
            size = 0

    for line in _BANNER.sub(r"## \1", _FENCE.sub("", answer[:_READ])).split("\n"):
        if not line.strip():
            if size > _ABOUT // 2:
                flush()
            continue
        if _RULE.match(line):
            continue
        title = _HEADING.match(line)
        if title is not None:
            flush()
            heading = _cut(" ".join(line.split()).strip(" #*:："), _TITLE)
            continue
        is_row = line.lstrip().startswith("|")
        for part in _parts(line):
            is_item = _ITEM.match(line) is not None
            if _MENU.match(part) if is_item else says_nothing(part) or _is_put_away(part):
                continue
            if held and size + len(part) > _ABOUT:
                flush()
            if held and is_row and after_row:
                held[-1] += ";"
            held.append(part)
            size += len(part)
        after_row = is_row
    flush()
    return found


def says_nothing(part: str) -> bool:
    """Whether a sentence only leads on, to what is done next, to a choice or to code that is left out, or only says
    that something is done."""
    if len(part) < _SLIGHT and (_BELOW.match(part) is not None or not _DONE.sub("", part)):
        return True
    return only_announces(part)


def _is_put_away(sentence: str) -> bool:
    """Whether a sentence only says that the work was committed, pushed or merged; one with a reason does not."""
    return len(sentence) < _ANNOUNCED and _PUT_AWAY.match(sentence) is not None and _WHY.search(sentence) is None


def only_announces(sentence: str) -> bool:
    """Whether a sentence only says what the agent did next, or asks the person what to do: that was for then. One that
    gives a reason, or goes on to say what is so, does not."""
    if len(sentence) >= _ANNOUNCED or (_NEXT.match(sentence) is None and _OFFER.match(sentence) is None):
        return False
    return _REASON.search(_CODE.sub("`…`", sentence)) is None


def _parts(line: str) -> Iterator[str]:
    """A line in sentences; an item of a list or a row of a table is one, unless it is long."""
    is_item = _ITEM.match(line) is not None
    line = " ".join(line.split()).strip("|").strip()
    if len(line) <= _ABOUT and is_item:
        if line:
            yield line
        return
    masked = _CODE.sub(lambda code: "x" * len(code[0]), line)
    at = 0
    for stop in [*(end.end() for end in _END.finditer(masked)), len(line)]:
        part = line[at:stop].strip()
        if part:
            yield _cut(part, _LONGEST)
        at = stop


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
