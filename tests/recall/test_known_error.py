"""What an agent is told of an error that was met before: the fix, the diagnosis, or that it was never solved."""

from __future__ import annotations

import pytest

from axiommind.config import Config
from axiommind.recall.packets.known_error import known_error
from axiommind.surfaces.render.recall import packet_within
from axiommind.tools.error_signature import formatting, is_same, missing_program, signatures
from tests.learning.sessions import Session
from tests.recall.packets import learned, reading
from tests.transcripts import PROJECT, World

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'yaml'"
TAX = f"{PROJECT}/src/billing/tax_rates.py"


def fail(
    world: World, error: str, command: str = "make check", *, project: str = PROJECT, session: str = "new"
) -> list[str]:
    with reading(world) as db:
        packet = known_error(db, "Bash", {"command": command}, error, project, session=session)
    return [note.text for note in packet.notes] if packet else []


def title(world: World, error: str, command: str = "make check", *, project: str = PROJECT) -> str:
    with reading(world) as db:
        packet = known_error(db, "Bash", {"command": command}, error, project, session="new")
    assert packet is not None
    return packet.sections[0].title


def met(world: World, *steps: tuple[str, str, bool], cwd: str = PROJECT, session: str = "old") -> World:
    """A session of commands: (command, what came back, whether it failed)."""
    lines = Session(session, cwd=cwd)
    lines.prompt("run the checks")
    for command, answer, failed in steps:
        lines.use("Bash", answer, failed, command=command)
    return learned(world, lines)


INSTALLED = (("make check", MISSING, True), ("uv add pyyaml", "added", False), ("make check", "all good", False))


def test_an_error_that_was_got_over_is_told_with_what_was_done(world: World) -> None:
    met(world, *INSTALLED)
    assert fail(world, MISSING) == ["worked after running `uv add pyyaml`"]
    assert title(world, MISSING) == "This error was met before: ModuleNotFoundError: No module named 'yaml'"


ROLE = (
    'Exit code 1\nE   psycopg.OperationalError: connection failed: connection to server at "127.0.0.1" failed: '
    'FATAL:  role "ledger_app" does not exist\n1 error in 0.31s'
)
FAILED, PASSED = ("pytest -q tests/ledger", ROLE, True), ("pytest -q tests/ledger", "14 passed", False)
CREATED, LOOKED = ("createuser ledger_app", "", False), ("psql -c 'select 1'; git status; ls", "ok", False)


@pytest.mark.parametrize("between", [[CREATED], [LOOKED, CREATED, ("cat pg_hba.conf", "…", False)]])
def test_a_command_that_nobody_knows_may_have_helped(world: World, between: list[tuple[str, str, bool]]) -> None:
    met(world, FAILED, *between, PASSED)
    (note,) = fail(world, ROLE, "pytest -q tests/ledger")
    assert note == "worked after running `createuser ledger_app`"


@pytest.mark.parametrize(
    "between",
    [
        [LOOKED],
        [(f"./try-{n}", "ok", False) for n in range(4)],  # which of them?
        [CREATED, FAILED, LOOKED],  # that was not it
        [CREATED, ("sed -i s/app/admin/ conftest.py", "", False)],  # or was it the edit?
        [("python3 -c 'import psycopg'", "", False), ("docker compose ps", "db up", False)],
    ],
)
def test_what_may_not_have_helped_is_not_told(world: World, between: list[tuple[str, str, bool]]) -> None:
    assert fail(met(world, FAILED, *between, PASSED), ROLE, "pytest -q tests/ledger") == []


TYPES = "Exit code 2\nsrc/pay.ts(8,2): error TS2322: Type 'string' is not assignable to type 'number'."


def checked(said: str, new: str = "pay(1)") -> Session:
    """A check that failed, what the agent said, an edit and the check that passed."""
    session = Session("old")
    session.prompt("run the checks")
    session.use("Bash", TYPES, True, command="bun run typecheck")
    session.answer(said)
    session.use("Edit", file_path=f"{PROJECT}/src/pay.ts", old_string="pay('1')", new_string=new)
    session.use("Edit", file_path=f"{PROJECT}/src/pay.ts", old_string="", new_string="a\nb\nc\nd")
    session.use("Bash", "$ tsc --noEmit", command="bun run typecheck")
    return session


