"""How well search finds, on public data, as JSON. Everything goes through the product's own ingest and search.

    python bench/retrieval.py beir DIR
    python bench/retrieval.py locomo FILE [--unit session|turn]
    python bench/retrieval.py commits TRANSCRIPTS_DIR QRELS_FILE

beir: DIR holds `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. A document that is a conversation ("user: …", then
"assistant: …") becomes a transcript as an agent would leave it, any other a Markdown file; ids are in neither. It is
ranked by the evidence of all its passages, as `axm search --group session` does.
locomo: every conversation has a home of its own; a turn is a prompt, a session a session; gold is the evidence's.
commits: which session made this commit; the query is its subject. What `git commit` was told and said is taken out of
the transcripts first. Rows with more than five sessions, or with none that is there, are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.config import Config
from axiommind.memory import Memory, Scope
from axiommind.search.find import MODES

DEPTH = 10
_TURN = re.compile(r"\n(?=(?:user|assistant): )")
_COMMIT = re.compile(r"\bgit\b[^|;&\n]*\bcommit\b")


class Asked(NamedTuple):
    """A question: its text, what would answer it, and where and when it is asked."""

    text: str
    gold: frozenset[str]
    project: str | None = None
    now: int | None = None
    kind: str = ""


def parsed(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets = parser.add_subparsers(dest="set", required=True)
    beir = sets.add_parser("beir")
    beir.add_argument("folder", type=Path)
    beir.add_argument("--half", choices=("odd", "even"), help="only the questions with odd, or even, numbers")
    locomo = sets.add_parser("locomo")
    locomo.add_argument("file", type=Path)
    locomo.add_argument("--unit", choices=("session", "turn"), default="session")
    commits = sets.add_parser("commits")
    commits.add_argument("transcripts", type=Path)
    commits.add_argument("qrels", type=Path)
    for one in (beir, locomo, commits):
        one.add_argument("--mode", choices=MODES, default="lexical")
        one.add_argument("--embedder", default="static", help="what makes the vectors, for every mode but lexical")
        one.add_argument("--json", action="store_true", help="one line of JSON")
        one.add_argument("--by", action="store_true", help="also by kind of question, or by project")
        one.add_argument("--misses", type=int, default=0, help="show so many questions whose first hit is wrong")
    return parser.parse_args(argv)


def main() -> int:
    args = parsed()
    with tempfile.TemporaryDirectory(prefix="axm-retrieval-") as base:
        results = list(RUNS[args.set](args, Path(base)))
    if args.misses:
        for asked, found, _ in [r for r in results if not r[1] or r[1][0] not in r[0].gold][: args.misses]:
            print(f"{asked.text!r} wants {sorted(asked.gold)}, got {found[:3]}", file=sys.stderr)
    shown = {"set": args.set, "mode": args.mode, **measured(results)}
    if args.by:
        kinds = sorted({asked.project or asked.kind for asked, _, _ in results})
        shown["by"] = {kind: measured([r for r in results if (r[0].project or r[0].kind) == kind]) for kind in kinds}
    print(json.dumps(shown, ensure_ascii=False, indent=None if args.json else 1))
    return 0


def measured(results: list[tuple[Asked, list[str], float]]) -> dict[str, float | int]:
    def mean(values: Iterable[float]) -> float:
        return round(statistics.fmean(values), 4) if results else 0.0

    hits = [(asked, [found in asked.gold for found in answer[:DEPTH]]) for asked, answer, _ in results]
    times = sorted(took for _, _, took in results) or [0.0]
    return {
        "queries": len(results),
        "hit@1": mean(any(row[:1]) for _, row in hits),
        "hit@5": mean(any(row[:5]) for _, row in hits),
        "recall@10": mean(sum(row) / len(asked.gold) for asked, row in hits),
        "ndcg@10": mean(ndcg(row, len(asked.gold)) for asked, row in hits),
        "mrr": mean(next((1 / (i + 1) for i, hit in enumerate(row) if hit), 0.0) for _, row in hits),
        "p50_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[min(int(len(times) * 0.95), len(times) - 1)], 1),
    }


def ndcg(row: list[bool], gold: int) -> float:
    gain = sum(hit / log2(i + 2) for i, hit in enumerate(row))
    return gain / sum(1 / log2(i + 2) for i in range(min(gold, DEPTH)))


class Home:
    """A memory of its own, with transcripts and documents made from a data set."""

    def __init__(self, base: Path, args: argparse.Namespace) -> None:
        self.mode = args.mode
        self.claude = base / "claude"
        self.notes = base / "notes"
        (self.claude / "projects").mkdir(parents=True)
        self.notes.mkdir()
        environ = {"AXM_HOME": str(base / "axm"), "CLAUDE_CONFIG_DIR": str(self.claude), "HOME": str(base)}
        if self.mode != "lexical":
            environ |= {"AXM_EMBEDDER": args.embedder}
            share_models(Path(environ["AXM_HOME"]))
        self.memory = Memory(Config.load(environ), environ=environ, user=base)
        self.names: dict[str, str] = {}  # session or path → what the data set calls it

    def session(self, name: str, folder: str, turns: Iterable[tuple[str, str]], when: datetime) -> None:
        """A transcript of (role, text) turns, one line each, a second apart."""
        session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{folder}/{name}"))
        self.names[session] = name
        path = self.claude / "projects" / folder / f"{session}.jsonl"
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for i, (role, text) in enumerate(turns):
                at = (when + timedelta(seconds=i)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                line: dict[str, Any] = {
                    "type": role,
                    "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{folder}/{name}/{i}")),
                    "sessionId": session,
                    "timestamp": at,
                    "cwd": f"/bench/{folder}",
                }
                content = {"role": role, "content": text}
                if role == "assistant":
                    content |= {"id": f"msg-{i}", "content": [{"type": "text", "text": text}]}  # type: ignore[dict-item]
                else:
                    line |= {"origin": {"kind": "human"}, "promptSource": "typed"}
                file.write(json.dumps({**line, "message": content}, ensure_ascii=False) + "\n")

    def document(self, name: str, title: str, text: str) -> None:
        path = self.notes / f"d{len(self.names):06d}.md"
        self.names[str(path)] = name
        head = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n" if title else ""
        path.write_text(head + text, encoding="utf-8")

    def index(self) -> None:
        self.memory.index()
        if any(self.notes.iterdir()):
            self.memory.documents.add([str(self.notes)])
        if self.mode != "lexical":
            self.memory.embeddings.make()

    def ask(self, asked: Asked, unit: str = "session") -> tuple[Asked, list[str], float]:
        started = time.perf_counter()
        # Words of the data are words, not filters.
        text = re.sub(r"(?<!\S)-+(?=\S)|[\"\u201c\u201d]", " ", asked.text)
        scope = Scope(asked.project)
        page = self.memory.search(text, scope, k=DEPTH, group=unit == "session", now=asked.now, mode=self.mode)
        took = (time.perf_counter() - started) * 1000
        return asked, [self._name(hit, unit) for hit in page.hits], took

    def _name(self, hit: Any, unit: str) -> str:
        if unit == "turn":
            return f"{self.names[hit.session_id]}:{hit.citation.line_start}"
        group = hit.session_id if hit.doc_id is None else hit.citation.path
        return self.names.get(group, group)


def share_models(home: Path) -> None:
    """The models that are installed on this machine, for a home that is only measured."""
    installed = Config.load(os.environ).home / "models"
    if installed.is_dir():
        home.mkdir(parents=True)
        (home / "models").symlink_to(installed)


# --- sets --------------------------------------------------------------------------------------------------


def beir(args: argparse.Namespace, base: Path) -> Iterator[tuple[Asked, list[str], float]]:
    home = Home(base, args)
    for document in lines(args.folder / "corpus.jsonl"):
        text = document["text"]
        if text.startswith(("user: ", "assistant: ")) and len(_TURN.split(text)) > 1:
            turns = [tuple(turn.split(": ", 1)) for turn in _TURN.split(text)]
            home.session(document["_id"], "chats", turns, moment(document.get("title", "")))  # type: ignore[arg-type]
        else:
            home.document(document["_id"], document.get("title", ""), text)
    gold: dict[str, set[str]] = {}
    for row in (args.folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = row.split("\t")
        if int(score) > 0:
            gold.setdefault(query, set()).add(document)
    home.index()
    for query in lines(args.folder / "queries.jsonl"):
        if query["_id"] in gold and in_half(query["_id"], args.half):
            now = milliseconds(moment(query["date"])) if query.get("date") else None
            yield home.ask(Asked(query["text"], frozenset(gold[query["_id"]]), None, now, query.get("type", "")))


def in_half(name: str, half: str | None) -> bool:
    return half is None or int(re.sub(r"\D", "", name)) % 2 == (half == "odd")


def locomo(args: argparse.Namespace, base: Path) -> Iterator[tuple[Asked, list[str], float]]:
    for number, sample in enumerate(json.loads(args.file.read_text(encoding="utf-8"))):
        (base / str(number)).mkdir()
        home = Home(base / str(number), args)
        talk = sample["conversation"]
        last = datetime.min.replace(tzinfo=UTC)
        for key in [k for k in talk if re.fullmatch(r"session_\d+", k)]:
            when = datetime.strptime(talk[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            last = max(last, when)
            home.session(key.removeprefix("session_"), "talk", (("user", spoken(turn)) for turn in talk[key]), when)
        home.index()
        for question in sample["qa"]:
            evidence = [m for e in question.get("evidence") or () for m in re.findall(r"D(\d+):(\d+)", e)]
            gold = frozenset(f"{s}:{t}" if args.unit == "turn" else s for s, t in evidence)
            if gold:
                now = milliseconds(last + timedelta(days=1))
                yield home.ask(Asked(question["question"], gold, None, now, str(question["category"])), args.unit)


def spoken(turn: dict[str, Any]) -> str:
    photo = [turn[key] for key in ("blip_caption", "query") if turn.get(key)]
    return f"{turn['speaker']}: {turn['text']}" + (f"\n[photo: {'; '.join(photo)}]" if photo else "")


def commits(args: argparse.Namespace, base: Path) -> Iterator[tuple[Asked, list[str], float]]:
    rows = list(lines(args.qrels))
    home = Home(base, args)
    projects: dict[str, str] = {}
    for folder in sorted(p for p in args.transcripts.iterdir() if p.is_dir()):
        if folder.name in {row["project"] for row in rows}:
            for path in sorted(folder.rglob("*.jsonl")):
                target = home.claude / "projects" / folder.name / path.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"".join(without_commits(path)))
    home.index()
    for session, project, path in home.memory.sql("select id, project, file_path from sessions", Scope(None)):
        home.names[session] = session
        projects[Path(path).relative_to(home.claude / "projects").parts[0]] = project
    for row in rows:
        gold = frozenset(row["session_ids"]) & home.names.keys()
        if gold and len(row["session_ids"]) <= 5:
            yield home.ask(Asked(row["subject"], gold, projects[row["project"]]))


def without_commits(path: Path) -> Iterator[bytes]:
    """The lines of a transcript, less what `git commit` was told and what it said."""
    silent: set[str] = set()
    for line in path.read_bytes().splitlines(keepends=True):
        if b"commit" not in line and not any(s.encode() in line for s in silent):
            yield line
            continue
        try:
            record = json.loads(line)
        except ValueError:
            yield line
            continue
        content = (record.get("message") or {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use" and _COMMIT.search(str((block.get("input") or {}).get("command", ""))):
                silent.add(block["id"])
                block["input"] = {}
            elif block.get("type") == "tool_result" and block.get("tool_use_id") in silent:
                block["content"] = ""
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def moment(text: str) -> datetime:
    found = re.search(r"(\d{4})/(\d\d)/(\d\d).*?(\d\d):(\d\d)", text)
    return datetime(*map(int, found.groups()), tzinfo=UTC) if found else datetime(2020, 1, 1, tzinfo=UTC)  # type: ignore[misc, arg-type]


def milliseconds(when: datetime) -> int:
    return int(when.timestamp() * 1000)


RUNS = {"beir": beir, "locomo": locomo, "commits": commits}

if __name__ == "__main__":
    raise SystemExit(main())
