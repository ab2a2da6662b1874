"""Nothing that a command prints steers the terminal, whatever transcripts, file names, settings and arguments say."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind.surfaces.cli import _catalogue as catalogue
from axiommind.surfaces.render.terminal import GuardedStream
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import PROJECT, World

# CSI (7 and 8 bit), OSC 8, BEL, DCS, a title, backspace, a lone carriage return, C1, marks of the writing direction.
ATTACKS = (
    "\x1b[2J\x1b[1;31m",
    "\x9b2J",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
    "\x9d0;title\x9c",
    "\x1bP1$r\x1b\\",
    "\x07\x08\x7f",
    "\x1bc",
    "shown\rhidden",
    "\x85\x90",
    "\u202e\u2066\u200f\u061c",
)
STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
HOSTILE = "".join(ATTACKS)
NAME = "evil\x1b[2J\x07\x9b\u202e"  # as much of it as a file's name may have
# They serve until they are stopped, or read what is typed; and these destroy what the others read.
SERVERS = {"mcp", "hook", "serve"}
LAST = ("forget", "uninstall", "restore", "rebuild")


def leaves() -> list[list[str]]:
    found = []
    for card in catalogue.every_command():
        names = [one.name for one in catalogue.actions(card.name)] if card.is_noun else [card.name]
        found += [name.split() for name in names if card.name not in SERVERS]
    return sorted(found, key=lambda words: (words[0] in LAST, words))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A machine on which every name and every text tries to steer the terminal."""
    world = World(tmp_path_factory.mktemp("hostile"))
    for cwd in (PROJECT, f"/home/dev/{NAME}"):
        session = Session(f"s-{len(cwd)}", cwd=cwd)
        session.prompt(f"Always run the tests before a commit {HOSTILE} please", gitBranch=NAME)
        session.use("Read", HOSTILE, file_path=f"{cwd}/{NAME}.py")
        session.use(f"mcp__{NAME}__x", HOSTILE, error=True, given=HOSTILE)
        session.use("Bash", f"Error: {HOSTILE} no such module", error=True, command=f"make {HOSTILE}")
        session.use("Edit", HOSTILE, file_path=f"{cwd}/{NAME}.py", old_string="a", new_string=HOSTILE)
        session.ask(f"Which {HOSTILE} database does the service use?", f"SQLite {HOSTILE}")
        number = session.task(f"Write the {HOSTILE} parser", HOSTILE)
        session.update(number, status="in_progress")
        session.commit(f"fix: {HOSTILE}", HOSTILE)
        session.answer(f"Done {HOSTILE}. The cause was {HOSTILE} in the cache.")
        session.add("summary", summary=f"Title {HOSTILE}", leafUuid="x")
        world.write(session, folder=f"-home-dev-{NAME}" if cwd != PROJECT else "-home-dev-weather")
    (world.projects / f"-{NAME}").mkdir(exist_ok=True)
    (world.projects / f"-{NAME}" / f"{NAME}.jsonl").write_bytes(b"{torn\n" + HOSTILE.encode() + b"\n")
    notes = world.base / f"notes {NAME}"
    notes.mkdir()
    (notes / f"{NAME}.md").write_text(f"# {HOSTILE}\n\n{HOSTILE} text of a page\n", "utf-8")
    world.memory().index()
    world.memory().learning.run()
    axm(world, "kb", "add", str(notes))
    axm(world, "workflow", "create", f"flow {HOSTILE}", "--description", HOSTILE)
    yield world


def test_no_command_prints_what_steers_a_terminal(hostile: World) -> None:
    with sqlite3.connect(hostile.home / "index.db") as db:
        ids = [row[0] for row in db.execute("select entry_id from entries limit 1")]
        ids += [row[0] for row in db.execute("select entity_id from entities where entity_type = 'task' limit 1")]
        ids += [row[0] for row in db.execute("select id from workflows limit 1")]
    found = axm(hostile, "search", "--all-projects", "--json", "cache")
    ids.append(json.loads(found.stdout)["hits"][0]["id"])
    said = 0
    for words in leaves():
        variants = [
            ["--all-projects"],
            ["--all-projects", "--json"],
            [],
            ["--json"],
            [HOSTILE],
            *([name] for name in ids),
        ]
        for more in variants:
            done = axm(hostile, *words, *more, stdin=HOSTILE, cwd=hostile.base)
            said += bool(done.stdout)
            for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
                assert not STEERING.search(text), (words, more, name, text[:2_000])
            if "--json" in more and done.returncode == 0 and done.stdout.startswith("{"):
                json.loads(done.stdout)
    assert said > 60, "most of them say something"


@pytest.mark.parametrize(
    "environ",
    [
        {"AXM_WORKERS": f"x{HOSTILE}".replace("\x00", "")},
        {"AXM_HOME": NAME},
        {"AXM_PROMPT_CHANCE": NAME},
    ],
)
@pytest.mark.parametrize("command", ["doctor", "index", "start"])
def test_settings_do_not_steer_it_either(tmp_path: Path, environ: dict[str, str], command: str) -> None:
    world = World(tmp_path)
    world.home.mkdir()
    if "AXM_HOME" in environ:
        environ = {"AXM_HOME": str(tmp_path / NAME)}
    else:
        (world.home / "config.toml").write_text(f'[evil]\n"{json.dumps(NAME)[1:-1]}" = {json.dumps(NAME)}\n', "utf-8")
    done = axm(world, command, **environ)
    assert not STEERING.search(done.stdout + done.stderr)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_given_our_own_words_in_bold_and_nothing_of_others() -> None:
    screen = Screen()
    stream = GuardedStream(screen)
    stream.write(f"\x1b[1mbold\x1b[0m {HOSTILE}\n")
    stream.write("\r\x1b[Kprogress")
    assert screen.getvalue().startswith("\x1b[1mbold\x1b[0m \\u001b[2J")
    assert screen.getvalue().endswith("\r\x1b[Kprogress")
    assert not STEERING.search(screen.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\r\x1b[K", ""))


def test_json_keeps_its_values() -> None:
    out = io.StringIO()
    GuardedStream(out).write(json.dumps({"text": HOSTILE}, ensure_ascii=False))
    assert not STEERING.search(out.getvalue()) and json.loads(out.getvalue()) == {"text": HOSTILE}
