"""The bytes of the model that comes with the program, and of what it was made by: `python training/manifest.py` writes
manifest.json, `tests/supply` compares. A model cannot be trained byte for byte again (a GPU adds in another order), so
this is what says that the bytes are those that were trained, and that its grams are those that searching uses."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
MANIFEST = Path(__file__).with_name("manifest.json")
MODEL = "src/axiommind/vectors/model/static.bin"
GRAMS = "src/axiommind/vectors/embedders/_grams.py"


def manifest() -> dict[str, str]:
    """The SHA-256 of the model, of the grams that are part of it, and of every file that says how it was made."""
    recipe = (path for path in (ROOT / "training").iterdir() if path.suffix in (".py", ".txt", ".json"))
    kept = [f"training/{path.name}" for path in recipe if path not in (MANIFEST, Path(__file__))]
    return {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in [MODEL, GRAMS, *sorted(kept)]}


if __name__ == "__main__":
    MANIFEST.write_text(json.dumps(manifest(), indent=2) + "\n", encoding="utf-8")
