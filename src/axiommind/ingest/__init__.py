"""Ingest: sources → log. The only part that knows both.

`transcripts.py` reads what agents leave on disk and grows, `documents.py` the folders of Markdown that a user adds.
"""

from axiommind.ingest.documents import DocumentIngest, DocumentReport
from axiommind.ingest.transcripts import Ingest, Report

__all__ = ["DocumentIngest", "DocumentReport", "Ingest", "Report"]
