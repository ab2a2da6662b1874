"""A prohibition without `never`: "don't use any in TypeScript", "테스트 없이 커밋하지 마세요", "不要在代码里写死密码".

Most such orders are for the moment ("don't commit yet") or about something at hand ("don't touch the parser"). One
that stands says where or without what, or forbids what is wrong in any project; and nothing in it points at now,
here or this. What can be read either way is left alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["PROHIBITIONS", "Prohibition"]


_FILE = r"\w\.(?:tsx?|jsx?|py|go|rs|java|kt|rb|cs|cpp|md|ya?ml|json|css|html)(?![A-Za-z0-9])"  # one file is at hand


class Prohibition(NamedTuple):
    order: re.Pattern[str]  # its `claim` is what must not be done
    standing: re.Pattern[str]  # what the claim must hold
    at_hand: re.Pattern[str]  # what no part of the sentence may


def _prohibition(order: str, standing: str, at_hand: str) -> Prohibition:
    return Prohibition(lazy(order, re.IGNORECASE), lazy(standing, re.IGNORECASE), lazy(at_hand, re.IGNORECASE))


# --- English -------------------------------------------------------------------------------------------------------

_HIDDEN = (
    r"(?:secrets?|passwords?|credentials|(?:api |access |private )?(?:keys|tokens)|\.env\b(?: files?)?|personal data)"
)
_INSTEAD = r"(?:, (?:use|prefer|read|import|put|throw|return|call) (?:(?!\b(?:the|this|that|it|one)\b)[^,]){2,60})?$"
_WHAT = (  # an object that is named in general: not "the parser", "a new file", "anything"
    r"(?!(?:the|an?|my|your|our|his|her|all|every\w*|more|too|so|both|either|any(?:thing|one|more)"
    r"|any(?! (?:in|type)\b)|nothing|me|us|them|one|up|out)\b)"
)
_PLACE = (
    r"(?:in|inside|into|from|to|across|outside)\s"
    r"(?:(?!(?:the|an?|my|your|his|her|here|there)\b)"
    r"|the (?=repo|repository|codebase|project|frontend|backend|database|docs|shared \w|public \w|domain \w"
    r"|components?\b|controllers?\b))(?P<place>[^,]{2,60}?)"
)
_ENGLISH = _prohibition(
    r"^(?:(?:ok(?:ay)?|and|also|please|pls|important|note|in this (?:repo|project|codebase))[,:]?\s+){0,3}"
    r"(?:do not|don[’']?t)\s+(?P<claim>\w.{5,200})$",
    rf"^(?:(?:use|put|import|commit|mock|log|store|catch|call|access|query|expose|return|throw|leave|include|hard-?code"
    rf"|swallow|push) {_WHAT}(?:[^,]{{1,60}}? )??{_PLACE}{_INSTEAD}"
    rf"|(?:use|add|commit|push|merge|deploy|install|upgrade|catch|edit|change|release|ship|publish|call|import) {_WHAT}"
    rf"(?:[^,]{{1,60}}? )?without \w[^,]{{3,60}}$"
    rf"|(?:commit|log|print|store|hard-?code|expose|push) {_WHAT}(?:[\w-]{{1,20}} ){{0,2}}{_HIDDEN}\b"
    rf"(?: (?:or|and|to|in) [^,]{{2,60}})?{_INSTEAD}"
    rf"|(?:commit|edit) (?:generated|compiled|vendored) [^,]{{2,60}}$|swallow (?:exceptions|errors)\b[^,]{{0,60}}$"
    rf"|use (?:default exports|inline styles|global variables|magic numbers|any types?|wildcard imports)\b"
    rf"[^,]{{0,60}}{_INSTEAD})",
    r"\b(?:this|these|those|it|yet|now|here|there|again|still|already|just|only|until|till|before|after|when|while"
    r"|for now|today|tonight|tomorrow|once|anymore|any more|yesterday|existing|(?:PR|issue|pull request|ticket) ?#?\d+"
    rf"|I|me|you|your|my)\b|#\d|(?<![^s]s )\bthat\b|{_FILE}",
)

# --- Korean --------------------------------------------------------------------------------------------------------

_KO_THING = (
    r"(?:[\w./-]{0,30}[A-Za-z]{2}[\w./-]{0,30}"
    r"|\S{0,8}(?:코드|저장소|브랜치|테스트|파일|로그|문서|함수|컴포넌트|컨트롤러|스크립트))"
)
_KOREAN = _prohibition(
    r"^(?:그리고\s|또\s|제발\s)?(?P<claim>.{4,120}?)(?:하?지\s?(?:마(?:세요|십시오|라|요)?|말(?:아요?|자|\s?것|아\s?줘|아\s?주세요)?)"
    r"|하?면\s?안\s?(?:돼요?|됩니다|된다))$",
    r"^\S.{0,30}?\s?(?:없이|없는)\s.{0,40}?(?:커밋|머지|푸시|배포|설치|추가|변경|병합|릴리스)$"
    rf"|^(?=.{{0,80}}(?:[을를은는]|바로|직접)\s)(?:.{{1,40}}\s)?{_KO_THING}(?:에서?는?|으?로)\s.{{0,60}}?"
    r"(?:사용|쓰|남기|넣|적|하드코딩|커밋|푸시|호출|저장|출력|기록|노출|포함|모킹|작성)$"
    r"|^any(?:\s?타입)?[을를은는]\s(?:사용|쓰)$|^(?:자동\s?)?생성된\s(?:파일|코드)[을를은는]\s(?:손으로|직접)\s(?:수정|편집|고치)$",
    r"아직|지금|여기|거기|이거|이건|그거|그건|저거|잠깐|잠시|일단|오늘|내일|당분간|다시|이번|까지|전에|후에|나중|아까|방금|먼저|이미"
    r"|(?:^|\s)(?:이|그|저|내|제|내가|제가|네가|우리가|더|또|나|너|너무)\s|\d\s?번|(?:PR|이슈)\s?#?\d|[,，]"
    rf"|(?:문제|이유|걱정)\s?없이|에서?\s(?:나오는|있는|있던|보이는|적힌|쓰인)|{_FILE}",
)

# --- Chinese -------------------------------------------------------------------------------------------------------

_ZH_NOT = r"(?:不要|别|別|不准|不许|不許|禁止)"
_ZH_THING = (
    r"(?:[A-Za-z]{2}|代码|代碼|测试|測試|日志|日誌|仓库|倉庫|循环|迴圈|文档|生产|组件|控制器|接口|函数|脚本|分支)"
)
_ZH_PLACE = rf"[^，,]{{0,10}}?{_ZH_THING}[^，,]{{0,6}}?[里裡中内內上]"
_ZH_HIDDEN = r"(?:密钥|密鑰|密码|密碼|令牌|凭证|敏感信息|个人信息|\.env)"
_ZH_ACT = (
    r"(?:直接)?(?:使用|调用|呼叫|查询|查詢|打印|输出|写死|硬编码"
    r"|(?:写|寫|用|放|留|存)(?=[^，,]{0,12}(?:[A-Za-z]{2}|逻辑|密|注释|配置|常量|查询|凭证|令牌)))"
)
_CHINESE = _prohibition(
    rf"^(?:请|請|也|另外[，,]?){{0,2}}(?P<about>[^，,请請不别別]{{2,20}}?)??{_ZH_NOT}(?P<claim>[^，,]{{3,80}}(?:[，,](?:请|請|要)?(?:改?用|使用)[^，,]{{2,40}})?)$",
    rf"^在{_ZH_PLACE}{_ZH_ACT}(?!这|那).{{1,60}}$|^{_ZH_PLACE}{_ZH_ACT}(?!这|那).{{1,60}}$"
    rf"|^(?:没有|未经|沒有|未經).{{1,12}}?(?:提交|合并|合併|推送|部署|发布|發布).{{0,30}}$"
    rf"|^把[^，,]{{0,8}}{_ZH_HIDDEN}[^，,]{{0,6}}(?:提交|写|寫|放|存|打印|推送)[^，,]{{1,40}}$"
    rf"|^(?:提交|打印|硬编码|写死|明文存储){_ZH_HIDDEN}.{{0,30}}$"
    r"|^(?:直接|手动|手動|手工)(?:修改|编辑|編輯|改)(?:自动)?生成的.{1,20}$"
    r"|^(?:使用|用)\s?(?:any|默认导出|全局变量|内联样式|魔法数字|var |eval).{0,40}$",
    r"这|這|那|先|现在|現在|还|還|暂时|暫時|再|刚|剛|等|之前|直到|今天|今晚|明天|已经|已經|目前|只|我|你|他|她|它|要不要|(?:PR|#)\s?\d|了$"
    rf"|问题就|名字|时间|{_FILE}",
)

# --- Japanese ------------------------------------------------------------------------------------------------------

_JA_THING = (
    r"(?:[A-Za-z]{2}\s?|コード|テスト|ログ|リポジトリ|ブランチ|ドキュメント|関数|コンポーネント|コントローラ"
    r"|スクリプト|ファイル)"
)
_JA_HIDDEN = r"(?:シークレット|秘密鍵|パスワード|トークン|認証情報|個人情報|(?:API\s?)?キー|\.env\s?(?:ファイル)?)"
_JAPANESE = _prohibition(
    r"^(?P<claim>[^、,]{3,120}?(?:プッシュ|コミット|編集|保存|出力|マージ|使わ|使用|書か|残さ|呼ば|入れ|デプロイ|ハードコード))"
    r"(?:し?ないで(?:ください|下さい|ね)?|し?ないこと|し?てはいけ(?:ない|ません)|し?てはなら(?:ない|ません))$",
    r"^.{1,30}?(?:なし|無し)で.{0,30}?(?:コミット|マージ|プッシュ|デプロイ)$"
    rf"|^(?:[^をは]{{0,20}}[をは]\s?)?[^をは]{{0,20}}?{_JA_THING}\s?(?:では?|には?)\s?[^をは]{{0,30}}(?:[をは]\s?)?"
    r"(?:使用?|書|残|出力|呼|入れ|保存|コミット|ハードコード|直接プッシュ)$"
    rf"|^.{{0,20}}?{_JA_HIDDEN}[をは]\s?(?:.{{0,20}}に)?(?:コミット|出力|プッシュ|ハードコード)$"
    r"|^生成された(?:ファイル|コード)[をは]\s?(?:手で|直接)\s?編集$|^any\s?型?[をは]\s?使用?$",
    r"この|その|あの|ここ|そこ|これ|それ|まだ|今|とりあえず|一旦|いったん|もう|まで|さっき|先ほど|私|僕|一度|再び|前に|後で|だけ|現在|しばらく"
    rf"|(?:PR|#)\s?\d|明日|昨日|時間|名前|言葉|{_FILE}",
)

PROHIBITIONS = {"en": _ENGLISH, "ko": _KOREAN, "zh": _CHINESE, "ja": _JAPANESE}
