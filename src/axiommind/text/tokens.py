"""One tokeniser for the index and for queries: English, Korean, Chinese, Japanese, other scripts, code.

FTS5 cannot be given a tokeniser from Python's sqlite3, so text becomes a string of terms separated by blanks
(`fts_text`), and `FTS_TOKENIZE` makes FTS5 cut at those blanks and change nothing. Words come first and in
order, so phrases work; the parts of identifiers (`getUserById` → get user by id) follow after the last word.
Runs without spaces (Han, kana, Hangul, Thai …) become overlapping bigrams and the run's last character.
It refuses nothing: any `str` is valid text and a valid query, and no character of it reaches FTS5 syntax.
Why it is so, and what it costs: docs/adr/0005-tokens.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import add
from typing import NamedTuple
from unicodedata import is_normalized, normalize

__all__ = [
    "FTS_TOKENIZE",
    "NOISE",
    "STOP_WORDS",
    "Clause",
    "clauses",
    "fts_query",
    "fts_text",
    "is_stop",
    "keyword_clauses",
    "keywords",
    "phrase",
    "search_method",
    "stem",
    "terms",
    "word_terms",
]

# The `ascii` tokenizer keeps every character above 127 in a token, whatever Unicode version SQLite knows;
# `unicode61` would fold and split by its own old tables.
FTS_TOKENIZE = "ascii tokenchars '_'"

_WORD_CAP = 64  # characters of a word that are indexed; longer ones are base64, hashes, minified code
_CACHE_SIZE = 1 << 16
_BATCH = 1 << 16
_QUERY_CHARS = 20_000
_QUERY_CLAUSES = 96

# Written without spaces between words: Han, kana, bopomofo, Hangul; Thai, Lao, Myanmar, Khmer.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u3099\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
_UNSPACED = _CJK + (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17dc"
    "\u17dd\u17e0-\u17e9\ua9e0-\ua9fe\uaa60-\uaa7f"
)
# Marks that belong inside a word although `\w` leaves them out: accents, points, Indic vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u07eb-\u07f3\u08d3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983"
    "\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03"
    "\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0df3\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f8d-\u0fbc\u135d-\u135f"
    "\u1dc0-\u1dff\ufe20-\ufe2f"
)
_HIDDEN = "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_LATIN = "0-9A-Za-z_\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u036f\u1e00-\u1eff"


@cache
def _frame() -> frozenset[str]:
    return frozenset(map(stem, _FRAMING.split()))


def _lazy(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A pattern compiled when it is first used: English in a hook must not pay for every script."""
    return cache(lambda: re.compile(pattern, flags))


_ASCII_WORD = re.compile(r"[0-9A-Za-z_]+(?:'+[0-9A-Za-z_]*)*")
_WORD = _lazy(f"[{_UNSPACED}]+|[^\\W{_UNSPACED}]+(?:['{_MARKS}]+[^\\W{_UNSPACED}]*)*")
_FOREIGN = _lazy(f"[^\\W\\x00-\\x7f]|[{_MARKS}{_HIDDEN}]")
_NOT_ASCII = _lazy("[^\x00-\x7f]+")
_ASCII_BLANKS = bytes(c if c < 128 and (chr(c).isalnum() or chr(c) in "_'") else 32 for c in range(256))
_HOLDS_UNSPACED = _lazy(f"[{_UNSPACED}]")
_SCRIPTS = _lazy(f"[{_LATIN}]+|[^{_LATIN}]+")
_INVISIBLE = _lazy(f"[{_HIDDEN}]+")
# Normalising sorts a run of marks by insertion, in quadratic time: no run may be long (UAX #15, stream-safe).
_MARK_RUN = _lazy(r"([^\w\x00-\x7f]{32})[^\w\x00-\x7f]+")
_STRAY_VOICING = _lazy("(?<![\uff66-\uff9d])[\uff9e\uff9f]+")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+")
# Base64 and ids look like this, and their pieces are shorter than those of names.
_RANDOM = re.compile(r"[0-9][A-Za-z]+[0-9]|[0-9][a-z]")
_NUMBERED = re.compile(r"([a-z]{3,})[0-9]{1,4}")
_HIRAGANA = _lazy("[\u3041-\u309f]+")
# A pair of kanji or katakana and hiragana is the edge of a word and its particle or ending. 0.45 of a pair's worth:
# jaquad-ja nDCG@10 0.9170 at 1, 0.9222 at 0.6, 0.9217 at 0.45, 0.9203 at 0.3; the other sets have none.
_MIXED = _lazy("[\u3041-\u309f][^\u3041-\u309f]|[^\u3041-\u309f][\u3041-\u309f]")
_MIXED_PAIR = 0.45
_FOLDED_MARKS = _lazy("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ё": "е"})
_ENDINGS = frozenset(("s", "ll", "re", "ve", "d", "m"))

