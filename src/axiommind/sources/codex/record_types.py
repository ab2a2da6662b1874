"""The types of Codex's records that we know, also those that say nothing new."""

from __future__ import annotations

__all__ = ["FIRST_ITEMS", "KNOWN"]

_ITEMS = """
    message agent_message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
    local_shell_call web_search_call tool_search_call tool_search_output image_generation_call ghost_snapshot
    compaction compaction_trigger context_compaction additional_tools other
"""
_EVENTS = """
    user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count
    task_started task_complete turn_started turn_complete turn_aborted context_compacted item_completed plan_update
    exec_command_end mcp_tool_call_end patch_apply_end web_search_end image_generation_end view_image_tool_call
    thread_settings_applied thread_name_updated thread_rolled_back thread_goal_updated entered_review_mode
    exited_review_mode undo_completed error warning guardian_warning guardian_assessment stream_error
    collab_agent_spawn_end collab_agent_interaction_end collab_waiting_end collab_close_end collab_resume_end
    sub_agent_activity dynamic_tool_call_request dynamic_tool_call_response hook_completed model_reroute
    realtime_conversation_closed background_event turn_diff
"""
_OTHERS = """
    session_meta turn_context compacted world_state token_usage_record inter_agent_communication
    inter_agent_communication_metadata state
"""

KNOWN = frozenset(
    (
        *(f"response_item.{name}" for name in _ITEMS.split()),
        *(f"event_msg.{name}" for name in _EVENTS.split()),
        *_OTHERS.split(),
    )
)
# Items that were lines of their own before lines had a payload.
FIRST_ITEMS = frozenset(("message", "reasoning", "function_call", "function_call_output", "local_shell_call"))
