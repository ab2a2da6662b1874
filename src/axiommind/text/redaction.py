r"""Redaction: replaces the secrets in a string by marks before it may be stored.

Owns the mark that replaces a secret, and how a decoded value is walked. What tokens look like is in `secret_shapes`,
which names announce a secret in `secret_names`, what a generated value looks like in `secret_values`, where they are
looked for in `secret_finders` and `secret_assignments`, and which bytes are worth a look in `secret_prefilter`.
Promises: `[redacted:<kind>:<hash>]` is the same for the same secret and key; redacting twice equals once;
`suspects(raw)` is never False for a line that `value` would change; time is linear in the text. Refuses: I/O, decoding
JSON, and guessing: a weak value without a telling name stays.
"""

from collections.abc import Iterator
from typing import Any

from axiommind.text import secret_shapes as secrets
from axiommind.text.secret_prefilter import hot_windows, is_hot
from axiommind.text.secret_shapes import MARK, MARK_START

__all__ = ["MARK", "VERSION", "Redactor", "kinds"]

VERSION = 5  # of the rules: what an older one let through, `axm redact --again` finds


def kinds() -> list[str]:
    """Every kind that a mark can name, sorted."""
    named = {
        secrets.PASSWORD,
        secrets.SECRET,
        secrets.AWS_SECRET,
        secrets.PRIVATE_KEY,
        secrets.AUTHORIZATION,
        secrets.COOKIE,
        secrets.URL_PASSWORD,
    }
    return sorted(named.union(shape.kind for shape in secrets.SHAPES))


