"""Which words of a prompt nobody typed."""

from __future__ import annotations

from axiommind.memory import Scope
from axiommind.projections import transcript
from axiommind.text.pasted import is_pasted, pasted_spans, without
from tests.transcripts import Lines, World

LOG = "".join(f"[watcher] scan {n} took {n * 3} ms path=/srv/data/{n} size={n}\n" for n in range(12))
TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "/srv/app/module_{n}.py", line {n}, in run\n    return call({n})\n' for n in range(8)
)
ASKED = "This fails since this morning, can you see why?\n\n"
AFTER = "\nDon't change the watcher itself, only what starts it.\n"


def pasted(text: str) -> list[str]:
    return [text[start:end] for start, end in pasted_spans(text)]


def test_a_log_between_what_was_typed() -> None:
    assert pasted(ASKED + LOG + AFTER) == [LOG]
    assert without(ASKED + LOG + AFTER, pasted_spans(ASKED + LOG + AFTER)).split() == (ASKED + AFTER).split()
    assert pasted(ASKED + TRACE) == [TRACE]
    assert not is_pasted(ASKED + LOG) and is_pasted(LOG) and is_pasted(TRACE)


def test_source_between_fences() -> None:
    code = "```\n" + "total = total + one\n" * 20 + "```\n"
    assert pasted(f"Is this right?\n{code}Say it in one line.") == [code]


def test_a_plan_is_a_models() -> None:
    assert is_pasted("Implement the following plan:\n\n# Cache answers\n\n1. Write it.")
    assert not is_pasted("Implement the plan that we talked about.")


def test_what_people_type_is_theirs() -> None:
    several = "\n".join(
        f"{n}. the button of page {n} should be blue, and smaller than the one before" for n in range(9)
    )
    listed = "Please:\n" + "\n".join(f"- rename the field `x{n}` in src/a{n}.py, it is confusing" for n in range(9))
    korean = "\n".join(["설정 화면에서 저장을 누르면 목록이 새로고침되지 않아. 원인을 찾아서 고쳐줘."] * 9)
    for text in (several, listed, korean, "why? " * 100, LOG[:200], ""):
        assert pasted(text) == [], text


def test_a_transcript_tells_them_apart_where_they_stand(world: World) -> None:
    lines = Lines("s1")
    lines.prompt(ASKED + LOG + AFTER)
    lines.tool("Bash", "t1", command="ls")
    lines.result("t1", "ok")
    world.write(lines)
    memory = world.memory()
    memory.index()
    with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _):
        read = transcript.read(db, log.blob, "s1")
    assert read is not None
    typed, put, call, result = read.messages
    assert (typed.provenance, put.provenance, typed.role, put.role) == ("person", "pasted", "person", "person")
    assert len(typed.text) == len(put.text) == len(ASKED + LOG + AFTER)
    assert typed.text.split() == (ASKED + AFTER).split() and put.text.strip() == LOG.strip()
    assert (call.role, call.use, result.role, result.use) == ("call", 0, "result", 0)
    assert read.uses[0].leaves == {"/command": 2} and read.uses[0].results == (3,)
    assert world.rows("select provenance from passages where kind = 'prompt'") == [("person",)]
