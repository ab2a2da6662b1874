"""Turns: whatever in a text a model may take for the beginning of somebody's turn, made readable and nothing more.

A role and a colon where a line begins, in several languages and in letters that only look like them; the marks of chat
templates; and roles as a chat API writes them. Each is changed in place by one character, so a text keeps its length. A
hook imports this: the lines are read without a pattern, because one for all these letters takes 35 ms to compile.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["without_template_marks", "without_turns"]

_ROLE_LIST = "human assistant system user developer tool claude model function ipython chatgpt gpt gemini codex bot ai"
_FOREIGN_LIST = """
    システム ｼｽﾃﾑ ユーザ ユーザー ﾕｰｻﾞ ﾕｰｻﾞｰ アシスタント 人間 開発者 利用者
    系统 系統 用户 用戶 使用者 助手 助理 开发者 開發者 工具 人类 人類
    시스템 사용자 유저 어시스턴트 도우미 비서 개발자 도구 система пользователь ассистент помощник
    usuario asistente sistema usuário assistente utilisateur système benutzer assistent entwickler utente
"""
# As a heading, `### Instruction:`, these are turns too.
_HEADED = frozenset(("instruction", "instructions", "response", "input", "output", "prompt", "context"))
# Letters of other scripts that look like these.
_ALIKE = {
    "a": "аαɑ", "b": "Ьᖯ", "c": "сϲ", "d": "ԁ", "e": "еєε", "g": "ɡ", "h": "һ", "i": "іιı", "l": "ⅼӏ", "m": "мⅿ",
    "n": "ոпη", "o": "оοօ", "p": "рρ", "r": "г", "s": "ѕꜱ", "t": "тτ", "u": "υսц", "v": "ѵν", "x": "хχ", "y": "уүγ",
}  # fmt: skip
_COLONS = ":：﹕︓︰꞉ː˸"
# What may stand before a role on its line: quotations, headings, cells, lists, brackets; and after it: a straight quote
# there closes a key, as in `"user": "ada"`.
_BEFORE = " \t>＞*_#＃-+|｜\"'`“”‘’«»[]［］()（）{}｛｝【】「」『』《》〈〉•·▪◦‣●–—0123456789."
_AFTER = " \t*_|｜”’»]］)）}｝】」』》〉"
_HEAD = 80  # characters of a line in which its first colon stands
_FIRST_MATHS, _LAST_MATHS = "\U0001d400", "\U0001d7ff"
# A message as a chat API has it.
_MESSAGE = lazy(
    rf"([\"'“]role[\"'”]\s*)[:：](?=\s*[\"'“](?:{_ROLE_LIST.replace(' ', '|')})[\"'”])",
    re.IGNORECASE,
)
# Marks of chat templates: [INST], <<SYS>>, <|im_start|>, <s>, <start_of_turn>.
_BRACKETED = lazy(
    r"[\[［](?=\s*[/\\]?\s*(?:inst|sys|system_prompt|available_tools|tool_calls|tool_results|user|assistant)\s*[\]］])",
    re.IGNORECASE,
)
_ANGLED = lazy(
    r"[<＜](?=[<＜]?\s*/?\s*(?:[|｜]\w[^|｜<>\n]{0,40}[|｜][>＞]|sys>>|s>|bos>|eos>|(?:start|end)_of_turn>))",
    re.IGNORECASE,
)


def _folding() -> dict[int, str]:
    """Every letter as the one that it reads like."""
    found = {0xFF41 + n: chr(0x61 + n) for n in range(26)}  # full width
    return found | {ord(other): letter for letter, others in _ALIKE.items() for other in others}


_FOLDED = _folding()
# A foreign word is folded too: of `пользователь` some letters look like others.
_ROLES = frozenset(word.translate(_FOLDED) for word in (*_ROLE_LIST.split(), *_FOREIGN_LIST.split()))


def without_turns(text: str) -> str:
    """The text, in which nothing begins a turn."""
    text = without_template_marks(_plain_letters(text))
    text = "\n".join(map(_without_role, text.split("\n")))
    return _MESSAGE.sub(r"\1∶", text) if "role" in text.casefold() else text


def without_template_marks(text: str) -> str:
    """The text without what a chat template would take for its own."""
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("‹", text)
    return _ANGLED.sub("‹", text) if "<" in text or "＜" in text else text


def _without_role(line: str) -> str:
    """A line with another colon where it begins with a role."""
    start = line[:_HEAD]
    place = min((at for colon in _COLONS if (at := start.find(colon)) >= 0), default=-1)
    if place < 0:
        return line
    head = start[:place] if start.isascii() else "".join(char for char in start[:place] if not _is_mark(char))
    name = " ".join(head.split()).lstrip(_BEFORE).rstrip(_AFTER).casefold().translate(_FOLDED)
    is_turn = name in _ROLES or (name in _HEADED and ("#" in head or "＃" in head))
    return f"{line[:place]}∶{line[place + 1 :]}" if is_turn else line


def _is_mark(char: str) -> bool:
    """Whether it is a combining mark or a joiner, which stands on a letter and leaves it readable."""
    if char < "\u0300":
        return False
    from unicodedata import category

    return category(char) in ("Mn", "Me", "Cf")


def _plain_letters(text: str) -> str:
    """Letters of mathematics are letters, in another shape."""
    if text.isascii() or not any(_FIRST_MATHS <= char <= _LAST_MATHS for char in text):
        return text
    from unicodedata import normalize

    return "".join(normalize("NFKC", char) if _FIRST_MATHS <= char <= _LAST_MATHS else char for char in text)
