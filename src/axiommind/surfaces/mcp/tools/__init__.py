"""The tools that agents can call. One file is one tool, or a few that belong together; the folder is the registry.

To add a tool, add a file: a function with annotated arguments and a typed result under `@tool(name, title,
description)`. It is then in `tools/list`, in `docs/mcp-tools.md`, and can be named in the setting `mcp.tools`.
"""