REASON = "Amounts are a number of cents here because floats drift."


def test_that_a_file_was_edited_is_told_with_what_was_changed_and_why(world: World) -> None:
    assert fail(learned(world, checked(REASON)), TYPES, "bun run typecheck") == [
        f"worked after editing pay.ts (`pay('1')` → `pay(1)`); the agent said: {REASON}"
    ]


@pytest.mark.parametrize("said", ["Let me fix the type.", "The type is wrong in this line."])
def test_a_complaint_about_the_code_at_hand_says_nothing_without_why(world: World, said: str) -> None:
    assert fail(learned(world, checked(said)), TYPES, "bun run typecheck") == []


def test_a_complaint_that_was_switched_off_was_not_mended(world: World) -> None:
    assert fail(learned(world, checked(REASON, "pay(1)  // @ts-ignore")), TYPES, "bun run typecheck") == []


def test_a_call_that_had_to_be_another_is_told(world: World) -> None:
    error = "Exit code 2\nerror: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>"
    met(world, ("rtk bun run test", error, True), ("bun run test", "12 pass", False))
    (note,) = fail(world, error, "rtk bun run test 2>&1")
    assert note == "worked as `bun run test`"


UNLOCKED = (
    ("make check", "Exit code 1\nerror: the ledger store is locked by another writer", True),
    ("report build --nightly", "built", False),
    ("make check", "all good", False),
)


@pytest.mark.parametrize(
    "steps",
    [
        UNLOCKED[:2],  # it never worked
        (UNLOCKED[0], UNLOCKED[2]),  # it came and went by itself
        (*UNLOCKED[:2], ("make check | tail -3", "2 failed", False)),  # a pipe hid that it failed
        (*UNLOCKED[:2], ("make docs", "built", False)),  # something else worked
    ],
)
def test_what_was_not_got_over_is_not_told(world: World, steps: tuple[tuple[str, str, bool], ...]) -> None:
    assert fail(met(world, *steps), UNLOCKED[0][1]) == []


def test_a_fix_that_was_ruled_out_is_not_told(world: World) -> None:
    error = "Exit code 2\nsrc/rates.ts(218,25): error TS7006: Parameter 'p' implicitly has an 'any' type."
    session = Session("old")
    session.prompt("run the checks")
    session.use("Bash", error, True, command="bun run typecheck")
    session.answer("The parameter needs a type because the compiler is strict here.")
    session.use("Edit", file_path=f"{PROJECT}/src/rates.ts", old_string="(p)", new_string="(p: Rate)")
    session.use("Bash", "$ tsc --noEmit", command="bun run typecheck")
    learned(world, session)
    assert fail(world, error, "bun run typecheck")
    fix = world.one("select entry_id from entries where rule = 'fixes'")
    world.memory().entries.rule(fix, "deprecated", "the type was wrong")
    assert fail(world, error, "bun run typecheck") == []


def test_this_session_knows_its_own_errors(world: World) -> None:
    assert fail(met(world, *INSTALLED), MISSING, session="old") == []


def test_another_name_is_another_error(world: World) -> None:
    assert fail(met(world, *INSTALLED), MISSING.replace("yaml", "numpy")) == []


def test_what_tools_printed_in_another_project_stays_there(world: World) -> None:
    met(world, *INSTALLED)
    assert fail(world, MISSING) == ["worked after running `uv add pyyaml`"]
    assert fail(world, MISSING, project="/home/dev/other") == []


def test_another_project_is_named_as_one_when_a_person_vouches(world: World) -> None:
    met(world, *INSTALLED)
    world.memory().learning.run()
    (entry,) = (row[0] for row in world.rows("select entry_id from entries where rule = 'errors'"))
    assert world.one("select stage from entries where rule = 'errors'") == "candidate"
    assert fail(world, MISSING, project="/home/dev/other") == []
    world.memory().entries.promote(entry, "it is so everywhere", "verified")
    assert fail(world, MISSING, project="/home/dev/other") == ["worked after `uv add pyyaml`."]
    assert title(world, MISSING, project="/home/dev/other").startswith("This error was met before in another project: ")


