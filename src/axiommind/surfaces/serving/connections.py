"""Connections of the HTTP server: there are only so many, and one that does not get on with its request is closed.

Uvicorn closes a connection that is idle after an answer, but waits for ever for the rest of a header or a body: a few
hundred half-open ones would keep everybody else out. The time for a request runs from its first byte, or from the
connection, to its last; bytes that trickle in do not extend it. Loaded only where HTTP is served.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["ConnectionLimits", "limited_server"]


class ConnectionLimits(NamedTuple):
    """How long a request may take to arrive, how long a connection may be idle, and how many there may be."""

    request_seconds: float = 30
    idle_seconds: int = 10
    connections: int = 64


def limited_server(app: Any, limits: ConnectionLimits, *, grace: int) -> uvicorn.Server:
    """A server for this app, with these limits."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_protocol(limits),
            ws="none",
            log_level="error",
            access_log=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=grace,
        )
    )


def _protocol(limits: ConnectionLimits) -> type[H11Protocol]:
    class LimitedConnection(H11Protocol):
        """Uvicorn's connection with a clock."""

        _clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            held = [one for one in self.connections if not one.transport.is_closing()]
            if len(held) > limits.connections:
                self._make_room(held)
            if not transport.is_closing():
                self._look()

        def _make_room(self, held: list[Any]) -> None:
            """Whoever has kept us waiting the longest goes; if nobody has, it is the one that came last."""
            clocks = {one._clock.when(): one for one in held if one._clock is not None}
            (clocks[min(clocks)] if clocks else self).transport.abort()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _look(self) -> None:
            """Let the clock run exactly while a request is on its way."""
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                self._stop()
            elif self._clock is None and not self.transport.is_closing():
                self._clock = self.loop.call_later(limits.request_seconds, self.transport.abort)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

    return LimitedConnection