# NFKC turns lone jamo (ㅋ) into conjoining ones (U+110F); those it did not compose go back: people read them.
_JAMO = str.maketrans(
    {0x1100 + i: c for i, c in enumerate("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")}
    | {0x1161 + i: chr(0x314F + i) for i in range(21)}
    | {0x11A8 + i: c for i, c in enumerate("ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")}
)
_CONJOINING = _lazy("[\u1100-\u11ff]")

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
# Words that say how something is asked, not what: half their worth. hit@5 of lme-pooled 82.5 → 85.5 and of LoCoMo
# 94.0 → 94.4 at 0.5 (84.7 and 94.2 at 0.7, 85.1 and 94.0 at 0.3); hit@1 and the commits stay as they are.
_FRAMING = """
many much long often type kind sort name mention say tell talk discuss ask remind remember previous previously
conversation chat earlier ago last recently recent currently total number amount time day week month year think feel
thing way help make use want need know look find come take give start try people person someone something new good great
first
"""
_FRAME_WEIGHT = 0.5
STOP_WORDS = frozenset(f"{_ENGLISH} {NOISE} {_KOREAN} {_CHINESE} {_JAPANESE}".split())


class Clause(NamedTuple):
    """Something to look for: terms next to each other; with `prefix` the last one may go on. A clause of less weight
    tells less than the words around it."""

    terms: tuple[str, ...]
    prefix: bool = False
    weight: float = 1.0

    @property
    def match(self) -> str:
        """As FTS5 wants it: quoted, so that nothing in it is syntax. Terms hold no quotes."""
        return f'"{" ".join(self.terms)}"{"*" if self.prefix else ""}'


def terms(text: str) -> list[str]:
    """The index terms of a text, in order: its words, then the parts of its identifiers."""
    return fts_text(text).split()


def word_terms(word: str) -> list[str]:
    """The same for one ASCII word as it is written."""
    return f"{_cache[word]} {_cache.parts.get(word, '')}".split()


def fts_text(text: str) -> str:
    """What is inserted into FTS5 for this text, and handed to its 'delete' command again."""
    global _cache
    words = _words(text)
    out: list[str] = []
    parts: dict[str, str] = {}
    for start in range(0, len(words), _BATCH):
        batch = words[start : start + _BATCH] if len(words) > _BATCH else words
        cache = _cache
        if len(cache) > _CACHE_SIZE:
            # Replaced, not cleared: another thread may be in the middle of its batch.
            cache = _cache = _Words(cache)
        out.extend(filter(None, map(cache.__getitem__, batch)))
        for word in cache.parts.keys() & set(batch):
            parts[word] = cache.parts[word]
    # Sorted, so that the string depends on nothing but the text; each identifier counts once a text.
    out.extend(dict.fromkeys(parts[word] for word in sorted(parts)))
    return " ".join(out)


