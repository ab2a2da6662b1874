"""`axm completion`: a completion script, generated from the commands."""

from __future__ import annotations

import argparse

from axiommind.reports.perspectives import names
from axiommind.surfaces import cli

HELP = "Print a completion script for bash, zsh or fish"
CALLER = "reads"
GROUP = "wire up"
_EPILOG = """install:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         axm completion bash > ~/.local/share/bash-completion/completions/axm
  zsh    axm completion zsh > "${fpath[1]}/_axm"
  fish   axm completion fish > ~/.config/fish/completions/axm.fish
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def run(args: argparse.Namespace) -> int:
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](*_read()))
    return 0


_Options = dict[str, tuple[str, list[str]]]
_Values = dict[str, list[str]]


def _read() -> tuple[_Options, _Values]:
    """Every command with its help and its options, and the values of options, read from the parsers themselves."""
    parser = cli.build_all()
    (choices,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    helps = {a.dest: a.help or "" for a in choices._choices_actions}
    options = {name: (helps[name], _words(sub)) for name, sub in choices.choices.items()}
    values: dict[str, dict[str, None]] = {"--perspective": dict.fromkeys(names()), "--format": {}}
    for sub in (inner for command in choices.choices.values() for inner in _parsers(command)):
        for action in sub._actions:
            for option in action.option_strings:
                if option.startswith("--") and action.choices is not None:
                    values.setdefault(option, {}).update(dict.fromkeys(map(str, action.choices)))
    values["--format"].update(dict.fromkeys(("json", "csv", "table")))
    return options, {option: list(found) for option, found in values.items()}


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A command's, and those of its actions."""
    inner = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return [parser, *(sub for action in inner for sub in action.choices.values())]


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """What may follow a command: its choices, and its options with those of its actions."""
    return [
        *(str(c) for a in parser._actions if not a.option_strings for c in a.choices or ()),
        *sorted({o for p in _parsers(parser) for a in p._actions for o in a.option_strings if o.startswith("--")}),
    ]


def _bash(options: _Options, values: _Values) -> str:
    known = "\n".join(
        f'    {option}) COMPREPLY=($(compgen -W "{" ".join(found)}" -- "$cur")); return ;;'
        for option, found in values.items()
    )
    cases = "\n".join(f'    {name}) words="{" ".join(found)}" ;;' for name, (_, found) in options.items())
    return f"""_axm() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$cur")); return
  fi
  case "$prev" in
{known}
    --project|--home) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --db|--plot|--sql-file|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _axm axm suggest-workflow"""


def _zsh(options: _Options, values: _Values) -> str:
    known = "\n".join(f"  {option}) compadd -- {' '.join(found)}; return ;;" for option, found in values.items())
    described = "\n".join(f"    '{name}:{text.replace(chr(39), '’')}'" for name, (text, _) in options.items())
    cases = "\n".join(f"    {name}) compadd -- {' '.join(found)} ;;" for name, (_, found) in options.items())
    return f"""#compdef axm suggest-workflow
local -a commands=(
{described}
)
if (( CURRENT == 2 )); then _describe command commands; return; fi
case "${{words[CURRENT-1]}}" in
{known}
  --project|--home) _directories; return ;;
  --db|--plot|--sql-file|--file) _files; return ;;
esac
case "${{words[2]}}" in
{cases}
esac"""


def _fish(options: _Options, values: _Values) -> str:
    lines = []
    for name, (text, found) in options.items():
        quoted = text.replace("'", "’")
        lines.append(f"complete -c axm -n __fish_use_subcommand -f -a {name} -d '{quoted}'")
        lines += [
            f"complete -c axm -n '__fish_seen_subcommand_from {name}' "
            + (f"-l {option.removeprefix('--')}" if option.startswith("--") else f"-f -a {option}")
            for option in found
        ]
    lines += [
        f"complete -c axm -l {option.removeprefix('--')} -x -a '{' '.join(found)}'" for option, found in values.items()
    ]
    return "\n".join(lines)
