"""The MCP server on the wire: the light server answers as the SDK does, and nothing that is sent can break it."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import closing
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import NotFound, UsageError
from axiommind.surfaces.mcp import Answers, Context, ServerFeatures
from axiommind.surfaces.mcp.arguments import BadArguments, checked
from axiommind.surfaces.mcp.declarations import PromptMessage, prompt, resource, tool
from axiommind.surfaces.mcp.schemas import Arg, input_schema
from axiommind.surfaces.mcp.stdio_server import MOST_BYTES, StdioConnection
from axiommind.surfaces.serving.access import AccessGuard, Address
from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.loading import PARSER, loaded_by
from tests.transcripts import Lines, World

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
go_on = threading.Event()


class Sum(TypedDict):
    sum: float
    of: list[int]
    note: NotRequired[str | None]


@tool("add", "Add", "Adds whole numbers.", reads=False)
def add(
    _: Context, of: Annotated[list[int], Arg("Which.", max_length=5)], how: Literal["plain", "odd"] = "plain"
) -> Sum:
    if how == "odd":
        raise ValueError("a secret")
    if not of:
        raise NotFound("there is nothing to add", hint="give some numbers")
    print("a stray print")
    return Sum(sum=float(sum(of)), of=of)


@tool("wait", "Wait", "Waits.")
def wait(_: Context) -> Sum:
    go_on.wait(PATIENCE_S)
    return Sum(sum=float("nan"), of=[], note="half \ud800")


@tool("much", "Much", "Says too much.")
def much(_: Context) -> Sum:
    return Sum(sum=0.0, of=[], note="x" * 500_000)


@resource("axm://about", "about", "About", "What this is.")
def about(_: Context) -> str:
    return "a test"


@resource("axm://doc/{path}", "doc", "A document", "Text.", complete={"path": lambda _, begun: [begun + "s"]})
def doc(_: Context, path: str) -> str:
    if path == "none":
        raise NotFound("there is no document none")
    return f"the text of {path}"


@prompt("handoff", "Hand over", "What the next one needs.")
def handoff(_: Context, project: Annotated[str, Arg("Which.")], more: str | None = None) -> list[PromptMessage]:
    return [PromptMessage("user", f"hand over {project}"), PromptMessage("assistant", f"and {more}")]


def offered(world: World) -> Answers:
    """A server that offers one of everything."""
    features = ServerFeatures(Context(world.memory()), [add, wait, much], lambda: [about, doc], lambda: [handoff])
    return Answers(features, "How to use it.")


class Talk:
    """A client in the same process that keeps what it was answered."""

    def __init__(self, answers: Answers) -> None:
        self.heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self.front = StdioConnection(answers, lambda data: self.heard.put(json.loads(data)))

    def say(self, message: Any) -> None:
        self.front.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    def ask(self, message: Any) -> dict[str, Any]:
        self.say(message)
        return self.heard.get(timeout=PATIENCE_S)


class SdkTalk(Talk):
    """The same with the SDK's server."""

    def __init__(self, answers: Answers) -> None:
        from axiommind.surfaces.mcp.sdk_server import SdkThread

        self.heard = queue.Queue()
        self.sdk = SdkThread(answers, self.heard.put)

    def say(self, message: Any) -> None:
        self.sdk.receive(message)


def request(name: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": name, "method": method} | ({} if params is None else {"params": params})


def call(name: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return request(name, "tools/call", {"name": tool, "arguments": arguments})


ASKED: list[tuple[str, dict[str, Any] | None]] = [
    ("ping", None),
    ("tools/list", None),
    ("tools/list", {"cursor": 5}),
    ("tools/call", {"name": "add", "arguments": {"of": [1, "2"]}}),
    ("tools/call", {"name": "add", "arguments": {"of": []}}),
    ("tools/call", {"name": "add", "arguments": {"of": [1], "how": "odd"}}),
    ("tools/call", {"name": "add", "arguments": {"off": [1]}}),
    ("tools/call", {"name": "add", "arguments": [1]}),
    ("tools/call", {"name": "much"}),
    ("tools/call", {"name": "nothing"}),
    ("tools/call", {}),
    ("resources/list", None),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "axm://about"}),
    ("resources/read", {"uri": "axm://doc/a%20b/c.md"}),
    ("resources/read", {"uri": "axm://doc/none"}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("resources/read", {}),
    ("prompts/list", None),
    ("prompts/get", {"name": "handoff", "arguments": {"project": "p"}}),
    ("prompts/get", {"name": "handoff", "arguments": {}}),
    ("prompts/get", {"name": "nothing"}),
    (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "axm://doc/{path}"}, "argument": {"name": "path", "value": "a"}},
    ),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "handoff"}, "argument": {"name": "project", "value": "a"}},
    ),
    ("logging/setLevel", {"level": "info"}),
    ("resources/subscribe", {"uri": "axm://about"}),
    ("server/discover", None),
]
HANDSHAKE = [
    ("ping", None),
    ("tools/list", None),
    ("initialize", {}),
    ("initialize", HELLO | {"protocolVersion": "1999-01-01"}),
    ("initialize", HELLO),
    *ASKED,
    ("tools/list", {"_meta": META}),
]
MODERN = [
    ("server/discover", {"_meta": META}),
    *((method, {**(params or {}), "_meta": META}) for method, params in ASKED),
    ("tools/list", None),
    ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
    ("tools/list", {"_meta": META | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}),
    ("tools/list", {"_meta": META | {"io.modelcontextprotocol/protocolVersion": 5}}),
    ("initialize", HELLO),
]


