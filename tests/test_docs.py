"""The docs say what the program does: generated pages, the README's examples, links, and the sample."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import axiommind
from axiommind.config import Config
from axiommind.memory import Memory, Scope
from axiommind.reports import perspectives
from axiommind.reports.perspectives import COMMON
from axiommind.surfaces import cli, mcp

ROOT = Path(__file__).parents[1]
SAMPLE = Path(axiommind.__file__).parent / "sample"
README = (ROOT / "README.md").read_text(encoding="utf-8")
MEMORY = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8")
MEANING = (ROOT / "docs" / "meaning.md").read_text(encoding="utf-8")
RECALL = (ROOT / "docs" / "recall.md").read_text(encoding="utf-8")
WALKS = ("working-memory.md", "mcp.md")  # pages whose commands build on each other
GENERATED = ("commands.md", "mcp-tools.md", "perspectives.md", "schema.md", "configuration.md")
FENCE = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MAKE = re.compile(r"^([a-z]+):", re.MULTILINE)


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sample_memory(home: Path) -> Memory:
    environ = {"AXM_HOME": str(home), "CLAUDE_CONFIG_DIR": str(SAMPLE), "AXM_WORKERS": "0"}
    return Memory(Config.load(environ), environ=environ, user=home)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = sample_memory(tmp_path_factory.mktemp("sample"))
    memory.index()
    memory.learning.run()
    return memory


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = sample_memory(tmp_path_factory.mktemp("embedded"))
    memory.index()
    memory.learning.run()
    memory.embeddings.make()
    return memory


def without_comment(line: str) -> str:
    return re.sub(r"\s+# .*$", "", line)


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def examples(text: str = README + MEMORY + MEANING + RECALL) -> list[tuple[str, str]]:
    """Every command in the blocks of the README and of the pages for users, and in a console block what each prints."""
    found = []
    for kind, block in FENCE.findall(text):
        if kind == "sh":
            found += [(without_comment(line), "") for line in block.splitlines() if line.strip()]
            continue
        found += commands_of(block)
    return found


def commands_of(block: str) -> list[tuple[str, str]]:
    """Each command of a console block, and what it prints."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        command = lines.pop(0)
        while command.count('"') % 2:  # a quoted text that goes on
            command += "\n" + lines.pop(0)
        found.append((command, "\n".join(lines)))
    return found


def ours(command: str) -> list[list[str]]:
    """The arguments of each `axm …` in a line of commands. What the shell would fill in stays as it is written."""
    parts: list[list[str]] = [[]]
    lexer = shlex.shlex(re.sub(r"2>&1|2?> ?/dev/null", "", command), posix=True, punctuation_chars="|;")
    lexer.whitespace_split = True
    for word in lexer:
        if word in ("|", ";"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part[part.index("axm") + 1 :] for part in parts if "axm" in part]


# --- the generated pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str) -> None:
    pages = generator().pages()
    assert set(pages) == set(GENERATED)
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == pages[name], "run: make docs"


def test_check_writes_nothing_and_fails_on_a_stale_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator()
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 1
    assert list(tmp_path.glob("*.md")) == []
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert module.main() == 0
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert module.main() == 0


# --- the README --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.commands())
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"| `axm {command}` |" in README


