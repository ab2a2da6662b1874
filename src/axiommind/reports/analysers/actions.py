"""Actions: the steps of everyday work that a prompt names, in English, Korean, Chinese and Japanese, and which command
takes them.

So that "commit and push" and its Korean are one habit, and a step that was named is never left out of a proposal. A
prompt is *plain* when it names actions and says nothing else: no topic, no file, no reason.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["does", "named", "plain"]

# name: how people say it; how the command or the file begins that does it.
_ACTIONS = {
    "commit": (
        r"\bcommit(?:s|ed|ting)?\b|커밋|コミット|提交",
        r"(?:[\w-]+ )?git commit\b",
    ),
    "main": (
        r"\b(?:(?:back|switch|return|go) to|check ?out) (?:main|master)\b|(?:main|master) ?(?:に戻|へ戻|으로|로 )"
        r"|(?:切换?[回到]|回到) ?(?:main|master)",
        r"(?:[\w-]+ )?git (?:checkout|switch) (?:main|master)\b",
    ),
    "push": (r"\bpush(?:ed|ing)?\b|푸[시쉬]|プッシュ|推送", r"(?:[\w-]+ )?git push\b"),
    "pull": (
        r"\bpull\b(?! ?requests?)|(?<![가-힣])풀(?:해| ?받)|プル(?!リク)|拉取(?!请求)",
        r"(?:[\w-]+ )?git (?:pull|fetch)\b",
    ),
    "pull request": (
        r"\bprs?\b|\b(?:pull|merge) ?requests?\b|풀 ?리퀘스트|プルリク(?:エスト)?|拉取请求|合并请求",
        r"(?:[\w-]+ )?(?:gh pr create|glab mr create)\b",
    ),
    "merge": (
        r"\bmerge(?:d)?\b(?! ?request)|머지|병합|マージ|合并(?!请求)",
        r"(?:[\w-]+ )?(?:git merge|gh pr merge)\b",
    ),
    "rebase": (r"\brebase\b|리베이스|リベース|变基", r"(?:[\w-]+ )?git rebase\b"),
    "tests": (r"\btests?\b|테스트|テスト|测试", "class:test"),
    "lint": (r"\blint(?:er|ing)?\b|린트|リント", "class:lint"),
    "build": (r"\bbuild\b|빌드|ビルド|构建", "class:build"),
    "deploy": (r"\bdeploy(?:ment)?\b|배포|デプロイ|部署", r".*\bdeploy"),
    "release": (
        r"\breleases?\b|릴리[스즈]|リリース|发布",
        r".*\b(?:release|publish)\b|git tag\b",
    ),
    "changelog": (r"@?\bchange ?log(?:\.md)?\b|변경 ?(?:로그|이력)|チェンジログ|更新日志", r"CHANGELOG\b"),
}
_ORDER_CHARS = 160  # who says more says something besides
_ANY = lazy("|".join(said for said, _ in _ACTIONS.values()), re.IGNORECASE)
# One of these is in whatever names an action: most prompts are long, and name none.
_STEMS = (
    *("commit", "push", "pull", "pr", "merge", "rebase", "test", "lint", "build", "deploy", "release", "change"),
    *(
        "main",
        "master",
        "커밋",
        "푸",
        "풀",
        "머지",
        "병합",
        "리베이스",
        "테스트",
        "린트",
        "빌드",
        "배포",
        "릴리",
        "변경",
    ),
    *("コミット", "プ", "マージ", "リベース", "テスト", "リント", "ビルド", "デプロイ", "リリース", "チェンジ"),
    *("提交", "推送", "拉取", "合并", "变基", "测试", "构建", "部署", "发布", "更新日志"),
)
_SAID = {name: lazy(said, re.IGNORECASE) for name, (said, _) in _ACTIONS.items()}
_DONE = {name: lazy(done, re.IGNORECASE) for name, (_, done) in _ACTIONS.items() if not done.startswith("class:")}
_CLASSES = {name: done.removeprefix("class:") for name, (_, done) in _ACTIONS.items() if done.startswith("class:")}

# What people say around it without saying more.
_FILLING = lazy(
    r"\b(?:ok(?:ay)?|yes|yeah|great|good|nice|now|then|and|also|please|pls|plz|just|let'?s|lets|go|ahead|can|could|would|you"
    r"|we|it|this|that|them|these|all|the|your|my|our|recent|latest|current|changes?|everything|work|code|to|up|in"
    r"|run|do|make|create|open|raise|update|a|an|new|get|first|again|remote|origin|for|me|i|so|with)\b"
    r"|해(?:줘|주세요|라|봐)?|하고|하자|할게|해서|좀|그리고|후에?|다음|변경 ?사항|모두|전부|전체|지금|부탁|올려"
    r"|돌려(?:줘)?|만들어|다시|하나|줘|주세요|실행|을|를|도|까지|하"
    r"|して(?:ください|下さい|おいて|くれ)?|お願い(?:します)?|と|を|も|まで|変更|全部|全て|すべて|実行|から|それから|しよう|そして"
    r"|作って|もう一度|再度|ください|流して|回して|出して"
    r"|请|一下|并|和|然后|代码|所有|更改|修改|全部|运行|执行|创建|重新|再|一个|个|跑|吧|了|帮我|我|[\W\d_]",
    re.IGNORECASE,
)


def named(text: str) -> tuple[str, ...]:
    """The actions that a prompt names, in its order."""
    places = ((found.start(), name) for name, pattern in _SAID.items() if (found := pattern.search(text)))
    return tuple(name for _, name in sorted(places))


def plain(text: str) -> bool:
    """Whether a prompt names actions and nothing besides."""
    low = text.casefold()
    if len(text) > _ORDER_CHARS or not any(stem in low for stem in _STEMS) or not _ANY.search(text):
        return False
    return not _FILLING.sub("", _ANY.sub(" ", text))


def does(step: str) -> frozenset[str]:
    """The actions that a command, or the edit of a file of this name, takes."""
    from axiommind.tools.kinds import RUN_CLASS
    from axiommind.tools.shell import classify

    kind = classify(step).removeprefix(RUN_CLASS)
    found = {name for name, pattern in _DONE.items() if pattern.match(step)}
    return frozenset(found | {name for name, wanted in _CLASSES.items() if wanted == kind})
