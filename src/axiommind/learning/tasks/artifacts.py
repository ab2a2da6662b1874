"""Artifacts: things elsewhere that a text refers to by a strong pattern, and their keys.

A URL, a JIRA key, an issue or pull request on GitHub. A text that only looks a little like one is not an artifact.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

__all__ = ["Artifact", "artifact_in"]

URL_CONFIDENCE = JIRA_CONFIDENCE = 0.95
GITHUB_CONFIDENCE = 0.90

_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_GITHUB_URL = re.compile(r"https?://(?:www\.)?github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)\b", re.IGNORECASE)
_JIRA = re.compile(r"(?<![\w/-])([A-Z][A-Z0-9]+)-(\d+)(?![\w-])")
_REPOSITORY = re.compile(r"(?<![\w./-])([\w.-]+/[\w.-]+)#(\d+)\b")
# Agents number their own tasks and steps with the same sign.
_NUMBER = re.compile(r"(?<![\w&#])(?<!task )(?<!step )(?<!item )#(\d+)(?!\w)", re.IGNORECASE)
# Standards, hashes and models are written like a JIRA key.
_NO_JIRA = re.compile(
    "UTF|UCS|SHA|MD|AES|RSA|ISO|RFC|ECMA|IEEE|PEP|CVE|CWE|GPT|HTTP|TLS|SSL|IPV|ES|RS|HS|BASE|WCAG|SOC|COVID"
)
_TRAILING = ".,;:!?)]}>。、，）」』"


class Artifact(NamedTuple):
    """`text` is the reference itself, without the words around it."""

    text: str
    key: str
    confidence: float
    url: str | None = None


def artifact_in(text: str, project: str) -> Artifact | None:
    """The strongest reference in a text, and of these the first."""
    if found := _URL.search(text):
        url = found[0].rstrip(_TRAILING)
        if issue := _GITHUB_URL.match(url):
            return Artifact(f"{issue[1]}#{issue[2]}", _github(issue[1], issue[2]), URL_CONFIDENCE, url)
        digest = hashlib.sha1(url.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        return Artifact(url, f"art:url:{digest}", URL_CONFIDENCE, url)
    for found in _JIRA.finditer(text):
        if not _NO_JIRA.fullmatch(found[1]):
            return Artifact(found[0], f"art:jira:{found[0]}", JIRA_CONFIDENCE)
    if found := _REPOSITORY.search(text):
        return Artifact(found[0], _github(found[1], found[2]), GITHUB_CONFIDENCE)
    if found := _NUMBER.search(text):
        return Artifact(found[0], _github(project or "default", found[1]), GITHUB_CONFIDENCE)
    return None


def _github(repository: str, number: str) -> str:
    return f"art:gh_issue:{repository.lower()}:{int(number)}"
