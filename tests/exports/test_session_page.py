"""A session as one file to share: readable, whole, and with nothing in it that acts."""

from __future__ import annotations

import json
import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from axiommind.exports.conversation import PageText, PageToolUse, SessionPage
from axiommind.surfaces.render.session_page import as_html, as_markdown
from tests.examples import examples
from tests.shell import axm
from tests.transcripts import Lines, World

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://spy.example/p.png)",
    "![x][r]\n\n[r]: https://spy.example/p.png",
    "[click](javascript:alert(1)) [data](data:text/html,<script>1</script>) <javascript:alert(1)>",
    "</details></section></body><iframe src='https://spy.example'>",
    "```\n```` <script>\n</script>",
    "~~~html\n<b>code</b>\n~~~\n<b>not code</b>",
    "- ```\n  <script>in a list</script>\n  ```",
    "> quoted\n<style>@import 'https://spy.example'</style>",
    "<!-- a comment <svg/onload=alert(1)>",
    "`<i>` and ``<b>`` and <https://spy.example>",
    '"><svg onload=alert(1)>',
    "\x1b[31mred\x1b[0m \u202egnp.exe \x00",
    "# heading\n\n---\n\n| a | b |\n|---|---|\n| <i> | ![](//spy.example) |",
)
NAMES = """
    html head meta title style body h1 h2 h3 h4 h5 h6 p section div details summary pre code em strong a ul ol li
    blockquote hr br table thead tbody tr th td
"""
TAGS = {*NAMES.split()}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "dir", "href", "rel", "title", "start"}
pieces = st.lists(
    st.sampled_from([*HOSTILE, "\n", "`", "```", "~~~", "    ", "> ", "<", "!", "[", "](", "text"]), max_size=8
)


class Elements(HTMLParser):
    """What a browser would find."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def page(text: str) -> SessionPage:
    items = (
        PageText("person", text, 1_767_600_000_000, f"/p/{text[:20]}.jsonl:L1", "person"),
        PageText("assistant", text, None, "/p/s.jsonl:L2", "agent"),
        PageToolUse(f"Bash{text}", text, json.dumps({"command": text}), text, True, None, "/p/s.jsonl:L3"),
    )
    return SessionPage("s1", text, "/p", "claude-code", text, None, None, (), items)


def assert_inert_page(text: str) -> None:
    made = as_html(page(text))
    elements = Elements(made).found
    assert {tag for tag, _ in elements} <= TAGS, text
    assert {name for _, attributes in elements for name in attributes} <= ATTRIBUTES
    assert all(str(a["href"]).split(":")[0].lower() not in ("javascript", "data") for _, a in elements if "href" in a)
    assert [tag for tag, _ in elements].count("style") == 1 and "default-src 'none'" in made


def assert_inert_markdown(text: str) -> None:
    for preset in ("commonmark", "gfm-like"):
        reader = MarkdownIt(preset, {"linkify": False, "html": True})
        tokens = reader.parse(as_markdown(page(text)))
        inside = [child for token in tokens for child in token.children or ()]
        assert not [child for child in inside if child.type in ("image", "html_inline")], text
        for block in (token.content for token in tokens if token.type == "html_block"):
            assert {tag for tag, _ in Elements(block).found} <= {"details", "summary"}, block


def test_nothing_in_it_acts() -> None:
    for text in HOSTILE:
        assert_inert_page(text)
        assert_inert_markdown(text)


@given(pieces.map("".join))
@settings(max_examples=examples(150), deadline=None)
def test_nothing_in_any_mixture_acts(text: str) -> None:
    assert_inert_page(text)
    assert_inert_markdown(text)


def make_session(world: World) -> None:
    lines = Lines("shared")
    lines.prompt("please add **one** test\n\n```python\nassert a < b\n```")
    lines.tool("Bash", "t1", command="pytest -q")
    lines.result("t1", "1 failed <E>", error=True)
    lines.answer("Done: `List<int>` is sorted.")
    world.write(lines)
    world.memory().index()


def test_a_session_reads_as_it_went(world: World) -> None:
    make_session(world)
    said = axm(world, "export", "md", "--session", "shar")
    assert said.returncode == 0, said.stderr
    order = ["please add **one** test", "> assert a < b", "<summary>Bash pytest -q, failed", "1 failed <E>", "Done:"]
    places = [said.stdout.index(text) for text in order]
    assert places == sorted(places) and "shared.jsonl:L1" in said.stdout
    shown = Elements(axm(world, "export", "html", "--session", "shared").stdout)
    assert "assert a < b" in shown.text and "Done: List<int> is sorted." in shown.text and "1 failed <E>" in shown.text
    assert [a.get("class") for tag, a in shown.found if tag == "details"] == ["failed"]


def test_it_is_redacted_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a home whose texts were stored by rules that knew nothing of these."""
    secret = "gl" + "ft-" + "aZ3kQ9vX2mN7pR5tY8wB"
    lines = Lines("old")
    lines.prompt(f"use the token {secret}")
    lines.tool("Bash", "t1", command=f"curl -H 'Private-Token: {secret}' host")
    lines.result("t1", f"got {secret}")
    lines.answer(f"I used {secret}.")
    world.write(lines)
    with monkeypatch.context() as older:
        older.setattr("axiommind.text.redaction.is_hot", lambda raw: False)
        world.memory().index()
    for form in ("md", "html"):
        said = axm(world, "export", form, "--session", "old").stdout
        assert "I used" in said and secret not in said


def test_into_a_file_of_ones_own(world: World, tmp_path: Path) -> None:
    make_session(world)
    file = tmp_path / "page.html"
    done = axm(world, "export", "html", "--session", "shared", "-o", str(file))
    assert (done.returncode, done.stdout) == (0, f"{file}\n") and stat.S_IMODE(file.stat().st_mode) == 0o600
    again = axm(world, "export", "html", "--session", "shared", "-o", str(file))
    assert again.returncode == 2 and "--force" in again.stderr
    assert axm(world, "export", "html", "--session", "shared", "-o", str(file), "--force").returncode == 0
    assert [one.name for one in tmp_path.iterdir() if "part" in one.name] == []
    record = json.loads(axm(world, "export", "md", "--session", "shared", "--json").stdout)
    assert record["session"] == "shared" and "please add" in record["text"]


def test_what_is_not_there_or_not_meant(world: World) -> None:
    make_session(world)
    assert axm(world, "export", "html").returncode == 2
    assert axm(world, "export", "html", "--session", "shared", "--to", "sqlite", "x").returncode == 2
    assert axm(world, "export", "--session", "shared").returncode == 2
    assert axm(world, "export", "md", "--session", "nobody").returncode == 1
    world.memory().forget(session="shared")
    assert axm(world, "export", "md", "--session", "shared").returncode == 1
