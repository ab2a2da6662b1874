"""AxiomMind: memory for coding agents, kept on your own machine.

    from axiommind import Memory

    memory = Memory()
    memory.index()
    page = memory.search("why did we choose PostgreSQL", memory.scope(all_projects=True))

What is named here is stable: `Memory`, the values it returns, and the errors it raises (docs/library.md). Each is
imported when it is asked for, because a hook asks for little, and soon.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from axiommind.approval.proposals import ConfirmedProposal as ConfirmedProposal
    from axiommind.backups.archive import BackupInfo as BackupInfo
    from axiommind.backups.backups import KnownBackup as KnownBackup
    from axiommind.backups.restoring import RestoreReport as RestoreReport
    from axiommind.callers import Caller as Caller
    from axiommind.config import Config as Config
    from axiommind.db import Rows as Rows
    from axiommind.errors import AxmError as AxmError
    from axiommind.errors import BackupDamaged as BackupDamaged
    from axiommind.errors import BadQuery as BadQuery
    from axiommind.errors import Changed as Changed
    from axiommind.errors import DiskFull as DiskFull
    from axiommind.errors import EmbedderError as EmbedderError
    from axiommind.errors import IndexCorrupt as IndexCorrupt
    from axiommind.errors import Internal as Internal
    from axiommind.errors import Locked as Locked
    from axiommind.errors import LogCorrupt as LogCorrupt
    from axiommind.errors import LogLost as LogLost
    from axiommind.errors import MissingExtra as MissingExtra
    from axiommind.errors import NeedsPerson as NeedsPerson
    from axiommind.errors import NotFound as NotFound
    from axiommind.errors import NotWritable as NotWritable
    from axiommind.errors import PersonOnly as PersonOnly
    from axiommind.errors import PluginError as PluginError
    from axiommind.errors import QueryLimit as QueryLimit
    from axiommind.errors import RemoteFailed as RemoteFailed
    from axiommind.errors import StoreError as StoreError
    from axiommind.errors import TooNew as TooNew
    from axiommind.errors import UsageError as UsageError
    from axiommind.errors import VectorError as VectorError
    from axiommind.errors import VectorsCorrupt as VectorsCorrupt
    from axiommind.exports.conversation import PageText as PageText
    from axiommind.exports.conversation import PageToolUse as PageToolUse
    from axiommind.exports.conversation import SessionPage as SessionPage
    from axiommind.exports.exports import ExportReport as ExportReport
    from axiommind.exports.exports import KnownExport as KnownExport
    from axiommind.exports.taking_in import TakenIn as TakenIn
    from axiommind.grounding.read import Grounding as Grounding
    from axiommind.health.check import Check as Check
    from axiommind.health.health import Forgettings as Forgettings
    from axiommind.health.overview import Overview as Overview
    from axiommind.health.redacting import Redacted as Redacted
    from axiommind.health.sources import SourceState as SourceState
    from axiommind.home import Scope as Scope
    from axiommind.ingest.forgetting import Forgotten as Forgotten
    from axiommind.ingest.library import Library as Library
    from axiommind.ingest.projects import ProjectShown as ProjectShown
    from axiommind.ingest.purging import Certificate as Certificate
    from axiommind.ingest.purging import Held as Held
    from axiommind.ingest.report import DocumentReport as DocumentReport
    from axiommind.ingest.report import IndexReport as IndexReport
    from axiommind.learning.decisions import DecisionShown as DecisionShown
    from axiommind.learning.distilling import DistillingState as DistillingState
    from axiommind.learning.entry_view import EntryShown as EntryShown
    from axiommind.learning.manual_entries import RememberResult as RememberResult
    from axiommind.learning.policies import StageChange as StageChange
    from axiommind.learning.recheck import RecheckReport as RecheckReport
    from axiommind.learning.recheck import RefusedEntry as RefusedEntry
    from axiommind.learning.refresh import RefreshReport as RefreshReport
    from axiommind.learning.rules_file import RulesProposal as RulesProposal
    from axiommind.learning.run_report import LearningReport as LearningReport
    from axiommind.learning.runs import Metrics as Metrics
    from axiommind.learning.runs import Spent as Spent
    from axiommind.memory import Memory as Memory
    from axiommind.model import Citation as Citation
    from axiommind.model import Event as Event
    from axiommind.projections.entry_rows import EntryRow as EntryRow
    from axiommind.projections.entry_rows import ListedEntry as ListedEntry
    from axiommind.projections.project_rows import PlaceRow as PlaceRow
    from axiommind.projections.project_rows import ProjectRow as ProjectRow
    from axiommind.projections.project_rows import RulingRow as RulingRow
    from axiommind.projections.proposal_rows import AgentProposal as AgentProposal
    from axiommind.projections.runner import Progress as Progress
    from axiommind.projections.scratchpad_rows import ScratchpadRow as ScratchpadRow
    from axiommind.projections.scratchpad_rows import ScratchpadText as ScratchpadText
    from axiommind.projections.scratchpad_rows import WorkflowRow as WorkflowRow
    from axiommind.projections.task_rows import BlockedTask as BlockedTask
    from axiommind.projections.task_rows import ResolvedCondition as ResolvedCondition
    from axiommind.projections.task_rows import TaskDetail as TaskDetail
    from axiommind.projections.task_rows import TaskRow as TaskRow
    from axiommind.recall.disclosure import Detail as Detail
    from axiommind.recall.disclosure import Disclosed as Disclosed
    from axiommind.recall.disclosure import IndexItem as IndexItem
    from axiommind.recall.disclosure import TimelineItem as TimelineItem
    from axiommind.recall.handoff.values import Handoff as Handoff
    from axiommind.recall.recall import Recalled as Recalled
    from axiommind.recall.recall import Silence as Silence
    from axiommind.recall.request import Selection as Selection
    from axiommind.recall.said_of import FeedbackSaid as FeedbackSaid
    from axiommind.recall.said_of import GivenMoment as GivenMoment
    from axiommind.reports.analysis.analyst import Analyst as Analyst
    from axiommind.reports.analysis.analyst import AnalyzeOptions as AnalyzeOptions
    from axiommind.reports.insight.values import InsightReport as InsightReport
    from axiommind.reports.perspectives import Perspective as Perspective
    from axiommind.reports.recent import Recent as Recent
    from axiommind.reports.recent import SessionList as SessionList
    from axiommind.reports.reports import PerspectiveRows as PerspectiveRows
    from axiommind.scratchpads.values import ScratchpadConflict as ScratchpadConflict
    from axiommind.scratchpads.values import ScratchpadMatches as ScratchpadMatches
    from axiommind.scratchpads.values import ScratchpadPage as ScratchpadPage
    from axiommind.scratchpads.values import ScratchpadVersion as ScratchpadVersion
    from axiommind.scratchpads.values import WorkflowPage as WorkflowPage
    from axiommind.scratchpads.values import WrittenScratchpad as WrittenScratchpad
    from axiommind.search.find import Page as Page
    from axiommind.search.hits import Hit as Hit
    from axiommind.search.reading.conversation import CallInFull as CallInFull
    from axiommind.search.reading.conversation import Outline as Outline
    from axiommind.search.reading.conversation import Said as Said
    from axiommind.search.reading.conversation import ToolCalled as ToolCalled
    from axiommind.search.reading.lines import Opened as Opened
    from axiommind.search.reading.passages import Shown as Shown
    from axiommind.search.reading.session_margin import SessionMargin as SessionMargin
    from axiommind.search.reading.sessions import SessionTold as SessionTold
    from axiommind.search.similar import Similar as Similar
    from axiommind.sync.status import SyncStatus as SyncStatus
    from axiommind.sync.sync import AddedRemote as AddedRemote
    from axiommind.sync.sync import SyncReport as SyncReport
    from axiommind.sync.teams import Invited as Invited
    from axiommind.sync.teams import SharedWith as SharedWith
    from axiommind.sync.teams import TeamState as TeamState
    from axiommind.vectors.embedding import Embedded as Embedded
    from axiommind.vectors.embedding import EmbedStatus as EmbedStatus
    from axiommind.vectors.models import Installed as Installed
    from axiommind.vectors.models import Model as Model

__version__ = "0.1.0"
# By module. What a type checker reads above is the same list; a test compares them.
_EXPORTS = {
    "callers": ("Caller",),
    "config": ("Config",),
    "approval.proposals": ("ConfirmedProposal",),
    "db": ("Rows",),
    "errors": (
        "AxmError",
        "BackupDamaged",
        "BadQuery",
        "Changed",
        "DiskFull",
        "EmbedderError",
        "IndexCorrupt",
        "Internal",
        "Locked",
        "LogCorrupt",
        "LogLost",
        "MissingExtra",
        "NeedsPerson",
        "NotFound",
        "NotWritable",
        "PersonOnly",
        "PluginError",
        "QueryLimit",
        "RemoteFailed",
        "StoreError",
        "TooNew",
        "UsageError",
        "VectorError",
        "VectorsCorrupt",
    ),
    "backups.archive": ("BackupInfo",),
    "backups.backups": ("KnownBackup",),
    "backups.restoring": ("RestoreReport",),
    "exports.conversation": ("PageText", "PageToolUse", "SessionPage"),
    "exports.exports": ("ExportReport", "KnownExport"),
    "exports.taking_in": ("TakenIn",),
    "sync.status": ("SyncStatus",),
    "sync.sync": ("AddedRemote", "SyncReport"),
    "sync.teams": ("Invited", "SharedWith", "TeamState"),
    "health.check": ("Check",),
    "health.health": ("Forgettings",),
    "health.overview": ("Overview",),
    "health.redacting": ("Redacted",),
    "health.sources": ("SourceState",),
    "home": ("Scope",),
    "ingest.forgetting": ("Forgotten",),
    "ingest.library": ("Library",),
    "ingest.purging": ("Certificate", "Held"),
    "ingest.projects": ("ProjectShown",),
    "ingest.report": ("DocumentReport", "IndexReport"),
    "learning.decisions": ("DecisionShown",),
    "learning.entry_view": ("EntryShown",),
    "learning.manual_entries": ("RememberResult",),
    "learning.policies": ("StageChange",),
    "learning.recheck": ("RecheckReport", "RefusedEntry"),
    "learning.refresh": ("RefreshReport",),
    "learning.distilling": ("DistillingState",),
    "learning.rules_file": ("RulesProposal",),
    "learning.run_report": ("LearningReport",),
    "learning.runs": (
        "Metrics",
        "Spent",
    ),
    "memory": ("Memory",),
    "model": (
        "Citation",
        "Event",
    ),
    "projections.entry_rows": (
        "EntryRow",
        "ListedEntry",
    ),
    "projections.project_rows": ("PlaceRow", "ProjectRow", "RulingRow"),
    "projections.proposal_rows": ("AgentProposal",),
    "projections.runner": ("Progress",),
    "projections.scratchpad_rows": (
        "ScratchpadRow",
        "ScratchpadText",
        "WorkflowRow",
    ),
    "projections.task_rows": (
        "BlockedTask",
        "ResolvedCondition",
        "TaskDetail",
        "TaskRow",
    ),
    "recall.disclosure": (
        "Detail",
        "Disclosed",
        "IndexItem",
        "TimelineItem",
    ),
    "recall.handoff.values": ("Handoff",),
    "recall.recall": (
        "Recalled",
        "Silence",
    ),
    "recall.said_of": (
        "FeedbackSaid",
        "GivenMoment",
    ),
    "recall.request": ("Selection",),
    "reports.analysis.analyst": (
        "Analyst",
        "AnalyzeOptions",
    ),
    "grounding.read": ("Grounding",),
    "reports.insight.values": ("InsightReport",),
    "reports.perspectives": ("Perspective",),
    "reports.reports": ("PerspectiveRows",),
    "scratchpads.values": (
        "ScratchpadConflict",
        "ScratchpadMatches",
        "ScratchpadPage",
        "ScratchpadVersion",
        "WorkflowPage",
        "WrittenScratchpad",
    ),
    "search.reading.lines": ("Opened",),
    "search.find": ("Page",),
    "search.hits": ("Hit",),
    "search.similar": ("Similar",),
    "search.reading.conversation": ("CallInFull", "Outline", "Said", "ToolCalled"),
    "search.reading.session_margin": ("SessionMargin",),
    "reports.recent": ("Recent", "SessionList"),
    "search.reading.sessions": ("SessionTold",),
    "search.reading.passages": ("Shown",),
    "vectors.embedding": (
        "EmbedStatus",
        "Embedded",
    ),
    "vectors.models": (
        "Installed",
        "Model",
    ),
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}
__all__ = ["__version__", *sorted(_MODULES)]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"axiommind.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
