r"""Whether a value is a secret, given what is known of its name: generated, chosen by a person, or no secret at all.

A generated value surprises from one character to the next; words, identifiers and paths do not. `surprise` is the mean
number of bits a character costs a reader who expects English words in code. Refuses: names, positions, and formats of
vendors (`secret_shapes`).
"""

import re
from functools import lru_cache
from itertools import pairwise

from axiommind.text.patterns import lazy

__all__ = [
    "WELL_KNOWN",
    "ValueContext",
    "is_chosen",
    "is_code",
    "is_filler",
    "is_generated",
    "is_hash",
    "is_long_hexadecimal",
    "is_passphrase",
    "is_password",
    "is_placeholder",
    "is_plausible",
    "surprise",
]

# Bits of the second letter after the first, a to z by a to z, from the words of Python's library and of our pages.
_BITS = (
    "85449759597343959343667769365637773593664694464988583866378359446727945358997946652569289577468546588879"
    "47436569798453757334867579476643782994773794554999694767285449846447934648999827762898397657379564589969"
    "56455559998442459543959696376527895967663577383749794665266839846556863557596937652779398477369745579949"
    "25762788397557339856599979484335384966864797335599796544766968644254934446589938663785498377349354588959"
    "77868699799366787546168999375527693966563695446789595847267439656744774247796938562684398567469345587959"
    "54564569499443649343999899276717783997665797669879793775367439667437834698789956463686399647537652878668"
    "5556466849944452853477686748771796397657479666797966"
)
_READ = 128  # characters that tell what the others are
_PLACEHOLDER = lazy(
    r"your|example|placeholder|change_?-?(?:me|it|this)|redacted|dummy|sample|insert|replace|fake|mock|todo|x{4}|\*{3}|\.\.\."
    r"|^x+$|^<.*>$|<[A-Za-z_ -]+>|\u2026|\$\{|\{\{|\$\([a-z]|%\([a-z_]+\)|^\$[A-Za-z_][A-Za-z0-9_]*(?:$|[^A-Za-z0-9_!#%^&*=+])"  # noqa: E501
    r"|^%[A-Za-z_]+%$|^\{[^!@#%^&*+=]*\}$|^@[A-Za-z.]+@$|process\.env|environ|getenv"
    r"|import\.meta|secrets\.|^(?:test|prod|dev|my|the|some|super|very)?[_-]?(?:secret|token|password|passwd|key|api[_-]?key)"
    r"(?:[_-]?(?:here|value|name|id|key|token|\d{1,3}))?$|://|^(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp)_|\{[A-Za-z_.]+\}|^ENC\[|^vault:|^op://"
    r"|^arn:|^sha(?:1|256|384|512)[-:]|^0?123456789?0?$|^abcdef[a-z]*$",
    re.IGNORECASE,
)
_CALL = lazy(r"^[&!*]{0,2}[A-Za-z_$][A-Za-z0-9_$.-]*(?:\(|\[|<|\?\.|::|->|=[\"'{])|^[(\[{]|^[a-z_]+=[a-z]+$")
_DOTTED = lazy(r"[!&*]{0,2}[A-Za-z_$][A-Za-z0-9_$]*!?(?:[.:/?]+[A-Za-z_$*][A-Za-z0-9_$]*!?)+")
_PATH = lazy(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[^/\\]*[/\\.]|[^/\\]{0,24}$)|[\w.-]+/[\w./-]+\.[a-z]{1,5}$")
_HASHES = lazy(r"(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
_HEXADECIMAL = lazy(r"[0-9a-f]{32,128}")
_COLOUR = lazy(r"#[0-9a-fA-F]{3,8}")
_SYMBOL = lazy(r"[!@#$%^&*?+~|=]")
_JOINTS = lazy(r"[-_./: ]")
_HARD = lazy(r"[!@#$%^&*+=?~]")  # these seldom come together in code
_IDENTIFIER = lazy(r"[A-Za-z_$][A-Za-z0-9_$]*")
_OF_A_KIND = lazy(
    r"pass|pwd|secret|token|key|cred|auth|value|input|string|int\d|base64|array|hash|field|param|arg", re.IGNORECASE
)
_DATE = lazy(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d")
_VERSION = lazy(r"v?\d+(?:\.\d+)+[\w.+-]*")
WELL_KNOWN = frozenset(
    (
        *("password", "passwd", "pass", "postgres", "mysql", "mongo", "redis", "rabbitmq", "minio", "guest", "default"),
        *("required", "optional", "undefined", "disabled", "enabled", "redacted", "something", "whatever", "anything"),
        *(
            "password123",
            "supersecret",
            "my-secret-pw",
            "secretpassword",
            "credentials",
            "changeit",
            "pwd",
            "pw",
            "secret",
        ),
        *(
            "token",
            "key",
            "user",
            "username",
            "root",
            "admin",
            "test",
            "foobar",
            "hunter",
            "string",
            "boolean",
            "number",
        ),
    )
)


class ValueContext:
    """How telling the place is. In code most values after a telling name are expressions; in a setting none are."""

    CODE = "code"  # token = x
    QUOTED = "quoted"  # token = "x"
    SETTING = "setting"  # API_TOKEN=x, alone on its line or after export


def surprise(value: str) -> float:
    """Mean bits a character."""
    value = value[:_READ]
    bits = 3.0
    before = value[:1]
    for at, char in enumerate(value[1:], 1):
        if char.isalpha():
            if before.isalpha():
                first, second = ord(before.lower()) - 97, ord(char.lower()) - 97
                bits += int(_BITS[first * 26 + second]) if 0 <= first < 26 and 0 <= second < 26 else 3
                hump = before.islower() and char.isupper()
                bits += hump or (before.isupper() and char.islower() and value[at - 2 : at - 1].isupper())
            else:
                bits += 4.5 if before.isdigit() else 2
        elif char.isdigit():
            follows = ord(char) - ord(before) in (0, 1)
            bits += (1 if follows else 3.3) if before.isdigit() else 4.5 if before.isalpha() else 2
        else:
            bits += 1.5 if char in "-_./: " else 4.5
        before = char
    return bits / max(1, len(value))


def _turns(value: str) -> int:
    """How often letters, digits and symbols take turns; `-_./` belong to words."""
    kinds = ["a" if c.isalpha() else "0" if c.isdigit() else "" if c in "-_./ " else "!" for c in value[:_READ]]
    shown = [kind for kind in kinds if kind]
    return sum(a != b for a, b in pairwise(shown))


@lru_cache(16384)
def is_placeholder(value: str) -> bool:
    """What stands for a value in documentation, and variables."""
    return value.lower() in WELL_KNOWN or (bool(_PLACEHOLDER.search(value)) and not _is_scrambled(value))


def _is_scrambled(value: str) -> bool:
    """Symbols of many kinds among letters and digits: no variable, no template and no expression looks like that."""
    return len(set(_HARD.findall(value))) >= 3 and _turns(value) * 4 >= min(len(value), _READ)


def is_filler(value: str) -> bool:
    """A placeholder, a variable, a path, or what stands for a value in documentation."""
    if is_placeholder(value) or (_PATH.match(value) and not (surprise(value) >= 4.3 and _turns(value) >= 3)):
        return True
    return len(set(value)) < 5 or bool(_DATE.match(value)) or bool(_VERSION.fullmatch(value))


def is_code(value: str) -> bool:
    """A call, a subscript or a chain of names, none of which looks generated."""
    if _is_scrambled(value):
        return False
    head = _CALL.match(value)
    if head is not None:
        return surprise(head[0]) < 4.6 and _turns(head[0]) < 6
    return bool(_DOTTED.fullmatch(value)) and surprise(value) < 4.6 and _turns(value) < 4


def is_plausible(token: str) -> bool:
    """A token of a known shape is real unless it is filler (`xxxx`) or plain words (`sk-circle-fade-dot`)."""
    if len(set(token)) < 6 or "xxxxxx" in token.lower():
        return False
    if any(map(str.isdigit, token)) and any(map(str.isalpha, token)):
        return True
    return sum((any(map(str.islower, token)), any(map(str.isupper, token)))) == 2 or surprise(token) >= 4.4


@lru_cache(16384)
def is_password(value: str, context: str) -> bool:
    """Weak values count here, since people choose them; words, paths and code do not."""
    if not 6 <= len(value) <= 256 or not value.isprintable() or " " in value:
        return False
    if is_filler(value) or _COLOUR.fullmatch(value) or _is_wordy(value):
        return False
    if context != ValueContext.QUOTED and is_code(value):
        return False
    if context == ValueContext.QUOTED and _DOTTED.fullmatch(value) and surprise(value) < 4.4 and _turns(value) < 4:
        return False
    if any(map(str.isdigit, value)) and any(map(str.isalpha, value)):
        return context != ValueContext.CODE or not _is_named(value)
    if _SYMBOL.search(value) and len(set(value)) >= 5:
        return any(map(str.isalnum, value)) and (context != ValueContext.CODE or _turns(value) >= 2)
    return is_generated(value, context)


def _is_named(value: str) -> bool:
    """An identifier of the same kind with a digit or two, as in `password = password2`."""
    return (
        bool(_IDENTIFIER.fullmatch(value))
        and _turns(value) < 3
        and bool(_OF_A_KIND.search(value))
        and surprise(value) < 4.6
    )


@lru_cache(16384)
def is_generated(value: str, context: str) -> bool:
    """A value that a generator made: mixed, surprising, and not words joined by dashes."""
    size = len(value)
    if not 8 <= size <= 4096 or not value.isascii() or not value.isprintable() or " " in value:
        return False
    if not any(map(str.isalpha, value)) or is_filler(value) or is_code(value) or _is_wordy(value):
        return False
    if context == ValueContext.CODE and ("|" in value or _is_named(value.lstrip("!&*"))):
        return False
    bits, turns = surprise(value), _turns(value)
    if any(map(str.isdigit, value)) or _SYMBOL.search(value):
        if context == ValueContext.SETTING:
            return (turns >= 2 and (bits >= 2.6 or turns * 4 >= size)) or bits >= 4.4
        if size < 12:
            return turns >= 3 and bits >= 3.4
        return (turns >= 3 and (bits >= 3.4 or turns * 4 >= size)) or (turns >= 2 and bits >= 4.3) or bits >= 4.6
    if context == ValueContext.SETTING:
        return size >= 8 and bits >= 4.1
    if context == ValueContext.CODE and _IDENTIFIER.fullmatch(value):  # an identifier may be a word nobody knows
        humps = sum(a.islower() and b.isupper() for a, b in pairwise(value))
        return size >= 16 and bits >= 4.7 and (humps * 5 >= size or bits >= 5.4)
    return (size >= 16 and bits >= 4.7) or (size >= 12 and bits >= 5.0)


def _is_wordy(value: str) -> bool:
    """Words joined by dashes, dots or underscores, a number or two among them."""
    pieces = [piece for piece in _JOINTS.split(value[:_READ]) if piece]
    if len(pieces) < 3:
        return False
    words = sum(len(piece) >= 2 and piece.isalpha() and surprise(piece) < 4.8 for piece in pieces)
    return words * 5 >= len(pieces) * 3 and not _is_scrambled(value)


def is_hash(value: str) -> bool:
    """As long as a commit, a checksum or a UUID: under a name that only might announce a secret, that is what it is."""
    return bool(_HASHES.fullmatch(value))


def is_long_hexadecimal(value: str) -> bool:
    """As long as a key of 128 bits or more, though its digits happen not to surprise."""
    return bool(_HEXADECIMAL.fullmatch(value)) and len(set(value)) >= 8


def is_chosen(value: str) -> bool:
    """Plain letters after a name in capitals (`DB_PASSWORD=`), where code would stand in no other name."""
    plain = re.fullmatch(r"[a-z][a-z_-]{7,127}", value)
    return plain is not None and "passw" not in value and not is_filler(value) and len(set(value)) >= 5


def is_passphrase(value: str) -> bool:
    """Words with blanks between quotes, after a name that says password. Sentences about passwords are none."""
    words = value.split()
    if not 2 <= len(words) <= 12 or not 10 <= len(value) <= 128 or not value.isprintable() or is_filler(value):
        return False
    if _ABOUT.search(value) or (value[-1:] in ".!?:" and value[:1].isupper()):
        return False
    return all(2 <= len(word) <= 24 for word in words) or any(c.isdigit() or _SYMBOL.match(c) for c in value)


_ABOUT = lazy(
    r"passw|secret|token|\bkey\b|\b(?:the|is|are|must|should|your|please|enter|invalid|required|least|characters|not|for|and|or"
    r"|with|to|of|a|an|in|cannot|can|at|be|this|that|confirm|forgot|reset|new|old)\b|[(){}\[\]]",
    re.IGNORECASE,
)
