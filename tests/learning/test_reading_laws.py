"""What a model is sent: however a session grows, whichever tries fail, and whenever the index is made anew, each
message is read once with success, and none is left out."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.extraction.contract import Extraction, ExtractionFailed, KnownEntry
from axiommind.learning.pipeline import Pipeline
from axiommind.learning.session_queue import to_ask
from axiommind.projections.transcript import Transcript
from tests.examples import examples
from tests.transcripts import Lines, World, encode


class Reader:
    """An extractor that costs, and writes down what it was given."""

    name, is_measured, takes_known = "reader", False, True

    def __init__(self) -> None:
        self.read: list[str] = []
        self.fails = False

    def extract(self, transcript: Transcript, *, since: int = 0, known: Sequence[KnownEntry] = ()) -> Extraction:
        if self.fails:
            raise ExtractionFailed("not now")
        self.read += [message.text for message in transcript.messages if message.position > since]
        return Extraction((), "reader-1", "0123456789abcdef")


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["learn", "fail", "rebuild", "wait"])), min_size=1, max_size=8
)


@settings(max_examples=examples(25))
@given(STEPS)
def test_each_message_is_read_once(steps: list[tuple[int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        reader, lines = Reader(), Lines("s1")
        world.write(b"", "s1")
        for count, act in [*steps, (1, "learn")]:
            for _ in range(count):
                world.append(encode(lines.prompt(f"Message number {len(lines.lines)} of the session.")), "s1")
            world.memory().index()
            if act == "rebuild":
                (world.home / "index.db").unlink()
                world.memory().index()
            elif act != "wait":
                reader.fails = act == "fail"
                with world.memory().home.writing([]) as (log, key, index):
                    asked = [one.session for one in to_ask(index.db, reader.name)]
                    # A session that failed too often waits until it grows: in the end it does.
                    Pipeline(log, key, index, reader, None, together=False).run(asked)
        assert reader.read == [line["message"]["content"] for line in lines.lines]
        assert world.memory().verify() == []
