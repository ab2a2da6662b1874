"""How things are run here: which lines are a project's own, and what of them is told."""

from __future__ import annotations

import pytest

from axiommind.extraction.drafts import Draft
from axiommind.extraction.rules import runs
from tests.learning.quoted_drafts import check_quotes, transcript_of
from tests.learning.sessions import Session
from tests.transcripts import World


def found(world: World, *commands: str, said: str = "ok") -> list[Draft]:
    session = Session()
    for command in commands:
        session.use("Bash", said, command=command)
    transcript = transcript_of(world, session)
    drafts = runs.find(transcript)
    check_quotes(transcript, drafts)
    return drafts


@pytest.mark.parametrize(
    ("commands", "title"),
    [
        (("pnpm -F api test 2>&1 | tail -5", "pnpm -F api test"), "Tests are run with `pnpm -F api test`"),
        (("cd /home/dev/weather/core && go test", "cd core && go test"), "Tests are run with `cd core && go test`"),
        (("A=1 pytest -k rain", "A=1 pytest -k 'snow or hail'"), "Tests are run with `A=1 pytest -k …`"),
        (("bun run lint:fix",) * 2, "The code is linted with `bun run lint:fix`"),
        (("npx tsc --noEmit -p web",) * 2, "Types are checked with `npx tsc --noEmit -p web`"),
    ],
)  # fmt: skip
def test_a_line_of_this_project(world: World, commands: tuple[str, ...], title: str) -> None:
    (draft,) = found(world, *commands)
    assert (draft.type, draft.kind, draft.title, draft.key) == ("fact", "howto", title, title)
    assert draft.text == f"{title}: it worked 2 times in this session."


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (("npm test",) * 3, "ok"),
        (("pytest -q",) * 3, "ok"),
        (("pnpm --filter api test",), "ok"),  # once
        (("pnpm --filter api test | tail -5",) * 2, "2 failed, 3 passed"),
        (("pnpm --filter api test -- --testPathPattern=rain",) * 2, "No tests found, exiting with code 0"),
        (("git commit -m x && pnpm --filter api test",) * 2, "ok"),
        (("cargo build --features sky; rm -rf x",) * 2, "ok"),
    ],
)
def test_what_is_no_way_of_running_things(world: World, commands: tuple[str, ...], said: str) -> None:
    assert found(world, *commands, said=said) == []


def test_one_of_a_session_the_most_frequent(world: World) -> None:
    (draft,) = found(world, *("pnpm --filter web build",) * 2, *("pnpm --filter api test",) * 3)
    assert draft.title == "Tests are run with `pnpm --filter api test`" and "3 times" in draft.text
