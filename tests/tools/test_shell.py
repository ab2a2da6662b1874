"""Shell lines beside the class they belong to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.tools.shell import classify
from axiommind.tools.shell_programs import programs
from tests.counting import ending, grows_linearly
from tests.examples import examples

CLASSES: dict[str, list[str]] = {
    "git": [
        "git status",
        "gh pr create --title x",
        "cd x && git commit -m y",
        "git -C dir status",
        "/usr/bin/git log",
        'git commit -m "fix pytest"',
        "git commit -F - <<EOF\nrun pytest && make\nEOF",
        "git commit -m \"$(cat <<'EOF'\nDon't run (pytest) `make`\n\nEOF\n)\"",
        "git log | grep pytest",
        "echo $(git rev-parse HEAD)",
        "X=$(git rev-parse HEAD)",
        "if git diff --quiet; then echo clean; fi",
        "(cd a; git pull)",
        "rtk git status",
        "rtk proxy gh api x",
        "git diff -- jest.config.js",
        "GIT_PAGER=cat git log 2>&1 | tail",
        "# pytest\ngit status # make",
    ],
    "test": [
        "pytest",
        "pytest -q | tail -5",
        "env X=1 pytest",
        "X=1 Y='a b' pytest",
        "sudo -u me pytest",
        "time pytest",
        "timeout -k 5 60 pytest",
        "nice -n 10 nohup pytest &",
        "python -m pytest tests",
        "python3.12 -X dev -m pytest",
        "python -m unittest discover",
        "uv run pytest",
        "uv run --extra dev --with x pytest",
        "uv run python -m pytest",
        "uv run -m pytest",
        "uvx --from tox tox",
        "poetry run pytest",
        "coverage run -m pytest",
        ".venv/bin/pytest",
        "./node_modules/.bin/jest",
        "node node_modules/.bin/jest",
        "npx vitest run",
        "npx --yes playwright test",
        "npm test",
        "npm t",
        "npm run test:unit",
        "npm --prefix web run test",
        "pnpm --filter @x/api test -- --grep a",
        "pnpm --filter web exec jest",
        "yarn workspace web test",
        "yarn jest",
        "bun test src/",
        "bun run test 2>&1 | tail -3 && bun run lint",
        "cargo test --all",
        "cargo +nightly test",
        "cargo nextest run",
        "go test ./...",
        "./gradlew test",
        "gradle :app:testDebugUnitTest",
        "mvn -q test",
        "mvn clean verify",
        "dotnet test",
        "vendor/bin/phpunit",
        "php artisan test",
        "bundle exec rspec",
        "python manage.py test",
        "tox -e py312",
        "nox",
        "make test",
        "make -j 8 check",
        "make -C build test",
        "nx run app:test",
        "turbo run test --filter=web",
        "bash -c 'cd x && pytest'",
        'sh -lc "npm test"',
        "bash -c \"bash -c 'pytest'\"",
        'ssh -i key host "cd /srv && pytest"',
        "docker compose exec -T web pytest",
        "docker exec -it app pytest",
        "ls *.py | xargs -n 1 pytest",
        "for f in a b; do pytest $f; done",
        "while true; do pytest && break; done",
        "git add -A && git commit -m x && npm test",
        "npm run build && npm test",
        "pytest > out.txt 2>&1",
        "2>/dev/null pytest",
        "diff <(pytest) <(cat x)",
        "echo `pytest`",
        "cat <<EOF | grep x; pytest\nmake\nEOF",
        "pytest \\\n  -q",
        "rtk test bun run test",
        '"pytest" -q',
        "! pytest",
        "case x in a) pytest;; esac",
        "zig test x.zig",
    ],
    "build": [
        "tsc --noEmit",
        "npx tsc -p .",
        "pnpm --filter api tsc --noEmit",
        "webpack",
        "vite build",
        "pnpm vite build",
        "next build",
        "npm run build",
        "npm run build && git push",
        "yarn build:prod",
        "bun run css:build",
        "cargo build --release",
        "cargo check",
        "go build ./...",
        "make",
        "make -j8",
        "make install",
        "cmake --build build",
        "ninja -C out",
        "meson setup b",
        "bazel build //...",
        "swift build",
        "dotnet build",
        "gradle build",
        "mvn package",
        "docker build -t x .",
        "docker compose build web",
        "docker buildx build .",
        "esbuild a.ts",
        "rollup -c",
        "python -m build",
        "uv build",
        "gcc -o a a.c && ./a",
        "cd build && cmake .. && make | tail",
        "make all",
    ],
    "lint": [
        "eslint .",
        "npx prettier --write .",
        "ruff check --fix",
        "uv run ruff format",
        "mypy --strict src",
        "python -m mypy src",
        "black .",
        "isort .",
        "pylint x",
        "shellcheck a.sh",
        "golangci-lint run",
        "stylelint a.css",
        "cargo fmt && cargo clippy",
        "go vet ./...",
        "npm run lint",
        "pnpm lint",
        "pnpm biome check --write .",
        "bun run typecheck",
        "make lint",
        "git stash && bun run lint; git stash pop",
        "git diff --name-only | xargs eslint",
        "pre-commit run -a",
        "npx markdownlint a.md",
    ],
    "other": [
        "",
        "   ",
        "ls -la",
        "cat x | grep y",
        'echo "run pytest"',
        "echo 'git status'",
        "echo pytest",
        "which pytest",
        "command -v pytest",
        "npm install jest",
        "pnpm add -D vitest",
        "pip install pytest",
        "cat tests/pytest.ini",
        "grep -r 'npm test' .",
        "python script.py",
        'python -c "import pytest"',
        "python3 - <<'EOF'\npytest\nEOF",
        "cat > run.sh <<'EOF'\nmake test\nEOF",
        "cat <<< 'pytest'",
        "# pytest",
        "ls # && pytest",
        "echo x > make",
        "echo $((pytest + 1))",
        "echo \\; pytest",
        "npm run dev",
        "yarn",
        "bash script.sh",
        "docker ps",
        "ssh host",
        "rtk grep pytest .",
        "rm -rf node_modules/jest",
        "for git in a b; do echo $git; done",
        "printf 'a\\'; echo pytest",
        "echo $'it\\'s; pytest'",
        "playwright install",
        "unterminated 'quote && pytest",
    ],
}


@pytest.mark.parametrize(("kind", "command"), [(k, c) for k, commands in CLASSES.items() for c in commands])
def test_class(kind: str, command: str) -> None:
    assert classify(command) == f"Bash:{kind}"


@pytest.mark.parametrize("command", [None, ["git"], 7, {}, {"command": "git"}])
def test_wrong_types_are_other(command: object) -> None:
    assert classify(command) == "Bash:other"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd a && FOO=1 npx jest -t 'a b' | tail -5", [["cd", "a"], ["jest", "-t", "a b"], ["tail", "-5"]]),
        ("python -m pytest -q", [["pytest", "-q"]]),
        (
            "if [ -f x ]; then make; else echo 'no make'; fi",
            [["[", "-f", "x", "]"], ["make"], ["echo", "no make"]],
        ),
        ("bash -c 'a; b c'", [["a"], ["b", "c"]]),
        ("a 2>&1 >out <in &>all b", [["a", "b"]]),
        ("cat <<A <<B; x\none\nA\ntwo\nB\ny", [["cat"], ["x"], ["y"]]),
        ("cat <<-EOF\n\tgit\n\tEOF\nls", [["cat"], ["ls"]]),
        ("FOO=1", []),
        ("", []),
    ],
)
def test_programs(command: str, expected: list[list[str]]) -> None:
    assert programs(command) == expected


@given(st.text(st.sampled_from("ab'\"\\`$(){}<>|&;#\n \t-=!1EOF") | st.characters(), max_size=60))
@settings(max_examples=examples(400), deadline=None)
def test_anything_is_a_command(command: str) -> None:
    assert classify(command).startswith("Bash:")
    assert all(words and all(isinstance(word, str) for word in words) for words in programs(command))


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "$((",
            "$(",
            "(",
            ")",
            "`",
            "'",
            '"',
            "\\",
            "<<E\n",
            "<<'E' ",
            "sudo ",
            "bash -c ",
            "a&&",
            "\n",
            "#\n",
            "$'",
            "${",
        ),
        *(
            "uv run ",
            "timeout 1 ",
            "X=1 ",
            "if ",
            "eval ",
            "ssh h ",
            "env -u ",
            "x",
            "<(",
            "git -m \"$(cat <<'E'\n",
        ),
    ],
)
def test_the_work_grows_with_hostile_commands(piece: str) -> None:
    def work(size: int) -> None:
        classify(piece * (size // len(piece)))

    grows_linearly(work, 500)
    with ending():
        work(60_000)
