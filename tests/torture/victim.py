"""A process that is killed many times: it forks a child for each job, and the child does the work.

Run by `faults.py` with the shim loaded. A job on stdin is one line of JSON: the folder of a world, commands of `axm`,
and the fault. What each command answered is appended to a file beside the home before the next one starts: that is
what was acknowledged.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.shell import axm
from tests.torture.migration import one_more
from tests.transcripts import World


def main() -> None:
    shim = ctypes.CDLL(os.environ["LD_PRELOAD"])
    shim.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_int]
    shim.faults_clock.argtypes = [ctypes.c_long, ctypes.c_long]
    shim.faults_calls.restype = shim.faults_reads.restype = ctypes.c_long
    _warm_up()
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            _work(shim, job)
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


def _warm_up() -> None:
    """Every module that the commands load, loaded once and not in each child."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for command in (("index",), ("learn",), ("rebuild",), ("pad", "list"), ("search", "x")):
            axm(world, *command)


def give(text: str) -> None:
    """A hook reads the descriptor itself, not Python's stream."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    os.dup2(reading, 0)
    os.close(reading)


def _work(shim: ctypes.CDLL, job: dict[str, Any]) -> None:
    """What the child does; it never returns."""
    code = 70
    try:
        world = World(Path(job["world"]))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so does it write
        if job["migration"]:
            one_more()
        shim.faults_clock(*job["clock"])
        shim.faults_arm(os.fsencode(world.home), os.fsencode(job["report"]), job["at"], job["mode"])
        with Path(job["acknowledged"]).open("a", encoding="utf-8") as told:
            for command in job["commands"]:
                give(command.get("stdin") or "")
                done = axm(world, *command["args"], stdin=command.get("stdin"), **job["environ"])
                answer = {"args": command["args"], "code": done.returncode, "out": done.stdout, "err": done.stderr}
                told.write(json.dumps(answer) + "\n")
                told.flush()
            told.write(json.dumps({"calls": shim.faults_calls(), "reads": shim.faults_reads()}) + "\n")
        code = 0
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
