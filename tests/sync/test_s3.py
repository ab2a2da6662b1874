"""A remote in a bucket: the contract against a server of S3, credentials, and servers that ignore conditions."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.remote import Pushed
from axiommind.sync.remotes import _aws, open_remote, parse_url
from tests.sync.contract import RemoteContract, chain, hash_of, name
from tests.sync.servers import moto

pytest.importorskip("obstore", reason="obstore is not installed: pip install -e '.[test-sync]'")

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with moto(tmp_path_factory.mktemp("moto")) as found:
        yield found


@pytest.fixture
def bucket(endpoint: str) -> str:
    found = f"b{name()}"
    urlopen(Request(f"{endpoint}/{found}", method="PUT")).close()
    return found


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in list(os.environ):
        if one.startswith("AWS_"):
            monkeypatch.delenv(one)
    for one, value in KEYS.items():
        monkeypatch.setenv(one, value)


@pytest.fixture
def place(endpoint: str, bucket: str) -> str:
    return f"s3://{bucket}/a prefix/memory?endpoint={endpoint}"


class TestS3(RemoteContract):
    """The whole contract."""


class TestS3WithoutPrefix(RemoteContract):
    @pytest.fixture
    def place(self, endpoint: str, bucket: str) -> str:
        return f"s3://{bucket}?endpoint={quote(endpoint, safe='')}"


@pytest.fixture
def careless(endpoint: str) -> Iterator[str]:
    """The same server behind one that drops the condition, as some servers of S3 do without a word."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {key: value for key, value in self.headers.items() if key.lower() != "if-none-match"}
            headers.setdefault("Content-Type", "application/octet-stream")  # urllib would say that it is a form
            try:
                answer = urlopen(Request(endpoint + self.path, content or None, headers, method=self.command))
            except HTTPError as error:
                answer = error
            with answer:
                body = answer.read()
                self.send_response(answer.status)
                for key, value in answer.headers.items():
                    if key.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                        self.send_header(key, value)
                length = answer.headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(body))
                self.send_header("Content-Length", length)
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_args: object) -> None: ...

    for method in ("GET", "PUT", "HEAD", "DELETE", "POST"):
        setattr(Proxy, f"do_{method}", Proxy.pass_on)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_server_that_ignores_conditions_is_found_out_and_everybody_looks_first(careless: str, bucket: str) -> None:
    url = f"s3://{bucket}/memory?endpoint={careless}"
    remote = open_remote(url)
    (warning,) = remote.probe()
    assert "take the place of another" in warning
    assert open_remote(url).probe() == [warning]
    other = open_remote(url)  # another machine, which never probed: the place tells it
    assert chain(remote, "s", "o", [b"one", b"two"]) == [Pushed.OK] * 2
    assert other.push("s", "o", 2, hash_of(b"one"), b"another") is Pushed.FORK
    assert other.push("s", "o", 2, hash_of(b"one"), b"two") is Pushed.SAME
    other.put_key("s", "session", b"k")
    remote.put_key("s", "session", b"another")
    assert remote.keys("s", ["session"]) == {"session": b"k"}
    assert remote.pull("s", "o", 0) == [b"one", b"two"]


def test_more_segments_than_a_page_lists(place: str) -> None:
    remote = open_remote(place)
    remote.probe()
    segments = [str(n).encode() for n in range(1_050)]
    chain(remote, "s", "o", segments)
    reader = open_remote(place)
    assert reader.heads("s", {}) == {"o": 1_050}
    assert reader.heads("s", {"o": 1_049}) == {"o": 1_050}
    assert reader.pull("s", "o", 1_000) == segments[1_000:]
    assert len(reader.pull("s", "o", 0)) == 64


def test_a_bucket_that_is_not_there(endpoint: str) -> None:
    for call in (lambda remote: remote.probe(), lambda remote: remote.heads("s", {})):
        with pytest.raises(RemoteFailed, match="there is no bucket nobodys"):
            call(open_remote(f"s3://nobodys/x?endpoint={endpoint}"))


def test_a_server_that_is_not_there(place: str) -> None:
    with pytest.raises(RemoteFailed, match="cannot be reached"):
        open_remote("s3://bucket/x?endpoint=http://127.0.0.1:9").heads("s", {})


def test_a_key_from_a_profile(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for one in KEYS:
        monkeypatch.delenv(one)
    folder = tmp_path / "user" / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text("[work]\naws_access_key_id = a%b\naws_secret_access_key = c\n")
    (folder / "config").write_text("[profile work]\nregion = eu-central-1\n[profile sso]\nsso_session = x\n")
    remote = open_remote(f"{place}&profile=work")
    assert remote.probe() == []
    assert remote.url == f"{place}&profile=work"
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert open_remote(place).heads("s", {}) == {}
    with pytest.raises(UsageError, match="no profile 'other'"):
        open_remote(f"{place}&profile=other").heads("s", {})


def test_what_the_url_says_comes_before_the_environment_and_that_before_a_profile(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[default]\nregion = p\naws_access_key_id = of-profile\n[profile w]\nregion = w\n")
    files = {"AWS_CONFIG_FILE": str(tmp_path / "config"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none")}

    def config(url: str, **environ: str) -> dict[str, str]:
        return dict(_aws.config(parse_url(url, files | environ)))

    assert config("s3://b") == {"region": "p", "aws_access_key_id": "of-profile"}
    assert config("s3://b?profile=w") == {"region": "w"}
    assert config("s3://b", AWS_REGION="e", AWS_ACCESS_KEY_ID="of-environment") == {
        "region": "e",
        "aws_access_key_id": "of-environment",
    }
    assert config("s3://b?region=u&endpoint=https://x", AWS_REGION="e", AWS_ENDPOINT_URL="https://e")["region"] == "u"


@pytest.mark.parametrize("url", ["s3://", "s3://me@bucket/x", "s3://bucket:9000/x", "s3://bucket/x?endpont=http://x"])
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(UsageError):
        open_remote(url)