def test_a_fix_is_told_once(world: World) -> None:
    with reading(met(world, *INSTALLED)) as db:
        asked = ("Bash", {"command": "make check"}, MISSING, PROJECT)
        packet = known_error(db, *asked, session="new")
        assert packet is not None
        served = frozenset(note.id for note in packet.notes)
        assert known_error(db, *asked, session="new", skip=served) is None


@pytest.mark.parametrize(
    "error",
    [
        "",
        "Exit code 1",
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        "String to replace not found in file.\nString: x",
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "Command timed out after 2m 0s",
        "Exit code 1\n3 failed",
        "AssertionError: assert 3 == 4",
        "ls: cannot access 'x': No such file or directory",
        "FAILURE: Build failed with an exception.",
        "jq: 1 compile error",
    ],
)
def test_a_trivial_error_has_no_signature(error: str) -> None:
    assert signatures(error) == []


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            "error: externally-managed-environment\n\nTo install, see the manual",
            "error: externally-managed-environment",
        ),
        (
            'psql: error: server at "localhost" (::1) failed: refused',
            'psql: error: server at "localhost" (::1) failed: refused',
        ),
        ("ImportError: libGL.so.1: cannot open shared object file: No such file", "ImportError: libGL.so.1: cannot"),
        ('sed: 1: "a.txt": extra characters at the end of d command', 'sed: 1: "a.txt": extra characters'),
        ("ssh: connect to host 10.0.0.2 port 22: Operation timed out", "ssh: connect to host"),
        ('{"error":"invalid_token","error_description":"The token expired"}', "The token expired"),
        (
            "FAILURE: Build failed with an exception.\n* What went wrong:\n> error: invalid release: 17",
            "> error: invalid release",
        ),
    ],
)
def test_the_line_of_an_error_that_tells(error: str, line: str) -> None:
    assert signatures(f"Exit code 1\n{error}")[0].line.startswith(line)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("src/a.ts(1,2): error TS7006: Parameter 'p' is any", "b.ts(9,9): error TS7006: Parameter 'p' is any", True),
        ("a.ts(1,2): error TS7006: Parameter 'p' is any", "a.ts(1,2): error TS7006: Parameter 'q' is any", False),
        ("error[E0308]: mismatched types at 0x7ffe12", "error[E0308]: mismatched types at 0xdeadbe", True),
        ("zsh: command not found: docker", "zsh: command not found: podman", False),
        ("zsh: command not found: docker", "bash: line 1: docker: command not found", True),
        ("ERROR: 401 Missing bearer, id: req_76b1c7c2314747", "ERROR: 401 Missing bearer, id: req_e2a1d3c8b1", True),
        ("Could not resolve to a Repository 'a/b'", "Could not resolve to a Repository 'c/d'", True),
        ("error: unexpected argument '-n' found", "error: unexpected argument '-C' found", False),
        ("error: unexpected argument '--all' found", "error: unexpected argument '--all' found", True),
        ("FAILED tests/test_a.py::test_sum - ValueError", "FAILED tests/test_a.py::test_mean - ValueError", False),
    ],
)  # fmt: skip
def test_what_makes_two_errors_one(one: str, other: str, same: bool) -> None:
    (first,), (second,) = signatures(one), signatures(other)
    assert is_same(first, second) is same


# --- what the agent said of it ---------------------------------------------------------------------------

LOCKED = "Exit code 1\nerror: the ledger store is locked by another writer"


def told_of(world: World, session: str, *steps: tuple[str, str, bool] | str) -> World:
    """A session of commands and of what the agent says between them."""
    lines = Session(session)
    lines.prompt("bring the ledger up to date")
    for step in steps:
        if isinstance(step, str):
            lines.answer(step)
        else:
            command, answer, failed = step
            lines.use("Bash", answer, failed, command=command)
    return learned(world, lines)


WHY = "The store is locked because the nightly report keeps its writer open."
FAILING = ("ledger sync", LOCKED, True)


