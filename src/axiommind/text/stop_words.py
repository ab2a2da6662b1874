"""Words that carry no meaning of their own: stop words of four languages, noise, and the particles of Korean."""

from __future__ import annotations

from axiommind.text.tokens import ENDINGS, clean

__all__ = ["NOISE", "STOP_WORDS", "is_stop", "without_particle"]

# DETAILS 0.7, their commonest compounds, and the endings of 이다, 하다 and 되다. The longest that fits goes.
_PARTICLE_LIST = """
은 는 이 가 을 를 에 의 로 으로 와 과 도 만 까지 부터 에서 한테 께 처럼 같이 보다 라고 고 면 서 니까 지만
어서 아서 려고 게 도록 에게 께서 에는 에도 에서는 에서도 에게는 으로는 로는 으로도 이라고 라는 이라는 이랑 랑
이나 하고 까지는 부터는 마다 조차 밖에 이라도 라도 에게서 으로서 로서 으로써 로써 에서의 이며 이고 인지 인가요
나요 입니다 하는 하려고 하려면 하기 하면 하여 해야 합니다 하나요 되는 됩니다 되나요
"""
_PARTICLES = tuple(sorted(_PARTICLE_LIST.split(), key=len, reverse=True))

_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing done down during each either else ever every few
for from further get gets got had has have having he her here hers herself him himself his how however i
if in into is it its itself just let like may me might more most much must my myself neither no nor not
now of off often on once one only or other our ours ourselves out over own per please rather same shall
she should since so some such than that the their theirs them themselves then there these they this
those though through thus to too under until up upon us very via was we were what when where whether
which while who whom whose why will with within without would yet you your yours yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt shouldnt wasnt werent wont wouldnt
im ive youre theyre thats whats lets etc eg ie s t
"""
NOISE = "응 네 좋아 그래 알겠어 해줘 해 하자 고마워 감사 ok yes y sure thanks ㅇ ㅇㅇ 넵"
_KOREAN = """
그리고 그런데 그래서 그러나 하지만 그러면 그럼 또는 혹은 및 등 즉 이거 그거 저거 이것 그것 저것 이런
그런 저런 이렇게 그렇게 저렇게 무엇 뭐 어떤 어떻게 어디 언제 누구 왜 나 너 저 우리 내 제 이 그 것 거 수
때 더 좀 잘 안 못 다시 지금 이제 아니 아니면 있다 있는 있어 있나요 없다 없는 없어 하는 하고 해서 했다
한다 합니다 하세요 해주세요 주세요 줘 된다 되는 됩니다 인가요 무엇인가요 입니다 이다 대한 대해 대해서
위한 위해 위해서 통해 관한 관련 경우 정도 모두 매우 아주 너무 네네 예 감사합니다 부탁 부탁해
"""
_CHINESE = """
的 了 是 在 和 与 與 或 也 都 就 不 我 你 您 他 她 它 我们 我們 你们 你們 他们 他們 这 這 那 这个 這個
那个 那個 这些 這些 那些 这里 這裡 那里 那裡 什么 什麼 甚麼 怎么 怎麼 怎样 怎樣 如何 为什么 為什麼 哪
哪个 哪個 哪些 哪里 哪裡 谁 誰 吗 嗎 呢 吧 啊 把 被 从 從 到 对 對 为 為 以 及 等 之 而 但 但是 所以
因为 因為 如果 然后 然後 还 還 还是 還是 很 更 最 有 没有 沒有 请 請 可以 能 会 會 要 着 著 过 過 给 給
让 讓 跟 向 于 於 其 此 是否 一个 一個 一下 个 個 多少 是什 么是 麼是 的是 是在 了什
"""
_JAPANESE = """
これ それ あれ どれ この その あの どの ここ そこ どこ だれ なに なん いつ なぜ どう こう そう です ます
でした ました でしょう ません だ である する した して される された いる いた いて ある あった ない
なかった なる なった こと もの ため よう ところ とき から まで より など について において における
による によって に対して として という といった の に は を た が で て と し れ さ も や か ね よ へ ば
また そして しかし ただし および または ください 下さい お願い 何 誰 です か ですか ますか うか たか
のか たの には では とは にお った って
"""
STOP_WORDS = frozenset(f"{_ENGLISH} {NOISE} {_KOREAN} {_CHINESE} {_JAPANESE}".split())


def is_stop(word: str) -> bool:
    """Is this a function word or one of the noise words?"""
    word = (word if word.isascii() else clean(word)).casefold()
    if "'" in word:
        root, _, ending = word.strip("'").rpartition("'")
        word = root if root and ending in ENDINGS else root + ending
    return word in STOP_WORDS


def without_particle(word: str) -> str:
    """충돌이 → 충돌. At least two syllables stay: 결과, 경로 and 회의 are words, not word and particle."""
    if "\uac00" <= word[-1] <= "\ud7a3":
        for particle in _PARTICLES:
            if word.endswith(particle):
                rest = word[: -len(particle)]
                if len(rest) > 1 and "\uac00" <= rest[-1] <= "\ud7a3":
                    return rest
    return word
