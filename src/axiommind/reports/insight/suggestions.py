"""Suggestions: proposals for the project's instructions, commands and hooks, each with its evidence."""

from __future__ import annotations

from pathlib import Path

from axiommind.reports.analysers.evidence import ProposalMaterial, Sentence
from axiommind.reports.analysers.proposals import Proposal, propose
from axiommind.reports.insight import rows
from axiommind.reports.insight.reader import FactReader
from axiommind.reports.insight.values import Proposed

__all__ = ["proposals_of"]

_INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
_FILE_BYTES = 1_000_000


def proposals_of(facts: FactReader) -> list[Proposed]:
    known, commands = _on_disk(facts.project)
    checks, edited = rows.checks_of(facts.used)
    pairs = [p._replace(a=facts.inside(p.a), b=facts.inside(p.b)) for p in facts.pairs]
    made = propose(
        ProposalMaterial(
            failures=facts.failures,
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
        weight=one.weight * one.sessions,
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
