"""What kind of work a tool call did: `Bash:git`, `Bash:test`, `Bash:build`, `Bash:lint` or `Bash:other`.

A shell line is cut into its simple commands by a small scanner: quotes, substitutions, here-documents,
comments and redirections are read as a shell reads them, so a word counts only where a program stands.
Wrappers (env, sudo, timeout, npx, `uv run`, `bash -c`, ssh …) are taken off. It never runs, expands or
refuses anything, and takes linear time.

When a line holds several kinds, the rarest says most about it: test, then build, then lint, then git.
`git add -A && git commit -m x && npm test` is a test run, and `npm run build && git push` a build: the check
is what the agent waited for and may have to repeat, while git and helpers (cd, cat, tail) come along with
everything. Type checkers are lint (mypy, pyright), except `tsc`, which DETAILS 0.6 calls build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

__all__ = ["classify", "programs"]


def classify(tool_name: str, tool_input: Mapping[str, object] | None) -> str:
    """The name under which a tool call is counted: the class of a Bash command, any other tool's own name."""
    if tool_name != "Bash":
        return tool_name
    command = tool_input.get("command") if isinstance(tool_input, Mapping) else None
    if not isinstance(command, str):
        return "Bash:other"
    return _class_of(command) if len(command) <= _CACHED else _class_of.__wrapped__(command)


def programs(command: str) -> list[list[str]]:
    """The simple commands of a shell line as words, program first, wrappers removed. Never raises."""
    return _programs(command, 0)


# --- classes ----------------------------------------------------------------------------------------------

_CACHED = 2048  # characters; longer commands are here-documents and seldom come twice


@lru_cache(maxsize=2048)
def _class_of(command: str) -> str:
    kinds = {_kind(words) for words in _programs(command, 0)}
    return next((f"Bash:{kind}" for kind in ("test", "build", "lint", "git") if kind in kinds), "Bash:other")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(**kinds: str) -> dict[str, str]:
    return {name: kind for kind, names in kinds.items() for name in names.split()}


