"""Answers of a model in the log, from the moment they come: what a killed run paid for, the next one uses.

An answer belongs to the build that asked for it. Once that build is finished, well or not, it counts as used: whoever
asks the same again wants a new one.
"""

from __future__ import annotations

import json

from axiommind.ids import canonical_json, dedupe_key
from axiommind.learning.event_writer import EventWriter
from axiommind.learning.new_event import NewEvent
from axiommind.llm.contract import Answered, PaidAnswer, Question, Usage
from axiommind.log import EventLog

__all__ = ["PaidAnswers"]


class PaidAnswers:
    """The answers about one session at a time: `about` says which."""

    def __init__(self, log: EventLog, writer: EventWriter, extractor: str) -> None:
        self._log, self._writer, self._extractor = log, writer, extractor
        self._session = self._project = self._build = self._head = ""

    def about(self, session: str, project: str, build: str, head: str) -> None:
        self._session, self._project, self._build, self._head = session, project, build, head

    def find(self, question: Question, model: str) -> PaidAnswer | None:
        wanted = self._name(question, model)
        used = {event.build_id for event in self._log.events_of(self._session, "build_finished")}
        for event in reversed(self._log.events_of(self._session, "model_answered")):
            said = event.payload
            if said["question"] != wanted or event.build_id in used:
                continue
            content = self._log.blob(said["blob"])
            if content is None:  # forgotten since
                continue
            words = json.loads(content)
            usage = Usage(said["model"], said["input_tokens"], said["output_tokens"], said["usd"])
            return PaidAnswer(Answered(words["text"], usage, words["flaw"]), said["seconds"], said["call"])
        return None

    def keep(self, question: Question, model: str, answered: Answered, seconds: float) -> str:
        name = self._name(question, model)
        call = dedupe_key("call", self._build, name)
        payload = {
            "extractor": self._extractor,
            "question": name,
            "call": call,
            "seconds": seconds,
            **answered.usage._asdict(),
        }
        text = canonical_json({"text": answered.text, "flaw": answered.flaw})
        with self._log.atomic():
            if not self._log.is_forgotten(self._session, self._project):
                event = NewEvent("model_answered", payload, (self._build, name), text=text)
                self._writer.append(event, session=self._session, project=self._project, build=self._build)
        return call

    def _name(self, question: Question, model: str) -> str:
        # What is known already is part of the material, and may have changed since: it is still the same question.
        material = f"{question.about}@{self._head}" if question.about else question.material
        asked = (question.instruction, material, canonical_json(question.schema))
        return dedupe_key("question", self._extractor, model, *asked)