def test_a_fix_is_told_with_the_diagnosis(world: World) -> None:
    steps = ("report stop --nightly", "stopped", False), ("ledger sync", "synced", False)
    told_of(world, "old", FAILING, f"{WHY} Let me look.", *steps)
    assert fail(world, LOCKED, "ledger sync") == [
        f"worked after running `report stop --nightly`; the agent said: {WHY}"
    ]


@pytest.mark.parametrize("wordy", ["because the nightly report keeps it ", "夜間レポートが開いたままなのが原因で"])
def test_the_best_note_always_fits_what_a_hook_may_say(world: World, wordy: str) -> None:
    said = f"The store is locked by a writer: {wordy * 12}."[:390]
    stop = f"report stop --nightly --because '{'長い理由 ' * 60}'"
    told_of(world, "old", FAILING, said, (stop, "stopped", False), ("ledger sync", "synced", False))
    with reading(world) as db:
        packet = known_error(db, "Bash", {"command": "ledger sync"}, LOCKED, PROJECT, session="new")
    assert packet is not None
    assert packet_within(packet, Config.load({}, world.home).hooks.tool_tokens).notes == packet.notes


def test_a_failure_that_nobody_solved_is_told_with_what_is_known(world: World) -> None:
    told_of(world, "first", FAILING, WHY)
    told_of(world, "second", FAILING, "Moving on.")
    assert fail(world, LOCKED, "ledger sync") == [f"not solved there; the agent said: {WHY}"]
    assert title(world, LOCKED, "ledger sync") == (
        "This error was met before in 2 sessions and not solved: error: the ledger store is locked by another writer"
    )


@pytest.mark.parametrize(
    "said",
    [
        "Let me check who holds it.",
        "It is possibly locked because of the report.",
        "Shall I stop the report, since it keeps the store locked?",
        "All entries are committed.",
    ],
)
def test_what_explains_nothing_is_no_diagnosis(world: World, said: str) -> None:
    assert fail(told_of(world, "old", FAILING, said), LOCKED, "ledger sync") == []


@pytest.mark.parametrize(
    "said",
    [
        "야간 보고서가 store 를 잡고 있기 때문에 잠겨 있습니다.",
        "夜間レポートが store を開いたままなのが原因です。",
        "因为夜间报告一直占用 store，所以被锁住了。",
    ],
)
def test_a_diagnosis_in_any_language(world: World, said: str) -> None:
    assert fail(told_of(world, "old", FAILING, said), LOCKED, "ledger sync") == [
        f"not solved there; the agent said: {said}"
    ]


def test_what_is_said_of_something_else_later_is_no_diagnosis(world: World) -> None:
    steps = (("report stop", "stopped", False), ("ledger sync", "synced", False))
    told_of(world, "old", FAILING, *steps, "The tax tables need an index because they are large.")
    assert fail(world, LOCKED, "ledger sync") == ["worked after running `report stop`"]


def test_the_same_fix_is_told_once_and_another_besides(world: World) -> None:
    bun = "Exit code 2\nerror: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>"
    for number, worked in enumerate(("bun run test", "bun run test", "rtk test bun run test")):
        met(world, ("rtk bun run test", bun, True), (worked, "12 pass", False), session=f"s{number}")
    assert sorted(fail(world, bun, "rtk bun run test")) == [
        "worked as `bun run test`",
        "worked as `rtk test bun run test`",
    ]


def test_the_call_that_worked_is_told_with_the_options_that_made_it(world: World) -> None:
    error = "Exit code 1\ncould not add label: 'feature' not found"
    met(
        world,
        ('gh pr create --title "Rates" --label feature', error, True),
        ('gh pr create --title "Rates" --draft', "https://example.org/pull/1", False),
    )
    assert fail(world, error, 'gh pr create --title "Tax" --label feature') == [
        'worked with `--draft` and without `--label` as `gh pr create --title "Rates" --draft`'
    ]


