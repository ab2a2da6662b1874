"""What is peculiar to Cline: documents that are rewritten, calls that are tags in a text, prompts in results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind import sources
from axiommind.sources.records import Decoded
from tests.sources.agents import AgentHome

CLINE = sources.load("cline")


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def task(folder: Path, *messages: tuple[str, list[Any]]) -> Decoded:
    """A task as older versions keep it, read."""
    path = folder / "storage" / "tasks" / "1750000000000" / "api_conversation_history.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([{"role": role, "content": content} for role, content in messages]), encoding="utf-8")
    with CLINE.open_stream(str(path)) as file:
        return CLINE.decode(file.read(), 1)


def test_only_what_a_person_typed_is_a_prompt(tmp_path: Path) -> None:
    details = text("<environment_details>\n# Current Working Directory (/home/dev/demo) Files\n</environment_details>")
    found = task(
        tmp_path,
        ("user", [text("<task>\nFix the build\n</task>"), details]),
        ("assistant", [text("<ask_followup_question>\n<question>Which one?</question>\n</ask_followup_question>")]),
        (
            "user",
            [text("[ask_followup_question for 'Which one?'] Result:"), text("<answer>\nThe docs\n</answer>"), details],
        ),
        ("assistant", [text("Done.")]),
        ("user", [text("[ERROR] You did not use a tool in your previous response!"), details]),
    )
    assert [one.text for one in found.prompts] == ["Fix the build", "The docs"]
    assert found.cwd == "/home/dev/demo"


def test_a_call_in_a_text_and_its_result(tmp_path: Path) -> None:
    found = task(
        tmp_path,
        ("user", [text("<task>Build</task>")]),
        ("assistant", [text("Now.\n<execute_command>\n<command>make all</command>\n</execute_command>")]),
        ("user", [text("[execute_command for 'make all'] Result:\nCommand exited with code 2\nOutput:\nno rule")]),
    )
    (use,) = found.tool_uses
    assert (json.loads(use.input_json)["command"], use.result and use.result.is_error) == ("make all", 1)
    assert [one.text for one in found.responses] == ["Now."]


def test_calls_that_are_no_text_are_read_as_they_are(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "write_to_file", "input": {"path": "a.py", "content": "x = 1"}}
    answer = "The user denied this operation and provided the following feedback:\n<feedback>\nNot there\n</feedback>"
    found = task(
        tmp_path,
        ("user", [text("<task>Build</task>")]),
        ("assistant", [call]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": [text(answer)]}]),
    )
    assert [one.text for one in found.prompts] == ["Build", "Not there"]
    assert [use.result and use.result.is_error for use in found.tool_uses] == [1]


def test_what_an_answer_cost_is_read_when_it_is_known(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "cline")
    home.memory().index()
    (shown,) = home.user.rglob("ui_messages.json")
    messages = json.loads(shown.read_text(encoding="utf-8"))
    messages[-1]["text"] = json.dumps({"tokensIn": 7, "tokensOut": 3})
    shown.write_text(json.dumps(messages), encoding="utf-8")
    home.memory().index()
    assert home.sessions()["1750000000000"]["tokens"] == [307, 53, 5, 50]


def test_a_session_that_grows_is_read_anew(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "cline")
    home.memory().index()
    (main,) = home.user.rglob("*k3jd9.messages.json")
    document = json.loads(main.read_text(encoding="utf-8"))
    document["messages"].append({"id": "m9", "role": "user", "content": [text("And now?")]})
    main.write_text(json.dumps(document), encoding="utf-8")
    home.memory().index()
    assert home.sessions()["1794805202916_k3jd9"]["prompts"][-1] == "And now?"
    assert home.memory().verify(deep=True) == []
