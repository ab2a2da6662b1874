"""Workflows and scratchpads: the commands that write their events."""
