"""The SDK's server with the same answers: for HTTP, for clients in the same process, and for methods that the light
server does not know. Loading it takes a second, so it is loaded only when something needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra
from axiommind.surfaces.mcp.answers import HANDSHAKE, Answers, Refused
from axiommind.surfaces.mcp.elicitation import Ask, answer_of, question_of

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

__all__ = ["SdkThread", "server_of"]


def server_of(answers: Answers) -> Server[Any]:
    try:
        from mcp.server.lowlevel import Server
    except ImportError as error:
        raise MissingExtra("this needs the package mcp", hint=extra_command("mcp")) from error
    info = answers.info
    made: Server[Any] = Server(
        info["name"], version=info["version"], title=info["title"], instructions=answers.instructions
    )
    for method in answers.methods:
        if method != "ping":
            made.add_request_handler(method, *_handler(answers, method))
    return made


def _handler(answers: Answers, method: str) -> tuple[Any, Callable[[Any, Any], Any]]:
    import anyio.to_thread
    import mcp.types as types
    from mcp import MCPError

    kinds: dict[str, Any] = {
        "tools/call": types.CallToolRequestParams,
        "resources/read": types.ReadResourceRequestParams,
        "prompts/get": types.GetPromptRequestParams,
        "completion/complete": types.CompleteRequestParams,
    }
    answer = answers.methods[method]

    async def handle(context: Any, params: Any) -> dict[str, Any]:
        given = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        try:
            if method == "tools/call":
                ask = _ask_through(context)
                found = await anyio.to_thread.run_sync(answers.call_tool, given, ask, abandon_on_cancel=True)
            elif method in answers.slow:
                found = await anyio.to_thread.run_sync(answer, given, abandon_on_cancel=True)
            else:
                found = answer(given)
        except Refused as refused:
            raise MCPError(refused.code, refused.message, refused.data) from refused
        return answers.modern(method, found)  # the SDK drops what the handshake era does not have

    return kinds.get(method, types.PaginatedRequestParams), handle


def _ask_through(context: Any) -> Ask | None:
    """How a call asks the person while it waits, in the handshake era; None where the client cannot, and in that of
    2026-07-28, where the call is answered with the question."""
    import anyio.from_thread
    from mcp import MCPError
    from mcp.types import ClientCapabilities, ElicitationCapability

    session = context.session
    if context.protocol_version not in HANDSHAKE:
        return None
    if not session.check_client_capability(ClientCapabilities(elicitation=ElicitationCapability())):
        return None

    def ask(_proposal: str, text: str) -> bool | None:
        asked = question_of(text)
        try:
            said = anyio.from_thread.run(
                session.elicit_form, asked["message"], asked["requestedSchema"], context.request_id
            )
        except MCPError:  # the client refuses, or there is no way back to it
            return None
        return answer_of(said.model_dump(mode="json"))

    return ask


class SdkThread:
    """The SDK's server in a thread of its own: messages in, messages out."""

    def __init__(self, answers: Answers, send: Callable[[dict[str, Any]], None]) -> None:
        import queue
        import threading

        self._server = server_of(answers)
        self._send = send
        self._swallowed: set[Any] = set()  # ids of requests that the client has had an answer to
        self._inbox: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def replay(self, messages: list[dict[str, Any]]) -> None:
        """Bring it to where the client is: what these are answered with is not sent."""
        for message in messages:
            if "id" in message:
                self._swallowed.add(message["id"])
            self._inbox.put(message)

    def receive(self, message: dict[str, Any]) -> None:
        self._inbox.put(message)

    def end(self, seconds: float) -> None:
        self._inbox.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        import anyio

        anyio.run(self._serve)

    async def _serve(self) -> None:
        import anyio
        import anyio.to_thread
        import mcp.types as types
        from mcp.shared.message import SessionMessage

        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def take() -> None:
            async with to_server:
                while (message := await anyio.to_thread.run_sync(self._inbox.get)) is not None:
                    try:
                        read = types.jsonrpc_message_adapter.validate_python(message)
                    except ValueError as error:  # not a valid message; the SDK's own transport does the same
                        await to_server.send(error)
                    else:
                        await to_server.send(SessionMessage(read))

        async def give() -> None:
            async with from_server:
                async for one in from_server:
                    message = one.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
                    if "method" not in message and message.get("id") in self._swallowed:
                        self._swallowed.discard(message["id"])
                    else:
                        self._send(message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(take)
            tasks.start_soon(give)
            await self._server.run(from_client, to_client, self._server.create_initialization_options())
