"""A small project with a past, and what its agents are told for a prompt."""

from __future__ import annotations

from axiommind.recall.answers import answers
from axiommind.recall.disclosure import IndexItem
from axiommind.recall.request import OF_ONE_SESSION, IndexRequest
from axiommind.search.query import Query
from tests.recall.packets import learned, reading
from tests.search.asking import DAY, NOW
from tests.transcripts import PROJECT, Lines, World

__all__ = ["CAUSE", "asked", "past", "said_in", "told"]

CAUSE = "The radar tiles were blank because the proxy cached the 404 of the first request for an hour."


def said_in(session: str, *turns: tuple[str, str], day: float = 0, cwd: str = PROJECT) -> Lines:
    """A session in which each of these prompts got this answer."""
    lines = Lines(session, cwd=cwd)
    for number, (prompt, answer) in enumerate(turns):
        lines.prompt(prompt, at=day * DAY + 10 * number)
        lines.answer("Let me look.", at=day * DAY + 10 * number + 1)
        lines.answer(answer, at=day * DAY + 10 * number + 2)
    return lines


def past() -> list[Lines]:
    """Four sessions about different things."""
    return [
        said_in(
            "aaaaaaaa-0001",
            ("why are the radar tiles blank on the map?", CAUSE),
            ("then send no-store for errors", "Done: errors are sent with `no-store`, and 31 tests pass."),
        ),
        said_in(
            "bbbbbbbb-0002",
            ("draw the wind rose in SVG", "The wind rose is an SVG of sixteen sectors. `rose.py` draws it."),
            day=1,
        ),
        said_in(
            "cccccccc-0003",
            (
                "장마 통계를 월별로 집계해 줘",
                "장마 통계는 이제 월별로 집계합니다. 원인은 시간대였고 서버는 UTC를 씁니다.",
            ),
            ("積雪のグラフが重い", "積雪のグラフは一万点を間引くようにしました。描画は二秒から〇・一秒になりました。"),
            day=2,
        ),
        said_in(
            "dddddddd-0004",
            ("为什么台风路径会跳动", "台风路径跳动是因为两个来源的时间不同，现在按来源分组。"),
            ("add a changelog", "The changelog has a first entry."),
            day=3,
        ),
    ]


def told(
    world: World, prompt: str, *, session: str | None = None, skip: frozenset[str] = frozenset(), least: float = 0.0
) -> tuple[IndexItem, ...]:
    """What answers a prompt of the project, however unlikely, best first."""
    query = Query.plain(prompt, now=NOW, project=PROJECT)
    request = IndexRequest(query, 10, least, session, skip, "lexical", NOW, False, OF_ONE_SESSION, answers=True)
    with reading(world) as db:
        return answers(db, request, {}).items


def asked(world: World) -> World:
    return learned(world, *past())
