"""The command line. One file per command, and the folder is the registry; only the one asked for is imported.

Data goes to stdout, words to stderr. Exit codes: 0 ok, 1 nothing found or a user's mistake, 2 usage, 3 needs
attention, 4 internal. `--version`, `--help` and a wrong command import almost nothing: they are there at once.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    import argparse

    from axiommind.surfaces.cli._catalogue import CommandCard

__all__ = ["aliases", "build_all", "cards", "commands", "main", "parse"]

# The second name of this program. Without a command it takes the options that version 2 of suggest-workflow had.
_SUGGEST_WORKFLOW = "suggest-workflow"


def main(argv: list[str] | None = None) -> int:
    """Run a command; every failure becomes a sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Text from transcripts may hold anything; a terminal's encoding must not make us fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    from axiommind.surfaces.render.terminal import GuardedOutput

    with GuardedOutput():
        return _main(sys.argv[1:] if argv is None else argv)


def _main(argv: list[str]) -> int:
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away (head, less): silence what Python would say while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the outer edge
        from axiommind.surfaces.cli._failure import report

        return report(error)
    return code


def _run(argv: list[str]) -> int:
    first = argv[0] if argv else ""
    if first == "--version":
        from axiommind import __version__

        print(f"{_program()} {__version__}")
        return 0
    compatible = _without_command(argv) if first.startswith("-") or not argv else []
    if not (argv or compatible) and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        from axiommind.surfaces.cli._home_screen import show_home

        _heed_consent()
        return show_home()
    if first in ("-h", "--help") or not (argv or compatible):
        from axiommind.surfaces.cli._overview import overview

        print(overview(_program()), file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    from axiommind.surfaces.cli import _catalogue as catalogue

    argv = catalogue.without_alias(compatible or argv)
    catalogue.require(argv[0])
    args = parse(argv)
    if args.run is None:
        args.parser.print_help(sys.stderr)
        return 2
    if argv[0] != "allow":
        _heed_consent()
    if args.home:
        os.environ["AXM_HOME"] = args.home
    if args.color:
        from axiommind.surfaces.render.terminal import choose_colours

        choose_colours(args.color)
    try:
        code: int = args.run(args)
    except Exception as error:
        if args.json:
            from axiommind.surfaces.cli._failure import print_proposal

            print_proposal(error)
        if compatible:
            from axiommind.errors import NotFound

            if isinstance(error, NotFound):  # as version 2 did when there was nothing to analyze
                error.exit_code = 2
        raise
    return code


def _heed_consent() -> None:
    """What a repository sets counts only if a person allowed it."""
    if not any(name.startswith("AXM_") for name in os.environ):
        return
    from axiommind.consent import drop_unasked, is_news

    try:
        ignored = drop_unasked(os.environ, os.getcwd())  # noqa: PTH109
    except FileNotFoundError:  # the folder is gone: it sets nothing
        return
    if ignored and is_news(ignored):
        for file in ignored:
            sys.stderr.write(f"axm: {file.path} sets {', '.join(file.names)}: ignored until you allow it\n")
        sys.stderr.write("  hint: axm allow\n")


def _program() -> str:
    """The name that this program was called by."""
    name = os.path.basename(sys.argv[0]).removesuffix(".exe")  # noqa: PTH119 - pathlib takes as long as all the rest
    return name if name == _SUGGEST_WORKFLOW else "axm"


def _without_command(argv: list[str]) -> list[str]:
    """The arguments with the command that they mean in suggest-workflow's form; none where this is another form."""
    if argv and argv[0] in ("-h", "--help"):
        return []
    is_other = _program() == _SUGGEST_WORKFLOW
    if not argv and not is_other:
        return []
    from axiommind.surfaces.cli import _suggest_workflow as suggest_workflow

    is_known = is_other or argv[0].partition("=")[0] in suggest_workflow.flags()
    return suggest_workflow.commanded(argv) if is_known else []


# --- for the docs, the tests and shell completion ---------------------------------------------------------------


def commands() -> list[str]:
    """The first words of all commands, without aliases."""
    from axiommind.surfaces.cli import _catalogue as catalogue

    return catalogue.commands()


def cards() -> list[CommandCard]:
    """What each command says of itself."""
    from axiommind.surfaces.cli import _catalogue as catalogue

    return catalogue.every_command()


def aliases() -> list[tuple[str, str]]:
    """The older names that still work, and what each is called now."""
    from axiommind.surfaces.cli._overview import alias_list

    return alias_list()


def parse(argv: list[str]) -> argparse.Namespace:
    """What these arguments ask for."""
    from axiommind.surfaces.cli import _parsing

    return _parsing.parse(argv, _program())


def build_all() -> argparse.ArgumentParser:
    """A parser with every command."""
    from axiommind.surfaces.cli import _parsing

    return _parsing.build([], everything=True)