def fts_query(text: str, *, match: str = "all") -> str | None:
    """A MATCH expression for what a user typed; None when nothing searchable remains.

    "all": every word must occur; stop words are dropped unless there is nothing else. "any": one word is
    enough, stop words are dropped, and runs of Han, kana and Hangul match by their bigrams.
    Text in double quotes is a phrase, stop words and all.
    """
    if match not in ("all", "any"):
        raise ValueError(f"match must be 'all' or 'any', not {match!r}")
    wanted: list[str] = []
    stopped: list[str] = []
    strict = match == "all"
    for at, piece in enumerate(_QUOTES.split(_clean(text[:_QUERY_CHARS]))):
        if at % 2:
            wanted += [c.match for c in _phrase(_pattern(piece).findall(piece))]
            continue
        for words in _compounds(piece):
            found = [_strict(words)] if strict else [c.match for c in _loose(words)]
            (stopped if all(map(is_stop, words)) else wanted).extend(found)
    if strict and not any(wanted):
        wanted = stopped
    distinct = [clause for clause in dict.fromkeys(wanted) if clause][:_QUERY_CLAUSES]
    return (" AND " if strict else " OR ").join(distinct) or None


def clauses(text: str) -> list[Clause]:
    """What a text asks for, in its order, each thing once: stop words only when there is nothing else, and words that
    only frame a question with less weight."""
    wanted: list[Clause] = []
    stopped: list[Clause] = []
    for words in _compounds(_clean(text[:_QUERY_CHARS])):
        (stopped if all(map(is_stop, words)) else wanted).extend(_loose(words))
    if not wanted:
        wanted = stopped
    frame = _frame()
    wanted = [c._replace(weight=_FRAME_WEIGHT) if len(c.terms) == 1 and c.terms[0] in frame else c for c in wanted]
    once = {clause[:2]: clause for clause in reversed(wanted)}
    return list(once.values())[::-1][:_QUERY_CLAUSES]


def keyword_clauses(text: str) -> list[Clause]:
    """The keywords of a query, each once and in its order, to count how often they occur. `React組件開發 OAuth2` has
    three: react, 組件開發 as a whole, and oauth2 without its parts. Stop words only when there is nothing else."""
    wanted: dict[Clause, None] = {}
    stopped: dict[Clause, None] = {}
    text = _clean(text[:_QUERY_CHARS])
    for word in _pattern(text).findall(text):
        bare = _without_particle(word)
        (stopped if is_stop(word) or is_stop(bare) else wanted).update(dict.fromkeys(_phrase([bare])))
    return list(wanted or stopped)[:_QUERY_CLAUSES]


def phrase(text: str) -> Clause | None:
    """The words of a text next to each other, stop words and all; None when it has no words."""
    text = _clean(text[:_QUERY_CHARS])
    return next(iter(_phrase(_pattern(text).findall(text))), None)


def search_method(text: str) -> str:
    """Which path answers this query: "fts5-bigram" when it holds a script that is indexed by bigrams."""
    if text.isascii():
        return "fts5"
    return "fts5-bigram" if _HOLDS_UNSPACED().search(_clean(text)) else "fts5"


def is_stop(word: str) -> bool:
    """Is this a function word or one of the noise words?"""
    word = (word if word.isascii() else _clean(word)).casefold()
    if "'" in word:
        stem, _, ending = word.strip("'").rpartition("'")
        word = stem if stem and ending in _ENDINGS else stem + ending
    return word in STOP_WORDS


def keywords(text: str, limit: int = 64) -> list[str]:
    """The distinct content words of a prompt as a person would list them, in order of first appearance."""
    text = _URL().sub(_host, _FENCED().sub(" ", text) if "```" in text or "~~~" in text else text)
    found: dict[str, None] = {}
    for match in _KEYWORD().finditer(_clean(text)):  # one by one: a long prompt is full long before its end
        token = match.group()
        for word in _cut(token) if _is_run(token) else (_last_name(token),):
            word = word.casefold()
            if word and word not in found and not _dull(word):
                found[word] = None
                if len(found) >= limit:
                    return list(found)
    return list(found)


# --- words to terms ---------------------------------------------------------------------------------------


