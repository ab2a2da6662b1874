"""A session read back as rules see it, and what must be true of every draft that they give."""

from __future__ import annotations

import re

from bench import precision

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import MOST_QUOTES
from axiommind.projections.transcript import Transcript
from tests.transcripts import Lines, World

WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def transcript_of(world: World, lines: Lines) -> Transcript:
    world.write(lines)
    memory = world.memory()
    memory.index()
    (transcript,) = precision.transcripts(memory)
    return transcript


def check_quotes(transcript: Transcript, drafts: list[Draft]) -> None:
    for draft in drafts:
        quotes = [*draft.quotes, *(quote for step in draft.steps for quote in step.quotes)]
        assert draft.quotes and all(step.quotes for step in draft.steps)
        for quote in quotes:
            assert quote.text and quote.text in transcript.messages[quote.message].text
            said = transcript.messages[quote.message].text
            end = said.index(quote.text) + len(quote.text)
            cuts_a_word = said[end - 1].isalnum() and said[end : end + 1].isalnum() and not WIDE.search(said[end - 1 :])
            assert not cuts_a_word or said.count(quote.text) > 1 or " " not in quote.text, quote
        assert len(draft.quotes) <= MOST_QUOTES
        assert any(not transcript.messages[quote.message].copied for quote in draft.quotes)
        assert draft.title and len(draft.title) <= 200
