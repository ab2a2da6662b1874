"""Every parser of what others wrote, as a function of bytes that must not raise; what it asserts must always hold.

A target is a function here, in `TARGETS`, with a few inputs to begin from in `SEEDS`. Errors for people (`AxmError`)
are an answer. `tests/fuzz/run.py` looks for bytes that break one; those found are kept in `crashes/` and tried by
`make test` for ever.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from axiommind.config import Config
from axiommind.config_file import with_values
from axiommind.errors import AxmError
from axiommind.home import Scope
from axiommind.llm.json_answers import only_object
from axiommind.log.blobs import seal_lines, seal_page, unseal
from axiommind.reports import golden
from axiommind.search import dates
from axiommind.search.query import Query
from axiommind.sources import claude_code
from axiommind.sources.markdown import document
from axiommind.sources.markdown.front_matter import read_front_matter
from axiommind.sources.markdown.lines import lines_of
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.mcp.stdio_server import StdioConnection
from axiommind.text import edits, globs, jsonlines, tokens
from axiommind.text.redaction import Redactor
from axiommind.tools import error_signature, shell
from axiommind.tools.shell_syntax import simple_commands
from tests.transcripts import START, Lines, World, session

__all__ = ["CRASHES", "SEEDS", "TARGETS", "try_one"]

CRASHES = Path(__file__).with_name("crashes")
KEY = b"k" * 32

SEEDS: dict[str, list[bytes]] = {
    "transcript": [
        session().data(),
        b'{"type": "user", "message": {"content": [{"type": "tool_result"}]}}\n',
        b"\xff\n{",
    ],
    "markdown": [
        b"# A\n\n- [ ] x\n  1. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```\n",
        "# 제목\n\n본문 [[링크]]\n".encode(),
    ],
    "front_matter": [b"---\ntitle: x\ntags: [a, 'b']\n---\ntext", b'+++\ntitle = "x"\n+++\n', b"---\na:\n  - b\n---\n"],
    "config": [
        b'[search]\nmode = "auto"\n[index]\nworkers = 2\n',
        b"learn.auto = false\n# note\n[hooks]\nseconds = 0.4\n",
    ],
    "hook": [
        b'{"session_id": "s", "prompt": "where does the parser live?", "hook_event_name": "UserPromptSubmit"}',
        b'{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/a"}}',
        b'{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "E"}',
    ],
    "query": [
        b'parser "a test" -old kind:prompt after:2026-01-01',
        b"path:src/** since:yesterday NEAR(a b) OR*",
        "지난주 파서".encode(),
    ],
    "mcp": [
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",'
        b' "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"cursor": null}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}',
    ],
    "glob": [b"notes/**/[!a-z]*.md\0notes/rust/kb.md", b"\\*/{a,b}/\0x", b"**/**/a?\0a/b/ab"],
    "edit": [
        b"a\nb\nc\0lines\0x\ny\0\x01\x02",
        b"# H\ntext\n## I\n\0inserted\0z\0\x02\x00",
        b"\0appended\0\n---\n\0\0\0",
    ],
    "shell": [
        b"cd x && FOO=1 git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" | tee y; for i in *; do pytest; done",
        b"a `b` $(c) <(d) \\",
    ],
    "redaction": [
        b'{"password": "hunter2hunter2", "k": "AKIAABCDEFGHIJKLMNOP"}\n',
        b"postgres://u:pa%ss@h/d\nAuthorization: Bearer x",
    ],
    "date": ["last friday 2026-01-05T08:00 지난 3일 昨日 前週 Q3 31/12".encode(), b"in 99999999999 years", b"2026-W53"],
    "model_answer": [b'Here: {"entries": [{"a": 1}]} ok', b"```json\n{}\n```", b'{"a": {"b": [}]}'],
    "json_line": [b'{"a": NaN, "b": "\\ud800"}', b'{"a": 1e999}', b"[[[[" * 10],
    "golden": [b"- query: x\n  expected: [a]\n", b"queries:\n- {query: x, expected: [{session: s}]}\n", b"&a [*a]"],
    "token": [
        "React組件 snake_case CamelCase naïve ｆｕｌｌ 한국어를 x86_64".encode(),
        b"\xf0\x9f\x91\xa9\xe2\x80\x8d",
    ],
    "error": [
        b"Traceback (most recent call last):\n  File \"x\", line 1\nKeyError: 'a'",
        b"error TS2304: Cannot find name\nnpm ERR! x",
    ],
}


def try_one(name: str, data: bytes) -> None:
    """Give bytes to a target. An error for people is an answer; everything else that is raised is a crash."""
    with contextlib.suppress(AxmError):
        TARGETS[name](data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape" if data[:1] == b"\0" else "replace")


def try_transcript(data: bytes) -> None:
    """Lines stay lines: pruned, redacted and sealed, there are as many as there were."""
    lines = data.split(b"\n")[:-1]
    sealed, content = seal_lines(Redactor(KEY), KEY, map(claude_code.prune, lines))
    assert content.count(b"\n") == len(lines)
    assert unseal(sealed.codec, sealed.data) == content
    assert claude_code.decode(content, 1) == claude_code.decode(content, 1)


def try_markdown(data: bytes) -> None:
    found = document.decode(data, "a.md")
    count = len(lines_of(data.decode("utf-8", "replace"))) + 1
    for chunk in found.chunks:
        assert 1 <= chunk.line_start <= chunk.line_end <= max(count, 1), chunk
    text = data.decode("utf-8", "replace")
    assert unseal(*_sealed_page(text)).decode("utf-8", "surrogatepass").count("\n") == text.count("\n")


def _sealed_page(text: str) -> tuple[str, bytes]:
    sealed = seal_page(Redactor(KEY), KEY, text.split("\n"))
    return sealed.codec, sealed.data


def try_front_matter(data: bytes) -> None:
    problems: list[tuple[int, str]] = []
    read_front_matter(lines_of(_text(data)), problems)


def try_config(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "config.toml").write_bytes(data)
        with contextlib.suppress(AxmError):
            Config.load({"AXM_HOME": home})
        import tomllib

        changed = with_values(data.decode("utf-8", "replace"), {"search.mode": "words"})
        assert tomllib.loads(changed)["search"]["mode"] == "words"


def try_hook(data: bytes) -> None:
    """An answer for every event, whatever the client wrote; what is printed is JSON or nothing."""
    environ = _world().environ
    for event in ("", *(event.name for event in all_events())):
        given = hooks.answer(event, data, environ)
        assert given.outcome != "error" or "Error" not in given.why.partition(":")[0], (event, given.why)
        said = hooks.output(event, given)
        assert not said or json.loads(said)


def try_query(data: bytes) -> None:
    text = _text(data)
    Query.parse(text, now=START)
    _world().memory().search(text, Scope(None))


def try_mcp(data: bytes) -> None:
    """Every line is answered with JSON or not at all. A method that nobody knows would start the SDK: not here."""
    said: list[bytes] = []
    connection = StdioConnection(_answers(), said.append)
    for line in data.split(b"\n")[:4]:
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(line)
            method = message.get("method") if isinstance(message, dict) else None
            if isinstance(method, str) and method not in _known_methods():
                continue
        connection.receive(line)
    for one in said:
        assert json.loads(one)["jsonrpc"] == "2.0"


def try_glob(data: bytes) -> None:
    pattern, _, path = _text(data).partition("\0")
    globs.matches(path, pattern)
    literal = "".join(f"\\{char}" if char in "*?[\\" else char for char in path)
    if path and not path.endswith("/") and "//" not in path and len(path) < 4000:
        assert globs.matches(path, literal), (path, literal)


def try_edit(data: bytes) -> None:
    text, _, rest = _text(data).partition("\0")
    mode, _, rest = rest.partition("\0")
    piece, _, numbers = rest.partition("\0")
    start, end = (ord(char) for char in (numbers + "\0\0")[:2])
    text = edits.clean(text)
    if mode in ("created", "replaced", "restored", "appended", "inserted", "lines", "chopped", "renamed"):
        text = edits.apply(text, edits.Edit(mode, edits.clean(piece), start, end))
    lines = edits.lines_of(text)
    assert "\n".join(lines) == text.removesuffix("\n") and len(lines) == edits.count(text)
    assert [line for chunk in edits.cut(lines) for line in chunk] == (lines or [""])
    edits.blocks(text)
    for heading in edits.outline(text):
        assert 1 <= heading.line <= heading.last <= len(lines)


def try_shell(data: bytes) -> None:
    command = _text(data)
    assert shell.classify(command).startswith("Bash:")
    assert all(words and all(isinstance(word, str) for word in words) for words in simple_commands(command))


def try_redaction(data: bytes) -> None:
    text = _text(data)
    redactor = Redactor(KEY)
    kept = redactor.text(text, keep_lines=True)
    assert kept.count("\n") == text.count("\n")
    redactor.text(redactor.text(text))
    with contextlib.suppress(ValueError, RecursionError):
        redactor.value(json.loads(text))


def try_date(data: bytes) -> None:
    text = _text(data)
    for mention in dates.mentions(text, START):
        dates.matches(mention, START)
    dates.moment(text, START)
    dates.moment(text, START, end=True)


def try_model_answer(data: bytes) -> None:
    from axiommind.llm.json_answers import BadAnswer

    with contextlib.suppress(BadAnswer):
        assert isinstance(only_object(_text(data)), dict)


def try_json_line(data: bytes) -> None:
    with contextlib.suppress(ValueError, RecursionError):
        value = jsonlines.parse(data)
        again = jsonlines.encode(value)
        assert b"\n" not in again.rstrip(b"\n")
        jsonlines.parse(again)


def try_golden(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "golden.yaml"
        path.write_bytes(data)
        golden.load(path)


def try_token(data: bytes) -> None:
    text = _text(data)
    assert all(isinstance(term, str) and term for term in tokens.terms(text))
    tokens.fts_text(text)


def try_error(data: bytes) -> None:
    text = _text(data)
    for one in error_signature.signatures(text):
        assert error_signature.is_same(one, one)
    error_signature.told_by(text)
    error_signature.missing_program(text)


@cache
def _world() -> World:
    """A small machine, made once for a process and left to the system's temporary files."""
    base = Path(tempfile.mkdtemp(prefix="axm-fuzz-"))
    world = World(base)
    lines = Lines("old")
    lines.prompt("the parser of the zephyr anemometer lives in parser.py")
    lines.answer("Done: the parser lives in parser.py now.")
    for n in range(20):
        lines.prompt(f"add a chart of rainfall for station {n}")
    world.write(lines)
    world.memory().index()
    os.environ.setdefault("HOME", str(base))
    return world


@cache
def _answers() -> Any:
    from axiommind.surfaces.mcp import answers

    return answers(_world().memory())


@cache
def _known_methods() -> frozenset[str]:
    return frozenset(_answers().methods) | {
        "initialize",
        "ping",
        "notifications/cancelled",
        "notifications/initialized",
    }


TARGETS = {
    "transcript": try_transcript,
    "markdown": try_markdown,
    "front_matter": try_front_matter,
    "config": try_config,
    "hook": try_hook,
    "query": try_query,
    "mcp": try_mcp,
    "glob": try_glob,
    "edit": try_edit,
    "shell": try_shell,
    "redaction": try_redaction,
    "date": try_date,
    "model_answer": try_model_answer,
    "json_line": try_json_line,
    "golden": try_golden,
    "token": try_token,
    "error": try_error,
}