class _Words(dict[str, str]):
    """word as written → its terms, joined by blanks; `parts` holds what identifiers add.

    A full cache becomes the `old` of a new one, which takes over from it what is still in use.
    """

    def __init__(self, old: _Words | None = None) -> None:
        super().__init__()
        self.parts: dict[str, str] = {}
        self.old: tuple[dict[str, str], dict[str, str]] = ({}, {})
        if old is not None:
            self.old = (old, old.parts)
            old.old = ({}, {})

    def __missing__(self, word: str) -> str:
        old, old_parts = self.old  # both at once: a thread may replace them
        found = old.get(word)
        if found is not None:
            if parts := old_parts.get(word):
                self.parts[word] = parts
        elif _is_run(word):
            found = _bigrams(word)
            if len(word) > 4:
                return found
        elif len(word) > _WORD_CAP:
            return _word_terms(word)
        else:
            found = _word_terms(word)
            if not (word.islower() and word.isalpha()) and (parts := _parts(word)):
                self.parts[word] = parts
            if found == word:
                found = word
        self[word] = found
        return found


def _is_run(word: str) -> bool:
    return word[0] > "\u0e00" and _HOLDS_UNSPACED().match(word) is not None


def _bigrams(run: str) -> str:
    """`開發者` → 開發 發者 者. The last character alone makes one-character queries prefix queries."""
    return " ".join(map(add, run, run[1:])) + " " + run[-1] if len(run) > 1 else run


def _word_terms(word: str) -> str:
    """The terms of a word of a script with spaces. Usually one; `l'homme` and `Reactкомпонент` give two."""
    if word.isascii():
        if word.isalpha():
            return stem(word[:_WORD_CAP].lower())
        if "'" not in word:
            return stem(word.strip("_")[:_WORD_CAP].lower())
    return " ".join(filter(None, (_term(piece) for piece in _pieces(word))))


def _pieces(word: str) -> Iterator[str]:
    """Cut a word at apostrophes and script boundaries: user's → user, don't → dont, l'homme → l homme."""
    chain = [piece for piece in word.split("'") if piece]
    while len(chain) > 1:
        ending = chain[-1].lower()
        if ending in _ENDINGS:
            chain.pop()
        elif ending == "t" and chain[-2][-1] in "nN":
            chain[-2:] = [chain[-2] + chain[-1]]
        else:
            break
    for piece in chain:
        if piece.isascii():
            yield piece
        else:
            yield from _SCRIPTS().findall(piece)


def _term(piece: str) -> str:
    piece = piece[:_WORD_CAP].casefold()
    if not piece.isascii():
        first = ord(piece[0])
        if first < 0x0400 or 0x1E00 <= first < 0x2000:
            piece = normalize("NFKD", piece)
        piece = _FOLDED_MARKS().sub("", piece).translate(_LETTERS)
        if not piece.isascii():
            return normalize("NFKC", piece).replace("_", "")
    return stem(piece.strip("_"))


def _pieces_of(word: str) -> list[str]:
    """The pieces of an identifier, lower case; none when it is a plain word. One letter alone is no piece."""
    word = word.strip("'_")
    if word.isalpha() and (word.istitle() or word.isupper() or word.islower()):
        return []
    if not word.isascii() or "'" in word:
        return []
    if "_" not in word and word.islower():
        return [word]  # letters and digits: sha256, 1e86cebd
    pieces = [piece for part in word.split("_") for piece in _CAMEL.findall(part)]
    share = len(word) / (len(pieces) or 1)
    if len(pieces) > 2 and (share < 2.5 or (share < 3.5 and _RANDOM.search(word))):
        return []
    return [piece.lower() for piece in pieces if len(piece) > 1]


