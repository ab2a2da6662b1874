"""Tools: what a tool call is (edit, run, read, ask, plan, delegate), and the kinds of shell commands."""
