"""The event log: the only precious thing. Append-only, idempotent by key, redacted before it is written.

`contract.py` says what any engine must do, `sqlite.py` is the engine of one machine, `blobs.py` the one way
in for text. `tests/log/contract.py` is the suite that every engine passes.
"""

from axiommind.log.blobs import Sealed, seal_lines, seal_page, seal_text, unseal
from axiommind.log.contract import EventLog, Finding, Head
from axiommind.log.keys import home_key, key_path, put_key

__all__ = [
    "EventLog",
    "Finding",
    "Head",
    "Sealed",
    "home_key",
    "key_path",
    "put_key",
    "seal_lines",
    "seal_page",
    "seal_text",
    "unseal",
]
