"""Memory: reads sessions, writes events. Extract → align → check → promote → resolve; it never writes a table."""
