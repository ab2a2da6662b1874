"""A remote over SSH: the contract through a real sshd, what goes wrong, and hostile frames from either side."""

from __future__ import annotations

import io
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from axiommind.errors import AxmError, RemoteFailed, UsageError
from axiommind.sync.remote import LONGEST_SEGMENT, Pushed
from axiommind.sync.remotes import _ssh_connection, open_remote
from axiommind.sync.remotes import _ssh_frames as frames
from axiommind.sync.remotes.ssh import SshRemote, serve
from tests.sync.contract import RemoteContract, chain, hash_of, name
from tests.sync.ssh_server import SshServer, sshd

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the server of these tests is a Unix one")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with sshd(tmp_path_factory.mktemp("ssh")) as found:
        yield found


@pytest.fixture(autouse=True)
def _ssh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "server" in request.fixturenames:
        found = request.getfixturevalue("server")
        found.configure()
        found.know((found.folder / "host.pub").read_text())
        monkeypatch.setenv("PATH", f"{found.folder}/bin{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def place(server: SshServer, tmp_path: Path) -> str:
    return server.url(f"{tmp_path}/a%20folder/memory")


class TestSsh(RemoteContract):
    """The whole contract."""


def failed(url: str) -> AxmError:
    remote = open_remote(url)
    with pytest.raises(AxmError) as raised:
        remote.probe()
    remote.close()
    assert raised.value.hint
    return raised.value


# --- where ------------------------------------------------------------------------------------------------------


def test_a_folder_in_the_home_of_whoever_logs_in(server: SshServer) -> None:
    remote = open_remote(server.url("/~/in-the-home"))
    remote.probe()
    remote.close()
    assert (server.folder / "in-the-home" / "axiommind.json").exists()


def test_the_same_folder_without_ssh(server: SshServer, tmp_path: Path) -> None:
    far, near = open_remote(server.url(f"{tmp_path}/memory")), open_remote(str(tmp_path / "memory"))
    far.probe()
    space, origin = name(), name()
    assert chain(far, space, origin, [b"one", b"two"]) == [Pushed.OK] * 2
    assert near.pull(space, origin, 0) == [b"one", b"two"]
    (tmp_path / "memory" / "seg" / space / origin / "000000000002").write_bytes(b"cut")
    assert near.pull(space, origin, 0) == far.pull(space, origin, 0) == [b"one"]
    assert "not whole" in far.problems()[0]
    far.close()


@pytest.mark.parametrize(
    "url",
    [
        "ssh://host",
        "ssh://host/",
        "ssh:///srv/memory",
        "ssh://-oProxyCommand=touch%20x/srv/memory",
        "ssh://-oProxyCommand=x@host/srv/memory",
        "ssh://host/srv/memory?axm=axm;reboot",
        "ssh://host/srv/memory?axm=-x",
        "ssh://host/srv/memory?key=/id",
        "ssh://me:secret@host/srv/memory",
        "ssh://host/srv%00/memory",
    ],
)
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(UsageError):
        open_remote(url)


def test_what_ssh_is_asked_to_run() -> None:
    remote = open_remote("ssh://Me@MyHost:2222/C:/Users/me/memory?axm=C:/axm.exe", {"PATH": os.environ["PATH"]})
    assert isinstance(remote, SshRemote)
    command = remote._command("C:/axm.exe")
    assert command[-3:] == ["--", "MyHost", "C:/axm.exe sync-serve"]
    assert command[command.index("-p") + 1] == "2222" and command[command.index("-l") + 1] == "Me"
    assert "BatchMode=yes" in command
    assert opened_as("ssh://host/C:/Users/me/memory") == "C:/Users/me/memory"
    assert opened_as("ssh://[::1]/~ana/memory") == "~ana/memory"
    assert opened_as("ssh://host/srv/memory") == "/srv/memory"


def opened_as(url: str) -> str:
    remote = open_remote(url)
    assert isinstance(remote, SshRemote)
    return remote.folder


# --- what goes wrong --------------------------------------------------------------------------------------------


def test_an_axm_that_is_not_there(server: SshServer) -> None:
    said = failed(server.url("/tmp/memory", axm="/nowhere/axm"))
    assert "there is no axm on localhost" in said.message and "pipx install" in said.hint


def test_an_axm_in_the_folder_that_installers_use(server: SshServer, tmp_path: Path) -> None:
    local = server.folder / ".local" / "bin"
    local.mkdir(parents=True)
    (server.programs / "axm").rename(local / "axm")
    try:
        remote = open_remote(server.url(f"{tmp_path}/memory"))
        assert remote.probe() == []
        remote.close()
    finally:
        (local / "axm").rename(server.programs / "axm")


def test_an_axm_that_is_too_old_or_too_new(server: SshServer) -> None:
    old = program(server, "old", "echo \"error: there is no command 'sync-serve'\" >&2; exit 2")
    assert "too old" in failed(server.url("/tmp/memory", axm=old)).message
    new = program(server, "new", "echo 'AXMSYNC 7 9.9.9'; cat")
    said = failed(server.url("/tmp/memory", axm=new))
    assert "9.9.9" in said.message and said.hint == "update AxiomMind on this machine"


def test_a_login_that_prints_something(server: SshServer, tmp_path: Path) -> None:
    noisy = program(server, "noisy", "echo 'Welcome to this machine'; exec axm \"$@\"")
    remote = open_remote(server.url(f"{tmp_path}/memory", axm=noisy))
    assert remote.probe() == []
    remote.close()
    endless = program(server, "endless", "yes AXMSYNC")
    assert "prints much" in failed(server.url("/tmp/memory", axm=endless)).message


def test_a_key_that_is_refused_asks_for_no_password(server: SshServer) -> None:
    server.configure(f"IdentityFile {server.folder}/other", "IdentitiesOnly yes", "PreferredAuthentications password")
    said = failed(server.url("/tmp/memory"))
    assert "Permission denied" in said.message and "without a password" in said.hint


def test_a_host_whose_key_is_unknown_or_another_one(server: SshServer) -> None:
    (server.folder / "known_hosts").write_text("")
    assert "connect once by hand" in failed(server.url("/tmp/memory")).hint
    server.know((server.folder / "other.pub").read_text())
    assert "find out why" in failed(server.url("/tmp/memory")).hint


def test_a_host_that_is_not_there(server: SshServer) -> None:
    assert "check the name" in failed(f"ssh://localhost:{server.port + 1}/tmp/memory").hint
    assert "check the name" in failed("ssh://no-such-host.invalid/tmp/memory").hint


def test_a_host_on_which_nothing_moves(server: SshServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ssh_connection, "PATIENCE", 0.5)
    silent = program(server, "silent", "exec sleep 600")
    assert "nothing has moved" in failed(server.url("/tmp/memory", axm=silent)).message
    greeted = program(server, "greeted", f"echo 'AXMSYNC {frames.VERSION} 1.0'; exec sleep 600")
    assert "nothing has moved" in failed(server.url("/tmp/memory", axm=greeted)).message


def test_a_machine_without_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "no ssh" in failed("ssh://host/srv/memory").message


def test_a_connection_that_was_lost_is_made_anew(server: SshServer, tmp_path: Path) -> None:
    remote = open_remote(server.url(f"{tmp_path}/memory"))
    assert isinstance(remote, SshRemote)
    remote.probe()
    assert remote._connection is not None
    remote._connection._process.kill()
    assert remote.heads(name(), {}) == {}
    remote.close()


def test_a_key_that_may_serve_one_folder_only(server: SshServer, tmp_path: Path) -> None:
    only = program(server, "only", f"exec axm sync-serve {shlex.quote(str(tmp_path / 'ours'))}")
    remote = open_remote(server.url(f"{tmp_path}/ours/memory", axm=only))
    assert remote.probe() == []
    remote.close()
    for elsewhere in (f"{tmp_path}/others", f"{tmp_path}/ours/../others", f"{tmp_path}/ours/link"):
        if elsewhere.endswith("link"):
            Path(elsewhere).symlink_to(tmp_path)
        assert "is not served here" in failed(server.url(elsewhere, axm=only)).message
    assert not (tmp_path / "others").exists()


def program(server: SshServer, called: str, script: str) -> str:
    """Another `axm` on the host."""
    path = server.programs / called
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


# --- hostile frames ---------------------------------------------------------------------------------------------


def framed(packed: bytes) -> bytes:
    return len(packed).to_bytes(4, "big") + packed


def answers(value: object) -> bytes:
    return frames.frame(frames.Given(msgspec.Raw(msgspec.msgpack.encode(value))))


OPENED = answers(None)


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xff\xff\xff",
        framed(b"")[:3],
        framed(b"x" * 100)[:50],
        framed(b"\xc1"),
        framed(b"\x91" * 5_000 + b"\xc0"),
        framed(msgspec.msgpack.encode(["ok"])) + framed(msgspec.msgpack.encode(["yes", 1])),
        answers({"a": 1}) + b"",
        answers({"../x": 1}),
        answers({"a": 0}),
        answers({"a": "1"}),
        answers([b"x"]),
    ],
)
def test_a_hostile_host_is_not_believed(server: SshServer, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ssh_connection, "PATIENCE", 1.0)  # for what is cut, and never goes on
    (server.folder / "sent").write_bytes(f"AXMSYNC {frames.VERSION} 1.0\n".encode() + OPENED + sent)
    hostile = program(server, "hostile", f"cat {server.folder}/sent; exec cat >/dev/null")
    remote = open_remote(server.url("/tmp/memory", axm=hostile))
    try:
        if sent == answers({"a": 1}):
            assert remote.heads(name(), {}) == {"a": 1}, "and one that is not, is"
            return
        with pytest.raises(RemoteFailed):
            remote.heads(name(), {})
    finally:
        remote.close()


