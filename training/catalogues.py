"""Message catalogues: files that say the same things in several languages, read as {key: text}.

A catalogue's language is read from its path (`translations/ko.json`, `messagebundle_zh_CN.properties`); files whose
paths differ only in that are siblings, and texts under the same key of two siblings say the same thing.
"""

from __future__ import annotations

import gettext
import html
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

NAMES = {
    "english": "en",
    "korean": "ko",
    "japanese": "ja",
    "simplified-chinese": "zh",
    "traditional-chinese": "zh-Hant",
}
LOCALE = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<name>english|korean|japanese|simplified-chinese|traditional-chinese)"
    r"|(?P<lang>en|ko|ja|zh)(?:[-_]?(?P<region>hans(?:[-_]cn)?|hant(?:[-_]tw)?|cn|tw|kr|jp|us)|[-_](?P<other>hk|sg|gb))?)"
    r"(?![A-Za-z0-9])",
    re.I,
)
HASH = re.compile(r"[-.][0-9a-f]{8,40}(?=\.)|-[0-9A-Z]{8}(?=\.)")
EXTENSIONS = (".json", ".po", ".mo", ".properties", ".js", ".mjs", ".cjs", ".ts", ".html", ".md", ".yml", ".yaml")
# Editors that packages carry along under licences of their own.
VENDORED = re.compile(r"ckeditor|tinymce|/node_modules/|/vendor/", re.I)
HANGUL, KANA, HAN = re.compile("[가-힣]"), re.compile("[ぁ-ヿ]"), re.compile("[㐀-鿿]")
CJK = re.compile("[ᄀ-ᇿ぀-ヿ㄰-㆏㐀-鿿가-힣]")

# Lists of search words: as long as each language likes, so not translations of one another.
LOOSE = {"terms", "aliases", "keywords", "tags", "shortcodes", "dateFormats", "timeFormats", "dateTimeFormats"}
TRADITIONAL = (
    "們個這來說時過會對學國開關係統設檔與為無後見長門問間車東馬語認證變顯錯誤號"
    "碼網頁選擇資訊發應該擊儲圖體電腦術務點標題輸轉換確權舊創備結構類單實際數據"
)
SIMPLIFIED = (
    "们个这来说时过会对学国开关统设档与为无见长门问间车东马语认证变显错误号码"
    "网页选择资讯发应该击储图体电脑术务点标题输转换确权旧创备结构类单实际数据"
)
ONLY_TRADITIONAL = re.compile("[" + "".join(set(TRADITIONAL) - set(SIMPLIFIED)) + "]")
ONLY_SIMPLIFIED = re.compile("[" + "".join(set(SIMPLIFIED) - set(TRADITIONAL)) + "]")

Pair = tuple[str, str, str]


def locale_of(path: str) -> tuple[str, str] | None:
    """(language, path with the language left open), or None where the path names no language of ours."""
    if not path.endswith(EXTENSIONS) or path.endswith((".d.ts", ".min.js")) or VENDORED.search(path):
        return None
    matches = [match for match in LOCALE.finditer(path) if not match["other"]]
    if not matches:
        return None
    match = matches[-1]
    region = (match["region"] or "").lower()
    lang = NAMES[match["name"].lower()] if match["name"] else match["lang"].lower()
    if lang == "zh" and (region.startswith("hant") or region == "tw"):
        lang = "zh-Hant"
    return lang, HASH.sub("", path[: match.start()] + "{}" + path[match.end() :])


def read_catalogue(path: str, data: bytes) -> dict[str, str]:
    """The catalogue's texts by key; empty for a file that is not one."""
    charset = re.search(rb"charset=([\w-]+)", data[:1000]) if path.endswith(".html") else None
    try:
        text = data.decode(charset[1].decode() if charset else "utf-8", "replace")
    except LookupError:
        return {}
    if path.endswith(".json"):
        try:
            return dict(_flatten(json.loads(text)))
        except (ValueError, RecursionError):
            return {}
    if path.endswith(".po"):
        return read_po(text)
    if path.endswith(".mo"):
        return _read_mo(data)
    if path.endswith(".properties"):
        return _read_properties(text)
    if path.endswith((".html", ".md")):
        return _read_blocks(text)
    if path.endswith((".yml", ".yaml")):
        return _read_yaml(text)
    return read_literals(text) if len(text) < 1_500_000 else {}


