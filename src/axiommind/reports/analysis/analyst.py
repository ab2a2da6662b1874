"""The analyst: everything that v2 computed, from the index alone, in v2's shapes.

No transcript is read. Over several sessions only canonical rows count, so what a fork copied counts where it happened.
`analyzedAt` is the time of the last event that the index has folded, and ages are measured from the newest prompt: the
same log gives the same bytes, also after a rebuild.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import NotFound, UsageError
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.reports.analysers.stopwords import StopWords
    from axiommind.reports.analysers.tuning import Tuning
    from axiommind.reports.analysis.sections import AnalysisRows

__all__ = ["CACHE_VERSION", "SCOPES", "Analyst", "AnalyzeOptions"]

CACHE_VERSION = "2.0.0"
SCOPES = ("project", "global")
FOCUSES = ("all", "workflow", "skill")
# Below the user's home; its key `words` holds more stop words.
STOP_WORDS_FILE = (".claude", "suggest-workflow", "stopwords.json")


class AnalyzeOptions(NamedTuple):
    """What to analyse, in v2's words. `since` and `until` (exclusive) are epoch milliseconds and choose prompts only.

    `project` is a path or a name as `Home.scope` takes it; None in the scope `project` means the current folder's.
    `top` below 0 means all; no `tuning` means the defaults.
    """

    scope: str = "project"
    project: str | None = None
    depth: str = "normal"
    focus: str = "all"
    threshold: int = 3
    top: int = 10
    decay: bool = False
    since: int | None = None
    until: int | None = None
    exclude_words: tuple[str, ...] = ()
    tuning: Tuning | None = None


class Analyst:
    """What v2's `suggest-workflow` computed."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def analyze(self, options: AnalyzeOptions) -> dict[str, Any]:
        """The analysis of a project or of all projects (`suggest-workflow --format json`)."""
        with self._material(options) as (db, scope, material, at):
            found: dict[str, Any] = {
                "analyzedAt": at,
                "depth": options.depth,
                "scope": options.scope,
                "tuning": material.tuning.to_dict(),
            }
            if scope.project is not None:
                found["projectPath"] = scope.project
            else:
                found["globalSummary"] = _global_summary(db, material)
            if options.focus in ("all", "workflow"):
                found["promptAnalysis"] = material.prompt_analysis(options.top, decay=options.decay)
                found["workflowAnalysis"] = material.workflow_analysis(options.threshold, options.top)
                found["dependencyGraph"] = material.dependency_graph(options.top)
            if options.focus in ("all", "skill"):
                found["tacitKnowledge"] = self._tacit(material, options)
            return found

    def snapshot(self, options: AnalyzeOptions) -> dict[str, Any]:
        """`analysis-snapshot.json`: everything, whatever the focus."""
        with self._material(options) as (db, scope, material, at):
            return self._snapshot(db, scope, material, at, options)

    def cache_files(self, options: AnalyzeOptions) -> dict[str, dict[str, Any]]:
        """The files of v2's cache by their path in it: `index.json`, `sessions/{id}.summary.json`,
        `analysis-snapshot.json`."""
        from axiommind.projects import slug
        from axiommind.reports.analysis.session_summaries import summaries

        with self._material(options) as (db, scope, material, at):
            entries, files = [], {}
            for entry, summary in summaries(db, material):
                entries.append(entry)
                files[f"sessions/{_file_name(entry['id'])}.summary.json"] = summary
            (total,) = db.execute("select count(*) from prompts where canonical = 1").fetchone()
            index = {
                "project": scope.project or "global",
                "projectEncoded": slug(scope.project) if scope.project else "global",
                "lastUpdated": at,
                "cacheVersion": CACHE_VERSION,
                "sessions": entries,
                "totalPrompts": total,
                "totalSessions": len(entries),
            }
            snapshot = self._snapshot(db, scope, material, at, options)
            return {"index.json": index, **files, "analysis-snapshot.json": snapshot}

    def _snapshot(
        self, db: sqlite3.Connection, scope: Scope, material: AnalysisRows, at: str, options: AnalyzeOptions
    ) -> dict[str, Any]:
        from axiommind.reports.analysis.sections import statistics

        return {
            "analyzedAt": at,
            "depth": options.depth,
            "project": scope.project or "global",
            "cacheVersion": CACHE_VERSION,
            "dataSource": "index",
            "tuning": material.tuning.to_dict(),
            "promptAnalysis": material.prompt_analysis(options.top, decay=options.decay),
            "workflowAnalysis": material.workflow_analysis(options.threshold, options.top),
            "tacitKnowledge": self._tacit(material, options),
            "dependencyGraph": material.dependency_graph(options.top),
            **statistics(db, material, options.top),
        }

    def _tacit(self, material: AnalysisRows, options: AnalyzeOptions) -> dict[str, Any]:
        stop = self.stop_words(options.exclude_words)
        return material.tacit_knowledge(options.depth, options.threshold, options.top, stop, decay=options.decay)

    def stop_words(self, more: tuple[str, ...] = ()) -> StopWords:
        """The built-in words, those of the user's file, and some more."""
        from axiommind.reports.analysers.stopwords import StopWords

        path = self.home.user.joinpath(*STOP_WORDS_FILE)
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return StopWords(more)
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{path} cannot be read: {error}", hint='it should be {"words": ["…"]}') from error
        words = given.get("words", []) if isinstance(given, dict) else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UsageError(f"{path}: `words` must be a list of words", hint='it should be {"words": ["…"]}')
        return StopWords((*words, *more))

    @contextlib.contextmanager
    def _material(self, options: AnalyzeOptions) -> Iterator[tuple[sqlite3.Connection, Scope, AnalysisRows, str]]:
        """A reading connection, what it is about, the rows to analyse, and the time of the last event in them."""
        from axiommind.reports.analysers.tuning import Tuning
        from axiommind.reports.analysis.sections import moment, read

        _check(options)
        scope = self.home.scope(project=options.project, all_projects=options.scope == "global")
        with self.home.reading(scope, None) as db:
            if scope.project is None and options.scope == "project":
                raise NotFound(
                    "the current folder is no project in the index",
                    hint="name one with --project, or analyse all with --scope global",
                )
            db.execute("begin")  # one state of the index, whoever writes meanwhile
            material = read(db, options.since, options.until, options.tuning or Tuning())
            if not material.prompts:
                (sessions,) = db.execute("select count(*) from sessions").fetchone()
                where = scope.project or "any project"
                what = "sessions" if not sessions else "prompts"
                dated = sessions and (options.since is not None or options.until is not None)
                raise NotFound(
                    f"there is nothing to analyse: no {what} of {where}{' in these days' if dated else ''}",
                    hint="give other days, or none" if dated else "run: axm index",
                )
            (last,) = db.execute("select max(last_ts) from projection_offsets").fetchone()
            yield db, scope, material, moment(last) or ""


