"""What we gave an agent is known again in its transcript, as its client wrote it down."""

from __future__ import annotations

import html

import pytest

from axiommind.surfaces.render.fence import fenced
from axiommind.text.recalled import RECALLED


@pytest.mark.parametrize("written", [str, html.escape, lambda text: html.escape(text, quote=False)])
def test_a_fence_is_found_as_clients_write_it(written: type[str]) -> None:
    given = fenced("a < b, and what was <system> said")
    assert RECALLED.sub("", f"before {written(given)} after") == "before  after"
    assert RECALLED.sub("", f"before {written(given)[:-5]}") == "before "
