"""The results of question tools, read back into questions and answers."""

from __future__ import annotations

from axiommind.tools.answers import answers_in

AFTER = ". You can now continue with the user's answers in mind."


def said(pairs: str) -> str:
    return f"User has answered your questions: {pairs}{AFTER}"


def read(text: str, *questions: str) -> list[tuple[str, str, str]]:
    found = answers_in(text, questions)
    for one in found:
        assert text[one.start : one.end] == one.answer
        assert text[one.notes_start : one.notes_end] == one.notes
    return [(one.question, one.answer, one.notes) for one in found]


def test_each_question_has_its_answer() -> None:
    text = said('"Which port?"="8080", "Which log format?"="JSON, one line each"')
    expected = [("Which port?", "8080", ""), ("Which log format?", "JSON, one line each", "")]
    assert read(text) == expected
    assert read(text, "Which port?", "Which log format?") == expected


def test_what_a_person_typed_is_the_answer_and_the_notes() -> None:
    (found,) = answers_in(said('"Open it?"="no, it is on the other host" user notes: no, it is on the other host'))
    assert found.answer == found.notes == "no, it is on the other host"
    assert not found.is_noted


def test_notes_beside_a_choice_say_more() -> None:
    (found,) = answers_in(said('"Which cache?"="On disk" user notes: but never in the repository.'))
    assert (found.answer, found.notes, found.is_noted) == ("On disk", "but never in the repository.", True)


def test_what_an_option_had_shown_is_not_the_answer() -> None:
    shown = 'key: "value"\n- one\n- two'
    text = said(f'"Which layout?"="Flat" selected markdown:\n{shown}, "Keep the old one?"="No"')
    assert read(text, "Which layout?", "Keep the old one?") == [
        ("Which layout?", "Flat", ""),
        ("Keep the old one?", "No", ""),
    ]
    first = answers_in(text, ("Which layout?", "Keep the old one?"))[0]
    assert first.shown == shown
    (both,) = answers_in(said('"Which?"="A" selected preview:\nbox user notes: smaller'))
    assert (both.shown, both.notes) == ("box", "smaller")


def test_quotes_inside_a_question_and_an_answer() -> None:
    question = '"Agents" here: which kind?'
    text = said(f'"{question}"="the ones called "workers", in src", "Then?"="Stop"')
    assert read(text, question, "Then?") == [(question, 'the ones called "workers", in src', ""), ("Then?", "Stop", "")]


def test_an_answer_without_the_usual_end_and_one_of_several_lines() -> None:
    assert read('"Which port?"="8080"') == [("Which port?", "8080", "")]
    assert read(said('"どれですか？"="両方。\n\n- 速い\n- 安い"')) == [("どれですか？", "両方。\n\n- 速い\n- 安い", "")]


def test_questions_that_were_put_back_keep_what_was_answered() -> None:
    text = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
        "The user wants to clarify these questions.\n\n    Questions asked:\n"
        '- "Which scope?"\n  Answer: only the parser\n- "Which name?"\n  (No answer provided)\n'
        '- "Which folder?"\n  Answer: lib\n\nNote: The user\'s next message may contain a correction.'
    )
    expected = [("Which scope?", "only the parser", ""), ("Which folder?", "lib", "")]
    assert read(text) == read(text, "Which scope?", "Which name?", "Which folder?") == expected


def test_other_results_have_no_answers() -> None:
    for text in ("", "no", "<tool_use_error>too many questions</tool_use_error>", 'a file with "x"="y" in it'):
        assert answers_in(text, ("Which?",)) == ()
    assert answers_in("x" * 300_000) == ()