def test_what_the_error_says_to_run_is_told_although_the_call_was_another_one_then(world: World) -> None:
    error = "Exit code 1\nerror: the client is out of date\n\nRun this and stage the changes:\n\n    uv run gen-client"
    met(
        world,
        ("git add src/api.py && \\\ngit commit -m 'Rates'", error, True),
        ("uv run gen-client 2>&1 | tail -5", "written", False),
        (
            "git add src/api.py client && \\\ngit rm --cached old.py && \\\ngit commit -m 'Rates'",
            "1 file changed",
            False,
        ),
    )
    assert fail(world, error, "git commit -m 'Tax'") == [
        "worked after running `uv run gen-client`, with `--cached` as `git rm --cached old.py && git commit -m 'Rates'`"
    ]


FIELDS = (
    'query($n: Int!) { shop(owner: "OWNER", name: "books") { order(number: $n) { lines { id price tax total } } } }'
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("OWNER", "ours", 'worked with `owner: "ours"` instead of `owner: "theirs"`, as `tool api graphql'),
        (" price ", " price(round: 2) ", "worked without `(round: 2)`, as `tool api graphql"),
    ],
)
def test_of_a_long_call_the_difference_is_told_that_made_it_work(world: World, old: str, new: str, said: str) -> None:
    if old == "OWNER":
        before, after = FIELDS.replace(old, "theirs"), FIELDS.replace(old, new)
    else:
        before, after = FIELDS.replace(old, new), FIELDS
    error = "Exit code 1\nerror: the shop of 'theirs' cannot be resolved by field price with argument round"
    calls = [f"tool api graphql -f more=1 -f query='{query}'" for query in (before, after)]
    met(world, (calls[0], error, True), (calls[1], '{"lines": []}', False))
    (note,) = fail(world, error, calls[0])
    assert note.startswith(said) and len(note) < 260


def test_what_mends_it_comes_before_what_goes_past_it_and_what_nobody_solved_last(world: World) -> None:
    error = "Exit code 1\nbug: the hook script is installed in migration mode"
    commit = ("git commit -m 'Round rates'", error, True)
    config = ("hooks install --all", "installed", False)
    met(world, commit, config, ("git commit -m 'Round rates'", "[main 1] Round", False), session="s1")
    met(world, commit, ("git commit --no-verify -m 'Round rates'", "[main 1] Round", False), session="s2")
    found = fail(world, error, "git commit -m 'Tax'")
    assert [note.partition(" `")[0] for note in found] == ["worked after running", "worked with"]
    assert "--no-verify" in found[1]


def test_a_pipe_that_hides_how_it_ended_does_not_hide_the_error(world: World) -> None:
    error = "npm error notsup Unsupported platform for native-thing: wanted win32"
    met(
        world,
        ("npm install charts 2>&1 | tail -5", error, False),
        ("npm install charts --ignore-scripts 2>&1 | tail -5", error, False),
        ("npm install charts --force 2>&1 | tail -5", "added 3 packages", False),
    )
    (note,) = fail(world, f"Exit code 1\n{error}", "npm install maps")
    assert note.endswith("as `npm install charts --force`")


# --- the same error in other clothes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("git push", "git -C /home/dev/ledger push 2>&1"),
        ("cd /srv/ledger && git push 2>&1 | tail -3", "bash -lc 'git push'"),
        ("git push", "rtk git push --follow-tags"),
    ],
)
def test_wrappers_do_not_make_another_error(world: World, before: str, now: str) -> None:
    rejected = (
        "Exit code 1\nTo https://example.org/{0}.git\n ! [rejected] main -> main (fetch first)\n"
        "error: failed to push some refs to 'https://example.org/{0}.git'\n"
        "hint: Updates were rejected because the remote contains work that you do not\nhint: have locally.\n"
        "hint: the same ref. If you want to integrate the remote changes, use\nhint: 'git pull' before pushing again."
    )
    met(world, (before, rejected.format("ledger"), True), ("git pull --rebase && git push", "done", False))
    assert fail(world, rejected.format("other"), now) == ["worked with `--rebase` as `git pull --rebase && git push`"]