@pytest.mark.parametrize("asked", [HANDSHAKE, MODERN], ids=["handshake", "2026-07-28"])
def test_the_light_front_answers_as_the_sdk_does(world: World, asked: list[tuple[str, dict[str, Any] | None]]) -> None:
    pytest.importorskip("mcp")
    answers = offered(world)
    light, sdk = Talk(answers), SdkTalk(answers)
    for number, (method, params) in enumerate(asked):
        message = request(number, method, params)
        assert light.ask(message) == sdk.ask(message), message
    assert light.front._sdk is None  # none of this woke the SDK
    sdk.sdk.end(5)


def test_what_only_the_sdk_may_know_wakes_it(world: World) -> None:
    pytest.importorskip("mcp")
    talk = Talk(offered(world))
    talk.ask(request(1, "initialize", HELLO))
    talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert talk.ask(request(2, "acme/unheard_of"))["error"]["code"] == -32601
    assert talk.front._sdk is not None
    assert talk.ask(call(3, "add", of=[1, 2]))["result"]["structuredContent"] == {"sum": 3.0, "of": [1, 2]}
    assert talk.ask(b"{")["error"]["code"] == -32700  # lines are still read here
    talk.front.end()
    assert talk.heard.empty()  # nor was the handshake answered twice


def test_a_slow_call_holds_nothing_up_and_can_be_cancelled(world: World) -> None:
    go_on.clear()
    talk = Talk(offered(world))
    talk.ask(request(1, "initialize", HELLO))
    talk.say(call(2, "wait"))
    talk.say(call(3, "wait"))
    assert talk.ask(request(4, "ping")) == {"jsonrpc": "2.0", "id": 4, "result": {}}
    talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    go_on.set()
    answer = talk.heard.get(timeout=PATIENCE_S)
    assert answer["id"] == 3
    assert answer["result"]["structuredContent"] == {"sum": None, "of": [], "note": "half ?"}  # as JSON can say it
    talk.front.end()
    assert talk.heard.empty()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}', -32700),
        (b"5", -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b" " * (MOST_BYTES + 1) + b"1", -32600),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_bad_lines_are_answered(world: World, line: bytes, code: int) -> None:
    talk = Talk(offered(world))
    assert talk.ask(line)["error"]["code"] == code
    assert talk.ask(request(7, "ping"))["id"] == 7
    talk.say(b"\n")
    talk.say(b'{"jsonrpc": "2.0", "id": 3, "result": {}}')  # an answer to nothing
    talk.say(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}')
    assert talk.heard.empty()


@settings(max_examples=examples(200), deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "words": st.text(max_size=8) | st.integers() | st.none(),
            "number": st.integers(-3, 12) | st.floats(allow_nan=False) | st.text("0123456789.-x", max_size=4),
            "ids": st.lists(st.text(max_size=2) | st.integers(), max_size=4) | st.text(max_size=3),
            "deep": st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers() | st.text(max_size=2), max_size=3),
            "more": st.booleans(),
        },
    )
)
def test_what_the_published_schema_allows_is_taken(arguments: dict[str, Any]) -> None:
    """And whatever is taken, is of the schema once it has been read as what it stands for."""
    jsonschema = pytest.importorskip("jsonschema")

    def function(
        _: Context,
        words: Annotated[str, Arg("w", min_length=1, max_length=5)],
        ids: Annotated[list[str], Arg(min_length=1, max_length=3)] = [],  # noqa: B006
        number: Annotated[int | float, Arg(ge=0, le=9)] = 1,
        deep: Deep | None = None,
    ) -> None: ...

    function.__annotations__["deep"] = Deep | None  # it is written as a text above, and is of this module
    schema = input_schema(function)
    validator = jsonschema.Draft202012Validator(schema)
    try:
        taken = checked(schema, arguments)
    except BadArguments as error:
        assert not validator.is_valid(arguments), error
    else:
        assert validator.is_valid(taken)


class Deep(TypedDict, total=False):
    a: int
    b: str


