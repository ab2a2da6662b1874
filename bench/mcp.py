"""What the MCP server costs whoever waits for it: a client that starts it, and an agent that asks it.

    python bench/mcp.py [TEXTS] [--workflows 2000] [--scratchpads 20000] [--mb 100] [--starts 20] [--calls 200]
                        [--small] [--tokens] [--json]

Makes a store of workflows with their scratchpads, from shuffled sentences of TEXTS (folders with a `corpus.jsonl`; one
scratchpad in six is partly Korean, one in six partly Chinese) or, without such a folder, from made-up words as rare and
as common as real ones. Then two things are timed.

Starts: from the start of the process to the answers to `initialize`, to `tools/list` and to the first `tools/call`, and
the memory it holds then; the server as it is, and the same one through the SDK, in turns with a bare interpreter,
which is what the figures are to be held against.

Calls: over one server that runs, on the whole store. Each query is asked once, because answers are kept; words are
chosen by how many scratchpads hold them. Goals: `search-workflows` p95 < 50 ms, `append-scratchpad` p95 < 20 ms.

Tokens, as `axiommind.text.estimate` counts them: what `tools/list` costs an agent, and the largest answers over the
store. `--tokens` counts these and times nothing.

The store is in a folder of its own, and is gone afterwards. Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.config import Config
from axiommind.log import home_key
from axiommind.log.sqlite import SqliteLog
from axiommind.projections.runner import Index, Segments
from axiommind.scratchpads.writer import ScratchpadWriter
from axiommind.text.estimate import estimate_tokens

SEED = 7
SMALL, BIG = "append-scratchpad: small ones", "append-scratchpad: one of 1 MB"
GOALS = {"search-workflows": 50.0, SMALL: 20.0, BIG: 20.0}
TEXTS = Path(__file__).parents[2] / "shared" / "bench"
CORPORA = {"en": "lme-pooled-dev", "ko": "welfare-ko-dev", "zh": "cmrc-zh-dev"}
LIGHT = ("-m", "axiommind", "mcp")
THROUGH_SDK = """
import anyio
from mcp.server.stdio import stdio_server
from axiommind.memory import Memory
from axiommind.surfaces.mcp import server

async def main():
    made = server(Memory().stay())
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())

