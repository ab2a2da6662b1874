"""Sessions worth learning from, a line at a time."""

from __future__ import annotations

from typing import Any

from axiommind.projections.transcript import ToolCall
from axiommind.sources.claude_code import TOOLS
from axiommind.tools.kinds import UNKNOWN_TOOL
from tests.transcripts import PROJECT, Lines


def tool_call(name: str, *values: Any) -> ToolCall:
    """A call of one of Claude Code's tools, or of one that nobody knows."""
    return ToolCall(name, *values)._replace(tool=TOOLS.get(name, UNKNOWN_TOOL))


class Session(Lines):
    """A session whose agent keeps tasks, asks, commits and fixes."""

    def __init__(self, session: str = "s1", cwd: str | None = PROJECT) -> None:
        super().__init__(session, cwd)
        self.tasks = 0
        self.calls = 0

    def use(self, tool: str, answer: str = "ok", error: bool = False, **given: Any) -> None:
        """A call and what came back."""
        self.calls += 1
        use_id = f"toolu-{self.session}-{self.calls}-{len(self.lines)}"
        self.tool(tool, use_id, **given)
        self.result(use_id, answer, error)

    def task(self, subject: str, description: str = "") -> str:
        self.tasks += 1
        text = description or f"Work on it until it holds: {subject}"
        self.use("TaskCreate", f"Task #{self.tasks} created successfully: {subject}", subject=subject, description=text)
        return str(self.tasks)

    def update(self, number: str, **given: Any) -> None:
        self.use("TaskUpdate", f"Updated task #{number}", taskId=number, **given)

    def ask(self, question: str, answer: str, why: str = "It is simpler to run and to keep.") -> None:
        options = [{"label": answer, "description": why}, {"label": "Something else", "description": "Not now."}]
        self.use(
            "AskUserQuestion",
            f'User has answered your questions: "{question}"="{answer}". You can now continue with the user\'s '
            "answers in mind.",
            questions=[{"question": question, "header": "Choice", "multiSelect": False, "options": options}],
        )

    def commit(self, subject: str, body: str = "Because the old way lost rows under four writers.") -> None:
        command = f"git add -A && git commit -m \"$(cat <<'EOF'\n{subject}\n\n{body}\nEOF\n)\""
        self.use("Bash", f"[main abc1234] {subject}\n 1 file changed", command=command)
