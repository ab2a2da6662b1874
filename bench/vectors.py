"""What vectors cost: texts a second by embedder, and by store building, searching, memory, disk and recall, as JSON.

    python bench/vectors.py [--sizes 10000,100000] [--stores local,lance] [--embedders static] [--dimension 192]

The vectors are random, in clusters of about fifty, and so are the queries; recall is of the ten that an exact search
with 32-bit floats finds. A search is timed in a process of its own, whose peak of memory is told; the first answer is
that of a new process, from its start to its end, with and without what a bare interpreter takes. Needs numpy. Run
nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.errors import AxmError, MissingExtra
from axiommind.vectors.contract import PASSAGES, Vector, VectorRow
from axiommind.vectors.stores import names, open_store

SEED = 7
VERSION = "bench"
K = 10
BATCH = 2_000  # rows in an upsert
CLUSTER = 50
SPREAD = 0.7  # of a vector about the middle of its cluster, whose components have a deviation of 1
WORDS = ("the", "of", "tests", "login", "index", "query", "vector", "session", "error", "file", "branch", "commit")

FIRST = """
import json, sys
from axiommind.vectors.stores import open_store
store = open_store(sys.argv[1], sys.argv[2], write=False)
assert store.near("passages", "bench", json.loads(sys.argv[3]), 10)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000", help="how many vectors (1000000 takes minutes)")
    parser.add_argument("--stores", default=",".join(names()))
    parser.add_argument("--embedders", default="static", help="by name; empty for none")
    parser.add_argument("--dimension", type=int, default=192)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--ask", nargs=3, metavar=("STORE", "FOLDER", "QUERIES"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        print(json.dumps(ask(*args.ask)))
        return 0
    shown: dict[str, Any] = {"dimension": args.dimension, "embedders": {}, "stores": {}}
    for name in filter(None, args.embedders.split(",")):
        shown["embedders"][name] = embedding(name, args.texts)
    for size in map(int, args.sizes.split(",")):
        made = Made(size, args.dimension, args.queries)
        for name in filter(None, args.stores.split(",")):
            shown["stores"].setdefault(name, {})[size] = storing(name, made)
    shown["bare_interpreter"] = percentiles(ran("-c", "pass") for _ in range(10))
    print(json.dumps(shown, indent=1))
    return 0


# --- embedders -----------------------------------------------------------------------------------------


def embedding(name: str, count: int) -> Any:
    try:
        from axiommind.config import Config
        from axiommind.vectors.embedders import Settings, load

        said = Config.load()
        embedder = load(
            Settings(
                name=name,
                model=said.embed_model,
                url=said.embed_url,
                key_env=said.embed_key_env,
                seconds=said.embed_seconds,
                path=said.embed_path,
                home=said.home,
            )
        )
    except (ImportError, AxmError) as error:
        return f"skipped: {error}"
    mixed = random.Random(SEED)
    texts = [" ".join(mixed.choices(WORDS, k=mixed.randint(5, 80))) for _ in range(count)]
    embedder.embed(texts[:10])
    started = time.perf_counter()
    for i in range(0, count, 64):
        embedder.embed(texts[i : i + 64])
    took = time.perf_counter() - started
    one = percentiles(timed(lambda text=text: embedder.embed_query(text[:100])) for text in texts[:200])  # type: ignore[misc]
    return {
        "texts_per_s": round(count / took),
        "characters_per_text": sum(map(len, texts)) // count,
        "dimension": embedder.dimension,
        "query": one,
    }


# --- stores --------------------------------------------------------------------------------------------


