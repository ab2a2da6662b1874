"""Which encoding a file's bytes are in: what its mark says, UTF-8, or the one that makes the likeliest text of them.

Files of Korean, Japanese and Chinese programs are often in an older encoding, and the bytes of one are mostly valid in
the others, where they make rare characters. So each is tried, and how common the characters are that it gives decides:
a few words are enough, where charset-normalizer, which knows a hundred encodings, needs some lines. It is asked where
none of them fits. What cannot be told is said so, not guessed: figures are in docs/adr/0047-documents-as-they-are.md.
"""

from __future__ import annotations

from functools import cache
from math import log
from typing import NamedTuple

__all__ = ["DecodedText", "marked_as", "tell"]

_SAMPLE_BYTES = 20_000  # that are judged; the whole has to be valid in what they are judged to be
_MARGIN = 3.0  # how much likelier (e to the power of) the best has to be than the next
_RARE = -8.6  # less likely a character, on average, than that: no text of the language
# From how many bytes beyond ASCII on charset-normalizer is believed, and how sure it has to be.
_LEAST_OTHER = 8
_MOST_CHAOS, _LEAST_COHERENCE = 0.1, 0.4
_ASCII = log(1 / 90)

_HANGUL = (
    "이다는을에의가고하지로한도어사리자를기나은아인그시일대서있해수으게들정라니만보마주스상면부것전요구오장여성원조"
    "중과문우제경치공신안동연세소생간비되와할위음선무계방화유당모용적때된려러내야습합없않후국개미말분실거회행업민"
)
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所"
    "然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与"
    "长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所"
    "然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與"
    "長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新"
)
_KANJI = (
    "日一人年大十二本中長出三時行見月分後前生五間上東四今金入学高円子外下来気小話女書先名水男電校語土車何万的国"
    "会社事者場所動合作方法業地部内定理同新使用当性力立明度物問対手自体目意化全通表開発要実現関最主代数回思言"
)
_MARKS = set("，。、：；？！“”‘’（）《》「」『』・ー…—〜～　％")


class DecodedText(NamedTuple):
    """The text of some bytes, and the encoding they were read in; None when it could not be told."""

    text: str
    encoding: str | None


class _Script(NamedTuple):
    """What text in an encoding is like: its commonest characters, and where the others lie that are in use."""

    codecs: tuple[str, ...]  # the first that reads all of it
    most: frozenset[str]
    lead: tuple[int, int]  # first bytes of the characters in use; those with others are rare
    kana: bool = False


_SCRIPTS = {
    "cp949": _Script(("cp949",), frozenset(_HANGUL), (0xB0, 0xC8)),
    "cp932": _Script(("cp932",), frozenset(_KANJI), (0x88, 0x97), kana=True),
    "euc-jp": _Script(("euc_jp", "euc_jis_2004"), frozenset(_KANJI), (0xB0, 0xCF), kana=True),
    "gb18030": _Script(("gb18030",), frozenset(_SIMPLIFIED), (0xB0, 0xD7)),
    "big5": _Script(("big5", "cp950", "big5hkscs"), frozenset(_TRADITIONAL), (0xA4, 0xC6)),
}
# What charset-normalizer is asked about: those of Windows, and the Russian one before it. Asked about all it knows, it
# takes a few lines of French for cp775.
_OTHERS = ["cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"]
# The marks that programs write before a text. UTF-32 comes first: its mark begins with that of UTF-16.
_BOMS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


def tell(content: bytes) -> DecodedText:
    """The text of a file's bytes, without a byte order mark."""
    marked = marked_as(content)
    try:
        return DecodedText(content.decode(marked).removeprefix("\ufeff"), marked)
    except UnicodeDecodeError:
        pass
    if marked == "utf-8" and b"\0" not in content and not _is_broken_utf8(content):
        for name, codecs in _likely(content):
            for codec in codecs:
                try:
                    return DecodedText(content.decode(codec), name)
                except (UnicodeDecodeError, LookupError):
                    continue
    return DecodedText(content.decode(marked, "replace").removeprefix("\ufeff"), None)


