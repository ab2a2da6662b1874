"""Where in a text the secrets are. Only texts that the prefilter suspects come here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from axiommind.text import secret_names as names
from axiommind.text import secret_shapes as secrets
from axiommind.text import secret_values as values
from axiommind.text.disguises import joined, plain
from axiommind.text.secret_assignments import SecretSpan, find_assigned, find_flags, find_listed, kind_by_name
from axiommind.text.secret_names import LOGINS
from axiommind.text.secret_prefilter import has_hidden, pattern_scanner, set_scanner, shape_scanner
from axiommind.text.secret_shapes import SHAPES, Shape, compiled
from axiommind.text.secret_tables import find_in_tables

__all__ = ["authorization", "find_secrets", "session_cookies"]

# Printable ASCII without quotes and brackets.
_URL_PASSWORD = r"://(?P<user>[^\s/:@\"'<>\[\]`\\]{0,100}):(?P<password>[^\s\"'<>\[\]`\\]{1,200}?)@(?P<host>[A-Za-z0-9\[_$%{<][A-Za-z0-9._-]*)(?P<after>[:/?#\s\"'`\\,;)]|\Z)"
_VARIABLE = r"^[${<\[(]|^%[A-Za-z_(]|[{}]|^[A-Z][A-Z_]*$|^[*.x]+$"
CREDENTIALS = r"(?:(?P<scheme>bearer|basic|token|bot|apikey|digest|key|negotiate)[ \t]{1,8})?(?P<secret>[A-Za-z0-9._~+/:=-]{8,4096})"  # noqa: E501
_BEARER = r"(?:\A|(?<![A-Za-z0-9]))(?:Bearer|bearer) ([A-Za-z0-9._~+/=-]{20,4096})"
_COOKIE_PAIR = r"(?:^|(?<=[;\s]))(?P<name>[A-Za-z0-9_.%-]{1,80})=(?P<value>[^;\s,]{12,2048})"
_COOKIE_NAMES = r"sess|sid|auth|token|jwt|remember|login|csrf|xsrf"


class _Given(NamedTuple):
    text: str
    raw: bytes  # one byte a character, so that positions agree


@cache
def _by_start() -> dict[str, list[tuple[str, Shape]]]:
    table: dict[str, list[tuple[str, Shape]]] = {}
    for shape in SHAPES:
        for literal in shape.literals:
            table.setdefault(literal[:2], []).append((literal, shape))
    return table


def _find_shapes(given: _Given) -> Iterator[SecretSpan]:
    text = given.text
    for shape in SHAPES:
        if not shape.literals and pattern_scanner(shape).search(given.raw):
            for match in compiled(shape.pattern).finditer(text):
                yield from _accepted(text, shape, match)
    table = _by_start()
    read_to: dict[Shape, int] = {}  # a run is read once by each shape, however many of its prefixes are in it
    scan, at = shape_scanner(), -1
    while (found := scan.search(given.raw, at + 1)) is not None:  # one may begin within another
        at = found.start()
        for literal, shape in table.get(text[at : at + 2], ()):
            if not text.startswith(literal, at):
                continue
            if shape.edge and not shape.back and _is_inside_word(text, at):
                continue  # before anything is read: megabytes of base64 hold any four letters
            pattern = compiled(shape.pattern)
            if shape.back:
                found_whole = False
                for match in pattern.finditer(text, max(0, at - shape.back - 1), at + 300):
                    found_whole = True
                    yield from _accepted(text, shape, match)
                if not found_whole:
                    run = compiled(r"[A-Za-z0-9_~.+/-]*\Z").search(text, max(0, at - shape.back), at)
                    yield from _broken(text, run.start() if run else at, shape, pattern)
                continue
            if at < read_to.get(shape, 0):
                continue
            whole = pattern.match(text, at)
            if whole is not None:
                read_to[shape] = whole.end()
                yield from _accepted(text, shape, whole)
            else:
                yield from _broken(text, at, shape, pattern)


def _accepted(text: str, shape: Shape, match: re.Match[str]) -> Iterator[SecretSpan]:
    start, end = match.span(match.lastindex or 0)
    token = text[start:end]
    if shape.edge and _is_inside_word(text, start):
        return
    if shape.kind == secrets.PRIVATE_KEY:
        if _is_armour(token):
            yield SecretSpan(start, end, shape.kind, 0)
    elif values.is_plausible(token) and not (shape.kind == "openai" and not _has_digits(token)):
        yield SecretSpan(start, _wrapped(text, end), shape.kind, 0)


def _has_digits(token: str) -> bool:
    return any(map(str.isdigit, token)) or values.surprise(token) >= 4.8


def _wrapped(text: str, end: int) -> int:
    """A long token that a terminal wrapped goes on where the next line is nothing but more of it."""
    rest = compiled(r"(?:\r?\n|\\n)[ \t]{0,40}(?P<more>[A-Za-z0-9+/=_.-]{6,200})(?=[\"'`\s\\,;)]|\Z)").match(text, end)
    if rest is None or not values.is_generated(rest["more"], values.ValueContext.QUOTED):
        return end
    return rest.end("more")


def _broken(text: str, at: int, shape: Shape, pattern: re.Pattern[str]) -> Iterator[SecretSpan]:
    """A token that goes over the end of a line. What is joined has to look generated: a dash may end a line too."""
    ends = compiled(r"[A-Za-z0-9_+/=.%$~:-]{6,300}[ \t]*\\{0,2}(?:[\r\n]|n)").match(text, at)
    if ends is None or (shape.edge and _is_inside_word(text, at)):
        return
    for whole in joined(text[at : at + 500]):
        match = pattern.match(whole.text)
        if match is None:
            continue
        start, end = match.span(match.lastindex or 0)
        token = match[match.lastindex or 0]
        if values.is_plausible(token) and values.surprise(token) >= 3.2 and not values.is_placeholder(token):
            first, last = whole.span(start, end)
            yield SecretSpan(at + first, at + last, shape.kind, 0)
            return


def _is_armour(token: str) -> bool:
    """A private key in armour, in base64 once more; a certificate is public."""
    import base64

    head = re.sub(r"[^A-Za-z0-9+/]", "", token[:80].replace("\\n", ""))
    return b"PRIVATE KEY" in base64.b64decode(head[: len(head) // 4 * 4])


def _is_inside_word(text: str, start: int) -> bool:
    """A literal \\n, \\r or \\t in front is no part of a word: transcripts are full of JSON inside JSON."""
    before = text[max(0, start - 2) : start]
    return before[-1:].isalnum() and before[-1:].isascii() and before not in ("\\n", "\\r", "\\t")


def _find_url_passwords(given: _Given) -> Iterator[SecretSpan]:
    text = given.text
    if "@" not in text or "://" not in text:
        return
    for match in compiled(_URL_PASSWORD, 0).finditer(text):
        user, password = match["user"], match["password"]
        if "/" in password or "?" in password:
            # https://host:8080/@scope is a port and a path
            is_known = user or compiled(r"(?:rediss?|valkey)\Z").search(text, 0, match.start())
            if re.match(r"\d{1,5}(?:[/?]|$)", password) or "." in user or not is_known:
                continue
            if not ("." in match["host"] or match["host"] == "localhost" or match["after"] in (":", "/")):
                continue
        # postgres:postgres@ is a default that everybody knows, not a secret
        if password == user or password.lower() in values.WELL_KNOWN or values.is_placeholder(password):
            continue
        if compiled(_VARIABLE).search(password) or secrets.MARK_START in password:
            continue
        yield SecretSpan(*match.span("password"), secrets.URL_PASSWORD, 1)
    for match in compiled(r"://(?P<token>[A-Za-z0-9_-]{20,200})@[A-Za-z0-9]").finditer(text):
        if values.is_generated(match["token"], values.ValueContext.QUOTED):
            yield SecretSpan(*match.span("token"), secrets.URL_PASSWORD, 1)


def _find_private_keys(given: _Given) -> Iterator[SecretSpan]:
    text = given.text
    if "PuTTY-User-Key-File" in text:
        for match in compiled(r"Private-Lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{16,}\s*)+)").finditer(text):
            yield SecretSpan(*match.span(1), secrets.PRIVATE_KEY, 0)
    if "PRIVATE KEY" not in text:
        return
    run = compiled(r"[A-Za-z0-9+/=]{20,}")
    edges = list(compiled(r"-----(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----").finditer(text))
    for i, edge in enumerate(edges):
        if edge[1] == "END":
            continue
        start = edge.end()
        after = edges[i + 1] if i + 1 < len(edges) else None
        if after is not None and after[1] == "END" and after.start() - start <= 20_000:
            body = text[start : after.start()]
            if sum(map(len, run.findall(body))) * 2 >= len(body) and not secrets.MARK.search(body):
                yield SecretSpan(edge.start(), after.end(), secrets.PRIVATE_KEY, 0)
                continue
        # no end: the block was cut off. Whatever still looks like its lines goes.
        first = run.search(text, start, start + 240)
        if first is None or "-----" in text[start : first.start()]:
            continue
        lines = compiled(
            r"(?:[^A-Za-z0-9+/=\[]{1,40}(?:[0-9]{1,6}[^A-Za-z0-9+/=\[]{1,4})?[A-Za-z0-9+/=]{16,})*"
            r"(?:[^A-Za-z0-9+/=\[]{1,40}[A-Za-z0-9+/=]{1,15}\Z)?"
        )
        body_end = lines.match(text, first.end())
        yield SecretSpan(edge.start(), body_end.end() if body_end else first.end(), secrets.PRIVATE_KEY, 0)


def _find_headers(given: _Given) -> Iterator[SecretSpan]:
    text = given.text
    either_case = re.ASCII | re.IGNORECASE
    gap = r"[ \t\"'`\\\]]{0,24}"
    if "uthorization" in text or "UTHORIZATION" in text:
        pattern = rf"authorization{gap}[:=,][ \t]{{0,8}}\\{{0,7}}[\"'`]?{CREDENTIALS}"
        for match in compiled(pattern, either_case).finditer(text):
            if _is_credentials(match):
                yield SecretSpan(*match.span("secret"), secrets.AUTHORIZATION, 1)
    if "earer " in text:
        for match in compiled(_BEARER).finditer(text):
            if values.is_generated(match[1], values.ValueContext.QUOTED):
                yield SecretSpan(*match.span(1), secrets.AUTHORIZATION, 1)
    if "ookie" in text or "OOKIE" in text:
        header = rf"cookie{gap}[:=,][ \t]{{0,8}}\\{{0,7}}[\"'`]?([^\n\"'`\\]{{8,4096}})"
        for match in compiled(header, either_case).finditer(text):
            for start, end in session_cookies(text, *match.span(1)):
                yield SecretSpan(start, end, secrets.COOKIE, 1)


def _find_arguments(given: _Given) -> Iterator[SecretSpan]:
    """`curl -u name:password` and its like: the command stands on the same line, the flag after a blank."""
    text = given.text
    if not any(flag in text for flag in (" -p", " -u", " --u", " -a", " -P", " -w", " -N", "pass")):
        return
    if not any(command in text for command in LOGINS):
        return
    for match in compiled(r"(?<= )-{1,2}(?=[puaPwskN])").finditer(text):
        line = text[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
        last = max(LOGINS, key=line.rfind)  # the command that the flag most likely belongs to
        if last not in line:
            continue
        found = compiled(LOGINS[last]).match(text, match.start())
        if found is None or values.is_filler(found["password"]) or compiled(_VARIABLE).search(found["password"]):
            continue
        if not values.is_code(found["password"]) and secrets.MARK_START not in found["password"]:
            yield SecretSpan(*found.span("password"), secrets.PASSWORD, 1)


def _find_set(given: _Given) -> Iterator[SecretSpan]:
    """What commands and settings are given after a blank, and what they read from their standard input."""
    if not set_scanner().search(given.raw):
        return
    text = given.text
    value = r"[\"']?(?P<value>[^\s\"'\\|]{6,512})"
    for match in compiled(rf"(?<![A-Za-z])(?:{names.SET_BY})[ ]+(?P<name>[^\s=\"'\\]{{2,100}})[ ]+{value}").finditer(
        text
    ):
        kind = kind_by_name(match["name"].rpartition(":")[2], match["value"])
        if kind is not None:
            yield SecretSpan(*match.span("value"), kind, 2)
    name = r"--name[ =]\\*[\"']?(?P<name>[^\s\"'\\]{2,100})"
    named = rf"(?:{names.NAMED_VALUE})[^\n]{{0,120}}?{name}[^\n]{{0,80}}?--value[ =]\\*{value}"
    for match in compiled(named).finditer(text):
        kind = kind_by_name(match["name"].rpartition("/")[2], match["value"])
        if kind is not None:
            yield SecretSpan(*match.span("value"), kind, 2)
    given_to = (
        rf"(?<![A-Za-z])(?:{names.PASSED})[ ]+{value}",
        rf"echo (?:-n )?\\*{value}\\*[\"']?[ ]{{0,4}}\|[^\n|]{{0,100}}?(?:{names.STDIN})",
        rf"(?:{names.STDIN})[^\n<]{{0,80}}<<< ?\\*{value}",
        rf"{names.PGPASS}(?P<value>[^\s\"'\\:]{{6,128}})",
        rf"{names.STORED}[^\n]{{0,120}}? {names.STORED_BY}\\*{value}",
        rf"{names.PAIRED}[^\"'\\\n]{{1,80}}\\*[\"'],\s{{0,20}}\\*{value}",
        rf"{names.WRAPPED}\\*{value}",
        rf"{names.AFTER_USER} (?:[^\s|;]+ )?[^\s|;]+ {value}(?=[\s\"'\\|;)]|$)",
    )
    for pattern in given_to:
        for match in compiled(pattern).finditer(text):
            secret = match["value"]
            if values.is_password(secret, values.ValueContext.QUOTED) and secrets.MARK_START not in secret:
                yield SecretSpan(*match.span("value"), secrets.PASSWORD, 2)


def _find_said(given: _Given) -> Iterator[SecretSpan]:
    """What prose calls a secret before or after it: only what is clearly generated counts."""
    if not set_scanner().search(given.raw):
        return
    value = r"(?P<value>[!#-&(-\[\]-_a-~]{10,512})"  # without quotes and backslashes
    for pattern in (
        rf"{names.SAID_BEFORE}{value}",
        rf"(?<![!-~]){value}(?={names.AS_SECRET})",
        rf"[`\"']{value}[`\"'](?={names.AS_SECRET})",
    ):
        for match in compiled(pattern).finditer(given.text):
            secret = match["value"]
            if values.is_generated(secret, values.ValueContext.QUOTED) and secrets.MARK_START not in secret:
                yield SecretSpan(*match.span("value"), secrets.SECRET, 2)


def _find_files(given: _Given) -> Iterator[SecretSpan]:
    """Files without separators, or whose names are not telling: netrc, Kubernetes' secrets, JSON web keys."""
    text = given.text
    if "password" in text and "login" in text:
        pattern = r"(?<![A-Za-z0-9])login(?:\s|\\[nrt])+\S{1,100}?(?:\s|\\[nrt])+password(?:\s|\\[nrt])+(?P<value>[^\s\"'\\]{4,200})"  # noqa: E501
        for match in compiled(pattern).finditer(text):
            if not values.is_filler(match["value"]) and secrets.MARK_START not in match["value"]:
                yield SecretSpan(*match.span("value"), secrets.PASSWORD, 1)
    if "Secret" in text and compiled(r"kind[\"']?: *[\"']?Secret\b").search(text):
        data = r"(?:^|\n)(?P<indent>[ +]*)[\"']?(?:data|stringData)[\"']?: *\{?\n(?P<body>(?:(?P=indent)[ ]+[^\n]*(?:\n|\Z)){1,100})"  # noqa: E501
        for block in compiled(data).finditer(text):
            for match in compiled(r":[ ]*[\"']?([^\s\"'{}\[]{6,4096})").finditer(text, *block.span("body")):
                if not values.is_placeholder(match[1]) and secrets.MARK_START not in match[1]:
                    yield SecretSpan(*match.span(1), secrets.SECRET, 2)
    if 'kty\\"' in text or 'kty"' in text:
        for match in compiled(r"\\*\"(?:d|k|p|q|dp|dq|qi)\\*\"\s*:\s*\\*\"([A-Za-z0-9_-]{20,})").finditer(text):
            yield SecretSpan(*match.span(1), secrets.PRIVATE_KEY, 1)


