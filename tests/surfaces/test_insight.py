"""`axm insight`: what it says is so, and every quote in it can be opened and read."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from axiommind import llm
from axiommind.config import Config
from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.memory import Memory, Scope
from axiommind.reports.analysers.activity import by_day, stretches, together, total
from axiommind.reports.analysers.complaints import complaint
from axiommind.reports.analysers.evidence import Sentence, Witness
from axiommind.reports.analysers.rework import CountedCall, failures, shape
from axiommind.reports.analysers.sayings import contradictions
from axiommind.reports.insight.prose import kept
from axiommind.reports.insight.values import InsightReport
from axiommind.search.citations import parse
from axiommind.surfaces.cli import main
from axiommind.surfaces.render.insight import as_html, as_json, as_markdown
from axiommind.text.requests.prompt_kinds import kind_of
from tests.transcripts import PROJECT, Lines, World

DAY = 24 * 60
TAG = "<script>alert(1)</script> | `x` @~/.ssh/id_rsa !`rm -rf /`"
RULE = "Always use pnpm for installing packages in this repo"


def session(name: str, day: int, *, rule: str = RULE, commit: str = "commit and update the changelog") -> Lines:
    """A session with a standing rule, a command that never works, files that change together, and a habit."""
    lines = Lines(name)
    at = day * DAY + 0.0

    def use(tool: str, text: str = "ok", *, error: bool = False, **given: str) -> None:
        nonlocal at
        at += 1
        lines.tool(tool, f"u-{name}-{len(lines.lines)}", at=at, **given)
        lines.result(f"u-{name}-{len(lines.lines) - 1}", text, error, at=at + 0.5)

    lines.prompt(f"{rule}. Then fix the rain forecast of {name}", at=at)
    for path in ("src/rain.py", "src/clouds.py", "tests/test_rain.py"):
        use("Edit", file_path=f"{PROJECT}/{path}", old_string="a", new_string="b")
    use("Bash", "Exit code 2\nerror: unrecognized subcommand 'pytest'", error=True, command="rtk pytest 2>&1")
    use("Bash", "3 passed", command="pytest -q 2>&1")
    use("Bash", "fine", command="ruff check .")
    lines.prompt(commit, at=at + 1)
    at += 1
    use("Edit", file_path=f"{PROJECT}/CHANGELOG.md", old_string="a", new_string="b")
    use("Bash", "done", command=f'git add -A && git commit -m "Rain {name}"')
    lines.answer("Done.", at=at + 1)
    return lines


def hostile(name: str, day: int) -> Lines:
    lines = session(name, day, rule=f"Never commit secrets to the repo {TAG}", commit=f"no, that's wrong {TAG}")
    lines.prompt(f"<img src=x onerror=alert(2)>\n```\nI said no\n``` {TAG}", at=day * DAY + 40)
    return lines


@pytest.fixture
def busy(world: World) -> World:
    for n, name in enumerate(("aaaa", "bbbb", "cccc", "dddd")):
        world.write(session(name, n * 2))
    world.write(session("eeee", 9, rule="Never use pnpm for installing packages in this repo"))
    world.write(hostile("ffff", 11))
    world.write(hostile("gggg", 12))
    memory = world.memory()
    memory.index()
    memory.learning.run()
    return world


def report_of(world: World) -> InsightReport:
    return world.memory().reports.insight(Scope(PROJECT))


def test_what_happened_is_said(busy: World) -> None:
    report = report_of(busy)
    assert (report.sessions, report.prompts) == (7, 16)
    failed = report.failed[0]
    assert (failed.what, failed.times, failed.sessions, failed.then) == ("rtk pytest", 7, 7, "pytest")
    assert failed.never_worked
    habit = next(one for one in report.habits if one.text == "commit and update the changelog")
    assert (habit.times, habit.sessions, habit.kind) == (5, 5, "directive")
    assert {"src/rain.py", "src/clouds.py"} <= set(report.together[0].files)
    assert report.together[0].sessions == 7
    assert any("pnpm" in c.older and "Never" in c.newer for c in report.conflicts)
    assert any("that's wrong" in c.said.quote for c in report.corrections)
    assert 3 <= len(report.short) <= 6
    assert "rtk pytest" in report.short[0]


def test_each_proposal_rests_on_sessions_and_can_be_pasted(busy: World) -> None:
    report = report_of(busy)
    by_target = {(p.target, p.title): p for p in report.proposals}
    assert all(p.sessions >= 2 and p.days >= 2 and p.evidence for p in report.proposals)
    texts = "\n".join(p.text for p in report.proposals)
    assert "- Run `pytest`, never `rtk pytest`" in texts
    assert "pnpm" not in texts  # it was taken back
    assert "before calling it done" not in texts  # every session ran the checks: nothing to save
    assert all(p.saves.text and p.saves.worth > 0 for p in report.proposals)
    worth = [p.saves.worth for p in report.proposals]
    assert worth == sorted(worth, reverse=True)
    command = by_target[".claude/commands/commit-update-changelog.md", "A slash command `/commit-update-changelog`"]
    assert "edit `CHANGELOG.md`, then `git add`, then `git commit`" in command.text
    # What was said can neither run a command nor import a file.
    assert "@~/" not in texts and "!`" not in texts


def test_every_quote_opens_where_it_is_said_to_stand(busy: World) -> None:
    memory, report = busy.memory(), report_of(busy)
    quoted = [e for p in report.proposals for e in p.evidence]
    quoted += [x.example for some in (report.habits, report.failed, report.together) for x in some if x.example]
    quoted += [c.said for c in report.corrections]
    assert len(quoted) > 15
    for one in quoted:
        lines = memory.passages.open(one.citation).lines
        said = " ".join(" ".join(texts(json.loads(line))) for line in lines)
        assert one.quote.removesuffix("…") in " ".join(said.split()), one
    for format_ in (as_markdown, as_html, as_json):
        found = set(re.findall(r"[\w-]+\.jsonl:L\d+(?:-L\d+)?", format_(report)))
        assert len(found) > 5
        for text in found:
            assert memory.passages.open(parse(text)).lines


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in each for text in texts(one)]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, tuple(name for name, _ in attrs)))
        assert not any(name.startswith("on") or name in ("src", "style") for name, _ in attrs) or tag in SVG, tag


SVG = {"svg", "g", "path", "rect", "text", "line", "tspan", "clippath", "defs"}
OURS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "pre", "code", "div"}
OURS |= {"table", "thead", "tbody", "tr", "th", "td", "figure", "a", "ol", "wbr"}


def test_a_citation_is_a_link_to_what_stands_there(busy: World) -> None:
    report = report_of(busy)
    page = as_html(report)
    anchors = set(re.findall(r'href="#([\w-]+)"', page))
    assert len(anchors) > 5 and anchors == set(re.findall(r'<li id="([\w-]+)"', page))
    assert set(re.findall(r'href="(\w+):', page)) == {"file"}
    quoted = report.proposals[0].evidence[0]
    (source,) = re.findall(rf'<li id="[\w-]+">.*axm open \S*{quoted.citation.text.rpartition("/")[2]}<.*', page)
    assert "unrecognized subcommand" in source


def test_pictures_come_first_and_names_stay_whole(busy: World) -> None:
    page = as_html(report_of(busy))
    assert page.index("<h1>") < page.index("<figure>") < page.index("<h2>In short")
    assert "overflow-wrap: anywhere" not in page and "word-break" not in page


def test_what_was_quoted_is_no_markup(busy: World) -> None:
    report = report_of(busy)
    page, markdown = as_html(report), as_markdown(report)
    parser = Tags()
    parser.feed(page)
    assert {tag for tag, _ in parser.seen} <= OURS | SVG
    assert (
        "<script" not in page
        and "onerror=alert(2)>" not in page
        and "http" not in re.sub(r"http-equiv|xmlns\S+", "", page)
    )
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$|`[^`\n]*`", "", markdown, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"(?<!\\)<\w", outside)
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (5, 6, 7), line


def test_the_same_log_gives_the_same_bytes(busy: World) -> None:
    first = [write(report_of(busy)) for write in (as_markdown, as_html, as_json)]
    busy.memory().rebuild()
    assert [write(report_of(busy)) for write in (as_markdown, as_html, as_json)] == first
    record = json.loads(first[2])
    assert record["schema"] == "axm.insight.v1"
    assert record["proposals"][0]["evidence"][0]["citation"].endswith(tuple("0123456789"))


def test_what_is_known_already_is_not_proposed(world: World, tmp_path: Path) -> None:
    project = tmp_path / "weather"
    (project / ".claude" / "commands").mkdir(parents=True)
    (project / ".claude" / "commands" / "commit-update-changelog.md").write_text("commit")
    (project / "CLAUDE.md").write_text(
        "# Rules\n- Run `pytest`, not `rtk pytest`.\n- always use  pnpm for installing packages in this repo\n"
    )
    for n, name in enumerate(("aaaa", "bbbb", "cccc")):
        lines = session(name, n)
        for line in lines.lines:
            line["cwd"] = str(project)
        world.write(lines)
    world.memory().index()
    report = world.memory().reports.insight(Scope(str(project)))
    assert report.sessions == 3
    assert not any("pnpm" in p.text or "rtk" in p.text or p.kind == "command" for p in report.proposals)
    (project / "CLAUDE.md").write_text("Prefix every command: `rtk pytest`.")
    texts = [p.text for p in world.memory().reports.insight(Scope(str(project))).proposals]
    assert f"- {RULE}" in texts
    assert any(text.startswith("- Run `pytest`, never `rtk pytest`") for text in texts)


def test_little_gives_a_short_report(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    assert main(["insight"]) == 1
    assert "nothing to report" in capsys.readouterr().err
    world.memory().index()
    assert main(["insight", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["sessions"] == 0
    world.write(session("aaaa", 0))
    world.memory().index()
    assert main(["insight", "--all-projects"]) == 0
    out = capsys.readouterr().out
    assert "One session shows no habits" in out and "Proposals" not in out.replace("proposals", "")
    assert main(["insight", "--since", "2030-01-01"]) == 1
    assert main(["insight", "--since", "2026-02-01", "--until", "2026-01-01"]) == 2
    silent = Lines("silent")
    silent.answer("Good morning.")
    world.write(silent, folder="-home-dev-other")
    world.memory().index()
    target = world.base / "report.html"
    assert main(["insight", "--all-projects", "--out", str(target)]) == 0
    assert target.read_text().startswith("<!doctype html>")


def test_prose_keeps_to_the_facts() -> None:
    facts = "`rtk pytest` failed 44 times in 12 sessions. 98 sessions, 1,219 tests."
    said = ["`rtk pytest` failed 44 times.", "That is 37 % of all.", "It took 1,219 tests.", "`make` is faster."]
    assert kept(said, facts) == [said[0], said[2]]


class Stub:
    """A model: says what it is told to say, and what it costs."""

    model = "stub-1"

    def __init__(self, said: str | None) -> None:
        self.said = said

    def ask(self, question: Question) -> Answered | Unanswered:
        assert "rtk pytest" in question.material and "sentences" in question.schema["properties"]
        usage = Usage("stub-1", 100, 20)
        return Unanswered("the server is away", usage) if self.said is None else Answered(self.said, usage)


def test_a_model_may_write_what_is_in_short(busy: World, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {**busy.environ, "AXM_EXTRACTOR": "openai", "AXM_EXTRACT_MODEL": "stub-1", "AXM_BUDGET_CALLS": "2"}
    memory = Memory(Config.load(environ), environ=environ, user=busy.base)
    said = ["`rtk pytest` failed 7 times.", "It cost 99 hours.", "Stop using `rtk pytest`."]
    monkeypatch.setattr(llm, "connect", lambda *_: Stub(json.dumps({"sentences": said})))
    report = memory.reports.insight(Scope(PROJECT))
    assert report.prose == (said[0], said[2]) and "stub-1" in report.notes[0]
    assert said[0] in as_markdown(report) and "99 hours" not in as_markdown(report)
    monkeypatch.setattr(llm, "connect", lambda *_: Stub(None))
    report = memory.reports.insight(Scope(PROJECT))
    assert not report.prose and "the server is away" in report.notes[0] and report.short[0] in as_markdown(report)
    assert [day.calls for day in memory.learning.budget().days] == [2]
    assert "today's budget is used up" in memory.reports.insight(Scope(PROJECT)).notes[0]
    assert not memory.reports.insight(Scope(PROJECT), prose=False).notes


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd /x && rtk bun run test 2>&1 | tail -20", "rtk bun run test"),
        ('git add -A && git commit -m "a; b && c"', "git add && git commit"),
        ("FOO=1 npm test", "npm test"),
        ("git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"", "git commit"),
        ("./run.sh", ""),
        ("", ""),
    ],
)
def test_shapes_of_commands(command: str, expected: str) -> None:
    assert shape(command) == expected


def test_what_failed_and_what_answered() -> None:
    def call(n: int, session: str, command: str, error: str = "") -> CountedCall:
        return CountedCall(n, session, "Bash:lint", command, bool(error), error, n)

    calls = [
        call(1, "a", "ruff check", "E501 error: too long in /x/1.py"),
        call(2, "a", "ruff check --fix"),
        call(3, "b", "ruff check", "E501 error: too long in /y/22.py"),
        call(4, "b", "ruff format"),
        call(5, "c", "ruff check", "<tool_use_error>Sibling tool call errored</tool_use_error>"),
        call(6, "c", "ruff check | tail"),
    ]
    (found,) = failures(calls)
    assert (found.what, found.times, found.sessions, found.runs, found.worked) == ("ruff check", 2, 2, 4, 1)
    assert found.then == "ruff format" and found.passed == 1
    assert complaint("Exit code 1\n$ x\nfatal: not a repository") == "fatal: not a repository"


def test_active_time() -> None:
    minute = 60_000
    one = stretches([0, 4 * minute, 9 * minute, 20 * minute])
    assert one == [(0, 9 * minute), (20 * minute, 20 * minute)]
    assert total(together([one, [(5 * minute, 12 * minute)]])) == 12 * minute
    assert by_day([(86_400_000 - minute, 86_400_000 + 2 * minute)]) == {0: minute, 1: 2 * minute}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no, that's wrong", "correction"),
        ("아니요, 되돌려 주세요", "correction"),
        ("不对，我说的是另一个文件", "correction"),
        ("always run the tests first", "convention"),
        ("테스트 없이 커밋하지 마세요", "convention"),
        ("不要使用 any", "convention"),
        ("I'd prefer tabs here", "preference"),
        ("commit and push", "directive"),
        ("continue", "general"),
        ("what does this do?", "general"),
    ],
)
def test_what_a_prompt_is(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_sentences_that_contradict_each_other() -> None:
    said = [Sentence(text, Witness("prompt", n, "s", n, text)) for n, text in enumerate(
        ("Always use pnpm here", "Please use pnpm here", "never use pnpm here", "Never use yarn here"))]  # fmt: skip
    assert [(a.text, b.text) for a, b in contradictions(said)] == [
        ("Always use pnpm here", "never use pnpm here"),
        ("Please use pnpm here", "never use pnpm here"),
    ]