def marked_as(content: bytes) -> str:
    """The encoding that a file says it is in by the mark that it begins with; without one that is UTF-8."""
    return next((name for mark, name in _BOMS.items() if content.startswith(mark)), "utf-8")


def _is_broken_utf8(content: bytes) -> bool:
    """Whether most of what is beyond ASCII is UTF-8 all the same: then that is what it is, with bytes that are not."""
    text = content[:_SAMPLE_BYTES].decode("utf-8", "replace")
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    return sum(char > "\x7f" for char in text) - broken > 2 * broken


def _likely(content: bytes) -> list[tuple[str, tuple[str, ...]]]:
    """The encodings that the content may be read in, the likeliest first; none if that cannot be told."""
    sample = content[:_SAMPLE_BYTES]
    if len(content) > _SAMPLE_BYTES:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    scores = {"western": _western(sample)}
    beyond = {"western": sum(byte > 0x7F for byte in sample)}
    for name, script in _SCRIPTS.items():
        text = _decoded(sample, script.codecs, whole=len(sample) == len(content))
        if text is not None:
            scores[name] = sum(_likelihood(char, script) for char in text)
            beyond[name] = sum(char > "\x7f" for char in text)
    best, *others = sorted(scores, key=lambda name: -scores[name])
    ascii_part = sum(byte <= 0x7F for byte in sample) * _ASCII
    is_plain = scores[best] - min(ascii_part, 0.0) >= _RARE * beyond[best]
    if best != "western" and is_plain and (not others or scores[best] - scores[others[0]] >= _MARGIN):
        return [(best, _SCRIPTS[best].codecs)]
    return _others(sample) if beyond["western"] >= _LEAST_OTHER else []


def _decoded(sample: bytes, codecs: tuple[str, ...], *, whole: bool) -> str | None:
    for codec in codecs:
        try:
            return sample.decode(codec)
        except UnicodeDecodeError as error:
            if not whole and error.start >= len(sample) - 4:  # the sample ends inside a character
                return sample[: error.start].decode(codec)
        except LookupError:  # a Python without it
            continue
    return None


def _western(sample: bytes) -> float:
    """How likely the bytes are in the alphabets that need one byte a letter: a few of them among many of ASCII."""
    return sum(_ASCII if byte <= 0x7F else log(0.03 / 25) for byte in sample)


@cache
def _likelihood(char: str, script: _Script) -> float:
    if char <= "\x7f":
        return _ASCII
    if char in _MARKS:
        return log(0.08 / 25)
    if char in script.most:
        return log((0.15 if script.kana else 0.5) / len(script.most))
    if script.kana and "\u3041" <= char <= "\u30fe":
        return log(0.5 / 83) if char <= "\u309f" else log(0.12 / 86)
    if script.kana and "\uff61" <= char <= "\uff9f":
        return log(0.003 / 63)
    code = char.encode(script.codecs[-1], "replace")
    if len(code) == 2 and script.lead[0] <= code[0] <= script.lead[1] and code[1] >= 0x40:
        return log((0.2 if script.kana else 0.4) / 3000)
    return log(0.01 / 6000)


def _others(sample: bytes) -> list[tuple[str, tuple[str, ...]]]:
    """What charset-normalizer takes it for, where it is sure, of the encodings that are not judged here."""
    from charset_normalizer import from_bytes

    found = [one for one in from_bytes(sample, cp_isolation=_OTHERS) if one.chaos <= _MOST_CHAOS]
    best = max(found, key=lambda one: (one.coherence, -_OTHERS.index(one.encoding)), default=None)
    if best is None or best.coherence < _LEAST_COHERENCE:
        return []
    return [(best.encoding.replace("_", "-"), (best.encoding,))]
