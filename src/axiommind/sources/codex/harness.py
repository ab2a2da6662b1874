"""What Codex writes itself into messages of the user and into results, and what its words say of how a call ended."""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["COMMAND", "HEADER", "NOT_TYPED", "SUMMARY_HEAD", "exit_code_of", "is_failure", "is_typed", "running_in"]

# Parts of a user's message that are not the user's. Newer versions also say so beside them.
_NOT_A_PROMPT = lazy(
    r"\s*(?:\#\ AGENTS\.md\ instructions"
    r"|</?(?:environment_context|user_instructions|INSTRUCTIONS|skills?|goal_context|codex_internal_context"
    r"|turn_aborted|subagents?|subagent_notification|user_shell_command|user_action|hook_prompt|image"
    r"|personality_spec|permissions\ instructions|collaboration_mode|model_switch|recommended_plugins"
    r"|additional_context|external_[a-z_]+)\b[^<>\n]*>"
    r"|Warning:\ (?:The\ maximum\ number\ of\ unified\ exec|apply_patch\ was\ requested\ via)"
    r"|Another\ language\ model\ started\ to\ solve\ this\ problem)",
    re.VERBOSE,
)
# An editor puts the files that are open before the request.
NOT_TYPED = lazy(
    r"\A\s*# (?:Context from my IDE setup|Files mentioned by the user|In app browser):"
    r".*?^## My request for Codex:[ \t]*\n?",
    re.DOTALL | re.MULTILINE,
)
COMMAND = lazy(r"\s*<user_shell_command>\s*<command>\s*(.*?)\s*</command>", re.DOTALL)
SUMMARY_HEAD = lazy(r"\s*Another language model started to solve this problem.{0,600}?analysis:\s*", re.DOTALL)
# How a result begins: what it was, how long it took, how it ended.
HEADER = lazy(
    r"\A(?=Chunk ID: |Exit code: |Wall time: )"
    r"(?:(?:Chunk ID|Exit code|Wall time|Process|Original token count|Total output lines)[^\n]*\n){1,6}"
    r"Output:\n(?:Total output lines: \d+\n\n?)?"
)
_CODE = lazy(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_RUNNING = lazy(r"^Process running with session ID (\d{1,20})$", re.MULTILINE)
_FAILURE = lazy(
    r"\s*(?:apply_patch verification failed|patch rejected|failed to |unsupported (?:custom )?(?:tool )?call"
    r"|exec_command failed|write_stdin failed|exec command rejected|sandbox error|execution error|tool call error"
    r"|collab [a-z_]+ failed|aborted\b|(?:Wall time: [\d.]+ seconds\n)(?:Output:\n)?(?:aborted by user|err(?:or)?: )"
    r"|err(?:or)?: |[^\n]{0,200}rejected by user)",
    re.IGNORECASE,
)


def is_typed(text: str) -> bool:
    """Whether a text in a user's message can be the user's."""
    return bool(text.strip()) and not _NOT_A_PROMPT.match(text)


def exit_code_of(result: str) -> int | None:
    """The exit code in the first lines of a result; None where there is none."""
    head = HEADER.match(result)
    code = None if head is None else _CODE.search(head[0])
    return None if code is None else int(code[1])


def running_in(result: str) -> str | None:
    """The number of the shell in which the command still runs; None where it came to an end."""
    head = HEADER.match(result)
    shell = None if head is None else _RUNNING.search(head[0])
    return None if shell is None else shell[1]


def is_failure(result: str) -> bool:
    """Whether a result without an exit code says that the call failed."""
    return _FAILURE.match(result) is not None
