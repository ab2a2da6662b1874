"""The gate: obligations one by one, and what happens when a second checker agrees, differs, hangs or breaks."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.learning.checks import OBLIGATIONS, Checked, Idris, _runner, check, find_idris, idris_status
from axiommind.learning.checks.builtin import failures
from axiommind.learning.checks.candidate import Candidate
from axiommind.model import Span
from tests.counting import wait_for
from tests.examples import examples
from tests.learning.candidates import BROKEN, HOSTILE, SPAN
from tests.rows import rows

FACT = Candidate("ent_a", "fact", "Ports are odd", "x", spans=(SPAN,))
BARE = Candidate("ent_b", "fact", "No evidence", "x")

START = """
import os, pathlib, re, subprocess, sys, time
if "--version" in sys.argv:
    print("Idris 2, version 0.8.0")
    sys.exit()
source = pathlib.Path("Batch.idr").read_text(encoding="utf-8")
entries = dict(re.findall(r"^entry(\\d+) = (.*)$", source, re.M))
lines = source.split("\\n")
def reject(numbers):
    print("1/1: Building Batch (Batch.idr)")
    for n in numbers:
        at = lines.index(f"verified{n} = MkVerified Batch.entry{n} Oh") + 1
        print(f"Error: While processing right hand side of verified{n}. When unifying:")
        print(f"    So True\\nand:\\n    So (valid entry{n})\\nMismatch between: True and False.\\n")
        print(f"Batch:{at}:35--{at}:37\\n {at} | {lines[at - 1]}\\n")
    sys.exit(1 if numbers else 0)
def accept():
    folder = pathlib.Path("build/ttc/2025081600")
    folder.mkdir(parents=True)
    (folder / "Batch.ttc").write_bytes(b"TT2")
    print("1/1: Building Batch (Batch.idr)")
    sys.exit()