class Redactor:
    """Replaces secrets by marks that only the holder of `key` can compare."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._innocent: set[bytes] = set()  # digests of texts that were read whole and hold nothing
        self._clean: set[str] = set()  # short strings that come again on every line: types, ids, paths, keys

    def suspects(self, raw: bytes) -> bool:
        """False guarantees that `value` would change nothing in the JSON of these lines."""
        return is_hot(raw)

    def text(self, value: str, *, keep_lines: bool = False) -> str:
        """One decoded string, redacted; the same object when there was nothing to find. With `keep_lines` the mark of
        a secret over several lines is followed by as many line ends, so that every line keeps its number."""
        if len(value) < 10 or value in self._clean:
            return value
        if not is_hot(value.encode("utf-8", "surrogatepass")):
            if len(value) < 128:
                if len(self._clean) >= 8192:
                    self._clean.clear()
                self._clean.add(value)
            return value
        # What looked like a secret and was none comes again and again: a file that was read, and read once more.
        digest = None if len(value) < 4096 else _digest(value)
        if digest in self._innocent:
            return value
        # A mark may complete or break what stands beside it, so once is not enough for redact(redact(x)) ==
        # redact(x). It ends: every round turns characters outside marks into marks.
        given = value
        while (redacted := self._round(value, keep_lines)) is not value:
            value = redacted
        if redacted is given and digest is not None:
            if len(self._innocent) >= 65536:
                self._innocent.clear()
            self._innocent.add(digest)
        return redacted

    def name(self, value: str) -> str:
        """The name of a file, a folder or a session, redacted. Claude Code names folders after paths, with a dash for
        whatever is no letter or digit: `ghp-…` is the token that `ghp_…` was."""
        value = self.text(value)
        with_underscores = value.replace("-", "_")
        if not is_hot(with_underscores.encode("utf-8", "surrogatepass")):
            return value
        from axiommind.text.secret_finders import find_secrets

        parts: list[str] = []
        at = 0
        for span in find_secrets(with_underscores):
            parts += value[at : span.start], self._mark(span.kind, with_underscores[span.start : span.end])
            at = span.end
        return "".join(parts) + value[at:]

    def value(self, value: Any) -> Any:
        """A decoded JSON value, redacted in keys and strings; the same object when nothing changed."""
        if isinstance(value, str):
            return self.text(value)
        # Parents before children, then rebuilt from the end: nesting of any depth without recursion.
        containers: list[Any] = [value]
        seen = {id(value)}
        for container in containers:
            for child in _children(container):
                if isinstance(child, (dict, list, tuple)) and id(child) not in seen:
                    seen.add(id(child))
                    containers.append(child)
        rebuilt: dict[int, Any] = {}
        for container in reversed(containers):
            new = self._container(container, rebuilt)
            if new is not container:
                rebuilt[id(container)] = new
        return rebuilt.get(id(value), value)

    def _container(self, container: Any, rebuilt: dict[int, Any]) -> Any:
        if isinstance(container, dict):
            changed = False
            pairs: dict[Any, Any] = {}
            for name, old in container.items():
                key = self.text(name) if isinstance(name, str) else name
                new: Any
                if isinstance(old, str):
                    new = self._entry(name, old) if isinstance(name, str) else self.text(old)
                else:
                    new = rebuilt.get(id(old), old)
                changed = changed or key is not name or new is not old
                pairs[key] = new
            if "value" in container or "Value" in container:
                changed = self._pair(container, pairs) or changed
            return pairs if changed else container
        if isinstance(container, (list, tuple)):
            items = [self.text(old) if isinstance(old, str) else rebuilt.get(id(old), old) for old in container]
            if len(items) == 2 and all(isinstance(item, str) for item in items):
                items[1] = self._header(str(items[0]), str(items[1]))
            if all(new is old for new, old in zip(items, container, strict=True)):
                return container
            return items if isinstance(container, list) else tuple(items)
        return container

    def _entry(self, name: str, value: str) -> str:
        """The value of a dict entry: its key may say that it is a secret."""
        redacted = self.text(value)
        if len(value) < 6 or MARK.search(value) or MARK.fullmatch(redacted):
            return redacted
        from axiommind.text.secret_assignments import kind_by_name
        from axiommind.text.secret_finders import session_cookies

        lowered = name.lower()
        if lowered.endswith("authorization"):
            return self._credentials(redacted)
        if lowered.endswith("cookie"):
            return self._cut(redacted, session_cookies(redacted, 0, len(redacted)), secrets.COOKIE)
        kind = kind_by_name(name, value)
        return redacted if kind is None else self._mark(kind, value)

    def _pair(self, old: dict[Any, Any], new: dict[Any, Any]) -> bool:
        """`{"name": "DB_PASSWORD", "value": …}`, as Kubernetes and its like list an environment."""
        name = next((old[key] for key in ("name", "Name", "key", "Key") if isinstance(old.get(key), str)), None)
        changed = False
        for key in ("value", "Value"):
            value = old.get(key)
            if isinstance(name, str) and isinstance(value, str) and new[key] is value:
                new[key] = self._entry(name, value)
                changed = changed or new[key] is not value
        return changed

    def _header(self, name: str, value: str) -> str:
        """`["Authorization", "Basic …"]`, and any other pair of a name and its value."""
        if name.lower().endswith("authorization"):
            return self._credentials(value)
        return self._entry(name, value) if len(name) < 80 else value

    def _credentials(self, value: str) -> str:
        from axiommind.text.secret_finders import authorization

        span = authorization(value)
        return value if span is None else self._cut(value, iter([span]), secrets.AUTHORIZATION)

    def _cut(self, text: str, spans: Iterator[tuple[int, int]], kind: str) -> str:
        parts: list[str] = []
        at = 0
        for start, end in spans:
            if not MARK.search(text, max(0, start - 64), end + 64):
                parts += text[at:start], self._mark(kind, text[start:end])
                at = end
        return "".join(parts) + text[at:] if parts else text

    def _round(self, text: str, keep_lines: bool) -> str:
        from axiommind.text.secret_finders import find_secrets

        parts: list[str] = []
        at = 0
        for first, last in hot_windows(text):
            window = text[first:last]
            for span in find_secrets(window):
                secret = window[span.start : span.end]
                parts += text[at : first + span.start], self._mark(span.kind, secret)
                parts.append("\n" * (keep_lines * secret.count("\n")))
                at = first + span.end
        return "".join(parts) + text[at:] if parts else text

    def _mark(self, kind: str, secret: str) -> str:
        import hmac  # loads OpenSSL: only where a secret was found

        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"{MARK_START}{kind}:{digest.hex()[:10]}]"


def _digest(text: str) -> bytes:
    from hashlib import blake2b  # loads OpenSSL: only for long texts

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _children(container: Any) -> Any:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, (list, tuple)) else ()
