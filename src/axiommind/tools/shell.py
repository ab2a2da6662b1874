"""The class of a shell command: `Bash:git`, `Bash:test`, `Bash:build`, `Bash:lint` or `Bash:other`.

It is told by the programs that the line runs (`shell_programs`), without running or expanding anything.
When a line holds several kinds, the rarest says most about it: test, then build, then lint, then git.
`git add -A && git commit -m x && npm test` is a test run, and `npm run build && git push` a build: the check
is what the agent waited for and may have to repeat, while git and helpers (cd, cat, tail) come along with
everything. Type checkers are lint (mypy, pyright), except `tsc`, which DETAILS 0.6 calls build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from axiommind.tools.kinds import RUN_CLASS
from axiommind.tools.shell_programs import program_name, programs

__all__ = ["classify"]


def classify(command: object) -> str:
    """The class of a shell command, under which its call is counted. What is no text is of none in particular."""
    if not isinstance(command, str):
        return f"{RUN_CLASS}other"
    return _class_of(command) if len(command) <= _CACHED else _class_of.__wrapped__(command)


# --- classes ----------------------------------------------------------------------------------------------

_CACHED = 2048  # characters; longer commands are here-documents and seldom come twice


@lru_cache(maxsize=2048)
def _class_of(command: str) -> str:
    kinds = {_kind(words) for words in programs(command)}
    return RUN_CLASS + next((kind for kind in ("test", "build", "lint", "git") if kind in kinds), "other")


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
    name = program_name(words[0])
    args = _arguments(words)
    if name in ("node", "php", "ruby", "perl", "tsx", "ts-node") or name.startswith("python"):
        # `node node_modules/.bin/jest`, `php artisan test`, `python manage.py test`
        if not args:
            return "other"
        name, args = program_name(args[0]).removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs"), args[1:]
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
    script = program_name(args[at])
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
