"""Salience: how likely a sentence of an agent is worth keeping, by features that a person can read.

Where it stands (after a failure, before an edit, after a question of why), what it says and what it is
(`text/agent_cues`), what it names, and what became of it: edited, repeated. The weights were fitted by
`bench/salience.py` on labels, from a guess that they were only moved away from by evidence; docs/benchmarks.md has the
figures.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.likeness import names_in, overlap, words_in
from axiommind.text.agent_cues import AGAINST, FOR, HEADINGS, POINTS_BACK, asks_why
from axiommind.text.patterns import lazy
from axiommind.text.prose import ProseSentence, sentences
from axiommind.tools.kinds import EDIT

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

__all__ = ["BASE", "THRESHOLD", "WEIGHTS", "SaidSentence", "is_statement", "said_in", "weigh", "words_of"]

# Natural logarithms of odds: a sentence with all of these features is so much likelier to be worth keeping.
BASE = -2.26
WEIGHTS = {
    "root": 1.21,
    "diagnosis": 1.05,
    "constraint": 0.85,
    "cause": 0.66,
    "contrast": 0.66,
    "fails": 0.54,
    "asked_why": 0.53,
    "names": 0.46,
    "name": 0.41,
    "repeated": 0.41,
    "cause_heading": 0.38,
    "after_failures": 0.15,
    "number": 0.14,
    "seen": 0.14,
    "after_failure": 0.11,
    "before_edit": 0.08,
    "bold": 0.05,
    "in_list": -0.28,
    "change_heading": -0.34,
    "edited_later": -0.38,
    "points_back": -0.45,
    "local": -0.47,
    "now": -0.51,
    "trivial": -0.84,
    "change": -0.99,
    "short": -1.21,
}
THRESHOLD = -0.9  # what a finding weighs at least
# What a sentence is that states nothing, or nothing that lasts.
_NO_STATEMENT = frozenset({"plan", "status", "question", "proposal", "leads_on", "praise", "hedge", "fields", "moment"})
_NOTHING = (
    "plan",
    "leads_on",
    "status",
    "question",
    "praise",
    "proposal",
    "hedge",
    "moment",
)  # the frequent ones first
_UNREAD = "unread"  # of a sentence without a name only its place is known, until somebody asks
# What it has to have at least one of: something said, or a reason to say it.
_SAYS = frozenset({*FOR, "diagnosis", "asked_why", "repeated", "after_failure", "cause_heading"})
_EXPLAINS = frozenset({"cause", "root"})  # why a change was made is worth more than that it was
_SHORT, _LONGEST = 40, 800
_RECENT = 4  # uses of tools before a message that it may speak of
_RESULT = 4_000
_REPEATED = 0.5
_LATEST = 50  # sentences that name the same and are looked at
_BOLD = lazy(r"\*\*[^*\n]{3,}\*\*")
_FIELD = lazy(r"\*\*[^*\n]{2,30}:\*\*|\*\*[^*\n]{2,30}\*\*:")
_NUMBER = lazy(r"\d")


class SaidSentence(NamedTuple):
    """A sentence that the agent said, and what is true of it."""

    message: int
    sentence: ProseSentence
    names: frozenset[str]
    features: frozenset[str]


class _Setting(NamedTuple):
    """What one message of the agent stands among."""

    asked_why: bool
    failures: tuple[bool, ...]  # of the uses before, the last one last
    before_edit: bool
    results: str  # what tools returned just before


def weigh(one: SaidSentence) -> float:
    # Rounded: the order in which a set is added up would tell two equal sentences apart.
    return round(BASE + sum(WEIGHTS.get(name, 0.0) for name in one.features), 6)


def is_statement(one: SaidSentence) -> bool:
    """Whether it states something that may last, and is no plan, question, guess or list of changes."""
    features = one.features
    if _UNREAD in features:
        features |= frozenset(_shown(one.sentence, one.names))
    if features & _NO_STATEMENT or not features & _SAYS:
        return False
    return "change" not in features or bool(features & _EXPLAINS)


def words_of(one: SaidSentence) -> frozenset[str]:
    return words_in(one.sentence.text)


def said_in(transcript: Transcript) -> list[SaidSentence]:
    """Every sentence of the agent in a session with its features."""
    last_edit = _last_edits(transcript)
    found = []
    for n, setting in _settings(transcript).items():
        for sentence in sentences(transcript.messages[n].text):
            if len(sentence.text) > _LONGEST:
                continue
            names = names_in(sentence.text)
            # Most sentences name nothing and are no findings: they are read where one beside them is.
            features = {*(_shown(sentence, names) if names else [_UNREAD]), *_placed(setting, names)}
            if any(last_edit.get(name, -1) > n for name in names):
                features.add("edited_later")
            found.append(SaidSentence(n, sentence, names, frozenset(features)))
    return _with_repeats(found)


def _shown(sentence: ProseSentence, names: frozenset[str]) -> list[str]:
    """What a sentence shows by itself."""
    text = sentence.text
    nothing = next((name for name in _NOTHING if AGAINST[name].search(text)), None)
    if nothing is not None:  # most sentences of an agent are plans and reports: nobody asks what else they show
        return [nothing]
    found = [name for cues in (FOR, AGAINST) for name, cue in cues.items() if name not in _NOTHING and cue.search(text)]
    found += [f"{name}_heading" for name, cue in HEADINGS.items() if sentence.heading and cue.search(sentence.heading)]
    length = len(text) + sum(character > "\u2fff" for character in text)  # these say twice as much
    shown = {
        "name": bool(names),
        "names": len(names) > 1,
        "short": length < _SHORT,
        "in_list": sentence.in_list,
        "bold": bool(_BOLD.search(text)),
        "fields": len(_FIELD.findall(text)) > 1,
        "number": bool(_NUMBER.search(text)),
        "points_back": bool(POINTS_BACK.match(text)),
    }
    return found + [name for name, is_so in shown.items() if is_so]


def _placed(setting: _Setting, names: frozenset[str]) -> list[str]:
    """What it owes to where it stands."""
    after_failure = bool(setting.failures) and setting.failures[-1]
    placed = {
        "asked_why": setting.asked_why,
        "after_failure": after_failure,
        "after_failures": sum(setting.failures) > 1,
        "before_edit": setting.before_edit,
        "diagnosis": after_failure and setting.before_edit,
        "seen": any(name in setting.results for name in names),
    }
    return [name for name, is_so in placed.items() if is_so]


def _settings(transcript: Transcript) -> dict[int, _Setting]:
    """The agent's messages, each with what was asked, what failed before it and what came after."""
    messages, uses = transcript.messages, transcript.uses
    found: dict[int, _Setting] = {}
    why, last_use = False, -1
    following = _following_uses(transcript)
    for n, message in enumerate(messages):
        if message.role == "person":
            why = asks_why(message.text)
        elif message.use is not None:
            last_use = max(last_use, message.use)
        elif message.role == "assistant" and not message.copied:
            recent = uses[max(0, last_use - _RECENT + 1) : last_use + 1]
            after = following[n]
            found[n] = _Setting(
                why,
                tuple(use.failed is True for use in recent),
                after is not None and uses[after].tool.kind == EDIT,
                "\n".join(messages[result].text[:_RESULT] for use in recent for result in use.results),
            )
    return found


