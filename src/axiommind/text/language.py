"""Which language a text is in, as far as search needs to know: `ko`, `ja`, `zh`, `en`, or `und`.

By script, not by model: kana is Japanese, Hangul Korean, Han without kana Chinese. Latin is English where English
function words occur, else undetermined, like every other script. What a text is mostly written in decides, so English
with a few Han words stays English, and Korean full of English terms stays Korean. Only the beginning is looked at.
"""

from __future__ import annotations

import re

__all__ = ["detect"]

_SAMPLE = 4000  # characters
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff]")
_KANA = re.compile("[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_UNSPACED = "\u1100-\u11ff\u3005-\u3007\u3041-\u318e\u31f0-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
_WORD = re.compile(f"[^\\W\\d_{_UNSPACED}\U00020000-\U000323af]+")
_URL = re.compile(r"https?://\S+")
_ENGLISH_WORDS = """
the and to of in that with this are is it not be have has you your from by at can will been was when what how which
should would there their they we use using for if or then than these into its does did my where
"""
# The neighbours share some of those words (`in`, `is`, `will`, `for`), so theirs are counted against them.
_NEIGHBOURS_WORDS = """
der die das und ist nicht ein eine mit den auf für le la les et est des une dans pour que qui el los las una por con
para het een van en niet dat voor il di che è per não os uma och att det som på av og er til ikke
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_NEIGHBOURS = frozenset(_NEIGHBOURS_WORDS.split())


def detect(text: str) -> str:
    sample = _URL.sub(" ", text[:_SAMPLE]).casefold()
    hangul, kana, han = (len(script.findall(sample)) for script in (_HANGUL, _KANA, _HAN))
    unspaced = hangul + kana + han
    words = _WORD.findall(sample)
    english = sum((word in _ENGLISH) - (word in _NEIGHBOURS) for word in words)
    # About two characters make a word where there are no blanks between words. Running English has function words,
    # terms inside a Korean sentence have none.
    latin = sum(word < "\u0250" for word in words)
    running = english * 25 > len(words) and latin * 2 > len(words)
    others = len(words) if running else len(words) / 8
    if unspaced and unspaced >= others:
        if hangul * 2 >= kana + han:
            return "ko"
        return "ja" if kana * 12 >= kana + han else "zh"
    return "en" if running else "und"
