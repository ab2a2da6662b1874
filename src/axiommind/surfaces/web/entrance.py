"""Who has come in: the code in the address that `axm serve` prints, and the cookie that a browser gets for it.

A code opens the page and is then gone from the address. The one that is printed opens any number of browsers while the
server runs; one that is handed to a browser by this program can be read in its arguments, so it opens one.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

__all__ = ["Entrance"]


class Entrance:
    """The secrets of one run of the server. Nothing of them is kept."""

    def __init__(self) -> None:
        self.code = secrets.token_urlsafe(24)
        self._once: set[str] = set()
        self._cookie = secrets.token_urlsafe(32)
        self.form_token = hmac.new(self._cookie.encode(), b"forms", sha256).hexdigest()

    def code_for_once(self) -> str:
        code = secrets.token_urlsafe(24)
        self._once.add(code)
        return code

    def admit(self, code: str) -> str | None:
        """The cookie for a code; None where it opens nothing."""
        if _same(code, self.code):
            return self._cookie
        for known in tuple(self._once):
            if _same(code, known):
                self._once.discard(known)
                return self._cookie
        return None

    def knows(self, cookies: bytes, name: str, authorization: bytes = b"") -> bool:
        """Whether a request brings the cookie, or as a program the printed code."""
        kind, _, given = authorization.partition(b" ")
        if kind.lower() == b"bearer" and _same(given.strip().decode("latin-1"), self.code):
            return True
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(cookies.decode("latin-1"))
        except CookieError:
            return False
        return name in jar and _same(jar[name].value, self._cookie)

    def knows_form(self, token: str) -> bool:
        """Whether a form was made by this server."""
        return _same(token, self.form_token)


def _same(given: str, own: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), own.encode())
