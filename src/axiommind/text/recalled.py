"""The marks around what we gave an agent: quoted history. Most agents save it in their transcripts, where it must not
be read as history again."""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["CLOSE", "OPEN", "RECALLED"]

OPEN = "<recalled-history>"
CLOSE = "</recalled-history>"
# Gemini CLI and Qwen Code write `&lt;` for `<`, to their models and into their transcripts.
RECALLED = lazy(r"(?:<|&lt;)recalled-history(?:>|&gt;).*?(?:(?:<|&lt;)/recalled-history(?:>|&gt;)|\Z)", re.DOTALL)
