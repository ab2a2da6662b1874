"""The programs that a shell line runs, each with its words.

Wrappers (env, sudo, timeout, npx, `uv run`, `bash -c`, ssh …) are taken off, so the first word is the program that does
the work. Nothing is run, expanded or refused.
"""

from __future__ import annotations

import re

from axiommind.tools.shell_syntax import simple_commands

__all__ = ["program_name", "programs"]


def programs(command: str) -> list[list[str]]:
    """The simple commands of a shell line as words, program first, wrappers removed. Never raises."""
    return _programs(command, 0)


def program_name(word: str) -> str:
    """`/usr/bin/git`, `./node_modules/.bin/jest`, `git.exe`, `jest@29` → the program's name."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2]
    name = name.rpartition("#")[2] or name
    name = name[: name.find("@", 1)] if "@" in name[1:] else name
    return name.rpartition(".")[0] if name.endswith((".exe", ".cmd", ".bat")) else name


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_LEADING = _names("if then elif else while until do ! { time coproc")
_STRUCTURE = _names("for case select function done fi esac } in")
_SHELLS = _names("bash sh zsh dash ksh fish ash")
# wrapper → its options that take a value in the next word
_WRAPPERS: dict[str, frozenset[str]] = {
    name: _names(options)
    for name, options in {
        "env": "-u --unset -C --chdir -S",
        "sudo": "-u -g -h -p -C -D -R -T -U --user --group",
        "doas": "-u -C",
        "time": "-f -o --format --output",
        "timeout": "-k -s --kill-after --signal",
        "gtimeout": "-k -s --kill-after --signal",
        "nice": "-n --adjustment",
        "ionice": "-c -n -p",
        "nohup": "",
        "setsid": "",
        "stdbuf": "-i -o -e",
        "unbuffer": "",
        "caffeinate": "-t -w",
        "exec": "-a",
        "builtin": "",
        "command": "",
        "xargs": "-n -I -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file",
        "parallel": "-j -a --jobs",
        "npx": "-p --package -c --call",
        "bunx": "-p --package",
        "pnpx": "",
        "uvx": "--from --with --python -p",
        "cross-env": "",
        "dotenv": "-e -f",
        "direnv": "",
        "xvfb-run": "-n -s -e --server-args --server-num",
        "coverage": "--source --omit --include --rcfile --data-file",
        "rtk": "",
        "wsl": "-d -u --distribution --user --cd",
        "ssh": "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    }.items()
}
# Wrappers with words of their own before the command: `timeout 60 …`, `ssh host …`, `direnv exec . …`.
_OPERANDS = {"timeout": 1, "gtimeout": 1, "ssh": 1, "direnv": 2}
# program → subcommands after which a command follows, with the operands between.
_RUN_WORDS: dict[str, dict[str, int]] = {
    "uv": {"run": 0},
    "poetry": {"run": 0},
    "pipenv": {"run": 0},
    "pdm": {"run": 0},
    "rye": {"run": 0},
    "hatch": {"run": 0},
    "pixi": {"run": 0},
    "conda": {"run": 0},
    "mise": {"exec": 0, "x": 0},
    "bundle": {"exec": 0},
    "npm": {"exec": 0, "x": 0},
    "pnpm": {"exec": 0, "dlx": 0},
    "yarn": {"exec": 0, "dlx": 0},
    "bun": {"x": 0},
    "uv-tool": {"run": 0},
    "devbox": {"run": 0},
    "docker": {"exec": 1, "run": 1},
    "podman": {"exec": 1, "run": 1},
    "docker-compose": {"exec": 1, "run": 1},
    "kubectl": {"exec": 1},
}
_RUN_VALUED = _names(
    "-C -F -n -p -e -u -w -c --filter --dir --cwd --prefix --project --directory --python --with "
    "--extra --group --env --env-file --from --package --name --user --workdir --namespace --container "
    "--with-requirements --only-group"
)
_CONTAINERS = _names("docker podman docker-compose")
_CONTAINER_VALUED = _RUN_VALUED | _names(
    "-f -h -l -m -v --add-host --cpus --entrypoint --file --gpus --hostname --label --memory --mount --net --network "
    "--platform --profile --project-directory --project-name --publish --shm-size --volume --volumes-from"
)
# program → the options whose value is a line for the shell.
_LINES = {"nix-shell": _names("--run --command"), "npx": _names("-c --call")}
_RTK = _names("proxy test err summary")  # rtk shortens what a command prints; agents put it before all
_DEPTH = 4


def _programs(command: str, depth: int) -> list[list[str]]:
    found: list[list[str]] = []
    for words in simple_commands(command):
        found.extend(_unwrap(words, depth))
    return found


def _unwrap(words: list[str], depth: int) -> list[list[str]]:
    """The command inside its wrappers; several where a shell is handed a line, none where nothing is run."""
    at, end = 0, len(words)
    while at < end:
        word = words[at]
        if word in _LEADING or _ASSIGNMENT.match(word):
            at += 1
            continue
        if word in _STRUCTURE:
            return []
        name = program_name(word)
        if name in _SHELLS or name == "eval":
            handed = _shell_line(words, at)
            if handed is None or depth >= _DEPTH:
                return [words[at:]]
            return _programs(handed, depth + 1)
        line = _line_of(words, at, name)
        if line is not None:
            return _programs(line, depth + 1) if depth < _DEPTH else []
        if name in _WRAPPERS:
            following = _after_options(words, at + 1, _WRAPPERS[name])
            if name in ("command", "builtin") and following > at + 1 and words[at + 1] in ("-v", "-V"):
                return [words[at:]]
            if name == "coverage":
                if words[at + 1 : at + 2] != ["run"]:
                    return [words[at:]]
                following = _after_options(words, at + 2, _WRAPPERS[name])
                if "-m" in words[at + 2 : following]:
                    following = words.index("-m", at + 2) + 1
            if name == "rtk" and words[following : following + 1] and words[following] in _RTK:
                following += 1
            following += _OPERANDS.get(name, 0)
            if name == "ssh" and following < end:
                return _programs(" ".join(words[following:]), depth + 1) if depth < _DEPTH else []
            if following >= end:
                return [words[at:]]
            at = following
            continue
        if name.startswith(("python", "pypy")) or name == "py":
            module = _module_at(words, at + 1)
            if module is None:
                return [words[at:]]
            at = module
            continue
        inner = _inner_command(words, at, name)
        if inner is None:
            return [words[at:]]
        at = inner
    return []


def _after_options(words: list[str], at: int, valued: frozenset[str]) -> int:
    """The place of the first word that is no option, no option's value and no assignment."""
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1
        if word.startswith("-") and word != "-":
            at += 2 if word in valued else 1
        elif _ASSIGNMENT.match(word):
            at += 1
        else:
            break
    return at