def _check(options: AnalyzeOptions) -> None:
    from axiommind.reports.analysers.depth import DEPTHS

    for name, known in (("scope", SCOPES), ("depth", tuple(DEPTHS)), ("focus", FOCUSES)):
        value = getattr(options, name)
        if value not in known:
            raise UsageError(f"unknown {name} {value!r}", hint=f"one of: {', '.join(known)}")
    if options.threshold < 1:
        raise UsageError(f"threshold must be at least 1, not {options.threshold}")
    if options.since is not None and options.until is not None and options.since >= options.until:
        raise UsageError("until lies before since", hint="give the earlier day as since")


def _global_summary(db: sqlite3.Connection, material: AnalysisRows) -> dict[str, Any]:
    """The projects that have prompts, most prompts first; a name is the encoded path without its leading dash, because
    an encoded path cannot be decoded."""
    from collections import Counter

    from axiommind.projects import slug

    project_of = dict(db.execute("select id, project from sessions"))
    prompts = Counter(project_of[p.session] for p in material.prompts)
    sessions = Counter(project_of.values())
    listed = sorted(prompts.items(), key=lambda p: (-p[1], p[0]))
    return {
        "projectCount": len(listed),
        "totalPrompts": len(material.prompts),
        "projects": [
            {"name": slug(name).removeprefix("-"), "promptCount": n, "sessionCount": sessions[name]}
            for name, n in listed
        ],
    }


def _file_name(session: str) -> str:
    """An id is the name of a file on disk already; another source's might not be."""
    return "".join("_" if c in '/\\:*?"<>|' or ord(c) < 32 else c for c in session)
