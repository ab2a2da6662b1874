"""What Aider does besides talking, by names of ours: it has no tools that a model calls."""

from __future__ import annotations

from axiommind.tools.kinds import EDIT, RUN, KnownTool

__all__ = ["TOOLS"]

TOOLS = {
    "edit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "run": KnownTool(RUN),
}
