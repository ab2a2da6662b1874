"""What a page shows in a console block is what its commands print, typed one after the other from an empty home."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from axiommind.reports import perspectives
from axiommind.surfaces import cli
from tests.docs.pages import ROOT, handwritten, named, read, script

console = script("console")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", console.pages(), ids=named)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    missing = [name for name in console.NEEDED if shutil.which(name) is None]
    if missing or not Path(sys.executable).with_name("axm").exists():
        pytest.skip(f"needs {', '.join(missing) or 'the installed command'}")
    home = (tmp_path / "home").resolve()
    home.mkdir()
    ran = console.run(page, home)
    assert len(ran) > 1
    assert not console.difference(ran), f"{console.difference(ran)}\nrun: make docs"


@pytest.mark.parametrize("page", console.pages(), ids=named)
def test_no_output_is_hidden(page: Path) -> None:
    assert [s.command for s in console.steps(read(page)) if "/dev/null" in s.command] == []


def test_every_page_about_commands_shows_some() -> None:
    shown = {page.name for page in console.pages()}
    assert shown >= {"README.md", "search.md", "memory.md", "meaning.md", "recall.md", "working-memory.md", "mcp.md"}


def test_the_readme_stays_short() -> None:
    assert len(read(ROOT / "README.md").splitlines()) <= 150


# --- commands that cannot be run here: they must at least exist ------------------------------------------------


def shell_lines() -> list[str]:
    """The lines of all blocks of shell commands without output, comments removed."""
    pages = [*handwritten(), ROOT / "CONTRIBUTING.md", *sorted((ROOT / "plugin").rglob("*.md"))]
    blocks = [block for page in pages for block in SHELL.findall(read(page))]
    return [re.sub(r"\s+# .*$", "", line) for block in blocks for line in block.splitlines() if line.strip()]


def arguments(line: str) -> list[str]:
    """What `axm` is given in a line; nothing where it is not called."""
    words = shlex.split(line.partition(" > ")[0].replace(" SINCE ", " 2026-01-01 "))
    called = [at for at, word in enumerate(words) if word == "axm" or word.endswith("/axm")]
    return words[called[0] + 1 :] if called and words[0] != "claude" else []


@pytest.mark.parametrize("line", [line for line in shell_lines() if arguments(line)])
def test_every_command_parses(line: str) -> None:
    argv = arguments(line)
    args = cli.parse(argv)
    if argv[0] == "query" and args.perspective:
        perspectives.load(args.perspective)


@pytest.mark.parametrize("line", [line for line in shell_lines() if line.startswith("make ")])
def test_every_make_target_exists(line: str) -> None:
    targets = " ".join(re.findall(r"^([a-z -]+):", read(ROOT / "Makefile"), re.MULTILINE)).split()
    assert line.split()[1] in targets


# --- the comparison itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nc", False),
        ("a\n…", "a\nb\nc", True),
        ("a\n…", "a", True),
        ("…\nc", "a\nb\nc", True),
        ("a\n…\nc", "a\nc", True),
        ("a\n…\nc", "a\nb\nc", True),
        ("a\n…\nd", "a\nb\nc", False),
        ("…", "", True),
        ("…", "anything\nat all", True),
        ("", "an error", False),
        ("a … b", "a and b", False),
    ],
)
def test_an_ellipsis_stands_for_lines(shown: str, printed: str, agrees: bool) -> None:
    assert console.matches(shown, printed) is agrees


def test_what_differs_from_run_to_run_is_made_equal() -> None:
    assert console.same("made 2026-11-16 13:29:33, 12 ms, 9 mo ago") == console.same(
        "made 2027-01-01 00:00:00, 8 ms, 1 y ago"
    )
    assert console.same("2026-01-28") != console.same("2026-01-29")  # a day of the sample
    assert console.same("5 sessions") != console.same("6 sessions")


def test_a_changed_output_is_written_into_its_block() -> None:
    text = "before\n\n```console\n$ first\nold\n$ second\n…\nlast\n```\n\nafter\n"
    one, two = console.steps(text)
    ran = [console.Ran(one, "new"), console.Ran(two, "many\nlines\nlast")]
    assert console.updated(text, ran) == text.replace("old", "new")
    assert "first" in console.difference(ran) and "second" not in console.difference(ran)