def _following_uses(transcript: Transcript) -> list[int | None]:
    """For each message, the use of a tool that comes next; none where a person speaks first, or nobody."""
    found: list[int | None] = []
    after: int | None = None
    for message in reversed(transcript.messages):
        found.append(after)
        if message.role != "assistant":
            after = message.use
    return found[::-1]


def _last_edits(transcript: Transcript) -> dict[str, int]:
    """Names in what edits wrote, with the last message that holds them."""
    found: dict[str, int] = {}
    for use in transcript.uses:
        for place in use.leaves.values() if use.tool.kind == EDIT and use.failed is False else ():
            for name in names_in(transcript.messages[place].text[:_RESULT]):
                found[name] = max(place, found.get(name, -1))
    return found


def _with_repeats(said: list[SaidSentence]) -> list[SaidSentence]:
    """Marks what is said again in a later message: a name of it and half of its words."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for n, one in enumerate(said):
        for name in one.names:
            by_name[name].append(n)
    words = [words_of(one) if one.names else frozenset() for one in said]
    found = []
    for n, one in enumerate(said):
        later = (other for name in one.names for other in by_name[name][-_LATEST:] if said[other].message > one.message)
        again = any(overlap(words[n], words[other]) >= _REPEATED for other in later)
        found.append(one._replace(features=one.features | {"repeated"}) if again else one)
    return found
