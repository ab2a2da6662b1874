"""Questions and answers in a folder: written down, replayed without asking, and never taken for another question's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axiommind import llm
from axiommind.config import Config
from axiommind.errors import UsageError
from axiommind.extraction import load
from axiommind.extraction.contract import ExtractionFailed
from axiommind.llm.budget import Spending
from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.llm.recording import AnswerFolder, RecordingProvider
from tests.learning.model_answers import GOOD, SESSION, transcript

FREE = Spending(lambda: None, lambda _: None)
QUESTION = Question("Do it.", "the material", {"type": "object"}, about="s1.0")


class Counting:
    name = model = "m"

    def __init__(self) -> None:
        self.calls = 0

    def check(self) -> None:
        pass

    def ask(self, question: Question) -> Answered | Unanswered:
        self.calls += 1
        return Answered(GOOD, Usage("m", 10, 2))


def test_an_answer_is_kept_and_the_same_question_is_not_asked_again(tmp_path: Path) -> None:
    asked = Counting()
    provider = RecordingProvider(asked, AnswerFolder(tmp_path / "answers"))
    assert provider.ask(QUESTION) == Answered(GOOD, Usage("m", 10, 2))
    assert provider.ask(QUESTION) == Answered(GOOD, Usage("m"))  # and costs nothing
    assert asked.calls == 1
    provider.ask(QUESTION._replace(material="other material"))
    assert asked.calls == 2
    assert sorted(file.name for file in (tmp_path / "answers").iterdir()) == ["s1.0.answer.json", "s1.0.question.md"]
    assert "other material" in (tmp_path / "answers/s1.0.question.md").read_text()


@pytest.mark.parametrize("about", ["../../etc/passwd", "/etc/passwd", "a/b\x00c", "..", "x" * 5_000, ""])
def test_no_question_is_filed_outside_of_the_folder(tmp_path: Path, about: str) -> None:
    folder = AnswerFolder(tmp_path / "in" / "answers")
    folder.keep(QUESTION._replace(about=about), "{}")
    assert len([file for file in (tmp_path / "in").rglob("*") if file.is_file()]) == 2
    assert len(list((tmp_path / "in" / "answers").iterdir())) == 2
    assert folder.find(QUESTION._replace(about=about)) == ("{}", True)


def config(tmp_path: Path, answers: str = "answers") -> Config:
    return Config.load({}, tmp_path)._replace(extract_answers=str(tmp_path / answers) if answers else "")


def test_recorded_writes_the_questions_down_and_replays_the_answers(tmp_path: Path) -> None:
    extractor = load("recorded", config(tmp_path), FREE)
    with pytest.raises(ExtractionFailed, match=r"no recorded answer to s1\.0"):
        extractor.extract(SESSION)
    question = (tmp_path / "answers/s1.0.question.md").read_text()
    assert "it listens on port 8123" in question
    assert "You read one recorded session" in question
    (tmp_path / "answers/s1.0.answer.json").write_text(GOOD)
    first = extractor.extract(SESSION)
    assert [draft.rule for draft in first.drafts] == ["recorded"]
    assert "no recorded answer to s1.check" in first.notes[-1]
    assert (tmp_path / "answers/s1.check.question.md").exists()
    (tmp_path / "answers/s1.check.answer.json").write_text(json.dumps({"verdicts": []}))
    again = extractor.extract(SESSION)
    assert again.drafts == first.drafts
    assert again == extractor.extract(SESSION)
    assert not list((tmp_path / "answers").glob("*.changed.md"))


def test_an_answer_to_an_older_question_is_read_and_it_is_seen(tmp_path: Path) -> None:
    extractor = load("recorded", config(tmp_path), FREE)
    with pytest.raises(ExtractionFailed):
        extractor.extract(SESSION)
    before = (tmp_path / "answers/s1.0.question.md").read_text()
    (tmp_path / "answers/s1.0.answer.json").write_text(GOOD)
    grown = transcript(*[(m.role, m.text) for m in SESSION.messages], ("person", "Thanks."))
    assert len(extractor.extract(grown).drafts) == 1
    assert (tmp_path / "answers/s1.0.question.md").read_text() == before
    assert "Thanks." in (tmp_path / "answers/s1.0.changed.md").read_text()


def test_recorded_needs_a_folder_and_other_providers_record_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="in no folder"):
        llm.connect("recorded", config(tmp_path, ""))
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    at = config(tmp_path)._replace(extract_model="m", extract_url="http://localhost:1/v1")
    assert isinstance(llm.connect("openai", at), RecordingProvider)
    assert llm.connect("openai", at).name == "openai"
    assert not isinstance(llm.connect("openai", at._replace(extract_answers="")), RecordingProvider)