@pytest.mark.parametrize(
    ("ask", "sent"),
    [
        (lambda remote: remote.pull("s", "o", 0, 1), answers([b"a", b"b"])),
        (lambda remote: remote.pull("s", "o", 0), answers([bytes(LONGEST_SEGMENT + 1)])),
        (lambda remote: remote.packs("s", "t", ["a"]), answers([{"b": b"x"}, 1])),
        (lambda remote: remote.packs("s", "t", ["a"]), answers([{}, 0])),
        (lambda remote: remote.packs("s", "t", ["a"]), answers([{}, 2])),
        (lambda remote: remote.keys("s", ["a"]), answers([{"a": bytes(70_000)}, 1])),
        (lambda remote: remote.cards("s", "k"), answers({"a/b": b""})),
        (lambda remote: remote.push("s", "o", 1, "", b"a"), answers("perhaps")),
    ],
)
def test_what_was_not_asked_for_is_not_taken(
    server: SshServer, ask: Callable[[SshRemote], object], sent: bytes
) -> None:
    (server.folder / "sent").write_bytes(f"AXMSYNC {frames.VERSION} 1.0\n".encode() + OPENED + sent)
    hostile = program(server, "hostile", f"cat {server.folder}/sent; exec cat >/dev/null")
    remote = open_remote(server.url("/tmp/memory", axm=hostile))
    assert isinstance(remote, SshRemote)
    with pytest.raises(RemoteFailed, match="nothing of it was taken"):
        ask(remote)
    remote.close()


