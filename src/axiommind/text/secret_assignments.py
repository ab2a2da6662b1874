"""Secrets that are known by their name: assignments, settings, JSON, YAML, headers of curl, prose in four languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from axiommind.text import secret_names as names
from axiommind.text import secret_values as values
from axiommind.text.patterns import lazy
from axiommind.text.secret_names import Telling
from axiommind.text.secret_prefilter import is_harmless, name_scanner
from axiommind.text.secret_shapes import AWS_SECRET, MARK_START, PASSWORD, SECRET, compiled
from axiommind.text.secret_values import ValueContext

__all__ = ["SecretSpan", "find_assigned", "find_flags", "find_listed", "kind_by_name"]

_CLOSING = {"\u201c": "\u201d", "\u2018": "\u2019", "\u300c": "\u300d", "\u300e": "\u300f", "\u300a": "\u300b"}
_LONGEST = 4096
_IN_ONE_RUN = 64  # names that are followed without a blank or a quote: more than a URL has
_OWNER = lazy(r"[A-Za-z0-9_.-]*")
_YAML_LIST = r"(?:name|key): [\"']?(?P<name>[A-Za-z0-9_.-]{2,80})[\"']?[ ]{0,8}\n[ ]{0,40}value: [\"']?(?P<value>[^\s\"'\\]{6,512})"  # noqa: E501


_FORM = (
    r"form-data; name=\\*\"(?P<name>[A-Za-z0-9_.-]{2,80})\\*\"(?:\r?\n|(?:\\+r)?\\+n){2}(?P<value>[^\s\"'\\]{6,512})"
)


class SecretSpan(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int  # of two findings of the same length the lower rank names the kind


class _Place(NamedTuple):
    """A name with its separator, and where its value begins."""

    start: int
    value: int
    told: Telling
    separator: str
    quote: str
    name: str  # as it is written, with what stands before its core


def find_assigned(text: str, raw: bytes) -> Iterator[SecretSpan]:
    ends: dict[str, int] = {}  # a run of value characters is measured once, however many names are in it
    for place in sorted(_places(text, raw), key=lambda place: place.value):
        yield from _judged(text, place, ends)


def find_flags(text: str) -> Iterator[SecretSpan]:
    """`--api-key x`: the value after a blank."""
    if "--" not in text:
        return
    for match in compiled(names.FLAG).finditer(text):
        told = names.telling(match, text[match.start() : match.start("core")])
        if told is not None:
            place = _Place(match.start(), match.end(), told, " ", match["quote"] or "", match["core"])
            yield from _judged(text, place, {})


def find_listed(text: str) -> Iterator[SecretSpan]:
    """`name: DB_PASSWORD` and `value: …` of YAML, `<key>` and `<string>` of a property list, each on its line, and a
    field of a form."""
    if "</key>" in text:
        pattern = (
            r"<key>(?P<name>[A-Za-z0-9_. -]{2,80})</key>(?:\s|\\+[nrt]){0,20}<string>(?P<value>[^<]{6,512})</string>"
        )
        yield from _listed(text, pattern)
    if "value: " in text:
        yield from _listed(text, _YAML_LIST)
    if "form-data; name=" in text:
        yield from _listed(text, _FORM)


def _listed(text: str, pattern: str) -> Iterator[SecretSpan]:
    for match in compiled(pattern).finditer(text):
        kind = kind_by_name(match["name"], match["value"])
        if kind is not None:
            yield SecretSpan(*match.span("value"), kind, 2)


def _places(text: str, raw: bytes) -> Iterator[_Place]:
    assigned = compiled(names.ASSIGNED)
    for found in name_scanner().finditer(raw):
        if is_harmless(raw, found.start()):
            continue
        # What looks back (`_KEY`) begins after the character that the scanner began with.
        for start in (found.start(), found.start() + 1, found.start() + 2):
            match = assigned.match(text, start)
            if match is not None:
                break
        else:
            continue
        owner = _OWNER.match(text[max(0, match.start() - 40) : match.start()][::-1])[0][::-1]  # type: ignore[index]
        told = names.telling(match, owner)
        if told is not None:
            separator = match["sep"].strip() or ","  # a blank stands before a quote
            if separator.endswith("{"):
                separator = "("
            if "alue" in separator or (len(separator) > 3 and separator.endswith("=")):  # value="…", : str = "…"
                separator = "="
            yield _Place(start, match.end(), told, separator, match["quote"] or "", owner + match["core"])
    if not text.isascii() and compiled(names.CJK_FIRST, 0).search(text):
        for match in compiled(names.CJK_ASSIGNED, 0).finditer(text):
            told = Telling.PASSWORD if match["weak"] else Telling.SECRET
            sure = match["sep"] or match["particle"] or match["quote"]
            yield _Place(match.start(), match.end(), told, ":" if sure else ",", match["quote"] or "", "CJK")


def _judged(text: str, place: _Place, ends: dict[str, int]) -> Iterator[SecretSpan]:
    start = place.value
    if text.startswith(MARK_START, start):
        return
    if place.quote:
        end = _closing(text, start, place.quote)
        if end is None:
            return
    else:
        key = ">" if place.separator == ">" else ""
        end = ends.get(key, -1)
        if end < start:
            run = compiled(r"[^\s<\"'`]*" if key else r"[^\s\"'`\u3001\u3002\uff0c\uff09\u300d\u201d]*", 0).match(
                text, start
            )
            end = ends[key] = run.end() if run else start
            ends["judged"] = 0
        ends["judged"] += 1
        if end - start > _LONGEST or ends["judged"] > _IN_ONE_RUN:
            return
        if key and text[end : end + 2] == "</":
            place = place._replace(quote=key)  # an element of XML
        else:
            end = _trimmed(text, place, start, end)
    value = text[start:end]
    if len(value) < 6 or len(value) > _LONGEST or MARK_START in value:
        return
    kind = _kind(value, place)
    if kind is not None:
        end = _continued(text, end, place.quote)
        yield SecretSpan(start, end, kind, 2)


def _closing(text: str, start: int, quote: str) -> int | None:
    """Where a quoted value ends: at its own kind of quote, with as many backslashes as opened it, on its line."""
    closing = _CLOSING.get(quote, quote)
    line = text.find("\n", start, start + _LONGEST)
    limit = line if line >= 0 else min(len(text), start + _LONGEST)
    end = text.find(closing, start, limit)
    depth = 0
    while text[start - 2 - depth : start - 1 - depth] == "\\":
        depth += 1
    while end > 0 and depth == 0 and text[end - 1 : end] == "\\":  # an escaped quote within
        end = text.find(closing, end + 1, limit)
    if end < 0:
        run = compiled(r"[^\s\"'`]*", 0).match(text, start)
        return run.end() if run else None
    while depth and end > start and text[end - 1] == "\\":
        end -= 1
    return end


def _trimmed(text: str, place: _Place, start: int, end: int) -> int:
    """An unquoted value ends where what surrounds it goes on: escapes, a query's `&`, a list's comma."""
    value = text[start:end]
    escape = compiled(r"\\+[nrt](?![a-z])|\\+[nrt]|\\+$").search(value)
    if escape is not None:
        value = value[: escape.start()]
    if compiled(r"[?&][A-Za-z0-9_.-]*\Z").search(text, max(0, place.start - 60), place.start):
        value = value.partition("&")[0].partition("#")[0]
    cut = compiled(r";(?:$|[A-Za-z ]{1,40}=)|,(?:$|[A-Za-z_\"' ])|</|\|\|?$").search(value)
    if cut is not None:
        value = value[: cut.start()]
    for opening, closing in ("()", "[]", "{}"):
        while value.endswith(closing) and value.count(closing) > value.count(opening):
            value = value[:-1]
    if value[:1].isascii():  # `… 입니다`, `… です`: a verb that stands at the value without a blank
        ascii_part = compiled(r"[!-~]{6,}(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][^!-~]*\Z)", 0).match(value)
        value = ascii_part[0] if ascii_part is not None else value
    stripped = value.rstrip(".:,;" if len(value) < 40 else ".:,;?!")
    return start + len(stripped)


def _continued(text: str, end: int, quote: str) -> int:
    """A value that was broken at the end of its line goes on where the next line is nothing but more of the same."""
    rest = compiled(
        r"[ \t]*\\?(?:\r?\n|\\n)[ \t]{0,40}(?:[+>|#] )?(?P<more>[A-Za-z0-9+/=_~-]{6,200})[ \t]*(?=[\"'`\n\\]|\Z)"
    ).match(text, end)
    if rest is None or (quote and text[end : end + 1] == quote):
        return end
    return rest.end("more") if values.is_generated(rest["more"], ValueContext.QUOTED) else end


def _kind(value: str, place: _Place) -> str | None:
    setting = (
        place.separator in ("=", ":", "?=", ":=", " ") and place.name.upper() == place.name and len(place.name) > 2
    )
    context = ValueContext.SETTING if setting else ValueContext.QUOTED if place.quote else ValueContext.CODE
    if (
        place.separator in (",", "|", "||", "??", "is", "was", "to be", "to", ">", "->")
        and context == ValueContext.SETTING
    ):
        context = ValueContext.CODE
    told = place.told
    if told == Telling.PASSWORD:
        if values.is_password(value, ValueContext.QUOTED if setting and place.quote else context):
            return _sure(value, place, PASSWORD)
        if place.quote in ('"', "'") and place.separator in "=::=" and values.is_passphrase(value):
            return PASSWORD
        return PASSWORD if setting and values.is_chosen(value) else None
    if told == Telling.PERHAPS:
        decoded = place.name.lower().endswith("auth") and _is_basic(value)
        if decoded:
            return SECRET
        if (
            len(value) < (12 if setting else 16)
            or (values.is_hash(value) and not setting)
            or (context == ValueContext.CODE and not place.quote and place.separator != ":")
        ):
            return None
        return SECRET if values.is_generated(value, context if setting else ValueContext.QUOTED) else None
    if values.is_hash(value) and "-" in value and not setting and "auth" not in place.name.lower():
        return None  # a UUID named token is an id more often than not
    if (values.is_generated(value, context) or values.is_long_hexadecimal(value)) and (len(value) >= 12 or setting):
        return _sure(value, place, AWS_SECRET if _is_aws_secret(value, place.name) else SECRET)
    return AWS_SECRET if _is_aws_secret(value, place.name) and values.is_plausible(value) else None


def _sure(value: str, place: _Place, kind: str) -> str | None:
    """Behind a separator that prose and lists share with assignments, only what is clearly generated counts."""
    if place.separator in ("(", "-", "\u2013", "\u2014", "to"):
        context = ValueContext.QUOTED if place.quote else ValueContext.CODE
        return kind if len(value) >= 12 and values.is_generated(value, context) else None
    if place.separator in (",", "|", "||", "??", ">", "->") and not place.quote:
        return kind if len(value) >= 12 and values.is_generated(value, ValueContext.CODE) else None
    return kind


def _is_aws_secret(value: str, name: str) -> bool:
    return "secret" in name.lower() and compiled(r"[A-Za-z0-9+/]{40}").fullmatch(value) is not None


def _is_basic(value: str) -> bool:
    """`user:password` in base64, as Docker and npm keep it."""
    if len(value) < 12 or compiled(r"[A-Za-z0-9+/]+={0,2}").fullmatch(value) is None:
        return False
    import base64
    import binascii

    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4))
    except (binascii.Error, ValueError):
        return False
    user, colon, password = decoded.partition(b":")
    return bool(colon and user and len(password) >= 4 and user.isascii() and all(32 < byte < 127 for byte in user))


def kind_by_name(name: str, value: str) -> str | None:
    """The kind of a value that stands alone under a name, or None if it is no secret."""
    named = names.telling_key(name)
    if named is None or len(value) < 6 or len(value) > _LONGEST or MARK_START in value:
        return None
    told, written = named
    return _kind(value, _Place(0, 0, told, "=", '"', written))
