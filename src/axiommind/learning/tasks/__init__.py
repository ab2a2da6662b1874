"""Living tasks: from what sessions say about work to events about tasks, what blocks them, and what that is."""
