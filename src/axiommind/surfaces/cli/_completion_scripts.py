"""Completion scripts for bash, zsh and fish: words that are known are in the script, and ids and projects are asked for
(`axm completion --values KIND --starting TEXT`) when somebody wants one.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CompletionWords", "bash", "fish", "zsh"]

_FILES = "--db|--plot|--sql-file|--file"


class CompletionWords(NamedTuple):
    """`commands`: each with its help, and the words that may follow it. `values`: of options, the words they take.
    `asked`: of options, the kind of what they take. `positions`: of commands (`entry show`), the kind of the id."""

    commands: dict[str, tuple[str, list[str]]]
    values: dict[str, list[str]]
    asked: dict[str, str]
    positions: dict[str, str]


def bash(known: CompletionWords) -> str:
    values = "\n".join(
        f'    {option}) COMPREPLY=($(compgen -W "{" ".join(found)}" -- "$cur")); return ;;'
        for option, found in known.values.items()
    )
    asked = "\n".join(
        f"    {option}) _axm_values {kind}{_directories(kind)}; return ;;" for option, kind in known.asked.items()
    )
    words = "\n".join(f'    {name}) words="{" ".join(found)}" ;;' for name, (_, found) in known.commands.items())
    return f"""_axm_values() {{
  local value about
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    COMPREPLY+=("$(printf %q "$value")")
  done < <("${{COMP_WORDS[0]}}" completion --values "$1" --starting="$cur" 2>/dev/null)
}}
_axm() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" words="" kind=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(known.commands)}" -- "$cur")); return
  fi
  case "$prev" in
{values}
{asked}
    --home) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    {_FILES}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case "${{COMP_WORDS[1]}}" in
{words}
  esac
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{_cases(known, '    {} "*) kind={} ;;', '    "{}"*) [ "$COMP_CWORD" -gt 2 ] && kind={} ;;')}
  esac
  if [ -n "$kind" ] && [ "${{cur#-}}" = "$cur" ]; then _axm_values "$kind"; return; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _axm axm suggest-workflow"""


def zsh(known: CompletionWords) -> str:
    values = "\n".join(f"  {option}) compadd -- {' '.join(found)}; return ;;" for option, found in known.values.items())
    asked = "\n".join(
        f"  {option}) _axm_values {kind}{'; _directories' if kind == 'projects' else ''}; return ;;"
        for option, kind in known.asked.items()
    )
    described = "\n".join(f"    '{name}:{text.replace(chr(39), '’')}'" for name, (text, _) in known.commands.items())
    words = "\n".join(f"    {name}) compadd -- {' '.join(found)} ;;" for name, (_, found) in known.commands.items())
    return f"""#compdef axm suggest-workflow
_axm_values() {{
  local -a found
  local line value
  for line in ${{(f)"$(${{words[1]}} completion --values $1 --starting="$PREFIX" 2>/dev/null)"}}; do
    value=${{${{line%%$'\\t'*}}//\\\\/\\\\\\\\}}
    found+=("${{value//:/\\\\:}}:${{line#*$'\\t'}}")
  done
  _describe -V $1 found
}}
local -a commands=(
{described}
)
if (( CURRENT == 2 )); then _describe command commands; return; fi
case "${{words[CURRENT-1]}}" in
{values}
{asked}
  --home) _directories; return ;;
  {_FILES}) _files; return ;;
esac
local kind=""
case "${{words[2]}} ${{words[3]}}" in
{_cases(known, '  {} "*) kind={} ;;', '  "{}"*) (( CURRENT > 3 )) && kind={} ;;')}
esac
if [[ -n $kind && ${{words[CURRENT]}} != -* ]]; then _axm_values $kind; return; fi
case "${{words[2]}}" in
{words}
esac"""


def fish(known: CompletionWords) -> str:
    lines = []
    for name, (text, found) in known.commands.items():
        quoted = text.replace("'", "’")
        lines.append(f"complete -c axm -n __fish_use_subcommand -f -a {name} -d '{quoted}'")
        lines += [
            f"complete -c axm -n '__fish_seen_subcommand_from {name}' "
            + (
                f"-l {option.removeprefix('--')}{_taken(known, option)}"
                if option.startswith("--")
                else f"-f -a {option}"
            )
            for option in found
        ]
    for words, kind in known.positions.items():
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words.split())
        lines.append(f"complete -c axm -n '{seen}' -f -k -a '{_asking(kind)}'")
    return "\n".join(lines)


def _taken(known: CompletionWords, option: str) -> str:
    """What an option takes."""
    if option in known.values:
        return f" -x -a '{' '.join(known.values[option])}'"
    return f" -x -a '{_asking(known.asked[option])}'" if option in known.asked else ""


def _asking(kind: str) -> str:
    return f'(axm completion --values {kind} --starting=(commandline -ct | string replace -r "^--[a-z-]+=" ""))'


def _directories(kind: str) -> str:
    return '; COMPREPLY+=($(compgen -d -- "$cur"))' if kind == "projects" else ""


def _cases(known: CompletionWords, one: str, two: str) -> str:
    """What a command takes; an action of a noun stands before it."""
    return "\n".join(
        two.format(words, kind) if " " in words else one.format(f'"{words}', kind)
        for words, kind in known.positions.items()
    )
