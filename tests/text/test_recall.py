"""How much is caught of what is drawn, for each kind, and that both prefilters and rewritten texts lose nothing."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from axiommind.text.redaction import Redactor
from axiommind.text.secret_prefilter import is_hot
from axiommind.text.secret_shapes import SHAPES, Shape
from tests.text import held_out_secrets as held_out
from tests.text import secret_generator as generator

REDACTOR = Redactor(b"a key of this home")
# Where half of a token tells nothing of its kind, a break in its middle hides it.
BROKEN = {"discord", "mailchimp", "sentry", "maxmind", "azure"}


def forms(value: str) -> list[str]:
    """A value as it may stand in JSON, and in JSON inside JSON."""
    once = json.dumps(value)[1:-1]
    return [value, once, json.dumps(once)[1:-1]]


def survives(text: str, value: str) -> bool:
    redacted = REDACTOR.text(text)
    seen = redacted.replace("\x1b[33m", "").replace("\x1b[0m", "").replace("\u200b", "")
    return any(form in seen for form in forms(value))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind}-{(shape.literals or ('',))[0]}")
def test_a_vendors_token_in_every_carrier(shape: Shape) -> None:
    """All but one in a hundred of each shape, in seventeen carriers."""
    rng = random.Random(shape.pattern)
    missed = Counter[str]()
    for _ in range(8):
        value = generator.vendor_value(shape, rng)
        for carrier, carried in generator.BARE.items():
            if carrier != "two lines":
                missed[carrier] += survives(carried(value), value)
    assert sum(missed.values()) <= 1, missed


def test_a_token_over_two_lines() -> None:
    rng = random.Random(3)
    tried = missed = 0
    for kind, value in generator.vendor_secrets(rng, 3):
        if kind not in BROKEN:
            tried += 1
            redacted = REDACTOR.text(generator.BARE["two lines"](value))
            missed += value[: len(value) * 2 // 3] in redacted
    assert missed <= tried * 0.03, f"{missed} of {tried}"


@pytest.mark.parametrize("kind", generator.VALUES)
def test_a_generated_value_after_a_telling_name(kind: str) -> None:
    rng = random.Random(kind)
    missed = []
    tried = 0
    for name in generator.NAMES:
        for carrier, carried in generator.CARRIERS.items():
            value = generator.VALUES[kind](rng)
            tried += 1
            if survives(carried(name, value), value):
                missed.append((name, carrier, value))
    assert len(missed) <= tried * 0.03, missed


@pytest.mark.parametrize("language", generator.FOUR_LANGUAGES)
def test_a_generated_value_in_prose(language: str) -> None:
    rng = random.Random(language)
    missed = []
    tried = 0
    for sentence in generator.FOUR_LANGUAGES[language]:
        for draw in generator.VALUES.values():
            for _ in range(4):
                value = draw(rng)
                tried += 1
                if survives(sentence.format(value), value):
                    missed.append(sentence.format(value))
    assert len(missed) <= tried * 0.03, missed


@pytest.mark.parametrize("group", held_out.GROUPS)
def test_what_the_rules_were_not_made_from(group: str) -> None:
    """Kinds, names, values and carriers that were written down after the rules."""
    missed = [text for text, value in held_out.drawn(group, random.Random(group)) if survives(text, value)]
    tried = sum(1 for _ in held_out.drawn(group, random.Random(group)))
    assert len(missed) <= tried * held_out.GROUPS[group], f"{len(missed)} of {tried}: {missed[:5]}"


def test_both_prefilters_answer_the_same() -> None:
    """RE2 where it is installed and `re` where it is not: whatever is read, the answer is the same."""
    rng = random.Random(11)
    lines = [carried(value) for _, value in generator.vendor_secrets(rng, 1) for carried in generator.BARE.values()]
    lines += [
        carried(name, draw(rng))
        for name in generator.NAMES
        for carried in generator.CARRIERS.values()
        for draw in generator.VALUES.values()
    ]
    lines += [s.format("x") for sentences in generator.FOUR_LANGUAGES.values() for s in sentences]
    for line in lines[:: max(1, len(lines) // 1500)]:
        for raw in (line.encode(), json.dumps({"text": line}).encode()):
            assert is_hot(raw) == is_hot(raw, native=False), raw
