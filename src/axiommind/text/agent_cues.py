"""Cues: words by which a sentence of an agent shows what it is, in English, Korean, Chinese and Japanese.

What it says (a cause, a constraint, a contrast, how something works) speaks for it; what it is (a plan, a report of
what was done, a guess, a question, a proposal) against it.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["AGAINST", "FOR", "HEADINGS", "POINTS_BACK", "asks_why"]

FOR = {
    "cause": lazy(
        r"\bbecause\b|\bdue to\b|\bcaus(?:e[ds]?|ing)\b|\bsince (?:it|the|they|we|this|that|there|its|all|no)\b"
        r"|\breason\b"
        r"|\bcomes? from\b|\bis from\b|\bthat(?:[’']s| is) why\b|\bresult(?:s|ed|ing)? (?:in|from)\b"
        r"|\bwhich (?:means|leads)\b"
        r"|\btriggers?\b|\bleads? to\b|\bculprit\b|\bbreaks?\b|\bleaks?\b"
        r"|때문|원인|이유|탓|(?:해서|여서|아서|어서|므로|니까|으니|느라)(?=[\s,.])|비롯|않아\b|없어서|문제(?:는|입니다|점)"
        r"|原因|理由|せいで|ため|ので|によ(?:り|って)|(?:です|ます|ない|いる|た)から(?=[、。\s])|起因"
        r"|因为|由于|导致|造成|所以|以致|引起",
        re.IGNORECASE,
    ),
    "root": lazy(
        r"\broot cause\b|\b(?:real|actual|underlying|core|true) (?:problem|issue|cause|culprit|bug|reason"
        r"|bottleneck)\b"
        r"|\bthe (?:problem|issue|bug|culprit|catch|trick|key|cause|reason)\b[^.]{0,60}\b(?:is|was|were)\b"
        r"|\bturn(?:s|ed) out\b"
        r"|핵심 ?원인|근본 ?원인|진짜|실제 ?원인|원인(?:은|이|을|입니다|:)|문제의?\s?(?:핵심|원인)|알고 ?보니"
        r"|根本原因|本当の|原因(?:は|が|です|:|：)|判明|分かりました|わかりました|根因|真正的|问题(?:是|在于|出在)|原来",
        re.IGNORECASE,
    ),
    "constraint": lazy(
        r"\bmust\b|\bonly\b|\balways\b|\bnever\b|\brequire[sd]?\b|\bneeds? to be\b|\bneeds?\b|\bhas to\b|\bhave to\b"
        r"|\bcan(?:[’']t|not)\b|\bcannot\b|\bwon[’']t\b|\bunless\b|\buntil\b|\bnot allowed\b|\bunable\b|\bno longer\b"
        r"|\bexpects?\b"
        r"|\bdoesn[’']t (?:support|work|allow|accept|handle)\b|\bdon[’']t (?:support|work|allow)\b|\bby default\b"
        r"|해야|필요|만(?=[\s,.을를이가은는])|반드시|항상|무조건|절대|불가|못\s?합|안 됩|없이는|기본(?:값|적으로)"
        r"|막힙|막혀"
        r"|必要|しか|のみ|だけ|必ず|常に|べき|なければ|できな|できません|不可|デフォルト"
        r"|必须|只能|只有|只会|需要|不能|无法|总是|从不|默认|不支持|除非",
        re.IGNORECASE,
    ),
    "contrast": lazy(
        r"\bactually\b|\binstead(?: of)?\b|\brather than\b|\bbut\b|\bhowever\b|\balthough\b|\bwhile\b|\bwhereas\b"
        r"|\beven though\b"
        r"|\bnot (?:the|a|an|from|by|in|on|for|just|because|derived|directly|via|`)\b|,\s*not\b|\bdespite\b"
        r"|\bdiffer\w*|\bunlike\b"
        r"|대신|아니라|아닌|하지만|그러나|그런데|오히려|지만|인데|는데|반면|다만|임에도|실제로는"
        r"|ではなく|じゃなく|しかし|一方|ただし|代わり|のに|ですが|ますが|けど|逆に|実際"
        r"|而不是|不是|但是?|然而|其实|实际上|反而|却|代替|虽然",
        re.IGNORECASE,
    ),
    "fails": lazy(
        r"\bfail(?:s|ed|ing|ure)?\b|\berrors?\b|\bbugs?\b|\bbroken\b|\bmissing\b|\bwrong\b|\bincorrect\b"
        r"|\boutdated\b|\bstale\b"
        r"|\bmismatch\w*|\brace\b|\bcrash\w*|\bdenied\b|\brejected\b|\bsilently\b|\bnot found\b|\bconflict\w*"
        r"|\bregression\b"
        r"|\bdoesn[’']t\b|\bdon[’']t\b|\bisn[’']t\b|\baren[’']t\b|\bdidn[’']t\b|\bwasn[’']t\b|\bnever\b|\bnot\b"
        r"|실패|오류|에러|버그|누락|잘못|충돌|깨(?:짐|져|진)|막히|막힙|없(?:음|습니다|어서|는|이)"
        r"|않(?:음|습니다|아|는|고)|안 (?:되|됩|됨)|묵살|무시|지연|병목|퇴행"
        r"|失敗|エラー|バグ|不足|欠け|間違|誤|衝突|競合|壊れ|ない|ません|漏れ|古い"
        r"|失败|错误|缺少|缺失|冲突|崩溃|没有|不会|不存在|过期|遗漏",
        re.IGNORECASE,
    ),
}
AGAINST = {
    "plan": lazy(
        r"\bi (?:also |just |still |only )?(?:need|want|have to|removed|added|see|wrote|can)\b|"
        r"^(?:\w+[,.!]? ){0,4}?(?:let me|let[’']s|i[’']ll|i will|i[’']m going to|i am going to|i need to|i should|i can"
        r"|i want to|we need to"
        r"|next,?|now,? (?:i|let|update|add|run|fix|for|the)|first,?|then)\b|\blet me\b|\bi[’']ll\b|^now\b"
        r"|^time to\b|^next\b|^(?:going|need) to\b"
        r"|\b(?:i[’']m|i am) (?:now |also |just |still |only |already )?(?!seeing|getting)[a-z]+ing\b"
        r"|(?:하겠|보겠|드리겠|겠습니다|할게요|볼게요)|^(?:이제|먼저|다음)\s.*(?:합니다|수정|확인)|(?:확인|수정"
        r"|추가|진행|적용|실행|제거|시도|업데이트|커밋|테스트)(?:합니다|해보|하고)[.:]?"
        r"|(?:(?<!失敗)(?<!発生)(?<!動作)(?<!存在)(?<!依存)(?<!一致)(?<!機能)し|確認し|行い|進め|試し|試み|直し|戻し|見|移動し|更新し|追加し)ます[。.]?$|しましょう|してみます|みます[。.]?$|ましょう"
        r"|让我|我(?:来|将|会|先|要|需要)|接下来|现在(?:来|我|开始)|首先|下一步",
        re.IGNORECASE,
    ),
    "status": lazy(
        r"^(?:done|perfect|great|good|excellent|all (?:done|good|set|tests?|\d+)|build (?:passes|succeed|clean)"
        r"|committed|pushed|ready"
        r"|everything|clean|success|here(?:[’']s| is| are)|tests? pass|both pass|pr created|created|on `?main"
        r"|no (?:issues|errors|changes))\b"
        r"|\b(?:all|\d+) (?:\w+ )?(?:tests?|checks?|hooks?) (?:\w+ )?pass\w*|\bpass(?:es|ed)? (?:cleanly|now|\()"
        r"|\blint is clean\b|\bpull/\d+"
        r"|\b(?:is|are) (?:now )?(?:complete|done|ready|in place|clean|fixed|resolved|pushed|merged|committed"
        r"|up to date|staged)\b"
        r"|완료|성공(?:입|했|적)|통과|깔끔|준비(?:됐|되)|문제없|커밋(?:했|됐|완)|파악했|읽었습니다|확인했습니다|명확합니다|요약:?$"
        r"|完了|成功し|パス(?:し|。|$)|全(?:テスト|て)?.{0,6}pass|問題(?:なし|ありません)|準備(?:でき|が)|明確|終わり|以下の(?:通り|とおり)"
        r"|(?:已|全部|都)(?:完成|通过|修复|提交|更新|推送|添加)|成功|没有问题|搞定|如下",
        re.IGNORECASE,
    ),
    "hedge": lazy(
        r"^(?:wait|actually|interesting(?:ly)?|hmm|oh)\b|"
        r"\bmaybe\b|\bperhaps\b|\bmight\b|\bmay be\b|\bseems?\b|\bappears?\b|\bpossibly\b|\bprobably\b|\blikely\b"
        r"|\blooks like\b|\bi think\b"
        r"|\bi believe\b|\bi suspect\b|\bcould be\b|\bnot sure\b|\bpresumably\b|\bguess\b|\bhmm\b"
        r"|가능성|것 같|듯|아마|일 수|수도 있|추측|추정|보입니다|같습니다|맞겠네|하네요"
        r"|かもしれ|ようです|みたい|おそらく|たぶん|可能性|と思|はずな|らしい|でしょう|ですね[。.]?$"
        r"|可能|也许|大概|似乎|好像|看起来|应该是|估计|猜",
        re.IGNORECASE,
    ),
    "question": lazy(
        r"[?？][\"')*]*$|(?:까요|나요|ますか|でしょうか|ませんか|吗|呢)[?？.。]?$"
        r"|^(?:want me|would you|should i|shall i)\b",
        re.IGNORECASE,
    ),
    "proposal": lazy(
        r"(?:해|말씀해|알려)\s?주(?:시면|세요|십시오)|てください|请(?:你|您|先|在)|\bplease\b|"
        r"\bwould (?:be|make|need|you|also|require|let|allow)\b|\bcould (?:also|add|use|be)\b|\bshould (?:i|we|be"
        r"|also|probably)\b|\bwant me\b|\bif you(?:[’']d)?\b"
        r"|\brecommend\w*|\bsuggest\w*|\boption \w\b|\bconsider\b|\bnice to have\b|\bfeel free\b|\blet me know\b"
        r"|\bcan (?:be )?add"
        r"|추천|제안|권장|면 (?:좋|됩|될)|할까|바꾸면|원하시|방향"
        r"|提案|おすすめ|推奨|すればいい|したほうが|方がいい|いかが|よければ|検討"
        r"|建议|推荐|可以考虑|如果你|要不要|是否",
        re.IGNORECASE,
    ),
    "change": lazy(
        r"[:：—–-] (?:added|updated|removed|replaced|changed|fixed|created|renamed|moved|extracted)\b"
        r"|^\W*`[^`]+`\s*→\s*`[^`]+`\W*$|"
        r"^(?:[*`\w./:-]{1,60}[*`:]*\s*(?:[—–:-]\s*)?)?\b(?:added|updated|removed|replaced|changed|fixed|created"
        r"|renamed|moved|refactored|extracted|wrapped"
        r"|modified|deleted|simplified|converted|switched|implemented|introduced|bumped|cleaned|reverted"
        r"|committed|restored|rewrote|dropped|improved"
        r"|corrected|enhanced|adds?|update|remove|replace|change|fix|create|rename|move)\b"
        r"|(?:추가|수정|제거|삭제|교체|변경|롤백|통합|분리|적용|복원|생성|업데이트)(?:했|하였|됨|함|되었|완료|\s?(?:→|—|-)|[.)]?$)"
        r"|を?(?:追加|修正|削除|変更|更新|置換|作成|記載|移動|統一)(?:しました|し|。|$|、)"
        r"|^(?:添加|更新|修改|删除|移除|替换|新增|修复|重构|创建)",
        re.IGNORECASE,
    ),
    "moment": lazy(  # how the working tree, a run or a pull request is just now
        r"\b(?:one|two|three|four|both|all|the|\d+) (?:\w+ ){0,2}?(?:tests?|checks?|failures?|errors?|warnings?)"
        r" (?:is|are|was|were|fail\w*|still)\b|\bnot running\b|\balready dirty\b"
        r"|\bto stage\b|기존 문제|既存の問題|\b(?:is|are) now (?:back|in)\b|"
        r"\b(?:un)?(?:staged|committed|tracked)\b|\bstash\w*|\bworking tree\b|\bno diff\b|\b(?:in|on"
        r"|from) (?:this|the|a) (?:branch|diff|commit|pr)\b"
        r"|\bwrong branch\b|\bup to date\b|\bprior commit\b|\b(?:un)?related (?:to|changes?)\b|\bunrelated\b"
        r"|\bpre-existing\b|\bmy (?:changes?|edits?)\b|\bour changes?\b"
        r"|\bpushed\b|\bmerged\b|\bin progress\b|\bstill running\b"
        r"|커밋(?:되|됐|이|은|된|하지)|스테이징|푸시|브랜치에|머지|stash"
        r"|ステージング|コミット(?:済|が|され|は|でき)|プッシュ|マージ(?:済|され)|追跡"
        r"|暂存|已提交|未提交|推送|合并了|工作区",
        re.IGNORECASE,
    ),
    "leads_on": lazy(r"[:：]$"),
    "now": lazy(r"\bnow\b|이제|今は|今回|现在", re.IGNORECASE),
    "trivial": lazy(
        r"\bunused\b|\bformat(?:ting|ter|ted)?\b|\blint\w*|\btype (?:error|annotation)|\bimports?\b"
        r"|\bTypeScript\b|\bwhitespace\b|\bpadding\b|\bclass ?name|\btypo\b|\bcomments?\b"
        r"|포맷|들여쓰기|오타|주석|未使用|フォーマット|コメント|格式|注释",
        re.IGNORECASE,
    ),
    "local": lazy(
        r"\b(?:this|the) (?:todo|task|phase|pr|commit|branch|diff|plan|ticket)\b|\bphase \d|\btodos?\b"
        r"|\bmy (?:changes?|edits?)\b|\bour changes?\b"
        r"|\blines? ~?\d|\b[0-9a-f]{7,40}\b|\bpre-existing\b|\bunrelated\b|#\d+\b|\b(?:test|step|fix|item) #?\d"
        r"|이번|현재|아까|방금|今回|現在|先ほど|上記|这次|当前|刚才",
        re.IGNORECASE,
    ),
    "praise": lazy(
        r"\blooks? (?:great|good|right|correct|fine|clean)\b|"
        r"^(?:good|great|nice|excellent|perfect|fair|yes|sure|ok(?:ay)?|right|sounds good|absolutely|exactly)\b"
        r"|^you[’']re\b"
        r"|^(?:좋|네[,. ]|맞습니다|알겠|훌륭)|^(?:はい|了解|承知|いい|良い|ありがとう)|^(?:好的|是的|没错|明白|很好)",
        re.IGNORECASE,
    ),
}
HEADINGS = {
    "cause": lazy(
        r"\bcause\b|\bwhy\b|\bproblem\b|\bissue\b|\bfinding|\banalysis\b|\bdiagnos|\breason|\bkey\b|\bhow\b"
        r"|\blesson|\bgotcha|\bnote|\binsight"
        r"|원인|문제|이유|분석|핵심|진단|한계|왜|어디서|原因|問題|理由|分析|ポイント|教訓|注意|问题|说明",
        re.IGNORECASE,
    ),
    "change": lazy(
        r"[:：—–-] (?:added|updated|removed|replaced|changed|fixed|created|renamed|moved|extracted)\b"
        r"|^\W*`[^`]+`\s*→\s*`[^`]+`\W*$|"
        r"\bchang|\bsummary\b|\bfiles?\b|\bupdated?\b|\bdone\b|\bmodified\b|\bwhat (?:was|i)\b|\btest|\bcommit"
        r"|\bcreated\b|\badded\b|\bresolved\b|\bcompleted\b|\bfix(?:es|ed)?\b|\bnext\b|\bverif|\boption"
        r"|\bpositive|\bplan\b"
        r"|변경|수정|요약|파일|완료|정리|추가|결과|変更|修正|更新|追加|完了|結果|次|まとめ|更改|修改|总结|完成",
        re.IGNORECASE,
    ),
}
# Begins with what can only be understood from the sentence before.
POINTS_BACK = lazy(
    r"(?:\*\*)?(?:this|that|these|those|it|they|so|which|also|but|however|then|thus|therefore|hence|both|same|and"
    r"|instead|because|otherwise|all of)\b"
    r"|(?:즉|이건|이것|이는|이게|그래서|따라서|하지만|그런데|그러나|다만|이 |그 |오히려|단,|또한)"
    r"|(?:これ|それ|この|その|つまり|そのため|しかし|ただ|また|ので|したがって)"
    r"|(?:这|那|它|所以|因此|但|因为|而|其)",
    re.IGNORECASE,
)
_WHY = lazy(
    r"\bwhy\b|\bhow (?:does|do|is|are|come|did|can|would|should)\b|\bwhat (?:is|are|does|happens|about|causes?)\b"
    r"|\bwhich\b|\bdoes\b|\bis (?:it|this|that|there)\b|\bare (?:these|they|we)\b|\binvestigate\b|\bexplain\b"
    r"|\bcheck (?:why|if|whether)\b|\bam i\b"
    r"|왜|어떻게|무엇|뭐|원인|이유|분석|확인해|는지|건가|인가|맞아|なぜ|どう|何|原因|調べ|確認し|試し|ですか|なの|为什么|为何|怎么|如何|原因|什么|是否|吗",
    re.IGNORECASE,
)
_ASKING = lazy(r"[?？]")


def asks_why(prompt: str) -> bool:
    """Whether a prompt asks for an explanation and not just for work."""
    head = prompt[:600]
    return (bool(_ASKING.search(head)) and bool(_WHY.search(head))) or bool(_WHY.match(head.strip()))
