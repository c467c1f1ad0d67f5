"""What particles tell: the radial distribution."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from ._arrays import Array, given
from ._library import UsageError


def _blocks(positions: Array, box: Array, reach: float) -> Iterator[tuple[Array, Array]]:
    """Ids in blocks, and those of all particles that can be within reach of some of them."""
    cells = np.maximum((box / reach).astype(int), 1)
    cells[cells < 3] = 1  # where all cells are neighbours
    place = np.minimum((positions / (box / cells)[:, None]).astype(int), cells[:, None] - 1)
    cell = np.ravel_multi_index(tuple(place), tuple(cells))
    order = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[order], np.arange(np.prod(cells) + 1))
    offsets = [(-1, 0, 1) if n > 1 else (0,) for n in cells]
    for at in np.ndindex(*cells):
        near = [np.ravel_multi_index(tuple((np.add(at, by)) % cells), tuple(cells)) for by in product(*offsets)]
        own = np.ravel_multi_index(at, tuple(cells))
        others = np.concatenate([order[start[c]:start[c + 1]] for c in near])
        for first in range(start[own], start[own + 1], 256):  # 256 rows of pairs at once
            yield order[first:min(first + 256, start[own + 1])], others


def radial_distribution(positions: Array, box: Sequence[float], reach: float | None = None,
                        bins: int = 100) -> tuple[Array, Array]:
    """
    g(r) of particles in a periodic box: pairs per volume of each shell over those of an ideal gas.

    positions   float64, shape (3, n), n >= 2, 0 <= r < edge, as LJ.positions gives them
    box         the three edges
    reach       largest distance, at most half the least edge; None: that half
    returns     r and g, float64, shape (bins): g[k] of the shell around r[k]
    """
    edges = np.asarray(box, np.float64)
    half = float(edges.min()) / 2
    r_max = half if reach is None else reach
    at = given("positions", positions, np.float64)
    if at.ndim != 2 or at.shape[0] != 3 or at.shape[1] < 2:
        raise UsageError(f"positions must have shape (3, n), n at least 2 (got {at.shape})")
    if not 0 < r_max <= half or bins < 1:
        raise UsageError(f"reach must be above 0 and at most {half:g}, half the least edge of the box, and bins "
                         f"at least 1 (got {r_max:g} and {bins})")
    shell = np.linspace(0, r_max, bins + 1)
    pairs = np.zeros(bins)
    for some, others in _blocks(at, edges, r_max):
        square = np.zeros((len(some), len(others)))
        for x, edge in zip(at, edges):
            apart = x[some][:, None] - x[others]
            apart -= edge * np.round(apart / edge)
            square += apart * apart
        pairs += np.histogram(np.sqrt(square[some[:, None] != others]), shell)[0]
    n = at.shape[1]
    ideal = n * (n - 1) / edges.prod() * 4 / 3 * np.pi * np.diff(shell**3)
    return (shell[1:] + shell[:-1]) / 2, pairs / ideal
