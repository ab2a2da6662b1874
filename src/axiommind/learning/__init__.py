"""Learning: drafts become entries and tasks. Align → check → promote → resolve; a person's rulings; it writes events,
never a table."""
