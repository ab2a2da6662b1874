"""The text of an Idris module: words stay inside literals, and where there is an idris2 it is asked for real."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from axiommind.learning.checks import OBLIGATIONS, check, find_idris
from axiommind.learning.checks.candidate import Candidate
from axiommind.learning.checks.idris import batches, literal, module
from axiommind.model import Span
from axiommind.projections.task_fold import TASK_STATUSES
from tests.examples import examples
from tests.learning.candidates import BROKEN, HOSTILE, SPAN
from tests.rows import rows

SNAPSHOTS = Path(__file__).parent / "snapshots"


NAMED = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
NAMED_ESCAPES = {name: chr(code) for code, name in enumerate(NAMED.split())} | {"SP": " ", "DEL": "\x7f"}
SINGLE = {"\\": "\\", "&": "", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
SINGLE |= {"v": "\v", "\n": ""}


def unescape(body: str) -> str:
    """As Idris 2 reads it (Parser.Support.Escaping.unescape'): numbers take every digit that follows."""
    out, at = "", 0
    while at < len(body):
        if body[at] != "\\":
            out, at = out + body[at], at + 1
            continue
        rest = body[at + 1 :]
        assert not rest.startswith("{"), "an interpolation"
        if number := re.match(r"x([0-9A-Fa-f]+)", rest):
            out += chr(int(number[1], 16))
        elif number := re.match(r"o([0-7]+)", rest):
            out += chr(int(number[1], 8))
        elif number := re.match(r"([0-9]+)", rest):
            out += chr(int(number[1]))
        elif rest[:1] in SINGLE:
            out += SINGLE[rest[0]]
            at += 2
            continue
        else:
            name = rest[:3] if rest[:3] in NAMED_ESCAPES else rest[:2]
            out += NAMED_ESCAPES[name]
            at += 1 + len(name)
            continue
        at += 1 + number.end()
    return out


def lexed(line: str) -> tuple[str, list[str]]:
    """A line with its literals taken out as the lexer takes them, and the bodies of these."""
    bodies: list[str] = []

    def take(found: re.Match[str]) -> str:
        bodies.append(found[1])
        return "S"

    return re.sub(r'"((?:\\.|[^"\\])*)"(?!")', take, line), bodies


@settings(max_examples=examples(600))
@given(
    st.text(st.characters()) | st.text(st.sampled_from('\\"{}-%x0123456789abcdefSOHNUL&\n\t\0\x0e\u2028 é한🎉\ud800'))
)
@example('"')
@example("\\")
@example("\x0eH")
@example("\x011234")
@example("\\{x}")
@example("{- %runElab -}")
def test_a_literal_reads_back_as_the_text(text: str) -> None:
    written = literal(text)
    body = written[1:-1]
    assert written[0] == written[-1] == '"'
    assert '"' not in body
    assert not any(unicodedata.category(c)[0] == "C" or (c != " " and c.isspace()) for c in body)
    assert unescape(body) == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert lexed(written) == ("S", [body])
    written.encode("utf-8")


@settings(max_examples=examples(500), deadline=None)
@given(st.data())
def test_no_text_leaves_its_literal(data: st.DataObject) -> None:
    """With the literals taken out, what is left is ours alone: constructors, brackets, numbers."""
    text = st.text(st.sampled_from('"\\{}-%?\n\0x1 a;=()[],') | st.characters(), max_size=30)
    entry = Candidate(
        data.draw(text),
        data.draw(st.sampled_from(["fact", "decision", "insight", "task_note", "reference"]) | text),
        *data.draw(st.tuples(text, text, text, text)),
        spans=(Span(1, 2, data.draw(text), data.draw(st.integers(-5, 5)), 3),),
        status=data.draw(st.sampled_from(TASK_STATUSES) | text),
        priority=data.draw(text),
        blockers=tuple(data.draw(st.lists(text, max_size=2))),
    )
    lines = module([entry]).text.split("\n")
    at = lines.index("entry1 : Entry")
    assert lines[at + 2 :] == ["", "verified1 : Verified", "verified1 = MkVerified Batch.entry1 Oh", ""]
    left, _ = lexed(lines[at + 1])
    span = r"\[MkSpan \(MkEventId S\) 2 S (\d+|\(-\d+\)) 3\]"
    start = r"\(MkEntryId S\) S S"
    task = rf"\(MkTask {start} \(readStatus S\) S \[(MkTaskId S(, MkTaskId S)*)?\] {span}\)"
    shapes = [
        rf"FactEntry \(MkFact {start} {span}\)",
        rf"DecisionEntry \(MkDecision {start} S {span}\)",
        rf"InsightEntry \(MkInsight {start} {span}\)",
        rf"TaskEntry {task}",
        rf"ReferenceEntry \(MkReference {start} S {span}\)",
        rf"UnknownEntry {start} {span}",
    ]
    assert re.fullmatch(rf"entry1 = ({'|'.join(shapes)})", left)


def test_the_module_is_the_snapshot() -> None:
    """After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/learning/test_idris.py`; then read it."""
    path = SNAPSHOTS / "hostile.idr"
    text = module(HOSTILE).text
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_bytes().decode("utf-8")


def test_long_text_is_cut_and_lines_know_their_entry() -> None:
    written = module(HOSTILE)
    lines = written.text.split("\n")
    assert max(map(len, lines)) < 5_000
    assert "x" * 400 in written.text
    assert "x" * 401 not in written.text
    for number, line in enumerate(lines, 1):
        name = re.match(r"(?:entry|verified)(\d+) [:=]", line)
        assert written.lines.get(number) == (int(name[1]) if name else None)


@rows("R2.85", "R2.86", "R2.87")
def test_the_schema_holds_every_obligation_by_its_name() -> None:
    text = module([]).text
    asked = re.search(r"^valid x =\n((?:  .*\n)+)", text, re.MULTILINE)
    assert asked
    assert re.findall(r"(\w+) x$", asked[1], re.MULTILINE) == list(OBLIGATIONS)
    for name in OBLIGATIONS:
        assert f"\n{name} : Entry -> Bool\n{name} " in text
    for name in ("EntryId", "TaskId", "EventId", "EvidenceSpan", "Fact", "Decision", "Insight", "Task", "Reference"):
        assert f"\nrecord {name} where\n" in text
    assert text.count("\n  evidenceSpans : List EvidenceSpan\n") == 5


def test_modules_are_bounded() -> None:
    small = [Candidate(f"ent_{n}", "fact", "t", "x", spans=(SPAN,)) for n in range(450)]
    assert [len(b) for b in batches(small)] == [200, 200, 50]
    wide = [Candidate("ent_1", "fact", "t", "x", spans=(SPAN,) * 1500) for _ in range(3)]
    assert [len(b) for b in batches(wide)] == [1, 1, 1]
    assert list(batches([])) == []


IDRIS = find_idris(os.environ)
real = pytest.mark.skipif(IDRIS is None, reason="no idris2 on the PATH: the generated module was not compiled here")


@rows("R2.87")
@real
def test_the_real_idris_accepts_the_snapshot() -> None:
    checked = check(HOSTILE, idris=IDRIS)
    assert checked.agree, checked.difference
    assert all(verdict.passed for verdict in checked.verdicts.values())
    assert IDRIS is not None
    assert checked.verified_by == f"idris2-{IDRIS.version}"


@real
@pytest.mark.parametrize("obligation", list(OBLIGATIONS))
def test_the_real_idris_rejects_a_broken_obligation(obligation: str) -> None:
    broken = BROKEN[obligation]
    checked = check([*HOSTILE, broken], idris=IDRIS)
    assert checked.agree, checked.difference
    assert obligation in checked.verdicts[broken.entry_id].failed
    assert sum(verdict.passed for verdict in checked.verdicts.values()) == len(HOSTILE)


@real
def test_the_real_idris_on_all_broken_at_once() -> None:
    checked = check(list(BROKEN.values()), idris=IDRIS)
    assert checked.agree, checked.difference
    assert not any(verdict.passed for verdict in checked.verdicts.values())
