"""Every error a user may meet, drawn as a tree:

AxmError
├── UsageError            the command line is wrong                    exit 2
├── NotFound              what was asked for is not there              exit 1
├── BadQuery              the SQL or a perspective's parameter         exit 1
│   └── QueryLimit        the query ran into its time or row limit     exit 1
├── PersonOnly            an agent asked for what only a person does   exit 1
├── NeedsPerson           an agent's request waits for a person        exit 3
├── Changed               somebody else wrote it meanwhile             exit 3
├── MissingExtra          an optional part is not installed            exit 1
├── PluginError           another package's plugin cannot be used      exit 1
├── EmbedderError         a model cannot make vectors, or made none    exit 1
├── VectorError           a vector that no store can keep              exit 1
├── RemoteFailed          a remote cannot be reached, or is not sound  exit 3
├── StoreError            a file of ours cannot be used                exit 3
│   ├── LogCorrupt        log.db is damaged: nothing is overwritten
│   ├── LogLost           log.db is not the log that index.db was made from: both are kept
│   ├── IndexCorrupt      index.db is damaged: it can be rebuilt
│   ├── BackupDamaged     a backup is not what was written: nothing is restored from it
│   ├── VectorsCorrupt    a store of vectors is damaged: it is made anew
│   ├── TooNew            written by a newer version of this program
│   ├── Locked            another process kept the lock too long
│   ├── NotWritable       the home cannot be written
│   └── DiskFull          no space left
└── Internal              our mistake                                  exit 4

Each says what happened and to what; `hint` says what to do next and never suggests a destructive command.
"""

from __future__ import annotations

__all__ = [
    "AxmError",
    "BackupDamaged",
    "BadQuery",
    "Changed",
    "DiskFull",
    "EmbedderError",
    "IndexCorrupt",
    "Internal",
    "Locked",
    "LogCorrupt",
    "LogLost",
    "MissingExtra",
    "NeedsPerson",
    "NotFound",
    "NotWritable",
    "PersonOnly",
    "PluginError",
    "QueryLimit",
    "RemoteFailed",
    "StoreError",
    "TooNew",
    "UsageError",
    "VectorError",
    "VectorsCorrupt",
]


class AxmError(Exception):
    """The root: a message for a person, a hint, and the exit code of the command line."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AxmError):
    exit_code = 2


class NotFound(AxmError):
    exit_code = 1


class BadQuery(AxmError):
    exit_code = 1


class QueryLimit(BadQuery):
    exit_code = 1


class PersonOnly(AxmError):
    """An agent asked for something that is a person's alone, and that makes no proposal."""

    exit_code = 1

    def __init__(self, message: str, why: str) -> None:
        super().__init__(
            f"{message}, and you are taken for an agent: {why}",
            hint="run it in a terminal of your own, or pass a token: axm person",
        )


class NeedsPerson(AxmError):
    """An agent asked for what counts only from a person. Nothing was changed; the request waits as a proposal."""

    exit_code = 3

    def __init__(self, proposal: str, what: str, why: str) -> None:
        super().__init__(
            f"nothing was changed: only a person can {what}; it waits as proposal {proposal}",
            hint=f"you are taken for an agent ({why}); a person confirms or declines it: axm review",
        )
        self.proposal = proposal
        self.what = what
        self.why = why


class Changed(AxmError):
    """What was to be changed is not what the caller has read. Nothing was written."""

    exit_code = 3


class MissingExtra(AxmError):
    exit_code = 1


class PluginError(AxmError):
    exit_code = 1


class EmbedderError(AxmError):
    exit_code = 1


class VectorError(AxmError, ValueError):
    exit_code = 1


class RemoteFailed(AxmError):
    exit_code = 3


class StoreError(AxmError):
    exit_code = 3


class LogCorrupt(StoreError):
    pass


class LogLost(StoreError):
    pass


class IndexCorrupt(StoreError):
    pass


class BackupDamaged(StoreError):
    pass


class VectorsCorrupt(StoreError):
    pass


class TooNew(StoreError):
    pass


class Locked(StoreError):
    pass


class NotWritable(StoreError):
    pass


class DiskFull(StoreError):
    pass


class Internal(AxmError):
    exit_code = 4
