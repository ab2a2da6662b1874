"""Where in a text the secrets are. Only texts that the prefilter suspects come here."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from axiommind.text import secret_shapes as secrets
from axiommind.text.secret_prefilter import flags, folded, prefilter

__all__ = ["FoldedText", "find_secrets"]


class SecretSpan(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int  # of two findings of the same length the lower rank names the kind


class FoldedText(NamedTuple):
    """A text and its bytes as the prefilter reads them; one byte a character, so that positions agree."""

    text: str
    raw: bytes
    back: bytes

    @classmethod
    def of(cls, text: str) -> "FoldedText":
        raw = text.encode("ascii", "replace")
        return cls(text, raw, folded(raw))


def _find_shapes(given: FoldedText) -> Iterator[SecretSpan]:
    text, back, announcing = given.text, given.back, prefilter()
    hot = {at for at in ("separator", "joint", "dot", "rare", "at") if getattr(announcing, at).search(back)} | {"hex"}
    for shape in secrets.SHAPES:
        if shape.at in hot and any(literal in text for literal in shape.literals):
            for match in secrets.compiled(shape.pattern).finditer(text):
                start, end = match.span(match.lastindex or 0)
                if secrets.is_plausible(text[start:end]) and not (shape.edge and _is_inside_word(text, start)):
                    yield SecretSpan(start, end, shape.kind, 0)


def _is_inside_word(text: str, start: int) -> bool:
    """A literal \\n, \\r or \\t in front is no part of a word: transcripts are full of JSON inside JSON."""
    before = text[max(0, start - 2) : start]
    return before[-1:].isalnum() and before[-1:].isascii() and before not in ("\\n", "\\r", "\\t")


def _find_url_passwords(given: FoldedText) -> Iterator[SecretSpan]:
    text = given.text
    if "@" not in text or not prefilter().at.search(given.back):
        return
    for match in secrets.compiled(secrets.URL_PASSWORD).finditer(text):
        user, password = match.groups()
        # postgres:postgres@ is a default that everybody knows, not a secret
        if password == user or password.lower() in secrets.WELL_KNOWN or secrets.PLACEHOLDER.search(password):
            continue
        if secrets.VARIABLE.search(password):
            continue
        yield SecretSpan(*match.span(2), "url-password", 1)


def _find_private_keys(given: FoldedText) -> Iterator[SecretSpan]:
    text = given.text
    if "PRIVATE KEY" not in text:
        return
    run = secrets.compiled(r"[A-Za-z0-9+/=]{20,}")
    edges = list(
        secrets.compiled(r"-----(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----").finditer(text)
    )
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
        lines = secrets.compiled(
            r"(?:[^A-Za-z0-9+/=\[]{1,40}(?:[0-9]{1,6}[^A-Za-z0-9+/=\[]{1,4})?[A-Za-z0-9+/=]{16,})*"
            r"(?:[^A-Za-z0-9+/=\[]{1,40}[A-Za-z0-9+/=]{1,15}\Z)?"
        )
        body_end = lines.match(text, first.end())
        yield SecretSpan(edge.start(), body_end.end() if body_end else first.end(), secrets.PRIVATE_KEY, 0)


def _find_headers(given: FoldedText) -> Iterator[SecretSpan]:
    text, lowered = given.text, given.raw.lower()
    either_case = re.ASCII | re.IGNORECASE
    if b"authorization" in lowered:
        # In a list only the schemes that the prefilter knows without their header.
        listed = r",(?=[^A-Za-z]{0,16}(?<=[ \"'`])(?-i:Basic|Bearer) [A-Za-z0-9._~-]{8})"
        opening = rf"authorization{secrets.GAP}(?:[:=]|{listed})"
        pattern = rf"{opening}[ \t]{{0,8}}\\{{0,7}}[\"'`]?{secrets.CREDENTIALS}"
        for match in secrets.compiled(pattern, either_case).finditer(text):
            if secrets.is_credentials(match):
                yield SecretSpan(*match.span("secret"), secrets.AUTHORIZATION, 1)
    if "Bearer " in text:
        for match in secrets.compiled(secrets.BEARER).finditer(text):
            if secrets.is_random(match[1]):
                yield SecretSpan(*match.span(1), secrets.AUTHORIZATION, 1)
    if b"cookie" in lowered:
        header = rf"cookie{secrets.GAP}[:=][ \t]{{0,8}}\\{{0,7}}[\"'`]?([^\n\"'`\\]{{8,4096}})"
        for match in secrets.compiled(header, either_case).finditer(text):
            for start, end in secrets.session_cookies(text, *match.span(1)):
                yield SecretSpan(start, end, secrets.COOKIE, 1)


def _find_arguments(given: FoldedText) -> Iterator[SecretSpan]:
    """`curl -u name:password` and its like: the command stands on the same line, the flag after a blank."""
    text = given.text
    if not any(command in text for command in secrets.LOGINS):
        return
    for start in flags(given.back):
        if text[start - 1 : start] != " ":
            continue
        line = text[max(0, start - 200) : start].rpartition("\n")[2]
        last = max(secrets.LOGINS, key=line.rfind)  # the command that the flag most likely belongs to
        if last not in line:
            continue
        match = secrets.compiled(secrets.LOGINS[last]).match(text, start)
        if match is not None and secrets.is_argument(match["password"]):
            yield SecretSpan(*match.span("password"), secrets.PASSWORD, 1)


def _find_listed(given: FoldedText) -> Iterator[SecretSpan]:
    """A YAML list of `name: DB_PASSWORD` and `value: …`, each on its line."""
    text = given.text
    if "value: " not in text:
        return
    pattern = (
        rf"name: [\"']?(?P<name>[A-Za-z0-9_-]{{0,60}}?{secrets.NAME})[\"']?[ ]{{0,8}}\n[ ]{{0,40}}value: [\"']?"
        r"(?P<value>[^\s\"'\\]{6,512})"
    )
    for match in secrets.compiled(pattern, re.ASCII | re.IGNORECASE).finditer(text):
        kind = secrets.kind_by_name(match["name"], match["value"])
        if kind is not None:
            yield SecretSpan(*match.span("value"), kind, 2)


def _find_assigned(given: FoldedText) -> Iterator[SecretSpan]:
    text, size = given.text, len(given.text)
    either_case = re.ASCII | re.IGNORECASE
    heads = []
    for found in prefilter().separator.finditer(given.back):
        heads.append(secrets.compiled(secrets.ASSIGNED, either_case).match(text, size - found.end()))
    for start in flags(given.back):
        heads.append(secrets.compiled(secrets.FLAG, either_case).match(text, start))
    run_ends: dict[str, int] = {}  # a run of value characters is measured once, however many names are in it
    for match in sorted(filter(None, heads), key=lambda head: head.end()):
        start = match.end()
        quote = match["quote"] or (">" if match["sep"] == ">" else "")
        end = run_ends.get(quote, -1)
        if end < start:
            run = secrets.compiled(secrets.VALUE_UNTIL[quote]).match(text, start)
            end = run_ends[quote] = run.end() if run else start
        if end - start < 6 or end - start > 2048:
            continue
        value, closing = text[start:end], text[end : end + 1]
        if quote == ">":
            if text[end : end + 2] != "</":
                continue
        elif quote:
            if closing and closing not in (quote, "\\"):
                continue
        elif closing and closing in "([{<":
            continue
        if not quote:
            value = value.rstrip(".:?!")
        before = text[max(0, match.start() - 16) : match.start()].lower()
        weak = match["weak"] is not None
        if secrets.is_secret(value, name=match["core"], before=before, weak=weak, quoted=bool(quote)):
            yield SecretSpan(start, start + len(value), secrets.kind_of(value, before=before, weak=weak), 2)


_FINDERS: tuple[Callable[[FoldedText], Iterator[SecretSpan]], ...] = (
    _find_shapes,
    _find_url_passwords,
    _find_private_keys,
    _find_headers,
    _find_arguments,
    _find_listed,
    _find_assigned,
)


def find_secrets(given: FoldedText) -> Iterator[SecretSpan]:
    """What is to be replaced, in order and apart from each other; a mark that is there already is left as it is."""
    spans = [span for find in _FINDERS for span in find(given)]
    if "[redacted:" in given.text:  # a mark is a finding too: whatever touches one is left as it is
        spans += (SecretSpan(*match.span(), secrets.MARKED, -1) for match in secrets.MARK.finditer(given.text))
    return (span for span in _merged(sorted(spans)) if span.kind != secrets.MARKED)


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