def test_the_message_of_a_service_is_the_error(world: World) -> None:
    body = (
        '{{"errors":[{{"path":["a"],"locations":[{{"line":{0},"column":3}}],'
        "\"message\":\"Field 'total' doesn't accept argument 'round'\"}}]}}"
    )
    called = "gh api graphql -f query='{{ rate(of: {}) {{ total{} }} }}'"
    met(
        world,
        (called.format(1, "(round: 2)"), f"Exit code 1\n{body.format(2)}", True),
        (called.format(1, ""), '{"data": 1}', False),
    )
    (note,) = fail(world, f"Exit code 1\n{body.format(9)}", called.format(5, "(round: 1)"))
    assert note == f"worked as `{called.format(1, '')}`"


UNFORMATTED = (
    "Exit code 1\n at src/{}.ts format\n  × Formatter would have printed the following content:\nFound 1 error."
)


def test_what_is_only_not_formatted_is_left_to_the_formatter(world: World) -> None:
    met(world, ("npm run lint", UNFORMATTED.format("rates"), True), ("npm run lint:fix", "Fixed 1 file", False))
    assert fail(world, UNFORMATTED.format("taxes"), "npm run lint") == ["`npm run lint:fix` fixed it"]


def test_a_complaint_besides_is_another_error() -> None:
    assert formatting(UNFORMATTED) is not None
    assert formatting(f"{UNFORMATTED}\nsrc/a.ts:1:2 lint/style/useConst FIXABLE") is None


def test_what_is_known_of_a_program_that_is_not_here(world: World) -> None:
    here = "The `podman` machine runs on the build host 10.1.2.3, not on this one."
    told_of(world, "old", ("podman ps", "bash: line 1: podman: command not found", True), "Let me see.", here)
    assert fail(world, "Exit code 127\n(eval):1: command not found: podman", "podman images") == [
        f"not solved there; the agent said: {here}"
    ]


@pytest.mark.parametrize(
    ("error", "program"),
    [
        ("(eval):1: command not found: docker", "docker"),
        ("zsh: command not found: docker", "docker"),
        ("bash: line 3: docker: command not found", "docker"),
        ("/bin/sh: 1: docker: not found", "docker"),
        ("'docker' is not recognized as an internal or external command,", "docker"),
        ("error: label: 'docs' not found", ""),
    ],
)
def test_which_program_a_shell_missed(error: str, program: str) -> None:
    assert missing_program(error) == program


def test_a_path_that_is_not_there_is_a_slip_unless_the_shell_stood_elsewhere(world: World) -> None:
    slip = "Exit code 128\nfatal: pathspec 'docs/{}.md' did not match any files"
    add = "git add docs/{0}.md && git commit -m {0}"
    met(world, (add.format("a"), slip.format("a"), True), (add.format("b"), "[main 1]", False))
    assert fail(world, slip.format("c"), add.format("c")) == []
    moved = f"cd /srv/tree && {add.format('a')}"
    met(world, (add.format("a"), slip.format("a"), True), (moved, "[main 1]", False), session="moved")
    assert fail(world, slip.format("c"), add.format("c")) == ["worked as `cd /srv/tree && git commit -m a`"]


def test_what_was_missing_is_told_with_what_installed_it(world: World) -> None:
    missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'PIL'"
    met(
        world,
        ("python3 -c 'from PIL import Image; Image.open(1)'", missing, True),
        ("pip3 install Pillow", "error: externally-managed-environment", True),
        ("pip3 install --break-system-packages Pillow 2>&1 | tail -1", "Successfully installed Pillow-12.1.1", False),
    )
    assert fail(world, missing, "python3 -c 'from PIL import ImageDraw'") == [
        "was installed by `pip3 install --break-system-packages Pillow`"
    ]


def test_what_worked_in_another_repository_is_no_fix(world: World) -> None:
    rejected = "error: failed to push some refs to 'https://example.org/a.git'"
    met(world, ("git -C /srv/a push", rejected, True), ("git -C /srv/b push", "done", False))
    assert fail(world, rejected, "git push") == []


def test_rules_of_a_linter_are_different_errors() -> None:
    one, other = (signatures(f"at src/a.ts:1:2 lint/style/{rule} FIXABLE")[0] for rule in ("useConst", "noVar"))
    assert not is_same(one, other)
