"""What the standard library loads by itself, as this version of Python has it: that is not ours to save."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

__all__ = ["PARSER", "TUPLE", "loaded_by"]

# A parser loads what colours its help, since 3.14, and a named tuple what reads its annotations.
PARSER = "import argparse; argparse.ArgumentParser().add_argument('--x')"
TUPLE = "import typing; typing.NamedTuple('N', [('x', int)]); exec('class M(typing.NamedTuple):\\n x: int')"


@cache
def loaded_by(code: str = "pass") -> frozenset[str]:
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return frozenset(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