def _parts(word: str) -> str:
    """The terms that an identifier adds: its pieces in a row, then those that lose a number (oauth2)."""
    pieces = _pieces_of(word)
    whole = word.strip("'_").lower()
    found = [stem(piece) for piece in pieces] if pieces != [whole] else []
    for piece in dict.fromkeys((*pieces, whole)) if pieces else ():
        if numbered := _NUMBERED.fullmatch(piece):
            found.append(stem(numbered[1]))
    return " ".join(found)


_cache = _Words()


def _words(text: str) -> list[str]:
    """The words of a text as they are written, runs of unspaced scripts among them."""
    if not text.isascii():
        text = text.replace("\ufe0f", "").replace("\u2026", " ").replace("\u00a0", " ").replace("\u2019", "'")
        others = "".join(_NOT_ASCII().findall(text))
        if _FOREIGN().search(others) or not is_normalized("NFKC", "".join(sorted(set(others)))):
            return _WORD().findall(_clean(text))
    # Dashes, quotes, boxes and emoji make no words: but for those the text is ASCII.
    return text.encode("ascii", "replace").translate(_ASCII_BLANKS).decode("ascii").split()


def _clean(text: str) -> str:
    """NFKC without invisible characters; linear whatever the text."""
    if text.isascii():
        return text
    if "\uff9e" in text or "\uff9f" in text:
        text = _STRAY_VOICING().sub("", text)
    text = normalize("NFKC", _MARK_RUN().sub(r"\1", _INVISIBLE().sub("", text)))
    if _CONJOINING().search(text):
        text = text.translate(_JAMO)
    return text.replace("\u2019", "'")


# --- queries ----------------------------------------------------------------------------------------------

_QUOTES = re.compile('["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d]')
_JOINT = re.compile(r"[./\\:@#+~=\-]{1,3}|(?<=\d),(?=\d)")


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_WORD if text.isascii() else _WORD()


def _compounds(text: str) -> Iterator[list[str]]:
    """Words in groups: `src/app/auth.py` is one group of four, a plain word or a run a group of one."""
    group: list[str] = []
    end = 0
    for found in _pattern(text).finditer(text):
        run = _is_run(found[0])
        if group and (run or not _JOINT.fullmatch(text, end, found.start())):
            yield group
            group = []
        if run:
            yield [found[0]]
        else:
            group.append(found[0])
            end = found.end()
    if group:
        yield group


def _phrase(words: list[str]) -> list[Clause]:
    """The words next to each other: one clause, or none. A run at the end may go on in the text, so its end is left
    open."""
    if not words:
        return []
    last = words[-1]
    found = [term for word in words[:-1] for term in _cache[word].split()]
    alone = _is_run(last) and len(last) == 1
    if alone:
        found.append(last)
    else:
        found += (_bigrams(last)[:-2] if _is_run(last) else _cache[last]).split()
    return [Clause(tuple(found), alone)] if found else []


def _strict(words: list[str]) -> str:
    """One clause that says: these words, in one of the forms in which they may have been written."""
    forms = _phrase(words)
    if len(words) == 1:
        word = words[0]
        stripped = _without_particle(word)
        if stripped != word:
            forms += _phrase([stripped])
        elif len(pieces := _pieces_of(word)) > 1:
            forms.append(Clause(tuple(map(stem, pieces))))
    texts = dict.fromkeys(form.match for form in forms)
    return f"({' OR '.join(texts)})" if len(texts) > 1 else "".join(texts)


def _loose(words: list[str]) -> Iterable[Clause]:
    """Clauses of which each one alone is worth a match."""
    if len(words) > 1 or len(words[0]) < 3 or not _is_run(words[0]):
        yield from _phrase(words)
    for word in words:
        if _is_run(word):
            for pair in _telling_pairs(_without_particle(word)):
                yield Clause((pair,), weight=_MIXED_PAIR if _MIXED().fullmatch(pair) else 1.0)
        elif not is_stop(word):
            yield from _phrase([word])
            for part in _parts(word).split():
                if len(part) > 2 and part not in STOP_WORDS:
                    yield Clause((part,))


