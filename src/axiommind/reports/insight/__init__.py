"""Insight: how work is done in a project, as facts with evidence, and what could be written down or automated."""
