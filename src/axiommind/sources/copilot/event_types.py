"""The types of Copilot's events that we know, also those that say nothing of their own."""

from __future__ import annotations

__all__ = ["KNOWN"]

_OF_SESSION = """
    start resume shutdown error idle info warning title_changed model_change mode_changed plan_changed
    workspace_file_changed handoff truncation snapshot_rewind usage_info usage_record context_changed task_complete
    compaction_start compaction_complete background_tasks_changed skills_loaded tools_updated custom_agents_updated
    mcp_servers_loaded mcp_server_status_changed extensions_loaded remote_steerable_changed import_legacy
    permissions_changed schedule_created schedule_cancelled custom_notification autopilot_objective_changed
"""
_OTHERS = """
    user.message pending_messages.modified assistant.turn_start assistant.turn_end assistant.intent
    assistant.reasoning assistant.message assistant.usage assistant.streaming_delta model.call_failure abort
    tool.user_requested tool.execution_start tool.execution_partial_result tool.execution_progress
    tool.execution_complete skill.invoked subagent.started subagent.completed subagent.failed subagent.selected
    subagent.deselected subagent.configured hook.start hook.end hook.progress system.message system.notification
    permission.requested permission.completed user_input.requested user_input.completed elicitation.requested
    elicitation.completed sampling.requested sampling.completed mcp.oauth_required mcp.oauth_completed
    external_tool.requested external_tool.completed command.queued command.execute command.completed
    commands.changed capabilities.changed exit_plan_mode.requested exit_plan_mode.completed
    auto_mode_switch.requested auto_mode_switch.completed
"""

KNOWN = frozenset((*(f"session.{name}" for name in _OF_SESSION.split()), *_OTHERS.split()))