def _telling_pairs(run: str) -> list[str]:
    """The bigrams of a run without those of its grammar; all of them when it is nothing else."""
    pairs = list(map(add, run, run[1:]))
    return [pair for pair in pairs if pair not in STOP_WORDS and not _HIRAGANA().fullmatch(pair)] or pairs


def _without_particle(word: str) -> str:
    """충돌이 → 충돌. At least two syllables stay: 결과, 경로 and 회의 are words, not word and particle."""
    if "\uac00" <= word[-1] <= "\ud7a3":
        for particle in _PARTICLES:
            if word.endswith(particle):
                rest = word[: -len(particle)]
                if len(rest) > 1 and "\uac00" <= rest[-1] <= "\ud7a3":
                    return rest
    return word


# --- keywords ---------------------------------------------------------------------------------------------

_FENCED = _lazy(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_URL = _lazy(r"\b[a-z][a-z0-9+.-]{1,15}://([^\s/?#<>\"'`)\]]*)[^\s<>\"'`)\]]*", re.IGNORECASE)
_KEYWORD = _lazy(f"[{_UNSPACED}]+|[^\\W{_UNSPACED}]+(?:['{_MARKS}]+[^\\W{_UNSPACED}]*|[./\\\\-]+[^\\W{_UNSPACED}]+)*")
_HEX = _lazy(r"(?=.*[0-9])[0-9a-f-]{7,}")
_NUMBER = _lazy(r"[\d_.,/\\-]+(?:st|nd|rd|th|px|ms|kb|mb|gb|[a-z])?")
_PIECE = _lazy("[\u3041-\u309f]+|[\u30a1-\u30ff]+|[\uac00-\ud7a3]+|[^\u3041-\u30ff\uac00-\ud7a3]+")
_HAN_BREAK = _lazy("[的了是在和与與或也都就我你您他她它这這那哪吗嗎呢吧啊把被从從对對为為以及等之而但很更最请請]+")
_RUN_KEPT = 8


def _host(url: re.Match[str]) -> str:
    """Of a URL only the host is worth a keyword."""
    return f" {url[1].rpartition('@')[2].partition(':')[0].removeprefix('www.')} "


def _last_name(token: str) -> str:
    """Of a path the file, of a dotted or dashed word all of it."""
    token = token.replace("\\", "/").rpartition("/")[2] if "/" in token or "\\" in token else token
    token = token.strip("_'./-")
    stem_, _, ending = token.rpartition("'")
    return stem_ if stem_ and ending.lower() in _ENDINGS else token


def _cut(run: str) -> Iterable[str]:
    """A run as words: whole when short; Japanese at the edges of its scripts, Chinese at function words."""
    if "\uac00" <= run[-1] <= "\ud7a3" or "\uac00" <= run[0] <= "\ud7a3":
        return (_without_particle(run)[:32],)
    if len(run) <= _RUN_KEPT and not ("\u3041" <= run[-1] <= "\u309f"):
        return (run,)
    pieces = [piece for piece in _PIECE().findall(run) if not ("\u3041" <= piece[0] <= "\u309f")] or [run]
    words = [word for piece in pieces for word in (_HAN_BREAK().split(piece) if len(piece) > _RUN_KEPT else [piece])]
    return [word[at : at + _RUN_KEPT] for word in words for at in range(0, len(word), _RUN_KEPT)]


def _dull(word: str) -> bool:
    """No keyword: a stop word, a number, a lone Latin letter, a hash, something nobody would type."""
    if word in STOP_WORDS or (word.isascii() and len(word) < 2) or len(word) > _WORD_CAP:
        return True
    return bool(_NUMBER().fullmatch(word) or _HEX().fullmatch(word)) or is_stop(word)


# --- English stems ----------------------------------------------------------------------------------------

_C, _V = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
_M1 = re.compile(f"(?:{_C})?{_V}{_C}").match  # measure above 0
_M2 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}").match  # above 1
_M_ONE = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?").fullmatch  # exactly 1
_VOWEL = re.compile(f"(?:{_C})?[aeiouy]").match
_SHORT = re.compile(f"{_C}[aeiouy][^aeiouwxy]").fullmatch
_DOUBLED = re.compile(r"([^aeioulsz])\1$").search
_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
    "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4 = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize"
