"""The machine that bench/same.py runs commands on: one user's folders, filled anew for each side, always alike.

A selection of the real transcripts, three small sessions and a folder of notes with what those lack (Chinese, blocked
tasks, decisions that contradict, a secret), a stand-in for `claude`, and a clock. Nothing here knows the program: only
the formats of its input.
"""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SHARED = Path(__file__).parents[2] / "shared" / "bench"
BOX = "/Users/michael/Code/cipher-box"
EVAL = "/Users/cedricteyton/Code/agents-md-evaluator"
KOREAN = "/Users/al02402336/everything"
JAPANESE = "/home/yuta/ghq/github.com/yutakobayashidev/repiq"
LEDGER = "/home/dev/ledger"
PROJECTS = {"cipher-box": BOX, "context-evaluator": EVAL, "everything-ko": KOREAN, "repiq-ja": JAPANESE}
FIRST, SECOND, CHINESE, THIRD = (f"5a3e000{n}-0000-4000-8000-000000000000" for n in (1, 2, 3, 4))
LARGEST = 2_100_000  # bytes of a transcript: with larger ones a side would take longer, and find nothing else
NOTES = {"ko": "welfare-ko-dev", "zh": "cmrc-zh-dev", "ja": "jaquad-ja-dev"}
NOTES_EACH = 40

START = datetime(2026, 3, 6, tzinfo=UTC)  # the clock of the first command: after the last transcript
STEP_S = 307  # from one command to the next; a prime, so that no age is a whole minute, which would round either way
CLOCK = '''"""The clock of bench/same.py: it starts where SAME_CLOCK says, and then runs as clocks do."""
import os
import time

_start, _began, _gmtime, _localtime = float(os.environ["SAME_CLOCK"]), time.monotonic(), time.gmtime, time.localtime
time.time = lambda: _start + time.monotonic() - _began
time.time_ns = lambda: int(time.time() * 1e9)
time.gmtime = lambda seconds=None: _gmtime(time.time() if seconds is None else seconds)
time.localtime = lambda seconds=None: _localtime(time.time() if seconds is None else seconds)
'''


def build(root: Path) -> None:
    """Everything a side finds when it begins, with times that never change."""
    for name in ("user", "axm", "claude/projects", "later", "work", "clock"):
        (root / name).mkdir(parents=True)
    (root / "clock" / "sitecustomize.py").write_text(CLOCK)
    (root / "axm").chmod(0o700)
    (root / "axm" / "redaction.key").write_bytes(bytes(range(32)))  # else every home marks a secret in its own way
    (root / "axm" / "redaction.key").chmod(0o600)
    for name in PROJECTS:
        for path in sorted((SHARED / "transcripts" / name).glob("*.jsonl")):
            if path.stat().st_size < LARGEST:
                (folder := root / "claude" / "projects" / f"-{name}").mkdir(exist_ok=True)
                shutil.copyfile(path, folder / path.name)
    write(root / "claude" / "projects" / "-home-dev-ledger", first(), second(), chinese())
    write(root / "later", grown(), third())
    notes(root / "notes")
    (root / "answer.json").write_text(json.dumps(ANSWER))
    (root / "claude.sh").write_text(f'#!/bin/sh\ncat > /dev/null\ncat "{root}/answer.json"\n')
    (root / "claude.sh").chmod(0o755)
    for number, path in enumerate(sorted(root.rglob("*"))):
        stamp(path, number)


def stamp(path: Path, number: int) -> None:
    at = (START - timedelta(days=1, minutes=number)).timestamp()
    os.utime(path, (at, at))


# --- sessions ----------------------------------------------------------------------------------------------


