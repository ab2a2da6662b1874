"""How people say a standing rule, something to remember or a decision: one table of phrases for each language.

A phrase is anchored at both ends of a sentence, so that what is told about ("he said never to …", "it always
fails") does not look like what is ordered. `claim` is what is left without the words that say how often; `about`
is what it is about, where that stands before them; `why` is the reason. Every repetition is bounded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["MOMENT", "ONLY_A_REASON", "PHRASES", "REASONS", "STATE", "UNLESS", "VAGUE", "WORK", "Phrase"]


class Phrase(NamedTuple):
    kind: str  # always, never, known, decided
    pattern: re.Pattern[str]


def _phrases(*pairs: tuple[str, str]) -> tuple[Phrase, ...]:
    return tuple(Phrase(kind, lazy(pattern, re.IGNORECASE)) for kind, pattern in pairs)


# A decision about the work names something: in Korean, Chinese and Japanese that has Latin letters. Without this, what
# people decide about lunch and meetings comes along.
_LATIN = r"(?=.{0,80}[A-Za-z]{2})"

# --- English -------------------------------------------------------------------------------------------------------

_OPEN = (
    r"^(?:(?:ok(?:ay)?|and|also|so|please|pls|btw|yes|yeah|alright|great|important|note|"
    r"in this (?:repo|project|codebase))[,:]?\s+){0,4}"
)
_YOU = r"(?:(?:you|we)\s+(?:should|must|have to|need to)\s+|(?:make|be) sure (?:to|you|we|that you|that we)\s+)?"
# An order about the work begins with one of these; "always loading", "never ending", "always fun to" do not, and what
# a screen should always do (show, hide, open) is a wish about a feature.
_ORDER = (
    r"(?=(?:add|answer|apply|ask|assume|avoid|batch|build|cache|call|catch|check|cite|comment|commit|compare|cover|create|"
    r"delete|deploy|document|drop|edit|escape|explain|export|follow|force|format|handle|hard-?code|ignore|import|"
    r"include|install|keep|lint|log|mark|match|measure|merge|mock|modify|name|pass|pin|place|point|prefer|print|"
    r"provide|push|put|quote|rebase|refer|reply|respond|return|review|run|skip|specify|squash|store|"
    r"touch|treat|trust|type|update|upgrade|use|validate|verify|wrap|write)\b)"
)
# A decision chooses one way over another; closing, waiting and looking do not.
_CHOICE = (
    r"(?:use|adopt|keep|move|switch|store|drop|host|split|replace|migrate|support|build|implement|write|rewrite|remove|"
    r"rename|separate|expose|deprecate|not use|stop using|stop supporting)\b"
)
_ENGLISH = _phrases(
    ("always", rf"{_OPEN}{_YOU}(?:remember to\s+)?always\s+{_ORDER}(?P<claim>\w.{{5,200}})$"),
    ("never", rf"{_OPEN}(?:(?:you|we)\s+(?:should|must)\s+)?never\s+(?:ever\s+)?{_ORDER}(?P<claim>\w.{{5,200}})$"),
    ("never", rf"{_OPEN}(?:do not|don[’']?t)\s+ever\s+{_ORDER}(?P<claim>\w.{{5,200}})$"),
    (
        "never",
        rf"{_OPEN}(?:from now on|going forward|from here on(?: out)?)[,:]?\s+(?:please\s+)?(?:you should\s+)?"
        rf"(?:do not|don[’']?t|never)\s+(?P<claim>\w.{{5,200}})$",
    ),
    (
        "always",
        rf"{_OPEN}(?:from now on|going forward|from here on(?: out)?)[,:]?\s+(?:please\s+)?(?:(?:you|we) should\s+)?"
        rf"(?:let[’']?s\s+)?(?:always\s+)?{_ORDER}(?P<claim>\w.{{5,200}})$",
    ),
    (
        "known",
        rf"{_OPEN}(?:(?:remember|keep in mind|bear in mind)(?:\s+that\s+|:\s*)|remember,\s+)"
        r"(?P<claim>(?:the|our|we|all|every|each|any|\w{2,30}(?: \w{2,30})? "
        r"(?:is|are|runs?|uses?|has|must|needs?))\b.{9,200})$",
    ),
    (
        "decided",
        rf"{_OPEN}(?:we|i)(?:[’']ve|\s+have)?\s+(?:now\s+|finally\s+|just\s+)?"
        rf"(?:(?:decided|agreed) to\s+(?={_CHOICE})|(?:decided|agreed) (?:on|that|against)\s+|settled on\s+)"
        r"(?!nothing\b)(?P<claim>\w.{5,200})$",
    ),
    (
        "decided",
        rf"{_OPEN}let[’']?s (?:go|stick) with\s+(?!the flow\b)"
        r"(?P<claim>\w[^,]{1,120}(?: (?:for|as|instead of|over|and not) .{2,80}|approach\b.{0,80}|mode))$",
    ),
    (
        "decided",  # what it is called, and why: a name alone is as often one of a list that was offered
        rf"{_OPEN}let[’']?s (?:go|stick) with\s+(?!(?:the|an?|my|your|our|one|plan|option|approach|variant)\b)"
        r"(?P<claim>\w[^,]{1,80}?[,;]?\s+(?:because|since)\s+.{3,200})$",
    ),
    (
        "decided",
        r"^(?:decision|decided):\s*(?!(?:not|pending|later|open|none|nothing|tbd|i|you|he|she|they|let[’']?s)\b)(?P<claim>\w.{9,200})$",
    ),
)

# --- Korean --------------------------------------------------------------------------------------------------------

_KO_PLEASE = r"\s?(?:줘요?|주세요|주십시오)"
# The claim up to its verb, which is one of work; then the ending that makes it an order.
_KO_DO = (
    r"(?:(?P<claim>.{0,120}?(?:사용|실행|작성|확인|검증|유지|준수|명시|답변|설치|커밋|적용|기록|저장|테스트))"
    rf"(?:하도록\s?)?(?:해{_KO_PLEASE}|하세요|하십시오|하자|할\s?것)"
    rf"|(?P<other>.{{0,120}}?(?:따라|돌려|지어|물어봐|써)){_KO_PLEASE}|(?P<third>.{{0,120}}?쓰)(?:세요|자))$"
)
_KO_NOT = (
    r"(?P<claim>.{2,120}?)(?:하?지\s?(?:마(?:세요|십시오|라|요)?|말(?:아요?|자|\s?것|아\s?줘|아\s?주세요)?)"
    r"|하?면\s?안\s?(?:돼요?|됩니다|된다))$"
)
_KO_PAST = r"(?:했다|했어요?|했습니다|했음|하였다|하였습니다|함)$"
_KO_CHOICE = (
    r"(?:사용하|쓰|쓰지 않|유지하|도입하|저장하|[로에] 남기|옮기|중단하|두|나누|지원하|전환하|채택하|구현하"
    r"|관리하|통일하|로 하)"
)
_KO_WE = r"^(?:우리는?\s|저희는\s|나는\s|결국\s)?(?:(?P<why>.{2,80}?)\s?때문에\s)?"
_KOREAN = _phrases(
    ("never", rf"^(?P<about>.{{0,40}}?)절대로?\s+(?!좌표|경로|값|위치|주소){_KO_NOT}"),
    ("never", rf"^앞으로(?:는|(?=\s.{{1,40}}[을를은는]\s))\s+(?:절대로?\s+)?{_KO_NOT}"),
    ("always", rf"^(?P<about>.{{0,40}}?)항상\s+{_KO_DO}"),
    ("always", rf"^앞으로는?\s+(?:항상\s+)?{_KO_DO}"),
    (
        "always",
        r"^앞으로는\s+(?!(?:내가|제가|네가|우리가|이|그|저)\s)(?:항상\s+)?(?:(?P<claim>.{2,120}?(?:사용|저장|작성|실행))해|(?P<other>.{2,120}?써))$",
    ),
    (
        "known",
        r"^(?P<claim>.{4,120}?[다라])는\s?(?:것|걸|거|점|사실)[을를]?\s?(?:꼭\s)?기억해\s?(?:줘|둬|주세요|두세요|라)?$",
    ),
    ("known", r"^기억해\s?(?:줘|둬|주세요|두세요)?\s?[:：,]\s*(?P<claim>.{4,120})$"),
    ("decided", rf"{_KO_WE}(?P<claim>{_LATIN}.{{2,120}}?{_KO_CHOICE}기)로\s?(?:최종\s?)?결정\s?{_KO_PAST}"),
    ("decided", rf"{_KO_WE}(?P<claim>{_LATIN}.{{2,120}}?{_KO_CHOICE}기)로\s?{_KO_PAST}"),
    ("decided", rf"{_KO_WE}(?P<claim>{_LATIN}.{{2,120}}?)(?<!기)으?로\s?결정\s?{_KO_PAST}"),
    ("decided", r"^결정(?:\s?사항)?\s?[:：]\s*(?P<claim>.{4,120})$"),
)

# --- Chinese -------------------------------------------------------------------------------------------------------

_ZH_LATER = r"(?:以后|以後|今后|今後|从现在起|從現在起|从现在开始|從現在開始|从今以后|从今天起)[,，]?\s*"
_ZH_VERB = (
    r"(?:使用|用(?![不户戶])|先(?:写|寫|运行|運行|跑|问|問|测|測|检|檢)|运行|運行|执行|執行|写|寫|把.{1,30}[写寫放存]|保持|添加|更新|测试|測試|遵循|遵守"
    r"|采用|採用|确保|確保|存为|存為|存成|放在|走|优先|優先|记录|記錄|改用|回答)"
)
_ZH_DEED = (
    r".{0,20}(?:提交|推送|修改|改动|使用|存储|儲存|打印|删除|刪除|合并|合併|查询|查詢|返回|写|寫|加|用|绕过|跳过|暴露)"
)
_ZH_WE = r"(?:我们|我們|我|团队|團隊|大家|最终|最終|最后|最後|经过讨论|經過討論|已经|已經|[，,]){1,3}"
_CHINESE = _phrases(
    ("never", rf"^{_ZH_LATER}[请請都你]{{0,3}}(?:不要|别|別|不准|不许|不許|禁止)再?(?P<claim>{_ZH_DEED}.{{0,120}})$"),
    (
        "never",
        r"^(?P<about>[^我他她它会會说說，,]{0,15}?)(?:绝|絕|绝对|絕對|永远|永遠)不(?:要|能|可以|允许|允許|得|准)再?"
        rf"(?P<claim>{_ZH_DEED}.{{0,120}})$",
    ),
    (
        "always",
        r"^(?:请|請|要|必须|必須|务必|務必){0,2}(?:总是|總是|始终|始終|永远|永遠)"
        r"(?P<claim>(?:使用(?= ?[A-Za-z])|先|保持|遵循|遵守|采用|採用|确保|確保)[^，,]{2,120})$",
    ),
    ("always", rf"^(?P<about>[^他她，,]{{0,20}}?)一律[要都]?(?P<claim>{_ZH_VERB}.{{1,120}})$"),
    ("always", rf"^{_ZH_LATER}(?:请|請|都|一律|就|统一|統一|全部){{1,3}}要?(?P<claim>{_ZH_VERB}.{{1,120}})$"),
    ("always", r"^(?:从现在开始|从现在起|从今以后|從現在開始)[,，]?\s*(?P<claim>.{1,40}都要.{2,80})$"),
    ("known", r"^(?:请|請)?(?:记住|記住|牢记|牢記)\s?[,，:：]\s*(?P<claim>[^我你他她].{4,120})$"),
    (
        "decided",
        rf"^(?:(?:因为|因為|由于|由於)(?P<why>[^，,]{{2,60}})[，,]\s*(?:所以)?)?{_ZH_WE}(?:决定|決定)[了要]?"
        rf"(?P<claim>{_LATIN}(?:不再|不用|不使用|放弃|放棄|保留|支持|引入|去掉|迁移|遷移|[把将將].{{1,30}}(?:迁移|遷移|放|存|拆|换|換|改成)|{_ZH_VERB})(?!了).{{2,120}})$",
    ),
    ("decided", r"^(?:决定|決定)\s?[:：]\s*(?P<claim>.{4,120})$"),
)

# --- Japanese ------------------------------------------------------------------------------------------------------

_JA_PLEASE = r"(?:ください|下さい)"
_JA_DO = (
    r"(?P<claim>.{0,120}?(?:実行|使用?|書|確認|追加|明示|テスト|レビュー|答え|作業|更新|記録|検証|コミット|マージ|プッシュ|デプロイ|通|保|従|英語に|日本語に))"
    rf"(?:[しっいん]?[てで](?:{_JA_PLEASE}|ね)?|(?:する|つ|う|く)こと|(?:うよう|くよう)に(?:し[てで](?:{_JA_PLEASE}|ね)?|すること)"
    r"|[しいき]ましょう)$"
)
_JA_NOT = (
    r"(?P<claim>.{0,120}?(?:プッシュ|コミット|編集|保存|出力|変更|削除|マージ|追加|使わ|書か|残さ|触ら|無視))"
    rf"(?:し?ないで(?:{_JA_PLEASE}|ね)?|し?ないこと|し?てはいけ(?:ない|ません)|し?てはなら(?:ない|ません))$"
)
_JA_CHOICE = (
    r"(?:使う|使わない|使用する|採用する|やめる|移す|移行する|保存する|置く|残す|ままにする|分ける|切り替える|対応する)"
)
_JA_LATER = r"^(?:今後は|これからは)[、,]?\s*"
_JA_WHY = r"^(?:(?P<why>.{2,80}?)(?:ので|ため|から)[、,]\s*)?"
_JAPANESE = _phrases(
    ("never", rf"^(?P<about>.{{0,40}}?)(?:絶対に|決して|二度と)\s*{_JA_NOT}"),
    ("never", rf"{_JA_LATER}(?:絶対に)?{_JA_NOT}"),
    ("always", rf"^(?P<about>.{{0,40}}?)(?:必ず|常に|いつも)(?!しも|通り|どおり|の)\s*{_JA_DO}"),
    ("always", rf"{_JA_LATER}(?:必ず|常に)?{_JA_DO}"),
    ("known", rf"^(?P<claim>.{{4,120}}?)(?:こと|点)を覚えておいて(?:{_JA_PLEASE}|ね)?$"),
    ("known", rf"^覚えておいて(?:{_JA_PLEASE}|ね)?\s?[、,:：]\s*(?P<claim>.{{4,120}})$"),
    (
        "decided",
        rf"{_JA_WHY}(?P<claim>{_LATIN}.{{1,120}}?{_JA_CHOICE})こと[にと](?:決定(?:しました|した)?|決めました|決めた)$",
    ),
    ("decided", rf"{_JA_WHY}(?P<claim>{_LATIN}.{{1,120}}?{_JA_CHOICE})こと[にと]し(?:ました|た)$"),
    ("decided", rf"{_JA_WHY}(?P<claim>{_LATIN}.{{2,120}}?)(?<!こと)に(?:決定(?:しました|した)?|決めました|決めた)$"),
    ("decided", r"^決定(?:事項)?\s?[:：]\s*(?P<claim>.{4,120})$"),
)

PHRASES = {"en": _ENGLISH, "ko": _KOREAN, "zh": _CHINESE, "ja": _JAPANESE}

# A claim about the work names something of it: a tool, a file, a part of the code or of how it is made.
_EN_WORK = (
    "api apis async backend bash branch branches bug bugs build builds cache changelog ci class classes cli "
    "code codebase comment comments commit commits compatibility compatible component components composition "
    "config configuration css database date dates db default defaults dependencies dependency dependency-free "
    "deploy deployment doc docker docs documentation e2e email emails emoji emojis endpoint endpoints english "
    "env environment error errors event events exception exceptions export exports field fields file files "
    "flag flags folder folders format formatting function functions generated git github header headers hook "
    "hooks http https implementation import imports indentation inheritance input install integration "
    "interface interfaces json key keys libraries library lint linter linting locally lockfile log logger "
    "logging logs main markdown master merge message messages method methods migration migrations mock mocks "
    "module modules monolith monorepo node npm orm package packages pagination parallel password passwords pattern "
    "patterns playwright pnpm postgres pr prettier production prompt prompts prs public python queries query "
    "queue readme rebase redis regression release releases repo repository request requests response "
    "responses rest review route routes runtime schema schemas script scripts src secret secrets server servers "
    "service services session sessions snapshot snapshots sql sqlite staging string strings style styles sudo "
    "support tabs tailwind test tests thread threads timeout timeouts timestamp timestamps token tokens trunk "
    "type types typescript unit url urls utc utf-8 validation variable variables vendor version versioning "
    "versions vitest worker workers yaml zod angular ansible aws azure bun celery cors css cypress deno django "
    "elasticsearch eslint express fastapi flask gcp graphql grpc helm jest jwt kafka kotlin kubernetes laravel lodash "
    "mongodb mysql mypy nats next.js nginx oauth poetry postgresql pydantic pytest rabbitmq rails react ruff "
    "rust sentry spring svelte terraform uv vite vue webpack websocket websockets yarn "
)
# Or it looks like code: snake_case, a/path, a.file, camelCase, an ACRONYM.
_EN_CODE = r"\w_\w|\w/\w|`|\.\w{2,4}\b|(?-i:\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b)"
WORK = {
    "en": lazy(rf"\b(?:{'|'.join(map(re.escape, _EN_WORK.split()))})\b|{_EN_CODE}", re.IGNORECASE),
    "ko": lazy(
        r"[A-Za-z]{2}|커밋|푸시|테스트|코드|파일|브랜치|의존성|함수|타입|주석|문서|저장소|로그"
        r"|환경 변수|비밀|마이그레이션|리뷰|배포|컨벤션"
        r"|린트|버전|설치|서버|스키마|쿼리|한국어|영어|존댓말|호환"
    ),
    "zh": lazy(
        r"[A-Za-z]{2}|提交|推送|测试|測試|代码|代碼|文件|分支|依赖|函数|类型|注释|文档|仓库|接口|数据库|日志|合并|部署|密钥|密码|编码|查询"
        r"|导出|迁移|时间戳|英文|中文|版本|兼容|导入|会话|服务"
    ),
    "ja": lazy(
        r"[A-Za-z]{2}|コミット|プッシュ|テスト|コード|ファイル|ブランチ|依存|関数|型|コメント|ドキュメント|リポジトリ|ログ|鍵|パスワード"
        r"|マイグレーション|レビュー|デプロイ|バージョン|英語|日本語|敬語|互換|サーバー|エクスポート|変数"
    ),
}

# What makes it an order for now, a report of somebody else's words, or an open question.
UNLESS = {
    "en": lazy(
        r"\b(?:yet|right now|this time|at the moment|today|tomorrow|tonight|last week|for the moment|just this once"
        r"|said|says|asked|again|(?:this|these|those) (?!repo|project|codebase)\w+"
        r"|yesterday|monday|friday|at (?:\d|five|noon)"
        r"|that (?:command|file|function|one|line|branch|test|script)|here|it|my|me too|call me|such|there|nothing"
        r"|try|look|talked?|together|meetings?|so please|so be|like you|wrote|that is what|(?<=export )is|were|was"
        r"|worked|works|happens?|fails?|failed|hangs?|broke|came|crash\w*|null|undefined|wrong|run into|"
        r"pages?|carousel|mockups?|buttons?|badges?|box|modals?|dialogs?|headers?|tooltips?|spinners?|pizza|lunch|dinner|coffee|beers?|party|birthday)\b",
        re.I,
    ),
    "ko": lazy(
        r"아직|지금|이번|오늘|일단|당장|[라다]고\s?(?:말|했|하|써|적)|누가|어떤|그렇게|왜|게\s?해|는데|네요|에러|오류"
        r"|버튼|화면|사용자가|로그인|까지|월요일|회의|걱정|장난|믿|이\s(?:테스트|파일|값|코드)|어제|나는지|눈을|제가|걸린다|불러|하던\s?대로"
        r"|(?:추가|구현|수정|정리|삭제|변경)해|만들어|고쳐|바꿔"
    ),
    "zh": lazy(
        r"^先|现在不|現在不|暂时|暫時|这次|這次|今天不|还没|還沒|如果|是否|他说|她说|说过|写着|寫著|怎么|为什么|吗$|呢$|了$|报错|報錯|不了|不上|失败|明天|[点點]|微信|哈哈|称呼|权限|昨天|成功|这个|這個|这种|骗|吓|糊弄|找我|讨论|十分钟|我自己|离职|下午|上午|午休|，没"
    ),
    "ja": lazy(
        r"まだ決|まだコ|今は|今回|今日|とりあえず|一旦|いったん|と言|と書|って言|らしい|誰|どの|そう決|か$|場合|ている(?!こと)|ので(?![、,])|(?<!これ)(?<!だけ)(?<![てで])から(?![、,])|たら|ます|ありがとう|気をつけ|困|ログイン|呼んで|そう話|月曜|昨日|後で|信じ|するか|十分|まで$|買う|午後|午前"
    ),
}

# What holds for now only, whatever is said (a choice for now of one over another is still one); and the state that
# something happens to be in, which is nothing to remember.
MOMENT = {
    "en": lazy(
        r"\b(?:until|till|today|tonight|tomorrow|currently|right now|at the moment|for the moment|temporarily"
        r"|this (?:week|morning|afternoon|evening)|meanwhile|in the meantime"
        r"|for now(?! (?:and not|instead of|over)\b))\b",
        re.I,
    ),
    "ko": lazy(r"까지|지금|현재|오늘|내일|당분간|잠시|임시로|잠깐"),
    "zh": lazy(
        r"直到|(?<![从從])(?:现在|現在)|目前|暂时|暫時|今天(?!起)|今晚|明天|到.{1,6}(?:之前|为止|為止)|正在|这几天"
    ),
    "ja": lazy(r"まで|今日|今夜|今は|現在(?!の)|明日|しばらく|一時的|当分|今週"),
}
STATE = {
    "en": lazy(
        r"\b(?:is|are|[’']s|still|being|been|goes|gets?)\s+(?:\w+ ){0,2}?(?:broken|down|red|green|failing"
        r"|flaky|frozen|offline|stuck|unavailable|unreachable|slow|busy|blocked|locked|full|out|gone|missing|off|open|closed|merged|done|ready|taken)\b|\b(?:passed|ran|merged|closed|demo)\b",
        re.I,
    ),
    "ko": lazy(
        r"깨졌|깨져|깨진|고장|내려가|내려갔|다운|멈춰|멈췄|죽었|죽어|장애|점검|막혀|막혔|실패|느려|통과했|열려|열렸|닫혔|닫혀|끝났|머지[됐했]"
    ),
    "zh": lazy(r"坏|壞|挂|掛|不可用|下线|下線|宕|失败|失敗|卡住|红的|中断|维护中|停机|通过了|占用|开了"),
    "ja": lazy(
        r"壊れ|落ちて|落ちた|止ま|停止|ダウン|失敗|メンテナンス|使えな|通った|通りま|開いた|開いて|終わった|済み"
    ),
}

# A claim that only points at something else said.
VAGUE = lazy(
    r"(?:that|this|it|both|yours|them|those|these|option|plan|#?\d|the (?:first|second|third|last|other|former|latter|"
    r"same|current one|above)|your|what(?:ever)?|それ|これ|그거|이거|那个|这个|這個)\b",
    re.IGNORECASE,
)

# A reason that stands after the claim.
REASONS = {
    "en": lazy(
        r"[,;]?\s+(?:because|since(?=\s+(?:we|it|the|i|they|this|that|there)\b)|so that)\s+(?P<why>.{3,200})$", re.I
    ),
    "zh": lazy(r"[，,]\s*(?:因为|因為|由于|由於)(?P<why>.{2,80})$"),
}

# A sentence that is nothing but the reason of the one before.
ONLY_A_REASON = {
    "en": lazy(
        r"^(?:(?:this|that|it)(?:[’']s| is) )?because\s+(?P<why>\w.{3,200})$"
        r"|^(?:the )?reason(?: is(?: that)?|:)\s+(?P<also>\w.{3,200})$",
        re.I,
    ),
    "ko": lazy(
        r"^(?:왜냐하면\s|이유는\s)?(?P<why>.{2,80}?[기것])\s?때문(?:이야|이에요|예요|입니다|이다|임)?$"
        r"|^이유는\s(?P<also>.{2,80}?)(?:야|이에요|예요|입니다|이다)$"
    ),
    "zh": lazy(r"^(?:因为|因為|由于|由於|原因是|理由是)[:：]?\s?(?P<why>[^，,]{2,80})$"),
    "ja": lazy(r"^(?:なぜなら[、,]?)?(?P<why>.{2,80}?)(?:から|ため)(?:です|だ)$|^理由は(?P<also>.{2,80}?)(?:です|だ)$"),
}
