"""One run of `ssh`: what goes to the host and comes from it, and in words why it ended.

Nothing waits for ever: ssh gives up a host that does not answer, and where a connection stands but nothing moves on it,
it is ended here.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

from axiommind import __version__
from axiommind.errors import RemoteFailed
from axiommind.sync.remotes import _ssh_frames as frames

__all__ = ["PATIENCE", "Connection", "ConnectionLost", "NoProgram"]

PATIENCE = 120.0  # seconds in which nothing moves
_CHUNK = 1 << 16
_NOISE = 1 << 16  # what the login of a host may print before our first line
_SAID = 4_096
_ENDING = 5.0
# What is said where a program is not found: by shells, by Windows' two, and by ours where it is too old.
_NOT_FOUND = re.compile(
    r"not found|no such file or directory|is not recognized|command not known|unknown command", re.IGNORECASE
)
_TOO_OLD = re.compile(r"no command 'sync-serve'|invalid choice: 'sync-serve'")


class ConnectionLost(Exception):
    """It ended before an answer was there."""

    def __init__(self, failure: RemoteFailed) -> None:
        super().__init__(failure.message)
        self.failure = failure


class NoProgram(ConnectionLost):
    """The host let us in and has no such program."""


class Connection:
    """An `ssh` that is running, and greeted."""

    def __init__(self, command: Sequence[str], host: str, environ: Mapping[str, str]) -> None:
        self._host = host
        self._said = b""
        self._moved = 0.0  # when something last moved; 0: nobody waits
        self._is_late = False
        self._ended = threading.Event()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=dict(environ),
            )
        except OSError as error:
            raise RemoteFailed(f"ssh cannot be started: {error}", hint="try it yourself: ssh " + host) from error
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._listen, self._watch)]
        for one in self._threads:
            one.start()
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def exchange(self, message: bytes) -> bytes:
        """The answer to a message. After anything else than an answer there is no connection any more."""
        self._moved = time.monotonic()
        try:
            self._write(message)
            answer = frames.read_frame(self._read)
            if answer is None:
                raise self._lost()
        except OSError as error:
            raise self._lost() from error
        except BaseException:
            self.close()
            raise
        finally:
            self._moved = 0.0
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None
        self._ended.set()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # which ends the other side
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for one in self._threads:
            one.join()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    # --- bytes ------------------------------------------------------------------------------------------------

    def _write(self, message: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(message)
        while view:
            written = self._process.stdin.write(view[:_CHUNK])
            view = view[written or 0 :]
            self._moved = time.monotonic()

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        found = bytearray()
        while len(found) < size and (some := self._process.stdout.read(min(_CHUNK, size - len(found)))):
            found += some
            self._moved = time.monotonic()
        return bytes(found)

    def _listen(self) -> None:
        """Keep the last words that ssh and the host say beside the answers."""
        assert self._process.stderr is not None
        while some := self._process.stderr.read(_SAID):
            self._said = (self._said + some)[-_SAID:]

    def _watch(self) -> None:
        while not self._ended.wait(min(1.0, PATIENCE / 4)):
            if self._moved and time.monotonic() - self._moved > PATIENCE:
                self._is_late = True
                self._process.kill()
                return

    # --- the beginning and the end ----------------------------------------------------------------------------

    def _greet(self) -> None:
        """The first line of the host, after whatever its login prints."""
        self._moved = time.monotonic()
        noise = 0
        line = b""
        while noise < _NOISE:
            some = self._read(1)
            if not some:
                raise self._lost()
            line += some
            noise += 1
            if some == b"\n":
                if found := frames.GREETING.fullmatch(line):
                    self._moved = 0.0
                    self._require_version(int(found[1]), found[2].decode())
                    return
                line = b""
        raise RemoteFailed(
            f"{self._host} prints much and never greets as AxiomMind does",
            hint="what does its login print? Look with: ssh " + self._host + " true",
        )

    def _require_version(self, version: int, theirs: str) -> None:
        if version != frames.VERSION:
            raise RemoteFailed(
                f"AxiomMind {theirs} on {self._host} speaks version {version} of this, and {__version__} here "
                f"{frames.VERSION}",
                hint=f"update AxiomMind {'on ' + self._host if version < frames.VERSION else 'on this machine'}",
            )

    def _lost(self) -> ConnectionLost:
        """Why it ended, in words that say what to do."""
        self.close()
        host, code = self._host, self._process.returncode
        said = re.sub(r"[^\x20-\x7e\n]", "?", self._said.decode("utf-8", "replace")).strip()
        last = said.splitlines()[-1][:300] if said else f"ssh ended with {code}"
        if self._is_late:
            what = f"nothing has moved on the connection with {host} for {PATIENCE:.0f} seconds"
            return ConnectionLost(RemoteFailed(what, hint="run it again; what was not sent is sent then"))
        if _TOO_OLD.search(said):
            what = f"AxiomMind on {host} is too old to serve a folder"
            return ConnectionLost(RemoteFailed(what, hint=f"update AxiomMind on {host}"))
        if code in (126, 127, 9009) or (code == 1 and _NOT_FOUND.search(said)):
            what = f"there is no axm on {host}: {last}"
            hint = "install AxiomMind there (pipx install axiommind), or say where it is: ssh://…?axm=/path/to/axm"
            return NoProgram(RemoteFailed(what, hint=hint))
        for pattern, hint in _HINTS:
            if re.search(pattern, said, re.IGNORECASE):
                return ConnectionLost(
                    RemoteFailed(f"ssh cannot connect to {host}: {last}", hint=hint.format(host=host))
                )
        return ConnectionLost(
            RemoteFailed(f"the connection with {host} ended: {last}", hint=f"does this work: ssh {host} axm --version")
        )


_HINTS = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "the key of {host} is another one than before: find out why before you trust it; somebody may be in between",
    ),
    ("Host key verification failed", "connect once by hand, and compare the key that it shows: ssh {host}"),
    (
        "Permission denied|Too many authentication failures|no mutual signature",
        "ssh has to get in without a password here: ssh-copy-id {host}, and ssh-add where your key has a passphrase",
    ),
    (
        "resolve hostname|not known|timed out|refused|unreachable|No route",
        "check the name, the port and the network; what was not sent is sent the next time",
    ),
)
