"""What people state plainly: standing rules, things to remember, decisions. English, Korean, Chinese, Japanese.

Only a person's own sentences count: not code, not quoted or pasted text, not questions, not long prompts, and not
the prompt that another agent wrote for a subagent. An order for this once is no rule. The phrases are in
`text/statements`.

Measured on sentences made by hand (`statements.jsonl`): of the sets `held-out` and `held-back` only, which no phrase
was changed for. Of the first, 50 are by another hand; the second was written before bare prohibitions were taken.
Their negatives are one-off orders, questions, quotations, reports, symptoms and states that pass. Nothing was found
in 369 real prompts. Near misses written against the phrases still get through: of the last such round (`ninth`),
before it was learned from, 12 of 38 drafts were right (9 before three labels of it were set right).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import clip
from axiommind.extraction.rules import OWN_WORDS, Rule
from axiommind.text.prompts import SENTENCE, sentences

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

_MEASURED = {"en": (43, 44), "ko": (28, 28), "zh": (26, 26), "ja": (26, 26)}  # wrong: "use the other branch"
RULES = tuple(
    Rule(f"stated-{language}", ("fact", "decision"), "statements", right, total, form=OWN_WORDS)
    for language, (right, total) in _MEASURED.items()
)
ORDER = 7
_KINDS = {"decided": "decision", "known": "domain"}

_PROMPT = 1_200  # characters; what is longer was pasted, or is a document
_LINES = 25


def find(transcript: Transcript) -> list[Draft]:
    from axiommind.text.statements import reason_in, stated  # large tables of patterns

    found: dict[tuple[str, str], Draft] = {}
    for n, message in enumerate(transcript.messages):
        if message.role != "person" or transcript.subagent or message.copied:
            continue
        for sentence, after in pairwise([*_sentences(message.text), ""]):
            said = stated(sentence)
            if said is None:
                continue
            decided, ruled = said.kind == "decided", said.kind in ("always", "never")
            quotes, why = [Quote(n, sentence)], said.why
            if decided and not why and (why := reason_in(after, said.language)):
                quotes.append(Quote(n, after))
            rule = f"stated-{said.language}"
            draft = Draft(
                type="decision" if decided else "fact",
                title=clip(sentence) if ruled else said.title,  # without its `never` a rule would read as its opposite
                text=sentence,
                quotes=tuple(quotes),
                rule=rule,
                rationale=why if decided else "",
                key=said.title,
                value=f"{said.kind}: {said.title}" if ruled else said.title,
                timestamp=message.timestamp,
                kind=_KINDS.get(said.kind, "convention"),
            )
            found[draft.type, draft.key] = draft  # who says it again, or otherwise, means the later
    return list(found.values())


def _sentences(text: str) -> Iterator[str]:
    """A short prompt's sentences as they stand; an empty one for a pasted line or a question."""
    if len(text) > _PROMPT * 4 or len(text.strip()) > _PROMPT or text.strip().count("\n") > _LINES:
        return
    for one in sentences(text):
        yield one.text if not one.asked and not one.pasted and 4 <= len(one.text) <= SENTENCE else ""
