"""Names without secrets: what files, folders and sessions are called is stored, too.

A file whose path holds a secret is known by the redacted path and opened by the real one. Refuses: the names of
documents, which are opened by what the log says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from axiommind.log import Head
from axiommind.sources import Discovery, SourceFile
from axiommind.text.redaction import Redactor

__all__ = ["renamed_heads", "without_secrets"]


def without_secrets(found: Sequence[tuple[str, Discovery]], redactor: Redactor) -> Sequence[tuple[str, Discovery]]:
    """What sources found, under names that may be stored."""
    files = [file for _, discovery in found for file in discovery.files]
    # Not every session and folder is named in the path of its file: some are named by its first line, or by a row.
    named = {name for file in files for name in (file.cwd, file.session_id, file.folder, file.parent_session) if name}
    if not _may_hold_any([file.path for file in files] + sorted(named), redactor):
        return found
    return [
        (
            source,
            discovery._replace(
                files=tuple(_renamed(file, redactor) for file in discovery.files),
                problems=tuple(one._replace(path=redactor.name(one.path)) for one in discovery.problems),
            ),
        )
        for source, discovery in found
    ]


def renamed_heads(heads: Mapping[str, Head], redactor: Redactor) -> dict[str, Head]:
    """By the old name, the heads that older rules let through: under their new names, and to be read anew, so that
    what was read under the old one is superseded."""
    if not _may_hold_any(heads, redactor):
        return {}
    return {
        stream: replace(
            head,
            stream=redactor.name(stream),
            size=-1,
            state={**{key: _clean(value, redactor) for key, value in head.state.items()}, "reread": True},
        )
        for stream, head in heads.items()
        if redactor.name(stream) != stream
    }


def _clean(value: object, redactor: Redactor) -> object:
    return redactor.name(value) if isinstance(value, str) else value


def _may_hold_any(paths: Iterable[str], redactor: Redactor) -> bool:
    """One look at all of them: most homes have none."""
    text = "\n".join(paths)
    return any(redactor.suspects(one.encode("utf-8", "surrogatepass")) for one in (text, text.replace("-", "_")))


def _renamed(file: SourceFile, redactor: Redactor) -> SourceFile:
    """A session may be named by a folder and a file: each part of a name is looked at by itself, too."""
    path = redactor.name(file.path)
    return file._replace(
        path=path,
        opens=file.path if path != file.path else file.opens,
        cwd=None if file.cwd is None else redactor.text(file.cwd),
        session_id=redactor.name(file.session_id),
        folder=redactor.name(file.folder),
        parent_session=None if file.parent_session is None else redactor.name(file.parent_session),
    )
