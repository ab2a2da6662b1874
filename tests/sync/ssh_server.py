"""A real sshd on a port of its own, and an `ssh` that knows its key: what a user's configuration would say is in a file
of the test's."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.counting import wait_for
from tests.sync.servers import free_port, running

__all__ = ["SshServer", "sshd"]


class SshServer(NamedTuple):
    """A server, and the folder of the test with `bin/ssh`, which reads `config`."""

    folder: Path
    port: int
    programs: Path  # what is on the PATH of whoever logs in

    def url(self, path: str, **options: str) -> str:
        more = "&".join(f"{name}={value}" for name, value in options.items())
        return f"ssh://{getuser()}@localhost:{self.port}{path}" + (f"?{more}" if more else "")

    def configure(self, *lines: str) -> None:
        """What the user's configuration of ssh says, the later line weaker."""
        ours = (f"IdentityFile {self.folder}/key", f"UserKnownHostsFile {self.folder}/known_hosts")
        strict = ("IdentitiesOnly yes", "IdentityAgent none", "StrictHostKeyChecking ask", "GlobalKnownHostsFile none")
        (self.folder / "config").write_text("\n".join([*lines, *ours, *strict]) + "\n")

    def know(self, key: str) -> None:
        (self.folder / "known_hosts").write_text(f"[localhost]:{self.port} {key}\n")


@contextmanager
def sshd(folder: Path) -> Iterator[SshServer]:
    """A server that runs commands as whoever runs the tests."""
    program = shutil.which("sshd") or "/usr/sbin/sshd"
    if not Path(program).exists() or not shutil.which("ssh"):
        pytest.skip("sshd is not here: apt-get install openssh-server")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # as Debian's own start does: sshd of root wants it
    for name in ("host", "key", "other"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(command, check=True)
    (folder / "authorized_keys").write_bytes((folder / "key.pub").read_bytes())
    (folder / "programs").mkdir()
    axm = folder / "programs" / "axm"
    axm.write_text(f'#!/bin/sh\nexec {shlex.quote(str(Path(sys.executable).with_name("axm")))} "$@"\n')
    axm.chmod(0o755)
    (folder / "sshd_config").write_text(
        f"""HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized_keys
ListenAddress 127.0.0.1
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv PATH={folder}/programs:/usr/bin:/bin HOME={folder}
"""
    )
    found = SshServer(folder, free_port(), folder / "programs")
    found.configure()
    found.know((folder / "host.pub").read_text())
    (folder / "bin").mkdir()
    ssh = folder / "bin" / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
    ssh.chmod(0o755)
    log = folder / "sshd.log"
    command = [program, "-D", "-e", "-f", str(folder / "sshd_config"), "-p", str(found.port)]
    with running(command, log) as process:
        wait_for(lambda: process.poll() is not None or b"Server listening" in log.read_bytes(), "sshd")
        if process.poll() is not None:
            pytest.skip(f"sshd does not start here: {log.read_text()[-300:]}")
        yield found
