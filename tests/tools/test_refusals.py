"""What a person wrote when refusing a call."""

from __future__ import annotations

import pytest

from axiommind.tools.refusals import refusal_in

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
STOP = "STOP what you are doing and wait for the user to tell you how to proceed."
SAID = "To tell you how to proceed, the user said:\n"
NOTE = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (REFUSED + SAID + "use the fixture instead", "use the fixture instead"),
        (REFUSED + SAID + "첫째\n둘째" + NOTE, "첫째\n둘째"),
        ("Permission for this tool use was denied. The user said:\nnot in this folder", "not in this folder"),
        (REFUSED + STOP, ""),
        (REFUSED + STOP + NOTE, ""),
        (REFUSED + SAID + "The user wants to clarify these questions.\n    This means they may have", ""),
        ("The user doesn't want to take this action right now. " + STOP, ""),
    ],
)
def test_the_reason_is_the_persons_own_words(result: str, reason: str) -> None:
    refusal = refusal_in(result)
    assert refusal is not None
    assert refusal.reason == reason == result[refusal.start : refusal.end]


@pytest.mark.parametrize("result", ["", "Exit code 1\nthe user said: no", "! [rejected] main -> main (fetch first)"])
def test_an_error_of_the_tool_is_no_refusal(result: str) -> None:
    assert refusal_in(result) is None
