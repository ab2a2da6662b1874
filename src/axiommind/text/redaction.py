r"""Redaction: replaces the secrets in a string by marks before it may be stored.

Owns the mark that replaces a secret, and how a decoded value is walked. What secrets look like is in `secret_shapes`,
where they are looked for in `secret_finders`, and which bytes are worth a look in `secret_prefilter`. Promises:
`[redacted:<kind>:<hash>]` is the same for the same secret and key; redacting twice equals once; `suspects(raw)` is
never False for a line that `value` would change; time is linear in the text. Refuses: I/O, decoding JSON, and
guessing: a weak value without a telling name stays.
"""

from collections.abc import Iterator
from typing import Any

from axiommind.text import secret_shapes as secrets
from axiommind.text.secret_prefilter import folded, is_hot
from axiommind.text.secret_shapes import MARK

__all__ = ["MARK", "Redactor", "kinds"]


def kinds() -> list[str]:
    """Every kind that a mark can name, sorted."""
    named = {
        secrets.PASSWORD,
        secrets.SECRET,
        secrets.AWS_SECRET,
        secrets.PRIVATE_KEY,
        secrets.AUTHORIZATION,
        secrets.COOKIE,
        "url-password",
    }
    return sorted(named.union(shape.kind for shape in secrets.SHAPES))


class Redactor:
    """Replaces secrets by marks that only the holder of `key` can compare."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._clean: set[str] = set()  # short strings that come again on every line: types, ids, paths, keys

    def suspects(self, raw: bytes) -> bool:
        """False guarantees that `value` would change nothing in the JSON of these lines."""
        return is_hot(raw, folded(raw))

    def text(self, value: str, *, keep_lines: bool = False) -> str:
        """One decoded string, redacted; the same object when there was nothing to find. With `keep_lines` the mark of
        a secret over several lines is followed by as many line ends, so that every line keeps its number."""
        if len(value) < 10 or value in self._clean:
            return value
        raw = value.encode("ascii", "replace")  # one byte a character, so that positions agree
        # In a line a quote would stand before the first word.
        if not (is_hot(raw, folded(raw)) or value.startswith("Bearer ")):
            if len(value) < 128:
                if len(self._clean) >= 8192:
                    self._clean.clear()
                self._clean.add(value)
            return value
        # A mark may complete or break what stands beside it, so once is not enough for redact(redact(x)) ==
        # redact(x). It ends: every round turns characters outside marks into marks.
        while (redacted := self._round(value, keep_lines)) is not value:
            value = redacted
        return redacted

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
        lowered = name.lower()
        if lowered.endswith("authorization"):
            return self._credentials(redacted)
        if lowered.endswith("cookie"):
            return self._cut(redacted, secrets.session_cookies(redacted, 0, len(redacted)), secrets.COOKIE)
        kind = secrets.kind_by_name(name, value)
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
        """`["Authorization", "Basic …"]`, for the schemes that the prefilter knows without their header."""
        if name.lower().endswith("authorization") and secrets.compiled(r"(?:Basic|Bearer) [\w.~-]{8}").match(value):
            return self._credentials(value)
        return value

    def _credentials(self, value: str) -> str:
        span = secrets.authorization(value)
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
        from axiommind.text.secret_finders import FoldedText, find_secrets

        parts: list[str] = []
        at = 0
        for span in find_secrets(FoldedText.of(text)):
            secret = text[span.start : span.end]
            parts += text[at : span.start], self._mark(span.kind, secret), "\n" * (keep_lines * secret.count("\n"))
            at = span.end
        return "".join(parts) + text[at:] if parts else text

    def _mark(self, kind: str, secret: str) -> str:
        import hmac  # loads OpenSSL: only where a secret was found

        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"[redacted:{kind}:{digest.hex()[:10]}]"


def _children(container: Any) -> Any:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, (list, tuple)) else ()