class Talk:
    """The lines of one session, as Claude Code writes them."""

    def __init__(self, session: str, begins: datetime, first_line: int = 0) -> None:
        self.session, self._first = session, first_line
        self._at = begins
        self.lines: list[dict[str, Any]] = []

    def _add(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        number = self._first + len(self.lines)
        at = (self._at + timedelta(minutes=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        about = {"sessionId": self.session, "cwd": LEDGER, "gitBranch": "main", "version": "2.1.325"}
        head = {"type": kind, "uuid": f"{self.session[:24]}{number:012d}", "timestamp": at, "isSidechain": False}
        self.lines.append({**head, **about, "message": message, **more})

    def ask(self, text: str) -> None:
        self._add("user", {"role": "user", "content": text})

    def say(self, *blocks: Any) -> None:
        content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
        usage = {"input_tokens": 40, "output_tokens": 20 + len(self.lines), "cache_read_input_tokens": 900}
        message = {"id": f"msg-{self.session[7]}-{self._first + len(self.lines)}", "role": "assistant"}
        self._add("assistant", {**message, "model": "claude-opus-5-5", "content": content, "usage": usage})

    def use(self, tool: str, result: str, failed: bool = False, **given: Any) -> None:
        name = f"toolu-{self.session[7]}-{self._first + len(self.lines)}"
        self.say({"type": "tool_use", "id": name, "name": tool, "input": given})
        block = {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": failed}
        self._add("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": result})

    def choose(self, question: str, *answers: str) -> None:
        """A question of the agent, and the first answer chosen."""
        options = [{"label": one, "description": f"{one} is what we know best"} for one in answers]
        text = (
            f'User has answered your questions: "{question}"="{answers[0]}". You can now continue with these in mind.'
        )
        asked = [{"question": question, "header": "Choice", "options": options, "multiSelect": False}]
        self.use("AskUserQuestion", text, questions=asked)

    def tasks(self, *subjects: str) -> None:
        for number, subject in enumerate(subjects, 1):
            text = f"Task #{number} created successfully: {subject}"
            self.use("TaskCreate", text, subject=subject, description=f"Until it holds: {subject}")


def first() -> Talk:
    talk = Talk(FIRST, START - timedelta(days=4))
    talk.ask("We need a ledger that survives a crash. Always run the tests with pytest -x before you commit.")
    talk.ask("Never edit src/ledger_pool.py by hand: it is generated from schema.yaml.")
    talk.choose("Where should the ledger be stored?", "SQLite", "Postgres")
    talk.tasks(
        "Build the ledger table", "Wire the ledger into the importer", "Ship the first release", "Write the changelog"
    )
    talk.use("TaskUpdate", "Updated task #2", taskId="2", addBlockedBy=["1"])
    talk.use("TaskUpdate", "Updated task #3", taskId="3", addBlockedBy=["2"])
    talk.use("TaskUpdate", "Updated task #1", taskId="1", status="in_progress")
    talk.use(
        "Bash", "ok", command="curl -H 'Authorization: Bearer sk-ant-api03-Zx81kfLq0PvT7mWn2RbY5cHd' https://x.test/v1"
    )
    talk.use(
        "Bash", "Exit code 1\nsqlite3.OperationalError: database is locked", True, command="pytest -x tests/ledger"
    )
    talk.use("Edit", "done", file_path=f"{LEDGER}/src/ledger.py", old_string="timeout=0", new_string="timeout=5")
    talk.use("Bash", "12 passed in 0.8s", command="pytest -x tests/ledger")
    talk.say("The tests failed because two writers held the lock; a busy timeout of five seconds fixed it.")
    pool = {"file_path": f"{LEDGER}/src/ledger_pool.py", "old_string": "size=1", "new_string": "size=4"}
    talk.use(
        "Edit", "<tool_use_error>String to replace not found in file.\nString: size=1</tool_use_error>", True, **pool
    )
    body = "feat: keep the ledger in SQLite\n\nBecause the file lost rows under four writers."
    talk.use("Bash", "[main 1a2b3c4] feat: keep the ledger in SQLite", command=f"git commit -m '{body}'")
    talk.use("TaskUpdate", "Updated task #1", taskId="1", status="completed")
    return talk


def second() -> Talk:
    talk = Talk(SECOND, START - timedelta(days=3))
    talk.ask("The importer is slow with four writers. Never write to the ledger from the importer's threads.")
    talk.choose("Where should the ledger be stored?", "Postgres", "SQLite")
    pool = {"file_path": f"{LEDGER}/src/ledger_pool.py", "old_string": "size=1", "new_string": "size=10"}
    talk.use(
        "Edit", "<tool_use_error>String to replace not found in file.\nString: size=1</tool_use_error>", True, **pool
    )
    talk.use("Read", "import sqlite3", file_path=f"{LEDGER}/src/ledger.py")
    talk.use("Edit", "done", file_path=f"{LEDGER}/src/ledger.py", old_string="sqlite3", new_string="psycopg")
    talk.use(
        "Bash", "Exit code 2\nModuleNotFoundError: No module named 'psycopg'", True, command="pytest -x tests/ledger"
    )
    talk.use("Bash", "Successfully installed psycopg", command="pip install psycopg")
    talk.use("Bash", "14 passed in 2.1s", command="pytest -x tests/ledger")
    talk.say("The release waits for the review by legal, which Ana asked for on Monday.")
    talk.say("The ledger is in Postgres now; see https://github.com/example/ledger/pull/42 for the measurements.")
    return talk


def chinese() -> Talk:
    talk = Talk(CHINESE, START - timedelta(days=2))
    talk.ask("登录页面的测试超时了,请找出原因。提交之前一定要运行全部测试。")
    talk.use("Bash", "Exit code 1\nTimeoutError: 登录测试超时", True, command="npm test -- login")
    talk.use("Edit", "done", file_path=f"{LEDGER}/web/login.ts", old_string="1000", new_string="5000")
    talk.use("Bash", "8 passed", command="npm test -- login")
    talk.say("原因是会话缓存没有过期,登录接口等待锁超过一秒。把超时改成五秒以后测试通过。")
    talk.choose("会话缓存放在哪里?", "Redis", "内存")
    talk.ask("React 組件的開發文件也請更新,資料庫連線數改成二十。")
    talk.say("已更新文件:資料庫連線數上限是二十,組件的說明在 docs/components.md。")
    return talk


def grown() -> Talk:
    """What the second session goes on with, after its hooks told it something: later than those, by their clock."""
    talk = Talk(SECOND, START + timedelta(hours=30), first_line=100)
    talk.ask("Legal has answered: the review is done. Raise the pool of Postgres connections to thirty.")
    talk.use("Edit", "done", file_path=f"{LEDGER}/src/ledger_pool.py", old_string="size=10", new_string="size=30")
    talk.use("Edit", "done", file_path=f"{LEDGER}/web/login.ts", old_string="5000", new_string="6000")
    talk.say("会话缓存没有过期,所以 web/login.ts 的超时现在是六秒。")
    talk.say("The pool has thirty connections now, and the importer is twice as fast.")
    return talk


def third() -> Talk:
    """A session that begins later, and contradicts."""
    talk = Talk(THIRD, START - timedelta(days=1))
    talk.ask("Measure the ledger again before the release.")
    talk.choose("Where should the ledger be stored?", "DuckDB", "Postgres")
    talk.say("DuckDB it is, because the reports read far more than the importer writes.")
    return talk


def write(folder: Path, *talks: Talk) -> None:
    folder.mkdir(exist_ok=True)
    for talk in talks:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in talk.lines)
        (folder / f"{talk.session}.jsonl").write_text(text, encoding="utf-8")


def _said(**fields: Any) -> dict[str, Any]:
    empty = {"rationale": None, "target": None, "status": None, "priority": None, "blockedBy": None}
    return {**empty, "confidence": 0.9, **fields}


# What the stand-in for `claude` answers about the second session: tasks that wait for what is no task.
_LEGAL = "The release waits for the review by legal, which Ana asked for on Monday."
_POOL = "The importer is slow with four writers."
ANSWER = {
    "is_error": False,
    "total_cost_usd": 0.0123,
    "modelUsage": {"claude-haiku-5-5": {"inputTokens": 4012, "outputTokens": 55}},
    "structured_output": {
        "entries": [
            _said(
                type="task",
                title="Publish the release notes",
                text="The release notes go out after the review by legal.",
                status="blocked",
                priority="high",
                blockedBy=["the review by legal"],
                evidence=[{"messageIndex": 15, "quote": _LEGAL}],
            ),
            _said(
                type="insight",
                title="Four writers make the importer slow",
                text="With four writers at once the importer waits for locks.",
                evidence=[{"messageIndex": 0, "quote": _POOL}],
            ),
        ]
    },
}


# --- notes -------------------------------------------------------------------------------------------------


def notes(folder: Path) -> None:
    """Markdown to keep in the index: a few pages about the ledger, and pages in three more languages."""
    folder.mkdir()
    (folder / "ledger.md").write_text(
        "---\ntitle: Ledger\ntags: [storage, ledger]\n---\n# Ledger\n\nWrites go through one queue.\n\n"
        "## Backups\n\nA snapshot every night, kept for thirty days. See [runbook](runbook.md).\n",
        encoding="utf-8",
    )
    (folder / "runbook.md").write_text(
        "---\ntags: [operations]\n---\n# Runbook\n\n## Restore\n\n1. Stop the importer\n2. Copy the snapshot back\n\n"
        "```sh\nledger restore --from snapshot.db\n```\n\n## On call\n\nThe pager rings when 500 wait in the queue.\n",
        encoding="utf-8",
    )
    for language, name in NOTES.items():
        (folder / language).mkdir()
        with (SHARED / name / "corpus.jsonl").open(encoding="utf-8") as file:
            for number, line in zip(range(NOTES_EACH), file, strict=False):
                page = json.loads(line)
                head = f"---\ntags: [{language}]\n---\n# {page['title'] or page['text'].splitlines()[0]}\n\n"
                (folder / language / f"{number:02d}.md").write_text(head + page["text"] + "\n", encoding="utf-8")
