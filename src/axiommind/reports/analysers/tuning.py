"""Every number of the analysers that a user may turn: one home, one default each.

A tuning file is a JSON object of some of these fields; what it leaves out keeps its default. A field that is
unknown, of another type or out of bounds is an error that names it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

# Below these a formula has no meaning: it would divide by zero, or find everything.
_LEAST: dict[str, float] = {
    "min_seq_length": 2,
    "max_seq_length": 2,
    "loop_max_seq_length": 2,
    "loop_min_repeats": 2,
    "max_clusters": 1,
}
_LARGEST = 10**9
_ABOVE_ZERO = ("decay_half_life_days", "bm25_sigmoid_k")
_AT_MOST_ONE = ("bm25_b", "multi_query_decay", "min_trend_r_squared")


@dataclass(frozen=True, slots=True)
class Tuning:
    """The numbers of v2, under v2's names. Made with a wrong value it raises `UsageError`."""

    bm25_k1: float = 1.5
    bm25_b: float = 0.75
    time_window_minutes: int = 5
    min_seq_length: int = 2
    max_seq_length: int = 5
    decay_half_life_days: float = 14.0
    weight_frequency: float = 0.40
    weight_consistency: float = 0.20
    weight_bm25: float = 0.40
    decay_weight_frequency: float = 0.30
    decay_weight_consistency: float = 0.15
    decay_weight_bm25: float = 0.35
    decay_weight_recency: float = 0.20
    bm25_sigmoid_k: float = 5.0
    multi_query_decay: float = 0.6
    max_clusters: int = 500
    z_score_threshold: float = 2.0
    loop_max_seq_length: int = 3
    loop_min_repeats: int = 2
    min_trend_r_squared: float = 0.3

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            object.__setattr__(self, field.name, _checked(field.name, value, whole=field.type == "int"))
        if self.max_seq_length < self.min_seq_length:
            raise UsageError(
                f"tuning: max_seq_length ({self.max_seq_length}) is less than min_seq_length ({self.min_seq_length})"
            )

    @classmethod
    def of(cls, given: object, source: str = "tuning") -> Tuning:
        """From an object as JSON gives it; missing fields take their defaults."""
        if not isinstance(given, dict):
            raise UsageError(f"{source}: a JSON object is wanted, not {_kind(given)}", hint=_HINT)
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                from difflib import get_close_matches

                near = get_close_matches(str(name), names, n=1)
                raise UsageError(
                    f"{source}: unknown field {name!r}", hint=f"did you mean {near[0]}? {_HINT}" if near else _HINT
                )
        try:
            return cls(**given)
        except UsageError as error:
            raise UsageError(f"{source}: {error.message.removeprefix('tuning: ')}", hint=error.hint) from None

    @classmethod
    def load(cls, path: Path) -> Tuning:
        """From a JSON file."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"the tuning file {path} cannot be read: {why}", hint=_HINT) from error
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} is not JSON: {error}", hint=_HINT) from error
        return cls.of(given, str(path))

    def to_dict(self) -> dict[str, Any]:
        """All fields in their order, as the output and a tuning file write them."""
        return asdict(self)


_HINT = "--tuning-defaults prints every field with its default"


def _checked(name: str, value: object, *, whole: bool) -> int | float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or (whole and isinstance(value, float) and not value.is_integer()):
        wanted = "a whole number" if whole else "a number"
        raise UsageError(f"tuning: {name} must be {wanted}, not {_kind(value)}", hint=_HINT)
    assert isinstance(value, int | float)
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise UsageError(f"tuning: {name} is too large: {_kind(value)}", hint=_HINT)
    if not isfinite(value):
        raise UsageError(f"tuning: {name} must be a finite number, not {value}", hint=_HINT)
    least = _LEAST.get(name, 0)
    if value < least or (name in _ABOVE_ZERO and value == 0):
        raise UsageError(
            f"tuning: {name} must be {'more than 0' if name in _ABOVE_ZERO else f'at least {least}'}, not {value}",
            hint=_HINT,
        )
    if name in _AT_MOST_ONE and value > 1:
        raise UsageError(f"tuning: {name} must be at most 1, not {value}", hint=_HINT)
    return int(value) if whole else float(value)


def _kind(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
