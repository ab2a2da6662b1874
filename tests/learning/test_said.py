"""What a person said that outlives the hour: what the rules take of prompts, how they read it, and what they leave."""

from __future__ import annotations

import pytest
from bench import precision

from axiommind.extraction.drafts import Draft
from axiommind.extraction.extractors.rules import RulesExtractor
from axiommind.projections.transcript import Message, ToolCall, Transcript
from axiommind.sources.claude_code import TOOLS


def session(*texts: str) -> Transcript:
    messages = tuple(
        Message(1, n, "/message/content", "person", text, None, None, False, provenance="person")
        for n, text in enumerate(texts, 1)
    )
    return Transcript("s", "p", "claude_code", None, None, False, "1.1", messages, ())


def said(*texts: str) -> list[Draft]:
    return [draft for draft in RulesExtractor().find(session(*texts))[0] if draft.rule.startswith("said-")]


@pytest.mark.parametrize("language", ["en", "ko", "zh", "ja"])
def test_prompts_made_by_hand(language: str) -> None:
    score = precision.requests()[f"requests-{language}"]
    worth = score.right + score.gone
    assert score.precision >= 0.8
    assert score.right >= 0.6 * worth


@pytest.mark.parametrize(
    ("prompt", "kind", "type_", "retires"),
    [
        ("Use integer cents instead of floats.", "decision", "decision", ("floats",)),
        ("no, put the check in the service layer, not in the controller", "decision", "decision", ("controller",)),
        ("can you commit each part on its own, one commit per feature?", "preference", "fact", ()),
        ("dont forget to run the linter before you push", "preference", "fact", ()),
        ("the export is definitely for a later release", "decision", "decision", ()),
        ("commit this and update the changelog", "preference", "fact", ()),
        ("에러는 팝업 대신 인라인으로 보여줘", "decision", "decision", ("팝업",)),
        ("エラーはトーストじゃなくてインラインで表示して", "decision", "decision", ("トースト",)),
        ("金额用整数分存，不要用浮点数", "decision", "decision", ("浮点数",)),
    ],
)
def test_what_a_claim_is(prompt: str, kind: str, type_: str, retires: tuple[str, ...]) -> None:
    (draft,) = said(prompt)
    assert (draft.kind, draft.type, draft.retires) == (kind, type_, retires)
    assert all(quote.text in prompt for quote in draft.quotes)


def test_the_reason_stands_in_the_sentence_or_beside_it() -> None:
    (draft,) = said("let's store dates as text because the driver loses the zone")
    assert draft.rationale == "the driver loses the zone"
    (draft,) = said("The list jumps when a row opens. The row should open in place, like in the file manager.")
    assert draft.rationale == "The list jumps when a row opens"
    assert "The list jumps" in draft.text


def test_sentences_about_one_thing_are_one_claim() -> None:
    (draft,) = said("We should have one section per tool. The section should list rules and skills.")
    assert "one section" in draft.text and "rules and skills" in draft.text


def test_what_only_points_at_something_else_is_not_taken() -> None:
    assert said("this should be bigger", "make it like that instead", "add a todo for this") == []


def test_a_prompt_typed_anew_counts_once() -> None:
    drafts = said("the total shoud be shown in the frst row only", "the total should be shown in the first row only")
    assert [draft.title for draft in drafts] == ["the total should be shown in the first row only"]


def test_a_paste_is_nobodys_own_words() -> None:
    paste = "\n".join(f"You should always validate input number {n} before it is stored." for n in range(20))
    assert said(f"what do you think of this review?\n\n{paste}") == []
    (draft,) = said(f"the parser should reject empty names\n\n{paste}")
    assert draft.text == "the parser should reject empty names"


def test_a_subagents_prompt_is_nobodys_own_words() -> None:
    transcript = session("always use integer cents instead of floats")._replace(subagent=True)
    assert not RulesExtractor().find(transcript)[0]


def obeyed(words: str, command: str) -> list[Draft]:
    prompt = Message(1, 1, "/message/content", "person", words, None, None, False, provenance="person")
    call = Message(1, 2, "/input/command", "call", command, None, 0, False, provenance="agent")
    use = ToolCall("Bash", "Bash:git", {"command": command}, None, 2, {"/command": 1}, (), False)
    uses = (use._replace(tool=TOOLS["Bash"]),)
    transcript = Transcript("s", "p", "claude_code", None, None, False, "1.1", (prompt, call), uses)
    return [draft for draft in RulesExtractor().find(transcript)[0] if draft.rule == "flags"]


@pytest.mark.parametrize("words", ["no edit", "no edti", "No-edit."])
def test_words_that_became_an_option(words: str) -> None:
    (draft,) = obeyed(words, "cd app && git -C . commit --no-edit -m 'Sort rows'")
    assert draft.title == "git commit --no-edit"
    assert [quote.message for quote in draft.quotes] == [0, 1]


def test_words_that_no_command_obeyed() -> None:
    assert obeyed("no edit", "git status --short") == []
    assert obeyed("please edit it at once and then go on", "git commit --no-edit") == []
