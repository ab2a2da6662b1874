"""Logistic regression with an L2 penalty, by Newton's method: what fits weights of a few signs to yes and no.

Signs are standardised before they are fitted, so that the penalty means the same for each; weights come back in the
signs' own units. `strength` is scikit-learn's C: the penalty is half the sum of squares, the offset bears none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fitted", "fit"]

Floats = NDArray[np.float64]

STEPS = 100
NEAR = 1e-9


class Fitted(NamedTuple):
    weights: Floats
    offset: float
    spread: Floats  # standard deviation of each sign, by which weights can be compared

    def odds(self, signs: Floats) -> Floats:
        """Natural logarithms of them."""
        found: Floats = signs @ self.weights + self.offset
        return found


def fit(signs: Floats, right: Floats, strength: float, counts: Floats | None = None) -> Fitted:
    """`signs` is a row a case; `right` is 1 or 0 of each; `counts` says how much a case weighs."""
    counts = np.ones(len(signs)) if counts is None else counts
    mean, spread = signs.mean(0), signs.std(0) + 1e-6
    rows = np.hstack([(signs - mean) / spread, np.ones((len(signs), 1))])
    penalty = np.append(np.ones(signs.shape[1]), 0.0) / strength
    at = np.zeros(rows.shape[1])
    loss = _loss(rows, right, counts, penalty, at)
    for _ in range(STEPS):
        chances = _chances(rows @ at)
        slope = rows.T @ (counts * (chances - right)) + penalty * at
        bend = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend + 1e-12 * np.eye(len(at)), slope)
        while _loss(rows, right, counts, penalty, at - step) > loss + NEAR and np.abs(step).max() > NEAR:
            step /= 2  # Newton's step may be too long where nearly everything is told apart
        at = at - step
        loss = _loss(rows, right, counts, penalty, at)
        if np.abs(step).max() < NEAR:
            break
    weights = at[:-1] / spread
    return Fitted(weights, float(at[-1] - weights @ mean), spread)


def _chances(odds: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(odds, -35, 35)))
    return found


def _loss(rows: Floats, right: Floats, counts: Floats, penalty: Floats, at: Floats) -> float:
    odds = rows @ at
    return float(counts @ (np.logaddexp(0, odds) - right * odds) + 0.5 * penalty @ (at * at))
