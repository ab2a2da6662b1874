"""How far to look: the three depths of v2.

A depth says when a prompt is cut into clauses, how many queries are made of it and how their scores become one, and
how much two prompts must resemble each other to ask for the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Combine(Enum):
    """How the scores of several queries become one; the values are what v2 prints."""

    MAX = "Max"
    WEIGHTED = "WeightedAvg"
    MEAN = "Avg"


@dataclass(frozen=True, slots=True)
class Depth:
    split_from_words: int
    rare_words: int
    most_queries: int
    nouns: bool  # whether the things that a prompt names are a query of their own
    similarity: float
    combine: Combine


DEPTHS = {
    "narrow": Depth(12, 3, 2, False, 0.8, Combine.MAX),
    "normal": Depth(8, 5, 4, True, 0.7, Combine.WEIGHTED),
    "wide": Depth(5, 8, 8, True, 0.5, Combine.MEAN),
}