def _shell_line(words: list[str], at: int) -> str | None:
    """The line that `bash -c`, `sh -lc` or `eval` is given."""
    if program_name(words[at]) == "eval":
        return " ".join(words[at + 1 :]) or None
    for place in range(at + 1, min(len(words) - 1, at + 9)):
        if not words[place].startswith("-"):
            return None
        if not words[place].startswith("--") and "c" in words[place]:
            return words[place + 1]
    return None


def _line_of(words: list[str], at: int, name: str) -> str | None:
    """The line that `nix-shell --run` or `npx -c` is given."""
    options = _LINES.get(name, frozenset())
    place = next((i for i in range(at + 1, min(len(words) - 1, at + 9)) if words[i] in options), None)
    return None if place is None else words[place + 1]


def _inside_nix(words: list[str], at: int) -> int | None:
    """Of `nix develop .#ci -c pytest` the place of `pytest`, of `nix run nixpkgs#ruff -- check` that of the package."""
    sub = words[at + 1 : at + 2]
    if sub in (["develop"], ["shell"]):
        options = ("-c", "--command")
        place = next((i for i in range(at + 2, min(len(words) - 1, at + 33)) if words[i] in options), None)
        return None if place is None else place + 1
    return _after_options(words, at + 2, frozenset()) if sub == ["run"] and len(words) > at + 2 else None


def _module_at(words: list[str], at: int) -> int | None:
    """Of `python -X dev -m pytest` the place of `pytest`."""
    while at < len(words) - 1 and words[at].startswith("-"):
        if words[at] == "-m":
            return at + 1
        if words[at] == "-c":
            return None
        at += 2 if words[at] in ("-X", "-W") else 1
    return None


def _inner_command(words: list[str], at: int, name: str) -> int | None:
    """Of `uv run --extra dev pytest` or `docker compose exec web pytest` the place of `pytest`."""
    if name == "nix":
        return _inside_nix(words, at)
    if name in ("docker", "podman") and words[at + 1 : at + 2] == ["compose"]:
        at, name = at + 1, "docker-compose"
    if name == "uv" and words[at + 1 : at + 2] == ["tool"]:
        at, name = at + 1, "uv-tool"
    runs = _RUN_WORDS.get(name)
    if runs is None:
        return None
    valued = _CONTAINER_VALUED if name in _CONTAINERS else _RUN_VALUED
    sub = _after_options(words, at + 1, valued)
    if sub >= len(words) or words[sub] not in runs:
        return None
    place = sub
    for _ in range(runs[words[sub]] + 1):
        place = _after_options(words, place + 1, valued)
    if "-m" in words[sub + 1 : place]:
        place = words.index("-m", sub + 1) + 1
    return place if place < len(words) else None
