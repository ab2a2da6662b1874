"""Packets: context that is injected unasked, at session start, before an edit, and after an error."""
