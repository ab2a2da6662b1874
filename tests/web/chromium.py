"""A real browser over a real server: `make test-web` brings both."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.transcripts import World

__all__ = ["ARGUMENTS", "ASKED", "DISCOUNT", "HOURLY", "PAGES", "Window", "browser_or_skip", "resident_bytes", "served"]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Tests see none of the environment's AXM_ variables, so they are read before.
ASKED = {name: os.environ.get(f"AXM_{name}", "") for name in ("BROWSER", "AXE", "SHOTS")}
HOURLY = "db5b5fab-8f4d-4e27-9da1-494c73cf256d"
DISCOUNT = "b39cfd4b-8abe-4d78-8520-10116895cea8"
PAGES = (
    "/",
    "/search?q=cart+total",
    "/search",
    "/sessions",
    f"/session/{HOURLY}",
    f"/session/{DISCOUNT}?at=4",
    "/memory",
    "/memory/proposals",
    "/memory/conflicts",
    "/tasks",
    "/scratchpads",
    "/knowledge",
    "/overview?since=",
    "/recall?prompt=why+does+the+cart+show+a+stale+total&project=/home/dev/teashop",
    "/health",
    "/nothing-here",
)


def browser_or_skip() -> Any:
    """Debian's Chromium, driven by Playwright; where either is missing, the test says so and is skipped."""
    if not ASKED["BROWSER"]:
        pytest.skip("make test-web runs it")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test-web")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    return api, path


@contextmanager
def served(world: World, **environ: str) -> Iterator[tuple[str, str, int]]:
    """`axm serve` over a home, started by a person: its address, its code, and its process."""
    command = [sys.executable, "-m", "axiommind", "serve", "--port", "0"]
    with subprocess.Popen(command, env=world.environ | environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"(http://\S+)/\?code=(\S+)", said)
        assert found is not None, said + process.stderr.read()
        try:
            yield found[1], found[2], process.pid
        finally:
            process.terminate()
            process.wait(20)


class Window:
    """A page of the browser, and everything that went wrong in it: errors, and requests to anywhere else."""

    def __init__(self, browser: Any, base: str, code: str, **how: Any) -> None:
        self.base = base
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.context = browser.new_context(**{"viewport": {"width": 1360, "height": 900}, **how})
        self.page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.context.on("request", self._request)
        self.page.goto(f"{base}/?code={code}")
        self.page.wait_for_url(f"{base}/")

    def go(self, path: str) -> Any:
        """Open a page, and wait until what it fetches is there."""
        self.page.goto(self.base + path)
        self.settle()
        return self.page

    def settle(self) -> None:
        self.page.wait_for_function(
            "() => ![...document.querySelectorAll('[data-part], .chart-body')]"
            ".some((one) => !one.dataset.full && one.getBoundingClientRect().top < innerHeight + 400)"
        )

    def close(self) -> None:
        self.context.close()

    def _heard(self, message: Any) -> None:
        # A page that is not there is one of those that are looked at.
        if message.type in ("error", "warning") and "404" not in message.text and "409" not in message.text:
            self.wrong.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        self.asked.append(request.url)
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"outside: {request.url}")


def resident_bytes(pid: int) -> int:
    """The memory that a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")
