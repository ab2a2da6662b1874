"""Answering for hooks in a resident process: the other side of `resident_client`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from axiommind.private import make_private
from axiommind.surfaces.hooks import HandedOver
from axiommind.surfaces.hooks.resident_client import ACK, MOST_BYTES, mark, sockets_in

__all__ = ["listening"]


@contextmanager
def listening(home: str) -> Iterator[bool]:
    """Answer for hooks as long as this lasts; False where it cannot listen, which does no harm."""
    import socket
    import threading

    folder = sockets_in(home)
    path = os.path.join(folder, str(os.getpid()))  # noqa: PTH118
    if not hasattr(socket, "AF_UNIX"):
        yield False
        return
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        make_private(folder)
        _sweep(folder)
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108
        door.bind(path)
        os.chmod(path, 0o600)  # noqa: PTH101
        door.listen(64)
    except OSError:  # not ours to write, or its name is too long for a socket
        door.close()
        yield False
        return
    own = mark()

    def open_door() -> None:
        # Loaded now, so that the first call need not wait for them.
        import axiommind.recall.question
        import axiommind.recall.recall
        import axiommind.search.find
        import axiommind.search.relevance
        import axiommind.surfaces.render.recall  # noqa: F401

        while True:
            try:
                line, _ = door.accept()
            except OSError:
                return
            threading.Thread(target=_attend, args=(line, own), daemon=True).start()

    threading.Thread(target=open_door, daemon=True).start()
    try:
        yield True
    finally:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108
        door.close()


def _sweep(folder: str) -> None:
    """Remove the sockets of processes that were killed."""
    for name in os.listdir(folder):  # noqa: PTH208
        if name.isdecimal():
            try:
                os.kill(int(name), 0)
            except ProcessLookupError:
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))  # noqa: PTH108, PTH118
            except OSError:
                pass


def _attend(line: object, own: bytes) -> None:
    """One call of a hook: read it, answer it, and record it once the client has the answer."""
    until = time.perf_counter() + 1.0
    try:
        parts = _parts(line, until)
        if parts is None or parts[0] != own:
            return
        called = parts[1].decode("utf-8", "surrogateescape")
        pairs = parts[2].decode("utf-8", "surrogateescape").split("\0")
        environ = dict(pair.partition("=")[::2] for pair in pairs if pair)
        call = HandedOver(called, parts[3], environ)
        data = call.data
        line.sendall(len(data).to_bytes(4, "big") + data)  # type: ignore[attr-defined]
        line.settimeout(1.0)  # type: ignore[attr-defined]
        call.finish(has_reached=line.recv(1) == ACK)  # type: ignore[attr-defined]
    except OSError:
        pass  # the hook went on without us
    finally:
        line.close()  # type: ignore[attr-defined]


def _parts(line: object, until: float) -> list[bytes] | None:
    data = b""
    parts: list[bytes] = []
    while len(parts) < 4:
        if len(data) >= 4 and len(data) >= 4 + (size := int.from_bytes(data[:4], "big")):
            parts.append(data[4 : 4 + size])
            data = data[4 + size :]
            continue
        if len(data) > 2 * MOST_BYTES:
            return None
        line.settimeout(max(until - time.perf_counter(), 0.001))  # type: ignore[attr-defined]
        part = line.recv(1 << 16)  # type: ignore[attr-defined]
        if not part:
            return None
        data += part
    return parts
