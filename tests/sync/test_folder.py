"""A remote in a folder: the contract, and what happens to files."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.remote import Pushed, Remote
from axiommind.sync.remotes import open_remote, schemes
from tests.sync.contract import RemoteContract, chain, hash_of


class TestFolder(RemoteContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> str:
        return str(tmp_path / "a folder" / "memory")


class TestWithoutHardLinks(TestFolder):
    """FAT on a stick, some shares: links are refused, and a name is taken by renaming under a lock."""

    @pytest.fixture(autouse=True)
    def _no_links(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_args: object, **_named: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def remote(root: Path) -> Remote:
    found = open_remote(str(root))
    found.probe()
    return found


def segment_of(root: Path, space: str, origin: str, n: int) -> Path:
    return root / "seg" / space / origin / f"{n:012d}"


def everything(root: Path) -> list[str]:
    return sorted(str(one.relative_to(root)) for one in root.rglob("*") if one.is_file())


def test_what_is_in_the_folder(root: Path, remote: Remote) -> None:
    chain(remote, "space", "origin", [b"a", b"b"])
    remote.put_packs("space", "Session", {"hash": b"p"})
    remote.put_key("space", "con", b"k")
    remote.put_card("space", "members", "alice", b"c")
    assert everything(root) == [
        "axiommind.json",
        "cards/space/members/alice",
        "keys/space/con!",
        "packs/space/!session/hash",
        "seg/space/origin/000000000001",
        "seg/space/origin/000000000002",
    ]


@pytest.mark.parametrize("left", [0, 1, 5, 8, 39, 40, 100, -1])
def test_a_file_that_is_cut_is_refused_and_taken_once_it_is_whole(root: Path, remote: Remote, left: int) -> None:
    segments = [b"one", b"two" * 100, b"three"]
    chain(remote, "s", "o", segments)
    path = segment_of(root, "s", "o", 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:left])
    reader = open_remote(str(root))
    assert reader.pull("s", "o", 0) == [b"one"]
    (problem,) = reader.problems()
    assert "000000000002 is not whole" in problem
    path.write_bytes(whole)
    assert reader.pull("s", "o", 0) == segments
    assert reader.problems() == []


def test_whoever_wrote_a_segment_mends_it(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one", b"two" * 100])
    path = segment_of(root, "s", "o", 2)
    path.write_bytes(path.read_bytes()[:60])
    again = open_remote(str(root))
    assert again.push("s", "o", 2, hash_of(b"one"), b"another") is Pushed.FORK
    assert again.push("s", "o", 2, hash_of(b"one"), b"two" * 100) is Pushed.SAME
    assert again.pull("s", "o", 1) == [b"two" * 100]


def test_a_changed_byte_is_noticed(root: Path, remote: Remote) -> None:
    remote.put_key("s", "session", b"wrapped key")
    path = root / "keys/s/session"
    path.write_bytes(path.read_bytes()[:-1] + b"Y")
    assert remote.keys("s", ["session"]) == {}
    remote.put_key("s", "session", b"wrapped key")
    assert remote.keys("s", ["session"]) == {"session": b"wrapped key"}


def test_segments_that_arrive_out_of_order_wait_for_the_missing_one(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one", b"two", b"three"])
    path = segment_of(root, "s", "o", 2)
    aside = path.rename(root / "aside")
    reader = open_remote(str(root))
    assert reader.heads("s", {}) == {"o": 1}
    assert reader.pull("s", "o", 0) == [b"one"]
    aside.rename(path)
    assert reader.heads("s", {"o": 1}) == {"o": 3}
    assert reader.pull("s", "o", 1) == [b"two", b"three"]


@pytest.mark.parametrize(
    "ending", [".sync-conflict-20261119-021500-ABCDEFG", " (Mac's conflicted copy 2026-11-19)", " (conflicted copy)"]
)
def test_a_conflict_copy_is_reported_and_never_read(root: Path, remote: Remote, ending: str) -> None:
    chain(remote, "s", "o", [b"one"])
    path = segment_of(root, "s", "o", 1)
    copy = path.with_name(path.name + ending)
    copy.write_bytes(path.read_bytes())
    assert remote.heads("s", {}) == {"o": 1}
    (problem,) = remote.problems()
    assert str(copy) in problem
    assert "conflict" in problem


def test_forgetting_reaches_conflict_copies_of_a_key(root: Path, remote: Remote) -> None:
    remote.put_key("s", "ab", b"k")
    remote.put_key("s", "abc", b"other")
    keys = root / "keys/s"
    (keys / "ab.sync-conflict-20261119-021500-ABCDEFG").write_bytes((keys / "ab").read_bytes())
    (keys / "abc.sync-conflict-20261119-021500-ABCDEFG").write_bytes(b"of another session")
    remote.destroy("s", "ab")
    assert everything(keys) == ["abc", "abc.sync-conflict-20261119-021500-ABCDEFG"]


def test_what_other_programs_put_there_is_left_alone(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one"])
    folder = segment_of(root, "s", "o", 1).parent
    (root / ".stfolder").mkdir()
    (folder / ".syncthing.000000000002.tmp").write_bytes(b"half")
    (folder / "000000000002.tmp").write_bytes(b"half")
    (folder / "Thumbs.db").write_bytes(b"")
    (root / "seg" / "s" / "New Folder").mkdir()
    assert remote.heads("s", {}) == {"o": 1}
    assert remote.pull("s", "o", 0) == [b"one"]


@pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")
def test_a_pipe_or_a_link_is_not_followed(root: Path, remote: Remote, tmp_path: Path) -> None:
    chain(remote, "s", "o", [b"one", b"two", b"three"])
    secret = tmp_path / "secret"
    segment_of(root, "s", "o", 2).rename(secret)
    segment_of(root, "s", "o", 2).symlink_to(secret)
    assert remote.pull("s", "o", 0) == [b"one"]
    segment_of(root, "s", "o", 1).unlink()
    os.mkfifo(segment_of(root, "s", "o", 1))
    assert remote.pull("s", "o", 0) == []


def test_a_file_that_is_too_long_is_not_read(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one", b"two"])
    with segment_of(root, "s", "o", 2).open("r+b") as file:
        file.truncate(1 << 34)  # a hole: it takes no space
    assert remote.pull("s", "o", 0) == [b"one"]
    assert any("longer" in problem for problem in remote.problems())


def test_a_disk_that_is_not_mounted_is_no_empty_remote(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one"])
    root.rename(root.with_name("elsewhere"))
    root.mkdir()
    with pytest.raises(RemoteFailed, match="no remote at") as failed:
        open_remote(str(root)).push("s", "o", 2, hash_of(b"one"), b"two")
    assert "mounted" in failed.value.hint
    assert list(root.iterdir()) == []


def test_a_newer_format_is_refused(root: Path, remote: Remote) -> None:
    (root / "axiommind.json").write_text('{"format": 2}')
    with pytest.raises(RemoteFailed, match="does not know"):
        open_remote(str(root)).heads("s", {})


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(root: Path, remote: Remote) -> None:
    root.chmod(0o500)
    try:
        with pytest.raises(RemoteFailed, match="cannot be written"):
            chain(remote, "s", "o", [b"one"])
    finally:
        root.chmod(0o700)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RemoteFailed, match="cannot be made"):
        open_remote(str(tmp_path / "file")).probe()


def test_what_a_crash_left_is_removed_a_day_later(root: Path, remote: Remote) -> None:
    chain(remote, "s", "o", [b"one"])
    old, new = root / ".axm-tmp" / "old", root / ".axm-tmp" / "new"
    for one in (old, new):
        one.write_bytes(b"half")
    os.utime(old, (0, 0))
    open_remote(str(root)).probe()
    assert everything(root / ".axm-tmp") == ["new"]


def test_a_path_and_its_url_are_one_remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "with space #1"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    url = folder.as_uri()
    for one in (str(folder), "with space #1", "./with space #1", url, url.replace("file://", "file://localhost")):
        assert open_remote(one).url == url
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_remote("~/with space #1").url == url


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://host/x", "no kind of remote"),
        ("file://host/x", "three slashes"),
        ("file:///x?a=1", "no option 'a'"),
        ("", "a folder or a URL"),
        ("s3://me:pass@bucket/x", "holds a secret"),
        ("s3://bucket/x?secret_access_key=abc", "holds a secret"),
        ("file://[::1/x", "this is no URL"),
        ("ssh://host:notaport/x", "this is no URL"),
        ("file:///x#y", "no part after #"),
    ],
)
def test_urls_that_are_none(url: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as failed:
        open_remote(url)
    assert failed.value.hint
    assert "pass" not in failed.value.message
    assert "abc" not in failed.value.message


def test_the_folder_is_the_registry() -> None:
    assert "file" in schemes()