anyio.run(main)
"""
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
A_TRANSACTION = 2_000  # events
SAMPLED = 10  # words are counted in one scratchpad of so many
LARGE = 1_000_000  # bytes of the one large scratchpad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="?", default=TEXTS)
    parser.add_argument("--workflows", type=int, default=2_000)
    parser.add_argument("--scratchpads", type=int, default=20_000)
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--calls", type=int, default=200, help="calls of each kind")
    parser.add_argument("--small", action="store_true", help="a twentieth of the store, few calls")
    parser.add_argument("--tokens", action="store_true", help="only what answers cost an agent")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.small:
        args.workflows, args.scratchpads, args.mb = args.workflows // 20, args.scratchpads // 20, args.mb / 20
        args.starts, args.calls = 5, 40
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the store is taken away then too
    with tempfile.TemporaryDirectory(prefix="axm-mcp-") as base:
        home = Path(base)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": base,
            "AXM_HOME": str(home / "axm"),
            "AXM_LEARN": "off",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
        }
        store = Store.fill(home / "axm", environ, args)
        shown: dict[str, Any] = {"store": store.about, "tokens": tokens(environ, store)}
        if not args.tokens:
            shown["start"] = starts(environ, args.starts, store)
            shown["calls"] = calls(environ, args.calls, store)
    print(json.dumps(shown, indent=1, ensure_ascii=False) if args.json else table(shown))
    return 0


# --- the store ---------------------------------------------------------------------------------------------


class Store(NamedTuple):
    """What is in it, as far as a query has to know."""

    flows: list[str]
    scratchpads: list[str]
    large: str
    shares: dict[str, float]  # of an English word, in how many scratchpads it is
    korean: list[str]
    chinese: list[str]
    about: dict[str, Any]

    @classmethod
    def fill(cls, home: Path, environ: dict[str, str], args: argparse.Namespace) -> Store:
        mixed = random.Random(SEED)
        said, of_what = sentences(args.texts, mixed)
        config = Config.load(environ)
        home.mkdir(parents=True)
        key = home_key(home)
        log = Bulk(config.log_path, key)
        writer = ScratchpadWriter(log, key, None, actor="user")
        flows: list[str] = []
        scratchpads: list[str] = []
        found: Counter[str] = Counter()
        written, sampled, started = 0, 0, time.perf_counter()
        mean = args.mb * 1e6 / args.scratchpads
        each = max(args.scratchpads // args.workflows, 1)
        with log.bulk():
            while len(scratchpads) < args.scratchpads:
                name, more = title(mixed, said["en"]), mixed.choice(said["en"])
                flows.append(writer.create_workflow(name, more, f"/bench/p{len(flows) % 20}", None))
                for _ in range(min(each, args.scratchpads - len(scratchpads), 50)):
                    text = page(mixed, said, min(mixed.lognormvariate(0, 1) * mean / 1.65, LARGE))
                    scratchpads.append(writer.create_scratchpad(flows[-1], title(mixed, said["en"]), text).row.id)
                    written += len(text.encode())
                    if len(scratchpads) % SAMPLED == 0:
                        sampled += 1
                        found.update(set(re.findall(r"[a-z]{3,}", text.lower())))
                    if len(scratchpads) % A_TRANSACTION == 0:
                        log.next()
            flows.append(writer.create_workflow("One large page", "", None, None))
            large = writer.create_scratchpad(flows[-1], "everything", page(mixed, said, LARGE)).row.id
        wrote = time.perf_counter() - started
        started = time.perf_counter()
        index = Index(config.index_path)
        index.tidy(index.catch_up(log, Segments(log)).rows)  # as `axm index` and `axm rebuild` leave it
        folded = time.perf_counter() - started
        index.close()
        log.close()
        about = {
            "workflows": len(flows),
            "scratchpads": len(scratchpads) + 1,
            "text_mb": round(written / 1e6, 1),
            "text": of_what,
            "log_mb": round(config.log_path.stat().st_size / 1e6, 1),
            "index_mb": round(config.index_path.stat().st_size / 1e6, 1),
            "written_s": round(wrote, 1),
            "caught_up_s": round(folded, 1),
        }
        shares = {word: count / sampled for word, count in found.items()}
        korean = sorted({word for s in said["ko"] for word in re.findall(r"[가-힣]{2,4}", s)})
        chinese = sorted({run[: 2 + len(run) % 3] for s in said["zh"] for run in re.findall(r"[一-鿿]{2,8}", s)})
        return cls(flows[:-1], scratchpads, large, shares, korean, chinese, about)


class Bulk(SqliteLog):
    """A log in which many writes of a writer are one commit."""

    @contextmanager
    def bulk(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        yield
        self._db.execute("commit")

    def next(self) -> None:
        self._db.execute("commit")
        self._db.execute("begin immediate")

    @contextmanager
    def atomic(self) -> Iterator[SqliteLog]:
        yield self


def sentences(folder: Path, mixed: random.Random) -> tuple[dict[str, list[str]], str]:
    """Sentences of each language, and where they are from."""
    if all((folder / name / "corpus.jsonl").is_file() for name in CORPORA.values()):
        found = {language: list(read(folder / name / "corpus.jsonl")) for language, name in CORPORA.items()}
        return found, "sentences of " + ", ".join(CORPORA.values())
    words = ["".join(mixed.choices("etaoinshrdlucmfwypvbgk", k=mixed.randint(3, 9))) for _ in range(60_000)]
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    made = {"en": [" ".join(mixed.choices(words, weights, k=14)) + "." for _ in range(100_000)]}
    for language, first, last, length, gap in (("ko", 0xAC00, 0xD7A3, 3, " "), ("zh", 0x4E00, 0x9FA5, 2, "")):
        words = ["".join(chr(mixed.randint(first, last)) for _ in range(length)) for _ in range(8_000)]
        weights = [1 / (rank + 2.7) for rank in range(len(words))]
        made[language] = [gap.join(mixed.choices(words, weights, k=12)) + "." for _ in range(5_000)]
    return made, "made-up words: no real texts were found"


def read(path: Path) -> Iterator[str]:
    for line in path.open(encoding="utf-8"):
        for one in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", json.loads(line)["text"]):
            if 8 < len(one := one.strip()) < 400:
                yield one


def title(mixed: random.Random, said: list[str]) -> str:
    return " ".join(mixed.choice(said).split()[:6])[:80] or "notes"


def page(mixed: random.Random, said: dict[str, list[str]], size: float) -> str:
    """A scratchpad as agents keep them: headings, paragraphs, and now and then another language."""
    parts: list[str] = []
    length = 0
    other = mixed.choice(("ko", "zh", None, None, None, None))
    while length < size:
        if mixed.random() < 0.15:
            parts.append(f"## {title(mixed, said['en'])}")
        language = other if other and mixed.random() < 0.5 else "en"
        parts.append(" ".join(mixed.choices(said[language], k=mixed.randint(1, 4))))
        length += sum(len(part.encode()) + 2 for part in parts[-1:])
    return "\n\n".join(parts).encode()[: max(int(size), 200)].decode(errors="ignore")


# --- starts ------------------------------------------------------------------------------------------------


class Server:
    """One server, and a client that asks one thing at a time."""

    def __init__(self, environ: dict[str, str], command: tuple[str, ...] = LIGHT) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *command],
            env=environ,
            cwd=environ["HOME"],  # and not here, where `mcp` is this file
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._asked = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        self.tell(method, id=self._asked, params=params)
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._asked and "result" in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def tell(self, method: str, **more: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode() + b"\n")
        self._process.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result["content"]
        found: dict[str, Any] = result["structuredContent"]
        return found

    def timed(self, tool: str, **arguments: Any) -> float:
        started = time.perf_counter()
        self.call(tool, **arguments)
        return (time.perf_counter() - started) * 1000

    def rss_mb(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024

    def hello(self) -> None:
        self.ask("initialize", **HELLO)
        self.tell("notifications/initialized")

    def end(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def starts(environ: dict[str, str], runs: int, store: Store) -> dict[str, Any]:
    bare: list[float] = []
    kinds = {"axm mcp": LIGHT, "through the SDK": ("-c", THROUGH_SDK)}
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in kinds}
    word = rare(store)[0]
    for run in range(runs + 1):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], env=environ, check=True)
        one = (time.perf_counter() - started) * 1000
        if run:  # the first one of each finds nothing in memory
            bare.append(one)
        for name, command in kinds.items():
            measured = start(environ, command, word)
            if run:
                times[name].append(measured)
    shown: dict[str, Any] = {"bare": percentiles(bare)}
    for name, all_of in times.items():
        *marks, rss = zip(*all_of, strict=True)
        for what, found in zip(("initialize", "tools/list", "first tools/call"), marks, strict=True):
            shown[f"{name}: {what}"] = percentiles(list(found))
        shown[f"{name}: memory"] = {"rss_mb": round(statistics.median(rss), 1)}
    return shown


def start(environ: dict[str, str], command: tuple[str, ...], word: str) -> tuple[float, ...]:
    """Milliseconds since the start of the process at each answer, and the memory at the last."""
    started = time.perf_counter()
    server = Server(environ, command)
    found: list[float] = []
    try:
        server.hello()
        found.append((time.perf_counter() - started) * 1000)
        server.ask("tools/list")
        found.append((time.perf_counter() - started) * 1000)
        server.call("search-workflows", query=word)
        found.append((time.perf_counter() - started) * 1000)
        return (*found, server.rss_mb())
    finally:
        server.end()


# --- calls -------------------------------------------------------------------------------------------------


def calls(environ: dict[str, str], count: int, store: Store) -> dict[str, Any]:
    mixed = random.Random(SEED + 1)
    kinds = queries(mixed, store, count)
    shown: dict[str, Any] = {}
    server = Server(environ)
    try:
        server.hello()
        for all_of in kinds.values():  # the pages of the index that everybody needs
            for query in all_of[: max(len(all_of) // 10, 1)]:
                server.call("search-workflows", query=query)
        every: list[float] = []
        for kind, all_of in kinds.items():
            times = [server.timed("search-workflows", query=query) for query in all_of[max(len(all_of) // 10, 1) :]]
            shown[f"search-workflows: {kind}"] = percentiles(times)
            every += times if kind != COMMONEST else []
        shown["search-workflows"] = percentiles(every)
        asked = [query for kind, all_of in kinds.items() if kind != COMMONEST for query in all_of]
        mixed.shuffle(asked)
        shown["search-scratchpads"] = percentiles(
            [server.timed("search-scratchpads", query=query) for query in asked[:count]]
        )
        shown["search"] = percentiles(
            [server.timed("search", query=query, project="all") for query in asked[count : 2 * count]]
        )
        ids = mixed.choices(store.scratchpads, k=2 * count)
        shown["get-scratchpad"] = percentiles(
            [server.timed("get-scratchpad", id=scratchpad) for scratchpad in ids[:count]]
        )
        for scratchpad in ids[:5]:
            server.call("append-scratchpad", id=scratchpad, content="warm")
        small = [server.timed("append-scratchpad", id=scratchpad, content=finding(mixed)) for scratchpad in ids[count:]]
        large = [
            server.timed("append-scratchpad", id=store.large, content=finding(mixed)) for _ in range(min(count, 50))
        ]
        shown[SMALL], shown[BIG] = percentiles(small), percentiles(large)
        shown["server"] = {"rss_mb": round(server.rss_mb(), 1)}
    finally:
        server.end()
    return shown


COMMONEST = "a word of nearly every one (not counted)"


def queries(mixed: random.Random, store: Store, count: int) -> dict[str, list[str]]:
    """Different ones of each kind, as many as there are up to a share of `count`."""
    each = max(count // 4, 10)
    of = {share: near(store, share) for share in (0.01, 0.1, 0.33)}
    every = [word for words in (rare(store)[:300], *of.values()) for word in words]

    def some(words: list[str]) -> list[str]:
        return mixed.sample(words, min(each, len(words)))

    return {
        "rare words": some(rare(store)),
        "a word of 1 % of them": some(of[0.01]),
        "a word of 10 %": some(of[0.1]),
        "a word of 33 %": some(of[0.33]),
        "two words": [" ".join(mixed.sample(every, 2)) for _ in range(each)],
        "three words": [" ".join(mixed.sample(every, 3)) for _ in range(each)],
        "Korean": some(store.korean),
        "Chinese": some(store.chinese),
        "mixed": [
            f"{mixed.choice(every)}{mixed.choice(store.chinese)} {mixed.choice(store.korean)}" for _ in range(each)
        ],
        COMMONEST: sorted(store.shares, key=store.shares.__getitem__)[-10:],
    }


def rare(store: Store) -> list[str]:
    least = min(store.shares.values())
    return sorted((word for word, share in store.shares.items() if share <= least), key=_anyhow)


def near(store: Store, share: float, words: int = 60) -> list[str]:
    """The words whose share is nearest to this one."""
    return sorted(store.shares, key=lambda word: (abs(store.shares[word] - share), _anyhow(word)))[:words]


def _anyhow(word: str) -> float:
    """Not by the alphabet: neighbours there share pages of the index."""
    return random.Random(word).random()


def finding(mixed: random.Random) -> str:
    return f"- finding {mixed.getrandbits(40):x}: " + " ".join(
        mixed.choices(("the index", "재시도", "組件", "lock"), k=40)
    )


def percentiles(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    at = {f"p{p}_ms": round(times[min(len(times) * p // 100, len(times) - 1)], 1) for p in (50, 95)}
    return {**at, "max_ms": round(times[-1], 1), "n": len(times)}


# --- tokens ------------------------------------------------------------------------------------------------


def tokens(environ: dict[str, str], store: Store) -> dict[str, int]:
    """What an agent pays for the tools, and for the largest answer of those that read."""
    words = " ".join(near(store, 0.33)[:3])
    large = {"id": store.large}
    asked: dict[str, dict[str, Any]] = {
        "search": {"query": words, "project": "all", "limit": 50},
        "search-workflows": {"query": words, "limit": 20},
        "search-scratchpads": {"query": words, "limit": 50},
        "search-scratchpad-content": {**large, "query": words.split()[0], "context_lines": 50, "max_matches": 50},
        "list-workflows": {"limit": 100},
        "list-scratchpads": {"workflow_id": store.flows[0], "limit": 50, "include_content": True},
        "get-scratchpad": {**large, "include_content": True},
        "get-scratchpad-outline": large,
        "tail-scratchpad": {**large, "full_content": True},
    }
    server = Server(environ)
    try:
        server.hello()
        listed = server.ask("tools/list")
        shown = {f"tools/list ({len(listed['tools'])} tools)": _tokens(listed)}
        return shown | {tool: _tokens(server.call(tool, **given)) for tool, given in asked.items()}
    finally:
        server.end()


def _tokens(value: Any) -> int:
    return estimate_tokens(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


# --- shown -------------------------------------------------------------------------------------------------


def table(shown: dict[str, Any]) -> str:
    store = shown["store"]
    lines = [
        f"{store['workflows']:,} workflows, {store['scratchpads']:,} scratchpads, {store['text_mb']} MB of text "
        f"({store['text']})",
        f"written in {store['written_s']} s (log {store['log_mb']} MB), "
        f"caught up with in {store['caught_up_s']} s (index {store['index_mb']} MB)",
        "",
        *(f"{name:60}{count:>25,} tokens" for name, count in shown["tokens"].items()),
    ]
    if "start" not in shown:
        return "\n".join(lines)
    bare = shown["start"]["bare"]["p50_ms"]
    lines += [
        "",
        f"{'':60}{'n':>5}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}{'x bare':>8}",
    ]
    for name, row in {**shown["start"], **shown["calls"]}.items():
        if "rss_mb" in row:
            lines.append(f"{name:60}{row['rss_mb']:>32} MB")
            continue
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"  goal p95 < {goal:g}: {'met' if row['p95_ms'] < goal else 'MISSED'}"
        lines.append(
            f"{name:60}{row['n']:>5}{row['p50_ms']:>9}{row['p95_ms']:>9}{row['max_ms']:>9}"
            f"{row['p50_ms'] / bare:>8.2f}{verdict}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
