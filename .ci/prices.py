"""The price list that is shipped, made anew of the newest genai-prices: `make prices`.

    python .ci/prices.py [VERSION]

The package is installed into an environment of its own (.venv-prices), and nothing else is: the list holds its version
and today's date. One model a line, so that a change of prices can be read in a diff. Look at it, and run
`pytest tests/prices`, before it is committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".venv-prices"
LIST = ROOT / "src" / "axiommind" / "prices" / "prices.json"


def main() -> int:
    if sys.prefix != str(ENVIRONMENT):
        return _in_own_environment(sys.argv[1:])
    sys.path.insert(0, str(ROOT / "src"))
    from importlib.metadata import version

    from genai_prices.data import providers

    from axiommind.prices.package import PACKAGE, make_table

    made = make_table(providers, f"{PACKAGE} {version(PACKAGE)}", datetime.now(UTC).strftime("%Y-%m-%d"))
    LIST.write_text(written(made), encoding="utf-8")
    models = sum(len(provider["models"]) for provider in made["providers"])
    print(f"{LIST.relative_to(ROOT)}: {models} models of {made['source']}, {LIST.stat().st_size:,} bytes")
    return 0


def written(table: dict[str, Any]) -> str:
    """The list as it is kept: a line for each provider, and one for each of its models."""
    lines = [f'{{"source":{json.dumps(table["source"])},"made":{json.dumps(table["made"])},"providers":[']
    for place, provider in enumerate(table["providers"]):
        named = {key: value for key, value in provider.items() if key != "models"}
        head = json.dumps({**named, "models": []}, separators=(",", ":")).removesuffix("]}")
        models = ",\n".join(json.dumps(model, separators=(",", ":")) for model in provider["models"])
        lines.append(f"{head}\n{models}]}}{',' if place + 1 < len(table['providers']) else ''}")
    return "\n".join([*lines, "]}\n"])


def _in_own_environment(given: list[str]) -> int:
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    wanted = f"genai-prices=={given[0]}" if given else "genai-prices"
    install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--upgrade", wanted]
    if subprocess.run(install, check=False).returncode:
        print(f"{wanted} cannot be had from the package index: the list stays as it is", file=sys.stderr)
        return 3
    return subprocess.run([str(python), __file__], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
