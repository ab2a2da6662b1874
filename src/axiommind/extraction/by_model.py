"""Extraction by a model: the session asked about part by part, and its claims then asked about once more.

All of a session's parts have to be answered; otherwise there is `ExtractionFailed` and no draft, so nothing is ever
half applied. The second, cheaper question is for support: without an answer to it the claims stay, unchecked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.extraction.contract import Extraction, ExtractionFailed, KnownEntry
from axiommind.extraction.conversation import ConversationPart, render, with_known
from axiommind.extraction.instructions import CHECK_INSTRUCTION, INSTRUCTION
from axiommind.extraction.model_answers import SCHEMA, AnsweredDrafts, ShownMaterial, most_useful, read
from axiommind.extraction.support import check_drafts
from axiommind.ids import canonical_json, content_hash
from axiommind.llm.asking import REPAIR, BadAnswer, NoAnswer, ask_until_read
from axiommind.llm.contract import Answered, Question, Unreachable

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.llm.budget import Spending
    from axiommind.llm.contract import Provider
    from axiommind.projections.transcript import Transcript

__all__ = ["INSTRUCTION", "PROMPT_HASH", "ModelExtractor"]

PROMPT_HASH = content_hash(canonical_json([INSTRUCTION, CHECK_INSTRUCTION, REPAIR, SCHEMA]).encode())
# The best of where a preference's words may come from; what only the agent said is a habit of the project at most.
_PERSONS = ("person", "rules", "file")


class ModelExtractor:
    """Asks a provider about each part of a session, with at most `chars` characters at once."""

    is_measured = False
    takes_known = True

    def __init__(self, provider: Provider, chars: int, spending: Spending) -> None:
        self.name = provider.name
        self._provider = provider
        self._chars = chars
        self._spending = spending

    def extract(self, transcript: Transcript, *, since: int = 0, known: Sequence[KnownEntry] = ()) -> Extraction:
        """Every part of the session asked about, or `ExtractionFailed`; what `spending.allow` raises comes through.

        `since` is a position of the log: what was recorded up to it was asked about before and is not sent again.
        `known` are the entries that the model is told of, the nearest first: of this session and of its project."""
        try:
            self._provider.check()  # before anything counts as a call
            return self._extract(transcript, since, known)
        except (NoAnswer, Unreachable) as error:
            raise ExtractionFailed(str(error)) from None

    def _extract(self, transcript: Transcript, since: int, known: Sequence[KnownEntry]) -> Extraction:
        conversation = render(transcript, self._chars, since)
        times = [message.timestamp for message in transcript.messages]
        model = self._provider.model
        found: dict[str, tuple[Draft, int]] = {}  # by an id of its own, so that a later part can replace it
        notes = list(conversation.notes)
        about = f"{transcript.session_id}.{since}" if since else transcript.session_id
        for n, part in enumerate(conversation.parts):
            earlier = [KnownEntry(name, d.type, d.title, d.kind, part.session) for name, (d, _) in found.items()]
            answer, model = self._ask(part, [*earlier, *known], f"{about}.{n}", model, times)
            notes += answer.notes
            for draft, worth in zip(answer.drafts, answer.worths, strict=True):
                for name in draft.supersedes:
                    found.pop(name, None)
                others = tuple(name for name in draft.supersedes if not name.startswith(_OWN))
                found[f"{_OWN}{n}.{len(found)}.{draft.title}"] = draft._replace(supersedes=others), worth
            elsewhere = sum(quote.message not in part.shown for draft in answer.drafts for quote in draft.quotes)
            if elsewhere:
                notes.append(f"{model}: {elsewhere} quotes name a message that was not shown")
        drafts = [_by_whom(transcript, draft) for draft in most_useful(list(found.values()))]
        if len(drafts) < len(found):
            notes.append(f"{model}: {len(found) - len(drafts)} entries more than a session may give were left out")
        checked = check_drafts(self._provider, self._spending, transcript, drafts, about=f"{about}.check")
        return Extraction(tuple(checked.drafts), model, PROMPT_HASH, (*notes, *checked.notes), not since)

    def _ask(
        self, part: ConversationPart, known: Sequence[KnownEntry], about: str, model: str, times: list[int | None]
    ) -> tuple[AnsweredDrafts, str]:
        told = with_known(part, known)
        shown = ShownMaterial(part.shown, told.ids)

        def drafts_in(answer: Answered) -> AnsweredDrafts:
            if answer.flaw:
                raise BadAnswer(f"{answer.flaw}; give fewer entries")
            return read(answer.text, answer.usage.model, times, shown)

        question = Question(INSTRUCTION, told.text, SCHEMA, "entries", about)
        return ask_until_read(self._provider.ask, question, drafts_in, model=model, spending=self._spending)


_OWN = "draft:"  # the ids of what an earlier part gave, which is no entry yet


def _by_whom(transcript: Transcript, draft: Draft) -> Draft:
    """A preference that no word of the person bears out is at most a convention."""
    if draft.kind != "preference":
        return draft
    said = [transcript.messages[q.message] for q in draft.quotes if 0 <= q.message < len(transcript.messages)]
    if any(message.role == "person" or message.provenance in _PERSONS for message in said):
        return draft
    return draft._replace(kind="convention")