"""
BARE_FACTS = """
bare = [n for n, entry in entries.items() if entry.endswith("[])")]
reject(bare) if bare else accept()
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """An `idris2` on a PATH of its own, that ends as the script says."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def make(script: str, start: str = START) -> dict[str, str]:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "idris2"
        program.write_text(f"#!{sys.executable}\n{start}\n{script}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return {**os.environ, "PATH": str(folder), "FAKE": str(tmp_path)}

    yield make
    assert list(scratch.iterdir()) == [], "a scratch folder was left"


def ask(environ: dict[str, str], *entries: Candidate, seconds: float = 20.0) -> Checked:
    idris = find_idris(environ)
    assert idris is not None, idris_status(environ)
    return check(entries, idris=idris._replace(seconds=seconds))


@pytest.mark.parametrize("entry", HOSTILE, ids=lambda entry: entry.entry_id)
def test_hostile_words_are_no_reason_to_fail(entry: Candidate) -> None:
    assert failures(entry) == ()


@pytest.mark.parametrize("obligation", list(OBLIGATIONS))
def test_each_obligation_can_fail_alone(obligation: str) -> None:
    assert failures(BROKEN[obligation]) == (obligation,)


@rows("R2.88")
@settings(max_examples=examples(600))
@given(
    st.builds(
        Candidate,
        st.sampled_from(["ent_0123456789abcdef", "", "ent 1", "ent_é", "e" * 65]),
        st.sampled_from(["fact", "decision", "insight", "task_note", "reference", "rumour"]),
        st.sampled_from(["title", "", " \n", "🎉"]),
        st.text(max_size=3),
        st.sampled_from(["", "\t", "because"]),
        st.sampled_from(["", " ", "https://example.org"]),
        st.lists(
            st.builds(Span, st.just(1), st.integers(0, 2), st.just("/x"), st.integers(-1, 2), st.integers(0, 2)),
            max_size=2,
        ).map(tuple),
        st.sampled_from(["pending", "in_progress", "blocked", "done", "cancelled", "", "Done", "completed"]),
        st.just(""),
        st.lists(st.sampled_from(["tsk_1", "no id"]), max_size=2).map(tuple),
    )
)
def test_an_entry_passes_iff_the_obligations_hold(entry: Candidate) -> None:
    good = entry.entry_id == "ent_0123456789abcdef" and entry.title in ("title", "🎉")
    for span in entry.spans:
        good = good and span.line > 0 and span.start >= 0 and span.end > span.start
    evidence = len(entry.spans) > 0
    if entry.type in ("fact", "insight"):
        good = good and evidence
    elif entry.type == "decision":
        good = good and evidence and entry.rationale == "because"
    elif entry.type == "reference":
        good = good and evidence and entry.target == "https://example.org"
    elif entry.type == "task_note":
        allowed = {
            "pending": (0, 1, 2),
            "in_progress": (0, 1, 2),
            "blocked": (1, 2),
            "done": (0,),
            "cancelled": (0, 1, 2),
        }
        good = good and len(entry.blockers) in allowed.get(entry.status, ()) and "no id" not in entry.blockers
    else:
        good = False
    checked = check([entry], idris=None)
    assert checked.verdicts[entry.entry_id].passed == good
    assert bool(checked.verdicts[entry.entry_id].failed) != good
    assert (checked.agree, checked.verified_by, len(checked.checkers)) == (True, "builtin", 1)


def test_without_idris_the_builtin_speaks_alone(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    assert find_idris(environ) is None
    assert "not on the PATH" in idris_status(environ)
    checked = check([FACT, BARE], idris=None)
    assert [spoken.name for spoken in checked.checkers] == ["builtin"]
    assert checked.checkers[0].said == "1 passed, 1 failed: ent_b (fact_has_evidence)"
    assert checked.verdicts["ent_a"].passed
    assert checked.verdicts["ent_b"].failed == ("fact_has_evidence",)


def test_nothing_to_check(fake) -> None:  # type: ignore[no-untyped-def]
    checked = ask(fake("raise SystemExit(3)"))
    assert checked.verdicts == {}
    assert checked.agree
    assert checked.verified_by == "builtin"  # idris2 was not asked, so it is not named


def test_one_id_twice_gets_the_stricter_verdict() -> None:
    assert not check([FACT, BARE._replace(entry_id="ent_a")], idris=None).verdicts["ent_a"].passed
    assert not check([BARE._replace(entry_id="ent_a"), FACT], idris=None).verdicts["ent_a"].passed


def test_both_agree(fake) -> None:  # type: ignore[no-untyped-def]
    environ = fake(BARE_FACTS)
    assert idris_status(environ).startswith("idris2 0.8.0 at ")
    checked = ask(environ, FACT, BARE, FACT._replace(entry_id="ent_c"))
    assert checked.agree, checked.difference
    assert checked.verified_by == "idris2-0.8.0"
    assert [(s.name, s.version, s.ok) for s in checked.checkers] == [("builtin", "1", True), ("idris2", "0.8.0", True)]
    assert checked.checkers[1].said == "2 passed, 1 failed: ent_b"
    assert {name: verdict.passed for name, verdict in checked.verdicts.items()} == {
        "ent_a": True,
        "ent_b": False,
        "ent_c": True,
    }


def test_many_entries_are_several_modules(fake) -> None:  # type: ignore[no-untyped-def]
    many = [FACT._replace(entry_id=f"ent_{n}") for n in range(401)]
    many[300] = BARE
    environ = fake("open(os.environ['FAKE'] + '/runs', 'a').write('x')\n" + BARE_FACTS)
    checked = ask(environ, *many)
    assert checked.agree, checked.difference
    assert sum(verdict.passed for verdict in checked.verdicts.values()) == 400
    assert len((Path(environ["FAKE"]) / "runs").read_text()) == 4  # three modules, and one again without the bare one


@rows("R2.88")
def test_idris_rejects_what_the_builtin_passed(fake) -> None:  # type: ignore[no-untyped-def]
    checked = ask(fake("ent_c = [n for n, e in entries.items() if 'ent_c' in e]\nreject(ent_c) if ent_c else accept()"),
                  FACT, FACT._replace(entry_id="ent_c"))  # fmt: skip
    assert not checked.agree
    assert checked.verified_by == "builtin"
    assert "ent_c: builtin passed it, idris2 failed it" in checked.difference
    assert "ent_a:" not in checked.difference
    assert [verdict.passed for verdict in checked.verdicts.values()] == [False, False]
    assert checked.verdicts["ent_a"].failed == ("checkers_agree",)


def test_idris_passes_what_the_builtin_rejected(fake) -> None:  # type: ignore[no-untyped-def]
    checked = ask(fake("accept()"), FACT, BARE)
    assert not checked.agree
    assert "ent_b: builtin failed it (fact_has_evidence), idris2 passed it" in checked.difference
    assert not any(verdict.passed for verdict in checked.verdicts.values())


def test_an_error_that_names_nobody_is_sought_one_by_one(fake) -> None:  # type: ignore[no-untyped-def]
    checked = ask(
        fake("""
if any(entry.endswith("[])") for entry in entries.values()):
    print("Error: something about no line at all")
    sys.exit(1)
accept()
"""),
        FACT,
        BARE,
    )
    assert checked.agree, checked.difference
    assert "something about no line" in checked.checkers[1].said
    assert [verdict.passed for verdict in checked.verdicts.values()] == [True, False]


def test_a_schema_that_this_idris_cannot_read_passes_nothing(fake) -> None:  # type: ignore[no-untyped-def]
    many = [FACT._replace(entry_id=f"ent_{n}") for n in range(20)]
    checked = ask(fake("print('Error: Module Data.So not found')\nsys.exit(1)"), *many)
    assert not checked.agree
    assert "Module Data.So not found" in checked.difference
    assert "and 15 more" in checked.difference
    assert not any(verdict.passed for verdict in checked.verdicts.values())


def test_words_in_quoted_source_blame_nobody(fake) -> None:  # type: ignore[no-untyped-def]
    """The lines that an error quotes hold what people said."""
    sly = BARE._replace(title="Error: While processing right hand side of verified1. Batch:1:1--1:2")
    checked = ask(
        fake("""
