"""Suggestions: proposals for the project's instructions, commands and hooks, each with its evidence."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from axiommind.reports.analysers.evidence import ProposalMaterial, Sentence
from axiommind.reports.analysers.rework import RepeatedFailure
from axiommind.reports.insight import rows
from axiommind.reports.insight.reader import FactReader
from axiommind.reports.insight.values import Proposed
from axiommind.reports.proposals.proposal import Proposal
from axiommind.reports.proposals.propose import propose

__all__ = ["proposals_of"]

_INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
_ASIDE = re.compile(r"/\.|^/(?:private/)?(?:tmp|var)/")  # what clients and programs keep for themselves
_END_OF_PATH = 3  # folders and the name
_FILE_BYTES = 1_000_000


def proposals_of(facts: FactReader) -> list[Proposed]:
    known, commands = _on_disk(facts.project)
    checks, edited = rows.checks_of(facts.used)
    pairs = [p._replace(a=_portable(facts.inside(p.a)), b=_portable(facts.inside(p.b))) for p in facts.pairs]
    made = propose(
        ProposalMaterial(
            failures=[_seen_from(facts, one) for one in facts.failures],
            habits=facts.habits,
            statements=facts.statements,
            prompts=[Sentence(asked.text, asked.witness()) for asked in facts.prompts if not asked.is_handed_on],
            checks=checks,
            edited_sessions=edited,
            pairs=pairs,
            claims=rows.claims_of(facts.db),
            known=known,
            commands=commands,
        )
    )
    return [_proposed(facts, one) for one in made]


def _seen_from(facts: FactReader, failure: RepeatedFailure) -> RepeatedFailure:
    """A failure with the files of its calls as the project names them."""
    calls = []
    for call in failure.calls:
        path = facts.inside(call.file)
        is_aside = path.startswith("/") and _ASIDE.search(path) is not None
        calls.append(call._replace(file="" if is_aside or not path else _portable(path)))
    return replace(failure, calls=tuple(calls))


def _portable(path: str) -> str:
    """A path as it can stand in a file that others read: of one outside the project only its end."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[-_END_OF_PATH:]) if path.startswith("/") or parts[0].endswith(":") else path


def _proposed(facts: FactReader, one: Proposal) -> Proposed:
    return Proposed(
        kind=one.kind,
        project=None,
        target=one.target,
        title=one.title,
        why=one.why,
        text=one.text,
        language=one.language,
        sessions=one.sessions,
        days=one.days,
        saves=one.saves,
        evidence=facts.evidence(one.witnesses),
    )


def _on_disk(project: str | None) -> tuple[str, frozenset[str]]:
    """What the project's instructions say, and which commands and skills it has; nothing where its folder is gone."""
    if project is None:
        return "", frozenset()
    root = Path(project)
    texts = []
    for name in _INSTRUCTIONS:
        try:
            if (root / name).stat().st_size <= _FILE_BYTES:
                texts.append((root / name).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):
            continue
    try:
        commands = {path.stem for path in (root / ".claude" / "commands").glob("**/*.md")}
        commands |= {path.parent.name for path in (root / ".claude" / "skills").glob("*/SKILL.md")}
    except (OSError, ValueError):
        commands = set()
    return "\n".join(texts), frozenset(commands)