@pytest.mark.parametrize("name", perspectives.names())
def test_every_perspective_is_documented(name: str) -> None:
    text = (ROOT / "docs" / "perspectives.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in text
    for column in perspectives.load(name).columns:
        assert f"`{column}`" in text


def test_the_readme_has_examples() -> None:
    assert sum(bool(output) for _, output in examples()) >= 6
    assert sum("axm" in shlex.split(command)[:1] for command, _ in examples()) >= 10


@pytest.mark.parametrize(
    "command",
    [c for c, _ in examples() if re.search(r"\baxm\b", c)]
    # What is printed is run, below; of these pages only the rest has to be parsed.
    + [c for name in WALKS for c, _ in examples(re.sub(CONSOLE, "", page(name))) if re.search(r"\baxm\b", c)],
)
def test_every_example_parses(command: str) -> None:
    for argv in ours(command):
        args = cli.build(argv).parse_args(argv)
        if argv[0] == "query" and args.perspective:
            perspectives.load(args.perspective)


@pytest.mark.parametrize("command", [c for c, _ in examples() if c.startswith("make ")])
def test_every_make_target_exists(command: str) -> None:
    targets = MAKE.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    assert command.split()[1] in targets


@pytest.mark.parametrize(
    ("home", "command", "output"),
    [("sample", *e) for e in examples(README + MEMORY + RECALL) if e[1]]
    + [("embedded", *e) for e in examples(MEANING) if e[1]],
)
def test_every_printed_output_is_what_the_sample_gives(
    home: str, command: str, output: str, request: pytest.FixtureRequest
) -> None:
    sample: Memory = request.getfixturevalue(home)
    if "jq" in command and (shutil.which("jq") is None or shutil.which("bash") is None):
        pytest.skip("needs jq")
    done = subprocess.run(
        ["bash", "-c", command], env=shell(sample), cwd=sample.config.home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert_shown(output, done.stdout)


def shell(memory: Memory) -> dict[str, str]:
    """The environment of a reader who tries the examples."""
    axm = Path(sys.executable).with_name("axm")
    if not axm.exists():
        pytest.skip("needs the installed command")
    return {
        "AXM_HOME": str(memory.config.home),
        "PATH": f"{axm.parent}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "AXM_HOOK_SECONDS": "20",
    }


def assert_shown(output: str, printed: str) -> None:
    shown, lines = output.splitlines(), printed.splitlines()
    if shown[-1:] == ["…"]:
        shown, lines = shown[:-1], lines[: len(shown) - 1]
    assert lines == shown


# What is another one each time. Ids keep their length, so that tables stay as they are.
PASSING = (
    (re.compile(r"\b(wf|pad)_01[0-9a-z]{10,24}"), lambda m: m[1] + "_" + "0" * (len(m[0]) - len(m[1]) - 1)),
    (re.compile(r"\d{4}-\d\d-\d\d(?=[ T]\d\d:)"), lambda _: "2026-01-01"),
    (re.compile(r"([ T])\d\d:\d\d(:\d\d)?(\.\d{3})?"), lambda m: m[1] + re.sub(r"\d", "0", m[0][1:])),
    (re.compile(r"0\.\d{6}"), lambda _: "0.000000"),  # a chance: how old things are is in it
)


def lasting(text: str) -> str:
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text


@pytest.mark.parametrize("name", WALKS)
def test_a_page_that_is_walked_through_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    """Its commands run in one shell, one after the other, and print to the terminal what stands below them."""
    if shutil.which("jq") is None or shutil.which("bash") is None:
        pytest.skip("needs bash and jq")
    memory = sample_memory(tmp_path / "home")
    memory.index()
    memory.learning.run()
    folder = Path(os.path.realpath(tmp_path)) / "skycast"
    folder.mkdir()
    steps = [e for kind, block in FENCE.findall(page(name)) if kind == "console" for e in commands_of(block)]
    script = "\n".join(f"printf '\\n\\036\\n'\n{command}" for command, _ in steps)
    done = subprocess.run(
        ["bash", "-c", script],
        env={**shell(memory), "PYTHONUNBUFFERED": "1"},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = done.stdout.replace(str(folder), "/home/dev/skycast").replace(str(SAMPLE), "/home/dev/.claude")
    parts = printed.split("\n\036\n")[1:]
    assert len(parts) == len(steps) > 3
    for (command, output), part in zip(steps, parts, strict=True):
        assert_shown(f"$ {command}\n{lasting(output)}", f"$ {command}\n{lasting(part)}")


def test_every_tool_for_agents_is_on_the_page_about_them(sample: Memory) -> None:
    text = page("mcp.md")
    assert [name for name in mcp.answers(sample).tools.tools if f"`{name}`" not in text] == []


# --- links -------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_resolves(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_index_of_decisions_is_complete() -> None:
    folder = ROOT / "docs" / "adr"
    listed = set(LINK.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert listed == {p.name for p in folder.glob("0*.md")}


# --- the sample --------------------------------------------------------------------------------------------


def test_the_sample_is_small() -> None:
    files = [p for p in SAMPLE.rglob("*") if p.is_file()]
    assert files
    assert sum(p.stat().st_size for p in files) < 150_000


def test_the_sample_indexes_without_problems(tmp_path: Path) -> None:
    memory = sample_memory(tmp_path)
    report = memory.index()
    assert (report.new, report.problems, report.notes) == (7, [], [])
    assert memory.sql("select type from record_counts where not known", Scope(None)) == []
    assert memory.verify(deep=True) == []


@pytest.mark.parametrize("project", [None, "/home/dev/skycast", "/home/dev/teashop"])
@pytest.mark.parametrize("name", perspectives.names())
def test_every_perspective_has_rows_on_the_sample(name: str, project: str | None, sample: Memory) -> None:
    perspective = perspectives.load(name)
    params = {p.name: p.default for p in (*COMMON, *perspective.params)}
    rows = sample.query(perspective, params, Scope(project))
    assert rows
    assert set(rows[0]) == set(perspective.columns)


def test_the_sample_shows_what_it_is_for(sample: Memory) -> None:
    def one(sql: str) -> object:
        return sample.sql(sql, Scope(None))[0][0]

    assert one("select count(distinct project) from sessions") == 2
    assert one("select agent_type from sessions where parent_session is not null") == "Explore"
    assert one("select count(*) from compactions") == 1
    assert one("select count(*) from tool_uses where is_error") > 0
    assert one("select count(distinct week_start) from weekly_buckets") == 5
    assert one("select title from sessions where id like '3e1c26d3%'") == "cart rounding bug"


def test_start_shows_the_sample_where_there_is_nothing(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "AXM_HOME": str(tmp_path / "axm"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "axiommind", "start"], env=env, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert "No Claude Code sessions were found" in done.stderr
    assert "in 2 projects" in done.stdout
