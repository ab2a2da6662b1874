"""Candidates that are hostile, and candidates of which each fails one obligation."""

from __future__ import annotations

from axiommind.learning.checks.candidate import Candidate
from axiommind.model import Span

SPAN = Span(42, 7, "/message/content/0/text", 10, 25)


HOSTILE = (
    Candidate(
        "ent_0000000000000001",
        "fact",
        "한국어 제목: 인증은 JWT를 쓴다",
        '中文 "quoted" \\ back\\slash {- %runElab evil -} """ \\{x} \\SOH \\1234 ?hole -- end',
        spans=(SPAN, Span(43, 8, "/message/content", 0, 1)),
    ),
    Candidate(
        "ent_0000000000000002",
        "decision",
        "Use SQLite 🗄️ 👩‍👩‍👧",
        "first line\nsecond\r\n\tthird\x00after NUL\x0eHello\x1b[31m",
        rationale="one file; no server\u2028next\u202eRTL\u200b\ufeff",
        spans=(SPAN,),
    ),
    Candidate("ent_0000000000000003", "insight", "x" * 10_000, "\ud800 half a pair", spans=(SPAN,)),
    Candidate(
        "ent_0000000000000004", "task_note", "🎉", "", status="blocked", priority="high", blockers=("tsk_1", "c:2")
    ),
    Candidate("ent_0000000000000005", "task_note", "Ship it", "done at last", status="done", spans=(SPAN,)),
    Candidate(
        "ent_0000000000000006", "reference", "PR", "the change", target="https://example.org/pull/7", spans=(SPAN,)
    ),
)


BROKEN = {
    "type_known": Candidate("ent_1", "rumour", "t", "x", spans=(SPAN,)),
    "ids_well_formed": Candidate('e" ++ "', "fact", "t", "x", spans=(SPAN,)),
    "title_present": Candidate("ent_3", "fact", " \u3000\n", "x", spans=(SPAN,)),
    "spans_in_order": Candidate("ent_4", "fact", "t", "x", spans=(SPAN, Span(1, 0, "", -3, -3))),
    "fact_has_evidence": Candidate("ent_5", "fact", "t", "x"),
    "decision_has_evidence": Candidate("ent_6", "decision", "t", "x", rationale="r"),
    "decision_has_rationale": Candidate("ent_7", "decision", "t", "x", rationale=" ", spans=(SPAN,)),
    "insight_has_evidence": Candidate("ent_8", "insight", "t", "x"),
    "reference_has_evidence": Candidate("ent_9", "reference", "t", "x", target="u"),
    "reference_has_target": Candidate("ent_10", "reference", "t", "x", spans=(SPAN,)),
    "task_status_known": Candidate("ent_11", "task_note", "t", "x", status="finished"),
    "done_task_has_no_blockers": Candidate("ent_12", "task_note", "t", "x", status="done", blockers=("tsk_1",)),
    "blocked_task_has_blockers": Candidate("ent_13", "task_note", "t", "x", status="blocked"),
}
