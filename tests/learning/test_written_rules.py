"""Rules and lessons that were written into a file: which files, which lines, who asked for them, what replaced what."""

from __future__ import annotations

import pytest

from axiommind.extraction.drafts import Draft
from axiommind.extraction.rules import written_rules
from axiommind.extraction.rules._rule_files import LESSONS, PAGE, RULES_FILE, file_class, sections
from tests.learning.quoted_drafts import check_quotes, transcript_of
from tests.learning.sessions import Session
from tests.transcripts import World

RULES_PAGE = "/home/dev/weather/CLAUDE.md"
LESSONS_PAGE = "/home/dev/weather/docs/lessons.md"


def found(world: World, session: Session) -> list[Draft]:
    transcript = transcript_of(world, session)
    drafts = written_rules.find(transcript)
    check_quotes(transcript, drafts)
    return drafts


def edit(session: Session, new: str, old: str = "x", path: str = RULES_PAGE) -> None:
    session.use("Edit", "done", file_path=path, old_string=old, new_string=new)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/p/CLAUDE.md", RULES_FILE),
        ("/p/apps/api/AGENTS.md", RULES_FILE),
        ("/p/.claude/rules/commits.md", RULES_FILE),
        ("/home/u/.claude/projects/-p/memory/testing.md", RULES_FILE),
        ("C:\\p\\GEMINI.md", RULES_FILE),
        ("/p/.cursor/rules/style.mdc", RULES_FILE),
        ("/p/tasks/lessons.md", LESSONS),
        ("/p/.learnings/2026-01-05-migrations.md", LESSONS),
        ("/p/docs/handoff-search.md", LESSONS),
        ("/p/docs/schema.md", PAGE),
        ("/p/README.md", ""),
        ("/p/CHANGELOG.md", ""),
        ("/home/u/.claude/plans/blue-fox.md", ""),
        ("/p/prompts/judge.md", ""),
        ("/p/src/rules.py", ""),
    ],
)
def test_what_a_file_is_written_for(path: str, what: str) -> None:
    assert file_class(path) == what


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Always run the migrations before the tests, because the schema is not synchronised.", "convention"),
        ("Never edit `openapi.json` by hand.", "convention"),
        ("構造体にフィールドを追加したら、必ずバージョンを上げる", "convention"),
        ("마이그레이션은 항상 테스트보다 먼저 실행해야 한다", "convention"),
        ("修改接口后必须重新生成客户端", "convention"),
    ],
)
def test_rules_in_four_languages(world: World, line: str, kind: str) -> None:
    session = Session()
    edit(session, f"## Database\n\n- {line}\n- The service listens on 8080\n")
    (draft,) = found(world, session)
    assert (draft.type, draft.kind, draft.title, draft.rule) == ("fact", kind, line, "written-rules")
    assert draft.anchors == ("CLAUDE.md",) and draft.text == f"Database: {line}"


@pytest.mark.parametrize(
    "text",
    [
        "# Always test\n\nThe API lives in `api/`.",
        "| Rule | Why |\n|---|---|\n| Never push | always |",
        "```python\n# never do this\n```",
        "- [ ] Always deploy on Fridays",
        "> You must never do that, he said.",
        "Step 3 must be in progress by 2026-01-05.",
        "---\ntitle: Always be nice\n---\n",
    ],
)
def test_what_is_no_rule(world: World, text: str) -> None:
    session = Session()
    edit(session, text)
    assert found(world, session) == []


@pytest.mark.parametrize(
    ("prompt", "is_asked"),
    [
        ("Put that into CLAUDE.md please", True),
        ("remember this for next time", True),
        ("これを教訓として残して", True),
        ("규칙으로 기록해줘", True),
        ("把这条规则记录下来", True),
        ("Fix the parser", False),
    ],
)
def test_who_asked_for_it(world: World, prompt: str, is_asked: bool) -> None:
    session = Session()
    session.prompt(prompt)
    edit(session, "- Never round before the sum")
    (draft,) = found(world, session)
    assert draft.rule == ("written-rules-asked" if is_asked else "written-rules")
    assert (prompt in [quote.text for quote in draft.quotes]) is is_asked


def test_a_section_of_lessons_is_one_entry(world: World) -> None:
    session = Session()
    content = (
        "# Two releases at once\n\nAfter an outage.\n\n**Rules:**\n1. Look into `.github/workflows` before a release\n"
        "2. Push only the tag, the workflow must create the release\n\n## Background\n\n- The office has two floors\n"
    )
    session.use("Write", "done", file_path=LESSONS_PAGE, content=content)
    (draft,) = found(world, session)
    assert draft.title == "Push only the tag, the workflow must create the release"
    assert draft.text.startswith("Rules: Look into `.github/workflows` before a release\nPush only")
    assert len(draft.quotes) == 2


def test_other_pages_count_for_plain_commands_alone(world: World) -> None:
    session = Session()
    edit(session, "## Fields\n\n- The name is required\n- It should be short\n", path="/p/docs/api.md")
    assert found(world, session) == []
    edit(session, "## Fields\n\n- New columns MUST have a default, old rows have none\n", path="/p/docs/api.md")
    assert [draft.title for draft in found(world, session)] == ["New columns MUST have a default, old rows have none"]


def test_the_last_state_of_a_file_counts(world: World) -> None:
    session = Session()
    edit(session, "- Always use npm here\n- Never use sudo here")
    edit(session, "- Always use pnpm here", old="- Always use npm here")
    first, second = found(world, session)
    assert (first.title, first.retires) == ("Never use sudo here", ())
    assert (second.title, second.retires) == ("Always use pnpm here", ("Always use npm here",))
    session.use("Write", "done", file_path=RULES_PAGE, content="- Always use bun here")
    assert [draft.title for draft in found(world, session)] == ["Always use bun here"]


def test_the_same_rule_in_two_files_is_told_once_and_three_at_most(world: World) -> None:
    session = Session()
    for path in (RULES_PAGE, "/home/dev/weather/AGENTS.md"):
        edit(session, "- Never push to main", path=path)
    assert len(found(world, session)) == 1
    for n in range(5):
        edit(session, f"## Part {n}\n\n- Always test part number {n} first")
    assert len(found(world, session)) == 3


def test_a_failed_edit_wrote_nothing(world: World) -> None:
    session = Session()
    session.use("Edit", "not found", error=True, file_path=RULES_PAGE, old_string="a", new_string="- Never push")
    assert found(world, session) == []


def test_sections() -> None:
    text = "# One\nA line\n- a point\n**Two:**\n1. first\n\n```sh\nrun\n```\nThree:\n* last"
    assert [(part.heading, part.lines) for part in sections(text)] == [
        ("One", ("A line", "a point")),
        ("Two", ("first",)),
        ("Three", ("last",)),
    ]


def test_a_sentence_over_several_lines_is_one() -> None:
    text = "# Rules\n\nNever push to main, because the\n  deployment starts from it.\nAlways open a pull request.\n"
    (found,) = sections(text)
    assert found.lines == (
        "Never push to main, because the\n  deployment starts from it.",
        "Always open a pull request.",
    )
