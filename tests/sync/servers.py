"""Real servers for tests, each started on a free port of this machine and ended with its fixture."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.counting import wait_for

__all__ = ["free_port", "moto", "running"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(command: list[str], log: Path, **named: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process, until the block ends; what it says goes into a file."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, **named)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def moto(folder: Path) -> Iterator[str]:
    """The endpoint of a server of S3."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        pytest.skip("moto is not installed: pip install -e '.[test-sync]'")
    endpoint = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with running(command, folder / "moto.log", env={**os.environ, "PYTHONWARNINGS": "ignore"}) as process:
        wait_for(lambda: process.poll() is not None or _answers(endpoint))
        yield endpoint


def _answers(endpoint: str) -> bool:
    try:
        with urlopen(f"{endpoint}/moto-api/", timeout=5):
            return True
    except (URLError, OSError):
        return False