class Made:
    """Vectors in clusters, queries of the same kind, and the keys that an exact search finds."""

    def __init__(self, size: int, dimension: int, queries: int) -> None:
        import numpy as np

        self.size = size
        rolled = np.random.default_rng(SEED)
        middles = rolled.standard_normal((max(size // CLUSTER, 1), dimension), dtype=np.float32)

        def some(count: int) -> Any:
            found = middles[rolled.integers(0, len(middles), count)]
            found += SPREAD * rolled.standard_normal((count, dimension), dtype=np.float32)
            return found / np.linalg.norm(found, axis=1, keepdims=True)

        self.vectors = np.concatenate([some(min(100_000, size - at)) for at in range(0, size, 100_000)])
        self.queries = some(queries)
        self.nearest = []
        for query in self.queries:
            far = self.vectors @ query
            first = np.argpartition(-far, min(K, size - 1))[:K]
            self.nearest.append({key(int(i)) for i in first})


def key(number: int) -> str:
    """In no order, as ids made of hashes are."""
    return f"{number * 2654435761 % (1 << 32):08x}{number:08x}"


def storing(name: str, made: Made) -> Any:
    with tempfile.TemporaryDirectory(prefix="axm-vectors-") as base:
        folder = Path(base)
        try:
            store = open_store(name, folder, write=True)
        except MissingExtra as error:
            return f"skipped: {error} ({error.hint})"
        started = time.perf_counter()
        for at in range(0, made.size, BATCH):
            vectors = made.vectors[at : at + BATCH]
            store.upsert(
                PASSAGES,
                VERSION,
                [VectorRow(key(at + i), 0, at + i, f"{at + i:016x}", v) for i, v in enumerate(vectors)],
            )
        store.tidy()
        shown: dict[str, Any] = {"build_s": round(time.perf_counter() - started, 1), "bytes": store.size()}
        again = [VectorRow(key(i * 97 % made.size), 0, i, "again", made.vectors[i * 97 % made.size]) for i in range(64)]
        shown["upsert_64_again_ms"] = round(timed(lambda: store.upsert(PASSAGES, VERSION, again)), 1)
        store.tidy()
        store.close()
        asked = folder / "queries.json"
        asked.write_text(json.dumps(made.queries.tolist()))
        command = [sys.executable, __file__, "--ask", name, str(folder), str(asked)]
        answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        hits = sum(len(wanted & set(found)) for wanted, found in zip(made.nearest, answer.pop("found"), strict=True))
        shown |= answer
        shown[f"recall_at_{K}"] = round(hits / (K * len(made.nearest)), 4)
        query = json.dumps(made.queries[0].tolist())
        first = percentiles(ran("-c", FIRST, name, str(folder), query) for _ in range(10))
        bare = percentiles(ran("-c", "pass") for _ in range(10))
        shown["first_answer"] = first
        shown["first_answer_less_bare_p50_ms"] = round(first["p50_ms"] - bare["p50_ms"], 1)
        store = open_store(name, folder, write=True)
        shown["delete_10_s"] = round(
            timed(lambda: store.delete(PASSAGES, VERSION, list(map(key, range(10))))) / 1000, 2
        )
        store.close()
    return shown


def ask(name: str, folder: str, queries: str) -> dict[str, Any]:
    """Every query once, after a few; the peak of memory with numpy but without the vectors that are searched for."""
    import numpy as np

    vectors: list[Vector] = [np.array(query, dtype=np.float32) for query in json.loads(Path(queries).read_text())]  # type: ignore[misc]
    before = peak_mb()
    store = open_store(name, folder if "://" in folder else Path(folder), write=False)
    for vector in vectors[:5]:
        store.near(PASSAGES, VERSION, vector, K)
    found: list[list[str]] = []

    def one(vector: Vector) -> None:
        found.append([near.key for near in store.near(PASSAGES, VERSION, vector, K)])

    times = percentiles(timed(lambda vector=vector: one(vector)) for vector in vectors)  # type: ignore[misc]
    store.close()
    return {"search": times, "peak_mb": peak_mb(), "peak_mb_before": before, "found": found}


# --- measuring -----------------------------------------------------------------------------------------


def timed(run: Any) -> float:
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def ran(*args: str) -> float:
    return timed(lambda: subprocess.run([sys.executable, *args], env=dict(os.environ), check=True))


def peak_mb() -> int:
    """Of this process. Linux's `ru_maxrss` begins with that of the process that started this one, so not by it."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 // 1_000_000
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 1_000_000


def percentiles(times: Iterator[float]) -> dict[str, float]:
    ordered = sorted(times)
    at = {f"p{p}_ms": round(ordered[math.ceil(len(ordered) * p / 100) - 1], 2) for p in (50, 95)}
    return {**at, "max_ms": round(ordered[-1], 2)}


if __name__ == "__main__":
    raise SystemExit(main())
