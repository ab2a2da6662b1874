"""Tasks across sessions: from what was said about work to events about tasks, what blocks them, and what a person
changes."""
