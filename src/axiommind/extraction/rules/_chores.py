"""Chores of any piece of work: running the tests, committing, checking the build. Nothing to remember.

Narrow on purpose: a title of which every word belongs to such a step. "Write tests", "Run the migration" and "Fix the
build" say what was done to this project, and stay.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["is_chore"]

_VERBS = "run|re-?run|execute|verify|check|ensure|confirm|commit|push|test|lint|build|typecheck|format|final|make sure"
_WORDS = (
    "run|running|rerun|re-run|execute|verify|verification|check|checks|ensure|confirm|commit|push|test|tests|testing|"
    "suite|suites|lint|linter|linters|linting|build|builds|compile|compiles|compilation|typecheck|type-check|type|"
    "typechecking|format|formatter|formatting|final|validation|changes|change|everything|all|the|full|whole|entire|"
    "complete|unit|integration|e2e|and|then|to|that|sure|still|any|issues|errors|fix|pass|passes|passing|works|work|"
    "succeeds|is|are|green|clean|after|again|remote|origin|locally|quality|ci|it|code|project|static|analysis|make|rebuild|css"
)
_ENGLISH = lazy(
    rf"(?:step \d{{1,2}}[:.]\s*)?(?:{_VERBS})\b(?:[\s,&+/()-]{{1,4}}(?:{_WORDS})\b){{0,12}}[\s.!)]{{0,3}}",
    re.IGNORECASE,
)
_KO_WHAT = r"(?:전체\s?)?(?:단위\s?|통합\s?)?(?:테스트|린트|빌드|타입\s?(?:체크|검사)|포맷팅?|커밋|푸시)"
_KOREAN = lazy(
    rf"{_KO_WHAT}(?:\s?(?:및|와|과|,|하고|후|&)\s?{_KO_WHAT}){{0,3}}(?:[을를]?\s?(?:실행|확인|검증|통과\s?확인|돌리기)?(?:하기)?)"
)
_ZH_WHAT = r"(?:所有|全部|完整|单元|集成)?的?(?:测试套件|测试|測試|构建|建置|类型检查|代码检查|lint|格式化)"
_CHINESE = lazy(
    rf"(?:运行|執行|执行|跑|验证|驗證|检查|檢查|确认)\s?{_ZH_WHAT}(?:\s?(?:和|与|、|及|并)\s?(?:运行|执行|检查)?{_ZH_WHAT}){{0,3}}(?:是否)?(?:通过)?"
    r"|提交(?:并推送|和推送)?(?:代码|更改|修改|变更)?|推送(?:代码|更改)?",
    re.IGNORECASE,
)
_JA_WHAT = r"(?:全|すべての|単体|結合)?(?:テスト|リント|lint|ビルド|型チェック|フォーマット)"
_JAPANESE = lazy(
    rf"{_JA_WHAT}(?:\s?(?:と|、|・|および)\s?{_JA_WHAT}){{0,3}}[をの]?(?:実行|確認|検証)(?:する)?"
    r"|コミット(?:して|と|&)?(?:プッシュ)?(?:する)?|プッシュ(?:する)?",
    re.IGNORECASE,
)


def is_chore(title: str) -> bool:
    title = title.strip()
    return any(pattern.fullmatch(title) for pattern in (_ENGLISH, _KOREAN, _CHINESE, _JAPANESE))
