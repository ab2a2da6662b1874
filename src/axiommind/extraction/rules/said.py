"""What a person said that outlives the hour: how they want the work done, what the product shall be, what is put off.

Read sentence by sentence (`text/requests`), from the person's own words alone. What says no to the turn before it is
a correction. Sentences of one prompt that ask for parts of one thing are one claim; a sentence beside them that says
why or what is the matter goes with them. A claim that only points at something else is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import LONGEST, clip, covered, only
from axiommind.extraction.rules import OWN_WORDS, Rule
from axiommind.extraction.rules._prompts import own_prompts
from axiommind.text.patterns import lazy
from axiommind.text.secret_shapes import MARK_START

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript
    from axiommind.text.requests import Request

_TYPES = ("fact", "decision")


_NOTE = "every draft of 158 real sessions of four projects, read: worth having in a month. The rules were made on these"
_UNSEEN = (14, 21)  # the first time they read the prompts of a fifth project; nearly all of them choices


def _rule(name: str, right: int, total: int, unseen: tuple[int, int] | None = None) -> Rule:
    return Rule(f"said-{name}", _TYPES, "said", right, total, form=OWN_WORDS, note=_NOTE, unseen=unseen)


RULES = (
    _rule("standing", 11, 11),
    _rule("correction", 3, 4),
    _rule("choice", 79, 92, _UNSEEN),
    _rule("beside", 32, 40, _UNSEEN),
    _rule("fact", 2, 2),
)
ORDER = 8

_WIDE = lazy(r"[぀-ヿ㐀-鿿]")
_LONGEST_SENTENCE = 400
_BESIDE_IT = 200  # characters of a sentence that goes with a claim
_QUOTES = 4
_KEY = 400
_POLITE_LIST = "please pls plz okay yes yeah yep sure thanks sorry could hey great nice cool perfect maybe well"
_POLITE = frozenset(_POLITE_LIST.split())
_WHOLE = 180  # characters of a prompt that is read whole


class _Part(NamedTuple):
    text: str
    request: Request | None
    explains: bool  # it asks for nothing and says something


def find(transcript: Transcript) -> list[Draft]:
    found: dict[str, Draft] = {}
    for n in own_prompts(transcript):
        for draft in _drafts(transcript, n):
            found.pop(draft.title, None)  # who says it again means the later
            found[draft.title] = draft
    return list(found.values())


def _drafts(transcript: Transcript, n: int) -> Iterator[Draft]:
    parts = _parts(transcript.messages[n].text)
    groups = list(_groups(parts))
    # A short prompt about one thing is best read whole: "it" in one sentence is named in the one before.
    is_whole = len(groups) == 1 and sum(len(part.text) for part in parts) <= _WHOLE
    for group in groups:
        asked_for = [(parts[i].text, request) for i in group if (request := parts[i].request) is not None]
        title, request = max(asked_for, key=lambda one: one[1].weight)
        around = [i for i in (group[0] - 1, group[-1] + 1) if 0 <= i < len(parts) and parts[i].explains]
        if all(one.points for _, one in asked_for) and not (around and around[0] < group[0]):
            continue  # what it is about was said elsewhere
        told = range(len(parts)) if is_whole else sorted({*range(group[0], group[-1] + 1), *around})
        texts = [parts[i].text for i in told]
        quotes: tuple[Quote, ...] = ()
        for text in texts:
            quotes = only(quotes, covered(transcript, n, text, 2)[0])
        yield Draft(
            type="decision" if _kind(request) == "decision" else "fact",
            title=clip(_joined(texts) if is_whole else title),
            text=_joined(texts),
            quotes=quotes[:_QUOTES],
            rule=f"said-{_strength(request)}",
            key=_key(texts),
            value=_key(texts),
            rationale=_why(request, [parts[i].text for i in around]) if _kind(request) == "decision" else "",
            timestamp=transcript.messages[n].timestamp,
            kind=_kind(request),
            retires=(request.old,) if request.old else (),
        )


def _key(texts: list[str]) -> str:
    """What has to be the same for two wishes to be one, in whatever order and with whatever little words."""
    from axiommind.extraction.likeness import words_in

    return " ".join(sorted(words_in(" ".join(texts)) - _POLITE))[:_KEY]


def _joined(texts: list[str]) -> str:
    """Sentences in a row, each with an end."""
    ends = (".", "!", "?", "。", "！", "？", ",", "、", ":", ";")
    lines = [" ".join(text.split()) for text in texts]
    stops = ["" if line.endswith(ends) else "。" if _WIDE.search(line[-1:]) else "." for line in lines]
    return " ".join(f"{line}{stop}" for line, stop in zip(lines, [*stops[:-1], ""], strict=True))


def _parts(prompt: str) -> list[_Part]:
    from axiommind.text.prompts import own_sentences
    from axiommind.text.requests import explains, language_of, request_in
    from axiommind.text.statements import reason_in, stated

    parts = []
    for one in own_sentences(prompt):
        if MARK_START in one.text:  # whatever it says, it is about a secret
            continue
        text, request = one.text.lstrip('"”’) '), None
        only_why = bool(reason_in(text, language_of(text)))
        if len(text) <= _LONGEST_SENTENCE and not only_why and (one.asked or stated(text) is None):
            request = request_in(text, one.asked)  # what is stated plainly, rule `stated` has
        said = request is None and len(text) <= _BESIDE_IT and (only_why or explains(text, one.asked))
        parts.append(_Part(text, request, said))
    return parts


def _groups(parts: list[_Part]) -> Iterator[list[int]]:
    """Which sentences are one claim: those about the product that stand together, or with one between them that
    explains."""
    group: list[int] = []
    for i, part in enumerate(parts):
        if part.request is None:
            continue
        if group and not _belongs(parts, group[-1], i):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def _belongs(parts: list[_Part], last: int, i: int) -> bool:
    if not (_is_of_product(parts[last].request) and _is_of_product(parts[i].request)):
        return False
    return i - last == 1 or (i - last == 2 and parts[last + 1].explains)


def _is_of_product(request: Request | None) -> bool:
    return request is not None and request.form in ("choice", "fact") and not request.about_work


def _strength(request: Request) -> str:
    return "correction" if request.denies and request.form in ("choice", "fact") else request.form


def _kind(request: Request) -> str:
    if request.form == "fact":
        return "domain"
    if request.form == "beside":
        return "decision" if request.postponed else "preference"
    if request.form == "standing":
        return "preference" if request.about_work else "convention"
    return "preference" if request.about_work else "decision"


def _why(request: Request, beside: list[str]) -> str:
    if request.why:
        return request.why
    return clip(beside[-1], LONGEST) if beside else ""
