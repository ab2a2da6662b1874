"""Ingest: sources → log. The only part that knows both, and it knows no agent by name.

`transcripts.py` reads what agents leave on disk and grows, `documents.py` the folders of Markdown that a user adds.
"""

from axiommind.ingest.documents import DocumentIngest
from axiommind.ingest.report import DocumentReport, IndexReport
from axiommind.ingest.transcripts import TranscriptIngest

__all__ = ["DocumentIngest", "DocumentReport", "IndexReport", "TranscriptIngest"]
