"""The keys of what commands give as JSON."""

from __future__ import annotations

PAGE = [
    *("schema", "query", "search_method", "score_kind", "took_ms", "index_version"),
    *("hits", "total", "next_cursor", "truncated", "note"),
]


HIT = [
    "id",
    "doc_id",
    "chunk_id",
    "kind",
    "retrieval_method",
    "score",
    "score_kind",
    "summary",
    "snippet",
    "session_id",
    "project",
    "timestamp",
    "citation",
]


MORE = ["highlights", "heading", "title", "tool", "provenance", "entry", "folded", "passages", "index_version"]