def test_a_host_writes_no_commands_to_the_terminal(server: SshServer) -> None:
    refusal = frames.frame(frames.Denied("\x1b]0;owned\x07\x9b31m", "\x1b[2J"))
    (server.folder / "sent").write_bytes(f"AXMSYNC {frames.VERSION} 1.0\n".encode() + refusal)
    hostile = program(server, "hostile", f"cat {server.folder}/sent; exec cat >/dev/null")
    said = failed(server.url("/tmp/memory", axm=hostile))
    assert not any(one in said.message + said.hint for one in "\x1b\x07\x9b")


def served(sent: bytes, only: Path | None = None) -> list[object]:
    """What a host answers to these bytes."""
    answered = io.BytesIO()
    serve(only, io.BytesIO(sent), answered)
    greeting, _, rest = answered.getvalue().partition(b"\n")
    assert frames.GREETING.fullmatch(greeting + b"\n")
    stream, found = io.BytesIO(rest), []
    while (packed := frames.read_frame(stream.read)) is not None:
        found.append(msgspec.msgpack.decode(packed))
    return found


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xff\xff\xff",
        b"\0\0",
        framed(b"x" * 100)[:50],
        framed(b"\xc1"),
        framed(b"\x91" * 5_000 + b"\xc0"),
        framed(msgspec.msgpack.encode(["system", "reboot"])),
        framed(msgspec.msgpack.encode(["pull", "s", "o", 1, 2, 3])),
        framed(msgspec.msgpack.encode(["pull", "s", "o", "1", 2])),
        framed(msgspec.msgpack.encode(["probe"])),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_a_hostile_machine_is_not_served(tmp_path: Path, sent: bytes) -> None:
    opening = frames.frame(frames.Open(str(tmp_path / "memory")))
    first = b"" if sent == framed(msgspec.msgpack.encode(["probe"])) else opening
    with pytest.raises(RemoteFailed, match="the other side sent"):
        served(first + sent)
    assert not (tmp_path / "memory").exists()


def test_names_and_folders_that_are_none_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    asked = [frames.Open(str(folder)), frames.Probe(), frames.PutKey("..", "s", b"k"), frames.Pull("s", "o", -9, 1)]
    asked += [frames.PutCard("s", "a/b", "c", b""), frames.Pull("s", "o", 1 << 60, 1 << 60), frames.Heads("s", {})]
    found = served(b"".join(map(frames.frame, asked)))
    assert [one[0] for one in found] == ["ok", "ok", "no", "no", "no", "no", "ok"]  # type: ignore[index]
    for wrong in ("relative", "", "\0/x", "C:/memory"):
        assert served(frames.frame(frames.Open(wrong)))[0][0] == "no"  # type: ignore[index]
    outside = served(frames.frame(frames.Open(str(tmp_path))), only=folder)
    assert "not served" in outside[0][1]  # type: ignore[index]


def test_more_packs_than_go_into_an_answer(tmp_path: Path) -> None:
    remote = open_remote(str(tmp_path / "memory"))
    remote.probe()
    packs = {f"{n:064x}": bytes([n]) * (12 << 20) for n in range(5)}
    remote.put_packs("s", "t", packs)
    asked = [frames.Open(str(tmp_path / "memory")), frames.Packs("s", "t", list(packs))]
    (_, (_, (found, done))) = served(b"".join(map(frames.frame, asked)))  # type: ignore[misc]
    assert done == 3 and list(found) == list(packs)[:3]


def test_at_a_terminal_it_says_who_is_meant_to_run_it() -> None:
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "axiommind", "sync-serve"]
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=False)
    os.close(ours), os.close(theirs)
    assert done.returncode == 2 and "you are at a terminal" in done.stderr
    assert hash_of(done.stdout.encode()) == hash_of(b"")