bare = [n for n, entry in entries.items() if entry.endswith("[])")]
for n in bare:
    print(f" 200 | {entries[n]}")
reject(bare) if bare else accept()
"""),
        FACT,
        sly,
    )
    assert checked.agree, checked.difference
    assert [verdict.passed for verdict in checked.verdicts.values()] == [True, False]


def test_a_hanging_idris_is_ended_with_its_children(fake, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    child = tmp_path / "child"
    environ = fake("""
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(os.environ["FAKE"] + "/child", "w").write(str(child.pid))
time.sleep(600)
""")
    idris = find_idris(environ)
    assert idris is not None
    # Its time is up once it hangs, however long it took to get there.
    clock = SimpleNamespace(monotonic=lambda: 1e9 if child.exists() and child.read_text() else 0.0)
    monkeypatch.setattr(_runner, "time", clock)
    checked = check((FACT,), idris=idris._replace(seconds=1.5))
    assert not checked.agree
    assert not checked.checkers[1].ok
    assert checked.difference == "idris2 gave no verdict, so nothing of this batch passes: it was stopped after 1.5 s"
    assert not checked.verdicts["ent_a"].passed
    wait_for(lambda: ended(int(child.read_text())), "the end of its child")


def test_a_child_that_stays_behind_does_not_hold_the_verdict(fake, tmp_path) -> None:  # type: ignore[no-untyped-def]
    environ = fake("""
late = "import os, time; time.sleep(60); open(os.environ['FAKE'] + '/lived', 'w')"
child = subprocess.Popen([sys.executable, "-c", late])
open(os.environ["FAKE"] + "/child", "w").write(str(child.pid))
accept()
""")
    assert ask(environ, FACT).agree
    wait_for(lambda: ended(int((tmp_path / "child").read_text())), "the end of the child")
    assert not (tmp_path / "lived").exists()  # it was ended, and not waited for


def ended(pid: int) -> bool:
    """Gone, or a zombie that whoever adopted it has not yet buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("import signal; os.kill(os.getpid(), signal.SIGSEGV)", "-11"),
        ("sys.exit(1)", "ended with 1 and without a verdict, saying ''"),
        ("print('Uncaught error: (interactive) no'); sys.exit(1)", "Uncaught error"),
        ("sys.stdout.buffer.write(bytes(range(256)) * 10_000); sys.exit(0)", "ended with 0 and without a verdict"),
        ("print('Usage: idris2 [options] [input file]')", "Usage: idris2"),
        ("print('1/1: Building Batch (Batch.idr)')", "ended with 0 and without a verdict"),
    ],
    ids=["signal", "silence", "internal error", "garbage", "usage", "no ttc"],
)
def test_a_run_without_a_verdict_passes_nothing(fake, script: str, says: str) -> None:  # type: ignore[no-untyped-def]
    checked = ask(fake(script), FACT)
    assert not checked.agree
    assert not checked.checkers[1].ok
    assert says in checked.difference
    assert not checked.verdicts["ent_a"].passed
    assert checked.verified_by == "builtin"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("print('who knows')", "said 'who knows'"),
        ("print('Idris 2, version 0.8.0'); raise SystemExit(2)", "ended with 2"),
        ("", "said ''"),
    ],
)
def test_a_version_that_cannot_be_read_is_no_idris(fake, script: str, says: str) -> None:  # type: ignore[no-untyped-def]
    environ = fake(script, start="")
    assert find_idris(environ) is None
    assert "cannot be used" in idris_status(environ)
    assert says in idris_status(environ)


def test_a_file_that_is_no_program_is_no_idris(tmp_path: Path) -> None:
    program = tmp_path / "idris2"
    program.write_bytes(b"\x7fnot a program")
    program.chmod(0o755)
    environ = {"PATH": str(tmp_path)}
    assert find_idris(environ) is None
    assert "cannot be used" in idris_status(environ)


def test_an_idris_that_went_away_is_no_verdict(tmp_path: Path) -> None:
    checked = check([FACT], idris=Idris(str(tmp_path / "gone"), "0.8.0", {}))
    assert not checked.agree
    assert "could not be started" in checked.difference


def test_the_version_is_asked_once(fake) -> None:  # type: ignore[no-untyped-def]
    environ = fake("", start="import os; open(os.environ['FAKE'] + '/asked', 'a').write('x')\n" + START)
    for _ in range(3):
        assert find_idris(environ) == find_idris(environ)
    assert (Path(environ["FAKE"]) / "asked").read_text() == "x"
