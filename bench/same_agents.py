"""What agents ask: scratchpads, hooks and the MCP server. Part of the commands of bench/same.py; see same_cli.py."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from same_cli import Command, axm, file, hook
from same_world import BOX, EVAL, FIRST, JAPANESE, KOREAN, LEDGER, PROJECTS, SECOND, SHARED

__all__ = ["hook_set", "hooked", "pads", "served", "served_pads"]


def mcp(name: str, method: str, params: dict[str, Any] | None = None, **more: Any) -> Command:
    return Command(name, "mcp", (method,), params or {}, served=True, **more)


def tool(name: str, tool_name: str, arguments: dict[str, Any], **more: Any) -> Command:
    return mcp(name, "tools/call", {"name": tool_name, "arguments": arguments}, **more)


def pads() -> Iterator[Command]:
    """Working memory, from the command line."""
    yield axm(
        "workflow",
        "workflow create 'Move the ledger' --description 'to Postgres' --project @{root}/work --json",
        keep={"wf": "workflow.id"},
    )
    yield axm("workflow-2", f"workflow create 'React 組件' --scope {LEDGER} --json", keep={"wf_2": "workflow.id"})
    text = "# Findings\n\nThe importer waits.\n\n## Open\n\n- the pool\n- 테스트 타임아웃\n"
    yield axm("pad-create", "pad create @{wf} Findings - --json", given=text, keep={"pad": "scratchpad.id"})
    yield axm(
        "pad-create-2", "pad create @{wf} Context --text '登录缓存 alpha' --json", keep={"pad_2": "scratchpad.id"}
    )
    yield axm("pad-append", "pad append @{pad} '- measured: 41 s' --json")
    yield axm("pad-section", "pad section @{pad} Open '- ask Ana' --json")
    yield axm("pad-insert", "pad insert @{pad} --line 3 'Since Monday:' --json")
    yield axm("pad-lines", "pad replace-lines @{pad} --lines 4-4 'The importer waits for locks.' --json")
    yield axm("pad-edit", "pad edit @{pad_2} --json", env={"EDITOR": "sed -i s/alpha/beta/"})
    yield axm("pad-stale", "pad append @{pad} late --version 1", code=3)
    yield axm("pad-show", "pad show @{pad} --numbers")
    yield axm("pad-show-at", "pad show @{pad} --at 2 --json")
    yield axm("pad-outline", "pad outline @{pad} --json")
    yield axm("pad-tail", "pad tail @{pad} --lines 3")
    yield axm("pad-grep", "pad grep @{pad} 'w[a-z]+ts' --regex --json")
    yield axm("pad-history", "pad history @{pad} --json")
    yield axm("pad-diff", "pad diff @{pad} --from 1")
    yield axm("pad-chop", "pad chop @{pad} --lines 2 --json")
    yield axm("pad-restore", "pad restore @{pad} --at 3 --json")
    yield axm("pad-rename", "pad rename @{pad} 'What was found' --json")
    yield axm("pad-history-text", "pad history @{pad}")
    yield axm("pad-list", "pad list --all-projects --json")
    yield axm("pad-search", "pad search '타임아웃 pool' --json")
    yield axm("workflow-list", "workflow list --all-projects --json")
    yield axm("workflow-show", "workflow show @{wf}")
    yield axm("workflow-latest", f"workflow latest --scope {LEDGER} --json")
    yield axm("workflow-search", "workflow search 'ledger 組件' --json")
    yield axm("workflow-update", "workflow update @{wf_2} --inactive --description 'over' --json")
    yield axm("workflow-refused", "pad create @{wf_2} Late --text x", code=1)


def hooked() -> Iterator[Command]:
    prompt, edit, failed = "UserPromptSubmit", "PreToolUse", "PostToolUseFailure"
    yield hook("hook-prompt-en", prompt, BOX, {"prompt": "can you fix the rust error about ipns_private_key_encrypted"})
    yield hook("hook-prompt-ko", prompt, KOREAN, {"prompt": "머지하면서 화면이 완전 깨졌는데? 다시 확인해줘"})
    yield hook("hook-prompt-ja", prompt, JAPANESE, {"prompt": "ライセンス比較とトレンドを改善したい"})
    yield hook("hook-prompt-zh", prompt, LEDGER, {"prompt": "登录页面的测试为什么超时?"})
    again = {"session_id": "same-hook-prompt-zh", "prompt": "登录页面的测试为什么超时?"}
    yield hook("hook-prompt-used", prompt, LEDGER, {**again, "session_id": SECOND})
    yield hook("hook-prompt-twice", prompt, LEDGER, again, silent=True)
    yield hook("hook-prompt-none", prompt, BOX, {"prompt": "what is the capital of Mongolia"}, silent=True)
    yield hook("hook-prompt-yes", prompt, BOX, {"prompt": "yes"}, silent=True)
    pool = {"tool_name": "Edit", "tool_input": {"file_path": f"{LEDGER}/src/ledger_pool.py"}}
    yield hook("hook-edit", edit, LEDGER, pool)
    card = f"{EVAL}/frontend/src/components/RemediationHistoryCard.tsx"
    yield hook("hook-edit-tsx", edit, EVAL, {"tool_name": "Write", "tool_input": {"file_path": card}})
    yield hook("hook-edit-read", edit, EVAL, {"tool_name": "Read", "tool_input": {"file_path": card}}, silent=True)
    bun = {"tool_name": "Bash", "tool_input": {"command": "rtk bun run test"}}
    yield hook("hook-failed", failed, EVAL, {**bun, "error": "Exit code 2\nerror: unrecognized subcommand 'bun'"})
    test = {"tool_name": "Bash", "tool_input": {"command": "pytest -x tests/ledger"}}
    error = "Exit code 2\nModuleNotFoundError: No module named 'psycopg'"
    yield hook("hook-failed-module", failed, LEDGER, {**test, "error": error})
    yield hook("hook-failed-new", failed, BOX, {**test, "error": "Exit code 9\nMoonError: no cheese"}, silent=True)
    for source in ("startup", "resume", "clear", "compact"):
        session = {"session_id": SECOND} if source == "compact" else {}
        yield hook(f"hook-start-{source}", "SessionStart", LEDGER, {"source": source, **session})
    yield hook("hook-start-ko", "SessionStart", KOREAN, {"source": "startup"})
    yield hook("hook-start-other", "SessionStart", "/nowhere", {"source": "startup"}, silent=True)
    last = {"last_assistant_message": "Done.", "session_id": SECOND}
    yield hook("hook-stop", "Stop", LEDGER, last, silent=True, grows=SECOND)
    yield axm("hook-stop-indexed", "search 'thirty connections' --all-projects --json")
    yield hook("hook-compact", "PreCompact", LEDGER, {"trigger": "auto"}, silent=True)
    yield hook("hook-end", "SessionEnd", LEDGER, {"reason": "exit"}, silent=True)
    yield hook("hook-unknown", "Nothing", LEDGER, {}, silent=True)
    asked = {"session_id": "same-cli", "cwd": BOX, "hook_event_name": prompt, "prompt": "still some e2e failures in ci"}
    yield axm("hook-cli", f"hook {prompt}", given=json.dumps(asked))


def hook_set() -> Iterator[Command]:
    """Every other moment of the labelled set: prompts, failures and first edits of real sessions, as their hooks saw
    them. Some are answered and some are not."""
    events = {"prompt": "UserPromptSubmit", "failure": "PostToolUseFailure", "edit": "PreToolUse"}
    with (SHARED / "recall-dev.jsonl").open(encoding="utf-8") as file:
        for number, row in list(enumerate(map(json.loads, file)))[::2]:
            text, given = row["text"], row.get("input") or {}
            fields = {"prompt": text} if row["event"] == "prompt" else {"tool_name": row.get("tool") or "Edit"}
            fields |= {"failure": {"tool_input": given, "error": text}, "edit": {"tool_input": given}}.get(
                row["event"], {}
            )
            name = f"set-{number:03d}-{row['event']}"
            yield hook(name, events[row["event"]], PROJECTS[row["project"]], fields, silent=True)


def served() -> Iterator[Command]:
    """Over one `axm mcp` that stays, also for hooks."""
    yield mcp("mcp-tools", "tools/list")
    yield mcp("mcp-resources", "resources/list")
    yield mcp("mcp-templates", "resources/templates/list")
    yield mcp("mcp-prompts", "prompts/list")
    everywhere = {"project": "all"}
    yield tool("mcp-query", "query", {"perspective": "hotfiles", "params": {"top": 8}, **everywhere})
    yield tool("mcp-sql", "query", {"sql": "select id, title from sessions order by id", "limit": 5, "project": BOX})
    yield tool("mcp-sql-refused", "query", {"sql": "drop table sessions", **everywhere})
    yield tool("mcp-stats", "stats", everywhere)
    found = {"mcp_hit": "structuredContent.matches.0.id", "mcp_next": "structuredContent.next_cursor"}
    yield tool("mcp-search", "search", {"query": "synchronize false migrations", **everywhere, "limit": 5}, keep=found)
    more = {"query": "synchronize false migrations", **everywhere, "limit": 5, "cursor": "@{mcp_next}"}
    yield tool("mcp-search-more", "search", more)
    yield tool("mcp-search-ko", "search", {"query": "kind:prompt 다크 테마", "project": KOREAN})
    yield tool("mcp-timeline", "timeline", {"ids": ["@{mcp_hit}"], "window": 2})
    yield tool("mcp-get", "get", {"ids": ["@{mcp_hit}", "@{entry}", "zzz"]})
    yield tool("mcp-recall", "recall", {"prompt": "why is the ledger locked by two writers", "project": LEDGER})
    yield tool(
        "mcp-recall-ja", "recall", {"prompt": "リリースのタグはどう管理する?", "project": JAPANESE, "budget": 800}
    )
    yield tool("mcp-tasks", "tasks", {"status": "all", "project": LEDGER})
    yield tool("mcp-task", "task-show", {"id": "@{task}"})
    yield tool("mcp-blocked", "blocked", everywhere)
    claim = {
        "text": "The pool has thirty connections",
        "quotes": ["The pool has thirty connections now"],
        "session": SECOND,
    }
    yield tool("mcp-remember", "remember", claim)
    yield tool("mcp-remember-never", "remember", {"text": "No", "quotes": ["never said at all"], "session": SECOND})
    yield tool("mcp-decide", "decide", {"decision": "Thirty connections", "evidence": ["@{any}"], "project": EVAL})


def served_pads() -> Iterator[Command]:
    made = {"m_wf": "structuredContent.id"}
    yield tool(
        "mcp-workflow", "create-workflow", {"name": "Pool", "description": "size", "project_scope": "/x"}, keep=made
    )
    page = {"workflow_id": "@{m_wf}", "title": "Context", "content": "# Plan\n\nalpha\n\n## Next\n\nbeta 測試\n"}
    yield tool("mcp-pad", "create-scratchpad", page, keep={"m_pad": "structuredContent.id"})
    pad = {"id": "@{m_pad}"}
    yield tool("mcp-append", "append-scratchpad", {**pad, "content": "gamma"})
    yield tool("mcp-get-pad", "get-scratchpad", {**pad, "include_content": True})
    yield tool(
        "mcp-update",
        "update-scratchpad",
        {**pad, "mode": "replace_lines", "start_line": 3, "end_line": 3, "content": "a"},
    )
    yield tool(
        "mcp-update-section",
        "update-scratchpad",
        {**pad, "mode": "append_section", "section_marker": "Next", "content": "d"},
    )
    yield tool("mcp-stale", "update-scratchpad", {**pad, "mode": "replace", "content": "x", "version": 1})
    yield tool("mcp-outline", "get-scratchpad-outline", pad)
    yield tool("mcp-tail", "tail-scratchpad", {**pad, "blocks": 1})
    yield tool("mcp-chop", "chop-scratchpad", pad)
    yield tool("mcp-pads", "list-scratchpads", {"workflow_id": "@{m_wf}", "preview_mode": True})
    yield tool("mcp-pad-search", "search-scratchpads", {"query": "測試 plan"})
    yield tool("mcp-pad-grep", "search-scratchpad-content", {**pad, "query": "BETA", "context_lines": 1})
    yield tool("mcp-workflows", "list-workflows", {"status": "all"})
    yield tool("mcp-workflow-get", "get-workflow", {"workflow_id": "@{m_wf}"})
    yield tool("mcp-workflow-last", "get-latest-active-workflow", {"project_scope": "/x"})
    yield tool("mcp-workflow-search", "search-workflows", {"query": "ledger pool"})
    yield tool("mcp-workflow-status", "update-workflow-status", {"workflow_id": "@{m_wf}", "is_active": False})
    yield tool("mcp-unknown", "nothing", {})
    yield tool("mcp-bad-argument", "search", {"query": "x", "limit": 0})
    for kind, name in {"session": FIRST, "entry": "@{any}", "workflow": "@{wf}", "pad": "@{m_pad}"}.items():
        yield mcp(f"mcp-read-{kind}", "resources/read", {"uri": f"axm://{kind}/{name}"})
    yield mcp("mcp-read-doc", "resources/read", {"uri": "axm://doc/@{root}/notes/ledger.md"})
    yield mcp("mcp-handoff", "prompts/get", {"name": "handoff", "arguments": {"project": LEDGER, "focus": "the pool"}})
    yield mcp("mcp-review", "prompts/get", {"name": "weekly-review", "arguments": {"project": EVAL, "since": "30d"}})
    said = {"prompt": "please push the e2e fixes up"}
    yield hook("resident-prompt", "UserPromptSubmit", BOX, said, served=True)
    edited = {"tool_name": "Edit", "tool_input": {"file_path": f"{LEDGER}/src/ledger_pool.py"}}
    yield hook("resident-edit", "PreToolUse", LEDGER, edited, served=True)
    yield hook("resident-start", "SessionStart", BOX, {"source": "startup"}, served=True)
    yield file("hooks-log", "axm/hooks/hooks.log")