_PROGRAMS = _table(
    git="git gh glab hub git-lfs",
    test=(
        "vitest jest mocha pytest py.test ava jasmine karma cypress testcafe wdio phpunit pest rspec tox "
        "nox ctest "
        "gotestsum cargo-nextest behave nose2 nosetests unittest bats stestr minitest c8 nyc"
    ),
    build=(
        "tsc vue-tsc webpack rollup esbuild swc tsup parcel cmake ninja meson xcodebuild msbuild gcc g++ cc "
        "c++ clang "
        "clang++ rustc javac kotlinc maturin electron-builder gulp grunt babel sass tailwindcss hugo "
        "sphinx-build "
        "mkdocs unbuild ncc scons buck buck2 build"
    ),
    lint=(
        "eslint prettier biome rubocop flake8 ruff clippy golangci-lint pylint black isort mypy dmypy "
        "pyright "
        "basedpyright ty stylelint shellcheck shfmt gofmt gofumpt goimports staticcheck rustfmt "
        "clang-format clang-tidy "
        "cppcheck ktlint detekt swiftlint swiftformat hadolint yamllint markdownlint markdownlint-cli2 "
        "tflint "
        "ansible-lint sqlfluff standard xo oxlint dprint tslint pre-commit bandit semgrep vulture codespell "
        "php-cs-fixer phpcs phpcbf phpstan psalm standardrb actionlint knip commitlint lint-staged pyflakes "
        "pycodestyle pydocstyle autopep8 yapf djlint import-linter lint-imports svelte-check lint"
    ),
)
# program → its subcommand → class. What a program does without one of these is "other".
_SUBCOMMANDS: dict[str, dict[str, str]] = {
    "cargo": _table(
        test="test t nextest llvm-cov tarpaulin insta bench",
        build="build b check c rustc doc",
        lint="clippy fmt fix",
    ),
    "go": _table(test="test", build="build install generate", lint="vet fmt"),
    "deno": _table(test="test bench", build="compile bundle", lint="lint fmt check"),
    "vite": _table(build="build"),
    "next": _table(build="build export", lint="lint"),
    "nuxt": _table(build="build generate"),
    "nuxi": _table(build="build generate", lint="typecheck"),
    "astro": _table(build="build", lint="check"),
    "ng": _table(test="test e2e", build="build", lint="lint"),
    "expo": _table(build="export prebuild", lint="lint"),
    "react-scripts": _table(test="test", build="build"),
    "vue-cli-service": _table(test="test:unit test:e2e", build="build", lint="lint"),
    "playwright": _table(test="test"),
    "hardhat": _table(test="test", build="compile"),
    "forge": _table(test="test", build="build", lint="fmt"),
    "swift": _table(test="test", build="build", lint="format"),
    "dotnet": _table(test="test vstest", build="build publish pack msbuild", lint="format"),
    "bazel": _table(test="test coverage", build="build"),
    "bazelisk": _table(test="test coverage", build="build"),
    "zig": _table(test="test", build="build build-exe build-lib", lint="fmt"),
    "mix": _table(test="test", build="compile release", lint="format credo dialyzer"),
    "rails": _table(test="test test:all test:system"),
    "artisan": _table(test="test"),
    "manage.py": _table(test="test"),
    "setup.py": _table(test="test", build="build bdist_wheel sdist build_ext"),
    "flutter": _table(test="test", build="build", lint="analyze format"),
    "dart": _table(test="test", build="compile", lint="analyze format"),
    "stack": _table(test="test", build="build"),
    "cabal": _table(test="test", build="build"),
    "dune": _table(test="test runtest", build="build", lint="fmt"),
    "sbt": _table(test="test testOnly", build="compile package assembly", lint="scalafmt scalafmtAll"),
    "lein": _table(test="test", build="uberjar compile"),
    "meson": _table(test="test", build="setup compile install"),
    "ninja": _table(test="test check"),
    "hatch": _table(test="test", build="build", lint="fmt"),
    "uv": _table(build="build", lint="format"),
    "poetry": _table(build="build"),
    "pdm": _table(build="build"),
    "pip": _table(build="wheel"),
    "docker": _table(build="build"),
    "podman": _table(build="build"),
    "docker-compose": _table(build="build"),
    "jekyll": _table(build="build"),
    "wasm-pack": _table(test="test", build="build"),
    "terraform": _table(test="test", lint="fmt validate"),
    "helm": _table(test="test", build="package", lint="lint"),
    "buf": _table(build="build generate", lint="lint format"),
}
# Programs whose argument is the name of a script or target: its parts say what it does.
_RUNNERS = _names(
    "npm yarn pnpm bun make gmake just task rake composer turbo nx lerna gradle gradlew mvn mvnw rush "
    "moon wireit invoke inv poe grunt gulp mask mise"
)
_TARGETS = _table(
    test=(
        "test tests testing unittest unittests spec specs e2e unit integration coverage cov smoke jest "
        "vitest pytest "
        "mocha cypress playwright runtest"
    ),
    build="build builds rebuild compile bundle dist package assemble jar",
    lint=(
        "lint linter lints format fmt prettier eslint ruff typecheck typescheck tidy style stylelint clippy "
        "mypy spotless"
    ),
)
_MAKE_TARGETS = _TARGETS | _table(test="check verify", build="install all")  # as GNU make, Gradle and Maven mean them
_SCRIPTS = _TARGETS | _table(test="t tst", lint="check")
# Words after these names that are the manager's own business, not a script.
_MANAGED = _names(
    "install i ci add remove rm uninstall update upgrade up link unlink publish pack init create audit "
    "outdated list ls why info view config cache store import login whoami version set get env start "
    "dev serve prune dedupe rebuild pm help docs root bin prefix approve-builds patch fund explain pkg"
)
_NAME_PART = re.compile(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
_VALUED = _names(
    "-C -F -w -f -j -p -pl --filter --prefix --dir --cwd --workspace --project --file --directory "
    "--config --jobs --concurrency --scope --target --rcfile -c --context --manifest-path --features "
    "--package"
)


def _kind(words: Sequence[str]) -> str:
    name = _name(words[0])
    args = _arguments(words)
    if name in ("node", "php", "ruby", "perl", "tsx", "ts-node") or name.startswith("python"):
        # `node node_modules/.bin/jest`, `php artisan test`, `python manage.py test`
        if not args:
            return "other"
        name, args = _name(args[0]).removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs"), args[1:]
    if name.startswith("git-"):
        return "git"
    first = args[0] if args else ""
    if name in ("docker", "podman") and first in ("compose", "buildx", "image", "builder"):
        return "build" if "build" in args[1:2] else "other"
    if name in _RUNNERS:
        return _runner_kind(name, args)
    if name in _SUBCOMMANDS:
        if name == "cargo" and first.startswith("+"):
            first = args[1] if len(args) > 1 else ""
        kind = _SUBCOMMANDS[name].get(first)
        if kind is None and name == "zig" and first == "build" and "test" in args:
            kind = "test"
        if kind is not None:
            return kind
    return _PROGRAMS.get(name, "other")


def _runner_kind(name: str, args: Sequence[str]) -> str:
    makes = name in ("make", "gmake")
    if makes or name in ("gradle", "gradlew", "mvn", "mvnw"):
        kinds = {_target_kind(arg, _MAKE_TARGETS) for arg in args if "=" not in arg}
        found = next((kind for kind in ("test", "lint", "build") if kind in kinds), None)
        return found or ("build" if makes or not args else "other")
    at = 0
    if args[:1] == ["workspace"] or args[:1] == ["workspaces"]:
        at = 2
    if args[at : at + 1] and args[at] in ("run", "run-script", "run-many", "foreach", "affected"):
        at += 1
    elif args[at : at + 1] and args[at] in _MANAGED:
        return "other"
    if at >= len(args):
        return _PROGRAMS.get(name, "other")
    script = _name(args[at])
    following = args[at + 1] if at + 1 < len(args) else ""
    # `yarn test:unit` names a script, `yarn vitest` and `pnpm vite build` a program.
    return (
        _target_kind(args[at], _SCRIPTS)
        or _SUBCOMMANDS.get(script, {}).get(following)
        or _PROGRAMS.get(script, "other")
    )


def _target_kind(target: str, kinds: Mapping[str, str]) -> str:
    """`test:unit` → test, `build:test` → build, `compileTestKotlin` → build: the first telling part wins."""
    if "/" in target:
        return ""
    return next((kinds[part] for name in _NAME_PART.findall(target[:200]) if (part := name.lower()) in kinds), "")


def _name(word: str) -> str:
    """`/usr/bin/git`, `./node_modules/.bin/jest`, `git.exe` → the program's name."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name.rpartition(".")[0] if name.endswith((".exe", ".cmd", ".bat")) else name


def _arguments(words: Sequence[str]) -> list[str]:
    """The first few words after the program that are no options nor the values of options."""
    found: list[str] = []
    skip = False
    for word in words[1:33]:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif not word.startswith("-"):
            found.append(word)
    return found


# --- wrappers ---------------------------------------------------------------------------------------------

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
    "docker": {"exec": 1},
    "podman": {"exec": 1},
    "docker-compose": {"exec": 1, "run": 1},
    "kubectl": {"exec": 1},
}
_RUN_VALUED = _names(
    "-C -F -n -p -e -u -w -c --filter --dir --cwd --prefix --project --directory --python --with "
    "--extra --group --env --env-file --from --package --name --user --workdir --namespace --container "
    "--with-requirements --only-group"
)
_RTK = _names("proxy test err summary")  # rtk shortens what a command prints; agents put it before all
_DEPTH = 4


def _programs(command: str, depth: int) -> list[list[str]]:
    found: list[list[str]] = []
    for words in _simple_commands(command):
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
        name = _name(word)
        if name in _SHELLS or name == "eval":
            line = _shell_line(words, at)
            if line is None or depth >= _DEPTH:
                return [words[at:]]
            return _programs(line, depth + 1)
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
    if _name(words[at]) == "eval":
        return " ".join(words[at + 1 :]) or None
    for place in range(at + 1, min(len(words) - 1, at + 9)):
        if not words[place].startswith("-"):
            return None
        if not words[place].startswith("--") and "c" in words[place]:
            return words[place + 1]
    return None


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
    if name in ("docker", "podman") and words[at + 1 : at + 2] == ["compose"]:
        at, name = at + 1, "docker-compose"
    if name == "uv" and words[at + 1 : at + 2] == ["tool"]:
        at, name = at + 1, "uv-tool"
    runs = _RUN_WORDS.get(name)
    if runs is None:
        return None
    sub = _after_options(words, at + 1, _RUN_VALUED)
    if sub >= len(words) or words[sub] not in runs:
        return None
    place = sub
    for _ in range(runs[words[sub]] + 1):
        place = _after_options(words, place + 1, _RUN_VALUED)
    if "-m" in words[sub + 1 : place]:
        place = words.index("-m", sub + 1) + 1
    return place if place < len(words) else None


# --- the scanner ------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\s'\"\\`$<>|&;()]+")
_IN_QUOTES = re.compile(r'[^"\\`$]+')
_ANSI = re.compile(r"\$'[^'\\]*(?:\\.[^'\\]*)*'?", re.DOTALL)
_DELIMITER = re.compile(r"-?[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([^\s'\"<>|&;()]+))")
_REDIRECT = re.compile(r"[<>]{1,2}[&|]?")


def _simple_commands(text: str) -> list[list[str]]:
    """Cut a shell line into lists of words. One pass; nesting lives on a stack, not in calls."""
    found: list[list[str]] = []
    words: list[str] = []
    word: list[str] | None = None  # the pieces of the word being read; None between words
    quoted = False  # inside double quotes
    skip = False  # the next word is the target of a redirection
    sums = False  # inside $(( )): nothing there is a command
    closer = ""
    stack: list[tuple[list[str], list[str] | None, bool, bool, bool, str]] = []
    bodies: list[str] = []
    at, end = 0, len(text)

    while at < end:
        char = text[at]
        if not quoted and (piece := _PLAIN.match(text, at)):
            if char == "#" and word is None:
                close = text.find("\n", at)
                at = end if close < 0 else close
                continue
            if word is None:
                word = [piece[0]]
            else:
                word.append(piece[0])
            at = piece.end()
        elif quoted and char not in '"\\`$':
            piece = _IN_QUOTES.match(text, at)
            assert piece is not None and word is not None
            word.append(piece[0])
            at = piece.end()
        elif char == '"':
            quoted = not quoted
            word = [] if word is None else word
            at += 1
        elif char == "\\":
            if text[at + 1 : at + 2] != "\n":
                word = [] if word is None else word
                word.append(text[at + 1 : at + 2])
            at += 2
        elif char == "`":
            if closer == "`":
                _close_word(words, word, skip)
                if words and not sums:
                    found.append(words)
                words, word, quoted, skip, sums, closer = stack.pop()
            else:
                stack.append((words, [""] if word is None else word, quoted, skip, sums, closer))
                words, word, quoted, skip, closer = [], None, False, False, "`"
            at += 1
        elif char == "$" and text[at + 1 : at + 2] == "(":
            stack.append((words, [""] if word is None else word, quoted, skip, sums, closer))
            words, word, quoted, skip, closer = [], None, False, False, ")"
            sums = sums or text[at + 2 : at + 3] == "("
            at += 2
        elif char == "$" and not quoted and text[at + 1 : at + 2] == "'":
            piece = _ANSI.match(text, at)
            assert piece is not None
            word = [] if word is None else word
            word.append(piece[0][2:-1])
            at = piece.end()
        elif char == "$":
            word = [] if word is None else word
            word.append("$")
            at += 1
        elif char == "'":
            close = text.find("'", at + 1)
            close = end if close < 0 else close
            word = [] if word is None else word
            word.append(text[at + 1 : close])
            at = close + 1
        elif char in "<>":
            if word is not None and all(map(str.isdigit, word)):
                word = None  # the file descriptor of `2>`
            skip = _close_word(words, word, skip)
            word = None
            if text.startswith("(", at + 1):
                stack.append((words, [""], False, skip, sums, closer))
                words, word, skip, closer = [], None, False, ")"
                at += 2
            elif text.startswith("<<<", at):
                skip = True
                at += 3
            elif text.startswith("<<", at) and not sums and (mark := _DELIMITER.match(text, at + 2)):
                bodies.append(mark[1] or mark[2] or mark[3] or "")
                at = mark.end()
            else:
                piece = _REDIRECT.match(text, at)
                assert piece is not None
                skip = True
                at = piece.end()
        elif char in "|&;()\n":
            if char == "&" and text.startswith(">", at + 1):
                at += 1
                continue
            _close_word(words, word, skip)
            word, skip = None, False
            if words and not sums:
                found.append(words)
            words = []
            at += 1
            if char == "(":
                stack.append(([], None, False, False, sums, closer))
                closer = ")"
                sums = sums or text.startswith("(", at)
            elif char == ")" and closer == ")":
                words, word, quoted, skip, sums, closer = stack.pop()
            elif char == "\n" and bodies:
                at = _after_bodies(text, at, bodies)
                bodies.clear()
        else:  # a blank
            skip = _close_word(words, word, skip)
            word = None
            at += 1

    # What was left open ends here: quotes, substitutions, the last command.
    while True:
        _close_word(words, word, skip)
        if words and not sums:
            found.append(words)
        if not stack:
            return found
        words, word, quoted, skip, sums, closer = stack.pop()


def _close_word(words: list[str], word: list[str] | None, skip: bool) -> bool:
    """End the word being read; tells whether a redirection still waits for its target."""
    if word is None:
        return skip
    if not skip:
        words.append("".join(word))
    return False


def _after_bodies(text: str, at: int, marks: list[str]) -> int:
    """The place after the here-documents that start here; a body without its end takes the rest."""
    for mark in marks:
        while at < len(text):
            close = text.find("\n", at)
            close = len(text) if close < 0 else close
            line = text[at:close].strip()
            at = close + 1
            if line == mark:
                break
    return min(at, len(text))
