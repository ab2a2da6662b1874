"""A resident process answers for hooks: what it has imported, a hook need not import. This is the hook's side.

`axm mcp` runs for as long as its agent's window is open. Meanwhile it listens on a socket in the home, which only its
user can reach. A hook hands over what the client wrote, prints what comes back, and acknowledges it; then the resident
process records it. Where nobody listens, or another version does, the hook answers by itself.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ACK", "MOST_BYTES", "SHARE", "ask", "mark", "received", "sockets_in", "thank"]

SHARE = 0.9  # of the deadline, for the resident process to answer
MOST_BYTES = 10_000_000
_TRIED = 4
ACK = b"\x06"


def sockets_in(home: str) -> str:
    return os.path.join(home, "hooks", "resident")  # noqa: PTH118 - a hook has no time for pathlib


def mark() -> bytes:
    """Which program this is: one that was replaced while a process runs is another one."""
    from axiommind import __version__

    return f"{__version__} {os.stat(__file__).st_mtime_ns}".encode()  # noqa: PTH116


def ask(folder: str, called: str, raw: bytes, environ: Mapping[str, str], until: float) -> tuple[bytes, object] | None:
    """The answer of a resident process, with the connection to acknowledge it on; None where nobody answers. One that
    is there and does not answer before `until` is busy, and so is the machine: then the answer is empty, because to
    begin again would take longer."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return None
    import _socket

    if not hasattr(_socket, "AF_UNIX"):
        return None
    pairs = "\0".join(f"{name}={value}" for name, value in environ.items()).encode("utf-8", "surrogateescape")
    parts = (mark(), called.encode("utf-8", "surrogateescape"), pairs, raw)
    given = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    turn = os.getpid() % max(len(names), 1)  # spread over all of them
    for name in (names[turn:] + names[:turn])[:_TRIED]:
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            line.settimeout(max(until - time.perf_counter(), 0.001))
            line.connect(os.path.join(folder, name))  # noqa: PTH118
            line.sendall(given)
            answer = received(line, until)
            if answer is not None:
                return answer, line
        except ConnectionRefusedError:  # of a process that was killed
            _unlink(os.path.join(folder, name))  # noqa: PTH118
        except TimeoutError:
            return b"", None
        except OSError:
            pass  # not one of ours
        line.close()
    return None


def _unlink(path: str) -> None:
    try:  # noqa: SIM105 - contextlib takes a millisecond to import
        os.unlink(path)  # noqa: PTH108
    except OSError:
        pass


def thank(line: object) -> None:
    """Acknowledge that the answer has reached the client."""
    try:  # noqa: SIM105 - contextlib takes a millisecond to import
        line.sendall(ACK)  # type: ignore[attr-defined]
    except OSError:
        pass


def received(line: object, until: float) -> bytes | None:
    """One message: its length, then its bytes; None where the other side hangs up."""
    data = b""
    wanted = 4
    while len(data) < wanted:
        line.settimeout(max(until - time.perf_counter(), 0.001))  # type: ignore[attr-defined]
        part = line.recv(1 << 16)  # type: ignore[attr-defined]
        if not part:
            return None
        data += part
        if len(data) >= 4:
            wanted = 4 + min(int.from_bytes(data[:4], "big"), MOST_BYTES)
    return data[4:wanted]