def _flatten(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in LOOSE:
                continue
            yield from _flatten(item, f"{key}\x1f{'{}' if LOCALE.fullmatch(name) else name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _flatten(item, f"{key}\x1f{index}")


def read_po(text: str) -> dict[str, str]:
    """msgid to msgstr, skipping fuzzy entries; the plural form stands for both."""
    found: dict[str, str] = {}
    for entry in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        if re.search(r"^#,.*\bfuzzy\b", entry, re.M):
            continue
        fields: dict[str, str] = {}
        name = ""
        for line in entry.splitlines():
            match = re.match(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?)?\s*"(.*)"\s*$', line)
            if match:
                name = match[1] or name
                fields[name] = fields.get(name, "") + unescape(match[2])
        source = fields.get("msgid_plural") or fields.get("msgid")
        target = fields.get("msgstr") or fields.get("msgstr[0]")
        if source and target:
            found[source] = target
    return found


def _read_mo(data: bytes) -> dict[str, str]:
    try:
        catalog: dict[Any, str] = vars(gettext.GNUTranslations(io.BytesIO(data)))["_catalog"]
    except (OSError, ValueError, IndexError, LookupError):
        return {}
    pairs = ((key[0] if isinstance(key, tuple) else key, value) for key, value in catalog.items())
    return {key.split("\x04")[-1]: value for key, value in pairs if key}


def _read_properties(text: str) -> dict[str, str]:
    text = re.sub(r"\\\r?\n\s*", "", text)
    lines = re.findall(r"^[ \t]*([^#!\s=:][^=:\n]*?)[ \t]*[=:][ \t]*(.+)$", text, re.M)
    return {key: unescape(value) for key, value in lines}


EMPTY_OR_CODE = re.compile(
    r"<(script|style|pre|code)\b[^>]*>\s*</\1>|<(script|style|pre)\b.*?</\2>|```.*?```|<!--.*?-->", re.S
)


def _read_blocks(text: str) -> dict[str, str]:
    """Headings, paragraphs and items by section and place: a key carries its section's count, so that only
    sections cut into equally many blocks meet."""
    text = EMPTY_OR_CODE.sub("\n\n", text)
    sections = re.split(r"(?=<h[1-6][\s>])|^(?=#+ )", text, flags=re.M)
    found: dict[str, str] = {}
    for number, section in enumerate(sections):
        anchor = re.search(r"<h[1-6][^>]*>(?:\s*<a)?[^>]*\bid=\"([^\"]+)\"", section[:300])
        name = anchor[1] if anchor else f"{number} of {len(sections)}"
        section = re.sub(r"</?(p|li|dt|dd|h\d|div|tr|td|th|ul|ol|dl|br)\b[^>]*>", "\n\n", section)
        section = re.sub(r"^\s*(#+|[-*+]|\d+\.)\s+", "\n\n", section, flags=re.M)
        blocks = [block.strip() for block in re.split(r"\n\s*\n", section)]
        blocks = [block for block in blocks if re.search(r"\w", block)]
        found.update({f"{name}\x1f{len(blocks)}\x1f{place}": block for place, block in enumerate(blocks)})
    return found


def _read_yaml(text: str) -> dict[str, str]:
    """Nested `key: text` lines of a translation file; block scalars are left out."""
    found: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = re.match(r"(\s*)([\w.-]+|\"[^\"]+\"|'[^']+'):\s*(.*)$", line)
        if not match:
            continue
        indent = len(match[1])
        stack = [item for item in stack if item[0] < indent]
        name = match[2].strip("\"'")
        stack.append((indent, "{}" if LOCALE.fullmatch(name) else name))
        value = match[3].strip()
        if value and value[0] not in "|>&*[{#":
            found["\x1f" + "\x1f".join(key for _, key in stack)] = value.strip("\"'")
    return found


TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[{}\[\],:=+.]|[A-Za-z_$][\w$]*|\d+",
    re.S,
)


def read_literals(source: str) -> dict[str, str]:
    """Strings of a script's object literals by key path, without running it."""
    found: dict[str, str] = {}
    stack: list[str] = []
    key = before = earlier = word = last = ""
    for match in TOKEN.finditer(source):
        token = match[0]
        if token.startswith(("//", "/*")):
            continue
        if token == "{":
            stack.append(key if before == ":" else "")
        elif token == "}" and stack:
            stack.pop()
        elif token in ":=":
            key = word
        elif token[0] in "\"'`":
            value = unescape(token[1:-1])
            if before in (":", "="):
                last = "\x1f" + "\x1f".join([*(part for part in stack if part), key])
                found[last] = value
            elif before == "+" and earlier[:1] in "\"'`" and last in found:
                found[last] += value
            word = value
        elif token[0].isalnum() or token[0] in "_$":
            word = token
        earlier, before = before, token
    return found


CODE_POINT = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,5})\}|x([0-9a-fA-F]{2}))")
ESCAPES = {"n": "\n", "t": " ", "r": " ", "b": "", "f": " "}


