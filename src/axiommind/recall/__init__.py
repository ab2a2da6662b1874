"""Recall: a prompt is judged, answered from the index, disclosed within a budget, and fenced; or met with silence."""
