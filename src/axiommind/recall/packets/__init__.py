"""Packets: what an agent is told unasked, at session start, before an edit, and after an error."""
