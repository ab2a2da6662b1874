"""How agents are recognised: the variables that they set for the commands they run, and the names of their programs.

An editor is not its agent: `cursor`, `code` and `idea` run a person's terminal, and what they set in it (TERM_PROGRAM,
CURSOR_TRACE_ID, CLAUDE_CODE_SSE_PORT) says nothing. Settings that people make for themselves (CODEX_HOME,
COPILOT_MODEL, GEMINI_API_KEY) do not count either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["VARIABLES", "AgentMark", "agent_in_environment", "agent_in_process"]

# Set by the agent for the commands that it runs; any value but an empty one, 0 or false counts.
VARIABLES = {
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE": "Claude Code",
    "CLAUDE_CODE_SESSION_ID": "Claude Code",
    "CLAUDE_CODE_CHILD_SESSION": "Claude Code",
    "CLAUDE_CODE_IS_COWORK": "Claude Cowork",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "CODEX_SESSION_ID": "Codex",
    "CODEX_CI": "Codex",
    "CODEX_CLI": "Codex",
    "CODEX_SHELL": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "QWEN_CODE": "Qwen Code",
    "QWEN_CODE_SESSION_ID": "Qwen Code",
    "CURSOR_AGENT": "Cursor",
    "CURSOR_CONVERSATION_ID": "Cursor",
    "COPILOT_CLI": "Copilot",
    "COPILOT_AGENT": "Copilot",
    "COPILOT_AGENT_SESSION_ID": "Copilot",
    "COPILOT_AGENT_START_TIME_SEC": "Copilot",
    "COPILOT_AGENT_JOB_ID": "Copilot",
    "VSCODE_COPILOT_TERMINAL": "Copilot",
    "OPENCODE": "OpenCode",
    "OPENCODE_CLIENT": "OpenCode",
    "OPENCODE_PID": "OpenCode",
    "DROID_SESSION_ID": "Droid",
    "FACTORY_SESSION_ID": "Droid",
    "AMP_CURRENT_THREAD_ID": "Amp",
    "AMP_THREAD_ID": "Amp",
    "ANTIGRAVITY_AGENT": "Antigravity",
    "ANTIGRAVITY_SESSION_ID": "Antigravity",
    "AUGMENT_AGENT": "Auggie",
    "AUGMENT_CONVERSATION_ID": "Auggie",
    "AIDER": "Aider",
    "AIDER_SESSION": "Aider",
    "CLINE_ACTIVE": "Cline",
    "CLINE_TASK_ID": "Cline",
    "ROO_ACTIVE": "Roo Code",
    "ROO_CODE_TASK_ID": "Roo Code",
    "KILOCODE_FEATURE": "Kilo Code",
    "CONTINUE_SESSION_ID": "Continue",
    "GOOSE_TERMINAL": "Goose",
    "CRUSH": "Crush",
    "HERMES_AGENT": "Hermes",
    "HERMES_SESSION_ID": "Hermes",
    "GROK_SESSION_ID": "Grok",
    "GROK_AGENT": "Grok",
    "KIRO_AGENT": "Kiro",
    "OPENCLAW_SESSION_ID": "OpenClaw",
    "OPENCLAW_SHELL": "OpenClaw",
    "PI_CODING_AGENT": "Pi",
    "REPLIT_AGENT": "Replit Agent",
    "TRAE_AI_SHELL_ID": "Trae",
    "VTCODE": "VT Code",
}
# Set by editors for persons too: only these values are their agents'.
_VALUES = {
    "CURSOR_EXTENSION_HOST_ROLE": ("Cursor", ("agent-exec",)),
    "CURSOR_INVOKED_AS": ("Cursor", ("agent", "cursor-agent")),
}
# What agents agree on: the value names the agent.
_NAMING = ("AI_AGENT", "AGENT")
_OFF = ("", "0", "false", "no", "off")

# The programs of agents by the name of their file, and of those that run in an interpreter by that of the script.
_PROGRAMS = {
    "claude": "Claude Code",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "codex-exec": "Codex",
    "codex-linux-sandbox": "Codex",
    "gemini": "Gemini CLI",
    "qwen": "Qwen Code",
    "cursor-agent": "Cursor",
    "copilot": "Copilot",
    "opencode": "OpenCode",
    "droid": "Droid",
    "amp": "Amp",
    "aider": "Aider",
    "goose": "Goose",
    "goosed": "Goose",
    "crush": "Crush",
    "auggie": "Auggie",
    "agy": "Antigravity",
    "openclaw": "OpenClaw",
    "kiro-cli": "Kiro",
    "kiro-cli-chat": "Kiro",
    "qchat": "Amazon Q",
    "cline": "Cline",
    "openhands": "OpenHands",
    "plandex": "Plandex",
    "kimi": "Kimi",
    "pi": "Pi",
    "grok": "Grok",
    "hermes": "Hermes",
    "junie": "Junie",
    "kilo": "Kilo Code",
    "kilocode": "Kilo Code",
    "vtcode": "VT Code",
    "trae-cli": "Trae",
    "codebuff": "Codebuff",
    "iflow": "iFlow",
}
# Those that are only called so by the path of their package.
_PACKAGES = re.compile(
    r"(@anthropic-ai/claude-(?:code|agent-sdk)|@openai/codex|@google/gemini-cli|@qwen-code/qwen-code|@github/copilot"
    r"|opencode-ai|@factory/cli|@sourcegraph/amp|@augmentcode/auggie|@[a-z-]+/pi-coding-agent|@block/goose|@openclaw/\w+|@kilocode/cli|@iflow-ai/iflow-cli|cursor-agent)[/\\]"
)
_INTERPRETERS = re.compile(r"^(?:node|nodejs|bun|deno|python[\d.]*|pypy[\d.]*|ruby|env|sh|bash|dash|zsh)$")
# `codex-x86_64-unknown-linux-musl`, `opencode-darwin-arm64`, `gemini.js`
_ENDINGS = re.compile(r"(?:-(?:linux|darwin|macos|windows|x86_64|aarch64|arm64|x64)\b.*)?(?:\.\w{2,3})?$")
_LEADING_ARGUMENTS = 6  # where a script's name may be, after options of its interpreter


class AgentMark(NamedTuple):
    variable: str
    name: str


def agent_in_environment(environ: Mapping[str, str]) -> AgentMark | None:
    """The agent whose variable is set."""
    for variable, name in VARIABLES.items():
        if environ.get(variable, "").lower() not in _OFF:
            return AgentMark(variable, name)
    for variable, (name, values) in _VALUES.items():
        if environ.get(variable, "") in values:
            return AgentMark(variable, name)
    for variable in _NAMING:
        if environ.get(variable, "").lower() not in _OFF:
            return AgentMark(variable, environ[variable][:40])
    return None


def agent_in_process(command: Sequence[str]) -> str | None:
    """The agent that a process is, by its command line."""
    if not command:
        return None
    program = _name(command[0])
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    if package := _PACKAGES.search(command[0]):
        return package[1]
    if not _INTERPRETERS.match(program):
        return None
    for word in command[1:_LEADING_ARGUMENTS]:
        if package := _PACKAGES.search(word):
            return package[1]
        if not word.startswith("-"):
            return _PROGRAMS.get(_name(word))  # the script; what follows are its own arguments
    return None


def _name(path: str) -> str:
    """A program's name, without its folder, its ending, and the dash of a login shell."""
    return _ENDINGS.sub("", re.split(r"[/\\]", path)[-1]).lstrip("-").lower()
