"""A shell line in short."""

from __future__ import annotations

import pytest

from axiommind.tools.shell_outcomes import in_short

BODY = "cat > /tmp/body.md <<'EOF'\n## Summary\n- it\nEOF\n"


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("npm test 2>&1 | tail -5", "npm test"),
        ("python - <<'EOF'\nprint(1)\nEOF", "python -"),
        (f"{BODY}\ngh pr edit 7 --body-file /tmp/body.md", "gh pr edit 7 --body-file /tmp/body.md"),
        (f"cd /p && {BODY}gh pr edit 7", "cd /p && gh pr edit 7"),
        (BODY, "cat > /tmp/body.md"),
    ],
)
def test_what_is_written_first_is_not_what_was_run(line: str, short: str) -> None:
    assert in_short(line) == short
