"""English stems: Porter's algorithm, and the irregular forms that its rules cannot bring together."""

from __future__ import annotations

import re

__all__ = ["stem"]

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
