"""Prompts that people labelled with the earlier passages that would have helped, and homes as they were at each.

A label names a prompt (project, session, line) and what of earlier sessions helps with it: `none`, something slight
(`weak`), or passages (`gold`: session, line, and a quote). Labels in this repository hold no text: the prompt and the
quotes are read from the transcripts, quotes by their place in the record's text (`text_of`).

    python bench/labelled_prompts.py LABELS.jsonl TRANSCRIPTS > bench/labels/recall-more.jsonl

writes labels that hold texts as labels that hold places.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Gold", "Label", "labels_of", "replayed", "share"]

ASKED = 1_500  # characters of a prompt: the labels that came with texts were cut there
CWD = re.compile(r'"cwd":\s*"(?:[^"\\]|\\.)*"')
STAMP = re.compile(r'"timestamp":\s*"([0-9T:.Z+-]+)"')
WORD = re.compile(r"[a-z0-9_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+", re.IGNORECASE)


class Gold(NamedTuple):
    session: str
    quote: str


class Label(NamedTuple):
    source: str  # the file of labels
    project: str
    session: str
    line: int
    timestamp: str
    text: str
    gold: tuple[Gold, ...]
    is_weak: bool  # something slight was there: neither right nor noise

    @property
    def is_answerable(self) -> bool:
        return bool(self.gold) and not self.is_weak

    @property
    def key(self) -> str:
        return f"{self.session}:{self.line}"


# --- labels ------------------------------------------------------------------------------------------------


def labels_of(path: Path, transcripts: Path) -> list[Label]:
    """The prompts of a file of labels; of other events there are none."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [_label(path.stem, row, transcripts) for row in rows if row.get("event", "prompt") == "prompt"]


def _label(source: str, row: dict[str, Any], transcripts: Path) -> Label:
    folder = transcripts / row["project"]
    record = record_at(folder, row["session_id"], row["line"])
    gold = tuple(Gold(one["session_id"], _quote(folder, one)) for one in row["gold"])
    text = row.get("text") or _said(record)[:ASKED]
    return Label(
        source,
        row["project"],
        row["session_id"],
        row["line"],
        record["timestamp"],
        text,
        () if row["none"] else gold,
        bool(row.get("weak")),
    )


def _quote(folder: Path, gold: dict[str, Any]) -> str:
    if "quote" in gold:
        return str(gold["quote"])
    return text_of(record_at(folder, gold["session_id"], gold["line"]))[gold["start"] : gold["end"]]


@functools.lru_cache(maxsize=8)
def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").split("\n")


def record_at(folder: Path, session: str, line: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_lines(folder / f"{session}.jsonl")[line - 1])
    return found


def text_of(record: dict[str, Any]) -> str:
    """All that a record says, calls or got, in its order, a string a paragraph."""
    message = record.get("message")
    return "\n".join(_strings(message.get("content") if isinstance(message, dict) else record.get("content")))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)


def _said(record: dict[str, Any]) -> str:
    content = record["message"]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def placed(row: dict[str, Any], transcripts: Path) -> dict[str, Any]:
    """A label without any text: where its quotes are instead of what they say."""
    gold = []
    for one in row["gold"]:
        start = text_of(record_at(transcripts / row["project"], one["session_id"], one["line"])).index(one["quote"])
        place = {"session_id": one["session_id"], "line": one["line"]}
        gold.append({**place, "start": start, "end": start + len(one["quote"])})
    kept = {name: row[name] for name in ("project", "session_id", "line", "none")}
    return {**kept, **({"weak": True} if row.get("weak") else {}), "gold": gold}


# --- likeness ----------------------------------------------------------------------------------------------


def words(text: str) -> set[str]:
    """Words, and pairs of characters of Han, kana and Hangul."""
    found = set()
    for word in WORD.findall(text.lower()):
        if word[0] < "\u3040":
            found.add(word)
        else:
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return found


def share(part: str, whole: str) -> float:
    """How much of `part` is in `whole`."""
    wanted = words(part)
    return len(wanted & words(whole)) / len(wanted) if wanted else 0.0


# --- homes -------------------------------------------------------------------------------------------------


def replayed(labels: Sequence[Label], transcripts: Path, homes: Path) -> dict[str, Path]:
    """By a label's key its home: what had ended before the prompt, indexed and learned. Homes that are there already
    are taken as they are; after a change to what is indexed or learned, delete them."""
    found: dict[str, Path] = {}
    for project in sorted({label.project for label in labels}):
        mine = sorted((label for label in labels if label.project == project), key=lambda one: one.timestamp)
        kept = homes / project / "places.json"
        places = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if set(places) != {label.key for label in mine}:
            shutil.rmtree(homes / project, ignore_errors=True)
            places = _walked(mine, transcripts / project, homes / project)
            kept.write_text(json.dumps(places), encoding="utf-8")
            print(f"{project}: {len(set(places.values()))} homes", file=sys.stderr)
        found |= {key: homes / project / name for key, name in places.items()}
    return found


def _walked(labels: Sequence[Label], folder: Path, homes: Path) -> dict[str, str]:
    """Homes of a project in order of time, numbered; returns which is whose."""
    ends = {path: max(STAMP.findall(path.read_text(errors="replace")), default="") for path in folder.glob("*.jsonl")}
    waiting = sorted(ends, key=lambda path: (ends[path], path.name))
    places: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="axm-judge-") as base:
        at = homes / "000"
        at.mkdir(parents=True)
        for label in labels:
            new = [path for path in waiting if ends[path] < label.timestamp]
            if new:
                waiting = [path for path in waiting if path not in new]
                for path in new:
                    _put(path, Path(base, "claude", "projects", f"-home-dev-{folder.name}"), folder.name)
                _axm(base, "index", "--no-learn")
                _axm(base, "learn")
                at = homes / f"{int(at.name) + 1:03}"
                shutil.copytree(Path(base, "axm"), at)
            places[label.key] = at.name
    return places


def _put(path: Path, folder: Path, project: str) -> None:
    """A transcript in a folder of transcripts, as if all of a project had been worked on in one place."""
    folder.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    moved = CWD.sub(f'"cwd":"/home/dev/{project}"', text)
    Path(folder, path.name).write_text(moved, encoding="utf-8", errors="surrogateescape")


def _axm(base: str, *given: str) -> None:
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "AXM", "AI_AGENT"))},
        "HOME": base,
        "CLAUDE_CONFIG_DIR": str(Path(base, "claude")),
        "AXM_HOME": str(Path(base, "axm")),
        "NO_COLOR": "1",
    }
    command = [sys.executable, "-m", "axiommind", *given]
    done = subprocess.run(command, env=environ, cwd=base, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"axm {' '.join(given)}: {done.stderr[-500:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("transcripts", type=Path)
    args = parser.parse_args()
    for line in args.labels.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("event", "prompt") == "prompt":
            print(json.dumps(placed(row, args.transcripts)))


if __name__ == "__main__":
    main()