def unescape(text: str) -> str:
    if "\\" not in text:
        return text
    text = CODE_POINT.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
    text = re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), text, flags=re.S)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def align(catalogues: dict[str, dict[str, dict[str, str]]]) -> Iterator[Pair]:
    """(language, English, other) from {open path: {language: catalogue}}."""
    for path, by_language in catalogues.items():
        english = by_language.get("en") or {}
        for language, catalogue in by_language.items():
            if language == "en":
                continue
            for key, other in catalogue.items():
                source = english.get(key) or _natural_key(key, path)
                if source and (not path.endswith((".html", ".md")) or _alike(source, other)):
                    yield language, source, other


def _alike(english: str, other: str) -> bool:
    """Blocks met by place alone: translations of one another are not of wildly different lengths."""
    return len(english) < 20 or 0.2 < len(other) / len(english) < 1.1


def _natural_key(key: str, path: str) -> str:
    """The key itself where it is the English text, as in gettext and in some JSON catalogues."""
    text = key.rsplit("\x1f", 1)[-1]
    if path.endswith((".po", ".mo")):
        return text if " " in text or re.fullmatch(r"[A-Z]?[a-z]{2,}[.:!?…]*", text) else ""
    return text if " " in text and not path.endswith((".html", ".md")) else ""


TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<\d+/?>|</\d+>|\[/?[a-z]+\d*\](?!\()")
MNEMONIC = re.compile(r"\s?[(（][&_]{1,2}\w[)）]|&&?(?=\w)(?!\w+;)|(?<!\w)_(?=[A-Z])")
PLACEHOLDER = re.compile(
    r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$t\([^)]*\)|%\(\w+\)[-#0 ]*\d*(?:\.\d+)?[a-zA-Z]|%\{\w+\}"
    r"|%[-+#0]*\d*(?:\.\d+)?(?:\d\$)?[sdifgxrn@]"
    r"|%\d+\$?[sd]?|\$\d+|\{[\w.,: #|-]*\}|\$\w+\$|__\w+__|@:[\w.]+|\$\(\w[\w-]*\)"
)
DATE_PATTERN = re.compile(r"(?=.*(?:yM|yy|MM|Md|dM|H:?m|hh|h:m|Ed|Bh|GG|QQ|yQ))[GyYQMLEdBhHKkmsazZvbcjJ\W]+")
ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\b")


def clean(text: str) -> str:
    """The words of a message: no tags, mnemonics, placeholders or line breaks."""
    if ICU.search(text):
        return ""
    text = html.unescape(TAG.sub(" ", text))
    text = MNEMONIC.sub("", PLACEHOLDER.sub(" ", TAG.sub(" ", text)))
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).replace("`", "").replace("**", "")
    text = re.sub(r"\\+(?=\W|$)|\(\s*\)|\"\s*\"|'\s+'|「\s*」|“\s*”|[\ufffd¶]", "", text)
    return re.sub(r"\s+([.,;:!?。，、])", r"\1", re.sub(r"\s+", " ", text)).strip(" :：-–—")


def clean_pair(language: str, english: str, other: str) -> Pair | None:
    """The pair cleaned, or None where it teaches nothing."""
    english, other = clean(english), clean(other)
    if not (2 <= len(english) <= 400 and 2 <= len(other) <= 400) or english == other:
        return None
    if CJK.search(english) or not re.search(r"[A-Za-z]{2}", english) or "skin tone" in english:
        return None
    if DATE_PATTERN.fullmatch(english):
        return None
    script = {"ko": bool(HANGUL.search(other)), "ja": bool(KANA.search(other) or HAN.search(other))}
    if not script.get(language, bool(HAN.search(other)) and not HANGUL.search(other) and not KANA.search(other)):
        return None
    return _chinese(language, other) if language.startswith("zh") else language, english, other


def _chinese(language: str, text: str) -> str:
    """Which Chinese the text is written in, where its characters tell: catalogues named only `zh` may be either."""
    traditional, simplified = bool(ONLY_TRADITIONAL.search(text)), bool(ONLY_SIMPLIFIED.search(text))
    return language if traditional == simplified else "zh-Hant" if traditional else "zh"


def by_sibling(found: Iterable[tuple[str, bytes]]) -> dict[str, dict[str, dict[str, str]]]:
    """Catalogues of one package grouped by open path, then language."""
    grouped: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for path, data in found:
        place = locale_of(path)
        if place:
            grouped[place[1]].setdefault(place[0], {}).update(read_catalogue(path, data))
    return grouped
