"""How often each rule of the offline extractor is right: `python bench/precision.py [SHARED] [--json]`.

Indexes SHARED/bench/transcripts into a temporary home, runs the rules over every session, and compares what they give
with `tests/learning/labelled`: drafts labelled by hand in their context, hand-made todo lists, and hand-made sentences
(of these only the sets that no phrase was changed for count). A labelled draft that the rules no longer give is
`gone`, and not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.config import Config
from axiommind.extraction.drafts import Draft
from axiommind.extraction.extractors.rules import RulesExtractor
from axiommind.extraction.rules import Rule, declared
from axiommind.memory import Memory, Scope
from axiommind.projections import transcript as recorded
from axiommind.projections.transcript import Message, ToolCall, Transcript
from axiommind.sources.claude_code import TOOLS

HERE = Path(__file__).parents[1]
LABELLED = HERE / "tests" / "learning" / "labelled"
CLAUDE_CODE = ("cipher-box", "context-evaluator", "everything-ko", "repiq-ja")  # 158 sessions; others: other agents
HELD = ("held-out", "held-back")  # sets of sentences that no phrase was changed for


class Score(NamedTuple):
    drafts: int  # that the rule gives, over everything
    labelled: int  # of them, labelled
    right: int
    gone: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.labelled if self.labelled else 0.0

    @property
    def smoothed(self) -> float:
        return (self.right + 1) / (self.labelled + 2)


def rows(name: str) -> list[dict[str, Any]]:
    path = LABELLED / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def measured_by(field: str) -> list[Rule]:
    """The rules whose labelled rows have this field. One that nothing was labelled for is measured on real sessions."""
    return [rule for rule in declared().values() if field in next(iter(rows(rule.labelled)), {"session": ""})]


def quote_hash(draft: Draft) -> str:
    return hashlib.sha256(draft.quotes[0].text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def transcripts(memory: Memory) -> list[Transcript]:
    with memory.home.read_log() as (log, _), memory.home.reading(Scope(None), None) as db:
        ids = [row[0] for row in db.execute("select id from sessions order by started_at, id")]
        return [read for one in ids if (read := recorded.read(db, log.blob, one)) is not None]


def real(drafts: Iterable[tuple[str, Draft]]) -> dict[str, Score]:
    """The rules that real sessions have examples of."""
    given = {(draft.rule, session, quote_hash(draft), draft.title[:80]) for session, draft in drafts}
    untitled = {key[:3] for key in given}  # a person's own words are not copied into the labels
    scores = {}
    for name, labels in ((rule.name, rows(rule.labelled)) for rule in measured_by("session")):
        labels = [row for row in labels if row["rule"] == name]
        keys = [(name, row["session"], row["quote_hash"]) for row in labels]
        there = [
            row
            for row, key in zip(labels, keys, strict=True)
            if ((*key, row["title"]) in given if "title" in row else key in untitled)
        ]
        right = sum(row["ok"] for row in there)
        count = sum(1 for key in given if key[0] == name)
        scores[name] = Score(count, len(there), right, len(labels) - len(there))
    return scores


def sentences() -> dict[str, Score]:
    """Every hand-made sentence is read; those held out are counted."""
    scores = {}
    for rule in measured_by("text"):
        mine = [row for row in rows(rule.labelled) if rule.name.endswith(f"-{row['language']}")]
        given = [(row, said) for row in mine if (said := _statement(row["text"])) is not None]
        counted = [(row, said) for row, said in given if row["set"] in HELD]
        right = sum(row["type"] == kind for row, kind in counted)
        scores[rule.name] = Score(len(given), len(counted), right)
    return scores


def _statement(text: str) -> str | None:
    """The type of what is stated plainly in a prompt of this one sentence."""
    return next((draft.type for draft in taken(text) if draft.rule.startswith("stated-")), None)


def taken(text: str) -> list[Draft]:
    """What the rules take from a session of this one prompt."""
    message = Message(1, 1, "/message/content", "person", text, None, None, False)
    return list(RulesExtractor().find(_session((message,), ()))[0])


def requests() -> dict[str, Score]:
    """By language, of prompts made by hand: what the rules take of them, and how much of that is worth keeping."""
    scores = {}
    for language in ("en", "ko", "zh", "ja"):
        mine = [row for row in rows("requests") if row["language"] == language]
        given = [row["worth"] for row in mine if taken(row["text"])]
        missed = sum(row["worth"] for row in mine) - sum(given)
        scores[f"requests-{language}"] = Score(len(mine), len(given), sum(given), missed)
    return scores


def todos() -> dict[str, Score]:
    """A draft is right when the list has that task, it is worth keeping, and its statuses are those."""
    return _by_statuses("lists", _todo_session)


def _by_statuses(field: str, session_of: Callable[[Any], Transcript]) -> dict[str, Score]:
    """Hand-made sessions, each from a field of its row: a draft is right when the row has its title and statuses."""
    scores = {}
    for rule in measured_by(field):
        drafts = right = 0
        for row in rows(rule.labelled):
            for draft in RulesExtractor().find(session_of(row[field]))[0]:
                drafts += 1
                right += row["right"].get(draft.title) == [step.status for step in draft.steps]
        scores[rule.name] = Score(drafts, drafts, right)
    return scores


def dialogues() -> dict[str, Score]:
    """Hand-made ends of sessions: a draft is right when the row has its title among what is open."""
    scores = {}
    for rule in measured_by("turns"):
        mine = [
            (row, draft)
            for row in rows(rule.labelled)
            for draft in RulesExtractor().find(_dialogue(row["turns"]))[0]
            if draft.rule == rule.name
        ]
        scores[rule.name] = Score(len(mine), len(mine), sum(draft.title in row["open"] for row, draft in mine))
    return scores


def missed() -> list[str]:
    """What the dialogues leave open, and no rule finds."""
    return [
        title
        for row in rows("open-work")
        for title in row["open"]
        if title not in {draft.title for draft in RulesExtractor().find(_dialogue(row["turns"]))[0]}
    ]


def _dialogue(turns: list[list[str]]) -> Transcript:
    messages: list[Message] = []
    uses: list[ToolCall] = []
    for role, text in turns:
        use = len(uses) if role == "ask" else None
        provenance = "person" if role == "person" else "agent"
        message = Message(1, len(messages) + 1, "", "call" if use is not None else role, text, None, use, False)
        if use is not None:
            leaves = {"/questions/0/question": len(messages)}
            given = {"questions": [{"question": text}]}
            call = ToolCall("AskUserQuestion", "AskUserQuestion", given, None, 1, leaves, (), None)
            uses.append(call._replace(tool=TOOLS["AskUserQuestion"]))
        messages.append(message._replace(provenance=provenance))
    return _session(tuple(messages), tuple(uses))


_CALLS = {
    "edit": ("Write", "file_path", "content"),
    "read": ("Read", "file_path", ""),
    "run": ("Bash", "command", ""),
    "search": ("Glob", "pattern", ""),
}


def todo_files() -> dict[str, Score]:
    """Hand-made calls on files of todos: a draft is right when the row has its title with these statuses."""
    return _by_statuses("calls", _calls)


def _calls(calls: list[list[str]]) -> Transcript:
    messages: list[Message] = []
    uses: list[ToolCall] = []
    for kind, about, text in calls:
        name, field, content = _CALLS[kind]
        given, leaves = {field: about}, {f"/{field}": len(messages)}
        messages.append(Message(1, 1, "", "call", about, None, len(uses), False))
        if content:
            given[content], leaves[f"/{content}"] = text, len(messages)
            messages.append(Message(1, 1, "", "call", text, None, len(uses), False))
        messages.append(Message(1, 1, "", "result", "ok" if content else text, None, len(uses), False))
        call = ToolCall(name, name, given, None, 1, leaves, (len(messages) - 1,), False)
        uses.append(call._replace(tool=TOOLS[name]))
    return _session(tuple(messages), tuple(uses))


def _todo_session(lists: list[list[list[str]]]) -> Transcript:
    messages: list[Message] = []
    uses: list[ToolCall] = []
    for items in lists:
        leaves = {}
        for i, (content, status) in enumerate(items):
            for name, text in (("content", content), ("status", status)):
                leaves[f"/todos/{i}/{name}"] = len(messages)
                messages.append(Message(1, 1, "", "call", text, None, len(uses), False))
        given = {"todos": [{"content": content, "status": status} for content, status in items]}
        messages.append(Message(1, 1, "", "result", "Todos have been modified", None, len(uses), False))
        call = ToolCall("TodoWrite", "TodoWrite", given, None, 1, leaves, (len(messages) - 1,), False)
        uses.append(call._replace(tool=TOOLS["TodoWrite"]))
    return _session(tuple(messages), tuple(uses))


def _session(messages: tuple[Message, ...], uses: tuple[ToolCall, ...]) -> Transcript:
    return Transcript("s", "p", "claude_code", None, None, False, "1.1", messages, uses)


def indexed(shared: Path, base: Path, names: Iterable[str] = CLAUDE_CODE) -> Memory:
    """A memory of the sessions of these projects, in this folder."""
    projects = base / "claude" / "projects"
    projects.mkdir(parents=True)
    for name in names:
        (projects / name).symlink_to(shared / "bench" / "transcripts" / name)
    environ = {
        "CLAUDE_CONFIG_DIR": str(base / "claude"),
        "AXM_HOME": str(base / "axm"),
        "HOME": str(base),
        "PATH": os.environ["PATH"],
    }
    memory = Memory(Config.load(environ), environ=environ, user=base)
    memory.index()
    return memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", nargs="?", type=Path, default=HERE.parent / "shared")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sessions = transcripts(indexed(options.shared, Path(folder)))
    start = time.perf_counter()
    drafts = [(one.session_id, draft) for one in sessions for draft in RulesExtractor().find(one)[0]]
    seconds = time.perf_counter() - start
    scores = real(drafts) | todos() | sentences() | dialogues() | todo_files()
    if options.json:
        table = {rule: score._asdict() | {"precision": score.precision} for rule, score in scores.items()}
        print(json.dumps({"sessions": len(sessions), "seconds": round(seconds, 3), "rules": table}, indent=2))
        return
    print(f"{len(sessions)} sessions, {len(drafts)} drafts, {seconds:.2f} s beyond reading")
    print(f"{'rule':14} {'drafts':>7} {'labelled':>9} {'right':>6} {'gone':>5} {'precision':>10} {'smoothed':>9} table")
    for rule, score in scores.items():
        numbers = f"{score.drafts:7} {score.labelled:9} {score.right:6} {score.gone:5}"
        print(f"{rule:14} {numbers} {score.precision:10.3f} {score.smoothed:9.3f} {declared()[rule].measured:5}")
    for name, score in requests().items():
        print(
            f"{name}: of {score.drafts} prompts made by hand",
            f"{score.labelled} taken, {score.right} rightly, {score.gone} missed",
        )


if __name__ == "__main__":
    main()
