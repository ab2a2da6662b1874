"""A remote in a bucket that speaks S3: s3://BUCKET/PREFIX, with ?endpoint=, ?region= and ?profile= where needed.

Who may enter is looked up where every program for S3 looks: the environment (AWS_ACCESS_KEY_ID …), the files of the AWS
command line, the role of the machine. Segments are made by a conditional write (If-None-Match), of which exactly one
succeeds. Some servers ignore the condition without a word: `probe` finds out and notes it in the place itself, and
there everybody looks first and reads back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra, RemoteFailed, UsageError
from axiommind.sync.remotes import RemoteUrl, _aws
from axiommind.sync.remotes._objects import ObjectRemote

if TYPE_CHECKING:
    from obstore.store import S3Store

__all__ = ["SCHEMES", "open"]

SCHEMES = ("s3",)

T = TypeVar("T")


def open(address: RemoteUrl) -> ObjectRemote:  # noqa: A001 - what the registry asks of every kind
    address.only("endpoint", "region", "profile")
    if not address.host or address.user or address.port is not None:
        raise UsageError("a URL of a bucket is s3://bucket/prefix", hint="the server goes into ?endpoint=https://…")
    return ObjectRemote(_Bucket(address))


class _Bucket:
    """Objects under a prefix of a bucket."""

    at_once = 16

    def __init__(self, address: RemoteUrl) -> None:
        self.url = address.url
        self.is_exclusive = True
        self._address = address
        self._opened: S3Store | None = None

    def prepare(self) -> None:
        """A bucket is made by whoever pays for it."""

    def create(self, name: str, content: bytes) -> bool:
        from obstore.exceptions import AlreadyExistsError

        if not self.is_exclusive:
            if self.is_there(name):
                return False
            self.replace(name, content)
            return self.read(name, len(content)) == content
        try:
            self._asked(lambda put, store: put(store, name, content, mode="create", use_multipart=False), "put")
        except AlreadyExistsError:
            return False
        return True

    def replace(self, name: str, content: bytes) -> None:
        self._asked(lambda put, store: put(store, name, content, mode="overwrite", use_multipart=False), "put")

    def read(self, name: str, most: int) -> bytes | None:
        def read(get: Any, store: S3Store) -> bytes | None:
            found = get(store, name)
            return bytes(found.bytes()) if found.meta["size"] <= most else None

        try:
            return self._asked(read, "get")
        except FileNotFoundError:
            return None

    def is_there(self, name: str) -> bool:
        try:
            self._asked(lambda head, store: head(store, name), "head")
        except FileNotFoundError:
            return False
        return True

    def files(self, folder: str, after: str = "") -> list[str]:
        def names(listed: Any, store: S3Store) -> list[str]:
            pages = listed(store, f"{folder}/", offset=f"{folder}/{after}" if after else None)
            return [one["path"].removeprefix(f"{folder}/") for page in pages for one in page]

        return [name for name in self._asked(names, "list") if "/" not in name]

    def folders(self, folder: str) -> list[str]:
        def names(listed: Any, store: S3Store) -> list[str]:
            return list(listed(store, f"{folder}/")["common_prefixes"])

        return [one.rstrip("/").rpartition("/")[2] for one in self._asked(names, "list_with_delimiter")]

    def delete(self, name: str) -> None:
        try:
            self._asked(lambda delete, store: delete(store, name), "delete")
        except FileNotFoundError:
            return

    def problems(self) -> list[str]:
        return []

    def close(self) -> None:
        self._opened = None

    def _asked(self, ask: Callable[[Any, S3Store], T], what: str) -> T:
        """The answer to one call of obstore. What is not there, or is there already, is for the caller."""
        store = self._store()
        import obstore
        from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            return ask(getattr(obstore, what), store)
        except AlreadyExistsError:
            raise
        except FileNotFoundError as error:
            if "NoSuchBucket" not in str(error):
                raise
            raise RemoteFailed(
                f"there is no bucket {self._address.host} where {self.url} looks for it",
                hint="make it where your buckets are made, and keep it private; or check its name, endpoint and region",
            ) from error
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise RemoteFailed(
                f"{self.url} lets nobody in with these credentials: {_short(error)}",
                hint="it needs GetObject, PutObject, DeleteObject and ListBucket under this prefix: docs/sync.md",
            ) from error
        except (BaseError, OSError) as error:
            raise RemoteFailed(
                f"{self.url} cannot be reached: {_short(error)}",
                hint="check the address, the bucket and the network; what was not sent is sent the next time",
            ) from error

    def _store(self) -> S3Store:
        if self._opened is None:
            try:
                from obstore.store import S3Store
            except ImportError as error:
                raise MissingExtra(
                    "a remote in a bucket needs obstore, which is not installed", hint=extra_command("s3")
                ) from error
            self._opened = S3Store(
                self._address.host,
                prefix=self._address.path.strip("/") or None,
                config=_aws.config(self._address),
                client_options={"allow_http": True, "connect_timeout": "10s", "read_timeout": "60s", "timeout": "600s"},
                retry_config={"max_retries": 3},
                credential_provider=_aws.provider(self._address),
            )
        return self._opened


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