def test_a_first_answer_loads_nothing_heavy(world: World) -> None:
    """Nor does a stray print, a line that is too long, or the client's leaving do any harm."""
    lines = Lines()
    lines.prompt("the zephyr hygroscope needs a quartz reference")
    world.write(lines)
    world.memory().index()
    asked = [
        request(1, "initialize", HELLO),
        request(2, "tools/list"),
        call(3, "search", query="zephyr", project="all"),
    ]
    sent = b"".join(json.dumps(one).encode() + b"\n" for one in asked)
    sent = sent[:-1] + b"\n" + b"x" * (MOST_BYTES + 10) + b"\n" + json.dumps(request(4, "ping")).encode()
    code = (
        "import sys, os, json\n"
        "from axiommind.surfaces.mcp.tools import recall\n"
        "before = recall.mark_of\n"
        "def noisy(*args): print('a stray print'); os.system('echo and of a child'); return before(*args)\n"
        "recall.mark_of = noisy\n"
        "from axiommind.surfaces.cli import main; main(['mcp'])\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=world.environ, input=sent, capture_output=True, check=True)
    heard = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert "quartz" in heard[3]["result"]["content"][0]["text"] and heard[None]["error"]["code"] == -32600
    assert heard[4]["result"] == {} and b"a stray print" in done.stderr and b"and of a child" in done.stderr
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    heavy = {"mcp", "mcp_types", "pydantic", "starlette", "asyncio", "anyio", "typing_extensions", "inspect", "logging"}
    assert (loaded - loaded_by(PARSER)) & heavy == set()


# --- HTTP --------------------------------------------------------------------------------------------------------


def test_http_is_for_this_machine_unless_there_is_a_token(world: World) -> None:
    for host in ("127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.9"):
        assert Address.checked(host, 0, "").is_loopback
    for host in ("0.0.0.0", "::", "", "192.168.1.5", "example.org"):
        with pytest.raises(UsageError, match="no token is set"):
            Address.checked(host, 0, "")
        assert Address.checked(host, 0, "s3cret")
    with pytest.raises(UsageError, match="there is no port 70000"):
        Address.checked("127.0.0.1", 70_000, "")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "127.0.0.1:8765", "authorization": "Bearer s3cret"}, None),
        ({"host": "LOCALHOST:8765", "authorization": "bearer s3cret", "origin": "http://localhost:8765"}, None),
        ({"authorization": "Bearer s3cret"}, 421),
        ({"host": "evil.example:8765", "authorization": "Bearer s3cret"}, 421),
        ({"host": "127.0.0.1:8765.evil.example", "authorization": "Bearer s3cret"}, 421),
        ({"host": "127.0.0.1:80", "authorization": "Bearer s3cret"}, 421),
        ({"host": "127.0.0.1:8765", "authorization": "Bearer s3cret", "origin": "http://localhost:3000"}, 403),
        ({"host": "127.0.0.1:8765", "authorization": "Bearer s3cret", "origin": "null"}, 403),
        ({"host": "127.0.0.1:8765"}, 401),
        ({"host": "127.0.0.1:8765", "authorization": "Basic s3cret"}, 401),
        ({"host": "127.0.0.1:8765", "authorization": "Bearer s3cre"}, 401),
        ({"host": "127.0.0.1:8765", "authorization": "Bearer \xff"}, 401),
    ],
    ids=str,
)
def test_the_guard_lets_in_whom_it_should(headers: dict[str, str], status: int | None) -> None:
    async def app(*_: Any) -> None: ...

    guard = AccessGuard(app, Address("127.0.0.1", 8765, "s3cret"))
    found = guard.refusal({name.encode(): value.encode("latin-1") for name, value in headers.items()})
    assert (found[0] if found else None) == status


def test_over_http(world: World) -> None:
    pytest.importorskip("mcp")
    environ = {**world.environ, "AXM_MCP_TOKEN": "s3cret"}
    command = [sys.executable, "-m", "axiommind", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        port = int(said.split("127.0.0.1:")[1].split("/")[0])
        bare = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        right = bare | {"Authorization": "Bearer s3cret"}

        def post(message: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as line:
                line.request("POST", "/mcp", json.dumps(message), headers)
                answer = line.getresponse()
                return answer.status, json.loads(answer.read()) if "json" in answer.headers["content-type"] else None

        hello = request(1, "initialize", HELLO)
        assert post(hello, right)[1]["result"]["serverInfo"]["name"] == "axiommind"
        assert post(hello, bare)[0] == 401 and "a token is needed" in post(hello, bare)[1]["error"]
        assert post(hello, right | {"Host": "evil.example"})[0] == 421
        assert post(hello, right | {"Origin": "http://evil.example"})[0] == 403
        modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get"}
        asked = request(2, "tools/call", {"name": "get", "arguments": {"ids": []}, "_meta": META})
        assert post(asked, right | modern)[1]["result"]["content"][0]["text"] == "ids: is empty"
        os.kill(process.pid, signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(PATIENCE_S) == 0
    assert "s3cret" not in said + rest
