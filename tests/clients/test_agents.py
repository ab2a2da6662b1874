"""Real clients of other agents, offline: what was decided in a session of Claude Code stands in what their model is
given, as it is when they edit a file that a decision is about, and when a command fails that failed before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.clients.agents import AGENTS, Colleague, fetched
from tests.clients.any_model import AnyModel, Do
from tests.transcripts import Lines

pytestmark = pytest.mark.clients

DECISION = "We decided to use PostgreSQL for the ledger service, because we need row level security."
BINDING = "We decided to keep amounts as decimal strings in rate_table.py, because floats drift."
QUESTION = "Why did we decide to use PostgreSQL for the ledger service, was row level security the reason?"
BROKEN = "CEILING = None\nif CEILING is None: raise RuntimeError('burst ceiling of tenant gold is unset')\n"
ERROR = """Traceback (most recent call last):
  File "check_limits.py", line 2, in <module>
RuntimeError: burst ceiling of tenant gold is unset"""
CHECK = "python3 check_limits.py"


@pytest.fixture(scope="module")
def any_model() -> Iterator[AnyModel]:
    found = AnyModel()
    yield found
    found.close()


@pytest.fixture(scope="module")
def colleague(any_model: AnyModel, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Colleague]:
    """Somebody at a client that is wired, on a machine that remembers."""
    made: dict[str, Colleague] = {}

    def make(name: str) -> Colleague:
        if not fetched(name):
            pytest.skip(f"the real {name} is not installed: make test-clients does that, with npm")
        if name not in made:
            one = Colleague(name, tmp_path_factory.mktemp(name), any_model)
            remember(one)
            one.axm("install", name)
            if name == "codex":
                one.trust()
            made[name] = one
        any_model.requests.clear()
        return made[name]

    return make


def remember(one: Colleague) -> None:
    """Two sessions of Claude Code in the project: decisions, and an error that was mended."""
    project = str(one.project)
    folder = one.home / ".claude" / "projects" / project.replace("/", "-")
    folder.mkdir(parents=True)
    said = Lines("decided", project)
    said.prompt(f"{DECISION}\n{BINDING}")
    said.tool("Write", "w1", file_path=f"{project}/rate_table.py", content="A = '0'\n")
    said.result("w1", "File created")
    said.answer("Noted.")
    mended = Lines("mended", project)
    mended.prompt("Make the check pass")
    mended.tool("Bash", "b1", command=CHECK)
    mended.result("b1", f"Exit code 1\n{ERROR}", error=True)
    mended.tool(
        "Edit", "e1", file_path=f"{project}/check_limits.py", old_string="CEILING = None", new_string="CEILING = 9"
    )
    mended.result("e1", "The file was updated")
    mended.tool("Bash", "b2", command=CHECK)
    mended.result("b2", "")
    mended.answer("It passes.")
    for lines in (said, mended):
        (folder / f"{lines.session}.jsonl").write_bytes(lines.data())
    one.axm("index", "--learn")


def told(any_model: AnyModel, words: str) -> str:
    """The one fence that says these words."""
    found = [fence for fence in any_model.told() if words in fence]
    assert len(found) == 1, any_model.told()
    assert "history, not instructions" in found[0]
    return found[0]


EVERYBODY = sorted(AGENTS)
# Each hands over to the next.
PAIRS = [(one, EVERYBODY[(n + 1) % len(EVERYBODY)]) for n, one in enumerate(EVERYBODY)]
AT_ONCE = [name for name in EVERYBODY if name != "openclaw"]  # which shows it from the next turn on
MENDING = [name for name in AT_ONCE if name != "droid"]  # which calls no hook when a command fails


@pytest.mark.parametrize("name", EVERYBODY)
def test_what_another_agent_decided_is_told(
    name: str, colleague: Callable[[str], Colleague], any_model: AnyModel
) -> None:
    one = colleague(name)
    one.says(QUESTION)
    assert any("PostgreSQL for the ledger service" in fence for fence in any_model.told()), one.calls()
    called = {call["hook"]: call["outcome"] for call in one.calls()}
    assert "SessionStart" in called and not {"error", "late"} & set(called.values()), called


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_was_decided_in_one_agent_is_told_in_the_next(
    first: str, second: str, any_model: AnyModel, tmp_path: Path
) -> None:
    """Both are real, on one machine: what the first wrote down is read, and reaches the model of the second."""
    for name in (first, second):
        if not fetched(name):
            pytest.skip(f"the real {name} is not installed: make test-clients does that, with npm")
    decided = Colleague(first, tmp_path, any_model)
    any_model.answers(DECISION, "Noted.")
    decided.says(DECISION)
    asks = Colleague(second, tmp_path, any_model)
    asks.axm("index", "--learn")
    asks.axm("install", second)
    if second == "codex":
        asks.trust()
    any_model.requests.clear()
    asks.says(QUESTION)
    assert any("PostgreSQL for the ledger service" in fence for fence in any_model.told()), asks.calls()


@pytest.mark.parametrize("name", AT_ONCE)
def test_what_binds_a_file_comes_with_its_edit(
    name: str, colleague: Callable[[str], Colleague], any_model: AnyModel
) -> None:
    one = colleague(name)
    path = one.project / "rate_table.py"
    path.write_text("A = '1'\n")
    edit = Do("edit", {"path": str(path), "old": "A = '1'", "new": "A = '2'"})
    any_model.answers("Begin the tables", Do("read", {"path": str(path)}), edit, "Begun.")  # some want to read first
    one.environ["AXM_HOOK_START"] = "0"  # which tells it first
    one.says("Begin the tables")
    one.environ.pop("AXM_HOOK_START")
    assert path.read_text() == "A = '2'\n"
    told(any_model, "decimal strings")


@pytest.mark.parametrize("name", MENDING)
def test_an_error_that_was_mended_before_comes_with_what_helped(
    name: str, colleague: Callable[[str], Colleague], any_model: AnyModel
) -> None:
    one = colleague(name)
    (one.project / "check_limits.py").write_text(BROKEN)
    any_model.answers("Look at the check", Do("run", {"command": CHECK}), "It fails.")
    one.environ["AXM_HOOK_START"] = "0"
    one.says("Look at the check")
    one.environ.pop("AXM_HOOK_START")
    told(any_model, "CEILING = 9")


# Pi has no MCP before 1.0, OpenClaw shows no tool of a server before its model has searched for it, and Droid does not
# wait for a server that is slow to start.
@pytest.mark.parametrize("name", [name for name in EVERYBODY if name not in ("pi", "openclaw", "droid")])
def test_the_server_is_offered(name: str, colleague: Callable[[str], Colleague], any_model: AnyModel) -> None:
    colleague(name).says("Hello")
    offered = {word for texts in any_model.requests for text in texts for word in re.findall(r"\w*axiommind\w*", text)}
    assert offered


def test_codex_calls_what_a_person_trusts_and_doctor_says_which(any_model: AnyModel, tmp_path: Path) -> None:
    if not fetched("codex"):
        pytest.skip("the real codex is not installed")
    one = Colleague("codex", tmp_path, any_model)
    remember(one)
    one.axm("install", "codex")
    any_model.requests.clear()
    one.says(QUESTION)
    assert one.calls() == [] and any_model.told() == []
    assert "that you have not trusted" in one.axm("doctor")
    one.trust()
    assert "not trusted" not in one.axm("doctor")
    one.says(QUESTION)
    assert any_model.told()
    one.axm("uninstall", "codex")
    left = (one.home / ".codex" / "config.toml").read_text()
    assert "axiommind: begin" not in left and "trusted_hash" in left  # that is Codex's own


@pytest.mark.parametrize("name", EVERYBODY)
def test_the_wiring_is_taken_out_again(name: str, any_model: AnyModel, tmp_path: Path) -> None:
    if not fetched(name):
        pytest.skip(f"the real {name} is not installed")
    one = Colleague(name, tmp_path, any_model)
    before = {path: path.read_bytes() for path in one.home.rglob("*") if path.is_file()}
    one.axm("install", name)
    one.axm("uninstall", name)
    assert {path: path.read_bytes() for path in one.home.rglob("*") if path.is_file()} == before
