"""How the analysis grows, as JSON.

    python bench/clusters.py [--prompts 1000 10000 50000] [FOLDER] [--sessions 500]

Makes that many different prompts out of a small vocabulary, as people ask for the same things in other words, and
clusters them at every depth, with every group described (threshold 1). `exponent` is the slope between the first and
the last size on a doubly logarithmic scale: 1 is linear, 2 would be the square. With FOLDER (`<project>/*.jsonl`) it
also indexes those transcripts, copied under new ids until there are enough sessions, and times `analyze` and
`snapshot` over all of them. Figures are the best of three runs; run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from math import log
from pathlib import Path
from typing import Any

from axiommind.reports.analysers.bm25 import Corpus
from axiommind.reports.analysers.clusters import clusters
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.prompt_frequency import PromptText, frequencies, normalised
from axiommind.reports.analysers.queries import meet
from axiommind.reports.analysers.tuning import Tuning
from axiommind.text.keywords import keywords

SEED = 7
_VERBS = "fix add rename remove explain review test deploy move update 수정 삭제 배포 검토 설명"
_THINGS = "login parser cache button index search export upload queue report 로그인 버튼 색인 화면 서버"
VERBS, THINGS = _VERBS.split(), _THINGS.split()
TAILS = ("", " please", " and run the tests", " then commit", "해줘", " 해주세요", " as before", " for the web shop")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--prompts", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--sessions", type=int, default=500)
    args = parser.parse_args()
    shown: dict[str, Any] = {"schema": "axm.bench.clusters.v1", "prompts": {}}
    for size in args.prompts:
        shown["prompts"][str(size)] = measure(made(size))
    first, last = args.prompts[0], args.prompts[-1]
    if last > first:
        small, large = shown["prompts"][str(first)], shown["prompts"][str(last)]
        shown["exponent"] = {
            part: round(log(large[part] / max(small[part], 1e-6)) / log(last / first), 2) for part in small
        }
    if args.folder is not None:
        shown["analyze"] = analyse(args.folder, args.sessions)
    print(json.dumps(shown, indent=1))
    return 0


def made(size: int) -> list[PromptText]:
    """So many different prompts; a fifth of them differ from another by a word or an ending only."""
    mixed = random.Random(SEED)
    texts: dict[str, None] = {}
    while len(texts) < size:
        words = [mixed.choice(VERBS), mixed.choice(THINGS), *(f"w{mixed.randrange(size // 2 + 9)}" for _ in range(3))]
        text = " ".join(words)
        texts[text] = None
        if mixed.random() < 0.2:
            texts[text + mixed.choice(TAILS)] = None
    return [
        PromptText(text, 1_767_600_000_000 + i * 60_000, f"s{i // 20}") for i, text in enumerate(list(texts)[:size])
    ]


def measure(prompts: list[PromptText]) -> dict[str, float]:
    texts = [p.text for p in prompts]
    words = [keywords(text) for text in texts]
    tuning = Tuning()
    corpus = Corpus(words, tuning)
    parts: dict[str, Callable[[], object]] = {
        "words_s": lambda: [keywords(text) for text in texts],
        "endings_s": lambda: normalised(texts),
        "corpus_s": lambda: Corpus(words, tuning),
        "score_500_s": lambda: [meet(corpus, text, DEPTHS["wide"], tuning) for text in texts[:500]],
        "frequencies_s": lambda: frequencies(prompts, True, tuning),
    }
    for name, depth in DEPTHS.items():
        parts[f"{name}_s"] = partial(clusters, prompts, depth, 1, tuning=tuning)
    return {name: round(best(part), 4) for name, part in parts.items()}


def best(work: Callable[[], object], runs: int = 3) -> float:
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def analyse(folder: Path, wanted: int) -> dict[str, Any]:
    from axiommind.config import Config
    from axiommind.memory import Memory, Scope
    from axiommind.reports.analysis.analyst import AnalyzeOptions

    with tempfile.TemporaryDirectory(prefix="axm-clusters-") as base:
        home = Path(base)
        environ = {**os.environ, "HOME": base, "AXM_HOME": str(home / "axm"), "CLAUDE_CONFIG_DIR": str(home / "claude")}
        copy(folder, home / "claude" / "projects", wanted)
        memory = Memory(Config.load(environ), environ=environ, user=home)
        memory.index()
        options = AnalyzeOptions(scope="global")
        names = ("sessions", "prompts", "tool_uses")
        counts = {name: memory.sql(f"select count(*) from {name}", Scope(None))[0][0] for name in names}
        return {
            **counts,
            "analyze_s": round(best(lambda: memory.reports.analyst.analyze(options)), 3),
            "snapshot_s": round(best(lambda: memory.reports.analyst.snapshot(options)), 3),
            "cache_s": round(best(lambda: memory.reports.analyst.cache_files(options)), 3),
            "snapshot_bytes": len(json.dumps(memory.reports.analyst.snapshot(options), ensure_ascii=False).encode()),
        }


def copy(folder: Path, projects: Path, wanted: int) -> None:
    """The transcripts, again and again under new ids, until there are enough sessions."""
    found = [p for p in sorted(folder.glob("*/*.jsonl")) if b'"sessionId"' in p.read_bytes()[:20_000]]
    for number in range(-(-wanted // max(len(found), 1))):
        for path in found:
            target = projects / path.parent.name / f"{number:02d}{path.stem[2:]}.jsonl"
            target.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            stamped = data.replace(b'"uuid":"', b'"uuid":"%02d' % number).replace(b'"id":"', b'"id":"%02d' % number)
            target.write_bytes(stamped if number else data)


if __name__ == "__main__":
    sys.exit(main())