def authorization(value: str) -> tuple[int, int] | None:
    """Where the secret of an Authorization header is, or None."""
    match = compiled(CREDENTIALS, re.ASCII | re.IGNORECASE).match(value)
    return match.span("secret") if match is not None and _is_credentials(match) else None


def _is_credentials(match: re.Match[str]) -> bool:
    secret, scheme = match["secret"], (match["scheme"] or "").lower()
    if values.is_placeholder(secret):
        return False
    if scheme == "basic" and any(map(str.isupper, secret)) and any(map(str.islower, secret)):
        return True
    return len(secret) >= 12 and values.is_generated(
        secret, values.ValueContext.SETTING if scheme else values.ValueContext.QUOTED
    )


def session_cookies(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the secrets of a cookie header are: sessions by their name, others only if long and random."""
    for match in compiled(_COOKIE_PAIR, re.ASCII).finditer(text, start, end):
        known = compiled(_COOKIE_NAMES, re.ASCII | re.IGNORECASE).search(match["name"])
        if values.is_generated(match["value"], values.ValueContext.QUOTED) and (known or len(match["value"]) >= 32):
            yield match.span("value")


_FINDERS: tuple[Callable[[_Given], Iterator[SecretSpan]], ...] = (
    _find_shapes,
    _find_url_passwords,
    _find_private_keys,
    _find_headers,
    _find_arguments,
    _find_set,
    _find_said,
    _find_files,
    lambda given: find_in_tables(given.text, given.raw),
    lambda given: find_listed(given.text),
    lambda given: find_flags(given.text),
    lambda given: find_assigned(given.text, given.raw),
)


def find_secrets(text: str) -> Iterator[SecretSpan]:
    """What is to be replaced, in order and apart from each other; a mark that is there already is left as it is."""
    seen = plain(text) if has_hidden(text.encode("utf-8", "surrogatepass")) else None
    read = text if seen is None else seen.text
    given = _Given(read, read.encode("ascii", "replace"))
    spans = [span for find in _FINDERS for span in find(given)]
    if secrets.MARK_START in read:  # a mark is a finding too: whatever touches one is left as it is
        spans += (SecretSpan(*match.span(), secrets.MARKED, -1) for match in secrets.MARK.finditer(read))
    found = (span for span in _merged(sorted(spans)) if span.kind != secrets.MARKED)
    if seen is None:
        return found
    return (SecretSpan(*seen.span(span.start, span.end), span.kind, span.rank) for span in found)


def _merged(spans: list[SecretSpan]) -> Iterator[SecretSpan]:
    """Findings that overlap become one, so that no piece of either survives; the longest names the kind."""
    current: SecretSpan | None = None
    widest = (0, 0)
    for span in spans:
        width = (span.end - span.start, -span.rank)
        if current is None or span.start >= current.end:
            if current is not None:
                yield current
            current, widest = span, width
            continue
        kind = span.kind if width > widest else current.kind
        if secrets.MARKED in (span.kind, current.kind):
            kind = secrets.MARKED
        current = current._replace(end=max(current.end, span.end), kind=kind)
        widest = max(widest, width)
    if current is not None:
        yield current