# Longest first: of `ement`, `ment` and `ent` the first that fits decides.
_ENDS2 = tuple(sorted(_STEP2, key=len, reverse=True))
_ENDS3 = tuple(_STEP3)
_ENDS4 = tuple(sorted(_STEP4.split(), key=len, reverse=True))


# Forms that Porter's rules cannot bring together. Left out: what is another word as well (left, rose, bound, lives).
_IRREGULAR_LIST = """
begin:began,begun break:broke,broken bring:brought build:built buy:bought catch:caught choose:chose,chosen come:came
deal:dealt draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten fall:fallen feel:felt fight:fought
find:found fly:flew,flown forget:forgot,forgotten freeze:froze,frozen give:gave,given go:went,gone,goes grow:grew,grown
hang:hung hear:heard hide:hid,hidden hold:held keep:kept know:knew,known lead:led lose:lost make:made mean:meant
meet:met pay:paid ride:rode,ridden ring:rang,rung rise:risen run:ran say:said see:seen seek:sought sell:sold send:sent
shake:shook,shaken shoot:shot show:shown shrink:shrank,shrunk sing:sang,sung sink:sank,sunk sit:sat sleep:slept
speak:spoke,spoken spend:spent stand:stood steal:stole,stolen stick:stuck strike:struck swear:swore,sworn swim:swam,swum
take:took,taken teach:taught tear:tore,torn tell:told think:thought throw:threw,thrown understand:understood
wake:woke,woken wear:wore,worn win:won write:wrote,written overwrite:overwrote,overwritten rebuild:rebuilt
rewrite:rewrote,rewritten rerun:reran withdraw:withdrew,withdrawn child:children foot:feet man:men woman:women
person:people tooth:teeth mouse:mice index:indices vertex:vertices matrix:matrices analysis:analyses
"""
_IRREGULAR = {
    form: word
    for entry in _IRREGULAR_LIST.split()
    for word, _, forms in [entry.partition(":")]
    for form in forms.split(",")
}


def stem(word: str) -> str:
    """Porter's stem of a lower-case ASCII word, of irregular forms that of their word; others stay as they are."""
    if len(word) < 3 or not word.isalpha():
        return word
    word = _IRREGULAR.get(word, word)
    if word[-1] == "s":
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif word[-2] != "s":
            word = word[:-1]
    if word.endswith("eed"):
        if _M1(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        root = word[:-2] if word[-1] == "d" else word[:-3]
        if _VOWEL(root):
            word = root
            if word.endswith(("at", "bl", "iz")) or _SHORT(word):
                word += "e"
            elif _DOUBLED(word):
                word = word[:-1]
    if word[-1] == "y" and _VOWEL(word[:-1]):
        word = word[:-1] + "i"
    if word.endswith(_ENDS2):
        ending = _ending(word, _ENDS2)
        if _M1(word[: -len(ending)]):
            word = word[: -len(ending)] + _STEP2[ending]
    if word.endswith(_ENDS3):
        ending = _ending(word, _ENDS3)
        if _M1(word[: -len(ending)]):
            word = word[: -len(ending)] + _STEP3[ending]
    if word.endswith(_ENDS4):
        ending = _ending(word, _ENDS4).lstrip("st")  # of `sion` and `tion` only `ion` goes
        if _M2(word[: -len(ending)]):
            word = word[: -len(ending)]
    if word[-1] == "e" and (_M2(root := word[:-1]) or (_M_ONE(root) and not _SHORT(root))):
        word = root
    if word.endswith("ll") and _M2(word[:-1]):
        word = word[:-1]
    return word


def _ending(word: str, endings: tuple[str, ...]) -> str:
    return next(ending for ending in endings if word.endswith(ending))
