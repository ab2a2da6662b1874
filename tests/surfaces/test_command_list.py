"""Finding a command: help by what one wants, one file per command, nouns, older names, and little to load."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from axiommind.surfaces import cli
from axiommind.surfaces.cli import _catalogue as catalogue
from tests.docs.pages import script
from tests.transcripts import World

CARDS = [one for card in cli.cards() for one in (card, *(catalogue.actions(card.name) if card.is_noun else ()))]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_says_what_its_file_says(card: catalogue.CommandCard) -> None:
    """The card is read line by line, without importing the file: so each field is one literal on one line."""
    module = importlib.import_module(card.module)
    said = {name: getattr(module, name, None) for name in ("HELP", "GROUP", "EVERYDAY", "ALIAS")}
    assert said == {
        "HELP": card.help,
        "GROUP": card.group or None,
        "EVERYDAY": card.everyday or None,
        "ALIAS": card.alias or None,
    }
    assert card.help and card.help[0].isupper() and not card.help.endswith(".")


def test_every_command_is_in_one_group() -> None:
    assert {card.group for card in cli.cards()} == set(catalogue.GROUPS)
    assert [card.everyday for card in sorted(cli.cards(), key=lambda card: card.everyday) if card.everyday] == [
        *range(1, 14)
    ]


def test_the_overview_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 72
    named = [line[11:].split()[0] for line in lines if len(line) > 11 and line[11] != " "]
    assert [name for name in cli.commands() if name not in named] == []
    assert [alias for alias, _ in cli.aliases() if alias in named] == [], "older names are quiet"
    assert lines[4].startswith("Every day  start ")


def test_no_arguments_are_a_question_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "Every day" in said.err
    assert cli.main(["entry"]) == 2
    assert "Withdraw an entry" in capsys.readouterr().err
    assert cli.main(["help", "aliases"]) == 0
    assert "axm entries              axm entry list" in capsys.readouterr().out


@pytest.mark.parametrize(("alias", "name"), cli.aliases())
def test_an_older_name_asks_for_the_same(alias: str, name: str) -> None:
    rest = {
        "entry list": ["--type", "fact", "-k", "3", "--json"],
        "entry why": ["ent_1", "--json"],
        "entry promote": ["ent_1", "--reason", "sure"],
        "entry contest": ["ent_1", "--reason", "unsure"],
        "entry deprecate": ["ent_1", "--reason", "wrong"],
        "entry supersede": ["ent_1", "--by", "ent_2", "--reason", "new"],
        "decision make": ["Ship it", "--evidence", "ent_1", "ent_2"],
        "conflict settle": ["--json", "cfl_1", "--keep", "ent_1"],
    }.get(name, ["--all-projects", "--json"])
    assert vars(cli.parse([*alias.split(), *rest])).items() >= {"run": cli.parse([*name.split(), *rest]).run}.items()
    today, before = vars(cli.parse([*name.split(), *rest])), vars(cli.parse([*alias.split(), *rest]))
    assert {k: v for k, v in today.items() if k != "parser"} == {k: v for k, v in before.items() if k != "parser"}


def test_options_may_stand_between_the_words_of_an_older_name() -> None:
    args = cli.parse(["conflicts", "--json", "settle", "cfl_1", "--keep", "ent_1"])
    assert (args.command, args.action, args.json, args.conflict) == ("conflict", "settle", True, "cfl_1")
    assert cli.parse(["conditions", "--json", "resolved"]).action == "list"
    assert cli.parse(["entry", "--json", "show", "ent_1"]).json is True
    assert cli.parse(["entry", "show", "ent_1"]).json is False


# --- one file adds a command ------------------------------------------------------------------------------------

HELLO = '''"""`axm hello`: greets."""

HELP = "Say hello to somebody"
GROUP = "look"


def configure(parser, argv):
    parser.add_argument("--name", help="whom to greet")


def run(args):
    print(f"hello {args.name}")
    return 0
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second folder of commands."""
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    return tmp_path


def test_one_file_adds_a_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "hello.py").write_text(HELLO)
    assert cli.main(["hello", "--name", "you"]) == 0
    assert capsys.readouterr().out == "hello you\n"
    assert cli.main(["--help"]) == 0
    assert "hello       Say hello to somebody" in capsys.readouterr().out
    assert cli.main(["helo"]) == 2
    assert "did you mean: axm hello" in capsys.readouterr().err
    assert cli.main(["completion", "bash"]) == 0
    assert 'hello) words="--color --help --home --name"' in capsys.readouterr().out
    page = script("generate").commands()
    assert "\n## axm hello\n\nSay hello to somebody" in page and "| `--name NAME` | whom to greet |" in page
    sys.modules.pop("axiommind.surfaces.cli.hello")


def test_one_file_adds_an_action(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from axiommind.surfaces.cli import entry

    (folder / "entry").mkdir()
    (folder / "entry" / "praise.py").write_text(HELLO.replace('GROUP = "look"', 'ALIAS = "praise"'))
    monkeypatch.setattr(entry, "__path__", [*entry.__path__, str(folder / "entry")])
    for words in (["entry", "praise"], ["praise"]):
        assert cli.main([*words, "--name", "you"]) == 0
        assert capsys.readouterr().out == "hello you\n"
    with pytest.raises(SystemExit):
        cli.main(["entry", "--help"])
    assert "praise" in capsys.readouterr().out
    assert "\n### axm entry praise\n" in script("generate").commands()
    sys.modules.pop("axiommind.surfaces.cli.entry.praise")


# --- what is loaded ---------------------------------------------------------------------------------------------


def loaded(*argv: str) -> set[str]:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from axiommind.surfaces.cli import main; main(sys.argv[1:])\n"
        "print(' '.join(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split()) - {"__future__"}


LIGHT = {"axiommind", "axiommind.surfaces", "axiommind.surfaces.cli"}
LIGHT |= {"axiommind.surfaces.render", "axiommind.surfaces.render.terminal"}


@pytest.mark.parametrize(
    ("argv", "allowed"),
    [
        (["--version"], set()),
        (["--help"], {"_catalogue", "_overview"}),
        ([], {"_catalogue", "_overview"}),
        (["serach"], {"_catalogue", "_failure"}),
    ],
)
def test_what_needs_no_command_loads_none(argv: list[str], allowed: set[str]) -> None:
    """No argparse, no typing, no command: what is named here is all."""
    more = {"axiommind.errors"} if "_failure" in allowed else set()
    assert loaded(*argv) <= LIGHT | more | {f"axiommind.surfaces.cli.{name}" for name in allowed}


def test_only_the_action_that_is_asked_for_is_imported(world: World) -> None:
    found = loaded("entry", "list", "--home", str(world.home))
    assert "axiommind.surfaces.cli.entry.list" in found
    assert {name for name in found if name.startswith("axiommind.surfaces.cli.")} == {
        "axiommind.surfaces.cli._catalogue",
        "axiommind.surfaces.cli._options",
        "axiommind.surfaces.cli._parsing",
        "axiommind.surfaces.cli.entry",
        "axiommind.surfaces.cli.entry.list",
    }


def test_command_modules_say_what_they_are_first() -> None:
    """The docstring of a command's file begins with the command."""
    for card in CARDS:
        path = importlib.import_module(card.module).__file__
        assert path is not None
        doc = ast.get_docstring(ast.parse(Path(path).read_text(encoding="utf-8"))) or ""
        assert doc.startswith(f"`axm {card.name}`"), card.name
