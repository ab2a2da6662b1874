"""Words of a prompt that ask for nothing, in four languages. Data; `question` weighs with it."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["ASIDE", "GENERIC", "chinese", "japanese", "korean", "korean_orders"]

# Acknowledgements, and orders to carry on.
_ASIDE_LIST = """
y n yes yep yeah yea yup no nope nah ok okay okey kk k sure fine cool nice great good perfect awesome excellent
amazing right correct exactly agreed agree approved approve accept accepted confirmed confirm proceed continue go
going ahead on carry resume next keep please pls plz thanks thank thx ty cheers lgtm sgtm wfm done stop wait cancel
abort never mind hi hello hey hmm hm oh ah ahh wow lol haha well alright roger ack yolo ship looks look sounds seems
better best works work working worked do does did it that this them all both one two three first second third last
latter former option choice either another again more retry redo undo revert back same thing things stuff way so then
now later today here there see got understood makes make sense want need like love really very just also too actually
maybe perhaps try start begin finish let lets us bye goodbye morning job welcome absolutely definitely certainly
indeed true false undefined
"""
# Words of every project: an order of these alone would recall everything, and so nothing.
_GENERIC_LIST = """
fix fixed fixes fixing bug bugs run runs running rerun test tests testing tested commit commits committed push pushed
pull merge rebase branch check checks checked checking build builds built rebuild compile lint format add added adding
remove removed delete deleted update updated upgrade change changed changes edit write rewrite read show list print
explain describe summarize summarise summary tell think thought idea ideas plan plans review refactor clean cleanup
improve implement implemented implementation code codes file files folder line lines function functions method class
project repo repository error errors issue issues problem problems question questions answer answers help use used
using create created move moved rename renamed open close find search look looking give take set get put happen
happened happens fail failed fails failing failure break broke broken pass passes passing result results output input
step steps task tasks todo part parts side case cases example examples note notes comment comments detail details
message text word words name names new old other others different wrong missing left rest whole entire full simple
small big long short quick quickly careful carefully properly correctly everything anything nothing something someone
everyone ask asked say said mean means know feel sure instead else still already yet ever actual possible ready claude
agent assistant prompt context session memory document documentation docs readme doc pr mr prs main master branches
latest fresh origin upstream remote checkout stash merged merging pushes pushing pulled pulls committing rebased
"""
ASIDE = frozenset(_ASIDE_LIST.split())
GENERIC = frozenset(_GENERIC_LIST.split())

_KOREAN_ASIDE = """
ㅇ ㅇㅇ ㅇㅋ ㄱ ㄱㄱ ㄱㄱㄱ ㄴ ㄴㄴ ㅋ ㅋㅋ ㅋㅋㅋ ㅎ ㅎㅎ ㄳ ㄱㅅ ㅇㅇㅇ ㅠㅠ ㅜㅜ 네 넵 넹 네네 예 예예 응 응응 어
엉 웅 아니 아니요 아니오 아뇨 그래 그래요 그럼 좋아 좋아요 좋습니다 좋네 좋네요 오케이 오키 오케 콜 굿 고 고고 가자
가즈아 계속 계속해 진행 다음 이어서 이어 마저 그대로 다시 또 더 일단 우선 이제 지금 먼저 나머지 전부 모두 다 맞아
맞아요 맞습니다 확인 확인했어 알겠어 알겠습니다 알았어 이해했어 고마워 고마워요 감사 감사해요 감사합니다 수고 수고했어
수고하셨습니다 안녕 안녕하세요 해 해줘 해주세요 해봐 해봐줘 하자 합시다 할까 하세요 해라 줘 주세요 부탁 부탁해
부탁해요 부탁드립니다 부탁합니다 이거 그거 저거 이것 그것 저것 이렇게 그렇게 저렇게
"""
_KOREAN_GENERIC = """
수정 고쳐 고쳐줘 실행 테스트 커밋 푸시 빌드 추가 삭제 제거 변경 확인 검토 정리 설명 요약 작성 구현 코드 파일 에러 오류
버그 문제 결과 시작 완료 작업 처리 개선 적용 보여 보여줘 알려 알려줘 찾아 찾아줘 만들어 만들어줘 돌려 돌려줘 왜 뭐
어떻게 어디 질문 답변 내용 방법 부분 프로젝트 함수
"""
# Endings that make an order of a word (진행해줘, 수정하고), and the commonest particles; the longest first.
_KOREAN_ORDERS = """
부탁드립니다 해주세요 해줄래 해주라 해줘요 해봐줘 하세요 합시다 합니다 할까요 했는데 부탁해 해줘 해봐 해라 해요 하자
할까 하고 하면 하기 했어 해서 할게 하게 해 을 를 은 는 이 가 도 만 요 좀
"""
_CHINESE_ASIDE = """
继续吧 继续 繼續 好的 好吧 好了 好啊 好 可以的 可以 行吧 行 是的 是啊 是 对的 对 對的 對 没错 沒錯 没问题 沒問題 嗯嗯
嗯 哦 噢 谢谢 謝謝 多谢 多謝 感谢 感謝 不用了 不用 不是 不 下一步 下一个 下一個 接着 接著 开始吧 开始 開始 执行 執行
确认 確認 同意 明白了 明白 知道了 了解 收到 请 請 吧 了 呢 吗 嗎 啊 呀 哈哈 你好 您好 再来 再來 再试 再試 重试 重試
一次 一下 一个 一個 第一 第二 第三 这样 這樣 那样 那樣 就 这个 這個 那个 那個 这 這 那 做 干 幹 搞 来 來 的 我 你 它
们 們 都 也 再 先 去 要 想 给 給 把 帮 幫 所有 全部 什么 什麼 怎么 怎麼 为什么 為什麼 如何
"""
_CHINESE_GENERIC = """
修复 修復 修改 运行 運行 测试 測試 提交 推送 构建 構建 添加 增加 删除 刪除 更新 检查 檢查 查看 看看 解释 解釋 总结
總結 说明 說明 实现 實現 优化 優化 重构 重構 代码 代碼 程式碼 文件 檔案 错误 錯誤 问题 問題 报错 報錯 函数 函數 项目
項目 专案 專案 结果 結果 完成 处理 處理 创建 創建 写 寫 改 加 删 看 找 用
"""
_JAPANESE_ASIDE = """
続けてください 続けて 続き 続行 進めてください 進めて お願いします お願い はい うん ええ いいえ いや そうです そう
いいです いいよ いいね 良い 大丈夫 了解しました 了解です 了解 承知しました 承知 分かりました 分かった
ありがとうございます ありがとう 次 次へ 再開 開始 実行 確認 やって やり直し もう一度 全部 全て これ それ あれ この
その 何 どう なぜ ください 下さい
"""
_JAPANESE_GENERIC = """
修正 実行 テスト コミット プッシュ ビルド 追加 削除 変更 確認 説明 要約 実装 コード ファイル エラー バグ 問題 結果
作成 更新 改善 関数 直して 直す 見て 見せて 書いて 教えて 調べて プロジェクト 作業 処理 完了
"""


@cache
def korean() -> tuple[frozenset[str], frozenset[str]]:
    """Words that ask for nothing, and words that every project uses."""
    return frozenset(_KOREAN_ASIDE.split()), frozenset(_KOREAN_GENERIC.split())


@cache
def korean_orders() -> tuple[str, ...]:
    return tuple(_KOREAN_ORDERS.split())


@cache
def chinese() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The same, to be found in a run without spaces."""
    return _any_of(_CHINESE_ASIDE), _any_of(_CHINESE_GENERIC)


@cache
def japanese() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return _any_of(_JAPANESE_ASIDE), _any_of(_JAPANESE_GENERIC)


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(words.split(), key=len, reverse=True)))
