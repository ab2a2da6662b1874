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
        others = [name for name in ("SQLite", "PostgreSQL", "DuckDB", "8080", "9000") if name != answer]
        options = [{"label": answer, "description": why}, *({"label": name, "description": "No."} for name in others)]
        self.use(
            "AskUserQuestion",
            f'User has answered your questions: "{question}"="{answer}". You can now continue with the user\'s '
            "answers in mind.",
            questions=[{"question": question, "header": "Choice", "multiSelect": False, "options": options}],
        )

    def commit(self, subject: str, body: str = "Because the old way lost rows under four writers.") -> None:
        command = f"git add -A && git commit -m \"$(cat <<'EOF'\n{subject}\n\n{body}\nEOF\n)\""
        self.use("Bash", f"[main abc1234] {subject}\n 1 file changed", command=command)


QUESTION = "Which database does the service use?"


def tasks(session: str = "s1") -> Lines:
    """Two tasks, of which the second waits for the first."""
    lines = Lines(session)
    lines.prompt("Write the parser and then ship the release")
    lines.tool("TaskCreate", "c1", subject="Write the parser", description="By hand, without a generator")
    lines.result("c1", "Task #1 created successfully: Write the parser")
    lines.tool("TaskCreate", "c2", subject="Ship the release", description="To the registry")
    lines.result("c2", "Task #2 created successfully: Ship the release")
    lines.tool("TaskUpdate", "c3", taskId="2", addBlockedBy=["1"])
    lines.result("c3", "Updated task #2 blockedBy")
    return lines


def answered(session: str, answer: str, at: float = 100) -> Lines:
    """A question, and which of its options a person chose."""
    lines = Lines(session)
    options = [{"label": name, "description": f"{name} is what we know best"} for name in ("SQLite", "Postgres")]
    lines.prompt("Set the service up", at=at)
    asked = [{"question": QUESTION, "header": "Database", "options": options, "multiSelect": False}]
    lines.tool("AskUserQuestion", f"{session}q", at=at + 1, questions=asked)
    text = f'User has answered your questions: "{QUESTION}"="{answer}". You can now continue with these in mind.'
    lines.result(f"{session}q", text, at=at + 2)
    return lines


ONE, TWO = "/p/one", "/p/two"
WORD, OTHER = "zyxwvut", "abcdefgh"  # said in everything of the one project, and of the other


def story(name: str, cwd: str, word: str, answer: str = "SQLite") -> Session:
    """A session that says a word wherever something can be said."""
    session = Session(name, cwd)
    session.prompt(f"Always run {word} with pytest before you commit. We decided to use {word} because it holds.")
    session.ask(f"Where should {word} live?", answer, f"{word} is simpler")
    build = session.task(f"Build the {word} table", f"{word} description")
    wire = session.task(f"Wire {word} into the command")
    session.update(wire, addBlockedBy=[build])
    session.update(wire, subject=f"Wire {word} into everything")
    session.update(build, status="completed")
    session.update(build, status="pending")
    session.use("TodoWrite", todos=[{"content": f"Todo {word}", "status": "pending", "activeForm": f"Doing {word}"}])
    session.commit(f"feat: {word} answers", f"Because {word} lost rows.")
    session.use("Bash", f"error: cannot find the {word} table in {word}.py", error=True, command=f"pytest {word}.py")
    session.use("Edit", file_path=f"/p/{word}.py", old_string=f"{word} a", new_string=f"{word} b")
    session.use("Bash", "1 passed", command=f"pytest {word}.py")
    session.use("Bash", f"https://github.com/acme/{word}/pull/7", command=f"gh pr create --title 'Add {word}' --body x")
    session.add("pr-link", prUrl=f"https://github.com/acme/{word}/pull/7", prNumber=7, prRepository=f"acme/{word}")
    return session
