"""Workflows: pieces of work that outlast a session, each with scratchpads."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.errors import BadQuery

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import WorkflowRow
    from axiommind.scratchpads.access import Access
    from axiommind.scratchpads.values import ScratchpadConflict, WorkflowPage

__all__ = ["Workflows"]


class Workflows:
    """Creates, updates, lists and searches workflows."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def create(
        self,
        name: str,
        description: str = "",
        project_scope: str | None = None,
        *,
        actor: str = "user",
        cwd: str | None = None,
    ) -> WorkflowRow:
        """A new, active workflow. It belongs to the project that `project_scope` names, if that is a folder, or else to
        the project of `cwd`."""
        project = _project(project_scope, cwd)
        with self._access.writing(actor) as writer:
            made = writer.create_workflow(name, description, project_scope, project)
        return self.show(made)

    def update(
        self,
        name: str,
        *,
        active: bool | None = None,
        title: str | None = None,
        description: str | None = None,
        actor: str = "user",
    ) -> WorkflowRow:
        """Change a workflow's name or description, or whether it takes writes."""
        if active is None and title is None and description is None:
            raise BadQuery("there is nothing to change", hint="give a status, a name or a description")
        flow = self._access.named("workflows", name)
        with self._access.writing(actor) as writer:
            writer.update_workflow(flow, active=active, name=title, description=description)
        return self.show(flow)

    def list(
        self,
        *,
        project_scope: str | None = None,
        project: str | None = None,
        active: bool | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> builtins.list[WorkflowRow]:
        """Workflows, the latest updated first. `project_scope` is compared exactly."""
        from axiommind.projections.scratchpad_rows import list_workflows

        with self._access.index() as db:
            if db is None:
                return []
            return list_workflows(
                db, project_scope=project_scope, project=project, active=active, limit=limit, offset=offset
            )

    def show(self, name: str) -> WorkflowRow:
        """One workflow, by its id or the beginning of it."""
        flow = self._access.named("workflows", name)
        with self._access.reading() as writer:
            return writer.workflow(flow)

    def conflicts(self, name: str) -> builtins.list[ScratchpadConflict]:
        """The descriptions beside its description: what two machines made of one. The next one takes their place."""
        flow = self._access.named("workflows", name)
        with self._access.reading() as writer:
            return writer.conflicts(flow)

    def latest_active(self, project_scope: str) -> WorkflowRow | None:
        """Of the active workflows with this scope, the one updated last; if there is none and the scope is a folder, of
        those of its project that have no scope."""
        found = self.list(project_scope=project_scope, active=True, limit=1)
        if not found and (project := _project(project_scope, None)) and Path(project_scope).is_absolute():
            others = self.list(project=project, active=True, limit=100)
            found = [one for one in others if one.project_scope is None]
        return found[0] if found else None

    def search(self, query: str, *, project_scope: str | None = None, page: int = 1, limit: int = 5) -> WorkflowPage:
        """Workflows by their words and those of their scratchpads: 5 points for each in a name, 3 in a description or
        the title of a scratchpad, 1 in its text."""
        from axiommind.scratchpads.search_workflows import no_workflows, search_workflows

        with self._access.index() as db:
            if db is None:
                return no_workflows(query, page=page, limit=limit)
            return search_workflows(db, query, project_scope=project_scope, page=page, limit=limit)


def _project(project_scope: str | None, cwd: str | None) -> str | None:
    from axiommind.projects import project_of

    if project_scope and Path(project_scope).is_absolute():
        return project_of(os.path.realpath(project_scope)) if "\x00" not in project_scope else None
    try:
        return project_of(os.path.realpath(cwd or os.getcwd()))  # noqa: PTH109
    except OSError:  # the current folder was deleted
        return None
